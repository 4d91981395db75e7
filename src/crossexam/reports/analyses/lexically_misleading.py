"""Accuracy on lexically-misleading examples: the table of CS_lambda, and the curve over lambda."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import isnan
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from crossexam.core.columns import info_values
from crossexam.core.example import SCORE
from crossexam.core.manifest import BASE, SELECTED_BY, SELECTOR_NOTES
from crossexam.reports.analysis import Analysis, Charts, Section
from crossexam.reports.drawing import Drawing, Plot, element
from crossexam.reports.figures import Figure
from crossexam.reports.results import ModelResults, Results, once
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


@once
def lexical(model: ModelResults) -> tuple[MisledPart, ...]:
    """Return the accuracy by lexically-misleading score, at every step of the curve; empty without scores."""
    from crossexam.evaluation.lexically_misleading import CURVE, misled_parts

    return tuple(misled_parts(model.run, CURVE, max_unanswered=model.options.max_unanswered))


def misleading_table(results: Results) -> Table:
    """Return size and accuracy of the parts CS_lambda of each base that has scores; may have no rows."""
    from crossexam.evaluation.lexically_misleading import STEPS

    at = [
        {(part.part, part.lam): part for part in lexical(model) if part.lam in STEPS}
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


def _figures(results: Results) -> Iterator[Figure]:
    """Yield the numbers of the parts CS_lambda of each base.

    They are of lambda; the number of examples with so many annotators' labels is of that number, too.
    """
    for model in results.models:
        for part in lexical(model):
            name, at = f"{BASE}.{part.part}", f"lambda={part.lam:g}"
            yield Figure(model.name, name, "misleading_accuracy", part.model, at)
            yield Figure(model.name, name, "misleading_majority", part.majority, at)
            if part.human:
                yield Figure(model.name, name, "misleading_annotator", part.human.expected, at)
                yield Figure(model.name, name, "misleading_annotator_drawn", part.human.drawn, at)
            for labels, count in part.votes.items():
                of = f"{at}, labels={labels}"
                yield Figure(model.name, name, "misleading_voted", count, of, part.size)


def selector_warnings(results: Results) -> list[str]:
    """Return what must be known of the models by which test sets were selected, a sentence each."""
    stated = (dataset.entry.facts.get(SELECTOR_NOTES) for dataset in results.test_sets.values())
    lists = (notes for notes in stated if isinstance(notes, list))
    return list(dict.fromkeys(str(note) for notes in lists for note in notes))


def selection_warnings(results: Results) -> list[str]:
    """Return which models chose the items of which test sets by their own answers, a sentence each."""
    chosen: dict[str, list[str]] = {}
    for model in results.models:
        for name, dataset in model.run.datasets.items():
            key = dataset.entry.facts.get(SELECTED_BY)
            if key is not None and key == model.run.manifest.model_key:
                chosen.setdefault(model.name, []).append(results.short_names[name])
    return [
        f"{model} chose the items of {', '.join(names)} by its own answers: its accuracy there and "
        "comparisons with it say nothing."
        for model, names in chosen.items()
    ]


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
        for part in lexical(model):
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


MISLEADING: Final = Analysis(
    "lexically misleading",
    (
        Section(
            "misleading", "Lexically misleading", misleading_table, charts=misleading_charts, figures=_figures
        ),
        Section("highest", "Highest score", highest_table, ("html", "md"), within="misleading"),
    ),
    facts=frozenset({SELECTOR_NOTES}),
    info=frozenset({SCORE}),
    warnings=selector_warnings,
)
SELECTED: Final = Analysis(
    "chosen by a model", (), facts=frozenset({SELECTED_BY}), warnings=selection_warnings
)
