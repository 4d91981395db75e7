"""The probe: thirty plain pairs that tell in which order a model's classes are.

A model that has learnt NLI at all answers nearly all of them; a wrong class order answers few.  So an
order that fits far worse than another is refused, and a model that no order fits is let through with
a warning: it has learnt nothing yet, but its order cannot be told either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.errors import CrossexamError
from crossexam.core.labels import LABEL_INDEX, Label
from crossexam.models.label_order import ORDERS, Order, is_two_label, order_text, to_label_columns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_E: Final[Label] = "entailment"
_N: Final[Label] = "neutral"
_C: Final[Label] = "contradiction"

# fmt: off
ITEMS: Final[tuple[tuple[str, str, Label], ...]] = (
    ("A man is playing a guitar on the stage.",        "A man is playing an instrument.",           _E),
    ("Two dogs are running across the field.",         "Two animals are running.",                  _E),
    ("A woman in a red coat is buying bread.",         "A woman is buying food.",                   _E),
    ("The children are swimming in the lake.",         "The children are in the water.",            _E),
    ("The old bridge was closed and then torn down.",  "The bridge was closed.",                    _E),
    ("My sister bought a new car last week.",          "My sister bought a vehicle.",               _E),
    ("A boy is eating an apple at the table.",         "A boy is eating fruit.",                    _E),
    ("The committee rejected the plan on Monday.",     "The plan was rejected.",                    _E),
    ("Three women are talking and laughing.",          "Some women are talking.",                   _E),
    ("It is raining heavily in the city.",             "It is raining.",                            _E),
    ("A man is playing a guitar on the stage.",        "The man is famous all over the world.",     _N),
    ("Two dogs are running across the field.",         "The dogs belong to a farmer.",              _N),
    ("A woman in a red coat is buying bread.",         "The woman is buying bread for her mother.", _N),
    ("The children are swimming in the lake.",         "The children came to the lake by bus.",     _N),
    ("The old bridge was closed and then torn down.",  "The bridge was built by the army.",         _N),
    ("My sister bought a new car last week.",          "The new car is blue.",                      _N),
    ("A boy is eating an apple at the table.",         "The boy's father is a doctor.",             _N),
    ("The committee rejected the plan on Monday.",     "The chairman was sad about the decision.",  _N),
    ("Three women are talking and laughing.",          "The women went to school together.",        _N),
    ("It is raining heavily in the city.",             "Many people have forgotten their umbrellas.", _N),
    ("A man is playing a guitar on the stage.",        "Nobody is on the stage.",                   _C),
    ("Two dogs are running across the field.",         "The dogs are sleeping in the house.",       _C),
    ("A woman in a red coat is buying bread.",         "The woman is wearing a green coat.",        _C),
    ("The children are swimming in the lake.",         "The children are sitting in a classroom.",  _C),
    ("The old bridge was closed and then torn down.",  "The old bridge is still standing.",         _C),
    ("My sister bought a new car last week.",          "My sister has never bought a car.",         _C),
    ("A boy is eating an apple at the table.",         "The boy is not eating anything.",           _C),
    ("The committee rejected the plan on Monday.",     "The committee accepted the plan on Monday.", _C),
    ("Three women are talking and laughing.",          "The women are silent.",                     _C),
    ("It is raining heavily in the city.",             "The city is dry and the sky is clear.",     _C),
)
# fmt: on

PAIRS: Final = tuple((premise, hypothesis) for premise, hypothesis, _ in ITEMS)

#: An order is refused where another answers this share more of the probe (9 of 30 items) ...
_MARGIN: Final = 0.3
#: ... and at least this share in all: by chance a third is right, and 18 of 30 once in 400 times.
_LEARNT: Final = 0.6
_TWO_ORDERS: Final[tuple[Order, ...]] = (("entailment", "not_entailment"), ("not_entailment", "entailment"))


@dataclass(frozen=True)
class Verdict:
    """How much of the probe the declared *order* answers, and how much the *best* one does (0 to 1)."""

    order: Order
    share: float
    best: Order
    best_share: float

    @property
    def conflicts(self) -> bool:
        """Tell whether another order fits so much better that the declared one must be wrong."""
        return self.best_share >= _LEARNT and self.best_share - self.share >= _MARGIN

    def as_details(self) -> dict[str, Any]:
        """Return the verdict for a run's manifest, with a warning where the probe proves nothing."""
        details: dict[str, Any] = {"right": round(self.share, 4), "items": len(ITEMS)}
        if self.share < _LEARNT:
            details["warning"] = (
                f"no class order answers the {len(ITEMS)} plain items of the probe well (the declared one "
                f"{100 * self.share:.0f} %, {order_text(self.best)} {100 * self.best_share:.0f} %): the "
                "order could not be verified"
            )
        return details


def judge(probabilities: NDArray[np.float64], order: Order) -> Verdict:
    """Return the verdict on *order*, where the model answered the probe with *probabilities* [30, k].

    >>> import numpy as np
    >>> answers = np.eye(3)[[0] * 10 + [1] * 10 + [2] * 10]
    >>> judge(answers, ("contradiction", "neutral", "entailment")).best
    ('entailment', 'neutral', 'contradiction')
    """
    candidates = _TWO_ORDERS if is_two_label(order) else ORDERS
    shares = {each: _share(probabilities, each) for each in (order, *candidates)}
    best = max(shares, key=lambda each: shares[each])
    return Verdict(order, shares[order], best, shares[best])


def _share(probabilities: NDArray[np.float64], order: Order) -> float:
    """Return the share of the probe that *order* answers; for two labels, the mean of both labels' shares."""
    answers = to_label_columns(probabilities, order)
    if not is_two_label(order):
        right = [
            int(row.argmax()) == LABEL_INDEX[label] for row, (_, _, label) in zip(answers, ITEMS, strict=True)
        ]
        return sum(right) / len(right)
    entailed = answers[:, 0] > 0.5
    gold = [label == _E for _, _, label in ITEMS]
    return sum(_mean([bool(e) == g for e, g in zip(entailed, gold, strict=True) if g == side])
               for side in (True, False)) / 2  # fmt: skip


def _mean(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags)


def refuse_conflict(verdict: Verdict, *, where: str, source: str) -> None:
    """Raise CrossexamError where the probe contradicts the class order, which was had from *source*."""
    if verdict.conflicts:
        raise CrossexamError(
            f"the class order {order_text(verdict.order)} ({source}) answers {100 * verdict.share:.0f} % of "
            f"{len(ITEMS)} plain items, {order_text(verdict.best)} answers {100 * verdict.best_share:.0f} %",
            where=where,
            wanted="a class order that fits the model",
            hint=f"--label-order {order_text(verdict.best)}",
        )
