"""What is written of a suite for others: tasks and pairs (crossexam export), and a card (crossexam card)."""

from __future__ import annotations

from shlex import quote

from crossexam.cli.console import note, written
from crossexam.core.dataset import counted_items
from crossexam.core.errors import CrossexamError
from crossexam.core.files import write_text
from crossexam.core.labels import LABELS
from crossexam.core.test_sets import read_suite, suite_folder
from crossexam.interop.card import CARD, dataset_card, refuse_forbidden_changes, sources_of
from crossexam.interop.export import EXPORTERS, Exported
from crossexam.interop.export import export as write
from crossexam.models.label_order import TWO_LABELS
from crossexam.models.prompts.table import template
from crossexam.options.data import Card, Export


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


def card(options: Card) -> None:
    """Write a dataset card into the folder of a suite."""
    if not options.suite.is_dir():
        raise CrossexamError(
            "not a folder", where=str(options.suite), wanted="a folder that crossexam build wrote"
        )
    suite = suite_folder(options.suite)
    target = suite / CARD
    if target.exists() and not options.force:
        raise CrossexamError("there is a README.md already", where=str(suite), hint="--force replaces it")
    found = read_suite(suite)
    sources = sources_of(found)
    if not options.with_permission:
        refuse_forbidden_changes(found, sources)
    write_text(target, dataset_card(found))
    for warning in sources.warnings:
        note(f"warning: before you share this: {warning}")
    written(target)
