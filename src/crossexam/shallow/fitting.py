"""Fitting a shallow model: corpora as a stream, a folder for the result, scores, and what all models share.

A shallow model is fitted in one go, without a training loop, into a folder: ``config.json`` says what was
fitted, the model's own files hold its parameters, and ``manifest.json``, written last, records the data, the
settings and the scores.  Training corpora are streamed, so that all of SNLI and MultiNLI is never in memory
at once.

:class:`ShallowModel` describes one model; the table of them is :data:`crossexam.shallow.table.SHALLOW`.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import msgspec
import numpy as np

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import Example
from crossexam.core.files import read_json, sha256_of
from crossexam.core.labels import (
    ENTAILMENT_OR_NOT,
    GOLD_INDEX,
    GOLDS,
    LABELS,
    THREE_LABELS,
    Projection,
    projection_for,
)
from crossexam.core.manifest import library_versions, used_machines
from crossexam.core.progress import Note, Progress, silent, unheard
from crossexam.core.sealed import MANIFEST
from crossexam.core.settings import Settings
from crossexam.corpora.development import dev_names, load_dev_sets
from crossexam.corpora.label_names import refuse_mixture
from crossexam.corpora.labelled import Corpus, iter_labelled, load_corpus, trains_two_labels
from crossexam.corpora.reading import Reading
from crossexam.corpora.spec import CorpusSpec, reading_among
from crossexam.corpora.trained import (
    RESTORE,
    CorpusScore,
    Score,
    TrainedFolder,
    TrainedManifest,
    dev_scores,
    fingerprint_of,
    finished_training,
    score_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

CONFIG: Final = "config.json"


class Predictor(Protocol):
    """A fitted model in memory."""

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Return the probabilities of *pairs* (premise, hypothesis): [n, 3], columns as LABELS."""
        ...


@dataclass(frozen=True)
class FitRequest:
    """What to fit on (``CORPUS+CORPUS``), what to score on, and the folder to write.

    *dev* is one or several corpora or folders of suites, of which the mean accuracy counts.
    ``values`` are texts by field of the model's settings; *limit* takes the first examples of each training
    corpus, and *dev_limit* draws at most so many of each corpus of *dev*, with *seed*; *vectors* is a text
    file of word vectors and *tagger* a POS tagger, for the models that use one.  The model has two labels if
    the training corpora have, or if *two_labels*; *reading* says how all corpora are read.
    """

    train: str
    dev: str | Sequence[str]
    folder: Path
    tests: Sequence[str] = ()
    values: Mapping[str, str] | None = None
    limit: int | None = None
    dev_limit: int | None = None
    seed: int = 0
    vectors: Path | None = None
    tagger: str = "auto"
    two_labels: bool = False
    reading: Reading = Reading()
    progress: Progress = silent
    note: Note = unheard

    @property
    def classes(self) -> Projection:
        """The labels that the model tells apart: three, or entailment and the rest."""
        return ENTAILMENT_OR_NOT if self.two_labels else THREE_LABELS


class RecipeCells(NamedTuple):
    """The cells of ``crossexam ls recipes`` for a model."""

    parameters: str
    optimizer: str
    learning_rate: str
    batch: str
    epochs: str


class FeatureTable(NamedTuple):
    """What ``crossexam features`` prints of a model, and what its chart shows.

    *rows* are cells by column, numbers (*numeric* columns) right-justified.  *bars* are all features with the
    mean and the deviation of their importance, most important first; None if the model has no such chart.
    """

    title: str
    columns: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: Sequence[tuple[str, ...]]
    bars: Sequence[tuple[str, float, float]] | None = None
    chart_title: str = ""


def _no_inputs(request: FitRequest) -> dict[str, Any]:
    return {}


def _anything(_: Any) -> None:
    return None


