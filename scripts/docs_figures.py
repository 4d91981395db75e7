"""Put the figures of the documentation into its pages, and check that they are what Crossexam gives.

    python scripts/docs_figures.py                       # write the recorded figures into the pages
    python scripts/docs_figures.py --measure             # measure them anew, record them, and write the pages
    python scripts/docs_figures.py --measure NAME ...    # only these
    python scripts/docs_figures.py --check [NAME ...]    # compare pages, records and new measurements
    COMMAND | python scripts/docs_figures.py --keep NAME.PART   # record what took hours elsewhere

``scripts/figures/records`` has a file per measurement, with its command.  ``--check`` measures again:
everything where that takes seconds, else what the record has of a sample.  What needs published corpora is
left out, with a reason, if these are neither in CROSSEXAM_DATA nor beside the checkout.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Collection, Iterator
from dataclasses import replace

from figures.pages import PAGES, places_of, with_figures
from figures.records import Figures, Record, known_figures, records
from figures.table import MEASUREMENTS, Measurement
from figures.workplace import RecordedAnswers, data_folder, minilm_of_the_package, workplace


def changed_pages() -> dict[str, tuple[str, str]]:
    """Return the pages that do not have the recorded figures: their text, and what it should be."""
    figures = known_figures()
    texts = {page: path.read_text(encoding="utf-8") for page, path in PAGES.items()}
    made = {page: with_figures(text, figures) for page, text in texts.items()}
    return {page: (text, made[page]) for page, text in texts.items() if text != made[page]}


def page_problems() -> Iterator[str]:
    """Yield what is wrong with the pages: other figures than the recorded ones, unknown and unused ones."""
    figures = known_figures()
    used = set()
    for page, path in PAGES.items():
        for place in places_of(page, path.read_text(encoding="utf-8")):
            used.add(place.key)
            if place.key not in figures:
                yield f"{page}:{place.line}: nothing is recorded under {place.key}"
            elif place.text != figures[place.key]:
                shown = _difference(place.text, figures[place.key], page, "recorded")
                yield f"{page}:{place.line}: {place.key} is not what is recorded\n{shown}"
    yield from (f"{key} is recorded, and on no page" for key in sorted(figures.keys() - used))


def _difference(old: str, new: str, name: str, other: str) -> str:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), name, other, lineterm="", n=0)
    return "\n".join(f"  {line}" for line in lines)


def measured(measurement: Measurement, minilm: RecordedAnswers, *, sample: bool) -> Figures:
    """Return the figures of a measurement; with *sample*, over its first examples alone if it has a limit."""
    with workplace(minilm, data=measurement.needs_data) as place, place.inside():
        return measurement.measure(place, measurement.limit if sample else None)


def missing(measurement: Measurement) -> str:
    """Return why a measurement cannot be made here; empty if it can."""
    if measurement.needs_data and data_folder() is None:
        return "there are no published corpora in CROSSEXAM_DATA or beside the checkout"
    return ""


def measurement_problems(measurement: Measurement, minilm: RecordedAnswers) -> Iterator[str]:
    """Yield how the record of a measurement differs from a new one."""
    record = records().get(measurement.name)
    if record is None:
        yield f"{measurement.name}: nothing is recorded"
        return
    if record.command != measurement.command:
        yield f"{measurement.name}: recorded is another command, {record.command}"
    known = record.figures if measurement.limit is None else record.sample
    new = measured(measurement, minilm, sample=True)
    for part in sorted(known.keys() | new.keys()):
        if known.get(part) != new.get(part):
            shown = _difference(known.get(part, ""), new.get(part, ""), "recorded", "measured")
            sampled = "" if measurement.limit is None else f" over the first {measurement.limit}"
            yield f"{measurement.name}.{part}: another measurement{sampled} gives\n{shown}"


def record_of(measurement: Measurement, minilm: RecordedAnswers) -> Record:
    """Measure, and return the record; *minilm* keeps the answers that CI will look up."""
    if measurement.limit is None:
        return Record(measurement.name, measurement.command, measured(measurement, minilm, sample=False))
    sample = measured(measurement, minilm, sample=True)
    figures = measured(measurement, RecordedAnswers(minilm_of_the_package()), sample=False)
    return Record(measurement.name, measurement.command, figures, sample)


def write_pages() -> None:
    """Put the recorded figures into the pages."""
    for page, (_, text) in changed_pages().items():
        PAGES[page].write_text(text, encoding="utf-8")
        print(f"written: {page}")


def measure(names: Collection[str]) -> None:
    """Measure, record, and write the pages; the answers of ``builtin/minilm`` anew if all are measured."""
    chosen = [MEASUREMENTS[name] for name in names or MEASUREMENTS]
    minilm = RecordedAnswers(minilm_of_the_package(), anew=not names)
    for each in chosen:
        if reason := missing(each):
            raise SystemExit(f"{each.name}: {reason}")
        record_of(each, minilm).write()
        print(f"measured: {each.name}", flush=True)
    minilm.write(with_known=bool(names))
    write_pages()


def keep(key: str, printed: str) -> None:
    """Record *printed* as a part of the record of what was measured elsewhere, and write the pages."""
    name, _, part = key.partition(".")
    record = records()[name]
    if not record.kept:
        raise SystemExit(f"{name} is measured by this program: --measure {name}")
    replace(record, figures={**record.figures, part: printed.strip("\n")}).write()
    write_pages()


def check(names: Collection[str]) -> int:
    """Print all problems, and return the exit code."""
    minilm = RecordedAnswers(minilm_of_the_package())
    problems = [] if names else list(page_problems())
    for name in names or MEASUREMENTS:
        if reason := missing(MEASUREMENTS[name]):
            print(f"not measured: {name}: {reason}")
        else:
            problems += measurement_problems(MEASUREMENTS[name], minilm)
    print(*problems, sep="\n", end="\n" if problems else "")
    return int(bool(problems))


def main() -> int:
    """Write, measure, keep or check."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="a measurement; all by default")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--measure", action="store_true", help="measure, record and write")
    what.add_argument("--check", action="store_true", help="compare, and end with 1 if something differs")
    what.add_argument("--keep", metavar="NAME.PART", help="record what standard input has")
    given = parser.parse_args()
    unknown = set(given.names) - MEASUREMENTS.keys()
    if unknown:
        parser.error(
            f"there is no measurement {', '.join(sorted(unknown))}; there are {', '.join(MEASUREMENTS)}"
        )
    if given.check:
        return check(given.names)
    if given.measure:
        measure(given.names)
    elif given.keep:
        keep(given.keep, sys.stdin.read())
    else:
        write_pages()
    return 0


if __name__ == "__main__":
    sys.exit(main())
