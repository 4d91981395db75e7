"""The checks of a gate as text: 80 columns, whole names, the items, and what shows all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from crossexam.core.dataset import Dataset
from crossexam.gates.behind import ShownItem
from crossexam.gates.text import item_lines
from made.gated import DEV, MakeRun, gate, spread_out

LONG = "spelling_error_mixed_function_word"
COMMAND = "crossexam gate RUN --items all"


def long_names(datasets: dict[str, Dataset], bases: int) -> dict[str, Dataset]:
    """Test sets with long names over one base or several; the last is of a file with a name of its own."""
    made = {}
    for part in ("multinli_dev_matched", "multinli_dev_mismatched")[:bases]:
        for name in ("base", "negation", LONG):
            of = datasets["base.dev" if name == "base" else DEV]
            entry = {**of.manifest, "construction": name if name == "base" else f"{name}.v1", "part": part}
            if name != "base":
                entry["base_set"] = f"base.{part}"
            made[f"{name}.{part}"] = replace(of, name=f"{name}.{part}", manifest=entry)
    own = "pairs_of_the_second_quarter_that_were_reviewed_by_two_people_of_the_team"
    made[own] = replace(datasets["base.dev"], name=own, manifest={})
    return made


@pytest.mark.parametrize("bases", [1, 2])
def test_no_line_is_longer_than_80_columns_and_no_name_is_broken(
    make_run: MakeRun, datasets: dict[str, Dataset], bases: int
) -> None:
    of = long_names(datasets, bases)
    new = make_run({name: spread_out(0.8 - k / 50, k) for k, name in enumerate(of)}, of=of)
    old = make_run({name: spread_out(0.82, 50 + k) for k, name in enumerate(of)}, of=of)
    against = {"against": "baseline", "margin": 0.02}
    rules: list[dict[str, Any]] = [
        {"set": "*", "measure": "balanced_accuracy", **against},
        {"set": "*", "measure": "accuracy", "min": 0.79, "max": 0.95},
        {"set": "*.*", "measure": "drop", "max": 0.03},
        {"set": "*.*", "measure": "flip_rate", **against},
        {"set": "*", "measure": "unanswered", "max": 0.2},
    ]
    result = gate(new, *rules, baseline=old)
    assert {"open", "holds"} <= {check.outcome for check in result.checks}
    text = result.text(COMMAND)
    assert max(map(len, text.splitlines())) <= 80
    whole = [line.strip() for line in text.splitlines()]
    for name in {each.test_set for each in result.checks}:
        short = result.names[name]
        assert any(line == short or line.startswith(f"{short}  ") for line in whole), short
    for name in ("balanced_accuracy", "accuracy", "drop", "flip_rate", "unanswered"):
        assert any(line.startswith("Rule ") and f": {name}, at " in line for line in whole), name
    longer = "x" * 90
    run = make_run(of={longer: Dataset(longer, datasets[DEV].examples)}, model="y" * 90)
    text = gate(run, {"set": "*", "measure": "accuracy", "min": 0.9}).text(COMMAND)
    assert longer in text
    assert run.model in text


def test_nothing_in_it_controls_the_terminal(make_run: MakeRun, datasets: dict[str, Dataset]) -> None:
    name = "a\x1b[2Jb"
    items = tuple(replace(each, id=f"\x1b{each.id}", premise=f"\x9b{each.premise}") for each in datasets[DEV])
    run = make_run({name: spread_out(0.5)}, of={name: Dataset(name, items)}, model="m\x1b[1m")
    text = gate(run, {"set": "*", "measure": "accuracy", "min": 0.9}).text(COMMAND)
    assert "\\x1b[2J" in text
    assert not {"\x1b", "\x9b"} & set(text)


def test_the_intervals_are_called_what_they_are(make_run: MakeRun, datasets: dict[str, Dataset]) -> None:
    """By the construction of the test set; with ECE, whose word pairs are fixed: tests/golden/gates.txt."""
    of_swaps = {**datasets[DEV].manifest, "construction": "antonymy"}
    swaps = {**datasets, DEV: replace(datasets[DEV], manifest=of_swaps)}
    for of, wanted in ((datasets, "premise. p:"), (swaps, "premise (negation.dev: and by word pair). p:")):
        text = gate(make_run(of=of), {"set": "*", "measure": "accuracy", "min": 0.5}).text(COMMAND)
        assert f"intervals clustered by {wanted}" in " ".join(text.split())


def test_items_and_the_command_are_shown_where_they_are_needed(make_run: MakeRun) -> None:
    rule = {"measure": "accuracy", "min": 0.97}
    passing = gate(make_run(), {**rule, "min": 0.5}).text(COMMAND)
    every = gate(make_run({DEV: spread_out(0.9)}), rule, items=None).text(COMMAND)
    assert [text.count("premise: ") for text in (passing, every)] == [0, 30]
    assert COMMAND not in passing + every


def test_the_items_of_open_checks_wait_for_those_of_checks_that_fail(make_run: MakeRun) -> None:
    run = make_run({DEV: spread_out(0.4), "base.dev": spread_out(0.9)})
    rule = {"set": "*", "measure": "accuracy", "min": 0.91}
    some, every = (gate(run, rule, items=items).text(COMMAND) for items in (3, None))
    assert some.count("premise: ") == 3
    assert f"To see all of these items and those of 1 open check:\n  {COMMAND}" in some
    assert every.count("premise: ") == 180 + 30
    assert "base (dev) (accuracy" not in some
    assert "open check:" not in every


def test_long_texts_are_cut_and_the_base_is_shown_as_far_as_it_differs() -> None:
    base = ShownItem("b", "P.", "It pours.", "neutral", "neutral", "neutral")
    item = ShownItem("i", "P.", "It\npours. " * 30, "neutral", "entailment", "neutral", base)
    lines = item_lines(item)
    assert lines[1] == "  gold neutral, predicted entailment, by the baseline neutral"
    assert lines[3].startswith("  hypothesis: It pours. It pours.")
    assert lines[3].endswith("…")
    assert len(lines[3]) == 78
    assert lines[4] == "  base: predicted neutral, by the baseline neutral: It pours."
    same = replace(item, hypothesis=base.hypothesis)
    assert item_lines(same)[4] == "  base: predicted neutral, by the baseline neutral"
