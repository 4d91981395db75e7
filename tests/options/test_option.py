"""Classes of options: what their fields say, and how the command line and the library read them."""

from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Literal

from crossexam.cli.command import Verb
from crossexam.cli.main import VALIDATE, VERBS
from crossexam.core.places import url_of
from crossexam.options.groups import ReadFrom
from crossexam.options.option import (
    Count,
    NumberOrAuto,
    Option,
    argument,
    checked_options,
    option,
    options_of,
    read_options,
    several,
    switch,
)
from made.cases import for_each, refused


@dataclass(frozen=True)
class Cook:
    """Cook a dish."""

    dish: str = argument("DISH", "What to cook.")
    limit: Count | None = option("As many.")
    fast: bool = switch("Be fast.")
    size: NumberOrAuto = option("The size.", default="auto")
    heat: float = option("The heat.", default=0.5)
    style: Literal["raw", "done"] = option("The style.", default="done")
    salt: tuple[int, ...] = several("Grains. Repeatable.", "--salt", "-s")
    output: ReadFrom = option("Where it goes. Or stays.", "-o", "--output", takes="DIR", required=True)


def given(**values: Any) -> Cook:
    return read_options(Cook, {"dish": "soup", "output": ["x"], **values})


def test_texts_are_read_by_the_type_of_the_field() -> None:
    assert given() == Cook(dish="soup", output=Path("x"))
    full = given(limit=["2", "2"], size=["7"], heat=["1e-1"], style=["raw"], salt=["1", "2"], fast=True)
    assert full == Cook("soup", 2, True, 7, 0.1, "raw", (1, 2), Path("x"))
    assert url_of(given(output=["s3://bucket/suite"]).output) == "s3://bucket/suite"


def test_what_is_wrong_with_a_text_or_an_argument_is_said() -> None:
    for name, text, said in (
        ("limit", "0", "--limit is '0'\n  wanted: a whole number above 0"),
        ("size", "big", "--size is 'big'\n  wanted: auto or a whole number above 0"),
        ("heat", "nan", "--heat is 'nan'\n  wanted: a number"),
    ):
        assert refused(given, **{name: [text]}) == said
    assert refused(given, limit=["2", "3"]) == "--limit is given twice\n  wanted: either '2' or '3'"
    assert "-o DIR" in refused(read_options, Cook, {"dish": "soup"})
    # arguments of the library are taken as they are
    assert checked_options(Cook, limit=2, size="auto", salt=[1], dish=None) == Cook(limit=2, salt=(1,))
    for name, value, said in (
        ("limit", "2", "limit is '2'\n  wanted: a whole number above 0"),
        ("fast", 1, "fast is 1\n  wanted: True or False"),
        ("dish", 3, "dish is 3\n  wanted: What to cook."),
    ):
        assert refused(checked_options, Cook, **{name: value}) == said
    assert "did you mean 'style'" in refused(checked_options, Cook, stile="raw")


def test_every_option_is_written_in_one_way() -> None:
    def check(cls: type) -> None:
        options: list[Option] = list(options_of(cls).values())
        flags = [flag for each in options for flag in each.flags]
        assert len(flags) == len(set(flags))
        assert all(each.help.endswith((".", "?")) for each in options)

    verbs = [each for each in (*VERBS.values(), *VALIDATE.values()) if isinstance(each, Verb)]
    for_each(check, [resolve_name(each.options) for each in verbs])
