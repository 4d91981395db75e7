"""Training of one model or several: seeds, grids of settings chosen on the dev set, scores on test sets.

Test sets are scored from the finished folder, and their scores are written into its manifest.  Sentences
are read as in training, with the parses and tags that the corpus ships.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from crossexam.core.dataset import content_hash
from crossexam.core.errors import CrossexamError
from crossexam.core.files import read_json, write_json
from crossexam.corpora.labelled import Corpus
from crossexam.training import checkpoints, loop, scoring, transformer, zoo
from crossexam.training.devices import torch_device
from crossexam.training.request import TrainedModel, TrainingRequest
from crossexam.training.scoring import Score

#: How the model in a finished folder is loaded, by the manifest's ``kind``.
_LOADERS: Final[dict[str, Any]] = {
    checkpoints.KIND: zoo.load_zoo,
    transformer.KIND: transformer.load_transformer,
}


class Spread(NamedTuple):
    """Mean dev accuracy of *n* seeds in percent, and their standard deviation (n - 1), 0 for one seed."""

    mean: float
    deviation: float
    n: int


_PREFIXES: Final[Mapping[str, str]] = {
    checkpoints.KIND: zoo.PREFIX,
    transformer.KIND: transformer.PREFIX,
}


def train_model(request: TrainingRequest) -> TrainedModel:
    """Train the model that *request* names, of the zoo or of transformers, and score it on the test sets.

    Raises CrossexamError.
    """
    return score_on_tests(_trained(request), request.data.tests, request.device)


def model_name(trained: TrainedModel) -> str:
    """Return the name by which ``run`` opens *trained*: the prefix of its kind of model, and its folder."""
    return f"{_PREFIXES[trained.manifest['kind']]}{trained.folder}"


def _trained(request: TrainingRequest) -> TrainedModel:
    if request.name.startswith(transformer.PREFIX):
        return loop.train(transformer.TransformerTraining.of(request), request)
    return loop.train(zoo.ZooTraining.of(request), request)


def spread_of(accuracies: Sequence[float]) -> Spread:
    """Return mean and standard deviation of *accuracies*.

    >>> spread_of([60.0, 62.0, 64.0])
    Spread(mean=62.0, deviation=2.0, n=3)
    """
    n = len(accuracies)
    mean = sum(accuracies) / n
    squares = sum((accuracy - mean) ** 2 for accuracy in accuracies)
    return Spread(mean, (squares / (n - 1)) ** 0.5 if n > 1 else 0.0, n)


def train_seeds(request: TrainingRequest, seeds: Sequence[int]) -> list[TrainedModel]:
    """Train with each seed, in the folder ``seed-N`` if there are several."""
    if len(seeds) == 1:
        return [train_model(replace(request, seed=seeds[0]))]
    models = [
        train_model(replace(request, seed=seed, folder=request.folder / f"seed-{seed}")) for seed in seeds
    ]
    spread = spread_of([model.accuracy for model in models])
    accuracies = {model.folder.name: model.accuracy for model in models}
    write_json(request.folder / "seeds.json", {"dev_accuracy": accuracies, **spread._asdict()})
    return models


def train_grid(
    request: TrainingRequest, combinations: Sequence[Mapping[str, str]], seeds: Sequence[int]
) -> dict[str, list[TrainedModel]]:
    """Train each combination of settings with each seed, in a folder named after its settings.

    Raises CrossexamError if a setting is in a combination and in the request.
    """
    models: dict[str, list[TrainedModel]] = {}
    for values in combinations:
        both = sorted(set(values) & set(request.values))
        if both:
            raise CrossexamError(f"'{both[0]}' is in both --set and --sweep")
        name = ",".join(f"{field}={value}" for field, value in values.items())
        combined = {**request.values, **values}
        models[name] = train_seeds(replace(request, values=combined, folder=request.folder / name), seeds)
    spreads = {name: spread_of([m.accuracy for m in group])._asdict() for name, group in models.items()}
    write_json(request.folder / "sweep.json", {"best": best_of_grid(models), "dev_accuracy": spreads})
    return models


def best_of_grid(models: Mapping[str, Sequence[TrainedModel]]) -> str:
    """Return the settings with the highest mean dev accuracy, the first of equals."""
    return max(models, key=lambda name: spread_of([model.accuracy for model in models[name]]).mean)


def score_on_tests(trained: TrainedModel, tests: Sequence[Corpus], device: str = "auto") -> TrainedModel:
    """Return *trained* with its scores on *tests* in the manifest; earlier scores are kept.

    Raises CrossexamError.
    """
    known: Mapping[str, Any] = trained.manifest.get("tests", {})
    missing = {test.spec: test for test in tests if not _is_known(known, test)}
    if not missing:
        return trained
    target = torch_device(device)
    model, pipeline = _LOADERS[read_json(trained.folder / checkpoints.MANIFEST)["kind"]](trained.folder)
    model.to(target)
    scores = {
        spec: _entry(
            test,
            scoring.score_model(pipeline, model, pipeline.encode(test.examples), target, test.projection),
        )
        for spec, test in missing.items()
    }
    manifest = {**read_json(trained.folder / checkpoints.MANIFEST), "tests": {**known, **scores}}
    write_json(trained.folder / checkpoints.MANIFEST, manifest)
    return TrainedModel(trained.folder, manifest)


def _is_known(known: Mapping[str, Any], test: Corpus) -> bool:
    entry = known.get(test.spec)
    return entry is not None and entry["content_hash"] == content_hash(test.examples)


def _entry(test: Corpus, score: Score) -> dict[str, Any]:
    return {
        "accuracy": round(score.accuracy, 4),
        "loss": round(score.loss, 6),
        "rows": len(test.examples),
        "content_hash": content_hash(test.examples),
    }
