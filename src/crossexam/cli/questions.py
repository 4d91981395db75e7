"""What is asked at a terminal: which columns a table has, what its labels mean, and the threshold of a model.

Nothing is guessed, and nothing is asked elsewhere than at a terminal, where what is missing is an error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from shlex import quote
from typing import Any, Final, TypeVar

import typer

from crossexam.cli.console import note, table_of
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import SIDES
from crossexam.core.output.escapes import clipped, one_line, visible
from crossexam.corpora.columns import (
    ANNOTATOR_COLUMNS,
    INFO_COLUMNS,
    find_layout,
    roles_of,
    stated_columns,
)
from crossexam.corpora.label_names import (
    Names,
    UnknownLabelError,
    labels_text,
    likely_meanings,
    parse_labels,
    stated_labels,
)
from crossexam.corpora.records import Row, detect_format
from crossexam.corpora.spec import CorpusSpec
from crossexam.models.threshold import MissingThresholdError, check_threshold
from crossexam.options.build import Build, Examine, Subset
from crossexam.options.option import options_of

#: Answers a question; an empty answer is the wish to stop, or "none".
Ask = Callable[[str], str]
Options = TypeVar("Options", Build, Examine, Subset)

_QUESTIONS: Final = {
    "premise": "Which column is the premise, the text taken to be true? (number or name; Enter to stop)",
    "hypothesis": "Which column is the hypothesis, the text to check? (number or name; Enter to stop)",
    "label": "Which column has the labels? (number or name; Enter if there are none)",
}
_PREVIEW: Final = 3  # rows
_SHOWN: Final = 40  # characters of a value


def with_answers(options: Options, act: Callable[[Options], None]) -> None:
    """Do *act* with *options*; at a terminal, with the columns and labels that the person there names.

    The options that say the same are printed.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        act(options)
        return
    answered = with_columns(options, _ask)
    _note_next_time(options, answered)
    while True:
        try:
            act(answered)
            return
        except (UnknownLabelError, MissingThresholdError) as error:
            answered = replace(answered, **_answer_to(error, options, _ask))
        _note_next_time(options, answered)


def _answer_to(error: CrossexamError, options: Options, ask: Ask) -> dict[str, Any]:
    """Return the options that mend *error*, as they are answered; raises it without an answer."""
    if isinstance(error, UnknownLabelError):
        return {"labels": asked_labels(error, ask)}
    kind: Any = type(options)
    if isinstance(error, MissingThresholdError) and "threshold" in options_of(kind):
        return {"threshold": asked_threshold(error, ask)}
    raise error


def _note_next_time(options: Options, answered: Options) -> None:
    """Print the options that make *answered* of *options*, if they differ."""
    flags = []
    if answered.columns != options.columns and answered.columns is not None:
        columns = stated_columns(answered.columns) or {}
        flags.append(f"--columns {quote(','.join(f'{role}={column}' for role, column in columns.items()))}")
    if answered.labels != options.labels and answered.labels is not None:
        flags.append(f"--labels {quote(labels_text(stated_labels(answered.labels) or {}))}")
    if (threshold := getattr(answered, "threshold", None)) != getattr(options, "threshold", None):
        flags.append(f"--threshold {threshold:g}")
    if flags:
        note(f"next time, add: {' '.join(flags)}")


def _ask(question: str) -> str:
    answer: str = typer.prompt(visible(question), default="", show_default=False, err=True)
    return answer.strip()


def with_columns(options: Options, ask: Ask) -> Options:
    """Return *options* with the columns of their files, as the answers name those that are not known.

    Of a file that cannot be read, or of which nothing is answered, the options stay as they are.
    """
    given = stated_columns(options.columns) or {}
    columns = dict(given)
    for spec in options.base:
        for corpus in CorpusSpec.parse_union(spec):
            if corpus.file is not None and corpus.corpus is None:
                try:
                    records = islice(detect_format(corpus.file).source.records(), _PREVIEW)
                    rows = [row for _, row in records if not isinstance(row, FormatError)]
                except (CrossexamError, OSError):  # reading the base says what is wrong
                    return options
                columns |= asked_columns(corpus.name, rows, columns, ask)
    if columns == given:
        return options
    return replace(options, columns=columns)


