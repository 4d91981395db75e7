"""Every statistic as data: CSV with a number per row, JSON with an object per test set."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.dataset import Run
from crossexam.core.estimate import Estimate
from crossexam.core.files import escape_formula
from crossexam.core.manifest import package_version, signature
from crossexam.evaluation.comparison import content_hash_of
from crossexam.reports.accuracy import ERROR_TYPES
from crossexam.reports.published_systems import STUDIES, difference_from
from crossexam.reports.results import ModelResults, Results, model_names
from crossexam.stats.multiple_testing import ALPHA

if TYPE_CHECKING:
    from crossexam.evaluation.behaviour import FactorResult
    from crossexam.evaluation.measures import TestSetResult

COLUMNS: Final = (
    "model",
    "test_set",
    "construction",
    "rules",
    "part",
    "base_set",
    "statistic",
    "of",
    "value",
    "low",
    "high",
    "n",
    "clusters",
    "projection",
    "signature",
)

_ESTIMATES: Final = ("accuracy", "base_accuracy", "drop", "difference", "flip_rate")
_NUMBERS: Final = (
    "p_value",
    "p_mid",
    "p_holm",
    "minimum_detectable_drop",
    "false_neutral_share",
    "false_entailment_share",
)


#: The estimates of accuracies and of differences over keys.
_KEYED: Final = ("over_items", "two_way", "over_keys")
_KEYED_DIFFERENCES: Final = ("over_items", "over_keys")


def _csv(columns: Sequence[str], rows: Iterator[Mapping[str, object]]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, columns, restval="", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: _cell(value) for key, value in row.items()})
    return stream.getvalue()


def _cell(value: object) -> object:
    return escape_formula(value) if isinstance(value, str) else _finite(value)


def _finite(value: object) -> object:
    """Return *value*, or None for a share of no items."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def render_csv(results: Results) -> str:
    """Return every statistic of the models, one per row; shares are between 0 and 1."""
    return _csv(COLUMNS, (row for model in results.models for row in _rows_of(model)))


def _rows_of(model: ModelResults) -> Iterator[dict[str, object]]:
    for result in model.results:
        yield from _rows(model, result)
    for statistic, estimate in _benchmark_figures(model).items():
        corpora = "(corpora of the cross-dataset benchmark)"
        yield {"model": model.name, "test_set": corpora, "statistic": statistic, **estimate._asdict()}


def _factor_rows(
    each: FactorResult, known: Mapping[str, object], alpha: float
) -> Iterator[dict[str, object]]:
    """Yield the numbers of a factor, one per row; ``of`` names the factor, for counts also row and column."""
    for statistic, value in _factor_object(each, alpha).items():
        of = each.factor
        if isinstance(value, Estimate):
            yield {**known, "statistic": f"factor_{statistic}", "of": of, **value._asdict()}
        elif isinstance(value, Mapping):  # the counts
            for row, counts in value.items():
                for column, count in counts.items():
                    cell = f"{of}: {row}>{column}"
                    yield {**known, "statistic": f"factor_{statistic}", "of": cell, "value": count}
        elif isinstance(value, int | float):  # the method follows from the draws
            number = int(value) if isinstance(value, bool) else value
            yield {**known, "statistic": f"factor_{statistic}", "of": of, "value": number, "n": each.test.n}


def _factor_object(each: FactorResult, alpha: float) -> dict[str, Any]:
    """Return every number of a factor; tests and effect sizes are None if there is nothing to test."""
    test, crossed = each.test, each.crossed
    tested = {
        "g": test.statistic,
        "df": test.freedom,
        "p_value": each.p_value,
        "p_method": test.method,
        "p_asymptotic": test.p_asymptotic,
        "draws": None if test.p_exact is None else test.draws,
        "p_holm": each.p_holm,
        "p_bonferroni": each.p_bonferroni,
        "significant_holm": each.p_holm <= alpha,
        "significant_bonferroni": each.p_bonferroni <= alpha,
        "cramers_v": each.cramers_v,
        "odds_ratio": each.odds_ratio,
        "detectable": each.detectable,
    }
    return {
        "share": each.share,
        "accuracy": each.subset,
        **(tested if test.freedom else dict.fromkeys(tested)),
        "alpha": alpha,
        "smallest_expected": test.smallest_expected,
        "counts": {
            row: dict(zip(crossed.columns, counts, strict=True))
            for row, counts in zip(crossed.rows, crossed.counts.tolist(), strict=True)
        },
    }


