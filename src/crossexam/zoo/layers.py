"""Layers that the architectures share, all of them aware of padding.

For those who add an architecture:

- Padding must not change a prediction: ``tests/zoo/test_table.py`` runs every architecture with and without
  it.  Take every softmax, maximum, mean or sum over words by one of the ``masked_...`` functions below, and
  keep states zero at padding after every context layer.
- Use :class:`Dropout`, not ``nn.Dropout``: on a CPU torch draws one random number per value, which took a
  fifth of the training time of the models without recurrence.
- Apply a layer that works word by word by :func:`at_words` (if it reads the spelling, by
  :func:`at_spellings`).  Padding is then not computed; in batches of mixed lengths it is half of all
  positions.
- Read sequences with :func:`context_layer`, which never reads padding and gives the model the ablation of
  Nie et al. (2019, section 4.1).
- A model that encodes each sentence on its own is a :class:`SentenceEncoder`.  Prediction then encodes each
  distinct sentence once, and the model has a hypothesis-only form for free.  If it matches the sentences as
  InferSent does, it is :class:`MatchedSentences`.

Convention: True in a mask is a real word, False is padding.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Final, Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from crossexam.core.errors import CrossexamError
from crossexam.core.example import Side
from crossexam.zoo.inputs import Pairs, Sentences, joined

_STEPS: Final = 1 << 16  # dropout rates are multiples of 1 / _STEPS


# Dropout


class Dropout(nn.Module):
    """Dropout as in torch; on a CPU it takes four random numbers from one draw of 64 bits.

    The *rate* is rounded to a multiple of 2^-16, and the remaining values are scaled by the rounded rate, so
    that the mean is preserved exactly.  Raises CrossexamError if the rate is outside [0, 1).

    >>> layer = Dropout(0.25).train()
    >>> layer(torch.ones(4096)).unique()
    tensor([0.0000, 1.3333])
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        if not 0 <= rate < 1:
            raise CrossexamError(f"dropout is {rate}", wanted="a rate of at least 0 and below 1")
        self.rate = rate

    def forward(self, states: Tensor) -> Tensor:
        """Return *states*, in training with some set to zero and the others scaled."""
        return dropout(states, self.rate, training=self.training)

    def extra_repr(self) -> str:
        """Return what ``repr`` shows in the parentheses."""
        return f"rate={self.rate}"


