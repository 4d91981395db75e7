"""Tags from the parses, or the tags alone, that a corpus ships; SNLI and MultiNLI ship parses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import PARSE_KEY, TAGS_KEY, Example, Side
from crossexam.language.parsing.trees import leaves
from crossexam.language.remembered import SENTENCES, remembered
from crossexam.language.tokens import Token, align


def has_annotation(example: Example, side: Side) -> bool:
    """Return whether *example* ships a parse or tags of the sentence on *side*."""
    return bool(example.info.get(PARSE_KEY[side]) or example.info.get(TAGS_KEY[side]))


class CorpusParses:
    """The tags in the ``info`` of an example: of a bracketed parse, or a list of [word, tag].

    >>> tags = {"premise_tags": [["It", "PRP"], ["rains", "VBZ"]]}
    >>> example = Example("a", "It rains.", "Wet.", None, info=tags)
    >>> CorpusParses().tokens(example, "premise")[1]
    Token(text='rains', start=3, end=8, tag='VBZ')
    """

    name = "corpus-parses"

    def __init__(self) -> None:
        self.answered: Counter[str] = Counter()
        self._aligned = remembered(SENTENCES)(self._align)

    def signature(self) -> str:
        """Return the name, as there is only one source."""
        return self.name

    def prepare(self, examples: Sequence[Example]) -> None:
        """Do nothing: parses are aligned one by one, and cached."""

    def tokens(self, example: Example, side: Side) -> tuple[Token, ...]:
        """Return the tokens of the sentence on *side*.

        An empty sentence has none.  Raises AlignmentError if the parse is that of another sentence,
        CrossexamError if there is no parse.
        """
        parse = example.info.get(PARSE_KEY[side])
        if parse:
            return self._aligned(example.text(side), parse)
        pairs = example.info.get(TAGS_KEY[side])
        if not pairs and not example.text(side).strip():
            return ()
        if not pairs:
            raise CrossexamError(
                f"the {side} has neither a parse nor tags",
                where=f"example {example.id}",
                wanted=f"info[{PARSE_KEY[side]!r}] or info[{TAGS_KEY[side]!r}]",
                hint="`--tagger auto` tags sentences without a parse",
            )
        try:
            tagged = tuple((str(word), str(tag)) for word, tag in pairs)
        except (TypeError, ValueError):
            raise FormatError(
                f"info[{TAGS_KEY[side]!r}] is malformed",
                where=f"example {example.id}",
                wanted="a list of [word, tag]",
            ) from None
        return self._aligned(example.text(side), tagged)

    def _align(self, sentence: str, source: str | tuple[tuple[str, str], ...]) -> tuple[Token, ...]:
        found = leaves(source) if isinstance(source, str) else [(tag, word) for word, tag in source]
        tokens = align(sentence, found)
        self.answered[self.name] += 1
        return tokens