def _benchmark_figures(model: ModelResults) -> dict[str, Estimate]:
    return model.benchmark.figures if model.benchmark is not None else {}


def signature_of(model: ModelResults, result: TestSetResult) -> str:
    """Return the signature of the numbers of *model* on a test set: all that they depend on."""
    dataset = model.run.datasets[result.name]
    manifest = model.run.manifest
    parts = {
        "test_set": result.name,
        "content": content_hash_of(dataset),
        "model": manifest.get("model_key", model.run.model),
        "interval": "wilson95.clustered",
    }
    return signature(parts)


def _rows(model: ModelResults, result: TestSetResult) -> Iterator[dict[str, object]]:
    known = {
        "model": model.name,
        "test_set": result.name,
        "construction": result.construction,
        "rules": result.rules,
        "part": result.part,
        "base_set": result.base_set,
        "projection": result.projection,
        "signature": signature_of(model, result),
    }
    for statistic in _ESTIMATES:
        if (estimate := getattr(result, statistic)) is not None:
            yield {**known, "statistic": statistic, **estimate._asdict()}
    for statistic in _NUMBERS:
        if (number := getattr(result, statistic)) is not None:
            yield {**known, "statistic": statistic, "value": number, "n": result.n}
    if result.p_holm is not None:
        significant = int(result.p_holm <= model.alpha)
        yield {**known, "statistic": "significant", "of": f"alpha={model.alpha:g}", "value": significant}
    if result.majority is not None:
        label, share, advantage = result.majority.label, result.majority.share, result.majority.advantage
        yield {**known, "statistic": "majority_class", "of": label, "value": share, "n": result.n}
        yield {**known, "statistic": "above_majority_class", **advantage._asdict()}
    yield {**known, "statistic": "unlabelled", "value": result.unlabelled, "n": result.n}
    if result.mcnemar is not None:
        for key, number in result.mcnemar._asdict().items():
            yield {**known, "statistic": "mcnemar", "of": key, "value": number}
    for kind, number in result.errors.items():
        yield {**known, "statistic": "errors", "of": kind, "value": number, "n": result.n}
    for gold, counts in zip(result.labels, result.confusion, strict=True):
        for answer, number in zip(result.labels, counts, strict=True):
            pair = f"{gold}>{answer}"
            yield {**known, "statistic": "confusion", "of": pair, "value": int(number), "n": result.n}
    for slicing, slices in result.slices.items():
        for value, estimate in slices.items():
            yield {**known, "statistic": "accuracy", "of": f"{slicing}={value}", **estimate._asdict()}
    for each in model.factors:
        if each.test_set == result.name:
            yield from _factor_rows(each, known, model.alpha)
    for keyed in model.keyed:
        if keyed.test_set == result.name:
            yield {**known, "statistic": "keys", "value": keyed.keys, "n": keyed.n}
            share = keyed.largest_share
            yield {
                **known,
                "statistic": "largest_key_share",
                "of": keyed.largest,
                "value": share,
                "n": keyed.n,
            }
            for statistic in _KEYED:
                yield {**known, "statistic": f"accuracy_{statistic}", **getattr(keyed, statistic)._asdict()}


def render_json(results: Results) -> str:
    """Return every measure of the models, with the manifests of runs and test sets."""
    document = {
        "crossexam": package_version(),
        "alpha": results.alpha,
        "models": [
            {
                "name": model.name,
                "model": model.run.model,
                "manifest": dict(model.run.manifest),
                "cross_dataset": _benchmark_figures(model),
                "test_sets": [_object(model, result, results.published_rows) for result in model.results],
            }
            for model in results.models
        ],
    }
    return _json(document)


