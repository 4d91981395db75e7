"""Corpora beside the fourteen: those that are added, another reference, and what reports call the result."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from crossexam.cli.main import app
from crossexam.core.dataset import Dataset, Run, Suite
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import Example
from crossexam.core.test_sets import read_suite
from crossexam.evaluation.cross_dataset import about, benchmark_score, relative_gain
from crossexam.evaluation.measures import measure
from crossexam.published.figures import published
from crossexam.reports.analyses.cross_dataset import gain_table, mean_note, score_table
from crossexam.reports.data import render_csv, render_json
from crossexam.reports.headline import headline
from crossexam.reports.results import results_of
from crossexam.runs.folder import save_run
from crossexam.runs.run import predict_suite
from crossexam.suites.build import build_in_memory, build_to_folder
from crossexam.suites.cross_dataset_corpora import MEMBERS, REFERENCE
from crossexam.suites.table import suite_request

THREE = ("entailment", "neutral", "contradiction")


def rows(name: str, n: int, labels: tuple[str, ...] = THREE) -> str:
    """Lines in SNLI's format."""
    lines = (
        {"pairID": f"{name}{k}", "sentence1": f"{name} {k} runs.", "sentence2": f"{name} {k} moves.",
         "gold_label": labels[k % len(labels)]}
        for k in range(n)
    )  # fmt: skip
    return "".join(json.dumps(line) + "\n" for line in lines)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with SNLI's test set, MultiNLI's matched dev set and two files of one's own."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "snli_1.0_test.jsonl").write_text(rows("Ann", 12))
    (folder / "multinli_1.0_dev_matched.jsonl").write_text(rows("Bob", 9))
    (folder / "multinli_1.0_dev_mismatched.jsonl").write_text(rows("Cid", 10))
    (folder / "mine.jsonl").write_text(rows("Dog", 11))
    (folder / "two.jsonl").write_text(rows("Emu", 8, ("entailment", "not_entailment")))
    (folder / "none.jsonl").write_text(rows("Fox", 1))
    monkeypatch.setenv("CROSSEXAM_DATA", str(folder))
    return folder


def build(**options: Any) -> Suite:
    return build_in_memory(suite_request("cross-dataset", options={"cross-dataset": options}, seed=3))


def test_an_added_corpus_is_halved_like_the_others(data: Path, tmp_path: Path) -> None:
    mine = str(data / "mine.jsonl")
    request = suite_request("cross-dataset", options={"cross-dataset": {"add": [mine]}}, seed=3)
    assert build_to_folder(request, tmp_path / "suite").written
    suite = read_suite(tmp_path / "suite")
    assert len(suite["base.mine"]) == 6
    split = json.loads((tmp_path / "suite" / "splits" / "mine.json").read_text())
    assert (split["validation"]["rows"], split["test"]["rows"], split["seed"]) == (5, 6, 3)
    assert split["rule"] == f"{mine}: halves"
    place = about(suite["base.mine"])
    assert (place["protocol"], place["added"], place["complete"]) == ("added", True, True)
    assert suite.manifest["added"] == [mine]
    assert not build_to_folder(request, tmp_path / "suite").written
    plain = suite_request("cross-dataset", seed=3)
    with pytest.raises(CrossexamError, match="contains a suite built from different input or options"):
        build_to_folder(plain, tmp_path / "suite")
    validation = build(add=[mine], split="validation")
    assert {e.id for e in validation["base.mine"]} == set(split["validation"]["ids"])


