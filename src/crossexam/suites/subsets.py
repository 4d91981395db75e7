"""Subsets of corpora as suites: what a model answers about a base chooses the examples.

The "hard" subset: what a model that reads the hypothesis alone gets wrong.

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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.files import write_json
from crossexam.core.manifest import package_version, signature
from crossexam.core.progress import Progress, silent
from crossexam.core.test_sets import write_test_set
from crossexam.models.model import Model
from crossexam.models.table import open_model
from crossexam.runs.run import predict_suite
from crossexam.stats.agreement import Agreement, agreement
from crossexam.suites import lexically_misleading
from crossexam.suites.bases import Base, describe, distinct_parts, labelled, noted, part_of
from crossexam.suites.folder import MANIFEST, stands_there

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The kinds of subsets, and where each was published.
KINDS: Final[Mapping[str, str]] = {
    "cs": "Nie et al. 2019, Analyzing Compositionality-Sensitivity of NLI Models, section 5.4",
    "hard": "Gururangan et al. 2018, Annotation Artifacts in Natural Language Inference Data (N18-2017)",
}
_FORMAT: Final = 1


@dataclass(frozen=True)
class SubsetRequest:
    """Which subsets of *bases* are wanted: *kind* ``cs`` with *lambdas*, or ``hard``, chosen by *model*."""

    kind: str
    bases: Sequence[Base]
    model: str
    lambdas: Sequence[float] = lexically_misleading.LAMBDAS
    file_format: str = "parquet"
    limit: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def check(self) -> None:
        """Raise CrossexamError where the request makes no sense."""
        if self.kind not in KINDS:
            raise UnknownNameError("kind of subset", self.kind, KINDS)
        distinct_parts(self.bases)
        for lam in self.lambdas:
            if not 0 < lam <= 1:
                raise CrossexamError(f"--lambda is {lam:g}", wanted="a share above 0, at most 1")

    def identity(self, model: Model) -> dict[str, Any]:
        """Return what the written bytes depend on."""
        return {
            "subset": self.kind,
            "bases": [f"{base.spec}@{base.identity}" for base in self.bases],
            "model": self.model,
            "model_key": model.key,
            "lambdas": list(self.lambdas) if self.kind == "cs" else None,
            "format": self.file_format,
            "limit": self.limit,
            "version": package_version(),
        }


def write_subsets(
    request: SubsetRequest, folder: Path, *, force: bool = False, progress: Progress = silent
) -> bool:
    """Write the bases and the subsets of each into *folder*; return False where they stand there already.

    The manifest is written last.  The examples of ``base.PART`` carry the score too, so that a run over
    the suite has what the curve over lambda needs.  Raises CrossexamError.
    """
    request.check()
    model = open_model(request.model, request.options)
    identity = request.identity(model)
    if stands_there(identity, folder, force=force):
        return False
    entries = {}
    for base in request.bases:
        whole = _whole(base)
        answers = predict_suite(model, whole, options=request.options, progress=progress)
        for dataset in _sets(request, whole, answers.probabilities[whole.name]):
            file = f"{dataset.name}.{request.file_format}"
            write_test_set(folder / file, dataset.examples, file_format=request.file_format)
            entries[dataset.name] = {"file": file, **_entry(request, base, model, dataset, len(whole))}
    write_json(
        folder / MANIFEST,
        {
            "format": _FORMAT,
            "name": f"{request.kind}-subsets",
            "paper": KINDS[request.kind],
            "signature": signature(
                {
                    "suite": f"{request.kind}-subsets",
                    "bases": "+".join(identity["bases"]),
                    "model": model.key[:16],
                }
            ),
            "request": identity,
            "model": {"name": model.name, "key": model.key, **dict(model.details)},
            "bases": [describe(base) for base in request.bases],
            "test_sets": entries,
        },
    )
    return True


def _whole(base: Base) -> Dataset:
    examples = tuple(example for example in base.open() if example.label is not None)
    if not examples:
        raise CrossexamError(f"the base {base.spec} has no examples with a gold label")
    return Dataset(f"base.{base.part}", examples)


def _sets(request: SubsetRequest, whole: Dataset, probabilities: NDArray[np.float64]) -> Iterator[Dataset]:
    if request.kind == "hard":
        yield Dataset(whole.name, tuple(noted(example, {}) for example in whole))
        yield hard(whole, probabilities)
        return
    yield lexically_misleading.scored(whole, probabilities)
    for lam in request.lambdas:
        yield lexically_misleading.subset(whole, probabilities, lam)


def _entry(
    request: SubsetRequest, base: Base, model: Model, dataset: Dataset, examples: int
) -> dict[str, Any]:
    """Return the manifest's entry of *dataset*: the base itself, or a subset of it."""
    kind = str(dataset.manifest.get("construction", "base"))
    is_base = kind == "base"
    parts: dict[str, object] = {"corpus": f"{base.spec}@{base.identity}"}
    if not is_base:
        parts |= {"subset": kind, "model": model.key[:16]}
    parts |= {"limit": request.limit} if request.limit is not None else {}
    left = examples - len(dataset)
    why = "answered rightly" if request.kind == "hard" else "score below lambda"
    return {
        "construction": kind if is_base else f"{kind}.v1",
        "part": base.part,
        "base_set": None,
        "keeps_label": True,
        "test_class": "base" if is_base else "compositionality" if request.kind == "cs" else "artifacts",
        "rows": len(dataset),
        "content_hash": dataset.content_hash(),
        "signature": signature(parts),
        "yield": None if is_base else {"examples": examples, "items": len(dataset), "rejected": {why: left}},
    }


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
