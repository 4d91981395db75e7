"""Short forms of options, such as ``--as-published`` for ``--set antonymy.as_published=true``.

No other file names an option of a construction or suite, except the one that defines it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from crossexam.core.errors import CrossexamError, UnknownNameError


class ShortForm(NamedTuple):
    """A command-line flag and keyword argument, and the *targets* (``NAME.OPTION``) that it sets.

    *takes* is a placeholder for the value of the flag, empty for a switch; a *repeatable* flag collects its
    values.
    """

    flag: str
    targets: tuple[str, ...]
    help: str
    takes: str = ""
    repeatable: bool = False

    @property
    def keyword(self) -> str:
        """The name of the keyword argument."""
        return self.flag.removeprefix("--").replace("-", "_")


# fmt: off
SHORT_FORMS: Final[dict[str, ShortForm]] = {form.flag: form for form in (
    ShortForm("--as-published",    ("antonymy.as_published",),
              "keep items with doubtful labels, as the papers do"),
    ShortForm("--indirect",        ("antonymy.indirect",), "also use antonyms of similar adjectives"),
    ShortForm("--attested-in",     ("antonymy.attested_in",),
              "use antonyms that contradict each other in this corpus", "CORPUS"),
    ShortForm("--both-directions", ("add_amod.both_directions",), "also add the mirrored item"),
    ShortForm("--adjectives",      ("add_amod.adjectives",),
              "count adjective-noun pairs in this corpus", "CORPUS:SPLIT|FILE"),
    ShortForm("--min-plausibility", ("so_swap.min_plausibility",),
              "reject swapped clauses less plausible than this, from 0 to 1", "SCORE"),
    ShortForm("--tautology",       ("tautology.clause",), "also append this tautology", "TEXT"),
    ShortForm("--split",           ("cross-dataset.split",), "test or validation", "SPLIT"),
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


def expand(suite: str, given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the options that short forms set in *suite*, by construction or suite.

    *given* has values by flag; a form with several targets sets those that the suite uses.  Raises
    CrossexamError if the suite uses none of the targets of a form.

    >>> expand("antonymy", {"--as-published": True})
    {'antonymy': {'as_published': True}}
    """
    from crossexam.suites.table import suite_named  # late, since help lists short forms but builds nothing

    kind = suite_named(suite)
    used = {kind.name, *kind.constructions, *kind.optional}
    options: dict[str, dict[str, Any]] = {}
    for flag, value in given.items():
        targets = [target.split(".") for target in SHORT_FORMS[flag].targets]
        fitting = [target for target in targets if target[0] in used]
        if not fitting:
            owners = " and ".join(name for name, _ in targets)
            raise CrossexamError(f"'{suite}' has no option {flag}", hint=f"{flag} is an option of {owners}")
        for name, option in fitting:
            options.setdefault(name, {})[option] = value
    return options


def merged(*parts: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the union of options by name; raises CrossexamError if an option is set twice."""
    options: dict[str, dict[str, Any]] = {}
    for part in parts:
        for name, values in part.items():
            for option, value in values.items():
                if option in options.setdefault(name, {}):
                    raise CrossexamError(f"'{name}.{option}' is set twice", where="--set and its short form")
                options[name][option] = value
    return options
