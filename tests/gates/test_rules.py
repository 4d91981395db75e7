"""Rules: what they mean, and one clear error with file and line for each mistake."""

from pathlib import Path
from typing import Any

import pytest

from crossexam.core.errors import CrossexamError
from crossexam.gates.measures import MEASURES
from crossexam.gates.rules import Limit, rules_from
from made.cases import for_each

GOOD: dict[str, Any] = {"set": "*", "measure": "accuracy", "min": 0.6}


def written(folder: Path, text: str) -> Path:
    path = folder / "crossexam.toml"
    path.write_text(text)
    return path


def test_a_file_of_rules(tmp_path: Path) -> None:
    path = written(
        tmp_path,
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
        """,
    )
    one, other = rules_from(path)
    assert one.limits == (Limit("above", 0.6), Limit("below", 0.9))
    assert (one.number, one.against_baseline, one.must_be_shown) == (1, False, False)
    assert one.where == f"{path}, rule that begins on line 2"
    assert other.limits == (Limit("below", 0.02),)  # a drop is worse if it is larger
    assert (other.number, other.against_baseline, other.must_be_shown) == (2, True, True)
    assert other.where == f"{path}, rule that begins on line 8"
    for name in MEASURES:  # a margin limits what is worse
        (rule,) = rules_from([{"set": "*", "measure": name, "against": "baseline", "margin": 0.02}])
        higher = name in {"accuracy", "balanced_accuracy"}
        assert rule.limits == ((Limit("above", -0.02),) if higher else (Limit("below", 0.02),))


def test_a_mistake_is_one_error_with_its_place(tmp_path: Path) -> None:
    """Those in files of one rule, and more of them: tests/golden/messages.txt."""

    def check(rule: dict[str, Any], what: str, way_out: str) -> None:
        with pytest.raises(CrossexamError) as caught:
            rules_from([GOOD, rule])
        first, *others = str(caught.value).splitlines()
        assert first.startswith("rule 2: ")
        assert what in first
        assert any(way_out in line for line in others)

    against = {"set": "*", "measure": "accuracy", "against": "baseline"}
    rows = [
        ({"set": "*", "min": 0.6}, "'measure' is missing", "one of accuracy"),
        (GOOD | {"set": 3}, "'set' is 3", "a pattern such as"),
        (GOOD | {"max": float("nan")}, "'max' is nan", "from 0 to 1"),
        ({"set": "*", "measure": "accuracy"}, "the rule limits nothing", "min, max, or against"),
        (against, "'against' needs a margin", "such as 0.02"),
        (GOOD | against | {"margin": 0.1}, "'min' or 'max' together with 'against'", "neither min nor max"),
        (GOOD | {"against": "main"}, "'against' is 'main'", '"baseline"'),
        (GOOD | {"require": True}, "'require' is True", '"shown"'),
        (GOOD | {"max": 0.5}, "min, 0.6, is above max, 0.5", "at most max"),
    ]
    for_each(check, rows)
    for text, says in (
        ('gate = [{set = "*", measure = "accuracy", min = 60}]', r"crossexam\.toml, rule 1: 'min' is 60"),
        ("gate = [3]", "rule 1: the rule is 3"),
        ("a = " + "[" * 5_000, "not TOML"),
    ):
        with pytest.raises(CrossexamError, match=says):
            rules_from(written(tmp_path, text))
