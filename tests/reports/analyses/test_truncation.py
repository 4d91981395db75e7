"""Items that were truncated: accuracy with and without them, and the warning that names them."""

from dataclasses import replace
from typing import Any

import numpy as np

from crossexam.core.dataset import ReadItems, Run
from crossexam.core.manifest import RunManifest
from crossexam.evaluation.measures import measure
from crossexam.evaluation.truncation import truncations
from crossexam.reports.analyses.truncation import truncation_warnings
from crossexam.reports.report import make_report
from made.runs import dataset, run_of


def read_of(truncated: str, unseen: str, said: str, golds: str = "") -> Run:
    """A run over items, neutral unless *golds* say otherwise; x marks what is truncated or unseen."""
    reading = ReadItems(*(np.array([mark == "x" for mark in marks]) for marks in (truncated, unseen)))
    made = run_of({"made.x": said}, dataset("made.x", golds or "N" * len(said)), model="mine")
    return replace(made, reading={"made.x": reading})


# Right: 5 of 8; of the 6 whose edit was seen 5, of the 4 that were read to the end 4.
MARKS = "....xxxx", "......xx", "NNNNNEEE"
LONG = read_of(*MARKS)


def test_accuracy_with_and_without_what_was_not_read() -> None:
    def numbers(run: Run) -> tuple[list[Any], list[Any]]:
        (found,) = truncations(run)
        accuracies = (found.accuracy, found.accuracy_seen, found.accuracy_read)
        counts = [found.items, found.truncated, found.edit_unseen, found.share]
        return counts, [each and (each.value, each.n) for each in accuracies]

    assert numbers(LONG) == ([8, 4, 2, 0.5], [(5 / 8, 8), (5 / 6, 6), (4 / 4, 4)])
    assert numbers(read_of("xxx", "xxx", "NNN"))[1][1:] == [None, None]
    # an item without a gold label shifts nothing
    counts, accuracies = numbers(read_of(*MARKS, golds="-NNNNNNN"))
    assert (counts[1], accuracies[2]) == (4, (1.0, 3))
    (result,) = measure(LONG)
    assert {name: each.value for name, each in result.slices["truncated"].items()} == {"no": 1, "yes": 1 / 4}
    assert {name: each.n for name, each in result.slices["edit unseen"].items()} == {"no": 6, "yes": 2}


def test_the_warning_says_how_much_was_not_read_and_what_helps() -> None:
    """Few truncated items need no chunks."""
    few = read_of("x" + "." * 99, "." * 100, "N" * 100)
    runs = (few, replace(LONG, manifest=RunManifest(details={"max_length": 128})), replace(LONG, reading={}))
    of_few, of_many, of_none = (truncation_warnings(make_report(each).results) for each in runs)
    assert of_few == ["mine did not read 1 of 100 items to the end (1.0 %): made.x 1.0 %."]
    assert "as in --chunk words:70." in of_many[0]
    assert of_none == []
