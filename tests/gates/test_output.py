"""The result of a gate for readers and programs: JUnit, JSON by its schema, Markdown; the example."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import numpy as np
import pytest

from crossexam.gates.output import gate_json, gate_junit, gate_markdown
from crossexam.gates.result import GateResult
from crossexam.gates.table import OUTCOMES
from made.gated import DEV, MakeRun, N, gate

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def result(make_run: MakeRun) -> GateResult:
    """A gate with a check of every outcome, observed ones, and one against a baseline."""
    run = make_run({DEV: np.arange(N) % 10 < 6}, {"base.dev": range(30)}, model='a <model> & "more"')
    rules: list[dict[str, Any]] = [
        {"measure": "accuracy", "min": 0.5},
        {"measure": "accuracy", "min": 0.6},
        {"measure": "accuracy", "min": 0.9},
        {"measure": "accuracy", "against": "baseline", "margin": 0.02},
        {"set": "base.dev", "measure": "accuracy", "min": 0.95},
        {"set": "base.dev", "measure": "unanswered", "max": 0.2},
        {"measure": "ece", "max": 0.2, "require": "shown"},
    ]
    found = gate(run, *rules, baseline=make_run())
    assert {check.outcome for check in found.checks} == set(OUTCOMES)
    return found


def test_junit_is_read_by_junitparser(result: GateResult, tmp_path: Path) -> None:
    junitparser = pytest.importorskip("junitparser")
    path = tmp_path / "gate.xml"
    path.write_text(gate_junit(result), encoding="utf-8")
    (suite,) = junitparser.JUnitXml.fromfile(str(path))
    assert suite.name == 'crossexam gate: a <model> & "more"'
    expected: list[tuple[Any, str]] = []
    for check in result.checks:
        skipped = check.outcome == "open" and check.without_loss
        kind = junitparser.Skipped if skipped else junitparser.Failure
        outcome = "undecided" if check.undecided else check.outcome
        expected += [] if outcome == "holds" else [(kind, outcome)]
    cases = list(suite)
    assert [case.classname for case in cases] == [check.test_set for check in result.checks]
    assert [(type(each), each.type) for case in cases for each in case.result] == expected
    assert (suite.tests, suite.failures + suite.skipped) == (len(cases), len(expected))


def test_json_is_valid_by_its_schema(result: GateResult) -> None:
    schema = json.loads((ROOT / "docs" / "gate.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    document = json.loads(gate_json(result))
    jsonschema.validate(document, schema)
    assert set(schema["$defs"]["check"]["required"]) == set(document["checks"][0])
    assert (document["verdict"], document["passed"], document["exit_code"]) == ("fails", False, 1)
    for each, check in zip(document["checks"], result.checks, strict=True):
        assert each["outcome"] == check.outcome
        assert (each["p_holds"] is None) == check.observed
        assert (each["bounds"] is None) == (each["value"] is not None)


def test_the_items_behind_checks_are_in_every_format(result: GateResult) -> None:
    documents, markdown = json.loads(gate_json(result))["checks"], gate_markdown(result)
    cases = ElementTree.fromstring(gate_junit(result)).findall(".//testcase")
    for check, document, case in zip(result.checks, documents, cases, strict=True):
        if not (check.fails or check.undecided):
            assert document["behind"] is None
            continue
        behind, written, text = check.behind, document["behind"], "".join(case.itertext()) + "\n"
        assert (written["what"], written["count"], len(behind.shown)) == (behind.what, behind.count, 3)
        for item, each in zip(behind.shown, written["shown"], strict=True):
            assert (each["id"], each["hypothesis"]) == (item.id, item.hypothesis)
            assert f"hypothesis: {item.hypothesis}\n" in text
            assert f"\n- {item.id}\n" in markdown
    assert "a \\<model\\>" in markdown


def test_an_undecided_check_is_green_for_no_reader_unless_it_is_let_through(make_run: MakeRun) -> None:
    run, rule = make_run({DEV: np.arange(N) % 10 < 6}), {"measure": "accuracy", "min": 0.6}
    cases: dict[Any, tuple[str, str]] = {
        "undecided": ("failure", "undecided"),
        "pass": ("skipped", "open"),
        "fail": ("failure", "open"),
    }
    for open_checks, kind in cases.items():
        result = gate(run, rule, open_checks=open_checks)
        (element,) = ElementTree.fromstring(gate_junit(result)).findall(".//testcase/*")
        assert (element.tag, element.attrib["type"]) == kind
        assert json.loads(gate_json(result))["exit_code"] == result.exit_code


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
