"""Binary parses become trees, and broken ones are named."""

from crossexam.zoo.trees import parse_binary, right_branching, tree_over
from made.cases import refused


def test_nodes_of_a_parse_come_after_their_children_by_height() -> None:
    words, tree = parse_binary("( ( a ( b -LRB- ) ) ( 1\xa01/2 d ) )")
    assert words == ["a", "b", "-LRB-", "1\xa01/2", "d"]
    assert tree.tolist() == [[1, 2, 1], [3, 4, 1], [0, 5, 2], [7, 6, 3]]


def test_broken_parses_are_named_and_a_bracket_around_one_part_is_no_node() -> None:
    for parse, message in (
        ("( A tall man )", "character 13: brackets around 3 constituents"),
        ("( A man", "character 7: unmatched opening bracket"),
        ("( A man ) )", "character 10: unmatched closing bracket"),
        ("A man", "character 5: 2 trees in one parse"),
        ("", "character 0: 0 trees in one parse"),
    ):
        assert refused(parse_binary, parse).startswith(f"{message}\n")
    for parse in ("Eating", "( Eating )", "( ( Eating ) )"):
        words, tree = parse_binary(parse)
        assert (words, tree.shape) == (["Eating"], (0, 3))


def test_the_tree_over_a_sentence_is_its_own_parse_or_right_branching() -> None:
    assert right_branching(4).tolist() == parse_binary("( a ( b ( c d ) ) )")[1].tolist()
    assert tree_over(["A", "man", "("], "( ( a man ) -LRB- )").tolist() == [[0, 1, 1], [3, 2, 2]]
    said = refused(tree_over, ["a", "man"], "( ( a man ) left )")
    assert "'a man': the binary parse has 3 words, but the sentence has 2" in said
    assert right_branching(3).tolist() == tree_over(["a", "man", "left"], None).tolist()
