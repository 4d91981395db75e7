"""Word shuffling: which words move, and what stays."""

from crossexam.core.example import Example
from made.items import made_by


def test_every_other_order_can_be_drawn_and_the_old_one_never() -> None:
    def drawn(premise: str, hypothesis: str, name: str = "word_shuffle_hypothesis") -> set[tuple[str, str]]:
        pair = Example("a", premise, hypothesis, "neutral")
        items, _ = made_by(name, pair, seeds=range(200))
        return {(item.premise, item.hypothesis) for item in items}

    assert drawn("p", "Birds walk!") == {("p", "walk Birds!")}
    orders = drawn("p", "red green blue")
    assert len(orders) == 3 * 2 * 1 - 1
    assert ("p", "red green blue") not in orders
    assert drawn("Rain falls.", "Snow melts.", "word_shuffle") == {("falls Rain.", "melts Snow.")}
    assert drawn("Rain falls.", "Rain.", "word_shuffle") == {("falls Rain.", "Rain.")}  # one side is enough
    for sentence in ("Rain.", "", "!!", "no no no."):  # there is no other order
        assert drawn("It rains.", sentence) == set()
