"""Lesk on a wordnet of a page, and against NLTK's over the same dictionary files."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossexam.language.lexicons.wordnet import WordNet, wordnet
from crossexam.language.word_senses import lesk


def test_lesk_counts_what_definition_and_sentence_share(mini: WordNet) -> None:
    """Of equal senses it takes the last by name, or the first in the file."""
    for context, word, ties, sense in (
        (["high"], "hot", "name", "hot.a.01"),
        ([], "hot", "name", "hot.a.03"),
        ([], "hot", "frequency", "hot.a.01"),
        (["a", "sailor"], "man", "frequency", "man.n.02"),
    ):
        found = lesk(mini, context, word, ties=ties)
        assert found is not None
        assert mini.name(found) == sense


@pytest.mark.slow
def test_lesk_is_nltks(nltk_wordnet: Any, number_of: Callable[[Any], int | None], shared_data: Path) -> None:
    from nltk.wsd import lesk as nltk_lesk

    ties = "frequency" if nltk_lesk([], "bank", "n").name() == "bank.n.01" else "name"
    with (shared_data / "snli" / "snli_1.0_dev.jsonl").open(encoding="utf-8") as stream:
        parses = [json.loads(line)["sentence1_binary_parse"] for line in stream]
    sentences = sorted({tuple(parse.replace("(", "").replace(")", "").lower().split()) for parse in parses})
    pairs = [(list(sentence), word) for sentence in sentences for word in sentence if wordnet().synsets(word)]
    for context, word in random.Random(7).sample(pairs, 5000):
        for pos in (None, "n", "a", "s"):
            theirs = number_of(nltk_lesk(context, word, pos))
            assert lesk(wordnet(), context, word, pos, ties=ties) == theirs, (context, word, pos)
