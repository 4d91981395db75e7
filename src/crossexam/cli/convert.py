"""crossexam convert: write a checkpoint as an ONNX model, and compare the two."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crossexam.cli import options
from crossexam.core.places import copy_path, here_path

if TYPE_CHECKING:
    from rich.table import Table

    from crossexam.evaluation.conversion import Fidelity


def convert(
    model: Annotated[str, typer.Argument(help="A checkpoint: hf/FOLDER or hf/ID.", metavar="MODEL")],
    output: Annotated[
        Path,
        typer.Option("-o", "--output", parser=here_path, help="Folder for the new model.", metavar="DIR"),
    ],
    int8: Annotated[
        bool, typer.Option("--int8", help="Quantize: weights and activations of 8 bits.")
    ] = False,
    on: Annotated[
        list[Path] | None,
        typer.Option(
            "--on",
            parser=copy_path,
            help="Compare the two models on 1,000 pairs of this suite or test set. Repeatable. Default: the "
            "stress tests built from the demo corpus.",
            metavar="DIR|FILE",
        ),
    ] = None,
    accept: Annotated[
        bool,
        typer.Option(
            "--accept", help="Keep the model even if the two predict the same label for less than 99 %."
        ),
    ] = False,
    label_order: options.LabelOrder = None,
    threshold: options.Threshold = None,
    revision: options.Revision = None,
) -> None:
    """Write a checkpoint as an ONNX model, which needs no torch, and compare the two."""
    from crossexam.cli.console import progress_bar, show, written
    from crossexam.core.test_sets import read_suites
    from crossexam.evaluation.conversion import Conversion, convert_checkpoint

    chosen = {"label_order": label_order, "threshold": threshold, "revision": revision}
    with progress_bar() as progress:
        request = Conversion(
            model,
            output,
            int8=int8,
            suite=read_suites(on) if on else None,
            accept=accept,
            options={name: value for name, value in chosen.items() if value is not None},
            progress=progress,
        )
        agreement = convert_checkpoint(request)
    show(_table(model, output, agreement))
    written(output)


def _table(model: str, folder: Path, agreement: Fidelity) -> Table:
    from rich.table import Table

    table = Table(title=f"onnx/{folder} against {model}, {agreement.pairs:,} pairs", title_justify="left")
    table.add_column("")
    table.add_column("with 95 % interval", justify="right")
    table.add_row("same predicted label", f"{agreement.same} %")
    table.add_row("largest difference of a probability", f"{agreement.largest_difference:.2g}")
    table.add_row("accuracy", f"{agreement.accuracy} %")
    table.add_row(f"accuracy of {model}", f"{agreement.source_accuracy} %")
    table.add_row("difference", f"{agreement.difference} points")
    return table
