"""Test sets and runs that are written as letters, a letter per item.

A letter is a label: E, N, C, and n for *not entailment*. A gold label - is none; of the answers, n is
neutral, ? is a refusal, and ! was cut.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Change, Edit, Example
from crossexam.core.labels import Gold
from crossexam.core.manifest import RunManifest
from crossexam.core.outcome import Outcome, Outcomes

GOLD_OF: Mapping[str, Gold | None] = {
    "E": "entailment", "N": "neutral", "C": "contradiction", "n": "not_entailment", "-": None
}  # fmt: skip
ANSWER_OF = {"E": (1, 0, 0), "N": (0, 1, 0), "C": (0, 0, 1), "n": (0, 1, 0)}
STATUSES = {"?": "refused", "!": "cut"}
#: What is known of each item, of all alike, or by their numbers.
Info = Sequence[Mapping[str, Any]] | Mapping[str, Any] | Callable[[int], Mapping[str, Any]]


def dataset(
    name: str,
    golds: str,
    base: str | None = None,
    *,
    info: Info = (),
    sharing: int = 1,
    premises: Sequence[Any] | None = None,
    bases: Sequence[str | None] | None = None,
    **facts: Any,
) -> Dataset:
    """A test set with an item per letter of *golds*, named "negation:0" and so on in negation.dev.

    So many items after one another are *sharing* a premise, or those that have the same of *premises*. An
    item is made from that of its number in *base*, or from that of *bases*.
    """
    construction, _, part = name.partition(".")

    def known(k: int) -> Mapping[str, Any]:
        if callable(info):
            return info(k)
        return info if isinstance(info, Mapping) else info[k] if info else {}

    items = tuple(
        Example(
            f"{construction}:{k}",
            f"Premise {k // sharing if premises is None else premises[k]}.",
            f"Hypothesis {k}.",
            GOLD_OF[letter],
            base=bases[k] if bases else base and f"{base.partition('.')[0]}:{k}",
            info=dict(known(k)),
        )
        for k, letter in enumerate(golds)
    )
    made = {"construction": construction, "part": part, "base_set": base, "keeps_label": True}
    return Dataset(name, items, made | facts)


def negated(base: Dataset, words: str, **facts: Any) -> Dataset:
    """A test set over *base*, with *words* before the full stop of each hypothesis."""
    items = []
    for each in base:
        end = len(each.hypothesis) - 1
        edit = Edit("hypothesis", end, end, "", words)
        items.append(each.derive(each.label, Change("negation.v1", "premise", "hypothesis", (edit,))))
    part = base.manifest["part"]
    made = {"construction": "negation.v1", "part": part, "base_set": base.name, "keeps_label": True}
    return Dataset(f"negation.{part}", tuple(items), {**made, **facts})


def answers(letters: str, sure: float = 1.0) -> Any:
    """The probabilities of answers, of which each has the probability *sure*."""
    rows = np.array([ANSWER_OF.get(letter, (np.nan,) * 3) for letter in letters], float).reshape(-1, 3)
    rest = (1 - sure) / 2
    return rows * (sure - rest) + rest


def run_of(
    said: Mapping[str, str], *sets: Dataset, model: str = "m", sure: float = 1.0, **details: Any
) -> Run:
    """A run that gave these answers to the items of each test set."""
    told = {
        name: Outcomes.of([Outcome(STATUSES.get(each, "answered")) for each in letters], len(letters))
        for name, letters in said.items()
        if set(letters) & set(STATUSES)
    }
    rows = {name: answers(letters, sure) for name, letters in said.items()}
    manifest = RunManifest(model_key=model, details=details)
    return Run(model, {each.name: each for each in sets}, rows, manifest, {}, told)


def stating(
    golds: str, rows: Any, *, info: Info = (), premises: Any = None, facts: Any = (), **manifest: Any
) -> Run:
    """A run over base.own of a model that states these probabilities."""
    data = dataset("base.own", golds, info=info, premises=premises, **dict(facts))
    return Run("m", {data.name: data}, {data.name: np.array(rows)}, RunManifest(**manifest))


def mostly_right(model: str, right: float, sets: Sequence[Dataset], missing: int = 0, **details: Any) -> Run:
    """A run of a model that is right on that share of ENCENC..., and silent on the last *missing* items."""
    rng, said = np.random.default_rng([ord(letter) for letter in model]), {}
    for each in sets:
        labels = [k % 3 if rng.random() < right else (k + 1 + rng.integers(2)) % 3 for k in range(len(each))]
        said[each.name] = "".join("ENC"[label] for label in labels)[: len(each) - missing] + "?" * missing
    return run_of(said, *sets, model=model, **details)


def wrong(golds: str, count: int) -> str:
    """Answers of which the first *count* are wrong."""
    return golds[:count].translate(str.maketrans("ENCn", "NCEE")) + golds[count:]


def assert_same_answers(one: Run, other: Run) -> None:
    """Check that two runs say the same of the items of each test set, and of what was read of them."""
    assert list(one.datasets) == list(other.datasets)
    for name in one.datasets:
        assert np.array_equal(one.probabilities[name], other.probabilities[name], equal_nan=True)
        mine, theirs = one.outcomes_of(name), other.outcomes_of(name)
        assert mine.codes.tolist() == theirs.codes.tolist()
        assert np.array_equal(mine.label_mass, theirs.label_mass, equal_nan=True)
        assert one.reading[name].truncated.tolist() == other.reading[name].truncated.tolist()
        assert one.reading[name].edit_unseen.tolist() == other.reading[name].edit_unseen.tolist()
