"""The random forest (Breiman, 2001; Zhang et al., 2020, section 3.1) as arrays, and the folder it lives in.

A tree asks one feature a node and goes left where it is at most the threshold; the leaf has the shares of
the labels among the training pairs that came there, and the forest answers with the mean of its trees'.

A model is a folder: ``config.json`` says what was fitted, ``random_forest.npz`` holds the trees,
``word_vectors.npz`` the vectors that the features need (plain arrays, nothing pickled), ``manifest.json``,
written last, how all was had.  Asking it needs no scikit-learn.

Letters: *n* pairs, *t* trees, *m* nodes of all trees together.

Fit the random forest: features in one pass over the corpora, then scikit-learn's forest, as arrays.

The paper states no setting.  ``candidates`` is the root of nineteen, as usual; ``min_leaf`` was chosen by
the loss on SNLI dev, with 200 trees fitted on 27,872 pairs of SNLI, among 1, 2, 5, 10 and 20 (0.956, 0.956,
0.954, 0.951, 0.952; accuracies 52.0, 52.1, 52.1, 52.6 and 52.5 %).
"""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from crossexam.core.errors import CrossexamError, FormatError, MissingExtraError
from crossexam.core.example import Example
from crossexam.core.files import finished_or_absent, read_json, sha256_of, write_json
from crossexam.core.labels import LABEL_INDEX, LABELS
from crossexam.core.progress import Progress, silent
from crossexam.language.word_vectors import WordVectors, load_word_vectors, save_word_vectors
from crossexam.shallow.fitting import all_labels, all_three_way
from crossexam.shallow.pair_features import FEATURES, PairFeatures

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CONFIG: Final = "config.json"
TREES: Final = "random_forest.npz"
VECTORS: Final = "word_vectors.npz"
MANIFEST: Final = "manifest.json"

KIND: Final = "crossexam-random-forest"
FORMAT: Final = 1
_VERSION: Final = "random-forest.v1"
_ROWS_AT_ONCE: Final = 2_000


@dataclass(frozen=True)
class Forest:
    """The nodes of all trees, one tree after another.

    ``roots`` [t] are the first node of each tree; ``left`` and ``right`` [m] the nodes after a node, which
    at a leaf are the leaf itself; ``feature`` and ``threshold`` [m] what a node asks; ``shares`` [m, 3] the
    shares of the labels, as LABELS.

    >>> import numpy as np
    >>> shares = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    >>> left, right, asked = np.array([1, 1, 2]), np.array([2, 1, 2]), np.array([0.3, 0.0, 0.0])
    >>> forest = Forest(np.array([0]), left, right, np.array([0, 0, 0]), asked, shares)
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
        import numpy as np

        rows = np.asarray(features, dtype=np.float32)
        found = [np.zeros((0, len(LABELS)))]
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            leaves = self.leaves(rows[start : start + _ROWS_AT_ONCE])
            added = np.zeros((len(leaves), len(LABELS)))
            for tree in range(len(self.roots)):
                added += self.shares[leaves[:, tree]]
            found.append(added / len(self.roots))
        return np.concatenate(found)

    def leaves(self, rows: NDArray[np.float32]) -> NDArray[np.int64]:
        """Return the leaf that each of *rows* [n, f] comes to in each tree: [n, t]."""
        import numpy as np

        count, trees = len(rows), len(self.roots)
        nodes = np.tile(self.roots.astype(np.int64), count)  # [n * t]
        going = np.arange(count * trees)  # the places that are not at a leaf yet
        while len(going):
            here = nodes[going]
            going, here = (each[self.left[here] != here] for each in (going, here))
            less = rows[going // trees, self.feature[here]] <= self.threshold[here]
            nodes[going] = np.where(less, self.left[here], self.right[here])
        return nodes.reshape(count, trees)


@dataclass(frozen=True)
class RandomForest:
    """What answers pairs: their *features*, and the *forest* that is asked about them."""

    features: PairFeatures
    forest: Forest

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Return the probabilities of *pairs* (premise, hypothesis): [n, 3]; raises MissingExtraError."""
        return self.forest.probabilities(self.features.of(pairs).features)


def save_forest(path: Path, forest: Forest) -> None:
    """Write *forest* to *path*, whole or not at all; its bytes depend on the forest alone."""
    import numpy as np

    arrays: dict[str, Any] = {field.name: getattr(forest, field.name) for field in fields(Forest)}
    with finished_or_absent(path) as temporary, temporary.open("wb") as stream:
        np.savez_compressed(stream, **arrays)


def load_forest(path: Path) -> Forest:
    """Return the forest that :func:`save_forest` wrote; raises FormatError where it is damaged."""
    import numpy as np

    try:
        with np.load(path, allow_pickle=False) as stored:
            forest = Forest(**{name: stored[name] for name in stored.files})
    except (OSError, ValueError, TypeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise FormatError(f"not the trees of a random forest: {error}", where=str(path)) from None
    if not _sound(forest):
        raise FormatError(
            "the trees do not hold together", where=str(path), wanted="a file that training wrote"
        )
    return forest


def _sound(forest: Forest) -> bool:
    """Return whether every walk through *forest* ends: nodes lead onwards, to nodes that are there."""
    import numpy as np

    nodes = len(forest.left)
    whole = (forest.roots, forest.left, forest.right, forest.feature)
    if not all(each.ndim == 1 and each.dtype.kind in "iu" for each in whole) or not len(forest.roots):
        return False
    shaped = forest.threshold.shape == (nodes,) and forest.shares.shape == (nodes, len(LABELS))
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
    write_json(folder / CONFIG, {"kind": KIND, "format": FORMAT, "features": list(FEATURES), **config})


def load_random_forest(folder: Path) -> RandomForest:
    """Return the model in *folder*; raises CrossexamError where there is none."""
    check_folder(folder)
    return RandomForest(PairFeatures(load_word_vectors(folder / VECTORS)), load_forest(folder / TREES))


def check_folder(folder: Path) -> None:
    """Raise CrossexamError where *folder* holds no finished model of this kind."""
    if not all((folder / name).is_file() for name in (CONFIG, MANIFEST, TREES, VECTORS)):
        raise CrossexamError(
            "no random forest is here" if folder.is_dir() else "there is no such folder",
            where=f"rf/{folder}",
            wanted=f"a folder with {CONFIG}, {TREES}, {VECTORS} and {MANIFEST}",
            hint="crossexam train random-forest --train CORPUS --dev CORPUS --vectors FILE -o FOLDER",
        )
    found = read_json(folder / CONFIG)
    if found.get("kind") != KIND or found.get("format") != FORMAT or found.get("features") != list(FEATURES):
        raise FormatError(
            f"this is '{found.get('kind')}', format {found.get('format')}",
            where=str(folder / CONFIG),
            wanted=f"'{KIND}', format {FORMAT}, with the features that this version has",
        )


def key_of(folder: Path) -> str:
    """Return 32 hexadecimal digits that change when trees or word vectors do."""
    parts = (_VERSION, sha256_of(folder / TREES), sha256_of(folder / VECTORS))
    return hashlib.blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()


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
