"""Models that ship with the package: rules to compare with, which need no download.

``majority`` says the most frequent label of a corpus's validation set where the test set states it (the
cross-dataset benchmark), else entailment; ``neutral`` always says neutral.  ``overlap`` goes by shared
words and negation.  ``alignment`` is the ALIGN baseline of :mod:`crossexam.models.alignment`.
``bag-of-words`` is fitted: :mod:`crossexam.models.bag_of_words`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.labels import LABEL_INDEX
from crossexam.models import alignment, bag_of_words
from crossexam.models.answers import one_hot
from crossexam.models.model import Model, ModelOptions, Pair

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The share of the hypothesis's words that the premise has: entailment from the first on, contradiction
#: below the second.  Chosen by hand on 27,869 pairs of SNLI's and 20,000 of MultiNLI's training set,
#: where the rule has 45.5 % and 52.1 %.
ENTAILED_FROM: Final = 0.6
CONTRADICTED_BELOW: Final = 0.2


@dataclass(frozen=True)
class Rule:
    """A built-in model: a function of pairs, with its version."""

    name: str
    version: str
    summary: str
    answer: Callable[[Sequence[Pair]], NDArray[np.float64]]

    @property
    def key(self) -> str:
        """Return the hash of the rule's name and version."""
        return hashlib.blake2b(f"{self.name}\x1f{self.version}".encode(), digest_size=16).hexdigest()

    @property
    def details(self) -> Mapping[str, Any]:
        """Return the version of the rule."""
        return {"version": self.version}

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """Return the probabilities of *pairs*: [n, 3]."""
        return self.answer(pairs)


@dataclass(frozen=True)
class Majority(Rule):
    """The rule that looks at what a test set's manifest states of the validation set of its corpus."""

    def predict_sets(
        self, asked: Sequence[Dataset], whole: Sequence[Dataset]
    ) -> dict[str, NDArray[np.float64]]:
        """Return for each of *asked* its corpus's most frequent label (Zhang et al. 2020, section 3.1).

        ``not_entailment`` is half neutral, half contradiction.
        """
        import numpy as np

        found = {}
        for dataset in asked:
            place = dataset.manifest.get("cross_dataset") or {}
            row = _ONLY[place.get("majority") or "entailment"]
            found[dataset.name] = np.tile(np.array(row), (len(dataset), 1))
        return found


_ONLY: Final[dict[str, tuple[float, float, float]]] = {
    "entailment": (1.0, 0.0, 0.0),
    "neutral": (0.0, 1.0, 0.0),
    "contradiction": (0.0, 0.0, 1.0),
    "not_entailment": (0.0, 0.5, 0.5),
}


def _neutral(pairs: Sequence[Pair]) -> NDArray[np.float64]:
    """Return neutral for every pair."""
    return one_hot([LABEL_INDEX["neutral"]] * len(pairs))


def _majority(pairs: Sequence[Pair]) -> NDArray[np.float64]:
    """Return entailment for every pair: the most frequent label of SNLI's training set.

    It does not look at the gold labels of what it is tested on.
    """
    return one_hot([LABEL_INDEX["entailment"]] * len(pairs))


def _overlap(pairs: Sequence[Pair]) -> NDArray[np.float64]:
    """Return labels by negation and by the share of the hypothesis's words that the premise has."""
    return one_hot([LABEL_INDEX[overlap_label(premise, hypothesis)] for premise, hypothesis in pairs])


def overlap_label(premise: str, hypothesis: str) -> str:
    """Return contradiction where only the hypothesis negates, else the label for the shared words.

    >>> overlap_label("A man plays a guitar.", "A man plays."), overlap_label("A man plays.", "Nobody plays.")
    ('entailment', 'contradiction')
    """
    theirs, ours = set(alignment.words(premise)), set(alignment.words(hypothesis))
    if ours & alignment.NEGATION and not theirs & alignment.NEGATION:
        return "contradiction"
    shared = len(ours & theirs) / max(1, len(ours))
    if shared >= ENTAILED_FROM:
        return "entailment"
    return "contradiction" if shared < CONTRADICTED_BELOW else "neutral"


_ALIGN: Final = (
    "ALIGN: words aligned by Levenshtein similarity, fitted on RTE3 dev (Naik et al. 2018, section 4.1)"
)
BUILTINS: Final[dict[str, Rule]] = {
    rule.name: rule
    for rule in (
        Majority(
            "builtin/majority",
            "majority.v2",
            "the most frequent label of the corpus's validation set where it is known, else entailment",
            _majority,
        ),
        Rule(
            "builtin/neutral",
            "neutral.v1",
            "always neutral: what the row Majority of Zhang et al. 2020 answers",
            _neutral,
        ),
        Rule("builtin/overlap", "overlap.v1", "by shared words and negation", _overlap),
        Rule(
            "builtin/alignment",
            "alignment.v1",
            "ALIGN: words aligned by Levenshtein similarity, fitted on "
            "RTE3 dev (Naik et al. 2018, section 4.1)",
            alignment.predict,
        ),
    )
}


#: What each built-in model is, the fitted one too.
SUMMARIES: Final[dict[str, str]] = {
    **{name: rule.summary for name, rule in BUILTINS.items()},
    bag_of_words.SHIPPED: bag_of_words.SUMMARY,
}


def open_builtin(spec: str, options: ModelOptions) -> Model:
    """Return the built-in model called *spec*; raises UnknownNameError, CrossexamError."""
    if options.label_order:
        raise CrossexamError("built-in models have no class order to declare", hint="leave out --label-order")
    name = f"builtin/{spec}"
    if name not in SUMMARIES:
        raise UnknownNameError("built-in model", spec, [each.partition("/")[2] for each in SUMMARIES])
    return bag_of_words.open_shipped() if name == bag_of_words.SHIPPED else BUILTINS[name]
