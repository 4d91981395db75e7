"""The results of one model as the metadata of its card at the Hugging Face hub, the ``model-index``."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Bounds, Estimate
from crossexam.core.manifest import package_version
from crossexam.reports.data import signature_of
from crossexam.reports.figures import Figure
from crossexam.reports.results import ModelResults, Results
from crossexam.reports.sections import figures_by_set

if TYPE_CHECKING:
    from huggingface_hub import EvalResult

#: Decimals of the shares in a card: more are noise.
_DECIMALS: Final = 6


def render_card(results: Results) -> str:
    """Return the front matter of a model card (YAML) with the accuracies and drops of the only model.

    Several runs must be of the same model over different test sets; else raises CrossexamError.
    """
    from huggingface_hub import ModelCardData

    model = _only_model(results)
    figures = figures_by_set(results)
    found = [
        metric
        for each in results.models
        for result in each.results
        for metric in _metrics(
            each, result.name, figures[each.name, result.name], results.short_names[result.name]
        )
    ]
    if not found:
        raise CrossexamError(
            f"nothing was measured of '{model.name}'", where="-o card.yaml", wanted="items with a gold label"
        )
    name = model.run.model.rstrip("/").rpartition("/")[2]
    return f"{ModelCardData(model_name=name, eval_results=found).to_yaml()}\n"


def _only_model(results: Results) -> ModelResults:
    """Return the first of the models if they are all the same, over different test sets."""
    keys = {(each.run.model, each.run.manifest.model_key) for each in results.models}
    if len(keys) > 1:
        raise CrossexamError(
            f"a card describes one model, and these runs are of {len(keys)}: "
            + ", ".join(each.name for each in results.models),
            where="-o card.yaml",
            wanted="runs of the same model",
            hint="write a card for each: crossexam report RUN -o card.yaml",
        )
    sets = Counter(name for each in results.models for name in each.run.datasets)
    twice = [name for name, count in sets.items() if count > 1]
    if twice:
        raise CrossexamError(
            f"the test set {twice[0]} is in several runs",
            where="-o card.yaml",
            wanted="each test set once",
            hint="write the card of one of the runs",
        )
    return results.models[0]


#: What a card has of a test set: the statistic, the kind of its metric, and its title.
_SHOWN: Final = (
    ("accuracy", "accuracy", "Accuracy"),
    ("drop", "accuracy_drop", "Drop in accuracy from {}"),
    ("difference", "accuracy_drop", "Drop in accuracy from {}"),
)
#: The ends of a number of which only bounds are known.
_BOUNDS: Final = {"least": "lower", "most": "upper"}


def _metrics(
    model: ModelResults, test_set: str, figures: Mapping[str, Figure], short: str
) -> Iterator[EvalResult]:
    """Yield the results on a test set: accuracy, or its bounds, and the drop."""
    from huggingface_hub import EvalResult

    dataset = model.run.datasets[test_set]
    known: dict[str, Any] = {
        "task_type": "text-classification",
        "task_name": "Natural Language Inference",
        "dataset_type": "crossexam",
        "dataset_name": f"Crossexam: {short}",
        "dataset_config": test_set,
        "dataset_split": "test",
        "dataset_revision": dataset.stated_hash,
        "dataset_args": {"crossexam": package_version(), "signature": signature_of(model, test_set)},
    }
    for statistic, kind, title in _SHOWN:
        for metric, named, each in _parts(statistic, kind, title.format(dataset.entry.base_set), figures):
            low, high = round(each.low, _DECIMALS), round(each.high, _DECIMALS)
            yield EvalResult(
                **known,
                metric_type=metric,
                metric_value=round(each.value, _DECIMALS),
                metric_name=f"{named} (95 % interval {low:.3f} to {high:.3f})",
                metric_args={"low": low, "high": high, "items": each.n, "clusters": each.clusters},
            )


def _parts(
    statistic: str, kind: str, title: str, figures: Mapping[str, Figure]
) -> Iterator[tuple[str, str, Estimate]]:
    """Yield type, title and value of a statistic; if only bounds are known, those of both."""
    found = figures[statistic].value if statistic in figures else None
    if isinstance(found, Bounds):
        for end, word in _BOUNDS.items():
            bound = figures[f"{statistic}_{end}"].value
            if isinstance(bound, Estimate):
                yield f"{kind}_{word}_bound", f"{title}, {word} bound (too many items unanswered)", bound
    elif isinstance(found, Estimate) and math.isfinite(found.value):
        yield kind, title, found
