"""Binary trees over sentences: from the text of a parse to the tensors of a batch.

A tree over n words numbers its nodes itself: 0 to n-1 are the words, n to 2n-2 the inner nodes in order of
height (of equal height from left to right), so that children come before parents and the root is last.  The
numbers do not depend on how far a batch is padded.  A ``Tree`` is the table of the inner nodes, one row each:
left child, right child, height (of words 0, of inner nodes one more than of the higher child).

SNLI and MultiNLI ship such a parse of each sentence in ``sentence1_binary_parse`` and
``sentence2_binary_parse``; where a sentence has none, a right-branching tree stands in (``tree_over``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from crossexam.core.errors import FormatError

Tree: TypeAlias = NDArray[np.int32]  # [n-1, 3]: left child, right child, height

# Only these blanks separate: a word can hold a no-break space ("1 1/2").
_PIECE: Final = re.compile(r"[^ \t\r\n]+")
_WANTED: Final = "( LEFT RIGHT ) with a word or such a bracket on each side"

_Node: TypeAlias = tuple[int, int, int]  # children and height; a child below 0 is the inner node -1 - child


def parse_binary(parse: str) -> tuple[list[str], Tree]:
    """Return the words of a binary *parse* and the tree over them.

    A bracket around a single part adds no node.  Raises FormatError with the character where it breaks.

    >>> words, tree = parse_binary("( ( A man ) ( is here ) )")
    >>> words, tree.tolist()
    (['A', 'man', 'is', 'here'], [[0, 1, 1], [2, 3, 1], [4, 5, 2]])
    >>> parse_binary("( A tall man )")
    Traceback (most recent call last):
    crossexam.core.errors.FormatError: character 13: a bracket with 3 parts
      wanted: ( LEFT RIGHT ) with a word or such a bracket on each side
    """
    words: list[str] = []
    nodes: list[_Node] = []
    pending: list[list[tuple[int, int]]] = [[]]  # open brackets: the parts so far, (node, height)
    for match in _PIECE.finditer(parse):
        piece = match.group()
        if piece == "(":
            pending.append([])
        elif piece == ")":
            parts = pending.pop()
            if not pending or not 1 <= len(parts) <= 2:
                what = f"a bracket with {len(parts)} parts" if pending else "a closing bracket too many"
                raise FormatError(what, where=f"character {match.start()}", wanted=_WANTED)
            pending[-1].append(_joined(parts, nodes))
        else:
            pending[-1].append((len(words), 0))
            words.append(piece)
    if len(pending) > 1 or len(pending[0]) != 1:
        what = "a bracket is not closed" if len(pending) > 1 else f"{len(pending[0])} trees in one parse"
        raise FormatError(what, where=f"character {len(parse)}", wanted=_WANTED)
    return words, _numbered(nodes, len(words))


def _joined(parts: Sequence[tuple[int, int]], nodes: list[_Node]) -> tuple[int, int]:
    """Return the node over *parts*, which is new, and added to *nodes*, where there are two."""
    if len(parts) == 1:
        return parts[0]
    (left, left_height), (right, right_height) = parts
    height = 1 + max(left_height, right_height)
    nodes.append((left, right, height))
    return -len(nodes), height


def _numbered(nodes: Sequence[_Node], words: int) -> Tree:
    """Return the tree of *nodes*, children before parents, over so many *words*."""
    table = np.array(nodes, dtype=np.int32).reshape(-1, 3)
    order = np.argsort(table[:, 2], kind="stable")
    number = np.empty(len(table), np.int32)
    number[order] = np.arange(words, words + len(table))
    children = table[:, :2]
    inner = children < 0
    children[inner] = number[-1 - children[inner]]
    return table[order]


def right_branching(words: int) -> Tree:
    """Return the tree in which every inner node is a word and all that follows it.

    >>> right_branching(3).tolist()
    [[1, 2, 1], [0, 3, 2]]
    """
    k = np.arange(words - 1)
    right = np.where(k == 0, words - 1, words + k - 1)
    return np.stack([words - 2 - k, right, k + 1], 1).astype(np.int32)


def tree_over(words: Sequence[str], parse: str | None) -> Tree:
    """Return the tree of *parse* over *words*, or a right-branching one where there is no parse.

    The words may be written otherwise than in the parse (lower-cased, without its escapes) but have to be
    as many; raises FormatError where they are not.
    """
    if parse is None:
        return right_branching(len(words))
    leaves, tree = parse_binary(parse)
    if len(leaves) != len(words):
        raise FormatError(
            f"the binary parse has {len(leaves)} words and the sentence {len(words)}",
            where=repr(" ".join(words)),
            wanted="the words of the parse, in order",
            hint="leave the parse out where the text was changed: a right-branching tree stands in",
        )
    return tree


def cut(tree: Tree, words: int) -> Tree:
    """Return what is left of *tree* when only its first *words* words are; a node with one child goes.

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
            raise ValueError(f"a tree over {len(tree) + 1} words in a batch of {words}: cut it")
        row[: len(tree)] = tree
    return torch.from_numpy(table[..., :2].copy()), torch.from_numpy(table[..., 2].copy())
