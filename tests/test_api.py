"""The functions of the library: what they take, and what they say to the wrong types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter, signature
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
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


#: A call with a wrong type for each parameter of each function, and what the error says of it.
WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "load spec": (lambda: cx.load(3.5), r"3\.5 is not a corpus"),
    "load spec, none": (lambda: cx.load(None), "None is not a corpus"),
    "load spec, columns": (lambda: cx.load({"premise": ["a"]}), "a dict is not a corpus"),
    "load spec, texts": (lambda: cx.load(["a", "b"]), "a list that begins with 'a' is not"),
    "load spec, suite": (lambda: cx.load(SUITE), "a Suite is not a corpus"),
    "load spec, array": (lambda: cx.load(np.zeros((2, 3))), "an ndarray that begins with an ndarray"),
    "load spec, empty": (lambda: cx.load([]), "there are no examples"),
    "load columns": (lambda: cx.load(ROWS, columns=["premise"]), "columns is a list"),
    "load columns, names": (lambda: cx.load(ROWS, columns={"premise": 1}), "names that are not strings"),
    "load labels": (lambda: cx.load(ROWS, labels=["entailment"]), "labels is a list"),
    "load labels, values": (lambda: cx.load(ROWS, labels={"yes": 3}), "'3' is not a label"),
    "load skip_bad": (lambda: cx.load(ROWS, skip_bad="yes"), "skip_bad is 'yes'"),
    "load allow_loss": (lambda: cx.load(ROWS, allow_loss=1), "allow_loss is 1"),
    "load name": (lambda: cx.load(ROWS, name=3), "name is 3"),
    "load_suite folder": (lambda: cx.load_suite(3), "folder is 3"),
    "load_run folder": (lambda: cx.load_run(None), "folder is None"),
    "build suite": (lambda: cx.build(3, ROWS), "suite is 3"),
    "build base": (lambda: cx.build("negation", 3), "3 is not a corpus"),
    "build base, suite": (lambda: cx.build("negation", SUITE), "a Suite is not a corpus"),
    "build base, fixed": (lambda: cx.build("cross-dataset", pl.DataFrame()), "base is a DataFrame"),
    "build word_problems": (
        lambda: cx.build("numerical_reasoning", ROWS, word_problems=3),
        "3 is not a corpus",
    ),
    "build seed": (lambda: cx.build("negation", ROWS, seed="one"), "seed is 'one'"),
    "build limit": (lambda: cx.build("negation", ROWS, limit=2.5), r"limit is 2\.5"),
    "build limit, none": (lambda: cx.build("negation", ROWS, limit=0), "limit is 0"),
    "build per_key": (lambda: cx.build("negation", ROWS, per_key=0), "per_key is 0"),
    "report alpha": (lambda: cx.report(RUN, alpha=3), r"\(alpha\) is 3"),
    "report items": (lambda: cx.report(RUN, items=0), "items is 0"),
    "report items, word": (lambda: cx.report(RUN, items="wrong"), "items is 'wrong'"),
    "report relative_to": (lambda: cx.report(RUN, relative_to=RUN), "relative_to is not one of several runs"),
    "build tagger": (lambda: cx.build("negation", ROWS, tagger=3), "tagger is 3"),
    "build entities": (lambda: cx.build("negation", ROWS, entities=3), "entities is 3"),
    "build parser": (lambda: cx.build("negation", ROWS, parser=3), "parser is 3"),
    "build workers": (lambda: cx.build("negation", ROWS, workers=0), "workers is 0"),
    "build workers, text": (lambda: cx.build("negation", ROWS, workers="two"), "workers is 'two'"),
    "build engine": (lambda: cx.build("negation", ROWS, engine="rya"), "did you mean 'ray'?"),
    "build options": (lambda: cx.build("negation", ROWS, options=3), "options is 3"),
    "build options, one": (
        lambda: cx.build("negation", ROWS, options={"antonymy": 3}),
        "an entry of options is 3",
    ),
    "build options, value": (
        lambda: cx.build("antonymy", ROWS, options={"antonymy": {"indirect": 3}}),
        r"'antonymy\.indirect' cannot be 3",
    ),
    "build short_forms": (lambda: cx.build("antonymy", ROWS, indirect=[1]), "indirect is a list"),
    "build columns": (
        lambda: cx.build("negation", ROWS, columns={"premise": "a"}),
        r"cx.build\(suite, cx.load\(base, columns=",
    ),
    "build output": (lambda: cx.build("negation", ROWS, output="out"), "does not take output"),
    "build file_format": (lambda: cx.build("negation", ROWS, file_format=3), "file_format is 3"),
    "build force": (lambda: cx.build("negation", ROWS, force=1), "force is 1"),
    "build folder": (lambda: cx.build("negation", ROWS, folder=3), "folder is 3"),
    "check data": (lambda: cx.check(3), "3 is not a corpus"),
    "run model": (lambda: cx.run(3, SUITE), "3 is not a model"),
    "run data": (lambda: cx.run(always, 3), "3 is not a corpus"),
    "run data, run": (lambda: cx.run(always, RUN), "a Run is not a corpus"),
    "run store": (lambda: cx.run(always, SUITE, store=3), "store is 3"),
    "run workers": (lambda: cx.run(always, SUITE, workers=0), "workers is 0"),
    "run engine": (lambda: cx.run(always, SUITE, engine=3), "the engine is 3"),
    "run limit": (lambda: cx.run(always, SUITE, limit=0), "limit is 0"),
    "run force": (lambda: cx.run(always, SUITE, force=1), "force is 1"),
    "run chunk": (lambda: cx.run(always, SUITE, chunk=3), "chunk is 3"),
    "run aggregate": (lambda: cx.run(always, SUITE, aggregate=3), "aggregate is 3"),
    "run like": (lambda: cx.run(always, SUITE, like=3), "like is 3"),
    "convert model": (lambda: cx.convert(3, "x"), "model is 3"),
    "convert model, kind": (lambda: cx.convert("builtin/overlap", "x"), "'builtin/overlap' is not a checkp"),
    "convert folder": (lambda: cx.convert("hf/x", 3), "folder is 3"),
    "convert int8": (lambda: cx.convert("hf/x", "x", int8=8), "int8 is 8"),
    "convert on": (lambda: cx.convert("hf/x", "x", on=3), "3 is not a corpus"),
    "convert on, run": (lambda: cx.convert("hf/x", "x", on=RUN), "a Run is not a corpus"),
    "convert accept": (lambda: cx.convert("hf/x", "x", accept="yes"), "accept is 'yes'"),
    "convert label_order": (lambda: cx.convert("hf/x", "x", label_order=3), r"'hf\.label_order' cannot be 3"),
    "convert threshold": (
        lambda: cx.convert("hf/x", "x", threshold="half"),
        r"'hf\.threshold' cannot be 'half'",
    ),
    "convert revision": (lambda: cx.convert("hf/x", "x", revision=3), r"'hf\.revision' cannot be 3"),
    "compare common": (
        lambda: cx.compare(cx.run(always, SUITE), cx.run(always, SUITE), common=1),
        "common is 1",
    ),
    "run options": (lambda: cx.run("hf/x", SUITE, max_length=2.5), r"'hf\.max_length' cannot be 2\.5"),
    "run options, device": (lambda: cx.run("hf/x", SUITE, device=3), r"'hf\.device' cannot be 3"),
    "run options, order": (lambda: cx.run(shares, SUITE, label_order=3), r"'py\.label_order' cannot be 3"),
    "run options, names": (lambda: cx.run(shares, SUITE, label_order=[1, 2]), r"'py\.label_order' cannot be"),
    "run options, class": (lambda: cx.run(shares, SUITE, label_order="yes,no"), "'yes' is not a class"),
    "accuracy answers": (lambda: cx.accuracy(SUITE), "a run is a Suite"),
    "accuracy_by answers": (lambda: cx.accuracy_by(3, "gold"), "a run is 3"),
    "accuracy_by by": (lambda: cx.accuracy_by(RUN, 3), "by is 3"),
    "accuracy_by by, name": (lambda: cx.accuracy_by(RUN, "genre"), "no slice is called 'genre'"),
    "compare runs": (lambda: cx.compare(RUN, SUITE), "a run is a Suite"),
    "compare runs, one": (lambda: cx.compare(RUN), "1 run cannot be compared"),
    "compare runs, list": (lambda: cx.compare([RUN, RUN]), "1 run cannot be compared"),
    "compare index": (lambda: cx.compare(RUN, RUN, index=3), "index is 3"),
    "report index": (lambda: cx.report(RUN, RUN, index=3), "index is 3"),
    "report runs": (lambda: cx.report([RUN]), "a run is a list"),
    "report runs, none": (lambda: cx.report(), "there are no runs"),
    "save path": (lambda: cx.report(RUN).save(3), "the path of the report is 3"),
    "text suffix": (lambda: cx.report(RUN).text(".pdf"), r"no report format is called '\.pdf'"),
    "suite name": (lambda: SUITE["negaton.examples"], "did you mean 'negation.examples'"),
    "suite name, number": (lambda: SUITE[0], "the name of the test set is 0"),
    "predictions name": (lambda: RUN.predictions(["x"]), "the name of the test set is a list"),
    "accuracy max_unanswered": (lambda: cx.accuracy(RUN, max_unanswered=2), "max_unanswered"),
    "accuracy_by max_unanswered": (lambda: cx.accuracy_by(RUN, "gold", max_unanswered=2), "max_unanswered"),
    "baseline answers": (lambda: cx.baseline(SUITE, "b.parquet"), "a run is a Suite"),
    "baseline path": (lambda: cx.baseline(RUN, 3), "path is 3"),
    "baseline probabilities": (lambda: cx.baseline(RUN, "b", probabilities=1), "probabilities is 1"),
    "gate answers": (lambda: cx.gate(SUITE, rules=RULES), "a run is a Suite"),
    "gate baseline": (lambda: cx.gate(RUN, baseline=3, rules=RULES), "baseline is 3"),
    "gate baseline, none": (lambda: cx.gate(RUN, baseline="nosuch", rules=RULES), "no such file"),
    "gate rules": (lambda: cx.gate(RUN, rules=3), "rules is 3"),
    "gate rules, none": (lambda: cx.gate(RUN, rules=[]), "no rules are given"),
    "gate rules, percent": (lambda: cx.gate(RUN, rules=[{**RULES[0], "min": 60}]), "'min' is 60"),
    "gate alpha": (lambda: cx.gate(RUN, rules=RULES, alpha=5), r"\(alpha\) is 5"),
    "gate max_unanswered": (lambda: cx.gate(RUN, rules=RULES, max_unanswered=2), "max_unanswered"),
    "gate accept_unverified": (
        lambda: cx.gate(RUN, rules=RULES, accept_unverified=1),
        "accept_unverified is 1",
    ),
    "gate open": (lambda: cx.gate(RUN, rules=RULES, open=True), "open is True"),
    "gate items": (lambda: cx.gate(RUN, rules=RULES, items="errors"), r"\(items\) is 'errors'"),
    "compare max_unanswered": (lambda: cx.compare(RUN, RUN, max_unanswered="x"), "max_unanswered"),
    "report max_unanswered": (lambda: cx.report(RUN, max_unanswered=-1), "max_unanswered"),
    "report calibration": (lambda: cx.report(RUN, calibration="yes"), "calibration is 'yes'"),
    "report threshold": (lambda: cx.report(RUN, threshold=[3]), "threshold is 3"),
    "report threshold_per_set": (
        lambda: cx.report(RUN, threshold_per_set="yes"),
        "threshold_per_set is 'yes'",
    ),
    "report temperature_from": (lambda: cx.report(RUN, temperature_from=[3]), "temperature_from is 3"),
    "run again": (lambda: cx.run(shares, SUITE, again=["gone"]), "gone"),
    "to_arrow info": (lambda: RUN.to_arrow("genre"), "info is 'genre'"),
    "to_arrow info, key": (lambda: RUN.to_arrow(["genre"]), "no key of info is called 'genre'"),
}


def test_a_wrong_type_is_named(for_each: Callable[..., None]) -> None:
    def check(name: str) -> None:
        call, says = WRONG[name]
        with pytest.raises(CrossexamError, match=says) as raised:
            call()
        assert raised.value.wanted or raised.value.hint

    for_each(check, WRONG)


def test_every_parameter_is_in_the_table() -> None:
    functions = {name: getattr(api, name) for name in cx.__all__ if hasattr(api, name) and name.islower()}
    named = {
        f"{name} {parameter.name}"
        for name, function in functions.items()
        for parameter in signature(function).parameters.values()
        if parameter.kind is not Parameter.VAR_KEYWORD or parameter.name in {"options", "short_forms"}
    }
    assert {entry for entry in named if entry not in WRONG} == set()


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
    return set(get_args(annotation) if get_origin(annotation) in (Union, UnionType) else [annotation]) - {
        NoneType
    }


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
            if not each.is_argument and name not in OBJECTS:
                assert known[name].default == each.default, f"{verb} {name}"
            if name not in OBJECTS:
                assert _kinds(eval(known[name].annotation, vars(api))) == _kinds(kinds[name]), (
                    f"{verb} {name}"
                )
        new = {name for name, each in known.items() if each.kind is Parameter.KEYWORD_ONLY}
        assert new <= {*options_of(cls), *instead.values()}, verb


def test_a_class_order_may_be_a_text() -> None:
    for order in (
        "entailment,not_entailment",
        ["entailment", "not_entailment"],
        "not_entailment, entailment",
    ):
        run = cx.run(shares, SUITE, label_order=order)
        first = "not_entailment" if order == "not_entailment, entailment" else "entailment"
        assert set(run.predictions("negation.examples")) == {first}


def test_a_limit_and_a_forced_build_are_those_of_the_command_line(tmp_path: Path) -> None:
    run = cx.run(always, SUITE, limit=2)
    assert {len(run.predictions(name)) for name in run.datasets} == {2}
    cx.build("negation", ROWS, folder=tmp_path, file_format="jsonl")
    with pytest.raises(CrossexamError, match="--force"):
        cx.build("antonymy", ROWS, folder=tmp_path)
    assert "antonymy.examples" in cx.build("antonymy", ROWS, folder=tmp_path, force=True).datasets
    suite = cx.build("word_shuffle", ROWS, limit=np.int64(2), seed=np.int64(7))
    assert [len(each) for each in suite] == [2, 2]
    assert suite.manifest["request"]["seed"] == 7


def test_tables_are_data_for_every_function() -> None:
    for data in (ROWS, pl.DataFrame(ROWS), cx.load(ROWS)):
        assert cx.accuracy(cx.run(always, data))["examples"].value == pytest.approx(1 / 3)
        assert [len(each) for each in cx.build("negation", data)] == [3, 3]
        assert [finding.code for finding in cx.check(data) if finding.code.startswith("E")] == []


def test_names_and_paths_are_data_for_every_function(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    cx.build("negation", ROWS, folder=suite)
    assert list(cx.run(always, suite).datasets) == ["base.examples", "negation.examples"]
    single = cx.run(always, str(suite / "negation.examples.parquet"))
    assert len(single.datasets["negation.examples"]) == 3
    assert [finding.code for finding in cx.check(suite)] == [f.code for f in cx.check(SUITE)]
    table = tmp_path / "table.csv"
    pl.DataFrame(ROWS).write_csv(table)
    for number, (data, name, rows) in enumerate(
        ((table, "table", 3), ("builtin:demo[:5]", "builtin:demo[:5]", 5), (ROWS, "examples", 3))
    ):
        run = cx.run(always, data, store=tmp_path / str(number))
        assert len(run.datasets[name]) == rows
        # the file of a corpus is no test set: the items are saved with the run
        assert cx.load_run(tmp_path / str(number)).to_arrow().equals(run.to_arrow())


def test_items_without_a_label_stay_in_a_test_set_from_a_file(tmp_path: Path) -> None:
    """A model is asked about every item of a test set, as on the command line."""
    items = [*cx.load(ROWS), cx.Example("4", "It rains.", "It is wet.", None)]
    cx.build("corpus", cx.Dataset("tiny", items), folder=tmp_path / "suite")
    (file,) = (tmp_path / "suite").glob("*.parquet")
    (dataset,) = cx.run(always, file).datasets.values()
    assert dataset.label_counts()["none"] == 1


def test_what_was_left_out_of_a_table_is_shown_with_the_suite() -> None:
    rows = [*ROWS, {**ROWS[0], "label": None}]
    suite = cx.build("negation", rows)
    assert repr(suite) == "Suite('negation', 2 test sets, 6 items; left out: 1 without a gold label)"
    assert suite.manifest["bases"][0]["read"]["no_gold"] == 1


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
    by_gold = {label: each.value for label, each in cx.accuracy_by(run, "gold")["examples"].items()}
    assert by_gold == {"entailment": 0, "contradiction": 0, "neutral": 1}


def test_a_comparison_is_shown_in_a_line_per_test_set() -> None:
    compared = cx.compare(RUN, cx.run(always, SUITE))
    assert [each.name for each in compared] == ["base.examples", "negation.examples"]
    first, _ = repr(compared).splitlines()
    assert first.startswith("Comparison('base.examples', 3 items, first minus second ")
    assert compared._repr_html_().count("<tr>") == 3
