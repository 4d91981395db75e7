"""The bag-of-words model: softmax regression over indicator features (Nie et al., 2019, section 5.2).

Equation 5 of the paper: ``p(c | x) = exp(w_c . v) / sum over c' of exp(w_c' . v)``, without an intercept,
so that a pair of which no feature is known gets a third for each label.  A model is a folder:
``config.json`` says what was fitted, ``bag_of_words.npz`` holds vocabulary and weights (plain arrays,
nothing pickled), ``manifest.json``, written last, how all was had.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.files import finished_or_absent, read_json, sha256_of, write_json
from crossexam.core.labels import LABELS
from crossexam.training.lexical_features import KINDS, OF_TWO, LexicalFeatures

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CONFIG: Final = "config.json"
TABLE: Final = "bag_of_words.npz"
MANIFEST: Final = "manifest.json"

KIND: Final = "crossexam-bag-of-words"
FORMAT: Final = 1
_VERSION: Final = "bag-of-words.v1"
_PAIRS_AT_ONCE: Final = 20_000


@dataclass(frozen=True)
class BagOfWords:
    """The *features* and what each speaks for each label: *weights* [f, 3], columns as LABELS."""

    features: LexicalFeatures
    weights: NDArray[np.floating[Any]]

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Return the probabilities of *pairs* (premise, hypothesis): [n, 3]."""
        import numpy as np
        from scipy.special import softmax

        weights = self.weights.astype(np.float64)
        found = [np.zeros((0, len(LABELS)))]
        for start in range(0, len(pairs), _PAIRS_AT_ONCE):
            table = self.features.matrix(pairs[start : start + _PAIRS_AT_ONCE])
            found.append(softmax(table @ weights, axis=1))
        return np.concatenate(found)

    def strongest(self, top: int) -> dict[str, list[tuple[str, float]]]:
        """Return, by label, the *top* features that speak most for it, with their weights.

        The weights of a feature sum to 0 over the labels (the penalty sees to it), so that one above 0
        speaks for its label and against the others.
        """
        import numpy as np

        found: dict[str, list[tuple[str, float]]] = {}
        for column, label in enumerate(LABELS):
            weights = self.weights[:, column].astype(np.float64)
            best = np.argsort(-weights, kind="stable")[:top]
            found[label] = list(zip(self.features.names(best), weights[best].tolist(), strict=True))
        return found

    def pruned(self, features: int) -> BagOfWords:
        """Return the model with so many *features* at most: those whose largest weight is largest."""
        import numpy as np

        strength = np.abs(self.weights).max(axis=1)
        kept = np.zeros(len(strength), dtype=bool)
        kept[np.argsort(-strength, kind="stable")[:features]] = True
        return BagOfWords(self.features.only(kept), self.weights[kept])


def save_table(path: Path, model: BagOfWords, dtype: str = "float32") -> None:
    """Write vocabulary and weights to *path*, whole or not at all; its bytes depend on the model alone."""
    import numpy as np

    features, size = model.features, max(1, len(model.features.words))
    arrays: dict[str, Any] = {"words": np.frombuffer("\n".join(features.words).encode(), dtype=np.uint8)}
    for kind, codes in features.codes.items():
        numbers = np.stack(np.divmod(codes, size)) if kind in OF_TWO else codes[None]
        arrays[kind] = numbers.astype(np.uint32)
    arrays["weights"] = model.weights.astype(dtype).T
    with finished_or_absent(path) as temporary, temporary.open("wb") as stream:
        np.savez_compressed(stream, **arrays)


def load_table(stream: IO[bytes] | Path, where: str) -> BagOfWords:
    """Return the model that :func:`save_table` wrote; raises FormatError where it is damaged."""
    import zipfile
    import zlib

    import numpy as np

    try:
        with np.load(stream, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        text = arrays.pop("words").tobytes().decode()
        weights = arrays.pop("weights").T
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise FormatError(f"not the table of a bag-of-words model: {error}", where=where) from None
    words = tuple(text.split("\n")) if text else ()
    codes = {}
    for kind in KINDS:
        if kind in arrays:
            numbers = arrays.pop(kind).astype(np.int64)
            if numbers.ndim != 2 or len(numbers) != 1 + (kind in OF_TWO) or (numbers >= len(words)).any():
                raise FormatError(f"the features '{kind}' do not fit the words", where=where)
            codes[kind] = numbers[0] * len(words) + numbers[1] if kind in OF_TWO else numbers[0]
    features = LexicalFeatures(words, codes)
    if weights.shape != (len(features), len(LABELS)) or arrays or not np.isfinite(weights).all():
        raise FormatError(
            f"weights of shape {weights.shape} for {len(features)} features",
            where=where,
            wanted=f"finite weights ({len(features)}, {len(LABELS)})",
        )
    return BagOfWords(features, weights)


def save_bag_of_words(
    folder: Path, model: BagOfWords, config: dict[str, Any], dtype: str = "float32"
) -> None:
    """Write everything but the manifest into *folder*."""
    save_table(folder / TABLE, model, dtype)
    write_json(folder / CONFIG, {"kind": KIND, "format": FORMAT, **config})


def load_bag_of_words(folder: Path) -> BagOfWords:
    """Return the model in *folder*; raises CrossexamError where there is none."""
    check_folder(folder)
    return load_table(folder / TABLE, str(folder / TABLE))


def check_folder(folder: Path) -> None:
    """Raise CrossexamError where *folder* holds no finished model of this kind."""
    if not all((folder / name).is_file() for name in (CONFIG, MANIFEST, TABLE)):
        raise CrossexamError(
            "no bag-of-words model is here" if folder.is_dir() else "there is no such folder",
            where=f"bow/{folder}",
            wanted=f"a folder with {CONFIG}, {TABLE} and {MANIFEST}",
            hint="crossexam train bag-of-words --train CORPUS --dev CORPUS -o FOLDER makes one",
        )
    found = read_json(folder / CONFIG)
    if found.get("kind") != KIND or found.get("format") != FORMAT:
        raise FormatError(
            f"this is '{found.get('kind')}', format {found.get('format')}",
            where=str(folder / CONFIG),
            wanted=f"'{KIND}', format {FORMAT}",
        )


def key_of(table: Path) -> str:
    """Return 32 hexadecimal digits that change when vocabulary or weights do."""
    return hashlib.blake2b(f"{_VERSION}\x1f{sha256_of(table)}".encode(), digest_size=16).hexdigest()
