"""Who answers which part of speech a word has: shipped parses, spaCy, NLTK."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import Example, Side
from crossexam.language.annotators.automatic import Automatic
from crossexam.language.annotators.corpus_parses import CorpusParses
from crossexam.language.annotators.nltk_tagger import NltkTagger
from crossexam.language.annotators.spacy_pipeline import SpacyPipeline
from crossexam.language.tokens import Token


class Annotator(Protocol):
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


def _plain(kind: str, make: Callable[[], Annotator]) -> Callable[[str], Annotator]:
    def build(argument: str) -> Annotator:
        if argument:
            raise CrossexamError(f"the annotator '{kind}' takes no argument, and got '{argument}'")
        return make()

    return build


def _spacy(argument: str) -> Annotator:
    if not argument:
        raise CrossexamError(
            "which spaCy pipeline?",
            wanted="spacy:NAME or spacy:FOLDER",
            hint="spacy:en_core_web_sm for instance",
        )
    return SpacyPipeline(argument)


#: Kind -> what makes the annotator of the text after the colon.
# fmt: off
ANNOTATORS: Final[dict[str, Callable[[str], Annotator]]] = {
    "auto":   _plain("auto", Automatic),
    "parses": _plain("parses", CorpusParses),
    "spacy":  _spacy,
    "nltk":   _plain("nltk", NltkTagger),
}
# fmt: on


def resolve_annotator(spec: str = "auto") -> Annotator:
    """Return the annotator that *spec* names: ``auto``, ``parses``, ``nltk``, ``spacy:NAME-OR-FOLDER``.

    Raises UnknownNameError for another, MissingExtraError without spaCy, CrossexamError where a model
    is not installed; ``auto`` does so at the first sentence that has no parse.

    >>> resolve_annotator("spcy:en_core_web_sm")
    Traceback (most recent call last):
    crossexam.core.errors.UnknownNameError: no annotator is called 'spcy'
      hint: did you mean 'spacy'?
    """
    kind, _, argument = spec.partition(":")
    if kind not in ANNOTATORS:
        raise UnknownNameError("annotator", kind, ANNOTATORS)
    return ANNOTATORS[kind](argument)
