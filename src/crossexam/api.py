"""The library interface: the commands as functions, for notebooks and programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from crossexam.core.arguments import path_of, required, shown
from crossexam.core.dataset import Dataset, Run, Suite, counted_items
from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Estimate
from crossexam.core.labels import ENTAILMENT_OR_NOT
from crossexam.core.outcome import MAX_UNANSWERED, check_max_unanswered, check_unanswered
from crossexam.core.places import copy_path
from crossexam.core.transfers import fetch
from crossexam.options.build import Build
from crossexam.options.groups import ReadingOptions, Where, reading_of, request_fields
from crossexam.options.option import checked_options, options_of
from crossexam.options.results import Baseline, Compare, Gate
from crossexam.options.results import Report as ReportCommand
from crossexam.options.run import Convert
from crossexam.options.run import Run as RunCommand

if TYPE_CHECKING:
    from crossexam.constructions.check import Finding
    from crossexam.engines.engine import Engine
    from crossexam.evaluation.comparison import Comparisons
    from crossexam.evaluation.conversion import Fidelity
    from crossexam.gates.result import GateResult
    from crossexam.reports.report import Report
    from crossexam.suites.bases import Base

#: A corpus: its name or path, a Dataset, a DataFrame (polars or pandas), a ``datasets.Dataset``, or a list of
#: dicts or Examples.
Corpus = str | Path | Dataset | Iterable[Any]

_SUITE: Final = "a folder that `crossexam build` wrote"
_RUN: Final = "a run: what cx.run or cx.load_run returns"


def load(
    spec: Corpus,
    *,
    columns: Mapping[str, str] | str | None = None,
    labels: Mapping[Any, str | None] | str | None = None,
    skip_bad: bool = False,
    allow_loss: bool = False,
    name: str | None = None,
) -> Dataset:
    """Return a corpus: a split (``snli:dev``), a file, a slice of either (``snli:dev[::2]``), or a table.

    A table is a polars or pandas DataFrame, a ``datasets.Dataset`` or a list of dicts; its columns and labels
    are read as those of a file, and rows are numbered from 1.  A list of Examples becomes a Dataset as it is.
    *columns* maps roles to columns (``{"premise": "text_a"}``); any other key puts its column into ``info``.
    *labels* says what the values of the label column mean (``{1: "entailment", 0: "not_entailment"}``, None
    for no gold label); numbers always need it.  Both may also be texts, as on the command line.  *skip_bad*
    skips malformed records and counts them, *allow_loss* even if they are many.  *name* is that of a table or
    list, by default ``examples``.

    Raises CrossexamError if there is no such corpus, FormatError if a record is malformed.

    >>> len(load("builtin:demo")) >= 300
    True
    >>> load([{"premise": "It rains.", "hypothesis": "It is wet.", "label": "neutral"}], name="weather")
    Dataset('weather', 1 example: 1 neutral)
    """
    checked_options(ReadingOptions, skip_bad=skip_bad, allow_loss=allow_loss)
    reading = reading_of(ReadingOptions(columns, labels, skip_bad, allow_loss))
    if name is not None:
        required(name, str, "name", wanted="a name for the table")
        if isinstance(spec, str | Path | Dataset):
            raise CrossexamError(
                "this corpus has a name of its own", wanted="name= for tables and lists only"
            )
    if isinstance(spec, str | Path):
        from crossexam.corpora.spec import read_corpus

        return _declaring(reading.labels, read_corpus(spec, reading))
    return _declaring(reading.labels, _in_memory(spec, reading=reading, name=name))


def _declaring(labels: Mapping[str, Any] | None, dataset: Dataset) -> Dataset:
    """Return *dataset* with the projection that the declared *labels* need, even if one never occurs."""
    if "not_entailment" not in (labels or {}).values():
        return dataset
    return replace(dataset, manifest={**dataset.manifest, "projection": ENTAILMENT_OR_NOT.name})


def _in_memory(data: Any, **how: Any) -> Dataset:
    """Return a table, examples or a Dataset as a Dataset."""
    from crossexam.corpora.tables import WANTED, dataset_of

    if isinstance(data, Suite | Run):
        raise CrossexamError(f"{shown(data)} is not a corpus", wanted=WANTED, hint="give one of its datasets")
    return dataset_of(data, **how)


def load_suite(folder: str | Path) -> Suite:
    """Return the suite that ``crossexam build`` wrote to *folder*; raises CrossexamError."""
    from crossexam.core.test_sets import read_suite as read

    return read(path_of(folder, "folder", wanted=_SUITE, of=copy_path))


def load_run(folder: str | Path) -> Run:
    """Return the run, or the only run of an examination, in *folder*; raises CrossexamError."""
    from crossexam.runs.saved import read_run

    return read_run(path_of(folder, "folder", wanted="a folder that `crossexam run` wrote", of=copy_path))


def _as_base(data: Any, limit: int | None) -> Base:
    from crossexam.corpora.reading import ReadingReport
    from crossexam.suites.bases import base_from_examples, base_from_spec

    if isinstance(data, str | Path):
        return base_from_spec(str(data), limit=limit)
    report = ReadingReport()
    base = base_from_examples(_in_memory(data, report=report), limit=limit)
    return replace(base, report=report)


def build(
    suite: str,
    base: Corpus | None = None,
    *,
    word_problems: Corpus | None = None,
    seed: int = 0,
    limit: int | None = None,
    per_key: int | None = None,
    tagger: str = "auto",
    entities: str = "auto",
    parser: str = "auto",
    workers: int | Literal["auto"] | None = None,
    engine: str | Engine = "local",
    options: Mapping[str, Mapping[str, Any]] | None = None,
    folder: str | Path | None = None,
    file_format: str = "parquet",
    force: bool = False,
    **short_forms: Any,
) -> Suite:
    """Return the test sets of *suite* (or of one construction) built from *base*.

    *base* is whatever :func:`load` takes; for a suite with a fixed list of corpora it is the name of one of
    these, or None for all that are installed.  If *folder* is given, the suite is also written there, as
    ``parquet`` or ``jsonl``; another suite in the folder is an error, unless *force* replaces it.
    *per_key* is the maximum number of items of one word pair or other key.
    Numerical reasoning is built from *word_problems*, or from the premises of the base if there are none.
    *workers* is the number of processes, by default one per core if the base is large; *engine* is ``local``,
    ``ray``, ``ray:HOST:PORT`` or an engine such as ``RayEngine(num_cpus=2)``; the test sets do not depend on
    either.  *options* are the options of
    constructions and suites by name (``{"antonymy": {"indirect": True}}``), *short_forms* their short forms
    (``as_published=True``).  Raises CrossexamError.

    >>> build("negation", "builtin:demo", limit=3)
    Suite('negation', 2 test sets, 6 items)
    """
    from crossexam.core.test_sets import read_suite
    from crossexam.options.short_forms import suite_options
    from crossexam.suites.build import WORTHWHILE, build_in_memory, build_to_folder
    from crossexam.suites.table import suite_named, suite_request

    _refuse_options_of_the_command(short_forms)
    given = checked_options(
        Build,
        suite=suite,
        seed=seed,
        limit=limit,
        per_key=per_key,
        tagger=tagger,
        entities=entities,
        parser=parser,
        workers=workers,
        file_format=file_format,
        force=force,
        **short_forms,
    )
    kind = suite_named(given.suite)
    target = None if folder is None else path_of(folder, "folder")
    named, bases = [], []
    if kind.base_option is not None:
        if base is not None:
            named = [str(path_of(base, "base", wanted=f"a corpus of {kind.name}, by name"))]
    elif base is None:
        raise CrossexamError(f"{suite} needs a base corpus", wanted="base=")
    else:
        bases = [_as_base(base, given.limit)]
    request = suite_request(
        suite,
        bases,
        [_as_base(word_problems, None)] if word_problems is not None else [],
        options=suite_options(kind, given, _by_name(options), named),
        file_format=given.file_format,
        engine=_engine(engine, given, usual="auto", worthwhile=WORTHWHILE),
        **request_fields(given),
    )
    if target is None:
        return build_in_memory(request)
    build_to_folder(request, target, force=force)
    return read_suite(target)


def _refuse_options_of_the_command(short_forms: Mapping[str, Any]) -> None:
    """Raise CrossexamError if one of *short_forms* is another option of ``crossexam build``."""
    from crossexam.options.short_forms import ShortForm

    others = [name for name, each in options_of(Build).items() if not isinstance(each, ShortForm)]
    for name in short_forms:
        if name in others:
            reads = name in options_of(ReadingOptions)
            raise CrossexamError(
                f"cx.build does not take {name}",
                hint=f"cx.build(suite, cx.load(base, {name}=...))" if reads else "help(crossexam.build)",
            )


def _engine(engine: Any, options: Where, *, usual: int | Literal["auto"] = 1, worthwhile: int = 1) -> Engine:
    from crossexam.options.engines import engine_of

    if isinstance(engine, str):
        return engine_of(replace(options, engine=engine), usual=usual, worthwhile=worthwhile)
    if not callable(getattr(engine, "results", None)):
        raise CrossexamError(f"the engine is {shown(engine)}", wanted="'local', 'ray', or an engine")
    found: Engine = engine
    return found


def _by_name(options: Any) -> list[tuple[str, str, Any]]:
    """Return (name, option, value) of *options*; raises CrossexamError if they are no dict of dicts."""
    wanted = "a dict of dicts, such as {'antonymy': {'indirect': True}}"
    return [
        (name, option, value)
        for name, values in required(options or {}, Mapping, "options", wanted=wanted).items()
        for option, value in required(values, Mapping, "an entry of options", wanted=wanted).items()
    ]


def _as_tests(data: Any) -> Suite | Dataset:
    """Return *data* as what a model can be run on: a suite or a Dataset, from a folder, a file or a table."""
    if isinstance(data, Suite):
        if not data.datasets:
            raise CrossexamError("the suite has no test sets")
        return data
    if not isinstance(data, str | Path):
        return _in_memory(data)
    path = copy_path(data)
    if not str(data).endswith("]"):  # a slice of a corpus
        fetch(path)
    if path.is_dir() or (path.is_file() and _is_test_set(path)):
        return load_suite(data)
    return load(data)


def _is_test_set(path: Path) -> bool:
    """Return whether the first record of the file at *path* has the columns of a built test set."""
    from crossexam.corpora.records import detect_format, iter_records

    _, row = next(iter_records(detect_format(path)), (0, {}))
    return isinstance(row, dict) and row.keys() >= {"premise", "hypothesis", "construction", "edits"}


def check(data: Suite | Corpus) -> list[Finding]:
    """Return the findings of the automatic checks on a suite or test set; raises CrossexamError."""
    from crossexam.constructions.check import run_checks

    tests = _as_tests(data)
    if isinstance(tests, Dataset):
        return run_checks(tests)
    sets = tests.datasets
    return [finding for each in tests for finding in run_checks(each, sets.get(str(each.entry.base_set)))]


def run(
    model: str | Callable[[Sequence[tuple[str, str]]], Any],
    data: Suite | Corpus,
    *,
    store: str | Path | None = None,
    force: bool = False,
    chunk: str | None = None,
    aggregate: str | None = None,
    like: str | None = None,
    workers: int | Literal["auto"] | None = None,
    engine: str | Engine = "local",
    again: Sequence[str] = (),
    limit: int | None = None,
    **options: Any,
) -> Run:
    """Return the predictions of *model* on a suite, the folder of one, or whatever :func:`load` takes.

    *model* is ``hf/ID-or-folder``, ``file/PREDICTIONS``, ``py/module:function``, ``builtin/NAME``, or a
    function of a list of (premise, hypothesis) pairs.  Predictions are saved in the folder *store*, from
    which an interrupted run resumes; test sets that the model was run over before in this folder are kept,
    and the run has them too.  Another run in the folder is an error, unless *force* replaces it.  *options*
    are those of the kind of model: ``device``, ``batch_size``, ...

    *chunk* (``words:500``, ``tokens:400``, ``sentences:3``) asks the model about chunks of each premise, and
    *aggregate* (``max``, ``mean``, ``max-mean``, ``min``) combines the predictions; *like* names a published
    system that states both (``minicheck``, ``alignscore``, ``summac-zs``).  *workers* and *engine* say where
    the model is asked: by default in this process, else as for :func:`build`; workers open the model by its
    name.  *again* are reasons why there is no answer (``["unparsed"]``): pairs that are stored with one of
    them are asked again.  With *limit*, the model is asked about the first items of each test set.  Raises
    CrossexamError; UnfinishedError if the model could not be asked about all pairs for now, in which case the
    same call resumes.

    >>> run("builtin/overlap", "builtin:demo")
    Run('builtin/overlap', 1 test set, 324 items)
    """
    from crossexam.models.chunking import chunking_of
    from crossexam.runs.folder import run_into_folder
    from crossexam.runs.run import predict_suite
    from crossexam.runs.workers import asking_of

    given = checked_options(
        RunCommand,
        force=force,
        chunk=chunk,
        aggregate=aggregate,
        like=like,
        workers=workers,
        limit=limit,
    )
    chunking = chunking_of(given.chunk, given.aggregate, given.like)
    ask = asking_of(_engine(engine, given))
    required(again, (list, tuple), "again", wanted='a list of statuses, such as ["unparsed"]')
    asked_again = check_unanswered(again)
    tests = _as_tests(data)
    how: dict[str, Any] = {"options": options, "chunking": chunking, "limit": given.limit, "ask": ask}
    if store is None:
        return predict_suite(model, tests, **how)
    folder = path_of(store, "store", wanted="a folder for the predictions")
    return run_into_folder(model, tests, folder, force=force, again=asked_again, **how)


def convert(
    model: str,
    folder: str | Path,
    *,
    int8: bool = False,
    on: Suite | Corpus | None = None,
    accept: bool = False,
    label_order: str | Sequence[str] | None = None,
    threshold: float | None = None,
    revision: str | None = None,
) -> Fidelity:
    """Write the checkpoint *model* as an ONNX model into *folder*, and return how the two compare.

    *model* is ``hf/ID-or-folder``; ``onnx/FOLDER`` runs the new one, without torch.  With *int8* it is
    quantized: weights and activations of 8 bits.  Both predict 1,000 pairs of *on*, which is whatever
    :func:`run` takes, by default the stress tests built from the demo corpus; ``same`` of the result is the
    share with the same predicted label.  *label_order*, *threshold* and *revision* are as for :func:`run`.
    The same conversion again does nothing.

    Raises CrossexamError if *folder* holds anything else, if the exported graph does not compute what the
    checkpoint does, or if the two predict the same label for less than 99 %, unless *accept* keeps the model.
    """
    from crossexam.evaluation.conversion import Conversion, convert_checkpoint

    stated = {"label_order": label_order, "threshold": threshold, "revision": revision}
    given = checked_options(Convert, model=model, int8=int8, accept=accept)
    request = Conversion(
        given.model,
        path_of(folder, "folder", wanted="a folder for the new model"),
        int8=given.int8,
        suite=None if on is None else _as_suite(on),
        accept=given.accept,
        options={name: value for name, value in stated.items() if value is not None},
    )
    return convert_checkpoint(request)


def _as_suite(data: Any) -> Suite:
    tests = _as_tests(data)
    return tests if isinstance(tests, Suite) else Suite(tests.name, {tests.name: tests})


def accuracy(answers: Run, *, max_unanswered: float = MAX_UNANSWERED) -> dict[str, Estimate]:
    """Return the accuracy per test set with its confidence interval, separately for proposed labels.

    It is that of the answered items.  If more than the share *max_unanswered* was not answered, it is given
    as :class:`~crossexam.core.estimate.Bounds`: the accuracies if the others were all wrong, and all right.
    """
    from crossexam.evaluation.measures import accuracy_by_set
    from crossexam.evaluation.verified import by_status

    limit = check_max_unanswered(max_unanswered)
    return accuracy_by_set(by_status(required(answers, Run, "a run", wanted=_RUN)), max_unanswered=limit)


def accuracy_by(
    answers: Run, by: str, *, max_unanswered: float = MAX_UNANSWERED
) -> dict[str, dict[str, Estimate]]:
    """Return the accuracy per test set and value of *by*: a slice of the report or a key of ``info``.

    ``"gold"`` is the gold label, ``"genre"`` the genre of a corpus that has genres.  Test sets without
    such values are left out.  Unanswered items are as in :func:`accuracy`, value by value.  Raises
    UnknownNameError if none has them.

    >>> base = run("builtin/overlap", "builtin:demo")
    >>> accuracy_by(base, "gold")["builtin:demo"]["neutral"].n
    108
    """
    from crossexam.evaluation.slices import accuracy_by_value
    from crossexam.evaluation.verified import by_status

    required(by, str, "by", wanted='the name of a slice, such as "gold" or "genre"')
    limit = check_max_unanswered(max_unanswered)
    whole = by_status(required(answers, Run, "a run", wanted=_RUN))
    return accuracy_by_value(whole, by, max_unanswered=limit)


def compare(
    *runs: Run,
    common: bool = False,
    index: str | None = None,
    max_unanswered: float = MAX_UNANSWERED,
) -> Comparisons:
    """Return the paired comparison of two runs per test set, with Holm-corrected p-values.

    Its attribute ``over_keys`` has the differences over keys (word pairs), ``joint`` what both get right and
    wrong together, ``probabilities`` the differences in Brier score, log loss and calibration error, and
    ``seen``, if *index* names the training corpora of the models, which of the pairs they have
    (``"snli:train+multinli:train"``).  Items that one of the models did not answer are left out; if they
    are more than the share *max_unanswered* of a test set, it has only bounds.

    Raises CrossexamError unless there are two runs over the same items, or if only one of them has some test
    set, unless *common* leaves those out, or if there is an *index* but no test set has word pairs.
    """
    from crossexam.evaluation.comparison import check_same_sets, compare_runs
    from crossexam.evaluation.seen_pairs import training_pairs
    from crossexam.evaluation.verified import by_status

    wanted = "two runs, as in cx.compare(first, second)"
    if len(runs) != 2:
        raise CrossexamError(f"{counted_items(len(runs), 'run')} cannot be compared", wanted=wanted)
    first, second = (by_status(required(each, Run, "a run", wanted=wanted)) for each in runs)
    given = checked_options(Compare, common=common, index=index)
    limit = check_max_unanswered(max_unanswered)
    if not common:
        check_same_sets(first, second)
    training = None if given.index is None else training_pairs((first, second), given.index)
    return compare_runs(first, second, common=common, max_unanswered=limit, training=training)


def report(
    *runs: Run,
    alpha: float = 0.05,
    index: str | None = None,
    relative_to: Run | None = None,
    items: int | Literal["errors", "all"] = 400,
    max_unanswered: float = MAX_UNANSWERED,
    calibration: bool = False,
    temperature_from: Run | Sequence[Run] = (),
    threshold: float | Run | Sequence[Run] = 0.5,
    threshold_per_set: bool = False,
) -> Report:
    """Return a report on the runs, whose ``save`` writes .html, .md, .tex, .csv, .json, and figures (.pdf).

    The page (.html) shows *items* of each test set: as many, those that some model got wrong (``"errors"``),
    or ``"all"``; over 20,000 of them are in a folder beside it.  Corrected p-values of at most *alpha* are
    marked as significant.  The word pairs of two runs are looked up in the training corpora *index*, as by
    :func:`compare`.  *relative_to* is the run over which the relative improvement of the others on the
    cross-dataset benchmark is shown.  Of test sets of which more than the share *max_unanswered* was not
    answered, only bounds are shown.

    With *calibration*, calibration and selective prediction are in every format, and not only in .csv and
    .json.  *temperature_from* are one or several runs over other items, each of the model of
    a run to report, on which the temperature of its probabilities is fitted.

    *threshold* is the probability of entailment above which a claim counts as supported in fact checking, or
    one or several runs over the development split, each of the model of a run to report, on which it is
    chosen; with *threshold_per_set*, for each data set on its own.  Raises CrossexamError.
    """
    from crossexam.evaluation.fact_checking import threshold_choice
    from crossexam.evaluation.seen_pairs import training_pairs
    from crossexam.evaluation.verified import by_status
    from crossexam.reports.report import make_report
    from crossexam.reports.results import ReportOptions

    for each in runs:
        required(each, Run, "a run", wanted=_RUN)
    if not runs:
        raise CrossexamError("there are no runs to report", wanted=_RUN)
    given = checked_options(
        ReportCommand,
        alpha=alpha,
        index=index,
        items=items,
        max_unanswered=max_unanswered,
        calibration=calibration,
        threshold_per_set=threshold_per_set,
    )
    training = None if index is None else training_pairs([by_status(each) for each in runs], index)
    base = None
    if relative_to is not None:
        required(relative_to, Run, "relative_to", wanted=_RUN)
        base = next((place for place, each in enumerate(runs) if each is relative_to), None)
        if base is None or len(runs) < 2:
            raise CrossexamError(
                "relative_to is not one of several runs to report",
                wanted="one of the runs of the report, and at least one other",
            )
    fitted_on = tuple(temperature_from) if isinstance(temperature_from, Sequence) else (temperature_from,)
    for each in fitted_on:
        required(each, Run, "temperature_from", wanted=_RUN)
    choice = threshold_choice(threshold, threshold_per_set)
    options = ReportOptions.of(
        given, training=training, relative_to=base, temperature_from=fitted_on, threshold=choice
    )
    return make_report(*runs, options=options)


def baseline(answers: Run, path: str | Path, *, probabilities: bool = False) -> Path:
    """Write what later runs are compared with by :func:`gate` to *path*, and return it.

    It has the predicted labels, and with *probabilities* these too, which rules about the calibration error
    need.  The same run gives the same bytes.  Raises CrossexamError.
    """
    from crossexam.gates.baseline import chosen_baseline, write_baseline

    required(answers, Run, "a run", wanted=_RUN)
    checked_options(Baseline, probabilities=probabilities)
    target = path_of(path, "path", wanted="a file for the baseline")
    write_baseline(chosen_baseline(answers, probabilities=probabilities), target)
    return target


def gate(
    answers: Run,
    *,
    baseline: str | Path | Run | None = None,
    rules: str | Path | Sequence[Mapping[str, Any]] | None = None,
    alpha: float = 0.05,
    max_unanswered: float = MAX_UNANSWERED,
    open: Literal["undecided", "pass", "fail"] = "undecided",
    accept_unverified: bool = False,
    items: int | Literal["all"] = 3,
) -> GateResult:
    """Return whether a run keeps to *rules*: a TOML file, or a list of dicts with the keys of its tables.

    Without *rules*, they are those of ``crossexam.toml`` in the working folder.  *baseline* is a file of
    :func:`baseline`, or a run.  Each check holds, is broken or open at the two-sided level *alpha*, corrected
    over all checks.  Open ones leave the gate undecided unless no loss was seen; *open* ``"pass"`` lets it
    through, and ``"fail"`` makes it fail.  A model that failed the probe of its labels is only judged with
    *accept_unverified*, or if their order was declared.  As many *items* are behind a check that fails or is
    undecided.  The ``check()`` of the result raises AssertionError with the checks unless it passed.  Raises
    CrossexamError if the run cannot be judged: over other items than the baseline, for instance, or if a
    rule is about no test set.

    >>> mine = run("builtin/overlap", "builtin:demo")
    >>> gate(mine, rules=[{"set": "*", "measure": "accuracy", "min": 0.2}]).check().passed
    True
    """
    from crossexam.gates.baseline import given_baseline
    from crossexam.gates.behind import check_item_count
    from crossexam.gates.judge import judge
    from crossexam.gates.result import check_open
    from crossexam.gates.rules import rules_from
    from crossexam.reports.results import check_level

    required(answers, Run, "a run", wanted=_RUN)
    checked_options(Gate, accept_unverified=accept_unverified)
    check_level(alpha)
    wanted = "a file of rules, or a list of dicts such as {'set': '*', 'measure': 'accuracy', 'min': 0.6}"
    given = required(rules, (str, Path, list, tuple, type(None)), "rules", wanted=wanted)
    return judge(
        answers,
        rules_from(path_of(given, "rules") if isinstance(given, str | Path) else given),
        given_baseline(baseline),
        alpha=alpha,
        max_unanswered=check_max_unanswered(max_unanswered),
        open_checks=check_open(open),
        accept_unverified=accept_unverified,
        items=check_item_count(items),
    )
