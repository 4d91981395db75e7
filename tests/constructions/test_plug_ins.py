"""Constructions of other distributions join the table, and what depends on their source says so."""

from collections.abc import Callable
from pathlib import Path

import pytest

from crossexam.constructions.apply import apply_construction
from crossexam.constructions.table import CONSTRUCTIONS, PLUG_INS, added
from crossexam.core.dataset import Dataset
from crossexam.core.example import Example
from crossexam.suites.bases import base_from_examples
from crossexam.suites.build import build_in_memory
from crossexam.suites.table import suite_request
from made.cases import refused

Install = Callable[[str], None]
SHOUT = """
from crossexam.constructions.construction import Draft, Rejection
from crossexam.constructions.entry import Construction
from crossexam.core.example import Edit


def shout(example, resources, rng):
    text = example.hypothesis
    edit = Edit("hypothesis", 0, len(text), text, text.upper())
    BODY


SHOUT = Construction("NAME", 1, shout, "noise", "", "", ("It rains.", "IT RAINS.", "entailment"))
"""


def of(body: str = "yield Draft(example.label, (edit,))", name: str = "shout") -> str:
    """The source of a plug-in whose function ends with *body*."""
    return SHOUT.replace("NAME", name).replace("BODY", body)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put a distribution with a package ``shouting`` of this source and one entry point on the path."""

    def write(code: str) -> None:
        for name, text in (
            ("shouting/__init__.py", code),
            ("shouting-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: shouting\nVersion: 1.0\n"),
            ("shouting-1.0.dist-info/entry_points.txt", f"[{PLUG_INS}]\nshout = shouting:SHOUT\n"),
        ):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)

    return write


def test_a_construction_of_another_distribution_is_found_and_its_source_is_its_identity(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a suite would be taken for finished whose construction, or a file beside it, was changed."""
    install(of())
    base = base_from_examples(Dataset("one", [Example("a", "It rains.", "It pours.", "neutral")]))
    identities = []
    for file, text in (("words.txt", "hush"), ("words.txt", "hey"), ("more.py", "")):
        (tmp_path / "shouting" / file).write_text(text)
        (found,) = added(CONSTRUCTIONS)
        monkeypatch.setitem(CONSTRUCTIONS, "shout", found)
        suite = build_in_memory(suite_request("shout", [base]))
        monkeypatch.delitem(CONSTRUCTIONS, "shout")
        assert [item.hypothesis for item in suite["shout.one"]] == ["IT POURS."]
        assert f"plug_in:{found.plug_in}" in suite["shout.one"].manifest["signature"]
        identities.append(found.plug_in)
    assert len(set(identities)) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import no_such_module", "raised ModuleNotFoundError: "),
        (of().replace('"noise"', '"robustness"'), "its test_class is 'robustness'"),
        (of(name="negation"), "already a construction called 'negation'"),
        (of('yield Draft("contradiction", (edit,))'), "item shout:a is contradiction, but its base neutral"),
        (of('yield Draft("neutral", (Edit("hypothesis", 1, 4, "abc", ""),))'), "are not 'abc'"),
        (of("return"), "it returns None"),
        (of("yield text[99]"), "it raised IndexError: string index out of range"),
    ],
)
def test_a_plug_in_that_cannot_be_used_or_makes_what_cannot_be_used_is_an_error_that_names_it(
    text: str, message: str, install: Install
) -> None:
    """A label that is not the base's would be reported as an error of the model, on pairs."""
    install(text)

    def made() -> None:
        (found,) = added(CONSTRUCTIONS)
        apply_construction(found, [Example("a", "It rains.", "It pours.", "neutral")])

    assert refused(made).has("the plug-in ", "shout", message)
