"""crossexam validate: sample items, collect human judgements on them, and evaluate these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from rich.table import Table

from crossexam.cli.console import note, say, show, table_of, written
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.estimate import Estimate
from crossexam.core.files import write_json
from crossexam.core.labels import GOLDS
from crossexam.core.test_sets import read_suite
from crossexam.language.lexicons.antonym_kinds import ANTONYM_KINDS
from crossexam.options.validate import ExportStudy, ImportAnswers, Sample, Serve, Verdict
from crossexam.published.figures import published
from crossexam.reports.published_systems import other_rules_note
from crossexam.reports.table import MARK
from crossexam.runs.saved import read_run
from crossexam.validation.apply import apply_verdicts
from crossexam.validation.exchange import sheet_of
from crossexam.validation.label_studio import read_tasks, write_tasks
from crossexam.validation.sampling import SampleRequest, sample_outcomes, sample_suite
from crossexam.validation.server import serve_study
from crossexam.validation.spreadsheet import read_csv, write_csv
from crossexam.validation.study import SampledSet, Study, open_study
from crossexam.validation.verdict import (
    QuestionResult,
    VerdictRule,
    as_json,
    decisions,
    judged_label_shares,
    question_results,
    verdicts,
)


def sample(options: Sample) -> None:
    """Draw a stratified sample of items to judge."""
    loaded = read_suite(options.suite) if options.suite is not None else None
    named = [*options.errors, *options.right_in]
    sets = options.test_set or (tuple(loaded.datasets) if loaded and named else None)
    request = SampleRequest(options.per_set, options.seed, options.judges, sets, options.question or None)
    if named:
        wrong, right = ([read_run(path) for path in paths] for paths in (options.errors, options.right_in))
        origin = " + ".join(map(str, named))
        manifest = sample_outcomes(options.output, request, wrong=wrong, right=right, origin=origin)
    elif loaded is not None:
        manifest = sample_suite(loaded, options.output, request, origin=str(options.suite))
    else:
        wanted = "SUITE, --errors RUN or --right-in RUN"
        raise CrossexamError("there is nothing to sample from", wanted=wanted)
    show(_sample_table(manifest.test_sets))
    written(options.output)


def serve(options: Serve) -> None:
    """Serve the judges' page on this machine only, and print a link per judge."""

    def announce(links: dict[str, str]) -> None:
        for judge, link in links.items():
            say(f"{judge}  {link}")
        note("Send each judge their link. Answers are saved immediately; stop with Ctrl+C, restart any time.")
        note("The links work on this machine only; docs/validation.md shows how judges elsewhere open them.")

    serve_study(options.study, port=options.port, announce=announce)


def export(options: ExportStudy) -> None:
    """Export a study, to judge items in a spreadsheet or in Label Studio."""
    output = options.output
    suffix = _suffix(output)
    study = open_study(options.study)
    sheet = sheet_of(study, options.judge, options.question or None, with_answers=options.answers)
    if suffix == ".csv":
        write_csv(sheet, output)
    else:
        written(write_tasks(sheet, output))
    written(output)


def import_(options: ImportAnswers) -> None:
    """Import all judgements of a file, or none if it has errors."""
    file, names = options.file, {}
    for pair in options.judge:
        annotator, equals, name = pair.rpartition("=")
        if not (annotator and equals and name):
            raise CrossexamError(f"--judge is '{pair}'", wanted="ANNOTATOR=JUDGE")
        names[annotator] = name
    suffix = _suffix(file)
    opened = open_study(options.study)
    judgements = read_csv(opened, file) if suffix == ".csv" else read_tasks(opened, file, names=names)
    new = opened.record_all(judgements, source=file.name)
    note(f"{len(judgements):,} answers, {new:,} of them new or changed")


def verdict(options: Verdict) -> None:
    """Report how many labels the judges confirm, what labels they give, and their agreement."""
    rule, suite = _rule(options), options.suite
    opened = open_study(options.study)
    rule.check(opened)
    for table in (*_result_tables(opened), *_label_tables(opened, rule)):
        show(table)
    if options.output is not None:
        write_json(options.output, as_json(opened, rule))
        written(options.output)
    if suite is not None:
        applied = apply_verdicts(opened, suite, rule)
        for name, counts in applied.items():
            note(f"{name}: {counts}")
        if not any(counts.verified or counts.rejected or counts.kinds for counts in applied.values()):
            few = "has too few answers for a verdict on any item, so all items are open"
            note(f"warning: {options.study} {few}")
        written(suite)


def _rule(options: Verdict) -> VerdictRule:
    apply, required = options.apply, tuple(dict.fromkeys(options.require))
    if apply is not None and options.suite is None:
        raise CrossexamError("--apply needs the suite to write into", wanted="--suite SUITE")
    if apply is not None or options.suite is None:
        return VerdictRule(apply or "confirm", required)
    raise CrossexamError(
        "--suite needs --apply",
        wanted="--apply confirm, or --apply relabel",
        hint="confirm leaves out items whose label is not confirmed; relabel gives them the judges' label",
    )


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in {".csv", ".json"}:
        raise FormatError(
            f"'{path.suffix}' is not a supported format for judgements",
            where=str(path),
            wanted=".csv or .json",
        )
    return suffix


