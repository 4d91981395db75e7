"""Tags from what the corpus ships, else from NLTK's tagger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example, Side
from crossexam.language.annotators.corpus_parses import CorpusParses, has_annotation
from crossexam.language.annotators.nltk_tagger import RESOURCE, NltkTagger
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
                    hint=f"python -m nltk.downloader {RESOURCE}, or `--annotator spacy:PIPELINE`",
                ) from None
        return self._tagger.tag(sentence)
