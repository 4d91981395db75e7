"""What a model read of long inputs: by the tokenizer, in the store, in the files of a run."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Change, Edit, Example, Side
from crossexam.models.table import open_model
from crossexam.runs.folder import save_run
from crossexam.runs.reading import edit_unseen
from crossexam.runs.run import predict_suite
from crossexam.runs.saved import read_run
from made.models import Reader

LENGTH = 20  # characters that are read of a premise


def edited(name: str, text: str, *edits: tuple[Side, int, int, str]) -> Example:
    """The example that replaces characters of a premise *text* or of its hypothesis."""
    base = Example(name, text, "It rains.", "neutral")
    made = tuple(Edit(s, a, b, base.text(s)[a:b], new) for s, a, b, new in edits)
    return base.derive("neutral", Change("made.v1", "premise", "hypothesis", made))


TEXT = "It rains. " * 4  # 40 characters


def test_an_edit_is_unseen_if_no_changed_character_was_read() -> None:
    for item, expected in (
        (edited("insertion beyond", TEXT, ("premise", 30, 30, "Not. ")), True),
        (edited("first of two read", TEXT, ("premise", 0, 2, "Is"), ("premise", 30, 32, "Is")), False),
        (edited("moved out", TEXT, ("premise", 15, 15, "x" * 9), ("premise", 16, 17, "y")), False),
        (edited("the hypothesis edited", TEXT, ("hypothesis", 0, 2, "Is")), False),
    ):
        spans = {"premise": [(0, LENGTH)], "hypothesis": [(0, len(item.hypothesis))]}
        assert edit_unseen(item, spans) is expected, item.id


ITEMS = (
    edited("short", "It rains.", ("premise", 9, 9, " Yes.")),
    edited("seen", TEXT, ("premise", 0, 2, "It")),
    edited("unseen", TEXT, ("premise", 30, 30, "Not. ")),
)


def reading(run: Run) -> tuple[list[bool], list[bool]]:
    found = run.reading["made.x"]
    return found.truncated.tolist(), found.edit_unseen.tolist()


def test_the_store_and_the_files_keep_what_was_read(tmp_path: Path) -> None:
    expected = ([False, True, True], [False, False, True])
    model = Reader(LENGTH)
    for _ in range(2):  # the second time from the store
        run = predict_suite(model, Dataset("made.x", ITEMS), store=tmp_path)
        assert reading(run) == expected
        assert (run.manifest.truncated_pairs, len(model.asked)) == (2, 3)
        entry = run.manifest.test_sets["made.x"]
        assert (entry.truncated, entry.edit_unseen) == (2, 1)
    save_run(run, tmp_path)
    assert reading(read_run(tmp_path)) == expected
    table = pq.read_table(tmp_path / "predictions" / "made.x.parquet")
    assert (table["truncated"].to_pylist(), table["edit_unseen"].to_pylist()) == expected


def test_a_checkpoint_reads_to_its_last_token(tiny_checkpoint: Path) -> None:
    model: Any = open_model(f"hf/{tiny_checkpoint}", {"max_length": 16, "device": "cpu"})
    premise = "A man, who is old, is playing a guitar on the stage in the rain. "
    pairs = [("A man.", "A dog."), (premise * 2, "A man is here."), ("A man.", premise)]
    read: dict[int, Any] = {}
    for batch in model.batches(pairs, [False] * 3):
        read |= zip(batch.indices, batch.read, strict=True)
    assert read[0] is None
    # [CLS], two [SEP] and 13 words, of which the hypothesis has 5: "A man is here .", the premise 8
    assert premise[: read[1].premise] == "A man, who is old, is"
    assert read[1].hypothesis == len("A man is here.")
    assert premise[: read[2].hypothesis] == "A man, who is old, is playing a"
    assert read[2].premise == len("A man.")
