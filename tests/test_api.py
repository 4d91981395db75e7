"""The functions of the library: what they take, and what they say to the wrong types."""

from collections.abc import Callable, Sequence
from inspect import Parameter, signature
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import polars as pl
import pytest

import crossexam as cx
from crossexam import api
from crossexam.core.errors import CrossexamError
from crossexam.options.build import Build
from crossexam.options.data import Check
from crossexam.options.groups import ModelOption
from crossexam.options.option import options_of
from crossexam.options.results import Baseline, Compare, Gate, Report
from crossexam.options.run import Convert, Run
from crossexam.options.short_forms import ShortForm
from made.cases import for_each

ROWS = [
    {"premise": "The soup is hot.", "hypothesis": "The meal is warm.", "label": "entailment"},
    {"premise": "The soup is hot.", "hypothesis": "The meal is cold.", "label": "contradiction"},
    {"premise": "A dog runs.", "hypothesis": "The dog is brown.", "label": "neutral"},
]
SUITE = cx.build("negation", ROWS)
RUN = cx.run("builtin/overlap", SUITE)
RULES: list[dict[str, Any]] = [{"set": "*", "measure": "accuracy", "min": 0.5}]


def always(pairs: Sequence[tuple[str, str]]) -> list[str]:
    return ["neutral"] * len(pairs)


def shares(pairs: Sequence[tuple[str, str]]) -> list[list[float]]:
    return [[0.8, 0.2]] * len(pairs)


#: A call of each function. Every parameter is then given something that no parameter takes.
CALLS: dict[Callable[..., Any], dict[str, Any]] = {
    cx.load: {"spec": ROWS},
    cx.load_suite: {"folder": "x"},
    cx.load_run: {"folder": "x"},
    cx.build: {"suite": "negation", "base": ROWS},
    cx.check: {"data": SUITE},
    cx.run: {"model": always, "data": SUITE},
    cx.convert: {"model": "hf/x", "folder": "x"},
    cx.accuracy: {"answers": RUN},
    cx.accuracy_by: {"answers": RUN, "by": "gold"},
    cx.compare: {"runs": (RUN, RUN)},
    cx.report: {"runs": (RUN,)},
    cx.baseline: {"answers": RUN, "path": "b"},
    cx.gate: {"answers": RUN, "rules": RULES},
}
#: What an error calls a parameter that has another name for users.
CALLED = {
    **dict.fromkeys(("spec", "base", "word_problems", "data", "on"), "a corpus"),
    **dict.fromkeys(("answers", "runs"), "a run"),
}
#: Values of a right type, or wrong ones that need words of their own, and what the error says.
WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: cx.load({"premise": ["a"]}), "a dict is not a corpus"),
    (lambda: cx.load(ROWS, columns={"premise": 1}), "names that are not strings"),
    (lambda: cx.build("negation", ROWS, workers="two"), "workers is 'two'"),
    (lambda: cx.build("negation", ROWS, columns={"premise": "a"}), r"suite, cx.load\(base, columns="),
    (lambda: cx.run(always, RUN), "a Run is not a corpus"),
    (lambda: cx.run(shares, SUITE, again=["gone"]), "gone"),
    (lambda: cx.run("hf/x", SUITE, max_length=2.5), r"'hf\.max_length' cannot be 2\.5"),
    (lambda: cx.accuracy_by(RUN, "genre"), "no slice is called 'genre'"),
    (lambda: cx.compare(RUN), "1 run cannot be compared"),
    (lambda: cx.report(RUN, relative_to=RUN), "relative_to is not one of several runs"),
    (lambda: cx.report(RUN).text(".pdf"), r"no report format is called '\.pdf'"),
    (lambda: cx.gate(RUN, baseline="nosuch", rules=RULES), "no such file"),
    (lambda: SUITE["negaton.examples"], "did you mean 'negation.examples'"),
    (lambda: RUN.to_arrow(["genre"]), "no key of info is called 'genre'"),
]


def test_a_wrong_value_is_named() -> None:
    def check(call: Callable[[], Any], says: str) -> None:
        with pytest.raises(CrossexamError, match=says) as raised:
            call()
        assert raised.value.wanted or raised.value.hint

    for_each(check, WRONG)


def test_a_wrong_type_is_named_for_every_parameter() -> None:
    def check(function: Callable[..., Any], name: str) -> None:
        several = {"runs": (3j, 3j)}
        given = {**CALLS[function], name: several.get(name, 3j)}
        runs = given.pop("runs", ())
        with pytest.raises(CrossexamError, match=r"\b(a complex|3j)") as raised:
            function(*runs, **given)
        assert CALLED.get(name, name) in str(raised.value)
        assert raised.value.wanted or raised.value.hint

    functions = {getattr(api, name) for name in cx.__all__ if hasattr(api, name) and name.islower()}
    assert functions == set(CALLS)
    for function in CALLS:
        taken = signature(function).parameters.values()
        for_each(check, [(function, each.name) for each in taken if each.kind is not Parameter.VAR_KEYWORD])


