"""--per-key: at most so many items of one word pair, drawn by the seed, signed and counted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import crossexam as cx
from crossexam.constructions.keys import at_most_per_key, in_one_order, key_of
from crossexam.constructions.table import CONSTRUCTIONS
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example

ANTONYMY = CONSTRUCTIONS["antonymy"]


def items(pairs: list[str]) -> list[Example]:
    return [
        Example(f"a:{k}", "p", f"h{k}", "contradiction", info={"pair": pair}) for k, pair in enumerate(pairs)
    ]


def test_each_key_keeps_so_many_items_in_their_order() -> None:
    given = items(["man/woman", "hot/cold"] * 6 + ["old/new"])
    both = at_most_per_key(items(["hot/cold", "Cold/hot"] * 3), ANTONYMY, 2, seed=0)
    assert len(both) == 2  # in whichever order
    kept = at_most_per_key(given, ANTONYMY, 2, seed=0)
    assert Counter(item.info["pair"] for item in kept) == {"man/woman": 2, "hot/cold": 2, "old/new": 1}
    assert [item.id for item in kept] == [item.id for item in given if item in kept]
    drawn = {tuple(item.id for item in at_most_per_key(given, ANTONYMY, 2, seed)) for seed in range(9)}
    assert len(drawn) > 1
    alone = at_most_per_key([item for item in given if item.info["pair"] == "hot/cold"], ANTONYMY, 2, seed=0)
    assert alone == [item for item in kept if item.info["pair"] == "hot/cold"]


def test_the_suite_is_limited_signed_and_counted(tmp_path: Path) -> None:
    whole = cx.build("antonymy", "builtin:demo")
    few = cx.build("antonymy", "builtin:demo", per_key=1, folder=tmp_path)
    (name,) = (name for name in few.datasets if name.startswith("antonymy"))
    pairs = Counter(in_one_order(item.info["pair"]) for item in few.datasets[name])
    assert set(pairs.values()) == {1}
    assert set(pairs) == {in_one_order(item.info["pair"]) for item in whole.datasets[name]}
    entry = few.datasets[name].entry
    assert "|per_key:1|" in (entry.signature or "")
    assert "per_key" not in (whole.datasets[name].entry.signature or "")
    yields = entry.yields or {}
    assert yields["items"] == len(pairs) == entry.rows
    assert yields["rejected"]["not drawn (--per-key)"] == len(whole.datasets[name]) - len(pairs)
    assert few.manifest["request"]["per_key"] == 1
    assert "per_key" not in whole.manifest["request"]
    with pytest.raises(CrossexamError, match="--per-key"):
        cx.build("antonymy", "builtin:demo", per_key=2, folder=tmp_path)


def test_a_suite_without_keys_refuses_it() -> None:
    with pytest.raises(CrossexamError, match="no items of 'negation' have a key"):
        cx.build("negation", "builtin:demo", per_key=1)
    with pytest.raises(CrossexamError, match="per_key"):
        cx.build("antonymy", "builtin:demo", per_key=0)


@pytest.mark.parametrize("name", [name for name, each in CONSTRUCTIONS.items() if each.key])
def test_every_item_states_the_declared_key(name: str) -> None:
    """A misspelt field would leave every item without a key."""
    built = cx.build(name, "builtin:demo")
    made = [item for each in built if each.entry.construction == name for item in each]
    assert made
    assert all(key_of(item, CONSTRUCTIONS[name]) for item in made)


def test_several_fields_make_one_key() -> None:
    item = Example("a", "p", "h", "neutral", info={"adjective": "old", "nouns": ["cat", "dog"]})
    assert key_of(item, CONSTRUCTIONS["add_amod"]) == "old, cat/dog"
    assert (
        key_of(Example("a", "p", "h", "neutral", info={"adjective": "old"}), CONSTRUCTIONS["add_amod"])
        is None
    )
    assert key_of(item, CONSTRUCTIONS["negation"]) is None
