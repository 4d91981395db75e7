"""The table of suites: which test sets a study is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from crossexam.constructions.table import CONSTRUCTIONS
from crossexam.core.errors import UnknownNameError
from crossexam.suites.lexically_misleading import LAMBDAS


@dataclass(frozen=True)
class SuiteKind:
    """A study: the constructions it applies, the subsets CS_lambda it takes, where it was published."""

    name: str
    constructions: tuple[str, ...]
    summary: str
    paper: str
    lambdas: tuple[float, ...] = ()


_ALL: Final = (
    SuiteKind(
        "stress-tests",
        (
            "antonymy",
            "numerical_reasoning",
            "word_overlap",
            "negation",
            "length_mismatch",
            "spelling_error_content_word",
            "spelling_error_function_word",
            "spelling_error_keyboard_swap",
            "spelling_error_adjacent_swap",
        ),
        "competence, distraction and noise: six stress tests, spelling errors in four forms",
        "Naik et al. 2018, Stress Test Evaluation for Natural Language Inference (C18-1198)",
    ),
    SuiteKind(
        "compositionality",
        ("so_swap", "add_amod"),
        "the same words put together otherwise, and the pairs whose single words mislead (CS_0.5, 0.6, 0.7)",
        "Nie et al. 2019, Analyzing Compositionality-Sensitivity of NLI Models (AAAI)",
        lambdas=LAMBDAS,
    ),
    SuiteKind(
        "cross-dataset",
        (),
        "fourteen other corpora, as many as are installed, and one mean; needs no --base",
        "Zhang et al. 2020, Reliable Evaluations for NLI with a Unified Cross-dataset Benchmark (arXiv)",
    ),
    SuiteKind(
        "behaviour",
        (),
        "word pairs of training examples swapped: insensitivity, unseen word pairs, polarity",
        "Sanchez Carmona et al. 2018, Behavior Analysis of NLI Models (N18-1179)",
    ),
    SuiteKind("corpus", (), "the bases as they are: plain accuracy on any corpus", ""),
)

SUITES: Final[dict[str, SuiteKind]] = {each.name: each for each in _ALL}


def suite_named(name: str) -> SuiteKind:
    """Return the suite called *name*; a construction's name is the suite of it alone.

    Raises UnknownNameError with the nearest name.

    >>> suite_named("negation").constructions
    ('negation',)
    """
    if name in SUITES:
        return SUITES[name]
    if name in CONSTRUCTIONS:
        construction = CONSTRUCTIONS[name]
        return SuiteKind(name, (name,), construction.summary, construction.paper)
    raise UnknownNameError("suite or construction", name, [*SUITES, *CONSTRUCTIONS])
