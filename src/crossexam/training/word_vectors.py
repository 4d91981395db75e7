"""Word vectors that a model keeps in its folder: all rows of a file, since it will meet other words later.

A model that answers any pair meets words that its training data had not.  So what is kept is not the training
vocabulary but the file: its first rows, which in the files of GloVe and word2vec are those of the most
frequent words.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.files import finished_or_absent
from crossexam.core.progress import Progress, silent
from crossexam.training.vectors import each_vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ROWS_AT_ONCE: Final = 20_000


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
        """Return the rows of those *words* that have one; a word that has none may have it in lower case."""
        known = self.index.get
        found = [known(word, known(word.lower(), -1)) for word in words]
        return [number for number in found if number >= 0]


def first_vectors(path: Path, most: int, *, progress: Progress = silent) -> WordVectors:
    """Return the first *most* vectors of the text file *path*; of a word that stands twice the first counts.

    Raises CrossexamError where there is no such file or no vector in it, FormatError with the line where a
    row is none.
    """
    import numpy as np

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
            "there is no vector in it",
            where=str(path),
            wanted="a text file of vectors: a word and its numbers a line",
        )
    return WordVectors(tuple(words), np.concatenate([*blocks, *([np.stack(rows)] if rows else [])]))


def save_word_vectors(path: Path, vectors: WordVectors) -> None:
    """Write *vectors* to *path* as plain arrays, whole or not at all."""
    import numpy as np

    words = np.frombuffer("\n".join(vectors.words).encode("utf-8", "surrogatepass"), dtype=np.uint8)
    with finished_or_absent(path) as temporary, temporary.open("wb") as file:
        np.savez(file, words=words, rows=vectors.rows)


def load_word_vectors(path: Path) -> WordVectors:
    """Return what :func:`save_word_vectors` wrote; raises FormatError where it is damaged."""
    import numpy as np

    try:
        with np.load(path, allow_pickle=False) as stored:
            text, rows = stored["words"].tobytes().decode("utf-8", "surrogatepass"), stored["rows"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise FormatError(f"no word vectors: {error}", where=str(path)) from None
    words = tuple(text.split("\n"))
    if rows.ndim != 2 or len(rows) != len(words) or not np.isfinite(rows).all():
        raise FormatError(
            f"rows of shape {rows.shape} for {len(words)} words",
            where=str(path),
            wanted=f"finite rows ({len(words)}, width)",
        )
    return WordVectors(words, rows)
