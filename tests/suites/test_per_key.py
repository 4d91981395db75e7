"""--per-key: at most so many items of one word pair, drawn by the seed, signed and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from made_corpora import tagged_pair, write_records

import crossexam as cx
from crossexam.constructions.keys import at_most_per_key, in_one_order, key_of
from crossexam.constructions.table import CONSTRUCTIONS
from crossexam.core.example import Example


def item(k: int, **info: Any) -> Example:
    return Example(f"a:{k}", "p", f"h{k}", "contradiction", info=info)


def kept_of(items: list[Example], seed: int = 0) -> list[Example]:
    return at_most_per_key(items, CONSTRUCTIONS["antonymy"], 2, seed=seed)


def test_each_key_keeps_so_many_items_in_their_order() -> None:
    pairs = ["man/woman", "hot/cold"] * 6 + ["old/new"]
    given = [item(k, pair=pair) for k, pair in enumerate(pairs)]
    both = [item(k, pair=pair) for k, pair in enumerate(["hot/cold", "Cold/hot"] * 3)]
    assert len(kept_of(both)) == 2  # in whichever order
    kept = kept_of(given)
    assert Counter(each.info["pair"] for each in kept) == {"man/woman": 2, "hot/cold": 2, "old/new": 1}
    assert kept == [each for each in given if each in kept]
    assert len({tuple(each.id for each in kept_of(given, seed)) for seed in range(9)}) > 1
    alone = [each for each in given if each.info["pair"] == "hot/cold"]
    assert kept_of(alone) == [each for each in kept if each in alone]


def test_the_suite_is_limited_signed_and_counted() -> None:
    whole, few = (cx.build("antonymy", "builtin:demo", per_key=each) for each in (None, 1))
    (name,) = (name for name in few.datasets if name.startswith("antonymy"))
    pairs = Counter(in_one_order(each.info["pair"]) for each in few.datasets[name])
    assert set(pairs.values()) == {1}
    assert set(pairs) == {in_one_order(each.info["pair"]) for each in whole.datasets[name]}
    entry = few.datasets[name].entry
    assert "|per_key:1|" in (entry.signature or "")
    assert "per_key" not in (whole.datasets[name].entry.signature or "")
    yields = entry.yields or {}
    assert yields["items"] == len(pairs) == entry.rows
    assert yields["rejected"]["not drawn (--per-key)"] == len(whole.datasets[name]) - len(pairs)
    assert few.manifest["request"]["per_key"] == 1
    assert "per_key" not in whole.manifest["request"]


def test_every_item_states_the_declared_key(for_each: Callable[..., None], tmp_path: Path) -> None:
    """A misspelt field would leave every item without a key."""
    chase = "(S (NP (DT A) (NN boy)) (VP (VBZ chases) (NP (DT a) (NN nun))))"  # the demo has nothing like it
    chases = write_records(tmp_path / "chases.jsonl", [tagged_pair(0, "neutral", chase, "It/PRP rains/VBZ")])
    bases = {"so_swap_plausible": str(chases)}

    def check(name: str) -> None:
        built = cx.build(name, bases.get(name, "builtin:demo[:60]"))
        made = [each for dataset in built if dataset.entry.construction == name for each in dataset]
        assert made
        assert all(key_of(each, CONSTRUCTIONS[name]) for each in made)

    for_each(check, [name for name, each in CONSTRUCTIONS.items() if each.key])


def test_several_fields_make_one_key(refused: Callable[..., str]) -> None:
    whole = item(1, adjective="old", nouns=["cat", "dog"])
    assert key_of(whole, CONSTRUCTIONS["add_amod"]) == "old, cat/dog"
    assert key_of(item(1, adjective="old"), CONSTRUCTIONS["add_amod"]) is None
    assert key_of(whole, CONSTRUCTIONS["negation"]) is None
    said = refused(cx.build, "negation", "builtin:demo", per_key=1)
    assert "no items of 'negation' have a key" in said
    assert "per_key" in refused(cx.build, "antonymy", "builtin:demo", per_key=0)
