"""Labelled examples with what a model says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError
from crossexam.core.example import HEAVY_INFO, Example, cluster_of
from crossexam.core.labels import LABEL_INDEX

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def labelled(
    dataset: Dataset, probabilities: NDArray[np.float64]
) -> tuple[tuple[Example, ...], NDArray[np.float64], NDArray[np.int64]]:
    """Return the examples of *dataset* that have a gold label, their probabilities [n, 3] and gold [n].

    Raises ValueError where *probabilities* are not those of *dataset*.
    """
    import numpy as np

    if probabilities.shape != (len(dataset), len(LABEL_INDEX)):
        raise ValueError(f"{probabilities.shape} probabilities for {len(dataset)} examples of {dataset.name}")
    if any(example.label not in (None, *LABEL_INDEX) for example in dataset):
        raise CrossexamError(
            "the gold labels are two, entailment and not_entailment",
            where=dataset.name,
            wanted="a corpus of three labels: the subset is chosen by a model of three",
        )
    kept = [place for place, example in enumerate(dataset) if example.label is not None]
    examples = tuple(dataset.examples[place] for place in kept)
    gold = np.array([LABEL_INDEX[example.label] for example in examples if example.label], dtype=np.int64)
    return examples, probabilities[np.array(kept, dtype=np.int64)], gold


def noted(example: Example, notes: Mapping[str, Any]) -> Example:
    """Return *example* with *notes* in its info and its cluster, without what only constructions read."""
    light = {key: value for key, value in example.info.items() if key not in HEAVY_INFO}
    return replace(example, info={**light, "cluster": cluster_of(example), **notes})


def part_of(dataset: Dataset, name: str, examples: tuple[Example, ...]) -> Dataset:
    """Return *examples* as the subset *name* of *dataset*; ``base.PART`` gives ``name.PART``."""
    part = dataset.name.removeprefix("base.")
    return Dataset(f"{name}.{part}", examples, {"construction": name, "part": part, "base_set": None})
