"""The numbers of the three factors: tables, the published ones beside them, CSV and JSON."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import fisher_exact

from crossexam.core.dataset import Run
from crossexam.core.labels import LABELS, Label
from crossexam.evaluation.behaviour import FactorResult, factor_results
from crossexam.published.figures import published
from crossexam.reports.analyses.behaviour import behaviour_table, crossed_tables, factor_table, factors
from crossexam.reports.results import Results, results_of
from crossexam.reports.sections import figures_of
from crossexam.reports.table import Table
from crossexam.stats import bootstrap
from crossexam.stats.association import association
from made.runs import dataset

GOLDS: list[Label] = [LABELS[k % 3] for k in range(48)]


def info(k: int) -> dict[str, Any]:
    return {
        "seen": k % 4 > 0,
        "polarity": LABELS[k % 2] if k % 5 else "none",
        "control_label": GOLDS[k - k % 2],
        "pair": f"cat{k // 2}/pet",
    }


def a_run(part: str = "snli_train") -> Run:
    """A run over a control and three swaps of 48 items; the swaps have the same items and predictions."""
    shares = 0.4 * np.eye(3)[[LABELS.index(gold) for gold in GOLDS]]
    shares += np.random.default_rng(5).random((48, 3))
    datasets = {}
    for kind in ("i_h", "i_th", "i_ta1", "i_ta2"):
        base = None if kind == "i_h" else f"i_h.{part}"
        made = dataset(f"{kind}.{part}", "ENC" * 16, f"i_h.{part}", info=info)
        facts = {"construction": f"{kind}.v1", "part": part, "paired": True, "base_set": base}
        datasets[made.name] = replace(made, manifest=facts)
    probabilities = {name: shares[::-1] if name.startswith("i_h") else shares for name in datasets}
    return Run("mine", datasets, probabilities)


@pytest.fixture(scope="module")
def results() -> Results:
    return results_of([a_run()])


@pytest.fixture(autouse=True, scope="module")
def _fewer_draws() -> Iterator[None]:
    """Tenths of a second per p-value, in place of seconds; tests/stats has those of 99,999 draws."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bootstrap, "FEWEST_DRAWN", 19_999)
        patch.setattr(bootstrap, "MOST_DRAWN", 199_999)
        yield


def by_factor(run: Run) -> dict[str, FactorResult]:
    return {each.factor: each for each in factor_results(run)}


def published_rows(table: Table) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """The published rows of *table* by test set and the next cells."""
    return {row[:3]: row[3:] for row in table.rows if any("(published)" in str(cell) for cell in row)}


def test_published_figures_stand_below_the_sets_that_they_are_of(results: Results) -> None:
    ta1, ta2, th = (results.short_names[f"{kind}.snli_train"] for kind in ("i_ta1", "i_ta2", "i_th"))
    rows = published_rows(factor_table(results))
    assert rows[ta2, "insensitivity", "ESIM (published)"][2] == "175.34 (1)"
    changed, _, polarity = crossed_tables(results)
    assert published_rows(polarity)[ta1, "DAM (published)", "contradiction"][:3] == (3, 5, 543)
    assert published_rows(changed)[ta2, "ESIM (published)", "change"][:2] == (155, 31)
    # Of items whose control has another gold label: those with an odd number, since it is the one before.
    shares = {row[:2]: row[4] for row in behaviour_table(results).rows}
    assert (shares[th, "mine"], shares[ta1, "mine"], shares[th, "ESIM (published)"]) == (0.5, None, 0.42)
    assert not published_rows(factor_table(results_of([a_run("mine")])))


def test_published_counts_give_the_published_statistics() -> None:
    study = published("sanchez2018")
    cases = ("insensitivity", "ESIM", "i_ta2"), ("unseen", "DAM", "i_ta1"), ("polarity", "DAM", "i_ta1")
    for factor, system, kind in cases:
        counts = [list(row.values()) for row in study.table(f"{factor}_counts").cells.values()]
        found = association(counts)
        assert study.table(f"{factor}_test").value(system, kind) == int(100 * found.statistic) / 100
    assert study.table("polarity_freedom").value(system, kind) == found.freedom


