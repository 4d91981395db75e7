"""crossexam card: describe a suite for the hub."""

from __future__ import annotations

from crossexam.cli.console import note, written
from crossexam.core.errors import CrossexamError
from crossexam.core.files import write_text
from crossexam.core.test_sets import read_suite, suite_folder
from crossexam.interop.card import CARD, dataset_card, refuse_forbidden_changes, sources_of
from crossexam.options.data import Card


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
