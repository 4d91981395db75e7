"""Rules: what they mean, and one clear error with file and line for each mistake."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crossexam.core.errors import CrossexamError
from crossexam.gates.measures import MEASURES
from crossexam.gates.rules import Limit, rules_from

GOOD: dict[str, Any] = {"set": "*", "measure": "accuracy", "min": 0.6}


def test_a_file_of_rules(tmp_path: Path) -> None:
    path = tmp_path / "crossexam.toml"
    path.write_text(
        """
        [[gate]]
        set = "negation.*"
        measure = "accuracy"
        min = 0.6
        max = 0.9

        [[ gate ]]  # against the last release
        set = "*"
        measure = "drop"
        against = "baseline"
        margin = 0.02
        require = "shown"
        """
    )
    one, other = rules_from(path)
    assert one.limits == (Limit("above", 0.6), Limit("below", 0.9))
    assert (one.number, one.where, one.against_baseline, one.must_be_shown) == (
        1, f"{path}, rule that begins in line 2", False, False,
    )  # fmt: skip
    assert other.limits == (Limit("below", 0.02),)  # a drop is worse if it is larger
    assert (other.number, other.where, other.against_baseline, other.must_be_shown) == (
        2, f"{path}, rule that begins in line 8", True, True,
    )  # fmt: skip


@pytest.mark.parametrize("name", MEASURES)
def test_a_margin_limits_what_is_worse(name: str) -> None:
    (rule,) = rules_from([{"set": "*", "measure": name, "against": "baseline", "margin": 0.02}])
    higher = name in {"accuracy", "balanced_accuracy"}
    assert rule.limits == ((Limit("above", -0.02),) if higher else (Limit("below", 0.02),))


WRONG: dict[str, tuple[dict[str, Any], str, str]] = {
    "a key": (GOOD | {"minimum": 0.6}, "no key of a rule is called 'minimum'", "hint: "),
    "a measure": (GOOD | {"measure": "acuracy"}, "'acuracy'", "did you mean 'accuracy'?"),
    "no measure": ({"set": "*", "min": 0.6}, "'measure' is missing", "one of accuracy"),
    "no set": ({"measure": "accuracy", "min": 0.6}, "'set' is missing", "a pattern such as"),
    "a set": (GOOD | {"set": 3}, "'set' is 3", "a pattern such as"),
    "an empty set": (GOOD | {"set": ""}, "'set' is ''", "a pattern such as"),
    "percent": (GOOD | {"min": 60}, "'min' is 60", "60 % is 0.6"),
    "below 0": (GOOD | {"min": -0.1}, r"'min' is -0.1", "from 0 to 1"),
    "nan": (GOOD | {"max": float("nan")}, "'max' is nan", "from 0 to 1"),
    "infinite": (GOOD | {"max": float("inf")}, "'max' is inf", "from 0 to 1"),
    "a truth": (GOOD | {"min": True}, "'min' is True", "from 0 to 1"),
    "a text": (GOOD | {"min": "0.6"}, "'min' is '0.6'", "from 0 to 1"),
    "nothing": ({"set": "*", "measure": "accuracy"}, "the rule limits nothing", "min, max, or against"),
    "a margin": (GOOD | {"margin": 0.1}, "a margin without 'against'", 'against = "baseline"'),
    "no margin": (
        {"set": "*", "measure": "accuracy", "against": "baseline"},
        "'against' needs a margin",
        "such as 0.02",
    ),
    "both": (
        GOOD | {"against": "baseline", "margin": 0.1},
        "'min' or 'max' together with 'against'",
        "neither min nor max",
    ),
    "against what": (GOOD | {"against": "main"}, "'against' is 'main'", '"baseline"'),
    "require": (GOOD | {"require": True}, "'require' is True", '"shown"'),
    "crossed": (GOOD | {"max": 0.5}, "min, 0.6, is above max, 0.5", "at most max"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_one_error_with_its_place(name: str, tmp_path: Path) -> None:
    rule, what, way_out = WRONG[name]
    with pytest.raises(CrossexamError) as caught:
        rules_from([GOOD, rule])
    first, *others = str(caught.value).splitlines()
    assert first.startswith("rule 2: ")
    assert what in first
    assert any(way_out in line for line in others)


def test_an_error_names_the_line_of_the_table(tmp_path: Path) -> None:
    path = tmp_path / "crossexam.toml"
    path.write_text('[[gate]]\nset = "*"\nmeasure = "accuracy"\nmin = 0.6\n\n[[gate]]\nset = "*"\n')
    with pytest.raises(
        CrossexamError, match=r"crossexam\.toml, rule that begins in line 6: 'measure' is missing"
    ):
        rules_from(path)


def test_an_inline_array_has_rules_by_number(tmp_path: Path) -> None:
    path = tmp_path / "crossexam.toml"
    path.write_text('gate = [{set = "*", measure = "accuracy", min = 60}]')
    with pytest.raises(CrossexamError, match=r"crossexam\.toml, rule 1: 'min' is 60"):
        rules_from(path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no rules are given"),
        ("[[gates]]\n", "no table of rules is called 'gates'"),
        ("gate = 3", "gate is 3"),
        ("gate = [3]", "rule 1: the rule is 3"),
        ("[[gate]\n", "not TOML"),
        ("a = " + "[" * 5_000, "not TOML"),
    ],
)
def test_a_file_without_rules(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "crossexam.toml"
    path.write_text(text)
    with pytest.raises(CrossexamError, match=says) as caught:
        rules_from(path)
    assert caught.value.wanted or caught.value.hint


def test_without_a_file_the_error_shows_a_line_that_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CrossexamError, match=r"crossexam\.toml: no such file") as caught:
        rules_from(None)
    (tmp_path / "crossexam.toml").write_text(str(caught.value.hint).partition("is enough: ")[2])
    assert len(rules_from(None)) == 1