def _object(model: ModelResults, result: TestSetResult, published_rows: bool) -> dict[str, Any]:
    dataset = model.run.datasets[result.name]
    document: dict[str, Any] = {
        key: getattr(result, key)
        for key in ("name", "construction", "rules", "part", "base_set", "n", "unlabelled", "projection")
    }
    document |= {key: getattr(result, key) for key in (*_ESTIMATES, *_NUMBERS)}
    document |= {
        "confusion": {
            gold: {answer: int(number) for answer, number in zip(result.labels, counts, strict=True)}
            for gold, counts in zip(result.labels, result.confusion, strict=True)
        },
        "errors": dict(result.errors),
        "majority_class": vars(result.majority) if result.majority is not None else None,
        "mcnemar": result.mcnemar._asdict() if result.mcnemar is not None else None,
        "significant": None if result.p_holm is None else result.p_holm <= model.alpha,
        "slices": {key: dict(slices) for key, slices in result.slices.items()},
        "factors": {
            each.factor: _factor_object(each, model.alpha)
            for each in model.factors
            if each.test_set == result.name
        },
        "keys": next((vars(each) for each in model.keyed if each.test_set == result.name), None),
        "yield": dataset.entry.yields,
        "signature": signature_of(model, result),
        "test_set_signature": dataset.entry.signature,
    }
    if published_rows:
        document["published"] = {study.study: found for study in STUDIES if (found := study.figures(dataset))}
        document["published_by_other_rules"] = {
            study: difference
            for study in document["published"]
            if (difference := difference_from(study, dataset))
        }
    return document


def _json(document: Mapping[str, Any]) -> str:
    return json.dumps(_plain(document), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """Return *value* as JSON types: estimates as objects, nan as null."""
    if isinstance(value, Estimate):
        return {key: _finite(part) for key, part in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if value is None or isinstance(value, str | int | float):
        return _finite(value)
    return str(value)


def comparison_csv(first: Run, second: Run, *, alpha: float = ALPHA) -> str:
    """Return the comparison of two runs, a test set per row; estimates take three columns."""
    rows = list(_comparisons(first, second, alpha))
    columns = list(dict.fromkeys(key for row in rows for key in row))
    return _csv(columns, iter(rows))


def _comparisons(first: Run, second: Run, alpha: float) -> Iterator[dict[str, object]]:
    from crossexam.evaluation.comparison import compare_runs
    from crossexam.evaluation.joint import joint_outcomes
    from crossexam.evaluation.keys import keyed_comparisons

    a, b = model_names([first, second])
    over_keys = {each.name: each for each in keyed_comparisons(first, second)}
    joint = {each.name: each for each in joint_outcomes(first, second)}
    for pair in compare_runs(first, second):
        row: dict[str, object] = {"a": a, "b": b}
        for key, value in vars(pair).items():
            key = {"b": "only_a_right", "c": "only_b_right"}.get(key, key)
            row[key] = value.value if isinstance(value, Estimate) else value
            if isinstance(value, Estimate):
                row |= {f"{key}_low": value.low, f"{key}_high": value.high}
        row |= {"alpha": alpha, "significant": pair.p_holm <= alpha}
        together = joint[pair.name]
        row |= {"both_right": together.both_right, "both_wrong": together.both_wrong}
        row |= {"easy_keys": together.easy, "hard_keys": together.hard}
        row |= {f"both_{kind}": together.same_errors.get(kind, 0) for kind in ERROR_TYPES}
        if (keyed := over_keys.get(pair.name)) is not None:
            row["keys"] = keyed.keys
            for key in _KEYED_DIFFERENCES:
                value = getattr(keyed, key)
                row |= {f"difference_{key}": value.value}
                row |= {f"difference_{key}_low": value.low, f"difference_{key}_high": value.high}
        yield row


def comparison_json(first: Run, second: Run, *, alpha: float = ALPHA) -> str:
    """Return the comparison of two runs as one JSON object."""
    rows = list(_comparisons(first, second, alpha))
    return _json({"crossexam": package_version(), "test_sets": rows})
