"""crossexam features: show the most important features of a shallow model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crossexam.core.errors import CrossexamError
from crossexam.core.places import here_path

if TYPE_CHECKING:
    from rich.table import Table

    from crossexam.shallow.fitting import FeatureTable


def features(
    model: Annotated[
        str,
        typer.Argument(
            help="A bag-of-words model or a random forest: bow/FOLDER, builtin/bag-of-words, rf/FOLDER.",
            metavar="MODEL",
        ),
    ] = "builtin/bag-of-words",
    top: Annotated[int, typer.Option(help="Number of features (per label).", min=1, metavar="N")] = 20,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            parser=here_path,
            help="For a random forest: write a chart of all features.",
            metavar="FILE.svg",
        ),
    ] = None,
) -> None:
    """Print the most important features of a model.

    For a bag-of-words model, these are the features with the largest weights per label: "hypothesis: nobody"
    is a word of the hypothesis, "outside / inside" a word of the premise and one of the hypothesis.  For a
    random forest, it is the mean decrease in impurity per feature.
    """
    from crossexam.cli.console import show
    from crossexam.models.fitted import FittedModel
    from crossexam.models.table import open_model

    opened = open_model(model)
    table = opened.features(top) if isinstance(opened, FittedModel) else None
    if table is None:
        raise CrossexamError(f"{model} has no named features", wanted=_having_features())
    if output is not None and table.bars is None:
        raise CrossexamError("-o draws feature importances, but this model has only weights", where=model)
    show(_shown(table))
    if output is not None:
        _draw(table, output)


def _having_features() -> str:
    from crossexam.shallow.table import SHALLOW

    folders = [f"{model.prefix}/FOLDER" for model in SHALLOW.values() if model.features]
    return " or ".join(["builtin/bag-of-words", *folders])


def _shown(features: FeatureTable) -> Table:
    from rich.table import Table

    table = Table(title=features.title, title_justify="left")
    for column, numeric in zip(features.columns, features.numeric, strict=True):
        table.add_column(column, justify="right" if numeric else "left")
    for row in features.rows:
        table.add_row(*row)
    return table


def _draw(features: FeatureTable, output: Path) -> None:
    """Write a chart of all features, most important first; raises CrossexamError unless *output* is SVG."""
    from crossexam.cli.console import written
    from crossexam.core.files import write_text
    from crossexam.reports.charts import importance_chart

    if output.suffix.lower() != ".svg":
        raise CrossexamError(
            f"'{output.suffix}' is not a supported chart format", where=str(output), wanted=".svg"
        )
    write_text(output, importance_chart(list(features.bars or ()), features.chart_title))
    written(output)
