"""The checks of a gate as text: 80 columns, whole names, the items, and what shows all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from crossexam.core.dataset import Dataset
from crossexam.gates.behind import ShownItem
from crossexam.gates.text import item_lines
from made.gated import DEV, MakeRun, gate, spread_out

LONG = "spelling_error_mixed_function_word"
COMMAND = "crossexam gate RUN --items all"


def long_names(datasets: dict[str, Dataset]) -> dict[str, Dataset]:
    """A base and a test set with long names; the last is of a file with a name of its own."""
    part = "multinli_dev_matched"
    base, made = datasets["base.dev"], {}
    for name in ("base", LONG):
        of = base if name == "base" else datasets[DEV]
        entry = {**of.manifest, "construction": f"{name}.v1", "part": part}
        entry |= {} if name == "base" else {"base_set": f"base.{part}"}
        made[f"{name}.{part}"] = replace(of, name=f"{name}.{part}", manifest=entry)
    own = "pairs_of_the_second_quarter_that_were_reviewed_by_two_people_of_the_team"
    return {**made, own: replace(base, name=own, manifest={})}


def test_no_line_is_longer_than_80_columns_and_no_name_is_broken(
    make_run: MakeRun, datasets: dict[str, Dataset]
) -> None:
    of = long_names(datasets)
    new = make_run({name: spread_out(0.8 - k / 50, k) for k, name in enumerate(of)}, of=of)
    old = make_run({name: spread_out(0.82, 50 + k) for k, name in enumerate(of)}, of=of)
    rules: list[dict[str, Any]] = [
        {"set": "*", "measure": "balanced_accuracy", "against": "baseline", "margin": 0.02},
        {"set": "*", "measure": "accuracy", "min": 0.79, "max": 0.95},
        {"set": "*.*", "measure": "drop", "max": 0.03},
    ]
    result = gate(new, *rules, baseline=old)
    assert {"open", "holds"} <= {check.outcome for check in result.checks}
    text = result.text(COMMAND)
    assert max(map(len, text.splitlines())) <= 80
    whole = [line.strip() for line in text.splitlines()]
    for name in {each.test_set for each in result.checks}:
        short = result.names[name]
        assert any(line == short or line.startswith(f"{short}  ") for line in whole), short


def test_nothing_in_it_controls_the_terminal(make_run: MakeRun, datasets: dict[str, Dataset]) -> None:
    name = "a\x1b[2Jb"
    items = tuple(replace(each, id=f"\x1b{each.id}", premise=f"\x9b{each.premise}") for each in datasets[DEV])
    run = make_run({name: spread_out(0.5)}, of={name: Dataset(name, items)}, model="m\x1b[1m")
    text = gate(run, {"set": "*", "measure": "accuracy", "min": 0.9}).text(COMMAND)
    assert "\\x1b[2J" in text
    assert not {"\x1b", "\x9b"} & set(text)


def test_the_items_of_open_checks_wait_for_those_of_checks_that_fail(make_run: MakeRun) -> None:
    run = make_run({DEV: spread_out(0.4), "base.dev": spread_out(0.9)})
    rule = {"set": "*", "measure": "accuracy", "min": 0.91}
    some, every = (gate(run, rule, items=items).text(COMMAND) for items in (3, None))
    assert some.count("premise: ") == 3
    assert f"To see all of these items and those of 1 open check:\n  {COMMAND}" in some
    assert every.count("premise: ") == 180 + 30
    assert "open check:" not in every


def test_long_texts_are_cut_and_the_base_is_shown() -> None:
    base = ShownItem("b", "P.", "It pours.", "neutral", "neutral", "neutral")
    item = ShownItem("i", "P.", "It\npours. " * 30, "neutral", "entailment", "neutral", base)
    lines = item_lines(item)
    assert lines[1] == "  gold neutral, predicted entailment, by the baseline neutral"
    assert lines[3].startswith("  hypothesis: It pours. It pours.")
    assert lines[3].endswith("…")
    assert len(lines[3]) == 78
    assert lines[4] == "  base: predicted neutral, by the baseline neutral: It pours."
