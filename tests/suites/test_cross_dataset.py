"""The cross-dataset benchmark: splits, limits, added corpora, another reference, from data of our own."""

import json
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.dataset import Suite
from crossexam.core.errors import FormatError
from crossexam.core.test_sets import read_suite
from crossexam.corpora.catalog import catalog
from crossexam.evaluation.cross_dataset import about
from crossexam.models.builtin import BUILTINS
from crossexam.published.figures import published
from crossexam.reports.analyses.cross_dataset import score_table
from crossexam.reports.results import results_of
from crossexam.runs.run import predict_suite
from crossexam.suites.build import build_in_memory, build_to_folder
from crossexam.suites.cross_dataset import Split, split_member
from crossexam.suites.cross_dataset_corpora import MEMBERS, REFERENCE, member_named
from crossexam.suites.plan import SuiteRequest
from crossexam.suites.table import suite_request
from made.cases import each_row, refused
from made.commands import invoke
from made.corpora import MADE, write_lines, write_pairs

THREE = ("entailment", "neutral", "contradiction")


def write(folder: Path, name: str, rows: int, labels: Sequence[str] = THREE) -> None:
    write_pairs(folder, name, [labels[n % len(labels)] for n in range(rows)])


@pytest.fixture
def corpora(data: Path) -> Path:
    """A data folder with SICK (three files), SNLI's test set, and one of SciTail's three files."""
    write(data, "snli_1.0_test", 12)
    for path in (*MADE.glob("SICK*"), MADE / "scitail_1.0_test.tsv"):
        shutil.copy(path, data)
    return data


@pytest.fixture
def own(data: Path) -> Path:
    """A data folder with SNLI's test set, both dev sets of MultiNLI, and files of one's own."""
    write(data, "snli_1.0_test", 12)
    write(data, "multinli_1.0_dev_matched", 9)
    write(data, "multinli_1.0_dev_mismatched", 10)
    write(data, "mine", 11)
    write(data, "two", 8, ("entailment", "not_entailment"))
    write(data, "none", 1)
    return data


def request(seed: int = 0, limit: int | None = None, **options: Any) -> SuiteRequest:
    return suite_request("cross-dataset", options={"cross-dataset": options}, seed=seed, limit=limit)


def build(seed: int = 0, limit: int | None = None, **options: Any) -> Suite:
    return build_in_memory(request(seed, limit, **options))


def halves(key: str, seed: int = 0) -> Any:
    return split_member(member_named(key), seed=seed)


def sizes(split: Split) -> tuple[int, int]:
    return len(split.validation), len(split.test)


def test_the_table_is_table_4() -> None:
    """Fourteen corpora, two of them elicited, five recast (Table 1); halves are halves (Table 4)."""
    protocols = Counter(member.protocol for member in MEMBERS.values())
    assert protocols == {"human elicited": 2, "human judged": 7, "automatically recast": 5}
    assert set(published("zhang2020").table("accuracy").columns) == {*MEMBERS, "mean", REFERENCE}
    for member in MEMBERS.values():
        validation, test = member.sizes
        assert member.sampled == validation if member.sampled else test - validation in {0, 1}, member.key
        splits = {*member.splits, *([member.given] if member.given else [])}
        assert splits <= catalog()[member.corpus].splits.keys(), member.key


def test_halves_are_drawn_by_content(corpora: Path) -> None:
    split = halves("sick")
    assert sizes(split) == (20, 21)
    ids = [example.id for example in (*split.validation, *split.test)]
    assert len(set(ids)) == 41
    assert {e.id for e in halves("sick", seed=1).test} != {e.id for e in split.test}
    path = corpora / "SICK_train.txt"  # in another order, with other ids
    header, *lines = path.read_text().splitlines()
    path.write_text("\n".join([header, *(f"9{line}" for line in reversed(lines))]) + "\n")
    assert {e.premise for e in halves("sick").test} == {e.premise for e in split.test}
    # SciTail: 10,000 of 27,026 for validation; of the 30 at hand 11
    split = halves("scitail")
    assert (sizes(split), split.complete) == ((11, 19), False)


def test_a_given_test_set_is_taken_whole(data: Path) -> None:
    """MultiNLI matched: its dev set is the test set; as many are sampled from the training set."""
    write(data, "multinli_1.0_train", 40)
    write(data, "multinli_1.0_dev_matched", 12)
    split = halves("multinli_dev_matched")
    assert [example.id for example in split.test] == [f"multinli_1.0_dev_matched{n}" for n in range(12)]
    assert (sizes(split), split.complete) == ((12, 12), True)
    assert all("train" in example.id for example in split.validation)


def test_the_suite_holds_what_is_there(corpora: Path, tmp_path: Path) -> None:
    folder = tmp_path / "suite"
    build_to_folder(request(), folder)
    suite = read_suite(folder)
    assert set(suite.manifest.facts["absent"]) == set(MEMBERS) - {"sick", "scitail"}
    assert list(suite.datasets) == ["base.sick", "base.scitail", "base.snli_test"]
    assert suite["base.scitail"].manifest["projection"] == "no contradiction"
    split = json.loads((folder / "splits" / "sick.json").read_text())
    assert split["test"]["ids"] == [example.id for example in suite["base.sick"]]
    answers = predict_suite(BUILTINS["builtin/majority"], suite)  # with the label of the validation set
    assert set(answers.scored("base.sick").predicted.tolist()) == {1}  # half of SICK here is neutral
    assert set(answers.scored("base.snli_test").predicted.tolist()) == {0}


