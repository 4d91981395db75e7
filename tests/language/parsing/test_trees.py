"""Bracketed parses."""

from crossexam.language.parsing.trees import leaves, parse_tree
from made.cases import each_row, refused

PARSE = "(ROOT (S (NP (DT The) (NN dog)) (VP (VBZ runs) (PP (IN in) (NP (NN town)))) (. .)))"


def test_leaves_are_tags_and_words_in_order_and_spans_count_them() -> None:
    found = [f"{tag}/{word}" for tag, word in leaves(PARSE)]
    assert found == "DT/The NN/dog VBZ/runs IN/in NN/town ./.".split()
    assert leaves("(NP (CD 1\xa01/2) (NNS cups))")[0] == ("CD", "1\xa01/2")  # a no-break space
    deep = "(A " * 5000 + "(NN dog)" + ")" * 5000
    assert parse_tree(deep).leaves() == [("NN", "dog")]
    tree = parse_tree(PARSE.replace(" (", "\n\t("))
    spans = {(node.label, node.start, node.end) for node in tree.subtrees() if node.children}
    assert spans == {("ROOT", 0, 6), ("S", 0, 6), ("NP", 0, 2), ("VP", 2, 5), ("PP", 3, 5), ("NP", 4, 5)}
    outer = parse_tree("( (S (NP (PRP It)) (VP (VBZ rains))) )")  # as the Treebank has it
    assert (outer.label, [node.label for node in outer.children]) == ("", ["S"])


@each_row
def test_broken_notation_names_the_character(parse: str, message: str) -> None:
    assert f"character {message}" in refused(parse_tree, parse)
