"""Ranks, paired differences and agreement of several models as data, for CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from crossexam.reports.analyses.ranks import letters
from crossexam.reports.results import Results

if TYPE_CHECKING:
    from crossexam.evaluation.several.ranking import Ranking

#: What stands for the name of a test set in rows on the mean over test sets.
MEAN: Final = "(mean of test sets)"
_AGREEMENTS: Final = ("same", "kappa", "same_errors")


def several_rows(results: Results) -> Iterator[dict[str, object]]:
    """Yield a row per number of three models or more; ``of`` names the other model of a pair."""
    for ranking in results.rankings:
        yield from _ranking_rows(ranking, results)
    names = [model.name for model in results.models]
    for pair in results.agreements:
        known = {"model": names[pair.first], "test_set": pair.test_set, "of": names[pair.second]}
        for statistic in _AGREEMENTS:
            yield {**known, "statistic": f"agreement_{statistic}", **getattr(pair, statistic)._asdict()}
    for each in results.only_one:
        known = {"model": names[each.model], "test_set": each.test_set}
        yield {**known, "statistic": "only_right", "value": each.only_right, "n": each.n}
        yield {**known, "statistic": "only_right_share", **each.right._asdict()}
        yield {**known, "statistic": "only_wrong", "value": each.only_wrong, "n": each.n}
        yield {**known, "statistic": "only_wrong_share", **each.wrong._asdict()}


def _ranking_rows(ranking: Ranking, results: Results) -> Iterator[dict[str, object]]:
    names = [model.name for model in results.models]
    test_set = ranking.name or MEAN
    for model in ranking.models:
        known = {"model": names[model.model], "test_set": test_set, "n": ranking.n}
        yield {**known, "statistic": "ranked_accuracy", **model.accuracy._asdict()}
        yield {**known, "statistic": "rank", "value": model.rank, "low": model.low, "high": model.high}
        for group in model.groups:
            yield {**known, "statistic": "rank_group", "of": letters(group), "value": 1}
    for (one, other), pair in ranking.pairs.items():
        known = {"model": names[one], "test_set": test_set, "of": names[other], "n": ranking.n}
        yield {**known, "statistic": "model_difference", **pair.difference._asdict()}
        yield {**known, "statistic": "model_difference_p_value", "value": pair.p_value}
        yield {**known, "statistic": "model_difference_p_holm", "value": pair.p_holm}
        yield {**known, "statistic": "model_difference_significant", "value": int(pair.significant)}


def several_object(results: Results) -> dict[str, Any] | None:
    """Return the numbers of three models or more, by the names of the models; None for fewer."""
    if not results.rankings:
        return None
    names = [model.name for model in results.models]
    return {
        "rankings": [_ranking_object(ranking, names) for ranking in results.rankings],
        "agreement": [
            {
                "test_set": pair.test_set,
                "models": [names[pair.first], names[pair.second]],
                **{statistic: getattr(pair, statistic) for statistic in _AGREEMENTS},
            }
            for pair in results.agreements
        ],
        "only_one": [{**vars(each), "model": names[each.model]} for each in results.only_one],
    }


def _ranking_object(ranking: Ranking, names: list[str]) -> Mapping[str, Any]:
    return {
        "test_set": ranking.name,
        "test_sets": ranking.test_sets,
        "n": ranking.n,
        "labelled": ranking.labelled,
        "left_out": [names[model] for model in ranking.left_out],
        "models": [
            {
                "model": names[model.model],
                "accuracy": model.accuracy,
                "rank": model.rank,
                "rank_low": model.low,
                "rank_high": model.high,
                "groups": [letters(group) for group in model.groups],
            }
            for model in ranking.models
        ],
        "pairs": [
            {"models": [names[one], names[other]], **vars(pair)}
            for (one, other), pair in ranking.pairs.items()
        ],
    }
