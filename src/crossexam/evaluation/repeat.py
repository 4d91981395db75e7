"""The noise floor of a model: how often it answers the same question differently.

A drop that is not much larger than this share is not a finding.  At temperature 0 servers batch requests
differently from one time to the next, and the order in which numbers are added changes answers.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Final

from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.files import read_json, write_json
from crossexam.core.labels import THREE_LABELS, label_indices
from crossexam.core.randomness import rng_for
from crossexam.models.model import Model, Pair, Recalls
from crossexam.runs.answer_store import FILE_NAME, AnswerStore
from crossexam.runs.saved import MANIFEST, read_run
from crossexam.stats.estimate import share_correct

#: So many pairs are asked again.
PAIRS_REPEATED: Final = 100


def noise_floor(run: Run, model: Model, times: int, *, seed: int = 0) -> dict[str, Any]:
    """Return how often *model* answers otherwise than in *run* when it is asked *times* more.

    Up to PAIRS_REPEATED distinct pairs are drawn with *seed*.  ``flips`` are answers that name another label,
    or come where there was none or the reverse; ``rate`` is their share, with its interval by pair.  Raises
    CrossexamError.
    """
    if times < 1:
        raise CrossexamError(f"--repeat is {times}", wanted="how often each pair is asked again: 1 or more")
    drawn = _drawn(run, seed)
    pairs = list(drawn)
    flips: list[bool] = []
    for _ in range(times):
        again = label_indices(model.predict(pairs), THREE_LABELS, two_labels=run.two_labels)
        flips += [int(new) != old for new, old in zip(again, drawn.values(), strict=True)]
    rate = share_correct(flips, list(range(len(pairs))) * times)
    facts = {"pairs": len(pairs), "times": times, "flips": sum(flips)}
    return facts | {name: round(getattr(rate, name), 6) for name in ("value", "low", "high")}


def repeat_in_folder(run: Run, model: Model, folder: Path, times: int) -> Run:
    """Return *run* in *folder* with the noise floor of *model* among its details; raises CrossexamError."""
    kept: Collection[str] = ()
    if isinstance(model, Recalls):
        model.recall(run.manifest["details"])
        kept = model.kept
    facts = {"repeat": noise_floor(run, model, times)}
    facts |= {name: model.details[name] for name in kept if name in model.details}
    with AnswerStore(folder / FILE_NAME, model.key, model.name) as store:
        store.note(facts)
    manifest = read_json(folder / MANIFEST)
    manifest["details"] = {**manifest.get("details", {}), **facts}
    write_json(folder / MANIFEST, manifest)
    return read_run(folder)


def noise_sentence(details: Any) -> str | None:
    """Return what the noise floor in the *details* of a run says, None if it has none.

    >>> noise_sentence({"repeat": {"pairs": 100, "times": 2, "flips": 3, "value": 0.015, "low": 0.0,
    ...                            "high": 0.05}})
    'asked again, 100 pairs got another answer in 3 of 200 cases, 1.5 % [0.0, 5.0]'
    """
    found = details.get("repeat") if isinstance(details, dict) else None
    if not isinstance(found, dict):
        return None
    value, low, high = (100 * float(found[name]) for name in ("value", "low", "high"))
    asked = int(found["pairs"]) * int(found["times"])
    return (
        f"asked again, {found['pairs']} pairs got another answer in {found['flips']} of {asked} cases, "
        f"{value:.1f} % [{low:.1f}, {high:.1f}]"
    )


def _drawn(run: Run, seed: int) -> dict[Pair, int]:
    """Return pairs of *run* drawn at random, with the label predicted for each, -1 without an answer."""
    places = [(name, row) for name, dataset in run.datasets.items() for row in range(len(dataset))]
    rng_for(seed, "repeat").shuffle(places)
    labels = {name: _labels(run, name) for name in run.datasets}
    drawn: dict[Pair, int] = {}
    for name, row in places:
        drawn.setdefault(_pair(run.datasets[name], row), labels[name][row])
        if len(drawn) == PAIRS_REPEATED:
            break
    return drawn


def _labels(run: Run, name: str) -> Sequence[int]:
    found: list[int] = label_indices(run.answers(name), THREE_LABELS, two_labels=run.two_labels).tolist()
    return found


def _pair(dataset: Dataset, row: int) -> Pair:
    example = dataset.examples[row]
    return example.premise, example.hypothesis
