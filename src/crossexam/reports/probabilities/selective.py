"""Selective prediction: what models get wrong if they abstain where they are least sure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from crossexam.reports.analyses.unanswered import only_bounds_notes
from crossexam.reports.analysis import ALL, Analysis, Section
from crossexam.reports.figures import Figure, FigureColumn, FigureTable, Row, rows_of
from crossexam.reports.probabilities.charts import risk_charts
from crossexam.reports.probabilities.measured import selective, with_probabilities
from crossexam.reports.results import Results

if TYPE_CHECKING:
    from crossexam.evaluation.selective import Selective

_SELECTIVE: Final = (
    "The model answers where it is most confident and abstains elsewhere. Coverage: the share of items "
    "that it answers; risk: the share of its answers that are wrong. AURC: the area under the "
    "risk-coverage curve, the mean risk over all coverages, equal to the risk of all answers if "
    "confidence says nothing. Items without an answer come last. The threshold for 5 % "
    "risk is chosen on these items: on others, the risk is likely to be higher. 95 % confidence intervals "
    "are clustered by premise, and word pairs fixed."
)
#: The coverages of the curve among the figures, in percent.
_PERCENTILES: Final = tuple(range(5, 101, 5))


def _rows(results: Results) -> Iterator[Row[Selective]]:
    return rows_of(results, selective)


def _notes(results: Results, rows: Sequence[Row[Selective]]) -> Iterator[str]:
    yield _SELECTIVE
    yield from only_bounds_notes(results, with_probabilities(results))


def _curve(results: Results) -> Iterator[Figure]:
    """Yield points of the risk-coverage curves."""
    for model, test_set, each in _rows(results):
        risks = dict(zip(each.curve.coverage.tolist(), each.curve.risk.tolist(), strict=True))
        for percent in _PERCENTILES:
            risk = risks.get(round(percent / 100 * each.n) / each.n)
            if risk is not None:
                of = f"coverage={percent / 100:.2f}"
                yield Figure(model, test_set, "selective_risk", risk, of, each.n)


_TABLE: Final = FigureTable["Selective"](
    "Selective prediction",
    _rows,
    (
        FigureColumn("Items", "count", lambda each: each.n),
        FigureColumn(
            "Unanswered", "count", lambda each: each.unanswered, "selective_unanswered", optional=True
        ),
        FigureColumn("Risk", "percent", lambda each: each.risk, "selective_risk"),
        FigureColumn("AURC", "percent", lambda each: each.aurc, "selective_aurc"),
        FigureColumn(
            "Accuracy at 80 % coverage",
            "percent",
            lambda each: each.accuracy,
            "selective_accuracy",
            of="coverage=0.8",
        ),
        FigureColumn(
            "Coverage at 5 % risk",
            "percent",
            lambda each: each.coverage,
            "selective_coverage",
            of="risk=0.05",
        ),
    ),
    _notes,
    folded="Show the numbers",
    n=lambda each: each.n,
)

SELECTIVE: Final = Analysis(
    "selective prediction",
    (
        Section(
            "selective",
            "Selective prediction",
            _TABLE,
            ALL,
            charts=risk_charts,
            on_request=True,
            figures=_curve,
        ),
    ),
)
