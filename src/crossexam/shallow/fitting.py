"""What the models without a training loop share: data as a stream, scores, folders that are done already.

Bag-of-words (:mod:`bag_of_words_training`), fastText on the hypothesis
(:mod:`hypothesis_fasttext_training`) and the random forest (:mod:`random_forest_training`) are each fitted
in one go into a folder whose ``manifest.json``, written last, says from what.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from crossexam.core.dataset import content_hash
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.files import read_json, sha256_of, write_json
from crossexam.core.labels import LABEL_INDEX, LABELS
from crossexam.core.manifest import library_versions
from crossexam.core.progress import Progress, silent
from crossexam.corpora.labelled import Corpus, load_corpus
from crossexam.corpora.reading import iter_corpus, resolve
from crossexam.corpora.spec import sliced

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MANIFEST: Final = "manifest.json"
_SHARE: Final = re.compile(r"@0?\.\d+$")


class Answers(Protocol):
    """What gives the probabilities of pairs (premise, hypothesis): [n, 3]."""

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]: ...


class Asked(Protocol):
    """What every request says; see :class:`Request`."""

    @property
    def train(self) -> str: ...
    @property
    def dev(self) -> str: ...
    @property
    def folder(self) -> Path: ...
    @property
    def tests(self) -> Sequence[str]: ...
    @property
    def limit(self) -> int | None: ...
    @property
    def progress(self) -> Progress: ...


@dataclass(frozen=True)
class Request:
    """What to fit on (``CORPUS+CORPUS``), what to score it on, into which folder.

    ``values`` are texts by field of the model's settings; *limit* takes the first examples of each training
    corpus; *vectors* is a text file of word vectors, for the models that read one.
    """

    train: str
    dev: str
    folder: Path
    tests: Sequence[str] = ()
    values: Mapping[str, str] | None = None
    limit: int | None = None
    seed: int = 0
    vectors: Path | None = None
    progress: Progress = silent


class Trained(NamedTuple):
    """A fitted model's folder and manifest."""

    folder: Path
    manifest: Mapping[str, Any]


def fit_once(
    request: Asked,
    settings: Mapping[str, Any],
    fit: Callable[[Iterator[Example]], tuple[Answers, Mapping[str, Any]]],
    load: Callable[[Path], Answers],
) -> Trained:
    """Have *fit* write the folder and return the model, score that, and write the manifest.

    *settings*, all that the model depends on beside the data, are part of its fingerprint; *fit* also
    returns what the manifest says besides; *load* reads the model from the folder.  Where the folder holds
    this very model already it stays, and is scored on tests that are new.  Raises CrossexamError.
    """
    specs = corpora_of(request.train)
    dev, tests = load_corpus(request.dev), [load_corpus(spec) for spec in request.tests]
    for corpus in (dev, *tests):
        all_three_way(corpus.examples, corpus.spec)
    prints = json.loads(
        json.dumps({**settings, **signatures(specs), "dev": dev.describe(), "limit": request.limit})
    )
    manifest = finished_before(request.folder, prints)
    if manifest is None:
        model, said = fit(stream(specs, request.limit))
        request.progress("scoring on dev", 0, None)
        scored = score(model, dev)
        scores = {"dev_accuracy": scored["accuracy"], "dev_loss": scored["loss"]}
        manifest = {"kind": settings["kind"], "scores": scores, "fingerprint": prints, **said}
        write_json(request.folder / MANIFEST, manifest)
    return scored_on(request.folder, manifest, load, tests)


def scored_on(
    folder: Path, manifest: Mapping[str, Any], load: Callable[[Path], Answers], tests: Sequence[Corpus]
) -> Trained:
    """Score the model in *folder* on *tests* too, and write its *manifest* with what came out."""
    model = load(folder)
    found = {test.spec: score(model, test) for test in tests}
    manifest = {**manifest, "tests": {**manifest.get("tests", {}), **found}}
    write_json(folder / MANIFEST, manifest)
    return Trained(folder, manifest)


def corpora_of(train: str) -> list[str]:
    """Return the names of the training corpora; raises CrossexamError for one with a share."""
    specs = [train] if Path(train).exists() else train.split("+")
    for spec in specs:
        if _SHARE.search(spec) and not Path(spec).exists():
            raise CrossexamError(
                "there are no epochs to draw a share for", where=spec, hint="a slice: CORPUS:SPLIT[::10]"
            )
    return specs


def signatures(specs: Sequence[str]) -> dict[str, Any]:
    """Return what a manifest says of the training corpora: their names and the hashes of their files."""
    return {"train": [{"spec": spec, "sha256": sha256_of(resolve(sliced(spec)[0])[0])} for spec in specs]}


def stream(specs: Sequence[str], limit: int | None) -> Iterator[Example]:
    """Yield the labelled examples of the corpora, one at a time: they are never all in memory.

    Raises CrossexamError at a label that is none of LABELS.
    """
    for spec in specs:
        path, part = sliced(spec)
        labelled = (example for example in iter_corpus(path) if example.label is not None)
        for example in islice(islice(labelled, part.start, part.stop, part.step), limit):
            all_three_way((example,), spec)
            yield example


def all_three_way(examples: Sequence[Example], where: str) -> None:
    """Raise CrossexamError where one of *examples* has a label that is none of LABELS.

    >>> all_three_way([Example("a", "It rains.", "It pours.", "neutral")], "here")
    """
    for example in examples:
        if example.label is not None and example.label not in LABEL_INDEX:
            raise CrossexamError(
                f"example {example.id} is labelled {example.label}",
                where=where,
                wanted=f"{', '.join(LABELS[:-1])} or {LABELS[-1]}: this model tells three labels apart",
                hint="a corpus with two labels can be asked with crossexam run, not trained or chosen on",
            )


def all_labels(gold: Sequence[int] | NDArray[np.integer[Any]]) -> None:
    """Raise CrossexamError where one of the three labels is not among *gold*."""
    present = {int(index) for index in gold}
    for index, label in enumerate(LABELS):
        if index not in present:
            raise CrossexamError(
                f"none of {len(gold)} training examples is {label}", wanted="examples of all three labels"
            )


def finished_before(folder: Path, prints: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the manifest in *folder* where that holds the model of *prints*, None where it holds nothing.

    Raises CrossexamError where it holds another model.
    """
    path = folder / MANIFEST
    if not path.exists():
        return None
    manifest = read_json(path)
    if manifest.get("fingerprint") != prints:
        raise CrossexamError(
            "it holds something else: another model, or one of other data or settings",
            where=str(folder),
            hint="another folder for -o",
        )
    return manifest


def score(model: Answers, corpus: Corpus) -> dict[str, Any]:
    """Return what a manifest says of *model* on *corpus*, asked about bare text as any model is."""
    import numpy as np

    all_three_way(corpus.examples, corpus.spec)
    gold = np.array([LABEL_INDEX[example.label] for example in corpus.examples if example.label])
    answered = model.probabilities([(example.premise, example.hypothesis) for example in corpus.examples])
    right = answered.argmax(axis=1) == gold
    losses = -np.log(np.maximum(answered[np.arange(len(gold)), gold], np.finfo(np.float64).tiny))
    return {
        "accuracy": round(100 * float(right.mean()), 4),
        "loss": round(float(losses.mean()), 6),
        "rows": len(gold),
        "content_hash": content_hash(corpus.examples),
    }


versions = library_versions
