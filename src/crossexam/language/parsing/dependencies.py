"""A sentence with its dependencies, in the relations of Universal Dependencies."""

from __future__ import annotations

from typing import NamedTuple

from crossexam.language.tokens import Token


class Parsed(NamedTuple):
    """A sentence with dependencies: the *heads* of its *tokens* (-1 for the root) and their *relations*.

    Relations are those of Universal Dependencies (``nsubj``, ``nsubj:pass``, ``obj``, ``obl:agent``,
    ``amod``, ``det``, ``acl:relcl`` ...), whatever labels the parser uses.

    >>> tokens = (Token("Dogs", 0, 4, "NNS"), Token("bark", 5, 9, "VBP"))
    >>> Parsed(tokens, (1, -1), ("nsubj", "root")).children(1)
    (0,)
    """

    tokens: tuple[Token, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]

    def children(self, index: int, *relations: str) -> tuple[int, ...]:
        """Return the dependents of the token at *index*, of any relation or of one of *relations*."""
        return tuple(
            k
            for k, head in enumerate(self.heads)
            if head == index and (not relations or self.relations[k] in relations)
        )

    def below(self, index: int) -> tuple[int, ...]:
        """Return the token at *index* and all its direct and indirect dependents, in order."""
        found = {index}
        grown = True
        while grown:
            more = {k for k, head in enumerate(self.heads) if head in found} - found
            found |= more
            grown = bool(more)
        return tuple(sorted(found))
