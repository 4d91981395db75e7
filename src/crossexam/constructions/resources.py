"""What constructions may look up: annotation, lexicons, options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from crossexam.core.example import Example, Side
from crossexam.language.annotators import Annotator, resolve_annotator
from crossexam.language.entities import EntityRecognizer, resolve_recognizer
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.tokens import Token

#: The free tautology of Naik et al. 2018, Table 5 (DIFF TAUT).
DIFFERENT_TAUTOLOGY = "green is not red"


@dataclass
class Resources:
    """Annotator, entity recognizer, WordNet and the options of the constructions.

    ``annotator_spec`` and ``recognizer_spec`` are resolved when first needed, so that a construction
    that needs no tags asks for none.  ``indirect`` lets antonymy use a satellite adjective's antonyms;
    ``as_published`` keeps the replacements that its rules doubt.
    """

    annotator_spec: str = "auto"
    recognizer_spec: str = "auto"
    tautology: str = DIFFERENT_TAUTOLOGY
    indirect: bool = False
    as_published: bool = False
    _chunk: Sequence[Example] = field(default=(), repr=False)
    _prepared: bool = field(default=False, repr=False)

    @cached_property
    def annotator(self) -> Annotator:
        """Who tells the parts of speech."""
        return resolve_annotator(self.annotator_spec)

    @cached_property
    def recognizer(self) -> EntityRecognizer:
        """Who finds named entities."""
        return resolve_recognizer(self.recognizer_spec)

    @cached_property
    def wordnet(self) -> WordNet:
        """WordNet 3.0 as compiled for the package."""
        return WordNet.load()

    def prepare(self, chunk: Sequence[Example]) -> None:
        """Announce the examples that come next, so that annotators can work in batches."""
        self._chunk, self._prepared = chunk, False

    def tokens(self, example: Example, side: Side) -> tuple[Token, ...]:
        """Return the tagged tokens of the sentence on *side*; an empty sentence has none."""
        if not example.text(side).strip():
            return ()
        if not self._prepared:
            self.annotator.prepare(self._chunk)
            self._prepared = True
        return self.annotator.tokens(example, side)
