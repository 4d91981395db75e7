"""The suite behaviour: ten sets from a small training corpus, the three factors, their tables."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossexam.constructions.table import SWAPS
from crossexam.core.dataset import Run, Suite
from crossexam.core.example import Example
from crossexam.evaluation.behaviour import factor_results, unseen_table
from crossexam.evaluation.measures import measure
from crossexam.evaluation.verified import by_status
from crossexam.models.model import Pair
from crossexam.runs.run import predict_suite
from crossexam.suites.bases import base_from_spec
from crossexam.suites.behaviour import SELECTED, chosen, pair_tables, select
from crossexam.suites.build import build_in_memory, build_to_folder
from crossexam.suites.plan import DeferredItems, SuiteRequest
from crossexam.suites.table import suite_request
from made.cases import refused
from made.corpora import tagged_pair, write_records
from made.runs import GOLD_OF

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


def write_corpus(path: Path, pairs: Sequence[tuple[str, str, str]]) -> Path:
    return write_records(path, [tagged_pair(n, label, p, h) for n, (p, h, label) in enumerate(pairs)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a corpus, lists of word pairs, and a cache of its own."""
    found = tmp_path_factory.mktemp("behaviour")
    (found / "antonyms.tsv").write_text("old\tyoung\n")
    (found / "hypernyms.tsv").write_text("dog\tanimal\n")
    write_corpus(found / "train.jsonl", CORPUS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(found / "cache"))
        yield found


@pytest.fixture(scope="module")
def lists(folder: Path) -> dict[str, Path]:
    return {"antonym": folder / "antonyms.tsv", "hypernym": folder / "hypernyms.tsv"}


def request(base: Path, lists: Mapping[str, Path], **options: Any) -> SuiteRequest:
    options = {"pairs": [f"{relation}={name}" for relation, name in lists.items()], **options}
    return suite_request("behaviour", [base_from_spec(str(base))], options={"behaviour": options})


def build(base: Path, lists: Mapping[str, Path], **options: Any) -> Suite:
    return build_in_memory(request(base, lists, **options))


@pytest.fixture(scope="module")
def suite(folder: Path, lists: dict[str, Path]) -> Suite:
    return build(folder / "train.jsonl", lists)


def test_every_item_names_where_its_label_is_from_and_what_training_has_of_its_pair(suite: Suite) -> None:
    sources = {name: {e.info["label_from"] for e in suite[f"{name}.train"]} for name in SWAPS}
    assert sources["i_a"] == sources["i_h"] == {"corpus"}
    assert sources["i_ta1"] == sources["e_ta"] == {"construction"}
    assert sources["i_th"] == sources["e_h"] == {"natural logic"}
    items = {example.id: example for dataset in suite for example in dataset}
    for example in items.values():
        by_logic = example.info["label_from"] == "natural logic"
        decided = example.id.partition(":")[0] in SELECTED and "doubts" not in example.info
        status = example.info.get("status")
        assert status in {"proposed", "undecided"} if by_logic and not decided else status is None
        assert (status == "undecided") == ("doubts" in example.info)
    found = {name: [items[name].info[key] for key in ("pair", "seen", "polarity")] for name in items}
    # t1 and t2 have it once each; of the ordered pair t3 and t4; young, old: t5 alone
    assert found["i_h:t2"] == ["dog/animal", True, "entailment-contradiction"]
    assert found["i_th:i_h:t2"] == ["animal/dog", True, "entailment-neutral"]
    assert found["i_ta1:i_a:t0"] == ["young/old", True, "neutral"]


def test_facts_are_of_the_index_which_may_be_of_several_corpora_and_may_not_change(
    suite: Suite, folder: Path, lists: dict[str, Path]
) -> None:
    """Each half of the corpus lacks pairs of the other; together they are the corpus."""
    corpus = folder / "train.jsonl"
    lines = corpus.read_text().splitlines(keepends=True)
    halves = [folder / "first.jsonl", folder / "second.jsonl"]
    for half, part in zip(halves, (lines[:3], lines[3:]), strict=True):
        half.write_text("".join(part))

    def facts(suite: Suite) -> list[tuple[str, bool, str]]:
        return [(item.id, item.info["seen"], item.info["polarity"]) for each in suite for item in each]

    assert facts(build(corpus, lists, index=str(halves[0]))) != facts(suite)
    index = "+".join(map(str, halves))
    assert facts(build(corpus, lists, index=index)) == facts(suite)
    both = request(corpus, lists, index=index)
    assert build_to_folder(both, folder / "suite").written
    halves[0].write_text(lines[0])
    assert "\n    index: " in refused(build_to_folder, both, folder / "suite")


def test_controls_are_contradictions_if_of_antonyms_and_drawn_with_what_is_made_of_them(suite: Suite) -> None:
    items = {name: list(suite[f"{name}.train"]) for name in SWAPS}
    assert [item.id for item in items["i_a"]] == ["i_a:t0", "i_a:t1"]  # t5 has them, but is neutral
    assert [item.id for item in items["i_h"]] == ["i_h:t1", "i_h:t2", "i_h:t3", "i_h:t4"]
    drawn = chosen(items, 1, seed=0)
    assert [len(drawn[name]) for name in ("i_a", "i_ta1", "i_h")] == [1, 1, 1]
    for name, kind in SWAPS.items():
        if kind.control:
            controls = {example.id for example in drawn[kind.control]}
            assert {example.base for example in drawn[name]} <= controls


