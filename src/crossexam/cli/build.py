"""crossexam build: make test sets from a base.

Building the suite of the behaviour analysis, and the table of what was made.

Building the cross-dataset benchmark, and the table of what is in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from crossexam.cli import options
from crossexam.core.errors import CrossexamError

if TYPE_CHECKING:
    from rich.table import Table

    from crossexam.suites.bases import Base


def build(
    suite: Annotated[
        str, typer.Argument(help="A suite or a construction: see crossexam ls.", metavar="SUITE|CONSTRUCTION")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for the test sets.", metavar="DIR")],
    base: options.BasesOrNone = None,
    word_problems: options.Problems = None,
    seed: options.Seed = 0,
    split: options.Part = "test",
    pairs: options.Pairs = None,
    index: options.TrainingIndex = None,
    controls: options.Controls = None,
    limit: options.Limit = None,
    file_format: Annotated[str, typer.Option("--format", help="parquet or jsonl.")] = "parquet",
    tagger: options.TaggerSpec = "auto",
    entities: options.RecognizerSpec = "auto",
    parser: options.ParserSpec = "auto",
    tautology: options.Tautology = None,
    indirect: options.Indirect = False,
    as_published: options.AsPublished = False,
    adjectives: options.Adjectives = None,
    both_directions: options.BothDirections = False,
    columns: options.Columns = None,
    skip_bad: options.SkipBad = False,
    force: options.Force = False,
) -> None:
    """Build the test sets of a suite, or of one construction, from one or several bases."""
    from crossexam.cli.console import note, progress_bar, show, written, yield_summary
    from crossexam.core.files import read_json
    from crossexam.suites.build import Request, build_to_folder
    from crossexam.suites.table import suite_named

    kind = suite_named(suite)
    options.refuse_foreign(kind.name, split=split, pairs=pairs, index=index, controls=controls)
    if kind.name == CROSS_DATASET:
        build_cross_dataset(base, output, split, seed=seed, limit=limit, file_format=file_format, force=force)
        return
    bases = options.bases_from(options.named_bases(base, suite), columns, skip_bad, limit)
    if kind.name == BEHAVIOUR:
        build_behaviour(
            bases,
            output,
            pairs=pairs,
            index=index,
            controls=controls,
            seed=seed,
            tagger=tagger,
            limit=limit,
            force=force,
            file_format=file_format,
        )
        return
    request = Request(
        kind.name,
        bases,
        options.problems_from(word_problems, kind.name),
        seed=seed,
        file_format=file_format,
        tagger=tagger,
        recognizer=entities,
        parser=parser,
        tautology=tautology,
        indirect=indirect,
        as_published=as_published,
        adjectives=adjectives,
        both_directions=both_directions,
        limit=limit,
    )
    with progress_bar() as progress:
        built = build_to_folder(request, output, force=force, progress=progress)
    if not built:
        note(f"{output} holds this very suite already; nothing was built")
    for each in (*request.bases, *request.problems):
        dropped = each.report.summary()
        if dropped:
            note(f"{each.spec}: {dropped}")
    show(yield_summary(read_json(output / "manifest.json")["test_sets"]))
    written(output)


BEHAVIOUR: Final = "behaviour"


def parse_pairs(texts: Sequence[str] | None) -> dict[str, list[str]]:
    """Return the lists by relation that ``--pairs RELATION=FILE`` states; raises CrossexamError.

    >>> parse_pairs(["antonym=wordnet", "antonym=own.txt"])
    {'antonym': ['wordnet', 'own.txt']}
    """
    found: dict[str, list[str]] = {}
    for text in texts or ():
        relation, equals, name = text.partition("=")
        if not (relation and equals and name):
            raise CrossexamError(
                f"'{text}' names no list",
                where="--pairs",
                wanted="antonym=FILE or hypernym=FILE; wordnet for FILE is the built-in list",
            )
        found.setdefault(relation, []).append(name)
    return found


def build_behaviour(
    bases: Sequence[Base],
    output: Path,
    *,
    pairs: Sequence[str] | None,
    index: str | None,
    controls: int | None,
    seed: int,
    tagger: str,
    limit: int | None,
    force: bool,
    file_format: str = "parquet",
) -> None:
    """Write the suite into *output* and show what was made; raises CrossexamError."""
    from crossexam.cli.console import note, progress_bar, show, written, yield_summary
    from crossexam.core.files import read_json
    from crossexam.suites.behaviour import BehaviourRequest, write_behaviour

    request = BehaviourRequest(bases, parse_pairs(pairs), index, seed, file_format, tagger, controls, limit)
    with progress_bar() as progress:
        built = write_behaviour(request, output, force=force, progress=progress)
    if not built:
        note(f"{output} holds this very suite already; nothing was built")
    show(yield_summary(read_json(output / "manifest.json")["test_sets"]))
    note("labels by natural logic are proposed: crossexam validate lets people judge them")
    written(output)


CROSS_DATASET: Final = "cross-dataset"


def build_cross_dataset(
    corpora: Sequence[str] | None,
    output: Path,
    part: str,
    *,
    seed: int,
    limit: int | None,
    force: bool,
    file_format: str = "parquet",
) -> None:
    """Write the suite into *output* and show what is in it; raises CrossexamError."""
    from crossexam.cli.console import note, progress_bar, show, written
    from crossexam.core.files import read_json
    from crossexam.suites.cross_dataset import CrossDatasetRequest, write_cross_dataset

    request = CrossDatasetRequest(tuple(corpora or ()), part, seed, file_format, limit)
    with progress_bar() as progress:
        built = write_cross_dataset(request, output, force=force, progress=progress)
    if not built.written:
        note(f"{output} holds this very suite already; nothing was built")
    show(_table(read_json(output / "manifest.json")["test_sets"]))
    if built.absent:
        note(f"not installed, so not in: {', '.join(built.absent)}; a partial benchmark is reported as one")
    written(output)


def _table(test_sets: Mapping[str, Mapping[str, Any]]) -> Table:
    from rich.table import Table

    table = Table(title="cross-dataset", title_justify="left")
    table.add_column("test set")
    table.add_column("items", justify="right")
    table.add_column("labels")
    table.add_column("not as in Table 4 of the paper")
    for name, entry in test_sets.items():
        about = entry["cross_dataset"]
        differences = "; ".join(about.get("differences", ())) or "–"
        if about.get("known") and about.get("differences"):
            differences += f" ({about['known']})"
        table.add_row(name, f"{entry['rows']:,}", entry.get("projection") or "three labels", differences)
    return table
