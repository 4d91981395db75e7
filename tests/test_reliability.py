"""docs/reliability.md names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAMED = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", (ROOT / "docs/reliability.md").read_text("utf-8"))


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_a_promise_has_its_test(file: str, name: str) -> None:
    text = (ROOT / file).read_text("utf-8")
    assert not name or f"def {name}(" in text


def test_there_are_promises() -> None:
    assert len(NAMED) > 20
