"""The verbs of the command line as functions, for notebooks and programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crossexam.core.dataset import Dataset, Run, Suite
from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Estimate
from crossexam.core.example import Example

if TYPE_CHECKING:
    from crossexam.constructions.check import Finding
    from crossexam.evaluation.comparison import Comparison
    from crossexam.reports.report import Report
    from crossexam.suites.bases import Base

BaseLike = str | Path | Dataset | Iterable[Example]


def load(spec: str | Path, *, columns: Mapping[str, str] | None = None, skip_bad: bool = False) -> Dataset:
    """Return the corpus that *spec* names: a split (``snli:dev``), a file, or a slice (``snli:dev[::2]``).

    Raises CrossexamError if there is no such corpus, FormatError if a record is malformed.

    >>> len(load("builtin:demo")) >= 300
    True
    """
    from crossexam.corpora.spec import read_corpus

    return read_corpus(spec, columns=columns, skip_bad=skip_bad)


def load_suite(folder: str | Path) -> Suite:
    """Return the suite that ``crossexam build`` wrote into *folder*."""
    from crossexam.core.test_sets import load_suite as read

    return read(Path(folder))


def load_run(folder: str | Path) -> Run:
    """Return the run that ``crossexam run`` wrote into *folder*."""
    from crossexam.runs.folder import read_run

    return read_run(Path(folder))


def _as_base(data: BaseLike, limit: int | None) -> Base:
    from crossexam.suites.bases import base_from_examples, base_from_spec

    if isinstance(data, str | Path):
        return base_from_spec(str(data), limit=limit)
    return base_from_examples(data, limit=limit)


def build(
    suite: str,
    base: BaseLike | None = None,
    *,
    word_problems: BaseLike | None = None,
    seed: int = 0,
    limit: int | None = None,
    tagger: str = "auto",
    entities: str = "auto",
    tautology: str | None = None,
    indirect: bool = False,
    as_published: bool = False,
    parser: str = "auto",
    adjectives: str | None = None,
    both_directions: bool = False,
    folder: str | Path | None = None,
) -> Suite:
    """Return the test sets of *suite* (or of one construction) built from *base*.

    *base* is a corpus name, a path, a Dataset or examples; of ``cross-dataset`` one of its corpora, or
    None for all that are installed.  With *folder* the suite is also written
    there.  Numerical reasoning is built from *word_problems*, else from the premises of the base.
    Raises CrossexamError.
    """
    from crossexam.suites.build import Request, build_in_memory, build_to_folder
    from crossexam.suites.table import suite_named

    name = suite_named(suite).name
    if name in {"cross-dataset", "behaviour"}:
        return _build_apart(name, base, seed, limit, folder)
    if base is None:
        raise CrossexamError(f"what {name} is built from is missing", wanted="base=")
    request = Request(
        name,
        [_as_base(base, limit)],
        [_as_base(word_problems, None)] if word_problems is not None else [],
        seed=seed,
        tagger=tagger,
        recognizer=entities,
        tautology=tautology,
        indirect=indirect,
        as_published=as_published,
        parser=parser,
        adjectives=adjectives,
        both_directions=both_directions,
        limit=limit,
    )
    if folder is None:
        return build_in_memory(request)
    build_to_folder(request, Path(folder))
    return load_suite(folder)


def _build_apart(
    suite: str, base: BaseLike | None, seed: int, limit: int | None, folder: str | Path | None
) -> Suite:
    """Return a suite that has a builder of its own, by way of *folder* or of one that does not stay."""
    from tempfile import TemporaryDirectory

    from crossexam.suites.behaviour import BehaviourRequest, write_behaviour
    from crossexam.suites.cross_dataset import CrossDatasetRequest, write_cross_dataset

    if folder is None:
        with TemporaryDirectory() as temporary:
            made = _build_apart(suite, base, seed, limit, temporary)
        kept = {
            name: Dataset(name, each.examples, {k: v for k, v in each.manifest.items() if k != "path"})
            for name, each in made.datasets.items()
        }
        return Suite(made.name, kept, made.manifest)
    if suite == "cross-dataset":
        corpora = () if base is None else (str(base),)
        write_cross_dataset(CrossDatasetRequest(corpora, seed=seed, limit=limit), Path(folder))
    elif isinstance(base, str | Path):
        write_behaviour(BehaviourRequest([_as_base(base, limit)], seed=seed, limit=limit), Path(folder))
    else:
        raise CrossexamError("the behaviour suite is built from a corpus", wanted="a name or a path as base")
    return load_suite(folder)


def check(data: Suite | Dataset) -> list[Finding]:
    """Return what the coded checks find in a suite or test set."""
    from crossexam.constructions.check import check as find

    if isinstance(data, Dataset):
        return find(data)
    sets = data.datasets
    return [finding for each in data for finding in find(each, sets.get(str(each.manifest.get("base_set"))))]


def run(
    model: str | Callable[[Sequence[tuple[str, str]]], Any],
    data: Suite | Dataset,
    *,
    store: str | Path | None = None,
    **options: Any,
) -> Run:
    """Return the answers of *model* over a suite or test set.

    *model* is ``hf/ID-or-folder``, ``file/PREDICTIONS``, ``py/module:function``, ``builtin/NAME``, or
    a function of a list of (premise, hypothesis) pairs.  Answers are kept in the folder *store*, from
    which an interrupted run resumes.  *options* are those of the model's kind:
    ``device``, ``batch_size``, ...  Raises CrossexamError.
    """
    from crossexam.runs.folder import save_run
    from crossexam.runs.run import predict_suite

    answers = predict_suite(model, data, store=Path(store) if store else None, options=options)
    if store:
        save_run(answers, Path(store))
    return answers


def accuracy(answers: Run) -> dict[str, Estimate]:
    """Return the accuracy with its interval of each test set, of proposed labels apart from all others."""
    from crossexam.evaluation.measures import accuracy_by_set
    from crossexam.evaluation.verified import by_status

    return accuracy_by_set(by_status(answers))


def compare(first: Run, second: Run) -> tuple[Comparison, ...]:
    """Return the paired comparison of two models on each test set, p-values corrected after Holm."""
    from crossexam.evaluation.comparison import compare_runs
    from crossexam.evaluation.verified import by_status

    return compare_runs(by_status(first), by_status(second))


def report(*runs: Run) -> Report:
    """Return a report on the runs; its ``save`` writes .html, .md, .tex, .csv or .json."""
    from crossexam.reports.report import make_report

    return make_report(*runs)
