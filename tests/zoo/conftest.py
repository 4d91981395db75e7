"""What the tests of the zoo share."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

import pytest
import torch

from crossexam.zoo.inputs import Pairs, Sentences
from crossexam.zoo.trees import parse_binary, tree_tensors
from made.architectures import HYPOTHESES, PREMISES, SIZES

Text = Sequence[int]  # a sentence as numbers of words, from 1


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def shrunken() -> Callable[..., Any]:
    """Return a configuration with every integer (also in tuples) at most *most*, and without dropout."""

    def make(config: Any, most: int, **changes: Any) -> Any:
        made: dict[str, Any] = {}
        for field in fields(config):
            value = getattr(config, field.name)
            if isinstance(value, int) and not isinstance(value, bool):
                made[field.name] = min(value, most)
            elif isinstance(value, tuple):
                made[field.name] = tuple(min(each, most) for each in value)
            elif "dropout" in field.name:
                made[field.name] = 0.0
        return replace(config, **{**made, **changes})

    return make


@pytest.fixture(scope="session")
def pairs_of() -> Callable[..., Pairs]:
    """Return a padded batch of pairs with all that architectures need.

    Spelling and tag are functions of the word alone, and the tree is of the sentence. *extra* positions of
    padding follow the longest sentence and the longest word.
    """

    def parse(text: Text) -> str:
        if len(text) == 1:
            return str(text[0])
        cut = 1 + sum(text) % (len(text) - 1)
        return f"( {parse(text[:cut])} {parse(text[cut:])} )"

    def sentences(batch: Sequence[Text], others: Sequence[Text], extra: int) -> Sentences:
        width = max(map(len, batch)) + extra
        words = torch.zeros(len(batch), width, dtype=torch.int64)
        match = torch.zeros(len(batch), width, dtype=torch.bool)
        characters = torch.zeros(len(batch), width, 5 + extra, dtype=torch.int64)
        for row, (text, other) in enumerate(zip(batch, others, strict=True)):
            words[row, : len(text)] = torch.tensor(text)
            match[row, : len(text)] = torch.tensor([word in other for word in text])
            for position, word in enumerate(text):
                spelling = [1 + (word * step) % (SIZES.characters - 1) for step in range(1, 2 + word % 5)]
                characters[row, position, : len(spelling)] = torch.tensor(spelling)
        tags = torch.where(words > 0, 1 + words % (SIZES.tags - 1), 0)
        trees = [parse_binary(parse(text))[1] for text in batch]
        return Sentences(words, words > 0, characters, tags, match, *tree_tensors(trees, width))

    def make(premises: Sequence[Text], hypotheses: Sequence[Text], extra: int = 0) -> Pairs:
        return Pairs(sentences(premises, hypotheses, extra), sentences(hypotheses, premises, extra))

    return make


@pytest.fixture
def pairs(pairs_of: Callable[..., Pairs]) -> Pairs:
    """The pairs of ``made.architectures``."""
    return pairs_of(PREMISES, HYPOTHESES)
