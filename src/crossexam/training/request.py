"""What is to be trained, and what came of it."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final, NamedTuple

from crossexam.core.errors import CrossexamError
from crossexam.core.files import read_json
from crossexam.core.progress import Progress, silent
from crossexam.core.run import Run
from crossexam.core.signature import package_version
from crossexam.training.data import Data
from crossexam.training.folder import MANIFEST
from crossexam.training.plan import Status, unwatched
from crossexam.training.snapshot import refuse_other
from crossexam.training.transforms import Augmentation

_PACKAGES: Final = ("torch", "accelerate", "safetensors", "tokenizers", "transformers", "numpy")


@dataclass(frozen=True)
class Request:
    """A training: the architecture's name or ``hf/FOLDER``, the data, the folder for what comes of it.

    ``values`` are texts by field (``--set``).  ``bias`` is the run of a biased model over the training
    set; without it the method trains one.  A snapshot is written every ``snapshot_steps`` where given.
    """

    name: str
    data: Data
    folder: Path
    seed: int = 0
    values: Mapping[str, str] = field(default_factory=dict)
    vectors: Path | None = None
    ablate_rnn: bool = False
    shuffle_words: bool = False
    augmentations: tuple[Augmentation, ...] = ()
    debias: str | None = None
    bias: Run | None = None
    device: str = "auto"
    precision: str = "auto"
    trackers: tuple[str, ...] = ()
    snapshot_steps: int | None = None
    watch: Callable[[Status], None] = unwatched
    progress: Progress = silent

    def options(self) -> dict[str, Any]:
        """Return the options that change what is trained, for the manifest."""
        return {
            "ablate_rnn": self.ablate_rnn,
            "shuffle_words": self.shuffle_words,
            "augment": [f"{a.name}:{a.count}" if a.count else a.name for a in self.augmentations],
            "debias": self.debias,
            "bias": self.bias.manifest.get("model_key", self.bias.model) if self.bias else None,
        }


class Trained(NamedTuple):
    """A finished training: its folder and its manifest."""

    folder: Path
    manifest: Mapping[str, Any]

    @property
    def accuracy(self) -> float:
        """The best dev accuracy, in percent."""
        return float(self.manifest["scores"]["dev_accuracy"])


def finished_before(folder: Path, fingerprint: Mapping[str, Any]) -> Trained | None:
    """Return the training that *folder* holds, None where there is none.

    Raises CrossexamError where it is another than *fingerprint* says, or no training at all.
    """
    path = folder / MANIFEST
    if not path.exists():
        return None
    manifest = read_json(path)
    if "fingerprint" not in manifest:
        raise CrossexamError(
            "it holds something else than a training", where=str(folder), hint="another folder"
        )
    refuse_other(manifest["fingerprint"], fingerprint, folder)
    return Trained(folder, manifest)


def best_of(curve: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the scores of the best epoch of *curve*, the first of equals."""
    best = max(curve, key=lambda record: record["dev_accuracy"])
    return {"dev_accuracy": best["dev_accuracy"], "dev_loss": best["dev_loss"], "best_epoch": best["epoch"]}


def versions() -> dict[str, str]:
    """Return the versions that a training depends on."""
    found = {"crossexam": package_version(), "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
