"""Training of one model, and its scores on test sets.

Test sets are scored from the finished folder, and their scores are written into its manifest.  Sentences
are read as in training, with the parses and tags that the corpus ships.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from crossexam.core.dataset import content_hash
from crossexam.core.sealed import MANIFEST, read_manifest, write_manifest
from crossexam.corpora.labelled import Corpus
from crossexam.training import checkpoints, scoring, session, transformer, zoo
from crossexam.training.devices import torch_device
from crossexam.training.parses import ParsedPairs, unparsed_warning
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
    return score_on_tests(_trained(request.with_its_augmentations()), request)


def model_name(trained: TrainedModel) -> str:
    """Return the name by which ``run`` opens *trained*: the prefix of its kind of model, and its folder."""
    return f"{_PREFIXES[trained.manifest['kind']]}{trained.folder}"


def _trained(request: TrainingRequest) -> TrainedModel:
    if request.name.startswith(transformer.PREFIX):
        return session.train(transformer.TransformerTraining.of(request), request)
    return session.train(zoo.ZooTraining.of(request), request)


def spread_of(accuracies: Sequence[float]) -> Spread:
    """Return mean and standard deviation of *accuracies*.

    >>> spread_of([60.0, 62.0, 64.0])
    Spread(mean=62.0, deviation=2.0, n=3)
    """
    n = len(accuracies)
    mean = sum(accuracies) / n
    squares = sum((accuracy - mean) ** 2 for accuracy in accuracies)
    return Spread(mean, (squares / (n - 1)) ** 0.5 if n > 1 else 0.0, n)


def score_on_tests(trained: TrainedModel, request: TrainingRequest) -> TrainedModel:
    """Return *trained* with its scores on the tests of *request* in the manifest; earlier scores are kept.

    Raises CrossexamError.
    """
    known: Mapping[str, Any] = trained.manifest.get("tests", {})
    missing = {test.spec: test for test in request.data.tests if not _is_known(known, test)}
    if not missing:
        return trained
    target = torch_device(request.device)
    model, pipeline = _LOADERS[read_manifest(trained.folder / MANIFEST)["kind"]](trained.folder)
    model.to(target)
    scores = {}
    for spec, test in missing.items():
        encoded = pipeline.encode(test.examples)
        scores[spec] = _entry(test, scoring.score_model(pipeline, model, encoded, target, test.projection))
        if pipeline.reads_parses:
            counts = ParsedPairs.of(test.examples)
            scores[spec]["parsed"] = counts.parsed
            if warning := unparsed_warning({spec: counts}, request.data.parse_hint):
                request.note(warning)
    manifest = {**read_manifest(trained.folder / MANIFEST), "tests": {**known, **scores}}
    write_manifest(trained.folder / MANIFEST, manifest)
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
