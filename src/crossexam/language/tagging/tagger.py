"""Who answers which part of speech a word has: shipped parses, spaCy, NLTK.

Tags from what the corpus ships, else from NLTK's tagger.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import Example, Side
from crossexam.language.tagging.corpus_parses import CorpusParses, has_annotation
from crossexam.language.tagging.nltk_tagger import RESOURCE, NltkTagger
from crossexam.language.tagging.spacy_pipeline import SpacyPipeline
from crossexam.language.tokens import AlignmentError, Token


class Automatic:
    """Asks the shipped parse first, and NLTK where there is none or it does not fit its sentence.

    NLTK is loaded only when it is needed.  ``answered`` counts the sentences of each source.
    """

    def __init__(self) -> None:
        self._parses = CorpusParses()
        self._tagger: NltkTagger | None = None

    @property
    def name(self) -> str:
        """The sources that have answered so far, ``auto`` before the first sentence."""
        return "+".join(sorted(self.answered)) or "auto"

    @property
    def answered(self) -> Counter[str]:
        """The number of sentences annotated by each source."""
        return self._parses.answered + (self._tagger.answered if self._tagger else Counter())

    def signature(self) -> str:
        """Return the names of the sources that answered, ``corpus-parses+nltk-perceptron-3.9.1``."""
        return self.name

    def prepare(self, examples: Sequence[Example]) -> None:
        """Do nothing: neither source gains from a batch."""

    def tokens(self, example: Example, side: Side) -> tuple[Token, ...]:
        """Return the tokens of the sentence on *side*."""
        if has_annotation(example, side):
            try:
                return self._parses.tokens(example, side)
            except AlignmentError:
                pass  # counted under the tagger's name
        return self.tag(example.text(side))

    def tag(self, sentence: str) -> tuple[Token, ...]:
        """Return the tokens of a *sentence* that ships no parse."""
        if self._tagger is None:
            try:
                self._tagger = NltkTagger()
            except CrossexamError as error:
                raise CrossexamError(
                    f"no parse to be used, and NLTK's tagger is not installed, for {sentence[:60]!r}",
                    where=error.where,
                    wanted=error.wanted,
                    hint=f"python -m nltk.downloader {RESOURCE}, or `--tagger spacy:PIPELINE`",
                ) from None
        return self._tagger.tag(sentence)


class Tagger(Protocol):
    """What gives the sentences of examples tokens with Penn tags."""

    @property
    def name(self) -> str:
        """What signatures call it: ``corpus-parses``, ``spacy:en_core_web_sm-3.8.0``."""

    @property
    def answered(self) -> Counter[str]:
        """How many sentences each source annotated; one annotated again after it was forgotten is two."""

    def signature(self) -> str:
        """Return which sources answered, for the signature of what was built."""

    def prepare(self, examples: Sequence[Example]) -> None:
        """Annotate a chunk at once where that is cheaper; optional."""

    def tokens(self, example: Example, side: Side) -> tuple[Token, ...]:
        """Return the tokens of the sentence on *side*, with offsets into it."""


def _plain(kind: str, make: Callable[[], Tagger]) -> Callable[[str], Tagger]:
    def build(argument: str) -> Tagger:
        if argument:
            raise CrossexamError(f"the tagger '{kind}' takes no argument, but got '{argument}'")
        return make()

    return build


def _spacy(argument: str) -> Tagger:
    if not argument:
        raise CrossexamError(
            "which spaCy pipeline?",
            wanted="spacy:NAME or spacy:FOLDER",
            hint="spacy:en_core_web_sm for instance",
        )
    return SpacyPipeline(argument)


#: Kind -> what makes the tagger of the text after the colon.
# fmt: off
TAGGERS: Final[dict[str, Callable[[str], Tagger]]] = {
    "auto":   _plain("auto", Automatic),
    "parses": _plain("parses", CorpusParses),
    "spacy":  _spacy,
    "nltk":   _plain("nltk", NltkTagger),
}
# fmt: on


def resolve_tagger(spec: str = "auto") -> Tagger:
    """Return the tagger that *spec* names: ``auto``, ``parses``, ``nltk``, ``spacy:NAME-OR-FOLDER``.

    Raises UnknownNameError for another, MissingExtraError without spaCy, CrossexamError where a model
    is not installed; ``auto`` does so at the first sentence that has no parse.

    >>> resolve_tagger("spcy:en_core_web_sm")
    Traceback (most recent call last):
    crossexam.core.errors.UnknownNameError: no tagger is called 'spcy'
      hint: did you mean 'spacy'?
    """
    kind, _, argument = spec.partition(":")
    if kind not in TAGGERS:
        raise UnknownNameError("tagger", kind, TAGGERS)
    return TAGGERS[kind](argument)
