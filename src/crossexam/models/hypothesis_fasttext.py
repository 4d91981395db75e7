"""fastText models of hypotheses as models: ``hom/FOLDER``, the HOM of Zhang et al. (2020, section 3.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crossexam.core.files import read_json
from crossexam.models.fitted_folder import folder_of
from crossexam.models.model import ModelOptions, Pair
from crossexam.shallow.hypothesis_fasttext import (
    MANIFEST,
    HypothesisFastText,
    check_folder,
    key_of,
    load_hypothesis_fasttext,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class HypothesisFastTextModel:
    """The model in *folder*, read when it is first asked."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self._folder = name, folder

    @cached_property
    def key(self) -> str:
        """The hash of vocabulary and weights."""
        return key_of(self._folder)

    @cached_property
    def details(self) -> Mapping[str, Any]:
        """What was fitted on what, from the manifest."""
        fingerprint = read_json(self._folder / MANIFEST).get("fingerprint", {})
        train = [corpus.get("spec") for corpus in fingerprint.get("train", ())]
        return {"fasttext": fingerprint.get("fasttext"), "seed": fingerprint.get("seed"), "train": train}

    @cached_property
    def fitted(self) -> HypothesisFastText:
        """Vocabulary and weights."""
        return load_hypothesis_fasttext(self._folder)

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """Return the probabilities of *pairs*, whose premises are not read: [n, 3]."""
        return self.fitted.probabilities(pairs)


def open_hypothesis_fasttext(spec: str, options: ModelOptions) -> HypothesisFastTextModel:
    """Return the model in the folder *spec*; raises CrossexamError."""
    folder = folder_of(f"hom/{spec}", spec, options)
    check_folder(folder)
    return HypothesisFastTextModel(f"hom/{spec}", folder)
