"""``crossexam train hypothesis-fasttext``: from names of corpora to a folder with a model and its scores."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.settings import Settings
from crossexam.shallow.fitting import Request, Trained, fit_once, versions
from crossexam.shallow.hypothesis_fasttext import (
    FORMAT,
    KIND,
    FastTextSettings,
    HypothesisFastText,
    fit,
    load_hypothesis_fasttext,
    save_hypothesis_fasttext,
)


def settings_of(request: Request) -> FastTextSettings:
    """Return the settings that ``values`` change; raises CrossexamError."""
    changed = Settings({"fasttext": FastTextSettings()}).with_values(request.values or {})
    found: FastTextSettings = changed.parts["fasttext"]
    for name, number in asdict(found).items():
        if not number > 0:
            raise CrossexamError(f"'{name}' is {number:g}", where="--set", wanted="a number above 0")
    return found


def train_hypothesis_fasttext(request: Request) -> Trained:
    """Fit what *request* asks for into its folder, with its scores; raises CrossexamError.

    Where the folder holds this very model already it stays, and is scored on tests that are new.
    """
    settings = settings_of(request)
    prints = {"kind": KIND, "format": FORMAT, "fasttext": asdict(settings), "seed": request.seed}
    return fit_once(
        request, prints, lambda examples: _fit_into(request, settings, examples), load_hypothesis_fasttext
    )


def _fit_into(
    request: Request, settings: FastTextSettings, examples: Iterator[Example]
) -> tuple[HypothesisFastText, dict[str, Any]]:
    """Fit, write the folder, and return the model and what the manifest says of it."""
    start = time.monotonic()
    fitted = fit(examples, settings, seed=request.seed, progress=request.progress)
    save_hypothesis_fasttext(request.folder, fitted.model, {"fasttext": asdict(settings)})
    grams = fitted.model.grams
    return fitted.model, {
        "paper": "Zhang et al. 2020, Reliable Evaluations for NLI, section 3.1; Joulin et al. 2017",
        "examples": fitted.examples,
        "words": len(grams.words),
        "buckets_met": len(grams.met),
        "losses": list(fitted.losses),
        "seconds": round(time.monotonic() - start, 1),
        "versions": versions("torch", "safetensors", "scipy", "numpy"),
    }
