"""The places of figures in the pages, between comments that no reader sees.

A block is a table, a transcript or anything else of whole lines::

    <!-- figures: NAME.PART -->

    | base | items |
    ...

    <!-- end of figures -->

A figure in a sentence is the word before its comment: ``of 324<!-- =NAME.PART --> items``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]
PAGES: Final[dict[str, Path]] = {
    str(path.relative_to(ROOT)): path
    for path in (ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")), ROOT / "bench" / "COVERAGE.md")
}
_KEY = r"(?P<key>\w+\.\w+)"
BLOCK: Final = re.compile(rf"<!-- figures: {_KEY} -->\n(?P<text>.*?)\n?<!-- end of figures -->", re.DOTALL)
WORD: Final = re.compile(rf"(?P<text>[^\s(\[*|]+?)(?P<comment><!-- ={_KEY} -->)")
#: What is like the comments above, and so a mistake if it is not one of them.
_LIKE: Final = re.compile(r"<!--\s*(?:figures\b|end of figures|=)")


class Place(NamedTuple):
    """Where the figure *key* is, and the *text* that stands there."""

    page: str
    line: int
    key: str
    text: str


def places_of(page: str, text: str) -> Iterator[Place]:
    """Yield the places of figures in *text*; raises ValueError if a comment is not as described above."""
    found = [*BLOCK.finditer(text), *WORD.finditer(text)]
    comments = sum(2 if match.re is BLOCK else 1 for match in found)
    if comments != len(_LIKE.findall(text)):
        raise ValueError(f"{page}: a comment about figures is neither of a block nor behind a word")
    for match in sorted(found, key=lambda match: match.start()):
        line = text.count("\n", 0, match.start("text")) + 1
        yield Place(page, line, match["key"], match["text"].strip("\n"))


def with_figures(text: str, figures: Mapping[str, str]) -> str:
    """Return *text* with *figures* in their places; those of which nothing is known stay as they are."""

    def of_block(match: re.Match[str]) -> str:
        if match["key"] not in figures:
            return match[0]
        return f"<!-- figures: {match['key']} -->\n\n{figures[match['key']]}\n\n<!-- end of figures -->"

    def of_word(match: re.Match[str]) -> str:
        return f"{figures.get(match['key'], match['text'])}{match['comment']}"

    return WORD.sub(of_word, BLOCK.sub(of_block, text))


def without_figures(text: str) -> str:
    """Return *text* with empty lines for the blocks of figures: other lines keep their numbers."""
    return BLOCK.sub(lambda match: "\n" * match[0].count("\n"), text)
