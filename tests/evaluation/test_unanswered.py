"""Measures of runs with missing answers, against all ways in which the items could have been answered."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

import crossexam as cx
from crossexam.core.dataset import Dataset, Reading, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Bounds, Estimate
from crossexam.core.example import Example
from crossexam.core.labels import Label
from crossexam.core.outcome import Outcome, Outcomes
from crossexam.evaluation.comparison import compare_runs
from crossexam.evaluation.keys import keyed_comparisons, keyed_results
from crossexam.evaluation.lexically_misleading import misled_parts
from crossexam.evaluation.measures import TestSetResult, accuracy_by_set, measure
from crossexam.evaluation.scores import score_run
from crossexam.evaluation.several.joint import joint_outcomes
from crossexam.evaluation.slices import accuracy_by_value
from crossexam.evaluation.truncation import truncations
from crossexam.evaluation.unanswered import answered_part
from crossexam.evaluation.verified import by_status, predicted_shares
from crossexam.reports.headline import drops_shown
from crossexam.stats.estimate import share_correct
from crossexam.stats.paired import clustered_mcnemar, paired_difference
from crossexam.stats.power import minimum_detectable_drop

NAMES: Mapping[str, Label | None] = {"E": "entailment", "N": "neutral", "C": "contradiction", "-": None}
#: What no limit is too low for.
ANY = 1.0


def dataset(name: str, gold: str, info: Sequence[Mapping[str, Any]] = (), **manifest: Any) -> Dataset:
    """A test set with an item a letter of *gold*; two items share a premise."""
    kind = name.partition(".")[0]
    examples = tuple(
        Example(
            f"{kind}:{k}",
            f"P {k // 2}.",
            f"{kind} {k}.",
            NAMES[letter],
            base=f"base:{k}",
            info={"cluster": str(k // 2), **(info[k] if info else {})},
        )
        for k, letter in enumerate(gold)
    )
    return Dataset(name, examples, {"construction": f"{kind}.v1", "part": "dev", **manifest})


def run_of(answers: Mapping[str, str], *datasets: Dataset, two_labels: bool = False) -> Run:
    """A run whose answers are letters; ? is a refusal, and ! an answer that was cut."""
    statuses = {"?": "refused", "!": "cut"}
    rows, outcomes = {}, {}
    for name, letters in answers.items():
        table = [[float(a == each) for each in "ENC"] if a in "ENC" else [np.nan] * 3 for a in letters]
        rows[name] = np.array(table).reshape(-1, 3)
        if set(letters) & set(statuses):
            outcomes[name] = Outcomes.of(
                [Outcome(statuses.get(letter, "answered")) for letter in letters], len(letters)
            )
    manifest = {"details": {"two_label": two_labels}}
    return Run("py/toy", {each.name: each for each in datasets}, rows, manifest, {}, outcomes)


def filled_in(answers: Mapping[str, str], golds: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Yield *answers* with every combination of right and wrong in place of what is missing."""
    places = [(name, k) for name, letters in answers.items() for k, a in enumerate(letters) if a in "?!"]
    for choice in product((True, False), repeat=len(places)):
        made = {name: list(letters) for name, letters in answers.items()}
        for (name, k), is_right in zip(places, choice, strict=True):
            gold = golds[name][k]
            made[name][k] = gold if is_right else ("N" if gold == "E" else "E")
        yield {name: "".join(letters) for name, letters in made.items()}


GOLD = "ENCENCENCE"
BASE = dataset("base.dev", GOLD, base_set=None, keeps_label=True)
NEGATION = dataset("negation.dev", GOLD, base_set="base.dev", keeps_label=True)
ANTONYMY = dataset("antonymy.dev", "CCCCCCCC", base_set="base.dev", keeps_label=False)
SETS = (BASE, NEGATION, ANTONYMY)
GOLDS_OF = {"base.dev": GOLD, "negation.dev": GOLD, "antonymy.dev": "CCCCCCCC"}
HOLES = {"base.dev": "EN?ENEEN!E", "negation.dev": "?NCNNCEEC?", "antonymy.dev": "CEC!CCNC"}


