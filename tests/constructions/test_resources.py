"""Adjectives are counted once in a corpus, and the parse that an example ships is taken."""

from pathlib import Path

import pytest

from crossexam.constructions.resources import LanguageResources, content_identity, count_words, counts_from
from crossexam.core.example import Example
from made.corpora import write_lines
from made.parses import written
from made.sentences import tagged


def test_counts_are_of_words_that_wordnet_knows_once_a_sentence() -> None:
    texts = ("old boat", "old boats", "uh boat", "old qzx", "x) boat", "red boat", "red boat")
    examples = [tagged("{}/JJ {}/NN".format(*text.split()), name=str(k)) for k, text in enumerate(texts)]
    table = count_words(examples, "mine", LanguageResources("parses"))
    assert (len(table), table.count("boat", "old"), dict(table.after("qzx"))) == (2, 1, {})
    assert dict(table.after("boat")) == {"old": 1, "red": 1}


def test_the_table_of_a_corpus_is_counted_once_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [*["He saw an old boat .\tHe saw old boats .\tentailment"] * 2, "A red boat .\tA red boat .\t-"]
    corpus = write_lines(tmp_path / "boats.tsv", rows, "sentence1\tsentence2\tgold_label\n")
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: tmp_path / name)
    resources = LanguageResources("builtin")
    table = resources.counts(str(corpus))
    assert (table.count("boat", "old"), table.count("boat", "red")) == (2, 1)
    assert table.source == content_identity(str(corpus))
    cache = tmp_path / "crossexam" / "adjectives"
    with monkeypatch.context() as patch:  # it would fail if it were called
        patch.setattr("crossexam.constructions.resources.count_words", None)
        for spec in (corpus, *cache.iterdir()):
            found = counts_from(str(spec), resources, folder=cache)
            assert (found.name, dict(found.after("boat"))) == (table.name, {"old": 2, "red": 1})
    # A part of a corpus is one of its labelled examples.
    part = counts_from(f"{corpus}[0:2]", resources, folder=cache)
    assert (part.count("boat", "old"), part.count("boat", "red")) == (2, 0)


def test_auto_takes_the_shipped_parse_and_says_so() -> None:
    resources, parse = LanguageResources(), "(S (NP (NNS Cats)) (VP (VBP chase) (NP (NNS mice))))"
    cats = Example("a", "Cats chase mice", "Kim’s dog  barks", None, info={"premise_parse": parse})
    assert resources.parsed(cats, "hypothesis") is None  # neither parse nor parser
    for parse in ("(S (NNS Cats)", "(S (NNS Dogs) (VBP sleep))"):  # broken, and another sentence's
        example = Example("a", "Cats chase mice", "", None, info={"premise_parse": parse})
        assert resources.parsed(example, "premise") is None
    assert resources.parser.name == "auto"
    assert written(resources.parsed(cats, "premise")) == "Cats|nsubj|chase chase|root|- mice|obj|chase"
    assert resources.parser.name == "corpus-parses"
