"""Bag-of-words models as models: ``bow/FOLDER``, and ``builtin/bag-of-words``, which ships.

The one that ships was fitted by ``scripts/fit_bag_of_words.py``; data, settings and accuracies are in the
manifest beside it.  No model needs scikit-learn or a tagger to answer: a word of the vocabulary is a
content word (:mod:`crossexam.shallow.bag_of_words`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.files import read_json
from crossexam.models.fitted_folder import folder_of
from crossexam.models.model import ModelOptions, Pair
from crossexam.shallow.bag_of_words import (
    MANIFEST,
    TABLE,
    BagOfWords,
    check_folder,
    key_of,
    load_bag_of_words,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SHIPPED: Final = "builtin/bag-of-words"
SUMMARY: Final = (
    "softmax regression on words and word pairs, fitted on parts of SNLI and MultiNLI "
    "(Nie et al. 2019, section 5.2)"
)
_FOLDER: Final = files("crossexam.models") / "shipped_bag_of_words"


class BagOfWordsModel:
    """The model in *folder*, read when it is first asked."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self._folder = name, folder

    @cached_property
    def key(self) -> str:
        """The hash of vocabulary and weights."""
        return key_of(self._folder / TABLE)

    @cached_property
    def details(self) -> Mapping[str, Any]:
        """What was fitted on what, from the manifest."""
        manifest = read_json(self._folder / MANIFEST)
        fingerprint = manifest.get("fingerprint", {})
        found = {key: fingerprint.get(key) for key in ("features", "fit")}
        found["train"] = [corpus.get("spec") for corpus in fingerprint.get("train", ())]
        return found

    @cached_property
    def fitted(self) -> BagOfWords:
        """Vocabulary and weights."""
        return load_bag_of_words(self._folder)

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """Return the probabilities of *pairs*: [n, 3]."""
        return self.fitted.probabilities(pairs)

    def strongest(self, top: int) -> dict[str, list[tuple[str, float]]]:
        """Return the *top* features of each label with their weights."""
        return self.fitted.strongest(top)


def open_bag_of_words(spec: str, options: ModelOptions) -> BagOfWordsModel:
    """Return the model in the folder *spec*; raises CrossexamError."""
    folder = folder_of(f"bow/{spec}", spec, options)
    check_folder(folder)
    return BagOfWordsModel(f"bow/{spec}", folder)


def open_shipped() -> BagOfWordsModel:
    """Return the model that comes with the package.

    >>> answers = open_shipped().predict([("A man is sleeping.", "Nobody is asleep."), ("Qwrt.", "Qwrt.")])
    >>> answers.argmax(axis=1)[0].item(), answers.round(2).tolist()[1]  # 2: contradiction
    (2, [0.33, 0.33, 0.33])
    """
    with as_file(_FOLDER) as folder:  # wheels are unpacked where they are installed: the folder stays
        return BagOfWordsModel(SHIPPED, folder)
