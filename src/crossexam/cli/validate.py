"""crossexam validate: sample items, collect human judgements on them, and evaluate these."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from crossexam.core.estimate import Estimate
    from crossexam.validation.study import Study
    from crossexam.validation.verdict import QuestionResult

app = typer.Typer(name="validate", help="Collect human judgements on test sets.", no_args_is_help=True)

StudyFolder = Annotated[
    Path, typer.Argument(help="Folder written by validate sample.", metavar="STUDY", show_default=False)
]


@app.command("sample")
def sample(
    suite: Annotated[
        Path | None,
        typer.Argument(help="Suite (a folder) or test set (a file).", metavar="SUITE", show_default=False),
    ] = None,
    *,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="Folder for the study.", metavar="STUDY", show_default=False),
    ],
    per_set: Annotated[int, typer.Option(help="Number of items per test set.", metavar="N")] = 100,
    seed: Annotated[int, typer.Option(help="Seed of the sample and of the orders of items.")] = 0,
    judges: Annotated[int, typer.Option(help="Number of judges.", metavar="N")] = 3,
    question: Annotated[
        list[str] | None,
        typer.Option(
            help="label, grammatical, trivial, sensible, grammar_kept or category; repeatable. Default: the "
            "questions for each construction.",
            show_default=False,
        ),
    ] = None,
    test_set: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="Sample only this test set; repeatable.", metavar="NAME", show_default=False
        ),
    ] = None,
    errors: Annotated[
        Path | None,
        typer.Option(
            help="Sample from the errors of this run, and ask what misled the model.",
            metavar="RUN",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Draw a stratified sample of items to judge, in a different order per judge."""
    from crossexam.cli.console import show, written
    from crossexam.core.errors import CrossexamError
    from crossexam.core.test_sets import read_suite
    from crossexam.runs.folder import read_run
    from crossexam.validation.sampling import SampleRequest, sample_errors, sample_suite

    loaded = read_suite(suite) if suite is not None else None
    sets = tuple(test_set or ()) or (tuple(loaded.datasets) if loaded and errors else None)
    request = SampleRequest(per_set, seed, judges, sets, tuple(question) if question else None)
    if errors is not None:
        manifest = sample_errors(read_run(errors), output, request, origin=str(errors))
    elif loaded is not None:
        manifest = sample_suite(loaded, output, request, origin=str(suite))
    else:
        raise CrossexamError("there is nothing to sample from", wanted="SUITE, or --errors RUN")
    show(_sample_table(manifest["test_sets"]))
    written(output)


@app.command("serve")
def serve(
    study: StudyFolder,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0: any free port.")] = 8765,
) -> None:
    """Serve the judges' page on this machine only, and print a link per judge."""
    from crossexam.cli.console import note
    from crossexam.validation.server import serve_study

    def announce(links: dict[str, str]) -> None:
        for judge, link in links.items():
            typer.echo(f"{judge}  {link}")
        note("Send each judge their link. Answers are saved immediately; stop with Ctrl+C, restart any time.")

    serve_study(study, port=port, announce=announce)


@app.command("export")
def export(
    study: StudyFolder,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            help="Output file: .csv for spreadsheets, .json for Label Studio.",
            show_default=False,
        ),
    ],
    judge: Annotated[
        list[str] | None,
        typer.Option(help="Export only for this judge, in their order; repeatable.", show_default=False),
    ] = None,
    question: Annotated[
        list[str] | None,
        typer.Option(help="Export only this question; repeatable.", metavar="QUESTION", show_default=False),
    ] = None,
    answers: Annotated[bool, typer.Option("--answers", help="Include the answers so far.")] = False,
) -> None:
    """Export a study, to judge items in a spreadsheet or in Label Studio."""
    from crossexam.cli.console import written
    from crossexam.validation.label_studio import write_tasks
    from crossexam.validation.spreadsheet import judges_named, write_csv
    from crossexam.validation.study import open_study

    suffix = _suffix(output)
    with open_study(study) as opened:
        judges = judges_named(opened, judge)
        if suffix == ".csv":
            write_csv(opened, output, judges=judges, questions=question, with_answers=answers)
        else:
            tasks = write_tasks(opened, output, judges=judges, questions=question, with_answers=answers)
            written(tasks)
    written(output)


