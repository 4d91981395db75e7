"""The mean over the cross-dataset benchmark: its name, published figures beside it, a base model."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from crossexam.core.dataset import Run
from crossexam.core.estimate import Estimate
from crossexam.evaluation.cross_dataset import benchmark_score, mean_difference, relative_gain
from crossexam.evaluation.measures import measure
from crossexam.evaluation.scores import score_both
from crossexam.evaluation.several.ranking import rankings
from crossexam.evaluation.several.together import score_together
from crossexam.published.figures import published
from crossexam.reports.analyses.cross_dataset import corpus_table, gain_table, score_table
from crossexam.reports.data import render_csv
from crossexam.reports.published_systems import other_pairs
from crossexam.reports.results import ReportOptions, results_of
from crossexam.reports.table import Marked
from crossexam.suites.cross_dataset_corpora import MEMBERS, REFERENCE
from made import runs as letters
from made.runs import dataset
from made.shown import csv_rows

PUBLISHED = published("zhang2020")


def run_of(name: str, right: Mapping[str, int | tuple[int, int]], *, complete: bool = True) -> Run:
    """Return a run with so many right answers, of a hundred or as said, on each corpus and the reference."""
    sets, said = [], {}
    for key, counts in right.items():
        count, rows = counts if isinstance(counts, tuple) else (counts, 100)
        place: dict[str, Any] = {"reference": True}
        if key != REFERENCE:
            member = MEMBERS[key]
            place = {"key": key, "title": member.title, "protocol": member.protocol, "complete": complete}
        premises = [f"{key} {n}" for n in range(rows)]
        sets.append(dataset(f"base.{key}", "N" * rows, premises=premises, cross_dataset=place))
        said[f"base.{key}"] = "N" * count + "E" * (rows - count)
    return letters.run_of(said, *sets, model=name)


def score_of(run: Run) -> Any:
    return benchmark_score(run, measure(run))


def rows_by_name(table: Any) -> dict[str, Any]:
    return {row[0]: row for row in table.rows}


def test_the_score_is_the_plain_mean() -> None:
    score = score_of(run_of("m", {"sick": 50, "cb": (9, 10), REFERENCE: 80}))
    assert score.mean.value == pytest.approx((0.5 + 0.9) / 2)  # whatever the sizes
    assert score.difference.value == pytest.approx(0.7 - 0.8)
    assert score.relative.value == pytest.approx(0.7 / 0.8 - 1)


def test_the_mean_allows_for_premises_that_corpora_share() -> None:
    run = run_of("m", {"sick": 50, "cb": 50, REFERENCE: 80})
    sick, cb = (run.datasets[f"base.{key}"] for key in ("sick", "cb"))
    premises = [each.premise for each in sick.examples]
    examples = tuple(replace(each, premise=new) for each, new in zip(cb.examples, premises, strict=True))
    same = score_of(replace(run, datasets={**run.datasets, cb.name: replace(cb, examples=examples)}))
    apart, sick_alone = score_of(run), score_of(run).accuracies["sick"]
    assert same.mean[:3] == pytest.approx(sick_alone[:3])  # of the same premises, one right as the other
    assert apart.mean.value - apart.mean.low == pytest.approx((sick_alone.value - sick_alone.low) / 2**0.5)
    assert (same.mean.clusters, apart.mean.clusters) == (100, 200)


def test_only_the_whole_benchmark_has_its_name() -> None:
    whole = run_of("m", dict.fromkeys(MEMBERS, 50))
    score = score_of(whole)
    assert (score.title, score.difference) == ("Cross-dataset benchmark", None)  # SNLI was not asked
    cut = {
        name: replace(each, examples=each.examples[:50], manifest={**each.manifest, "rows": 100})
        for name, each in whole.datasets.items()
    }
    answers = {name: each[:50] for name, each in whole.probabilities.items()}
    assert len(score_of(Run("m", cut, answers)).incomplete) == 14  # --limit of a run
    partly = run_of("m", dict.fromkeys(MEMBERS, 50), complete=False)
    assert score_of(partly).title.endswith(": 14 of 14 corpora, all in part")


def test_published_rows_are_means_of_the_same_corpora_and_marked_if_not_printed() -> None:
    """Table 2 prints 56.0 and -36.0 for ESIM, though the rounded figures of Table 5 give 55.94 and -36.1."""
    whole = {**dict.fromkeys(MEMBERS, 50), REFERENCE: 80}
    printed = PUBLISHED.table("summary")
    table = score_table(results_of([run_of("m", whole)]))
    names = ("mean", REFERENCE, "difference", "relative")
    for system in printed.rows:
        row = rows_by_name(table)[f"{system} (published)"]
        cells = [row[2], *row[4:]]
        assert cells == pytest.approx([(printed.value(system, name) or 0) / 100 for name in names])
        assert not any(isinstance(cell, Marked) for cell in cells)
    # ESIM on SICK and CB: 52.25 (Table 5); on SNLI, 88.0 as reported (Table 2)
    part = score_table(results_of([run_of("m", {"sick": 50, "cb": 50, REFERENCE: 80})]))
    cells = rows_by_name(part)["ESIM (published)"][2:]
    assert cells[:3] == pytest.approx((0.5225, 0.880, 0.875))
    assert [isinstance(cell, Marked) for cell in cells] == [True, False, False, True, True]


def test_two_models_differ_in_the_mean_where_a_premise_of_two_corpora_counts_once() -> None:
    """Two models have the method of several: the same items in two corpora say no more than in one."""

    def difference(*keys: str, same: bool = False) -> Estimate:
        runs = [run_of(name, dict.fromkeys(keys, right)) for name, right in (("m", 80), ("n", 60))]
        first = runs[0].datasets[f"base.{keys[0]}"].examples
        for run in runs if same else ():
            for name, each in run.datasets.items():
                run.datasets[name] = replace(each, examples=first)
        found = mean_difference(runs[0].datasets, *score_both(*runs))
        together = score_together(runs, runs[0].datasets, 0.0)
        if len(keys) > 1:
            assert rankings(together, 2, 0.05)[0].pair(0, 1).difference == found
        return found

    once, twice, apart = difference("sick"), difference("sick", "cb", same=True), difference("sick", "cb")
    assert once.value == pytest.approx(0.8 - 0.6)
    assert twice[:3] == pytest.approx(once[:3])
    assert apart.high - apart.low == pytest.approx((once.high - once.low) / 2**0.5)
    assert (twice.clusters, apart.clusters) == (100, 200)


def test_relative_improvement_is_table_3() -> None:
    base = run_of("base", dict.fromkeys(MEMBERS, 40) | {REFERENCE: 80})
    better = run_of("better", dict.fromkeys(MEMBERS, 44) | {REFERENCE: 76})
    gain = relative_gain(better, base)
    assert (gain.mean.value, gain.reference.value) == pytest.approx((44 / 40 - 1, 76 / 80 - 1))
    results = results_of([better, base], ReportOptions(relative_to=1))
    rows = rows_by_name(gain_table(results))
    assert (rows["better"][2], rows["better"][4]) == (gain.reference, gain.mean)
    printed = PUBLISHED.table("debiasing").value("drift", "mean.relative")
    assert rows["drift (published)"][4] == pytest.approx((printed or 0) / 100)


def test_published_accuracies_stand_beside_ours_corpus_by_corpus() -> None:
    """ESIM on WNLI: 51.1 (Table 5); of another number of pairs, marked, with both numbers below."""
    run = run_of("m", {"wnli": (300, 353), "sick": 50, REFERENCE: 80})
    results = results_of([run])
    table = corpus_table(results)
    (place,) = (k for k, column in enumerate(table.columns) if column.header == "ESIM")
    cells = [row[place] for row in table.rows]
    assert cells == pytest.approx([0.511, 0.57])
    assert [isinstance(cell, Marked) for cell in cells] == [True, True]  # this WNLI has one label
    rows = {(row["model"], row["test_set"]): row for row in csv_rows(render_csv(results))}
    sick, snli = (rows["ESIM (published)", f"base.{key}"] for key in ("sick", REFERENCE))
    assert (sick["statistic"], sick["value"]) == ("published_accuracy_of_other_items", "0.57")
    assert (snli["statistic"], snli["value"]) == ("published_accuracy", "0.875")
    wnli = run_of("m", {"wnli": (353, 353)}).datasets["base.wnli"]
    assert other_pairs(wnli) == "1 labels, published 2"
