"""The pages on statistics name what exists, and the reference every module; docstrings are complete."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import crossexam.stats

DOCS = Path(__file__).parents[2] / "docs"
REFERENCE = (DOCS / "reference" / "statistics.md").read_text("utf-8")
PAGES = [(DOCS / f"{name}.md").read_text("utf-8") for name in ("statistics", "derivations")] + [REFERENCE]
NAMES = sorted({name for text in PAGES for name in re.findall(r"(?:`|::: )(crossexam(?:\.\w+)+)", text)})


def resolve(name: str) -> Any:
    """The module, or the attribute of a module, called *name*."""
    module, _, attribute = name.rpartition(".")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return getattr(importlib.import_module(module), attribute)


def public_functions() -> dict[str, Callable[..., Any]]:
    modules = [
        importlib.import_module(f"crossexam.stats.{each.name}")
        for each in pkgutil.iter_modules(crossexam.stats.__path__)
    ]
    return {
        f"{module.__name__}.{name}": function
        for module in modules
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    }


FUNCTIONS = public_functions()


def test_names_on_the_pages_exist(for_each: Callable[..., None]) -> None:
    for_each(resolve, NAMES)


def test_the_reference_shows_every_module_with_public_functions() -> None:
    """With all of its public functions, as mkdocs.yml tells mkdocstrings."""
    shown = re.findall(r"^::: (crossexam\.stats\.\w+)$", REFERENCE, re.MULTILINE)
    assert {name.rpartition(".")[0] for name in FUNCTIONS} <= set(shown)


def test_docstrings_say_what_is_raised_and_show_an_example_or_a_source(for_each: Callable[..., None]) -> None:
    def check(name: str) -> None:
        docstring = inspect.getdoc(FUNCTIONS[name]) or ""
        source = inspect.getsource(FUNCTIONS[name])
        assert docstring.startswith(("Return ", "Raise "))
        assert ">>>" in docstring or re.search(r"[Rr]aises? ValueError", docstring)
        if "raise ValueError" in source:
            assert re.search(r"Raises? ValueError|raises ValueError", docstring)

    for_each(check, FUNCTIONS)
