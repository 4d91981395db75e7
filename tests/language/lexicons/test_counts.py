"""Counts of adjectives before nouns: counting, the table's file, the shipped table, tables of a corpus."""

from collections.abc import Callable
from pathlib import Path

import pytest

from crossexam.constructions.resources import LanguageResources, content_identity, count_words, counts_from
from crossexam.language.lexicons.adjective_classes import ADDABLE, class_of, rank_of
from crossexam.language.lexicons.counts import read_counts, shipped_adjectives
from crossexam.language.noun_phrases import adjective_pairs, noun_phrases
from crossexam.language.tokens import Parsed, Token
from made.cases import each_row
from made.corpora import write_lines
from made.sentences import tagged


def tokens(sentence: str) -> tuple[Token, ...]:
    pieces = (piece.rpartition("/") for piece in sentence.split())
    return tuple(Token(word, 0, len(word), tag) for word, _, tag in pieces)


def parsed(sentence: str, links: str) -> Parsed:
    """Dependencies as ``head:relation`` a token."""
    pairs = [link.split(":", 1) for link in links.split()]
    return Parsed(tokens(sentence), tuple(int(head) for head, _ in pairs), tuple(name for _, name in pairs))


@each_row
def test_pairs_of_a_tagged_sentence(sentence: str, pairs: str) -> None:
    assert ", ".join(map(" ".join, adjective_pairs(tokens(sentence), None))) == pairs


def test_noun_phrases_and_pairs_by_the_parse_and_without() -> None:
    # By the tags "wild" would stand before "boar"; the parse has it with "pigs".
    sentence = parsed("old/JJ dogs/NNS chase/VBP wild/JJ pigs/NNS", "1:amod 2:nsubj -1:root 4:amod 2:obj")
    assert [*adjective_pairs(sentence.tokens, sentence)] == [("old", "dog"), ("wild", "pig")]
    girl = "A/DT smiling/VBG girl/NN feeding/VBG brown/JJ goats/NNS"
    by_tags = [*noun_phrases(tokens(girl))]
    assert [(each.start, each.head, each.modifiers) for each in by_tags] == [(0, 2, (1,)), (4, 5, (4,))]
    sentence = parsed(girl, "2:det 2:amod -1:root 2:acl 5:amod 3:obj")
    assert [*noun_phrases(sentence.tokens, sentence)] == by_tags
    # A noun that the parse says stands before another is no head.
    compound = parsed("toy/NN ,/, boat/NN", "2:compound 2:punct -1:root")
    assert [phrase.head for phrase in noun_phrases(compound.tokens, compound)] == [2]
    # A participle that governs is no modifier.
    sentence = parsed("Men/NNS eating/VBG fish/NN", "-1:root 0:acl 1:obj")
    assert [phrase.start for phrase in noun_phrases(sentence.tokens, sentence)] == [0, 2]
    # A phrase takes all determiners and ends at them.
    (phrase,) = noun_phrases(tokens("big/JJ all/PDT the/DT three/CD boats/NNS"))
    assert (phrase.start, phrase.determiners, phrase.modifiers) == (1, (1, 2, 3), ())
    (phrase,) = noun_phrases(tokens("slow/JJ and/CC old/JJ boats/NNS"))
    assert (phrase.start, phrase.complex) == (0, True)


def test_counts_are_of_words_that_wordnet_knows_once_a_sentence() -> None:
    texts = ("old boat", "old boats", "uh boat", "old qzx", "x) boat", "red boat", "red boat")
    examples = [tagged("{}/JJ {}/NN".format(*text.split()), name=str(k)) for k, text in enumerate(texts)]
    table = count_words(examples, "mine", LanguageResources("parses"))
    assert (len(table), table.count("boat", "old"), dict(table.after("qzx"))) == (2, 1, {})
    assert dict(table.after("boat")) == {"old": 1, "red": 1}


@each_row
def test_what_is_no_table(
    lines: list[str], message: str, *, tmp_path: Path, refused: Callable[..., str]
) -> None:
    assert message in refused(read_counts, write_lines(tmp_path / "table.tsv", lines))


def test_the_shipped_table_knows_common_pairs_and_the_order_of_adjectives() -> None:
    table = shipped_adjectives()
    assert table.count("man", "young") > table.count("building", "young") == 0
    # Quirk et al. 1985, section 17.115: "a beautiful large old round red carved French wooden ... table".
    words = ["beautiful", "large", "old", "round", "red", "striped", "French", "wooden"]
    assert [rank_of(word) for word in words] == sorted(rank_of(word) for word in words)
    assert {word: class_of(word) for word in ADDABLE} == ADDABLE  # what may be added is classed alike


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
