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
    """Put a distribution with a module ``shouting`` and one entry point into *folder*, and on the path."""
    (folder / "shouting.py").write_text(source, encoding="utf-8")
    facts = folder / "shouting-1.0.dist-info"
    facts.mkdir(exist_ok=True)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: shouting\nVersion: 1.0\n", encoding="utf-8")
    (facts / "entry_points.txt").write_text(f"[{PLUG_INS}]\nshout = {value}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    for name in ("shouting", "louder", "louder.rules"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def test_a_construction_of_another_distribution_is_found_and_its_source_is_its_identity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a suite would be taken for finished whose construction has been changed."""
    install(tmp_path, monkeypatch, SHOUT.replace("NAME", "shout"), "shouting:SHOUT")
    (first,) = added(CONSTRUCTIONS)
    assert first.name == "shout"
    assert str(first.plug_in).startswith("shouting@")
    (tmp_path / "shouting.py").write_text(SHOUT.replace("NAME", "shout").replace("upper", "title"), "utf-8")
    (second,) = added(CONSTRUCTIONS)
    assert first.plug_in != second.plug_in
    monkeypatch.setitem(CONSTRUCTIONS, "shout", first)
    base = base_from_examples(Dataset("one", [Example("a", "It rains.", "It pours.", "neutral")]))
    requests = [suite_request("shout", [base])]
    monkeypatch.setitem(CONSTRUCTIONS, "shout", second)
    requests.append(suite_request("shout", [base]))
    signatures = [build_in_memory(each)["shout.one"].manifest["signature"] for each in requests]
    assert f"plug_in:{first.plug_in}" in signatures[0]
    assert f"plug_in:{second.plug_in}" in signatures[1]
    identities = [build_in_memory(each).manifest["request"] for each in requests]
    assert identities[0] != identities[1]
    assert identities[0]["plug_in"] == first.plug_in


def test_a_package_is_hashed_with_all_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "", "louder.rules:SHOUT")
    (tmp_path / "louder").mkdir()
    (tmp_path / "louder" / "__init__.py").touch()
    (tmp_path / "louder" / "rules.py").write_text(SHOUT.replace("NAME", "shout"))
    versions = []
    for words in ("hush", "hey"):
        (tmp_path / "louder" / "words.txt").write_text(words)
        versions += [each.plug_in for each in added(CONSTRUCTIONS)]
    assert len(set(versions)) == 2


@pytest.mark.parametrize(
    ("source", "messages"),
    [
        ("import no_such_module", ["raised ModuleNotFoundError: ", "pip uninstall shouting"]),
        ("SHOUT = 1", ["it is a int\n", "wanted: an object of the class Construction"]),
        ("", ["raised AttributeError"]),
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


def test_a_construction_with_the_name_of_a_suite_is_an_error(
    monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    monkeypatch.setitem(CONSTRUCTIONS, "corpus", CONSTRUCTIONS["negation"])
    assert "both a suite and a construction are called 'corpus'" in refused(suite_named, "corpus")
