"""The labels of judges, beside those of models and the published ones."""

from typing import Any

from crossexam.core.estimate import Estimate
from crossexam.reports.analyses.judged import judged_table
from crossexam.reports.results import results_of
from made.runs import GOLD_OF, dataset, run_of
from made.shown import headers


def test_the_labels_of_judges_stand_beside_those_of_models() -> None:
    def info(k: int) -> dict[str, Any]:
        return {"judge_labels": [GOLD_OF[each] for each in said[k]]} if said[k] else {}

    def values(row: tuple[object, ...]) -> list[object]:
        return [cell.value if isinstance(cell, Estimate) else cell for cell in row]

    said = ("CCN", "", "NC")
    of_judges = dataset("so_swap.snli_dev", "CCC", info=info)
    run = run_of({"so_swap.snli_dev": "ENE"}, of_judges, model="mine")  # the item with N was not judged
    table = judged_table(results_of([run]))
    assert headers(table)[3:] == ["Entailment", "Neutral", "Contradiction"]
    assert [values(row) for row in table.rows] == [
        ["so swap", "judges", 2, 0 / 5, 2 / 5, 3 / 5],
        ["so swap", "mine", 2, 1.0, 0.0, 0.0],  # of the two items that were judged
        ["so swap", "Human (published)", None, 0.02, 0.14, 0.84],  # E 2, C 84, N 14 in Table 2
    ]
    unjudged = dataset("so_swap.snli_dev", "CCCC")
    assert not judged_table(results_of([run_of({unjudged.name: "EENC"}, unjudged, model="mine")])).rows
    said = ("nE", "")
    of_two = dataset("antonymy.snli_dev", "nE", info=info)
    table = judged_table(results_of([run_of({"antonymy.snli_dev": "NN"}, of_two)]))
    assert headers(table)[3:] == ["Entailment", "Neutral", "Contradiction", "Not entailment"]
    assert [values(row)[3:] for row in table.rows[:2]] == [[1 / 2, None, None, 1 / 2], [0.0, None, None, 1.0]]
