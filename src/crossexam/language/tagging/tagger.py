"""Part-of-speech taggers: the parses that a corpus ships, NLTK, spaCy, or whichever is available."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import Example, Side
from crossexam.language.tagging.corpus_parses import CorpusParses, has_annotation
from crossexam.language.tagging.nltk_tagger import RESOURCE, NltkTagger
from crossexam.language.tagging.spacy_pipeline import SpacyTagger
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
    """The shipped parse, or NLTK if there is none or it does not fit its sentence.

    NLTK is loaded only when it is needed.
    """

    def __init__(self) -> None:
        self._parses = CorpusParses()
        self._tagger: NltkTagger | None = None

    @property
    def name(self) -> str:
        """The sources used so far, ``auto`` before the first sentence."""
        return "+".join(sorted(self.answered)) or "auto"

    @property
    def answered(self) -> Counter[str]:
        """The number of sentences tagged by each source."""
        return self._parses.answered + (self._tagger.answered if self._tagger else Counter())

    def signature(self) -> str:
        """Return the names of the sources that were used: ``corpus-parses+nltk-perceptron-3.9.1``."""
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
            try:
                self._tagger = NltkTagger()
            except CrossexamError as error:
                raise CrossexamError(
                    f"no usable parse of {sentence[:60]!r}, and NLTK's tagger is not installed",
                    where=error.where,
                    wanted=error.wanted,
                    hint=f"python -m nltk.downloader {RESOURCE}, or `--tagger spacy:PIPELINE`",
                ) from None
        return self._tagger.tag(sentence)


def _plain(kind: str, make: Callable[[], Tagger]) -> Callable[[str], Tagger]:
    def build(argument: str) -> Tagger:
        if argument:
            raise CrossexamError(f"the tagger '{kind}' takes no argument, but got '{argument}'")
        return make()

    return build


#: Name -> function from the text after the colon to the tagger.
TAGGERS: Final[dict[str, Callable[[str], Tagger]]] = {
    "auto": _plain("auto", AutomaticTagger),
    "parses": _plain("parses", CorpusParses),
    "spacy": SpacyTagger,
    "nltk": _plain("nltk", NltkTagger),
}


def resolve_tagger(spec: str = "auto") -> Tagger:
    """Return the tagger that *spec* names: ``auto``, ``parses``, ``nltk``, ``spacy:NAME-OR-FOLDER``.

    Raises UnknownNameError for any other name, MissingExtraError if spaCy is not installed, and
    CrossexamError if a model is not installed; ``auto`` does so at the first sentence without a parse.

    >>> resolve_tagger("spcy:en_core_web_sm")
    Traceback (most recent call last):
    crossexam.core.errors.UnknownNameError: no tagger is called 'spcy'
      hint: did you mean 'spacy'?
    """
    kind, _, argument = spec.partition(":")
    if kind not in TAGGERS:
        raise UnknownNameError("tagger", kind, TAGGERS)
    return TAGGERS[kind](argument)