#: The verbs that are both commands and functions, by the class of their options.
BOTH: dict[Callable[..., Any], type] = {
    api.build: Build,
    api.check: Check,
    api.run: Run,
    api.convert: Convert,
    api.report: Report,
    api.compare: Compare,
    api.baseline: Baseline,
    api.gate: Gate,
}
#: What is given in another way: options of the command by what a function has instead, and the reverse.
OTHERWISE = {
    "build": {
        "output": "folder",
        "settings": "options",
        **dict.fromkeys(("columns", "labels", "skip_bad", "allow_loss"), "base"),  # cx.load reads it
        **dict.fromkeys(("num_cpus", "num_gpus"), "engine"),  # RayEngine has them
    },
    "check": {"path": "data", "base": "data"},
    "run": {
        "tests": "data",
        "only": "data",  # Suite.only
        "output": "store",
        "values": "options",
        **dict.fromkeys(("num_cpus", "num_gpus"), "engine"),
    },
    "convert": {"output": "folder"},
    "report": {"verified": "runs"},
    "compare": {"verified": "runs", "first": "runs", "second": "runs", "alpha": "runs"},
    "baseline": {"run": "answers", "output": "path"},
    "gate": {"run": "answers"},
}
#: What only a command does: it prints, writes files, asks for permission, and sends nothing to try.
PRINTED = {"details", "all_findings", "output", "track", "junit", "json", "dry_run", "repeat", "batch_out"}
#: Of which the library takes more: objects in place of their names.
OBJECTS = {
    "again", "base", "baseline", "engine", "label_order", "model", "on", "relative_to", "rules", "runs",
    "temperature_from", "threshold", "word_problems",
}  # fmt: skip


def _kinds(annotation: Any) -> set[Any]:
    """Return the types of a union but None, or the one that *annotation* is."""
    is_union = get_origin(annotation) in (Union, UnionType)
    return set(get_args(annotation) if is_union else [annotation]) - {NoneType}


def test_a_command_and_a_function_have_the_same_options_and_defaults() -> None:
    """Each option is an argument with the same default and type, or what is in its place is named above."""
    for function, cls in BOTH.items():
        verb, known, kinds = function.__name__, signature(function).parameters, get_type_hints(cls)
        instead = OTHERWISE[verb]
        for name, each in options_of(cls).items():
            if name not in known:
                if isinstance(each, ModelOption | ShortForm):
                    continue  # a keyword of the kind of model, or of the suite
                known_here = name in PRINTED or instead.get(name) in known
                assert known_here, f"cx.{verb} has no {name}: add it, or name it in PRINTED or OTHERWISE"
                continue
            if name not in OBJECTS:
                assert each.is_argument or known[name].default == each.default, f"{verb} {name}"
                kind = eval(known[name].annotation, vars(api))
                assert _kinds(kind) == _kinds(kinds[name]), f"{verb} {name}"
        new = {name for name, each in known.items() if each.kind is Parameter.KEYWORD_ONLY}
        assert new <= {*options_of(cls), *instead.values()}, verb


def test_tables_are_data_for_every_function() -> None:
    for data in (ROWS, pl.DataFrame(ROWS), cx.load(ROWS)):
        assert cx.accuracy(cx.run(always, data))["examples"].value == pytest.approx(1 / 3)
        assert [len(each) for each in cx.build("negation", data)] == [3, 3]
        assert [finding.code for finding in cx.check(data) if finding.code.startswith("E")] == []


def test_names_and_paths_are_data_and_their_items_are_saved_with_the_run(tmp_path: Path) -> None:
    suite, table = tmp_path / "suite", tmp_path / "table.csv"
    cx.build("negation", ROWS, folder=suite)
    pl.DataFrame(ROWS).write_csv(table)
    for number, (data, name, rows) in enumerate(
        ((suite, "negation.examples", 3), (table, "table", 3), ("builtin:demo[:5]", "builtin:demo[:5]", 5))
    ):
        run = cx.run(always, data, store=tmp_path / str(number))
        assert len(run.datasets[name]) == rows
        assert cx.load_run(tmp_path / str(number)).to_arrow().equals(run.to_arrow())


def test_items_without_a_label_stay_in_a_test_set_from_a_file(tmp_path: Path) -> None:
    """A model is asked about every item of a test set, as on the command line."""
    items = [*cx.load(ROWS), cx.Example("4", "It rains.", "It is wet.", None)]
    cx.build("corpus", cx.Dataset("tiny", items), folder=tmp_path / "suite")
    (file,) = (tmp_path / "suite").glob("*.parquet")
    (dataset,) = cx.run(always, file).datasets.values()
    assert dataset.label_counts()["none"] == 1


def test_declared_labels_make_two_even_if_one_never_occurs(tmp_path: Path) -> None:
    """A contradiction that is built from such a base is not_entailment, as on the command line."""
    rows = [{**row, "label": "yes"} for row in ROWS]
    pl.DataFrame(rows).write_csv(tmp_path / "table.csv")
    for data in (rows, tmp_path / "table.csv"):
        base = cx.load(data, labels={"yes": "entailment", "no": "not_entailment"}, allow_loss=True)
        (antonyms,) = (each for each in cx.build("antonymy", base) if each.entry.construction == "antonymy")
        assert set(antonyms.label_counts()) == {"not_entailment"}


def test_accuracy_by_a_slice_has_an_estimate_per_value() -> None:
    rows = [{**row, "topic": topic} for row, topic in zip(ROWS, ("food", "food", "pets"), strict=True)]
    run = cx.run(always, cx.load(rows, columns={"topic": "topic"}))
    found = cx.accuracy_by(run, "topic")["examples"]
    assert {topic: (each.value, each.n) for topic, each in found.items()} == {"food": (0, 2), "pets": (1, 1)}
