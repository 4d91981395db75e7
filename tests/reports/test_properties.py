"""CSV and JSON of any runs agree; the tables of all formats: test_shown_figures.py."""

from __future__ import annotations

from collections.abc import Mapping

from file_figures import in_csv, in_json
from hypothesis import example, given
from hypothesis import strategies as st
from random_runs import NO_ANSWER, UNPAIRED, Item, few, items, run

from crossexam.reports.results import ReportOptions, results_of


def is_same(one: Mapping[str, float | None], other: Mapping[str, float | None]) -> bool:
    """Return whether two figures are the same, as far as both formats have their parts."""
    return all(one[part] == other[part] for part in one.keys() & other.keys() if part != "n")


@few
@given(st.tuples(items, st.sampled_from([0.05, 1.0])))
@example((UNPAIRED, 0.05))
@example((NO_ANSWER, 1.0))
def test_csv_and_json_say_the_same(drawn: tuple[list[Item], float]) -> None:
    given_items, limit = drawn
    both = [run(given_items, 0), run(given_items, 1)]
    results = results_of(both, ReportOptions(max_unanswered=limit))
    of_csv, of_json = in_csv(results, limit), in_json(results, limit)
    known = {key for key, each in of_csv.items() if each["value"] is not None}
    assert {key for key, each in of_json.items() if each["value"] is not None} == known
    assert [key for key in known if not is_same(of_csv[key], of_json[key])] == []
