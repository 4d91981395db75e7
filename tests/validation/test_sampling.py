"""What is drawn for judges, and what they are asked: shares of strata, controls, errors of models."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossexam.core.dataset import Dataset
from crossexam.core.labels import LABELS
from crossexam.runs.folder import save_run
from crossexam.validation.answer_log import Judgement
from crossexam.validation.apply import apply_verdicts
from crossexam.validation.questions import chosen_questions, questions_for
from crossexam.validation.sampling import (
    SampleRequest,
    coordinated_sample,
    sample_outcomes,
    systematic_sample,
)
from crossexam.validation.study import Study, open_study
from crossexam.validation.verdict import VerdictRule, question_results
from made.cases import refused
from made.commands import invoke
from made.runs import run_of


def test_every_item_has_the_same_chance_with_controls_or_without() -> None:
    roots = [f"r{n}" for n in range(10)]
    strata = [0] * 7 + [1] * 3
    alone, with_controls = Counter[int](), Counter[int]()
    for seed in range(3000):
        alone.update(systematic_sample(strata, 4, seed=seed, name="x"))
        with_controls.update(coordinated_sample(strata, roots, 4, seed=seed, name="x"))
    # 3000 * 4/10 = 1200 with a standard deviation of 27: five of them
    assert all(abs(times[place] - 1200) < 135 for times in (alone, with_controls) for place in range(10))


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=60), st.integers(1, 80), st.integers(0, 9))
def test_a_stratum_gets_its_share_and_no_item_twice(strata: list[str], n: int, seed: int) -> None:
    drawn = systematic_sample(strata, n, seed=seed, name="x")
    assert len(drawn) == len(set(drawn)) == min(n, len(strata))
    assert set(drawn) <= set(range(len(strata)))
    for stratum in set(strata):
        share = strata.count(stratum) * len(drawn) / len(strata)
        assert abs(sum(strata[item] == stratum for item in drawn) - share) < 1


@pytest.mark.parametrize("swaps", [60, 15])
def test_items_are_drawn_with_their_controls(items: Any, study_of: Any, swaps: int) -> None:
    """A control of 60 items, a swap of the first so many of them, and a swap of each of those."""
    sets = [items("i_h", "ENC" * 20)]
    for name in ("e_h", "e_th"):
        base, derived = sets[-1], items(name, "ENC" * (swaps // 3), status="proposed")
        examples = tuple(replace(each, base=of.id) for each, of in zip(derived, base, strict=False))
        sets.append(Dataset(derived.name, examples, {**derived.manifest, "base_set": base.name}))
    study, again, other = (
        study_of(*sets, per_set=9, seed=seed, folder=str(place)) for place, seed in enumerate((1, 1, 2))
    )
    assert study.items == again.items != other.items
    drawn: dict[str, set[str]] = {}
    for item in study.items.values():
        drawn.setdefault(item.test_set, set()).add(item.example.partition(":")[2])
    strata = Counter((item.test_set, item.gold) for item in study.items.values())
    extra = study.manifest.test_sets["i_h.dev"].for_pairs or 0
    assert drawn["e_th.dev"] <= drawn["e_h.dev"] <= drawn["i_h.dev"]
    assert [strata["e_th.dev", label] for label in LABELS] == [3, 3, 3]
    assert len(drawn["i_h.dev"]) == 9 + extra
    assert (extra == 0) == (swaps == 60)  # the same items of all sets, if all have a swap


def test_what_cannot_be_drawn_is_said(items: Any, study_of: Any) -> None:
    base = Dataset("base.dev", items("x", "E").examples, {"construction": "base"})
    one = items("negation", "E")
    same = Dataset("negation.dev", (one.examples[0], one.examples[0]))
    rows: list[tuple[Dataset, dict[str, Any], str]] = [
        (base, {}, "nothing but its base"),
        (one, {"sets": ("negations",)}, "'negations'"),
        (same, {}, "'negation:0'"),
        (Dataset("a.dev", ()), {}, "no items to judge"),
    ]
    for dataset, request, culprit in rows:
        assert culprit in refused(study_of, dataset, **request)
    study = study_of(one)
    assert study_of(one).judges == study.judges  # as after a kill: the same study is not drawn anew
    study.record(Judgement("judge-1", 1, "label", "neutral"))
    assert "not empty" in refused(study_of, one)


def test_errors_are_drawn_with_hints_to_their_source(of_an_error: Study, tmp_path: Path) -> None:
    (item,) = of_an_error.items.values()
    assert (item.example, item.gold, item.predicted) == ("b0", "contradiction", "neutral")
    assert ("antonymy", "hot/cold") in item.suggested
    of_an_error.record(Judgement("judge-1", 1, "category", "antonymy"))
    (finding,) = question_results(of_an_error)
    assert finding.answers == {"antonymy": 1}
    assert "does not ask for labels" in refused(apply_verdicts, of_an_error, tmp_path, VerdictRule())


def test_items_are_drawn_by_what_all_runs_get_wrong_and_right(tmp_path: Path, items: Any) -> None:
    dataset = items("antonymy", "CCCCCC", pair="hot/cold")
    said = {"one": "ENCCEE", "other": "EECCC?"}
    runs = {name: run_of({dataset.name: each}, dataset, model=name) for name, each in said.items()}

    def drawn(wrong: list[str], right: list[str]) -> set[str]:
        folder = tmp_path / "-".join([*wrong, "and", *right])
        given = {"wrong": [runs[name] for name in wrong], "right": [runs[name] for name in right]}
        manifest = sample_outcomes(folder, SampleRequest(judges=2), **given, origin="runs")
        assert (manifest.facts["wrong"], manifest.facts["right"]) == (wrong, right)
        return {item.example.partition(":")[2] for item in open_study(folder).items.values()}

    assert drawn(["one", "other"], []) == {"0", "1"}  # what was not answered is not wrong
    assert drawn([], ["one", "other"]) == {"2", "3"}
    assert drawn(["one"], ["other"]) == {"4"}
    said_of_none = refused(drawn, ["other"], ["one"])
    assert "no item to ask about is wrong in 'other', right in 'one'" in said_of_none
    for name in said:
        save_run(runs[name], tmp_path / name)
    invoke(f"validate sample --errors {tmp_path}/one --right-in {tmp_path}/other -o {tmp_path}/command")
    (item,) = open_study(tmp_path / "command").items.values()
    assert item.example == "antonymy:4"


def test_questions_go_with_constructions(items: Any, study_of: Any) -> None:
    base = Dataset("base.dev", items("x", "E").examples, {"construction": "base"})
    study = study_of(base, items("antonymy", "C"), items("numerical_reasoning", "E"))
    assert {item.test_set: item.asked for item in study.items.values()} == {
        "antonymy.dev": ("label", "grammatical"),
        "numerical_reasoning.dev": ("label", "grammatical", "trivial"),
    }  # and nothing of the base
    assert questions_for("anything.v1", is_swap=True) == ("label", "sensible")
    assert "shows the gold label" in refused(chosen_questions, ["label", "category"])
