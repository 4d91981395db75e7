"""Accuracy on lexically-misleading examples: the table of CS_lambda, and the curve over lambda."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import isnan
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from crossexam.core.columns import info_values
from crossexam.core.estimate import Estimate
from crossexam.core.example import SCORE
from crossexam.core.manifest import BASE, SELECTOR_NOTES
from crossexam.reports.charts import Charts
from crossexam.reports.drawing import Drawing, Plot, element
from crossexam.reports.results import ModelResults, Results
from crossexam.reports.table import Cell, Column, Table

if TYPE_CHECKING:
    from crossexam.evaluation.lexically_misleading import MisledPart

_FEWEST: Final = 10  # examples at a point of the curve
_HIGHEST: Final = 10  # examples of the highest score that are listed
#: The classes of the colours of lines, and of the dashes of those that have the same colour.
_COLOURS: Final = ("one", "two", "three", "four")
_DASHES: Final = ("", " dashed", " dotted")
_NOTE: Final = (
    "CS: the examples to which a bag-of-words model assigns a wrong label with at least that probability "
    "(Nie et al. 2019, section 5.4). Majority: share of the most frequent label. Voted: examples with labels "
    "of single annotators. Annotator: accuracy of one of them against the gold label, the annotators' "
    "majority: its expected value, and its value for one random draw per example."
)


def misleading_table(results: Results) -> Table:
    """Return size and accuracy of the parts CS_lambda of each base that has scores; may have no rows."""
    from crossexam.evaluation.lexically_misleading import STEPS

    at = [
        {(part.part, part.lam): part for part in model.lexical if part.lam in STEPS}
        for model in results.models
    ]
    keys = dict.fromkeys(key for parts in at for key in parts)
    rows = []
    for key in keys:
        first = next(table[key] for table in at if key in table)
        answered = (table[key].model if key in table else None for table in at)
        rows.append(
            (
                first.part,
                _name(first.lam),
                first.size,
                first.majority.value,
                first.voted,
                *_human(first),
                *answered,
            )
        )
    columns = (
        Column("Base"),
        Column("Part"),
        Column("Examples", "count"),
        Column("Majority", "percent"),
        Column("Voted", "count"),
        Column("Annotator", "percent"),
        Column("Drawn", "percent"),
        *(Column(model.name, "percent") for model in results.models),
    )
    whole = {part.part: part for table in at for part in table.values() if not part.lam}
    notes = (_NOTE, *map(_votes_note, whole.values()))
    return Table("Lexically misleading examples", columns, tuple(rows), notes, grouped=1)


def _votes_note(whole: MisledPart) -> str:
    """Return how many examples of a base have how many annotators' labels."""
    if not whole.votes:
        return f"No example of {whole.part} has labels of single annotators."
    each = ", ".join(f"{labels} for {count:,}" for labels, count in sorted(whole.votes.items()))
    return f"Annotators' labels per example of {whole.part}: {each} of {whole.size:,} examples."


