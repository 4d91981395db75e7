"""The trees of a batch as one forest, walked bottom-up, all nodes of one height in a step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from crossexam.zoo.places import Places


class Route(NamedTuple):
    """Nodes of one height on their way up: *parents* is the height of their parents, 0 for roots."""

    parents: int
    nodes: int


@dataclass(frozen=True)
class Forest:
    """A batch of trees in the order in which their nodes can be computed: all nodes of one height at once.

    A state is used by one parent only.  So each height sends its states on, in pieces, to the heights of the
    parents, where ``arrivals`` puts what has come in the order left, right of node after node.  Nothing is
    copied more often than that, and there are as many steps as the highest tree has levels.
    """

    place: Tensor  # [M] where each node stands in [B, N] laid flat, N = 2T-1; lowest first
    mask: Tensor  # [B, N] bool: sentences fill the first 2n-1 places, in their trees' numbers
    routes: tuple[tuple[Route, ...], ...]  # of each height from 0
    arrivals: tuple[Tensor, ...]  # of each height from 1: [2 * nodes] int64

    @property
    def _places(self) -> Places:
        batch, nodes = self.mask.shape
        return Places(self.place, (batch, nodes))

    @property
    def leaves(self) -> int:
        """Return the number of words, which are the first in ``place``."""
        return _total(self.routes[0])

    def packed(self, nodes: Tensor) -> Tensor:
        """Return the real ones among *nodes*: [B, N, d] -> [M, d]."""
        return self._places.packed(nodes)

    def padded(self, nodes: Tensor) -> Tensor:
        """Return *nodes* at their places, zeros elsewhere: [M, d] -> [B, N, d]."""
        return self._places.padded(nodes)

    def bottom_up(
        self, inputs: Tensor, leaf: Callable[[Tensor], Tensor], inner: Callable[[Tensor, Tensor], Tensor]
    ) -> Tensor:
        """Return the states of all nodes: [M, w] -> [M, s].

        ``leaf(x)`` makes states [n, s] of inputs [n, w], ``inner(x, children)`` of inputs and the states of
        the children [n, 2, s].
        """
        waiting: defaultdict[int, list[Tensor]] = defaultdict(list)  # by height of the parents
        done: list[Tensor] = []
        sizes = [_total(routes) for routes in self.routes]
        for height, x in enumerate(torch.split(inputs, sizes)):
            if height == 0:
                states = leaf(x)  # [n, s]
            else:
                arrived = torch.cat(waiting.pop(height)).index_select(0, self.arrivals[height - 1])
                states = inner(x, arrived.view(len(x), 2, -1))  # [n, s]
            done.append(states)
            pieces = torch.split(states, [route.nodes for route in self.routes[height]])
            for route, piece in zip(self.routes[height], pieces, strict=True):
                waiting[route.parents].append(piece)
        return torch.cat(done)


def forest(children: Tensor, levels: Tensor, lengths: Tensor) -> Forest:
    """Return the forest of trees *children* [B, T-1, 2] and *levels* [B, T-1] over *lengths* [B] words."""
    batch, nodes = len(levels), 2 * levels.shape[1] + 1
    start = torch.arange(batch, device=levels.device) * nodes  # [B]
    mask = torch.arange(nodes, device=levels.device) < (2 * lengths - 1).unsqueeze(1)  # [B, N]
    b, k = levels.nonzero(as_tuple=True)  # [I] each, the inner nodes
    parent = start[b] + lengths[b] + k  # [I]
    child = start[b].unsqueeze(1) + children[b, k]  # [I, 2]
    height = levels.new_zeros(batch * nodes)
    height[parent] = levels[b, k]
    above = torch.zeros_like(height)  # height of the parent
    above[child] = height[parent].unsqueeze(1)

    real = mask.flatten().nonzero().squeeze(1)  # [M]
    route = height[real] * nodes + above[real]
    route, order = route.sort(stable=True)
    place = real[order]
    rank = torch.empty_like(height)  # of each node in that order
    rank[place] = torch.arange(len(place), device=place.device)

    # From below, what arrives is ordered by the height of the parent, then by height, then by rank.
    sent = place[above[place].sort(stable=True).indices][batch:]  # [2I], the roots are not sent
    slot = torch.empty_like(height)
    slot[child] = 2 * (rank[parent] - len(real) + len(b)).unsqueeze(1) + slot.new_tensor([0, 1])
    arrival = torch.empty_like(sent)
    arrival[slot[sent]] = torch.arange(len(sent), device=sent.device)
    return Forest(place, mask, *_by_height(route, arrival, nodes))


def _by_height(
    route: Tensor, arrival: Tensor, nodes: int
) -> tuple[tuple[tuple[Route, ...], ...], tuple[Tensor, ...]]:
    """Return the routes and arrivals of each height, from the sorted *route* of all nodes."""
    kinds, counts = torch.unique_consecutive(route, return_counts=True)
    routes: defaultdict[int, list[Route]] = defaultdict(list)
    for kind, count in zip(*torch.stack([kinds, counts]).tolist(), strict=True):
        routes[kind // nodes].append(Route(kind % nodes, count))
    heights = [tuple(routes[height]) for height in range(len(routes))]
    sizes = [2 * _total(height) for height in heights[1:]]
    starts = np.cumsum([0, *sizes])[:-1].tolist()
    pieces = zip(torch.split(arrival, sizes), starts, strict=True) if sizes else ()
    return tuple(heights), tuple(piece - first for piece, first in pieces)


def _total(routes: Iterable[Route]) -> int:
    return sum(route.nodes for route in routes)
