"""The result of a gate for other programs: JUnit, JSON by its schema, Markdown; the example."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import numpy as np
import pytest

from crossexam.core.dataset import Run
from crossexam.gates.baseline import Baseline
from crossexam.gates.judge import judge
from crossexam.gates.output import gate_json, gate_junit, gate_markdown
from crossexam.gates.result import GateResult
from crossexam.gates.rules import rules_from
from crossexam.gates.table import OUTCOMES

MakeRun = Callable[..., Run]
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")

#: What pytest's schema junit_xunit2 (junit-10.xsd of the xUnit plug-in of Jenkins) permits of what we write:
#: for each element the attributes, those that it must have, and the elements within it.
SCHEMA: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, set(), {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors", "group", "time", "skipped", "timestamp", "hostname", "id",
         "package", "file", "log", "url", "version"},
        {"name", "tests", "failures", "errors"},
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
    ),
    "testcase": (
        {"name", "time", "classname", "group"}, {"name"},
        {"skipped", "errors", "failure", "system-out", "system-err"},
    ),
    "failure": ({"type", "message"}, set(), set()),
    "skipped": ({"type", "message"}, set(), set()),
}  # fmt: skip


@pytest.fixture(scope="module")
def result(make_run: MakeRun) -> GateResult:
    """A gate with a check of every outcome, observed ones, and one against a baseline."""
    run = make_run(
        {"negation.dev": np.arange(300) % 10 < 6}, {"base.dev": range(30)}, model='a <model> & "more"'
    )
    rules: list[dict[str, Any]] = [
        {"set": "negation.dev", "measure": "accuracy", "min": 0.5},
        {"set": "negation.dev", "measure": "accuracy", "min": 0.6},
        {"set": "negation.dev", "measure": "accuracy", "min": 0.9},
        {"set": "negation.dev", "measure": "accuracy", "against": "baseline", "margin": 0.02},
        {"set": "base.dev", "measure": "accuracy", "min": 0.95},
        {"set": "base.dev", "measure": "unanswered", "max": 0.2},
        {"set": "negation.dev", "measure": "ece", "max": 0.2, "require": "shown"},
    ]
    return judge(run, rules_from(rules), Baseline.of(make_run()))


def test_there_is_a_check_of_every_outcome(result: GateResult) -> None:
    assert {check.outcome for check in result.checks} == set(OUTCOMES)


def test_junit_keeps_to_the_schema(result: GateResult) -> None:
    for element in ElementTree.fromstring(gate_junit(result)).iter():
        attributes, needed, inner = SCHEMA[element.tag]
        assert needed <= set(element.attrib) <= attributes
        assert {child.tag for child in element} <= inner
        if "time" in element.attrib:
            assert re.fullmatch(r"[0-9]{1,3}\.[0-9]{3}", element.attrib["time"])


def test_junit_is_read_by_junitparser(result: GateResult, tmp_path: Path) -> None:
    junitparser = pytest.importorskip("junitparser")
    path = tmp_path / "gate.xml"
    path.write_text(gate_junit(result), encoding="utf-8")
    (suite,) = junitparser.JUnitXml.fromfile(str(path))
    assert suite.name == 'crossexam gate: a <model> & "more"'
    cases = list(suite)
    assert [case.classname for case in cases] == [check.test_set for check in result.checks]
    kinds = {
        junitparser.Failure: {"broken", "not judged", "open"},
        junitparser.Skipped: {"open"},
    }
    for case, check in zip(cases, result.checks, strict=True):
        if check.outcome == "holds":
            assert case.is_passed
            continue
        (found,) = case.result
        assert check.outcome in kinds[type(found)]
        assert found.type == ("undecided" if check.undecided else check.outcome)
        assert (type(found) is junitparser.Skipped) == (check.outcome == "open" and check.without_loss)
    failures = sum(not case.is_passed and not case.is_skipped for case in cases)
    assert (suite.tests, suite.failures, suite.skipped) == (
        len(cases), failures, sum(case.is_skipped for case in cases),
    )  # fmt: skip


def test_json_is_valid_by_its_schema(result: GateResult) -> None:
    schema = json.loads((ROOT / "docs" / "gate.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    document = json.loads(gate_json(result))
    jsonschema.validate(document, schema)
    for key in document["checks"][0]:
        assert schema["$defs"]["check"]["properties"][key]["description"]
    assert set(schema["$defs"]["check"]["required"]) == set(document["checks"][0])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**document, "format": 1}, schema)


def test_the_items_behind_checks_are_in_every_format(result: GateResult) -> None:
    documents = json.loads(gate_json(result))["checks"]
    cases = ElementTree.fromstring(gate_junit(result)).findall(".//testcase")
    for check, document, case in zip(result.checks, documents, cases, strict=True):
        if not (check.fails or check.undecided):
            assert document["behind"] is None
            continue
        assert check.behind is not None
        assert len(check.behind.shown) == 3
        assert (document["behind"]["what"], document["behind"]["count"]) == (
            check.behind.what,
            check.behind.count,
        )
        text, markdown = "".join(case.itertext()), gate_markdown(result)
        for item, written in zip(check.behind.shown, document["behind"]["shown"], strict=True):
            assert (written["id"], written["hypothesis"]) == (item.id, item.hypothesis)
            assert f"{item.id}\n" in text
            assert f"hypothesis: {item.hypothesis}\n" in text + "\n"
            assert f"\n- {item.id}\n" in markdown
            assert f"\n  - hypothesis: {item.hypothesis}\n" in markdown


@pytest.mark.parametrize(
    ("open_checks", "kind"),
    [("undecided", ("failure", "undecided")), ("pass", ("skipped", "open")), ("fail", ("failure", "open"))],
)
def test_an_undecided_check_is_green_for_no_reader_unless_it_is_let_through(
    make_run: MakeRun, open_checks: Any, kind: tuple[str, str]
) -> None:
    run = make_run({"negation.dev": np.arange(300) % 10 < 6})
    rules = rules_from([{"set": "negation.dev", "measure": "accuracy", "min": 0.6}])
    result = judge(run, rules, open_checks=open_checks)
    (element,) = ElementTree.fromstring(gate_junit(result)).findall(".//testcase/*")
    assert (element.tag, element.attrib["type"]) == kind
    document = json.loads(gate_json(result))
    assert (document["open"], document["verdict"], document["exit_code"]) == {
        "undecided": ("undecided", "undecided", 5),
        "pass": ("pass", "undecided", 0),
        "fail": ("fail", "fails", 1),
    }[open_checks]
    assert document["checks"][0]["undecided"] == (open_checks != "fail")
    through = ", let through by --open pass" if open_checks == "pass" else ""
    verdict = "fails" if open_checks == "fail" else "is undecided"
    assert gate_markdown(result).startswith(f"## The gate {verdict}{through}: mine, 1 check")


def test_an_open_check_without_a_loss_is_skipped(make_run: MakeRun) -> None:
    new, old = np.ones((2, 300), dtype=bool)
    new[:36:3], old[1:36:3] = False, False
    rules = [{"set": "negation.dev", "measure": "accuracy", "against": "baseline", "margin": 0.02}]
    result = judge(
        make_run({"negation.dev": new}), rules_from(rules), Baseline.of(make_run({"negation.dev": old}))
    )
    (element,) = ElementTree.fromstring(gate_junit(result)).findall(".//testcase/*")
    assert (element.tag, element.attrib["type"]) == ("skipped", "open")
    assert "| open, no loss |" in gate_markdown(result)
    (check,) = json.loads(gate_json(result))["checks"]
    assert (check["outcome"], check["undecided"], check["behind"]) == ("open", False, None)


def test_json_has_what_the_checks_have(result: GateResult) -> None:
    document = json.loads(gate_json(result))
    assert (document["verdict"], document["passed"], document["exit_code"]) == ("fails", False, 1)
    for each, check in zip(document["checks"], result.checks, strict=True):
        assert each["outcome"] == check.outcome
        assert (each["p_holds"] is None) == check.observed
        assert (each["bounds"] is None) == (each["value"] is not None)


def test_markdown_has_a_row_per_check(result: GateResult) -> None:
    lines = [line for line in gate_markdown(result).splitlines() if line.startswith("| ")]
    assert len(lines) == len(result.checks) + 2
    assert "a \\<model\\>" in gate_markdown(result)


def test_the_table_says_which_rules_must_be_shown(result: GateResult) -> None:
    assert "Must be shown to hold (require): rule 7." in result.table.notes


def test_a_check_that_is_not_judged_says_why(result: GateResult) -> None:
    (note,) = (note for note in result.table.notes if note.startswith("Rule 5 on base.dev"))
    assert "30 of 300 items could not be measured" in note


def test_the_example_on_the_page_is_how_the_output_begins() -> None:
    import crossexam as cx

    suite = cx.build("negation", "builtin:demo")
    rule = {"set": "*", "measure": "accuracy", "against": "baseline", "margin": 0.02}
    majority, overlap = (cx.run(f"builtin/{name}", suite) for name in ("majority", "overlap"))
    result = cx.gate(overlap, baseline=majority, rules=[rule], items=1)
    text = result.text("crossexam gate runs/overlap --baseline baseline.parquet --items all")
    (shown,) = re.findall(r"```text\n(The gate.*?)```", PAGE, flags=re.DOTALL)
    notes = next(part for part in text.split("\n\n") if part.startswith("Percent"))
    assert text.replace(f"{notes}\n\n", "").startswith(shown)


@pytest.mark.slow
def test_the_example_runs_under_pytest(tmp_path: Path) -> None:
    """As users run it: pytest without our configuration and without a plug-in."""
    line = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull]
    example = ROOT / "examples" / "test_my_model.py"
    done = subprocess.run(
        [*line, "--rootdir", str(tmp_path), str(example)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
