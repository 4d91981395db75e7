"""``--set FIELD=VALUE``: what each type accepts, and what errors say, for the three things it is used for."""

from collections.abc import Callable
from dataclasses import dataclass, field, make_dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from crossexam.core.errors import CrossexamError
from crossexam.core.settings import Settings, Within, as_kind, grid, parse_assignments, with_options
from made.cases import refused


@dataclass(frozen=True)
class Recipe:
    """As of a training."""

    learning_rate: float = 0.1
    epochs: int = 3
    clip: float | None = 5.0
    widths: tuple[int, ...] = (1, 3)
    schedule: Literal["constant", "plateau"] = "constant"
    least: int = 1
    most: int = 9

    def __post_init__(self) -> None:
        if self.epochs < 1:
            raise ValueError("'epochs' must be at least 1")
        if self.least > self.most:
            raise CrossexamError("'least' is greater than 'most'", wanted="least <= most")


@dataclass(frozen=True)
class Antonymy:
    """As of a construction."""

    as_published: bool = False
    adjectives: Path | None = None
    without: tuple[str, ...] = ()
    derived: int = field(default=0, init=False)


SOSwap = make_dataclass("SOSwap", [("as_published", bool, False)], frozen=True)
Negation = make_dataclass("Negation", [], frozen=True)
TRAINING = Settings({"recipe": Recipe(), "debias": None})
CONSTRUCTIONS = Settings({"antonymy": Antonymy(), "so_swap": SOSwap(), "negation": Negation()})
NOTHING = Settings({"negation": Negation()})
SETTINGS = {"training": TRAINING, "constructions": CONSTRUCTIONS, "nothing": NOTHING}


def test_values_reach_their_parts() -> None:
    changed = TRAINING.with_values({"lr": "4e-4", "recipe.epochs": "7", "widths": "2"}).parts
    assert changed == {"recipe": Recipe(learning_rate=0.0004, epochs=7, widths=(2,)), "debias": None}
    parts = CONSTRUCTIONS.with_values({"antonymy.as_published": "true"}).parts
    assert parts == {**CONSTRUCTIONS.parts, "antonymy": Antonymy(as_published=True)}
    changed = TRAINING.with_values({"least": "20", "most": "30"}).parts  # which are checked together
    assert (changed["recipe"].least, changed["recipe"].most) == (20, 30)
    rule = "a time, additive or comparative word"  # a text with commas is one
    assert with_options(Antonymy(), {"without": rule}, "antonymy").without == (rule,)
    assert CONSTRUCTIONS.with_values({"without": "a,b"}).parts["antonymy"].without == ("a", "b")


# fmt: off
GOOD: list[tuple[Any, Any, Any]] = [
    *((text, bool, text == "YES") for text in ("YES", "0")),
    ("1e-3",          float,                         0.001),
    ("none",          float | None,                  None),
    ("auto",          int | Literal["auto"],         "auto"),
    (np.int64(3),     int,                           3),
    (1,               float,                         1.0),
    ("1,3",           tuple[int, ...],               (1, 3)),
    ("('c', \"n\")",  tuple[str, ...],               ("c", "n")),
]
BAD: list[tuple[Any, Any, str]] = [
    ("maybe",   bool,                          "true or false"),
    ("2.5",     int,                           "a whole number"),
    ("1",       Annotated[int, Within(2)],    "a whole number above 1"),
    ("nan",     float,                         "a number"),
    ("plato",   Literal["constant", "step"],   "constant, step"),
    ("1,x",     tuple[int, ...],               "whole numbers separated by commas"),
    ("c,n",     tuple[str, str, str] | None,   "3 texts separated by commas or none"),
]
# fmt: on


def test_a_value_is_read_by_its_type() -> None:
    read = [(text, kind, as_kind(text, kind, "field")) for text, kind, _ in GOOD]
    assert list(map(repr, read)) == list(map(repr, GOOD))  # 5 is not 5.0


def test_a_value_of_another_type_is_an_error_that_says_what_is_wanted() -> None:
    for value, kind, wanted in BAD:
        said = refused(as_kind, value, kind, "field")
        assert said == f"--set: 'field' cannot be {value!r}\n  wanted: {wanted}"


def test_what_is_wrong_with_settings_is_said(each_case: Callable[..., None]) -> None:
    def check(settings: str, values: dict[str, str], message: str) -> None:
        said = refused(SETTINGS[settings].with_values, values)
        assert said == (message if message.startswith("--set") else f"--set: {message}")

    each_case(check)
    for piece in ("hidden", "hidden=", "=4"):
        assert f"'{piece}' is not an assignment" in refused(parse_assignments, [piece], "--set")
    assert "--sweep: 'lr' is given twice" in refused(grid, ["lr=1", "lr=2"])
