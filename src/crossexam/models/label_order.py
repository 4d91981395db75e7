"""Class orders: which label each column of a model's output or of a prediction file is.

A wrong class order is the most common silent mistake in evaluating NLI models: checkpoints are published in
all six orders, and many call their classes ``LABEL_0``, ``LABEL_1``, ``LABEL_2``.

The probe consists of thirty easy pairs that reveal the order of a model's classes.  A model that has learned
NLI at all gets nearly all of them right, in a wrong class order few.  So an order that fits far worse than
another is refused.  A model that no order fits is accepted with a warning: either it has not learned NLI, or
its order cannot be determined.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.labels import (
    COLUMN,
    ENTAILMENT_OR_NOT,
    LABEL_INDEX,
    LABELS,
    NOT_ENTAILMENT,
    SYNONYMS,
    THREE_LABELS,
    Label,
    label_indices,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

ClassName = Literal["entailment", "neutral", "contradiction", "not_entailment"]
Order = tuple[ClassName, ...]

#: The six orders of three classes.
ORDERS: Final[tuple[Order, ...]] = tuple(permutations(LABELS))

#: The order of two named columns.
TWO_LABELS: Final[Order] = ("entailment", "not_entailment")

#: The two orders of two classes.
TWO_ORDERS: Final[tuple[Order, ...]] = (TWO_LABELS, TWO_LABELS[::-1])

_E, _N, _C = LABELS

# Published checkpoints whose configuration calls the classes LABEL_0, LABEL_1, LABEL_2.
# T: https://github.com/QData/TextAttack/issues/684 and textattack/dataset_args.py, where hub label
#    0 (entailment) is the model's 1, hub 1 its 2, hub 2 its 0; without a map there, the hub's order.
# G: trained with the GLUE scripts of transformers 2.9 (github.com/prajjwal1/generalize_lm_nli), whose
#    MnliProcessor.get_labels() is contradiction, entailment, neutral.
# H: "Align label mapping with mnli config of glue dataset", discussion 1 of the checkpoint's page.
# fmt: off
KNOWN_ORDERS: Final[dict[str, Order]] = {
    "textattack/bert-base-uncased-mnli":       (_C, _E, _N),  # T
    "textattack/bert-base-uncased-snli":       (_C, _E, _N),  # T
    "textattack/distilbert-base-uncased-mnli": (_C, _E, _N),  # T
    "textattack/distilbert-base-cased-snli":   (_E, _N, _C),  # T
    "textattack/albert-base-v2-snli":          (_E, _N, _C),  # T
    "prajjwal1/bert-tiny-mnli":                (_C, _E, _N),  # G
    "prajjwal1/bert-mini-mnli":                (_C, _E, _N),  # G
    "prajjwal1/bert-small-mnli":               (_C, _E, _N),  # G
    "prajjwal1/bert-medium-mnli":              (_C, _E, _N),  # G
    "alireza1044/albert-base-v2-mnli":         (_E, _N, _C),  # H
    "blizrys/distilbert-base-uncased-finetuned-mnli": (_E, _N, _C),  # H
}
# fmt: on


def class_name(text: object) -> ClassName | None:
    """Return the class that *text* names, None if it is not the name of a class.

    >>> class_name("CONTRADICTION"), class_name("not entailment"), class_name("LABEL_0")
    ('contradiction', 'not_entailment', None)
    """
    name = str(text).strip().lower()
    if name in NOT_ENTAILMENT:
        return "not_entailment"
    return SYNONYMS.get(name)


def parse_order(names: str | Sequence[object], *, where: str) -> Order:
    """Return the class order that *names* declares: three classes, or two of which one is entailment.

    A text is split at commas.  Raises FormatError if it is not an order of classes.

    >>> parse_order(["contradiction", "neutral", "entailment"], where="--label-order")
    ('contradiction', 'neutral', 'entailment')
    >>> parse_order("entailment, not_entailment", where="--label-order")
    ('entailment', 'not_entailment')
    """
    wanted = "each of entailment, neutral, contradiction once, or entailment and not_entailment"
    names = names.split(",") if isinstance(names, str) else names
    order: list[ClassName] = []
    for name in names:
        found = class_name(name)
        if found is None:
            raise FormatError(f"'{name}' is not a class", where=where, wanted=wanted)
        order.append(found)
    three = sorted(order) == sorted(LABELS)
    two = len(order) == 2 and len(set(order)) == 2 and "entailment" in order
    if not (three or two):
        raise FormatError(f"'{','.join(map(str, names))}' is not a class order", where=where, wanted=wanted)
    return tuple(order)


def order_text(order: Sequence[str]) -> str:
    """Return *order* in the format of ``--label-order``."""
    return ",".join(order)


class NamedLabels:
    """The labels that a model has named so far, which show whether it has two labels or three."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    @property
    def seen(self) -> frozenset[str]:
        """The labels themselves."""
        return frozenset(self._seen)

    @property
    def two_label(self) -> bool:
        """Whether not_entailment is among them."""
        return "not_entailment" in self._seen

    def add(self, names: Iterable[str], *, where: str) -> None:
        """Add *names*; raises FormatError if the labels mix not_entailment with a label that it covers."""
        self._seen.update(names)
        covered = sorted(self._seen & {"neutral", "contradiction"})
        if self.two_label and covered:
            raise FormatError(
                f"some answers are not_entailment, others are {' or '.join(covered)}",
                where=where,
                wanted="either entailment, neutral and contradiction, or entailment and not_entailment",
            )


def is_two_label(order: Order) -> bool:
    """Return whether *order* has only two classes, entailment and not_entailment."""
    return len(order) == 2


