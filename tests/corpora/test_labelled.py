"""The labelled examples of a corpus: which they are, and how many."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from crossexam.corpora.labelled import iter_labelled, load_corpus
from crossexam.corpora.spec import CorpusSpec

LABELS = ("entailment", "-", "neutral", "-", "contradiction", "entailment")


def test_a_limit_counts_labelled_examples(tmp_path: Path, refused: Callable[..., str]) -> None:
    path = tmp_path / "mine.csv"
    rows = [f"Premise {k}.,Hypothesis {k}.,{label}" for k, label in enumerate(LABELS)]
    path.write_text("\n".join(["premise,hypothesis,label", *rows]) + "\n")
    labelled = [(f"Premise {k}.", label) for k, label in enumerate(LABELS) if label != "-"]
    for limit in (None, 4, 3, 1):
        corpus = load_corpus(str(path), limit=limit)
        assert [(each.premise, each.label) for each in corpus.examples] == labelled[:limit]
        read = iter_labelled(CorpusSpec.parse(str(path)), limit=limit)
        assert [(each.premise, each.label) for each in read] == labelled[:limit]
    path.write_text("premise,hypothesis,label\nIt rains.,It is wet.,-\n")
    assert refused(load_corpus, str(path)).startswith(f"{path}: ")
