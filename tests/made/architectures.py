"""Small models of the zoo with weights drawn anew, and what their equations are written with."""

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

import torch
from torch import Tensor, nn

from crossexam.zoo.inputs import Pairs, Sentences
from crossexam.zoo.layers import Sizes
from crossexam.zoo.trees import parse_binary, tree_tensors

Text = Sequence[int]  # a sentence as numbers of words, from 1

#: The sizes of the vocabulary of ``pairs_of``.
SIZES = Sizes(words=40, characters=14, tags=9)
PREMISES = [[3, 17, 8, 22, 5], [9, 31], [12], [4, 28, 39, 6, 11, 20]]
HYPOTHESES = [[17, 8, 30], [2, 9, 13, 25, 31, 7, 16], [1, 12, 36, 21], [14]]


def drawn(model: Any, deviation: float = 0.3) -> Any:
    """The model in evaluation with all weights drawn anew, biases too: at their start many are zero."""
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=deviation)
    return model.eval()


def small(build: Any, config: Any, deviation: float = 0.4) -> Any:
    """The model of *config* with weights drawn anew, which are not trained."""
    torch.manual_seed(3)
    return drawn(build(config, SIZES), deviation).requires_grad_(False)


def aligned(a: Tensor, b: Tensor, by_a: Tensor, by_b: Tensor) -> Tensor:
    """What each row of a attends to in b, where by_a and by_b are what is compared by a product."""
    return torch.stack([torch.softmax(by_b @ each, 0) @ b for each in by_a])


def close(got: Tensor, wanted: Tensor) -> None:
    torch.testing.assert_close(got, wanted, atol=1e-5, rtol=1e-4)


def each_pair(model: Any) -> Iterator[list[Tensor]]:
    """The vectors of the unpadded words of each pair."""
    for sides in zip(PREMISES, HYPOTHESES, strict=True):
        yield [model.words.table.weight[words] for words in sides]


def alone(layer: nn.LSTM, words: Tensor, start: Any = None) -> tuple[Tensor, Any]:
    """The states of one unpadded sentence, and its final states."""
    states, final = layer(words.unsqueeze(0), start)
    return states[0], final


def enhanced(model: Any, ours: Tensor, other: Tensor) -> Any:
    """What is composed of one side: equations 11 to 15 of ESIM, without scale or projection of the scores."""
    found = aligned(ours, other, ours, other)
    m = torch.cat([ours, found, ours - found, ours * found], -1)
    return model.projection(m).relu()


def shrunken(config: Any, most: int, **changes: Any) -> Any:
    """Return a configuration with every integer (also in tuples) at most *most*, and without dropout."""
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


def _tree(text: Text) -> str:
    if len(text) == 1:
        return str(text[0])
    cut = 1 + sum(text) % (len(text) - 1)
    return f"( {_tree(text[:cut])} {_tree(text[cut:])} )"


def _sentences(batch: Sequence[Text], others: Sequence[Text], extra: int) -> Sentences:
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
    trees = [parse_binary(_tree(text))[1] for text in batch]
    return Sentences(words, words > 0, characters, tags, match, *tree_tensors(trees, width))


def pairs_of(premises: Sequence[Text], hypotheses: Sequence[Text], extra: int = 0) -> Pairs:
    """Return a padded batch of pairs with all that architectures need.

    Spelling and tag are functions of the word alone, and the tree is of the sentence. *extra* positions of
    padding follow the longest sentence and the longest word.
    """
    return Pairs(_sentences(premises, hypotheses, extra), _sentences(hypotheses, premises, extra))


PAIRS = pairs_of(PREMISES, HYPOTHESES)
