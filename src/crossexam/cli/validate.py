"""crossexam validate: sample items, collect human judgements on them, and evaluate these."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from crossexam.core.places import copy_path, here_path

if TYPE_CHECKING:
    from rich.table import Table

    from crossexam.core.estimate import Estimate
    from crossexam.validation.study import Study
    from crossexam.validation.verdict import QuestionResult, Rule

app = typer.Typer(name="validate", help="Collect human judgements on test sets.", no_args_is_help=True)

StudyFolder = Annotated[
    Path, typer.Argument(help="Folder written by validate sample.", metavar="STUDY", show_default=False)
]


@app.command("sample")
def sample(
    suite: Annotated[
        Path | None,
        typer.Argument(
            parser=copy_path,
            help="Suite (a folder) or test set (a file), or its URL.",
            metavar="SUITE",
            show_default=False,
        ),
    ] = None,
    *,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            parser=here_path,
            help="Folder for the study.",
            metavar="STUDY",
            show_default=False,
        ),
    ],
    per_set: Annotated[int, typer.Option(help="Number of items per test set.", metavar="N")] = 100,
    seed: Annotated[int, typer.Option(help="Seed of the sample and of the orders of items.")] = 0,
    judges: Annotated[int, typer.Option(help="Number of judges.", metavar="N")] = 3,
    question: Annotated[
        list[str] | None,
        typer.Option(
            help="label, grammatical, trivial, sensible, grammar_kept, antonym_kind or category; repeatable. "
            "Default: the questions for each construction.",
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
        list[Path] | None,
        typer.Option(
            parser=copy_path,
            help="Sample from the errors of this run, and ask what misled the model. Repeatable: from the "
            "items that all of these runs get wrong.",
            metavar="RUN",
            show_default=False,
        ),
    ] = None,
    right_in: Annotated[
        list[Path] | None,
        typer.Option(
            parser=copy_path,
            help="Sample from the items that this run gets right. Repeatable; with --errors, from those that "
            "also are errors.",
            metavar="RUN",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Draw a stratified sample of items to judge, in a different order per judge."""
    from crossexam.cli.console import show, written
    from crossexam.core.errors import CrossexamError
    from crossexam.core.test_sets import read_suite
    from crossexam.runs.saved import read_run
    from crossexam.validation.sampling import SampleRequest, sample_outcomes, sample_suite

    loaded = read_suite(suite) if suite is not None else None
    named = [*(errors or ()), *(right_in or ())]
    sets = tuple(test_set or ()) or (tuple(loaded.datasets) if loaded and named else None)
    request = SampleRequest(per_set, seed, judges, sets, tuple(question) if question else None)
    if named:
        wrong, right = ([read_run(path) for path in paths or ()] for paths in (errors, right_in))
        origin = " + ".join(map(str, named))
        manifest = sample_outcomes(output, request, wrong=wrong, right=right, origin=origin)
    elif loaded is not None:
        manifest = sample_suite(loaded, output, request, origin=str(suite))
    else:
        wanted = "SUITE, --errors RUN or --right-in RUN"
        raise CrossexamError("there is nothing to sample from", wanted=wanted)
    show(_sample_table(manifest["test_sets"]))
    written(output)


@app.command("serve")
def serve(
    study: StudyFolder,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0: any free port.")] = 8765,
) -> None:
    """Serve the judges' page on this machine only, and print a link per judge."""
    from crossexam.cli.console import note, say
    from crossexam.validation.server import serve_study

    def announce(links: dict[str, str]) -> None:
        for judge, link in links.items():
            say(f"{judge}  {link}")
        note("Send each judge their link. Answers are saved immediately; stop with Ctrl+C, restart any time.")
        note("The links work on this machine only; docs/validation.md shows how judges elsewhere open them.")

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
    from crossexam.validation.exchange import sheet_of
    from crossexam.validation.label_studio import write_tasks
    from crossexam.validation.spreadsheet import write_csv
    from crossexam.validation.study import open_study

    suffix = _suffix(output)
    sheet = sheet_of(open_study(study), judge, question, with_answers=answers)
    if suffix == ".csv":
        write_csv(sheet, output)
    else:
        written(write_tasks(sheet, output))
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
    opened = open_study(study)
    judgements = read_csv(opened, file) if suffix == ".csv" else read_tasks(opened, file, names=names)
    new = opened.record_all(judgements, source=file.name)
    note(f"{len(judgements):,} answers, {new:,} of them new or changed")


