"""The random forest over features of pairs (Breiman, 2001; RF of Zhang et al., 2020, section 3.1), as arrays.

A node compares one feature with a threshold and goes left if it is at most the threshold; a leaf has the
shares of the labels among the training pairs that reached it, and the forest predicts the mean over its
trees.  Features are computed in one pass over the corpora, then scikit-learn grows the trees.

The paper states no settings.  ``candidates`` is the square root of nineteen, as usual; ``min_leaf`` was
chosen by the loss on SNLI dev, with 200 trees fitted on 27,872 pairs of SNLI, among 1, 2, 5, 10 and 20
(0.956, 0.956, 0.954, 0.951, 0.952; accuracies 52.0, 52.1, 52.1, 52.6 and 52.5 %).

In the folder of a model ``random_forest.npz`` holds the trees and ``word_vectors.npz`` the vectors that the
features need (plain arrays, nothing pickled).  Predicting does not need scikit-learn.

Letters: *n* pairs, *t* trees, *m* nodes of all trees together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
import numpy as np

from crossexam.core.errors import CrossexamError, FormatError, MissingExtraError
from crossexam.core.example import Example
from crossexam.core.files import archive_errors, finished_or_absent, sha256_of, write_json
from crossexam.core.labels import LABELS, THREE_LABELS, Projection
from crossexam.core.progress import Progress, silent
from crossexam.core.sealed import MANIFEST, typed
from crossexam.corpora.trained import RESTORE, TrainedFolder
from crossexam.language.word_vectors import WordVectors, first_vectors, load_word_vectors, save_word_vectors
from crossexam.shallow.fitting import (
    CONFIG,
    FeatureTable,
    FitRequest,
    RecipeCells,
    ShallowModel,
    all_classes,
    label_columns,
)
from crossexam.shallow.pair_features import FEATURES, PairFeatures

if TYPE_CHECKING:
    from numpy.typing import NDArray

TREES: Final = "random_forest.npz"
VECTORS: Final = "word_vectors.npz"
_ROWS_AT_ONCE: Final = 2_000


@dataclass(frozen=True)
class DecisionTrees:
    """The nodes of all trees, one tree after another.

    ``roots`` [t] are the first node of each tree; ``left`` and ``right`` [m] the children of a node, which
    for a leaf are the leaf itself; ``feature`` and ``threshold`` [m] what a node compares; ``shares`` [m, k]
    the shares of the labels, columns as LABELS or, of a model of two labels, entailment and the rest.

    >>> import numpy as np
    >>> shares = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    >>> left, right, asked = np.array([1, 1, 2]), np.array([2, 1, 2]), np.array([0.3, 0.0, 0.0])
    >>> forest = DecisionTrees(np.array([0]), left, right, np.array([0, 0, 0]), asked, shares)
    >>> forest.probabilities(np.array([[0.2], [0.4]])).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """

    roots: NDArray[np.integer[Any]]
    left: NDArray[np.integer[Any]]
    right: NDArray[np.integer[Any]]
    feature: NDArray[np.integer[Any]]
    threshold: NDArray[np.float64]
    shares: NDArray[np.float64]

    def probabilities(self, features: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        """Return the mean of the trees' shares for the rows of *features* [n, f]: [n, 3].

        Features are compared in 32 bits, as scikit-learn does, and thresholds are in 64.
        """
        rows = np.asarray(features, dtype=np.float32)
        found = [np.zeros((0, len(LABELS)))]
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            leaves = self.leaves(rows[start : start + _ROWS_AT_ONCE])  # [n, t]
            found.append(label_columns(self.shares[leaves].sum(axis=1) / len(self.roots)))
        return np.concatenate(found)

    def leaves(self, rows: NDArray[np.float32]) -> NDArray[np.int64]:
        """Return the leaf that each of *rows* [n, f] reaches in each tree: [n, t]."""
        count, trees = len(rows), len(self.roots)
        nodes = np.tile(self.roots.astype(np.int64), count)  # [n * t]
        going = np.arange(count * trees)  # indices of walks that have not reached a leaf
        while len(going):
            here = nodes[going]
            going, here = (each[self.left[here] != here] for each in (going, here))
            less = rows[going // trees, self.feature[here]] <= self.threshold[here]
            nodes[going] = np.where(less, self.left[here], self.right[here])
        return nodes.reshape(count, trees)


@dataclass(frozen=True)
class RandomForest:
    """A fitted forest: the *features* of pairs, and the *forest* that predicts from them."""

    features: PairFeatures
    forest: DecisionTrees

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Return the probabilities of *pairs* (premise, hypothesis): [n, 3]; raises MissingExtraError."""
        return self.forest.probabilities(self.features.of(pairs).features)


def save_forest(path: Path, forest: DecisionTrees) -> None:
    """Write *forest* to *path*, whole or not at all; its bytes depend on the forest alone."""
    arrays: dict[str, Any] = {field.name: getattr(forest, field.name) for field in fields(DecisionTrees)}
    with finished_or_absent(path) as temporary, temporary.open("wb") as stream:
        np.savez_compressed(stream, **arrays)


