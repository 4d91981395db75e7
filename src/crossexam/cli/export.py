"""crossexam export: write a suite as tasks of another harness."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from crossexam.cli import options


def export(
    form: Annotated[
        str,
        typer.Argument(
            help="What to write: lm-eval, inspect, lighteval or jsonl (your own programs).", metavar="FORMAT"
        ),
    ],
    suite: Annotated[Path, typer.Argument(help="Suite (a folder) or test set (a file).", metavar="DIR|FILE")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for the tasks.", metavar="DIR")],
    template: Annotated[
        str | None,
        typer.Option(
            help="Prompt template: a name (crossexam ls templates) or a TOML file. Default: gpt3, or "
            "words.two if all test sets have two labels.",
            metavar="NAME|FILE",
        ),
    ] = None,
    only: options.Only = None,
) -> None:
    """Write a suite as tasks that another harness runs; its log comes back as the model log/PATH."""
    from crossexam.cli.console import note, written
    from crossexam.core.dataset import counted_items
    from crossexam.core.test_sets import read_suite
    from crossexam.interop.export import EXPORTERS, template_for
    from crossexam.interop.export import export as write
    from crossexam.models.prompts.table import template as named

    chosen = read_suite(suite).only(only or ())
    prompt = template_for(chosen) if template is None else named(template)
    done = write(chosen, form, output, prompt)
    tasks, items = counted_items(len(done.tasks), "task"), counted_items(done.items, "item")
    left_out = (
        f"; {counted_items(done.unlabelled, 'item')} without a gold label left out" if done.unlabelled else ""
    )
    note(f"{tasks}, {items}{left_out}")
    if done.empty:
        note(f"left out, since they have no items with a gold label: {', '.join(done.empty)}")
    note(f"to run them: {EXPORTERS[form].usage.format(folder=quote(str(output)), suite=quote(str(suite)))}")
    written(output)
