"""Have two people read items of several suites blind, and count how often the generated labels hold.

``python scripts/blind_reading.py draw SUITE... -o FOLDER`` draws items, mixes the test sets, and writes
sheets for two readers.  ``python scripts/blind_reading.py count FOLDER`` reads the filled-in sheets, prints a
table and lists the items that failed.  Sampling, sheets and answers are those of ``crossexam validate``:
docs/validation.md describes the protocol.

A reader gets the folder ``reader-1`` or ``reader-2`` and nothing else; FOLDER/study holds the labels.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from crossexam.core.dataset import Dataset, Suite
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.estimate import Estimate
from crossexam.core.example import PROPOSED, UNDECIDED
from crossexam.core.files import write_text
from crossexam.core.labels import GOLD_INDEX
from crossexam.core.output.escapes import escape_cell
from crossexam.core.test_sets import read_suite
from crossexam.stats.agreement import cohen_kappa
from crossexam.stats.estimate import share_correct
from crossexam.validation.exchange import sheet_of
from crossexam.validation.questions import CANNOT_SAY, GRAMMAR_KEPT, QUESTIONS
from crossexam.validation.sampling import SampleRequest, sample_suite
from crossexam.validation.spreadsheet import NOT_ASKED, read_csv, write_csv
from crossexam.validation.study import Item, Study, open_study

READERS: Final = 2
ASKED: Final = ("label", "sensible", GRAMMAR_KEPT)
#: The sheets of a reader, in the order of filling them in: the second shows what was changed.
SHEETS: Final = {"1-pairs.csv": ("label", "sensible"), "2-changes.csv": (GRAMMAR_KEPT,)}
# fmt: off
HEADER: Final = ("test set", "items", "label %", "both %", "differ", "Cohen's kappa",
                 "grammar kept %", "sensible %", "cannot say")
# fmt: on
INTERVALS: Final = (
    "label, grammar kept, sensible: shares of the readings that give the generated label, or yes. both: "
    "share of the items to which both readers give the generated label. differ: items with two different "
    "labels. 'I cannot say' counts as another answer. 95 % intervals: Wilson, clustered by premise, since "
    "two readings of an item are not independent; bootstrap for kappa."
)

Answers = Mapping[str, str]  # by reader


@dataclass(frozen=True)
class Reading:
    """An *item*, its *gold* label, and the answers of the readers to each question, by question."""

    item: Item
    name: str
    answers: Mapping[str, Answers]

    def good(self, question: str, study: Study) -> list[bool]:
        """Return for each answer to *question* whether it is the generated label, or yes."""
        given = self.answers.get(question, {}).values()
        if question == "label":
            return [study.label(self.item, value) == self.item.gold for value in given]
        return [value == QUESTIONS[question].good for value in given]


def draw(suites: Sequence[Path], folder: Path, *, per_set: int, seed: int, sets: Sequence[str] = ()) -> None:
    """Write a study of *per_set* items of each test set into *folder*, and sheets for each reader.

    *sets* are test sets or constructions; without them, bases are left out.  Raises CrossexamError.
    """
    datasets = test_sets(suites, sets)
    request = SampleRequest(per_set, seed, READERS, tuple(datasets), ASKED)
    origin = " ".join(str(path) for path in suites)
    sample_suite(Suite("blind reading", datasets), folder / "study", request, origin=origin)
    study = open_study(folder / "study")
    for reader, judge in zip(readers(), study.judges, strict=True):
        for name, questions in SHEETS.items():
            write_csv(sheet_of(study, [judge], questions), folder / reader / name)
        write_text(folder / reader / "README.md", instructions())


def readers() -> list[str]:
    """Return the names of the folders of the readers."""
    return [f"reader-{number}" for number in range(1, READERS + 1)]


def test_sets(suites: Sequence[Path], sets: Sequence[str]) -> dict[str, Dataset]:
    """Return the test sets to read by name; with several *suites* a name is SUITE/SET."""
    found: dict[str, Dataset] = {}
    matched: set[str] = set()
    for path in suites:
        for dataset in read_suite(path):
            names = {dataset.name, dataset.name.partition(".")[0]} & set(sets)
            matched |= names
            if not names and (sets or dataset.entry.is_base):
                continue
            name = f"{path.stem}/{dataset.name}" if len(suites) > 1 else dataset.name
            if name in found:
                raise CrossexamError(f"two suites are called '{path.stem}'", hint="rename one of them")
            found[name] = replace(dataset, name=name)
    for name in sets:
        if name not in matched:
            known = {dataset.name for path in suites for dataset in read_suite(path)}
            raise UnknownNameError("test set", name, known)
    return found


def instructions() -> str:
    """Return what a reader has to know."""
    questions = [
        f"- `{key}`: {QUESTIONS[key].words} "
        + "; ".join(f"`{choice.value}`: {choice.words}" for choice in QUESTIONS[key].choices)
        for key in ASKED
    ]
    return "\n".join(
        [
            "# Reading items blind",
            "",
            "Fill in `1-pairs.csv` first, completely, then `2-changes.csv`, which shows what was changed.",
            "Do not return to the first sheet. Answer every row by yourself, from the two sentences alone,",
            "and do not look anything up. Save as CSV UTF-8; do not change the other columns.",
            "",
            *questions,
            "",
            "Read the sentences as two statements about the same scene or text. Errors that were there",
            "before the change do not count for `grammar_kept`; a column that is empty did not change.",
            "",
        ]
    )


def count(folder: Path) -> str:
    """Import the sheets of both readers and return the table; write the items that failed to failed.csv.

    Labels that were only proposed have lines of their own.  Raises CrossexamError if an answer is missing.
    """
    study = open_study(folder / "study")
    for reader in readers():
        for name in SHEETS:
            study.record_all(read_csv(study, folder / reader / name), source=f"{reader}/{name}")
    readings = all_readings(study)
    by_set: dict[str, list[Reading]] = {}
    for reading in readings:
        by_set.setdefault(reading.name, []).append(reading)
    rows = [row(name, by_set[name], study) for name in sorted(by_set)]
    if len(by_set) > 1:
        rows.append(row("all", readings, study))
    write_text(folder / "failed.csv", failed(readings, study))
    lines = [HEADER, tuple("---" for _ in HEADER), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def all_readings(study: Study) -> list[Reading]:
    """Return the answers about each item, in the order of the items' numbers."""
    given: dict[tuple[int, str], dict[str, str]] = {}
    for judgement in study.judgements():
        given.setdefault((judgement.item, judgement.question), {})[judgement.judge] = judgement.value
    missing = Counter(
        (judge, key)
        for item in study.items.values()
        for key in item.asked
        for judge in study.judges
        if judge not in given.get((item.number, key), {})
    )
    if missing:
        raise CrossexamError(
            "answers are missing: "
            + ", ".join(f"{n:,} of {judge} to {key}" for (judge, key), n in missing.items()),
            wanted="an answer in every row of all sheets; cannot_say is one",
        )
    return [
        Reading(
            item,
            f"{item.test_set} ({item.status})" if item.status in {PROPOSED, UNDECIDED} else item.test_set,
            {key: {judge: given[item.number, key][judge] for judge in study.judges} for key in item.asked},
        )
        for item in study.items.values()
    ]


