"""Human judgement: what is drawn and kept, what the verdicts are, how they reach suite and report."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import subprocess
import sys
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossexam.core.dataset import Dataset, Run, Suite
from crossexam.core.errors import CrossexamError, FormatError, UnknownNameError
from crossexam.core.example import Example, status_of
from crossexam.core.files import read_json, write_json
from crossexam.core.labels import LABEL_INDEX, LABELS, Gold
from crossexam.core.test_sets import read_suite, write_test_set
from crossexam.evaluation.measures import accuracy_by_set
from crossexam.evaluation.verified import by_status, verified_only
from crossexam.runs.folder import save_run
from crossexam.runs.saved import read_run
from crossexam.validation.apply import Applied, apply_verdicts
from crossexam.validation.error_sources import Misclassified, suggestions
from crossexam.validation.questions import CATEGORIES, QUESTIONS, chosen_questions, questions_for
from crossexam.validation.sampling import (
    SampleRequest,
    coordinated_sample,
    sample_outcomes,
    sample_suite,
    systematic_sample,
)
from crossexam.validation.study import Judgement, Study, create_study, open_study
from crossexam.validation.verdict import (
    QuestionResult,
    Rule,
    Verdict,
    as_json,
    question_results,
    verdicts,
)

LETTERS: dict[str, Gold] = {"E": "entailment", "N": "neutral", "C": "contradiction"}
SOURCE = Path(__file__).resolve().parents[2] / "src"


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


# What is drawn


def edited(folder: Path, *statements: str) -> None:
    """Carry out *statements* on the database of the study in *folder*."""
    with closing(sqlite3.connect(folder / "study.sqlite")) as connection, connection:
        for statement in statements:
            connection.execute(statement)


TABLES = ("facts", "judges", "items", "orders", "clicks")
NO_CHECKSUMS = (
    *(f"ALTER TABLE {name} DROP COLUMN checksum" for name in TABLES),
    "DELETE FROM facts WHERE name = 'rows'",
    "PRAGMA user_version = 0",
)


@pytest.mark.parametrize("more", [(), ("ALTER TABLE items DROP COLUMN facts",)], ids=["", "no facts"])
def test_a_study_of_an_earlier_version_gets_its_checksums(tmp_path: Path, more: tuple[str, ...]) -> None:
    with study_of(tmp_path, items("antonymy", "EN", status="proposed"), judges=1) as study:
        before = study.items
        say(study, "antonymy.dev", "label", {"antonymy:0": "E"})
    edited(tmp_path / "study", *NO_CHECKSUMS, *more)
    for _ in range(2):
        with open_study(tmp_path / "study") as study:
            assert len(study.items) == 2
            assert more or study.items == before
            assert [(item.before, item.status) for item in study.items.values()] == [
                ({}, None if more else "proposed")
            ] * 2
            assert [each.value for each in study.judgements()] == ["entailment"]
            say(study, "antonymy.dev", "grammatical", {"antonymy:1": "y"})
            assert study.undo("judge-1")
    edited(tmp_path / "study", "UPDATE clicks SET value = 'neutral' WHERE id = 1")
    with pytest.raises(FormatError, match="row 1 of the table clicks"):
        open_study(tmp_path / "study")


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE clicks SET value = 'neutral' WHERE id = 2", "row 2 of the table clicks"),
        ("UPDATE clicks SET undone = 1 WHERE id = 1", "row 1 of the table clicks"),
        ("UPDATE clicks SET judge = 'judge-2' WHERE id = 1", "row 1 of the table clicks"),
        ("UPDATE clicks SET value = CAST(value AS BLOB) WHERE id = 3", "row 3 of the table clicks"),
        ("UPDATE clicks SET value = CAST(x'ff' AS TEXT) WHERE id = 3", "row 3 of the table clicks"),
        ("UPDATE clicks SET checksum = NULL WHERE id = 3", "row 3 of the table clicks"),
        ("DELETE FROM clicks WHERE id = 3", "1 of 3 rows of the table clicks are missing"),
        (
            "DELETE FROM items WHERE number = 2",
            "2 judges, 1 items, 4 orders, but there were 2 judges, 2 items",
        ),
        ("DELETE FROM facts WHERE name = 'rows'", "but there were others"),
        ("UPDATE items SET gold = 'neutral' WHERE number = 1", "row 1 of the table items"),
        ("UPDATE items SET test_set = 'antonymy.dev ' WHERE number = 1", "row 1 of the table items"),
        ("UPDATE orders SET place = 9 WHERE rowid = 2", "row 2 of the table orders"),
        ("UPDATE judges SET token = 'x' WHERE name = 'judge-2'", "row 2 of the table judges"),
        ("UPDATE facts SET value = 'ab'", "row 1 of the table facts"),
        ("PRAGMA user_version = 0", "the rows have checksums, but the version"),
    ],
)
def test_a_damaged_row_is_named_and_never_a_number(tmp_path: Path, statement: str, message: str) -> None:
    with study_of(tmp_path, items("antonymy", "CC", status="proposed"), judges=2) as study:
        say(study, "antonymy.dev", "label", {"antonymy:0": "CC", "antonymy:1": "C."})
    with open_study(tmp_path / "study") as study:
        assert len(study.judgements()) == 3
    edited(tmp_path / "study", statement)
    with pytest.raises(FormatError, match=message) as caught:
        open_study(tmp_path / "study")
    assert "study.sqlite: the database of the study is damaged" in str(caught.value)
    assert "hint: restore the file" in str(caught.value)


def test_a_stratum_gets_its_share_rounded_up_or_down() -> None:
    strata = ["rare"] * 3 + ["common"] * 57 + ["some"] * 40
    drawn = Counter(strata[i] for i in systematic_sample(strata, 10, seed=4, name="x"))
    assert drawn["common"] in {5, 6}  # 5.7
    assert drawn["some"] == 4
    assert drawn["rare"] in {0, 1}  # 0.3


def test_every_item_has_the_same_chance() -> None:
    strata = [0] * 7 + [1] * 3
    times = Counter(i for seed in range(3000) for i in systematic_sample(strata, 4, seed=seed, name="x"))
    # 3000 * 4/10 = 1200 with a standard deviation of 27: five of them
    assert all(abs(times[i] - 1200) < 135 for i in range(10))


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=60), st.integers(1, 80), st.integers(0, 9))
def test_as_many_items_as_asked_for_and_none_twice(strata: list[str], n: int, seed: int) -> None:
    drawn = systematic_sample(strata, n, seed=seed, name="x")
    assert len(drawn) == len(set(drawn)) == min(n, len(strata))
    assert set(drawn) <= set(range(len(strata)))


def test_a_seed_draws_the_same_and_another_does_not(tmp_path: Path) -> None:
    dataset = items("negation", "ENC" * 20)
    drawn = []
    for place, seed in enumerate((1, 1, 2)):
        with study_of(tmp_path / str(place), dataset, per_set=9, seed=seed) as study:
            drawn.append(([item.example for item in study.items.values()], study.order("judge-2")))
            assert Counter(item.gold for item in study.items.values()) == dict.fromkeys(LABELS, 3)
    assert drawn[0] == drawn[1] != drawn[2]


def with_controls(swaps: int) -> list[Dataset]:
    """A control of 60 items, a swap of the first *swaps* of them, and a swap of each of those."""
    control = items("i_h", "ENC" * 20)
    sets = [control]
    for name, n in (("e_h", swaps), ("e_th", swaps)):
        base = sets[-1]
        derived = items(name, "ENC" * (n // 3), status="proposed")
        examples = tuple(replace(each, base=origin.id) for each, origin in zip(derived, base, strict=False))
        sets.append(Dataset(derived.name, examples, {**derived.manifest, "base_set": base.name}))
    return sets


@pytest.mark.parametrize("swaps", [60, 15])
def test_items_are_drawn_with_their_controls(tmp_path: Path, swaps: int) -> None:
    with study_of(tmp_path, *with_controls(swaps), per_set=9) as study:
        drawn: dict[str, set[str]] = {}
        for item in study.items.values():
            drawn.setdefault(item.test_set, set()).add(item.example.partition(":")[2])
        strata = Counter((item.test_set, item.gold) for item in study.items.values())
        extra = study.manifest["test_sets"]["i_h.dev"].get("for_pairs", 0)
    assert len(drawn["e_th.dev"]) == 9
    assert drawn["e_th.dev"] <= drawn["e_h.dev"] <= drawn["i_h.dev"]
    assert [strata["e_th.dev", label] for label in LABELS] == [3, 3, 3]
    assert len(drawn["i_h.dev"]) == 9 + extra
    assert (extra == 0) == (swaps == 60)  # the same items of all sets, if all have a swap


def test_drawing_with_controls_gives_every_item_the_same_chance() -> None:
    roots = [f"r{n}" for n in range(10)]
    strata = [0] * 7 + [1] * 3
    times = Counter(
        place for seed in range(3000) for place in coordinated_sample(strata, roots, 4, seed=seed, name="x")
    )
    assert all(abs(times[place] - 1200) < 135 for place in range(10))  # as above


def test_a_control_that_was_not_asked_for_is_not_drawn(tmp_path: Path) -> None:
    with study_of(tmp_path, *with_controls(15), per_set=9, sets=("e_th.dev",)) as study:
        assert {item.test_set for item in study.items.values()} == {"e_th.dev"}


def test_judges_have_orders_of_their_own(tmp_path: Path) -> None:
    with study_of(tmp_path, items("negation", "ENC" * 10), judges=4) as study:
        orders = [study.order(judge) for judge in study.judges]
    assert len({tuple(order) for order in orders}) == 4
    assert all(sorted(order) == list(range(1, 31)) for order in orders)


def test_questions_go_with_constructions(tmp_path: Path) -> None:
    base = Dataset("base.dev", items("x", "E").examples, {"construction": "base"})
    with study_of(tmp_path, base, items("antonymy", "C"), items("numerical_reasoning", "E")) as study:
        asked = {item.test_set: item.asked for item in study.items.values()}
    assert asked == {
        "antonymy.dev": ("label", "grammatical"),
        "numerical_reasoning.dev": ("label", "grammatical", "trivial"),
    }  # and nothing of the base
    assert questions_for("anything.v1", is_swap=True) == ("label", "sensible")
    with pytest.raises(UnknownNameError, match="did you mean 'grammatical'"):
        chosen_questions(["gramatical"])
    with pytest.raises(CrossexamError, match="shows the gold label"):
        chosen_questions(["label", "category"])


def test_keys_of_a_question_differ_and_none_is_undo() -> None:
    for question in QUESTIONS.values():
        keys = [choice.key for choice in question.choices]
        assert len(set(keys)) == len(keys)
        assert "u" not in keys
    assert [choice.key for choice in QUESTIONS["category"].choices] == list("1234567890")


def test_what_cannot_be_drawn_is_said(tmp_path: Path) -> None:
    base = Dataset("base.dev", items("x", "E").examples, {"construction": "base"})
    with pytest.raises(CrossexamError, match="the suite contains nothing but its base"):
        study_of(tmp_path, base)
    with pytest.raises(UnknownNameError, match="no test set is called 'negations'"):
        study_of(tmp_path, items("negation", "E"), sets=("negations",))
    with pytest.raises(CrossexamError, match="--judges is 0"):
        study_of(tmp_path, items("negation", "E"), judges=0)
    with pytest.raises(CrossexamError, match="'category' is only for a model's errors"):
        study_of(tmp_path, items("negation", "E"), questions=("category",))
    twice = items("negation", "EE")
    same = Dataset("negation.dev", (twice.examples[0], replace(twice.examples[1], id="negation:0")))
    with pytest.raises(CrossexamError, match="two items have the id 'negation:0'"):
        study_of(tmp_path, same)
    study_of(tmp_path, items("negation", "E")).close()
    with pytest.raises(CrossexamError, match="not empty"):
        study_of(tmp_path, items("negation", "E"))
    with pytest.raises(FormatError, match="did not finish"):
        open_study(tmp_path)


def test_only_its_owner_reads_a_study(tmp_path: Path) -> None:
    with study_of(tmp_path, items("negation", "E")) as study:
        study.record(Judgement("judge-1", 1, "label", "neutral"))
        files = list((tmp_path / "study").glob("study.sqlite*"))
        assert len(files) > 1  # the WAL beside it
        assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in files)
        manifest = (tmp_path / "study" / "manifest.json").read_text()
        assert not any(token in manifest for token in study.judges.values())
        assert study.secret.hex() not in manifest


# Errors


def test_errors_are_drawn_with_hints_to_their_source(tmp_path: Path) -> None:
    pairs = [("The soup was hot.", "The soup was cold.", "C"), ("Ann sat.", "Ann sat.", "E")]
    examples = tuple(Example(f"b{n}", p, h, LETTERS[label]) for n, (p, h, label) in enumerate(pairs))
    dataset = Dataset("base.dev", examples, {"construction": "base", "part": "dev"})
    says = np.eye(3)[[LABEL_INDEX["entailment"]] * 2]
    run = Run("tiny", {"base.dev": dataset}, {"base.dev": says})
    manifest = sample_outcomes(tmp_path / "study", SampleRequest(judges=1), wrong=[run], origin="runs/tiny")
    assert manifest["test_sets"]["base.dev"]["of"] == 1
    with open_study(tmp_path / "study") as study:
        (item,) = study.items.values()
        assert (item.example, item.gold, item.predicted) == ("b0", "contradiction", "entailment")
        assert ("antonymy", "hot/cold") in item.suggested
        study.record(Judgement("judge-1", 1, "category", "antonymy"))
        (finding,) = question_results(study)
        assert finding.answers == {"antonymy": 1}
        with pytest.raises(CrossexamError, match="does not ask for labels"):
            apply_verdicts(study, tmp_path, Rule())


HINTS = {
    "word_overlap": Misclassified(
        "The tall man sang a song.", "The song sang a man.", "neutral", "entailment"
    ),
    "negation": Misclassified("Ann hates tea.", "Ann does not love tea.", "entailment", "contradiction"),
    "antonymy": Misclassified("The doors were open.", "The doors were closed.", "contradiction", "neutral"),
    "numerical_reasoning": Misclassified(
        "Bob ate 3 plums.", "Bob ate seven plums.", "contradiction", "neutral"
    ),
    "length_mismatch": Misclassified(
        "It rained all day in the old town by the sea.", "It rained.", "neutral", "contradiction"
    ),
    "grammaticality": Misclassified("The hores ran away.", "A horse fled.", "entailment", "neutral"),
    "unknown": Misclassified("Ann sang.", "Ann danced.", "neutral", "contradiction"),
}


@pytest.mark.parametrize("category", HINTS)
def test_hints_to_each_source_of_error(category: str) -> None:
    assert category in [each.category for each in suggestions(HINTS[category])]


def test_suggestions_are_categories_and_need_the_fitting_error() -> None:
    assert {each.category for item in HINTS.values() for each in suggestions(item)} <= set(CATEGORIES)
    other = replace(HINTS["negation"], predicted="neutral")
    assert "negation" not in [each.category for each in suggestions(other)]
    other = replace(HINTS["word_overlap"], gold="entailment", predicted="contradiction")
    assert "word_overlap" not in [each.category for each in suggestions(other)]
    little = Misclassified("Ann reads.", "Someone studies.", "entailment", "neutral")
    assert "word_overlap" in [each.category for each in suggestions(little)]


# What is kept


def test_undo_restores_the_previous_answer(tmp_path: Path) -> None:
    with study_of(tmp_path, items("antonymy", "CC")) as study:
        first = study.progress("judge-1").item
        assert first is not None
        assert study.record(Judgement("judge-1", first.number, "label", "neutral"))
        assert not study.record(Judgement("judge-1", first.number, "label", "neutral"))  # pressed twice
        assert study.record(Judgement("judge-1", first.number, "label", "contradiction"))
        assert study.record(Judgement("judge-2", first.number, "label", "entailment"))
        assert study.undo("judge-1")
        assert [answer.value for answer in study.judgements("judge-1")] == ["neutral"]
        assert study.undo("judge-1")
        assert not study.undo("judge-1")
        assert [answer.judge for answer in study.judgements()] == ["judge-2"]
        assert study.progress("judge-1").item == first
    with closing(sqlite3.connect(tmp_path / "study" / "study.sqlite")) as file:
        assert file.execute("SELECT count(*) FROM clicks").fetchone() == (3,)  # nothing was deleted


def test_progress_goes_through_all_questions(tmp_path: Path) -> None:
    with study_of(tmp_path, items("antonymy", "CC"), judges=1) as study:
        seen = []
        while (progress := study.progress("judge-1")).item is not None:
            question = str(progress.question)
            seen.append((progress.item.number, question, progress.done))
            value = QUESTIONS[question].choices[0].value
            study.record(Judgement("judge-1", progress.item.number, question, value))
        first, second = study.order("judge-1")
        assert seen == [
            (first, "label", 0),
            (first, "grammatical", 0),
            (second, "label", 1),
            (second, "grammatical", 1),
        ]
        assert (progress.done, progress.total) == (2, 2)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Judgement("judge-9", 1, "label", "neutral"), "no judge is called 'judge-9'"),
        (Judgement("judge-1", 7, "label", "neutral"), "the study has no item 7"),
        (Judgement("judge-1", 1, "trivial", "yes"), "'trivial' is not a question about item i00001"),
        (Judgement("judge-1", 1, "label", "yes"), "'yes' is not an answer to 'label'"),
    ],
)
def test_what_is_no_answer_is_not_saved(tmp_path: Path, answer: Judgement, message: str) -> None:
    with study_of(tmp_path, items("antonymy", "C")) as study:
        good = Judgement("judge-1", 1, "label", "neutral")
        with pytest.raises(CrossexamError, match=message):
            study.record_all([good, answer], source="x")
        assert study.judgements() == []  # all or none


def test_text_that_no_database_holds(tmp_path: Path) -> None:
    odd = Example("antonymy:0", "A \ud800 lone \x00 one", "<b>&", "neutral")
    with study_of(tmp_path, Dataset("antonymy.dev", (odd,), {"construction": "antonymy.v1"})) as study:
        assert study.items[1].premise == "A \\ud800 lone \x00 one"


def test_no_study_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "study.sqlite").write_bytes(b"not a database, however long this text may be" * 9)
    (tmp_path / "manifest.json").write_text('{"study": "x", "test_sets": {}}')
    with pytest.raises(FormatError, match="not the database of a study"):
        open_study(tmp_path)
    with pytest.raises(CrossexamError, match="no items to judge"):
        sample_suite(Suite("x", {"a.dev": Dataset("a.dev", ())}), tmp_path / "s", SampleRequest(), origin="")
    create_study(tmp_path / "empty", [], {"judge-1": []}, {"test_sets": {}})
    with open_study(tmp_path / "empty") as study:
        assert study.progress("judge-1").item is None


# Verdicts

# Five contradictions and how three judges label them; the last is open: two may still come to agree.
ANTONYMS = {"antonymy:0": "CCC", "antonymy:1": "CCN", "antonymy:2": "CNE", "antonymy:3": "NNN",
            "antonymy:4": "C.N"}  # fmt: skip


@pytest.fixture
def judged(tmp_path: Path) -> Study:
    study = study_of(tmp_path, items("antonymy", "CCCCC", status="proposed"))
    say(study, "antonymy.dev", "label", ANTONYMS)
    say(study, "antonymy.dev", "grammatical", dict.fromkeys(ANTONYMS, "yyn") | {"antonymy:3": "nn?"})
    return study


def finding(study: Study, question: str) -> QuestionResult:
    return next(each for each in question_results(study) if each.question == question)


def test_the_share_on_which_two_of_three_agree(judged: Study) -> None:
    label = finding(judged, "label")
    assert label.agreed is not None
    assert (label.agreed.value, label.agreed.n) == (2 / 4, 4)  # 0 and 1 of 0, 1, 2, 3
    assert (label.undecided, label.drawn, label.needed) == (1, 5, 2)
    assert label.published is not None
    assert (label.published.figure, label.published.study) == (86, "naik2018")
    grammatical = finding(judged, "grammatical")
    assert grammatical.agreed is not None
    assert (grammatical.agreed.value, grammatical.agreed.n, grammatical.unsure) == (4 / 5, 5, 1)
    assert grammatical.published is not None
    assert grammatical.published.figure == 87


def test_agreement_beyond_chance_by_hand(judged: Study) -> None:
    label = finding(judged, "label")
    # Fleiss over CCC, CCN, CNE, NNN: P = (1 + 1/3 + 0 + 1) / 4 = 7/12; shares C 6/12, N 5/12, E 1/12,
    # P_e = (36 + 25 + 1) / 144 = 62/144.
    assert label.kappa.value == pytest.approx((7 / 12 - 62 / 144) / (1 - 62 / 144))
    assert label.kappa.n == 4
    # Krippendorff over all five, 14 votes: C 7, N 6, E 1.  D_o = [0 + 4/2 + 6/2 + 0 + 2/1] / 14,
    # D_e = (7*7 + 6*8 + 1*13) / (14 * 13).
    assert label.alpha.value == pytest.approx(1 - (7 / 14) / (110 / (14 * 13)))
    assert label.alpha.n == 5


def test_verdicts_item_by_item(judged: Study) -> None:
    assert verdicts(judged) == {
        "antonymy.dev": {
            "antonymy:0": Verdict("verified", 3, 3, "contradiction"),
            "antonymy:1": Verdict("verified", 2, 3, "contradiction"),
            "antonymy:2": Verdict("rejected", 1, 3),
            "antonymy:3": Verdict("rejected", 0, 3),
            "antonymy:4": Verdict("open", 1, 3),
        }
    }
    document = json.loads(json.dumps(as_json(judged), allow_nan=False))
    assert document["verdicts"]["antonymy.dev"]["antonymy:1"]["agreed"] == 2
    assert document["findings"][0]["agreed"]["value"] == 0.5


@pytest.mark.parametrize(
    ("letters", "status", "share"),
    [
        ("C", "verified", 1.0),
        ("N", "rejected", 0.0),
        ("CC", "verified", 1.0),
        ("CN", "rejected", 0.0),
        ("CCNN", "rejected", 1.0),
        ("CCCN", "verified", 1.0),
        ("C?N", "rejected", 0.0),
    ],
)
def test_other_numbers_of_judges(tmp_path: Path, letters: str, status: str, share: float) -> None:
    with study_of(tmp_path, items("antonymy", "C"), judges=len(letters)) as study:
        say(study, "antonymy.dev", "label", {"antonymy:0": letters})
        assert verdicts(study)["antonymy.dev"]["antonymy:0"].status == status
        agreed = finding(study, "label").agreed
        assert agreed is not None
        assert agreed.value == share  # of four judges two agree, which is no majority


def test_the_label_decides_unless_sense_is_required(tmp_path: Path) -> None:
    with study_of(tmp_path, items("so_swap", "C" * 20)) as study:
        for number in range(20):
            say(study, "so_swap.dev", "label", {f"so_swap:{number}": "CCC"})
            say(study, "so_swap.dev", "sensible", {f"so_swap:{number}": "nny"})
        for require, status in (((), "verified"), (("sensible",), "rejected")):
            found = verdicts(study, Rule(require=require))["so_swap.dev"]
            assert Counter(verdict.status for verdict in found.values()) == {status: 20}
        published = finding(study, "label").published
        assert published is not None
        assert published[:3] == (84, "nie2019", "Table 2, of SNLI dev")
        assert published.difference.startswith("our rules leave out")
        sensible = finding(study, "sensible").agreed
        assert sensible is not None
        assert (sensible.value, sensible.n) == (0.0, 20)


def test_several_questions_may_be_required(tmp_path: Path) -> None:
    with study_of(tmp_path, items("so_swap", "CCCC"), items("antonymy", "C")) as study:
        say(study, "so_swap.dev", "label", {f"so_swap:{n}": "CCC" for n in range(4)})
        say(study, "so_swap.dev", "sensible", {"so_swap:0": "yyn", "so_swap:1": "yyn", "so_swap:3": "y.."})
        say(study, "so_swap.dev", "grammatical", {"so_swap:0": "yy.", "so_swap:1": "nn.", "so_swap:3": "yyy"})
        say(study, "antonymy.dev", "label", {"antonymy:0": "CCC"})
        say(study, "antonymy.dev", "grammatical", {"antonymy:0": "yyy"})
        found = verdicts(study, Rule(require=("sensible", "grammatical")))
        statuses = [found["so_swap.dev"][f"so_swap:{n}"].status for n in range(4)]
        assert statuses == ["verified", "rejected", "open", "open"]
        assert found["antonymy.dev"]["antonymy:0"].status == "verified"  # was never asked whether sensible
        for question in ("trivial", "label", "nonsense"):
            with pytest.raises(CrossexamError, match=f"does not ask for '{question}'") as caught:
                verdicts(study, Rule(require=(question,)))
            assert caught.value.wanted == "grammatical, sensible"


def test_categories_by_two_judges(tmp_path: Path) -> None:
    examples = tuple(Example(f"b{n}", "Ann sang.", "Ann danced.", "neutral") for n in range(4))
    run = Run("m", {"base.dev": Dataset("base.dev", examples)}, {"base.dev": np.eye(3)[[0] * 4]})
    sample_outcomes(tmp_path / "s", SampleRequest(), wrong=[run], origin="")
    with open_study(tmp_path / "s") as study:
        for number, said in enumerate(
            (
                "negation negation unknown",
                "unknown ambiguity negation",
                "negation negation negation",
                "ambiguity",
            ),
            1,
        ):
            for judge, value in zip(study.judges, said.split(), strict=False):
                study.record(Judgement(judge, number, "category", value))
        (found,) = question_results(study)
    assert found.answers == {"negation": 2, "no agreement": 1}
    assert (found.undecided, found.agreed) == (1, None)


# Verdicts in the suite and the report


def run_over(datasets: list[Dataset], wrong: set[str]) -> Run:
    shares = {}
    for each in datasets:
        gold = [LABEL_INDEX[str(item.label)] for item in each]
        said = [
            (label + 1) % 3 if item.id in wrong else label for item, label in zip(each, gold, strict=True)
        ]
        shares[each.name] = np.eye(3)[said].reshape(-1, 3)
    return Run("tiny", {each.name: each for each in datasets}, shares, {"model_key": "k"})


@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
def test_verdicts_go_into_the_suite(judged: Study, tmp_path: Path, suffix: str) -> None:
    dataset = items("antonymy", "CCCCC", status="proposed")
    other = items("negation", "E")
    folder = write_suite(tmp_path / "suite", dataset, other, suffix=suffix)
    before = (folder / f"negation.dev.{suffix}").read_bytes()
    counts = apply_verdicts(judged, folder, Rule())
    assert counts == {"antonymy.dev": Applied(2, 2, 1, {})}
    suite = read_suite(folder)  # the content hash still fits
    written = {item.id: dict(item.info) for item in suite["antonymy.dev"]}
    assert written["antonymy:1"] == {
        "cluster": "antonymy1",
        "status": "verified",
        "verdict": "verified",
        "agreed": [2, 3],
        "judge_labels": ["contradiction", "contradiction", "neutral"],
    }
    assert [written[name]["status"] for name in ANTONYMS] == ["verified"] * 2 + ["rejected"] * 2 + [
        "proposed"
    ]
    assert "verdict" not in written["antonymy:4"]
    entry = read_json(folder / "manifest.json")["test_sets"]["antonymy.dev"]
    assert (entry["verdict"]["verified"], entry["verdict"]["judges"], entry["rows"]) == (2, 3, 5)
    assert (folder / f"negation.dev.{suffix}").read_bytes() == before
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    apply_verdicts(judged, folder, Rule())
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == files  # again: nothing changes


def test_an_open_item_loses_its_verdict(judged: Study, tmp_path: Path) -> None:
    folder = write_suite(tmp_path / "suite", items("antonymy", "CCCCC", status="proposed"))
    apply_verdicts(judged, folder, Rule())
    number = next(item.number for item in judged.items.values() if item.example == "antonymy:1")
    while any(a.item == number and a.question == "label" for a in judged.judgements("judge-1")):
        judged.undo("judge-1")
    apply_verdicts(judged, folder, Rule())
    assert dict(read_suite(folder)["antonymy.dev"].examples[1].info) == {
        "cluster": "antonymy1",
        "status": "proposed",
        "judge_labels": ["contradiction", "neutral"],
    }


def test_another_suite_is_left_alone(judged: Study, tmp_path: Path) -> None:
    other = write_suite(tmp_path / "other", items("antonymy", "CCCCN", status="proposed"))
    before = {path.name: path.read_bytes() for path in other.iterdir()}
    with pytest.raises(CrossexamError, match=r"'antonymy\.dev' is not the one that was judged"):
        apply_verdicts(judged, other, Rule())
    assert {path.name: path.read_bytes() for path in other.iterdir()} == before
    with pytest.raises(CrossexamError, match=r"has no test set 'antonymy\.dev'"):
        apply_verdicts(judged, write_suite(tmp_path / "none", items("negation", "E")), Rule())


def test_a_run_sees_verdicts_and_verified_items_are_scored_alone(judged: Study, tmp_path: Path) -> None:
    folder = write_suite(tmp_path / "suite", items("antonymy", "CCCCC", status="proposed"))
    save_run(
        run_over(list(read_suite(folder)), wrong={"antonymy:0", "antonymy:3", "antonymy:4"}), tmp_path / "run"
    )
    apply_verdicts(judged, folder, Rule())
    run = read_run(tmp_path / "run")  # made before the verdicts
    found = {name: (each.value, each.n) for name, each in accuracy_by_set(verified_only(run)).items()}
    assert found == {"antonymy.dev (verified)": (1 / 2, 2)}  # 1 right, 0 wrong
    apart = by_status(run)
    assert {name: (each.value, each.n) for name, each in accuracy_by_set(apart).items()} == {
        "antonymy.dev (verified)": (1 / 2, 2),
        "antonymy.dev (proposed)": (0 / 1, 1),
    }
    assert apart.manifest["rejected_items"] == "2 rejected items are left out"
    assert "verified items only: 2; left out: 2 rejected, 1 proposed" in str(verified_only(run).manifest)


def test_labels_that_are_not_proposed_are_not_parted() -> None:
    dataset = items("negation", "EN")
    marked = Dataset(
        dataset.name,
        (replace(dataset.examples[0], info={"verdict": "verified"}), dataset.examples[1]),
        dataset.manifest,
    )
    base = Dataset("base.dev", dataset.examples, {"construction": "base"})
    run = run_over([base, marked], wrong=set())
    assert list(by_status(run).datasets) == ["base.dev", "negation.dev"]
    only = verified_only(run)
    assert {name: len(each) for name, each in only.datasets.items()} == {
        "base.dev": 2,
        "negation.dev (verified)": 1,
    }
    with pytest.raises(CrossexamError, match="no item in the test sets of 'tiny' has been verified"):
        verified_only(run_over([base, dataset], wrong=set()))
    assert status_of(dataset.examples[0]) is None


def test_parts_are_paired_with_the_parts_of_their_control() -> None:
    gold = items("i_h", "EE")
    control = items("e_h", "EEE", status="proposed")
    derived = items("e_th", "NNN", status="proposed")
    mixed = items("i_ta1", "CC")
    control = Dataset(
        control.name,
        tuple(
            replace(each, info={**each.info, "status": status})
            for each, status in zip(control, ("verified", "proposed", "rejected"), strict=True)
        ),
        {**control.manifest, "base_set": "i_h.dev"},
    )
    derived = Dataset(
        derived.name,
        tuple(
            replace(each, base=f"e_h:{n}", info={**each.info, "status": status})
            for n, (each, status) in enumerate(
                zip(derived, ("verified", "proposed", "verified"), strict=True)
            )
        ),
        {**derived.manifest, "base_set": "e_h.dev"},
    )
    mixed = Dataset(
        mixed.name,
        (mixed.examples[0], replace(mixed.examples[1], info={"status": "proposed"})),
        mixed.manifest,
    )
    run = run_over([gold, control, derived, mixed], wrong={"e_th:1"})
    apart = by_status(run)
    assert {name: (each.manifest["base_set"], len(each)) for name, each in apart.datasets.items()} == {
        "i_h.dev": (None, 2),
        "e_h.dev (verified)": ("i_h.dev", 1),
        "e_h.dev (proposed)": ("i_h.dev", 1),
        "e_th.dev (verified)": ("e_h.dev (verified)", 2),
        "e_th.dev (proposed)": ("e_h.dev (proposed)", 1),
        "i_ta1.dev": (None, 1),  # of which nothing is said
        "i_ta1.dev (proposed)": (None, 1),
    }
    shares = apart.probabilities["e_th.dev (proposed)"]
    assert shares.argmax(axis=1).tolist() == [LABEL_INDEX["contradiction"]]  # e_th:1, the wrong one
    only = verified_only(run)
    assert list(only.datasets) == [
        "i_h.dev",
        "e_h.dev (verified)",
        "e_th.dev (verified)",
    ]  # the control is gold
    assert "left out: 1 rejected, 3 proposed, 1 not judged" in str(only.manifest["scored_items"])


# The verbs


def crossexam(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "crossexam.cli.main", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(SOURCE), "COLUMNS": "160"},
        check=False,
    )


@pytest.mark.slow
def test_from_the_command_line(tmp_path: Path) -> None:
    write_suite(tmp_path / "suite", items("antonymy", "CCC"))
    assert crossexam("run", "builtin/overlap", "suite", "-o", "run", cwd=tmp_path).returncode == 0
    done = crossexam("validate", "sample", "suite", "-o", "study", "--judges", "2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "label, grammatical" in done.stdout
    with open_study(tmp_path / "study") as study:
        say(study, "antonymy.dev", "label", {"antonymy:0": "CC", "antonymy:1": "CC", "antonymy:2": "NN"})
    done = crossexam(
        "validate",
        "verdict",
        "study",
        "-o",
        "out.json",
        "--apply",
        "confirm",
        "--suite",
        "suite",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "86† (naik2018" in done.stdout
    assert "66.7 [" in done.stdout
    assert "antonymy.dev: 2 verified, 1 rejected, 0 open" in done.stderr
    assert read_json(tmp_path / "out.json")["findings"][0]["agreed"]["n"] == 3
    for suffix in ("md", "csv", "json", "html", "tex"):
        done = crossexam("report", "run", "--verified", "-o", f"x.{suffix}", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "(verified)" in (tmp_path / f"x.{suffix}").read_text(encoding="utf-8")
    assert "verified items only: 2" in (tmp_path / "x.md").read_text(encoding="utf-8")
    assert "(verified)" in crossexam("compare", "run", "run", "--verified", cwd=tmp_path).stdout
    errors = crossexam("validate", "sample", "--errors", "run", "-o", "errors", cwd=tmp_path)
    assert "category" in errors.stdout, errors.stderr
    assert "sources of error" in crossexam("validate", "verdict", "errors", cwd=tmp_path).stdout
    done = crossexam("validate", "sample", "-o", "nothing", cwd=tmp_path)
    assert (done.returncode, "nothing to sample from" in done.stderr) == (2, True)
    done = crossexam("validate", "export", "study", "-o", "x.xlsx", cwd=tmp_path)
    assert (done.returncode, "wanted: .csv or .json" in done.stderr) == (2, True)


def test_a_construction_names_all_its_sets(tmp_path: Path) -> None:
    names = ("negation.a", "negation.b", "antonymy.a")
    datasets = [Dataset(name, items(name, "E").examples) for name in names]
    study = study_of(tmp_path, *datasets, sets=("negation",))
    assert list(study.manifest["test_sets"]) == ["negation.a", "negation.b"]


def test_neutral_and_contradiction_are_one_where_there_are_two_labels(tmp_path: Path) -> None:
    """N, C, N and C, N, N all mean not_entailment: judges agree; with three labels they would not."""
    golds = ("not_entailment", "not_entailment", "entailment")
    examples = tuple(Example(f"n:{k}", f"P {k}.", f"H {k}.", gold) for k, gold in enumerate(golds))  # type: ignore[arg-type]
    study = study_of(tmp_path, Dataset("negation.dev", examples), judges=3, questions=("label",))
    say(study, "negation.dev", "label", {"n:0": "NCN", "n:1": "CNN", "n:2": "EEE"})
    (found,) = question_results(study)
    assert found.kappa.value == 1.0
    assert found.alpha.value == 1.0
    assert found.agreed is not None
    assert found.agreed.value == 1.0
