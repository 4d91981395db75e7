"""Training of one model, and its scores on test sets.

Test sets are scored from the finished folder, and their scores are written into its manifest.  Sentences
are read as in training, with the parses and tags that the corpus ships.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from crossexam.corpora.labelled import Corpus
from crossexam.corpora.trained import CorpusScore, TrainedFolder
from crossexam.training import checkpoints, scoring, session, transformer, zoo
from crossexam.training.devices import torch_device
from crossexam.training.parses import ParsedPairs, unparsed_warning
from crossexam.training.request import TrainingRequest

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


def train_model(request: TrainingRequest) -> TrainedFolder:
    """Train the model that *request* names, of the zoo or of transformers, and score it on the test sets.

    Raises CrossexamError.
    """
    return score_on_tests(_trained(request.with_its_augmentations()), request)


def model_name(trained: TrainedFolder) -> str:
    """Return the name by which ``run`` opens *trained*: the prefix of its kind of model, and its folder."""
    return f"{_PREFIXES[trained.manifest.kind]}{trained.folder}"


def _trained(request: TrainingRequest) -> TrainedFolder:
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


def score_on_tests(trained: TrainedFolder, request: TrainingRequest) -> TrainedFolder:
    """Return *trained* with its scores on the tests of *request* in the manifest; earlier scores are kept.

    Raises CrossexamError.
    """

    def scorer() -> Callable[[Corpus], CorpusScore]:
        target = torch_device(request.device)
        model, pipeline = _LOADERS[trained.manifest.kind](trained.folder)
        model.to(target)

        def score(test: Corpus) -> CorpusScore:
            encoded = pipeline.encode(test.examples)
            entry = scoring.score_model(pipeline, model, encoded, target, test.projection).on(test)
            if pipeline.reads_parses:
                counts = ParsedPairs.of(test.examples)
                entry = replace(entry, parsed=counts.parsed)
                if warning := unparsed_warning({test.spec: counts}, request.data.parse_hint):
                    request.note(warning)
            return entry

        return score

    return trained.with_tests(request.data.tests, scorer)
