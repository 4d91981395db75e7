"""The rows of the store: how predictions, and questions without an answer, are packed and checked.

What the store's tables are is in :mod:`crossexam.runs.answer_store`.
"""

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.outcome import ANSWERED, CODES, Outcome, Outcomes
from crossexam.core.sealed import checksum_of_row
from crossexam.models.answers import not_probabilities
from crossexam.models.model import CharactersRead
from crossexam.runs.pair_hashes import as_bytes, from_bytes
from crossexam.runs.stored_answers import ALL_READ, Answers, characters

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: How the status of an answered question is written.
OK: Final = "ok"
#: How far from 1 the sum of three probabilities may be.
SUM_TOLERANCE: Final = 1e-6
#: Details of more bytes are compressed.
_MOST_UNCOMPRESSED: Final = 256

#: What else is known of an answer, as it is stored: JSON, or JSON compressed by zlib.
Detail = str | bytes | None


def checksum_of_batch(model: int, *columns: bytes | None) -> bytes:
    """Return the checksum of the *columns* of a row that holds a batch."""
    lengths = [None if column is None else len(column) for column in columns]
    content = b"".join(column or b"" for column in columns)
    return hashlib.blake2b(repr((model, lengths)).encode() + content, digest_size=8).digest()


def not_answers(table: NDArray[np.float64], outcomes: Outcomes) -> NDArray[np.bool_]:
    """Return which rows [n] of *table* [n, 3] are not three probabilities, or NaN without an answer."""
    import numpy as np

    wrong = not_probabilities(table, tolerance=SUM_TOLERANCE)
    missing = ~outcomes.answered
    wrong[missing] = ~np.isnan(table[missing]).all(axis=1)
    return wrong


def check_stored(table: NDArray[np.float64], outcomes: Outcomes) -> None:
    """Raise DatabaseError if a row of *table* [n, 3] is not what its outcome says."""
    wrong = not_answers(table, outcomes)
    if wrong.any():
        shares = ", ".join(map(str, table[int(wrong.argmax())].tolist()))
        raise sqlite3.DatabaseError(f"a prediction is not three probabilities: {shares}")


def unpacked(packed: bytes) -> tuple[float, float, float]:
    """Return the three numbers that *packed* holds; raises DatabaseError if it does not."""
    try:
        first, second, third = struct.unpack("<3d", packed)
    except (struct.error, TypeError):
        raise sqlite3.DatabaseError("a prediction is not three numbers") from None
    return first, second, third


def from_rows(model: int, rows: Sequence[tuple[Any, ...]]) -> Answers:
    """Return the predictions in *rows* of _COLUMNS; raises DatabaseError if they are not what was stored."""
    import numpy as np

    table = np.array([unpacked(row[1]) for row in rows], dtype=np.float64).reshape(-1, 3)
    read, outcomes = [], []
    for pair, packed, premise, hypothesis, checksum, status, detail, mass in rows:
        more = _more(status, detail, mass)
        if checksum_of_row(model, pair, packed, premise, hypothesis, *more) != checksum:
            raise sqlite3.DatabaseError("a prediction does not have its checksum")
        if status != OK and status not in CODES:
            raise sqlite3.DatabaseError(f"there is no status '{status}'")
        missing = premise is None or hypothesis is None
        read.append(None if missing else CharactersRead(premise, hypothesis))
        outcomes.append(Outcome(ANSWERED if status == OK else status, mass))
    found = Outcomes.of(outcomes, len(rows))
    check_stored(table, found)
    return Answers(from_bytes(b"".join(row[0] for row in rows)), table, characters(read), found)


def _more(status: str, detail: Detail, mass: float | None) -> tuple[object, ...]:
    """Return what the checksum of a row covers besides what format 2 has; nothing if there is nothing."""
    if mass is not None:
        return status, detail, mass
    return () if (status, detail) == (OK, None) else (status, detail)


