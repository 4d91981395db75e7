"""The table of suites: the test sets of each study, and the function that builds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from crossexam.constructions.apply import configured
from crossexam.constructions.table import CONSTRUCTIONS
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.settings import with_options
from crossexam.engines.local import Processes
from crossexam.suites import challenge, cross_dataset, fact_checking, released_tests
from crossexam.suites.bases import Base
from crossexam.suites.behaviour import BehaviourOptions, plan_behaviour
from crossexam.suites.constructed import CompositionalityOptions, plan_constructed
from crossexam.suites.plan import SuiteKind, SuiteRequest
from crossexam.suites.subsets import CSOptions, HardOptions, plan_cs, plan_hard

_ALL: Final = (
    SuiteKind(
        "stress-tests",
        "competence, distraction and noise: six stress tests, spelling errors in six forms",
        "Naik et al. 2018, Stress Test Evaluation for Natural Language Inference (C18-1198)",
        plan_constructed,
        constructions=(
            "antonymy",
            "numerical_reasoning",
            "word_overlap",
            "negation",
            "length_mismatch",
            "spelling_error_mixed_content_word",
            "spelling_error_mixed_function_word",
            "spelling_error_content_word",
            "spelling_error_function_word",
            "spelling_error_keyboard_swap",
            "spelling_error_adjacent_swap",
        ),
        optional=("tautology",),
    ),
    SuiteKind(
        "compositionality",
        "the same words composed differently, and the pairs whose single words mislead (CS_0.5, 0.6, 0.7)",
        "Nie et al. 2019, Analyzing Compositionality-Sensitivity of NLI Models (AAAI)",
        plan_constructed,
        constructions=("so_swap", "so_swap_plausible", "add_amod"),
        optional=("tautology",),
        options=CompositionalityOptions(),
    ),
    SuiteKind(
        "cross-dataset",
        "up to fourteen other corpora, those that are installed, and their mean; needs no --base",
        "Zhang et al. 2020, Reliable Evaluations for NLI (arXiv 2010.07676), section 2",
        cross_dataset.plan_cross_dataset,
        options=cross_dataset.CrossDatasetOptions(),
        base_option="corpora",
        file_options=("add", "reference"),
        overview=cross_dataset.OVERVIEW,
        in_one_process=True,
    ),
    SuiteKind(
        "behaviour",
        "word pairs of training examples swapped: insensitivity, unseen word pairs, polarity",
        "Sanchez Carmona et al. 2018, Behavior Analysis of NLI Models (N18-1179), section 5",
        plan_behaviour,
        options=BehaviourOptions(),
        has_keys=True,
    ),
    SuiteKind(
        "documents",
        "long premises: an irrelevant passage, sentences in another order, spelling errors",
        "",
        plan_constructed,
        constructions=("distractor_passage", "sentence_shuffle", "spelling_error_premise"),
        optional=("tautology",),
    ),
    SuiteKind(
        "fact-checking",
        "benchmarks of claims and documents: LLM-AggreFact, TRUE, SummaC; needs no --base",
        "Tang et al. 2024, MiniCheck: Efficient Fact-Checking of LLMs on Grounding Documents (EMNLP)",
        fact_checking.plan_fact_checking,
        options=fact_checking.FactCheckingOptions(),
        base_option="only",
        overview=fact_checking.OVERVIEW,
        in_one_process=True,
    ),
    SuiteKind(
        "released-stress-tests",
        "the stress tests that Naik et al. released, item by item; needs no --base",
        "Naik et al. 2018, Stress Test Evaluation for Natural Language Inference (C18-1198)",
        released_tests.plan_released,
        options=released_tests.ReleasedOptions(),
        base_option="tests",
        overview=released_tests.OVERVIEW,
        in_one_process=True,
    ),
    SuiteKind(
        "challenge",
        "the challenge sets that are installed: HANS, ANLI, Breaking NLI, MoNLI, MED ...; needs no --base",
        "",
        challenge.plan_challenge,
        options=challenge.ChallengeOptions(),
        base_option="only",
        overview=challenge.OVERVIEW,
        in_one_process=True,
    ),
    SuiteKind(
        "consistency",
        "pairs whose answers logic connects: does the model contradict itself? Needs no gold labels",
        "Li et al. 2019, A Logic-Driven Framework for Consistency of Neural Models (arXiv 1909.00126)",
        plan_constructed,
        constructions=(
            "identity",
            "symmetry",
            "negated_hypothesis",
            "double_negation",
            "conjunction",
            "transitivity",
        ),
    ),
    SuiteKind(
        "corpus",
        "the unchanged bases: accuracy on any corpus",
        "",
        plan_constructed,
        optional=("tautology",),
    ),
    SuiteKind(
        "cs-subsets",
        "the examples that mislead a bag-of-words model (CS_lambda)",
        "Nie et al. 2019, Analyzing Compositionality-Sensitivity of NLI Models, section 5.4",
        plan_cs,
        options=CSOptions(),
        in_one_process=True,
    ),
    SuiteKind(
        "hard-subsets",
        "the examples that a hypothesis-only model misclassifies",
        "Gururangan et al. 2018, Annotation Artifacts in Natural Language Inference Data (N18-2017)",
        plan_hard,
        options=HardOptions(),
        in_one_process=True,
    ),
)

SUITES: Final[dict[str, SuiteKind]] = {each.name: each for each in _ALL}
#: The suite that ``examine`` builds by default.
DEFAULT_SUITE: Final = _ALL[0].name


def suite_named(name: str) -> SuiteKind:
    """Return the suite called *name*; the name of a construction gives a suite of this construction alone.

    Raises UnknownNameError with the nearest name, and CrossexamError if a plug-in has the name of a suite.

    >>> suite_named("negation").constructions
    ('negation',)
    """
    if name in SUITES and name in CONSTRUCTIONS:
        raise CrossexamError(
            f"both a suite and a construction are called '{name}'",
            where=str(CONSTRUCTIONS[name].plug_in),
            hint="give the construction of the plug-in another name",
        )
    if name in SUITES:
        return SUITES[name]
    if name in CONSTRUCTIONS:
        construction = CONSTRUCTIONS[name]
        optional = tuple(each for each in ("tautology",) if each != name)
        return SuiteKind(
            name,
            construction.summary,
            construction.paper,
            plan_constructed,
            constructions=(name,),
            optional=optional,
        )
    raise UnknownNameError("suite or construction", name, [*SUITES, *CONSTRUCTIONS])


def reads_problems(kind: SuiteKind) -> bool:
    """Return whether any construction of the suite reads word problems."""
    return any(CONSTRUCTIONS[name].reads_problems for name in kind.constructions)


def suite_request(
    suite: str,
    bases: Sequence[Base] = (),
    problems: Sequence[Base] = (),
    *,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    **fields: Any,
) -> SuiteRequest:
    """Return the request for *suite*, with every name looked up.

    *options* maps constructions and suites to values by option: ``{"antonymy": {"rules": "paper"}}``;
    strings are parsed according to the option's type.  *fields* are those of SuiteRequest.  Raises
    CrossexamError for a name or an option that the suite does not have.

    >>> request = suite_request("antonymy", options={"antonymy": {"indirect": "true"}})
    >>> request.constructions[0].options.indirect
    True
    """
    kind = suite_named(suite)
    given = {name: values for name, values in (options or {}).items() if values}
    own = given.pop(kind.name, {}) if kind.options is not None else {}
    used = (*kind.constructions, *(name for name in kind.optional if name in given))
    for name in given:
        if name not in used:
            _refuse(name, kind)
    constructions = [configured(CONSTRUCTIONS[name], given.get(name, {})) for name in used]
    chosen = with_options(kind.options, own, kind.name)
    request = SuiteRequest(kind, bases, problems, constructions, chosen, **fields)
    _check_per_key(request)
    _check_workers(request)
    return request


def _check_per_key(request: SuiteRequest) -> None:
    """Raise CrossexamError if items are limited per key, but to less than one, or none has a key."""
    if request.per_key is None:
        return
    if request.per_key < 1:
        raise CrossexamError(f"--per-key is {request.per_key}", wanted="a whole number above 0")
    if not request.kind.has_keys and not any(each.keys_are_sampled for each in request.constructions):
        having = [name for name, each in CONSTRUCTIONS.items() if each.keys_are_sampled]
        raise CrossexamError(
            f"no items of '{request.kind.name}' have a key, such as a word pair, that --per-key could count",
            wanted=f"a suite with one of {', '.join(having)}, or the word swaps of behaviour",
        )


def _check_workers(request: SuiteRequest) -> None:
    """Raise CrossexamError if so many processes were asked for, but the suite is the work of one."""
    engine = request.engine
    if request.kind.in_one_process and isinstance(engine, Processes) and engine.is_stated:
        raise CrossexamError(
            f"the suite '{request.kind.name}' is built by one process, not by {engine.workers}",
            where="--workers",
            wanted="1 or auto",
            hint="leave the option out",
        )


def _refuse(name: str, kind: SuiteKind) -> None:
    """Raise CrossexamError for options of *name*, which is not part of the suite."""
    if name not in SUITES and name not in CONSTRUCTIONS:
        raise UnknownNameError("suite or construction with options", name, with_own_options())
    parts = [each for each in kind.constructions if CONSTRUCTIONS[each].options is not None]
    known = [*([kind.name] if kind.options is not None else []), *parts, *kind.optional]
    own = f"'{name}' has no options of its own"
    raise CrossexamError(
        own if name == kind.name else f"'{kind.name}' does not use '{name}', so it does not take that option",
        where="--set",
        wanted=f"an option of {', '.join(known)}" if known else "no options at all",
        hint="crossexam ls options lists all options",
    )


def with_own_options() -> dict[str, Any]:
    """Return the default options of every suite and construction that has options, by name."""
    kinds = {kind.name: kind.options for kind in SUITES.values()}
    constructions = {name: construction.options for name, construction in CONSTRUCTIONS.items()}
    return {name: each for name, each in {**kinds, **constructions}.items() if each is not None}
