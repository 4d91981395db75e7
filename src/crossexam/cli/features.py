"""crossexam features: show the most important features of a shallow model."""

from __future__ import annotations

from pathlib import Path

from crossexam.cli.console import show, table_of, written
from crossexam.core.errors import CrossexamError
from crossexam.core.files import write_text
from crossexam.models.fitted import FittedModel
from crossexam.models.table import open_model
from crossexam.options.train import Features
from crossexam.reports.charts import importance_chart
from crossexam.shallow.fitting import FeatureTable
from crossexam.shallow.table import SHALLOW


def features(options: Features) -> None:
    """Print the most important features of a model, and draw them in a file."""
    opened = open_model(options.model)
    found = opened.features(options.top) if isinstance(opened, FittedModel) else None
    if found is None:
        raise CrossexamError(f"{options.model} has no named features", wanted=_having_features())
    if options.output is not None and found.bars is None:
        raise CrossexamError(
            "-o draws feature importances, but this model has only weights", where=options.model
        )
    right = {place for place, numeric in enumerate(found.numeric) if numeric}
    show(table_of(found.title, found.columns, found.rows, right=right))
    if options.output is not None:
        _draw(found, options.output)


def _having_features() -> str:
    folders = [f"{model.prefix}/FOLDER" for model in SHALLOW.values() if model.features]
    return " or ".join(["builtin/bag-of-words", *folders])


def _draw(found: FeatureTable, output: Path) -> None:
    """Write a chart of all features, most important first; raises CrossexamError unless *output* is SVG."""
    if output.suffix.lower() != ".svg":
        raise CrossexamError(
            f"'{output.suffix}' is not a supported chart format", where=str(output), wanted=".svg"
        )
    write_text(output, importance_chart(list(found.bars or ()), found.chart_title))
    written(output)
