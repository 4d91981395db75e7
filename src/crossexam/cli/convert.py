"""crossexam convert: write a checkpoint as an ONNX model, and compare the two."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table

from crossexam.cli.console import progress_bar, show, table_of, written
from crossexam.core.test_sets import read_suites
from crossexam.evaluation.conversion import Conversion, Fidelity, convert_checkpoint
from crossexam.options.groups import model_values
from crossexam.options.run import Convert


def convert(options: Convert) -> None:
    """Write a checkpoint as an ONNX model, and compare the two."""
    with progress_bar() as progress:
        request = Conversion(
            options.model,
            options.output,
            int8=options.int8,
            suite=read_suites(options.on) if options.on else None,
            accept=options.accept,
            options=model_values(options),
            progress=progress,
        )
        agreement = convert_checkpoint(request)
    show(_table(options.model, options.output, agreement))
    written(options.output)


def _table(model: str, folder: Path, agreement: Fidelity) -> Table:
    rows = (
        ("same predicted label", f"{agreement.same} %"),
        ("largest difference of a probability", f"{agreement.largest_difference:.2g}"),
        ("accuracy", f"{agreement.accuracy} %"),
        (f"accuracy of {model}", f"{agreement.source_accuracy} %"),
        ("difference", f"{agreement.difference} points"),
    )
    title = f"onnx/{folder} against {model}, {agreement.pairs:,} pairs"
    return table_of(title, ("", "with 95 % interval"), rows, right={1})
