"""A report of two models, and of three or more: which tables it has, and the names in them."""

from crossexam.core.dataset import Run
from crossexam.evaluation.comparison import compare_runs
from crossexam.reports.analyses.agreement import agreement_tables
from crossexam.reports.analyses.comparison import against_table, only_one_table
from crossexam.reports.analyses.ranks import difference_tables, first_rank_table
from crossexam.reports.names import short_model_names
from crossexam.reports.report import make_report
from crossexam.reports.results import MOST_COMPARED, results_of
from crossexam.reports.sections import figures_of
from made import runs as letters
from made.runs import dataset, mostly_right

GOLD = "ENNC" * 10


def run_of(model: str, **said: str) -> Run:
    sets = [dataset(f"{name}.dev", GOLD, None if name == "base" else "base.dev") for name in said]
    return letters.run_of({f"{name}.dev": letters for name, letters in said.items()}, *sets, model=model)


def test_only_two_models_are_compared_on_the_test_sets_of_both_as_by_compare() -> None:
    careful = run_of("careful", base=GOLD, negation="ENNC" * 8 + "CEEN" * 2)
    useless = run_of("useless", base="N" * 40, negation="CEEN" * 10)
    table = against_table(results_of([careful, useless]))
    base, negation = compare_runs(careful, useless)
    assert (table.rows[0][0], table.rows[0][4]) == ("base (dev)", base.difference)
    assert table.rows[1][4:] == (negation.difference, negation.p_holm, 32, 0)
    apart = [run_of("a", base=GOLD), run_of("b", negation=GOLD)]
    for runs in ([careful], [careful, useless, apart[0]], apart):
        assert against_table(results_of(runs)).rows == only_one_table(results_of(runs)).rows == ()
    results = results_of([careful, run_of("more", base=GOLD, negation=GOLD, tautology=GOLD)])
    assert "Left out: only the second run (more) has: tautology." in against_table(results).notes


def test_more_models_than_are_readable_have_tables_only() -> None:
    sets = (dataset("base.x", "ENC" * 16), dataset("negation.x", "ENC" * 10, "base.x"))
    many = [mostly_right(f"model {k}", 0.1 + k / 20, sets) for k in range(MOST_COMPARED + 1)]
    report = make_report(*many)
    assert difference_tables(report.results) == agreement_tables(report.results) == []
    assert len(first_rank_table(report.results).rows) == MOST_COMPARED + 1
    pairs = [each for each in figures_of(report.results) if each.statistic == "model_difference"]
    assert len([each for each in pairs if each.test_set == "base.x"]) == 13 * 12 / 2


def test_short_names_of_models_are_unique() -> None:
    names = ["hf/a/model", "hf/b/model", "hf/model", "model", "x" * 30 + "1", "y/" + "x" * 30 + "2"]
    assert short_model_names(names)[:4] == ("a/model", "b/model", "hf/model", "model")
    assert len(set(short_model_names(names))) == len(names)
    long = [f"{'a' * 20}{k}{'b' * 20}" for k in range(2)]
    assert short_model_names(long) == tuple(long), "what would be the same is not cut"
