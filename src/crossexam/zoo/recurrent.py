"""Recurrent layers over padded batches, and what stands in for them in the ablation of Nie et al. 2019."""

from __future__ import annotations

from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from crossexam.zoo import masked

Recurrence = Literal["lstm", "feedforward"]


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
    """One (bi)directional LSTM layer that never reads padding."""

    def __init__(self, width: int, hidden: int, *, bidirectional: bool = True) -> None:
        super().__init__()
        self.lstm = nn.LSTM(width, hidden, batch_first=True, bidirectional=bidirectional)

    def forward(self, inputs: Tensor, mask: Tensor, initial: tuple[Tensor, Tensor] | None = None) -> Context:
        """Return the context of *inputs* [B, T, width]; *initial* hidden and cell are [directions, B, h]."""
        lengths = mask.sum(1).cpu()
        packed = pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False)
        output, (hidden, cell) = self.lstm(packed, initial)
        states, _ = pad_packed_sequence(output, batch_first=True, total_length=inputs.shape[1])
        return Context(states, hidden, cell)


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
