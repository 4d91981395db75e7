"""Where our rules, the paper's and the script's put a tautology."""

import re

from hypothesis import given
from hypothesis import strategies as st

from crossexam.core.example import Example
from made.cases import each_row
from made.items import made_by

PIECES = "a man “Go p.m. off.” is (so) boys' 'tis 3.5 no! … U.S.".split()
SENTENCES = st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map(" ".join)


@each_row
def test_where_the_tautology_goes(sentence: str, expected: str) -> None:
    (item,), _ = made_by("word_overlap", Example("a", "p", sentence, "neutral"))
    assert item.hypothesis == expected


@given(SENTENCES, st.sampled_from(["word_overlap", "negation", "length_mismatch", "tautology"]))
def test_a_tautology_is_a_pure_insertion_after_all_words(sentence: str, name: str) -> None:
    (item,), _ = made_by(name, Example("a", sentence, sentence, "neutral"))
    (edit,) = item.change.edits
    assert (edit.side, edit.old) == ("premise" if name == "length_mismatch" else "hypothesis", "")
    assert edit.new.startswith(" and ")
    assert not re.search(r"\w", sentence[edit.start :])
    assert item.label == "neutral"


@each_row
def test_where_the_paper_and_the_script_put_a_tautology(sentence: str, paper: str, released: str) -> None:
    """At the plus sign; the paper appends them to the end of a premise, and no script does otherwise."""
    pair = Example("e", sentence, sentence, "neutral")
    for name, clause in (("word_overlap", "true is true"), ("tautology", "green is not red")):
        for rules, expected in (("paper", paper), ("released", released)):
            (item,), _ = made_by(name, pair, rules=rules)
            assert item.hypothesis == expected.replace("+", f" and {clause}")
    (item,), _ = made_by("length_mismatch", pair, rules="paper")
    assert item.premise == sentence.removesuffix(".") + " and true is true" * 5