def _sample_table(test_sets: Mapping[str, SampledSet]) -> Table:
    rows = []
    for name, entry in test_sets.items():
        of = entry.rows if entry.of is None else entry.of
        rows.append((name, str(entry.drawn), str(of), ", ".join(entry.questions)))
    paired = "Controls of drawn items are drawn as well, so that drops of verified items are paired."
    caption = paired if any(entry.for_pairs for entry in test_sets.values()) else None
    return table_of("sample", ("test set", "items", "of", "questions"), rows, right={1, 2}, caption=caption)


def _result_tables(study: Study) -> list[Table]:
    results = question_results(study)
    judges = len(study.judges)
    needed = results[0].needed if results else 0
    title = f"{judges} judges; agreed: at least {needed} of them" if judges > 1 else "one judge"
    columns = (
        "test set",
        "question",
        "items",
        "open",
        "cannot say",
        "agreed",
        "agreed %",
        "published %",
        "Fleiss' kappa",
        "alpha",
    )
    differences = {each.test_set: each.published.difference for each in results if each.published}
    caption = (
        "95 % confidence intervals, clustered by premise. Kappa: over the items that all judges answered. "
        "Alpha: Krippendorff's, over all items with at least two answers."
    )
    shares = table_of(
        title,
        columns,
        map(_row, results),
        right=range(2, len(columns)),
        caption="\n".join([caption, *other_rules_note(differences)]),
    )
    return [shares, *(_TABLES[result.question](result) for result in results if result.question in _TABLES)]


def _label_tables(study: Study, rule: VerdictRule) -> list[Table]:
    """Return what the majority says of the labels, and the shares of the labels that judges give."""
    by_rule = verdicts(study, rule)
    columns = ("test set", "items", "confirmed", "another label", "no majority", "open", "verified")
    counted = []
    for name, counts in decisions(study).items():
        verified = sum(verdict.status == "verified" for verdict in by_rule[name].values())
        counted.append((name, *(f"{count:,}" for count in (sum(counts), *counts, verified))))
    required = "".join(f"; required: {key}" for key in rule.require)
    caption = _RULES[rule.apply] + required
    majority = table_of("labels by majority", columns, counted, right=range(1, len(columns)), caption=caption)
    given = judged_label_shares(study)
    labels = [label for label in GOLDS if any(label in shares for shares in given.values())]
    rows = [
        (
            name,
            f"{next(iter(of_set.values())).n:,}",
            *(f"{of_set[label]}" if label in of_set else "" for label in labels),
        )
        for name, of_set in given.items()
    ]
    header = ("test set", "answers", *labels)
    shares = table_of("labels that judges give, %", header, rows, right=range(1, len(header)))
    return [table for table in (majority, shares) if table.row_count]


_RULES: Final = {
    "confirm": "verified: the majority confirms the generated label",
    "relabel": "verified: the majority gives one label, which becomes the gold label",
}


def _row(result: QuestionResult) -> tuple[str, ...]:
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
    printed = published("naik2018").table("antonym_kinds")
    (systems,) = printed.rows
    columns = [f"antonymy.{outcome}.{{}}.matched" for outcome in ("both_right", "both_wrong")]
    kinds = dict.fromkeys((*ANTONYM_KINDS[:3], *result.answers))
    rows = [
        (
            kind,
            *_counted(result, kind),
            *_printed(printed.value(systems, each.format(kind)) for each in columns),
        )
        for kind in kinds
    ]
    return table_of(
        f"kinds of antonyms: {result.test_set}",
        ("kind", "items", "%", "both right %", "both wrong %"),
        rows,
        right=range(1, 5),
        caption=f"Both right, both wrong: 100 items each of antonymy that {systems} get right and wrong "
        f"(naik2018, {printed.place}).",
    )


def _categories(result: QuestionResult) -> Table:
    printed = published("naik2018").table("error_analysis")
    names = {row.lower().replace(" ", "_").replace("-", "_"): row for row in printed.rows}
    rows = []
    for category in [*names, "no agreement"]:
        row = names.get(category)
        figures = [printed.value(row, split) if row else None for split in ("matched", "mismatched")]
        rows.append((category, *_counted(result, category), *_printed(figures)))
    return table_of(
        f"sources of error: {result.test_set}",
        ("category", "items", "%", "matched %", "mismatched %"),
        rows,
        right=range(1, 5),
        caption=f"Matched, mismatched: Nie & Bansal 2017 on MultiNLI dev (naik2018, {printed.place}).",
    )


def _counted(result: QuestionResult, answer: str) -> tuple[str, str]:
    """Return how many items have *answer*, and their percentage."""
    count, total = result.answers.get(answer, 0), sum(result.answers.values())
    return f"{count:,}", f"{100 * count / total:.0f}" if total else ""


def _printed(figures: Iterable[float | None]) -> list[str]:
    return ["" if figure is None else f"{figure:g}" for figure in figures]


_TABLES: Final = {"category": _categories, "antonym_kind": _kinds}
