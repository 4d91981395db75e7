"""The random forest (Breiman, 2001; Zhang et al., 2020, section 3.1) as arrays, and the folder it lives in.

A tree asks one feature a node and goes left where it is at most the threshold; the leaf has the shares of
the labels among the training pairs that came there, and the forest answers with the mean of its trees'.

A model is a folder: ``config.json`` says what was fitted, ``random_forest.npz`` holds the trees,
``word_vectors.npz`` the vectors that the features need (plain arrays, nothing pickled), ``manifest.json``,
written last, how all was had.  Asking it needs no scikit-learn.

Letters: *n* pairs, *t* trees, *m* nodes of all trees together.
"""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.files import finished_or_absent, read_json, sha256_of, write_json
from crossexam.core.labels import LABELS
from crossexam.training.pair_features import FEATURES, PairFeatures
from crossexam.training.word_vectors import load_word_vectors, save_word_vectors

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
        (leaf | onwards).all() and inside.all() and (forest.feature >= 0).all()
        and (forest.roots >= 0).all() and (forest.roots < nodes).all() and np.isfinite(forest.shares).all()
    )  # fmt: skip


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
