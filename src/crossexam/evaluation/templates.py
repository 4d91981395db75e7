"""One model asked with several prompt templates: accuracies, their spread, and sensitivity without gold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crossexam.constructions.keys import key_clusters
from crossexam.core.dataset import Run
from crossexam.core.estimate import Estimate
from crossexam.core.labels import ItemLabels
from crossexam.core.outcome import MAX_UNANSWERED
from crossexam.evaluation.quantities import too_many
from crossexam.evaluation.scores import numbered_clusters, units_of
from crossexam.runs.asked import distinct_names, how_asked
from crossexam.stats.estimate import share_correct
from crossexam.stats.sensitivity import accuracy_spread, sensitivity


@dataclass(frozen=True)
class TemplateResult:
    """What the template decides for a *model* on a *test_set*.

    *accuracies* are those with each template, by its name, over the items that have a gold label and were
    answered with all templates; *spread* is the difference between the highest and the lowest.  *sensitivity*
    is over all items that were answered with at least two, whether they have a gold label or not.
    Of *labelled* items, those with a gold label, *unanswered* are left out.
    """

    model: str
    test_set: str
    accuracies: Mapping[str, Estimate]
    spread: Estimate
    sensitivity: Estimate
    unanswered: int
    labelled: int

    @property
    def lowest(self) -> str:
        """The template with the lowest accuracy."""
        return min(self.accuracies, key=lambda name: self.accuracies[name].value)

    @property
    def highest(self) -> str:
        """The template with the highest accuracy."""
        return max(self.accuracies, key=lambda name: self.accuracies[name].value)


def template_of(run: Run) -> tuple[str, str] | None:
    """Return the model of *run* and the template with which it was asked; None without a template."""
    facts = run.details.get("template")
    if not isinstance(facts, Mapping) or not isinstance(facts.get("name"), str):
        return None
    stated = rf" \[(?:[^\]]*/)?{re.escape(facts['name'])}(?:\.toml)?\]"
    return re.sub(stated, "", run.model), facts["name"]


def template_results(
    runs: Sequence[Run], *, max_unanswered: float = MAX_UNANSWERED
) -> tuple[TemplateResult, ...]:
    """Return the results of each model that was asked with several templates, by test set.

    Test sets of which more than the share *max_unanswered* lacks an answer with some template are left out.
    """
    found = (_result(*each) for each in asked_with_several(runs))
    return tuple(each for each in found if not too_many(each.unanswered, each.labelled, max_unanswered))


def asked_with_several(runs: Sequence[Run]) -> Iterator[tuple[str, str, dict[str, Run]]]:
    """Yield each model and test set that it was asked about with several templates, and its runs by these."""
    groups: dict[str, list[tuple[str, Run]]] = {}
    for run in runs:
        asked = template_of(run)
        if asked is not None:
            groups.setdefault(asked[0], []).append((asked[1], run))
    for model, asked_with in groups.items():
        by_template = _named(asked_with)
        names = dict.fromkeys(name for run in by_template.values() for name in run.datasets)
        for name in names:
            having = {template: run for template, run in by_template.items() if name in run.datasets}
            if len(having) > 1:
                yield model, name, having


def _named(asked_with: Sequence[tuple[str, Run]]) -> dict[str, Run]:
    """Return runs by template; one that several have is named with what else differs, or numbered."""
    runs = [run for _, run in asked_with]
    asked = [how_asked(run.details) for run in runs]
    return dict(zip(distinct_names([name for name, _ in asked_with], asked), runs, strict=True))


def _result(model: str, name: str, runs: Mapping[str, Run]) -> TemplateResult:
    dataset = next(iter(runs.values())).datasets[name]
    two_labels = any(run.two_labels for run in runs.values())
    classes = len(dataset.projection.scored(two_labels=two_labels).labels)
    gold, clusters = dataset.labels(), numbered_clusters(Run("", {name: dataset}, {}))[name]
    units = units_of(clusters, key_clusters(dataset.examples, dataset.entry.construction))
    scored = [ItemLabels(gold, run.answers(name), dataset.projection, two_labels) for run in runs.values()]
    predicted = np.stack([each.predicted for each in scored])
    labelled = gold >= 0
    kept = labelled & (predicted >= 0).all(axis=0)
    correct = np.stack([each.correct[kept] for each in scored])
    return TemplateResult(
        model,
        name,
        {each: share_correct(row, units[kept]) for each, row in zip(runs, correct, strict=True)},
        accuracy_spread(correct, units[kept]),
        sensitivity(predicted, classes, clusters),
        int((labelled & ~kept).sum()),
        int(labelled.sum()),
    )
