"""Random forests over features of pairs as models: ``rf/FOLDER``, RF of Zhang et al. (2020, section 3.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from crossexam.core.errors import FormatError
from crossexam.core.files import read_json
from crossexam.models.fitted_folder import folder_of
from crossexam.models.model import ModelOptions, Pair
from crossexam.shallow.pair_features import FEATURES
from crossexam.shallow.random_forest import MANIFEST, RandomForest, check_folder, key_of, load_random_forest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class FeatureImportance(NamedTuple):
    """How much of the impurity a *feature* takes away: its share, mean and *deviation* over the trees."""

    feature: str
    what: str
    mean: float
    deviation: float


class RandomForestModel:
    """The model in *folder*, read when it is first asked."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self._folder = name, folder

    @cached_property
    def key(self) -> str:
        """The hash of trees and word vectors."""
        return key_of(self._folder)

    @cached_property
    def details(self) -> Mapping[str, Any]:
        """What was fitted on what, from the manifest."""
        fingerprint = read_json(self._folder / MANIFEST).get("fingerprint", {})
        train = [corpus.get("spec") for corpus in fingerprint.get("train", ())]
        return {**{key: fingerprint.get(key) for key in ("forest", "seed", "vectors")}, "train": train}

    @cached_property
    def fitted(self) -> RandomForest:
        """Trees and word vectors."""
        return load_random_forest(self._folder)

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """Return the probabilities of *pairs*: [n, 3]; raises MissingExtraError."""
        return self.fitted.probabilities(pairs)

    def importances(self) -> tuple[FeatureImportance, ...]:
        """Return what the features count for, in the order of the paper; raises FormatError."""
        path = self._folder / MANIFEST
        found = read_json(path).get("importances", {})
        try:
            return tuple(
                FeatureImportance(name, what, *map(float, found[name])) for name, what in FEATURES.items()
            )
        except (KeyError, TypeError, ValueError):
            raise FormatError("no importances of the nineteen features", where=str(path)) from None


def open_random_forest(spec: str, options: ModelOptions) -> RandomForestModel:
    """Return the model in the folder *spec*; raises CrossexamError."""
    folder = folder_of(f"rf/{spec}", spec, options)
    check_folder(folder)
    return RandomForestModel(f"rf/{spec}", folder)
