"""The pages on statistics name what exists, and the reference has every module."""

import pkgutil
import re
from pathlib import Path

import crossexam.stats
from made.cases import for_each

DOCS = Path(__file__).parents[2] / "docs"
REFERENCE = (DOCS / "reference" / "statistics.md").read_text("utf-8")
PAGES = [(DOCS / f"{name}.md").read_text("utf-8") for name in ("statistics", "derivations")] + [REFERENCE]
NAMES = sorted({name for text in PAGES for name in re.findall(r"(?:`|::: )(crossexam(?:\.\w+)+)", text)})


def test_names_on_the_pages_exist() -> None:
    for_each(pkgutil.resolve_name, NAMES)


def test_the_reference_shows_every_module() -> None:
    """With all of its public functions, as mkdocs.yml tells mkdocstrings."""
    shown = re.findall(r"^::: crossexam\.stats\.(\w+)$", REFERENCE, re.MULTILINE)
    modules = {each.name for each in pkgutil.iter_modules(crossexam.stats.__path__)}
    assert modules - {"deviations"} <= set(shown)  # which has no public functions