@pytest.mark.parametrize(
    ("add", "projection", "labels"),
    [
        ("mine.jsonl", None, set(THREE)),
        ("mine.jsonl:two-labels", "two labels", {"entailment", "not_entailment"}),
        ("mine.jsonl:two labels", "two labels", {"entailment", "not_entailment"}),
        ("two.jsonl", "two labels", {"entailment", "not_entailment"}),
    ],
)
def test_labels_of_an_added_corpus(data: Path, add: str, projection: str | None, labels: set[str]) -> None:
    suite = build(add=[str(data / add)])
    (name,) = (name for name, dataset in suite.datasets.items() if about(dataset).get("added"))
    assert suite[name].entry.projection == projection
    assert {item.label for item in suite[name]} == labels


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"add": ["nonsuch:test"]}, "no corpus"),
        ({"add": ["{}/absent.jsonl"]}, "no such file"),
        ({"add": ["{}/mine.jsonl:four-labels"]}, "four-labels"),
        ({"add": ["{}/mine.jsonl:no-contradiction"]}, "the label 'contradiction' is not one of"),
        ({"add": ["{}/none.jsonl"]}, "has 1 labelled pairs"),
        ({"add": ["{}/mine.jsonl", "{}/mine.jsonl"]}, "two added corpora are called 'mine'"),
        ({"add": ["multinli:dev_matched"]}, "has the name of a corpus of the benchmark"),
        ({"add": ["{}/multinli_1.0_dev_mismatched.jsonl"]}, "is already part of 'multinli_dev_mismatched'"),
        ({"add": ["snli:test"]}, "reads the file of the reference"),
        ({"add": ["{}/mine.jsonl"], "reference": "{}/mine.jsonl"}, "reads the file of the reference"),
        ({"corpora": ["multinli_dev_matched"], "reference": "multinli:dev_matched"}, "reads the file of"),
        ({"reference": "nonsuch:test"}, "no corpus"),
    ],
)
def test_what_cannot_be_built_is_refused(data: Path, options: dict[str, Any], said: str) -> None:
    filled = {
        name: value.format(data) if isinstance(value, str) else [each.format(data) for each in value]
        for name, value in options.items()
    }
    with pytest.raises((CrossexamError, FormatError), match=said):
        build(**filled)


CLAIMS = "It rains.,It is wet.,yes\nTom runs.,Tom sits.,no\nAnn sits.,Ann rests.,yes\nBen ate.,Ben fed.,no\n"
MEANT = ["--labels", "yes=entailment,no=not_entailment"]


@pytest.mark.parametrize(
    ("header", "options"),
    [
        ("premise,hypothesis,label\n", MEANT),
        ("a,b,c\n", [*MEANT, "--columns", "premise=a,hypothesis=b,label=c"]),
    ],
    ids=["labels", "columns"],
)
@pytest.mark.parametrize("option", ["--add", "--reference"])
def test_files_are_read_as_the_options_of_reading_say(
    data: Path, tmp_path: Path, header: str, options: list[str], option: str
) -> None:
    claims, suite = data / "claims.csv", tmp_path / "suite"
    claims.write_text(header + CLAIMS)
    given = ["build", "cross-dataset", option, str(claims), "-o", str(suite)]
    assert isinstance(CliRunner().invoke(app, given).exception, FormatError)
    assert CliRunner().invoke(app, [*given, *options]).exit_code == 0
    test_set = read_suite(suite)["base.claims"]
    assert test_set.entry.projection == "two labels"
    labels = {"It rains.": "entailment", "Ann sits.": "entailment"}
    assert all(item.label == labels.get(item.premise, "not_entailment") for item in test_set)
    assert read_suite(suite).manifest["reading"]["labels"] == {"yes": "entailment", "no": "not_entailment"}
    other = CliRunner().invoke(app, [*given, *options[2:], "--labels", "yes=not_entailment,no=entailment"])
    assert "different input or options" in str(other.exception)


def test_options_of_reading_files_are_for_files_alone(data: Path, tmp_path: Path) -> None:
    claims = data / "claims.csv"
    claims.write_text("premise,hypothesis,label\n" + CLAIMS)
    added = ["--add", f"{claims}:two-labels", "--add", "builtin:demo"]
    given = ["build", "cross-dataset", *added, *MEANT, "-o", str(tmp_path / "suite")]
    assert CliRunner().invoke(app, given).exit_code == 0
    suite = read_suite(tmp_path / "suite")
    assert {item.label for item in suite["base.builtin_demo"]} == set(THREE)
    assert suite["base.claims"].entry.projection == "two labels"


