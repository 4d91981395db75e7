"""Models that ship with the package: baselines that need no download.

``majority`` predicts the most frequent label of a corpus's validation set if the test set states it (the
cross-dataset benchmark), else entailment; ``neutral`` always predicts neutral.  ``polarity`` predicts the
label that the swapped word pair of an item had in training (behaviour suite).  ``overlap`` goes by word
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
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from crossexam.core.columns import info_values
from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import POLARITY
from crossexam.core.labels import LABEL_INDEX, LABELS
from crossexam.core.manifest import CROSS_DATASET
from crossexam.models import alignment
from crossexam.models.answers import one_hot
from crossexam.models.fitted import FittedModel
from crossexam.models.model import Model, NoOptions, Pair, SetAnswers
from crossexam.shallow.bag_of_words import BAG_OF_WORDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The share of the hypothesis's words that are also in the premise: entailment from the first on,
#: contradiction below the second.  Chosen by hand on 27,869 pairs of SNLI's and 20,000 of MultiNLI's training
#: set, on which the rule has 45.5 % and 52.1 %.
ENTAILED_FROM: Final = 0.6
CONTRADICTED_BELOW: Final = 0.2


@dataclass(frozen=True)
class BuiltinRule(Model):
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

    def predict_sets(self, asked: Sequence[Dataset], whole: Sequence[Dataset]) -> dict[str, SetAnswers]:
        """Return, for each of *asked*, its corpus's most frequent label (Zhang et al. 2020, section 3.1).

        ``not_entailment`` is half neutral, half contradiction.
        """
        tables = {}
        for dataset in asked:
            row = _ONLY[dataset.entry.about(CROSS_DATASET).get("majority") or "entailment"]
            tables[dataset.name] = SetAnswers(np.tile(np.array(row), (len(dataset), 1)))
        return tables


@dataclass(frozen=True)
class WordPairPolarity(BuiltinRule):
    """The label that the word pair of an item had most often in training, as the behaviour suite records it.

    A model that relies on this factor alone could reach 89 % on I_TA1 (Sanchez Carmona et al. 2018, section
    6.1).  Tied labels get the same probability, and all three if the pair was not seen; which of them is then
    predicted is decided as for any model (:func:`crossexam.core.labels.most_probable`).
    """

    def predict_sets(self, asked: Sequence[Dataset], whole: Sequence[Dataset]) -> dict[str, SetAnswers]:
        """Return, for each of *asked*, the polarities that its items state; raises CrossexamError."""
        return {dataset.name: SetAnswers(_polarities(dataset)) for dataset in asked}


def _polarities(dataset: Dataset) -> NDArray[np.float64]:
    stated = info_values(dataset.examples, [POLARITY])[POLARITY].each().tolist()
    without = sum(each is None for each in stated)
    if without:
        raise CrossexamError(
            f"{without} of {len(stated)} items do not say with which label their word pair occurs in "
            "training",
            where=f"test set {dataset.name}",
            wanted="test sets of the behaviour suite, which was built from the training corpus",
            hint="crossexam build behaviour --base CORPUS:train",
        )
    rows = np.array([[label in str(each).split("-") for label in LABELS] for each in stated], dtype=float)
    rows = rows.reshape(len(stated), len(LABELS))
    rows[rows.sum(axis=1) == 0] = 1  # "none": the pair was not seen
    shares: NDArray[np.float64] = rows / rows.sum(axis=1, keepdims=True)
    return shares


def _polarity(pairs: Sequence[Pair]) -> NDArray[np.float64]:
    """Raise CrossexamError: a pair of sentences alone does not say which of its words were swapped."""
    raise CrossexamError(
        "builtin/polarity needs the word pair of an item, which the sentences alone do not give",
        wanted="test sets of the behaviour suite, and no ensemble or chunks",
    )


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
        WordPairPolarity(
            "builtin/polarity",
            "polarity.v1",
            "the most frequent label of the word pair in training; behaviour suite only "
            "(Sanchez Carmona et al. 2018, section 6.1)",
            _polarity,
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
    open_onnx, options = (
        resolve_name(f"crossexam.models.onnx.model:{name}") for name in ("open_onnx", "Options")
    )
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
