"""``crossexam train bag-of-words``: from names of corpora to a folder with a model and its scores.

Training corpora are streamed, so that all of SNLI and MultiNLI is never in memory at once.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.progress import Progress, silent
from crossexam.core.settings import Settings
from crossexam.language.tagging.tagger import resolve_tagger
from crossexam.shallow.bag_of_words import (
    FORMAT,
    KIND,
    BagOfWords,
    FitSettings,
    fit,
    load_bag_of_words,
    save_bag_of_words,
)
from crossexam.shallow.fitting import Trained, fit_once, score, versions
from crossexam.shallow.lexical_features import FeatureSettings

__all__ = ["Request", "Trained", "score", "train_bag_of_words"]


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
    tagger: str = "auto"
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


def train_bag_of_words(request: Request) -> Trained:
    """Fit what *request* asks for into its folder, with its scores; raises CrossexamError.

    Where the folder holds this very model already it stays, and is scored on tests that are new.
    """
    features, fitting = request.settings()
    settings = {
        "kind": KIND,
        "format": FORMAT,
        "features": asdict(features),
        "fit": asdict(fitting),
        "annotator": request.tagger,
    }
    return fit_once(request, settings, lambda examples: _fit_into(request, examples), load_bag_of_words)


def _fit_into(request: Request, examples: Iterator[Example]) -> tuple[BagOfWords, dict[str, Any]]:
    """Fit, write the folder, and return the model and what the manifest says of it."""
    features, fitting = request.settings()
    start = time.monotonic()
    tagger = resolve_tagger(request.tagger)
    fitted = fit(examples, features, fitting, tagger=tagger, progress=request.progress)
    save_bag_of_words(request.folder, fitted.model, {"features": asdict(features), "fit": asdict(fitting)})
    return fitted.model, {
        "paper": "Nie et al. 2019, Analyzing Compositionality-Sensitivity of NLI Models, section 5.2",
        "examples": fitted.examples,
        "words": len(fitted.model.features.words),
        "features": {kind: len(codes) for kind, codes in fitted.model.features.codes.items()},
        "iterations": fitted.iterations,
        "converged": fitted.iterations < fitting.iterations,
        "tags_from": dict(tagger.answered),
        "seconds": round(time.monotonic() - start, 1),
        "versions": versions("scikit-learn", "scipy", "numpy"),
    }
