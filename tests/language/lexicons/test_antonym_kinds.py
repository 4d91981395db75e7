"""Kinds of antonyms, apart from what the rules of antonymy take from the table."""

from collections.abc import Callable

from crossexam.language.lexicons.antonym_kinds import antonym_kind, are_ends, are_opposed


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