def asked_columns(name: str, rows: Sequence[Row], columns: Mapping[str, str], ask: Ask) -> dict[str, str]:
    """Return the columns that answers name for the roles which those of the file *name* do not tell.

    *rows* are its first records, and *columns* maps roles to columns that are known.
    """
    names = list(rows[0]) if rows else []
    missing = _missing(names, columns) if rows else []
    if not missing:
        return {}
    note(f"the first rows of {name}:")
    _show_preview(names, rows)
    answers: dict[str, str] = {}
    for role in missing:
        chosen = _chosen(_QUESTIONS[role], names, ask)
        if chosen is None and role != "label":
            return {}
        if chosen is not None:
            answers[role] = chosen
    return answers


def _missing(names: Sequence[str], columns: Mapping[str, str]) -> list[str]:
    """Return the roles of a pair for which no column is known: labels only if a column is left for them."""
    roles = roles_of(names, columns)
    missing: list[str] = [side for side in SIDES if side not in roles]
    try:
        if find_layout(names, columns).shape != "pair":
            return []
    except FormatError:
        if not missing:  # a column that was named is not there
            return []
    left = set(names).difference(roles.values(), INFO_COLUMNS, ANNOTATOR_COLUMNS)
    return [*missing, "label"] if "label" not in roles and len(left) > len(missing) else missing


def _show_preview(names: Sequence[str], rows: Sequence[Row]) -> None:
    from rich.console import Console

    cells = [
        [str(number), visible(name), *(_shown(row.get(name, "")) for row in rows)]
        for number, name in enumerate(names, 1)
    ]
    header = ["", "column", *(f"row {number}" for number in range(1, len(rows) + 1))]
    Console(stderr=True, markup=False, emoji=False).print(table_of("", header, cells))


def _shown(value: object) -> str:
    text = one_line(str(value))
    return visible(text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…")


def _chosen(question: str, names: Sequence[str], ask: Ask) -> str | None:
    """Return the one of *names* that is answered by number or name, None for no answer; asks until it is."""
    while answer := ask(question):
        if answer in names:
            return answer
        if answer.isdecimal() and 0 < int(answer) <= len(names):
            return names[int(answer) - 1]
        note(f"there is no column '{answer}': enter a number from 1 to {len(names)}, or a name")
    return None


def asked_labels(error: UnknownLabelError, ask: Ask) -> Names:
    """Return what the labels mean about which *error* was raised; raises it if that is not answered."""
    if not error.undeclared:
        raise error
    proposals = likely_meanings(error.undeclared)
    counts = ", ".join(f"{clipped(name)} ({count:,})" for name, count in error.undeclared.items())
    file = (error.where or "").partition(", line ")[0]
    note(f"the labels of {file} are {counts}")
    for number, proposal in enumerate(proposals, 1):
        note(f"  {number}  {proposal}")
    wanted = "VALUE=LABEL,... with entailment, neutral, contradiction, not_entailment, or - for no gold label"
    question = f"What do these mean? ({'number, or ' if proposals else ''}{wanted}; Enter to stop)"
    while answer := ask(question):
        if answer.isdecimal() and 0 < int(answer) <= len(proposals):
            answer = proposals[int(answer) - 1]
        try:
            labels = parse_labels(answer)
        except CrossexamError as mistake:
            note(str(mistake))
            continue
        if unknown := [name for name in error.undeclared if name not in labels]:
            note(f"nothing says what this means: {', '.join(map(clipped, unknown))}")
            continue
        return labels
    raise error


def asked_threshold(error: MissingThresholdError, ask: Ask) -> float:
    """Return the answered threshold of the model about which *error* was raised; raises it without one."""
    note(f"{error.where}: {error.what}")
    question = (
        "Above which value does it mean entailment? (a number between 0 and 1, such as 0.5; Enter to stop)"
    )
    while answer := ask(question):
        try:
            threshold = float(answer)
            check_threshold(threshold)
        except (ValueError, CrossexamError):
            note(f"'{answer}' is not a number between 0 and 1")
            continue
        return threshold
    raise error
