"""Which letters are next to each other on an English keyboard (Naik et al., 2018, appendix C, KBSWAP).

The paper substitutes a letter by "the character next to it on the English keyboard".  Its released
script (`make_grammar_adv_samples_jsonl.py`) takes the letters left and right in the same row, where
there are two; so does :func:`neighbours` unless asked for those of the rows above and below as well.

The layout is QWERTY as ISO/IEC 9995 and ANSI INCITS 154 have it: the home row stands a quarter of a key
to the right of the upper row, the lower row half a key to the right of the home row; keys touch where
they are less than a key apart.
"""

from __future__ import annotations

from typing import Final

# fmt: off
#: Left and right, in the same row.
BESIDE: Final[dict[str, str]] = {
    "q": "w", "w": "qe", "e": "wr", "r": "et", "t": "ry", "y": "tu", "u": "yi", "i": "uo", "o": "ip",
    "p": "o",
    "a": "s", "s": "ad", "d": "sf", "f": "dg", "g": "fh", "h": "gj", "j": "hk", "k": "jl", "l": "k",
    "z": "x", "x": "zc", "c": "xv", "v": "cb", "b": "vn", "n": "bm", "m": "n",
}

#: All keys that touch: those above, then left and right, then those below.
NEIGHBOURS: Final[dict[str, str]] = {
    "q": "wa",     "w": "qeas",   "e": "wrsd",   "r": "etdf",   "t": "ryfg",
    "y": "tugh",   "u": "yihj",   "i": "uojk",   "o": "ipkl",   "p": "ol",
    "a": "qwsz",   "s": "weadzx", "d": "ersfxc", "f": "rtdgcv", "g": "tyfhvb",
    "h": "yugjbn", "j": "uihknm", "k": "iojlm",  "l": "opk",
    "z": "asx",    "x": "sdzc",   "c": "dfxv",   "v": "fgcb",   "b": "ghvn",
    "n": "hjbm",   "m": "jkn",
}
# fmt: on


def neighbours(letter: str, *, diagonal: bool = False) -> str:
    """Return the letters next to *letter*, in its case; with *diagonal* all that touch it.

    Anything that is no letter of the English alphabet has none.

    >>> neighbours("N"), neighbours("n", diagonal=True), neighbours("7")
    ('BM', 'hjbm', '')
    """
    beside = (NEIGHBOURS if diagonal else BESIDE).get(letter.lower(), "")
    return beside.upper() if letter.isupper() else beside
