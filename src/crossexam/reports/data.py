"""Every statistic as data: CSV with a number per row, JSON with an object per test set."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.dataset import Dataset
from crossexam.core.estimate import Estimate
from crossexam.core.labels import Ties
from crossexam.core.manifest import package_version, signature
from crossexam.core.output.escapes import escape_cell, json_text
from crossexam.evaluation.comparison import content_hash_of
from crossexam.reports.accuracy import ERROR_TYPES
from crossexam.reports.analyses.challenge import published_on_challenge
from crossexam.reports.analyses.consistency import (
    compared_violations,
    consistency_object,
    consistency_rows,
)
from crossexam.reports.analyses.fact_checking import (
    fact_checking_mean_rows,
    fact_checking_means,
    fact_checking_object,
    fact_checking_rows,
)
from crossexam.reports.analyses.lexically_misleading import misleading_object, misleading_rows
from crossexam.reports.analyses.several_data import several_object, several_rows
from crossexam.reports.probabilities.comparison import paired_columns
from crossexam.reports.probabilities.data import probability_objects, probability_rows
from crossexam.reports.published_systems import (
    CORPORA_STUDY,
    STUDIES,
    difference_from,
    other_pairs,
    published_on_corpus,
    published_slices,
)
from crossexam.reports.results import ModelResults, Results

if TYPE_CHECKING:
    from crossexam.evaluation.behaviour import FactorResult
    from crossexam.evaluation.comparison import UnansweredByEither
    from crossexam.evaluation.measures import TestSetResult
    from crossexam.evaluation.seen_pairs import SeenPairs, TrainingPairs
    from crossexam.evaluation.unanswered import Unanswered

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

_BENCHMARK: Final = "(corpora of the cross-dataset benchmark)"
_ANSWERS: Final = "(all answers)"
#: Details of a run that count answers: by the rule that read them, and by what their log-probabilities say.
_COUNTED: Final = ("parse", "logprobs")
_ESTIMATES: Final = ("accuracy", "base_accuracy", "drop", "difference", "flip_rate")
_NUMBERS: Final = (
    "p_value",
    "p_mid",
    "p_holm",
    "minimum_detectable_drop",
    "false_neutral_share",
    "false_entailment_share",
)


#: The estimates of the word pairs that two models get right, of those in training.
_SEEN: Final = ("seen", "contradiction", "mean")
#: The estimates of accuracies and of differences over keys.
_KEYED: Final = ("over_items", "over_keys")
_KEYED_DIFFERENCES: Final = ("over_items", "over_keys")
#: The ties of two models that are compared.
_TIES: Final = ("ties_a", "ties_b")


def _csv(columns: Sequence[str], rows: Iterator[Mapping[str, object]]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, columns, restval="", lineterminator="\n")
    writer.writerow({key: _cell(key) for key in columns})
    for row in rows:
        writer.writerow({key: _cell(value) for key, value in row.items()})
    return stream.getvalue()


def _cell(value: object) -> object:
    return escape_cell(value) if isinstance(value, str) else _finite(value)


def _finite(value: object) -> object:
    """Return *value*, or None for a share of no items."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def render_csv(results: Results) -> str:
    """Return every statistic of the models, one per row; shares are between 0 and 1."""
    rows = (row for model in results.models for row in _rows_of(model))
    more = (_gain_rows(results), _seen_rows(results), several_rows(results), _published_rows(results))
    return _csv(COLUMNS, chain(rows, *more))


def _rows_of(model: ModelResults) -> Iterator[dict[str, object]]:
    for result in model.results:
        yield from _rows(model, result)
    for statistic, estimate in _benchmark_figures(model).items():
        yield {"model": model.name, "test_set": _BENCHMARK, "statistic": statistic, **estimate._asdict()}
    yield from fact_checking_mean_rows(model)
    if model.noise is not None:
        yield {"model": model.name, "statistic": "changed_answers", **model.noise.rate._asdict()}
    yield from consistency_rows(model)
    yield from _answer_rows(model)


