"""Subsets of corpora as suites: the examples are selected by the predictions of a model.

The subsets CS_lambda are those of Nie et al. (2019), defined in ``lexically_misleading.py``.

The "hard" subset follows Gururangan et al. (2018, Annotation Artifacts in Natural Language Inference Data,
N18-2017, section 3.2), who call the examples easy that a hypothesis-only classifier labels correctly.  Their
classifier is fastText with words and bigrams, trained on all of SNLI; its accuracy on SNLI test is 67 %, and
the remaining 3,261 of 9,824 examples are SNLI-hard.

Here any model can be used; the closest to theirs is ``crossexam train bag-of-words`` with ``premise=false``,
``pairs=false``, ``content=false`` and ``bigrams=true``.  Trained on the 27,872 available pairs of SNLI's
training set, a twentieth of it, its accuracy on SNLI test is 60.6 %.  Of its 3,866 hard examples, 65.3 % are
in the official subset, of which it covers 77.4 %; Cohen's kappa is 0.54.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from crossexam.constructions.apply import ChunkYield, Rejected
from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.labels import LABELS, most_probable
from crossexam.core.manifest import BASE, SELECTED_BY, TestSetEntry
from crossexam.language.parsing.binary import known_parses
from crossexam.suites.bases import Base, unchanged, with_gold
from crossexam.suites.chunks import BaseChunk, ChunkWork, no_examples
from crossexam.suites.lexically_misleading import (
    LAMBDAS,
    VERSION,
    check_lambdas,
    fitted_on_notes,
    misleading,
    selector_facts,
    selector_notes,
    subset_name,
)
from crossexam.suites.plan import BasePass, Resolved, SuitePlan, SuiteRequest, TestSetPlan, projection_of_base

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from crossexam.models.model import Model

#: Returns the examples of the base and of each subset, by name, from the base and the model's predictions.
Choose = Callable[[Dataset, "NDArray[np.float64]"], Mapping[str, list[Example]]]


@dataclass(frozen=True)
class CSOptions:
    """The bag-of-words *model* that computes the scores, and the minimum scores *lambdas*."""

    model: str = "builtin/bag-of-words"
    lambdas: tuple[float, ...] = LAMBDAS

    def __post_init__(self) -> None:
        check_lambdas(self.lambdas)


@dataclass(frozen=True)
class HardOptions:
    """The hypothesis-only *model* whose errors form the subset."""

    model: str | None = None


def plan_cs(request: SuiteRequest) -> SuitePlan:
    """Plan each base with the scores of its examples, and its subsets CS_lambda."""
    options: CSOptions = request.options
    return _planned(request, misleading_subsets(options.model, options.lambdas))


def plan_hard(request: SuiteRequest) -> SuitePlan:
    """Plan each base, and its examples that a hypothesis-only model misclassifies."""
    options: HardOptions = request.options
    if options.model is None:
        raise CrossexamError(
            "the subset of hard examples needs a hypothesis-only model",
            wanted="--model MODEL",
            hint="crossexam train hypothesis-fasttext --train snli:train --dev snli:dev -o FOLDER trains "
            "one; then give --model hom/FOLDER",
        )
    hard_examples = Subsets(
        Selector(options.model), (NAME,), hard, "artifacts", "answered rightly", fitted_on_notes
    )
    return _planned(request, hard_examples)


def _planned(request: SuiteRequest, subsets: Subsets) -> SuitePlan:
    def work(base: Base) -> ChunkWork:
        if not base.has_gold:
            raise no_examples(base)
        makers = (subsets.ready_for(base),)
        return ChunkWork(makers, request.resources(), base.projection, base.part, has_base_set=True)

    passes = [BasePass(base, subsets.plans(request, base), partial(work, base)) for base in request.bases]
    return SuitePlan(passes, subsets.warnings(request.bases), subsets.selector.facts)


@dataclass(frozen=True)
class Selector:
    """The model *spec*, by whose predictions examples are chosen; a copy in another process opens it itself.

    *answers* are the probabilities of all examples, by id, of a model that looks up whole test sets.
    """

    spec: str
    answers: Mapping[str, Sequence[float]] | None = None

    @cached_property
    def model(self) -> Model:
        """The model."""
        from crossexam.models.table import open_model  # stress tests need no model

        return open_model(self.spec)

    def __reduce__(self) -> tuple[Any, ...]:
        return Selector, (self.spec, self.answers)

    def facts(self) -> dict[str, Any]:
        """Return what the manifest of a suite says of the model."""
        return {"model": {"name": self.model.name, "key": self.model.key, **self.model.details}}

    def ready_for(self, base: Base) -> Selector:
        """Return the selector that can be asked about chunks of *base*.

        Raises CrossexamError if so much must not be sent to a server, or if answers are missing.
        """
        from crossexam.runs.run import refuse_many

        if self.model.host is not None:
            refuse_many(self.model, sum(example.label is not None for example in base.open()))
        if self.model.predict_sets is None:
            return self
        whole = Dataset(f"{BASE}.{base.part}", tuple(base.open()), {"projection": base.projection.name})
        found = self.model.predict_sets([whole], [whole])[whole.name].probabilities
        answers = zip((example.id for example in whole), found.tolist(), strict=True)
        return replace(self, answers=dict(answers))

    def probabilities(self, dataset: Dataset) -> NDArray[np.float64]:
        """Return the probabilities of *dataset* [n, 3]; raises CrossexamError if one is missing."""
        from crossexam.models.answers import refuse_unanswered

        return refuse_unanswered(self._found(dataset), where=self.spec)

    def _found(self, dataset: Dataset) -> NDArray[np.float64]:
        from crossexam.models.table import open_model

        if self.answers is not None or not len(dataset):
            known = self.answers or {}
            return np.array([known[example.id] for example in dataset]).reshape(-1, len(LABELS))
        pairs = [(example.premise, example.hypothesis) for example in dataset]
        model = open_model(self.model, tests=[dataset])
        if model.parses is not None:
            model = model.with_parses(known_parses([dataset]))
        model.refuse_asking_about(pairs)
        return model.answered(pairs).probabilities


@dataclass(frozen=True)
class Subsets:
    """Subsets of bases called *names*, made with the base sets: *choose* divides by a model's predictions.

    *test_class* is that of their entries, and *reason* why other examples are left out.  *notes* returns what
    must be known of the model that selects the examples of a base.
    """

    selector: Selector
    names: tuple[str, ...]
    choose: Choose
    test_class: str
    reason: str
    notes: Callable[[Model, Base], list[str]]

    def plans(self, request: SuiteRequest, base: Base, **parts: object) -> list[TestSetPlan]:
        """Return the plans of the set of *base* and of its subsets, which also depend on *parts*."""
        model = self.selector.model
        facts, selected = selector_facts(self.notes(model, base)), {SELECTED_BY: model.key}
        found = partial(projection_of_base, base)
        whole = request.plan_of(base, facts, model=Resolved(model.key), **parts)
        subsets = [
            TestSetPlan(
                TestSetEntry(
                    versioned=f"{name}.v{VERSION}",
                    part=base.part,
                    test_class=self.test_class,
                    facts=facts | selected,
                ),
                request.signed(base, subset=f"{name}.v{VERSION}", model=model.key[:16], **parts),
                found=found,
            )
            for name in self.names
        ]
        return [whole, *subsets]

    def warnings(self, bases: Iterable[Base]) -> list[str]:
        """Return what the user must know of the model."""
        return [f"warning: {note}" for base in bases for note in self.notes(self.selector.model, base)]

    def ready_for(self, base: Base) -> Subsets:
        """Return the subsets whose model can be asked about chunks of *base*; raises CrossexamError."""
        return replace(self, selector=self.selector.ready_for(base))

    def made(self, chunk: BaseChunk, work: ChunkWork) -> dict[str, ChunkYield[list[Example]]]:
        """Return the examples of *chunk* that are in the base set, and in each subset."""
        projection = {"projection": work.projection.name}
        whole = Dataset(f"{BASE}.{work.part}", tuple(chunk.with_gold), projection)
        chosen = self.choose(whole, self.selector.probabilities(whole))
        return {
            name: ChunkYield(len(whole), kept, {self.reason: Rejected(len(whole) - len(kept), 0)})
            for name, kept in chosen.items()
        }


def misleading_subsets(model: str, lambdas: Iterable[float]) -> Subsets:
    """Return the subsets CS_lambda for *lambdas*, by the scores of *model*."""
    distinct = tuple(dict.fromkeys(lambdas))
    return Subsets(
        Selector(model),
        tuple(map(subset_name, distinct)),
        partial(misleading, lambdas=distinct),
        "compositionality",
        "score below lambda",
        selector_notes,
    )


NAME: Final = "hard"


def hard(dataset: Dataset, probabilities: NDArray[np.float64]) -> dict[str, list[Example]]:
    """Return the labelled examples of *dataset*, and those whose most probable label is not the gold one.

    *probabilities* [n, 3] are the predictions of a hypothesis-only model for *dataset*.  The names are
    ``base`` and ``hard``.

    >>> import numpy as np
    >>> from crossexam.core.example import Example
    >>> pair = Example("a", "He is asleep.", "Nobody is awake.", "entailment")
    >>> [*map(len, hard(Dataset("base.tiny", (pair,)), np.array([[0.1, 0.1, 0.8]])).values())]
    [1, 1]
    """
    examples, answered, gold = with_gold(dataset, probabilities)
    whole = list(unchanged(examples))
    wrong = (most_probable(answered) != gold).tolist()
    return {BASE: whole, NAME: [each for each, is_wrong in zip(whole, wrong, strict=True) if is_wrong]}
