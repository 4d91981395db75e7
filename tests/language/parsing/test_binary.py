"""Binary parses: from dependencies, and after the edits of constructions."""

from pathlib import Path
from typing import Any

import pytest

from crossexam.core.example import BINARY_PARSE_KEY, Change, Edit, Example, apply_edits
from crossexam.language.parsing.binary import (
    binary_from_dependencies,
    binary_tree,
    derived_parses,
    edited_parse,
    located_tree,
)
from crossexam.language.parsing.constituency import parsed_from_parse
from crossexam.language.parsing.parsers import TreeParser
from crossexam.language.tokens import Parsed, Token
from made.cases import each_row

SENTENCE = "The tall man (a cook) is feeding two pigeons in a park."
PARSE = (
    "( ( ( The ( tall man ) ) ( -LRB- ( ( a cook ) -RRB- ) ) ) "
    "( ( is ( ( feeding ( two pigeons ) ) ( in ( a park ) ) ) ) . ) )"
)


def edit(old: str, new: str, sentence: str = SENTENCE) -> Edit:
    start = sentence.index(old)
    return Edit("premise", start, start + len(old), old, new)


def after(*edits: Edit, sentence: str = SENTENCE, parse: str = PARSE) -> str | None:
    """The parse after *edits*, which must fit the edited text."""
    found = edited_parse(parse, sentence, edits)
    if found is not None:
        assert located_tree(apply_edits(sentence, edits, "premise"), found) is not None
    return found


def test_what_follows_from_edits() -> None:
    for made, expected in EDITS:
        assert after(made) == (None if expected is None else PARSE.replace(*expected))
    assert edited_parse(PARSE, "It rains.", [Edit("premise", 0, 2, "It", "He")]) is None
    for broken in ("( A man", "A man", "( A tall man )", ") A ("):
        assert binary_tree(broken) is None


# An edit, and what becomes what in the parse; None if there is no parse after it.
EDITS = [
    (edit("tall", "short"), ("tall", "short")),
    (Edit("premise", 14, 15, "a", "an"), ("( a cook )", "( an cook )")),
    (edit("tall", "very tall"), ("( tall man )", "( very ( tall man ) )")),
    (Edit("premise", 9, 9, "", "old "), ("( tall man )", "( tall ( old man ) )")),
    (edit("The tall man (a cook) is", "is The tall man (a cook)"), None),  # another order
    (Edit("premise", 0, 0, "", "A dog barks at the gate. "), None),  # not one clause
    (edit("two ", ""), None),
    (edit("feeding", "feed(ing"), None),  # a bracket within a leaf
]


@each_row
def test_edits_of_whole_sentences(sentence: str, parse: str, edits: list[list[Any]], expected: str) -> None:
    """Phrases that change places take their trees along, and a clause is joined with all before it."""
    made = [Edit("premise", *each) for each in edits]
    assert after(*made, sentence=sentence, parse=parse) == expected


def test_an_item_may_start_from_the_other_side_of_its_base() -> None:
    base = Example("a", SENTENCE, "It rains.", None, info={BINARY_PARSE_KEY["premise"]: PARSE})
    change = Change("x.v1", "premise", "premise", (Edit("hypothesis", 4, 8, "tall", "short"),))
    item = base.derive("contradiction", change)
    assert derived_parses(item, base) == {"premise": PARSE, "hypothesis": PARSE.replace("tall", "short")}
    assert derived_parses(base, base) == {}


@each_row
def test_dependencies_are_binarised_as_the_corpus_binarises(sentence: str, parse: str, binary: str) -> None:
    assert binary_from_dependencies(parsed_from_parse(sentence, parse)) == binary


def test_dependencies_that_cross_have_no_tree() -> None:
    tokens = tuple(Token(word, k, k + 1, "NN") for k, word in enumerate("abcd"))
    assert binary_from_dependencies(Parsed(tokens, (-1, 3, 0, 0), ("root", "dep", "dep", "dep"))) is None
    assert binary_from_dependencies(Parsed(tokens[:2], (1, 0), ("dep", "dep"))) is None  # a cycle
    two = Parsed(tokens, (-1, 0, -1, 2), ("root", "dep", "root", "dep"))
    assert binary_from_dependencies(two) == "( ( a b ) ( c d ) )"


def test_a_pipeline_completes_parses(shared_data: Path) -> None:
    pytest.importorskip("spacy")
    parser = TreeParser(str(shared_data / "spacy" / "en_ewt_small"))
    kept = Example("a", "It rains", "A man sleeps.", None, info={BINARY_PARSE_KEY["premise"]: "( It rains )"})
    (first,) = parser.completed([kept])
    assert first.info[BINARY_PARSE_KEY["premise"]] == "( It rains )"
    assert first.info[BINARY_PARSE_KEY["hypothesis"]] == "( ( A man ) ( sleeps . ) )"
