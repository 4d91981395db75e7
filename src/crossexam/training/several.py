"""Several trainings, each a task of an engine: the seeds of a model, or a grid of settings and seeds.

Each training has a folder of its own, in which it resumes.  Workers write into the folder that the process
that asks has: on a cluster it must be one that all nodes share, which is checked before and after a training.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from socket import gethostname
from typing import Final, NamedTuple

from crossexam.core.errors import CrossexamError
from crossexam.core.files import write_json
from crossexam.core.progress import silent, unheard
from crossexam.core.sealed import MANIFEST
from crossexam.corpora.trained import TrainedFolder, TrainedManifest
from crossexam.engines.engine import Engine, InThisProcess
from crossexam.training.checkpoints import UNFINISHED, remove_snapshots
from crossexam.training.request import TrainingRequest, unwatched
from crossexam.training.train import spread_of, train_model

_SHARED: Final = "use a folder that all nodes share as -o, or --engine local"


class _Training(NamedTuple):
    """What one of several trainings has of its own."""

    values: Mapping[str, str]
    seed: int
    folder: Path


def train_seeds(
    request: TrainingRequest, seeds: Sequence[int], engine: Engine | None = None
) -> list[TrainedFolder]:
    """Train with each seed, in the folder ``seed-N`` if there are several; by default in this process."""
    models = list(_trained(request, _of_seeds(request.values, request.folder, seeds), engine))
    _write_spread(models, request.folder)
    return models


def train_grid(
    request: TrainingRequest,
    combinations: Sequence[Mapping[str, str]],
    seeds: Sequence[int],
    engine: Engine | None = None,
) -> dict[str, list[TrainedFolder]]:
    """Train each combination of settings with each seed, in a folder named after its settings.

    A biased model that several of them use is trained once.  Raises CrossexamError if a setting is in a
    combination and in the request.
    """
    named = {",".join(f"{field}={value}" for field, value in each.items()): each for each in combinations}
    for values in combinations:
        both = sorted(set(values) & set(request.values))
        if both:
            raise CrossexamError(f"'{both[0]}' is in both --set and --sweep")
    trainings = [
        training
        for name, values in named.items()
        for training in _of_seeds({**request.values, **values}, request.folder / name, seeds)
    ]
    models: dict[str, list[TrainedFolder]] = {}
    sharing = replace(request, shared=request.folder / UNFINISHED)
    with closing(_trained(sharing, trainings, engine)) as trained:
        for name in named:
            models[name] = [next(trained) for _ in seeds]
            _write_spread(models[name], request.folder / name)
    spreads = {name: spread_of([m.accuracy for m in group])._asdict() for name, group in models.items()}
    write_json(request.folder / "sweep.json", {"best": best_of_grid(models), "dev_accuracy": spreads})
    remove_snapshots(request.folder)
    return models


def best_of_grid(models: Mapping[str, Sequence[TrainedFolder]]) -> str:
    """Return the settings with the highest mean dev accuracy, the first of equals."""
    return max(models, key=lambda name: spread_of([model.accuracy for model in models[name]]).mean)


def _of_seeds(values: Mapping[str, str], folder: Path, seeds: Sequence[int]) -> list[_Training]:
    if len(seeds) == 1:
        return [_Training(values, seeds[0], folder)]
    return [_Training(values, seed, folder / f"seed-{seed}") for seed in seeds]


def _write_spread(models: Sequence[TrainedFolder], folder: Path) -> None:
    if len(models) > 1:
        accuracies = {model.folder.name: model.accuracy for model in models}
        spread = spread_of(list(accuracies.values()))
        write_json(folder / "seeds.json", {"dev_accuracy": accuracies, **spread._asdict()})


def _trained(
    request: TrainingRequest, trainings: Sequence[_Training], engine: Engine | None
) -> Generator[TrainedFolder]:
    """Yield the model of each of *trainings*, in order; raises CrossexamError."""
    if engine is None or isinstance(engine, InThisProcess):
        for each in trainings:
            yield train_model(_request(request, each))
        return
    request.folder.mkdir(parents=True, exist_ok=True)
    begin = _Trainer(
        replace(request, watch=unwatched, progress=silent, note=unheard), request.folder.absolute()
    )
    with closing(engine.results(begin, trainings)) as results:
        for number, (training, made) in enumerate(zip(trainings, results, strict=True), 1):
            trained = TrainedFolder(training.folder, made.manifest)
            _check_here(trained)
            for text in made.notes:
                request.note(text)
            request.note(
                f"{training.folder}: dev accuracy {trained.accuracy:.1f} % ({number} of {len(trainings)})"
            )
            yield trained


def _request(request: TrainingRequest, training: _Training) -> TrainingRequest:
    return replace(request, values=training.values, seed=training.seed, folder=training.folder)


class _Made(NamedTuple):
    """What a worker says of a training: the manifest in its folder, and the notes for the user."""

    manifest: TrainedManifest
    notes: Sequence[str]


@dataclass(frozen=True)
class _Trainer:
    """Has a worker train what *request* says, into *folder*."""

    request: TrainingRequest
    folder: Path

    def __call__(self) -> Callable[[_Training], _Made]:
        """Return the function that trains; raises CrossexamError if the worker does not have the folder."""
        if not self.folder.is_dir():
            raise CrossexamError(
                "the folder for the models is not on the node",
                where=f"{self.folder} on {gethostname()}",
                wanted="a folder that all nodes share, since each training writes its model there",
                hint=_SHARED,
            )
        return partial(_train, self.request, self.folder)


def _train(request: TrainingRequest, root: Path, training: _Training) -> _Made:
    notes: list[str] = []
    own = _request(request, training)
    folder = root / training.folder.relative_to(request.folder)
    shared = request.shared and root / request.shared.relative_to(request.folder)
    trained = train_model(replace(own, folder=folder, shared=shared, note=notes.append))
    return _Made(trained.manifest, notes)


def _check_here(trained: TrainedFolder) -> None:
    """Raise CrossexamError if a worker wrote a model where this process does not find it."""
    folder = trained.folder
    if not (folder / MANIFEST).exists() or TrainedFolder.read(folder).manifest != trained.manifest:
        raise CrossexamError(
            "a worker has written the model to another disk",
            where=str(trained.folder),
            wanted="a folder that all nodes share",
            hint=_SHARED,
        )
