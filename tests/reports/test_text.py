"""Reports as texts: what is a comment stays one; the rest is in the golden documents of test_report.py."""

from crossexam.reports.text import render_latex


def test_a_comment_of_latex_stays_one() -> None:
    """Names that are formulas or markup: tests/test_hostile.py."""
    commented = render_latex("x\n\\input{secret}", [])
    assert all(line.startswith("%") for line in commented.splitlines() if line)
