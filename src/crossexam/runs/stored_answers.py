"""Answers in columns: a million predictions as a few arrays, found by the hashes of their pairs.

The files are the immutable parts of a store (:mod:`crossexam.runs.answer_store`): Arrow, sorted by hash,
named by a checksum of their content.  They are mapped into memory and searched as they are.
"""

from __future__ import annotations

import hashlib
import mmap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from crossexam.core.errors import FormatError
from crossexam.core.files import finished_or_absent, keep
from crossexam.core.outcome import Outcomes
from crossexam.models.model import CharactersRead

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

#: Stands for the number of characters that were read where all were.
ALL_READ: Final = -1
_HINT: Final = "put it back, or move the store elsewhere; its pairs will then be predicted again"


class Answers(NamedTuple):
    """The *probabilities* [n, 3] of pairs with these *hashes* [n, 2]; NaN where there is no answer.

    *read* [n, 2] says how many characters were read of premise and hypothesis, ALL_READ where all were.
    *outcomes* [n] say why there is no answer.
    """

    hashes: NDArray[np.uint64]
    probabilities: NDArray[np.float64]
    read: NDArray[np.int32]
    outcomes: Outcomes

    def at(self, rows: Any) -> Answers:
        """Return the answers at *rows*, whatever numpy accepts as an index."""
        return Answers(self.hashes[rows], self.probabilities[rows], self.read[rows], self.outcomes.at(rows))


def concatenated(several: Iterable[Answers]) -> Answers:
    """Return the answers of *several*, one after another."""
    import numpy as np

    given = list(several)
    return Answers(
        np.concatenate([np.empty((0, 2), dtype=np.uint64), *(each.hashes for each in given)]),
        np.concatenate([np.empty((0, 3)), *(each.probabilities for each in given)]),
        np.concatenate([np.empty((0, 2), dtype=np.int32), *(each.read for each in given)]),
        Outcomes.joined(each.outcomes for each in given),
    )


def characters(read: Sequence[CharactersRead | None]) -> NDArray[np.int32]:
    """Return what was *read* of n pairs as an array [n, 2], ALL_READ for None.

    >>> characters([None, CharactersRead(3, 5)]).tolist()
    [[-1, -1], [3, 5]]
    """
    import numpy as np

    if not any(read):
        return np.full((len(read), 2), ALL_READ, dtype=np.int32)
    return np.array([each or (ALL_READ, ALL_READ) for each in read], dtype=np.int32).reshape(-1, 2)


class SortedAnswers:
    """Answers sorted by the first halves of their hashes: *first* and *second* [n].

    *mapped* is the file that they are in, if they are in one.
    """

    def __init__(
        self,
        first: NDArray[np.uint64],
        second: NDArray[np.uint64],
        probabilities: NDArray[np.float64],
        read: NDArray[np.int32],
        outcomes: Outcomes,
        mapped: mmap.mmap | None = None,
    ) -> None:
        self.first, self.second, self.probabilities, self.read = first, second, probabilities, read
        self.outcomes = outcomes
        self._mapped = mapped

    def __len__(self) -> int:
        return len(self.first)

    @classmethod
    def of(cls, answers: Answers) -> SortedAnswers:
        """Return *answers* sorted; of several with the same hash, the first."""
        import numpy as np

        first, second = np.ascontiguousarray(answers.hashes.T)
        order = np.argsort(first)
        if (np.diff(first[order]) == 0).any():
            order = np.lexsort((second, first))  # stable
            in_order = answers.hashes[order]
            order = order[np.append(True, (in_order[1:] != in_order[:-1]).any(axis=1))]
        _, probabilities, read, outcomes = answers.at(order)
        return cls(first[order], second[order], probabilities, read, outcomes)

    def unsorted(self) -> Answers:
        """Return the answers as a table, in their present order."""
        import numpy as np

        hashes = np.stack([self.first, self.second], axis=1)
        return Answers(hashes, self.probabilities, self.read, self.outcomes)

    def find(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the position of each of *hashes* [n, 2], -1 where it is not there.

        It is fastest if the first halves ascend.
        """
        import numpy as np

        found = np.full(len(hashes), -1, dtype=np.int64)
        first, second = np.ascontiguousarray(hashes.T)
        places = np.searchsorted(self.first, first)
        rows = np.arange(len(hashes))
        while len(rows := rows[places[rows] < len(self)]):  # once, as all first halves differ but by chance
            rows = rows[self.first[places[rows]] == first[rows]]
            same = self.second[places[rows]] == second[rows]
            found[rows[same]] = places[rows[same]]
            rows = rows[~same]
            places[rows] += 1
        return found

    def forget_pages(self) -> None:
        """Give back the memory into which the file was read; it is read again when it is needed."""
        if self._mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
            self._mapped.madvise(mmap.MADV_DONTNEED)


def write_part(folder: Path, answers: SortedAnswers) -> str:
    """Write *answers*, of which there is nothing else to say, into a file in *folder*; return its checksum.

    The file is on the disk, and not only on its way there, when this returns.
    """
    import pyarrow as pa

    columns = {
        "first": pa.array(answers.first),
        "second": pa.array(answers.second),
        "probabilities": _lists(answers.probabilities),
    }
    if (answers.read != ALL_READ).any():
        columns["read"] = _lists(answers.read)
    table = pa.table(columns)
    new = folder / "new.arrow"
    with finished_or_absent(new) as temporary, temporary.open("r+b") as stream:
        with pa.ipc.new_file(stream, table.schema) as writer:
            writer.write_table(table)
        stream.flush()
        stream.seek(0)
        checksum = hashlib.file_digest(stream, _checksum).hexdigest()
    new.replace(part_path(folder, checksum))
    keep(part_path(folder, checksum))
    return checksum


def part_path(folder: Path, checksum: str) -> Path:
    """Return the path of the part of that *checksum*."""
    return folder / f"PART-{checksum}.arrow"


def read_part(folder: Path, checksum: str) -> SortedAnswers:
    """Return the answers of a part, mapped into memory; raises FormatError if the file was changed."""
    import pyarrow as pa

    path = part_path(folder, checksum)
    try:
        with path.open("rb") as stream:
            if hashlib.file_digest(stream, _checksum).hexdigest() != checksum:
                raise FormatError("the part of the store was changed", where=str(path), hint=_HINT)
            mapped = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise FormatError(
            f"a part of the store cannot be read: {error.strerror}", where=str(path), hint=_HINT
        ) from None
    batch = pa.ipc.open_file(pa.py_buffer(mapped)).get_batch(0)
    first, second = (batch[name].to_numpy() for name in ("first", "second"))
    read = _rows(batch["read"]) if "read" in batch.schema.names else _all_read(len(first))
    outcomes = Outcomes.all_answered(len(first))
    return SortedAnswers(first, second, _rows(batch["probabilities"]), read, outcomes, mapped)


def _checksum() -> Any:
    return hashlib.blake2b(digest_size=16)


def _lists(table: NDArray[Any]) -> pa.FixedSizeListArray:
    """Return the rows of *table* [n, k] as lists of length k."""
    import pyarrow as pa

    return pa.FixedSizeListArray.from_arrays(pa.array(table.reshape(-1)), table.shape[1])


def _rows(lists: pa.FixedSizeListArray) -> NDArray[Any]:
    """Return *lists* of length k as an array [n, k]."""
    values: NDArray[Any] = lists.values.to_numpy()
    return values.reshape(-1, lists.type.list_size)


def _all_read(count: int) -> NDArray[np.int32]:
    import numpy as np

    return np.broadcast_to(np.int32(ALL_READ), (count, 2))