def test_malformed_records_are_skipped_and_counted(data: Path, tmp_path: Path) -> None:
    for name in ("multinli_1.0_dev_matched", "mine"):
        with (data / f"{name}.jsonl").open("a") as file:
            file.write("{}\n")
    given = ["build", "cross-dataset", "--add", str(data / "mine.jsonl"), "-o", str(tmp_path / "suite")]
    assert isinstance(CliRunner().invoke(app, given).exception, FormatError)
    found = CliRunner().invoke(app, [*given, "--skip-bad", "--allow-loss"])
    assert found.exit_code == 0
    assert "mine: 1 malformed records were skipped" in found.stderr
    suite = read_suite(tmp_path / "suite")
    assert not any(about(suite[f"base.{name}"])["complete"] for name in ("mine", "multinli_dev_matched"))


def test_another_reference_takes_the_place_of_snli(data: Path, tmp_path: Path) -> None:
    options = {"cross-dataset": {"reference": "multinli:dev_matched"}}
    built = build_to_folder(suite_request("cross-dataset", options=options), tmp_path / "suite")
    assert (
        "not part of the mean, as multinli:dev_matched is the reference: multinli_dev_matched" in built.notes
    )
    suite = read_suite(tmp_path / "suite")
    assert list(suite.datasets) == ["base.multinli_dev_mismatched", "base.multinli_dev_matched"]
    run = predict_suite("builtin/overlap", suite)
    score = benchmark_score(run, measure(run))
    assert score is not None
    assert score.reference_name == "multinli:dev_matched"
    assert score.reference is not None
    assert score.reference.n == 9
    assert not score.is_published
    assert score.title == (
        "Cross-dataset evaluation: 1 of the 14 corpora of the benchmark, all in part, "
        "against multinli:dev_matched"
    )
    table = score_table(results_of([run]))
    assert [column.header for column in table.columns][3] == "multinli:dev_matched"
    assert len(table.rows) == 1  # nothing published beside
    assert "from multinli:dev_matched" in table.notes[0]


def test_a_mean_with_added_corpora_is_not_called_the_benchmark(data: Path) -> None:
    run = predict_suite("builtin/overlap", build(add=[str(data / "mine.jsonl")]))
    score = benchmark_score(run, measure(run))
    assert score is not None
    assert score.added == ("mine",)
    assert (
        score.title == "Cross-dataset evaluation: 2 of the 14 corpora of the benchmark and 1 added, 1 in part"
    )
    table = score_table(results_of([run]))
    assert len(table.rows) == 1
    assert not any("ublished" in note for note in table.notes)
    assert "2 of the 14 corpora of the cross-dataset benchmark and 1 added, 1 in part" in headline(
        results_of([run])
    )
    other = predict_suite("builtin/majority", build(add=[str(data / "mine.jsonl")]))
    assert "and of 1 added, A minus B" in str(mean_note(run, other))


def run_of(name: str, right: dict[str, int]) -> Run:
    """A run with so many right answers of a hundred on each corpus."""
    datasets, answers = {}, {}
    for key, count in right.items():
        place: dict[str, Any] = {"reference": True}
        if key != REFERENCE:
            member = MEMBERS[key]
            place = {"key": key, "title": member.title, "protocol": member.protocol, "complete": True}
        items = tuple(Example(f"{key}{n}", f"P {key} {n}.", "H.", "neutral") for n in range(100))
        manifest = {"construction": "base", "part": key, "cross_dataset": place}
        datasets[f"base.{key}"] = Dataset(f"base.{key}", items, manifest)
        answers[f"base.{key}"] = np.array([[0, 1, 0] if n < count else [1, 0, 0] for n in range(100)], float)
    return Run(name, datasets, answers, {})


