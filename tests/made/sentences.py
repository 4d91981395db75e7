"""Sentences whose words are written with their tags."""

from typing import Any

from crossexam.core.example import SIDES, Example


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
