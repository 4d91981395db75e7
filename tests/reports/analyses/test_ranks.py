"""A report of many models: ranks without the tables and drawings of every two."""

from crossexam.reports.analyses.agreement import agreement_tables
from crossexam.reports.analyses.ranks import difference_tables, first_rank_table
from crossexam.reports.report import make_report
from crossexam.reports.results import MOST_COMPARED
from crossexam.reports.sections import figures_of
from made.runs import dataset, mostly_right


def test_more_models_than_are_readable_have_tables_only() -> None:
    sets = (dataset("base.x", "ENC" * 16), dataset("negation.x", "ENC" * 10, "base.x"))
    many = [mostly_right(f"model {k}", 0.1 + k / 20, sets) for k in range(MOST_COMPARED + 1)]
    results = make_report(*many).results
    assert difference_tables(results) == agreement_tables(results) == []
    assert len(first_rank_table(results).rows) == MOST_COMPARED + 1
    pairs = [each for each in figures_of(results) if each.statistic == "model_difference"]
    assert len([each for each in pairs if each.test_set == "base.x"]) == 13 * 12 / 2