@app.command("verdict")
def verdict(
    study: StudyFolder,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            parser=here_path,
            help="Output file for all results: .json.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(
            help="Verify only items to which a majority answers yes: sensible, grammatical ...; repeatable.",
            metavar="QUESTION",
            show_default=False,
        ),
    ] = None,
    apply: Annotated[
        str | None,
        typer.Option(
            help="Write the verdicts into --suite. confirm: items whose label the majority confirms are "
            "verified. relabel: the label of the majority becomes the gold label.",
            metavar="confirm|relabel",
            show_default=False,
        ),
    ] = None,
    suite: Annotated[
        Path | None,
        typer.Option(
            parser=here_path,
            help="The suite to write into, for --apply.",
            metavar="SUITE",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Report how many labels the judges confirm, what labels they give, and their agreement."""
    from crossexam.cli.console import note, show, written
    from crossexam.core.files import write_json
    from crossexam.validation.apply import apply_verdicts
    from crossexam.validation.study import open_study
    from crossexam.validation.verdict import as_json

    rule = _rule(apply, suite, require)
    opened = open_study(study)
    rule.check(opened)
    for table in (*_result_tables(opened), *_label_tables(opened, rule)):
        show(table)
    if output is not None:
        write_json(output, as_json(opened, rule))
        written(output)
    if suite is not None:
        applied = apply_verdicts(opened, suite, rule)
        for name, counts in applied.items():
            note(f"{name}: {counts}")
        if not any(counts.verified or counts.rejected or counts.kinds for counts in applied.values()):
            note(f"warning: {study} has too few answers for a verdict on any item, so all items are open")
        written(suite)


def _rule(apply: str | None, suite: Path | None, require: list[str] | None) -> Rule:
    from crossexam.core.errors import CrossexamError
    from crossexam.validation.verdict import APPLY, Rule

    required = tuple(dict.fromkeys(require or ()))
    if apply is None and suite is None:
        return Rule("confirm", required)
    if apply is not None and apply in APPLY:
        if suite is None:
            raise CrossexamError("--apply needs the suite to write into", wanted="--suite SUITE")
        return Rule(APPLY[apply], required)
    raise CrossexamError(
        f"--apply is '{apply}'" if apply is not None else "--suite needs --apply",
        wanted="--apply confirm, or --apply relabel",
        hint="confirm leaves out items whose label is not confirmed; relabel gives them the judges' label",
    )


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
        table.add_row(name, str(entry["drawn"]), str(entry.get("of", entry["rows"])), questions)
    if any("for_pairs" in entry for entry in test_sets.values()):
        table.caption = (
            "Controls of drawn items are drawn as well, so that drops of verified items are paired."
        )
    return table


def _result_tables(study: Study) -> list[Table]:
    from rich.table import Table

    from crossexam.reports.published_systems import other_rules_note
    from crossexam.validation.verdict import question_results

    results = question_results(study)
    judges = len(study.judges)
    needed = results[0].needed if results else 0
    title = f"{judges} judges; agreed: at least {needed} of them" if judges > 1 else "one judge"
    shares = Table(title=title, title_justify="left", caption_justify="left")
    for column in ("test set", "question"):
        shares.add_column(column, overflow="fold")
    for column in (
        "items",
        "open",
        "cannot say",
        "agreed",
        "agreed %",
        "published %",
        "Fleiss' kappa",
        "alpha",
    ):
        shares.add_column(column, justify="right")
    for result in results:
        shares.add_row(*_row(result))
    shares.caption = (
        "95 % confidence intervals, clustered by premise. Kappa: over the items that all judges answered. "
        "Alpha: Krippendorff's, over all items with at least two answers."
    )
    differences = {each.test_set: each.published.difference for each in results if each.published}
    shares.caption = "\n".join([shares.caption, *other_rules_note(differences)])
    return [shares, *(_TABLES[result.question](result) for result in results if result.question in _TABLES)]


def _label_tables(study: Study, rule: Rule) -> list[Table]:
    """Return what the majority says of the labels, and the shares of the labels that judges give."""
    from rich.table import Table

    from crossexam.core.labels import GOLDS
    from crossexam.validation.verdict import decisions, judged_label_shares, verdicts

    by_rule = verdicts(study, rule)
    majority = Table(title="labels by majority", title_justify="left", caption_justify="left")
    majority.add_column("test set", overflow="fold")
    for column in ("items", "confirmed", "another label", "no majority", "open", "verified"):
        majority.add_column(column, justify="right")
    for name, counts in decisions(study).items():
        verified = sum(verdict.status == "verified" for verdict in by_rule[name].values())
        majority.add_row(name, *(f"{count:,}" for count in (sum(counts), *counts, verified)))
    majority.caption = _RULES[rule.apply] + "".join(f"; required: {key}" for key in rule.require)
    given = judged_label_shares(study)
    labels = [label for label in GOLDS if any(label in shares for shares in given.values())]
    shares = Table(title="labels that judges give, %", title_justify="left")
    shares.add_column("test set", overflow="fold")
    for column in ("answers", *labels):
        shares.add_column(column, justify="right")
    for name, of_set in given.items():
        n = next(iter(of_set.values())).n
        cells = (f"{of_set[label]}" if label in of_set else "" for label in labels)
        shares.add_row(name, f"{n:,}", *cells)
    return [table for table in (majority, shares) if table.row_count]


_RULES: Final = {
    "confirm": "verified: the majority confirms the generated label",
    "relabel": "verified: the majority gives one label, which becomes the gold label",
}


def _row(result: QuestionResult) -> tuple[str, ...]:
    from crossexam.reports.table import MARK

    agreed = result.agreed
    published = result.published
    mark = MARK if published and published.difference else ""
    return (
        result.test_set,
        result.question,
        f"{result.drawn:,}",
        f"{result.undecided:,}",
        f"{result.unsure:,}",
        f"{round(agreed.value * agreed.n):,} of {agreed.n:,}" if agreed is not None and agreed.n else "",
        f"{agreed}" if agreed is not None and agreed.n else "",
        f"{published.figure:g}{mark} ({published.study}, {published.place})" if published else "",
        _coefficient(result.kappa),
        _coefficient(result.alpha),
    )


def _coefficient(estimate: Estimate) -> str:
    if not estimate.n or estimate.value != estimate.value:
        return ""
    return f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"


def _kinds(result: QuestionResult) -> Table:
    from rich.table import Table

    from crossexam.language.lexicons.antonym_kinds import ANTONYM_KINDS
    from crossexam.published.figures import published

    printed = published("naik2018").table("antonym_kinds")
    (systems,) = printed.rows
    table = Table(title=f"kinds of antonyms: {result.test_set}", title_justify="left")
    for column in ("kind", "items", "%", "both right %", "both wrong %"):
        table.add_column(column, justify="left" if column == "kind" else "right")
    total = sum(result.answers.values())
    for kind in dict.fromkeys((*ANTONYM_KINDS[:3], *result.answers)):
        count = result.answers.get(kind, 0)
        columns = (f"antonymy.{outcome}.{kind}.matched" for outcome in ("both_right", "both_wrong"))
        figures = (printed.value(systems, column) for column in columns)
        cells = ("" if figure is None else f"{figure:g}" for figure in figures)
        table.add_row(kind, f"{count:,}", f"{100 * count / total:.0f}" if total else "", *cells)
    table.caption = (
        f"Both right, both wrong: 100 items each of antonymy that {systems} get right and wrong (naik2018, "
        f"{printed.place})."
    )
    return table


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


_TABLES: Final = {"category": _categories, "antonym_kind": _kinds}
