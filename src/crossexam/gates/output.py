"""The result of a gate for other programs: JUnit, JSON, and the summary of a job on GitHub."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any, Final

from crossexam.core.estimate import Bounds
from crossexam.core.output.escapes import escape_markdown, escape_xml, json_text
from crossexam.gates.behind import ItemsBehind, ShownItem
from crossexam.gates.checks import Check
from crossexam.gates.result import GateResult
from crossexam.gates.table import p_text, value_text
from crossexam.gates.text import behind_title, item_lines
from crossexam.reports.text import markdown_table

#: The number of the format of the JSON document.
FORMAT: Final = 2


def gate_markdown(result: GateResult) -> str:
    """Return the checks as Markdown, and below them the items behind those that fail or are undecided."""
    parts = [markdown_table(result.table)]
    for check in result.checks:
        if check.behind is not None and check.behind.count:
            title = behind_title(check, check.behind, check.test_set)
            items = ["\n".join(_markdown_item(each)) for each in check.behind.shown]
            parts += [escape_markdown(title), *(["\n".join(items)] if items else [])]
    return "\n\n".join(parts) + "\n"


def _markdown_item(item: ShownItem) -> list[str]:
    """Return an item as one of a list, with its texts as a list in it."""
    first, *others = map(escape_markdown, item_lines(item))
    return [f"- {first}", *(f"  - {each}" for each in others)]


def gate_junit(result: GateResult) -> str:
    """Return the checks as a JUnit file: a test case per check.

    An open check without a loss, or one that is let through, is skipped; one that leaves the gate undecided
    is a failure, since a reader of such files would otherwise show green.
    """
    failures = sum(_element(result, each) == "failure" for each in result.checks)
    skipped = sum(_element(result, each) == "skipped" for each in result.checks)
    counts = f'tests="{len(result.checks)}" failures="{failures}" errors="0" skipped="{skipped}"'
    return "\n".join(
        [
            '<?xml version="1.0" encoding="utf-8"?>',
            "<testsuites>",
            f'<testsuite name="{escape_xml(f"crossexam gate: {result.model}")}" {counts} time="0.000">',
            *(_test_case(result, each) for each in result.checks),
            "</testsuite>",
            "</testsuites>",
            "",
        ]
    )


def _element(result: GateResult, check: Check) -> str | None:
    """Return the element within the test case of *check*; None if it holds."""
    if check.outcome == "holds":
        return None
    return "failure" if _failure_type(result, check) else "skipped"


def _failure_type(result: GateResult, check: Check) -> str | None:
    """Return of which type the failure of *check* is; None if it is none."""
    if result.fails(check) or check.outcome == "not judged":
        return check.outcome
    return "undecided" if check.undecided and result.open_checks == "undecided" else None


def _test_case(result: GateResult, check: Check) -> str:
    name = f"rule {check.rule.number}: {check.rule.measure.name} {check.wanted}"
    start = f'<testcase classname="{escape_xml(check.test_set)}" name="{escape_xml(name)}" time="0.000"'
    element = _element(result, check)
    if element is None:
        return f"{start}/>"
    p_value = "" if check.p_value is None else f", p {p_text(check)}"
    message = f"{check.outcome}: {value_text(check)}, wanted {check.wanted}{p_value}"
    lines = [check.remark] if check.remark else []
    if check.behind is not None and check.behind.count:
        lines.append(behind_title(check, check.behind, check.test_set))
        lines += [line for item in check.behind.shown for line in item_lines(item)]
    kind = _failure_type(result, check) or check.outcome
    text = escape_xml("\n".join(lines))
    inner = f'<{element} type="{kind}" message="{escape_xml(message)}">{text}'
    return f"{start}>{inner}</{element}></testcase>"


def gate_json(result: GateResult) -> str:
    """Return the checks as JSON; docs/gate.schema.json is its schema."""
    document = {
        "format": FORMAT,
        "model": result.model,
        "baseline": result.baseline,
        "alpha": result.alpha,
        "open": result.open_checks,
        "verdict": result.verdict,
        "passed": result.passed,
        "exit_code": result.exit_code,
        "checks": [_json_of(result, each) for each in result.checks],
    }
    return json_text(document, indent=1) + "\n"


def _json_of(result: GateResult, check: Check) -> dict[str, Any]:
    value = check.value
    bounds = (value.least.value, value.most.value) if isinstance(value, Bounds) else None
    return {
        "rule": check.rule.number,
        "set": check.rule.set,
        "test_set": check.test_set,
        "measure": check.rule.measure.name,
        "against": "baseline" if check.rule.against_baseline else None,
        "require": "shown" if check.rule.must_be_shown else None,
        "side": check.limit.side,
        "threshold": check.limit.threshold,
        "value": None if math.isnan(value.value) else value.value,
        "bounds": bounds,
        "low": value.low,
        "high": value.high,
        "observed": check.observed,
        "items": check.n,
        "missing": check.missing,
        "outcome": check.outcome,
        "fails": result.fails(check),
        "undecided": check.undecided and not result.fails(check),
        "p_holds": check.p_holds,
        "p_broken": check.p_broken,
        "detectable": check.detectable,
        "items_needed": check.items_needed,
        "remark": check.remark or None,
        "behind": None if check.behind is None else _json_of_items(check.behind),
    }


def _json_of_items(behind: ItemsBehind) -> dict[str, Any]:
    return {"what": behind.what, "count": behind.count, "shown": [asdict(each) for each in behind.shown]}
