"""``crossexam train random-forest``: from names of corpora to a folder with a forest and its scores."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.files import sha256_of
from crossexam.core.settings import Settings
from crossexam.language.word_vectors import first_vectors
from crossexam.shallow.fitting import Request, Trained, fit_once, versions
from crossexam.shallow.pair_features import FEATURES
from crossexam.shallow.random_forest import (
    FORMAT,
    KIND,
    ForestSettings,
    RandomForest,
    fit,
    load_random_forest,
    save_random_forest,
)


def settings_of(request: Request) -> ForestSettings:
    """Return the settings that ``values`` change; raises CrossexamError."""
    found: ForestSettings = (
        Settings({"forest": ForestSettings()}).with_values(request.values or {}).parts["forest"]
    )
    for name, number in asdict(found).items():
        if number is not None and not number > 0:
            raise CrossexamError(f"'{name}' is {number}", where="--set", wanted="a number above 0")
    if found.candidates > len(FEATURES):
        raise CrossexamError(
            f"'candidates' is {found.candidates}",
            where="--set",
            wanted=f"at most {len(FEATURES)}, all features",
        )
    return found


def train_random_forest(request: Request) -> Trained:
    """Fit what *request* asks for into its folder, with its scores; raises CrossexamError.

    Where the folder holds this very model already it stays, and is scored on tests that are new.
    """
    settings = settings_of(request)
    if request.vectors is None:
        raise CrossexamError(
            "a random forest needs word vectors: six of its features are distances of them",
            hint="--vectors FILE, the text file of GloVe, word2vec or fastText",
        )
    if not request.vectors.is_file():
        raise CrossexamError("there is no such file of vectors", where=str(request.vectors))
    prints = {
        "kind": KIND,
        "format": FORMAT,
        "forest": asdict(settings),
        "seed": request.seed,
        "vectors": {"file": request.vectors.name, "sha256": sha256_of(request.vectors)},
    }
    return fit_once(
        request, prints, lambda examples: _fit_into(request, settings, examples), load_random_forest
    )


def _fit_into(
    request: Request, settings: ForestSettings, examples: Iterator[Example]
) -> tuple[RandomForest, dict[str, Any]]:
    """Fit, write the folder, and return the model and what the manifest says of it."""
    start = time.monotonic()
    if request.vectors is None:
        raise ValueError("no vectors")
    vectors = first_vectors(request.vectors, settings.words, progress=request.progress)
    fitted = fit(examples, vectors, settings, seed=request.seed, progress=request.progress)
    save_random_forest(request.folder, fitted.model, {"forest": asdict(settings)})
    forest = fitted.model.forest
    return fitted.model, {
        "paper": "Zhang et al. 2020, Reliable Evaluations for NLI, section 3.1 and appendix B.1",
        "examples": fitted.examples,
        "trees": len(forest.roots),
        "nodes": len(forest.left),
        "importances": {each.feature: [each.mean, each.deviation] for each in fitted.importances},
        "vectors": {
            "width": int(vectors.rows.shape[1]),
            "words_kept": len(vectors.words),
            "coverage": round(fitted.found / max(1, fitted.words), 4),
        },
        "seconds": round(time.monotonic() - start, 1),
        "versions": versions("scikit-learn", "sacrebleu", "rapidfuzz", "POT", "scipy", "numpy"),
    }
