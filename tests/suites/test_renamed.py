"""Old names of options are accepted, with a warning that has the new one."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import crossexam as cx
from crossexam.cli.options import _with_short_forms
from crossexam.suites.renamed import RENAMED_FLAGS, RENAMED_OPTIONS, RenamedWarning
from crossexam.suites.short_forms import SHORT_FORMS, merged
from crossexam.suites.table import suite_request

PAIR = [cx.Example("1", "The soup is hot.", "The soup was hot in the pot.", "entailment")]


def test_a_flag_has_its_new_name() -> None:
    for old, new in RENAMED_FLAGS.items():
        for join in ((lambda flag: [f"{flag}=x"]), (lambda flag: [flag, "x"])):
            with pytest.warns(RenamedWarning, match=f"'{old}' is '{new}' since version"):
                assert _with_short_forms(join(old)) == join(new)
        assert old not in SHORT_FORMS


def test_an_option_has_its_new_name_and_value(
    for_each: Callable[..., None], refused: Callable[..., str]
) -> None:
    def check(old: str, value: Any, on: bool) -> None:
        name, _, option = old.partition(".")
        renamed = RENAMED_OPTIONS[old]
        with pytest.warns(RenamedWarning, match=rf"is '{name}\.{renamed.option}="):
            got = merged({name: {option: value}})
        wanted = renamed.on if on else renamed.off
        assert got == {name: {renamed.option: wanted}}
        (construction,) = suite_request(name, options=got).constructions
        assert getattr(construction.options, renamed.option) == wanted
        said = f"no option of {name} is called '{option}'"  # the old name is not used again
        assert said in refused(suite_request, name, options={name: {option: value}})

    values = (("true", True), (True, True), ("no", False), (False, False))
    for_each(check, [(old, *value) for old in RENAMED_OPTIONS for value in values])


def test_both_names_at_once_and_other_values_are_errors(refused: Callable[..., str]) -> None:
    with pytest.warns(RenamedWarning):
        said = refused(merged, {"antonymy": {"as_published": "true"}}, {"antonymy": {"rules": "paper"}})
    assert "'antonymy.rules' is set twice" in said
    said = refused(merged, {"antonymy": {"as_published": "perhaps"}})
    assert "'antonymy.as_published' cannot be 'perhaps'" in said


def test_an_argument_of_build_has_its_new_name() -> None:
    with pytest.warns(RenamedWarning, match="'annotator=' is 'tagger='"):
        old = cx.build("antonymy", PAIR, annotator="builtin")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        new = cx.build("antonymy", PAIR, tagger="builtin")
    name = "antonymy.examples"
    assert old[name].entry.signature == new[name].entry.signature


def test_the_command_line_says_so_in_one_line(tmp_path: Path) -> None:
    words = ["build", "antonymy", "--base", "builtin:demo[:3]", "-o", "x", "--annotator", "builtin"]
    more = ["--set", "antonymy.as_published=true"]
    environment = os.environ | {"PYTHONPATH": str(Path(cx.__file__).parents[1])}
    command = [sys.executable, "-m", "crossexam", *words, *more]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    warned = [line for line in done.stderr.splitlines() if "warning" in line.lower()]
    assert [line.partition(" since ")[0] for line in warned] == [
        "warning: '--annotator' is '--tagger'",
        "warning: 'antonymy.as_published=true' is 'antonymy.rules=paper'",
    ]
    assert (tmp_path / "x" / "antonymy_paper.builtin_demo_3.parquet").exists()
