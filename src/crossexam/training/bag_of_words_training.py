"""``crossexam train bag-of-words``: from names of corpora to a folder with a model and its scores.

Training corpora are streamed, so that all of SNLI and MultiNLI is never in memory at once.
"""

from __future__ import annotations

import json
import platform
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from crossexam.core.dataset import content_hash
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.files import read_json, sha256_of, write_json
from crossexam.core.labels import LABEL_INDEX
from crossexam.core.progress import Progress, silent
from crossexam.core.signature import package_version
from crossexam.corpora.reading import iter_corpus, resolve
from crossexam.corpora.slices import sliced
from crossexam.language.annotators import resolve_annotator
from crossexam.training.bag_of_words import (
    FORMAT,
    KIND,
    MANIFEST,
    BagOfWords,
    load_bag_of_words,
    save_bag_of_words,
)
from crossexam.training.bag_of_words_fitting import FitSettings, fit
from crossexam.training.data import Corpus, load_corpus
from crossexam.training.lexical_features import FeatureSettings
from crossexam.training.settings import Settings

_SHARE: Final = re.compile(r"@0?\.\d+$")


@dataclass(frozen=True)
class Request:
    """What to fit on (``CORPUS+CORPUS``), what to score it on, into which folder.

    ``values`` are texts by field of FeatureSettings and FitSettings; *limit* takes the first examples of
    each training corpus.
    """

    train: str
    dev: str
    folder: Path
    tests: Sequence[str] = ()
    values: Mapping[str, str] | None = None
    limit: int | None = None
    annotator: str = "auto"
    progress: Progress = silent

    def settings(self) -> tuple[FeatureSettings, FitSettings]:
        """Return the settings that ``values`` change; raises CrossexamError."""
        parts = (
            Settings({"features": FeatureSettings(), "fit": FitSettings()})
            .with_values(self.values or {})
            .parts
        )
        numbers = {**asdict(parts["features"]), **asdict(parts["fit"])}
        for name in ("min_count", "min_pair_count", "c", "iterations"):
            if not numbers[name] > 0:
                raise CrossexamError(
                    f"'{name}' is {numbers[name]:g}", where="--set", wanted="a number above 0"
                )
        return parts["features"], parts["fit"]

    def corpora(self) -> list[str]:
        """Return the names of the training corpora; raises CrossexamError for one with a share."""
        specs = [self.train] if Path(self.train).exists() else self.train.split("+")
        for spec in specs:
            if _SHARE.search(spec) and not Path(spec).exists():
                raise CrossexamError(
                    "there are no epochs to draw a share for", where=spec, hint="a slice: CORPUS:SPLIT[::10]"
                )
        return specs


class Trained(NamedTuple):
    """A fitted model's folder and manifest."""

    folder: Path
    manifest: Mapping[str, Any]


def train_bag_of_words(request: Request) -> Trained:
    """Fit what *request* asks for into its folder, with its scores; raises CrossexamError.

    Where the folder holds this very model already it stays, and is scored on tests that are new.
    """
    features, fitting = request.settings()
    specs = request.corpora()
    dev, tests = load_corpus(request.dev), [load_corpus(spec) for spec in request.tests]
    prints = {
        "kind": KIND,
        "format": FORMAT,
        "features": asdict(features),
        "fit": asdict(fitting),
        "train": [{"spec": spec, "sha256": sha256_of(resolve(sliced(spec)[0])[0])} for spec in specs],
        "dev": dev.describe(),
        "limit": request.limit,
        "annotator": request.annotator,
    }
    prints = json.loads(json.dumps(prints))
    manifest = _finished_before(request.folder, prints)
    if manifest is None:
        manifest = _fit_into(request, specs, dev, prints)
    model = load_bag_of_words(request.folder)
    known = manifest.get("tests", {})
    manifest = {**manifest, "tests": {**known, **{test.spec: score(model, test) for test in tests}}}
    write_json(request.folder / MANIFEST, manifest)
    return Trained(request.folder, manifest)


def _fit_into(request: Request, specs: Sequence[str], dev: Corpus, prints: dict[str, Any]) -> dict[str, Any]:
    """Fit, write the folder and return the manifest."""
    features, fitting = request.settings()
    start = time.monotonic()
    annotator = resolve_annotator(request.annotator)
    fitted = fit(
        _stream(specs, request.limit), features, fitting, annotator=annotator, progress=request.progress
    )
    save_bag_of_words(request.folder, fitted.model, {"features": asdict(features), "fit": asdict(fitting)})
    scored = score(fitted.model, dev)
    manifest = {
        "kind": KIND,
        "scores": {"dev_accuracy": scored["accuracy"], "dev_loss": scored["loss"]},
        "paper": "Nie et al. 2019, Analyzing Compositionality-Sensitivity of NLI Models, section 5.2",
        "fingerprint": prints,
        "examples": fitted.examples,
        "words": len(fitted.model.features.words),
        "features": {kind: len(codes) for kind, codes in fitted.model.features.codes.items()},
        "iterations": fitted.iterations,
        "converged": fitted.iterations < fitting.iterations,
        "tags_from": dict(annotator.answered),
        "seconds": round(time.monotonic() - start, 1),
        "versions": {
            "crossexam": package_version(),
            "python": platform.python_version(),
            **{name: version(name) for name in ("scikit-learn", "scipy", "numpy")},
        },
    }
    write_json(request.folder / MANIFEST, manifest)
    return manifest


def _stream(specs: Sequence[str], limit: int | None) -> Iterator[Example]:
    """Yield the labelled examples of the corpora, one at a time: they are never all in memory."""
    for spec in specs:
        path, part = sliced(spec)
        labelled = (example for example in iter_corpus(path) if example.label is not None)
        yield from islice(islice(labelled, part.start, part.stop, part.step), limit)


def _finished_before(folder: Path, prints: Mapping[str, Any]) -> dict[str, Any] | None:
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


def score(model: BagOfWords, corpus: Corpus) -> dict[str, Any]:
    """Return what a manifest says of *model* on *corpus*, asked about bare text as any model is."""
    import numpy as np

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
