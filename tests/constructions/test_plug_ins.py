"""Constructions of other distributions join the table, and what depends on their source says so."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossexam.constructions.table import CONSTRUCTIONS, PLUG_INS, added
from crossexam.core.dataset import Dataset
from crossexam.core.example import Example
from crossexam.suites.bases import base_from_examples
from crossexam.suites.build import build_in_memory
from crossexam.suites.table import suite_named, suite_request

SHOUT = """
from crossexam.constructions.construction import Draft
from crossexam.constructions.entry import Construction
from crossexam.core.example import Edit


def shout(example, resources, rng):
    text = example.hypothesis
    yield Draft(example.label, (Edit("hypothesis", 0, len(text), text, text.upper()),))


SHOUT = Construction(
    "NAME", 1, shout, "noise", "capitals", "", ("It rains.", "IT RAINS.", "entailment"), draws=False
)
"""


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, source: str, value: str) -> None:
    """Put a distribution with a package ``shouting`` and one entry point into *folder*, and on the path."""
    for name, text in (
        ("shouting/__init__.py", source),
        ("shouting-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: shouting\nVersion: 1.0\n"),
        ("shouting-1.0.dist-info/entry_points.txt", f"[{PLUG_INS}]\nshout = {value}\n"),
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "shouting", raising=False)


def test_a_construction_of_another_distribution_is_found_and_its_source_is_its_identity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    """Otherwise a suite would be taken for finished whose construction, or a file beside it, was changed."""
    install(tmp_path, monkeypatch, SHOUT.replace("NAME", "shout"), "shouting:SHOUT")
    base = base_from_examples(Dataset("one", [Example("a", "It rains.", "It pours.", "neutral")]))
    identities = []
    for file, text in (("words.txt", "hush"), ("words.txt", "hey"), ("more.py", "")):
        (tmp_path / "shouting" / file).write_text(text)
        (found,) = added(CONSTRUCTIONS)
        assert str(found.plug_in).startswith("shouting@")
        monkeypatch.setitem(CONSTRUCTIONS, "shout", found)
        suite = build_in_memory(suite_request("shout", [base]))
        monkeypatch.delitem(CONSTRUCTIONS, "shout")
        assert [item.hypothesis for item in suite["shout.one"]] == ["IT POURS."]
        assert f"plug_in:{found.plug_in}" in suite["shout.one"].manifest["signature"]
        assert suite.manifest.request["plug_in"] == found.plug_in
        identities.append(found.plug_in)
    assert len(set(identities)) == 3
    monkeypatch.setitem(CONSTRUCTIONS, "corpus", CONSTRUCTIONS["negation"])
    assert "both a suite and a construction are called 'corpus'" in refused(suite_named, "corpus")


@pytest.mark.parametrize(
    ("source", "messages"),
    [
        ("import no_such_module", ["raised ModuleNotFoundError: ", "pip uninstall shouting"]),
        ("SHOUT = 1", ["it is a int\n", "wanted: an object of the class Construction"]),
        ("", ["raised AttributeError"]),
        (
            SHOUT.replace("NAME", "shout").replace('"noise"', '"robustness"'),
            ["its test_class is 'robustness'", "wanted: competence, distraction, noise, "],
        ),
        (SHOUT.replace("NAME", "negation"), ["already a construction called 'negation'"]),
        (SHOUT.replace("NAME", "base"), ["already a construction called 'base'"]),
        (SHOUT.replace("NAME", "Shout it"), ["'Shout it' cannot be the name"]),
        (SHOUT.replace("NAME", "shout_released"), ["'shout_released' cannot be the name"]),
    ],
)
def test_a_plug_in_that_cannot_be_used_is_an_error(
    source: str,
    messages: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    refused: Callable[..., Any],
) -> None:
    install(tmp_path, monkeypatch, source, "shouting:SHOUT")
    said = refused(lambda: list(added(CONSTRUCTIONS)))
    assert said.has("the plug-in shout = shouting:SHOUT: ", *messages)
