"""Verdicts in suites, runs and reports: what is written, what becomes of the gold label, what is scored."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Change, Example
from crossexam.core.files import read_json
from crossexam.core.labels import LABEL_INDEX
from crossexam.core.test_sets import read_suite
from crossexam.evaluation.measures import accuracy_by_set
from crossexam.evaluation.verified import by_status, verified_only
from crossexam.runs.folder import save_run
from crossexam.runs.saved import read_run
from crossexam.validation import apply
from crossexam.validation.apply import Applied, apply_verdicts
from crossexam.validation.study import Study, open_study
from crossexam.validation.verdict import Verdict, VerdictRule
from made.commands import invoke
from made.runs import run_of
from made.suites import contents, write_suite

#: Five contradictions and how three judges label them: two are verified, two rejected, one is open.
ANTONYMS = {f"antonymy:{n}": said for n, said in enumerate(("CCC", "CCN", "CNE", "NNN", "C.N"))}


@pytest.fixture
def judged(items: Any, study_of: Any) -> Study:
    study: Study = study_of(items("antonymy", "CCCCC", status="proposed"), answers={"label": ANTONYMS})
    return study


def accuracies(run: Run) -> dict[str, tuple[float, int]]:
    return {name: (each.value, each.n) for name, each in accuracy_by_set(run).items()}


def with_info(dataset: Dataset, *changes: dict[str, Any], **facts: Any) -> Dataset:
    """Return *dataset* with more info and other fields for each item, and more *facts* in its manifest."""
    examples = (
        replace(each, **{**change, "info": {**each.info, **change.get("info", {})}})
        for each, change in zip(dataset, changes, strict=True)
    )
    return Dataset(dataset.name, tuple(examples), {**dataset.manifest, **facts})


@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
def test_verdicts_go_into_the_suite(judged: Study, items: Any, suffix: str, tmp_path: Path) -> None:
    antonymy = items("antonymy", "CCCCC", status="proposed")
    folder = write_suite(tmp_path / "suite", antonymy, items("negation", "E"), suffix=suffix)
    assert apply_verdicts(judged, folder, VerdictRule()) == {"antonymy.dev": Applied(2, 2, 1, {})}
    written = {item.id: dict(item.info) for item in read_suite(folder)["antonymy.dev"]}
    labels = ["contradiction", "contradiction", "neutral"]
    told = {"status": "verified", "verdict": "verified", "agreed": [2, 3], "judge_labels": labels}
    assert written["antonymy:1"] == {"cluster": "antonymy1", **told}
    statuses = ["verified", "verified", "rejected", "rejected", "proposed"]
    assert [written[name]["status"] for name in ANTONYMS] == statuses
    after = contents(folder)
    apply_verdicts(judged, folder.parent, VerdictRule())  # a folder that has the suite
    assert contents(folder) == after  # again: nothing changes
    number = next(item.number for item in judged.items.values() if item.example == "antonymy:1")
    while any(a.item == number for a in judged.judgements("judge-1")):
        judged.undo("judge-1")
    apply_verdicts(judged, folder, VerdictRule())
    assert dict(read_suite(folder)["antonymy.dev"].examples[1].info) == {
        "cluster": "antonymy1",
        "status": "proposed",  # an open item loses its verdict
        "judge_labels": ["contradiction", "neutral"],
    }


def test_another_suite_is_left_alone(judged: Study, items: Any, tmp_path: Path) -> None:
    other = write_suite(tmp_path / "other", items("antonymy", "CCCCN", status="proposed"))
    before = contents(other)
    with pytest.raises(CrossexamError, match=r"'antonymy\.dev' is not the one that was judged"):
        apply_verdicts(judged, other, VerdictRule())
    assert contents(other) == before
    with pytest.raises(CrossexamError, match=r"has no test set 'antonymy\.dev'"):
        apply_verdicts(judged, write_suite(tmp_path / "none", items("negation", "E")), VerdictRule())


def test_parts_are_paired_with_the_parts_of_their_control(items: Any) -> None:
    verified, proposed, rejected = ({"info": {"status": s}} for s in ("verified", "proposed", "rejected"))
    control = with_info(items("e_h", "EEE"), verified, proposed, rejected, base_set="i_h.dev")
    swaps = ({**status, "base": f"e_h:{n}"} for n, status in enumerate((verified, proposed, verified)))
    derived = with_info(items("e_th", "NNN"), *swaps, base_set="e_h.dev")
    run = run_of({"i_h.dev": "EE", "e_h.dev": "EEE", "e_th.dev": "NCN"}, items("i_h", "EE"), control, derived)
    apart = by_status(run)
    assert {name: (each.manifest["base_set"], len(each)) for name, each in apart.datasets.items()} == {
        "i_h.dev": (None, 2),
        "e_h.dev (verified)": ("i_h.dev", 1),
        "e_h.dev (proposed)": ("i_h.dev", 1),
        "e_th.dev (verified)": ("e_h.dev (verified)", 2),
        "e_th.dev (proposed)": ("e_h.dev (proposed)", 1),
    }
    shares = apart.probabilities["e_th.dev (proposed)"]
    assert shares.argmax(axis=1).tolist() == [LABEL_INDEX["contradiction"]]  # e_th:1, the wrong one
    assert list(verified_only(run).datasets) == ["i_h.dev", "e_h.dev (verified)", "e_th.dev (verified)"]


@pytest.fixture
def relabelled(items: Any, study_of: Any, tmp_path: Path) -> Callable[[VerdictRule], Any]:
    """A suite with the judges' labels CCC, NNN, NNC, ENC for four contradictions, and a run made before."""

    def make(rule: VerdictRule) -> tuple[Path, Run, dict[str, Applied]]:
        dataset = items("antonymy", "CCCC", status="proposed")
        suite = write_suite(tmp_path / "suite", with_info(dataset, *[{}] * 4, signature="s"))
        save_run(run_of({dataset.name: "NNNC"}, *read_suite(suite), model="k"), tmp_path / "run")
        said = {"antonymy:0": "CCC", "antonymy:1": "NNN", "antonymy:2": "NNC", "antonymy:3": "ENC"}
        applied = apply_verdicts(study_of(dataset, answers={"label": said}), suite, rule)
        return suite, read_run(tmp_path / "run"), applied

    return make


