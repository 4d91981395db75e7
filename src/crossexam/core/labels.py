"""The labels of natural language inference and the names that corpora and models give them.

How a model's three probabilities are read where a corpus has other labels than the three.

A corpus declares its projection in its reader's line (``corpora/readers/table.py``), a test set in its
manifest; where neither says anything, gold labels do: ``not_entailment`` among them means two labels.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from crossexam.core.errors import FormatError, UnknownNameError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Label = Literal["entailment", "neutral", "contradiction"]
Gold = Literal["entailment", "neutral", "contradiction", "not_entailment"]

#: In the hub's order: 0, 1, 2.  Arrays of probabilities have their columns in this order.
LABELS: Final[tuple[Label, ...]] = get_args(Label)
LABEL_INDEX: Final[dict[str, int]] = {label: index for index, label in enumerate(LABELS)}

#: What a gold label may be: the three, and what corpora with two labels call everything not entailed.
GOLDS: Final[tuple[Gold, ...]] = get_args(Gold)
GOLD_INDEX: Final[dict[str, int]] = {label: index for index, label in enumerate(GOLDS)}

# Spellings met in published corpora and in the configurations of published checkpoints.
# fmt: off
SYNONYMS: Final[dict[str, Label]] = {
    "entailment":    "entailment",    "entails":  "entailment",    "entail":  "entailment",
    "entailed":      "entailment",    "e":        "entailment",    "yes":     "entailment",
    "neutral":       "neutral",       "n":        "neutral",       "unknown": "neutral",
    "contradiction": "contradiction", "contradicts": "contradiction", "contradict": "contradiction",
    "contradictory": "contradiction", "c":        "contradiction",
}
# "-" is SNLI's mark for "no majority", -1 the hub's, "hidden" MultiNLI's test.
NO_GOLD: Final[frozenset[str]] = frozenset({"-", "", "-1", "none", "null", "hidden"})
# fmt: on

#: What a two-label model or corpus calls everything that is not entailed.
NOT_ENTAILMENT: Final[frozenset[str]] = frozenset(
    {"not_entailment", "not entailment", "non_entailment", "non-entailment", "not-entailment",
     "not_entailed", "not-entailed", "not entailed"}
)  # fmt: skip


def parse_label(text: object, *, where: str | None = None) -> Gold | None:
    """Return the gold label that *text* names, or None where it says that there is no gold.

    Raises FormatError for anything else.

    >>> parse_label("Entails"), parse_label(2), parse_label("-"), parse_label("not entailed")
    ('entailment', 'contradiction', None, 'not_entailment')
    """
    if text is None:
        return None
    if isinstance(text, int) and not isinstance(text, bool) and 0 <= text < len(LABELS):
        return LABELS[text]
    name = str(text).strip().lower()
    if name in SYNONYMS:
        return SYNONYMS[name]
    if name in NO_GOLD:
        return None
    if name in NOT_ENTAILMENT:
        return "not_entailment"
    if name in {"0", "1", "2"}:
        return LABELS[int(name)]
    raise FormatError(
        f"unknown label {text!r}",
        where=where,
        wanted="entailment, neutral, contradiction or not_entailment, or 0, 1, 2 for the first three; "
        "'-' or -1 for no gold",
    )


@dataclass(frozen=True)
class Projection:
    """The *labels* of a corpus, and the columns of LABELS whose probabilities each adds up.

    Where probabilities of *dropped* columns are all that a row has (a model that gives labels only),
    the row counts as *fallback*.
    """

    name: str
    labels: tuple[Gold, ...]
    columns: tuple[tuple[int, ...], ...]
    says: str
    source: str
    fallback: Gold = "neutral"

    def shares(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return *probabilities* [n, 3] as those of this projection's labels, normalised: [n, k].

        >>> import numpy as np
        >>> PROJECTIONS["two labels"].shares(np.array([[0.4, 0.3, 0.3]])).tolist()
        [[0.4, 0.6]]
        >>> answers = np.array([[0.1, 0.3, 0.6], [0.0, 0.0, 1.0]])
        >>> PROJECTIONS["no contradiction"].shares(answers).round(6).tolist()
        [[0.25, 0.75], [0.0, 1.0]]
        """
        import numpy as np

        given = np.asarray(probabilities, dtype=np.float64)
        added = np.stack([given[:, list(group)].sum(axis=1) for group in self.columns], axis=1)
        total = added.sum(axis=1, keepdims=True)
        nothing = np.zeros(len(self.labels))
        nothing[self.labels.index(self.fallback) if self.fallback in self.labels else -1] = 1.0
        shares: NDArray[np.float64] = np.where(total > 0, added / np.where(total > 0, total, 1.0), nothing)
        return shares

    def predictions(self, probabilities: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the most probable of this projection's labels, as its index in GOLDS: [n].

        >>> import numpy as np
        >>> PROJECTIONS["two labels"].predictions(np.array([[0.4, 0.3, 0.3], [0.6, 0.4, 0.0]])).tolist()
        [3, 0]
        """
        import numpy as np

        places = np.array([GOLD_INDEX[label] for label in self.labels], dtype=np.int64)
        winners: NDArray[np.int64] = places[self.shares(probabilities).argmax(axis=1)]
        return winners


_E, _N, _C = (LABEL_INDEX[label] for label in LABELS)
_PAPER: Final = "Zhang et al. 2020, section 2.2"
THREE_LABELS: Final = Projection(
    "three labels", LABELS, ((_E,), (_N,), (_C,)), "as they are", "the labels of SNLI"
)
PROJECTIONS: Final[dict[str, Projection]] = {
    each.name: each
    for each in (
        THREE_LABELS,
        Projection(
            "two labels",
            ("entailment", "not_entailment"),
            ((_E,), (_N, _C)),
            "not_entailment: the probabilities of neutral and contradiction added",
            _PAPER,
        ),
        Projection(
            "no contradiction",
            ("entailment", "neutral"),
            ((_E,), (_N,)),
            "the probability of contradiction is dropped and the others normalised; "
            "an answer of contradiction alone counts as neutral",
            _PAPER,
        ),
    )
}


def projection_named(name: str) -> Projection:
    """Return the projection called *name*; raises UnknownNameError."""
    if name not in PROJECTIONS:
        raise UnknownNameError("projection", name, PROJECTIONS)
    return PROJECTIONS[name]


def projection_of(manifest: Any, golds: Iterable[Gold | None]) -> Projection:
    """Return the projection that a test set's *manifest* declares, else the one its gold labels need.

    >>> projection_of({}, ["entailment", "not_entailment"]).name
    'two labels'
    """
    declared = manifest.get("projection")
    if declared is not None:
        return projection_named(str(declared))
    return PROJECTIONS["two labels"] if "not_entailment" in set(golds) else THREE_LABELS
