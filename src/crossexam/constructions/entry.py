"""An entry of the table of constructions: what is said of a construction, whose function makes the items."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import partial
from pkgutil import resolve_name
from typing import Any, Literal, get_args, get_type_hints

from crossexam.constructions.construction import Function, Resource
from crossexam.core.example import Side
from crossexam.core.labels import LABELS, Label
from crossexam.core.rules import OURS, with_rules

#: What a construction tests, as its paper has it; an ablation does not test robustness.
TestClass = Literal[
    "competence", "distraction", "noise", "compositionality", "ablation", "behaviour", "consistency"
]


class _OptionsOrPath:
    """The field ``options``; where it is ``module:Options``, that is imported when the field is read."""

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)["_options"] = value

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return None  # the default
        given = vars(instance)["_options"]
        if isinstance(given, str):
            given = vars(instance)["_options"] = resolve_name(given)()
        return given


@dataclass(frozen=True)
class Construction:
    """An entry of the table of constructions.

    Any change to a construction requires a new version.  The table gives function and options as
    ``module:name``, so that whoever only asks what a construction is does not import what makes its items.
    """

    name: str
    version: int
    function: Function | str
    test_class: TestClass  # as the paper has it
    summary: str
    paper: str
    illustration: tuple[str, str, Label | None]  # an item: premise, hypothesis, label
    keeps_label: bool = True  # an item has the gold label of its base: the two are compared in pairs
    labels: tuple[Label, ...] = LABELS  # that it may assign; none if its items have no gold label
    edits: tuple[Side, ...] = ("hypothesis",)  # the sides; none if it only chooses the sentences
    unique_pairs: bool = False  # a pair that was made before is left out
    per_sentence: bool = False  # sentences are processed one by one, and repeated ones skipped
    needs_gold: bool = True  # False: also of pairs that lack the gold label that their corpus has for others
    reads_problems: bool = False  # made of word problems, if there are any
    draws: bool = True  # it makes random choices
    uses: tuple[Resource, ...] = ()  # the resources named in the signature of a test set
    #: An instance of the construction's own dataclass ``Options``, if it has one.  Its field ``rules`` says
    #: by whose rules items are made; rules other than ours are part of the name of what they make.
    options: Any = _OptionsOrPath()
    control: str | None = None  # with whose items these are compared, if not with the base
    drawn_as: str | None = None  # the construction whose random choices it shares
    key: tuple[str, ...] = ()  # the entries of ``info`` that together say which words or rule an item tests
    #: Whether keys stand for all others, as word pairs do, so that items with the same key are not
    #: independent; the four rules of numerical reasoning are all that there are.
    keys_are_sampled: bool = False
    plug_in: str | None = None  # its source in signatures if another distribution adds it; the table fills it

    @property
    def rules(self) -> str:
        """By whose rules it makes items: ours, unless its options say otherwise."""
        return str(getattr(self.options, "rules", OURS))

    @property
    def known_rules(self) -> tuple[str, ...]:
        """The rules that it knows, ours first."""
        kind = None if self.options is None else get_type_hints(type(self.options)).get("rules")
        return get_args(kind) or (OURS,)

    @property
    def makes(self) -> str:
        """The name of its test sets and items: ``antonymy``, or ``antonymy_released`` under other rules."""
        return with_rules(self.name, self.rules)

    @property
    def versioned(self) -> str:
        """The name of its test sets with the version: ``antonymy.v1``."""
        return f"{self.makes}.v{self.version}"

    @property
    def bound(self) -> Function:
        """The function, with the options if there are any."""
        function: Function = resolve_name(self.function) if isinstance(self.function, str) else self.function
        return function if self.options is None else partial(function, options=self.options)

    def under(self, rules: str) -> Construction:
        """Return the same construction under *rules*, which it has to know."""
        return self if rules == self.rules else replace(self, options=replace(self.options, rules=rules))

    @property
    def takes_single_texts(self) -> bool:
        """Whether a sentence or a word problem alone, without a hypothesis, can give an item."""
        return self.per_sentence or self.reads_problems


def changed_options(options: Any) -> dict[str, Any]:
    """Return the fields of *options* (a dataclass or None) that differ from their defaults."""
    if options is None:
        return {}
    default = type(options)()
    return {
        each.name: getattr(options, each.name)
        for each in fields(options)
        if getattr(options, each.name) != getattr(default, each.name)
    }
