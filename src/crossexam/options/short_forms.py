"""Short forms of options, such as ``--indirect`` for ``--set antonymy.indirect=true``.

No other file names an option of a construction or suite, except the one that defines it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.errors import CrossexamError
from crossexam.core.settings import set_once
from crossexam.options.option import Option, option, options_of, switch

if TYPE_CHECKING:
    from crossexam.suites.plan import SuiteKind


@dataclass(frozen=True, kw_only=True)
class ShortForm(Option):
    """An option that sets others: its *targets* (``NAME.OPTION``).

    A target of a switch may name the value that it gets (``NAME.OPTION=VALUE``), else that is true.
    """

    targets: tuple[str, ...]

    @property
    def flag(self) -> str:
        """Its flag."""
        return self.flags[0]

    @property
    def whole_help(self) -> str:
        """What the help with all options says of it."""
        return f"{self.help} Short for {self.meaning}."

    @property
    def settings(self) -> tuple[tuple[str, str, str | None], ...]:
        """Construction or suite, option, and the value of the target if it names one."""
        parts = ((*target.partition("=")[0].split("."), target.partition("=")[2]) for target in self.targets)
        return tuple((name, target, value or None) for name, target, value in parts)

    @property
    def meaning(self) -> str:
        """What it stands for, in terms of ``--set``; constructions that get the same value stand together."""
        names: dict[str, list[str]] = {}
        for name, target, value in self.settings:
            if value is None:
                names[f"--set {name}.{target}={self.takes or 'true'}"] = []
            else:
                names.setdefault(f"--set NAME.{target}={value}", []).append(name)
        return ", ".join(f"{what} for {', '.join(of)}" if of else what for what, of in names.items())

    @property
    def adds_nothing(self) -> bool:
        """Whether it only sets options of what is built anyway: a switch whose targets name their values."""
        return any(value is not None for *_, value in self.settings)


#: By whose rules published items were made: the authors' script if it was released, else the paper's text.
_AS_PUBLISHED: Final = """
    antonymy.rules=released
    numerical_reasoning.rules=released
    word_overlap.rules=released
    negation.rules=released
    length_mismatch.rules=paper
    spelling_error_mixed_content_word.rules=released
    spelling_error_mixed_function_word.rules=released
    spelling_error_keyboard_swap.rules=released
    spelling_error_adjacent_swap.rules=released
    tautology.rules=released
    so_swap.rules=paper
    add_amod.rules=paper
    behaviour.rules=paper