def swap_sets(labels: str, same: str) -> dict[str, DeferredItems]:
    """Sets of i_a and i_ta2: *labels* (lower case: left to judges); x in *same*: only the pair differs."""
    sets = {name: DeferredItems() for name in SWAPS}
    sets["i_a"].items = [
        Example(f"c{k}", "P.", "H.", "contradiction", info={"only_pair": k == 0}) for k in range(10)
    ]
    for k, (label, mark) in enumerate(zip(labels, same, strict=True)):
        info = {"only_pair": mark == "x", **({} if label.isupper() else {"status": "undecided"})}
        sets["i_ta2"].items.append(Example(f"s{k}", "P.", "H.", GOLD_OF[label.upper()], info=info))
    sets["i_ta2"].counts.items = len(labels)
    return sets


def test_wordnet_is_a_list_of_antonyms_and_of_hypernyms() -> None:
    tables = pair_tables({"antonym": ["wordnet"], "hypernym": ["wordnet"]})
    assert "small" in {pair.second for pair in tables["antonym"].of("large")}
    assert "dog" in {pair.second for pair in tables["hypernym"].of("poodle")}


def test_items_are_selected_by_label_and_by_what_differs() -> None:
    for labels, same, kept in (
        ("NNNNNNCE", "--------", {"N": 4, "C": 1, "E": 1}),  # two thirds of six
        ("NNNNNNCEccc", "-" * 11, {"N": 4, "C": 1, "E": 1, "c": 3}),  # those of judges do not count
        ("EEEECCCCNNN", "xxx--------", {"E": 1, "C": 4, "N": 3}),  # one in ten controls is the same
        ("EEEECCCCCCNNN", "xxx----------", {"E": 2, "C": 6, "N": 3}),  # one of ten
    ):
        sets = swap_sets(labels, same)
        select(sets, seed=0)
        items, counts = sets["i_ta2"].items, sets["i_ta2"].counts
        numbers = [int(e.id[1:]) for e in items]
        assert Counter(labels[number] for number in numbers) == kept
        assert numbers == sorted(numbers)
        assert counts.items == len(items) == len(labels) - counts.rejected.total()


def test_what_cannot_be_built_is_refused(folder: Path, lists: dict[str, Path]) -> None:
    (folder / "strange.tsv").write_text("zebra\tgiraffe\n")
    (folder / "two.csv").write_text("premise,hypothesis,label\nA cat.,A dog.,not_entailment\n")
    strange = dict.fromkeys(lists, folder / "strange.tsv")
    for said, base, relations, options in (
        ("no example contains a listed word pair", "train.jsonl", strange, {}),
        ("the base does not tell contradiction from neutral", "two.csv", lists, {}),
        ("'antonyms.tsv' does not name a list", "train.jsonl", {}, {"pairs": "antonyms.tsv"}),
    ):
        assert said in refused(build, folder / base, relations, **options)


def test_the_table_of_unseen_pairs() -> None:
    """As in Table 3 for DAM: 567, 20, 13, 20 give 74.16."""
    correct = np.array([True] * 587 + [False] * 33)
    seen = np.array([True] * 567 + [False] * 20 + [True] * 13 + [False] * 20)
    assert unseen_table(correct, seen).counts.tolist() == [[567, 20], [13, 20]]


@pytest.fixture(scope="module")
def answered(suite: Suite) -> Run:
    """The answers of a model that says contradiction to everything but what has a dog in its premise."""

    def answers(pairs: Sequence[Pair]) -> list[list[float]]:
        return [[1.0, 0, 0] if "dog" in p.lower() else [0, 0, 1.0] for p, _ in pairs]

    return predict_suite(answers, suite)


def test_subsets_are_the_items_of_which_a_factor_may_tell(suite: Suite, answered: Run) -> None:
    """Of i_th t2 and t4 (entailment to neutral) and t3 (neutral to entailment) changed."""
    factors = {(each.kind, each.factor): each for each in factor_results(answered)}
    assert ("i_ta1", "insensitivity") not in factors  # its labels do not change
    changed = factors["i_th", "insensitivity"]
    assert (changed.subset.n, changed.subset.value) == (3, pytest.approx(1 / 3))  # "A dog eats" alone
    assert changed.crossed.counts.sum() == 3
    assert factors["i_ta1", "unseen pairs"].subset.n == 0  # t5 has young and old
    against = [e for e in suite["i_th.train"] if e.info["polarity"] != e.label]
    assert factors["i_th", "polarity"].subset.n == len(against) > 0


def test_control_and_swap_are_compared_in_pairs_and_proposed_items_are_set_apart(answered: Run) -> None:
    found = {result.construction: result for result in measure(answered)}
    assert None not in (found["i_th"].drop, found["i_th"].mcnemar)  # though the labels are others
    assert found["i_a"].drop is None
    parted = by_status(answered)
    results = {result.name: result for result in measure(parted)}
    assert results["i_th.train"].drop is not None  # whose labels are decided
    assert results["i_th.train"].n == 3  # without the one that is left to judges
    assert results["e_th.train (proposed)"].drop is not None  # its control is proposed too


def test_a_relative_must_be_ten_times_in_training(folder: Path, lists: dict[str, Path]) -> None:
    """Section 6.1, footnote 6: the woman becomes a person where training has persons ten times."""
    swap = ("A/DT man/NN runs/VBZ", "A/DT woman/NN runs/VBZ", "contradiction")
    other = ("A/DT person/NN runs/VBZ", "It/PRP rains/VBZ", "neutral")
    (folder / "people.tsv").write_text("man\twoman\n")
    people = {**lists, "antonym": folder / "people.tsv"}
    for times, made in ((9, []), (10, ["A person runs"])):
        corpus = write_corpus(folder / "few.jsonl", [swap, *[other] * times])
        assert [item.hypothesis for item in build(corpus, people)["i_ta2.few"]] == made
