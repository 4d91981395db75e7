"""The labelled examples of a corpus: which they are, and how many."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossexam.core.errors import CrossexamError
from crossexam.corpora.labelled import iter_labelled, load_corpus
from crossexam.corpora.spec import CorpusSpec

LABELS = ("entailment", "-", "neutral", "-", "contradiction", "entailment")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A corpus of which two of six examples have no gold label."""
    rows = [f"Premise {k}.,Hypothesis {k}.,{label}" for k, label in enumerate(LABELS)]
    path = tmp_path / "mine.csv"
    path.write_text("\n".join(["premise,hypothesis,label", *rows]) + "\n")
    return path


@pytest.mark.parametrize("limit", [None, 4, 3, 1])
def test_a_limit_counts_labelled_examples(file: Path, limit: int | None) -> None:
    expected = [(f"Premise {k}.", label) for k, label in enumerate(LABELS) if label != "-"][:limit]
    corpus = load_corpus(str(file), limit=limit)
    assert [(each.premise, each.label) for each in corpus.examples] == expected
    read = iter_labelled(CorpusSpec.parse(str(file)), limit=limit)
    assert [each.premise for each in read] == [premise for premise, _ in expected]


def test_a_corpus_without_labels_is_refused(file: Path) -> None:
    file.write_text("premise,hypothesis,label\nIt rains.,It is wet.,-\n")
    with pytest.raises(CrossexamError) as told:
        load_corpus(str(file))
    assert told.value.where == str(file)