def test_relative_improvement_is_table_3() -> None:
    base = run_of("base", dict.fromkeys(MEMBERS, 40) | {REFERENCE: 80})
    better = run_of("better", dict.fromkeys(MEMBERS, 44) | {REFERENCE: 76})
    gain = relative_gain(better, base)
    assert gain is not None
    assert gain.reference is not None
    assert gain.mean.value == pytest.approx(44 / 40 - 1)
    assert gain.reference.value == pytest.approx(76 / 80 - 1)
    results = results_of([better, base], relative_to=1)
    table = gain_table(results)
    assert table.title == "Relative improvement over base"
    assert (table.rows[0][0], table.rows[0][2], table.rows[0][4]) == ("better", gain.reference, gain.mean)
    assert table.rows[1][2] is None
    printed = published("zhang2020").table("debiasing")
    drift = next(row for row in table.rows if row[0] == "drift (published)")
    assert drift[4] == pytest.approx((printed.value("drift", "mean.relative") or 0) / 100)
    assert not gain_table(results_of([better, base])).rows
    part = results_of([run_of("a", {"sick": 50}), run_of("b", {"sick": 40})], relative_to=1)
    assert [row[0] for row in gain_table(part).rows] == ["a", "b"]  # the paper's mean is over fourteen


def test_relative_improvement_is_in_csv_and_json() -> None:
    base = run_of("base", {"sick": 40, REFERENCE: 80})
    results = results_of([run_of("better", {"sick": 44, REFERENCE: 76}), base], relative_to=1)
    rows = csv.DictReader(io.StringIO(render_csv(results)))
    numbers = {row["statistic"]: row for row in rows if row["statistic"].startswith("relative_improvement_")}
    assert {(row["model"], row["of"]) for row in numbers.values()} == {("better", "base")}
    mean = numbers["relative_improvement_mean"]
    assert float(mean["value"]) == pytest.approx(44 / 40 - 1)
    assert float(mean["low"]) < 44 / 40 - 1 < float(mean["high"])
    assert float(numbers["relative_improvement_reference"]["value"]) == pytest.approx(76 / 80 - 1)
    document = json.loads(render_json(results))
    better, other = document["models"]
    assert (document["relative_to"], other["relative_improvement"]) == ("base", None)
    assert better["relative_improvement"]["mean"]["value"] == float(mean["value"])
    alone = json.loads(render_json(results_of([base])))
    assert alone["relative_to"] is alone["models"][0]["relative_improvement"] is None


def test_what_each_models_paper_reports_is_beside() -> None:
    """Table 2: ESIM 88.0 as reported, 87.5 in Table 5; RF has no reported figure."""
    table = score_table(results_of([run_of("m", {"sick": 50, REFERENCE: 80})]))
    assert [column.header for column in table.columns][3:5] == ["SNLI test, reported", "SNLI test"]
    found = {row[0]: row[3:5] for row in table.rows}
    assert found["ESIM (published)"] == pytest.approx((0.880, 0.875))
    assert found["RF (published)"][0] is None
    assert found["m"][0] is None


def test_models_over_different_corpora_are_said_not_to_compare() -> None:
    both = results_of([run_of("m", {"sick": 50, "cb": 50}), run_of("n", {"sick": 50})])
    assert any("do not compare: n" in note for note in score_table(both).notes)
    alike = results_of([run_of("m", {"sick": 50}), run_of("n", {"sick": 50})])
    assert not any("do not compare" in note for note in score_table(alike).notes)


def test_the_command_line_names_the_base_model(tmp_path: Path) -> None:
    for name, count in (("a", 50), ("b", 40)):
        save_run(run_of(name, {"sick": count}), tmp_path / name)
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    found = CliRunner().invoke(app, ["report", a, b, "--relative-to", b])
    assert found.exit_code == 0
    assert "Relative improvement over b" in found.output
    assert "25.0" in found.output
    for arguments in ([a, b, "--relative-to", str(tmp_path / "c")], [a, "--relative-to", a]):
        refused = CliRunner().invoke(app, ["report", *arguments])
        assert isinstance(refused.exception, CrossexamError)
        assert "is not one of the runs" in str(refused.exception)
