"""crossexam features: what a bag-of-words model or a random forest goes by."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crossexam.core.errors import CrossexamError

if TYPE_CHECKING:
    from rich.table import Table

    from crossexam.models.bag_of_words import BagOfWordsModel
    from crossexam.models.random_forest import RandomForestModel


def features(
    model: Annotated[
        str,
        typer.Argument(
            help="A bag-of-words model or a random forest: bow/FOLDER, builtin/bag-of-words, rf/FOLDER.",
            metavar="MODEL",
        ),
    ] = "builtin/bag-of-words",
    top: Annotated[int, typer.Option(help="So many features (of each label).", min=1, metavar="N")] = 20,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="Of a random forest: a chart of all features.", metavar="FILE.svg"
        ),
    ] = None,
) -> None:
    """Print the features that a model goes by.

    Of a bag-of-words model those that speak most for each label, with their weights: "hypothesis: nobody" is
    a word of the hypothesis, "outside / inside" a word of the premise and one of the hypothesis.  Of a
    random forest how much of the impurity each takes away.
    """
    from crossexam.cli.console import show
    from crossexam.models.bag_of_words import BagOfWordsModel
    from crossexam.models.random_forest import RandomForestModel
    from crossexam.models.table import open_model

    opened = open_model(model)
    if isinstance(opened, RandomForestModel):
        show(_importances(opened, top))
        if output is not None:
            _draw(opened, output)
        return
    if not isinstance(opened, BagOfWordsModel):
        raise CrossexamError(
            f"the features of {model} have no names", wanted="bow/FOLDER, builtin/bag-of-words or rf/FOLDER"
        )
    if output is not None:
        raise CrossexamError("-o draws the features of a random forest", where=model, wanted="rf/FOLDER")
    show(_strongest(opened, top))


def _strongest(model: BagOfWordsModel, top: int) -> Table:
    """Return the table of the *top* features of each label."""
    from rich.table import Table

    strongest = model.strongest(top)
    table = Table(title=f"strongest features of {model.name}", title_justify="left")
    for label in strongest:
        table.add_column(label)
        table.add_column("weight", justify="right")
    for line in zip(*strongest.values(), strict=True):
        table.add_row(*(cell for name, weight in line for cell in (name, f"{weight:+.2f}")))
    return table


def _importances(model: RandomForestModel, top: int) -> Table:
    """Return the table of the *top* features of a forest, the most important first."""
    from rich.table import Table

    table = Table(title=f"mean decrease in impurity, in percent, in {model.name}", title_justify="left")
    for column in ("feature", "share", "deviation", "what"):
        table.add_column(column, justify="right" if column in ("share", "deviation") else "left")
    ordered = sorted(model.importances(), key=lambda each: -each.mean)
    for each in ordered[:top]:
        table.add_row(each.feature, f"{100 * each.mean:.1f}", f"{100 * each.deviation:.1f}", each.what)
    return table


def _draw(model: RandomForestModel, output: Path) -> None:
    """Write the chart of all features, the most important first; raises CrossexamError for no SVG."""
    from crossexam.cli.console import written
    from crossexam.core.files import write_text
    from crossexam.reports.charts import importance_chart

    if output.suffix.lower() != ".svg":
        raise CrossexamError(
            f"a chart cannot be {output.suffix or 'nameless'}", where=str(output), wanted=".svg"
        )
    ordered = sorted(model.importances(), key=lambda each: -each.mean)
    rows = [(each.feature, each.mean, each.deviation) for each in ordered]
    write_text(output, importance_chart(rows, f"{model.name}: what its features count for"))
    written(output)