def row(name: str, readings: Sequence[Reading], study: Study) -> tuple[str, ...]:
    """Return the cells of *readings*, in the order of HEADER."""
    shares = {key: share_of_readings(readings, key, study) for key in ASKED}
    kept = shares[GRAMMAR_KEPT]
    both = share_correct([all(each.good("label", study)) for each in readings], clusters(readings))
    labels = [
        [study.label(each.item, value) for value in each.answers["label"].values()] for each in readings
    ]
    unsure = sum(
        list(given.values()).count(CANNOT_SAY) for each in readings for given in each.answers.values()
    )
    return (
        name,
        f"{len(readings):,}",
        f"{shares['label']}",
        f"{both}",
        f"{sum(one != other for one, other in labels):,}",
        kappa_of(labels, clusters(readings)),
        f"{kept}" if kept.n else "nothing changed",
        f"{shares['sensible']}",
        f"{unsure:,}",
    )


def clusters(readings: Sequence[Reading]) -> list[str]:
    """Return the cluster of each item."""
    return [each.item.cluster for each in readings]


def share_of_readings(readings: Sequence[Reading], question: str, study: Study) -> Estimate:
    """Return the share of the single readings that are good, clustered by premise."""
    pairs = [(good, each.item.cluster) for each in readings for good in each.good(question, study)]
    return share_correct([good for good, _ in pairs], [cluster for _, cluster in pairs])


def kappa_of(labels: Sequence[Sequence[str]], groups: Sequence[str]) -> str:
    """Return Cohen's kappa of two *labels* per item with its interval; 'I cannot say' is one more label."""
    codes = {**GOLD_INDEX, CANNOT_SAY: len(GOLD_INDEX)}
    first, second = ([codes[pair[reader]] for pair in labels] for reader in range(READERS))
    kappa = cohen_kappa(first, second, groups)
    known = kappa.value == kappa.value
    return f"{kappa.value:.2f} [{kappa.low:.2f}, {kappa.high:.2f}]" if known else "undefined: one label only"


def failed(readings: Sequence[Reading], study: Study) -> str:
    """Return the items with an answer that is not good as CSV, sorted by test set."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    columns = [f"{reader}: {key}" for key in ASKED for reader in readers()]
    before = ["premise before the change", "hypothesis before the change"]
    no = dict.fromkeys(readers(), NOT_ASKED)
    writer.writerow(["test set", "id", "premise", "hypothesis", *before, "generated label", *columns])
    for each in sorted(readings, key=lambda reading: (reading.name, reading.item.number)):
        if all(all(each.good(key, study)) for key in ASKED):
            continue
        item = each.item
        texts = [
            item.premise,
            item.hypothesis,
            item.before.get("premise", ""),
            item.before.get("hypothesis", ""),
        ]
        answers = [value for key in ASKED for value in each.answers.get(key, no).values()]
        cells = [each.name, item.example, *texts, str(item.gold), *answers]
        writer.writerow([escape_cell(cell) for cell in cells])
    return "\ufeff" + stream.getvalue()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw", help="draw items and write the sheets")
    drawing.add_argument("suites", nargs="+", type=Path, metavar="SUITE")
    drawing.add_argument("-o", "--output", required=True, type=Path, metavar="FOLDER")
    drawing.add_argument("--per-set", type=int, default=40, metavar="N")
    drawing.add_argument("--seed", type=int, default=0)
    drawing.add_argument("--set", action="append", default=[], dest="sets", metavar="NAME")
    counting = commands.add_parser("count", help="read the filled-in sheets and print the table")
    counting.add_argument("folder", type=Path, metavar="FOLDER")
    given = parser.parse_args(arguments)
    try:
        if given.command == "draw":
            draw(given.suites, given.output, per_set=given.per_set, seed=given.seed, sets=given.sets)
            print(given.output)
        else:
            print(count(given.folder), f"\n{INTERVALS}\nItems that failed: {given.folder / 'failed.csv'}")
    except CrossexamError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
