"""Several models on the same items: who counts, how often they agree, and what two get right together."""

from collections.abc import Sequence
from functools import partial
from math import isnan

import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.manifest import RunManifest
from crossexam.evaluation.scores import score_both
from crossexam.evaluation.several.joint import joint_outcomes
from crossexam.evaluation.several.model_agreement import mean_agreement, pair_agreements
from crossexam.evaluation.several.ranking import rankings
from crossexam.evaluation.several.together import ScoredTogether, score_together
from crossexam.reports.analyses.joint import joint_against_table, kinds_against_table
from crossexam.reports.results import results_of
from made import runs as letters


def dataset(name: str, n: int = 60) -> Dataset:
    return letters.dataset(name, ("ENC" * n)[:n], sharing=2)


ONE, TWO = dataset("base.x"), dataset("negation.x", 40)
run_of = partial(letters.mostly_right, sets=(ONE, TWO))
RUNS = [run_of("good", 0.95), run_of("fair", 0.6), run_of("poor", 0.1), run_of("fair too", 0.6)]


def together(runs: Sequence[Run], limit: float = 0.05) -> tuple[ScoredTogether, ...]:
    sets = {name: each for run in runs for name, each in run.datasets.items()}
    return score_together(runs, sets, limit)


def test_who_and_what_is_left_out() -> None:
    few, many = run_of("few", 0.5, missing=1), run_of("many", 0.5, missing=30)
    one, two = together([RUNS[0], few, RUNS[1], many])
    assert (one.models, one.left_out, one.n, one.labelled) == ((0, 1, 2), (3,), 59, 60)
    assert (two.models, two.n) == ((0, 1, 2), 39)
    found = rankings((one, two), 4, 0.05)
    assert [ranking.name for ranking in found] == ["base.x", "negation.x"], "no mean without all models"
    assert together([RUNS[0], RUNS[1], many], limit=1)[0].models == (0, 1, 2)
    four = rankings(together([*RUNS[:3], many]), 4, 0.05)[0]
    assert (four.left_out, len(four.pairs)) == ((3,), 3)
    smallest = min(four.pairs.values(), key=lambda pair: pair.p_value)
    assert 0 < smallest.p_value < 1 / 6
    assert smallest.p_holm == pytest.approx(6 * smallest.p_value)  # of four models there are six pairs
    proposed = dataset("negation.x (proposed)")  # does not count in the mean
    runs = [run_of(str(k), k / 4, sets=(ONE, TWO, proposed)) for k in range(1, 4)]
    assert rankings(together(runs), 3, 0.05)[0].test_sets == ("base.x", "negation.x")


def test_agreement_on_two_labels_and_where_it_is_undefined() -> None:
    """Two models that reject entailment, one as neutral and one as contradiction, say the same."""
    neutral, contradiction = (letters.run_of({"base.x": label * 60}, ONE) for label in "NC")
    halves = Run("two", {"base.x": ONE}, RUNS[0].probabilities, RunManifest(details={"two_label": True}))
    for third, same in ((halves, 1), (RUNS[0], 0)):
        assert pair_agreements(together([neutral, contradiction, third]))[0].same.value == same
    found = pair_agreements(together([run_of("a", 1.0), run_of("b", 1.0), run_of("c", 0.0)]))
    assert isnan(mean_agreement(found, 0, 1, "same_errors", ["base.x", "negation.x"]))
    assert mean_agreement(found, 1, 0, "same", ["base.x"]) == 1


#: Gold labels, the answers of two models, word pairs in both orders, and the kinds of the antonyms.
ROWS = (
    "CCCCCCCC", "CCCEEENC", "CCCENENE",
    "hot/cold cold/hot man/woman man/woman woman/man alpha/beta top/bottom old/new",
    "gradable gradable complementary complementary complementary unknown relational gradable",
)  # fmt: skip
PUBLISHED = "multinli_dev_matched"


def antonyms(part: str, construction: str = "antonymy") -> list[Run]:
    golds, *said, pairs, kinds = ROWS
    info = [{"pair": pair, "kind": kind} for pair, kind in zip(pairs.split(), kinds.split(), strict=True)]
    data = letters.dataset(f"{construction}.{part}", golds, info=info)
    return [
        letters.run_of({data.name: each}, data, model=model)
        for model, each in zip(("one", "other"), said, strict=True)
    ]


def test_kinds_of_antonyms_are_counted_beside_the_published_ones() -> None:
    first, second = antonyms(PUBLISHED)
    (found,) = joint_outcomes(first.datasets, *score_both(first, second))
    right = {kind: share.value for kind, share in found.kinds_right.items()}
    wrong = {kind: share.value for kind, share in found.kinds_wrong.items()}
    assert right == {"gradable": 2 / 3, "complementary": 1 / 3, "relational": 0, "unknown": 0}
    assert wrong == {"gradable": 0, "complementary": 0.5, "relational": 0.25, "unknown": 0.25}
    table = kinds_against_table(results_of([first, second]))
    assert [row[2] for row in table.rows] == [3, 100, 4, 100]
    assert [row[3:] for row in table.rows[1::2]] == [(0, 0.99, 0.01, None), (0.07, 0.73, 0.2, None)]
    table = joint_against_table(results_of([first, second]))
    assert table.rows[1][1:7] == ("RC and CH (published)", 1561, 171, 982, 84, 617)
    released = joint_against_table(results_of(antonyms(PUBLISHED, "antonymy_released")))
    assert "have 5 different pairs" in released.notes[1]
