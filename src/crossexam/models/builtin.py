"""Models that ship with the package: baselines that need no download.

``majority`` predicts the most frequent label of a corpus's validation set if the test set states it (the
cross-dataset benchmark), else entailment; ``neutral`` always predicts neutral.  ``overlap`` goes by word
overlap and negation.  ``alignment`` is the ALIGN baseline of :mod:`crossexam.models.alignment`.

``bag-of-words`` is the shallow model of :mod:`crossexam.shallow.bag_of_words`, fitted by
``scripts/fit_bag_of_words.py``; data, settings and accuracies are in its manifest.  ``minilm`` is a small
transformer of 8 bits, made by ``scripts/make_minilm.py`` and run by onnxruntime; ``docs/models/minilm.md`` is
its card.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.dataset import Dataset
from crossexam.core.errors import UnknownNameError
from crossexam.core.imports import imported
from crossexam.core.labels import LABEL_INDEX
from crossexam.core.manifest import CROSS_DATASET
from crossexam.models import alignment
from crossexam.models.answers import one_hot
from crossexam.models.fitted import FittedModel
from crossexam.models.model import Model, NoOptions, Pair
from crossexam.shallow.bag_of_words import BAG_OF_WORDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The share of the hypothesis's words that are also in the premise: entailment from the first on,
#: contradiction below the second.  Chosen by hand on 27,869 pairs of SNLI's and 20,000 of MultiNLI's training
#: set, on which the rule has 45.5 % and 52.1 %.
ENTAILED_FROM: Final = 0.6
CONTRADICTED_BELOW: Final = 0.2


@dataclass(frozen=True)
class BuiltinRule:
    """A built-in model: the function *predict_pairs*, with its version."""

    name: str
    version: str
    summary: str
    predict_pairs: Callable[[Sequence[Pair]], NDArray[np.float64]]

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
        return self.predict_pairs(pairs)


@dataclass(frozen=True)
class Majority(BuiltinRule):
    """The most frequent label, as the test set's manifest states it for the validation set of its corpus."""

    def predict_sets(
        self, asked: Sequence[Dataset], whole: Sequence[Dataset]
    ) -> dict[str, NDArray[np.float64]]:
        """Return, for each of *asked*, its corpus's most frequent label (Zhang et al. 2020, section 3.1).

        ``not_entailment`` is half neutral, half contradiction.
        """
        import numpy as np

        tables = {}
        for dataset in asked:
            benchmark = dataset.entry.facts.get(CROSS_DATASET) or {}
            row = _ONLY[benchmark.get("majority") or "entailment"]
            tables[dataset.name] = np.tile(np.array(row), (len(dataset), 1))
        return tables


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

    The gold labels of the test set are not used.
    """
    return one_hot([LABEL_INDEX["entailment"]] * len(pairs))


def _overlap(pairs: Sequence[Pair]) -> NDArray[np.float64]:
    """Return labels by negation and by the share of the hypothesis's words that are in the premise."""
    return one_hot([LABEL_INDEX[overlap_label(premise, hypothesis)] for premise, hypothesis in pairs])


def overlap_label(premise: str, hypothesis: str) -> str:
    """Return contradiction if only the hypothesis has a negation, else the label for the word overlap.

    >>> overlap_label("A man plays a guitar.", "A man plays."), overlap_label("A man plays.", "Nobody plays.")
    ('entailment', 'contradiction')
    """
    theirs, ours = set(alignment.lowercase_words(premise)), set(alignment.lowercase_words(hypothesis))
    if ours & alignment.NEGATION and not theirs & alignment.NEGATION:
        return "contradiction"
    shared = len(ours & theirs) / max(1, len(ours))
    if shared >= ENTAILED_FROM:
        return "entailment"
    return "contradiction" if shared < CONTRADICTED_BELOW else "neutral"


BUILTINS: Final[dict[str, BuiltinRule]] = {
    rule.name: rule
    for rule in (
        Majority(
            "builtin/majority",
            "majority.v2",
            "the most frequent label of the corpus's validation set if it is known, else entailment",
            _majority,
        ),
        BuiltinRule(
            "builtin/neutral",
            "neutral.v1",
            "always neutral, as the row Majority of Zhang et al. 2020",
            _neutral,
        ),
        BuiltinRule("builtin/overlap", "overlap.v1", "by word overlap and negation", _overlap),
        BuiltinRule(
            "builtin/alignment",
            "alignment.v1",
            "ALIGN: words aligned by Levenshtein similarity, fitted on "
            "RTE3 dev (Naik et al. 2018, section 4.1)",
            alignment.predict,
        ),
    )
}


BAG_OF_WORDS_NAME: Final = "builtin/bag-of-words"
BAG_OF_WORDS_FOLDER: Final = files("crossexam.models") / "shipped_bag_of_words"
MINILM_NAME: Final = "builtin/minilm"
MINILM_FOLDER: Final = files("crossexam.models") / "shipped_minilm"

#: A description of each built-in model, the fitted ones included.
SUMMARIES: Final[dict[str, str]] = {
    **{name: rule.summary for name, rule in BUILTINS.items()},
    BAG_OF_WORDS_NAME: "softmax regression on words and word pairs, fitted on parts of SNLI and MultiNLI "
    "(Nie et al. 2019, section 5.2)",
    MINILM_NAME: "a small transformer (MiniLM, 8 bits), fine-tuned on parts of SNLI and MultiNLI",
}


def list_builtins() -> list[tuple[str, str]]:
    """Return the names and descriptions of the built-in models."""
    return list(SUMMARIES.items())


def open_bag_of_words() -> FittedModel:
    """Return the bag-of-words model that ships with the package.

    >>> pairs = [("A man is sleeping.", "Nobody is asleep."), ("Qwrt.", "Qwrt.")]
    >>> shares = open_bag_of_words().predict(pairs)
    >>> shares.argmax(axis=1)[0].item(), shares.round(2).tolist()[1]  # 2: contradiction
    (2, [0.33, 0.33, 0.33])
    """
    with as_file(BAG_OF_WORDS_FOLDER) as folder:  # wheels are unpacked when they are installed: it stays
        return FittedModel(BAG_OF_WORDS_NAME, BAG_OF_WORDS, folder)


def open_minilm() -> Model:
    """Return the transformer that ships with the package.

    >>> shares = open_minilm().predict([("A man is sleeping.", "Nobody is asleep.")])
    >>> shares.argmax().item()  # 2: contradiction
    2
    """
    open_onnx, options = (imported(f"crossexam.models.onnx:{name}") for name in ("open_onnx", "Options"))
    with as_file(MINILM_FOLDER) as folder:
        opened: Model = open_onnx(MINILM_NAME, options(), folder)
    return opened


#: How the models that are not rules are opened.
_OPENERS: Final[dict[str, Callable[[], Model]]] = {
    BAG_OF_WORDS_NAME: open_bag_of_words,
    MINILM_NAME: open_minilm,
}


def open_builtin(name: str, options: NoOptions) -> Model:
    """Return the built-in model *name*; raises UnknownNameError."""
    if name not in SUMMARIES:
        known = [each.partition("/")[2] for each in SUMMARIES]
        raise UnknownNameError("built-in model", name.partition("/")[2], known)
    return _OPENERS[name]() if name in _OPENERS else BUILTINS[name]
