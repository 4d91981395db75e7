"""Parses of sentences of our own whose subject and object may change places, and dependencies as text."""

import re
from pathlib import Path
from typing import Any

from crossexam.language.parsing.trees import parse_tree
from crossexam.language.tokens import Parsed

_DATA = Path(__file__).parents[1] / "data"
_SIGNS = {"-LRB-": "(", "-RRB-": ")", "``": '"', "''": '"'}


def _lines(name: str) -> list[str]:
    return (_DATA / name).read_text(encoding="utf-8").splitlines()[1:]


def sentence_of(parse: str) -> str:
    text = " ".join(_SIGNS.get(word, word) for _, word in parse_tree(parse).leaves())
    text = re.sub(r" (?=[.,?)]|n't|'s)", "", text)
    return text.replace('" ', '"', 1).replace(' "', '"').replace("( ", "(")


_SWAPPED, _PLAUSIBLE = _lines("so_swap.txt"), _lines("constructions/so_swap_plausible.txt")
_OF_RULES = [line for name in ("", "_plausible") for line in _lines(f"constructions/so_swap{name}_rules.txt")]
#: Parses, and what becomes of the sentences.
SWAPPED, PLAUSIBLE = (list(zip(each[::2], each[1::2], strict=True)) for each in (_SWAPPED, _PLAUSIBLE))
PARSES = {sentence_of(parse): parse for parse in (*_SWAPPED[::2], *_OF_RULES, *_PLAUSIBLE[::2])}


def written(parsed: Any) -> str:
    texts = [*(token.text for token in parsed.tokens), "-"]
    return " ".join(
        f"{token.text}|{relation}|{texts[head]}"
        for token, head, relation in zip(parsed.tokens, parsed.heads, parsed.relations, strict=True)
    )


def check_tree(parsed: Parsed) -> None:
    """Every word hangs on a root, which says so."""
    links = zip(parsed.heads, parsed.relations, strict=True)
    assert {relation for head, relation in links if head == -1} == {"root"}
    for word in range(len(parsed.heads)):
        above = [word]
        while above[-1] != -1:
            above.append(parsed.heads[above[-1]])
            assert len(above) <= len(parsed.heads) + 1  # no word depends on itself
