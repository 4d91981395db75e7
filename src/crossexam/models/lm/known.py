"""Published checkpoints that were trained with one prompt, and those that cannot be run here.

The maximum lengths are those with which the authors' own code runs the checkpoints.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from crossexam.core.errors import CrossexamError


@dataclass(frozen=True)
class KnownCheckpoint:
    """A checkpoint of the hub: the *pattern* of its name, its *template* and how long its inputs may be."""

    pattern: str
    template: str
    max_length: int | None
    source: str


KNOWN_CHECKPOINTS: Final[tuple[KnownCheckpoint, ...]] = (
    KnownCheckpoint(
        "google/flan-t5-*",
        "flan-mnli-0",
        None,
        "Chung et al. 2022: trained with the FLAN collection, MNLI among it",
    ),
    KnownCheckpoint(
        "google/t5_xxl_true_nli_mixture",
        "true",
        2_048,
        "Honovich et al. 2022 (TRUE); Gao et al. 2023 (ALCE), eval.py: no maximum",
    ),
    KnownCheckpoint(
        "lytang/minicheck-flan-t5-large",
        "minicheck-ft5",
        2_048,
        "Tang et al. 2024 (MiniCheck), minicheck/inference.py",
    ),
    KnownCheckpoint(
        "lytang/minicheck-roberta-large",
        "minicheck-roberta",
        512,
        "Tang et al. 2024 (MiniCheck), minicheck/inference.py",
    ),
    KnownCheckpoint(
        "lytang/minicheck-deberta-v3-large",
        "minicheck-deberta",
        2_048,
        "Tang et al. 2024 (MiniCheck), minicheck/inference.py",
    ),
    KnownCheckpoint(
        "vectara/hallucination_evaluation_model", "hhem", 16_384, "HHEM-2.1-open: its code does not truncate"
    ),
)

#: Why published models cannot be run here, and what to do instead.
REFUSED: Final[Mapping[str, tuple[str, str]]] = {
    "yzha/alignscore": (
        "AlignScore is published as a pickled checkpoint of PyTorch Lightning, which is never read",
        "answer with its own package in a function: py/MODULE:FUNCTION; --like alignscore divides long "
        "premises for any other model as it does",
    ),
    "bespokelabs/bespoke-minicheck-7b": (
        "Bespoke-MiniCheck-7B needs the code that comes with it, which is never run",
        "serve it with vLLM and ask the server: api/ with --template minicheck-llm",
    ),
}

#: The architecture that HHEM-2.1-open names (``loading.py``), and the checkpoint that it builds on.
HHEM: Final = "HHEMv2ForSequenceClassification"
HHEM_FOUNDATION: Final = "google/flan-t5-base"


def known_checkpoint(name: str) -> KnownCheckpoint | None:
    """Return what is known of the checkpoint that the hub calls *name*; raises CrossexamError if refused.

    >>> known_checkpoint("google/flan-t5-large").template, known_checkpoint("openai-community/gpt2")
    ('flan-mnli-0', None)
    """
    lower = name.lower()
    if lower in REFUSED:
        what, hint = REFUSED[lower]
        raise CrossexamError(what, where=f"lm/{name}", hint=hint)
    return next((each for each in KNOWN_CHECKPOINTS if fnmatchcase(lower, each.pattern)), None)
