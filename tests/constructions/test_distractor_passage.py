"""A distracting passage is of another cluster, says nothing of the hypothesis, and is of the base."""

from collections import Counter

from crossexam.constructions.apply import apply_construction
from crossexam.constructions.passages import Passages
from crossexam.constructions.resources import LanguageResources
from crossexam.core.example import Example
from crossexam.suites.bases import base_from_examples
from crossexam.suites.build import build_in_memory
from crossexam.suites.table import suite_request
from made.items import made_by

TOWNS = ["Arles", "Bonn", "Cadiz", "Delft", "Exeter", "Faro", "Ghent", "Hull", "Izmir", "Jena"]
BASE = [
    Example(f"{town}{k}", f"{town} has a port. Ships call at {town}.", f"Case {k} is odd.", "neutral")
    for town in TOWNS
    for k in range(8)
]


def test_a_passage_is_of_another_cluster_and_stands_anywhere() -> None:
    items, counts = apply_construction("distractor_passage", BASE)
    bases = {example.id: example for example in BASE}
    assert (len(items), counts["rejected"]) == (len(BASE), {})
    places = Counter(item.info["place"] for item in items)
    for item in items:
        base, place = bases[item.base or ""], item.info["place"]
        parts = item.premise.split("\n\n")
        added = [part for part in parts if part != base.premise]
        assert parts.index(base.premise) == (0 if place == "after" else 1)
        assert len(set(added)) == len(added) == (2 if place == "around" else 1)
        assert all(base.premise.split()[0] not in passage for passage in added)
    assert set(places) == {"before", "after", "around"}
    assert min(places.values()) > len(BASE) / 6


def test_a_passage_with_the_words_of_the_hypothesis_or_of_the_cluster_is_not_used() -> None:
    mine = Example("a", "It rains here. It is wet.", "Bonn exports small bells.", "neutral")
    decides = Example("b", "In BONN they make bells. All are large.", "h", None)  # two of four content words
    apart = Example("c", "Bonn is far. Nobody went.", "h", None)  # one of four
    items, rejected = made_by("distractor_passage", mine, decides, place="after")
    assert [item.base for item in items] == ["b"]
    assert rejected == {"too few unrelated passages of other items": 1}
    (first, *_), _ = made_by("distractor_passage", mine, decides, apart, place="after")
    assert first.premise == f"{mine.premise}\n\n{apart.premise}"


def test_passages_are_those_of_the_base_at_hand() -> None:
    resources = LanguageResources()
    for base in (BASE[:40], BASE[40:]):
        items, _ = apply_construction("distractor_passage", base, resources=resources)
        towns = {example.premise.split()[0] for example in base}
        assert {part.split()[0] for item in items for part in item.premise.split("\n\n")} == towns
    suite = build_in_memory(suite_request("documents", [base_from_examples(BASE)]))
    made = suite["distractor_passage.examples"]
    assert f"|passages:{Passages.of(BASE).name}|" in str(made.entry.signature)
