"""Bracketed parses."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from crossexam.language.parsing.trees import Tree, leaves, parse_tree
from made.cases import each_row

PARSE = "(ROOT (S (NP (DT The) (NN dog)) (VP (VBZ runs) (PP (IN in) (NP (NN town)))) (. .)))"


def test_leaves_are_tags_and_words_in_order_and_spans_count_them() -> None:
    found = [f"{tag}/{word}" for tag, word in leaves(PARSE)]
    assert found == "DT/The NN/dog VBZ/runs IN/in NN/town ./.".split()
    assert leaves("(NP (CD 1\xa01/2) (NNS cups))")[0] == ("CD", "1\xa01/2")  # a no-break space
    deep = "(A " * 5000 + "(NN dog)" + ")" * 5000
    assert parse_tree(deep).leaves() == [("NN", "dog")]
    spans = {(node.label, node.start, node.end) for node in parse_tree(PARSE).subtrees() if node.children}
    assert spans == {("ROOT", 0, 6), ("S", 0, 6), ("NP", 0, 2), ("VP", 2, 5), ("PP", 3, 5), ("NP", 4, 5)}
    outer = parse_tree("( (S (NP (PRP It)) (VP (VBZ rains))) )")  # as the Treebank has it
    assert (outer.label, [node.label for node in outer.children]) == ("", ["S"])
    assert parse_tree(PARSE.replace(" (", "\n\t( ").replace("( ", "(")) == parse_tree(PARSE)


@each_row
def test_broken_notation_names_the_character(
    parse: str, message: str, *, refused: Callable[..., str]
) -> None:
    assert f"character {message}" in refused(parse_tree, parse)


def _written(tree: Tree) -> str:
    inside = tree.word or " ".join(map(_written, tree.children))
    return f"({tree.label} {inside})"


WORDS = st.sampled_from("dog runs the -LRB- `` Kim 1,200 .".split())
LABELS = st.sampled_from("S NP VP SBAR-TMP".split())
TREES = st.recursive(
    st.tuples(st.sampled_from(["NN", "DT", "."]), WORDS).map(lambda pair: f"({pair[0]} {pair[1]})"),
    lambda inner: st.tuples(LABELS, st.lists(inner, min_size=1, max_size=3)).map(
        lambda pair: f"({pair[0]} {' '.join(pair[1])})"
    ),
    max_leaves=12,
)


@given(TREES)
def test_a_tree_is_read_as_it_is_written(parse: str) -> None:
    tree = parse_tree(parse)
    assert _written(tree) == parse
    assert tree.leaves() == leaves(parse)
    assert (tree.start, tree.end) == (0, len(leaves(parse)))
