"""Word vectors from text files: GloVe, word2vec and fastText, plain or gzipped.

A file is read in one pass and never held in memory.  :func:`read_vectors` keeps the rows of the words of a
vocabulary.  :func:`first_vectors` keeps the first rows, those of the most frequent words in the files of
GloVe and word2vec, for a model that is fitted once and will meet words that its training data did not
have; :func:`save_word_vectors` and :func:`load_word_vectors` store them in its folder.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

import numpy as np

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.files import archive_errors, finished_or_absent
from crossexam.core.progress import Progress, silent

if TYPE_CHECKING:
    from numpy.typing import NDArray

_GZIP_MAGIC: Final = b"\x1f\x8b"
_LINES_PER_REPORT: Final = 50_000
_ROWS_AT_ONCE: Final = 20_000


@dataclass(frozen=True)
class Vectors:
    """The vectors [width] of the words of a vocabulary that a file has, and statistics of the file.

    ``asked`` is the size of the vocabulary; ``by_lower_case`` counts words found only in lower case.
    """

    rows: Mapping[str, NDArray[np.float32]]
    width: int
    path: Path
    lines: int
    asked: int
    by_lower_case: int

    @property
    def coverage(self) -> float:
        """The share of the vocabulary that has a vector."""
        return len(self.rows) / max(1, self.asked)

    def describe(self) -> dict[str, object]:
        """Return a description for manifests."""
        return {
            "file": self.path.name,
            "width": self.width,
            "words_in_file": self.lines,
            "asked": self.asked,
            "found": len(self.rows),
            "found_by_lower_case": self.by_lower_case,
            "coverage": round(self.coverage, 4),
        }


def read_vectors(path: Path, words: Collection[str], *, progress: Progress = silent) -> Vectors:
    """Return the vectors of *words* in the text file *path*.

    A word that is not in the file gets the vector of its lower-case form if there is one, so that a cased
    vocabulary can be used with vectors of lower-case words.  (None of the studies says what its models do
    in this case.)  If a word occurs twice in the file, its first vector is taken.  Raises CrossexamError
    if there is no such file or no vector of any word, FormatError with the line number if a row has
    another width or contains anything but numbers.
    """
    wanted = {word.encode("utf-8", "surrogatepass") for word in words}
    wanted |= {word.lower().encode("utf-8", "surrogatepass") for word in words}
    found: dict[bytes, NDArray[np.float32]] = {}
    width = lines = 0
    for number, word, values, width in _rows(path, progress):
        lines += 1
        if word in wanted and word not in found:
            found[word] = _numbers(values, width, path, number)
    return _matched(found, words, path, width, lines)


def each_vector(path: Path, *, progress: Progress = silent) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Yield each word of the text file *path* that is valid UTF-8, and its vector [width].

    Raises the errors of :func:`read_vectors`.
    """
    for number, word, values, width in _rows(path, progress):
        row = _numbers(values, width, path, number)
        with suppress(UnicodeDecodeError):
            yield word.decode("utf-8"), row


@dataclass(frozen=True)
class WordVectors:
    """The *words* [v] of a file and their *rows* [v, width].

    >>> import numpy as np
    >>> vectors = WordVectors(("dog", "Ohio"), np.eye(2))
    >>> vectors.numbers(["Dog", "ohio", "Ohio", "cat"])
    [0, 1]
    """

    words: tuple[str, ...]
    rows: NDArray[np.floating[Any]]

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The row of each word."""
        return {word: number for number, word in enumerate(self.words)}

    def numbers(self, words: Sequence[str]) -> list[int]:
        """Return the rows of *words*, if need be of their lower-case forms, without unknown words."""
        known = self.index.get
        found = [known(word, known(word.lower(), -1)) for word in words]
        return [number for number in found if number >= 0]


def first_vectors(path: Path, most: int, *, progress: Progress = silent) -> WordVectors:
    """Return the first *most* vectors of the text file *path*; if a word occurs twice, its first vector.

    Raises CrossexamError if there is no such file or no vector in it, FormatError with the line number if a
    row is malformed.
    """
    words: dict[str, None] = {}
    blocks: list[NDArray[np.float32]] = []
    rows: list[NDArray[np.float32]] = []
    for word, row in each_vector(path, progress=progress):
        if word in words:
            continue
        words[word] = None
        rows.append(row)
        if len(rows) == _ROWS_AT_ONCE:
            blocks.append(np.stack(rows))
            rows = []
        if len(words) == most:
            break
    if not words:
        raise CrossexamError(
            "the file has no vectors",
            where=str(path),
            wanted="a text file of vectors: one word and its numbers per line",
        )
    return WordVectors(tuple(words), np.concatenate([*blocks, *([np.stack(rows)] if rows else [])]))


def save_word_vectors(path: Path, vectors: WordVectors) -> None:
    """Write *vectors* to *path* as plain arrays, atomically."""
    words = np.frombuffer("\n".join(vectors.words).encode("utf-8", "surrogatepass"), dtype=np.uint8)
    with finished_or_absent(path) as temporary, temporary.open("wb") as file:
        np.savez(file, words=words, rows=vectors.rows)


def load_word_vectors(path: Path) -> WordVectors:
    """Return what :func:`save_word_vectors` wrote.  Raises FormatError if it is damaged."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            text, rows = stored["words"].tobytes().decode("utf-8", "surrogatepass"), stored["rows"]
    except archive_errors() as error:
        raise FormatError(f"not a file of word vectors: {error}", where=str(path)) from None
    words = tuple(text.split("\n"))
    if rows.ndim != 2 or len(rows) != len(words) or not np.isfinite(rows).all():
        raise FormatError(
            f"rows of shape {rows.shape} for {len(words)} words",
            where=str(path),
            wanted=f"rows of finite numbers, of shape ({len(words)}, width)",
        )
    return WordVectors(words, rows)


