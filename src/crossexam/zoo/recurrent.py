"""Recurrent layers over padded batches, and what stands in for them in the ablation of Nie et al. 2019."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from crossexam.zoo import masked

Recurrence = Literal["lstm", "feedforward"]

#: How many times its states' width a layer may read for oneDNN's kernel to be the faster one.
_WIDEST: Final = 6
#: What a call of the kernel costs beside its own multiplications, measured over widths of 100 to 600: as many
#: of them, and as many words, since weights are put in order for each call.
_CALL: Final = 50_000_000
_CALL_WORDS: Final = 64
#: So far from 0 a sigmoid is 0 or 1 to the last bit.
_SHUT: Final = 1e4


class Context(NamedTuple):
    """What a layer makes of a sentence: *states* of its words, *final* hidden and cell states."""

    states: Tensor  # [B, T, directions * h], zero at padding
    hidden: Tensor  # [layers * directions, B, h]
    cell: Tensor  # [layers * directions, B, h]

    @property
    def final(self) -> Tensor:
        """Return the last layer's final hidden states, directions side by side: [B, directions * h]."""
        return torch.cat(tuple(self.hidden), -1)


class LSTM(nn.Module):
    """One (bi)directional LSTM layer that never reads padding.

    Trained on a CPU, where nn.LSTM takes packed sentences step by step, it goes through oneDNN's kernel of
    whole padded sentences instead, sentences of like length at a time, as long as it reads words not much
    wider than its states: the same numbers to 1e-6, at 300 x 300 1.2 to 2 times as fast.
    """

    def __init__(self, width: int, hidden: int, *, bidirectional: bool = True) -> None:
        super().__init__()
        self.lstm = nn.LSTM(width, hidden, batch_first=True, bidirectional=bidirectional)

    def forward(self, inputs: Tensor, mask: Tensor, initial: tuple[Tensor, Tensor] | None = None) -> Context:
        """Return the context of *inputs* [B, T, width]; *initial* hidden and cell are [directions, B, h]."""
        narrow = self.lstm.input_size <= _WIDEST * self.lstm.hidden_size
        if self.training and narrow and inputs.device.type == "cpu" and inputs.dtype == torch.float32:
            return self._in_groups(inputs, mask, initial)
        lengths = mask.sum(1).cpu()
        packed = pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False)
        output, (hidden, cell) = self.lstm(packed, initial)
        states, _ = pad_packed_sequence(output, batch_first=True, total_length=inputs.shape[1])
        return Context(states, hidden, cell)

    def _in_groups(self, inputs: Tensor, mask: Tensor, initial: tuple[Tensor, Tensor] | None) -> Context:
        """Return the context, read in groups of sentences of like length: padding is read too."""
        lengths, order = mask.sum(1).sort(stable=True)
        directions = 2 if self.lstm.bidirectional else 1
        hidden = self.lstm.hidden_size
        a_word = 4 * directions * hidden * (hidden + inputs.shape[2])  # multiplications
        sizes = group_sizes(lengths.tolist(), _CALL_WORDS + _CALL // a_word)
        if len(sizes) == 1:
            return self._whole(inputs, mask, initial)
        parts: list[Context] = []
        for rows, longest in zip(torch.split(order, sizes), torch.split(lengths, sizes), strict=True):
            kept = slice(int(longest[-1]))
            start = (initial[0][:, rows], initial[1][:, rows]) if initial else None
            part = self._whole(inputs[rows, kept], mask[rows, kept], start)
            parts.append(
                part._replace(states=functional.pad(part.states, (0, 0, 0, mask.shape[1] - kept.stop)))
            )
        back = order.argsort()
        states, *ends = (
            torch.cat(each, dim) for each, dim in zip(zip(*parts, strict=True), (0, 1, 1), strict=True)
        )
        return Context(states[back], *(end[:, back] for end in ends))

    def _whole(self, inputs: Tensor, mask: Tensor, initial: tuple[Tensor, Tensor] | None) -> Context:
        """Return the context by one call a direction, over whole padded sentences."""
        weights: list[Any] = self.lstm._flat_weights
        directions = 2 if self.lstm.bidirectional else 1
        last = (mask.sum(1) - 1).view(-1, 1, 1)  # [B, 1, 1]
        padding = (~mask).unsqueeze(-1).to(inputs.dtype)  # [B, T, 1]
        order = _reversing(mask).unsqueeze(-1)  # [B, T, 1]
        found = []
        for d in range(directions):
            read = inputs if d == 0 else inputs.gather(1, order.expand_as(inputs))
            start = [part[d : d + 1] for part in initial] if initial else [self._zeros(inputs)] * 2
            own = [_keeping(weights[4 * d]), *weights[4 * d + 1 : 4 * d + 4]]
            states, _, cell = torch.lstm(
                torch.cat([read, padding], -1), start, own, True, 1, 0.0, True, False, True
            )
            final = states.gather(1, last.expand(-1, 1, states.shape[2])).squeeze(1)  # [B, h]
            states = states if d == 0 else states.gather(1, order.expand_as(states))
            found.append((states, final, cell.squeeze(0)))
        sides, finals, cells = zip(*found, strict=True)
        return Context(masked.zeroed(torch.cat(sides, -1), mask), torch.stack(finals), torch.stack(cells))

    def _zeros(self, inputs: Tensor) -> Tensor:
        return inputs.new_zeros(1, len(inputs), self.lstm.hidden_size)


def group_sizes(lengths: Sequence[int], call: int) -> list[int]:
    """Return how many of the sentences of ascending *lengths* to read together, group after group.

    A group is cut in two where that saves the most padding, if it saves more words than a *call* costs.

    >>> group_sizes([2, 2, 3, 9, 9], call=10), group_sizes([2, 2, 3, 9, 9], call=20)
    ([3, 2], [5])
    """
    longest = lengths[-1]
    saved, first = max(((k * (longest - lengths[k - 1]), k) for k in range(1, len(lengths))), default=(0, 0))
    if saved <= call:
        return [len(lengths)]
    return [*group_sizes(lengths[:first], call), *group_sizes(lengths[first:], call)]


def _reversing(mask: Tensor) -> Tensor:
    """Return the places that turn each sentence of *mask* [B, T] around and leave its padding: [B, T].

    >>> _reversing(torch.tensor([[True, True, True, False]]))
    tensor([[2, 1, 0, 3]])
    """
    length = mask.sum(1, keepdim=True)
    place = torch.arange(mask.shape[1], device=mask.device)
    return torch.where(place < length, length - 1 - place, place)


def _keeping(weight: Tensor) -> Tensor:
    """Return *weight* [4h, w] of the inputs with a column for padding that keeps the cell: [4h, w + 1].

    At padding the input gate is shut and the forget gate open, to the last bit.
    """
    h = len(weight) // 4
    column = weight.new_tensor([-_SHUT, _SHUT, 0.0, 0.0]).repeat_interleave(h).unsqueeze(1)
    return torch.cat([weight, column], 1)


class FeedForward(nn.Module):
    """A fully connected layer at each word, of the same width as the LSTM (Nie et al. 2019, section 4.1).

    It has no state; as final state the mean over the words stands in.
    """

    def __init__(self, width: int, hidden: int, *, bidirectional: bool = True) -> None:
        super().__init__()
        self.directions = 2 if bidirectional else 1
        self.layer = nn.Linear(width, hidden * self.directions)

    def forward(self, inputs: Tensor, mask: Tensor, initial: tuple[Tensor, Tensor] | None = None) -> Context:
        """Return the context of *inputs* [B, T, width]; *initial* states are not read."""
        states = masked.zeroed(torch.relu(self.layer(inputs)), mask)
        hidden = torch.stack(masked.mean(states, mask).chunk(self.directions, -1))
        return Context(states, hidden, torch.zeros_like(hidden))


def context_layer(
    width: int, hidden: int, *, recurrence: Recurrence = "lstm", bidirectional: bool = True
) -> LSTM | FeedForward:
    """Return an LSTM layer, or what replaces it where *recurrence* is ``feedforward``."""
    kind = LSTM if recurrence == "lstm" else FeedForward
    return kind(width, hidden, bidirectional=bidirectional)
