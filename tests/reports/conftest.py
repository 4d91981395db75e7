"""A page in Chromium, for the tests of the HTML report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crossexam.reports import parts

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Opener = Callable[..., "Page"]


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make parts of 15 items, and a folder for more than 20 of them."""
    monkeypatch.setattr(parts, "PART_ITEMS", 15)
    monkeypatch.setattr(parts, "MOST_INSIDE", 20)


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[Opener]:
    """Open a file in a page of its own, with its sections unless *closed*, and wait for its items.

    At the end, there was no request but that for it and its parts, and no error.
    """
    from playwright.sync_api import expect

    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    requests: list[str] = []
    trouble: list[str] = []
    context.on("request", lambda request: requests.append(request.url))
    opened: list[str] = []

    def go(path: Path, width: int = 1280, fragment: str = "", *, closed: bool = False) -> Page:
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": 900})
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("console", lambda message: trouble.append(message.text))
        page.on("dialog", lambda dialog: (trouble.append("a dialog opened"), dialog.dismiss()))
        opened.append(path.as_uri())
        page.goto(path.as_uri() + fragment)
        expect(page.locator("#list")).to_have_attribute("aria-busy", "false")
        if not closed:
            page.evaluate(
                "document.querySelectorAll('details.section').forEach((each) => (each.open = true))"
            )
        return page

    yield go
    context.close()
    beside = tuple(f"{address.removesuffix('.html')}_items/" for address in opened)
    assert [request for request in requests if not request.startswith(beside)] == opened
    assert trouble == []
