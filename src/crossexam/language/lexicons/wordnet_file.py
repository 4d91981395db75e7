"""The file that WordNet ships in: a zip archive of columns, read with the standard library alone.

Synsets are numbered in the order of ``data.noun``, ``data.verb``, ``data.adj``, ``data.adv``.  A part
of speech is one of ``n v a r``; its lemmas are numbered in the order of its index file.

| member | what |
|---|---|
| ``about.json`` | ``format``, ``version`` |
| ``LICENSE`` | WordNet's licence, from the head of its files |
| ``POS/lemmas`` | text: the lemmas in lower case |
| ``POS/senses`` | numbers: how many senses each lemma has |
| ``POS/synsets`` | numbers: the synset of every sense, lemma after lemma, in WordNet's order |
| ``POS/counts`` | numbers: how often each of these senses was tagged in the semantic concordances |
| ``POS/exceptions`` | text: an irregular form and its base forms, separated by spaces |
| ``synsets/pos`` | one character (``n v a s r``) a synset |
| ``synsets/offsets`` | numbers: WordNet's own offset, as difference to the synset before |
| ``synsets/words`` | text: the words of the synset with their case, separated by spaces |
| ``synsets/definitions`` | text: the gloss without its examples |
| ``links/RELATION`` | numbers: every source, then every target; see below |

Text is UTF-8, one row a line; numbers are unsigned, four bytes, the lowest first.  ``links/antonym``
is lexical, so it has four parts of equal length: source synsets, place of the word in the source,
target synsets, place of the word in the target.  Sources ascend; the order within one is WordNet's.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile
from array import array
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from crossexam.core.errors import FormatError

FORMAT: Final = 1  # a reader refuses any other
PARTS: Final = ("n", "v", "a", "r")
_EARLIEST: Final = (1980, 1, 1, 0, 0, 0)  # of a zip archive; the same bytes whenever it is compiled


def pack_numbers(numbers: Iterable[int]) -> bytes:
    """Return *numbers* as a column.

    >>> pack_numbers([1, 258])
    b'\\x01\\x00\\x00\\x00\\x02\\x01\\x00\\x00'
    """
    column = array("I", numbers)
    if sys.byteorder == "big":
        column.byteswap()
    return column.tobytes()


def unpack_numbers(data: bytes) -> array[int]:
    """Return the numbers of a column.

    >>> unpack_numbers(pack_numbers([1, 258])).tolist()
    [1, 258]
    """
    column = array("I")
    column.frombytes(data)
    if sys.byteorder == "big":
        column.byteswap()
    return column


def pack_lines(rows: Iterable[str]) -> bytes:
    """Return *rows*, none of which has a line break, as a column."""
    return "\n".join(rows).encode("utf-8")


def unpack_lines(data: bytes) -> list[str]:
    """Return the rows of a column of text.

    >>> unpack_lines(pack_lines(["hot", "", "cold"]))
    ['hot', '', 'cold']
    """
    return data.decode("utf-8").split("\n") if data else []


def archive_bytes(members: Mapping[str, bytes]) -> bytes:
    """Return a zip archive of *members*: the same bytes whenever and wherever it is made.

    (Given one version of zlib; another may compress the same members to other bytes.)
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in members.items():
            entry = zipfile.ZipInfo(name, _EARLIEST)
            entry.create_system = 3  # Unix, also where it is not
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED, compresslevel=9)
    return stream.getvalue()


class Columns:
    """The columns of the archive in *path*; opens it for every read, so threads and forks share nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.about: Mapping[str, Any] = json.loads(self.read("about.json"))
        if self.about.get("format") != FORMAT:
            raise FormatError(
                f"format {self.about.get('format')!r} is not known",
                where=f"{path}, about.json",
                wanted=f"format {FORMAT}; compile it again with scripts/compile_wordnet.py",
            )

    def read(self, name: str) -> bytes:
        """Return the bytes of member *name*; raises FormatError where there is none."""
        try:
            with zipfile.ZipFile(self._path) as archive:
                return archive.read(name)
        except FileNotFoundError:
            problem = "no such file"
        except KeyError:
            problem = f"no member '{name}'"
        except zipfile.BadZipFile as error:
            problem = str(error)
        raise FormatError(
            problem,
            where=str(self._path),
            wanted="a WordNet archive, as scripts/compile_wordnet.py writes it",
            hint="reinstall crossexam",
        )

    def numbers(self, name: str) -> array[int]:
        """Return member *name* as numbers."""
        return unpack_numbers(self.read(name))

    def lines(self, name: str) -> list[str]:
        """Return member *name* as rows of text."""
        return unpack_lines(self.read(name))
