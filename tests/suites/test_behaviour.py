"""The suite behaviour: ten sets from a small training corpus, the three factors, their tables."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from crossexam.constructions.apply import apply_construction
from crossexam.constructions.check import run_checks
from crossexam.constructions.word_pair_swaps import SWAPS
from crossexam.core.dataset import Dataset, Run, Suite
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import Example
from crossexam.core.test_sets import read_suite
from crossexam.evaluation.behaviour import factor_results, insensitivity_table, polarity_table, unseen_table
from crossexam.evaluation.measures import measure
from crossexam.evaluation.verified import by_status
from crossexam.published.figures import published
from crossexam.reports.accuracy import MAJORITY, accuracy_table
from crossexam.reports.analyses.behaviour import behaviour_table, crossed_tables, factor_table
from crossexam.reports.provenance import yields_table
from crossexam.reports.results import results_of
from crossexam.runs.run import predict_suite
from crossexam.suites.bases import Base, base_from_spec
from crossexam.suites.behaviour import SELECTED, PairResources, SwapSets, chosen, pair_tables, select
from crossexam.suites.build import Built, build_to_folder
from crossexam.suites.short_forms import expand
from crossexam.suites.table import suite_request

# Premise, hypothesis (words with their tags), label.
CORPUS = (
    ("An/DT old/JJ man/NN sits/VBZ", "A/DT young/JJ man/NN sits/VBZ", "contradiction"),
    ("An/DT old/JJ dog/NN runs/VBZ", "The/DT young/JJ animal/NN runs/VBZ", "contradiction"),
    ("A/DT dog/NN runs/VBZ", "An/DT animal/NN runs/VBZ", "entailment"),
    ("An/DT animal/NN eats/VBZ", "A/DT dog/NN eats/VBZ", "neutral"),
    ("No/DT animal/NN eats/VBZ", "No/DT dog/NN eats/VBZ", "entailment"),
    ("A/DT young/JJ child/NN eats/VBZ bread/NN", "An/DT old/JJ man/NN eats/VBZ", "neutral"),
    ("A/DT cat/NN sleeps/VBZ", "It/PRP rains/VBZ", "neutral"),
)


def record(number: int, premise: str, hypothesis: str, label: str) -> dict[str, str]:
    found = {"pairID": f"t{number}", "gold_label": label}
    for side, words in (("sentence1", premise), ("sentence2", hypothesis)):
        pairs = [word.rpartition("/") for word in words.split()]
        found[side] = " ".join(word for word, _, _ in pairs)
        found[f"{side}_parse"] = f"(ROOT (S {' '.join(f'({tag} {word})' for word, _, tag in pairs)}))"
    return found


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "train.jsonl"
    path.write_text("".join(json.dumps(record(k, *each)) + "\n" for k, each in enumerate(CORPUS)))
    return path


@pytest.fixture
def lists(tmp_path: Path) -> dict[str, list[str]]:
    antonyms, hypernyms = tmp_path / "antonyms.tsv", tmp_path / "hypernyms.tsv"
    antonyms.write_text("old\tyoung\n")
    hypernyms.write_text("dog\tanimal\n")
    return {"antonym": [str(antonyms)], "hypernym": [str(hypernyms)]}


def build(
    base: Path | Base, folder: Path, lists: Mapping[str, Sequence[str]] | None = None, **options: Any
) -> Built:
    """Build the suite from *base* with *lists* of pairs by relation."""
    pairs = [f"{relation}={name}" for relation, names in (lists or {}).items() for name in names]
    options = {**options, "pairs": pairs} if pairs else options
    bases = [base if isinstance(base, Base) else base_from_spec(str(base))]
    return build_to_folder(suite_request("behaviour", bases, options={"behaviour": options}), folder)


@pytest.fixture
def suite(corpus: Path, lists: dict[str, list[str]], tmp_path: Path) -> Suite:
    assert build(corpus, tmp_path / "suite", lists).written
    assert not build(corpus, tmp_path / "suite", lists).written
    return read_suite(tmp_path / "suite")


def by_id(suite: Suite, name: str) -> dict[str, Example]:
    return {example.id: example for example in suite[f"{name}.train"]}


def test_antonyms_of_contradictions_alone_are_controls(suite: Suite) -> None:
    assert list(by_id(suite, "i_a")) == ["i_a:t0", "i_a:t1"]  # t5 has them, but is neutral
    assert list(by_id(suite, "i_h")) == ["i_h:t1", "i_h:t2", "i_h:t3", "i_h:t4"]


def test_the_swaps_of_hypernyms_are_labelled_by_natural_logic(suite: Suite) -> None:
    found = {e.id.rpartition(":")[2]: (e.premise, e.hypothesis, e.label) for e in suite["i_th.train"]}
    assert found == {
        "t1": ("An old animal runs", "The young dog runs", "contradiction"),  # left to judges
        "t2": ("An animal runs", "A dog runs", "neutral"),
        "t3": ("A dog eats", "An animal eats", "entailment"),
        "t4": ("No dog eats", "No animal eats", "neutral"),  # downward: all is reversed
    }


def test_ex_situ_labels_follow_from_the_relation_alone(suite: Suite) -> None:
    exchanged = by_id(suite, "e_th")
    for name, control in by_id(suite, "e_h").items():
        other = exchanged[f"e_th:{name}"]
        assert (other.premise, other.hypothesis) == (control.hypothesis, control.premise)
        assert {control.label, other.label} == {"entailment", "neutral"}
    assert all(example.label == "contradiction" for example in suite["e_ta.train"])


def test_a_control_that_is_ex_situ_already_is_left_out(suite: Suite) -> None:
    """An old man sits, a young man sits: copying either sentence gives the control again."""
    assert list(by_id(suite, "e_a")) == ["e_a:i_a:t1"]
    counts = suite["e_a.train"].manifest["yield"]
    assert counts["rejected"] == {"only the pair differs in the control": 1}


def test_every_item_names_where_its_label_is_from(suite: Suite) -> None:
    sources = {name: {e.info["label_from"] for e in suite[f"{name}.train"]} for name in SWAPS}
    assert sources["i_a"] == sources["i_h"] == {"corpus"}
    assert sources["i_ta1"] == sources["e_ta"] == {"construction"}
    assert sources["i_th"] == sources["e_h"] == {"natural logic"}
    for dataset in suite:
        for example in dataset:
            by_logic = example.info["label_from"] == "natural logic"
            decided = dataset.entry.construction in SELECTED and "doubts" not in example.info
            status = example.info.get("status")
            assert status in {"proposed", "undecided"} if by_logic and not decided else status is None
            assert (status == "undecided") == ("doubts" in example.info)
            assert example.info["reason"]
    assert [e.id for e in suite["i_th.train"] if "doubts" in e.info] == ["i_th:i_h:t1"]


def test_each_set_is_what_its_construction_makes_alone(
    suite: Suite, corpus: Path, lists: dict[str, list[str]]
) -> None:
    """The items of a family follow from one sequence of choices, whether they are made together or not."""
    tables = pair_tables(lists)
    resources = PairResources(
        antonyms=tables["antonym"], hypernyms=tables["hypernym"], index_spec=str(corpus)
    )
    examples = list(base_from_spec(str(corpus)).open())
    for name in SWAPS:
        items, counts = apply_construction(name, examples, resources=resources)
        together = suite[f"{name}.train"]
        assert [(e.id, e.premise, e.hypothesis, e.label, e.base, e.change) for e in items] == [
            (e.id, e.premise, e.hypothesis, e.label, e.base, e.change) for e in together
        ]
        drawn = {
            reason: count
            for reason, count in together.manifest["yield"]["rejected"].items()
            if not reason.startswith("left to judges")
        }
        assert counts["rejected"] == drawn


def test_training_facts_are_of_the_ordered_pair(suite: Suite) -> None:
    control, item = by_id(suite, "i_h")["i_h:t2"], by_id(suite, "i_th")["i_th:i_h:t2"]
    assert (control.info["pair"], control.info["seen"]) == ("dog/animal", True)
    assert control.info["polarity"] == "entailment-contradiction"  # t1 and t2 have it once each
    assert (item.info["pair"], item.info["polarity"]) == ("animal/dog", "entailment-neutral")  # t3 and t4
    assert by_id(suite, "i_ta1")["i_ta1:i_a:t0"].info["polarity"] == "neutral"  # young, old: t5 alone


def test_the_suite_passes_the_checks(suite: Suite) -> None:
    for dataset in suite:
        base = suite.datasets.get(str(dataset.manifest["base_set"]))
        assert [each for each in run_checks(dataset, base) if each.code.startswith("E")] == []


def test_another_index_makes_other_pairs_unseen(
    corpus: Path, lists: dict[str, list[str]], tmp_path: Path
) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps(record(0, *CORPUS[6])) + "\n")
    build(corpus, tmp_path / "suite", lists, index=str(other))
    suite = read_suite(tmp_path / "suite")
    assert not any(example.info["seen"] for dataset in suite for example in dataset)
    assert {example.info["polarity"] for dataset in suite for example in dataset} == {"none"}


def test_the_index_may_be_of_several_corpora(
    corpus: Path, lists: dict[str, list[str]], tmp_path: Path
) -> None:
    """Each half of the corpus lacks pairs of the other; together they are the corpus."""
    lines = corpus.read_text().splitlines(keepends=True)
    halves = [tmp_path / "first.jsonl", tmp_path / "second.jsonl"]
    for half, part in zip(halves, (lines[:3], lines[3:]), strict=True):
        half.write_text("".join(part))
    facts = {}
    for name, index in (
        ("whole", str(corpus)),
        ("both", "+".join(map(str, halves))),
        ("one", str(halves[0])),
    ):
        build(corpus, tmp_path / name, lists, index=index)
        items = (item for dataset in read_suite(tmp_path / name) for item in dataset)
        facts[name] = [(item.id, item.info["seen"], item.info["polarity"]) for item in items]
    assert facts["both"] == facts["whole"] != facts["one"]


def test_the_papers_rules_make_a_suite_that_passes_the_checks(
    corpus: Path, lists: dict[str, list[str]], tmp_path: Path
) -> None:
    build(corpus, tmp_path / "paper", lists, rules="paper")
    suite = read_suite(tmp_path / "paper")
    sets = {dataset.entry.construction: dataset for dataset in suite}
    assert [item.id.rpartition(":")[2] for item in sets["i_a"]] == ["t0", "t1"]
    assert [item.id.rpartition(":")[2] for item in sets["i_h"]] == ["t1", "t2", "t3", "t4"]
    for dataset in suite:
        assert "rules:paper" in str(dataset.manifest["signature"]).replace("=", ":")
        assert dataset.name == f"{dataset.entry.construction}_paper.train"
        base = suite.datasets.get(str(dataset.manifest["base_set"]))
        assert base is None or {item.base for item in dataset} <= {item.id for item in base}
        assert [each for each in run_checks(dataset, base) if each.code.startswith("E")] == []
    (item,) = (item for item in sets["i_th"] if item.id.endswith("t1"))
    assert (item.premise, item.hypothesis) == ("An old animal runs", "The young dog runs")


def test_options_of_other_suites_and_unknown_rules_are_refused(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(CrossexamError, match="'behaviour' has no option --tautology"):
        expand("behaviour", {"--tautology": "up is not down"})
    with pytest.raises(CrossexamError, match="theirs"):
        build(corpus, tmp_path / "suite", rules="theirs")


def test_controls_are_drawn_with_what_is_made_of_them(suite: Suite) -> None:
    items = {name: list(suite[f"{name}.train"]) for name in SWAPS}
    drawn = chosen(items, 1, seed=0)
    assert [len(drawn[name]) for name in ("i_a", "i_ta1", "i_h", "i_th")] == [1, 1, 1, 1]
    for name, kind in SWAPS.items():
        if kind.control:
            controls = {example.id for example in drawn[kind.control]}
            assert {example.base for example in drawn[name]} <= controls
    assert chosen(items, None, seed=0) == items


def swap_sets(labels: str, same: str, controls: int = 10) -> SwapSets:
    """Sets of i_a and i_ta2: *labels* (lower case: left to judges); x in *same*: only the pair differs."""
    names = {"E": "entailment", "N": "neutral", "C": "contradiction"}
    sets = SwapSets()
    sets.items["i_a"] = [
        Example(f"c{k}", "P.", "H.", "contradiction", info={"only_pair": k == 0}) for k in range(controls)
    ]
    for k, (label, mark) in enumerate(zip(labels, same, strict=True)):
        info = {"only_pair": mark == "x", **({} if label.isupper() else {"status": "undecided"})}
        sets.items["i_ta2"].append(Example(f"s{k}", "P.", "H.", cast("Any", names[label.upper()]), info=info))
    sets.counts["i_ta2"].items = len(labels)
    return sets


def test_items_are_selected_by_label_and_by_what_differs(for_each: Callable[..., None]) -> None:
    def check(labels: str, same: str, kept: dict[str, int]) -> None:
        sets = swap_sets(labels, same)
        select(sets, seed=0)
        items = sets.items["i_ta2"]
        found = Counter(
            str(e.label)[0].lower() if e.info.get("status") else str(e.label)[0].upper() for e in items
        )
        assert found == kept
        assert [e.id for e in items] == sorted((e.id for e in items), key=lambda name: int(name[1:]))
        counts = sets.counts["i_ta2"]
        assert counts.items == len(items) == len(labels) - counts.rejected.total()

    for_each(
        check,
        [
            ("NNNNNNCE", "--------", {"N": 4, "C": 1, "E": 1}),  # two thirds of six
            ("NNNNNNCEccc", "-" * 11, {"N": 4, "C": 1, "E": 1, "c": 3}),  # those of judges do not count
            ("NNNN", "----", {"N": 4}),  # one label only
            (
                "EEEECCCCNNN",
                "xxx--------",
                {"E": 1, "C": 4, "N": 3},
            ),  # one in ten of the controls is the same
            ("EEEECCCCCCNNN", "xxx----------", {"E": 2, "C": 6, "N": 3}),  # one of ten
        ],
    )


def test_lists_and_relations_that_do_not_fit(
    corpus: Path, lists: dict[str, list[str]], tmp_path: Path
) -> None:
    with pytest.raises(UnknownNameError, match="no relation of swaps is called 'antonyms'"):
        build(corpus, tmp_path / "a", {"antonyms": lists["antonym"]})
    strange = tmp_path / "strange.tsv"
    strange.write_text("zebra\tgiraffe\n")
    nothing = {"antonym": [str(strange)], "hypernym": [str(strange)]}
    with pytest.raises(CrossexamError, match="no example contains a listed word pair"):
        build(corpus, tmp_path / "b", nothing)
    assert not (tmp_path / "b" / "manifest.json").exists()
    with pytest.raises(CrossexamError, match=r"'antonyms\.tsv' does not name a list of word pairs"):
        build(corpus, tmp_path / "c", pairs="antonyms.tsv")
    with pytest.raises(CrossexamError, match="controls is 0\n  wanted: a whole number above 0"):
        build(corpus, tmp_path / "c", lists, controls=0)


# The factors.


def test_tables_of_the_paper() -> None:
    """Table 3 for DAM: 567, 20, 13, 20 give 74.16."""
    correct = np.array([True] * 587 + [False] * 33)
    seen = np.array([True] * 567 + [False] * 20 + [True] * 13 + [False] * 20)
    crossed = unseen_table(correct, seen)
    assert crossed.counts.tolist() == [[567, 20], [13, 20]]
    assert (crossed.rows, crossed.columns) == (("correct", "incorrect"), ("seen", "unseen"))


def test_insensitivity_counts_unchanged_predictions() -> None:
    before, after = np.array([0, 0, 1, 1]), np.array([1, 0, 1, 0])
    right = np.array([True, False, False, False])
    assert insensitivity_table(before, after, right).counts.tolist() == [[1, 1], [0, 2]]


def test_polarities_that_do_not_occur_are_left_out() -> None:
    crossed = polarity_table(["none", "contradiction", "none"], np.array([0, 2, 2]))
    assert crossed.rows == ("none", "contradiction")
    assert crossed.counts.tolist() == [[1, 0, 1], [0, 0, 1]]


def run_over(suite: Suite) -> Run:
    """Return a model that says contradiction to everything but what has a dog in its premise."""
    return predict_suite(
        lambda pairs: [[1.0, 0, 0] if "dog" in p.lower() else [0, 0, 1.0] for p, _ in pairs], suite
    )


def test_factors_are_asked_where_the_paper_asks_them(suite: Suite) -> None:
    found = {(each.kind, each.factor) for each in factor_results(run_over(suite))}
    assert ("i_ta1", "unseen pairs") in found
    assert ("i_ta1", "insensitivity") not in found  # its labels do not change
    assert ("i_th", "insensitivity") in found
    assert ("i_a", "polarity") in found
    assert (
        factor_results(
            Run(
                "m",
                {"base.x": Dataset("base.x", (Example("a", "P.", "H.", "neutral"),))},
                {"base.x": np.array([[1.0, 0, 0]])},
            )
        )
        == []
    )


def test_subset_one_is_the_items_whose_label_changed(suite: Suite) -> None:
    """Of i_th t2 and t4 (entailment to neutral) and t3 (neutral to entailment) changed."""
    results = {(each.kind, each.factor): each for each in factor_results(run_over(suite))}
    subset = results["i_th", "insensitivity"].subset
    assert subset.n == 3
    assert subset.value == pytest.approx(1 / 3)  # "A dog eats" alone: entailment
    assert results["i_th", "insensitivity"].crossed.counts.sum() == 3


def test_p_values_are_corrected_over_the_run(suite: Suite) -> None:
    found = factor_results(run_over(suite))
    results = [each for each in found if each.test.freedom]
    assert all(np.isnan(each.p_holm) for each in found if not each.test.freedom)
    for each in results:
        assert each.p_value <= each.p_holm <= each.p_bonferroni <= 1
        assert each.p_bonferroni == pytest.approx(min(1.0, len(results) * each.p_value))


def test_control_and_swap_are_compared_in_pairs(suite: Suite) -> None:
    found = {result.construction: result for result in measure(run_over(suite))}
    assert found["i_th"].drop is not None  # though the labels are others
    assert found["i_th"].mcnemar is not None
    assert found["i_a"].drop is None


def test_pairs_are_kept_when_proposed_items_are_set_apart(suite: Suite) -> None:
    parted = by_status(run_over(suite))
    results = {result.name: result for result in measure(parted)}
    assert results["i_th.train"].drop is not None  # whose labels are decided
    assert results["i_th.train"].n == 3  # without the one that is left to judges
    assert parted.manifest["undecided_items"] == "1 undecided items are left out"
    assert results["e_th.train (proposed)"].drop is not None  # its control is proposed too
    assert {each.kind for each in factor_results(parted)} >= {"i_th", "e_th", "i_ta1"}


def test_every_set_has_a_majority_row_and_says_how_it_was_selected(suite: Suite) -> None:
    """Of i_th, a model that always says neutral gets two of three right, and one item is left to judges."""
    results = results_of([by_status(run_over(suite))])
    (model,) = results.models
    rows = accuracy_table(results).rows
    for name, following in pairwise(rows):
        if name[0] != MAJORITY and name[1]:
            assert following[0] == MAJORITY, name
    place = next(k for k, row in enumerate(rows) if row[0] == results.short_names["i_th.train"])
    assert rows[place + 1][:3] == (MAJORITY, 3, pytest.approx(2 / 3))
    assert sum(row[0] == MAJORITY for row in rows) == sum(bool(each.n) for each in model.results)
    assert "of the test set above" in " ".join(accuracy_table(results).notes)
    yields = [row for row in yields_table(results).rows if row[0] == "i_th.train"]
    assert yields == [("i_th.train", 4, 3, "left to judges: the conflict may lie in the pair", 1)]


def test_reports_show_the_published_figures_beside(suite: Suite) -> None:
    run = run_over(suite)
    of_snli = {
        name: replace(each, manifest={**each.manifest, "part": "snli_train"})
        for name, each in run.datasets.items()
    }
    results = results_of([replace(run, datasets=of_snli)])
    table = behaviour_table(results)
    rows = [row for row in table.rows if row[1] == "ESIM (published)"]
    assert rows[0][3] == published("sanchez2018").table("accuracy").value("ESIM", "i_a")
    assert len(rows) == len(SWAPS)
    tests = [row for row in factor_table(results).rows if row[3] is not None]
    assert len(tests) == len(results.models[0].factors)
    for without in (results_of(results.runs, published_rows=False), results_of([run])):  # another corpus
        table = behaviour_table(without)
        assert table.rows
        assert not any("published" in str(row[1]) for row in table.rows)
        assert not any("Published" in note for note in table.notes)
        assert not any(row[3] is None for row in factor_table(without).rows)
        assert not any("published" in str(row[1]) for each in crossed_tables(without) for row in each.rows)


def test_published_statistics_are_those_of_the_published_tables() -> None:
    """Sections 6.1 and Tables 2 to 4: cut off, not rounded."""
    from crossexam.stats.association import association

    study = published("sanchez2018")
    cases = (
        ("insensitivity_test", "ESIM", "i_ta2", [[155, 31], [8, 100]]),
        ("unseen_test", "DAM", "i_ta1", [[567, 20], [13, 20]]),
        ("polarity_test", "DAM", "i_ta1", [[5, 21, 0], [5, 543, 3], [0, 3, 0], [8, 20, 12]]),
    )
    for key, system, column, counts in cases:
        assert study.table(key).value(system, column) == int(100 * association(counts).statistic) / 100


def test_proposed_labels_are_never_mixed_in(suite: Suite, tmp_path: Path) -> None:
    import crossexam as cx

    answers = run_over(suite)
    assert "e_h.train (proposed)" in cx.accuracy(answers)
    assert "e_h.train" not in cx.accuracy(answers)
    assert {pair.name for pair in cx.compare(answers, answers)} == set(cx.accuracy(answers))
    page = cx.report(answers).save(tmp_path / "page.md").read_text(encoding="utf-8")
    assert "e\\_h.train (proposed)" in page
    assert by_status(by_status(answers)).datasets == by_status(answers).datasets


@pytest.mark.slow
def test_a_corpus_of_two_labels_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "two.csv"
    path.write_text("premise,hypothesis,label\nA cat.,A dog.,not_entailment\nA cat.,A pet.,entailment\n")
    with pytest.raises(CrossexamError, match="the base does not tell contradiction from neutral"):
        build(path, tmp_path / "suite")
    other = tmp_path / "three.csv"
    other.write_text("premise,hypothesis,label\nA cat.,A dog.,contradiction\n")
    with pytest.raises(CrossexamError, match="no example contains a listed word pair"):
        build(other, tmp_path / "suite")


def test_subsets_two_and_three_are_what_is_unseen_and_against_polarity(suite: Suite) -> None:
    results = {(each.kind, each.factor): each for each in factor_results(run_over(suite))}
    item = by_id(suite, "i_ta1")
    unseen = [e for e in item.values() if not e.info["seen"]]
    assert results["i_ta1", "unseen pairs"].subset.n == len(unseen) == 0  # t5 has young and old
    against = [e for e in suite["i_th.train"] if e.info["polarity"] != e.label]
    assert results["i_th", "polarity"].subset.n == len(against)
    assert len(against) > 0
    swapped = [e for e in suite["i_th.train"] if not e.info["seen"]]
    assert results["i_th", "unseen pairs"].subset.n == len(swapped)
    assert len(swapped) < len(suite["i_th.train"])


@pytest.mark.parametrize(("times", "made"), [(9, []), (10, ["A person runs"])])
def test_a_relative_must_be_ten_times_in_training(
    corpus: Path, lists: dict[str, list[str]], tmp_path: Path, times: int, made: list[str]
) -> None:
    """Section 6.1, footnote 6: the woman becomes a person where training has persons ten times."""
    swap = ("A/DT man/NN runs/VBZ", "A/DT woman/NN runs/VBZ", "contradiction")
    other = ("A/DT person/NN runs/VBZ", "It/PRP rains/VBZ", "neutral")
    rows = [swap, *[other] * times]
    corpus.write_text("".join(json.dumps(record(k, *each)) + "\n" for k, each in enumerate(rows)))
    antonyms = tmp_path / "people.tsv"
    antonyms.write_text("man\twoman\n")
    build(corpus, tmp_path / "people", {**lists, "antonym": [str(antonyms)]})
    found = read_suite(tmp_path / "people")["i_ta2.train"]
    assert [item.hypothesis for item in found] == made
    rejected = {} if made else {"no relative that training has ten times": 1}
    assert found.manifest["yield"]["rejected"] == rejected


@pytest.mark.slow
def test_the_library_builds_the_suite_and_not_the_base(corpus: Path, tmp_path: Path) -> None:
    import crossexam as cx

    suite = cx.build("behaviour", corpus)
    assert {name.partition(".")[0] for name in suite.datasets} == set(SWAPS)
    assert cx.accuracy(run_over(suite))
    with pytest.raises(CrossexamError, match="needs a corpus as its base"):
        cx.build("behaviour", [Example("a", "P.", "H.", "neutral")])
