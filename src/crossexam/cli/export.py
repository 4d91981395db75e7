"""crossexam export: write a suite as tasks of another harness, or as pairs for a program of your own."""

from __future__ import annotations

from shlex import quote

from crossexam.cli.console import note, written
from crossexam.core.dataset import counted_items
from crossexam.core.labels import LABELS
from crossexam.core.test_sets import read_suite
from crossexam.interop.export import EXPORTERS, Exported
from crossexam.interop.export import export as write
from crossexam.models.label_order import TWO_LABELS
from crossexam.models.prompts.table import template
from crossexam.options.data import Export


def export(options: Export) -> None:
    """Write a suite for other programs."""
    prompt = None if options.template is None else template(options.template)
    read = read_suite(options.suite)
    done = write(read, options.form, options.output, prompt, only=options.only)
    exporter = EXPORTERS[options.form]
    command = exporter.usage.format(folder=quote(str(options.output)), suite=quote(str(options.suite)))
    if exporter.asks:
        _show_tasks(done, command)
        written(options.output)
        return
    chosen = "".join(f" --only {quote(each)}" for each in options.only)
    note(f"{counted_items(done.pairs, 'distinct pair')} of {counted_items(done.items, 'item')}")
    written(options.output / done.tasks[0])
    labels = LABELS if any(len(each.projection.labels) > 2 for each in read) else TWO_LABELS
    shares = ", ".join(f"p_{label}" for label in labels)
    note(
        "add a column prediction with the names of labels (or words that --labels declares), or the columns "
        f"{shares}; then: {command}{chosen}"
    )


def _show_tasks(done: Exported, command: str) -> None:
    """Show how many tasks and items there are, what was left out, and the *command* that runs them."""
    tasks, items = counted_items(len(done.tasks), "task"), counted_items(done.items, "item")
    left_out = (
        f"; {counted_items(done.unlabelled, 'item')} without a gold label left out" if done.unlabelled else ""
    )
    note(f"{tasks}, {items}{left_out}")
    if done.empty:
        note(f"left out, since they have no items with a gold label: {', '.join(done.empty)}")
    note(f"to run them: {command}")
