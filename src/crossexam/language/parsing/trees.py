"""Bracketed parses in Penn Treebank notation, as SNLI and MultiNLI ship them for every sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from crossexam.core.errors import FormatError

# A leaf is `(TAG word)`.  Only these blanks separate: a word can contain a no-break space ("1 1/2").
_LEAF: Final = re.compile(r"\(([^ ()\t\r\n]+) ([^ ()\t\r\n]+)\)")
_PIECE: Final = re.compile(r"[()]|[^ ()\t\r\n]+")


def leaves(parse: str) -> list[tuple[str, str]]:
    """Return the (tag, word) pairs of a bracketed parse, in order.

    Fast and lenient: brackets are not checked.  Words keep the treebank's escapes (``-LRB-``).

    >>> leaves("(ROOT (NP (DT A) (NN dog)))")
    [('DT', 'A'), ('NN', 'dog')]
    """
    return _LEAF.findall(parse)


@dataclass(frozen=True, slots=True)
class Tree:
    """A node of a parse: its *label*, its *children* and the span of its leaves, *start* to *end*.

    A leaf has a *word* and no children; its label is the tag.

    >>> tree = parse_tree("(S (NP (DT A) (NN dog)) (VP (VBZ barks)))")
    >>> [(node.label, node.start, node.end) for node in tree.children]
    [('NP', 0, 2), ('VP', 2, 3)]
    """

    label: str
    children: tuple[Tree, ...]
    start: int
    end: int
    word: str = ""

    def subtrees(self) -> Iterator[Tree]:
        """Yield this node and all its descendants, parents before children, left to right."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))

    def leaves(self) -> list[tuple[str, str]]:
        """Return the (tag, word) pairs below this node, in order."""
        return [(node.label, node.word) for node in self.subtrees() if node.word]


def parse_tree(parse: str) -> Tree:
    """Return the tree of a bracketed *parse*.

    The outermost bracket may be unlabelled, as in the treebank's own files.  Raises FormatError with
    the position of the first error.

    >>> parse_tree("(ROOT (NN dog)").label
    Traceback (most recent call last):
    crossexam.core.errors.FormatError: character 14: the parse ends inside a bracket
      wanted: (LABEL (TAG word) ...)
    """
    pieces = list(_PIECE.finditer(parse))
    pending: list[tuple[str, list[Tree], int]] = []  # open brackets: label, children, first leaf
    done: Tree | None = None
    leaf = index = 0
    while index < len(pieces):
        piece, at = pieces[index].group(), pieces[index].start()
        index += 1
        if done is not None:
            raise _broken(f"{piece!r} after the parse has ended", at)
        if piece == ")":
            if not pending or not pending[-1][1]:
                raise _broken("an empty bracket" if pending else "one closing bracket too many", at)
            label, children, start = pending.pop()
            node = Tree(label, tuple(children), start, leaf)
        elif piece == "(":
            following = [match.group() for match in pieces[index : index + 3]]
            label = following[0] if following and following[0] not in "()" else ""
            index += bool(label)
            if not label or len(following) < 3 or following[1] in "()" or following[2] != ")":
                pending.append((label, [], leaf))
                continue
            index += 2
            node = Tree(label, (), leaf, leaf + 1, following[1])
            leaf += 1
        else:
            raise _broken(f"the word {piece!r} has no bracket", at)
        if pending:
            pending[-1][1].append(node)
        else:
            done = node
    if done is None:
        raise _broken("the parse ends inside a bracket" if pending else "no parse", len(parse))
    return done


def _broken(what: str, at: int) -> FormatError:
    return FormatError(what, where=f"character {at}", wanted="(LABEL (TAG word) ...)")
