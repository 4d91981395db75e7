"""What constructions may look up: annotation, lexicons, options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from crossexam.core.example import Example, Side
from crossexam.language.annotators import Annotator, resolve_annotator
from crossexam.language.dependencies import Parsed
from crossexam.language.dependency_sources import DependencyParser, resolve_parser
from crossexam.language.entities import EntityRecognizer, resolve_recognizer
from crossexam.language.lexicons.adjectives import AdjectiveCounts
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.tokens import Token

#: The free tautology of Naik et al. 2018, Table 5 (DIFF TAUT).
DIFFERENT_TAUTOLOGY = "green is not red"


@dataclass
class Resources:
    """Annotator, entity recognizer, WordNet and the options of the constructions.

    ``annotator_spec`` and ``recognizer_spec`` are resolved when first needed, so that a construction
    that needs no tags asks for none.  ``indirect`` lets antonymy use a satellite adjective's antonyms;
    ``as_published`` keeps the replacements that its rules doubt.  ``parser_spec`` says who tells the
    dependencies: ``auto`` (shipped parses, else the annotator's spaCy pipeline), ``parses``, ``spacy:...``.
    ``both_directions`` gives the mirrored item of add_amod too; ``adjectives_spec`` names the table of
    adjectives: a file, a corpus to count them in, None for the shipped one.
    """

    annotator_spec: str = "auto"
    recognizer_spec: str = "auto"
    tautology: str = DIFFERENT_TAUTOLOGY
    indirect: bool = False
    as_published: bool = False
    both_directions: bool = False
    adjectives_spec: str | None = None
    parser_spec: str = "auto"
    _chunk: Sequence[Example] = field(default=(), repr=False)
    _prepared: bool = field(default=False, repr=False)
    _parser_prepared: bool = field(default=False, repr=False)

    @cached_property
    def annotator(self) -> Annotator:
        """Who tells the parts of speech."""
        return resolve_annotator(self.annotator_spec)

    @cached_property
    def recognizer(self) -> EntityRecognizer:
        """Who finds named entities."""
        return resolve_recognizer(self.recognizer_spec)

    @cached_property
    def parser(self) -> DependencyParser:
        """Who tells which word depends on which."""
        return resolve_parser(self.parser_spec, self.annotator_spec)

    @cached_property
    def wordnet(self) -> WordNet:
        """WordNet 3.0 as compiled for the package."""
        return WordNet.load()

    @cached_property
    def adjectives(self) -> AdjectiveCounts:
        """How often an adjective stands before a noun."""
        from crossexam.constructions.adjective_tables import adjectives_from

        return adjectives_from(
            self.adjectives_spec, Resources(self.annotator_spec, parser_spec=self.parser_spec)
        )

    def prepare(self, chunk: Sequence[Example]) -> None:
        """Announce the examples that come next, so that annotators can work in batches."""
        self._chunk, self._prepared, self._parser_prepared = chunk, False, False

    def tokens(self, example: Example, side: Side) -> tuple[Token, ...]:
        """Return the tagged tokens of the sentence on *side*; an empty sentence has none."""
        if not example.text(side).strip():
            return ()
        if not self._prepared:
            self.annotator.prepare(self._chunk)
            self._prepared = True
        return self.annotator.tokens(example, side)

    def parsed(self, example: Example, side: Side) -> Parsed | None:
        """Return the dependencies of the sentence on *side*, None where there is no parse to be had."""
        if not example.text(side).strip():
            return None
        if not self._parser_prepared:
            self.parser.prepare(self._chunk)
            self._parser_prepared = True
        return self.parser.parsed(example, side)
