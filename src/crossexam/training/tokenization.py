"""Tokenization of training data: the tokens of the corpus's parses if it ships them, otherwise ours."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from crossexam.core.errors import CrossexamError
from crossexam.core.example import BINARY_PARSE_KEY, Example, Side
from crossexam.language.tagging.corpus_parses import CorpusParses, has_annotation
from crossexam.language.tagging.tagger import AutomaticTagger
from crossexam.language.tokens import AlignmentError, Token, align, words

_LEAF: Final = re.compile(r"[^ ()\t\r\n]+")
_SHIPPED: Final = CorpusParses()


class TokenizedSentence(NamedTuple):
    """The words of a sentence, with their Penn tags and binary parse if the model reads these."""

    words: tuple[str, ...]
    tags: tuple[str, ...] = ()
    parse: str | None = None


def words_of(example: Example, side: Side) -> tuple[Token, ...]:
    """Return the tokens of the sentence on *side*, with tags if the corpus ships them.

    >>> [token.text for token in words_of(Example("a", "It doesn't rain.", "Dry.", None), "premise")]
    ['It', 'does', "n't", 'rain', '.']
    """
    if has_annotation(example, side):
        try:
            return _SHIPPED.tokens(example, side)
        except AlignmentError:
            pass  # the parse of another sentence
    return words(example.text(side))


class SentenceReader:
    """A reader of sentences as words, with tags and parses if the model needs them.

    ``tagged`` counts sentences by the source of their tags, ``read`` all.
    """

    def __init__(self, *, tags: bool = False, trees: bool = False) -> None:
        self._tagger = AutomaticTagger() if tags else None
        self._trees = trees
        self.read = 0

    @property
    def tagged(self) -> dict[str, int]:
        """Return the number of sentences per source of tags."""
        return dict(self._tagger.answered) if self._tagger else {}

    def sentence(self, example: Example, side: Side) -> TokenizedSentence:
        """Return the sentence on *side*; raises CrossexamError if it is empty."""
        text = example.text(side)
        if not text.strip():
            raise CrossexamError(
                f"the {side} is empty",
                where=f"example {example.id}",
                wanted="at least one word: a model cannot read an empty sentence",
                hint="remove the pair, or use a placeholder (MultiNLI has 'n/a')",
            )
        self.read += 1
        if self._tagger is not None:
            tokens = self._tagger.tokens(example, side)
            return TokenizedSentence(tuple(t.text for t in tokens), tuple(t.tag for t in tokens))
        parse = example.info.get(BINARY_PARSE_KEY[side]) if self._trees else None
        if parse:
            leaves = [("", leaf) for leaf in _LEAF.findall(parse)]
            try:
                tokens = align(text, leaves)
            except AlignmentError:
                tokens = ()
            if len(tokens) == len(leaves):
                return TokenizedSentence(tuple(t.text for t in tokens), parse=parse)
        return TokenizedSentence(tuple(t.text for t in words_of(example, side)))
