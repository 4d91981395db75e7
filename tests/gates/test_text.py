"""The result of a gate as a text: what a terminal is sent, and the example on the page."""

import re
from dataclasses import replace
from pathlib import Path

import crossexam as cx
from crossexam.core.dataset import Dataset
from made.gated import DEV, MakeRun, gate, spread_out


def test_nothing_in_the_text_controls_the_terminal(make_run: MakeRun, datasets: dict[str, Dataset]) -> None:
    name = "a\x1b[2Jb"
    items = tuple(replace(each, id=f"\x1b{each.id}", premise=f"\x9b{each.premise}") for each in datasets[DEV])
    run = make_run({name: spread_out(0.5)}, of={name: Dataset(name, items)}, model="m\x1b[1m")
    text = gate(run, {"set": "*", "measure": "accuracy", "min": 0.9}).text("crossexam gate RUN")
    assert "\\x1b[2J" in text
    assert not {"\x1b", "\x9b"} & set(text)


def test_the_example_on_the_page_is_how_the_output_begins() -> None:
    page = (Path(__file__).parents[2] / "docs" / "gate.md").read_text(encoding="utf-8")
    suite = cx.build("negation", "builtin:demo")
    rule = {"set": "*", "measure": "accuracy", "against": "baseline", "margin": 0.02}
    majority, overlap = (cx.run(f"builtin/{name}", suite) for name in ("majority", "overlap"))
    result = cx.gate(overlap, baseline=majority, rules=[rule], items=1)
    text = result.text("crossexam gate runs/overlap --baseline baseline.parquet --items all")
    (shown,) = re.findall(r"```text\n(The gate.*?)```", page, flags=re.DOTALL)
    notes = next(part for part in text.split("\n\n") if part.startswith("Percent"))
    assert text.replace(f"{notes}\n\n", "").startswith(shown)
