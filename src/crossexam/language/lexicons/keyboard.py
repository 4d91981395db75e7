"""Adjacent letters on an English keyboard (Naik et al., 2018, appendix C, KBSWAP).

The paper substitutes a letter by "the character next to it on the English keyboard".  Its released
script (`make_grammar_adv_samples_jsonl.py`) takes the letters to the left and right in the same row; so
does :func:`neighbours`, unless those of the rows above and below are requested as well.

The layout is QWERTY according to ISO/IEC 9995 and ANSI INCITS 154: the home row is shifted to the right by
a quarter of a key relative to the upper row, the lower row by half a key relative to the home row; keys
are adjacent if they are less than a key apart.
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

#: All adjacent keys: those above, then left and right, then those below.
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
    """Return the letters next to *letter*, in its case, with *diagonal* also those above and below.

    Characters that are not letters of the English alphabet have none.

    >>> neighbours("N"), neighbours("n", diagonal=True), neighbours("7")
    ('BM', 'hjbm', '')
    """
    beside = (NEIGHBOURS if diagonal else BESIDE).get(letter.lower(), "")
    return beside.upper() if letter.isupper() else beside
