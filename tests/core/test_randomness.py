"""What is drawn depends on the seed and on all of what it is drawn for, and on nothing else."""

from itertools import product

from crossexam.core.example import Example
from crossexam.core.randomness import drawn_order, rng_for


def test_each_seed_and_each_part_draw_differently() -> None:
    keys = [*product((0, 1), ("antonymy", "negation"), ("a", "b"))]
    drawn = {key: rng_for(*key).random() for key in keys}
    assert len(set(drawn.values())) == len(keys)
    assert drawn == {key: rng_for(*key).random() for key in reversed(keys)}
    assert rng_for(0, "a", "b").random() != rng_for(0, "ab").random()


def test_the_order_of_a_draw_depends_on_texts_alone() -> None:
    pool = [Example(str(k), f"Premise {k}.", "Hypothesis.", None) for k in range(12)]
    order = [pool[k].premise for k in drawn_order(pool, 0)]
    assert sorted(order) == sorted(each.premise for each in pool)
    turned = pool[::-1]
    assert [turned[k].premise for k in drawn_order(turned, 0)] == order
    assert [pool[k].premise for k in drawn_order(pool, 1)] != order