def misleading_rows(model: ModelResults, known: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """Yield the numbers of the parts CS_lambda of the base that *known* names, one per row.

    ``of`` is lambda, for the number of examples with so many annotators' labels that number, too.
    """
    for part in _of_base(model, str(known["test_set"])):
        at = f"lambda={part.lam:g}"
        for statistic, estimate in _estimates(part).items():
            yield {**known, "statistic": f"misleading_{statistic}", "of": at, **estimate._asdict()}
        for labels, count in part.votes.items():
            row = {"statistic": "misleading_voted", "of": f"{at}, labels={labels}"}
            yield {**known, **row, "value": count, "n": part.size}


def misleading_object(model: ModelResults, test_set: str) -> dict[str, Any]:
    """Return the same numbers as an object, empty if *test_set* has no scores."""
    parts = [
        {"lambda": part.lam, "examples": part.size, **_estimates(part), "annotator_labels": dict(part.votes)}
        for part in _of_base(model, test_set)
    ]
    return {"lexically_misleading": parts} if parts else {}


def _of_base(model: ModelResults, test_set: str) -> list[MisledPart]:
    return [part for part in model.lexical if f"{BASE}.{part.part}" == test_set]


def _estimates(part: MisledPart) -> dict[str, Estimate]:
    human = {"annotator": part.human.expected, "annotator_drawn": part.human.drawn} if part.human else {}
    return {"accuracy": part.model, "majority": part.majority, **human}


def selector_warnings(results: Results) -> list[str]:
    """Return what must be known of the models by which test sets were selected, a sentence each."""
    stated = (dataset.entry.facts.get(SELECTOR_NOTES) for dataset in results.test_sets.values())
    lists = (notes for notes in stated if isinstance(notes, list))
    return list(dict.fromkeys(str(note) for notes in lists for note in notes))


def highest_table(results: Results) -> Table:
    """Return the examples of the highest score of each base that has scores (Figure 2); may have no rows."""
    from crossexam.evaluation.lexically_misleading import has_scores

    rows: list[tuple[Cell, ...]] = []
    for name, dataset in results.test_sets.items():
        if not (dataset.entry.is_base and has_scores(dataset)):
            continue
        predicted = [m.run.predictions(name) if name in m.run.datasets else None for m in results.models]
        scores = info_values(dataset.examples, [SCORE])[SCORE].each()
        labelled = (dataset.labels() >= 0).nonzero()[0].tolist()
        for place in nlargest(_HIGHEST, labelled, key=lambda k: float(scores[k])):
            example = dataset.examples[place]
            answers = (None if labels is None else str(labels[place]) or "no answer" for labels in predicted)
            score = f"{float(scores[place]):.3f}"
            rows.append(
                (dataset.entry.part, score, example.premise, example.hypothesis, example.label, *answers)
            )
    columns = (
        Column("Base"),
        Column("Score"),
        Column("Premise"),
        Column("Hypothesis"),
        Column("Gold"),
        *(Column(model.name) for model in results.models),
    )
    note = (
        f"The {_HIGHEST} examples of each base whose words most strongly suggest a wrong label, with the "
        "predictions."
    )
    folded = "Show the examples with the highest scores"
    return Table(
        "Examples with the highest lexically-misleading scores", columns, tuple(rows), (note,), 1, folded
    )


def _name(lam: float) -> str:
    return f"CS {lam:g}" if lam else "whole"


def _human(part: MisledPart) -> tuple[Cell, Cell]:
    return (part.human.expected, part.human.drawn.value) if part.human else (None, None)


@dataclass(frozen=True)
class MisledCurves:
    """The accuracy of models over lambda, by model in the order of their colours; intervals are bands."""

    models: Mapping[str, Sequence[MisledPart]]

    def svg(self) -> Markup:
        """Return the drawing."""
        plot = Plot(("lambda", "accuracy, %"), ((0.0, 1.0), (0.0, 100.0)), (300.0, 190.0))
        bands, lines, legend = [], [], []
        for place, (name, parts) in enumerate(self.models.items()):
            colour, dashes = _COLOURS[place % len(_COLOURS)], _DASHES[place // len(_COLOURS) % len(_DASHES)]
            edges = [(part.lam, 100 * part.model.low) for part in parts]
            edges += [(part.lam, 100 * part.model.high) for part in reversed(parts)]
            points = [(part.lam, 100 * part.model.value) for part in parts if not isnan(part.model.value)]
            bands.append(element("polygon", points=plot.points(edges), class_=f"band {colour}"))
            lines.append(element("polyline", points=plot.points(points), class_=f"curve {colour}{dashes}"))
            legend.append((f"{colour}{dashes}", name))
        known = legend if len(legend) > 1 else ()
        return plot.svg(*bands, *lines, label="Accuracy by lambda", legend=known)


@dataclass(frozen=True)
class SizeCurve:
    """The number of examples over lambda, as *parts* have them, on a logarithmic axis."""

    parts: Sequence[MisledPart]

    def svg(self) -> Markup:
        """Return the drawing."""
        sizes = [part.size for part in self.parts]
        ends = (float(min(sizes)), float(max(max(sizes), min(sizes) + 1)))
        plot = Plot(("lambda", "examples"), ((0.0, 1.0), ends), (300.0, 80.0), is_log=True)
        points = [(part.lam, part.size) for part in self.parts]
        curve = element("polyline", points=plot.points(points), class_="curve sizes")
        return plot.svg(curve, label="Number of examples by lambda")


def misleading_charts(results: Results) -> Charts:
    """Return a figure per base that has scores: accuracy and number of examples over lambda."""
    curves: dict[str, dict[str, list[MisledPart]]] = {}
    for model in results.models:
        for part in model.lexical:
            if part.size >= _FEWEST:
                curves.setdefault(part.part, {}).setdefault(model.name, []).append(part)
    note = (
        "Accuracy with its 95 % confidence interval, and number of examples, by minimum lexically-misleading "
        "score (lambda)."
    )
    figures: list[tuple[str, dict[str, Drawing]]] = [
        (part, {"": MisledCurves(models), "Examples": SizeCurve(next(iter(models.values())))})
        for part, models in curves.items()
    ]
    return Charts(figures, note, shown=2)
