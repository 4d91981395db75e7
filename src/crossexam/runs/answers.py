"""The answers of a model as arrays: what is stored, looked up, and joined to the items of test sets.

They enter as the batches of a model, and :func:`entered` is where it is checked that they are probabilities.
Afterwards a checksum vouches for them.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.labels import LABELS
from crossexam.core.manifest import RunManifest
from crossexam.core.outcome import ANSWERED, CODES, STATUSES, Outcome, Outcomes
from crossexam.models.answers import not_probabilities
from crossexam.models.model import Batch, CharactersRead, SetAnswers

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Stands for the number of characters that were read where all were.
ALL_READ: Final = -1
#: How far from 1 the sum of three probabilities may be.
_SUM_TOLERANCE: Final = 1e-6
#: What else is known of a batch is compressed if it has more bytes.
_MOST_UNCOMPRESSED: Final = 256
_BYTES: Final = 24  # three doubles
_COMPRESSED: Final = b"\x78"  # how zlib begins; JSON begins with a brace


@dataclass(frozen=True)
class Answers:
    """What a model answered to n questions: *probabilities* [n, 3], NaN where there is no answer.

    *read* [n, 2] says how many characters were read of premise and hypothesis, ALL_READ where all were.
    *outcomes* [n] say why there is no answer.  *details* has what is kept beside single answers, by place.
    """

    probabilities: NDArray[np.float64]
    read: NDArray[np.int32]
    outcomes: Outcomes
    details: dict[int, Mapping[str, Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.probabilities)

    @classmethod
    def plain(cls, probabilities: NDArray[np.float64]) -> Answers:
        """Return *probabilities* of which there is nothing else to say; the other arrays are read-only."""
        count = len(probabilities)
        read = np.broadcast_to(np.int32(ALL_READ), (count, 2))
        return cls(probabilities, read, Outcomes.all_answered(count))

    @classmethod
    def to_fill(cls, probabilities: NDArray[np.float64]) -> Answers:
        """Return the same as :meth:`plain`, but with arrays into which more can be put."""
        count = len(probabilities)
        outcomes = Outcomes(np.zeros(count, dtype=np.int8), np.full(count, np.nan))
        return cls(probabilities, np.full((count, 2), ALL_READ, dtype=np.int32), outcomes)

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """Which questions were not read to their end: [n]."""
        mask: NDArray[np.bool_] = self.read[:, 0] != ALL_READ
        return mask

    @property
    def noted(self) -> NDArray[np.bool_]:
        """Which questions were truncated, or have a status other than answered, or a known mass: [n]."""
        return self.truncated | self.outcomes.noted

    def read_of(self, place: int) -> CharactersRead | None:
        """Return how many characters of one question were read, None for all of them."""
        premise, hypothesis = self.read[place].tolist()
        return None if premise == ALL_READ else CharactersRead(premise, hypothesis)

    def at(self, places: NDArray[np.integer[Any]]) -> Answers:
        """Return the answers at *places*."""
        details = {}
        if self.details:
            old_places = enumerate(places.tolist())
            details = {new: self.details[old] for new, old in old_places if old in self.details}
        return Answers(self.probabilities[places], self.read[places], self.outcomes.at(places), details)

    def put(self, places: NDArray[np.integer[Any]], answers: Answers) -> None:
        """Put what is known of *answers*, but for their probabilities, at *places* of these."""
        self.read[places], self.outcomes.codes[places] = answers.read, answers.outcomes.codes
        self.outcomes.label_mass[places] = answers.outcomes.label_mass
        self.details.update({int(places[place]): detail for place, detail in answers.details.items()})


def entered(batch: Batch, model: str) -> Answers:
    """Return the answers of a *batch* of that *model*, which may be an object of the user.

    Raises CrossexamError unless each row is three probabilities, or NaN if its outcome says that there is no
    answer.
    """
    count, outcomes = len(batch.indices), batch.outcomes
    if len(outcomes) not in (0, count) or not all(map(_is_outcome, outcomes)):
        raise CrossexamError(
            f"the model did not return outcomes for {count} pairs",
            where=model,
            wanted=f"{count} Outcomes or none, each with a status of {', '.join(STATUSES)}, and a label mass "
            "from 0 to 1 only with an answer",
        )
    codes = Outcomes.of(outcomes, count)
    check_probabilities(batch.probabilities, codes, model)
    probabilities = np.asarray(batch.probabilities, dtype=np.float64)
    read = Answers.plain(probabilities).read
    if any(batch.read):
        rows = [(ALL_READ, ALL_READ) if each is None else each for each in batch.read]
        read = np.array(rows, dtype=np.int32).reshape(count, 2)
    details = {place: each.detail for place, each in enumerate(outcomes) if each.detail is not None}
    return Answers(probabilities, read, codes, details)


def _is_outcome(given: object) -> bool:
    """Return whether *given* is an outcome with a known status, and a label mass only with an answer."""
    if not isinstance(given, Outcome) or given.status not in STATUSES:
        return False
    mass = given.label_mass
    return mass is None or (given.status == ANSWERED and 0 <= mass <= 1)


def check_probabilities(table: NDArray[np.float64], outcomes: Outcomes | None, model: str) -> None:
    """Raise CrossexamError unless each row of *table* is three probabilities, or NaN without an answer.

    *outcomes* [n] are those of the questions; if they are None, all were answered.
    """
    known = outcomes or Outcomes.all_answered(len(table))
    count = len(known.codes)
    if getattr(table, "shape", None) != (count, len(LABELS)) or _not_answers(table, known).any():
        raise CrossexamError(
            f"the model did not return probabilities for {count} pairs",
            where=model,
            wanted=f"finite, non-negative numbers, shape ({count}, 3), with rows that sum to 1, or NaN for "
            "pairs whose outcome says that there is no answer",
        )


def _not_answers(table: NDArray[np.float64], outcomes: Outcomes) -> NDArray[np.bool_]:
    """Return which rows [n] of *table* [n, 3] are not three probabilities, or NaN without an answer."""
    wrong = not_probabilities(table, tolerance=_SUM_TOLERANCE)
    missing = ~outcomes.answered
    wrong[missing] = ~np.isnan(table[missing]).all(axis=1)
    return wrong


def run_of(
    model: str,
    datasets: Mapping[str, Dataset],
    answers: Mapping[str, SetAnswers],
    manifest: RunManifest,
) -> Run:
    """Return the run of *model* over *datasets* with these *answers*."""
    return Run(
        model,
        datasets,
        {name: each.probabilities for name, each in answers.items()},
        manifest,
        {name: each.reading for name, each in answers.items() if each.reading is not None},
        {
            name: each.outcomes
            for name, each in answers.items()
            if each.outcomes is not None and each.outcomes.noted.any()
        },
    )


def packed(answers: Answers) -> tuple[bytes, bytes | None]:
    """Return the columns *probabilities* and *more* of a row that has *answers*.

    The former has little-endian doubles, three per answer.  The latter is JSON, compressed by zlib if it is
    long: an object by place for each answer of which there is more to say, None if there is none.  Raises
    TypeError or ValueError if a detail is not JSON.
    """
    statuses, more = list(STATUSES), {}
    for place in sorted({*np.flatnonzero(answers.noted).tolist(), *answers.details}):
        code, mass = answers.outcomes.codes[place], float(answers.outcomes.label_mass[place])
        said = {
            "read": answers.read_of(place),
            "status": statuses[code] if code else None,
            "label_mass": None if math.isnan(mass) else mass,
            "detail": answers.details.get(place),
        }
        more[place] = {name: value for name, value in said.items() if value is not None}
    probabilities = answers.probabilities.astype("<f8").tobytes()
    if not more:
        return probabilities, None
    text = json.dumps(more, allow_nan=False).encode()
    return probabilities, zlib.compress(text) if len(text) > _MOST_UNCOMPRESSED else text


class StoredBatch(NamedTuple):
    """A batch as :func:`packed` returned it."""

    probabilities: bytes
    more: bytes | None

    @property
    def size(self) -> int:
        """The number of its answers."""
        return len(self.probabilities) // _BYTES


def joined(batches: Sequence[StoredBatch]) -> Answers:
    """Return the answers in *batches*, one after another."""
    table = np.frombuffer(b"".join(each.probabilities for each in batches), dtype="<f8").reshape(-1, 3)
    if not any(each.more for each in batches):
        return Answers.plain(table)
    answers, start = Answers.to_fill(table), 0
    for each in batches:
        for key, said in _read_more(each.more).items():
            place = start + int(key)
            answers.read[place] = said.get("read", ALL_READ)
            answers.outcomes.codes[place] = CODES[said.get("status", ANSWERED)]
            answers.outcomes.label_mass[place] = said.get("label_mass", math.nan)
            if "detail" in said:
                answers.details[place] = said["detail"]
        start += each.size
    return answers


def _read_more(more: bytes | None) -> dict[str, Any]:
    """Return what a batch says by place of its answers, besides their probabilities."""
    if more is None:
        return {}
    found: dict[str, Any] = json.loads(zlib.decompress(more) if more.startswith(_COMPRESSED) else more)
    return found
