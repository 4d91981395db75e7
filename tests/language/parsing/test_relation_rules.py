"""Each row of the table of relations decides in its own parse, and is needed there."""

from typing import Any

import pytest

from crossexam.language.parsing import relation_rules
from crossexam.language.parsing.constituency import attached
from crossexam.language.parsing.relation_rules import RELATIONS, Row
from crossexam.language.parsing.trees import parse_tree
from made.cases import for_each


def _decided(row: Row) -> Any:
    tree = parse_tree(row.parse)
    (leaf,) = [k for k, (_, word) in enumerate(tree.leaves()) if word == row.word]
    return attached(tree)[1][leaf]


def test_rows_of_relations(monkeypatch: pytest.MonkeyPatch) -> None:
    """The row decides about the word of its parse; without it, the word has another relation, or none."""
    rows_for = relation_rules._rows_for
    monkeypatch.setattr(relation_rules, "_rows_for", rows_for.__wrapped__)  # type: ignore[attr-defined]
    none = Row("none", "", "", "", None, "", "", "")

    def check(row: Row) -> None:
        assert row.why
        assert _decided(row) is row
        with monkeypatch.context() as patch:
            others = [each for each in RELATIONS if each is not row]
            patch.setattr(relation_rules, "RELATIONS", [*others, none])
            assert _decided(row).relation != row.relation

    for_each(check, [(row,) for row in RELATIONS])
