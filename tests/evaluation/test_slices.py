"""Slices by values of items: which items are in each."""

from collections.abc import Mapping, Sequence
from typing import Any

from crossexam.evaluation.measures import measure
from crossexam.evaluation.slices import accuracy_by_value
from made.cases import refused
from made.runs import dataset, run_of


def slices(golds: str, answers: str, info: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the share of right answers and the number of items, by property and value."""
    (result,) = measure(run_of({"base.x": answers}, dataset("base.x", golds, info=info)))
    return {
        name: {value: (each.value, each.n) for value, each in found.items()}
        for name, found in result.slices.items()
    }


def test_items_are_in_the_slice_of_their_own_value() -> None:
    """Booleans are yes and no, lists are spelt out, and items without a value are in none."""
    values = [True, True, True, False, False, None, ["hot", "cold"], "x"]
    info = [{} if value is None else {"is": value} for value in values]
    run = run_of({"base.x": "NNCCCNNC"}, dataset("base.x", "N" * 8, info=info))
    found = accuracy_by_value(run, "is")["base.x"]
    assert {value: (each.value, each.n) for value, each in found.items()} == {
        "yes": (2 / 3, 3), "no": (0.0, 2), "hot/cold": (1.0, 1), "x": (0.0, 1),
    }  # fmt: skip
    empty = run_of({"base.x": "N"}, dataset("base.x", "N", info=[{"is": None}]))
    assert "no item has a value of 'is'" in refused(accuracy_by_value, empty, "is")
    # the slice "phenomenon" is of MED, whose key is "phenomena"; a user's column can be called so, too
    info = [{"phenomena": ["tense", "aspect"], "phenomenon": "x"}, {"phenomenon": "mood"}]
    sets = [dataset(name, "NN", info=[each] * 2) for name, each in zip(("x", "y"), info, strict=True)]
    found = accuracy_by_value(run_of({"x": "NC", "y": "NN"}, *sets), "phenomenon")
    assert {name: sorted(each) for name, each in found.items()} == {"x": ["aspect", "tense"], "y": ["mood"]}


def test_slices_come_from_the_table() -> None:
    info = [
        {"genre": "fiction", "pair": ["hot", "cold"], "question": True},
        {"genre": "travel", "pair": ["hot", "cold"], "question": False},
    ] * 5 + [{"genre": "travel", "pair": "big/small"}]
    found = slices("CCCCCCCCCCE", "CECECECECEE", info)
    assert list(found) == ["gold", "genre", "pair", "question"]
    assert found["genre"] == {"travel": (1 / 6, 6), "fiction": (1.0, 5)}
    assert found["pair"] == {"hot/cold": (0.5, 10), "(other)": (1.0, 1)}  # of fewer than 5 items
    assert found["question"] == {"yes": (1.0, 5), "no": (0.0, 5)}
    assert found["gold"]["entailment"] == (1.0, 1)


def test_an_item_counts_under_each_of_its_tags() -> None:
    tags = ["Negation"], ["Negation", "Universal", "Negation"], None, "Universal"
    found = slices("CCCC", "CEEE", [{"logic": each} if each else {} for each in tags])
    # Negation: the first two, one of them right; Universal: the second and the fourth, both wrong
    assert found["logic"] == {"Negation": (1 / 2, 2), "Universal": (0.0, 2)}


def test_two_properties_divide_the_items_together() -> None:
    info = [{"heuristic": name} for name in ("a", "a", "b", "b", "b")] + [{}]
    # a/E and a/C are right, of the two b/E one is, b/C is not; the last item has no heuristic
    assert slices("ECEECE", "ECCEEC", info)["heuristic and gold"] == {
        "a/entailment": (1.0, 1),
        "a/contradiction": (1.0, 1),
        "b/entailment": (1 / 2, 2),
        "b/contradiction": (0.0, 1),
    }