"""


_GROUP: Final[dict[str, Any]] = {"group": "Short forms of --set", "kind": ShortForm}


def _on(targets: str, help: str) -> Any:
    """Return the field of a switch with *targets*, which are separated by spaces."""
    return switch(help, targets=tuple(targets.split()), **_GROUP)


def _of(takes: str, targets: str, help: str, *flags: str, default: Any = None) -> Any:
    """Return the field of an option with a value for *targets*, which are separated by spaces."""
    return option(help, *flags, default=default, takes=takes, targets=tuple(targets.split()), **_GROUP)


@dataclass(frozen=True)
class ShortForms:
    """Options that set options of constructions and suites."""

    as_published: bool = _on(_AS_PUBLISHED, "Make items by the authors' rules, not ours.")
    indirect: bool = _on("antonymy.indirect", "Also use antonyms of similar adjectives.")
    attested_in: str | None = _of(
        "CORPUS", "antonymy.attested_in", "Use only antonyms that contradict each other in this corpus."
    )
    both_directions: bool = _on("add_amod.both_directions", "Also add the mirrored item.")
    adjectives: str | None = _of(
        "CORPUS:SPLIT|FILE", "add_amod.adjectives", "Count adjective-noun pairs in this corpus."
    )
    tautology: str | None = _of("TEXT", "tautology.clause", "Also append this tautology.")
    only: tuple[str, ...] = _of(
        "NAME,...",
        "challenge.only fact-checking.only",
        "Include only these challenge sets or benchmarks.",
        default=(),
    )
    split: str | None = _of(
        "SPLIT",
        "cross-dataset.split fact-checking.split",
        "test or validation; of fact-checking, test or dev.",
    )
    add: tuple[str, ...] = _of(
        "CORPUS[:PROJECTION]", "cross-dataset.add", "Also include this corpus.", default=()
    )
    reference: str | None = _of(
        "CORPUS", "cross-dataset.reference", "Measure the difference from this corpus, not from SNLI."
    )
    pairs: tuple[str, ...] = _of("RELATION=FILE", "behaviour.pairs", "Word pairs to swap.", default=())
    index: str | None = _of("CORPUS", "behaviour.index", "Corpus in which word pairs count as seen.")
    controls: int | None = _of("N", "behaviour.controls", "Draw at most N controls per family.")
    model: str | None = _of(
        "MODEL",
        "cs-subsets.model hard-subsets.model compositionality.model",
        "Model that selects the subset.",
    )
    lambdas: tuple[float, ...] = _of(
        "SHARE",
        "cs-subsets.lambdas compositionality.lambdas",
        "Minimum score of an example.",
        "--lambda",
        default=(),
    )


#: By flag.
SHORT_FORMS: Final[dict[str, ShortForm]] = {
    each.flag: each for each in options_of(ShortForms).values() if isinstance(each, ShortForm)
}


def given_short_forms(options: ShortForms) -> dict[str, Any]:
    """Return the values by flag of the short forms that *options* give."""
    values = {flag: getattr(options, form.name) for flag, form in SHORT_FORMS.items()}
    return {flag: value for flag, value in values.items() if value != SHORT_FORMS[flag].default}


def expand(
    suite: str, given: Mapping[str, Any], *, joined: Collection[str] = ()
) -> Iterator[tuple[str, Any, str]]:
    """Yield what short forms set in *suite*: (``NAME.OPTION``, value, flag).

    *given* has values by flag; a form with several targets sets those that the suite uses, and those of an
    optional construction only if that is *joined*.  Raises CrossexamError if the suite uses none of the
    targets of a form.

    >>> list(expand("antonymy", {"--as-published": True}))
    [('antonymy.rules', 'released', '--as-published')]
    """
    from crossexam.suites.table import suite_named  # late, since help lists short forms but builds nothing

    kind = suite_named(suite)
    joining = set(joined)
    for flag in sorted(given, key=lambda flag: SHORT_FORMS[flag].adds_nothing):
        form = SHORT_FORMS[flag]
        optional = joining.intersection(kind.optional) if form.adds_nothing else kind.optional
        used = {kind.name, *kind.constructions, *optional}
        fitting = [setting for setting in form.settings if setting[0] in used]
        if not fitting:
            owners = ", ".join(name for name, *_ in form.settings)
            raise CrossexamError(f"'{suite}' has no option {flag}", hint=f"{flag} is an option of {owners}")
        for name, target, value in fitting:
            joining.add(name)
            yield f"{name}.{target}", given[flag] if value is None else value, flag


def suite_options(
    kind: SuiteKind,
    options: ShortForms,
    stated: Iterable[tuple[str, str, Any]],
    bases: Sequence[str],
) -> dict[str, dict[str, Any]]:
    """Return the options by construction or suite for *kind*, from all that may set one.

    These are the (name, option, value) triples *stated* by name, the short forms of *options*, and the names
    of *bases* if the suite has a fixed list of corpora.  Raises CrossexamError if one is set twice.
    """
    by_name = [(f"{name}.{option}", value, "--set") for name, option, value in stated]
    joined = {target.rpartition(".")[0] for target, *_ in by_name}
    settings = [*by_name, *expand(kind.name, given_short_forms(options), joined=joined)]
    if kind.base_option is not None and bases:
        settings.append((f"{kind.name}.{kind.base_option}", tuple(bases), "--base"))
    found: dict[str, dict[str, Any]] = {}
    for target, value in set_once(settings).items():
        name, _, option = target.rpartition(".")
        found.setdefault(name, {})[option] = value
    return found