def load_forest(path: Path) -> DecisionTrees:
    """Return the forest that :func:`save_forest` wrote; raises FormatError if it is damaged."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            forest = DecisionTrees(**{name: stored[name] for name in stored.files})
    except archive_errors() as error:
        raise FormatError(f"not the trees of a random forest: {error}", where=str(path)) from None
    if not _sound(forest):
        raise FormatError(
            "the nodes do not form decision trees", where=str(path), wanted="a file written by training"
        )
    return forest


def _sound(forest: DecisionTrees) -> bool:
    """Return whether every walk through *forest* ends: children exist, and come after their parents."""
    nodes = len(forest.left)
    whole = (forest.roots, forest.left, forest.right, forest.feature)
    if not all(each.ndim == 1 and each.dtype.kind in "iu" for each in whole) or not len(forest.roots):
        return False
    shaped = forest.threshold.shape == (nodes,) and forest.shares.shape in ((nodes, 2), (nodes, len(LABELS)))
    if not shaped or not all(len(each) == nodes for each in (forest.right, forest.feature)):
        return False
    leaf = forest.left == np.arange(nodes)
    onwards = (forest.left > np.arange(nodes)) & (forest.right > np.arange(nodes))
    inside = (forest.left < nodes) & (forest.right < nodes) & (forest.feature < len(FEATURES))
    return bool(
        (leaf | onwards).all()
        and inside.all()
        and (forest.feature >= 0).all()
        and (forest.roots >= 0).all()
        and (forest.roots < nodes).all()
        and np.isfinite(forest.shares).all()
    )


def save_random_forest(folder: Path, model: RandomForest, config: dict[str, Any]) -> None:
    """Write everything but the manifest into *folder*."""
    save_word_vectors(folder / VECTORS, model.features.vectors)
    save_forest(folder / TREES, model.forest)
    kind = {"kind": RANDOM_FOREST.kind, "format": RANDOM_FOREST.format}
    write_json(folder / CONFIG, {**kind, "features": list(FEATURES), **config})


def load_random_forest(folder: Path) -> RandomForest:
    """Return the model in *folder*; raises CrossexamError if there is none."""
    RANDOM_FOREST.check_folder(folder)
    return RandomForest(PairFeatures(load_word_vectors(folder / VECTORS)), load_forest(folder / TREES))


_EXAMPLES_AT_ONCE: Final = 1_000


@dataclass(frozen=True)
class ForestSettings:
    """The number of ``trees``, the minimum number of training pairs per leaf (``min_leaf``), the number of
    features that a node chooses from (``candidates``), the maximum ``depth`` of a tree, and the number of
    rows that are kept of the file of word vectors (``words``).
    """

    trees: int = 200
    min_leaf: int = 10
    candidates: int = 4
    depth: int | None = None
    words: int = 400_000


class Importance(NamedTuple):
    """The mean decrease in Gini impurity of a *feature*: its share, mean and *deviation* over the trees."""

    feature: str
    mean: float
    deviation: float


class FittedForest(NamedTuple):
    """A fitted model, the number of examples, feature importances, and how many of the *words* have a vector
    (*found*).
    """

    model: RandomForest
    examples: int
    importances: tuple[Importance, ...]
    words: int
    found: int


def fit_random_forest(
    examples: Iterable[Example],
    vectors: WordVectors,
    settings: ForestSettings | None = None,
    *,
    seed: int = 0,
    classes: Projection = THREE_LABELS,
    progress: Progress = silent,
) -> FittedForest:
    """Return the forest fitted on *examples*, which are read once and not kept; raises CrossexamError.

    *classes* are the labels that the model has.  Examples without a gold label are left out.
    """
    features = PairFeatures(vectors)
    tables: list[NDArray[np.float32]] = []
    labels, words, found = bytearray(), 0, 0
    for part in _parts(examples):
        read = features.of([(example.premise, example.hypothesis) for example in part])
        tables.append(read.features.astype(np.float32))
        labels.extend(classes.class_of(example.label) for example in part)
        words, found = words + read.words, found + read.found
        progress("reading features", len(labels), None)
    gold = np.frombuffer(bytes(labels), dtype=np.uint8)
    all_classes(gold, classes)
    progress("growing trees", 0, None)
    forest, importances = _grown(np.concatenate(tables), gold, settings or ForestSettings(), seed)
    return FittedForest(RandomForest(features, forest), len(gold), importances, words, found)


def _parts(examples: Iterable[Example]) -> Iterator[list[Example]]:
    labelled = (example for example in examples if example.label is not None)
    while part := list(islice(labelled, _EXAMPLES_AT_ONCE)):
        yield part


def _grown(
    table: NDArray[np.float32], gold: NDArray[Any], settings: ForestSettings, seed: int
) -> tuple[DecisionTrees, tuple[Importance, ...]]:
    """Return the forest that predicts *gold* [n] from *table* [n, 19], and its feature importances."""
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


def arrays_of(grower: Any) -> DecisionTrees:
    """Return the trees of scikit-learn's fitted forest *grower* as arrays."""
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
    return DecisionTrees(
        roots.astype(np.int32),
        **{name: each.astype(whole.get(name, np.float64)) for name, each in joined.items()},
    )


