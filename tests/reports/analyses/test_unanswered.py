"""Reports and comparisons of runs with missing answers, in every format; their figures: test_figures.py."""

import re

from crossexam.core.dataset import Run
from crossexam.reports.analyses.errors import confusion_charts
from crossexam.reports.analyses.unanswered import BOUNDS_NOTE
from crossexam.reports.items import PageItems
from crossexam.reports.probabilities.charts import reliability_charts, risk_charts
from crossexam.reports.report import Report
from crossexam.reports.results import ReportOptions, results_of
from crossexam.reports.sections import warnings
from made.cases import for_each
from made.runs import dataset, run_of
from made.shown import SECTIONS, cells_of, page_of, tables_of

GOLD = "ENC" * 20
SETS = (dataset("base.dev", GOLD), *(dataset(f"{name}.dev", GOLD, "base.dev") for name in ("one", "two")))


def run(model: str = "py/toy", sure: float = 1.0, **said: str) -> Run:
    """A run that gives these answers over and over; what is not said of a test set is right."""
    whole = {each.name: (said.get(each.name.removesuffix(".dev"), GOLD) * 60)[:60] for each in SETS}
    return run_of(whole, *SETS, model=model, sure=sure)


WHOLE = run(two="E")
FEW = run("py/few", one=GOLD[:-1] + "?", two="E")
MANY = run("py/many", one="".join("?" if k % 10 == 9 else each for k, each in enumerate(GOLD)), two="E")
NONE = run("py/mute", base="?", one="?", two="?")


def test_above_the_limit_no_number_stands_alone() -> None:
    results = results_of([MANY])
    assert sum("only bounds on these results are known" in each for each in warnings(results)) == 1
    accuracy = {row["Test set"]: row for row in cells_of(results, "accuracy")}
    assert accuracy["one"]["py/many"].startswith("90.0 to 100.0 [")
    assert accuracy["one"]["Items"] == "60"
    drops = {row["Test set"]: row for row in cells_of(results, "drop")}
    assert drops["one"]["Drop"].startswith("0.0 to 10.0 [")
    assert (drops["one"]["p (Holm)"], drops["one"]["Flipped"]) == ("–", "–")
    relaxed = results_of([MANY], ReportOptions(max_unanswered=0.1))
    assert cells_of(relaxed, "accuracy")[2]["py/many"].startswith("100.0 [")
    items = PageItems(results_of([MANY], ReportOptions(items="errors")))
    rows = {shown.dataset.name: shown.rows for shown in items.shown}
    assert (rows["one.dev"], len(rows["two.dev"])) == ([], 40)  # an error is an answer


def test_every_format_shows_missing_answers() -> None:
    def check(suffix: str, *runs: Run) -> None:
        text = Report(runs).text(suffix)
        assert ("refused" in text) is (runs != (WHOLE,))
        assert not re.search(r"\bnan\b", text, re.IGNORECASE)

    given = ((WHOLE,), (NONE,), (MANY, FEW), (NONE, WHOLE))
    for_each(check, [(suffix, *runs) for runs in given for suffix in (".md", ".tex", ".csv", ".json")])
    notes = " ".join(note for table in tables_of(results_of([NONE]), "accuracy") for note in table.notes)
    assert BOUNDS_NOTE in notes
    assert "60 refused" in page_of(Report([NONE]))


def test_no_table_and_no_chart_shows_a_test_set_with_only_bounds_but_those_of_bounds() -> None:
    # a fifth of one test set is refused, over all gold labels; the base and the other are answered
    some = "".join("?" if k % 5 == 0 or k == 1 else letter for k, letter in enumerate(GOLD))
    results = results_of([run(sure=0.8, one=some, two="E")], ReportOptions(calibration=True))
    said = "Left out, because only bounds of their accuracy are known: one."
    shown, noted = set(), set()
    for section in SECTIONS:
        tables = section.tables_of(results) if section.is_of(results) else []
        shown |= {section.key for table in tables for row in table.rows if row[0] == "one"}
        noted |= {section.key for table in tables if said in table.notes}
    of_bounds = {"brief", "broken", "accuracy", "accuracies", "unanswered", "drop"}
    assert shown - {"yield", "signatures"} == of_bounds
    assert noted == {"calibration", "selective", "errors"}
    for charts in (reliability_charts, risk_charts, confusion_charts):
        assert [name for name, _ in charts(results).figures] == ["base (dev)", "two"]


def test_comparisons_count_no_item_of_a_set_with_only_bounds() -> None:
    results = results_of([MANY, FEW])
    (row,) = (row for row in cells_of(results, "against") if row["Test set"] == "one")
    assert (row["Items"], row["Only A"], row["Only B"]) == ("60", "–", "–")  # bounds are over all items