def _answer_rows(model: ModelResults) -> Iterator[dict[str, object]]:
    """Yield how many answers of a language model there are of each kind, if its run counted them."""
    details = model.run.manifest.get("details")
    if not isinstance(details, Mapping):
        return
    for key in _COUNTED:
        counts = details.get(key)
        for kind, value in counts.items() if isinstance(counts, Mapping) else ():
            if isinstance(value, int | float):
                known = {"model": model.name, "test_set": _ANSWERS, "statistic": f"answers_{key}"}
                yield {**known, "of": kind, "value": value}


def _gain_rows(results: Results) -> Iterator[dict[str, object]]:
    """Yield the relative improvement of each model over the base model; ``of`` names the base model."""
    for name, figures in _gains(results).items():
        for statistic, estimate in figures.items():
            known = {"model": name, "test_set": _BENCHMARK, "statistic": f"relative_improvement_{statistic}"}
            yield {**known, "of": results.base_model and results.base_model.name, **estimate._asdict()}


def _gains(results: Results) -> dict[str, dict[str, Estimate]]:
    return {
        name: {key: value for key, value in gain._asdict().items() if value is not None}
        for name, gain in results.gains.items()
    }


def _seen_rows(results: Results) -> Iterator[dict[str, object]]:
    """Yield the word pairs of two models in training; ``of`` says which of the two get them right."""
    models = " / ".join(model.name for model in results.models)
    for each in results.seen:
        entry = results.test_sets[each.test_set].entry
        known = {"model": models, "test_set": each.test_set, "part": entry.part, "of": each.group}
        known |= {"construction": entry.construction, "rules": entry.rules}
        for statistic in ("pairs", "left_out"):
            yield {**known, "statistic": f"pairs_{statistic}", "value": getattr(each, statistic)}
        for statistic in _SEEN:
            yield {**known, "statistic": f"pairs_{statistic}", **getattr(each, statistic)._asdict()}


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
        elif isinstance(value, int | float):  # methods follow from the draws
            number = int(value) if isinstance(value, bool) else value
            yield {**known, "statistic": f"factor_{statistic}", "of": of, "value": number, "n": each.test.n}


