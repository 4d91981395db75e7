"""The "hard" subset: what a model that reads the hypothesis alone gets wrong.

Gururangan et al. (2018, Annotation Artifacts in Natural Language Inference Data, N18-2017, section 3.2):
the easy examples are those that a hypothesis-only classifier gets right.  Theirs is fastText, bags of
words and bigrams, trained on all of SNLI; it gets 67 % of SNLI test right, and the other 3,261 of 9,824
are SNLI-hard.

Ours is any model; the nearest is ``crossexam train bag-of-words`` with ``premise=false``, ``pairs=false``,
``content=false`` and ``bigrams=true``.  Fitted on the 27,872 pairs of SNLI's training set that were at
hand, a twentieth of it, it gets 60.6 % of SNLI test right, and of its 3,866 hard examples
65.3 % are in the official set, which it finds 77.4 % of; Cohen's kappa is 0.54.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crossexam.core.dataset import Dataset
from crossexam.stats.agreement import Agreement, agreement
from crossexam.subsets.scored import labelled, noted, part_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAME: Final = "hard"


def hard(dataset: Dataset, probabilities: NDArray[np.float64]) -> Dataset:
    """Return the labelled examples of *dataset* whose most probable label is not the gold one.

    *probabilities* [n, 3] are a hypothesis-only model's about *dataset*.

    >>> import numpy as np
    >>> from crossexam.core.example import Example
    >>> pair = Example("a", "He is asleep.", "Nobody is awake.", "entailment")
    >>> len(hard(Dataset("base.tiny", (pair,)), np.array([[0.1, 0.1, 0.8]])))
    1
    """
    examples, answered, gold = labelled(dataset, probabilities)
    wrong = answered.argmax(axis=1) != gold
    kept = tuple(noted(e, {}) for e, is_wrong in zip(examples, wrong.tolist(), strict=True) if is_wrong)
    return part_of(dataset, NAME, kept)


def agreement_with(official: Dataset, found: Dataset, whole: Dataset) -> Agreement:
    """Return how far *found* is the *official* subset of *whole*, by the ids of examples.

    Raises ValueError where *official* has an example that *whole* has not.
    """
    ids = [example.id for example in whole if example.label is not None]
    theirs, ours = {example.id for example in official}, {example.id for example in found}
    missing = theirs.difference(ids)
    if missing:
        raise ValueError(
            f"{len(missing)} examples of {official.name} are not in {whole.name}: {min(missing)}"
        )
    return agreement([each in ours for each in ids], [each in theirs for each in ids])
