"""Part-of-speech taggers: the parses that a corpus ships, the perceptron in the package, NLTK, spaCy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Protocol

from crossexam.core.example import Example, Side
from crossexam.language.tagging.corpus_parses import CorpusParses, has_annotation
from crossexam.language.tagging.nltk_tagger import NltkTagger
from crossexam.language.tagging.perceptron import shipped
from crossexam.language.tagging.spacy_pipeline import SpacyTagger, name_and_pipeline
from crossexam.language.tokens import AlignmentError, Token


class Tagger(Protocol):
    """A tokenizer and part-of-speech tagger with Penn tags."""

    @property
    def name(self) -> str:
        """Its name in signatures: ``corpus-parses``, ``spacy:en_core_web_sm-3.8.0``."""

    @property
    def answered(self) -> Counter[str]:
        """The number of sentences tagged by each source; one that is tagged twice counts twice."""

    def signature(self) -> str:
        """Return the sources that were used, for the signature of a test set."""

    def prepare(self, examples: Sequence[Example]) -> None:
        """Tag a chunk at once if that is cheaper; optional."""

    def tokens(self, example: Example, side: Side) -> tuple[Token, ...]:
        """Return the tokens of the sentence on *side*, with offsets into it."""


class AutomaticTagger:
    """The shipped parse, or the perceptron in the package if there is none or it does not fit its sentence.

    The perceptron is loaded only when it is needed.
    """

    def __init__(self) -> None:
        self.answered: Counter[str] = Counter()
        self._parses = CorpusParses()
        self._parses.answered = self.answered
        self._tagger: NltkTagger | None = None

    @property
    def name(self) -> str:
        """The sources used so far, ``auto`` before the first sentence."""
        return "+".join(sorted(self.answered)) or "auto"

    def signature(self) -> str:
        """Return the names of the sources that were used: ``builtin-perceptron-...+corpus-parses``."""
        return self.name

    def prepare(self, examples: Sequence[Example]) -> None:
        """Do nothing: neither source is faster on a batch."""

    def tokens(self, example: Example, side: Side) -> tuple[Token, ...]:
        """Return the tokens of the sentence on *side*."""
        if has_annotation(example, side):
            try:
                return self._parses.tokens(example, side)
            except AlignmentError:
                pass  # counted for the tagger
        return self.tag(example.text(side))

    def tag(self, sentence: str) -> tuple[Token, ...]:
        """Return the tokens of a *sentence* without a parse."""
        if self._tagger is None:
            self._tagger = NltkTagger(shipped)
            self._tagger.answered = self.answered
        return self._tagger.tag(sentence)


#: What makes each tagger; only spaCy's is given an argument, its pipeline.
TAGGERS: Final[dict[str, Callable[..., Tagger]]] = {
    "auto": AutomaticTagger,
    "parses": CorpusParses,
    "builtin": partial(NltkTagger, shipped),
    "spacy": SpacyTagger,
    "nltk": NltkTagger,
}


def resolve_tagger(spec: str = "auto") -> Tagger:
    """Return the tagger that *spec* names: a name in the table, or ``spacy:NAME-OR-FOLDER``.

    Raises UnknownNameError for any other name, and MissingResourceError if spaCy, its pipeline or the weights
    of NLTK's own tagger are not installed; the others need no download.
    """
    name, pipeline = name_and_pipeline("tagger", spec, TAGGERS)
    return TAGGERS[name](*pipeline)
