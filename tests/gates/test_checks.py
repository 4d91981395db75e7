"""Every form of a gate shows the golden figures: the value with its interval, and the p-value of its side."""

import json
import re
from typing import Any
from xml.etree import ElementTree

import pytest
from golden_runs import FIGURES, runs
from shown_tables import in_markdown, in_terminal

from crossexam.gates.judge import judge
from crossexam.gates.output import gate_json, gate_junit, gate_markdown
from crossexam.gates.result import GateResult
from crossexam.gates.rules import rules_from
from crossexam.reports.text import terminal_table

#: What gates are of: model, test set and least accuracy.  A gate of one check corrects no p-value.
DEMANDS = [(*key.split("|")[:2], float(key.rpartition("=")[2])) for key in FIGURES if "|gate_p|" in key]


def numbers(text: str) -> list[float]:
    return [float(each) for each in re.findall(r"\d+\.\d+(?:e-\d+)?", text)]


def near(numbers: list[float]) -> list[Any]:
    """What shown numbers may be: percent with one decimal, p with three or two digits."""
    *percents, p = numbers
    of_p = pytest.approx(p, abs=0.000501 if p >= 0.001 else 0.0501 * p)
    return [*(pytest.approx(each, abs=0.0501) for each in percents), of_p]


def shown(result: GateResult) -> dict[str, list[float]]:
    """Return the numbers of the only check of a gate: value, interval and p in each form."""
    markdown, wide = in_markdown(gate_markdown(result)), in_terminal(terminal_table(result.table))
    lines = [line for line in result.text("all").splitlines() if " [" in line and "  " in line.strip()]
    (document,) = json.loads(gate_json(result))["checks"]
    side = "p_holds" if document["value"] >= document["threshold"] else "p_broken"
    forms = {"the text": numbers(lines[0].partition(")  ")[2] or lines[0])}
    for name, tables in (("Markdown", markdown), ("the terminal", wide)):
        (cells,) = tables[0].rows
        forms[name] = numbers(f"{cells[3]} {cells[6]}")
    forms["JSON"] = [*(100 * document[part] for part in ("value", "low", "high")), document[side]]
    (case,) = ElementTree.fromstring(gate_junit(result)).iter("testcase")
    assert (len(case) > 0) == (result.checks[0].outcome != "holds")
    for inner in case:
        forms["JUnit"] = numbers(re.sub(r"wanted at (least|most) [\d.]+", "", inner.attrib["message"]))
    return forms


def test_every_form_shows_the_golden_figures() -> None:
    forms, of = set(), {run.model: run for run in runs()}
    for where in DEMANDS:
        model, test_set, least = where
        rules = rules_from([{"set": test_set, "measure": "accuracy", "min": least}])
        figure = FIGURES[f"{model}|{test_set}|accuracy|"]
        p = FIGURES[f"{model}|{test_set}|gate_p|min={least}"]["value"]
        right = [*(100 * figure[part] for part in ("value", "low", "high")), p]  # in percent, but for p
        result = judge(of[model], rules)
        decided = "holds" if right[0] >= 100 * least else "broken"  # each claim is tested at half the level
        assert result.checks[0].outcome == (decided if right[-1] <= 0.025 else "open"), where
        found = shown(result)
        assert found == dict.fromkeys(found, near(right)), where
        forms |= found.keys()
    assert forms == {"Markdown", "the terminal", "the text", "JSON", "JUnit"}
