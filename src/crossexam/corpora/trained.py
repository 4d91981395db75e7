"""A trained model: its folder, and its scores on corpora.

However a model is trained, its folder says what of in ``manifest.json``, which is written last: a folder
without it is unfinished.  The *fingerprint* has all that the model depends on, so that a training that is
asked for again is found finished; the *scores* are those on the dev sets, *tests* those on other corpora.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace

from crossexam.core.dataset import content_hash
from crossexam.core.differences import differences
from crossexam.core.errors import CrossexamError
from crossexam.core.labels import Projection, most_probable
from crossexam.core.manifest import Machine
from crossexam.core.sealed import MANIFEST, hashes_of_files, read_manifest, typed, write_manifest
from crossexam.corpora.labelled import Corpus

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The hint for a damaged file of a trained model.
RESTORE: Final = "copy the folder again, or train it again into another folder"


class CorpusScore(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the manifest says of the score of a model on a corpus."""

    accuracy: float  # in percent
    loss: float  # in nats
    rows: int
    content_hash: str
    parsed: int | None = None  # examples with a parse of both sentences, for a model that reads parses


class DevScores(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the manifest says of the scores on dev sets, of the best epoch if there were several."""

    dev_accuracy: float  # the mean, in percent
    dev_loss: float  # the mean, in nats
    best_epoch: int | None = None
    dev: Mapping[str, float] | None = None  # each accuracy, if there are several dev sets


class BiasScore(msgspec.Struct, frozen=True, omit_defaults=True):
    """How good a biased model is: its *accuracy*, and that of always the most frequent label, in percent.

    Both are of the held-out training pairs by which it was stopped, and are averaged over the biased models
    of several folds, each of which has a *best_epoch*.  A run has none: both are of all training pairs.
    """

    accuracy: float
    majority: float
    best_epoch: tuple[int, ...] = ()

    def rounded(self) -> BiasScore:
        """Return the score as the manifest has it."""
        return replace(self, accuracy=round(self.accuracy, 4), majority=round(self.majority, 4))


class TrainedManifest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What stands in the ``manifest.json`` of a trained model.

    Each kind of model has other settings in its ``fingerprint``, and other ``facts``.
    """

    kind: str
    scores: DevScores
    bias: BiasScore | None = None  # of the biased model, if a debiasing method has one
    fingerprint: Mapping[str, Any]
    paper: str | None = None
    train_labels: Mapping[str, int] | None = None  # the training examples by gold label
    facts: Mapping[str, Any] = {}
    seconds: float | None = None
    device: str | None = None
    precision: str | None = None
    processes: int | None = None
    versions: Mapping[str, str]
    machines: Sequence[Machine] = ()  # on which it was trained: several if it was resumed on another
    curve: Sequence[Mapping[str, Any]] | None = None  # the record of each epoch
    files: Mapping[str, str] = {}  # the SHA-256 of each file, by name; of the model in the package, none
    tests: Mapping[str, CorpusScore] = {}  # the scores on other corpora, by name


class Score(NamedTuple):
    """A model's *accuracy* in percent and mean *loss* in nats."""

    accuracy: float
    loss: float

    def on(self, corpus: Corpus) -> CorpusScore:
        """Return the manifest's entry for this score on *corpus*."""
        return CorpusScore(
            accuracy=round(self.accuracy, 4),
            loss=round(self.loss, 6),
            rows=len(corpus.examples),
            content_hash=content_hash(corpus.examples),
        )


def mean_score(scores: Mapping[str, Score]) -> Score:
    """Return the mean accuracy and the mean loss of *scores*, each of which counts the same.

    >>> mean_score({"a": Score(40.0, 1.0), "b": Score(60.0, 0.5)})
    Score(accuracy=50.0, loss=0.75)
    """
    accuracies, losses = zip(*scores.values(), strict=True)
    return Score(sum(accuracies) / len(scores), sum(losses) / len(scores))


def dev_scores(scores: Mapping[str, Score]) -> DevScores:
    """Return what a manifest says of the *scores* on dev sets: the means and, of several, each accuracy.

    >>> dev_scores({"a": Score(40.0, 1.0), "b": Score(60.0, 0.5)}).dev
    {'a': 40.0, 'b': 60.0}
    """
    mean = mean_score(scores)
    parts = {spec: round(each.accuracy, 4) for spec, each in scores.items()}
    return DevScores(
        dev_accuracy=round(mean.accuracy, 4),
        dev_loss=round(mean.loss, 6),
        dev=parts if len(scores) > 1 else None,
    )


def accuracy_of(shares: NDArray[np.float64], labels: NDArray[np.integer[Any]]) -> float:
    """Return the accuracy in percent of *shares* [n, k] against *labels* [n], places among the same k.

    NaN, of a training that diverged, is never right.

    >>> accuracy_of(np.array([[0.5, 0.5], [0.6, 0.4], [np.nan, np.nan], [0.9, 0.1]]), np.array([1, 1, 0, 0]))
    50.0
    """
    right = (most_probable(shares) == labels) & ~np.isnan(shares[:, 0])
    return 100 * float(right.mean())


def score_of(probabilities: NDArray[np.float64], gold: NDArray[np.int64], projection: Projection) -> Score:
    """Return the score of *probabilities* [n, 3] against *gold* [n], the labels of *projection* in GOLDS.

    >>> from crossexam.core.labels import ENTAILMENT_OR_NOT
    >>> score_of(np.array([[0.5, 0.25, 0.25]]), np.array([3]), ENTAILMENT_OR_NOT).accuracy
    100.0
    """
    shares, places = projection.scored_shares(probabilities), projection.places_of(gold)
    losses = -np.log(np.maximum(shares[np.arange(len(gold)), places], np.finfo(np.float64).tiny))
    return Score(accuracy_of(shares, places), float(losses.mean()))


class TrainedFolder(NamedTuple):
    """The folder of a finished training, and its manifest."""

    folder: Path
    manifest: TrainedManifest

    @classmethod
    def read(cls, folder: Path) -> TrainedFolder:
        """Return the finished training in *folder*; raises CrossexamError if there is none."""
        path = folder / MANIFEST
        content = read_manifest(path, hint=RESTORE)
        if "fingerprint" not in content:
            raise CrossexamError(
                "the folder holds something other than a trained model",
                where=str(folder),
                hint="choose another folder",
            )
        return cls(folder, typed(content, TrainedManifest, path, hint=RESTORE))

    @classmethod
    def finish(cls, folder: Path, manifest: TrainedManifest) -> TrainedFolder:
        """Write *manifest*, with the hashes of all files in *folder*, and return the finished training."""
        manifest = replace(manifest, files=hashes_of_files(folder, without=[MANIFEST]))
        write_manifest(folder / MANIFEST, manifest)
        return cls.read(folder)

    @property
    def accuracy(self) -> float:
        """The dev accuracy in percent, that of the best epoch if there were several."""
        return self.manifest.scores.dev_accuracy

    def with_tests(
        self, tests: Sequence[Corpus], scorer: Callable[[], Callable[[Corpus], CorpusScore]]
    ) -> TrainedFolder:
        """Return the folder with scores on *tests* in its manifest; earlier scores are kept.

        The model is opened, by *scorer*, only if one of *tests* has not been scored.  Raises CrossexamError.
        """
        known = self.manifest.tests
        missing = [test for test in tests if not _is_known(known.get(test.spec), test)]
        if not missing:
            return self
        score = scorer()
        scores = {test.spec: score(test) for test in missing}
        manifest = replace(self.manifest, tests={**known, **scores})
        write_manifest(self.folder / MANIFEST, manifest)
        return TrainedFolder(self.folder, manifest)


def _is_known(entry: CorpusScore | None, test: Corpus) -> bool:
    return entry is not None and entry.content_hash == content_hash(test.examples)


def fingerprint_of(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return *parts*, all that a model depends on, as JSON gives them back.

    >>> fingerprint_of({"widths": (1, 2)})
    {'widths': [1, 2]}
    """
    plain: dict[str, Any] = json.loads(json.dumps(parts))
    return plain


def finished_training(folder: Path, fingerprint: Mapping[str, Any]) -> TrainedFolder | None:
    """Return the finished training in *folder*, None if there is none.

    Raises CrossexamError if it has another *fingerprint*, or if the folder holds something else.
    """
    if not (folder / MANIFEST).exists():
        return None
    found = TrainedFolder.read(folder)
    check_fingerprint(found.manifest.fingerprint, fingerprint, folder)
    return found


def check_fingerprint(found: Mapping[str, Any], ours: Mapping[str, Any], folder: Path) -> None:
    """Raise CrossexamError if the fingerprint *found* in *folder* is not *ours*."""
    lines = differences(found, ours)
    if lines:
        raise CrossexamError(
            "\n    ".join(["the folder holds another training run:", *lines]),
            where=str(folder),
            hint="choose another folder, or remove this one",
        )
