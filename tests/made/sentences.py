"""Sentences whose words are written with their tags."""

import re
from typing import Any

from crossexam.core.example import SIDES, Example
from crossexam.language.tokens import Parsed, Token


def tagged(
    premise: str, hypothesis: str = "", *, label: Any = "neutral", name: str = "e", **info: Any
) -> Example:
    """A pair of sentences of words with their Penn tags (``soup/NN``); no blank is before ``_./.``."""
    texts = []
    for side, sentence in zip(SIDES, (premise, hypothesis), strict=True):
        pairs = [piece.rsplit("/", 1) for piece in sentence.split()]
        texts.append(" ".join(word for word, _ in pairs).replace(" _", ""))
        info[f"{side}_tags"] = [[word.removeprefix("_"), tag] for word, tag in pairs]
    return Example(name, *texts, label, info=info)


def tokens_of(sentence: str) -> tuple[Token, ...]:
    """The words with their tags (``soup/NN``), each at its place in *sentence*."""
    pieces = [(each.start(), *each.groups()) for each in re.finditer(r"(\S+)/(\S+)", sentence)]
    return tuple(Token(word, start, start + len(word), tag) for start, word, tag in pieces)


def parsed(sentence: str, links: str) -> Parsed:
    """The words with their tags, with dependencies as ``head:relation`` a word."""
    heads, relations = zip(*(link.split(":", 1) for link in links.split()), strict=True)
    return Parsed(tokens_of(sentence), tuple(map(int, heads)), relations)
