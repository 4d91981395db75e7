"""What a report is made from: runs, their measures, and one name for each model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Estimate
from crossexam.core.example import PROPOSED

if TYPE_CHECKING:
    from crossexam.evaluation.measures import TestSetResult


@dataclass(frozen=True)
class Measured:
    """A run, the *name* its model has in the report, and the measures of each of its test sets."""

    name: str
    run: Run
    results: tuple[TestSetResult, ...]

    def result(self, test_set: str) -> TestSetResult | None:
        """Return the measures of *test_set*, or None where the model was not asked it."""
        return next((result for result in self.results if result.name == test_set), None)


def measured(runs: Sequence[Run]) -> tuple[Measured, ...]:
    """Return the measures of *runs*, each model under a name of its own.

    Raises CrossexamError where there is no run, or two runs answered different items under one name.
    """
    from crossexam.evaluation.measures import measure

    if not runs:
        raise CrossexamError("there is no run to report", hint="crossexam run MODEL SUITE -o RUN")
    _check_same_items(runs)
    return tuple(
        Measured(name, run, tuple(measure(run))) for name, run in zip(model_names(runs), runs, strict=True)
    )


def model_names(runs: Sequence[Run]) -> list[str]:
    """Return one name a run: the model's, numbered where two runs are of models with one name."""
    total = Counter(run.model for run in runs)
    seen: Counter[str] = Counter()
    names = []
    for run in runs:
        seen[run.model] += 1
        names.append(run.model if total[run.model] == 1 else f"{run.model} ({seen[run.model]})")
    return names


def names_of_test_sets(runs: Sequence[Run]) -> list[str]:
    """Return the test sets of *runs* in order of appearance."""
    return list(dict.fromkeys(name for run in runs for name in run.datasets))


def dataset_of(runs: Sequence[Run], name: str) -> Dataset:
    """Return the test set *name* from the first of *runs* that has it."""
    return next(run.datasets[name] for run in runs if name in run.datasets)


def construction_of(dataset: Dataset) -> str:
    """Return the name of the construction of *dataset* without its version.

    >>> construction_of(Dataset("negation.dev", (), {"construction": "negation.v1"}))
    'negation'
    """
    construction = dataset.manifest.get("construction") or dataset.name
    return str(construction).partition(".")[0]


def content_hash_of(dataset: Dataset) -> str:
    """Return the content hash of *dataset*: the manifest's, unless --limit cut the set it is of."""
    known = dataset.manifest.get("content_hash")
    return str(known) if known and dataset.manifest.get("rows") == len(dataset) else dataset.content_hash()


def _check_same_items(runs: Sequence[Run]) -> None:
    known: dict[str, tuple[str, Dataset, str | None]] = {}
    for run in runs:
        for name, dataset in run.datasets.items():
            model, first, digest = known.setdefault(name, (run.model, dataset, None))
            if first is dataset:
                continue
            digest = digest or content_hash_of(first)
            known[name] = (model, first, digest)
            if content_hash_of(dataset) != digest:
                raise CrossexamError(
                    f"'{model}' and '{run.model}' answered different items",
                    where=f"test set {name}",
                    wanted="runs over the same test sets",
                    hint="build the suite once and run both models over it",
                )


def worst(results: Sequence[TestSetResult]) -> TestSetResult | None:
    """Return the test set that *results* say broke most; None where nothing was measured.

    That is the one with the largest drop among those whose interval lies above 0, else the one with the
    largest drop, else, where no test set has a base, the one with the lowest accuracy.  Sets whose labels
    are proposed count only where there are no others.
    """
    answered = [result for result in results if result.n > 0]
    sure = [result for result in answered if not result.name.endswith(f"({PROPOSED})")]
    return max(sure or answered, key=badness, default=None)


def badness(result: TestSetResult) -> tuple[bool, bool, float]:
    """Return what :func:`worst` orders by."""
    loss = loss_of(result)
    return (False, False, -result.accuracy.value) if loss is None else (True, loss.low > 0, loss.value)


def loss_of(result: TestSetResult) -> Estimate | None:
    """Return how much accuracy was lost from base to test set: paired where it can be, else the difference.

    None for a base, and where nothing could be compared.
    """
    for loss in (result.drop, result.difference):
        if loss is not None and loss.n > 0 and loss.value == loss.value:
            return loss
    return None
