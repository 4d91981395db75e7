"""docs/reliability.md names tests that exist."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMED = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", (ROOT / "docs/reliability.md").read_text("utf-8"))


def test_a_promise_has_its_test(for_each: Callable[..., None]) -> None:
    def check(file: str, name: str) -> None:
        text = (ROOT / file).read_text("utf-8")
        assert not name or f"def {name}(" in text

    assert len(NAMED) > 20
    for_each(check, NAMED)