@dataclass(frozen=True)
class ShallowModel:
    """A model that is fitted in one go: one line of :data:`crossexam.shallow.table.SHALLOW`.

    ``name`` (or ``alias``) is its name in ``crossexam train``, ``PREFIX/FOLDER`` that in ``crossexam run``.

    Its folder: ``noun`` says what it holds, ``kind`` and ``format`` are in its configuration, ``files`` are
    those besides configuration and manifest.  ``version`` and the hashes of ``key_files`` make up the answer
    key.  ``lacks`` returns what a configuration lacks, None if it is complete.

    Fitting: ``settings`` are dataclasses by part, ``check`` raises CrossexamError for values that the fields'
    types allow but the model does not, ``inputs`` returns what else the parameters depend on, for the
    fingerprint.  ``fit`` returns the fitted model and the ``facts`` for the manifest, ``save`` writes
    ``files`` and configuration, ``load`` reads them.  ``takes`` are the options of ``crossexam train`` that
    the model has besides ``--set``; others are refused.

    Showing: ``described`` are the parts of the fingerprint in the manifest of a run, ``recipe`` is for
    ``crossexam ls recipes``, ``columns`` of the facts are shown next to the scores by ``crossexam train``.
    ``features`` returns what ``crossexam features`` prints for a model's name, its folder and a number of
    features; it is None if features have no names.
    """

    name: str
    prefix: str
    noun: str
    kind: str
    format: int
    version: str
    files: tuple[str, ...]
    key_files: tuple[str, ...]
    settings: Mapping[str, Any]
    facts: type[msgspec.Struct]
    fit: Callable[[Iterator[Example], FitRequest, Mapping[str, Any]], tuple[Any, msgspec.Struct]]
    save: Callable[[Path, Any, dict[str, Any]], None]
    load: Callable[[Path], Predictor]
    described: tuple[str, ...]
    recipe: RecipeCells
    source: str
    paper: str
    packages: tuple[str, ...]
    columns: Callable[[Any], dict[str, str]]
    alias: str | None = None
    takes: frozenset[str] = frozenset()
    check: Callable[[Mapping[str, Any]], None] = _anything
    inputs: Callable[[FitRequest], dict[str, Any]] = _no_inputs
    lacks: Callable[[Mapping[str, Any]], str | None] = _anything
    features: Callable[[str, Path, int], FeatureTable] | None = None

    def check_folder(self, folder: Path) -> None:
        """Raise CrossexamError if *folder* does not hold a finished model of this kind."""
        needed = (CONFIG, *self.files, MANIFEST)
        if not all((folder / name).is_file() for name in needed):
            vectors = " --vectors FILE" if "--vectors" in self.takes else ""
            raise CrossexamError(
                f"this folder does not contain a {self.noun}" if folder.is_dir() else "no such folder",
                where=f"{self.prefix}/{folder}",
                wanted=f"a folder with {', '.join(needed[:-1])} and {needed[-1]}",
                hint=f"crossexam train {self.name} --train CORPUS --dev CORPUS{vectors} -o FOLDER",
            )
        config = read_json(folder / CONFIG, hint=RESTORE)
        lacking = self.lacks(config)
        if (config.get("kind"), config.get("format")) != (self.kind, self.format) or lacking:
            raise FormatError(
                f"this is '{config.get('kind')}', format {config.get('format')}",
                where=str(folder / CONFIG),
                wanted=f"'{self.kind}', format {self.format}{f', with {lacking}' if lacking else ''}",
            )

    def key(self, folder: Path) -> str:
        """Return 32 hexadecimal digits that change with whatever the predictions depend on."""
        parts = (self.version, *(sha256_of(folder / name) for name in self.key_files))
        return hashlib.blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()

    def settings_from(self, values: Mapping[str, str] | None) -> Mapping[str, Any]:
        """Return the settings by part, changed by *values* (texts by field); raises CrossexamError."""
        parts = Settings(self.settings).with_values(values or {}).parts
        for part in parts.values():
            for name, number in asdict(part).items():
                if isinstance(number, int | float) and not isinstance(number, bool) and not number > 0:
                    raise CrossexamError(f"'{name}' is {number:g}", where="--set", wanted="a number above 0")
        self.check(parts)
        return parts


def fit_once(model: ShallowModel, request: FitRequest) -> TrainedFolder:
    """Fit *model* into the folder of *request*, and score it; raises CrossexamError.

    If the folder already holds this very model, it is left as it is and scored on those tests that are new.
    """
    parts = model.settings_from(request.values)
    settings = {
        "kind": model.kind,
        "format": model.format,
        **{name: asdict(part) for name, part in parts.items()},
        **model.inputs(request),
    }
    specs = corpora_of(request.train)
    devs = dev_names(request.dev)
    reading = reading_among([*specs, *devs, *request.tests], request.reading)
    dev = load_dev_sets(devs, reading, limit=request.dev_limit, seed=request.seed)
    for text in dev.notes:
        request.note(text)
    tests = [load_corpus(spec, reading) for spec in request.tests]
    of_corpora = [_projection(spec, reading) for spec in specs]
    request = replace(request, two_labels=trains_two_labels(of_corpora, request.train, request.two_labels))
    fingerprint = fingerprint_of(
        {
            **settings,
            **signatures(specs),
            "dev": dev.describe(),
            "limit": request.limit,
            **({"two_labels": True} if request.two_labels else {}),
            **({"reading": changed} if (changed := request.reading.changed) else {}),
        }
    )
    finished = finished_training(request.folder, fingerprint)
    if finished is None:
        fit = _fit_into_folder(model, request, parts, stream(specs, request.limit, reading))
        request.progress("scoring on dev", 0, None)
        scores = {each.spec: score_on_corpus(fit.model, each, request.classes) for each in dev.corpora}
        finished = TrainedFolder.finish(request.folder, _manifest(model, fingerprint, fit, scores))

    def scorer() -> Callable[[Corpus], CorpusScore]:
        opened = model.load(request.folder)
        return lambda test: score_on_corpus(opened, test, request.classes).on(test)

    return finished.with_tests(tests, scorer)


