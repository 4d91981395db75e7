"""What became of a question to a model: answered, or one of the reasons why there is no answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from crossexam.core.errors import CrossexamError, UnknownNameError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ANSWERED: Final = "answered"
#: The outcomes by name, with what each means; all but the first leave an item without a prediction.
STATUSES: Final[Mapping[str, str]] = {
    ANSWERED: "the model named a label, or gave probabilities",
    "unparsed": "no rule for reading answers found a label in the text",
    "ambiguous": "the text names more than one label",
    "refused": "the model declined to answer",
    "filtered": "a content filter withheld the answer",
    "empty": "the answer has no text",
    "cut": "the answer reached its longest permitted length before it named a label",
    "too_long": "the pair does not fit in the context of the model",
    "unasked": "the question was not put to the model, since the item has no gold label",
}
#: The statuses without an answer.
UNANSWERED: Final = tuple(status for status in STATUSES if status != ANSWERED)
#: The share of unanswered items of a test set above which there are only bounds of its results.
MAX_UNANSWERED: Final = 0.05
#: The number that stands for each status in arrays: its place in STATUSES, so that 0 is answered.
CODES: Final[Mapping[str, int]] = {status: code for code, status in enumerate(STATUSES)}


class Outcome(NamedTuple):
    """What became of one question.

    *status* is a key of STATUSES.  *label_mass* is the total probability of all labels before they were
    normalised, None if it is not known.  *detail*, which must be serializable as JSON, is kept with the
    answer in the store of a run.

    >>> Outcome().status, Outcome("refused").status
    ('answered', 'refused')
    """

    status: str = ANSWERED
    label_mass: float | None = None
    detail: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Outcomes:
    """What became of many questions: the *codes* [n] of their statuses, and the *label_mass* [n].

    The mass is NaN where it is not known, and where there is no answer.
    """

    codes: NDArray[np.int8]
    label_mass: NDArray[np.float64]

    @classmethod
    def all_answered(cls, count: int) -> Outcomes:
        """Return the outcomes of *count* questions that were answered; the arrays are read-only.

        >>> Outcomes.all_answered(2).statuses().tolist()
        ['answered', 'answered']
        """
        import numpy as np

        return cls(
            np.broadcast_to(np.int8(CODES[ANSWERED]), count), np.broadcast_to(np.float64(np.nan), count)
        )

    @classmethod
    def of(cls, outcomes: Sequence[Outcome], count: int) -> Outcomes:
        """Return the *outcomes* of *count* questions as arrays; if there are none, all were answered.

        >>> Outcomes.of([Outcome(), Outcome("cut")], 2).codes.tolist()
        [0, 6]
        """
        import numpy as np

        if not outcomes:
            return cls.all_answered(count)
        codes = np.array([CODES[each.status] for each in outcomes], dtype=np.int8)
        mass = [np.nan if each.label_mass is None else each.label_mass for each in outcomes]
        return cls(codes, np.array(mass, dtype=np.float64))

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Which questions were answered: [n]."""
        mask: NDArray[np.bool_] = self.codes == CODES[ANSWERED]
        return mask

    @property
    def noted(self) -> NDArray[np.bool_]:
        """Which questions were not answered, or have a known label mass: [n]."""
        import numpy as np

        mask: NDArray[np.bool_] = ~self.answered | ~np.isnan(self.label_mass)
        return mask

    def at(self, rows: Any) -> Outcomes:
        """Return the outcomes at *rows*, whatever numpy accepts as an index."""
        return Outcomes(self.codes[rows], self.label_mass[rows])

    def statuses(self) -> NDArray[np.str_]:
        """Return the statuses as strings: [n]."""
        import numpy as np

        names: NDArray[np.str_] = np.array(list(STATUSES))[self.codes]
        return names

    def unanswered(self) -> dict[str, int]:
        """Return the number of questions without an answer by status, in the order of STATUSES.

        >>> Outcomes.of([Outcome("cut"), Outcome(), Outcome("cut")], 3).unanswered()
        {'cut': 2}
        """
        counts = Counter(self.codes[~self.answered].tolist())
        return {status: counts[code] for status, code in CODES.items() if counts[code]}


def check_unanswered(statuses: Iterable[str]) -> list[str]:
    """Return *statuses*, which may be written as reports print them.

    Raises UnknownNameError for anything but the status of an unanswered question.

    >>> check_unanswered(["cut", "too long", "too-long"])
    ['cut', 'too_long', 'too_long']
    """
    given = [status.replace("-", "_").replace(" ", "_") for status in statuses]
    for status in given:
        if status not in UNANSWERED:
            what = f"'{status}' is not a reason for a missing answer"
            raise UnknownNameError("reason for a missing answer", status, UNANSWERED, what=what)
    return given


def check_max_unanswered(share: object) -> float:
    """Return *share* as a number from 0 to 1; raises CrossexamError.

    >>> check_max_unanswered(0.05)
    0.05
    """
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise CrossexamError(
            f"the largest share of unanswered items (max_unanswered) is {share}",
            wanted="a share from 0 to 1, such as 0.05",
        )
    return float(share)
