"""Compositionality-sensitivity subsets (Nie et al., 2019, sections 5.3 and 5.4).

The lexically-misleading score of an example is the largest probability that a bag-of-words model assigns
to a wrong label (equation 6).  CS_lambda is the set of examples whose score is at least lambda: their words
suggest a wrong label, and only the composition of these words suggests the correct one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError
from crossexam.core.example import SCORE, Example
from crossexam.core.manifest import BASE, SELECTOR_NOTES
from crossexam.suites.bases import Base, with_gold, with_notes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from crossexam.models.model import Model

#: The values of lambda in Table 5.
LAMBDAS: Final = (0.5, 0.6, 0.7)
#: The version of the subsets; any change to the score requires a new one.
VERSION: Final = 1


def lexically_misleading_scores(probabilities: ArrayLike, gold: ArrayLike) -> NDArray[np.float64]:
    """Return the largest probability of a wrong label per example, [n] (equation 6).

    *probabilities* [n, k] are those of a bag-of-words model, *gold* [n] indexes their columns.

    >>> lexically_misleading_scores([[0.7, 0.2, 0.1], [0.7, 0.2, 0.1]], [0, 2]).tolist()
    [0.2, 0.7]
    """
    wrong = np.array(probabilities, dtype=np.float64)
    labels = np.asarray(gold, dtype=np.int64)
    wrong[np.arange(len(labels)), labels] = -np.inf
    scores: NDArray[np.float64] = wrong.max(axis=1, initial=-np.inf)
    return scores


def misleading(
    dataset: Dataset, probabilities: NDArray[np.float64], lambdas: Sequence[float]
) -> dict[str, list[Example]]:
    """Return the labelled examples of *dataset* with their scores in ``info``, and those of each CS_lambda.

    *probabilities* [n, 3] are the predictions of a bag-of-words model for *dataset*.  Examples without a gold
    label have no score and are never included.  The names are ``base`` and ``cs_0_7`` (:func:`subset_name`).

    >>> import numpy as np
    >>> from crossexam.core.example import Example
    >>> pair = Example("a", "He is not standing.", "He is sitting.", "entailment")
    >>> found = misleading(Dataset("base.tiny", (pair,)), np.array([[0.1, 0.1, 0.8]]), [0.7, 0.9])
    >>> {name: [example.info[SCORE] for example in examples] for name, examples in found.items()}
    {'base': [0.8], 'cs_0_7': [0.8], 'cs_0_9': []}
    """
    examples, answered, gold = with_gold(dataset, probabilities)
    scores = lexically_misleading_scores(answered, gold).tolist()
    whole = [with_notes(each, {SCORE: round(score, 6)}) for each, score in zip(examples, scores, strict=True)]
    subsets = {
        subset_name(lam): [each for each, score in zip(whole, scores, strict=True) if score >= lam]
        for lam in lambdas
    }
    return {BASE: whole, **subsets}


def check_lambdas(lambdas: Sequence[float]) -> None:
    """Raise CrossexamError unless all *lambdas* are from 0, which selects all labelled examples, to 1."""
    for lam in lambdas:
        if not 0 <= lam <= 1:
            raise CrossexamError(f"lambda is {lam:g}", wanted="a number from 0 to 1")


def subset_name(lam: float) -> str:
    """Return the name of CS_lambda in test sets, without a dot, which would end the construction's name.

    >>> subset_name(0.7)
    'cs_0_7'
    """
    return f"cs_{lam:g}".replace(".", "_")


#: A training set of SNLI or MultiNLI, or a part of one, in the name of a file or of a part of a test set.
_TRAINING_SET: Final = re.compile(r"(?:^|\W|_)(snli|multinli)(?:_1[._]0)?(?::|_)train(?:\W|_|$)")


def fitted_on_notes(model: Model, base: Base) -> list[str]:
    """Return what must be known of *model*, by which examples of *base* are selected, if it has seen them.

    It was fitted on the same file, or on a part of the same training set.
    """
    for name, sha256 in getattr(model, "fitted_on", {}).items():
        sets = [found[1] for text in (name, base.spec) if (found := _TRAINING_SET.search(text))]
        if base.identity.startswith(sha256[:16]) or (len(sets) == 2 and sets[0] == sets[1]):
            return [
                f"{model.name}, by which examples of {base.spec} are selected, was fitted on {name}: it "
                "knows the labels of examples that it has seen, so that few of them mislead it."
            ]
    return []


def selector_notes(model: Model, base: Base) -> list[str]:
    """Return what must be known of *model*, by whose scores subsets of *base* are selected; often nothing."""
    from crossexam.models.fitted import FittedModel
    from crossexam.shallow.bag_of_words import BAG_OF_WORDS

    notes = fitted_on_notes(model, base)
    if not (isinstance(model, FittedModel) and model.shallow is BAG_OF_WORDS):
        notes.append(
            f"{model.name}, by which examples of {base.spec} are selected, is not known to be a bag-of-words "
            "model: CS are the examples that mislead this model, not those that single words mislead (Nie et "
            "al. 2019, section 5.2)."
        )
    return notes


def selector_facts(notes: Sequence[str]) -> dict[str, Any]:
    """Return the facts of the entry of a test set that *notes* are about.

    >>> selector_facts([])
    {}
    """
    return {SELECTOR_NOTES: list(notes)} if notes else {}
