"""The noise of a model: how often it answers the same question differently, and what that does to a drop.

At temperature 0 servers batch requests differently from one time to the next, and the order in which numbers
are added changes answers.  A drop no larger than that noise is not a finding.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.estimate import Bounds, Estimate
from crossexam.core.labels import THREE_LABELS, label_indices
from crossexam.core.manifest import saved_run_in
from crossexam.core.randomness import rng_for
from crossexam.core.sealed import MANIFEST, write_manifest
from crossexam.models.model import Model, Pair
from crossexam.runs.answer_store import FILE_NAME, AnswerStore
from crossexam.runs.saved import read_run
from crossexam.stats.clusters import normal_quantile
from crossexam.stats.estimate import share_correct

#: So many pairs are asked again.
PAIRS_REPEATED: Final = 100
_REPEAT: Final = "repeat `crossexam run` with --repeat"


@dataclass(frozen=True)
class Noise:
    """How often answers changed when *pairs* were asked *times* more: *flips* times, the share *rate*.

    The interval of *rate* is by pair.
    """

    pairs: int
    times: int
    flips: int
    rate: Estimate

    @property
    def share(self) -> float:
        """The share of changed answers that is assumed: as if one more pair had changed each time.

        It is 0 if none did.
        """
        return min(1.0, self.rate.value + 1 / self.pairs) if self.rate.value else 0.0


def noise_of(run: Run) -> Noise | None:
    """Return the noise that was measured for *run* (``--repeat``), None if none was.

    Raises FormatError if the manifest of the run does not hold it as it is written.
    """
    found = run.details.get("repeat")
    return None if found is None else _noise(found, run.model)


def _noise(found: Any, model: str) -> Noise:
    try:
        pairs, times, flips = (int(found[name]) for name in ("pairs", "times", "flips"))
        value, low, high = (float(found[name]) for name in ("value", "low", "high"))
        is_sound = 0 <= low <= value <= high <= 1 and 0 <= flips <= pairs * times
    except (TypeError, ValueError, KeyError, IndexError):
        is_sound = False
    if not is_sound:
        raise FormatError(
            "the share of changed answers in the manifest of the run is damaged",
            where=model,
            wanted="pairs, times, flips, and their share with its interval",
            hint=_REPEAT,
        )
    return Noise(pairs, times, flips, Estimate(value, low, high, pairs * times, pairs))


def noise_floor(*accuracies: tuple[Noise | None, int]) -> float | None:
    """Return the largest change in the difference of *accuracies* that asking again makes by chance.

    Each is the noise of a model and the number n of its items: base and items of one model for a drop, the
    same items of two models for their difference.  If a share f of answers changes, an item that was right
    is wrong or the reverse with a probability of at most f.  With changes that are independent and favour
    neither, an accuracy has a standard deviation of at most ``sqrt(f / n)`` from one time to the next, and
    the difference of two ``sqrt(f_1 / n_1 + f_2 / n_2)``.  The result is 1.96 of these, a share: 95 % of
    changes are within it.  *f* is the observed share with one more pair than was seen to change
    (:attr:`Noise.share`): with the observed one itself, which is of 100 pairs, up to 8 % of changes are
    beyond.  Models of which it is not known count as if they did not change; None if it is known of none, or
    if there are no items.

    >>> noise = Noise(100, 2, 3, Estimate(0.015, 0.004, 0.05, 200, 100))
    >>> round(noise_floor((noise, 300), (noise, 300)), 4), noise_floor((None, 300), (None, 300))
    (0.0253, None)
    """
    known = [(noise.share, n) for noise, n in accuracies if noise is not None]
    if not known or not all(n for _, n in accuracies):
        return None
    return normal_quantile(0.95) * math.sqrt(sum(share / n for share, n in known))


def is_within(difference: Estimate | None, floor: float | None) -> bool | None:
    """Return whether *difference* is no larger than *floor*, the noise of asking again.

    *difference* is a drop, or that of two accuracies, and *floor* that of :func:`noise_floor`.  It is never
    within a floor of 0, that of models which changed no answer.  The result is None if either is not known.

    >>> drop = Estimate(0.019, -0.01, 0.05, 300, 300)
    >>> is_within(drop, 0.0196), is_within(drop, 0.0), is_within(drop, None), is_within(None, 0.0196)
    (True, False, None, None)
    """
    if floor is None or difference is None or isinstance(difference, Bounds) or math.isnan(difference.value):
        return None
    return floor > 0 and abs(difference.value) <= floor


def ask_again(run: Run, model: Model, times: int) -> dict[str, Any]:
    """Return how often *model* answers otherwise than in *run* when it is asked *times* more.

    Up to PAIRS_REPEATED distinct pairs are drawn at random from those that *run* has an answer to: two
    failures to answer are not agreement.  ``flips`` are answers that name another label, or none; ``rate`` is
    their share, with its interval by pair.  Raises CrossexamError, also if *run* has no answer.
    """
    labels = {name: _labels(run, name) for name in run.datasets}
    drawn = drawn_pairs(run.datasets, labels)
    if not drawn:
        raise CrossexamError(
            f"{run.model} answered no pair, so --repeat has nothing to compare with",
            wanted="a run with answers",
            hint="leave out --repeat, and see why the answers are missing",
        )
    before = [labels[name][row] for name, row in drawn.values()]
    pairs = list(drawn)
    flips: list[bool] = []
    for _ in range(times):
        again = label_indices(model.predict(pairs), THREE_LABELS, two_labels=run.two_labels)
        flips += [int(new) != old for new, old in zip(again, before, strict=True)]
    rate = share_correct(flips, list(range(len(pairs))) * times)
    facts = {"pairs": len(pairs), "times": times, "flips": sum(flips)}
    return facts | {name: round(getattr(rate, name), 6) for name in ("value", "low", "high")}


def repeat_in_folder(run: Run, model: Model, folder: Path, times: int) -> Run:
    """Return *run* in *folder* with the noise of *model* among its details; raises CrossexamError."""
    model.recall(run.details)
    facts = {"repeat": ask_again(run, model, times)}
    facts |= {name: model.details[name] for name in model.kept or () if name in model.details}
    with AnswerStore(folder / FILE_NAME, model.key, model.name) as store:
        store.note(facts)
    manifest = saved_run_in(folder, hint=_REPEAT)
    details = {**(manifest.details or {}), **facts}
    write_manifest(folder / MANIFEST, msgspec.structs.replace(manifest, details=details))
    return read_run(folder)


def noise_sentence(noise: Noise) -> str:
    """Return how many answers changed, as words.

    >>> noise_sentence(Noise(100, 2, 3, Estimate(0.015, 0.004, 0.05, 200, 100)))
    '3 of 200 answers changed when 100 pairs were asked again 2 times, 1.5 % [0.4, 5.0]'
    """
    rate = noise.rate
    again = "once" if noise.times == 1 else f"{noise.times} times"
    return (
        f"{noise.flips} of {rate.n} answers changed when {noise.pairs} pairs were asked again {again}, "
        f"{100 * rate.value:.1f} % [{100 * rate.low:.1f}, {100 * rate.high:.1f}]"
    )


def drawn_pairs(
    datasets: Mapping[str, Dataset], labels: Mapping[str, Sequence[int]] | None = None
) -> dict[Pair, tuple[str, int]]:
    """Return up to PAIRS_REPEATED distinct pairs of *datasets* drawn at random, with a place of each.

    A place is the name of a test set and the row of an item.  With *labels*, by test set and row, pairs
    without one (-1) are not drawn.
    """
    places = [(name, row) for name, dataset in datasets.items() for row in range(len(dataset))]
    rng_for(0, "repeat").shuffle(places)
    drawn: dict[Pair, tuple[str, int]] = {}
    for name, row in places:
        if labels is not None and labels[name][row] < 0:
            continue
        drawn.setdefault(_pair(datasets[name], row), (name, row))
        if len(drawn) == PAIRS_REPEATED:
            break
    return drawn


def _labels(run: Run, name: str) -> Sequence[int]:
    found: list[int] = label_indices(run.answers(name), THREE_LABELS, two_labels=run.two_labels).tolist()
    return found


def _pair(dataset: Dataset, row: int) -> Pair:
    example = dataset.examples[row]
    return example.premise, example.hypothesis
