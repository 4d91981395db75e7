"""Dependencies from shipped constituency parses, found by hand."""

from pathlib import Path

from crossexam.language.parsing.constituency import dependencies, parsed_from_parse
from crossexam.language.parsing.trees import parse_tree
from crossexam.language.tokens import Parsed
from made.parses import check_tree, written

TEXT = (Path(__file__).parents[2] / "data" / "dependencies.txt").read_text(encoding="utf-8")
LINES = [line for line in TEXT.splitlines() if not line.startswith("#")]
TREES = list(zip(LINES[::2], LINES[1::2], strict=True))


def test_a_parse_by_hand_has_the_dependencies_found_by_hand() -> None:
    for parse, expected in TREES:
        sentence = " ".join(word for _, word in parse_tree(parse).leaves())
        assert written(parsed_from_parse(sentence, parse)) == expected


def test_tokens_are_those_of_the_sentence_where_the_parse_rewrites_it() -> None:
    """What hung on a leaf that is left out hangs on its head."""
    parse = "(S (`` ``) (NP (PRP It)) (VP (VBZ is) (NP (NNP St.))) (. .) ('' ''))"
    parsed = parsed_from_parse('"It is St."', parse)
    found = [f"{token.text}/{token.start}/{token.tag}" for token in parsed.tokens]
    # the last full stop is the parser's
    assert found == "\"/0/`` It/1/PRP is/4/VBZ St./7/NNP \"/10/''".split()
    assert parsed.heads == (3, 3, 3, -1, 3)


def test_odd_trees_have_one_root_above_all_words() -> None:
    for parse in (
        "(NP (NP (NN dog)) (CD two))",
        "(S (NP (PRP it)) (VP (VBZ is) (VP (VP (VBN seen)))))",
        "(X (POS 's) (SBAR (IN that)) (FRAG (UH oh) (VP (TO to))))",
    ):
        tree = parse_tree(parse)
        heads, relations = dependencies(tree)
        assert (len(heads), heads.count(-1)) == (tree.end, 1)
        check_tree(Parsed((), tuple(heads), tuple(relations)))
