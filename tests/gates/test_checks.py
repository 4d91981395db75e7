"""Every form of a gate shows the golden figures: the value with its interval, and the p-value of its side."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

from golden_runs import FIGURES, runs
from shown_tables import in_markdown, in_terminal

from crossexam.gates.judge import judge
from crossexam.gates.output import gate_json, gate_junit, gate_markdown
from crossexam.gates.result import GateResult
from crossexam.gates.rules import rules_from
from crossexam.reports.text import terminal_table

#: What gates are of: model, test set and least accuracy.  A gate of one check corrects no p-value.
DEMANDS = [(*key.split("|")[:2], float(key.rpartition("=")[2])) for key in FIGURES if "|gate_p|" in key]


def expected(model: str, test_set: str, least: float) -> tuple[float, float, float, float]:
    """Return value, low and high in percent, and the p-value."""
    figure = FIGURES[f"{model}|{test_set}|accuracy|"]
    p = FIGURES[f"{model}|{test_set}|gate_p|min={least}"]["value"]
    return 100 * figure["value"], 100 * figure["low"], 100 * figure["high"], p


def numbers(text: str) -> list[float]:
    return [float(each) for each in re.findall(r"\d+\.\d+(?:e-\d+)?", text)]


def close(found: list[float], right: tuple[float, ...]) -> bool:
    """Return whether shown numbers are those that are held: percent with one decimal, p with three or two."""
    *percents, p = right
    return (
        len(found) == len(right)
        and all(abs(a - b) <= 0.0501 for a, b in zip(found, percents, strict=False))
        and abs(found[-1] - p) <= (0.000501 if p >= 0.001 else 0.0501 * p)
    )


def shown(result: GateResult) -> dict[str, list[float]]:
    """Return the numbers of the only check of a gate: value, interval and p in each form."""
    (check,) = result.checks
    (markdown,) = [in_markdown(gate_markdown(result))[0].rows[0]]
    (wide,) = in_terminal(terminal_table(result.table))[0].rows
    lines = [line for line in result.text("all").splitlines() if " [" in line and "  " in line.strip()]
    (document,) = json.loads(gate_json(result))["checks"]
    side = "p_holds" if document["value"] >= document["threshold"] else "p_broken"
    forms = {
        "Markdown": numbers(f"{markdown[3]} {markdown[6]}"),
        "the terminal": numbers(f"{wide[3]} {wide[6]}"),
        "the text": numbers(lines[0].partition(")  ")[2] or lines[0]),
        "JSON": [100 * document[part] for part in ("value", "low", "high")] + [document[side]],
    }
    (case,) = ElementTree.fromstring(gate_junit(result)).iter("testcase")
    messages = [inner.attrib["message"] for inner in case]
    for message in messages:
        forms["JUnit"] = numbers(re.sub(r"wanted at (least|most) [\d.]+", "", message))
    assert bool(messages) == (check.outcome != "holds")
    return forms


def test_every_form_shows_the_golden_figures() -> None:
    wrong, forms = [], set()
    of = {run.model: run for run in runs()}
    for model, test_set, least in DEMANDS:
        rules = rules_from([{"set": test_set, "measure": "accuracy", "min": least}])
        result, right = judge(of[model], rules), expected(model, test_set, least)
        (check,) = result.checks
        decided = "holds" if right[0] >= 100 * least else "broken"  # each claim is tested at half the level
        assert check.outcome == (decided if right[-1] <= 0.025 else "open"), (model, test_set, least)
        found = shown(result)
        forms |= found.keys()
        wrong += [
            f"{model} on {test_set}, at least {least}, in {form}: {each} for {right}"
            for form, each in found.items()
            if not close(each, right)
        ]
    assert not wrong, "\n".join(wrong)
    assert forms == {"Markdown", "the terminal", "the text", "JSON", "JUnit"}
