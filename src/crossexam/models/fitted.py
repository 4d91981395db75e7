"""Shallow models in folders as models: ``bow/FOLDER``, ``hom/FOLDER``, ``rf/FOLDER``.

One wrapper for every model of :data:`crossexam.shallow.table.SHALLOW`, whose prefix is that of its folders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from crossexam.core.errors import FormatError
from crossexam.core.places import home_expanded
from crossexam.core.sealed import MANIFEST, check_files
from crossexam.corpora.trained import RESTORE, TrainedFolder, TrainedManifest
from crossexam.models.model import Model, NoOptions, Pair
from crossexam.shallow.fitting import FeatureTable, Predictor, ShallowModel
from crossexam.shallow.table import SHALLOW

if TYPE_CHECKING:
    from numpy.typing import NDArray


class FittedModel(Model):
    """The model of the kind *shallow* in *folder*, loaded when it first predicts."""

    name: str

    def __init__(self, name: str, shallow: ShallowModel, folder: Path) -> None:
        self.name, self.shallow, self.folder = name, shallow, folder

    @cached_property
    def key(self) -> str:
        """The hash of the files that the predictions depend on; raises ChangedError if one was changed."""
        check_files(self.folder, self._manifest.files, hint=RESTORE)
        return self.shallow.key(self.folder)

    @cached_property
    def _manifest(self) -> TrainedManifest:
        manifest = TrainedFolder.read(self.folder).manifest
        if manifest.kind != self.shallow.kind:  # it also says of which labels the predictions are
            raise FormatError(
                f"this is not the manifest of a {self.shallow.noun}",
                where=str(self.folder / MANIFEST),
                wanted=f'"kind": "{self.shallow.kind}"',
                hint=RESTORE,
            )
        return manifest

    @cached_property
    def details(self) -> Mapping[str, Any]:
        """The settings and the training corpora, from the manifest."""
        fingerprint = self._manifest.fingerprint
        train = [corpus.get("spec") for corpus in fingerprint.get("train", ())]
        described = {part: fingerprint.get(part) for part in self.shallow.described}
        two = {"two_label": True} if fingerprint.get("two_labels") else {}
        return {**described, "train": train, **two}

    @property
    def fitted_on(self) -> Mapping[str, str]:
        """The SHA-256 of the files of the training corpora, by their names."""
        train = self._manifest.fingerprint.get("train", ())
        return {str(corpus.get("spec")): str(corpus.get("sha256")) for corpus in train}

    @cached_property
    def fitted(self) -> Predictor:
        """The model in memory."""
        return self.shallow.load(self.folder)

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """Return the probabilities of *pairs*: [n, 3]; raises CrossexamError."""
        return self.fitted.probabilities(pairs)

    def features(self, top: int) -> FeatureTable | None:
        """Return what is known of the *top* features, None if features have no names."""
        show = self.shallow.features
        return show(self.name, self.folder, top) if show else None


def open_fitted(name: str, options: NoOptions) -> FittedModel:
    """Return the model ``PREFIX/FOLDER``; raises CrossexamError."""
    prefix, _, spec = name.partition("/")
    shallow = next(model for model in SHALLOW.values() if model.prefix == prefix)
    folder = home_expanded(spec)
    shallow.check_folder(folder)
    return FittedModel(name, shallow, folder)