def test_the_label_of_the_majority_becomes_gold(relabelled: Any) -> None:
    suite, run, applied = relabelled(VerdictRule("relabel"))
    assert applied == {"antonymy.dev": Applied(3, 1, 0, {("contradiction", "neutral"): 2})}
    written = read_suite(suite)["antonymy.dev"]
    assert [each.label for each in written] == ["contradiction", "neutral", "neutral", "contradiction"]
    assert written.examples[1].info["generated_label"] == "contradiction"
    assert "generated_label" not in written.examples[0].info
    # the run was made before, and predicts N N N C: it is scored by the labels of the judges
    assert accuracies(verified_only(run)) == {"antonymy.dev (verified)": (2 / 3, 3)}
    assert run.datasets["antonymy.dev"].entry.signature == "s|labels:judges"
    for of in (verified_only(run), by_status(run)):
        assert of.manifest.relabelled_items == "2 items have the label of the judges"
    assert by_status(run).manifest.rejected_items == "1 rejected items are left out"
    # what is built from relabelled items was not judged
    derived = written.examples[1].derive("neutral", Change("x.v1", "premise", "hypothesis", ()))
    assert set(derived.info) == {"cluster"}


def test_confirming_leaves_out_what_the_majority_labels_otherwise(relabelled: Any) -> None:
    suite, run, applied = relabelled(VerdictRule("confirm"))
    assert applied == {"antonymy.dev": Applied(1, 3, 0, {})}
    assert [each.label for each in read_suite(suite)["antonymy.dev"]] == ["contradiction"] * 4
    assert accuracies(verified_only(run)) == {"antonymy.dev (verified)": (0.0, 1)}


