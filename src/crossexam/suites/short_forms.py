"""Short forms of options, such as ``--indirect`` for ``--set antonymy.indirect=true``.

No other file names an option of a construction or suite, except the one that defines it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.suites.renamed import current_option


class ShortForm(NamedTuple):
    """A command-line flag and keyword argument, and the *targets* (``NAME.OPTION``) that it sets.

    *takes* is a placeholder for the value of the flag, empty for a switch; a *repeatable* flag collects its
    values.  A target of a switch may name the value that it gets (``NAME.OPTION=VALUE``), else that is true.
    """

    flag: str
    targets: tuple[str, ...]
    help: str
    takes: str = ""
    repeatable: bool = False

    @property
    def settings(self) -> tuple[tuple[str, str, str | None], ...]:
        """Construction or suite, option, and the value of the target if it names one."""
        parts = ((*target.partition("=")[0].split("."), target.partition("=")[2]) for target in self.targets)
        return tuple((name, option, value or None) for name, option, value in parts)

    @property
    def meaning(self) -> str:
        """What it stands for, in terms of ``--set``; constructions that get the same value stand together."""
        names: dict[str, list[str]] = {}
        for name, option, value in self.settings:
            if value is None:
                names[f"--set {name}.{option}={self.takes or 'true'}"] = []
            else:
                names.setdefault(f"--set NAME.{option}={value}", []).append(name)
        return ", ".join(f"{what} for {', '.join(of)}" if of else what for what, of in names.items())

    @property
    def adds_nothing(self) -> bool:
        """Whether it only sets options of what is built anyway: a switch whose targets name their values."""
        return any(value is not None for *_, value in self.settings)

    @property
    def keyword(self) -> str:
        """The name of the keyword argument."""
        return self.flag.removeprefix("--").replace("-", "_")


# fmt: off
#: By whose rules published items were made: the authors' script if it was released, else the paper's text.
_AS_PUBLISHED: Final = (
    "antonymy.rules=released",
    "numerical_reasoning.rules=released",
    "word_overlap.rules=released",
    "negation.rules=released",
    "length_mismatch.rules=paper",
    "spelling_error_mixed_content_word.rules=released",
    "spelling_error_mixed_function_word.rules=released",
    "spelling_error_keyboard_swap.rules=released",
    "spelling_error_adjacent_swap.rules=released",
    "tautology.rules=released",
    "so_swap.rules=paper",
    "add_amod.rules=paper",
    "behaviour.rules=paper",
)
SHORT_FORMS: Final[dict[str, ShortForm]] = {form.flag: form for form in (
    ShortForm("--as-published",    _AS_PUBLISHED,
              "make items by the authors' rules, not ours"),
    ShortForm("--indirect",        ("antonymy.indirect",), "also use antonyms of similar adjectives"),
    ShortForm("--attested-in",     ("antonymy.attested_in",),
              "use only antonyms that contradict each other in this corpus", "CORPUS"),
    ShortForm("--both-directions", ("add_amod.both_directions",), "also add the mirrored item"),
    ShortForm("--adjectives",      ("add_amod.adjectives",),
              "count adjective-noun pairs in this corpus", "CORPUS:SPLIT|FILE"),
    ShortForm("--min-plausibility", ("so_swap.min_plausibility",),
              "reject swapped clauses less plausible than this, from 0 to 1", "SCORE"),
    ShortForm("--tautology",       ("tautology.clause",), "also append this tautology", "TEXT"),
    ShortForm("--only",            ("challenge.only", "fact-checking.only"),
              "include only these challenge sets or benchmarks", "NAME,...", True),
    ShortForm("--split",           ("cross-dataset.split", "fact-checking.split"),
              "test or validation; of fact-checking, test or dev", "SPLIT"),
    ShortForm("--add",             ("cross-dataset.add",), "also include this corpus",
              "CORPUS[:PROJECTION]", True),
    ShortForm("--reference",       ("cross-dataset.reference",),
              "measure the difference from this corpus, not from SNLI", "CORPUS"),
    ShortForm("--pairs",           ("behaviour.pairs",), "word pairs to swap", "RELATION=FILE", True),
    ShortForm("--index",           ("behaviour.index",), "corpus in which word pairs count as seen",
              "CORPUS"),
    ShortForm("--controls",        ("behaviour.controls",), "draw at most N controls per family", "N"),
    ShortForm("--model",           ("cs-subsets.model", "hard-subsets.model", "compositionality.model"),
              "model that selects the subset", "MODEL"),
    ShortForm("--lambda",          ("cs-subsets.lambdas", "compositionality.lambdas"),
              "minimum score of an example", "SHARE", True),
)}
# fmt: on


def keywords(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of keyword arguments by flag; raises UnknownNameError.

    >>> keywords({"as_published": True})
    {'--as-published': True}
    """
    flags = {form.keyword: flag for flag, form in SHORT_FORMS.items()}
    for name in given:
        if name not in flags:
            raise UnknownNameError("option", name, flags)
    return {flags[name]: value for name, value in given.items() if value is not None and value is not False}


def expand(
    suite: str, given: Mapping[str, Any], *, joined: Collection[str] = ()
) -> dict[str, dict[str, Any]]:
    """Return the options that short forms set in *suite*, by construction or suite.

    *given* has values by flag; a form with several targets sets those that the suite uses, and those of an
    optional construction only if that is *joined*.  Raises CrossexamError if the suite uses none of the
    targets of a form.

    >>> expand("antonymy", {"--as-published": True})
    {'antonymy': {'rules': 'released'}}
    """
    from crossexam.suites.table import suite_named  # late, since help lists short forms but builds nothing

    kind = suite_named(suite)
    options: dict[str, dict[str, Any]] = {}
    for flag in sorted(given, key=lambda flag: SHORT_FORMS[flag].adds_nothing):
        form = SHORT_FORMS[flag]
        optional = {*joined, *options}.intersection(kind.optional) if form.adds_nothing else kind.optional
        used = {kind.name, *kind.constructions, *optional}
        fitting = [setting for setting in form.settings if setting[0] in used]
        if not fitting:
            owners = ", ".join(name for name, *_ in form.settings)
            raise CrossexamError(f"'{suite}' has no option {flag}", hint=f"{flag} is an option of {owners}")
        for name, option, value in fitting:
            options.setdefault(name, {})[option] = given[flag] if value is None else value
    return options


def merged(*parts: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the union of options by their present names; raises CrossexamError if one is set twice."""
    options: dict[str, dict[str, Any]] = {}
    for part in parts:
        for name, values in part.items():
            for stated, given in values.items():
                option, value = current_option(name, stated, given)
                if option in options.setdefault(name, {}):
                    raise CrossexamError(
                        f"'{name}.{option}' is set twice",
                        where="--set and its short form",
                        wanted="each option once",
                    )
                options[name][option] = value
    return options
