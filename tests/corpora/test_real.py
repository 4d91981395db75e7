"""The readers over the real files: counts and ids as `shared/data/README.md` and the files have them."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossexam.core.example import content_id
from crossexam.corpora.reading import ReadingReport
from crossexam.corpora.spec import iter_corpus, read_corpus

# Entailment, contradiction, neutral, without gold; ids of the first, tenth and last example.
FACTS = {
    "snli:dev": (3329, 3278, 3235, 158, "4705552913.jpg#2r1n", "3980085662.jpg#0r1e", "4805835848.jpg#0r1n"),
    "snli:test": (3368, 3237, 3219, 176, "2677109430.jpg#1r1n", "6526219567.jpg#4r1n", "152881593.jpg#1r1n"),
    "multinli:dev_matched": (3479, 3213, 3123, 0, "63735n", "117487n", "76653c"),
    "multinli:dev_mismatched": (3243, 3106, 2822, 661, "75290c", "145239c", "8693e"),
}


@pytest.mark.parametrize("spec", FACTS)
def test_counts_and_ids(spec: str, shared_data: Path) -> None:
    entailment, contradiction, neutral, no_gold, first, tenth, last = FACTS[spec]
    report = ReadingReport()
    examples = list(iter_corpus(spec, data_dir=shared_data, report=report))
    assert report.labels == {"entailment": entailment, "contradiction": contradiction, "neutral": neutral}
    assert (report.no_gold, report.bad) == (no_gold, 0)
    assert report.read == len(examples) + no_gold
    assert (examples[0].id, examples[9].id, examples[-1].id) == (first, tenth, last)
    assert len({example.id for example in examples}) == len(examples)


def test_snli_dev_has_the_published_number_of_examples(shared_data: Path) -> None:
    dataset = read_corpus("snli:dev", data_dir=shared_data)
    assert len(dataset) == 9842  # Bowman et al. 2015, and the data README
    keys = {"annotator_labels", "captionID", "cluster"} | {
        f"{side}_{kind}" for side in ("premise", "hypothesis") for kind in ("parse", "binary_parse")
    }
    assert all(set(example.info) == keys for example in dataset)
    assert len({example.info["cluster"] for example in dataset}) <= 3319  # captions in the file


def test_multinli_matched_genres_and_annotators(shared_data: Path) -> None:
    examples = list(iter_corpus("multinli:matched", data_dir=shared_data))
    assert sum("genre" in example.info for example in examples) == 8614  # null on the others
    assert sum(len(example.info["annotator_labels"]) == 5 for example in examples) == 1599  # README
    assert sum(len(example.info["annotator_labels"]) == 2 for example in examples) == 9815 - 1599
    assert {example.info["cluster"] for example in examples} == {e.info["promptID"] for e in examples}


def test_multinli_mismatched_has_repeated_ids(shared_data: Path) -> None:
    report = ReadingReport()
    ids = {
        e.id
        for e in iter_corpus("multinli:mismatched", data_dir=shared_data, report=report, drop_no_gold=False)
    }
    assert (len(ids), report.renamed) == (9832, 9832 - 9805)  # 9,805 distinct pairIDs in the file


@pytest.mark.parametrize("split", ["dev", "test"])
def test_aqua(split: str, shared_data: Path) -> None:
    problems = list(iter_corpus(f"aqua:{split}", data_dir=shared_data))
    assert len(problems) == 254
    assert [each.id for each in problems[:9]] == [content_id(each.premise, "", None) for each in problems[:9]]
    assert all(set(p.info) == {"kind", "options", "rationale", "correct"} for p in problems)
    assert {p.info["correct"] for p in problems} <= set("ABCDE")
    assert all(p.hypothesis == "" and p.label is None for p in problems)


def test_other_published_tables_need_no_mapping(shared_data: Path) -> None:
    sick = list(iter_corpus(shared_data / "sick" / "SICK_test_annotated.txt"))
    assert (len(sick), sick[0].label) == (4927, "neutral")  # README; the first row says NEUTRAL
    telephone = next(iter_corpus(shared_data / "multinli" / "multinli_train_subset_tokenised.tsv"))
    assert (telephone.label, telephone.info) == ("neutral", {"genre": "telephone"})
    problems = iter_corpus(shared_data / "word_problems" / "mixed_word_problems.jsonl")
    assert sum(problem.info == {"kind": "problem"} for problem in problems) == 3260  # README
