"""The cross-dataset benchmark: splits, projections, the mean, on a data folder of our own."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossexam as cx
from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import Example
from crossexam.core.test_sets import read_suite
from crossexam.corpora.readers.table import READERS
from crossexam.corpora.split_files import SPLITS
from crossexam.evaluation.cross_dataset import benchmark_score, mean_difference
from crossexam.evaluation.measures import measure
from crossexam.models.builtin import BUILTINS
from crossexam.published.figures import published
from crossexam.reports.accuracy import error_table
from crossexam.reports.analyses.cross_dataset import corpus_table, score_table
from crossexam.reports.comparison import comparison_tables
from crossexam.reports.data import render_csv, render_json
from crossexam.reports.headline import headline
from crossexam.reports.published_systems import other_pairs, published_on_corpus
from crossexam.reports.results import results_of
from crossexam.reports.table import MARK, Marked
from crossexam.runs.run import predict_suite
from crossexam.suites.build import Built, build_to_folder
from crossexam.suites.cross_dataset import most_frequent, split_member
from crossexam.suites.cross_dataset_corpora import MEMBERS, REFERENCE, member_named
from crossexam.suites.table import suite_request


def write_cross_dataset(
    folder: Path, *corpora: str, split: str = "test", seed: int = 0, limit: int | None = None
) -> Built:
    """Build the suite of *corpora*, without any of all that are installed."""
    options = {"cross-dataset": {"corpora": corpora, "split": split}}
    return build_to_folder(suite_request("cross-dataset", options=options, seed=seed, limit=limit), folder)


SICK = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
GOLDS = ("NEUTRAL", "NEUTRAL", "ENTAILMENT", "CONTRADICTION")


def sick_file(path: Path, first: int, rows: int) -> None:
    numbers = range(first, first + rows)
    lines = (f"{n}\tDog {n} runs.\tAn animal {n} moves.\t3.5\t{GOLDS[n % 4]}\n" for n in numbers)
    path.write_text(SICK + "".join(lines))


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with SICK (three files), SNLI's test set, and one of SciTail's three files."""
    folder = tmp_path / "data"
    folder.mkdir()
    for name, first, rows in (("train", 0, 20), ("trial", 100, 5), ("test_annotated", 200, 16)):
        sick_file(folder / f"SICK_{name}.txt", first, rows)
    labels = ("entails", "neutral")
    lines = [f"Water {n} is wet.\tWater {n} boils.\t{labels[n % 2]}\n" for n in range(30)]
    (folder / "scitail_1.0_test.tsv").write_text("".join(lines))
    snli = (
        {
            "pairID": str(n),
            "sentence1": f"Man {n}.",
            "sentence2": f"Man {n} here.",
            "gold_label": ("entailment", "neutral", "contradiction")[n % 3],
        }
        for n in range(12)
    )
    (folder / "snli_1.0_test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in snli))
    monkeypatch.setenv("CROSSEXAM_DATA", str(folder))
    return folder


def test_the_table_is_table_4() -> None:
    """Fourteen corpora, two of them elicited, five recast (Table 1); halves are halves (Table 4)."""
    protocols = Counter(member.protocol for member in MEMBERS.values())
    assert protocols == {"human elicited": 2, "human judged": 7, "automatically recast": 5}
    for member in MEMBERS.values():
        assert sum(member.shares.values()) == pytest.approx(100, abs=0.15), member.key
        validation, test = member.sizes
        assert member.sampled == validation if member.sampled else test - validation in {0, 1}, member.key


def test_every_member_has_a_published_column_and_a_reader() -> None:
    columns = published("zhang2020").table("accuracy").columns
    assert set(columns) == {*MEMBERS, "mean", REFERENCE}
    for member in MEMBERS.values():
        splits = {*member.splits, *([member.given] if member.given else [])}
        assert splits <= SPLITS[member.corpus].keys(), member.key
        if "not_entailment" in member.shares:
            assert READERS[member.corpus].projection == "two labels", member.key


def test_the_published_majority_is_always_neutral() -> None:
    """Table 5's row Majority is the share of neutral or not_entailment in Table 4, within halves."""
    table = published("zhang2020").table("accuracy")
    for member in MEMBERS.values():
        share = member.shares.get("neutral", member.shares.get("not_entailment", 0.0))
        found = table.value("Majority", member.key)
        assert found is not None
        assert abs(found - share) <= 3.1, member.key  # WNLI's halves of 353 differ most


def test_halves_are_drawn_by_content(data: Path) -> None:
    split = split_member(member_named("sick"), seed=0)
    assert split is not None
    assert (len(split.validation), len(split.test)) == (20, 21)
    ids = [example.id for example in (*split.validation, *split.test)]
    assert len(set(ids)) == 41
    assert {name.partition(":")[0] for name in ids} == {"train", "dev", "test"}
    again = split_member(member_named("sick"), seed=0)
    assert again is not None
    assert again.manifest(0) == split.manifest(0)
    other = split_member(member_named("sick"), seed=1)
    assert other is not None
    assert {e.id for e in other.test} != {e.id for e in split.test}


def test_another_order_and_other_ids_give_the_same_split(data: Path) -> None:
    before = split_member(member_named("sick"), seed=0)
    path = data / "SICK_train.txt"
    header, *lines = path.read_text().splitlines()
    renamed = [f"9{line}" for line in reversed(lines)]
    path.write_text("\n".join([header, *renamed]) + "\n")
    after = split_member(member_named("sick"), seed=0)
    assert before is not None
    assert after is not None
    assert {e.premise for e in before.test} == {e.premise for e in after.test}


def test_a_repeated_pair_is_drawn_each_time(data: Path) -> None:
    path = data / "SICK_trial.txt"
    line = "7\tA cat.\tA cat sits.\t3.5\tNEUTRAL\n"
    path.write_text(SICK + line * 4)
    split = split_member(member_named("sick"), seed=0)
    assert split is not None
    assert len({e.id for e in (*split.validation, *split.test)}) == 40
    path.write_text(SICK + line * 30)  # each by itself, not all together
    split = split_member(member_named("sick"), seed=0)
    assert split is not None
    assert all(5 < sum(e.premise == "A cat." for e in half) < 25 for half in (split.validation, split.test))


def test_a_part_of_a_corpus_is_divided_in_proportion(data: Path) -> None:
    """SciTail: 10,000 of 27,026 for validation; of the 30 at hand 11."""
    split = split_member(member_named("scitail"), seed=0)
    assert split is not None
    assert (len(split.validation), len(split.test)) == (11, 19)
    assert not split.complete
    assert split.differences()[0] == "not installed: scitail:train, scitail:dev"


def test_what_is_not_installed_is_none(data: Path) -> None:
    assert split_member(member_named("cb"), seed=0) is None


def test_the_suite_holds_what_is_there(data: Path, tmp_path: Path) -> None:
    built = write_cross_dataset(tmp_path / "suite")
    assert built.written
    suite = read_suite(tmp_path / "suite")
    absent = suite.manifest["absent"]
    assert set(absent) == set(MEMBERS) - {"sick", "scitail"}
    assert built.notes == (
        f"not installed, so not included: {', '.join(absent)}; reports will call the benchmark partial",
    )
    assert list(suite.datasets) == ["base.sick", "base.scitail", "base.snli_test"]
    assert suite["base.scitail"].manifest["projection"] == "no contradiction"
    split = json.loads((tmp_path / "suite" / "splits" / "sick.json").read_text())
    assert split["test"]["ids"] == [example.id for example in suite["base.sick"]]
    assert split["rule"] == "train, dev, test: halves"
    assert split["validation"]["rows"] == 20
    again = write_cross_dataset(tmp_path / "suite")
    assert not again.written
    assert again.notes == built.notes
    with pytest.raises(CrossexamError, match="different input or options"):
        write_cross_dataset(tmp_path / "suite", seed=1)


def add_one_files(data: Path, *scores: float) -> None:
    """Write Add-1 in its official columns: the first scores into train, the last two into dev and test."""
    for split, of_split in zip(
        ("train", "dev", "test"), (scores[:-2], scores[-2:-1], scores[-1:]), strict=True
    ):
        rows = (f"{each}\tx\t1\told\tdog\tDog {each} ran.\tOld dog {each} ran.\n" for each in of_split)
        (data / f"data.{split}").write_text("".join(rows))


def test_add_one_has_all_pairs_or_the_straightforward_ones(data: Path, tmp_path: Path) -> None:
    (data / "splits").mkdir()
    add_one_files(data / "splits", 1.0, 2.5, 3.0, 3.25, 3.5, 3.75, 4.0, 4.5, 5.0, 2.0)
    options: dict[str, Any] = {"corpora": ("add_one",)}
    every, clear = (
        build_to_folder(suite_request("cross-dataset", options={"cross-dataset": chosen}), tmp_path / name)
        for name, chosen in (("every", options), ("clear", {**options, "add_one": "straightforward"}))
    )
    assert every.notes == (
        "add_one: 7 of 10 pairs have a mean score of at most 3 or at least 4 (42.9 % entailment); the paper "
        "takes 3,794 (15.7 %); --set cross-dataset.add_one=straightforward takes those alone",
    )
    assert clear.notes[0].startswith("add_one: the 7 pairs that have a mean score of at most 3 or at least 4")
    split = json.loads((tmp_path / "clear" / "splits" / "add_one.json").read_text())
    assert (split["validation"]["rows"], split["test"]["rows"]) == (3, 4)
    assert split["rule"] == "train, dev, test (mean score at most 3 or at least 4): halves"
    scores = {item.info["score"] for item in read_suite(tmp_path / "clear")["base.add_one"]}
    assert len(scores) == 4
    assert not scores & {3.25, 3.5, 3.75}
    assert "pairs:straightforward" in str(read_suite(tmp_path / "clear")["base.add_one"].entry.signature)
    assert len(read_suite(tmp_path / "every")["base.add_one"]) == 5


def test_straightforward_pairs_need_scores_and_the_corpus(data: Path, tmp_path: Path) -> None:
    (data / "add_one").mkdir()
    pairs = "".join(f"Dog {n} ran.,Old dog {n} ran.,{('', 'not_')[n % 2]}entailment\n" for n in range(4))
    (data / "add_one" / "train.csv").write_text("premise,hypothesis,label\n" + pairs)
    options = {"add_one": "straightforward"}
    for corpora, said in (
        (("add_one",), "no mean scores"),
        (("sick",), "'add_one' is not among the corpora"),
    ):
        with pytest.raises(CrossexamError, match=said):
            cx.build("cross-dataset", options={"cross-dataset": {**options, "corpora": corpora}})
    built = write_cross_dataset(tmp_path / "suite", "add_one")
    assert built.notes == (
        "add_one: the files have no mean scores, so the straight-forward pairs are not known",
    )


def test_validation_and_test_share_nothing(data: Path, tmp_path: Path) -> None:
    write_cross_dataset(tmp_path / "test", "sick")
    write_cross_dataset(tmp_path / "validation", "sick", split="validation")
    ids = [{e.id for e in read_suite(tmp_path / part)["base.sick"]} for part in ("test", "validation")]
    assert not ids[0] & ids[1]
    assert len(ids[0] | ids[1]) == 41


def test_a_corpus_without_a_validation_set_is_named(data: Path, tmp_path: Path) -> None:
    pairs_file(data / "multinli_1.0_dev_matched.jsonl", 12)
    corpora = ("sick", "multinli_dev_matched")
    built = write_cross_dataset(tmp_path / "validation", *corpora, split="validation")
    note = "multinli_dev_matched has no validation set, because multinli:train is not installed"
    assert built.notes == (note,)
    assert list(read_suite(tmp_path / "validation").datasets) == ["base.sick"]
    assert write_cross_dataset(tmp_path / "test", *corpora).notes == ()


def test_a_limit_is_not_the_whole(data: Path, tmp_path: Path) -> None:
    write_cross_dataset(tmp_path / "suite", "sick", limit=3)
    suite = read_suite(tmp_path / "suite")
    assert suite["base.sick"].manifest["cross_dataset"]["complete"] is False
    assert len(suite["base.sick"]) == 3
    assert suite["base.sick"].manifest["rows"] == 3
    reference = suite["base.snli_test"].manifest
    assert reference["cross_dataset"]["complete"] is False
    assert "limit:3" in reference["signature"]


def test_a_limit_that_cuts_nothing_off_leaves_the_whole(data: Path, tmp_path: Path) -> None:
    write_cross_dataset(tmp_path / "suite", "sick", limit=10_000)
    write_cross_dataset(tmp_path / "whole", "sick")
    suite, whole = read_suite(tmp_path / "suite"), read_suite(tmp_path / "whole")
    for name in whole.datasets:
        assert suite[name].manifest["cross_dataset"] == whole[name].manifest["cross_dataset"]
        assert suite[name].manifest["signature"] == whole[name].manifest["signature"]


@pytest.mark.parametrize(
    ("corpora", "split", "error", "says"),
    [
        (["cb"], "test", CrossexamError, "not installed: cb"),
        (["sik"], "test", UnknownNameError, "did you mean 'sick'"),
        ([], "dev", CrossexamError, "'cross-dataset.split' cannot be 'dev'(.|\n)*wanted: test, validation"),
    ],
)
def test_what_cannot_be_built_says_why(
    data: Path, tmp_path: Path, corpora: list[str], split: str, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        write_cross_dataset(tmp_path / "suite", *corpora, split=split)
    assert not (tmp_path / "suite").exists()


def test_majority_says_the_label_of_the_validation_set(data: Path, tmp_path: Path) -> None:
    write_cross_dataset(tmp_path / "suite")
    suite = read_suite(tmp_path / "suite")
    answers = predict_suite(BUILTINS["builtin/majority"], suite)
    assert set(answers.scored("base.sick").predicted.tolist()) == {1}  # half of SICK here is neutral
    assert set(answers.scored("base.snli_test").predicted.tolist()) == {0}


def run_of(name: str, right: dict[str, list[bool]], *, complete: bool = True) -> Run:
    """Return a run whose corpora have so many right answers; SNLI's test set is the reference."""
    datasets, answers = {}, {}
    for key, answered in right.items():
        place = (
            {"reference": True}
            if key == REFERENCE
            else {
                "key": key,
                "title": MEMBERS[key].title,
                "protocol": MEMBERS[key].protocol,
                "complete": complete,
            }
        )
        examples = tuple(Example(f"{key}{n}", f"P {key} {n}.", "H.", "neutral") for n in range(len(answered)))
        manifest = {"construction": "base", "part": key, "cross_dataset": place}
        datasets[f"base.{key}"] = Dataset(f"base.{key}", examples, manifest)
        answers[f"base.{key}"] = np.array([[0.0, 1.0, 0.0] if each else [1.0, 0.0, 0.0] for each in answered])
    return Run(name, datasets, answers, {})


HALF = [True, False] * 50
MOST = [True] * 80 + [False] * 20


def test_the_score_is_the_plain_mean() -> None:
    run = run_of("m", {"sick": HALF, "cb": [True] * 9 + [False], REFERENCE: MOST})
    score = benchmark_score(run, measure(run))
    assert score is not None
    assert score.mean.value == pytest.approx((0.5 + 0.9) / 2)  # whatever the sizes
    assert score.difference is not None
    assert score.difference.value == pytest.approx(0.7 - 0.8)
    assert score.relative is not None
    assert score.relative.value == pytest.approx(0.7 / 0.8 - 1)
    assert score.title == "Part of the cross-dataset benchmark: 2 of 14 corpora"
    assert len(score.missing) == 12


def test_only_the_whole_benchmark_has_its_name() -> None:
    whole = run_of("m", dict.fromkeys(MEMBERS, HALF))
    score = benchmark_score(whole, measure(whole))
    assert score is not None
    assert score.title == "Cross-dataset benchmark"
    assert score.difference is None  # SNLI was not asked
    cut = Run(
        "m",
        {n: Dataset(n, d.examples[:50], d.manifest) for n, d in whole.datasets.items()},
        {n: p[:50] for n, p in whole.probabilities.items()},
        {},
    )
    for dataset in cut.datasets.values():
        dataset.manifest["rows"] = 100  # type: ignore[index]
    score = benchmark_score(cut, measure(cut))
    assert score is not None
    assert len(score.incomplete) == 14  # --limit of a run
    less = run_of("m", {**dict.fromkeys(MEMBERS, HALF), REFERENCE: MOST})
    less.datasets[f"base.{REFERENCE}"].manifest["cross_dataset"]["complete"] = False
    score = benchmark_score(less, measure(less))
    assert score is not None
    assert (score.incomplete, score.reference_cut) == ((), True)
    assert score.title == "Part of the cross-dataset benchmark: 14 of 14 corpora; SNLI test in part"
    assert "points below that on a part of SNLI test" in headline(results_of([less]))
    assert any(
        "In part (by --limit, or not all is installed): SNLI test." in note
        for note in score_table(results_of([less])).notes
    )
    partly = run_of("m", dict.fromkeys(MEMBERS, HALF), complete=False)
    score = benchmark_score(partly, measure(partly))
    assert score is not None
    assert score.title == "Part of the cross-dataset benchmark: 14 of 14 corpora, all in part"
    assert "14 of the 14 corpora of the cross-dataset benchmark, all in part" in headline(
        results_of([partly])
    )


def test_published_rows_are_means_of_the_same_corpora() -> None:
    """ESIM on SICK and CB: (57.0 + 47.5) / 2 = 52.25 (Table 5)."""
    table = score_table(results_of([run_of("m", {"sick": HALF, "cb": HALF, REFERENCE: MOST})]))
    rows = {row[0]: row for row in table.rows}
    assert rows["ESIM (published)"][2] == pytest.approx(0.5225)
    assert rows["m"][1] == 2
    assert any("Missing: multinli_dev_matched" in note for note in table.notes)
    assert score_table(results_of([run_of("m", {"sick": HALF})], published_rows=False)).rows[0][3] is None


def test_means_over_all_fourteen_are_printed_and_others_are_marked() -> None:
    """Table 2 prints 56.0 and -36.0 for ESIM, though the rounded figures of Table 5 give 55.94 and -36.1."""
    whole = {**dict.fromkeys(MEMBERS, HALF), REFERENCE: MOST}
    printed = published("zhang2020").table("summary")
    table = score_table(results_of([run_of("m", whole)]))
    names = ("mean", REFERENCE, "difference", "relative")
    for system in printed.rows:
        row = next(row for row in table.rows if row[0] == f"{system} (published)")
        cells = [row[2], *row[4:]]
        assert cells == pytest.approx([(printed.value(system, name) or 0) / 100 for name in names])
        assert not any(isinstance(cell, Marked) for cell in cells)
    assert not any(MARK in note for note in table.notes)
    whole.pop("cb")
    part = score_table(results_of([run_of("m", whole)]))
    esim = next(row for row in part.rows if row[0] == "ESIM (published)")
    assert [isinstance(cell, Marked) for cell in esim[2:]] == [True, False, False, True, True]
    assert any(
        note.startswith(f"{MARK} Not printed in the paper") and "13 corpora" in note for note in part.notes
    )


def test_published_accuracies_stand_beside_ours_corpus_by_corpus() -> None:
    """ESIM on WNLI: 51.1 (Table 5); of another number of pairs, marked, with both numbers below."""
    halves = {"wnli": [True] * 300 + [False] * 53, "sick": HALF, REFERENCE: MOST}
    results = results_of([run_of("m", halves)])
    table = corpus_table(results)
    place = [column.header for column in table.columns].index("ESIM")
    assert table.columns[place].group == "Published, Zhang et al. 2020"
    wnli, sick = table.rows
    assert (wnli[place], sick[place]) == pytest.approx((0.511, 0.57))
    assert [isinstance(row[place], Marked) for row in table.rows] == [True, True]  # this WNLI has one label
    assert any("SICK: 100 pairs, published 4,964" in note for note in table.notes)
    assert any("Majority, HOM, RF" in note and "published: Table 5 of" in note for note in table.notes)
    (model,) = json.loads(render_json(results))["models"]
    found = {each["name"]: each for each in model["test_sets"]}
    assert found["base.sick"]["published"]["zhang2020"]["ESIM"] == 0.57
    assert found["base.sick"]["published_of_other_items"] == {"zhang2020": "100 pairs, published 4,964"}
    assert found[f"base.{REFERENCE}"]["published"]["zhang2020"]["ESIM"] == 0.875
    assert found[f"base.{REFERENCE}"]["published_of_other_items"] == {}
    rows = list(csv.DictReader(io.StringIO(render_csv(results))))
    esim = {row["test_set"]: row for row in rows if row["model"] == "ESIM (published)"}
    assert esim["base.sick"]["statistic"] == "published_accuracy_of_other_items"
    assert esim[f"base.{REFERENCE}"]["statistic"] == "published_accuracy"
    assert [esim[name]["value"] for name in ("base.sick", f"base.{REFERENCE}")] == ["0.57", "0.875"]
    bare = results_of([run_of("m", halves)], published_rows=False)
    assert len(corpus_table(bare).columns) == 5
    assert "(published)" not in render_csv(bare)


def test_pairs_as_in_table_4_are_not_marked() -> None:
    run = run_of("m", {"wnli": [True] * 353, REFERENCE: MOST})
    (wnli,) = (dataset for name, dataset in run.datasets.items() if name == "base.wnli")
    two = tuple(replace(each, label=("entailment", "not_entailment")[n % 2]) for n, each in enumerate(wnli))
    assert other_pairs(Dataset("base.wnli", two, wnli.manifest)) == ""
    assert other_pairs(wnli) == "1 labels, published 2"
    assert not any(
        isinstance(each, Marked) for each in published_on_corpus(replace(wnli, examples=two)).values()
    )


def test_naik_s_systems_are_not_beside_a_half_of_multinli() -> None:
    half = run_of("m", {"multinli_dev_mismatched": HALF, "multinli_dev_matched": HALF})
    whole = {name: replace(each, manifest={"construction": "base", "part": each.entry.part})
             for name, each in half.datasets.items()}  # fmt: skip
    for datasets, beside in ((half.datasets, False), (whole, True)):
        results = results_of([Run("m", datasets, half.probabilities, {})])
        assert ("NB (published)" in {row[1] for row in error_table(results).rows}) is beside
        found = json.loads(render_json(results))["models"][0]["test_sets"]
        assert all(("naik2018" in each["published"]) is beside for each in found)


def test_reports_say_what_is_in() -> None:
    worse, better = ({"sick": answered, REFERENCE: MOST} for answered in (HALF, MOST))
    results = results_of([run_of("m", worse), run_of("n", better)])
    assert headline(results).startswith("m has a mean accuracy of 50.0 % (95 % interval ")
    said = "corpora of the cross-dataset benchmark, 30.0 points below that on SNLI test (95 % interval "
    low, high = headline(results).split(said)[1].removesuffix(").").split(" to ")
    assert 0 < float(low) < 30 < float(high)
    rows = corpus_table(results).rows
    assert [row[:4] for row in rows] == [("human judged", "SICK", 100, "three labels")]
    assert "(corpora of the cross-dataset benchmark),,,,,mean,,0.5," in render_csv(results)
    assert json.loads(render_json(results))["models"][1]["cross_dataset"]["mean"]["value"] == 0.8


def test_two_models_differ_in_the_mean() -> None:
    one, other = run_of("m", {"sick": MOST, "cb": MOST}), run_of("n", {"sick": HALF, "cb": MOST})
    found = mean_difference(one, other)
    assert found is not None
    assert found.value == pytest.approx(0.15)
    assert found.low > 0
    assert "A minus B: 15.0 [" in comparison_tables(one, other)[0].notes[2]
    assert mean_difference(Run("m", {}, {}, {}), other) is None


def pairs_file(path: Path, rows: int) -> None:
    golds = ("entailment", "neutral", "contradiction")
    records = (
        {
            "pairID": f"{path.stem}{n}",
            "sentence1": f"Cat {n} of {path.stem}.",
            "sentence2": f"Cat {n}.",
            "gold_label": golds[n % 3],
        }
        for n in range(rows)
    )
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def test_a_given_test_set_is_taken_whole(data: Path) -> None:
    """MultiNLI matched: its dev set is the test set; as many are sampled from the training set."""
    pairs_file(data / "multinli_1.0_train.jsonl", 40)
    pairs_file(data / "multinli_1.0_dev_matched.jsonl", 12)
    split = split_member(member_named("multinli_dev_matched"), seed=0)
    assert split is not None
    assert [example.id for example in split.test] == [f"multinli_1.0_dev_matched{n}" for n in range(12)]
    assert len(split.validation) == 12
    assert all("train" in example.id for example in split.validation)
    assert split.complete
    (data / "multinli_1.0_train.jsonl").unlink()
    without = split_member(member_named("multinli_dev_matched"), seed=0)
    assert without is not None
    assert (len(without.validation), len(without.test)) == (0, 12)
    assert without.complete  # the test set is whole
    assert most_frequent(without.validation) is None


def test_three_way_files_of_a_corpus_with_two_way_copies_stay_three_way(data: Path, tmp_path: Path) -> None:
    tags = "Lexical Semantics\tPredicate-Argument Structure\tLogic\tKnowledge\tDomain"
    header = f"{tags}\tPremise\tHypothesis\tLabel\n"
    golds = ("entailment", "neutral", "contradiction")
    rows = (f"\t\tNegation\t\tNews\tLamp {n} is on.\tLamp {n} glows.\t{golds[n % 3]}\n" for n in range(12))
    (data / "diagnostic-full.tsv").write_text(header + "".join(rows))
    write_cross_dataset(tmp_path / "three", "diagnostic")
    assert read_suite(tmp_path / "three")["base.diagnostic"].entry.projection is None
    (data / "diagnostic-full.tsv").unlink()
    two = (
        {
            "idx": str(n),
            "label": ("entailment", "not_entailment")[n % 2],
            "sentence1": f"A lamp {n}.",
            "sentence2": f"Lamp {n}.",
            "logic": "Negation",
        }
        for n in range(8)
    )
    (data / "AX-b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in two))
    write_cross_dataset(tmp_path / "two", "diagnostic")
    assert read_suite(tmp_path / "two")["base.diagnostic"].entry.projection == "two labels"


@pytest.mark.parametrize("key", ["sick", "joci", "mpe", "cb", "wnli"])
def test_real_corpora_have_the_published_sizes(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """Those that are complete here: sizes as in Table 4, shares of labels within a point."""
    monkeypatch.setenv("CROSSEXAM_DATA", str(shared_data))
    split = split_member(member_named(key), seed=0)
    assert split is not None
    assert split.differences() == []
    assert (len(split.validation), len(split.test)) == MEMBERS[key].sizes


def test_validation_sets_are_called_so(data: Path, tmp_path: Path) -> None:
    write_cross_dataset(tmp_path / "validation", "sick", split="validation")
    answers = predict_suite(BUILTINS["builtin/neutral"], read_suite(tmp_path / "validation"))
    table = score_table(results_of([answers]))
    assert table.title.startswith("Part of the cross-dataset benchmark (validation sets): ")
    assert not any("published" in str(row[0]) for row in table.rows)


def test_the_library_builds_what_is_installed(data: Path) -> None:
    assert list(cx.build("cross-dataset").datasets) == ["base.sick", "base.scitail", "base.snli_test"]
    assert list(cx.build("cross-dataset", "sick").datasets) == ["base.sick", "base.snli_test"]
