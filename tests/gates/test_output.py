"""The result of a gate for other programs: JUnit, JSON by its schema on the page, Markdown; the example."""

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
        assert found.type == check.outcome
        assert (type(found) is junitparser.Failure) == (result.fails(check) or check.outcome == "not judged")
    failures = sum(not case.is_passed and not case.is_skipped for case in cases)
    assert (suite.tests, suite.failures, suite.skipped) == (
        len(cases), failures, sum(case.is_skipped for case in cases),
    )  # fmt: skip


def test_json_is_valid_by_the_schema_on_the_page(result: GateResult) -> None:
    (text,) = re.findall(r"```json\n(\{\n  \"\$schema\".*?)```", PAGE, flags=re.DOTALL)
    schema = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema)
    document = json.loads(gate_json(result))
    jsonschema.validate(document, schema)
    for key in document["checks"][0]:
        assert schema["$defs"]["check"]["properties"][key]["description"]
    assert set(schema["$defs"]["check"]["required"]) == set(document["checks"][0])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**document, "format": 2}, schema)


def test_json_has_what_the_checks_have(result: GateResult) -> None:
    document = json.loads(gate_json(result))
    assert (document["passed"], document["exit_code"]) == (False, 1)
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