class _Vectors(msgspec.Struct, frozen=True):
    """The word vectors: their width, how many were kept, and the share of the words that have one."""

    width: int
    words_kept: int
    coverage: float


class _Facts(msgspec.Struct, frozen=True):
    """What the manifest says of a fit; the importances are means and deviations by feature."""

    examples: int
    trees: int
    nodes: int
    importances: Mapping[str, tuple[float, float]]
    vectors: _Vectors


def _fit(
    examples: Iterator[Example], request: FitRequest, parts: Mapping[str, Any]
) -> tuple[RandomForest, _Facts]:
    settings = parts["forest"]
    vectors = first_vectors(_vector_file(request), settings.words, progress=request.progress)
    fitted = fit_random_forest(
        examples, vectors, settings, seed=request.seed, classes=request.classes, progress=request.progress
    )
    forest = fitted.model.forest
    return fitted.model, _Facts(
        examples=fitted.examples,
        trees=len(forest.roots),
        nodes=len(forest.left),
        importances={each.feature: (each.mean, each.deviation) for each in fitted.importances},
        vectors=_Vectors(
            width=int(vectors.rows.shape[1]),
            words_kept=len(vectors.words),
            coverage=round(fitted.found / max(1, fitted.words), 4),
        ),
    )


def _vector_file(request: FitRequest) -> Path:
    """Return the file of word vectors; raises CrossexamError."""
    if request.vectors is None:
        raise CrossexamError(
            "a random forest needs word vectors: six of its features are distances between them",
            hint="--vectors FILE, a text file of GloVe, word2vec or fastText vectors",
        )
    if not request.vectors.is_file():
        raise CrossexamError("no such word-vector file", where=str(request.vectors))
    return request.vectors


def _inputs(request: FitRequest) -> dict[str, Any]:
    path = _vector_file(request)
    return {"seed": request.seed, "vectors": {"file": path.name, "sha256": sha256_of(path)}}


def _check(parts: Mapping[str, Any]) -> None:
    candidates = parts["forest"].candidates
    if candidates > len(FEATURES):
        raise CrossexamError(
            f"'candidates' is {candidates}",
            where="--set",
            wanted=f"at most {len(FEATURES)}, the number of features",
        )


def _lacks(config: Mapping[str, Any]) -> str | None:
    return None if config.get("features") == list(FEATURES) else "the features of this version"


def _columns(facts: _Facts) -> dict[str, str]:
    return {
        "trees": f"{facts.trees:,}",
        "nodes": f"{facts.nodes:,}",
        "words with a vector": f"{100 * facts.vectors.coverage:.1f} %",
    }


def load_importances(folder: Path) -> tuple[Importance, ...]:
    """Return the importances of the features in the manifest of *folder*, in FEATURES' order.

    Raises FormatError.
    """
    facts = TrainedFolder.read(folder).manifest.facts
    stored = typed(facts, _Facts, folder / MANIFEST, hint=RESTORE).importances
    return tuple(Importance(name, *stored[name]) for name in FEATURES)


def _importance_table(name: str, folder: Path, top: int) -> FeatureTable:
    ordered = sorted(load_importances(folder), key=lambda each: -each.mean)
    return FeatureTable(
        f"mean decrease in impurity, in percent, in {name}",
        ("feature", "share", "deviation", "description"),
        (False, True, True, False),
        [
            (each.feature, f"{100 * each.mean:.1f}", f"{100 * each.deviation:.1f}", FEATURES[each.feature])
            for each in ordered[:top]
        ],
        ordered,
        f"{name}: feature importances",
    )


RANDOM_FOREST: Final = ShallowModel(
    name="random-forest",
    alias="rf",
    prefix="rf",
    noun="random forest",
    kind="crossexam-random-forest",
    format=1,
    version="random-forest.v1",
    files=(TREES, VECTORS),
    key_files=(TREES, VECTORS),
    settings={"forest": ForestSettings()},
    inputs=_inputs,
    check=_check,
    takes=frozenset({"--seed", "--vectors"}),
    facts=_Facts,
    fit=_fit,
    save=save_random_forest,
    load=load_random_forest,
    lacks=_lacks,
    described=("forest", "seed", "vectors"),
    recipe=RecipeCells(f"{ForestSettings().trees} trees", "", "", "all", "1"),
    source="Zhang et al. 2020, section 3.1 and appendix B.1",
    paper="Zhang et al. 2020, Reliable Evaluations for NLI, section 3.1 and appendix B.1",
    packages=("scikit-learn", "sacrebleu", "rapidfuzz", "POT", "scipy", "numpy"),
    columns=_columns,
    features=_importance_table,
)
