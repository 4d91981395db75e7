"""Runs of two models over a base and a test set that is paired with a part of it, drawn by Hypothesis."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from hypothesis import settings
from hypothesis import strategies as st

from crossexam.core.dataset import Dataset, Run
from made.runs import dataset, run_of

#: The same examples in every run, few of them, however long one takes.
few = settings(derandomize=True, max_examples=25, deadline=None)


class Item(NamedTuple):
    """An item, and its base: gold labels (None for none), and what two models answer (None for nothing)."""

    premise: int
    gold: int | None
    base_gold: int | None
    has_base: bool
    answers: tuple[int | None, int | None]
    base_answers: tuple[int | None, int | None]


_answer = st.one_of(st.integers(0, 2), st.integers(0, 2), st.none())
_item = st.builds(
    Item,
    st.integers(0, 4),
    _answer,
    _answer,
    st.booleans(),
    st.tuples(_answer, _answer),
    st.tuples(_answer, _answer),
)
items = st.lists(_item, min_size=1, max_size=14)
#: A base of which one item is in no pair, and is the only one that is wrong.
UNPAIRED = [Item(0, 0, 0, True, (0, 0), (0, 0)), Item(1, 1, 1, False, (1, 1), (2, 1))]
NO_ANSWER = [Item(0, 0, 0, True, (None, 0), (0, None)), Item(0, 1, 1, True, (1, 2), (1, 1))]
#: A change of names that has to leave all numbers as they are.
Renaming = Callable[[int], Any]


def run(
    given_items: Sequence[Item],
    model: int = 0,
    *,
    turned: Sequence[int] = (0, 1, 2),
    cluster: Renaming = str,
    order: Sequence[int] | None = None,
) -> Run:
    """Return the run of one of the two models, with 0.8 for the label that it predicts.

    The test set is paired with those items of the base that have one.
    """
    placed = [given_items[k] for k in order or range(len(given_items))]

    def letters(numbers: Iterable[int | None], nothing: str) -> str:
        return "".join(nothing if number is None else "ENC"[turned[number]] for number in numbers)

    def test_set(name: str, golds: Iterable[int | None], **facts: Any) -> Dataset:
        premises = [each.premise for each in given_items]
        info = [{"cluster": cluster(each)} for each in premises]
        made = dataset(name, letters(golds, "-"), info=info, premises=premises, **facts)
        return replace(made, examples=tuple(made.examples[k] for k in order or range(len(made))))

    bases = [f"base:{k}" if each.has_base else None for k, each in enumerate(given_items)]
    base = test_set("base.dev", (each.base_gold for each in given_items))
    paired = test_set("negation.dev", (each.gold for each in given_items), base="base.dev", bases=bases)
    said = {
        base.name: letters((each.base_answers[model] for each in placed), "?"),
        paired.name: letters((each.answers[model] for each in placed), "?"),
    }
    return run_of(said, base, paired, model=f"model {model}", sure=0.8)
