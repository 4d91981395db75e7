"""The HTML report, driven in Chromium: sections, filters, links, downloads, hostile texts and barriers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import pytest

from crossexam.core.dataset import Run
from crossexam.evaluation.comparison import compare_runs
from crossexam.reports.report import make_report
from crossexam.reports.results import ReportOptions, results_of
from made.runs import dataset, mostly_right, negated
from made.shown import csv_rows, settled, wait_for_count

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

pytestmark = pytest.mark.browser
Opener = Callable[..., "Page"]
BASE, NEGATION = "base.x", "negation.x"


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[Opener]:
    """Open a file in a page of its own, with its sections, and wait for its items.

    At the end, there was no request but that for it and its parts, and no error.
    """
    from playwright.sync_api import expect

    context = chromium.new_context()
    requests, trouble, opened = list[str](), list[str](), list[str]()
    context.on("request", lambda request: requests.append(request.url))

    def go(path: Path, fragment: str = "") -> Page:
        page = context.new_page()
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("console", lambda message: trouble.append(message.text))
        page.on("dialog", lambda dialog: (trouble.append("a dialog opened"), dialog.dismiss()))
        opened.append(path.as_uri())
        page.goto(path.as_uri() + fragment)
        expect(page.locator("#list")).to_have_attribute("aria-busy", "false")
        page.evaluate("document.querySelectorAll('details.section').forEach((each) => (each.open = true))")
        return page

    yield go
    context.close()
    beside = tuple(f"{address.removesuffix('.html')}_items/" for address in opened)
    assert [request for request in requests if not request.startswith(beside)] == opened
    assert trouble == []


@pytest.fixture(scope="module")
def two_runs() -> list[Run]:
    """The first model is worse."""
    base = dataset(BASE, "ENC" * 40)
    sets = [base, negated(base, " and true is true")]
    return [mostly_right(name, right, sets) for name, right in (("builtin/overlap", 0.4), ("hf/bert", 0.6))]


@pytest.fixture
def two_models(two_runs: list[Run], tmp_path: Path, small_parts: None) -> Path:
    """A page whose items are beside it."""
    return make_report(*two_runs, options=ReportOptions(items=60)).save(tmp_path / "two.html")


def cards(page: Page) -> list[str]:
    settled(page)
    return page.locator(".item").all_inner_texts()


def downloaded(page: Page, button: str) -> str:
    with page.expect_download() as download:
        page.click(button)
    return Path(download.value.path()).read_text(encoding="utf-8")


@pytest.mark.usefixtures("small_parts")
def test_filters_agree_with_the_data(open_page: Opener, two_runs: list[Run], tmp_path: Path) -> None:
    page = open_page(make_report(*two_runs, options=ReportOptions(items="all")).save(tmp_path / "all.html"))
    run, names = two_runs[1], results_of(two_runs).short_names
    items = list(run.datasets[NEGATION])
    said = run.scored(NEGATION).predicted.tolist()
    base = dict(zip([item.id for item in run.datasets[BASE]], run.scored(BASE).predicted, strict=True))
    flips = [answer != base[str(item.base)] for item, answer in zip(items, said, strict=True)]
    of_gold = [answer for item, answer in zip(items, said, strict=True) if item.label == "contradiction"]

    def chosen(**choices: str) -> int:
        """The number of items of negation with these choices besides those before."""
        for control, value in choices.items():
            page.select_option(f"#{control}", value)
        return int(settled(page).split()[0])

    page.select_option("#set", label=names[NEGATION])
    assert chosen() == len(items) == 120
    assert chosen(model="1", gold="2") == len(of_gold) > 0
    assert chosen(outcome="wrong") == len(of_gold) - of_gold.count(2) > 0
    assert all("✗ wrong" in card.split("hf/bert")[-1] for card in cards(page))
    assert chosen(answer="0") == of_gold.count(0) > 0
    page.click("button[type=reset]")
    wait_for_count(page, f"{sum(map(len, run.datasets.values()))} items")
    page.select_option("#set", label=names[NEGATION])
    assert chosen(model="1", flipped="yes") == sum(flips) > 0
    page.click("button[type=reset]")
    for pair in compare_runs(*two_runs):
        page.select_option("#set", label=names[pair.name])
        assert (chosen(outcome="only0"), chosen(outcome="only1")) == (pair.b, pair.c)


def test_a_download_has_all_that_the_filters_choose(
    open_page: Opener, two_models: Path, two_runs: list[Run]
) -> None:
    page = open_page(two_models)
    page.select_option("#set", label="negation (60 of 120)")
    wait_for_count(page, "60 items")
    rows = csv_rows(downloaded(page, "#export-csv"))
    assert len(rows) == 60  # not only what the list shows
    items, bases = ({item.id: item for item in two_runs[0].datasets[each]} for each in (NEGATION, BASE))
    said = {run.model: dict(zip(items, run.predictions(NEGATION), strict=True)) for run in two_runs}
    for row in rows:
        item = items[row["id"]]
        base = bases[str(item.base)]
        told = [row[key] for key in ("premise", "hypothesis", "base_hypothesis", "base_label")]
        assert told == [item.premise, item.hypothesis, base.hypothesis, base.label]
        assert all(row[f"{model}: predicted"] == said[model][item.id] for model in said)


def test_the_policy_holds_against_a_script_that_did_get_in(chromium: Browser, two_models: Path) -> None:
    page = chromium.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(two_models.as_uri())
    for script in (
        "document.body.append(Object.assign(document.createElement('script'), {text: 'owned = 1'}))",
        "document.body.insertAdjacentHTML('beforeend', '<img src=http://x.invalid onerror=owned=1>')",
        "fetch('http://x.invalid').catch(() => null)",
    ):
        page.evaluate(script)
        assert page.evaluate("window.owned") is None
    refused = [text.lower() for text in said if "Content Security Policy" in text]
    assert all(any(what in text for text in refused) for what in ("script", "connect"))
    page.close()


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_barrier(
    chromium: Browser, two_models: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    """The rules of axe-core, over the closed page and with everything open, which needs no more width."""
    from axe_playwright_python.sync_playwright import Axe

    size: ViewportSize = {"width": width, "height": 900}
    context = chromium.new_context(bypass_csp=True, viewport=size, color_scheme=scheme)
    page = context.new_page()
    page.goto(two_models.as_uri())
    settled(page)
    for _ in range(2):
        found = Axe().run(page).response["violations"]
        assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    context.close()


@pytest.fixture
def odd_items(tmp_path: Path) -> Path:
    """A page of items with odd ids and texts that begin like a formula, on two labels."""
    texts = ("=1+1", "+cmd", '-"quoted", and\nbroken', "@SUM(A1)", "It rains.", "＝1")
    base = dataset("base.rte", "EnnEnn", info={"genre": "=fiction"})
    names = ("=id0", "=id1", "=id2", "=id3", "a/b #1 %2F?=ü\ud800", "=id5")
    items = tuple(
        replace(item, id=name, premise=text, hypothesis=f"So {text}")
        for item, name, text in zip(base, names, texts, strict=True)
    )
    base = replace(base, examples=items)
    rows = np.tile([[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.4, 0.3, 0.3]], (2, 1))
    return make_report(Run("=m", {base.name: base}, {base.name: rows})).save(tmp_path / "odd.html")


def test_a_link_opens_the_page_at_its_item(open_page: Opener, odd_items: Path) -> None:
    page = open_page(odd_items)
    address = page.locator(".item", has_text="a/b #1").locator(".anchor").get_attribute("href")
    page = open_page(odd_items, fragment=address)
    assert page.locator(".item").count() == 1
    assert "a/b #1 %2F?=ü" in page.locator(".item").inner_text()
    page.click("button[type=reset]")  # any filter leaves the link
    page.select_option("#gold", label="not entailment")
    page.select_option("#outcome", "right")
    wait_for_count(page, "4 items")
    assert all("✓ correct: not" in each for each in cards(page))


def test_no_cell_of_a_download_is_a_formula(open_page: Opener, odd_items: Path) -> None:
    page = open_page(odd_items)
    page.select_option("#gold", label="entailment")
    lines = [json.loads(line) for line in downloaded(page, "#export-jsonl").splitlines()]
    texts = [[line[key] for key in ("id", "premise", "hypothesis", "info")] for line in lines]
    assert texts[1] == ["=id3", "@SUM(A1)", "So @SUM(A1)", "genre: =fiction"]
    (said,) = lines[1]["predictions"]
    assert (said["model"], said["predicted"], said["correct"]) == ("=m", "entailment", True)
    assert said["probabilities"] == {"entailment": 0.8, "not_entailment": 0.2}
    page.select_option("#gold", "")
    rows = csv_rows(downloaded(page, "#export-csv"))
    premises = ["'=1+1", "'+cmd", '\'-"quoted", and\nbroken', "'@SUM(A1)", "It rains.", "'＝1"]
    assert [row["premise"] for row in rows] == premises
    assert rows[0]["id"] == "'=id0"
    shares = [rows[1][f"'=m: {name}"] for name in ("predicted", "entailment", "neutral")]
    assert shares == ["not_entailment", "0.2", ""]
    assert all(not cell.startswith(("=", "+", "-", "@")) for row in rows for cell in (*row, *row.values()))
