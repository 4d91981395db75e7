"""The labels of judges: what the majority says, what becomes of the gold label, what runs are scored by."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from crossexam.cli.validate import app
from crossexam.core.dataset import Dataset, Run, Suite
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import Change, Example
from crossexam.core.files import read_json, write_json
from crossexam.core.labels import Gold
from crossexam.core.test_sets import read_suite, write_test_set
from crossexam.evaluation.behaviour import factor_results
from crossexam.evaluation.comparison import compare_runs
from crossexam.evaluation.measures import accuracy_by_set, measure
from crossexam.evaluation.verified import by_status, verified_only
from crossexam.runs.folder import save_run
from crossexam.runs.saved import read_run
from crossexam.validation import apply
from crossexam.validation.apply import Applied, apply_verdicts
from crossexam.validation.sampling import (
    SampleRequest,
    sample_suite,
)
from crossexam.validation.study import Judgement, Study, open_study
from crossexam.validation.verdict import (
    Decisions,
    Rule,
    Verdict,
    as_json,
    decisions,
    judged_label_shares,
    labels_given,
    question_results,
    verdicts,
)

LETTERS: dict[str, Gold] = {"E": "entailment", "N": "neutral", "C": "contradiction"}


def items(construction: str, labels: str, **info: str) -> Dataset:
    examples = tuple(
        Example(
            f"{construction}:{n}",
            f"Tom has {n} boats.",
            f"Tom {construction} {n} boats.",
            LETTERS[letter],
            info={"cluster": f"{construction}{n}", **info},
        )
        for n, letter in enumerate(labels)
    )
    name = f"{construction}.dev"
    facts = {"construction": f"{construction}.v1", "part": "dev", "base_set": None, "rows": len(labels)}
    return Dataset(name, examples, {**facts, "content_hash": Dataset(name, examples).content_hash()})


def write_suite(folder: Path, *datasets: Dataset, suffix: str = "parquet") -> Path:
    entries = {}
    for each in datasets:
        file = f"{each.name}.{suffix}"
        write_test_set(folder / file, each.examples, file_format=suffix)
        entries[each.name] = {"file": file, **each.manifest}
    write_json(folder / "manifest.json", {"name": "tiny", "test_sets": entries})
    return folder


def with_labels(dataset: Dataset, labels: list[Gold]) -> Dataset:
    examples = tuple(replace(each, label=label) for each, label in zip(dataset, labels, strict=True))
    return Dataset(
        dataset.name, examples, {**dataset.manifest, "content_hash": Dataset("", examples).content_hash()}
    )


def study_of(folder: Path, *datasets: Dataset, **request: object) -> Study:
    suite = Suite("tiny", {each.name: each for each in datasets})
    sample_suite(suite, folder / "study", SampleRequest(**request), origin="tiny")  # type: ignore[arg-type]
    return open_study(folder / "study")


def say(study: Study, test_set: str, question: str, table: dict[str, str]) -> None:
    """Answer for each example of *table* with one letter a judge; '.' is no answer."""
    words = {"label": {"E": "entailment", "N": "neutral", "C": "contradiction", "?": "cannot_say"}}
    by_id = {item.example: item.number for item in study.items.values() if item.test_set == test_set}
    for example, letters in table.items():
        for judge, letter in zip(study.judges, letters, strict=True):
            if letter != ".":
                value = words.get(question, {"y": "yes", "n": "no", "?": "cannot_say"})[letter]
                study.record(Judgement(judge, by_id[example], question, value))


# What the majority says


@pytest.mark.parametrize(
    ("votes", "status", "label", "agreed"),
    [
        ("EEE", "verified", "entailment", 3),
        ("NNC", "verified", "neutral", 2),
        ("ENC", "rejected", None, 1),  # no majority
        ("N?C", "rejected", None, 1),
        ("NN.", "verified", "neutral", 2),
        ("N..", "open", None, 0),
        ("NC.", "open", None, 1),
        ("??.", "rejected", None, 0),
        ("ENNE", "rejected", None, 0),  # two of four are no majority
        ("C", "verified", "contradiction", 1),
    ],
)
def test_the_majority_label(tmp_path: Path, votes: str, status: str, label: str, agreed: int) -> None:
    with study_of(tmp_path, items("antonymy", "C"), judges=len(votes)) as study:
        say(study, "antonymy.dev", "label", {"antonymy:0": votes})
        found = verdicts(study, Rule("relabel"))["antonymy.dev"]["antonymy:0"]
        assert (found.status, found.label) == (status, label)
        if status == "verified":
            assert found.agreed == agreed
        confirmed = verdicts(study)["antonymy.dev"]["antonymy:0"]
        assert (confirmed.status == "verified") == (label == "contradiction")
        assert confirmed.label == ("contradiction" if confirmed.status == "verified" else None)


def test_two_labels_have_a_majority_of_their_own(tmp_path: Path) -> None:
    dataset = with_labels(items("antonymy", "EE"), ["not_entailment", "entailment"])
    with study_of(tmp_path, dataset) as study:
        say(study, "antonymy.dev", "label", {"antonymy:0": "ENC", "antonymy:1": "CN?"})
        for rule in (Rule(), Rule("relabel")):
            found = verdicts(study, rule)["antonymy.dev"]
            assert found["antonymy:0"] == Verdict("verified", 2, 3, "not_entailment")
        assert found["antonymy:1"] == Verdict("verified", 2, 3, "not_entailment")
        assert labels_given(study)["antonymy.dev"]["antonymy:0"] == ["entailment"] + ["not_entailment"] * 2
        shares = judged_label_shares(study)["antonymy.dev"]
        assert {label: (share.value, share.n) for label, share in shares.items()} == {
            "entailment": (1 / 5, 5), "not_entailment": (4 / 5, 5),
        }  # fmt: skip


def test_without_contradiction_that_counts_as_neutral(tmp_path: Path) -> None:
    dataset = items("antonymy", "NE")
    declared = Dataset(dataset.name, dataset.examples, {**dataset.manifest, "projection": "no contradiction"})
    with study_of(tmp_path, declared) as study:
        say(study, "antonymy.dev", "label", {"antonymy:0": "CCN", "antonymy:1": "CCN"})
        assert verdicts(study)["antonymy.dev"]["antonymy:0"] == Verdict("verified", 3, 3, "neutral")
        assert verdicts(study)["antonymy.dev"]["antonymy:1"].status == "rejected"


def test_what_the_majority_says_is_counted(tmp_path: Path) -> None:
    with study_of(tmp_path, items("antonymy", "CCCCC")) as study:
        said = {"antonymy:0": "CCC", "antonymy:1": "NNC", "antonymy:2": "ENC", "antonymy:3": "N.."}
        say(study, "antonymy.dev", "label", said)
        assert decisions(study) == {"antonymy.dev": Decisions(confirmed=1, another=1, none=1, open=2)}
        shares = judged_label_shares(study)["antonymy.dev"]
        assert {label: share.value for label, share in shares.items()} == {
            "entailment": 1 / 10, "neutral": 4 / 10, "contradiction": 5 / 10,
        }  # fmt: skip
        written = as_json(study, Rule("relabel", ("grammatical",)))
        assert written["rule"] == {"apply": "relabel", "require": ["grammatical"]}
        assert written["decisions"]["antonymy.dev"]["another"] == 1
        assert written["label_shares"]["antonymy.dev"]["neutral"]["value"] == 4 / 10


# What becomes of the gold label


def relabelled_suite(folder: Path, *, rule: Rule) -> tuple[Path, Run, dict[str, Applied]]:
    """A suite with the judges' labels CCC, NNN, NNC, ENC for four contradictions, and a run made before."""
    dataset = items("antonymy", "CCCC", status="proposed")
    suite = write_suite(
        folder / "suite", Dataset(dataset.name, dataset.examples, {**dataset.manifest, "signature": "s"})
    )
    model = Run(
        "tiny", dict(read_suite(suite).datasets), {dataset.name: np.eye(3)[[1, 1, 1, 2]]}, {"model_key": "k"}
    )
    save_run(model, folder / "run")
    with study_of(folder, dataset) as study:
        said = {"antonymy:0": "CCC", "antonymy:1": "NNN", "antonymy:2": "NNC", "antonymy:3": "ENC"}
        say(study, "antonymy.dev", "label", said)
        applied = apply_verdicts(study, suite, rule)
    return suite, read_run(folder / "run"), applied