def _matched(
    found: Mapping[bytes, NDArray[np.float32]], words: Collection[str], path: Path, width: int, lines: int
) -> Vectors:
    rows, lowered = {}, 0
    for word in words:
        row = found.get(word.encode("utf-8", "surrogatepass"))
        if row is None:
            row = found.get(word.lower().encode("utf-8", "surrogatepass"))
            lowered += row is not None
        if row is not None:
            rows[word] = row
    if not rows:
        raise CrossexamError(
            f"none of the {len(words)} words has a vector",
            where=str(path),
            wanted="a text file of vectors: one word and its numbers per line",
            hint="binary word2vec files must be saved as text first",
        )
    return Vectors(rows, width, path, lines, len(words), lowered)


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """Open *path* for reading bytes, decompressed if it is gzipped, whatever its name."""
    if not path.is_file():
        raise CrossexamError("no such word-vector file", where=str(path))
    with path.open("rb") as raw:
        packed = raw.read(2) == _GZIP_MAGIC
        raw.seek(0)
        if not packed:
            yield io.BufferedReader(cast(io.RawIOBase, raw), 1 << 20)
            return
        try:
            with gzip.GzipFile(fileobj=raw) as unpacked:
                yield cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, unpacked), 1 << 20))
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise FormatError(f"the gzipped file is damaged: {error}", where=str(path)) from None


def _rows(path: Path, progress: Progress) -> Iterator[tuple[int, bytes, bytes, int]]:
    """Yield the line number, the word and the numbers of each row of *path*, and how many numbers it has.

    Empty lines and the header of word2vec and fastText are left out.
    """
    width = rows = 0
    with _opened(path) as stream:
        for number, line in enumerate(stream, 1):
            stripped = line.rstrip(b" \r\n\t")
            if not stripped or (number == 1 and _is_header(stripped)):
                continue
            rows += 1
            if rows % _LINES_PER_REPORT == 0:
                progress(f"reading {path.name}", rows, None)
            width = width or _width_of(stripped, path, number)
            word, values = _split(stripped, width, path, number)
            yield number, word, values, width


def _is_header(line: bytes) -> bool:
    pieces = line.split()
    return len(pieces) == 2 and all(piece.isdigit() for piece in pieces)


def _width_of(line: bytes, path: Path, number: int) -> int:
    """Return the number of vector components in *line*, the first row."""
    pieces = line.split(b" ")
    if len(pieces) < 3:
        raise FormatError(
            "the line is not a vector",
            where=f"{path}, line {number}",
            wanted="a word and its numbers, separated by spaces",
        )
    return len(pieces) - 1


def _split(line: bytes, width: int, path: Path, number: int) -> tuple[bytes, bytes]:
    """Return the word and the numbers of *line*; a word may contain blanks, as a few of GloVe 840B do."""
    if line.count(b" ") == width:
        word, _, values = line.partition(b" ")
        return word, values
    pieces = line.rsplit(b" ", width)
    if len(pieces) <= width or _is_number(pieces[0].rpartition(b" ")[2]):
        raise FormatError(
            f"the row has {len(line.split()) - 1} numbers, but the previous rows have {width}",
            where=f"{path}, line {number}",
        )
    return pieces[0], line[len(pieces[0]) + 1 :]


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return b"." in text


def _numbers(values: bytes, width: int, path: Path, number: int) -> NDArray[np.float32]:
    try:
        row = np.array(values.split(b" "), dtype=np.float32)
    except ValueError:
        row = np.zeros(0, dtype=np.float32)
    if row.shape != (width,) or not np.isfinite(row).all():
        raise FormatError(
            f"the row does not have {width} finite numbers",
            where=f"{path}, line {number}",
            wanted="a word and its numbers",
        )
    return row
