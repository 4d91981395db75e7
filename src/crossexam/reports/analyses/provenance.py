"""The tables of provenance: yield and signatures of the test sets, and the manifests of the runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from crossexam.constructions.construction import ways_out
from crossexam.core.dataset import Run
from crossexam.core.manifest import REJECTED_NOTE, signature
from crossexam.reports.analysis import Analysis, Section
from crossexam.reports.figures import Figure
from crossexam.reports.results import Results
from crossexam.reports.table import Cell, Column, Table
from crossexam.runs.asked import how_asked

#: The lines under which the page folds away the tables.
_FOLDED: Final = "Show the full names, content hashes and signatures of the test sets"
_FOLDED_RUNS: Final = "Show the properties of the models and runs"


def yields_table(results: Results) -> Table:
    """Return the number of examples and items of each test set, and the reasons for rejections."""
    columns = (
        Column("Test set"),
        Column("Examples", "count"),
        Column("Items", "count"),
        Column("Reason for rejection"),
        Column("Rejected", "count"),
    )
    rows: list[tuple[Cell, ...]] = []
    for name, dataset in results.test_sets.items():
        made: Mapping[str, Any] = dataset.entry.yields or {}
        counts = (name, made.get("examples"), made.get("items", len(dataset)))
        rejected = sorted((made.get("rejected") or {}).items(), key=lambda pair: (-pair[1], pair[0]))
        rows += [(*counts, reason, number) for reason, number in rejected] or [(*counts, None, None)]
    folded = "Show how many items were made, and the reasons for rejections"
    notes = (REJECTED_NOTE, *ways_out(str(row[3]) for row in rows))
    return Table("Yield", columns, tuple(rows), notes, grouped=3, folded=folded)


def signature_table(results: Results) -> Table:
    """Return the signature and content hash of each test set, on which its numbers depend."""
    rows = []
    for name, dataset in results.test_sets.items():
        made_of = dataset.entry.signature or signature({"test_set": name})
        rows.append((name, len(dataset), dataset.stated_hash, str(made_of)))
    columns = (Column("Test set"), Column("Rows", "count"), Column("Content hash"), Column("Signature"))
    unverified = [name for name, dataset in results.test_sets.items() if dataset.entry.unverified]
    notes = (f"No checksum vouches for the file of {', '.join(unverified)}.",) if unverified else ()
    return Table("Test sets", columns, tuple(rows), notes, folded=_FOLDED)


def run_table(results: Results) -> Table:
    """Return the properties of each model and run in the manifest of the run, and how it was asked."""
    rows = [
        (model.name, key, str(value))
        for model in results.models
        for key, value in _properties(model.run).items()
    ]
    columns = (Column("Model"), Column("Property"), Column("Value"))
    return Table("Runs", columns, tuple(rows), grouped=1, folded=_FOLDED_RUNS)


def _properties(run: Run) -> dict[str, object]:
    """Return the properties of a run by name; the device is unknown if a server computed the answers."""
    asked = how_asked(run.details)
    hidden = {"model", "device"} if "endpoint" in asked else {"model"}
    plain = {
        key.replace("_", " "): value
        for key, value in run.manifest.to_json().items()
        if isinstance(value, str | int | float) and key not in hidden
    }
    return {**plain, **asked}


#: What stands for the name of a test set in figures of all answers of a model.
_ANSWERS: Final = "(all answers)"
#: Details of a run that count answers: by the rule that read them, and by what their log-probabilities say.
_COUNTED: Final = ("parse", "logprobs")


def _answer_figures(results: Results) -> Iterator[Figure]:
    """Yield how many answers of a language model there are of each kind, if its run counted them."""
    for model in results.models:
        for key in _COUNTED:
            counts = model.run.details.get(key)
            for kind, value in counts.items() if isinstance(counts, Mapping) else ():
                if isinstance(value, int | float):
                    yield Figure(model.name, _ANSWERS, f"answers_{key}", value, str(kind))


PROVENANCE: Final = Analysis(
    "provenance",
    (
        Section("yield", "Yield", yields_table),
        Section("signatures", "Signatures", signature_table, title="Signatures", captions=True),
        Section("runs", "Runs", run_table, within="signatures", captions=True, figures=_answer_figures),
    ),
)
