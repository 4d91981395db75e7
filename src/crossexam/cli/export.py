"""crossexam export: write a suite as tasks of another harness, or as pairs for a program of your own."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from crossexam.cli import options

if TYPE_CHECKING:
    from crossexam.interop.export import Exported


def export(
    form: Annotated[
        str,
        typer.Argument(
            help="What to write: lm-eval, inspect or lighteval (tasks of these harnesses); csv or jsonl (one "
            "file of the distinct pairs, which a program of yours predicts).",
            metavar="FORMAT",
        ),
    ],
    suite: Annotated[Path, typer.Argument(help="Suite (a folder) or test set (a file).", metavar="DIR|FILE")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for the files.", metavar="DIR")],
    template: Annotated[
        str | None,
        typer.Option(
            help="Prompt template of tasks: a name (crossexam ls templates) or a TOML file. Default: gpt3, "
            "or words.two if all test sets have two labels.",
            metavar="NAME|FILE",
            show_default=False,
        ),
    ] = None,
    only: options.Only = None,
) -> None:
    """Write a suite for other programs: tasks that a harness runs, or pairs that your own program predicts.

    The log of a harness comes back as the model log/PATH, a file of predictions as file/PATH.
    """
    from crossexam.cli.console import note, written
    from crossexam.core.dataset import counted_items
    from crossexam.core.labels import LABELS
    from crossexam.core.test_sets import read_suite
    from crossexam.interop.export import EXPORTERS
    from crossexam.interop.export import export as write
    from crossexam.models.label_order import TWO_LABELS
    from crossexam.models.prompts.table import template as named

    prompt = None if template is None else named(template)
    read = read_suite(suite)
    done = write(read, form, output, prompt, only=only or ())
    command = EXPORTERS[form].usage.format(folder=quote(str(output)), suite=quote(str(suite)))
    if EXPORTERS[form].asks:
        _show_tasks(done, command)
        written(output)
        return
    chosen = "".join(f" --only {quote(each)}" for each in only or ())
    note(f"{counted_items(done.pairs, 'distinct pair')} of {counted_items(done.items, 'item')}")
    written(output / done.tasks[0])
    labels = LABELS if any(len(each.projection.labels) > 2 for each in read) else TWO_LABELS
    shares = ", ".join(f"p_{label}" for label in labels)
    note(
        "add a column prediction with the names of labels (or words that --labels declares), or the columns "
        f"{shares}; then: {command}{chosen}"
    )


def _show_tasks(done: Exported, command: str) -> None:
    """Show how many tasks and items there are, what was left out, and the *command* that runs them."""
    from crossexam.cli.console import note
    from crossexam.core.dataset import counted_items

    tasks, items = counted_items(len(done.tasks), "task"), counted_items(done.items, "item")
    left_out = (
        f"; {counted_items(done.unlabelled, 'item')} without a gold label left out" if done.unlabelled else ""
    )
    note(f"{tasks}, {items}{left_out}")
    if done.empty:
        note(f"left out, since they have no items with a gold label: {', '.join(done.empty)}")
    note(f"to run them: {command}")
