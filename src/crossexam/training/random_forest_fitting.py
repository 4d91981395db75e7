"""Fit the random forest: features in one pass over the corpora, then scikit-learn's forest, as arrays.

The paper states no setting.  ``candidates`` is the root of nineteen, as usual; ``min_leaf`` was chosen by
the loss on SNLI dev, with 200 trees fitted on 27,872 pairs of SNLI, among 1, 2, 5, 10 and 20 (0.956, 0.956,
0.954, 0.951, 0.952; accuracies 52.0, 52.1, 52.1, 52.6 and 52.5 %).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from crossexam.core.errors import MissingExtraError
from crossexam.core.example import Example
from crossexam.core.labels import LABEL_INDEX
from crossexam.core.progress import Progress, silent
from crossexam.training.pair_features import FEATURES, PairFeatures
from crossexam.training.random_forest import Forest, RandomForest
from crossexam.training.shallow import all_labels, all_three_way
from crossexam.training.word_vectors import WordVectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_EXAMPLES_AT_ONCE: Final = 1_000


@dataclass(frozen=True)
class ForestSettings:
    """How many ``trees``; how many training pairs a leaf has at least (``min_leaf``); how many features a
    node may choose from (``candidates``); how many levels a tree has at most (``depth``); how many rows of
    the file of word vectors are kept (``words``).
    """

    trees: int = 200
    min_leaf: int = 10
    candidates: int = 4
    depth: int | None = None
    words: int = 400_000


class Importance(NamedTuple):
    """By how much a feature lowers the Gini impurity: its share of all that is lowered, over the trees."""

    feature: str
    mean: float
    deviation: float


class Fitted(NamedTuple):
    """A fitted model; of how many examples, what its features count for, and which words had a vector."""

    model: RandomForest
    examples: int
    importances: tuple[Importance, ...]
    words: int
    found: int


def fit(
    examples: Iterable[Example],
    vectors: WordVectors,
    settings: ForestSettings | None = None,
    *,
    seed: int = 0,
    progress: Progress = silent,
) -> Fitted:
    """Return the forest fitted on *examples*, which are read once and not kept; raises CrossexamError.

    Those without a gold label are left out.
    """
    import numpy as np

    features = PairFeatures(vectors)
    tables: list[NDArray[np.float32]] = []
    labels, words, found = bytearray(), 0, 0
    for part in _parts(examples):
        read = features.of([(example.premise, example.hypothesis) for example in part])
        tables.append(read.features.astype(np.float32))
        labels.extend(LABEL_INDEX[str(example.label)] for example in part)
        words, found = words + read.words, found + read.found
        progress("reading features", len(labels), None)
    gold = np.frombuffer(bytes(labels), dtype=np.uint8)
    all_labels(gold)
    progress("growing trees", 0, None)
    forest, importances = _grown(np.concatenate(tables), gold, settings or ForestSettings(), seed)
    return Fitted(RandomForest(features, forest), len(gold), importances, words, found)


def _parts(examples: Iterable[Example]) -> Iterator[list[Example]]:
    labelled = (example for example in examples if example.label is not None)
    while part := list(islice(labelled, _EXAMPLES_AT_ONCE)):
        all_three_way(part, "training data")
        yield part


def _grown(
    table: NDArray[np.float32], gold: NDArray[Any], settings: ForestSettings, seed: int
) -> tuple[Forest, tuple[Importance, ...]]:
    """Return the forest that tells *gold* [n] by *table* [n, 19], and what its features count for."""
    import numpy as np

    try:
        from sklearn.ensemble import RandomForestClassifier
    except ImportError:
        raise MissingExtraError("scikit-learn", "shallow", "fitting a random forest") from None
    grower = RandomForestClassifier(
        n_estimators=settings.trees,
        min_samples_leaf=settings.min_leaf,
        max_features=settings.candidates,
        max_depth=settings.depth,
        random_state=seed,
        n_jobs=-1,
    )
    grower.fit(table, gold)
    shares = np.array([tree.feature_importances_ for tree in grower.estimators_])  # [t, 19]
    importances = tuple(
        Importance(name, round(float(mean), 6), round(float(deviation), 6))
        for name, mean, deviation in zip(
            FEATURES, grower.feature_importances_, shares.std(axis=0), strict=True
        )
    )
    return arrays_of(grower), importances


def arrays_of(grower: Any) -> Forest:
    """Return the trees of scikit-learn's fitted forest *grower* as arrays."""
    import numpy as np

    trees = [each.tree_ for each in grower.estimators_]
    roots = np.cumsum([0, *(tree.node_count for tree in trees)])[:-1]
    parts: dict[str, list[Any]] = {"left": [], "right": [], "feature": [], "threshold": [], "shares": []}
    for root, tree in zip(roots, trees, strict=True):
        leaf = tree.children_left < 0
        itself = np.arange(tree.node_count)
        parts["left"].append(root + np.where(leaf, itself, tree.children_left))
        parts["right"].append(root + np.where(leaf, itself, tree.children_right))
        parts["feature"].append(np.where(leaf, 0, tree.feature))
        parts["threshold"].append(np.where(leaf, 0.0, tree.threshold))
        counts = tree.value[:, 0, :]  # scikit-learn has had counts here, and shares since 1.3
        shares = counts / counts.sum(axis=1, keepdims=True)
        parts["shares"].append(np.where(leaf[:, None], shares, 0.0))
    joined = {name: np.concatenate(pieces) for name, pieces in parts.items()}
    whole = {"left": np.int32, "right": np.int32, "feature": np.uint8}
    return Forest(
        roots.astype(np.int32),
        **{name: each.astype(whole.get(name, np.float64)) for name, each in joined.items()},
    )
