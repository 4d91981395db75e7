"""What is drawn depends on the seed and on all of what it is drawn for, and on nothing else."""

from collections.abc import Callable
from itertools import product
from typing import Any

from crossexam.core.example import Example
from crossexam.core.randomness import SeededOnUse, drawn_order, rng_for


def test_each_seed_and_each_part_draw_differently() -> None:
    keys = [*product((0, 1), ("antonymy", "negation"), ("a", "b"))]
    drawn = {key: rng_for(*key).random() for key in keys}
    assert len(set(drawn.values())) == len(keys)
    assert drawn == {key: rng_for(*key).random() for key in reversed(keys)}
    assert rng_for(0, "a", "b").random() != rng_for(0, "ab").random()


def test_a_generator_that_is_aimed_draws_what_one_of_its_own_does() -> None:
    def shuffled(rng: Any) -> list[int]:
        numbers = list(range(20))
        rng.shuffle(numbers)
        return numbers

    chance = SeededOnUse()
    draws: list[Callable[[Any], object]] = [
        lambda rng: [rng.random(), rng.randint(0, 999)],
        lambda rng: [rng.sample(["swap", "keyboard"], 2) for _ in range(20)],
        lambda rng: rng.randrange(1),
        lambda rng: [rng.gauss() for _ in range(3)],  # made in pairs
        shuffled,
    ]
    for draw, seed, name in product(draws, (0, 7), "ab"):
        chance.aim(seed, "antonymy", name)
        own = rng_for(seed, "antonymy", name)
        assert (draw(chance), chance.random()) == (draw(own), own.random())


def test_the_order_of_a_draw_depends_on_texts_alone() -> None:
    pool = [Example(str(k), f"Premise {k}.", "Hypothesis.", None) for k in range(12)]
    order = [pool[k].premise for k in drawn_order(pool, 0)]
    assert sorted(order) == sorted(each.premise for each in pool)
    turned = pool[::-1]
    assert [turned[k].premise for k in drawn_order(turned, 0)] == order
    assert [pool[k].premise for k in drawn_order(pool, 1)] != order
