"""The checks of a gate as text: texts that are cut, and nothing that controls a terminal."""

from __future__ import annotations

from dataclasses import replace

from crossexam.core.dataset import Dataset
from crossexam.gates.behind import ShownItem
from crossexam.gates.text import item_lines
from made.gated import DEV, MakeRun, gate, spread_out

COMMAND = "crossexam gate RUN --items all"


def test_nothing_in_it_controls_the_terminal(make_run: MakeRun, datasets: dict[str, Dataset]) -> None:
    name = "a\x1b[2Jb"
    items = tuple(replace(each, id=f"\x1b{each.id}", premise=f"\x9b{each.premise}") for each in datasets[DEV])
    run = make_run({name: spread_out(0.5)}, of={name: Dataset(name, items)}, model="m\x1b[1m")
    text = gate(run, {"set": "*", "measure": "accuracy", "min": 0.9}).text(COMMAND)
    assert "\\x1b[2J" in text
    assert not {"\x1b", "\x9b"} & set(text)


def test_long_texts_are_cut_and_the_base_is_shown() -> None:
    base = ShownItem("b", "P.", "It pours.", "neutral", "neutral", "neutral")
    item = ShownItem("i", "P.", "It\npours. " * 30, "neutral", "entailment", "neutral", base)
    lines = item_lines(item)
    assert lines[1] == "  gold neutral, predicted entailment, by the baseline neutral"
    assert lines[3].startswith("  hypothesis: It pours. It pours.")
    assert lines[3].endswith("…")
    assert len(lines[3]) == 78
    assert lines[4] == "  base: predicted neutral, by the baseline neutral: It pours."
