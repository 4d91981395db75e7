"""Ensembles: ``mean/MODEL,MODEL,...`` answers with the average of its members' probabilities.

As in the ensembles of the RepEval shared task (Nangia et al., 2017, section 4): the members are trained
alike from several seeds, or are different models.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.errors import CrossexamError
from crossexam.models.model import Model, ModelOptions, Pair
from crossexam.models.table import open_model

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_VERSION: Final = "mean.v1"


@dataclass(frozen=True)
class Mean:
    """Several models as one."""

    name: str
    members: tuple[Model, ...]

    @property
    def key(self) -> str:
        """Return a hash of the members' keys, whatever their order."""
        keys = "\x1f".join((_VERSION, *sorted(member.key for member in self.members)))
        return hashlib.blake2b(keys.encode(), digest_size=16).hexdigest()

    @property
    def details(self) -> Mapping[str, Any]:
        """Return what is known of each member, by name."""
        return {"members": {member.name: dict(member.details) for member in self.members}}

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """Return the mean of the members' probabilities of *pairs*: [n, 3]."""
        import numpy as np

        answers = [np.asarray(member.predict(pairs), dtype=np.float64) for member in self.members]
        mean: NDArray[np.float64] = np.mean(answers, axis=0)
        return mean


def open_mean(spec: str, options: ModelOptions) -> Mean:
    """Return the ensemble of the models that *spec* lists; raises CrossexamError.

    >>> open_mean("builtin/majority,builtin/overlap", ModelOptions()).predict([("It rains.", "Ann left.")])
    array([[0.5, 0. , 0.5]])
    """
    names = [name.strip() for name in spec.split(",")]
    where = f"mean/{spec}"
    if len(names) < 2 or not all(names):
        raise CrossexamError("a mean of fewer than two models", where=where, wanted="mean/MODEL,MODEL,...")
    if len(set(names)) < len(names):
        raise CrossexamError("a model twice", where=where, hint="name each once")
    return Mean(where, tuple(open_model(name, options) for name in names))
