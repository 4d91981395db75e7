"""Class orders: what the columns of a model's output or of a prediction file stand for.

The order of classes is the commonest silent mistake in evaluating NLI models: checkpoints are
published in all six orders, and many call their classes ``LABEL_0``, ``LABEL_1``, ``LABEL_2``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Final, Literal

from crossexam.core.errors import FormatError
from crossexam.core.labels import LABEL_INDEX, LABELS, NOT_ENTAILMENT, SYNONYMS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ClassName = Literal["entailment", "neutral", "contradiction", "not_entailment"]
Order = tuple[ClassName, ...]

#: The six orders of three classes.
ORDERS: Final[tuple[Order, ...]] = tuple(permutations(LABELS))

#: The order of two named columns.
TWO_LABELS: Final[Order] = ("entailment", "not_entailment")

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
    """Return the class that *text* names, or None where it is no class name.

    >>> class_name("CONTRADICTION"), class_name("not entailment"), class_name("LABEL_0")
    ('contradiction', 'not_entailment', None)
    """
    name = str(text).strip().lower()
    if name in NOT_ENTAILMENT:
        return "not_entailment"
    return SYNONYMS.get(name)


def parse_order(names: Sequence[object], *, where: str) -> Order:
    """Return the class order that *names* declares: three classes, or two of which one is entailment.

    Raises FormatError that says what is wrong with it.

    >>> parse_order(["contradiction", "neutral", "entailment"], where="--label-order")
    ('contradiction', 'neutral', 'entailment')
    """
    wanted = "each of entailment, neutral, contradiction once, or entailment and not_entailment"
    order: list[ClassName] = []
    for name in names:
        found = class_name(name)
        if found is None:
            raise FormatError(f"'{name}' is no class", where=where, wanted=wanted)
        order.append(found)
    three = sorted(order) == sorted(LABELS)
    two = len(order) == 2 and len(set(order)) == 2 and "entailment" in order
    if not (three or two):
        raise FormatError(f"'{','.join(map(str, names))}' is no class order", where=where, wanted=wanted)
    return tuple(order)


def order_text(order: Sequence[str]) -> str:
    """Return *order* as ``--label-order`` takes it."""
    return ",".join(order)


def is_two_label(order: Order) -> bool:
    """Tell whether a model with this order only tells entailment from the rest."""
    return len(order) == 2


def to_label_columns(probabilities: NDArray[np.float64], order: Order) -> NDArray[np.float64]:
    """Return *probabilities* [n, k] in *order* as [n, 3] in the order of ``LABELS``.

    A two-label model says nothing on how what is not entailed divides into neutral and contradiction:
    the whole of P(not_entailment) is put under neutral, so that rows still sum to 1 and P(entailment)
    is untouched; scores of such a model are projected to two labels (``details["two_label"]``).

    >>> import numpy as np
    >>> to_label_columns(np.array([[0.1, 0.2, 0.7]]), ("contradiction", "neutral", "entailment")).tolist()
    [[0.7, 0.2, 0.1]]
    >>> to_label_columns(np.array([[0.25, 0.75]]), ("not_entailment", "entailment")).tolist()
    [[0.75, 0.25, 0.0]]
    """
    import numpy as np

    columns = np.zeros((len(probabilities), len(LABELS)))
    for position, name in enumerate(order):
        label = "neutral" if name == "not_entailment" else name
        columns[:, LABEL_INDEX[label]] = probabilities[:, position]
    return columns


def softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the softmax of each row of *logits* [n, k]."""
    import numpy as np

    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
    return shares


def agreements(winners: Sequence[int], gold: Sequence[str]) -> list[tuple[float, Order]]:
    """Return, best first, each of the six orders with the share of *gold* that *winners* [n] then meets.

    >>> agreements([0, 1, 2, 2], ["neutral", "entailment", "contradiction", "contradiction"])[0]
    (1.0, ('neutral', 'entailment', 'contradiction'))
    """
    scored = []
    for order in ORDERS:
        right = sum(order[winner] == label for winner, label in zip(winners, gold, strict=True))
        scored.append((right / max(1, len(gold)), order))
    return sorted(scored, key=lambda pair: -pair[0])
