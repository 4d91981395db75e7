"""Models against the label distributions of people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from crossexam.core.estimate import Estimate
from crossexam.core.example import DISTRIBUTION
from crossexam.reports.analyses.unanswered import only_bounds_notes
from crossexam.reports.analysis import Analysis, Section
from crossexam.reports.figures import TEST_SET, FigureColumn, FigureTable, Row, rows_of
from crossexam.reports.probabilities.measured import with_probabilities
from crossexam.reports.results import ModelResults, Results, once

if TYPE_CHECKING:
    from crossexam.evaluation.distributions import Distances, PeopleResult

_PEOPLE: Final = (
    "Distance of the model from the distribution of people's labels, the mean over items, in natural "
    "logarithms. JS distance is the square root of the Jensen-Shannon divergence (ChaosNLI calls it JSD);"
    " KL is KL(people || model), infinite (∞) if the model excludes a label that somebody gave. Entropy "
    "of people's labels in bits. 95 % confidence intervals are clustered by premise."
)
_REFERENCES: Final = (
    "For comparison: the uniform distribution; all probability on the label that most people gave; one "
    "half of the annotators of each item against the other half, which differ more than two groups "
    "twice the size would."
)


@once
def people(model: ModelResults) -> tuple[PeopleResult, ...]:
    """Return a model against the label distributions of people; empty without such test sets.

    Of entropies at which too many items were not answered, there is no result.
    """
    from crossexam.evaluation.distributions import people_results
    from crossexam.evaluation.quantities import too_many

    return tuple(
        each
        for each in people_results(model.answered)
        if not too_many(each.unanswered, each.n + each.unanswered, model.options.max_unanswered)
    )


class _Line(NamedTuple):
    """A model, or a *reference* that it is compared with, against the people of some items."""

    reference: str
    model: str
    part: PeopleResult
    distances: Distances
    accuracy: Estimate | None = None
    old_accuracy: Estimate | None = None


def _lines(results: Results) -> Iterator[Row[_Line]]:
    """Yield the models and, below all of them, the references; these once if they are the same for all."""
    groups: dict[tuple[str, tuple[float, float], int], tuple[list[Row[_Line]], dict[str, Row[_Line]]]] = {}
    for model, name, each in rows_of(results, people):
        models, references = groups.setdefault((name, each.entropy, each.n), ([], {}))
        line = _Line("", model, each, each.distances, each.accuracy, each.old_accuracy)
        models.append(Row(model, name, line))
        for reference, distances in each.references.items():
            row = Row(model, name, _Line(reference, f"({reference})", each, distances))
            references.setdefault(f"{reference} {distances}", row)
    for models, references in groups.values():
        yield from (*models, *references.values())


def _entropy_text(each: PeopleResult) -> str:
    low, high = each.entropy
    return f"{low:.1f} to {high:.1f}" if not each.whole else "all"


def _of(line: _Line) -> str:
    low, high = line.part.entropy
    part = "" if line.part.whole else f"entropy={low:.1f}-{high:.1f}"
    return "; ".join(filter(None, (line.reference and f"reference={line.reference}", part)))


def _notes(results: Results, rows: Sequence[Row[_Line]]) -> Iterator[str]:
    from crossexam.evaluation.distributions import has_distributions

    compared = [name for name, dataset in results.test_sets.items() if has_distributions(dataset)]
    yield from (_PEOPLE, _REFERENCES)
    yield from only_bounds_notes(results, with_probabilities(results), compared)


_TABLE: Final = FigureTable["_Line"](
    "Models and people",
    _lines,
    (
        FigureColumn("JS distance", "score", lambda line: line.distances.js_distance, "people_js_distance"),
        FigureColumn(
            "JS divergence", "score", lambda line: line.distances.js_divergence, "people_js_divergence"
        ),
        FigureColumn("KL", "score", lambda line: line.distances.kl, "people_kl"),
        FigureColumn(
            "Total variation", "score", lambda line: line.distances.total_variation, "people_total_variation"
        ),
        FigureColumn("Accuracy", "percent", lambda line: line.accuracy, "people_accuracy"),
        FigureColumn("on old labels", "percent", lambda line: line.old_accuracy, "people_old_accuracy"),
    ),
    _notes,
    first=(
        TEST_SET,
        FigureColumn("Entropy", "text", lambda line: _entropy_text(line.part)),
        FigureColumn("Items", "count", lambda line: line.part.n),
        FigureColumn("Model", "text", lambda line: line.model),
    ),
    grouped=3,
    of=_of,
)

PEOPLE: Final = Analysis("people", (Section("people", "People", _TABLE),), info=frozenset({DISTRIBUTION}))
