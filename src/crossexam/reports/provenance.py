"""The tables of where numbers come from: yield of the test sets, signatures, how the models were asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crossexam.core.manifest import signature
from crossexam.evaluation.comparison import content_hash_of
from crossexam.reports.results import Results
from crossexam.reports.table import Cell, Column, Table


def yields_table(results: Results) -> Table:
    """Return how many examples went into each test set, how many items came out, and why not more."""
    columns = (
        Column("Test set"),
        Column("Examples in", "count"),
        Column("Items out", "count"),
        Column("Rejected because"),
        Column("Rejected", "count"),
    )
    rows: list[tuple[Cell, ...]] = []
    for name, dataset in results.test_sets.items():
        made: Mapping[str, Any] = dataset.manifest.get("yield") or {}
        counts = (name, made.get("examples"), made.get("items", len(dataset)))
        rejected = sorted((made.get("rejected") or {}).items(), key=lambda pair: (-pair[1], pair[0]))
        rows += [(*counts, reason, number) for reason, number in rejected] or [(*counts, None, None)]
    note = (
        "One example can be rejected more than once: each word or number that could not be used is counted."
    )
    return Table("Yield", columns, tuple(rows), (note,), grouped=3)


def signature_table(results: Results) -> Table:
    """Return the signature and content hash of each test set: what its numbers depend on."""
    rows = []
    for name, dataset in results.test_sets.items():
        made_of = dataset.manifest.get("signature") or signature({"test_set": name})
        rows.append((name, len(dataset), content_hash_of(dataset), str(made_of)))
    columns = (Column("Test set"), Column("Rows", "count"), Column("Content"), Column("Signature"))
    return Table("Test sets", columns, tuple(rows))


def run_table(results: Results) -> Table:
    """Return what the manifest of each run says of the model and of how it was asked."""
    rows = [
        (model.name, key.replace("_", " "), str(value))
        for model in results.models
        for key, value in model.run.manifest.items()
        if isinstance(value, str | int | float) and key != "model"
    ]
    columns = (Column("Model"), Column("Fact"), Column("Value"))
    return Table("Runs", columns, tuple(rows), grouped=1)
