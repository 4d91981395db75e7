"""Binary trees over sentences: parsing, the tensors of a batch, and bottom-up computation.

The nodes of a tree over n words are numbered 0 to n-1 (the words) and n to 2n-2 (the inner nodes by height,
of equal height from left to right), so that children come before parents and the root is last.  The numbers
do not depend on the padding of a batch.  A ``Tree`` is an array with one row per inner node: left child,
right child, height (0 for words, for inner nodes one more than the higher child's).

SNLI and MultiNLI provide such a parse of each sentence in ``sentence1_binary_parse`` and
``sentence2_binary_parse``; a sentence without one gets a right-branching tree (``tree_over``).

A ``TreeBatch`` computes the states of all nodes of a batch bottom-up, all nodes of one height in one step.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from crossexam.core.errors import FormatError
from crossexam.zoo.layers import PackedIndex

Tree: TypeAlias = NDArray[np.int32]  # [n-1, 3]: left child, right child, height

# Only these characters separate: a word may contain a no-break space ("1 1/2").
_PIECE: Final = re.compile(r"[^ \t\r\n]+")
_WANTED: Final = "( LEFT RIGHT ), each a word or such a bracket"

_Node: TypeAlias = tuple[int, int, int]  # children and height; a negative child is the inner node -1 - child


def parse_binary(parse: str) -> tuple[list[str], Tree]:
    """Return the words of a binary *parse* and the tree over them.

    Brackets around a single constituent add no node.  Raises FormatError with the offset of the character if
    the parse is malformed.

    >>> words, tree = parse_binary("( ( A man ) ( is here ) )")
    >>> words, tree.tolist()
    (['A', 'man', 'is', 'here'], [[0, 1, 1], [2, 3, 1], [4, 5, 2]])
    >>> parse_binary("( A tall man )")
    Traceback (most recent call last):
    crossexam.core.errors.FormatError: character 13: brackets around 3 constituents
      wanted: ( LEFT RIGHT ), each a word or such a bracket
    """
    words: list[str] = []
    nodes: list[_Node] = []
    pending: list[list[tuple[int, int]]] = [[]]  # per open bracket the constituents so far, (node, height)
    for match in _PIECE.finditer(parse):
        piece = match.group()
        if piece == "(":
            pending.append([])
        elif piece == ")":
            parts = pending.pop()
            if not pending or not 1 <= len(parts) <= 2:
                what = (
                    f"brackets around {len(parts)} constituents" if pending else "unmatched closing bracket"
                )
                raise FormatError(what, where=f"character {match.start()}", wanted=_WANTED)
            pending[-1].append(_joined(parts, nodes))
        else:
            pending[-1].append((len(words), 0))
            words.append(piece)
    if len(pending) > 1 or len(pending[0]) != 1:
        what = "unmatched opening bracket" if len(pending) > 1 else f"{len(pending[0])} trees in one parse"
        raise FormatError(what, where=f"character {len(parse)}", wanted=_WANTED)
    return words, _numbered(nodes, len(words))


def _joined(parts: Sequence[tuple[int, int]], nodes: list[_Node]) -> tuple[int, int]:
    """Return the node over *parts*; if there are two, it is new and appended to *nodes*."""
    if len(parts) == 1:
        return parts[0]
    (left, left_height), (right, right_height) = parts
    height = 1 + max(left_height, right_height)
    nodes.append((left, right, height))
    return -len(nodes), height


def _numbered(nodes: Sequence[_Node], words: int) -> Tree:
    """Return the tree of *nodes* over so many *words*, with children before parents."""
    table = np.array(nodes, dtype=np.int32).reshape(-1, 3)
    order = np.argsort(table[:, 2], kind="stable")
    number = np.empty(len(table), np.int32)
    number[order] = np.arange(words, words + len(table))
    children = table[:, :2]
    inner = children < 0
    children[inner] = number[-1 - children[inner]]
    return table[order]


def right_branching(words: int) -> Tree:
    """Return the tree in which every inner node joins a word and everything that follows it.

    >>> right_branching(3).tolist()
    [[1, 2, 1], [0, 3, 2]]
    """
    k = np.arange(words - 1)
    right = np.where(k == 0, words - 1, words + k - 1)
    return np.stack([words - 2 - k, right, k + 1], 1).astype(np.int32)


def tree_over(words: Sequence[str], parse: str | None) -> Tree:
    """Return the tree of *parse* over *words*, or a right-branching tree if *parse* is None.

    The words may be spelled differently in the parse (it has escapes, and is not lower-cased).  Raises
    FormatError if their numbers differ.
    """
    if parse is None:
        return right_branching(len(words))
    leaves, tree = parse_binary(parse)
    if len(leaves) != len(words):
        raise FormatError(
            f"the binary parse has {len(leaves)} words, but the sentence has {len(words)}",
            where=repr(" ".join(words)),
            wanted="the words of the parse, in order",
            hint="leave the parse out if the text was changed; a right-branching tree is used instead",
        )
    return tree


def cut(tree: Tree, words: int) -> Tree:
    """Return *tree* truncated to its first *words* words; nodes left with one child are removed.

    >>> cut(parse_binary("( ( A man ) ( is here ) )")[1], 3).tolist()
    [[0, 1, 1], [3, 2, 2]]
    """
    if words > len(tree):
        return tree
    nodes: list[_Node] = []
    left: list[list[tuple[int, int]]] = [[(i, 0)] if i < words else [] for i in range(len(tree) + 1)]
    for a, b, _ in tree.tolist():
        parts = left[a] + left[b]
        left.append([_joined(parts, nodes)] if parts else [])
    return _numbered(nodes, words)


def tree_tensors(trees: Sequence[Tree], words: int) -> tuple[Tensor, Tensor]:
    """Return ``children`` [B, T-1, 2] and ``levels`` [B, T-1] of ``Sentences``, padded with 0 to T = *words*.

    >>> children, levels = tree_tensors([right_branching(2), right_branching(1)], 3)
    >>> children.tolist(), levels.tolist()
    ([[[0, 1], [0, 0]], [[0, 0], [0, 0]]], [[1, 0], [0, 0]])
    """
    table = np.zeros((len(trees), max(words - 1, 0), 3), np.int64)
    for row, tree in zip(table, trees, strict=True):
        if len(tree) > len(row):
            raise ValueError(
                f"a tree over {len(tree) + 1} words does not fit in a batch of sentences of up to "
                f"{words} words: truncate it first"
            )
        row[: len(tree)] = tree
    return torch.from_numpy(table[..., :2].copy()), torch.from_numpy(table[..., 2].copy())


class Route(NamedTuple):
    """How many *nodes* of one height have parents of height *parents*; 0 for roots, which have none."""

    parents: int
    nodes: int


@dataclass(frozen=True)
class TreeBatch:
    """The M nodes of a batch of trees in bottom-up order, all nodes of one height together.

    Every state is used by one parent only.  The states of a height are therefore split by the height of their
    parents and kept until that height is computed; ``arrivals`` then puts them in the order left child, right
    child of each parent.  Nothing is copied more often than that, and there are as many steps as the highest
    tree has levels.
    """

    position: Tensor  # [M] index of each node in the flattened [B, N], N = 2T-1; lowest nodes first
    mask: Tensor  # [B, N] bool: a tree fills the first 2n-1 positions, by the numbers of its nodes
    routes: tuple[tuple[Route, ...], ...]  # of each height from 0
    arrivals: tuple[Tensor, ...]  # of each height from 1: [2 * nodes] int64

    @property
    def _index(self) -> PackedIndex:
        batch, nodes = self.mask.shape
        return PackedIndex(self.position, (batch, nodes))

    @property
    def leaves(self) -> int:
        """The number of words, which come first in ``position``."""
        return _total(self.routes[0])

    def pack(self, nodes: Tensor) -> Tensor:
        """Return *nodes* without padding: [B, N, d] -> [M, d]."""
        return self._index.pack(nodes)

    def pad(self, nodes: Tensor) -> Tensor:
        """Return *nodes* at their positions, zeros elsewhere: [M, d] -> [B, N, d]."""
        return self._index.pad(nodes)

    def bottom_up(
        self, inputs: Tensor, leaf: Callable[[Tensor], Tensor], inner: Callable[[Tensor, Tensor], Tensor]
    ) -> Tensor:
        """Return the states of all nodes: [M, w] -> [M, s].

        ``leaf(x)`` maps inputs [n, w] to states [n, s]; ``inner(x, children)`` also takes the states of the
        children [n, 2, s].
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


def tree_batch(children: Tensor, levels: Tensor, lengths: Tensor) -> TreeBatch:
    """Return the batch of trees *children* [B, T-1, 2] and *levels* [B, T-1] over *lengths* [B] words."""
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
    position = real[order]
    rank = torch.empty_like(height)  # of each node in that order
    rank[position] = torch.arange(len(position), device=position.device)

    # States arrive at a parent's height in the order of their own height, then of their rank.
    sent = position[above[position].sort(stable=True).indices][batch:]  # [2I], roots are not sent
    slot = torch.empty_like(height)
    slot[child] = 2 * (rank[parent] - len(real) + len(b)).unsqueeze(1) + slot.new_tensor([0, 1])
    arrival = torch.empty_like(sent)
    arrival[slot[sent]] = torch.arange(len(sent), device=sent.device)
    return TreeBatch(position, mask, *_by_height(route, arrival, nodes))


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
