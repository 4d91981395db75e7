"""Every number of a report and a comparison, against a computation that shares nothing with the package.

``tests/golden/figures.py`` computes the figures from ``figures_data.json`` by the formulas of the
documentation, and writes ``figures.json``.  Here the same data go through the package.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest
from file_figures import PARTS, Found, in_csv, in_json
from golden_runs import ALL_HELD, DIFFERENT, GOLDEN, HELD, report
from hypothesis import example, given
from hypothesis import strategies as st
from random_runs import NO_ANSWER, UNPAIRED, Item, few, items, run

from crossexam.reports.results import ReportOptions, results_of


@cache
def of_csv() -> Found:
    return in_csv(report().results)


@cache
def of_json() -> Found:
    return in_json(report().results)


def off(key: str, found: Mapping[str, float | None], held: Mapping[str, float | None]) -> Iterator[str]:
    """Yield what of a figure is not what is held: to 1e-7, or to the error of its random draws."""
    for part in PARTS:
        if part in held and part in found:
            value, right = found[part], held[part]
            if value is None or right is None:
                equal = value is right
            else:
                equal = abs(value - right) <= max(held.get(f"{part}_within") or 0.0, 1e-7 * abs(right), 1e-9)
            if not equal:
                yield f"{key} {part}: {value} for {right}"


@pytest.mark.parametrize("shown", [of_csv, of_json])
def test_what_is_shown_are_the_figures_of_the_formulas(shown: Callable[[], Found]) -> None:
    found = shown()
    wrong = [
        each
        for key, held in HELD.items()
        if not any(fnmatchcase(key, pattern) for pattern in DIFFERENT)
        for each in off(key, found.get(key, {"value": None}), held)
    ]
    assert wrong == []
    unchecked = [key for key, number in found.items() if key not in HELD and number["value"] is not None]
    assert unchecked == []


def test_what_is_known_to_differ_does_and_by_little() -> None:
    """Once a figure is computed as documented, its line has to go."""
    found = of_csv()
    for pattern in DIFFERENT:
        keys = [key for key in HELD if fnmatchcase(key, pattern)]
        assert any(list(off(key, found[key], HELD[key])) for key in keys), pattern
        for key in keys:
            value, held = found[key]["value"], HELD[key]["value"]
            assert value == held or abs(value - held) < 0.2, key


@pytest.mark.slow
def test_the_script_writes_the_committed_figures(tmp_path: Path) -> None:
    """Without the package; bounds that are drawn are the same within their error."""
    script, target = GOLDEN / "figures.py", tmp_path / "figures.json"
    for path in (script, *(GOLDEN / "figure_formulas").glob("*.py")):
        assert not re.search(r"^\s*(import|from) crossexam", path.read_text(encoding="utf-8"), re.MULTILINE)
    subprocess.run([sys.executable, str(script), str(target)], check=True)
    written = json.loads(target.read_text(encoding="utf-8"))
    assert written.keys() == ALL_HELD.keys()
    assert [each for key, held in ALL_HELD.items() for each in off(key, written[key], held)] == []


@few
@given(st.tuples(items, st.sampled_from([0.05, 1.0])))
@example((UNPAIRED, 0.05))
@example((NO_ANSWER, 1.0))
def test_csv_and_json_of_any_runs_say_the_same(drawn: tuple[list[Item], float]) -> None:
    given_items, limit = drawn
    both = [run(given_items, 0), run(given_items, 1)]
    results = results_of(both, ReportOptions(max_unanswered=limit))
    one, other = (
        {key: each for key, each in found.items() if each["value"] is not None}
        for found in (in_csv(results, limit), in_json(results, limit))
    )
    assert one.keys() == other.keys()
    for key, parts in one.items():  # both formats need not have all parts of an estimate
        shared = (parts.keys() & other[key].keys()) - {"n"}
        assert {part: parts[part] for part in shared} == {part: other[key][part] for part in shared}, key