@app.command("import")
def import_(
    study: StudyFolder,
    file: Annotated[
        Path, typer.Argument(help="Filled-in .csv, or .json exported by Label Studio.", metavar="FILE")
    ],
    judge: Annotated[
        list[str] | None,
        typer.Option(
            help="For Label Studio: the judge who is this annotator; repeatable.",
            metavar="ANNOTATOR=JUDGE",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Import all judgements of a file, or none if it has errors. Importing it again changes nothing."""
    from crossexam.cli.console import note
    from crossexam.core.errors import CrossexamError
    from crossexam.validation.label_studio import read_tasks
    from crossexam.validation.spreadsheet import read_csv
    from crossexam.validation.study import open_study

    names = {}
    for pair in judge or ():
        annotator, equals, name = pair.rpartition("=")
        if not (annotator and equals and name):
            raise CrossexamError(f"--judge is '{pair}'", wanted="ANNOTATOR=JUDGE")
        names[annotator] = name
    suffix = _suffix(file)
    with open_study(study) as opened:
        judgements = read_csv(opened, file) if suffix == ".csv" else read_tasks(opened, file, names=names)
        new = opened.record_all(judgements, source=file.name)
    note(f"{len(judgements):,} answers, {new:,} of them new or changed")


@app.command("verdict")
def verdict(
    study: StudyFolder,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Output file for all results: .json.", show_default=False),
    ] = None,
    apply: Annotated[
        Path | None,
        typer.Option(
            help="Mark the items of this suite as verified or rejected.", metavar="SUITE", show_default=False
        ),
    ] = None,
) -> None:
    """Report how many labels the judges confirm, and their agreement."""
    from crossexam.cli.console import note, show, written
    from crossexam.core.files import write_json
    from crossexam.validation.study import open_study
    from crossexam.validation.verdict import apply_verdicts, as_json

    with open_study(study) as opened:
        for table in _result_tables(opened):
            show(table)
        if output is not None:
            write_json(output, as_json(opened))
            written(output)
        if apply is not None:
            for name, counts in apply_verdicts(opened, apply).items():
                note(f"{name}: " + ", ".join(f"{count:,} {status}" for status, count in counts.items()))
            written(apply)


def _suffix(path: Path) -> str:
    from crossexam.core.errors import FormatError

    suffix = path.suffix.lower()
    if suffix not in {".csv", ".json"}:
        raise FormatError(
            f"'{path.suffix}' is not a supported format for judgements",
            where=str(path),
            wanted=".csv or .json",
        )
    return suffix


def _sample_table(test_sets: dict[str, dict[str, object]]) -> Table:
    from rich.table import Table

    table = Table(title="sample", title_justify="left")
    table.add_column("test set")
    table.add_column("items", justify="right")
    table.add_column("of", justify="right")
    table.add_column("questions")
    for name, entry in test_sets.items():
        keys = entry["questions"]
        questions = ", ".join(keys) if isinstance(keys, list) else ""
        table.add_row(name, str(entry["drawn"]), str(entry.get("errors", entry["rows"])), questions)
    return table


def _result_tables(study: Study) -> list[Table]:
    from rich.table import Table

    from crossexam.validation.verdict import question_results

    results = question_results(study)
    judges = len(study.judges)
    needed = results[0].needed if results else 0
    title = f"{judges} judges; agreed: at least {needed} of them" if judges > 1 else "one judge"
    shares = Table(title=title, title_justify="left", caption_justify="left")
    for column in ("test set", "question"):
        shares.add_column(column, overflow="fold")
    for column in ("items", "open", "cannot say", "agreed %", "published %", "Fleiss' kappa", "alpha"):
        shares.add_column(column, justify="right")
    for result in results:
        shares.add_row(*_row(result))
    shares.caption = (
        "95 % confidence intervals, clustered by premise. Kappa: over the items that all judges answered. "
        "Alpha: Krippendorff's, over all items with at least two answers."
    )
    return [shares, *(_categories(result) for result in results if result.question == "category")]


def _row(result: QuestionResult) -> tuple[str, ...]:
    agreed = result.agreed
    published = result.published
    return (
        result.test_set,
        result.question,
        f"{result.drawn:,}",
        f"{result.undecided:,}",
        f"{result.unsure:,}",
        f"{agreed}" if agreed is not None and agreed.n else "",
        f"{published.figure:g} ({published.study}, {published.place})" if published else "",
        _coefficient(result.kappa),
        _coefficient(result.alpha),
    )


def _coefficient(estimate: Estimate) -> str:
    if not estimate.n or estimate.value != estimate.value:
        return ""
    return f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"


def _categories(result: QuestionResult) -> Table:
    from rich.table import Table

    from crossexam.published.figures import published

    printed = published("naik2018").table("error_analysis")
    table = Table(title=f"sources of error: {result.test_set}", title_justify="left")
    for column in ("category", "items", "%", "matched %", "mismatched %"):
        table.add_column(column, justify="left" if column == "category" else "right")
    total = sum(result.answers.values())
    rows = {row.lower().replace(" ", "_").replace("-", "_"): row for row in printed.rows}
    for category in [*rows, "no agreement"]:
        count = result.answers.get(category, 0)
        row = rows.get(category)
        figures = [printed.value(row, split) if row else None for split in ("matched", "mismatched")]
        share = f"{100 * count / total:.0f}" if total else ""
        cells = ("" if figure is None else f"{figure:g}" for figure in figures)
        table.add_row(category, str(count), share, *cells)
    table.caption = f"Matched, mismatched: Nie & Bansal 2017 on MultiNLI dev (naik2018, {printed.place})."
    return table