def test_the_label_of_the_majority_becomes_gold(tmp_path: Path) -> None:
    suite, run, applied = relabelled_suite(tmp_path, rule=Rule("relabel"))
    assert applied == {"antonymy.dev": Applied(3, 1, 0, {("contradiction", "neutral"): 2})}
    assert str(applied["antonymy.dev"]) == (
        "3 verified, 1 rejected, 0 open; 2 relabelled: 2 contradiction to neutral"
    )
    written = read_suite(suite)["antonymy.dev"]
    assert [each.label for each in written] == ["contradiction", "neutral", "neutral", "contradiction"]
    assert written.examples[1].info["generated_label"] == "contradiction"
    assert written.examples[2].info["agreed"] == [2, 3]
    assert "generated_label" not in written.examples[0].info
    entry = read_json(suite / "manifest.json")["test_sets"]["antonymy.dev"]
    assert entry["content_hash"] == written.content_hash()
    assert entry["signature"] == "s|labels:judges"
    assert entry["verdict"]["apply"] == "relabel"
    assert entry["verdict"]["relabelled"] == {"contradiction to neutral": 2}
    # the run was made before, and predicts N N N C: it is scored by the labels of the judges
    (accuracy,) = accuracy_by_set(verified_only(run)).values()
    assert (accuracy.value, accuracy.n) == (2 / 3, 3)
    assert run.datasets["antonymy.dev"].manifest["signature"] == "s|labels:judges"
    assert run.datasets["antonymy.dev"].entry.content_hash == written.content_hash()
    for of in (verified_only(run), by_status(run)):
        assert of.manifest["relabelled_items"] == "2 items have the label of the judges"


