"""Errors and predictions: the published shares below those of the models."""

from dataclasses import replace

from crossexam.reports.analyses.errors import error_table, prediction_table
from crossexam.reports.results import Results, results_of
from made.runs import dataset, run_of


def results(name: str, golds: str = "CCCC", said: str = "EENC") -> Results:
    """The results of a run over a test set of which only the name is known."""
    data = replace(dataset(name, golds), manifest={})
    return results_of([run_of({name: said}, data, model="mine", sure=0.8)])


def test_shares_of_each_label_and_the_published_below() -> None:
    table = prediction_table(results("so_swap.snli_dev"))
    assert table.rows[0] == ("so swap", "contradiction", "mine", 4, 0.5, 0.25, 0.25)
    beside = {str(row[2]): row[4:] for row in table.rows[1:]}
    assert beside["DIIN (published)"] == (0.849, 0.106, 0.045)  # Table 2: E 84.9, C 4.5, N 10.6
    assert beside["Human (published)"] == (0.02, 0.14, 0.84)
    assert beside["ESIM trained with AddAmod (published)"] == (0.731, 0.259, 0.01)  # Table 4
    for name, golds in (("negation.x", "NE"), ("base.x", "NN")):  # several labels, or a base
        assert prediction_table(results(name, golds, "EC")).rows == ()
    for name in ("so_swap.my_corpus", "antonymy.x"):  # a base of another corpus, a set of another study
        assert [row[2] for row in prediction_table(results(name, "CC", "EC")).rows] == ["mine"]


def test_published_shares_of_errors_stand_below_those_of_the_models() -> None:
    """Tables 4 and 7 of Naik et al. (2018)."""
    for name, expected in (
        ("antonymy.dev_matched", [("CH (published)", None, 0.9978, 0.0022)]),
        ("word_overlap.dev_mismatched", [("CH (published)", None, None, 0.8533)]),
        ("antonymy.my_corpus", []),
    ):
        rows = error_table(results(name)).in_words.rows
        assert [row[1:5] for row in rows if row[1] == "CH (published)"] == expected
