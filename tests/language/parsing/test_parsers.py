"""Dependencies from spaCy in the labels of Universal Dependencies, and the contract of all parsers."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.example import SIDES, Example
from crossexam.language.parsing.constituency import parsed_from_parse
from crossexam.language.parsing.parsers import PARSERS, parsed_from_doc, resolve_parser
from made.cases import each_row, refused
from made.parses import check_tree, written


def _doc(spec: str) -> Any:
    """Return a spaCy Doc of pieces ``word|tag|label|head``."""
    pytest.importorskip("spacy")
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

    words, tags, labels, heads = zip(*(piece.split("|") for piece in spec.split()), strict=True)
    return Doc(Vocab(), [*words], tags=[*tags], deps=[*labels], heads=[int(head) for head in heads])


@each_row
def test_labels_of_pipelines_become_universal_ones(spec: str, expected: str) -> None:
    assert written(parsed_from_doc(_doc(spec))) == expected


PARSE = "(S (NP (NNS Cats)) (VP (VBP chase) (NP (NNS mice))))"


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
    """A pipeline of spaCy that was not trained."""
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
            check_tree(parsed)


def test_auto_falls_back_on_the_pipeline_of_the_tagger(
    untrained: Path, tmp_path: Path, pipeline_in: Callable[..., str]
) -> None:
    parser = resolve_parser("auto", f"spacy:{untrained}")
    assert parser.parsed(PAIRS[0], "premise") == parsed_from_parse("Cats chase mice", PARSE)
    assert parser.parsed(PAIRS[0], "hypothesis") is not None
    assert parser.name.startswith("corpus-parses+spacy:en_")
    pipeline = pipeline_in(tmp_path / "tags", tags="NN NNS JJ VBZ VBD DT IN")  # without a parser
    assert "has no parser" in refused(resolve_parser, pipeline)
    assert resolve_parser("auto", pipeline).parsed(PAIRS[0], "hypothesis") is None