def test_confirming_leaves_out_what_the_majority_labels_otherwise(tmp_path: Path) -> None:
    suite, run, applied = relabelled_suite(tmp_path, rule=Rule("confirm"))
    assert applied == {"antonymy.dev": Applied(1, 3, 0, {})}
    assert [each.label for each in read_suite(suite)["antonymy.dev"]] == ["contradiction"] * 4
    (accuracy,) = accuracy_by_set(verified_only(run)).values()
    assert (accuracy.value, accuracy.n) == (0.0, 1)
    assert "relabelled_items" not in verified_only(run).manifest


def test_another_rule_replaces_what_was_applied(tmp_path: Path) -> None:
    suite, _, _ = relabelled_suite(tmp_path, rule=Rule("relabel"))
    after = {path.name: path.read_bytes() for path in suite.iterdir()}
    with open_study(tmp_path / "study") as study:
        apply_verdicts(study, suite.parent, Rule("relabel"))  # a folder that has the suite
        assert {path.name: path.read_bytes() for path in suite.iterdir()} == after
        assert not (suite.parent / "manifest.json").exists()
        apply_verdicts(study, suite, Rule("confirm"))
    entry = read_json(suite / "manifest.json")["test_sets"]["antonymy.dev"]
    assert (entry["signature"], entry["verdict"]["relabelled"]) == ("s", {})
    written = read_suite(suite)["antonymy.dev"]
    assert not any("generated_label" in each.info for each in written)
    assert entry["content_hash"] == written.content_hash()
    assert len(read_run(tmp_path / "run").datasets["antonymy.dev"]) == 4


