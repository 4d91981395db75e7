"""What a construction is: a function from an example to drafts of items, and reasons for making none.

A construction does not write text.  It states which sentence of the example each side of the new pair
starts from and which edits are made; :class:`~crossexam.constructions.apply.Applier` makes the item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol

from crossexam.core.example import Change, Edit, Example, Side
from crossexam.core.labels import LABELS, Gold, Label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crossexam.language.entities import EntityRecognizer
    from crossexam.language.lexicons.adjectives import AdjectiveCounts
    from crossexam.language.lexicons.wordnet import WordNet
    from crossexam.language.parsing.dependencies import Parsed
    from crossexam.language.tokens import Token

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why an example, or a word of it, gave no item; *reason* is counted in the yield table."""

    reason: str


class Draft(NamedTuple):
    """An item before it has a name: its *label* and the *edits* that make it.

    The new premise starts from the side *source* of the example, the new hypothesis from its side *target*.
    *suffix* tells the items of one example apart, *info* is added to the example's.  *base* is the example
    that the edits belong to if it is not the one that the construction was given.
    """

    label: Gold | None
    edits: tuple[Edit, ...]
    source: Side = "premise"
    target: Side = "hypothesis"
    suffix: str = ""
    info: Mapping[str, Any] = _NOTHING
    base: Example | None = None

    def item(self, example: Example, construction: str) -> Example:
        """Return the item that this draft makes of *example*; *construction* is the versioned name."""
        change = Change(construction, self.source, self.target, self.edits)
        return (self.base or example).derive(self.label, change, suffix=self.suffix, info=self.info)


#: A control is an example as it is; everything else is a draft.
Outcome = Draft | Example | Rejection
Resource = Literal["tagger", "recognizer", "wordnet", "lemminflect", "parser", "adjectives", "word_pairs"]


class Resources(Protocol):
    """What a construction may look up about an example and about English."""

    def tokens(self, example: Example, side: Side) -> Sequence[Token]:
        """Return the tagged tokens of the sentence on *side*; an empty sentence has none."""
        ...

    def parsed(self, example: Example, side: Side) -> Parsed | None:
        """Return the dependency parse of the sentence on *side*, None if there is none."""
        ...

    def adjectives(self, spec: str | None) -> AdjectiveCounts:
        """Return the table of adjectives before nouns that *spec* names, the shipped one for None."""
        ...

    @property
    def wordnet(self) -> WordNet:
        """WordNet 3.0."""
        ...

    @property
    def recognizer(self) -> EntityRecognizer:
        """The named-entity recognizer."""
        ...


#: A function of an example, resources and a random generator, and of ``options`` if the construction has any.
Function = Callable[..., Iterator[Outcome]]


@dataclass(frozen=True)
class Construction:
    """A line of the table of constructions.

    ``test_class`` is the paper's: competence, distraction or noise, compositionality or behaviour; an
    ablation does not test robustness.  ``keeps_label``: the item has the base's gold label, so that base
    and item can be compared in pairs.  ``labels`` are those it may give, ``edits`` the sides it may edit,
    ``illustration`` a premise, hypothesis and label it makes.  A changed construction is a new ``version``.
    ``per_sentence``: it works on each sentence by itself, so that a sentence met again gives nothing new.
    ``draws``: it makes random choices.  ``uses`` are the resources that its signature names.  ``options`` is
    an instance of the construction's own dataclass ``Options``, if it has one.  ``control`` names the
    construction whose items these are compared with, if that is not the base, ``drawn_as`` the one whose
    random choices these follow, if not their own.
    """

    name: str
    version: int
    function: Function
    test_class: Literal["competence", "distraction", "noise", "compositionality", "ablation", "behaviour"]
    summary: str
    paper: str
    illustration: tuple[str, str, Label]
    keeps_label: bool = True
    labels: tuple[Label, ...] = LABELS
    edits: tuple[Side, ...] = ("hypothesis",)
    unique_pairs: bool = False
    per_sentence: bool = False
    reads_problems: bool = False
    draws: bool = True
    uses: tuple[Resource, ...] = ()
    options: Any = None
    control: str | None = None
    drawn_as: str | None = None

    @property
    def versioned(self) -> str:
        """The name with its version: ``antonymy.v1``."""
        return f"{self.name}.v{self.version}"


def changed_options(options: Any) -> dict[str, Any]:
    """Return the fields of *options*, a dataclass or None, that are not at their defaults."""
    if options is None:
        return {}
    default = type(options)()
    return {
        each.name: getattr(options, each.name)
        for each in fields(options)
        if getattr(options, each.name) != getattr(default, each.name)
    }
