"""What became of a question to a model: answered, or one of the reasons why there is no answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

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
}


class Outcome(NamedTuple):
    """What became of one question.

    *status* is a key of STATUSES.  *label_mass* is the probability that all labels had together before it
    was normalised to 1, None if that is not known.  *detail* is kept beside the answer in the store of a
    run: values that JSON has.

    >>> Outcome().status, Outcome("refused").status
    ('answered', 'refused')
    """

    status: str = ANSWERED
    label_mass: float | None = None
    detail: Mapping[str, Any] | None = None