def test_the_data_have_the_numbers_of_each_factor() -> None:
    run, answers = a_run(), {}
    for kind, wrong in (("i_th", {0, 1, 4, 8}), ("i_ta1", {*range(0, 48, 4)})):
        places = [(k + (k in wrong)) % 3 for k in range(48)]
        answers[f"{kind}.snli_train"] = 0.1 + 0.7 * np.eye(3)[places]
    results = results_of([replace(run, probabilities={**run.probabilities, **answers})])
    found = {(each.test_set, each.of, each.statistic): each.value for each in figures_of(results)}
    tested = factors(results.models[0])
    assert any(each.p_holm < each.p_bonferroni < 1 for each in tested)
    for each in tested:
        numbers = {name: getattr(each, name) for name in ("p_value", "p_holm", "share", "odds_ratio")}
        for name, number in {**numbers, "g": each.test.statistic}.items():
            assert number is None or found[each.test_set, each.factor, f"factor_{name}"] == number, name
        cell = f"{each.factor}: {each.crossed.rows[0]}>{each.crossed.columns[1]}"
        counts = [number for (name, of, _), number in found.items() if (name, of) == (each.test_set, cell)]
        assert each.crossed.counts[0, 1] in counts


@pytest.mark.parametrize("left_out", ["i_ta2.snli_train", "i_h.snli_train"])
def test_what_only_has_bounds_counts_in_the_correction(left_out: str) -> None:
    """Seven tests were planned; without the control, insensitivity to it is not tested either."""
    run = a_run()
    places = [(LABELS.index(gold) + (k % 4 == 0 or k < 6)) % 3 for k, gold in enumerate(GOLDS)]
    mostly_unseen = dict.fromkeys(run.datasets, np.eye(3)[places])
    run = replace(run, probabilities=mostly_unseen | {"i_h.snli_train": run.answers("i_h.snli_train")})
    whole, found = factor_results(run), factor_results(run, left_out=[left_out])
    assert sum(each.test.freedom > 0 for each in whole) == 7
    assert all(each.test_set != left_out for each in found)
    assert any(each.factor == "insensitivity" for each in found) is (left_out != "i_h.snli_train")
    (unseen,) = (e for e in found if (e.kind, e.factor) == ("i_th", "unseen pairs"))
    assert 0 < unseen.p_value < 1e-4
    assert unseen.p_bonferroni == unseen.p_holm == pytest.approx(7 * unseen.p_value)


def with_pairs(pairs: list[str]) -> Run:
    """A run over a set of items of these word pairs, and their controls."""
    run = a_run()
    swapped, control = run.datasets["i_th.snli_train"], run.datasets["i_h.snli_train"]
    items = [
        replace(item, info={**item.info, "pair": pair}) for item, pair in zip(swapped, pairs, strict=True)
    ]
    datasets = {control.name: control, swapped.name: replace(swapped, examples=items)}
    return replace(run, datasets=datasets, probabilities={name: run.probabilities[name] for name in datasets})


def test_what_is_a_property_of_the_pair_is_permuted_over_pairs() -> None:
    """All unseen items are of one pair: one of four pairs, so that p cannot be below a fourth."""
    unseen = [k % 4 == 0 for k in range(48)]
    run = with_pairs(["dog/pet" if each else f"cat{k % 3}/pet" for k, each in enumerate(unseen)])
    places = [(LABELS.index(gold) + each) % 3 for gold, each in zip(GOLDS, unseen, strict=True)]
    run.probabilities["i_th.snli_train"][:] = np.eye(3)[places]
    found = by_factor(run)["unseen pairs"]
    assert found.crossed.counts.tolist() == [[36, 0], [0, 12]]
    assert found.test.p < 1e-9
    assert (found.p_value, found.pairs, found.by_pairs.n_eff) == (1 / 4, 4, 4)


def test_changes_are_permuted_within_a_pair_whose_orders_are_one() -> None:
    found = by_factor(with_pairs(["cat/pet" if k % 3 else "pet/cat" for k in range(48)]))
    assert {each.pairs for each in found.values()} == {1}
    assert found["unseen pairs"].p_value == 1  # two units, of which either can be the unseen one
    same = by_factor(with_pairs(["cat/pet"] * 48))["insensitivity"]
    assert same.p_value == fisher_exact(same.crossed.counts)[1]
    assert by_factor(with_pairs([f"cat{k}/pet" for k in range(48)]))["insensitivity"].p_value == 1
