"""The HTML report: driven in Chromium, over runs made of a few word lists."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest

import crossexam as cx
from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Change, Edit, Example
from crossexam.core.labels import LABEL_INDEX, LABELS
from crossexam.core.output.escapes import script_json, visible
from crossexam.core.randomness import rng_for
from crossexam.evaluation.comparison import compare_runs
from crossexam.reports.report import make_report
from crossexam.reports.results import ReportOptions, results_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize


WHO = ("A farmer", "The nurse", "A boy", "An old man", "My neighbour", "The guide")
DOES = ("carries a basket", "reads a map", "waits for the bus", "paints a fence", "feeds the ducks")
WHERE = ("in the market", "near the river", "behind the school", "on a hot day", "under a tall tree")
GENRES = ("fiction", "travel", "letters")
KINDS = (
    *("base", "antonymy", "word_overlap", "negation", "length_mismatch"),
    *("spelling_error_content_word", "spelling_error_adjacent_swap"),
)
REJECTED = {"no antonym": 7, "no number": 3}


@cache
def suite(n: int = 120, part: str = "dev_matched") -> list[Dataset]:
    """Some of the stress tests over *n* pairs, in turn entailed, neutral and contradicted."""
    base = []
    for number in range(n):
        rng = rng_for(0, "pair", str(number))
        who, does, where = rng.choice(WHO), rng.choice(DOES), rng.choice(WHERE)
        said = (does, f"{does} with a friend", "sleeps at home")[number % 3]
        info = {"genre": rng.choice(GENRES), "cluster": f"c{number // 3}"}
        label = LABELS[number % 3]
        base.append(Example(f"p{number}", f"{who} {does} {where}.", f"{who} {said}.", label, info=info))
    made = cx.build("stress-tests", base)
    return [
        replace(
            each,
            name=f"{each.entry.construction}.{part}",
            manifest={
                **each.manifest,
                "part": part,
                "base_set": each.entry.base_set and f"base.{part}",
                "yield": each.manifest["yield"] and {"examples": n, "items": len(each), "rejected": REJECTED},
            },
        )
        for each in made
        if each.entry.construction in KINDS
    ]


#: How often a made-up model is right, by construction.
SKILL = {"base": 0.8, "antonymy": 0.2, "negation": 0.5, "word_overlap": 0.6, "length_mismatch": 0.7}


def answered(model: str, datasets: list[Dataset], worse: float = 0.0, **manifest: Any) -> Run:
    """Return plausible answers of a made-up *model*, right less often by *worse* on stressed items."""
    probabilities = {}
    for dataset in datasets:
        skill = SKILL.get(dataset.name.partition(".")[0], 0.65) - worse * (
            not dataset.name.startswith("base")
        )
        rows = []
        for item in dataset:
            rng = rng_for(1, model, item.id)
            gold = LABEL_INDEX[item.label] if item.label else 0
            said = gold if rng.random() < skill else (gold + rng.choice((1, 1, 2))) % 3
            sure = 0.4 + 0.59 * rng.random()
            row = [(1 - sure) * 0.5] * 3
            row[said] = sure
            rows.append(row)
        probabilities[dataset.name] = np.array(rows).reshape(-1, 3)
    facts = {"model_key": f"key-of-{model}", "asked": 1234, "truncated": 0, **manifest}
    return Run(model, {dataset.name: dataset for dataset in datasets}, probabilities, facts)


@pytest.fixture(scope="module")
def two_runs() -> list[Run]:
    return [answered("builtin/overlap", suite()), answered("hf/bert", suite(), worse=-0.12)]


Opener = Callable[..., "Page"]


@pytest.fixture(scope="module")
def two_models(two_runs: list[Run], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "two.html"
    return make_report(*two_runs, options=ReportOptions(items=60)).save(path)


def packed(page: Page) -> tuple[list[dict[str, Any]], list[list[Any]]]:
    """Return the test sets of the page, and its items with their texts."""
    sets = json.loads(page.locator("#data").text_content() or "")["sets"]
    items = []
    for name, number in (part for each in sets for part in each["parts"]):
        text = page.locator(f"#part-{name}").text_content() or ""
        part = json.loads(zlib.decompress(base64.b64decode(text)))
        assert len(part["items"]) == number
        for item in part["items"]:
            item[3:7] = (part["texts"][text] if isinstance(text, int) else text for text in item[3:7])
            items.append(item)
    return sets, items


def settle(page: Page) -> None:
    """Wait until the items that were asked for are unpacked."""
    from playwright.sync_api import expect

    expect(page.locator("#list")).to_have_attribute("aria-busy", "false")


def count(page: Page) -> int:
    settle(page)
    return int(page.locator("#count").inner_text().split()[0].replace(",", ""))


def wait_for_count(page: Page, text: str) -> None:
    from playwright.sync_api import expect

    expect(page.locator("#count")).to_have_text(text)


def choose(page: Page, test_set: str) -> None:
    option = next(each for each in page.locator("#set option").all() if test_set in each.inner_text())
    page.select_option("#set", option.get_attribute("value"))


def cards(page: Page) -> list[str]:
    settle(page)
    return page.locator(".item").all_inner_texts()


def open_all(page: Page) -> None:
    """Open every card; what is inside is made when it opens."""
    from playwright.sync_api import expect

    page.evaluate("document.querySelectorAll('.item details').forEach((each) => { each.open = true; })")
    expect(page.locator(".item .pairs")).to_have_count(page.locator(".item").count())


@pytest.mark.browser
def test_page_opens_at_the_test_set_of_its_headline(open_page: Opener, two_models: Path) -> None:
    page = open_page(two_models)
    headline = page.locator("h1").inner_text()
    assert re.match(
        r"The accuracy of builtin/overlap falls from \d\d\.\d\s% on the base to \d+\.\d\s% on negation: by ",
        headline,
    )
    assert 10 < len(cards(page)) <= 20
    assert all(card.startswith("negation\n") for card in cards(page))
    assert page.locator("#drop .drawing svg:visible").count() == 2 * 6
    assert page.locator("figure svg:visible").count() == 2  # confusion on the base
    page.get_by_text("Show 6 more drawings").click()
    assert page.locator("figure svg:visible").count() == 2 * 7


@pytest.mark.browser
def test_sections_open_on_a_click_for_a_link_and_for_printing(open_page: Opener, two_models: Path) -> None:
    page = open_page(two_models, closed=True)
    opened = page.locator("details.section[open]")
    assert opened.count() == 0
    page.locator("nav a", has_text="Errors").click()
    assert page.locator("#errors > details[open]").count() == opened.count() == 1
    page.locator("#drop summary").first.click()
    assert opened.count() == 2
    page.keyboard.press("/")
    assert page.locator("#items > details[open]").count() == 1
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert opened.count() == page.locator("details.section").count()
    assert (
        open_page(two_models, fragment="#yield", closed=True).locator("#yield > details[open]").count() == 1
    )


@pytest.mark.browser
def test_what_broke_opens_below_its_row(open_page: Opener, two_models: Path) -> None:
    page = open_page(two_models, closed=True)
    row = page.locator("#broken .opens").first
    assert not row.locator(".card").first.is_visible()
    row.locator("summary").click()
    shown = row.locator(".card")
    assert 1 <= shown.count() <= 5
    assert shown.first.is_visible()
    assert shown.first.locator("ins, del").count() >= 1
    assert shown.first.locator(".verdict").count() == 2  # of both models
    assert "Gold: " in shown.first.inner_text()


@pytest.mark.browser
def test_filters_agree_with_the_data(open_page: Opener, two_models: Path, two_runs: list[Run]) -> None:
    page = open_page(two_models)
    sets, items = packed(page)
    negation = next(i for i, each in enumerate(sets) if each["name"] == "negation.dev_matched")
    facts = [sets[negation][name] for name in ("name", "short", "shown", "total", "labels")]
    assert facts == ["negation.dev_matched", "negation", 60, 120, [0, 1, 2]]
    assert "(60 of 120)" in page.locator("#set option").nth(negation + 1).inner_text()
    page.select_option("#set", str(negation))
    assert count(page) == 60
    gold = {item.id: item.label for item in two_runs[1].datasets["negation.dev_matched"]}
    said = dict(zip(gold, two_runs[1].scored("negation.dev_matched").predicted.tolist(), strict=True))
    before = dict(
        zip(
            [item.base for item in two_runs[1].datasets["negation.dev_matched"]],
            two_runs[1].scored("base.dev_matched").predicted.tolist(),
            strict=True,
        )
    )
    shown = [item[1] for item in items if item[0] == negation]
    page.select_option("#model", "1")

    def expected(keep: Callable[[str], bool]) -> int:
        return sum(keep(name) for name in shown)

    page.select_option("#gold", "2")
    assert count(page) == expected(lambda n: gold[n] == "contradiction") > 0
    page.select_option("#outcome", "wrong")
    assert count(page) == expected(lambda n: gold[n] == "contradiction" and said[n] != 2) > 0
    assert all("✗ wrong" in card.split("hf/bert")[-1] for card in cards(page))
    page.select_option("#answer", "0")
    assert count(page) == expected(lambda n: gold[n] == "contradiction" and said[n] == 0) > 0
    page.click("button[type=reset]")
    wait_for_count(page, f"{len(items)} items")
    page.select_option("#set", str(negation))
    page.select_option("#model", "1")
    page.select_option("#flipped", "yes")
    assert count(page) == expected(lambda n: said[n] != before[n.removeprefix("negation:")]) > 0
    page.select_option("#order", "sure")
    page.select_option("#outcome", "wrong")
    open_all(page)
    shares = [
        float(re.findall(rf"{c.split('wrong: ')[-1][0].upper()} (\d+\.\d)", c)[-1]) for c in cards(page)
    ]
    assert shares == sorted(shares, reverse=True)


@pytest.mark.browser
def test_search_and_more_items_by_keyboard(open_page: Opener, two_models: Path) -> None:
    page = open_page(two_models)
    _, items = packed(page)
    page.select_option("#set", "")
    total = count(page)
    assert len(cards(page)) == 20
    page.locator("#more").focus()
    page.keyboard.press("Enter")
    assert len(cards(page)) == 40
    assert page.locator("#more").inner_text() == f"Show 20 more of {total - 40}"
    page.keyboard.press("Enter")  # the first of the new items has the focus
    assert page.locator(".item details").nth(20).get_attribute("open") == ""
    page.locator("h1").click()
    page.keyboard.press("/")
    page.keyboard.type("GUIDE negation:")
    negated = [item for item in items if item[1].startswith("negation:")]
    expected = sum("guide" in f"{item[3]}{item[4]}".lower() for item in negated)
    wait_for_count(page, f"{expected} items")
    assert 0 < expected < 20
    assert page.locator("#more").is_hidden()
    assert all("guide" in card.lower() for card in cards(page))
    page.fill("#find", "no such words")
    wait_for_count(page, "0 items")
    assert page.locator(".empty").is_visible()
    assert page.locator("#export-csv").is_disabled()
    page.fill("#find", "negation:p")
    wait_for_count(page, "60 items")


@pytest.mark.browser
def test_every_item_has_a_link(open_page: Opener, two_models: Path) -> None:
    page = open_page(two_models)
    page.select_option("#set", "")
    page.locator("#more").click()
    third = page.locator(".item").nth(32)
    name = third.locator(".id").inner_text()
    third.locator(".anchor").click()
    wait_for_count(page, "The linked item (any filter shows the others)")
    assert len(cards(page)) == 1
    assert page.url.endswith(f"#item=base.dev_matched/{name}")
    page.select_option("#gold", "0")  # a filter leaves the link
    assert count(page) > 20


@pytest.mark.browser
def test_items_and_their_bases_are_downloaded_with_every_model(
    open_page: Opener, two_models: Path, two_runs: list[Run]
) -> None:
    page = open_page(two_models)
    choose(page, "negation")
    with page.expect_download() as download:
        page.click("#export-csv")
    rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8"))))
    assert len(rows) == 60  # all that the filters choose, not only what the list shows
    items = {item.id: item for item in two_runs[0].datasets["negation.dev_matched"]}
    bases = {item.id: item for item in two_runs[0].datasets["base.dev_matched"]}
    for row in rows:
        item = items[row["id"]]
        base = bases[item.base or ""]
        assert (row["premise"], row["hypothesis"], row["label"]) == (
            item.premise, item.hypothesis, item.label
        )  # fmt: skip
        assert (row["base_hypothesis"], row["base_label"]) == (base.hypothesis, base.label)
    for run in two_runs:
        said = dict(zip(items, run.predictions("negation.dev_matched"), strict=True))
        assert all(row[f"{run.model}: predicted"] == said[row["id"]] for row in rows)


@pytest.mark.browser
def test_items_that_only_one_of_two_models_gets_right(
    open_page: Opener, two_runs: list[Run], tmp_path: Path
) -> None:
    page = open_page(make_report(*two_runs, options=ReportOptions(items="all")).save(tmp_path / "all.html"))
    for pair in compare_runs(*two_runs):
        page.select_option("#set", label=results_of(two_runs).short_names[pair.name])
        page.select_option("#outcome", "only0")
        assert count(page) == pair.b
        page.select_option("#outcome", "only1")
        assert count(page) == pair.c


@pytest.fixture(scope="module")
def seven_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    datasets = suite(60)
    names = ("file/a_name_of_many-words/and-folders/that_goes.on.jsonl", "hf/deberta-v3-base-mnli-fever-anli")
    runs = [answered(f"{names[k % 2]}{k}", datasets, worse=k / 40) for k in range(7)]
    return make_report(*runs, options=ReportOptions(items=60)).save(
        tmp_path_factory.mktemp("page") / "seven.html"
    )


@pytest.mark.browser
@pytest.mark.parametrize("width", [400, 1280])
def test_names_of_seven_models_break_between_words_only(
    open_page: Opener, seven_models: Path, width: int
) -> None:
    page = open_page(seven_models)
    page.set_viewport_size({"width": width, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    broken = page.evaluate(
        """() => {
          const broken = [];
          for (const cell of document.querySelectorAll("th, td.text, figcaption, .of")) {
            const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
            while (walker.nextNode()) {
              for (const word of walker.currentNode.data.matchAll(/[A-Za-z0-9]+/g)) {
                const range = document.createRange();
                range.setStart(walker.currentNode, word.index);
                range.setEnd(walker.currentNode, word.index + word[0].length);
                const lines = new Set([...range.getClientRects()].map((each) => each.top));
                if (lines.size > 1) broken.push(word[0]);
              }
            }
          }
          return broken;
        }"""
    )
    assert broken == []


@pytest.mark.browser
def test_a_wide_table_scrolls_beside_its_first_column(open_page: Opener, seven_models: Path) -> None:
    page = open_page(seven_models)
    page.set_viewport_size({"width": 400, "height": 844})
    place = page.locator("#accuracy .scroll").first
    name = place.locator("tbody th").first
    before = name.bounding_box()
    place.evaluate("(each) => { each.scrollLeft = 200; }")
    assert place.evaluate("(each) => each.scrollLeft") == 200
    assert name.bounding_box() == before


@pytest.mark.browser
@pytest.mark.parametrize("models", ["two_models", "seven_models"])
def test_a_phone_shows_few_items_at_first(
    open_page: Opener, models: str, request: pytest.FixtureRequest
) -> None:
    path: Path = request.getfixturevalue(models)
    page = open_page(path, width=400, closed=True)
    most = 4000 if models == "two_models" else 7000
    assert page.evaluate("document.documentElement.scrollHeight") < most
    hidden = "(each) => each.scrollWidth - each.clientWidth"
    assert models != "two_models" or page.locator("#broken .scroll").first.evaluate(hidden) == 0
    page = open_page(path, width=400)
    page.select_option("#set", "")
    assert len(cards(page)) == 10
    first, second = (page.locator("#errors .maps > div").nth(k).bounding_box() for k in (0, 1))
    assert first is not None
    assert second is not None
    assert first["y"] == second["y"]  # drawings side by side, scrolled with a finger


@pytest.mark.browser
def test_changes_are_marked_beside_the_base(open_page: Opener, two_models: Path, two_runs: list[Run]) -> None:
    page = open_page(two_models)
    choose(page, "length mismatch")
    base, stressed = page.locator(".item").first.locator(".pair").all()
    assert base.locator("ins").count() == 0
    assert stressed.locator("ins").all_inner_texts() == [" and true is true" * 5]
    assert "Base, gold: " in base.inner_text()
    assert base.locator(".verdict").count() == stressed.locator(".verdict").count() == 2
    choose(page, "antonymy")
    changed = page.locator(".item").first
    assert changed.locator(".pair").count() == 2
    marked = changed.locator(".pair").last
    items = {item.id: item for item in two_runs[0].datasets["antonymy.dev_matched"]}
    change = items[changed.locator(".id").inner_text()].change
    assert change is not None
    assert (marked.locator("del").inner_text(), marked.locator("ins").inner_text()) == change.edits[0][3:]
    assert marked.locator("ins").get_attribute("title") == f"was: {change.edits[0].old}"


EVIL = '<img src="http://x.invalid/a.png" onerror="window.owned=1"><script>window.owned=1;alert(1)</script>'
TEXTS = (
    EVIL,
    "</script><script>window.owned=1</script>",
    "{{7*7}}",
    "<!-- <script>",
    "a\u2028b\u2029 &amp; \\u003c",
)


@pytest.mark.browser
def test_markup_in_the_data_is_shown_as_it_is(open_page: Opener, tmp_path: Path) -> None:
    part = "</script><b>dev</b>{{7*7}}"
    base = Dataset(
        f"base.{part}",
        tuple(Example(text, text, text, "neutral", info={"genre": text[:20]}) for text in TEXTS),
        {"construction": "base", "part": part, "signature": EVIL},
    )
    change = Change(f"{EVIL}.v1", "premise", "hypothesis", (Edit("hypothesis", 0, 0, "", EVIL),))
    items = tuple(each.derive(each.label, change) for each in base)
    facts: dict[str, Any] = {
        "construction": f"{EVIL}.v1",
        "part": part,
        "base_set": base.name,
        "signature": EVIL,
    }
    facts["yield"] = {"examples": 5, "items": 5, "rejected": {EVIL: 3}}
    test = Dataset(f"negation.{part}", items, facts)
    run = answered(EVIL, [base, test], note=EVIL)
    page = open_page(make_report(run).save(tmp_path / "evil.html"))
    page.select_option("#set", "")
    assert page.evaluate("window.owned") is None
    assert page.locator("img, b:not(h3 b), .item script").count() == 0
    text = page.locator("body").inner_text()
    for shown in (*TEXTS, part):
        assert " ".join(visible(shown).split()) in " ".join(text.split())
    assert "49" not in page.locator("#list").inner_text().replace("49.", "")
    assert EVIL in page.locator("h1").inner_text().replace("\xa0", " ")
    assert page.title() == f"Crossexam: {EVIL}"


@pytest.mark.browser
def test_the_policy_holds_against_a_script_that_did_get_in(chromium: Browser, two_models: Path) -> None:
    page = chromium.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(two_models.as_uri())
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {text: 'owned = 1'}))"
    )
    page.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<img src=http://x.invalid onerror=owned=1>')"
    )
    assert page.evaluate("window.owned") is None
    page.evaluate("fetch('http://x.invalid').catch(() => null)")
    refused = [text for text in said if "Content Security Policy" in text]
    assert any("script" in text for text in refused)
    assert any("connect" in text.lower() for text in refused)
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 768, 1000, 1280])
def test_nothing_is_wider_than_the_screen(open_page: Opener, two_models: Path, width: int) -> None:
    page = open_page(two_models)
    page.set_viewport_size({"width": width, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == width
    links = page.locator("nav a").evaluate_all(
        "(all) => all.map((each) => each.getBoundingClientRect().right)"
    )
    assert len(links) > 9
    assert width < 960 or max(links) <= width  # a narrow screen scrolls them


@pytest.mark.browser
def test_one_test_set_one_model_all_items(open_page: Opener, tmp_path: Path) -> None:
    base = suite(30)[0]
    unlabelled = replace(base, examples=(replace(base.examples[0], label=None), *base.examples[1:]))
    page = open_page(make_report(answered("m", [unlabelled])).save(tmp_path / "one.html"))
    assert page.locator("#how-many").inner_text() == "All items are in this report."
    assert page.locator("#drop").count() == 0
    assert page.locator("#model").is_hidden()
    page.select_option("#gold", "-1")
    assert count(page) == 1
    assert "right" not in cards(page)[0]
    assert "wrong" not in cards(page)[0]


@pytest.mark.browser
def test_two_labels_are_right_on_neutral_and_contradiction(open_page: Opener, tmp_path: Path) -> None:
    base = suite(30)[0]
    sure = np.tile([0.2, 0.5, 0.3], (30, 1))
    run = Run("two", {base.name: base}, {base.name: sure}, {"details": {"two_label": True}})
    page = open_page(make_report(run).save(tmp_path / "two_labels.html"))
    assert "not_entailment = neutral + contradiction" in page.locator("#accuracy").inner_text()
    page.select_option("#answer", "3")
    assert count(page) == 30
    page.select_option("#outcome", "right")
    assert count(page) == 20  # a third are entailments
    assert "✓ correct: not entailment" in cards(page)[0]
    assert "E 20.0 · not E 80.0" in cards(page)[0]


@pytest.mark.slow
def test_the_same_runs_give_the_same_bytes(two_runs: list[Run]) -> None:
    assert make_report(*two_runs, options=ReportOptions(items=20)).text(".html") == make_report(
        *two_runs, options=ReportOptions(items=20)
    ).text(".html")


def test_script_json_is_json_that_cannot_end_its_element() -> None:
    text = script_json({"a": [*TEXTS, "\ud800"]})
    assert json.loads(text) == {"a": [*TEXTS, "\ud800"]}
    assert not set("<>&\u2028\u2029") & set(text)


@pytest.mark.browser
@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_barrier(
    chromium: Browser, two_models: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    """The rules of axe-core, over the closed page and with everything open."""
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import expect

    size: ViewportSize = {"width": width, "height": 900}
    context = chromium.new_context(bypass_csp=True, viewport=size, color_scheme=scheme)
    page = context.new_page()
    page.goto(two_models.as_uri())
    expect(page.locator("#list")).to_have_attribute("aria-busy", "false")
    for _ in range(2):
        found = Axe().run(page).response["violations"]
        assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    context.close()
