"""The sentences that broke, on the page: of which items they are drawn, and of which model."""

from typing import Any

from crossexam.core.dataset import Run
from crossexam.reports.broken import broken_sets
from crossexam.reports.items import PageItems
from crossexam.reports.results import results_of
from made.broken import GOLDS, SETS, run_of, set_of
from made.runs import dataset, wrong
from made.runs import run_of as run_over


def broken(*runs: Run) -> dict[str, Any]:
    """What broke of each test set, by its short name."""
    return broken_sets(results := results_of(runs), PageItems(results))


def test_what_broke_is_drawn_from_the_items_whose_base_was_right() -> None:
    """Of the 50 wrong items of *many*, the first three have a base that was wrong too."""
    found = broken(run_of("mine", SETS))
    counts = {name: (each.count, each.model, each.from_right) for name, each in found.items()}
    assert counts == {"few": (3, "mine", True), "many": (47, "mine", True)}  # *none* was wrong before
    assert len(found["many"].items) == 5
    for item in found["many"].items:
        (answer,) = item.answers
        assert item.name in {f"many:{k}" for k in range(3, 50)}
        assert (answer.is_right, answer.was_right, answer.before) == (False, True, item.gold)
    found = broken(run_of("first", SETS | {"few.x": 0}), run_of("weak", SETS | {"few.x": 40, "many.x": 20}))
    broke = {name: (each.model, each.count) for name, each in found.items()}
    assert broke == {"few": ("weak", 37), "many": ("first", 47)}  # the first that broke, or the next
    assert all(len(item.answers) == 2 for each in found.values() for item in each.items)


def test_of_items_without_a_base_or_not_compared_with_it_any_error_is_shown() -> None:
    """But no item without an answer, and no answer to the base."""
    sets = set_of("few.x"), dataset("few.x", GOLDS, "base.x", paired=False)
    (alone,) = broken(run_over({"few.x": "??" + wrong(GOLDS, 6)[2:]}, sets[0])).values()
    assert (alone.count, alone.from_right) == (4, False)
    assert {item.name for item in alone.items} == {f"few:{k}" for k in range(2, 6)}
    found = broken(run_of("mine", SETS, few=sets[1]))
    assert (found["few"].count, found["few"].from_right, found["many"].from_right) == (6, False, True)
    assert {answer.before for item in found["few"].items for answer in item.answers} == {None}
