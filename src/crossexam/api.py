"""The library interface: the commands as functions, for notebooks and programs."""

from __future__ import annotations

import warnings
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
    """Return the corpus named by *spec*: a split (``snli:dev``), a file, or a slice (``snli:dev[::2]``).

    Raises CrossexamError if there is no such corpus, FormatError if a record is malformed.

    >>> len(load("builtin:demo")) >= 300
    True
    """
    from crossexam.corpora.spec import read_corpus

    return read_corpus(spec, columns=columns, skip_bad=skip_bad)


def load_suite(folder: str | Path) -> Suite:
    """Return the suite that ``crossexam build`` wrote to *folder*."""
    from crossexam.core.test_sets import read_suite as read

    return read(Path(folder))


def load_run(folder: str | Path) -> Run:
    """Return the run that ``crossexam run`` wrote to *folder*."""
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
    parser: str = "auto",
    options: Mapping[str, Mapping[str, Any]] | None = None,
    folder: str | Path | None = None,
    **short_forms: Any,
) -> Suite:
    """Return the test sets of *suite* (or of one construction) built from *base*.

    *base* is the name of a corpus, a path, a Dataset or examples; for a suite with a fixed list of corpora
    it is one of these, or None for all that are installed.  If *folder* is given, the suite is also written
    there.  Numerical reasoning is built from *word_problems*, or from the premises of the base if there are
    none.  Constructions of a suite whose tagger, parser or recognizer is not installed are left out with a
    warning; the manifest lists them under ``not_built``.  *options* are the options of constructions and
    suites by name (``{"antonymy": {"indirect": True}}``), *short_forms* their short forms
    (``as_published=True``).  Raises CrossexamError.

    >>> len(build("negation", "builtin:demo", limit=3)["negation.builtin_demo"])
    3
    """
    from crossexam.suites.build import build_in_memory, build_to_folder
    from crossexam.suites.short_forms import expand, keywords, merged
    from crossexam.suites.table import suite_named, suite_request

    kind = suite_named(suite)
    given = merged(options or {}, expand(kind.name, keywords(short_forms)))
    bases = []
    if kind.base_option is not None:
        given = merged(given, {kind.name: {kind.base_option: () if base is None else (str(base),)}})
    elif base is None:
        raise CrossexamError(f"{suite} needs a base corpus", wanted="base=")
    else:
        bases = [_as_base(base, limit)]
    problems = [_as_base(word_problems, None)] if word_problems is not None else []
    request = suite_request(
        suite,
        bases,
        problems,
        options=given,
        seed=seed,
        limit=limit,
        tagger=tagger,
        recognizer=entities,
        parser=parser,
    )
    if folder is None:
        built = build_in_memory(request)
    else:
        build_to_folder(request, Path(folder))
        built = load_suite(folder)
    for name, reason in (built.manifest.get("not_built") or {}).items():
        warnings.warn(f"{name} was not built: {reason}", stacklevel=2)
    return built


def check(data: Suite | Dataset) -> list[Finding]:
    """Return the findings of the automatic checks on a suite or test set."""
    from crossexam.constructions.check import run_checks

    if isinstance(data, Dataset):
        return run_checks(data)
    sets = data.datasets
    return [finding for each in data for finding in run_checks(each, sets.get(str(each.entry.base_set)))]


def run(
    model: str | Callable[[Sequence[tuple[str, str]]], Any],
    data: Suite | Dataset,
    *,
    store: str | Path | None = None,
    **options: Any,
) -> Run:
    """Return the predictions of *model* on a suite or test set.

    *model* is ``hf/ID-or-folder``, ``file/PREDICTIONS``, ``py/module:function``, ``builtin/NAME``, or a
    function of a list of (premise, hypothesis) pairs.  Predictions are saved in the folder *store*, from
    which an interrupted run resumes.  *options* are those of the kind of model: ``device``, ``batch_size``,
    ...  Raises CrossexamError.
    """
    from crossexam.runs.folder import save_run
    from crossexam.runs.run import predict_suite

    answers = predict_suite(model, data, store=Path(store) if store else None, options=options)
    if store:
        save_run(answers, Path(store))
    return answers


def accuracy(answers: Run) -> dict[str, Estimate]:
    """Return the accuracy per test set with its confidence interval, separately for proposed labels."""
    from crossexam.evaluation.measures import accuracy_by_set
    from crossexam.evaluation.verified import by_status

    return accuracy_by_set(by_status(answers))


def compare(first: Run, second: Run) -> tuple[Comparison, ...]:
    """Return the paired comparison of two models per test set, with Holm-corrected p-values."""
    from crossexam.evaluation.comparison import compare_runs
    from crossexam.evaluation.verified import by_status

    return compare_runs(by_status(first), by_status(second))


def report(*runs: Run) -> Report:
    """Return a report on the runs, whose ``save`` writes .html, .md, .tex, .csv or .json."""
    from crossexam.reports.report import make_report

    return make_report(*runs)
