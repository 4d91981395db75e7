"""A report of two models: which tables it has, and that they are those of compare."""

from crossexam.core.dataset import Run
from crossexam.evaluation.comparison import compare_runs
from crossexam.reports.analyses.comparison import against_table, only_one_table
from crossexam.reports.results import results_of
from made import runs as letters
from made.runs import dataset

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
