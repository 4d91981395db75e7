"""crossexam features: what a bag-of-words model goes by."""

from __future__ import annotations

from typing import Annotated

import typer

from crossexam.core.errors import CrossexamError


def features(
    model: Annotated[
        str, typer.Argument(help="A bag-of-words model: bow/FOLDER or builtin/bag-of-words.", metavar="MODEL")
    ] = "builtin/bag-of-words",
    top: Annotated[int, typer.Option(help="So many features of each label.", min=1, metavar="N")] = 20,
) -> None:
    """Print the features that speak most for each label, with their weights.

    "hypothesis: nobody" is a word of the hypothesis, "outside / inside" a word of the premise and one of
    the hypothesis.
    """
    from rich.table import Table

    from crossexam.cli.screen import show
    from crossexam.models.bag_of_words import BagOfWordsModel
    from crossexam.models.opening import open_model

    opened = open_model(model)
    if not isinstance(opened, BagOfWordsModel):
        raise CrossexamError(
            f"the features of {model} have no names", wanted="bow/FOLDER or builtin/bag-of-words"
        )
    strongest = opened.strongest(top)
    table = Table(title=f"strongest features of {opened.name}", title_justify="left")
    for label in strongest:
        table.add_column(label)
        table.add_column("weight", justify="right")
    for line in zip(*strongest.values(), strict=True):
        table.add_row(*(cell for name, weight in line for cell in (name, f"{weight:+.2f}")))
    show(table)
