"""crossexam validate: draw items, let people judge them, and say what they found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from crossexam.core.estimate import Estimate
    from crossexam.validation.study import Study
    from crossexam.validation.verdict import Finding

app = typer.Typer(name="validate", help="Let people judge test sets.", no_args_is_help=True)

StudyFolder = Annotated[
    Path, typer.Argument(help="A folder that validate sample wrote.", metavar="STUDY", show_default=False)
]


@app.command("sample")
def sample(
    suite: Annotated[
        Path | None,
        typer.Argument(help="A folder of test sets, or a file.", metavar="SUITE", show_default=False),
    ] = None,
    *,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="Folder for the study.", metavar="STUDY", show_default=False),
    ],
    per_set: Annotated[int, typer.Option(help="Items of each test set.", metavar="N")] = 100,
    seed: Annotated[int, typer.Option(help="Seed of what is drawn, and in which order.")] = 0,
    judges: Annotated[int, typer.Option(help="How many people judge.", metavar="N")] = 3,
    question: Annotated[
        list[str] | None,
        typer.Option(
            help="label, grammatical, trivial, sensible or category; repeatable. Default: what the "
            "construction's study asked.",
            show_default=False,
        ),
    ] = None,
    test_set: Annotated[
        list[str] | None,
        typer.Option("--set", help="Only this test set; repeatable.", metavar="NAME", show_default=False),
    ] = None,
    errors: Annotated[
        Path | None,
        typer.Option(
            help="Draw from the wrong answers of this run, and ask what misled the model.",
            metavar="RUN",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Draw items for people to judge, stratified, in another order for each judge."""
    from crossexam.cli.console import show, written
    from crossexam.core.errors import CrossexamError
    from crossexam.core.test_sets import load_suite
    from crossexam.runs.folder import read_run
    from crossexam.validation.sampling import SampleRequest, sample_errors, sample_suite

    loaded = load_suite(suite) if suite is not None else None
    sets = tuple(test_set or ()) or (tuple(loaded.datasets) if loaded and errors else None)
    request = SampleRequest(per_set, seed, judges, sets, tuple(question) if question else None)
    if errors is not None:
        manifest = sample_errors(read_run(errors), output, request, origin=str(errors))
    elif loaded is not None:
        manifest = sample_suite(loaded, output, request, origin=str(suite))
    else:
        raise CrossexamError("nothing to draw from", wanted="SUITE, or --errors RUN")
    show(_drawn(manifest["test_sets"]))
    written(output)


@app.command("serve")
def serve(
    study: StudyFolder,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of 127.0.0.1; 0: any free one.")] = 8765,
) -> None:
    """Serve the page on which judges answer, on this machine only; prints a link for each judge."""
    from crossexam.cli.console import note
    from crossexam.validation.server import serve as run

    def announce(links: dict[str, str]) -> None:
        for judge, link in links.items():
            typer.echo(f"{judge}  {link}")
        note("A link for each judge. Answers are saved at once; stop with Ctrl+C, start again any time.")

    run(study, port=port, announce=announce)


@app.command("export")
def export(
    study: StudyFolder,
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", help="A .csv for spreadsheets, or a .json for Label Studio.", show_default=False
        ),
    ],
    judge: Annotated[
        list[str] | None,
        typer.Option(help="Only for this judge, in this judge's order; repeatable.", show_default=False),
    ] = None,
    answers: Annotated[bool, typer.Option("--answers", help="With the answers so far.")] = False,
) -> None:
    """Write a study for judging elsewhere."""
    from crossexam.cli.console import written
    from crossexam.validation.label_studio import write_tasks
    from crossexam.validation.spreadsheet import judges_named, write_csv
    from crossexam.validation.study import open_study

    suffix = _suffix(output)
    with open_study(study) as opened:
        judges = judges_named(opened, judge)
        if suffix == ".csv":
            write_csv(opened, output, judges=judges, with_answers=answers)
        else:
            written(write_tasks(opened, output, judges=judges, with_answers=answers))
    written(output)


