"""Links, filters and downloads of the page, over items of two labels with odd ids and texts."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Example
from crossexam.reports.report import make_report

if TYPE_CHECKING:
    from playwright.sync_api import Page

Opener = Callable[..., "Page"]
ODD = "a/b #1 %2F?=ü\ud800"


@pytest.fixture(scope="module")
def odd_items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of items with odd ids and texts that begin like a formula, on two labels."""
    texts = ("=1+1", "+cmd", '-"quoted", and\nbroken', "@SUM(A1)", "It rains.", "＝1")
    golds: list[Any] = ["entailment", "not_entailment", "not_entailment"] * 2
    items = tuple(
        Example(ODD if k == 4 else f"=id{k}", text, f"So {text}", gold, info={"genre": "=fiction"})
        for k, (text, gold) in enumerate(zip(texts, golds, strict=True))
    )
    base = Dataset("base.rte", items, {"construction": "base", "part": "rte"})
    rows = np.tile([[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.4, 0.3, 0.3]], (2, 1))
    path = tmp_path_factory.mktemp("page") / "odd.html"
    return make_report(Run("=m", {base.name: base}, {base.name: rows}, {})).save(path)


@pytest.mark.browser
def test_a_link_opens_the_page_at_its_item(open_page: Opener, odd_items: Path) -> None:
    from playwright.sync_api import expect

    page = open_page(odd_items)
    card = page.locator(".item").filter(has_text="a/b #1").first
    address = card.locator(".anchor").get_attribute("href")
    page = open_page(odd_items, fragment=address)
    assert page.locator(".item").count() == 1
    assert "a/b #1 %2F?=ü" in page.locator(".item").inner_text()
    assert page.locator(".item details").get_attribute("open") == ""
    top = page.locator(".item").evaluate("(each) => each.getBoundingClientRect().top")
    assert 0 < top < 900
    page = open_page(odd_items, fragment="#item=base.rte/none")
    assert page.locator(".empty").inner_text().startswith("Item none of base.rte is not among the items")
    page.click("button[type=reset]")
    expect(page.locator("#count")).to_have_text("6 items")


@pytest.mark.browser
def test_two_labels_are_among_the_filters(open_page: Opener, odd_items: Path) -> None:
    from playwright.sync_api import expect

    page = open_page(odd_items)
    for control in ("#gold", "#answer"):
        options = page.locator(f"{control} option").all_inner_texts()
        assert options == ["any", "entailment", "not entailment"]
    page.select_option("#gold", label="not entailment")
    expect(page.locator("#count")).to_have_text("4 items")
    page.select_option("#outcome", "right")
    cards = page.locator(".item").all_inner_texts()
    assert len(cards) == 4
    assert all("gold: not entailment" in card and "✓ correct: not entailment" in card for card in cards)


def downloaded(page: Page, button: str) -> str:
    with page.expect_download() as download:
        page.click(button)
    return Path(download.value.path()).read_text(encoding="utf-8")


@pytest.mark.browser
def test_the_filtered_items_can_be_downloaded(open_page: Opener, odd_items: Path) -> None:
    page = open_page(odd_items)
    page.select_option("#gold", label="entailment")
    lines = [json.loads(line) for line in downloaded(page, "#export-jsonl").splitlines()]
    assert [line["id"] for line in lines] == ["=id0", "=id3"]
    assert lines[1] == {
        "test_set": "base.rte", "id": "=id3", "premise": "@SUM(A1)", "hypothesis": "So @SUM(A1)",
        "label": "entailment", "base_premise": None, "base_hypothesis": None, "base_label": None,
        "info": "genre: =fiction",
        "predictions": [{"model": "=m", "label": "entailment", "predicted": "entailment", "correct": True,
                         "base_predicted": None,
                         "probabilities": {"entailment": 0.8, "not_entailment": 0.2}}],
    }  # fmt: skip
    page.select_option("#gold", "")
    text = downloaded(page, "#export-csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["premise"] for row in rows] == [
        "'=1+1", "'+cmd", "'-\"quoted\", and\nbroken", "'@SUM(A1)", "It rains.", "'＝1"
    ]  # fmt: skip
    assert rows[0]["id"] == "'=id0"
    assert (rows[1]["'=m: predicted"], rows[1]["'=m: entailment"]) == ("not_entailment", "0.2")
    assert rows[1]["'=m: neutral"] == ""
    assert all(not cell.startswith(("=", "+", "-", "@")) for row in rows for cell in (*row, *row.values()))