def test_a_run_after_relabelling_compares_with_one_before_it(tmp_path: Path) -> None:
    suite, before, _ = relabelled_suite(tmp_path, rule=Rule("relabel"))
    after = Run("other", dict(read_suite(suite).datasets), before.probabilities, {"model_key": "k"})
    save_run(after, tmp_path / "later")
    (compared,) = compare_runs(before, read_run(tmp_path / "later"))
    assert compared.difference.value == 0
    save_run(replace(after, model="tiny"), tmp_path / "run")  # the same run again, over the new labels


def test_a_run_over_labels_that_are_gone_is_refused(tmp_path: Path) -> None:
    suite, before, _ = relabelled_suite(tmp_path, rule=Rule("relabel"))
    after = Run("other", dict(read_suite(suite).datasets), before.probabilities, {"model_key": "k"})
    save_run(after, tmp_path / "later")
    with open_study(tmp_path / "study") as study:
        apply_verdicts(study, suite, Rule("confirm"))
    with pytest.raises(FormatError, match="was changed after the run"):
        read_run(tmp_path / "later")


@pytest.mark.parametrize("times", [1, 2])
def test_a_suite_whose_manifest_was_not_written_any_more_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """Interrupted once, or again with the verdicts of another rule, which leave the file as it was."""
    suite, _, _ = relabelled_suite(tmp_path, rule=Rule("confirm"))

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with open_study(tmp_path / "study") as study:
        with monkeypatch.context() as patched:
            patched.setattr(apply, "_write_manifest", interrupted)
            for _ in range(times):
                with pytest.raises(KeyboardInterrupt):
                    apply_verdicts(study, suite, Rule("relabel"))
                patched.setattr(Path, "replace", interrupted)
        assert read_suite(suite)["antonymy.dev"].manifest["signature"] == "s|labels:judges"
        apply_verdicts(study, suite, Rule("relabel"))
    entry = read_json(suite / "manifest.json")["test_sets"]["antonymy.dev"]
    assert entry["content_hash"] == read_suite(suite)["antonymy.dev"].content_hash()


def test_what_is_built_from_relabelled_items_was_not_judged(tmp_path: Path) -> None:
    suite, _, _ = relabelled_suite(tmp_path, rule=Rule("relabel"))
    relabelled = read_suite(suite)["antonymy.dev"].examples[1]
    derived = relabelled.derive("neutral", Change("x.v1", "premise", "hypothesis", ()))
    assert set(derived.info) == {"cluster"}


def test_the_kind_of_antonyms_is_a_slice(tmp_path: Path) -> None:
    dataset = items("antonymy", "CCCCC", pair="hot/cold")
    unpaired = replace(dataset.examples[4], info={"cluster": "antonymy4"})
    dataset = Dataset(dataset.name, (*dataset.examples[:4], unpaired), dataset.manifest)
    suite = write_suite(tmp_path / "suite", dataset)
    said = ("gradable gradable relational", "relational relational relational", "gradable relational",
            "cannot_say cannot_say cannot_say")  # fmt: skip
    with study_of(tmp_path, dataset, questions=("antonym_kind",)) as study:
        by_id = {item.example: item for item in study.items.values()}
        assert set(by_id) == {f"antonymy:{n}" for n in range(4)}  # the last has no pair of words
        assert by_id["antonymy:0"].revealed("antonym_kind") == {"words": "hot/cold"}
        for n, values in enumerate(said):
            for judge, value in zip(study.judges, values.split(), strict=False):
                study.record(Judgement(judge, by_id[f"antonymy:{n}"].number, "antonym_kind", value))
        (found,) = question_results(study)
        assert (found.answers, found.undecided, found.agreed) == (
            {"gradable": 1, "relational": 1, "no agreement": 1}, 1, None,
        )  # fmt: skip
        applied = apply_verdicts(study, suite, Rule())
        assert str(applied["antonymy.dev"]) == "0 verified, 0 rejected, 0 open; 2 kinds of antonyms"
    written = read_suite(suite)["antonymy.dev"]
    kinds = [each.info.get("judged_kind") for each in written]
    assert kinds == ["gradable", "relational", None, None, None]
    assert not any("verdict" in each.info for each in written)
    run = Run("tiny", {written.name: written}, {written.name: np.eye(3)[[2, 0, 2, 2, 2]]})
    slices = measure(run)[0].slices["judged kind"]
    assert {kind: (share.value, share.n) for kind, share in slices.items()} == {
        "gradable": (1.0, 1), "relational": (0.0, 1),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--apply", "suite"], "--apply is 'suite'"),
        (["--apply", "confirm"], "--apply needs the suite"),
        (["--suite", "suite"], "--suite needs --apply"),
        (["--require", "label"], "does not ask for 'label', so it cannot be required"),
    ],
)
def test_what_is_applied_is_never_guessed(tmp_path: Path, options: list[str], message: str) -> None:
    study_of(tmp_path, items("antonymy", "C")).close()
    done = CliRunner().invoke(app, ["verdict", str(tmp_path / "study"), *options])
    assert isinstance(done.exception, CrossexamError)
    assert message in str(done.exception)
    bare = CliRunner().invoke(app, ["verdict", str(tmp_path / "study"), "--apply"])
    assert bare.exit_code == 2


