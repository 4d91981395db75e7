"""Dependencies from shipped constituency parses and from spaCy, in the labels of Universal Dependencies."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from crossexam.constructions.resources import LanguageResources
from crossexam.core.example import SIDES, Example
from crossexam.language.parsing.constituency import dependencies, parsed_from_parse
from crossexam.language.parsing.parsers import PARSERS, parsed_from_doc, resolve_parser
from crossexam.language.parsing.trees import parse_tree
from crossexam.language.tokens import Parsed
from made.cases import each_row

DATA = Path(__file__).parents[2] / "data"
_TEXT = (DATA / "dependencies.txt").read_text(encoding="utf-8")
_LINES = [line for line in _TEXT.splitlines() if not line.startswith("#")]
TREES = list(zip(_LINES[::2], _LINES[1::2], strict=True))


def _words(parse: str) -> str:
    return " ".join(word for _, word in parse_tree(parse).leaves())


def _written(parsed: Any) -> str:
    texts = [*(token.text for token in parsed.tokens), "-"]
    return " ".join(
        f"{token.text}|{relation}|{texts[head]}"
        for token, head, relation in zip(parsed.tokens, parsed.heads, parsed.relations, strict=True)
    )


def test_a_parse_by_hand_has_the_dependencies_found_by_hand() -> None:
    assert [(parse, _written(parsed_from_parse(_words(parse), parse))) for parse, _ in TREES] == TREES


def test_tokens_are_those_of_the_sentence_where_the_parse_rewrites_it() -> None:
    """What hung on a leaf that is left out hangs on its head."""
    parse = "(S (`` ``) (NP (PRP It)) (VP (VBZ is) (NP (NNP St.))) (. .) ('' ''))"
    parsed = parsed_from_parse('"It is St."', parse)
    found = [f"{token.text}/{token.start}/{token.tag}" for token in parsed.tokens]
    # the last full stop is the parser's
    assert found == "\"/0/`` It/1/PRP is/4/VBZ St./7/NNP \"/10/''".split()
    assert parsed.heads == (3, 3, 3, -1, 3)


def _is_tree(parsed: Parsed) -> None:
    """Every word hangs on a root, which says so."""
    links = zip(parsed.heads, parsed.relations, strict=True)
    assert {relation for head, relation in links if head == -1} == {"root"}
    for word in range(len(parsed.heads)):
        above = [word]
        while above[-1] != -1:
            above.append(parsed.heads[above[-1]])
            assert len(above) <= len(parsed.heads) + 1  # no word depends on itself


def _doc(spec: str) -> Any:
    """Return a spaCy Doc of pieces ``word|tag|label|head``."""
    pytest.importorskip("spacy")
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

    words, tags, labels, heads = zip(*(piece.split("|") for piece in spec.split()), strict=True)
    return Doc(Vocab(), [*words], tags=[*tags], deps=[*labels], heads=[int(head) for head in heads])


@each_row
def test_labels_of_pipelines_become_universal_ones(spec: str, expected: str) -> None:
    assert _written(parsed_from_doc(_doc(spec))) == expected


PARSE = "(S (NP (NNS Cats)) (VP (VBP chase) (NP (NNS mice))))"


def test_auto_takes_the_shipped_parse_and_says_so() -> None:
    resources = LanguageResources()
    assert resources.parsed(PAIRS[0], "hypothesis") is None  # neither parse nor parser
    for parse in ("(S (NNS Cats)", "(S (NNS Dogs) (VBP sleep))"):  # broken, and another sentence's
        example = Example("a", "Cats chase mice", "", None, info={"premise_parse": parse})
        assert resources.parsed(example, "premise") is None
    assert resources.parser.name == "auto"
    assert _written(resources.parsed(PAIRS[0], "premise")) == "Cats|nsubj|chase chase|root|- mice|obj|chase"
    assert resources.parser.name == "corpus-parses"


# The contract of all parsers in the table; the spaCy pipeline is an untrained one.

#: The relations of Universal Dependencies that English has, before their subtypes.
UNIVERSAL = frozenset(
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated "
    "expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum "
    "root vocative xcomp".split()
)
#: The spec of each parser of the table, with a place for the folder of a spaCy pipeline.
SPECS = {"auto": "auto", "parses": "parses", "spacy": "spacy:{}"}
CAFE = "(S (NP (PRP She)) (VP (VBZ loves) (NP (DT the) (NN café)) (PP (IN in) (NP (NNP 東京)))) (. .))"
PAIRS = [
    Example("a", "Cats chase mice", "Kim’s dog  barks", None, info={"premise_parse": PARSE}),
    Example("b", "She loves the café in 東京.", "Cats chase mice", None, info={"premise_parse": CAFE}),
    Example("c", "Cats chase mice", "  ", None, info={"premise_parse": PARSE}),
]


@pytest.fixture(scope="module")
def untrained(tmp_path_factory: pytest.TempPathFactory, pipeline_in: Callable[..., str]) -> Path:
    folder = tmp_path_factory.mktemp("pipeline") / "untrained"
    pipeline_in(folder, tags="NN NNS JJ VBZ VBD DT IN", relations="ROOT nsubj dobj det prep pobj conj punct")
    return folder


@pytest.mark.parametrize("kind", sorted(PARSERS))
def test_a_parser_gives_a_tree_of_universal_relations_over_the_text(kind: str, untrained: Path) -> None:
    """And the same tree whether a sentence was prepared with others or not."""
    assert set(SPECS) == set(PARSERS), "add a line to SPECS for every parser in PARSERS"
    alone, prepared = (resolve_parser(SPECS[kind].format(untrained)) for _ in range(2))
    prepared.prepare([])
    prepared.prepare(PAIRS)
    for example, side in product(PAIRS, SIDES):
        parsed, text = prepared.parsed(example, side), example.text(side)
        assert (parsed is None) == (not text.strip() or (kind != "spacy" and side == "hypothesis"))
        assert parsed == alone.parsed(example, side)
        if parsed is not None:
            assert "".join(token.text for token in parsed.tokens) == "".join(text.split())
            assert all(text[token.start : token.end] == token.text for token in parsed.tokens)
            assert len(parsed.heads) == len(parsed.tokens)
            assert {relation.partition(":")[0] for relation in parsed.relations} <= UNIVERSAL
            _is_tree(parsed)


def test_auto_falls_back_on_the_pipeline_of_the_tagger(
    untrained: Path, tmp_path: Path, pipeline_in: Callable[..., str], refused: Callable[..., str]
) -> None:
    parser = resolve_parser("auto", f"spacy:{untrained}")
    assert parser.parsed(PAIRS[0], "premise") == parsed_from_parse("Cats chase mice", PARSE)
    assert parser.parsed(PAIRS[0], "hypothesis") is not None
    assert parser.name.startswith("corpus-parses+spacy:en_")
    pipeline = pipeline_in(tmp_path / "tags", tags="NN NNS JJ VBZ VBD DT IN")  # without a parser
    assert "has no parser" in refused(resolve_parser, pipeline)
    assert resolve_parser("auto", pipeline).parsed(PAIRS[0], "hypothesis") is None


def test_odd_trees_have_one_root_above_all_words() -> None:
    for parse in (
        "(NP (NP (NN dog)) (CD two))",
        "(S (NP (PRP it)) (VP (VBZ is) (VP (VP (VBN seen)))))",
        "(X (POS 's) (SBAR (IN that)) (FRAG (UH oh) (VP (TO to))))",
    ):
        tree = parse_tree(parse)
        heads, relations = dependencies(tree)
        assert (len(heads), heads.count(-1)) == (tree.end, 1)
        _is_tree(Parsed((), tuple(heads), tuple(relations)))
