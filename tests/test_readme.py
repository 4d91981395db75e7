"""The README is one screen, and the pages of the suites name each construction."""

from __future__ import annotations

import re
from pathlib import Path

from crossexam.cli.main import VERBS
from crossexam.constructions.table import CONSTRUCTIONS
from crossexam.corpora.spec import iter_corpus

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_construction_is_named_and_the_items_shown_are_what_it_makes() -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "studies").glob("*.md"))
    for each in CONSTRUCTIONS.values():
        assert f"`{each.name}`" in pages
        found = re.findall(
            rf"^\| `{each.name}` \| (.+) \| (.+) \| (entailment|neutral|contradiction) \|$", pages, re.M
        )
        assert found in ([], [each.illustration])


def test_every_suite_of_a_study_and_every_kind_of_model_is_named() -> None:
    suites = ("stress-tests", "compositionality", "cross-dataset", "behaviour", "consistency", "documents")
    assert [name for name in suites if f"(docs/studies/{name}.md)" not in README] == []
    kinds = ("hf/", "onnx/", "lm/", "api/", "py/", "file/")
    assert [kind for kind in kinds if f"`{kind}" not in README] == []


def test_every_verb_is_described() -> None:
    text = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    for verb in VERBS:
        assert f"crossexam {verb}" in text


def test_the_built_in_corpus_is_what_the_docs_say() -> None:
    assert len(list(iter_corpus("builtin:demo"))) >= 300
