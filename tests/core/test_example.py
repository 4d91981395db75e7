"""The record of a change and the text agree, whatever the edits; keys of ``info`` are spelt once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import crossexam
from crossexam.core import example as example_module
from crossexam.core.example import (
    BINARY_PARSE_KEY,
    PARSE_KEY,
    STATUSES,
    TAGS_KEY,
    Change,
    Edit,
    Example,
    apply_edits,
    located_in_result,
    undo_edits,
)

WORDS = st.sampled_from(["a", "the", "dog", "cold", "runs", "isn't", "naïve", "—", "3,000", "“so”"])
SENTENCES = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    sentence = draw(SENTENCES)
    cuts = sorted(draw(st.lists(st.integers(0, len(sentence)), max_size=6)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))
    kept = [span for i, span in enumerate(spans) if i == 0 or span[0] > spans[i - 1][1]]
    return sentence, [Edit("premise", a, b, sentence[a:b], draw(SENTENCES)) for a, b in kept]


@given(edited())
def test_undoing_gives_the_sentence_back(case: tuple[str, list[Edit]]) -> None:
    sentence, edits = case
    result = apply_edits(sentence, edits, "premise")
    assert undo_edits(result, edits, "premise") == sentence
    for edit in located_in_result(edits, "premise"):
        assert result[edit.start : edit.end] == edit.old


@given(edited())
def test_the_other_side_is_untouched(case: tuple[str, list[Edit]]) -> None:
    sentence, edits = case
    assert apply_edits(sentence, edits, "hypothesis") == sentence


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ([Edit("premise", 0, 3, "cat", "x")], "are not 'cat'"),
        ([Edit("premise", 0, 3, "dog", "x"), Edit("premise", 2, 4, "g r", "y")], "overlap"),
        ([Edit("premise", 3, 2, "", "x")], "are not ''"),
    ],
)
def test_an_edit_that_does_not_fit_is_an_error(edits: list[Edit], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        apply_edits("dog runs", edits, "premise")


def test_deriving_keeps_what_is_known_and_drops_the_parse() -> None:
    base = Example("b", "It rains.", "It is wet.", "neutral", info={"genre": "talk", "premise_parse": "(S)"})
    item = base.derive("neutral", Change("negation.v1", "premise", "hypothesis", ()), info={"how": "so"})
    assert item.id == "negation:b"
    assert dict(item.info) == {"genre": "talk", "how": "so", "cluster": item.info["cluster"]}


def test_examples_of_one_premise_share_a_cluster() -> None:
    change = Change("negation.v1", "premise", "hypothesis", ())
    one = Example("1", "It rains.", "It is wet.", None).derive(None, change)
    two = Example("2", "It rains.", "It snows.", None).derive(None, change)
    other = Example("3", "It snows.", "It is wet.", None).derive(None, change)
    assert one.info["cluster"] == two.info["cluster"] != other.info["cluster"]


# The keys of `info`

SOURCE = Path(crossexam.__file__).parent
KEYS = {value for name, value in vars(example_module).items() if name.isupper() and isinstance(value, str)}
KEYS -= set(STATUSES)
KEYS |= {key for keys in (PARSE_KEY, BINARY_PARSE_KEY, TAGS_KEY) for key in keys.values()}


def _is_info(node: ast.AST) -> bool:
    return (isinstance(node, ast.Attribute) and node.attr == "info") or (
        isinstance(node, ast.Name) and node.id == "info"
    )


def _spelt_out(node: ast.AST | None) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield ast.unparse(node)


def _literal_keys(tree: ast.AST) -> Iterator[str]:
    """Yield the literals by which keys of ``info`` are read, and those by which known ones are written."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and _is_info(node.value):
            yield from _spelt_out(node.slice)
        elif (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_info(node.func.value)
        ):
            yield from (key for argument in node.args[:1] for key in _spelt_out(argument))
        elif isinstance(node, ast.Compare) and _is_info(node.comparators[0]):
            yield from _spelt_out(node.left)
        written = None
        if isinstance(node, ast.keyword) and node.arg == "info":
            written = node.value
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            written = node.value if any(map(_is_info, targets)) else None
        if isinstance(written, ast.Dict):
            yield from (key for each in written.keys for key in _spelt_out(each) if key in KEYS)


def test_the_check_of_keys_sees_every_way_to_spell_one() -> None:
    code = """
item.info["seen"]; item.info.get("seen"); "seen" in item.info; item.info[f"{side}_tags"]
info["seen"] = True
info = {"seen": True, "of no concern": True}
info |= {"seen": True}
Example(info={**more, "seen": True})
item.info[SEEN]; other["seen"]; {"seen": True}
"""
    assert list(_literal_keys(ast.parse(code))).count("seen") == 7
    assert set(_literal_keys(ast.parse(code))) == {"seen", "f'{side}_tags'"}


@pytest.mark.parametrize(
    "path", sorted(SOURCE.rglob("*.py")), ids=lambda path: path.relative_to(SOURCE).as_posix()
)
def test_keys_of_info_are_constants(path: Path) -> None:
    name = path.relative_to(SOURCE).as_posix()
    if name != "core/example.py":
        found = set(_literal_keys(ast.parse(path.read_text(encoding="utf-8"))))
        assert not found, f"use the constants of core/example.py in {name}"
