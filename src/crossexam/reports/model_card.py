"""The results of one model as the metadata of its card at the Hugging Face hub, the ``model-index``."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Bounds, Estimate
from crossexam.core.manifest import package_version
from crossexam.evaluation.comparison import content_hash_of
from crossexam.reports.data import signature_of
from crossexam.reports.results import ModelResults, Results

if TYPE_CHECKING:
    from huggingface_hub import EvalResult

    from crossexam.evaluation.measures import TestSetResult

#: Decimals of the shares in a card: more are noise.
_DECIMALS: Final = 6


def render_card(results: Results) -> str:
    """Return the front matter of a model card (YAML) with the accuracies and drops of the only model.

    Several runs must be of the same model over different test sets; else raises CrossexamError.
    """
    from huggingface_hub import ModelCardData

    model = _only_model(results)
    found = [
        metric
        for each in results.models
        for result in each.results
        for metric in _metrics(each, result, results.short_names[result.name])
    ]
    if not found:
        raise CrossexamError(
            f"nothing was measured of '{model.name}'", where="-o card.yaml", wanted="items with a gold label"
        )
    name = model.run.model.rstrip("/").rpartition("/")[2]
    return f"{ModelCardData(model_name=name, eval_results=found).to_yaml()}\n"


def _only_model(results: Results) -> ModelResults:
    """Return the first of the models if they are all the same, over different test sets."""
    keys = {(each.run.model, each.run.manifest.get("model_key")) for each in results.models}
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


def _metrics(model: ModelResults, result: TestSetResult, short: str) -> Iterator[EvalResult]:
    """Yield the results on a test set: accuracy, or its bounds, and the drop."""
    from huggingface_hub import EvalResult

    dataset = model.run.datasets[result.name]
    known: dict[str, Any] = {
        "task_type": "text-classification",
        "task_name": "Natural Language Inference",
        "dataset_type": "crossexam",
        "dataset_name": f"Crossexam: {short}",
        "dataset_config": result.name,
        "dataset_split": "test",
        "dataset_revision": content_hash_of(dataset),
        "dataset_args": {"crossexam": package_version(), "signature": signature_of(model, result)},
    }
    for kind, title, estimate in (
        ("accuracy", "Accuracy", result.accuracy),
        ("accuracy_drop", f"Drop in accuracy from {result.base_set}", result.lost),
    ):
        for metric, named, each in _parts(kind, title, estimate):
            low, high = round(each.low, _DECIMALS), round(each.high, _DECIMALS)
            yield EvalResult(
                **known,
                metric_type=metric,
                metric_value=round(each.value, _DECIMALS),
                metric_name=f"{named} (95 % interval {low:.3f} to {high:.3f})",
                metric_args={"low": low, "high": high, "items": each.n, "clusters": each.clusters},
            )


def _parts(kind: str, title: str, estimate: Estimate | None) -> Iterator[tuple[str, str, Estimate]]:
    """Yield type, title and value of an estimate; if only bounds are known, those of both."""
    if isinstance(estimate, Bounds):
        yield f"{kind}_lower_bound", f"{title}, lower bound (too many items unanswered)", estimate.least
        yield f"{kind}_upper_bound", f"{title}, upper bound (too many items unanswered)", estimate.most
    elif estimate is not None and math.isfinite(estimate.value):
        yield kind, title, estimate
