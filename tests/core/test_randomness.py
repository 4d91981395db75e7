"""What is drawn depends on the seed and on all of what it is drawn for, and on nothing else."""

from __future__ import annotations

from itertools import product

from crossexam.core.example import Example
from crossexam.core.randomness import SeededOnUse, drawn_order, rng_for


def test_each_seed_and_each_part_draw_differently() -> None:
    keys = [*product((0, 1), ("antonymy", "negation"), ("a", "b"))]
    drawn = {key: rng_for(*key).random() for key in keys}
    assert len(set(drawn.values())) == len(keys)
    assert drawn == {key: rng_for(*key).random() for key in reversed(keys)}
    assert rng_for(0, "a", "b").random() != rng_for(0, "ab").random()


def test_a_generator_that_is_aimed_draws_what_one_of_its_own_does() -> None:
    chance = SeededOnUse()
    for seed, part in product((0, 1), ("a", "b")):
        there, here = list(range(20)), list(range(20))
        chance.aim(seed, "antonymy", part)
        own = rng_for(seed, "antonymy", part)
        chance.shuffle(there)
        own.shuffle(here)
        assert there == here
        assert [chance.random(), chance.randint(1, 9), chance.choice("abc")] == [
            own.random(), own.randint(1, 9), own.choice("abc"),
        ]  # fmt: skip


def test_the_order_of_a_draw_depends_on_texts_alone() -> None:
    pool = [Example(str(k), f"Premise {k}.", "Hypothesis.", None) for k in range(12)]
    order = [pool[k].premise for k in drawn_order(pool, 0)]
    assert sorted(order) == sorted(each.premise for each in pool)
    turned = pool[::-1]
    assert [turned[k].premise for k in drawn_order(turned, 0)] == order
    assert [pool[k].premise for k in drawn_order(pool, 1)] != order
