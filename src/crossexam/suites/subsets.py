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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError
from crossexam.core.labels import most_probable
from crossexam.core.manifest import BASE, TestSetEntry, package_version, signature
from crossexam.suites import lexically_misleading
from crossexam.suites.bases import Base, part_of_base, with_gold, with_notes
from crossexam.suites.build import SuiteRequest, SuiteWriter
from crossexam.suites.lexically_misleading import (
    LAMBDAS,
    VERSION,
    check_lambdas,
    fitted_on_notes,
    selector_facts,
    selector_notes,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from crossexam.models.model import Model
    from crossexam.stats.agreement import Agreement

    Choose = Callable[[Dataset, NDArray[np.float64]], Iterator[Dataset]]


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


def build_cs(request: SuiteRequest, writer: SuiteWriter) -> None:
    """Write each base with the scores of its examples, and its subsets CS_lambda."""
    from crossexam.models.table import open_model

    options: CSOptions = request.options

    def choose(whole: Dataset, probabilities: NDArray[np.float64]) -> Iterator[Dataset]:
        yield lexically_misleading.scored(whole, probabilities)
        for lam in dict.fromkeys(options.lambdas):
            yield lexically_misleading.cs_subset(whole, probabilities, lam)

    lambdas = list(dict.fromkeys(options.lambdas))
    _build(request, writer, open_model(options.model), choose, lambdas, _CS)


def build_hard(request: SuiteRequest, writer: SuiteWriter) -> None:
    """Write each base, and its examples that a hypothesis-only model misclassifies."""
    from crossexam.models.table import open_model

    options: HardOptions = request.options
    if options.model is None:
        raise CrossexamError(
            "the subset of hard examples needs a hypothesis-only model",
            wanted="--model MODEL",
            hint="crossexam train bag-of-words --set premise=false --set pairs=false --set content=false "
            "--set bigrams=true ... -o FOLDER trains one; then pass --model bow/FOLDER",
        )

    def choose(whole: Dataset, probabilities: NDArray[np.float64]) -> Iterator[Dataset]:
        yield Dataset(whole.name, tuple(with_notes(example, {}) for example in whole))
        yield hard(whole, probabilities)

    _build(request, writer, open_model(options.model), choose, None, _HARD)


@dataclass(frozen=True)
class _Subsets:
    """The description of subsets in the manifest: kind, test class, and reason to exclude other examples.

    *notes* returns what must be known of the model that selects the examples of a base.
    """

    kind: str
    test_class: str
    rejected: str
    notes: Callable[[Model, Base], list[str]]


_CS: Final = _Subsets("cs", "compositionality", "score below lambda", selector_notes)
_HARD: Final = _Subsets("hard", "artifacts", "answered rightly", fitted_on_notes)


def _build(
    request: SuiteRequest,
    writer: SuiteWriter,
    model: Model,
    choose: Choose,
    lambdas: Sequence[float] | None,
    subsets: _Subsets,
) -> None:
    from crossexam.models.answers import refuse_unanswered
    from crossexam.runs.run import predict_suite

    if writer.already_built(_identity(request, model, lambdas, subsets)):
        return
    for base in request.bases:
        whole = _whole(base)
        notes = subsets.notes(model, base)
        for note in notes:
            writer.note(f"warning: {note}")
        run = predict_suite(model, whole, progress=writer.progress)
        for dataset in choose(whole, refuse_unanswered(run.probabilities[whole.name], where=model.name)):
            entry = _entry(base, model, dataset, len(whole), subsets, request)
            writer.write(replace(entry, facts=selector_facts(notes)), dataset.examples)
    writer.finish(
        {"bases": "+".join(request.base_identities()), "model": model.key[:16]},
        model={"name": model.name, "key": model.key, **dict(model.details)},
    )


def _identity(
    request: SuiteRequest, model: Model, lambdas: Sequence[float] | None, subsets: _Subsets
) -> dict[str, Any]:
    """Return everything that the files of the suite depend on."""
    return {
        "subset": subsets.kind,
        "bases": request.base_identities(),
        "model": request.options.model,
        "model_key": model.key,
        "lambdas": lambdas,
        "format": request.file_format,
        "limit": request.limit,
        "version": package_version(),
    }


def _whole(base: Base) -> Dataset:
    examples = tuple(example for example in base.open() if example.label is not None)
    if not examples:
        raise CrossexamError(
            f"the base {base.spec} has no examples with a gold label", wanted="at least one example"
        )
    return Dataset(f"{BASE}.{base.part}", examples, {"projection": base.projection.name})


def _entry(
    base: Base, model: Model, dataset: Dataset, examples: int, subsets: _Subsets, request: SuiteRequest
) -> TestSetEntry:
    """Return the manifest entry of *dataset*, which is the base itself or a subset of it."""
    parts: dict[str, object] = {"corpus": f"{base.spec}@{base.identity}"}
    entry = TestSetEntry(
        BASE,
        base.part,
        signature=signature({**parts, **request.limit_part()}),
        projection=base.projection.declaration,
    )
    if dataset.entry.is_base:
        return entry
    name = dataset.entry.construction
    parts |= {"subset": name, "model": model.key[:16], **request.limit_part()}
    return replace(
        entry,
        construction=name,
        version=VERSION,
        test_class=subsets.test_class,
        signature=signature(parts),
        yields={
            "examples": examples,
            "items": len(dataset),
            "rejected": {subsets.rejected: examples - len(dataset)},
        },
    )


NAME: Final = "hard"


def hard(dataset: Dataset, probabilities: NDArray[np.float64]) -> Dataset:
    """Return the labelled examples of *dataset* whose most probable label is not the gold one.

    *probabilities* [n, 3] are the predictions of a hypothesis-only model for *dataset*.

    >>> import numpy as np
    >>> from crossexam.core.example import Example
    >>> pair = Example("a", "He is asleep.", "Nobody is awake.", "entailment")
    >>> len(hard(Dataset("base.tiny", (pair,)), np.array([[0.1, 0.1, 0.8]])))
    1
    """
    examples, answered, gold = with_gold(dataset, probabilities)
    wrong = most_probable(answered) != gold
    kept = tuple(with_notes(e, {}) for e, is_wrong in zip(examples, wrong.tolist(), strict=True) if is_wrong)
    return part_of_base(dataset, NAME, kept)


def agreement_with(official: Dataset, found: Dataset, whole: Dataset) -> Agreement:
    """Return the agreement between *found* and the *official* subset of *whole*, by the ids of examples.

    Raises ValueError if *official* has an example that *whole* lacks.
    """
    from crossexam.stats.agreement import agreement

    ids = [example.id for example in whole if example.label is not None]
    theirs, ours = {example.id for example in official}, {example.id for example in found}
    missing = theirs.difference(ids)
    if missing:
        raise ValueError(
            f"{len(missing)} examples of {official.name} are not in {whole.name}: {min(missing)}"
        )
    return agreement([each in ours for each in ids], [each in theirs for each in ids])
