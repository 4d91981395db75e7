"""One training, or several: seeds, and grids of settings chosen on the dev set alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from crossexam.core.errors import CrossexamError
from crossexam.core.files import write_json
from crossexam.training.folder import MANIFEST
from crossexam.training.request import Request, Trained


class Spread(NamedTuple):
    """The mean dev accuracy of *n* seeds in percent, and their standard deviation (n - 1); 0 of one."""

    mean: float
    deviation: float
    n: int


def train(request: Request) -> Trained:
    """Train what *request* names, of the zoo or of transformers, and score it on the tests.

    Raises CrossexamError.
    """
    from crossexam.training.testing import with_tests

    return with_tests(_fitted(request), request.data.tests, request.device)


def _fitted(request: Request) -> Trained:
    if request.name.startswith("hf/"):
        from crossexam.training.pretrained import train_pretrained

        return train_pretrained(request)
    from crossexam.training.fitting import train_zoo

    return train_zoo(request)


def spread_of(accuracies: Sequence[float]) -> Spread:
    """Return mean and standard deviation of *accuracies*.

    >>> spread_of([60.0, 62.0, 64.0])
    Spread(mean=62.0, deviation=2.0, n=3)
    """
    n = len(accuracies)
    mean = sum(accuracies) / n
    squares = sum((each - mean) ** 2 for each in accuracies)
    return Spread(mean, (squares / (n - 1)) ** 0.5 if n > 1 else 0.0, n)


def train_seeds(request: Request, seeds: Sequence[int]) -> list[Trained]:
    """Train once a seed, into ``seed-N`` of the request's folder where there are several."""
    if len(seeds) == 1:
        return [train(replace(request, seed=seeds[0]))]
    trained = [train(replace(request, seed=seed, folder=request.folder / f"seed-{seed}")) for seed in seeds]
    spread = spread_of([each.accuracy for each in trained])
    members = {each.folder.name: each.accuracy for each in trained}
    write_json(request.folder / "seeds.json", {"dev_accuracy": members, **spread._asdict()})
    return trained


def train_grid(
    request: Request, combinations: Sequence[Mapping[str, str]], seeds: Sequence[int]
) -> dict[str, list[Trained]]:
    """Train every combination of settings with every seed, each in a folder named after its settings.

    Raises CrossexamError where a combination sets what the request sets too.
    """
    found: dict[str, list[Trained]] = {}
    for values in combinations:
        both = sorted(set(values) & set(request.values))
        if both:
            raise CrossexamError(f"'{both[0]}' is both in --set and in --sweep")
        name = ",".join(f"{field}={value}" for field, value in values.items())
        each = replace(request, values={**request.values, **values}, folder=request.folder / name)
        found[name] = train_seeds(each, seeds)
    table = {name: spread_of([t.accuracy for t in trained])._asdict() for name, trained in found.items()}
    write_json(request.folder / "sweep.json", {"best": best_of_grid(found), "dev_accuracy": table})
    return found


def best_of_grid(found: Mapping[str, Sequence[Trained]]) -> str:
    """Return the settings with the highest mean dev accuracy, the first of equals."""
    return max(found, key=lambda name: spread_of([each.accuracy for each in found[name]]).mean)


def is_trained(folder: Path) -> bool:
    """Tell whether *folder* holds a finished training."""
    return (folder / MANIFEST).is_file()


def describe(trained: Trained) -> dict[str, Any]:
    """Return the scores of *trained* in a line's worth of facts."""
    return {"folder": str(trained.folder), **trained.manifest["scores"]}
