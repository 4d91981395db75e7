"""Constructions: functions from an example to drafts of items, or to the reasons for rejecting it.

A construction does not write text.  It specifies from which sentence of the example each side of the new
pair starts and which edits apply to it; :class:`~crossexam.constructions.apply.Applier` builds the item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

import msgspec

from crossexam.core.example import Change, Edit, Example, Side
from crossexam.core.labels import Gold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crossexam.constructions.passages import Passages
    from crossexam.language.entities import EntityRecognizer
    from crossexam.language.lexicons.counts import CountTable
    from crossexam.language.tokens import Parsed, Token
    from crossexam.language.word_pair_index import WordPairIndex


@dataclass(frozen=True, slots=True)
class Rejection:
    """The *reason* why an example, or a word of it, yields no item, as counted in the yield table."""

    reason: str


#: The reason of a construction that reads parses, for a sentence that has none ...
NO_PARSE: Final = "no parse of the sentence"
#: ... and of one for documents, for a premise of one sentence or none.
ONE_SENTENCE: Final = "the premise has fewer than two sentences"
_WAYS_OUT: Final = {NO_PARSE: "--parser spacy:PIPELINE parses the sentences whose corpus ships no parse"}


def ways_out(reasons: Iterable[str]) -> list[str]:
    """Return what can be done about rejections for *reasons*, in a line each; nothing about most.

    >>> ways_out([NO_PARSE, "proper name"])
    ['No parse of the sentence: --parser spacy:PIPELINE parses the sentences whose corpus ships no parse.']
    """
    known = (reason for reason in dict.fromkeys(reasons) if reason in _WAYS_OUT)
    return [f"{reason[0].upper()}{reason[1:]}: {_WAYS_OUT[reason]}." for reason in known]


class Draft(msgspec.Struct, frozen=True):
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
    info: Mapping[str, Any] = {}
    base: Example | None = None

    def item(self, example: Example, construction: str) -> Example:
        """Return the item that this draft derives from *example*; *construction* is the versioned name."""
        change = Change(construction, self.source, self.target, self.edits)
        return (self.base or example).derive(self.label, change, suffix=self.suffix, info=self.info)


#: What a construction yields; a control is an unchanged example, every other item starts as a draft.
Yielded = Draft | Example | Rejection
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

    def counts(self, spec: str | None) -> CountTable:
        """Return the counts named by *spec*, a corpus or a file; None means those in the package."""
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
Function = Callable[..., Iterator[Yielded]]