@pytest.mark.parametrize("times", [1, 2])
def test_a_suite_whose_manifest_was_not_written_any_more_can_be_read(
    relabelled: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """Interrupted once, or again with the verdicts of another rule, which leave the file as it was."""
    suite, _, _ = relabelled(VerdictRule("confirm"))
    move = Path.replace

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    def manifests_alone(self: Path, target: Path) -> Path:
        if Path(target).name != "manifest.json":
            raise KeyboardInterrupt
        return move(self, target)

    study = open_study(tmp_path / "study")
    with monkeypatch.context() as patched:
        patched.setattr(apply, "_write_manifest", interrupted)
        for rule in (VerdictRule("relabel"), VerdictRule("confirm"))[:times]:
            with pytest.raises(KeyboardInterrupt):
                apply_verdicts(study, suite, rule)
            patched.setattr(Path, "replace", manifests_alone)
    assert read_suite(suite)["antonymy.dev"].manifest["signature"] == "s|labels:judges"
    for rule, signature, count in (("confirm", "s", 0), ("relabel", "s|labels:judges", 2)):
        apply_verdicts(study, suite, VerdictRule(rule))
        found = read_suite(suite)["antonymy.dev"]
        assert found.manifest["signature"] == signature
        assert sum("generated_label" in each.info for each in found) == count


def test_the_kind_of_antonyms_goes_into_the_suite(items: Any, study_of: Any, tmp_path: Path) -> None:
    dataset = items("antonymy", "CCCC", pair="hot/cold")
    suite = write_suite(tmp_path / "suite", dataset)
    given = ("gradable gradable relational", "relational " * 3, "gradable relational", "cannot_say " * 3)
    said = {f"antonymy:{n}": each for n, each in enumerate(given)}
    study = study_of(dataset, questions=("antonym_kind",), answers={"antonym_kind": said})
    applied = apply_verdicts(study, suite, VerdictRule())
    assert str(applied["antonymy.dev"]) == "0 verified, 0 rejected, 0 open; 2 kinds of antonyms"
    kinds = [each.info.get("judged_kind") for each in read_suite(suite)["antonymy.dev"]]
    assert kinds == ["gradable", "relational", None, None]


def test_from_the_command_line(items: Any, say: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.chdir(tmp_path)
    write_suite(tmp_path / "suite", items("antonymy", "CCC"))
    invoke("run builtin/overlap suite -o run")
    assert "label, grammatical" in invoke("validate sample suite -o study --judges 2").output
    assert "all items are open" in invoke("validate verdict study --apply confirm --suite suite").output
    said = {"antonymy:0": "CC", "antonymy:1": "CC", "antonymy:2": "NN"}
    say(open_study(tmp_path / "study"), "label", said)
    told = invoke("validate verdict study -o out.json --apply confirm --suite suite").output
    for text in ("86† (naik2018", "66.7 [", "antonymy.dev: 2 verified, 1 rejected, 0 open"):
        assert text in told
    assert read_json(tmp_path / "out.json")["findings"][0]["agreed"]["n"] == 3
    invoke("report run --verified -o x.md")
    assert "verified items only: 2" in (tmp_path / "x.md").read_text(encoding="utf-8")
    assert "(verified)" in invoke("compare run run --verified").output
    assert "category" in invoke("validate sample --errors run -o errors").output
    assert "sources of error" in invoke("validate verdict errors").output
    assert "labels by majority" in invoke("validate verdict study --apply relabel --suite suite").output


def test_an_undecided_item_is_scored_once_judged_and_undecided_again_if_it_is_open() -> None:
    """A construction that doubts its own label leaves it to judges, until then nothing is scored by it."""
    item = Example("a", "p", "h", "contradiction", info={"status": "undecided", "doubts": ["other words"]})
    judged = apply.with_verdict(item, Verdict("verified", 2, 3, "neutral"))
    assert (judged.label, judged.info["status"]) == ("neutral", "verified")
    again = apply.with_verdict(judged, Verdict("verified", 3, 3, "neutral"))
    assert apply.with_verdict(again, Verdict("open", 1, 3)) == item
    data = Dataset("i_ta2.dev", (item, replace(judged, id="b"), replace(item, id="c", info={})), {})
    parts = by_status(Run("m", {data.name: data}, {data.name: np.eye(3)}))
    assert {name: [e.id for e in each.examples] for name, each in parts.datasets.items()} == {
        "i_ta2.dev": ["c"],
        "i_ta2.dev (verified)": ["b"],
    }
    assert parts.manifest.undecided_items == "1 undecided items are left out"