def results(answers: Mapping[str, str], *, limit: float = ANY, **details: Any) -> dict[str, TestSetResult]:
    return {each.name: each for each in measure(run_of(answers, *SETS, **details), max_unanswered=limit)}


def extremes(values: Sequence[Estimate | None]) -> tuple[Estimate, Estimate]:
    """The least and the most of *values*, without their widths, which the values do not determine."""
    given = [value for value in values if value is not None]
    return min(given, key=lambda each: each.value), max(given, key=lambda each: each.value)


@pytest.mark.parametrize("two_labels", [False, True])
def test_bounds_are_those_of_all_possible_answers(two_labels: bool) -> None:
    found = results(HOLES, two_labels=two_labels)
    every = [results(made, two_labels=two_labels) for made in filled_in(HOLES, GOLDS_OF)]
    assert len(every) == 2**5
    for name, result in found.items():
        least, most = extremes([each[name].accuracy for each in every])
        assert (result.unanswered.accuracy.least, result.unanswered.accuracy.most) == (least, most)
        drops = [each[name].drop or each[name].difference for each in every]
        if any(drops):
            least, most = extremes(drops)
            bounds = result.unanswered.drop
            assert bounds.least.value == pytest.approx(least.value)
            assert bounds.most.value == pytest.approx(most.value)
            assert bounds.least in drops
            assert bounds.most in drops
            least, most = extremes([each[name].base_accuracy for each in every])
            assert result.unanswered.base_accuracy == Bounds(least, most)


