"""The tables of every format show the golden figures, each under its right name.

The tables of a format are read as text and looked up in ``TABLES``, which says for each column
which figure of ``tests/golden/figures.json`` it has.  A figure may be off by what its format rounds away.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from math import inf, isnan, nan
from typing import Any

import pytest
from golden_runs import DIFFERENT, FIGURES, MODELS, SETS, SHORT, report, runs
from shown_columns import HAS, OF_TWO, OUTSIDE, TABLES, Column
from shown_tables import Shown, Wanted, differs, in_html, in_latex, in_markdown, in_terminal

from crossexam.api import compare
from crossexam.reports.analyses import keys
from crossexam.reports.report import Report, make_report
from crossexam.reports.results import ReportOptions, results_of
from crossexam.reports.sections import compared_tables
from crossexam.reports.text import render_latex, render_markdown

MEAN, ALL = "(mean of test sets)", "(all test sets)"
FULL = {short: name for name, short in SHORT.items()} | {name: name for name in SETS}


@cache
def report_of_two() -> Report:
    return Report(runs()[:2], ReportOptions(calibration=True))


def tables_of_two() -> Any:
    return compared_tables(results_of(runs()[:2]))


def compared_with(number: int) -> list[Shown]:
    return in_terminal(make_report(runs()[0], runs()[number]).terminal_comparison(details=True))


#: The tables of each format.
FORMATS: dict[str, Callable[[], list[Shown]]] = {
    "page": lambda: in_html(report().text(".html")),
    "page of two models": lambda: in_html(report_of_two().text(".html")),
    "Markdown": lambda: in_markdown(report().text(".md")),
    "LaTeX": lambda: in_latex(report().text(".tex")),
    "LaTeX of two models": lambda: in_latex(report_of_two().text(".tex")),
    "terminal": lambda: in_terminal(report().terminal()),
    "terminal in detail": lambda: in_terminal(report().terminal(details=True)),
    "terminal of one model": lambda: in_terminal(Report(runs()[2:]).terminal()),
    "notebook": lambda: in_html(report()._repr_html_()),
    "comparison on the terminal": lambda: compared_with(1),
    "comparison with the last model": lambda: compared_with(2),
    "comparison in Markdown": lambda: in_markdown(render_markdown("Comparison", tables_of_two())),
    "comparison in LaTeX": lambda: in_latex(render_latex("Comparison", tables_of_two())),
    "comparison in a notebook": lambda: in_html(compare(*runs()[:2])._repr_html_()),
}


NOTHING = Wanted("–")


def ends_of(start: str) -> list[str]:
    """Return the rest of the keys of figures that begin so."""
    return [key.removeprefix(start) for key in FIGURES if key.startswith(start)]


class Row:
    """A row of a table as it is looked up: its model, its test set, and what is in its other columns."""

    def __init__(self, model: str, test_set: str, first: str = "", measure: str = "") -> None:
        self.start, self.first, self.measure = f"{model}|{test_set}", first, measure

    def figure(self, name: str) -> dict[str, Any] | None:
        kind, _, of = name.replace("{measure}", self.measure).partition("|")
        if kind == "lost":
            kind = "drop" if f"{self.start}|drop|" in FIGURES else "difference"
        if of in {"gold", "genre", "pair", "rule"}:
            of = f"{of}={self.first}"
        if of == "*":
            of = ends_of(f"{self.start}|{kind}|")[0]
        return FIGURES.get(f"{self.start}|{kind}|{of}")

    def value(self, name: str) -> float:
        found = self.figure(name)
        return nan if found is None or found["value"] is None else found["value"]

    def bounds(self, name: str) -> list[float] | None:
        """Return the least and the greatest value of a figure if these are known."""
        kind, _, of = name.replace("lost|", "drop|").partition("|")
        ends = [self.value(f"{kind}_{end}|{of}") for end in ("least", "most")]
        return None if any(map(isnan, ends)) else ends


def wanted(kind: str, name: str, row: Row) -> Wanted:
    """Return what a cell should show."""
    if kind == "text":
        return Wanted(text_of(name, row))
    if kind == "count":
        return counted(name, row)
    if kind == "bounds":
        return bounds_of(name, row)
    if kind == "starred":
        p, right = row.value("p_holm|"), wanted("estimate", name, row)
        return right._replace(text=right.text.replace("{}", "{}*", 1)) if p <= 0.05 else right
    found = row.figure(name)
    if found is None or (kind == "paired" and not FIGURES.get(f"{row.start}|drop|")):
        return NOTHING
    value = found["value"]
    if kind == "n":
        return Wanted("{}", [(found["n"], 0, 0.0)])
    if kind in {"p", "told"}:
        return p_value(value) if value is not None else NOTHING if kind == "p" else Wanted("none")
    if kind == "rank":
        return Wanted("{} [{}, {}]", [(found[part], 0, 0.0) for part in ("value", "low", "high")])
    if value is None and found.get("low") is not None and kind == "estimate":
        least, most = row.bounds(name) or (nan, nan)
        return estimate("{} to {} [{}, {}]", [least, most, found["low"], found["high"]], 100, 1, {})
    if value is None:
        value = unbounded(name, row)
    if isnan(value):
        return NOTHING
    scale, decimals = (1, 3) if kind in {"score", "value"} else (100, 1)
    if kind in {"share", "value", "paired"} or found.get("low") is None or value in {inf, -inf}:
        return estimate("{}", [value], scale, decimals, found)
    return estimate("{} [{}, {}]", [value, found["low"], found["high"]], scale, decimals, found)


def unbounded(name: str, row: Row) -> float:
    """Return infinity for a log loss of an impossible answer, or of what only one model gave such."""
    if "log_loss_difference" in name.replace("{measure}", row.measure):
        a, b = (row.value(f"log_loss_impossible_{side}|") > 0 for side in "ab")
        return nan if a == b else inf if a else -inf
    return inf if "log_loss" in name.replace("{measure}", row.measure) else nan


def estimate(text: str, values: list[float], scale: int, decimals: int, found: dict[str, Any]) -> Wanted:
    within = [0.0, found.get("low_within") or 0.0, found.get("high_within") or 0.0, 0.0]
    numbers = [(scale * value, decimals, scale * by) for value, by in zip(values, within, strict=False)]
    return Wanted(text, numbers)


def p_value(value: float, level: float = 0.05) -> Wanted:
    assert value >= 0.001  # a smaller one has another form
    return Wanted("{}*" if value <= level else "{}", [(value, 3, 0.0)])


def bounds_of(name: str, row: Row) -> Wanted:
    ends = [row.figure(f"{name}_{end}|") for end in ("least", "most")]
    if None in ends:
        return NOTHING
    least, most = (dict(end or {}) for end in ends)
    values = [least["value"], most["value"], least["low"], most["high"]]
    return estimate("{} to {} [{}, {}]", values, 100, 1, {})


def counted(name: str, row: Row) -> Wanted:
    if name == "missing":
        value = sum(row.value(f"unanswered|{status}") for status in statuses(row))
    elif name == "compared":
        value = row.value("labelled|" if row.value("only_bounds|") == 1 else "n|")
    else:
        value = row.value(name)
    return NOTHING if isnan(value) else Wanted("{}", [(value, 0, 0.0)])


def statuses(row: Row) -> list[str]:
    return sorted(ends_of(f"{row.start}|unanswered|"), key=["refused", "cut"].index)


def text_of(name: str, row: Row) -> str:
    if name == "reasons":
        return ", ".join(f"{row.value(f'unanswered|{status}'):.0f} {status}" for status in statuses(row))
    if name == "groups":
        return " ".join(sorted(ends_of(f"{row.start}|rank_group|")))
    if name == "gold":
        cells = ends_of(f"{row.start}|confusion|")
        return "".join({each.partition(">")[0] for each in cells if row.value(f"confusion|{each}")})
    return ends_of(f"{row.start}|largest_key_share|")[0] if name == "largest" else name


def expanded(spec: Sequence[Column], header: Sequence[str]) -> list[Column] | None:
    """Return a column per header, with the models or their numbers in place; None if the headers differ."""
    found: list[Column] = []
    for column in spec:
        if column.header == "{models}":
            found += [Column(model, *column[1:]) for model in MODELS if model in header]
        elif column.header == "{numbers}":
            found += [Column(number, *column[1:]) for number in header[1:]]
        elif not column.header.startswith("?") or column.header[1:] in header:
            found.append(column._replace(header=column.header.removeprefix("?")))
    short = found[: len(header)]
    is_short = len(short) < len(found) and found[0].header == "Test set"  # of bases only, or without a drop
    return short if [each.header for each in (short if is_short else found)] == list(header) else None


def model_of(header: str, cells: Mapping[str, str], title: str) -> str:
    """Return the model of a cell: of its column, its row, or the table; any if it is of all models."""
    if header in MODELS:
        return header
    of = title.removeprefix("Accuracy of ")
    return cells.get("Model", of if of in MODELS else MODELS[0])


def mistakes(shown: Shown, pattern: str, matched: re.Match[str], against: str) -> Iterator[str]:
    """Yield what the cells of a table show in place of the golden figures."""
    spec = expanded(TABLES[pattern], shown.header)
    if spec is None:
        yield f"{shown.title}: columns {shown.header}"
        return
    where = matched.groupdict()
    last = ""
    for cells in shown.rows:
        named = dict(zip(shown.header, cells, strict=True))
        name = named.get("Test set", named.get("test set", where.get("set", shown.folded)))
        is_majority = name == "majority baseline"
        if name == "mean of 4 test sets":
            last = MEAN
        elif not is_majority:
            last = ALL if "all" in where else FULL[name]
        measure = named.get("Measure", "").lower().replace(" ", "_").replace("-", "")
        for column, cell in zip(spec, cells, strict=True):
            model = against if pattern in OF_TWO else model_of(column.header, named, shown.title)
            row = Row(model, last, cells[0], measure)
            if column.kind in {"matrix", "matrix_share", "difference"}:
                right = in_matrix(column, cells[0], shown, last)
            elif is_majority and column.kind == "" and column is not spec[0]:
                continue
            elif is_majority:
                right = of_majority(column, row)
            elif column.kind in {"", "measure"}:
                continue
            else:
                key = f"{row.start}|{column.figure.replace('{measure}', row.measure)}"
                if any(fnmatchcase(key, pattern) for pattern in DIFFERENT):
                    continue
                right = wanted(column.kind, column.figure, row)
            if differs(cell, right):
                yield f"{shown.title}, {name}, {model}, {column.header}: {cell} for {right}"


def of_majority(column: Column, row: Row) -> Wanted:
    if column.kind == "":
        return Wanted("majority baseline")
    if column.figure == "items|":
        return wanted("count", "items|", row)
    return wanted("share", "majority_class|*", row) if column.figure == "accuracy|" else NOTHING


def in_matrix(column: Column, name: str, shown: Shown, test_set: str) -> Wanted:
    """Return what a matrix should show of the model of a row against that of a column."""
    names = [row[0].partition(". ")[2] for row in shown.rows]
    one, other = name.partition(". ")[2], names[int(column.header) - 1]
    if one == other:
        return NOTHING
    turned = f"{one}|{test_set}|{column.figure}{other}" not in FIGURES
    first, second = (other, one) if turned else (one, other)
    found = FIGURES[f"{first}|{test_set}|{column.figure}{second}"]
    if found["value"] is None:
        return NOTHING
    if column.kind == "matrix":
        return Wanted("{}", [(found["value"], 3, 0.0)])
    if column.kind != "difference":
        return Wanted("{}", [(100 * found["value"], 1, 0.0)])
    significant = FIGURES[f"{first}|{test_set}|model_difference_significant|{second}"]["value"]
    return Wanted("{}*" if significant else "{}", [((-100 if turned else 100) * found["value"], 1, 0.0)])


@pytest.fixture(autouse=True)
def of_few_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show the accuracies over the few keys of the golden test sets."""
    monkeypatch.setattr(keys, "FEWEST_KEYS", 1)


@pytest.mark.parametrize("form", FORMATS)
def test_tables_show_the_golden_figures(form: str) -> None:
    against = f"strong against {'tied' if 'last' in form else 'overconfident'}"
    wrong, has = [], set()
    for shown in FORMATS[form]():
        if shown.title in OUTSIDE:
            continue
        found = [(pattern, matched) for pattern in TABLES if (matched := re.fullmatch(pattern, shown.title))]
        if not found or not shown.rows:
            wrong.append(f"a table that is not held: {shown.title}, {shown.header}")
            continue
        (pattern, matched), *_ = found
        has.add(pattern)
        wrong += mistakes(shown, pattern, matched, against)
    wrong += [f"not as often as wanted: {each}" for each in HAS[form] ^ has]
    assert not wrong, "\n".join(wrong)
