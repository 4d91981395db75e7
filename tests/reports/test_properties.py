"""CSV, JSON and tables of any runs agree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from file_figures import Found, in_csv, in_json
from hypothesis import example, given
from hypothesis import strategies as st
from random_runs import NO_ANSWER, UNPAIRED, Item, few, items, run
from shown_tables import Wanted, differs, in_latex, in_markdown, in_terminal

from crossexam.reports.report import Report
from crossexam.reports.results import ReportOptions, results_of

#: Columns of tables by their headers: the figure, whether its interval is shown, and the factor.
SHOWN: dict[str, tuple[str, bool]] = {
    "Accuracy": ("accuracy|", True),
    "Base": ("base_accuracy|", True),
    "Drop": ("drop|", True),
    "Flipped": ("flip_rate|", True),
}
SHORT = {"base (dev)": "base.dev", "negation (dev)": "negation.dev"}
runs_of = st.tuples(items, st.sampled_from([0.05, 1.0]))


def is_same(one: Mapping[str, float | None], other: Mapping[str, float | None]) -> bool:
    """Return whether two figures are the same, as far as both formats have their parts."""
    return all(one[part] == other[part] for part in one.keys() & other.keys() if part != "n")


@few
@given(runs_of)
@example((UNPAIRED, 0.05))
@example((NO_ANSWER, 1.0))
def test_csv_and_json_say_the_same(drawn: tuple[list[Item], float]) -> None:
    given_items, limit = drawn
    both = [run(given_items, 0), run(given_items, 1)]
    results = results_of(both, ReportOptions(max_unanswered=limit))
    of_csv, of_json = in_csv(results, limit), in_json(results, limit)
    known = {key for key, each in of_csv.items() if each["value"] is not None}
    assert {key for key, each in of_json.items() if each["value"] is not None} == known
    assert [key for key in known if not is_same(of_csv[key], of_json[key])] == []


@few
@given(runs_of)
@example((UNPAIRED, 0.05))
@example((NO_ANSWER, 1.0))
def test_tables_say_what_json_does(drawn: tuple[list[Item], float]) -> None:
    given_items, limit = drawn
    one = run(given_items)
    report = Report((one,), ReportOptions(max_unanswered=limit))
    figures = in_json(report.results, limit)
    forms = {
        "Markdown": in_markdown(report.text(".md")),
        "LaTeX": in_latex(report.text(".tex")),
        "terminal": in_terminal(report.terminal()),
    }
    wrong = []
    for form, tables in forms.items():
        for table in tables:
            if table.title not in {"Accuracy", "Drop from the base", f"Accuracy of {one.model}"}:
                continue
            for row in table.rows:
                cells = dict(zip(table.header, row, strict=True))
                if cells["Test set"] in SHORT:
                    wrong += [f"{form}: {each}" for each in others(cells, one.model, figures)]
    assert not wrong, "\n".join(wrong)


def others(cells: Mapping[str, str], model: str, figures: Found) -> list[str]:
    """Return the cells of a row that show another number than *figures* have."""
    start = f"{model}|{SHORT[cells['Test set']]}"
    found = []
    for header, cell in cells.items():
        name, has_interval = SHOWN.get("Accuracy" if header == model else header, ("", False))
        figure: Mapping[str, Any] = figures.get(f"{start}|{name}", {})
        if figure.get("value") is None:  # none, or bounds
            continue
        parts = ["value", "low", "high"] if has_interval and "[" in cell else ["value"]
        text = "{} [{}, {}]" if len(parts) > 1 else "{}"
        if differs(cell, Wanted(text, [(100 * figure[part], 1, 0.0) for part in parts])):
            found.append(f"{start}, {header}: {cell} for {figure}")
    return found