@app.command("import")
def import_(
    study: StudyFolder,
    file: Annotated[Path, typer.Argument(help="A .csv, or Label Studio's .json.", metavar="FILE")],
    judge: Annotated[
        list[str] | None,
        typer.Option(
            help="Label Studio: which judge an annotator is; repeatable.",
            metavar="ANNOTATOR=JUDGE",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Read judgements back; all or none, and a second time changes nothing."""
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
        found = read_csv(opened, file) if suffix == ".csv" else read_tasks(opened, file, names=names)
        new = opened.answer_all(found, source=file.name)
    note(f"{len(found):,} answers, {new:,} of them new or changed")


@app.command("verdict")
def verdict(
    study: StudyFolder,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="A .json with everything.", show_default=False)
    ] = None,
    apply: Annotated[
        Path | None,
        typer.Option(help="Write the verdicts into this suite.", metavar="SUITE", show_default=False),
    ] = None,
) -> None:
    """Say how far labels hold and judges agree; with --apply, mark items as verified or rejected."""
    from crossexam.cli.console import note, show, written
    from crossexam.core.files import write_json
    from crossexam.validation.study import open_study
    from crossexam.validation.verdict import apply_verdicts, as_json

    with open_study(study) as opened:
        for table in _tables(opened):
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
            f"no form of a study has the suffix '{path.suffix}'", where=str(path), wanted=".csv or .json"
        )
    return suffix


def _drawn(test_sets: dict[str, dict[str, object]]) -> Table:
    from rich.table import Table

    table = Table(title="drawn", title_justify="left")
    table.add_column("test set")
    table.add_column("items", justify="right")
    table.add_column("of", justify="right")
    table.add_column("questions")
    for name, entry in test_sets.items():
        questions = entry["questions"]
        told = ", ".join(questions) if isinstance(questions, list) else ""
        table.add_row(name, str(entry["drawn"]), str(entry.get("errors", entry["rows"])), told)
    return table


def _tables(study: Study) -> list[Table]:
    from rich.table import Table

    from crossexam.validation.verdict import findings

    found = findings(study)
    judges = len(study.judges)
    needed = found[0].needed if found else 0
    title = f"{judges} judges; agreed: at least {needed} of them" if judges > 1 else "one judge, who decides"
    shares = Table(title=title, title_justify="left", caption_justify="left")
    for column in ("test set", "question"):
        shares.add_column(column, overflow="fold")
    for column in ("items", "open", "cannot say", "agreed %", "published %", "Fleiss' kappa", "alpha"):
        shares.add_column(column, justify="right")
    for each in found:
        shares.add_row(*_row(each))
    shares.caption = "Intervals at 95 %, by cluster of a premise. Kappa: items that all judges answered."
    return [shares, *(_categories(each) for each in found if each.question == "category")]


def _row(finding: Finding) -> tuple[str, ...]:
    agreed = finding.agreed
    beside = finding.published
    return (
        finding.test_set,
        finding.question,
        f"{finding.drawn:,}",
        f"{finding.undecided:,}",
        f"{finding.unsure:,}",
        f"{agreed}" if agreed is not None and agreed.n else "",
        f"{beside.figure:g} ({beside.study}, {beside.place})" if beside else "",
        _coefficient(finding.kappa),
        _coefficient(finding.alpha),
    )


def _coefficient(estimate: Estimate) -> str:
    if not estimate.n or estimate.value != estimate.value:
        return ""
    return f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"


def _categories(finding: Finding) -> Table:
    from rich.table import Table

    from crossexam.published.published import published

    printed = published("naik2018").table("error_analysis")
    table = Table(title=f"sources of error: {finding.test_set}", title_justify="left")
    for column in ("category", "items", "%", "matched %", "mismatched %"):
        table.add_column(column, justify="left" if column == "category" else "right")
    total = sum(finding.answers.values())
    rows = {row.lower().replace(" ", "_").replace("-", "_"): row for row in printed.rows}
    for category in [*rows, "no agreement"]:
        count = finding.answers.get(category, 0)
        row = rows.get(category)
        figures = [printed.value(row, split) if row else None for split in ("matched", "mismatched")]
        share = f"{100 * count / total:.0f}" if total else ""
        table.add_row(category, str(count), share, *("" if each is None else f"{each:g}" for each in figures))
    table.caption = f"Beside: NB on MultiNLI dev ({printed.place}), naik2018."
    return table
