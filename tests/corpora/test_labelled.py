"""The labelled examples of a corpus: which they are, and how many."""

from pathlib import Path

import crossexam as cx
from crossexam.corpora.labelled import load_corpus
from crossexam.corpora.spec import CorpusSpec
from made.cases import refused
from made.corpora import write_lines

LABELS = ("entailment", "-", "neutral", "-", "contradiction", "entailment")


def test_limits_and_slices_count_labelled_examples(tmp_path: Path) -> None:
    header = "premise,hypothesis,label\n"
    rows = [f"Premise {k}.,Hypothesis {k}.,{label}" for k, label in enumerate(LABELS)]
    path = write_lines(tmp_path / "mine.csv", rows, header)
    labelled = [f"Premise {k}." for k, label in enumerate(LABELS) if label != "-"]
    for limit in (None, 4, 3, 1):
        for part, wanted in (("", labelled), ("[::2]", labelled[::2])):
            corpus = load_corpus(f"{path}{part}", limit=limit)
            assert [each.premise for each in corpus.examples] == wanted[:limit]
    assert [each.premise for each in cx.load(f"{path}[::2]")] == labelled[::2]
    everything = CorpusSpec.parse(f"{path}[::2]").examples(drop_no_gold=False)
    assert [each.premise for each in everything] == [f"Premise {k}." for k in (0, 2, 4)]
    write_lines(path, ["It rains.,It is wet.,-"], header)
    assert refused(load_corpus, str(path)).startswith(f"{path}: ")
