"""What two models get right and wrong together: counted by hand, in tables, CSV and JSON."""

from __future__ import annotations

from crossexam.core.dataset import Run
from crossexam.evaluation.scores import score_both
from crossexam.evaluation.several.joint import joint_outcomes
from crossexam.reports.analyses.joint import joint_against_table, kinds_against_table
from crossexam.reports.results import results_of
from made.runs import dataset, run_of

#: Gold labels, the answers of two models, word pairs in both orders, and the kinds of the antonyms.
ROWS = (
    "CCCCCCCC", "CCCEEENC", "CCCENENE",
    "hot/cold cold/hot man/woman man/woman woman/man alpha/beta top/bottom old/new",
    "gradable gradable complementary complementary complementary unknown relational gradable",
)  # fmt: skip
PUBLISHED = "multinli_dev_matched"


def both(part: str, construction: str = "antonymy") -> list[Run]:
    golds, *said, pairs, kinds = ROWS
    info = [{"pair": pair, "kind": kind} for pair, kind in zip(pairs.split(), kinds.split(), strict=True)]
    data = dataset(f"{construction}.{part}", golds, info=info)
    return [
        run_of({data.name: each}, data, model=model)
        for model, each in zip(("one", "other"), said, strict=True)
    ]


def test_kinds_of_antonyms_are_counted_beside_the_published_ones() -> None:
    first, second = both(PUBLISHED)
    (found,) = joint_outcomes(first.datasets, *score_both(first, second))
    right = {kind: share.value for kind, share in found.kinds_right.items()}
    wrong = {kind: share.value for kind, share in found.kinds_wrong.items()}
    assert right == {"gradable": 2 / 3, "complementary": 1 / 3, "relational": 0, "unknown": 0}
    assert wrong == {"gradable": 0, "complementary": 0.5, "relational": 0.25, "unknown": 0.25}
    table, names = kinds_against_table(results_of([first, second])), ["both", "neither"]
    assert [row[2] for row in table.rows] == [3, 100, 4, 100]
    assert [row[1] for row in table.rows[1::2]] == [f"{who} (RC and CH, published)" for who in names]
    assert [row[3:] for row in table.rows[1::2]] == [(0, 0.99, 0.01, None), (0.07, 0.73, 0.2, None)]
    table = joint_against_table(results_of([first, second]))
    assert table.rows[1][1:7] == ("RC and CH (published)", 1561, 171, 982, 84, 617)
    released = joint_against_table(results_of(both(PUBLISHED, "antonymy_released")))
    assert "have 5 different pairs" in released.notes[1]
