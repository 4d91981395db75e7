"""The table of the kinds of antonyms is sound, and apart from what the rules of antonymy take from it."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files

from crossexam.language.lexicons.antonym_kinds import ANTONYM_KINDS, antonym_kind, are_ends, are_opposed

TABLE = files("crossexam.language.lexicons").joinpath("antonym_kinds.tsv").read_text("utf-8")
ROWS = [line.split("\t") for line in TABLE.splitlines() if not line.startswith("#")]


def test_every_pair_has_one_kind_and_is_in_order() -> None:
    assert all(one < other for one, other, *_ in ROWS)
    assert len({(one, other) for one, other, *_ in ROWS}) == len(ROWS)
    assert {kind for _, _, kind, *_ in ROWS} == set(ANTONYM_KINDS) - {"unknown"}
    assert {rule for row in ROWS for rule in row[3:]} == {"opposed", "ends"}


def test_the_kind_is_that_of_either_order_and_does_not_make_the_rules_trust_a_pair(
    each_case: Callable[..., None],
) -> None:
    def check(one: str, other: str, kind: str) -> None:
        assert antonym_kind(one, other) == antonym_kind(other, one) == kind

    each_case(check)
    # Supply and demand are the two sides of a relation, and both are there at once.
    assert (are_opposed("supply", "demand"), are_ends("supply", "demand")) == (False, False)
    assert (are_opposed("wife", "husband"), are_ends("wife", "husband")) == (True, True)
    assert (are_opposed("increase", "decrease"), are_ends("increase", "decrease")) == (True, False)
