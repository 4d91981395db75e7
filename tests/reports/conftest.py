"""A page with few items, for the tests of the HTML report."""

import pytest

from crossexam.reports import parts


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make parts of 15 items, and a folder for more than 20 of them."""
    monkeypatch.setattr(parts, "PART_ITEMS", 15)
    monkeypatch.setattr(parts, "MOST_INSIDE", 20)