def dropout(states: Tensor, rate: float, *, training: bool) -> Tensor:
    """Return *states* with a share of *rate* set to zero and the others scaled by 1 / (1 - rate)."""
    if not training or rate == 0:
        return states
    dropped = round(rate * _STEPS)
    if states.device.type != "cpu" or not 0 < dropped < _STEPS:
        return functional.dropout(states, rate)
    count = states.numel()
    draws = torch.empty((count + 3) // 4, dtype=torch.int64).random_(-(2**63), None)  # all 64 bits
    bits = draws.view(torch.int16)[:count].view(states.shape)
    kept = (bits >= dropped - _STEPS // 2).to(states.dtype)
    return states * kept.mul_(_STEPS / (_STEPS - dropped))


# Word vectors


@dataclass(frozen=True)
class Sizes:
    """The sizes of a trained model's vocabularies of words, characters and POS tags, padding included."""

    words: int
    characters: int = 0
    tags: int = 0


Tuning = Literal["tuned", "fixed"]


class WordEmbedding(nn.Module):
    """A table of word vectors; row 0 (padding) is zero, and ``fixed`` vectors are not trained."""

    def __init__(self, words: int, width: int, tuning: Tuning = "tuned") -> None:
        super().__init__()
        self.table = nn.Embedding(words, width, padding_idx=0)
        self.table.weight.requires_grad_(tuning == "tuned")

    def forward(self, words: Tensor) -> Tensor:
        """Return the vectors of *words*: [B, T] -> [B, T, width]."""
        vectors: Tensor = self.table(words)
        return vectors


# Reductions over the words of a sentence


def masked_softmax(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    """Return the softmax of *scores* over the positions of *dim* at which *mask* (broadcastable) is True.

    The weights are zero elsewhere.  A row without any True is all zeros, not NaN.
    """
    lowest = torch.finfo(scores.dtype).min
    weights = torch.softmax(scores.masked_fill(~mask, lowest), dim=dim)
    return weights.masked_fill(~mask, 0.0)


def masked_max(states: Tensor, mask: Tensor) -> Tensor:
    """Return the maximum of *states* [B, T, d] over the words of *mask* [B, T]: [B, d]."""
    lowest = torch.finfo(states.dtype).min
    return states.masked_fill(~mask.unsqueeze(-1), lowest).amax(1)


def masked_max_index(scores: Tensor, mask: Tensor, dim: int = -1) -> tuple[Tensor, Tensor]:
    """Return the maximum of *scores* over *dim* where *mask* (broadcastable) is True, and its index."""
    values, indices = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).max(dim)
    return values, indices


def masked_sum(states: Tensor, mask: Tensor) -> Tensor:
    """Return the sum of *states* [B, T, d] over the words of *mask* [B, T]: [B, d]."""
    return zero_padding(states, mask).sum(1)


def masked_mean(states: Tensor, mask: Tensor) -> Tensor:
    """Return the mean of *states* [B, T, d] over the words of *mask* [B, T]: [B, d]."""
    return masked_sum(states, mask) / mask.sum(1, keepdim=True).to(states.dtype)


def zero_padding(states: Tensor, mask: Tensor) -> Tensor:
    """Return *states* [B, T, d] with zeros at the padding of *mask* [B, T]."""
    return states.masked_fill(~mask.unsqueeze(-1), 0.0)


def last_state(states: Tensor, mask: Tensor) -> Tensor:
    """Return the state of the last word of each sentence: [B, T, d] -> [B, d]."""
    position = (mask.sum(1) - 1).clamp(min=0)
    return states[torch.arange(len(states), device=states.device), position]


# Computing words without padding


@dataclass(frozen=True)
class PackedIndex:
    """The positions of N packed rows in a padded batch of B sentences and T time steps.

    >>> index = packed_index(torch.tensor([[True, False], [True, True]]))
    >>> index.pack(torch.tensor([[[1], [2]], [[3], [4]]])).flatten()
    tensor([1, 3, 4])
    """

    at: Tensor  # [N] int64, positions in the flattened [B, T]; in any order, each at most once
    shape: tuple[int, int]  # B, T

    def pack(self, states: Tensor) -> Tensor:
        """Return the rows of *states* at the positions: [B, T, d] -> [N, d]."""
        return states.flatten(0, 1).index_select(0, self.at)

    def pad(self, rows: Tensor) -> Tensor:
        """Return *rows* at their positions and zeros elsewhere: [N, d] -> [B, T, d]."""
        batch, longest = self.shape
        empty = rows.new_zeros(batch * longest, rows.shape[-1])
        return empty.index_copy_(0, self.at, rows).view(batch, longest, -1)

    def sum_by_sentence(self, rows: Tensor) -> Tensor:
        """Return the sum of each sentence's *rows*: [N, d] -> [B, d]."""
        batch, longest = self.shape
        empty = rows.new_zeros(batch, rows.shape[-1])
        return empty.index_add_(0, torch.div(self.at, longest, rounding_mode="floor"), rows)


def packed_index(mask: Tensor) -> PackedIndex:
    """Return the positions of the real words of *mask* [B, T], sentence by sentence."""
    batch, longest = mask.shape
    return PackedIndex(mask.flatten().nonzero().squeeze(1), (batch, longest))


def at_words(layer: Callable[[Tensor], Tensor], states: Tensor, mask: Tensor) -> Tensor:
    """Return the output of *layer* for the real words of *states* [B, T, d], zero at padding: [B, T, h].

    Padding is not computed; in batches of mixed lengths it is half of all positions.
    """
    index = packed_index(mask)
    return index.pad(layer(index.pack(states)))


def at_spellings(layer: Callable[[Tensor], Tensor], characters: Tensor, mask: Tensor) -> Tensor:
    """Return the output of *layer* for the words of *characters* [B, T, C], zero at padding: [B, T, h].

    The layer, [U, C] -> [U, h], is computed once per distinct spelling, however often it occurs in the batch.
    """
    index = packed_index(mask)
    distinct, of = torch.unique(index.pack(characters), dim=0, return_inverse=True)  # [U, C], [N]
    return index.pad(layer(distinct).index_select(0, of))


# Recurrent layers

Recurrence = Literal["lstm", "feedforward"]

#: Inputs may be this many times as wide as the states for oneDNN's kernel to be the faster one.
_MAX_WIDTH_RATIO: Final = 6
#: The fixed cost of a call of the kernel, measured over widths of 100 to 600: as many multiplications, and as
#: many words, because the weights are reordered for each call.
_CALL: Final = 50_000_000
_CALL_WORDS: Final = 64
#: A sigmoid this far from 0 is 0 or 1 to the last bit.
_SATURATED: Final = 1e4


class ContextStates(NamedTuple):
    """The output of a context layer: the *states* of the words, and the final hidden and cell states."""

    states: Tensor  # [B, T, directions * h], zero at padding
    hidden: Tensor  # [layers * directions, B, h]
    cell: Tensor  # [layers * directions, B, h]

    @property
    def final(self) -> Tensor:
        """Return the final hidden states, both directions concatenated: [B, directions * h]."""
        return torch.cat(tuple(self.hidden), -1)


class LSTM(nn.Module):
    """A single (bi)directional LSTM layer that never reads padding.

    In training on a CPU, nn.LSTM processes packed sentences one time step at a time.  This layer calls
    oneDNN's kernel for whole padded sentences instead, on groups of sentences of similar length, unless its
    inputs are much wider than its states.  The results are equal to 1e-6; at 300 x 300 it is 1.2 to 2 times
    as fast.
    """

    def __init__(self, width: int, hidden: int, *, bidirectional: bool = True) -> None:
        super().__init__()
        self.lstm = nn.LSTM(width, hidden, batch_first=True, bidirectional=bidirectional)

    def forward(
        self, inputs: Tensor, mask: Tensor, initial: tuple[Tensor, Tensor] | None = None
    ) -> ContextStates:
        """Return the states of *inputs* [B, T, width]; *initial* hidden and cell are [directions, B, h]."""
        narrow = self.lstm.input_size <= _MAX_WIDTH_RATIO * self.lstm.hidden_size
        if self.training and narrow and inputs.device.type == "cpu" and inputs.dtype == torch.float32:
            return self._in_groups(inputs, mask, initial)
        lengths = mask.sum(1).cpu()
        packed = pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False)
        output, (hidden, cell) = self.lstm(packed, initial)
        states, _ = pad_packed_sequence(output, batch_first=True, total_length=inputs.shape[1])
        return ContextStates(states, hidden, cell)

    def _in_groups(
        self, inputs: Tensor, mask: Tensor, initial: tuple[Tensor, Tensor] | None
    ) -> ContextStates:
        """Return the states, computed in groups of sentences of similar length, padding included."""
        lengths, order = mask.sum(1).sort(stable=True)
        directions = 2 if self.lstm.bidirectional else 1
        hidden = self.lstm.hidden_size
        per_word = 4 * directions * hidden * (hidden + inputs.shape[2])  # multiplications
        sizes = group_sizes(lengths.tolist(), _CALL_WORDS + _CALL // per_word)
        if len(sizes) == 1:
            return self._whole(inputs, mask, initial)
        parts: list[ContextStates] = []
        for rows, longest in zip(torch.split(order, sizes), torch.split(lengths, sizes), strict=True):
            steps = slice(int(longest[-1]))
            start = (initial[0][:, rows], initial[1][:, rows]) if initial else None
            part = self._whole(inputs[rows, steps], mask[rows, steps], start)
            parts.append(
                part._replace(states=functional.pad(part.states, (0, 0, 0, mask.shape[1] - steps.stop)))
            )
        back = order.argsort()
        states, *ends = (
            torch.cat(tensors, dim) for tensors, dim in zip(zip(*parts, strict=True), (0, 1, 1), strict=True)
        )
        return ContextStates(states[back], *(end[:, back] for end in ends))

    def _whole(self, inputs: Tensor, mask: Tensor, initial: tuple[Tensor, Tensor] | None) -> ContextStates:
        """Return the states by one call of the kernel per direction, on whole padded sentences."""
        weights: list[Any] = self.lstm._flat_weights
        directions = 2 if self.lstm.bidirectional else 1
        last = (mask.sum(1) - 1).view(-1, 1, 1)  # [B, 1, 1]
        padding = (~mask).unsqueeze(-1).to(inputs.dtype)  # [B, T, 1]
        order = _reversal(mask).unsqueeze(-1)  # [B, T, 1]
        outputs = []
        for d in range(directions):
            read = inputs if d == 0 else inputs.gather(1, order.expand_as(inputs))
            start = [part[d : d + 1] for part in initial] if initial else [self._zeros(inputs)] * 2
            own = [_with_padding_column(weights[4 * d]), *weights[4 * d + 1 : 4 * d + 4]]
            states, _, cell = torch.lstm(
                torch.cat([read, padding], -1), start, own, True, 1, 0.0, True, False, True
            )
            final = states.gather(1, last.expand(-1, 1, states.shape[2])).squeeze(1)  # [B, h]
            states = states if d == 0 else states.gather(1, order.expand_as(states))
            outputs.append((states, final, cell.squeeze(0)))
        sides, finals, cells = zip(*outputs, strict=True)
        return ContextStates(
            zero_padding(torch.cat(sides, -1), mask), torch.stack(finals), torch.stack(cells)
        )

    def _zeros(self, inputs: Tensor) -> Tensor:
        return inputs.new_zeros(1, len(inputs), self.lstm.hidden_size)


def group_sizes(lengths: Sequence[int], call: int) -> list[int]:
    """Return how many of the sentences of ascending *lengths* to read together, group after group.

    A group is split where that saves the most padding, if it saves more words than a *call* costs.

    >>> group_sizes([2, 2, 3, 9, 9], call=10), group_sizes([2, 2, 3, 9, 9], call=20)
    ([3, 2], [5])
    """
    longest = lengths[-1]
    saved, first = max(((k * (longest - lengths[k - 1]), k) for k in range(1, len(lengths))), default=(0, 0))
    if saved <= call:
        return [len(lengths)]
    return [*group_sizes(lengths[:first], call), *group_sizes(lengths[first:], call)]


def _reversal(mask: Tensor) -> Tensor:
    """Return the indices that reverse each sentence of *mask* [B, T] and leave its padding in place: [B, T].

    >>> _reversal(torch.tensor([[True, True, True, False]]))
    tensor([[2, 1, 0, 3]])
    """
    length = mask.sum(1, keepdim=True)
    position = torch.arange(mask.shape[1], device=mask.device)
    return torch.where(position < length, length - 1 - position, position)


def _with_padding_column(weight: Tensor) -> Tensor:
    """Return the input *weight* [4h, w] with a column for a padding feature that keeps the cell: [4h, w + 1].

    At padding the input gate is closed and the forget gate open, to the last bit.
    """
    h = len(weight) // 4
    column = weight.new_tensor([-_SATURATED, _SATURATED, 0.0, 0.0]).repeat_interleave(h).unsqueeze(1)
    return torch.cat([weight, column], 1)


class FeedForward(nn.Module):
    """A fully connected layer per word, of the same width as the LSTM (Nie et al., 2019, section 4.1).

    It has no state; the mean over the words takes the place of the final state.
    """

    def __init__(self, width: int, hidden: int, *, bidirectional: bool = True) -> None:
        super().__init__()
        self.directions = 2 if bidirectional else 1
        self.layer = nn.Linear(width, hidden * self.directions)

    def forward(
        self, inputs: Tensor, mask: Tensor, initial: tuple[Tensor, Tensor] | None = None
    ) -> ContextStates:
        """Return the states of *inputs* [B, T, width]; *initial* states are ignored."""
        states = zero_padding(torch.relu(self.layer(inputs)), mask)
        hidden = torch.stack(masked_mean(states, mask).chunk(self.directions, -1))
        return ContextStates(states, hidden, torch.zeros_like(hidden))


def context_layer(
    width: int, hidden: int, *, recurrence: Recurrence = "lstm", bidirectional: bool = True
) -> LSTM | FeedForward:
    """Return an LSTM layer, or the layer that replaces it if *recurrence* is ``feedforward``."""
    kind = LSTM if recurrence == "lstm" else FeedForward
    return kind(width, hidden, bidirectional=bidirectional)


# Sentence encoders


def match(u: Tensor, v: Tensor) -> Tensor:
    """Return ``[u, v, |u - v|, u * v]``: [B, d], [B, d] -> [B, 4d].

    The matching of InferSent (Conneau et al., 2017, D17-1070, section 3.1).

    >>> match(torch.tensor([[1.0]]), torch.tensor([[3.0]]))
    tensor([[1., 3., 2., 3.]])
    """
    return torch.cat([u, v, (u - v).abs(), u * v], -1)


class SentenceEncoder(nn.Module, ABC):
    """A model that encodes each sentence on its own and classifies the pair from the two vectors.

    A subclass has ``words``, ``output``, :meth:`encode` and :meth:`compare`.  If it encodes both sides by the
    same weights, it may set ``joint``: premises and hypotheses are then encoded as one batch, which takes
    fewer time steps.
    """

    joint: ClassVar[bool] = False
    words: WordEmbedding
    output: nn.Linear

    @abstractmethod
    def encode(self, sentences: Sentences, side: Side) -> Tensor:
        """Return a vector per sentence, for use on *side*: [B, d]."""

    @abstractmethod
    def compare(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Return the features of pairs of encoded sentences: [B, d], [B, d] -> [B, h]."""

    def features(self, pairs: Pairs) -> Tensor:
        """Return the input of the output layer: [B, h]."""
        if self.joint:
            both = self.encode(joined(pairs.premise, pairs.hypothesis), "premise")  # [2B, d]
            return self.compare(*both.chunk(2))  # [B, h]
        u = self.encode(pairs.premise, "premise")  # [B, d]
        v = self.encode(pairs.hypothesis, "hypothesis")  # [B, d]
        return self.compare(u, v)  # [B, h]

    def forward(self, pairs: Pairs) -> Tensor:
        """Return the logits of *pairs*: [B, 3]."""
        logits: Tensor = self.output(self.features(pairs))
        return logits


class MatchedSentences(SentenceEncoder):
    """A sentence encoder with the same weights for both sides, whose pairs :func:`match` makes.

    A subclass has ``words``, ``classifier``, ``output`` and :meth:`encode`.
    """

    joint = True
    classifier: nn.Module

    def compare(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Return the classifier's output for pairs of encoded sentences: [B, d], [B, d] -> [B, m]."""
        features: Tensor = self.classifier(match(premise, hypothesis))  # [B, 4d] -> [B, m]
        return features


def relu_layers(*widths: int, dropout: float) -> nn.Sequential:
    """Return linear layers from each of *widths* to the next, each with ReLU and dropout.

    >>> len(relu_layers(8, 3, 2, dropout=0.1))
    6
    """
    layers = ((nn.Linear(a, b), nn.ReLU(), Dropout(dropout)) for a, b in pairwise(widths))
    return nn.Sequential(*(part for layer in layers for part in layer))