class _Fit(NamedTuple):
    """A fitted model, the facts of its kind, and what all kinds say of a fit."""

    model: Predictor
    facts: msgspec.Struct
    train_labels: Mapping[str, int]
    seconds: float


def _manifest(
    model: ShallowModel, fingerprint: Mapping[str, Any], fit: _Fit, scores: Mapping[str, Score]
) -> TrainedManifest:
    return TrainedManifest(
        kind=model.kind,
        scores=dev_scores(scores),
        paper=model.paper,
        fingerprint=fingerprint,
        train_labels=fit.train_labels,
        facts=msgspec.to_builtins(fit.facts),
        seconds=fit.seconds,
        versions=library_versions(*model.packages),
        machines=used_machines(by_torch=False),
    )


def _fit_into_folder(
    model: ShallowModel, request: FitRequest, parts: Mapping[str, Any], examples: Iterator[Example]
) -> _Fit:
    """Fit and save everything but the manifest."""
    start = time.monotonic()
    labels: Counter[str | None] = Counter()
    fitted, facts = model.fit(_counted(examples, labels), request, parts)
    model.save(request.folder, fitted, {name: asdict(part) for name, part in parts.items()})
    known: dict[str, int] = {label: labels[label] for label in GOLDS if labels[label]}
    return _Fit(fitted, facts, known, round(time.monotonic() - start, 1))


def _counted(examples: Iterator[Example], labels: Counter[str | None]) -> Iterator[Example]:
    for example in examples:
        labels[example.label] += 1
        yield example


def corpora_of(train: str) -> list[CorpusSpec]:
    """Return the training corpora; raises CrossexamError if one has a share."""
    return [spec.without_share() for spec in CorpusSpec.parse_union(train)]


def signatures(specs: Sequence[CorpusSpec]) -> dict[str, Any]:
    """Return what a manifest says of the training corpora: their names and the hashes of their files."""
    return {"train": [{"spec": spec.text, "sha256": spec.sha256()} for spec in specs]}


def _projection(spec: CorpusSpec, reading: Reading) -> Projection:
    """Return the projection of a training corpus, which is read as far as that takes."""
    golds = (example.label for example in iter_labelled(spec, reading))
    return projection_for(spec.declared_projection(), golds)


def stream(specs: Sequence[CorpusSpec], limit: int | None, reading: Reading) -> Iterator[Example]:
    """Yield the labelled examples of the corpora, one at a time: they are never all in memory."""
    for spec in specs:
        yield from iter_labelled(spec, reading, limit=limit)


def all_classes(gold: Sequence[int] | NDArray[np.integer[Any]], classes: Projection = THREE_LABELS) -> None:
    """Raise CrossexamError if one of the labels of *classes* is missing from *gold*, their indices."""
    present = {int(index) for index in gold}
    if present - set(range(len(classes.labels))):
        refuse_mixture((GOLDS[index] for index in present), where="the training examples")
    for index, label in enumerate(classes.labels):
        if index not in present:
            raise CrossexamError(
                f"none of the {len(gold)} training examples is labelled {label}",
                wanted=f"examples of {', '.join(classes.labels[:-1])} and {classes.labels[-1]}",
            )


def label_columns(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return *shares* [n, k] as [n, 3]: of two columns, the second is what is not entailment.

    >>> import numpy as np
    >>> label_columns(np.array([[0.25, 0.75]])).tolist()
    [[0.25, 0.75, 0.0]]
    """
    return np.pad(shares, ((0, 0), (0, len(LABELS) - shares.shape[1])))


def score_on_corpus(model: Predictor, corpus: Corpus, classes: Projection = THREE_LABELS) -> Score:
    """Return the score of *model* on *corpus*; *classes* are the labels of the model.

    Labels that it or the corpus does not tell apart are projected.
    """
    projection = corpus.projection if classes is THREE_LABELS else classes
    golds = (projection.gold(example.label) for example in corpus.examples)
    predicted = model.probabilities([(example.premise, example.hypothesis) for example in corpus.examples])
    return score_of(predicted, np.array([GOLD_INDEX[label] for label in golds if label]), projection)