def _factor_object(each: FactorResult, alpha: float) -> dict[str, Any]:
    """Return every number of a factor; tests and effect sizes are None if there is nothing to test."""
    test, by_pairs, crossed = each.test, each.by_pairs, each.crossed
    tested = {
        "g": test.statistic,
        "df": test.freedom,
        "p_value": each.p_value,
        "p_method": by_pairs.method,
        "draws": by_pairs.draws,
        "p_value_items": test.p,
        "p_items_method": test.method,
        "p_items_draws": None if test.p_exact is None else test.draws,
        "p_asymptotic": test.p_asymptotic,
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
        "pairs": each.pairs,
        "n_eff": each.by_pairs.n_eff,
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
    if result.unanswered is not None:
        yield from _unanswered_rows(result.unanswered, known)
    if result.ties is not None:
        for statistic, number in _tie_numbers(result.ties).items():
            yield {**known, "statistic": statistic, "value": number, "n": result.ties.n}
    for statistic in _NUMBERS:
        if (number := getattr(result, statistic)) is not None:
            yield {**known, "statistic": statistic, "value": number, "n": result.n}
    if result.p_holm is not None:
        significant = int(result.p_holm <= model.options.alpha)
        yield {
            **known,
            "statistic": "significant",
            "of": f"alpha={model.options.alpha:g}",
            "value": significant,
        }
    if result.majority is not None:
        label, share, advantage = result.majority.label, result.majority.share, result.majority.advantage
        yield {**known, "statistic": "majority_class", "of": label, "value": share, "n": result.n}
        yield {**known, "statistic": "above_majority_class", **advantage._asdict()}
    if (floor := model.noise_floor(result)) is not None:
        within = model.is_within_noise(result)
        yield {**known, "statistic": "noise_floor", "of": "drop", "value": floor, "n": result.counted}
        yield {**known, "statistic": "within_noise_floor", "of": "drop", "value": int(bool(within))}
    yield {**known, "statistic": "unlabelled", "value": result.unlabelled, "n": result.n}
    if result.mcnemar is not None:
        for key, number in result.mcnemar._asdict().items():
            yield {**known, "statistic": "mcnemar", "of": key, "value": number}
    for kind, number in result.errors.items():
        yield {**known, "statistic": "errors", "of": kind, "value": number, "n": result.n}
    for gold, counts in result.confused.items():
        for answer, number in counts.items():
            pair = f"{gold}>{answer}"
            yield {**known, "statistic": "confusion", "of": pair, "value": number, "n": result.n}
    for slicing, slices in result.slices.items():
        for value, estimate in slices.items():
            yield {**known, "statistic": "accuracy", "of": f"{slicing}={value}", **estimate._asdict()}
    for each in model.factors:
        if each.test_set == result.name:
            yield from _factor_rows(each, known, model.options.alpha)
    yield from misleading_rows(model, known)
    yield from probability_rows(model, known)
    yield from fact_checking_rows(model, known)
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


def _unanswered_rows(missing: Unanswered, known: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """Yield the items without an answer by reason, and the bounds that follow."""
    for status, count in missing.counts.items():
        yield {**known, "statistic": "unanswered", "of": status, "value": count, "n": missing.items}
    yield {**known, "statistic": "unanswered_share", "value": missing.share, "n": missing.labelled}
    yield {**known, "statistic": "only_bounds", "value": int(missing.only_bounds), "n": missing.labelled}
    for name, bounds in (("accuracy", missing.accuracy), ("drop", missing.drop)):
        if bounds is not None:
            yield {**known, "statistic": f"{name}_least", **bounds.least._asdict()}
            yield {**known, "statistic": f"{name}_most", **bounds.most._asdict()}


def _tie_numbers(ties: Ties) -> dict[str, float]:
    """Return the number of tied items, and the accuracies if ties were broken against and for the model."""
    return {"ties": ties.count, "ties_accuracy_least": ties.least, "ties_accuracy_most": ties.most}


def _unanswered_object(missing: Unanswered) -> dict[str, Any]:
    numbers = ("labelled", "missing", "share", "pairs", "pairs_missing", "only_bounds", "only_drop_bounds")
    bounds = {"accuracy": missing.accuracy, "drop": missing.drop}
    return {
        "by_status": missing.counts,
        "items": missing.items,
        **{key: getattr(missing, key) for key in numbers},
        **{
            name: {"least": each.least, "most": each.most}
            for name, each in bounds.items()
            if each is not None
        },
    }


def render_json(results: Results) -> str:
    """Return every measure of the models, with the manifests of runs and test sets."""
    gains, training = _gains(results), results.options.training
    document = {
        "crossexam": package_version(),
        "alpha": results.options.alpha,
        "models": [
            {
                "name": model.name,
                "model": model.run.model,
                "manifest": dict(model.run.manifest),
                "cross_dataset": _benchmark_figures(model),
                "relative_improvement": gains.get(model.name),
                **({"fact_checking": means} if (means := fact_checking_means(model)) else {}),
                "changed_answers": model.noise and vars(model.noise),
                "consistency": consistency_object(model) if model.consistency else None,
                "test_sets": [
                    _object(model, result, results.options.published_rows) for result in model.results
                ],
            }
            for model in results.models
        ],
        "relative_to": results.base_model and results.base_model.name,
        "pairs_in_training": training and _pairs_object(results.seen, training),
        "several_models": several_object(results),
    }
    return _json(document)


def _pairs_object(found: Sequence[SeenPairs], training: TrainingPairs) -> dict[str, Any]:
    """Return the word pairs of two models in training, by test set and by who gets them right."""
    sets: dict[str, dict[str, Any]] = {}
    for each in found:
        numbers = {key: value for key, value in vars(each).items() if key not in {"test_set", "group"}}
        sets.setdefault(each.test_set, {})[each.group] = numbers
    return {"corpora": training.spec, "index": dict(training.index.manifest), "test_sets": sets}


def _object(model: ModelResults, result: TestSetResult, published_rows: bool) -> dict[str, Any]:
    dataset = model.run.datasets[result.name]
    document: dict[str, Any] = {
        key: getattr(result, key)
        for key in ("name", "construction", "rules", "part", "base_set", "n", "unlabelled", "projection")
    }
    document |= {key: getattr(result, key) for key in (*_ESTIMATES, *_NUMBERS)}
    document |= {
        "confusion": result.confused,
        "errors": dict(result.errors),
        "majority_class": vars(result.majority) if result.majority is not None else None,
        "mcnemar": result.mcnemar._asdict() if result.mcnemar is not None else None,
        "significant": None if result.p_holm is None else result.p_holm <= model.options.alpha,
        "noise_floor": model.noise_floor(result),
        "within_noise_floor": model.is_within_noise(result),
        "slices": {key: dict(slices) for key, slices in result.slices.items()},
        "factors": {
            each.factor: _factor_object(each, model.options.alpha)
            for each in model.factors
            if each.test_set == result.name
        },
        "keys": next((vars(each) for each in model.keyed if each.test_set == result.name), None),
        **misleading_object(model, result.name),
        **probability_objects(model, result.name),
        **fact_checking_object(model, result.name),
        "yield": dataset.entry.yields,
        "signature": signature_of(model, result),
        "test_set_signature": dataset.entry.signature,
    }
    if result.ties is not None:
        document |= _tie_numbers(result.ties)
    if result.unanswered is not None:
        document["unanswered"] = _unanswered_object(result.unanswered)
    if published_rows:
        document["published"] = _published(dataset)
        slices = published_slices(dataset)
        document["published_slices"] = {STUDIES[0].study: slices} if slices else {}
        document["published_not_checked"] = list(published_on_challenge(dataset, checked=False))
        document["published_of_other_items"] = _published_differences(dataset)
    return document


def _published(dataset: Dataset) -> dict[str, dict[str, float]]:
    """Return the published accuracies on the counterpart of *dataset*, by study and system, as shares."""
    found = {study.study: study.figures(dataset) for study in STUDIES}
    found |= {CORPORA_STUDY: published_on_corpus(dataset), **published_on_challenge(dataset)}
    return {study: figures for study, figures in found.items() if figures}


def _published_differences(dataset: Dataset) -> dict[str, str]:
    """Return how *dataset* differs from its counterpart in each study with figures for it, if it does."""
    differences = {
        study: other_pairs(dataset) if study == CORPORA_STUDY else difference_from(study, dataset)
        for study in _published(dataset)
    }
    return {study: difference for study, difference in differences.items() if difference}


def _published_rows(results: Results) -> Iterator[dict[str, object]]:
    """Yield the accuracies of published systems on the test sets; ``of`` names the study.

    The name of the statistic says if they are of other items, or were not compared with the paper.
    """
    for name, dataset in results.test_sets.items() if results.options.published_rows else ():
        entry, other = dataset.entry, _published_differences(dataset)
        known = {"test_set": name, "construction": entry.construction, "rules": entry.rules}
        known |= {"part": entry.part, "base_set": entry.base_set or ""}
        unchecked = published_on_challenge(dataset, checked=False)
        for study, figures in _published(dataset).items():
            kind = "_not_checked" if study in unchecked else "_of_other_items" if study in other else ""
            for system, figure in figures.items():
                row = {"model": f"{system} (published)", "statistic": f"published_accuracy{kind}"}
                yield {**known, **row, "of": study, "value": figure}


def _json(document: Mapping[str, Any]) -> str:
    return json_text(_plain(document), indent=1) + "\n"


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


def comparison_csv(results: Results) -> str:
    """Return the comparison of two models, a test set or a rule of consistency per row.

    Estimates take three columns.
    """
    a, b = (model.name for model in results.models)
    rows = [{"a": a, "b": b, **row} for row in (*_comparisons(results), *compared_violations(results))]
    columns = list(dict.fromkeys(key for row in rows for key in row))
    return _csv(columns, iter(rows))


def _comparisons(results: Results) -> Iterator[dict[str, object]]:
    from crossexam.evaluation.repeat import is_within, noise_floor

    over_keys = {each.name: each for each in results.keyed_comparison}
    joint = {each.name: each for each in results.joint}
    probabilities = {each.name: each for each in results.paired_probabilities}
    checked, training, alpha = results.checked_differences, results.options.training, results.options.alpha
    noises = dict(zip("ab", (model.noise for model in results.models), strict=True))
    for pair in results.comparison:
        row: dict[str, object] = {}
        for key, value in vars(pair).items():
            if key == "unanswered":
                row |= _unanswered_columns(value)
                continue
            if key in _TIES:
                row |= {} if value is None else {key: value.count}
                continue
            key = {"b": "only_a_right", "c": "only_b_right"}.get(key, key)
            row |= _three_columns(key, value) if isinstance(value, Estimate) else {key: value}
        significant = None if pair.p_holm is None else pair.p_holm <= alpha
        row |= {"alpha": alpha, "significant": significant}
        for side, noise in noises.items():
            if noise is not None:
                row |= _three_columns(f"changed_answers_{side}", noise.rate)
        floor = noise_floor(*((noise, pair.n) for noise in noises.values()))
        if floor is not None and not pair.only_bounds:
            row |= {"noise_floor": floor, "within_noise_floor": is_within(pair.difference, floor)}
        if (together := joint.get(pair.name)) is not None:
            row |= {"both_right": together.both_right, "both_wrong": together.both_wrong}
            row |= {"easy_keys": together.easy, "hard_keys": together.hard}
            for outcome in ("right", "wrong"):
                for kind, share in getattr(together, f"kinds_{outcome}").items():
                    row |= _three_columns(f"both_{outcome}_{kind}", share)
            row |= {f"both_{kind}": together.same_errors.get(kind, 0) for kind in ERROR_TYPES}
        if (keyed := over_keys.get(pair.name)) is not None:
            row["keys"] = keyed.keys
            for key in _KEYED_DIFFERENCES:
                row |= _three_columns(f"difference_{key}", getattr(keyed, key))
        if (balanced := checked.get(pair.name)) is not None:
            row |= _three_columns("difference_balanced_accuracy", balanced)
        if (paired := probabilities.get(pair.name)) is not None:
            row |= paired_columns(paired)
        for group in results.seen:
            if group.test_set == pair.name:
                row |= _seen_columns(group)
        if training is not None:
            row["training"] = training.spec
        yield row


def _three_columns(name: str, estimate: Estimate) -> dict[str, object]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def _unanswered_columns(missing: UnansweredByEither | None) -> dict[str, object]:
    if missing is None:
        return {}
    least, most = missing.difference.least, missing.difference.most
    return {
        "unanswered_a": missing.a,
        "unanswered_b": missing.b,
        "unanswered": missing.missing,
        "labelled": missing.labelled,
        "only_bounds": missing.only_bounds,
        "difference_least": least.value,
        "difference_most": most.value,
    }


def _seen_columns(each: SeenPairs) -> dict[str, object]:
    columns: dict[str, object] = {
        f"{each.group}_pairs": each.pairs,
        f"{each.group}_pairs_left_out": each.left_out,
    }
    for statistic in _SEEN:
        columns |= _three_columns(f"{each.group}_pairs_{statistic}", getattr(each, statistic))
    return columns


def comparison_json(results: Results) -> str:
    """Return the comparison of two models as one JSON object."""
    a, b = (model.name for model in results.models)
    rows = [{"a": a, "b": b, **row} for row in _comparisons(results)]
    found = {"test_sets": rows, "consistency": compared_violations(results)}
    return _json({"crossexam": package_version(), **found})
