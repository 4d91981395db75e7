"""The subsets CS_lambda of a base while a suite is built (Nie et al., 2019, section 5.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from crossexam.constructions.making import Yield
from crossexam.core.dataset import ContentHash, Dataset
from crossexam.core.example import Example
from crossexam.core.signature import signature
from crossexam.models.opening import Model
from crossexam.subsets.lexically_misleading import subset, subset_name
from crossexam.suites.bases import Base

Sink = Callable[[Example], None]


class MisledSet:
    """CS_lambda of a base while it grows: those that *model*, which reads words alone, has wrong."""

    def __init__(self, lam: float, base: Base, model: Model, sink: Sink) -> None:
        self.lam, self.base, self.model = lam, base, model
        self.name = f"{subset_name(lam)}.{base.part}"
        self._sink, self._hash, self._counts = sink, ContentHash(), Yield()

    def take(self, chunk: Sequence[Example], probabilities: Any) -> None:
        """Add those of *chunk* whose score is high enough; *probabilities* [n, 3] are the model's."""
        found = subset(Dataset(f"base.{self.base.part}", tuple(chunk)), probabilities, self.lam)
        for example in found.examples:
            self._hash.update(example)
            self._sink(example)
        self._counts.examples += len(chunk)
        self._counts.items += len(found)
        self._counts.rejected["score below lambda"] += len(chunk) - len(found)

    def entry(self, limit: int | None) -> dict[str, Any]:
        """Return this set's entry of the suite's manifest."""
        kind = f"{subset_name(self.lam)}.v1"
        parts: dict[str, object] = {
            "corpus": f"{self.base.spec}@{self.base.identity}", "subset": kind, "model": self.model.key[:16],
        }  # fmt: skip
        parts |= {"limit": limit} if limit is not None else {}
        return {
            "construction": kind,
            "part": self.base.part,
            "base_set": None,
            "keeps_label": True,
            "test_class": "compositionality",
            "rows": self._counts.items,
            "content_hash": self._hash.hexdigest(),
            "signature": signature(parts),
            "yield": self._counts.as_dict(),
        }