def to_label_columns(probabilities: NDArray[np.float64], order: Order) -> NDArray[np.float64]:
    """Return *probabilities* [n, k] in *order* as [n, 3] in the order of ``LABELS``.

    Not_entailment counts as neutral (:data:`~crossexam.core.labels.COLUMN`); scores of a two-label model are
    projected to two labels (``details["two_label"]``).

    >>> import numpy as np
    >>> to_label_columns(np.array([[0.1, 0.2, 0.7]]), ("contradiction", "neutral", "entailment")).tolist()
    [[0.7, 0.2, 0.1]]
    >>> to_label_columns(np.array([[0.25, 0.75]]), ("not_entailment", "entailment")).tolist()
    [[0.75, 0.25, 0.0]]
    """
    columns = np.zeros((len(probabilities), len(LABELS)))
    for position, name in enumerate(order):
        columns[:, COLUMN[name]] = probabilities[:, position]
    return columns


def row_softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the softmax of each row of *logits* [n, k]."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
    return shares


def agreements(
    winners: Sequence[int], gold: Sequence[str], orders: Sequence[Order] = ORDERS
) -> list[tuple[float, Order]]:
    """Return the *orders* with the accuracy of *winners* [n] on *gold* in each, best first.

    Neutral and contradiction agree with the gold label not_entailment.

    >>> agreements([0, 1, 2, 2], ["neutral", "entailment", "contradiction", "contradiction"])[0]
    (1.0, ('neutral', 'entailment', 'contradiction'))
    >>> agreements([2, 0], ["not_entailment", "entailment"], [LABELS])
    [(1.0, ('entailment', 'neutral', 'contradiction'))]
    """
    scored = []
    for order in orders:
        agreeing = [{name, ENTAILMENT_OR_NOT.gold(name)} for name in order]
        right = sum(label in agreeing[winner] for winner, label in zip(winners, gold, strict=True))
        scored.append((right / max(1, len(gold)), order))
    return sorted(scored, key=lambda pair: -pair[0])


# fmt: off
PROBE: Final[tuple[tuple[str, str, Label], ...]] = (
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

PAIRS: Final = tuple((premise, hypothesis) for premise, hypothesis, _ in PROBE)

#: An order is refused if the accuracy on the probe is higher in another by this much (9 of 30 items) ...
_MARGIN: Final = 0.3
#: ... and at least this high: by chance a third is right, and 18 of 30 once in 400 times.
_LEARNT: Final = 0.6


@dataclass(frozen=True)
class ProbeResult:
    """The accuracy (0 to 1) on the probe in the declared *order*, *share*, and in the *best* one."""

    order: Order
    share: float
    best: Order
    best_share: float

    @property
    def conflicts(self) -> bool:
        """Return whether another order fits so much better that the declared one must be wrong."""
        return self.best_share >= _LEARNT and self.best_share - self.share >= _MARGIN

    def as_details(self) -> dict[str, Any]:
        """Return the result for a run's manifest, with a warning if the probe is inconclusive."""
        details: dict[str, Any] = {"right": round(self.share, 4), "items": len(PROBE)}
        if self.share < _LEARNT:
            declared = (
                f"accuracy on the {len(PROBE)} easy items of the probe is {100 * self.share:.0f} % in the "
                f"declared class order, and {100 * self.best_share:.0f} % in "
            )
            if self.best_share - self.share < _MARGIN:
                details["warning"] = (
                    f"{declared}the best one, too small a difference to tell them apart: the order could not "
                    "be verified, because the model is weak on such items"
                )
            else:
                details["warning"] = (
                    f"{declared}another ({order_text(self.best)}): the order could not be verified; declare "
                    "the right one with --label-order"
                )
        return details


def verify_order(probabilities: NDArray[np.float64], order: Order) -> ProbeResult:
    """Return how well *order* fits a model that predicts *probabilities* [30, k] for the probe.

    >>> import numpy as np
    >>> predicted = np.eye(3)[[0] * 10 + [1] * 10 + [2] * 10]
    >>> verify_order(predicted, ("contradiction", "neutral", "entailment")).best
    ('entailment', 'neutral', 'contradiction')
    """
    candidates = TWO_ORDERS if is_two_label(order) else ORDERS
    shares = {each: _share(probabilities, each) for each in (order, *candidates)}
    best = max(shares, key=lambda each: shares[each])
    return ProbeResult(order, shares[order], best, shares[best])


def _share(probabilities: NDArray[np.float64], order: Order) -> float:
    """Return the accuracy on the probe in *order*; for two labels, the mean over both labels."""
    two_labels, columns = is_two_label(order), to_label_columns(probabilities, order)
    predicted: list[int] = label_indices(columns, THREE_LABELS, two_labels=two_labels).tolist()
    if not two_labels:
        return _mean([each == LABEL_INDEX[gold] for each, (_, _, gold) in zip(predicted, PROBE, strict=True)])
    entailed = [each == LABEL_INDEX[_E] for each in predicted]
    gold = [label == _E for _, _, label in PROBE]
    return (
        sum(
            _mean([e == g for e, g in zip(entailed, gold, strict=True) if g == side])
            for side in (True, False)
        )
        / 2
    )


def _mean(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags)


def refuse_conflict(result: ProbeResult, *, where: str, source: str) -> None:
    """Raise CrossexamError if the probe contradicts the class order, which comes from *source*."""
    if result.conflicts:
        raise CrossexamError(
            f"with the class order {order_text(result.order)} ({source}), the model gets "
            f"{100 * result.share:.0f} % of {len(PROBE)} easy items right; with {order_text(result.best)}, "
            f"{100 * result.best_share:.0f} %",
            where=where,
            wanted="a class order that fits the model",
            hint=f"--label-order {order_text(result.best)}",
        )