def test_measures_are_of_the_answered_items() -> None:
    found = results(HOLES)
    base, negation, antonymy = found["base.dev"], found["negation.dev"], found["antonymy.dev"]
    assert (base.n, base.labelled, base.accuracy.value) == (8, 10, 7 / 8)
    assert base.unanswered.counts == {"refused": 1, "cut": 1}
    assert sum(map(sum, negation.confusion)) == negation.n == 8
    pairs = [1, 3, 4, 5, 6, 7]  # both sides were answered
    before = [HOLES["base.dev"][k] == GOLD[k] for k in pairs]
    after = [HOLES["negation.dev"][k] == GOLD[k] for k in pairs]
    clusters = [k // 2 for k in pairs]
    assert negation.drop == paired_difference(before, after, clusters)
    assert negation.base_accuracy == share_correct(before, clusters)
    assert negation.p_value == clustered_mcnemar(before, after, clusters).p_exact
    flipped = [HOLES["base.dev"][k] != HOLES["negation.dev"][k] for k in pairs]
    assert negation.flip_rate == share_correct(flipped, clusters)
    assert (negation.unanswered.pairs, negation.unanswered.pairs_missing) == (10, 4)
    assert antonymy.drop is None
    assert antonymy.difference is not None
    assert antonymy.unanswered is not None
    assert base.majority.share == "ENENCENE".count("E") / 8  # of the gold labels of the answered items


def test_above_the_limit_there_are_only_bounds() -> None:
    found = results(HOLES, limit=0.05)
    for name, result in found.items():
        assert result.only_bounds
        assert isinstance(result.accuracy, Bounds)
        assert math.isnan(result.accuracy.value)
        assert result.accuracy.low <= result.accuracy.least.value <= result.accuracy.most.value
        assert result.accuracy.most.value <= result.accuracy.high
        assert result.loss is None
        assert isinstance(result.lost, Bounds) == (name != "base.dev")
        assert result.majority is None
        for number in ("p_value", "p_mid", "p_holm", "mcnemar", "flip_rate", "minimum_detectable_drop"):
            assert getattr(result, number) is None
        assert result.false_entailment_share is None
    assert f"{found['base.dev'].accuracy:.0f}".startswith("70 to 90 [")
    assert "drop -10.0 to 30.0 [" in repr(found["negation.dev"])


def test_the_limit_is_a_share_that_may_be_reached() -> None:
    answers = {"base.dev": "E?CENCENCE", "negation.dev": GOLD}
    for limit, only in ((0.1, False), (0.0999, True)):
        base, negation = measure(run_of(answers, BASE, NEGATION), max_unanswered=limit)
        assert base.only_bounds is only
        assert not negation.only_bounds
        assert isinstance(negation.accuracy, Bounds) is False
        assert isinstance(negation.drop, Bounds) is only
        assert (negation.p_holm is None) is only
        assert negation.unanswered is not None  # its base lacks an answer
        assert negation.unanswered.count == 0


def test_a_test_set_without_any_answer_has_the_widest_bounds() -> None:
    answers = {"base.dev": "?" * 10, "negation.dev": GOLD}
    base, negation = measure(run_of(answers, BASE, NEGATION))
    assert (base.n, base.labelled) == (0, 10)
    assert isinstance(base.accuracy, Bounds)
    assert (base.accuracy.least.value, base.accuracy.most.value) == (0, 1)
    assert isinstance(negation.drop, Bounds)
    assert (negation.drop.least.value, negation.drop.most.value) == (-1, 0)
    assert negation.accuracy.value == 1


def test_items_without_a_gold_label_are_counted_but_not_scored() -> None:
    (result,) = measure(run_of({"base.dev": "E?NEC!"}, dataset("base.dev", "E-N-C-")))
    assert result.unanswered.counts == {"refused": 1, "cut": 1}
    counted = (result.n, result.unlabelled, result.unanswered.labelled, result.unanswered.missing)
    assert (*counted, result.accuracy.value, result.only_bounds) == (3, 3, 3, 0, 1, False)


def test_slices_have_bounds_where_too_many_are_missing() -> None:
    genres = [{"genre": "fiction" if k < 6 else "travel" if k < 9 else "letters"} for k in range(10)]
    data = dataset("base.dev", GOLD, genres)
    answers = {"base.dev": "ENCENNE?C!"}
    slices = accuracy_by_value(run_of(answers, data), "genre", max_unanswered=0.4)["base.dev"]
    assert slices["fiction"] == share_correct([1, 1, 1, 1, 1, 0], [0, 0, 1, 1, 2, 2])
    assert slices["travel"] == share_correct([1, 1], [3, 4])
    assert isinstance(slices["letters"], Bounds)
    assert (slices["letters"].least.value, slices["letters"].most.value) == (0, 1)
    few = accuracy_by_value(run_of(answers, data), "genre", max_unanswered=0.3)["base.dev"]
    assert isinstance(few["travel"], Bounds)
    assert (few["travel"].least.value, few["travel"].most.value) == (2 / 3, 1)
    assert not isinstance(few["fiction"], Bounds)
    (result,) = measure(run_of(answers, data), max_unanswered=0.4)
    assert result.slices["genre"] == slices
    assert sum(each.n for each in result.slices["gold"].values()) <= 10


def test_accuracies_in_python_obey_the_limit() -> None:
    run = run_of(HOLES, *SETS)
    assert cx.accuracy(run, max_unanswered=1)["base.dev"].value == 7 / 8
    assert isinstance(cx.accuracy(run)["base.dev"], Bounds)
    assert accuracy_by_set(run, max_unanswered=0.2)["base.dev"].value == 7 / 8
    assert isinstance(cx.accuracy_by(run, "gold")["base.dev"]["contradiction"], Bounds)
    for wrong in (-0.1, 1.5, "5 %", True):
        with pytest.raises(CrossexamError, match="largest share of unanswered items"):
            cx.accuracy(run, max_unanswered=wrong)  # type: ignore[arg-type]


OTHER = {"base.dev": "E?CENCNNCE", "negation.dev": GOLD, "antonymy.dev": "NNNNCCC?"}


def test_comparisons_are_of_items_that_both_answered() -> None:
    a, b = run_of(HOLES, *SETS), run_of(OTHER, *SETS)
    base, negation, _ = compare_runs(a, b, max_unanswered=ANY)
    both = [0, 3, 4, 5, 6, 7, 9]
    one = [HOLES["base.dev"][k] == GOLD[k] for k in both]
    two = [OTHER["base.dev"][k] == GOLD[k] for k in both]
    clusters = [k // 2 for k in both]
    assert base.n == 7
    assert base.difference == paired_difference(one, two, clusters)
    assert (base.accuracy_a, base.accuracy_b) == (share_correct(one, clusters), share_correct(two, clusters))
    assert base.p_value == clustered_mcnemar(one, two, clusters).p_exact
    assert (base.unanswered.a, base.unanswered.b, base.unanswered.missing) == (2, 1, 3)
    assert negation.unanswered.b == 0


def test_bounds_of_a_comparison_are_those_of_all_possible_answers() -> None:
    a, b = run_of(HOLES, *SETS), run_of(OTHER, *SETS)
    found = compare_runs(a, b, max_unanswered=0.0)
    every = [
        compare_runs(run_of(one, *SETS), run_of(two, *SETS))
        for one in filled_in(HOLES, GOLDS_OF)
        for two in filled_in(OTHER, GOLDS_OF)
    ]
    for place, pair in enumerate(found):
        differences = [each[place].difference for each in every]
        least, most = extremes(differences)
        assert isinstance(pair.difference, Bounds)
        assert pair.difference.least.value == pytest.approx(least.value)
        assert pair.difference.most.value == pytest.approx(most.value)
        assert {pair.difference.least, pair.difference.most} <= set(differences)
        assert isinstance(pair.accuracy_a, Bounds)
        assert isinstance(pair.accuracy_b, Bounds)
        assert (pair.p_value, pair.p_mid, pair.p_holm) == (None, None, None)
        assert "p_holm=none" in repr(pair)


@pytest.mark.parametrize("bounded", [0, 4, 8])
def test_corrections_count_the_tests_that_were_planned(bounded: int) -> None:
    """Nine paired tests, of which some have only bounds: the p-value of the first is corrected for nine."""
    gold = GOLD * 10
    base = dataset("base.dev", gold, base_set=None, construction="base")
    paired = [dataset(f"set{k}.dev", gold, base_set="base.dev", keeps_label=True) for k in range(9)]
    unpaired = dataset("antonymy.dev", "C" * 60, base_set="base.dev", keeps_label=False)
    few = {f"set{k}.dev": gold for k in range(1, 9 - bounded)}
    holes = {f"set{k}.dev": "?" * (20 if k % 2 else 100) + gold[20:] * (k % 2) for k in range(9 - bounded, 9)}
    said = {"base.dev": gold, "set0.dev": "N" * 20 + gold[20:], "antonymy.dev": "C" * 60, **few, **holes}
    run = run_of(said, base, *paired, unpaired)
    found = {each.name: each for each in measure(run)}
    first = found["set0.dev"]
    assert [each.name for each in found.values() if each.only_bounds] == list(holes)
    assert first.p_value is not None
    assert first.p_holm == pytest.approx(9 * first.p_value)
    assert first.effective_pairs is not None
    discordant = (first.mcnemar.b + first.mcnemar.c) / 100
    assert first.minimum_detectable_drop == minimum_detectable_drop(
        first.effective_pairs, discordant, 0.05 / 9
    )
    right = {name: gold if name != "antonymy.dev" else "C" * 60 for name in said}
    compared = {each.name: each for each in compare_runs(run, run_of(right, base, *paired, unpaired))}
    assert compared["set0.dev"].p_value is not None
    assert compared["set0.dev"].p_holm == pytest.approx(11 * compared["set0.dev"].p_value)


def test_unpaired_differences_are_corrected_for_those_with_only_bounds_too() -> None:
    """The interval of a single difference lies above 0, but not if it is one of twenty that were planned."""
    gold = GOLD * 10
    base = dataset("base.dev", gold, base_set=None, construction="base")
    others = [dataset(f"set{k}.dev", "C" * 60, base_set="base.dev", keeps_label=False) for k in range(20)]
    said = {"base.dev": gold, "set0.dev": "N" * 10 + "C" * 50}
    alone = measure(run_of(said, base, others[0]))
    assert drops_shown(alone) == {"set0.dev"}
    holes = {each.name: "?" * 30 + "C" * 30 for each in others[1:]}
    assert drops_shown(measure(run_of({**said, **holes}, base, *others))) == frozenset()


def test_the_part_that_two_models_answered() -> None:
    a, b = run_of(HOLES, *SETS), run_of({**OTHER, "base.dev": GOLD, "antonymy.dev": "C" * 8}, *SETS)
    first, second = answered_part(a, b, 0.15)
    assert list(first.datasets) == list(second.datasets) == ["antonymy.dev"]
    assert first.outcomes_of("antonymy.dev").unanswered() == {"cut": 1}


def test_joint_outcomes_and_keys_leave_out_what_one_did_not_answer() -> None:
    pairs = [{"pair": "hot/cold" if k % 2 else "big/small"} for k in range(8)]
    data = dataset("antonymy.dev", "CCCCCCCC", pairs)
    one, two = run_of({"antonymy.dev": "CEC!CCNC"}, data), run_of({"antonymy.dev": "CENN?CNC"}, data)
    (joint,) = joint_outcomes(one, two)
    assert (joint.n, joint.both_right, joint.both_wrong) == (6, 3, 2)
    assert joint.same_errors == {"C-E": 1, "C-N": 1}
    (keyed,) = keyed_results(one)
    assert (keyed.n, keyed.over_items.value) == (7, 5 / 7)
    (compared,) = keyed_comparisons(one, two)
    assert (compared.n, compared.over_items.value) == (6, 1 / 6)


def test_judged_items_without_an_answer_are_left_out() -> None:
    judged = [{"judge_labels": ["neutral", "neutral"]} for _ in range(4)]
    data = dataset("negation.dev", "NNNN", judged)
    shares = predicted_shares(run_of({"negation.dev": "N?EN"}, data), "negation.dev")
    assert shares["neutral"].n == 3
    assert shares["neutral"].value == 2 / 3


def test_labels_predicted_for_judged_items_are_those_that_are_scored() -> None:
    judged = [{"judge_labels": ["neutral", "neutral"]} for _ in range(4)]
    plain = dataset("negation.dev", "NNNN", judged)
    of_two = dataset("negation.dev", "NNNN", judged, projection="no contradiction")
    found = [
        {label: share.value for label, share in predicted_shares(run, "negation.dev").items()}
        for data in (plain, of_two)
        for run in (run_of({"negation.dev": "NEEN"}, data, two_labels=each) for each in (True, False))
    ]
    half = {"entailment": 0.5, "neutral": 0.5}
    assert found == [
        {"entailment": 0.5, "not_entailment": 0.5},
        {**half, "contradiction": 0.0},
        half,
        half,
    ]


def test_truncation_and_misleading_parts_have_bounds_too() -> None:
    scores = [{"lexically_misleading_score": 0.1 * k} for k in range(10)]
    data = dataset("base.dev", GOLD, scores, base_set=None, construction="base")
    run = run_of({"base.dev": "ENCENCE?C!"}, data)
    cut = np.arange(10) < 4
    (found,) = truncations(replace(run, reading={"base.dev": Reading(cut, cut)}), max_unanswered=0.25)
    assert found.accuracy.value == 1
    assert isinstance(found.accuracy_read, Bounds)
    assert (found.accuracy_read.least.value, found.accuracy_read.most.value) == (4 / 6, 1)
    whole, highest = misled_parts(run, (0.0, 0.65), max_unanswered=0.25)
    assert (whole.size, whole.model.value) == (10, 1)
    assert highest.size == 3
    assert isinstance(highest.model, Bounds)
    assert (highest.model.least.value, highest.model.most.value) == (1 / 3, 1)


def test_parts_by_status_keep_the_outcomes() -> None:
    info = [
        {"status": "proposed", "verdict": "verified"} if k < 4 else {"status": "proposed"} for k in range(8)
    ]
    data = dataset("antonymy.dev", "CCCCCCCC", info)
    parts = by_status(run_of({"antonymy.dev": "C?CCCC!?"}, data))
    counts = {name: parts.outcomes_of(name).unanswered() for name in parts.datasets}
    assert counts == {
        "antonymy.dev (verified)": {"refused": 1},
        "antonymy.dev (proposed)": {"refused": 1, "cut": 1},
    }


def test_scores_never_hold_a_label_that_was_not_predicted() -> None:
    run = run_of(HOLES, *SETS)
    for name, scored in score_run(run).items():
        assert (scored.answered == run.answered(name)).all()
        assert not scored.answered.all()
        assert (scored.known.predicted >= 0).all()
        assert (scored.predicted[~scored.answered] == -1).all()
        assert scored.right.most.sum() - scored.right.least.sum() == (~run.answered(name)).sum()
        assert len(scored.gold) == len(run.datasets[name])