def test_changed_files_make_another_suite(corpora: Path, tmp_path: Path) -> None:
    """Those of a corpus, of the reference, and those from which only the validation set is drawn."""
    write(corpora, "multinli_1.0_train", 40)
    write(corpora, "multinli_1.0_dev_matched", 12)
    build_to_folder(request(), tmp_path / "suite")
    for name in ("scitail_1.0_test.tsv", "snli_1.0_test.jsonl", "multinli_1.0_train.jsonl"):
        before = (corpora / name).read_text()
        (corpora / name).write_text(before.replace("0", "7"))
        assert "different input or options" in refused(build_to_folder, request(), tmp_path / "suite")
        (corpora / name).write_text(before)
        assert not build_to_folder(request(), tmp_path / "suite").written


@pytest.mark.parametrize("key", ["sick", "joci", "mpe", "cb", "wnli"])
def test_real_corpora_have_the_published_sizes(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """Those that are complete here: sizes as in Table 4, shares of labels within a point."""
    monkeypatch.setenv("CROSSEXAM_DATA", str(shared_data))
    split = halves(key)
    assert (split.differences(), sizes(split)) == ([], MEMBERS[key].sizes)


def test_add_one_has_all_pairs_or_the_straightforward_ones(corpora: Path) -> None:
    scores = (1.0, 2.5, 3.0, 3.25, 3.5, 3.75, 4.0, 4.5, 5.0, 2.0)
    for part, of_part in (("train", scores[:-2]), ("dev", scores[-2:-1]), ("test", scores[-1:])):
        rows = (f"{each}\tx\t1\told\tdog\tDog {each} ran.\tOld dog {each} ran." for each in of_part)
        write_lines(corpora / "splits" / f"data.{part}", rows)
    found = build(corpora=["add_one"], add_one="straightforward")["base.add_one"]
    assert len({item.info["score"] for item in found} - {3.25, 3.5, 3.75}) == len(found) == 4
    assert "pairs:straightforward" in str(found.entry.signature)
    assert len(build(corpora=["add_one"])["base.add_one"]) == 5


def test_a_limit_is_not_the_whole_unless_it_cuts_nothing_off(corpora: Path) -> None:
    cut, uncut, whole = (build(limit=limit, corpora=["sick"]) for limit in (3, 12 + 9, None))
    assert len(cut["base.sick"]) == cut["base.sick"].manifest["rows"] == 3
    assert not any(each.manifest["cross_dataset"]["complete"] for each in cut)
    assert "limit:3" in cut["base.snli_test"].manifest["signature"]
    assert [each.manifest for each in uncut] == [each.manifest for each in whole]


def test_an_added_corpus_is_halved_like_the_others_and_its_mean_is_not_called_the_benchmark(
    own: Path, tmp_path: Path
) -> None:
    mine = str(own / "mine.jsonl")
    build_to_folder(request(3, add=[mine]), tmp_path / "suite")
    suite = read_suite(tmp_path / "suite")
    split = json.loads((tmp_path / "suite" / "splits" / "mine.json").read_text())
    assert (split["validation"]["rows"], split["test"]["rows"], split["seed"]) == (5, 6, 3)
    assert (split["rule"], len(suite["base.mine"])) == (f"{mine}: halves", 6)
    place = about(suite["base.mine"])
    assert (place["protocol"], place["added"], place["complete"]) == ("added", True, True)
    results = results_of([predict_suite("builtin/overlap", suite)])
    assert "2 of the 14 corpora of the benchmark and 1 added, 1 in part" in score_table(results).title


@each_row
def test_what_cannot_be_built_is_refused(options: dict[str, Any], said: str, *, own: Path) -> None:
    filled = {
        name: value.format(own) if isinstance(value, str) else [each.format(own) for each in value]
        for name, value in options.items()
    }
    assert said in refused(build, **filled)


def test_files_alone_are_read_as_the_options_of_reading_say(own: Path, tmp_path: Path) -> None:
    """What is named, the demo, has columns and labels of its own."""
    rows = ("It rains.,It is wet.,yes", "Tom runs.,Tom sits.,no")
    write_lines(own / "claims.csv", rows, "a,b,c\n")
    given = ["build", "cross-dataset", "--add", own / "claims.csv", "--add", "builtin:demo"]
    given += ["--columns", "premise=a,hypothesis=b,label=c", "--labels", "yes=entailment,no=not_entailment"]
    invoke(*given, "-o", tmp_path / "x")
    suite = read_suite(tmp_path / "x")
    assert suite["base.claims"].entry.projection == "two labels"
    assert {item.label for item in suite["base.builtin_demo"]} == set(THREE)


def test_malformed_records_are_skipped_and_counted(own: Path, tmp_path: Path) -> None:
    for name in ("multinli_1.0_dev_matched", "mine"):
        with (own / f"{name}.jsonl").open("a") as file:
            file.write("{}\n")
    given = ["build", "cross-dataset", "--add", own / "mine.jsonl", "-o", tmp_path / "suite"]
    refused(FormatError, invoke, *given)
    assert "mine: 1 malformed" in invoke(*given, "--skip-bad", "--allow-loss").stderr
    suite = read_suite(tmp_path / "suite")
    assert not any(about(suite[f"base.{name}"])["complete"] for name in ("mine", "multinli_dev_matched"))