def test_the_command_relabels(tmp_path: Path) -> None:
    suite, _, _ = relabelled_suite(tmp_path, rule=Rule("confirm"))
    arguments = ["verdict", str(tmp_path / "study"), "--apply", "relabel", "--suite", str(suite)]
    done = CliRunner().invoke(app, arguments, env={"COLUMNS": "160"})
    assert done.exit_code == 0, done.output
    assert "labels by majority" in done.output
    assert "labels that judges give" in done.output
    labels = [each.label for each in read_suite(suite)["antonymy.dev"]]
    assert labels == ["contradiction", "neutral", "neutral", "contradiction"]


def test_verdicts_of_no_answers_come_with_a_warning(tmp_path: Path) -> None:
    dataset = items("antonymy", "C")
    suite = write_suite(tmp_path / "suite", dataset)
    study_of(tmp_path, dataset).close()
    arguments = ["verdict", str(tmp_path / "study"), "--apply", "confirm", "--suite", str(suite)]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert "has too few answers for a verdict on any item, so all items are open" in done.output
    suite, _, _ = relabelled_suite(tmp_path / "judged", rule=Rule("confirm"))
    arguments = ["verdict", str(tmp_path / "judged" / "study"), "--apply", "confirm", "--suite", str(suite)]
    assert "too few answers" not in CliRunner().invoke(app, arguments).output


def test_drops_of_relabelled_swaps_are_from_relabelled_controls(tmp_path: Path) -> None:
    control, swap = items("i_h", "EE"), items("i_th", "EE", status="proposed")
    swap = Dataset(
        swap.name,
        tuple(
            replace(each, base=f"i_h:{n}", info={**each.info, "control_label": "entailment"})
            for n, each in enumerate(swap)
        ),
        {**swap.manifest, "base_set": "i_h.dev", "paired": True, "keeps_label": False},
    )
    suite = write_suite(tmp_path / "suite", control, swap)
    with study_of(tmp_path, control, swap) as study:
        say(study, "i_h.dev", "label", {"i_h:0": "NNN", "i_h:1": "EEE"})
        say(study, "i_th.dev", "label", {"i_th:0": "NNN", "i_th:1": "NNN"})
        apply_verdicts(study, suite, Rule("relabel"))
    datasets = dict(read_suite(suite).datasets)
    answers = {"i_h.dev": np.eye(3)[[1, 0]], "i_th.dev": np.eye(3)[[0, 1]]}  # control right, then E N
    run = verified_only(Run("tiny", datasets, answers))
    result = next(each for each in measure(run) if each.construction == "i_th")
    assert result.base_set == "i_h.dev (verified)"
    assert result.drop is not None
    assert (result.drop.value, result.drop.n) == (1 / 2, 2)
    # of the two only the second has another label than its control, which judges relabelled as well
    insensitivity = next(each for each in factor_results(run) if each.factor == "insensitivity")
    assert insensitivity.subset.n == 1


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
    assert parts.manifest["undecided_items"] == "1 undecided items are left out"
