"""Which word pairs of two models were in training: counted by hand, in tables, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import crossexam as cx
from crossexam.cli.main import app
from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.labels import LABEL_INDEX, Label
from crossexam.evaluation.keys import keyed_comparisons
from crossexam.evaluation.seen_pairs import TrainingPairs, seen_pairs, training_pairs
from crossexam.evaluation.several.joint import joint_outcomes
from crossexam.language.word_pair_index import WordPairIndex, word_forms
from crossexam.reports.analyses.joint import seen_against_table
from crossexam.reports.data import comparison_csv, comparison_json, render_csv, render_json
from crossexam.reports.report import make_report
from crossexam.reports.results import ReportOptions, results_of
from crossexam.reports.sections import compared_tables
from crossexam.runs.folder import save_run
from crossexam.stats.estimate import share_interval

E, N, C = "entailment", "neutral", "contradiction"
# Prediction of A, prediction of B, word pair.  The gold label is contradiction.
ITEMS: list[tuple[Label, Label, str]] = [
    (C, C, "hot/cold"),
    (C, C, "cold/hot"),  # the same pair
    (C, C, "man/woman"),
    (C, C, "near/far"),
    (E, E, "old/new"),
    (E, N, "near/far"),
    (C, E, "big/small"),
    (C, E, "can't/can"),  # can't is two words of the index
    (E, C, "hot/cold"),
]
TRAINING: list[tuple[str, str, Label]] = [
    ("The soup is hot.", "The soup is cold.", C),
    ("It was colder outside.", "It was hotter outside.", C),  # other forms, the other way round
    ("A cold day.", "A hot day.", N),
    ("Two men sit.", "Two women sit.", C),
    ("A man sits.", "A woman sits.", E),
    ("The old man has a new hat.", "Nobody sits.", C),  # both in the premise: not seen
    ("A big dog.", "A small dog.", N),
    ("Big dogs.", "Dogs.", E),
]


def run_of(model: str, column: int, part: str = "x", construction: str = "antonymy") -> Run:
    items = [
        Example(f"a:{k}", f"Ann has {k} cats.", f"Ann has {k}.", C, info={"pair": row[2], "how": "more"})
        for k, row in enumerate(ITEMS)
    ]
    answers = np.eye(3)[[LABEL_INDEX[row[column]] for row in ITEMS]]  # type: ignore[index]
    name = f"{construction}.{part}"
    facts = {"construction": f"{construction}.v1", "part": part}
    return Run(model, {name: Dataset(name, items, facts)}, {name: answers}, {})


@pytest.fixture
def training() -> TrainingPairs:
    examples = [Example(str(k), *row) for k, row in enumerate(TRAINING)]
    return TrainingPairs("mine.csv", WordPairIndex.build(examples))


def test_pairs_are_counted_by_group(training: TrainingPairs) -> None:
    found = {each.group: each for each in seen_pairs(run_of("one", 0), run_of("other", 1), training)}
    assert list(found) == ["both", "neither", "only_a", "only_b"]
    both = found["both"]  # hot/cold 3 examples, man/woman 2, near/far none
    assert (both.pairs, both.left_out) == (3, 0)
    assert both.seen[:3] == (2 / 3, *share_interval(2 / 3, 3))
    assert both.contradiction.value == 2 / 3
    assert both.mean.value == pytest.approx((3 + 2 + 0) / 3)
    assert 0 <= both.mean.low < both.mean.value < both.mean.high <= 3
    neither = found["neither"]  # old/new and near/far
    assert (neither.pairs, neither.seen.value, neither.mean.value) == (2, 0, 0)
    assert math.isnan(neither.mean.low)  # resampling cannot say how rare they are
    only_a = found["only_a"]  # big/small: neutral only
    assert (only_a.pairs, only_a.left_out) == (1, 1)
    assert (only_a.seen.value, only_a.contradiction.value, only_a.mean.value) == (1, 0, 1)
    assert (found["only_b"].pairs, found["only_b"].mean.value) == (1, 3)


def test_counts_are_those_of_a_search_of_the_corpus(training: TrainingPairs) -> None:
    forms = {
        "cold/hot": ({"cold", "colder", "coldest"}, {"hot", "hotter", "hottest"}),
        "man/woman": ({"man", "men"}, {"woman", "women"}),
        "far/near": ({"far", "farther", "farthest"}, {"near", "nearer", "nearest"}),
    }
    sides = [(set(word_forms(premise)), set(word_forms(other)), label) for premise, other, label in TRAINING]
    having = {
        pair: [label for p, h, label in sides if (one & p and other & h) or (other & p and one & h)]
        for pair, (one, other) in forms.items()
    }
    (both, *_) = seen_pairs(run_of("one", 0), run_of("other", 1), training)
    assert both.mean.value == pytest.approx(sum(map(len, having.values())) / 3)
    assert both.contradiction.value == sum(C in labels for labels in having.values()) / 3


def test_tables_and_files_have_the_same_numbers(training: TrainingPairs) -> None:
    runs = first, second = run_of("one", 0), run_of("other", 1)
    both, _, only_a, only_b = seen_pairs(first, second, training)
    *_, table = compared_tables(results_of((first, second), ReportOptions(training=training)))
    assert table.rows[0] == ("antonymy", "both", 3, both.seen, both.contradiction, both.mean)
    assert [row[1] for row in table.rows] == ["both", "neither", "only A", "only B"]
    assert table.notes[0].startswith("Training: mine.csv, 8 examples. ")
    assert table.notes[1] == "Left out: pairs with a word that the index splits, at most 1 in a row."
    results = results_of(runs, ReportOptions(training=training))
    assert table == seen_against_table(results)
    for text in (comparison_csv(results), render_csv(results)):
        rows = {
            (row["statistic"], row["of"]): row
            for row in csv.DictReader(io.StringIO(text))
            if row["model"] == "one against other"
        }
        assert rows["pairs", "both"]["value"] == "3"
        assert rows["pairs_left_out", "only_a"]["value"] == "1"
        assert rows["pairs", "both"]["signature"].endswith("|training:mine.csv")
        assert float(rows["pairs_mean", "both"]["high"]) == both.mean.high
        assert rows["pairs_contradiction", "only_a"]["value"] == str(only_a.contradiction.value)
    (compared,) = json.loads(comparison_json(results))["comparison"]
    (found,) = (each["figures"] for each in compared["test_sets"])
    assert found["pairs_mean"]["of"]["only_b"]["value"] == only_b.mean.value


def test_means_are_no_percentages_in_any_format(training: TrainingPairs) -> None:
    (both, *_) = seen_pairs(run_of("one", 0), run_of("other", 1), training)
    report = make_report(run_of("one", 0), run_of("other", 1), options=ReportOptions(training=training))
    low, high = f"{both.mean.low:.1f}", f"{both.mean.high:.1f}"
    assert f"| 1.7 [{low}, {high}] |" in report.text(".md")
    assert f"1.7 {{\\scriptsize [{low}, {high}]}}" in report.text(".tex")
    assert f'1.7 <span class="interval">[{low}, {high}]</span>' in report.text(".html")


def test_the_published_shares_stand_below_those_of_the_same_corpus(training: TrainingPairs) -> None:
    part = "multinli_dev_matched"
    runs = run_of("one", 0, part), run_of("other", 1, part)
    *_, table = compared_tables(results_of(runs, ReportOptions(training=training)))
    assert [(row[1], row[2], row[4]) for row in table.rows if "published" in str(row[1])] == [
        ("both (RC and CH, published)", 84, 0.898),
        ("neither (RC and CH, published)", 617, 0.572),
    ]
    assert table.notes[-2].startswith("† Published for items made by other rules. For antonymy, our rules ")
    assert "'nearly twice'" in table.notes[-1]
    assert (
        len(seen_against_table(results_of(runs, ReportOptions(published_rows=False, training=training))).rows)
        == 4
    )


def test_without_an_index_there_is_no_such_table() -> None:
    runs = run_of("one", 0), run_of("other", 1)
    assert not seen_against_table(results_of(runs)).rows
    assert "Word pairs in training" not in make_report(*runs).text(".md")
    assert "pairs_left_out" not in comparison_csv(results_of(runs))
    assert "pairs_left_out" not in render_json(results_of(runs))


def test_an_index_without_word_pairs_or_two_runs_is_refused() -> None:
    plain = [run_of(model, column, construction="negation") for column, model in enumerate(("a", "b"))]
    with pytest.raises(CrossexamError, match="no test set has word pairs to look up"):
        training_pairs(plain, "builtin:demo")
    numbers = [
        run_of(name, column, construction="numerical_reasoning") for column, name in enumerate(("a", "b"))
    ]
    with pytest.raises(CrossexamError, match="no test set has word pairs"):
        cx.compare(*numbers, index="builtin:demo")
    with pytest.raises(CrossexamError, match="two models, not for 1"):
        cx.report(run_of("a", 0), index="builtin:demo")
    with pytest.raises(CrossexamError, match="index is 3"):
        cx.compare(run_of("a", 0), run_of("b", 1), index=3)  # type: ignore[arg-type]


def test_the_comparison_of_python_has_all_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    corpus = tmp_path / "train.jsonl"
    lines = (json.dumps({"premise": p, "hypothesis": h, "label": label}) for p, h, label in TRAINING)
    corpus.write_text("\n".join(lines), encoding="utf-8")
    first, second = run_of("one", 0), run_of("other", 1)
    compared = cx.compare(first, second, index=f"{corpus}+{corpus}")
    assert compared.joint == joint_outcomes(first, second)
    assert compared.over_keys == keyed_comparisons(first, second)
    assert [each.mean.value for each in compared.seen][2:] == [2, 6]  # the corpus twice
    assert cx.compare(first, second).seen == ()
    again = pickle.loads(pickle.dumps(compared))
    assert again == compared
    assert again.joint == compared.joint
    table = cx.report(first, second, index=str(corpus)).text(".md")
    assert "## Word pairs in training" in table


def test_the_command_line_looks_pairs_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    pairs, plain = [], []
    for column, model in enumerate(("one", "other")):
        pairs.append(str(tmp_path / model))
        plain.append(str(tmp_path / f"{model}_plain"))
        save_run(run_of(model, column), Path(pairs[-1]))
        save_run(run_of(model, column, construction="negation"), Path(plain[-1]))
    for verb in ("compare", "report"):
        done = CliRunner().invoke(app, [verb, *pairs, "--index", "builtin:demo"])
        assert done.exit_code == 0
        assert "Training: builtin:demo, 324 examples." in " ".join(done.output.split())
        refused = CliRunner().invoke(app, [verb, *plain, "--index", "builtin:demo"])
        assert isinstance(refused.exception, CrossexamError)
        assert "no test set has word pairs to look up in the index" in str(refused.exception)