def packed_detail(detail: Mapping[str, Any] | None) -> Detail:
    """Return *detail* as it is stored; raises TypeError or ValueError if it is not JSON."""
    if detail is None:
        return None
    text = json.dumps(dict(detail), ensure_ascii=False, allow_nan=False)
    encoded = text.encode("utf-8", "surrogatepass")
    return zlib.compress(encoded) if len(encoded) > _MOST_UNCOMPRESSED else text


def unpacked_detail(stored: Detail) -> dict[str, Any] | None:
    """Return the detail that *stored* holds; raises DatabaseError if it does not."""
    if stored is None:
        return None
    try:
        text = stored if isinstance(stored, str) else zlib.decompress(stored).decode("utf-8", "surrogatepass")
        detail: dict[str, Any] = json.loads(text)
    except (zlib.error, ValueError, RecursionError):
        raise sqlite3.DatabaseError("the detail of an answer is not JSON") from None
    return detail


#: What a store has of a model about which nothing was learnt.
NO_FACTS: Final = "{}"


def packed_facts(key: str, facts: Mapping[str, Any]) -> str:
    """Return *facts* on the model with *key* as they are stored: JSON, and a checksum in front of it."""
    text = json.dumps(dict(facts))
    return f"{checksum_of_row(key, text).hex()} {text}"


def sealed_facts(key: str, stored: object) -> object:
    """Return *stored* facts on the model with *key*, which had no checksum before format 5, with one."""
    if not isinstance(stored, str) or not stored.startswith("{") or stored == NO_FACTS:
        return stored
    return f"{checksum_of_row(key, stored).hex()} {stored}"


def unpacked_facts(key: str, stored: object) -> dict[str, Any]:
    """Return the facts on the model with *key* that *stored* holds; raises DatabaseError if it does not."""
    if stored == NO_FACTS:
        return {}
    if not isinstance(stored, str):
        raise sqlite3.DatabaseError("the facts on a model are not text")
    checksum, _, text = stored.partition(" ")
    if checksum != checksum_of_row(key, text).hex():
        raise sqlite3.DatabaseError("the facts on a model do not have their checksum")
    try:
        facts = json.loads(text)
    except (ValueError, RecursionError):
        facts = None
    if not isinstance(facts, dict):
        raise sqlite3.DatabaseError("the facts on a model are not a JSON object")
    return facts


def from_batch(
    model: int, pairs: bytes, probabilities: bytes, read: bytes | None, checksum: bytes
) -> Answers:
    """Return the predictions in a row of batches; raises DatabaseError if they are not what was stored."""
    import numpy as np

    columns = (pairs, probabilities, read)
    if not all(isinstance(column, bytes | None) for column in columns) or (
        checksum_of_batch(model, *columns) != checksum
    ):
        raise sqlite3.DatabaseError("a batch of predictions does not have its checksum")
    hashes = from_bytes(pairs)
    return Answers(
        hashes,
        np.frombuffer(probabilities, dtype="<f8").reshape(-1, 3),
        characters([None] * len(hashes)) if read is None else np.frombuffer(read, dtype="<i4").reshape(-1, 2),
        Outcomes.all_answered(len(hashes)),
    )


def packed_rows(model: int, given: Answers, details: Sequence[Detail]) -> list[tuple[object, ...]]:
    """Return the rows of the table of answers for *given* of the model of that number, with *details* [n]."""
    rows = []
    for pair, shares, part, status, mass, detail in zip(
        as_bytes(given.hashes),
        given.probabilities.tolist(),
        given.read.tolist(),
        given.outcomes.statuses().tolist(),
        given.outcomes.label_mass.tolist(),
        details,
        strict=True,
    ):
        read = (None, None) if part[0] == ALL_READ else tuple(part)
        values = (model, pair, struct.pack("<3d", *shares), *read)
        more = (OK if status == ANSWERED else status, detail, None if math.isnan(mass) else mass)
        rows.append((*values, checksum_of_row(*values, *_more(*more)), *more))
    return rows
