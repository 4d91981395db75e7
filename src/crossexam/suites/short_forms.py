"""Short forms of options: ``--as-published`` for ``--set antonymy.as_published=true`` and its like.

The only place outside its own file where an option of a construction or suite is named.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from crossexam.core.errors import CrossexamError, UnknownNameError


class ShortForm(NamedTuple):
    """A flag of the command line and keyword of the library, and the *targets* (``NAME.OPTION``) it sets.

    *takes* is what the flag is followed by, nothing for a switch; a *repeatable* one collects its values.
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
    ShortForm("--as-published",    ("antonymy.as_published", "so_swap.as_published"),
              "keep the items that our rules doubt, as the papers do"),
    ShortForm("--indirect",        ("antonymy.indirect",), "antonyms through a similar adjective too"),
    ShortForm("--both-directions", ("add_amod.both_directions",), "the mirrored item too"),
    ShortForm("--adjectives",      ("add_amod.adjectives",),
              "count which adjectives go with which nouns in this corpus", "CORPUS:SPLIT|FILE"),
    ShortForm("--tautology",       ("tautology.clause",), "also test with this tautology", "TEXT"),
    ShortForm("--split",           ("cross-dataset.split",), "test or validation", "SPLIT"),
    ShortForm("--pairs",           ("behaviour.pairs",), "word pairs to swap", "RELATION=FILE", True),
    ShortForm("--index",           ("behaviour.index",), "the corpus in which word pairs are seen or unseen",
              "CORPUS"),
    ShortForm("--controls",        ("behaviour.controls",), "draw at most N controls of either kind", "N"),
    ShortForm("--model",           ("cs-subsets.model", "hard-subsets.model", "compositionality.model"),
              "the model that chooses the subset", "MODEL"),
    ShortForm("--lambda",          ("cs-subsets.lambdas", "compositionality.lambdas"),
              "the least score of an example", "SHARE", True),
)}
# fmt: on


def keywords(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by flag from values by keyword argument; raises UnknownNameError.

    >>> keywords({"as_published": True})
    {'--as-published': True}
    """
    flags = {form.keyword: flag for flag, form in SHORT_FORMS.items()}
    for name in given:
        if name not in flags:
            raise UnknownNameError("option", name, flags)
    return {flags[name]: value for name, value in given.items() if value is not None and value is not False}


def expand(suite: str, given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the options that short forms stand for in *suite*, by construction or suite.

    *given* has values by flag; a form that has several targets sets those that the suite uses.  Raises
    CrossexamError for a form none of whose targets the suite has.

    >>> expand("antonymy", {"--as-published": True})
    {'antonymy': {'as_published': True}}
    """
    from crossexam.suites.table import suite_named  # short forms are listed by help, which builds nothing

    kind = suite_named(suite)
    used = {kind.name, *kind.constructions, *kind.optional}
    options: dict[str, dict[str, Any]] = {}
    for flag, value in given.items():
        targets = [target.split(".") for target in SHORT_FORMS[flag].targets]
        fitting = [target for target in targets if target[0] in used]
        if not fitting:
            owners = " and ".join(name for name, _ in targets)
            raise CrossexamError(f"'{suite}' has no {flag}", hint=f"{flag} is an option of {owners}")
        for name, option in fitting:
            options.setdefault(name, {})[option] = value
    return options


def merged(*parts: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return options by name from several sources; raises CrossexamError if two set the same one."""
    options: dict[str, dict[str, Any]] = {}
    for part in parts:
        for name, values in part.items():
            for option, value in values.items():
                if option in options.setdefault(name, {}):
                    raise CrossexamError(f"'{name}.{option}' is set twice", where="--set and its short form")
                options[name][option] = value
    return options
