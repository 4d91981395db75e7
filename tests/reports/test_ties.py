"""Ties of equally probable labels: a note, and a warning of more than one percent."""

from crossexam.reports.report import make_report
from crossexam.reports.results import results_of
from crossexam.reports.sections import warnings
from made.runs import stating


def test_reports_note_ties_and_warn_of_more_than_one_percent() -> None:
    many, tied, plain = (
        stating("ENC" + "C" * 97, [[0.5, 0.5, 0.0]] * n + [[0.0, 0.0, 1.0]] * (100 - n)) for n in (2, 1, 0)
    )
    (warning,) = (each for each in warnings(results_of([many])) if "equally probable" in each)
    assert "2 of 100 items of base (own) (2.0 %)" in warning
    assert not [warning for warning in warnings(results_of([tied])) if "equally probable" in warning]
    assert "1 of 100 items of base (own) (1.0 %)" in make_report(tied).text(".md")
    assert "equally probable" not in make_report(plain).text(".md")
