"""Fact checking as data: each figure, the threshold and the mean."""

from crossexam.core.dataset import Run
from crossexam.evaluation.fact_checking import ThresholdChoice
from crossexam.reports.data import render_csv
from crossexam.reports.results import ReportOptions, results_of
from made.claims import claims
from made.shown import csv_rows


def claims_of(split: str) -> Run:
    """Two data sets of eight claims, of which the first six have scores in the order of their labels."""
    scores = [0.2, 0.3, 0.1, 0.4, 0.2, 0.9, 0.95, 0.05]
    rows = [(str(k // 2), k % 2, score) for k, score in enumerate(scores)]
    return claims(split, frank=rows, polytope=rows)


def test_the_data_have_each_figure_the_threshold_and_the_mean() -> None:
    options = ReportOptions(threshold=ThresholdChoice(chosen_on=(claims_of("dev"),)))
    found = csv_rows(render_csv(results_of([claims_of("test")], options)))
    rows = {(row["test_set"], row["statistic"]): row for row in found}
    # at 0.25, three of four supported claims are above, and one of four others
    for statistic, value in (("balanced_accuracy", 0.75), ("false_support", 0.25), ("missed_support", 0.25)):
        row = rows["base.frank", statistic]
        assert float(row["value"]) == value
        assert row["signature"].endswith("|threshold:0.25")
        assert float(rows["(mean of SummaC)", statistic]["value"]) == value
    threshold, documents = rows["base.frank", "threshold"], rows["base.frank", "documents"]
    assert (threshold["of"], threshold["n"]) == ("base.frank+base.polytope", "16")
    # 0.3, 0.4 and 0.9 are above three of the four others, 0.05 above none
    assert float(rows["base.frank", "roc_auc"]["value"]) == 9 / 16
    assert (documents["value"], documents["n"]) == ("4", "8")
