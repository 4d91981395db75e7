"""Constructions: functions from an example to drafts of items, or to the reasons for rejecting it.

A construction does not write text.  It specifies from which sentence of the example each side of the new
pair starts and which edits apply to it; :class:`~crossexam.constructions.apply.Applier` builds the item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol, get_args, get_type_hints

from crossexam.core.example import Change, Edit, Example, Side
from crossexam.core.imports import imported
from crossexam.core.labels import LABELS, Gold, Label
from crossexam.core.rules import OURS, with_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crossexam.constructions.passages import Passages
    from crossexam.language.entities import EntityRecognizer
    from crossexam.language.lexicons.counts import CountKind, CountTable
    from crossexam.language.parsing.dependencies import Parsed
    from crossexam.language.tokens import Token
    from crossexam.language.word_pair_index import WordPairIndex

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Rejection:
    """The *reason* why an example, or a word of it, yields no item, as counted in the yield table."""

    reason: str


#: The reason of a construction that reads parses, for a premise that has none ...
NO_PARSE: Final = "no parse of the premise"
#: ... and of one for documents, for a premise of one sentence or none.
ONE_SENTENCE: Final = "the premise has fewer than two sentences"
_WAYS_OUT: Final = {NO_PARSE: "--parser spacy:PIPELINE parses the sentences whose corpus ships no parse"}


def ways_out(reasons: Iterable[str]) -> list[str]:
    """Return what can be done about rejections for *reasons*, in a line each; nothing about most.

    >>> ways_out([NO_PARSE, "proper name"])
    ['No parse of the premise: --parser spacy:PIPELINE parses the sentences whose corpus ships no parse.']
    """
    known = (reason for reason in dict.fromkeys(reasons) if reason in _WAYS_OUT)
    return [f"{reason[0].upper()}{reason[1:]}: {_WAYS_OUT[reason]}." for reason in known]


class Draft(NamedTuple):
    """An item without an id: its *label* and the *edits* that produce it.

    The new premise starts from the side *source* of the example, the new hypothesis from its side *target*.
    *suffix* distinguishes the items of one example; *info* is added to the example's.  *base* is the example
    that the edits apply to if it is not the one that was passed to the construction.
    """

    label: Gold | None
    edits: tuple[Edit, ...]
    source: Side = "premise"
    target: Side = "hypothesis"
    suffix: str = ""
    info: Mapping[str, Any] = _NOTHING
    base: Example | None = None

    def item(self, example: Example, construction: str) -> Example:
        """Return the item that this draft derives from *example*; *construction* is the versioned name."""
        change = Change(construction, self.source, self.target, self.edits)
        return (self.base or example).derive(self.label, change, suffix=self.suffix, info=self.info)


#: A control is an unchanged example; every other item starts as a draft.
Outcome = Draft | Example | Rejection
Resource = Literal[
    "tagger", "recognizer", "wordnet", "forms", "parser", "adjectives", "word_pairs", "passages"
]


class Resources(Protocol):
    """The linguistic resources available to a construction."""

    def tokens(self, example: Example, side: Side) -> Sequence[Token]:
        """Return the tagged tokens of the sentence on *side*; an empty sentence has none."""
        ...

    def parsed(self, example: Example, side: Side) -> Parsed | None:
        """Return the dependency parse of the sentence on *side*, or None if it has not been parsed."""
        ...

    def counts(self, kind: CountKind, spec: str | None) -> CountTable:
        """Return the counts named by *spec*, a corpus or a file; None means the adjectives in the package."""
        ...

    def pair_index(self, spec: str) -> WordPairIndex:
        """Return the index of the word pairs in the corpora named by *spec*."""
        ...

    @property
    def recognizer(self) -> EntityRecognizer:
        """The named-entity recognizer."""
        ...

    @property
    def passages(self) -> Passages:
        """The passages of the base."""
        ...


#: Takes an example, resources and a random generator, and ``options`` if the construction has any.
Function = Callable[..., Iterator[Outcome]]


class _OptionsOrPath:
    """The field ``options``; where it is ``module:Options``, that is imported when the field is read."""

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)["_options"] = value

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return None  # the default
        given = vars(instance)["_options"]
        if isinstance(given, str):
            given = vars(instance)["_options"] = imported(given)()
        return given


@dataclass(frozen=True)
class Construction:
    """An entry of the table of constructions.

    ``test_class`` follows the paper: competence, distraction, noise, compositionality, behaviour or
    consistency; an ablation does not test robustness.  ``keeps_label`` means that an item has the gold label
    of its base, so that the two can be compared in pairs.  ``labels`` are the labels that it may assign, none
    if its items have no gold label; ``edits`` are the sides that it may edit, none if it only chooses the
    sentences; and ``illustration`` is an item: premise, hypothesis and label.  Any change to a construction
    requires a new ``version``.  ``per_sentence`` means that each sentence is processed independently, so that
    repeated sentences are skipped.  ``needs_gold`` is False if items can also be made of a pair that lacks
    the gold label that its corpus has for others.  ``draws`` means that it makes random choices.  ``uses``
    are the resources named in the signature of a test set.  ``options`` is an instance of the construction's
    own dataclass ``Options``, if it has one; its field ``rules`` says by whose rules items are made, and
    other rules than ours are part of the name of what they make.  The table gives function and options as
    ``module:name``, so that whoever only asks what a construction is does not import what makes its items.
    ``control`` names the construction with whose items these are compared, unless that is the base;
    ``drawn_as`` names the construction whose random choices are shared, if any.  ``key`` names the entries of
    ``info`` that together say which words or rule an item tests.  With ``keys_are_sampled``, the keys stand
    for all others, as word pairs do, so that items with the same key are not independent; the four rules of
    numerical reasoning are all that there are.  ``plug_in`` is the source of a construction that another
    distribution adds, as named in the signature of a test set; it is filled in when the table is made.
    """

    name: str
    version: int
    function: Function | str
    test_class: Literal[
        "competence", "distraction", "noise", "compositionality", "ablation", "behaviour", "consistency"
    ]
    summary: str
    paper: str
    illustration: tuple[str, str, Label | None]
    keeps_label: bool = True
    labels: tuple[Label, ...] = LABELS
    edits: tuple[Side, ...] = ("hypothesis",)
    unique_pairs: bool = False
    per_sentence: bool = False
    needs_gold: bool = True
    reads_problems: bool = False
    draws: bool = True
    uses: tuple[Resource, ...] = ()
    options: Any = _OptionsOrPath()
    control: str | None = None
    drawn_as: str | None = None
    key: tuple[str, ...] = ()
    keys_are_sampled: bool = False
    plug_in: str | None = None

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
        function: Function = imported(self.function) if isinstance(self.function, str) else self.function
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
