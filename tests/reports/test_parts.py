"""The parts of the items of a page: inside the page, beside it or missing."""

from __future__ import annotations

import base64
import json
import re
import zlib
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from crossexam.core.dataset import Dataset
from crossexam.core.files import write_text
from crossexam.reports import parts
from crossexam.reports import report as report_module
from crossexam.reports.parts import compressed, parts_beside, written_beside
from crossexam.reports.report import Report, make_report
from crossexam.reports.results import ItemChoice, ReportOptions
from made.runs import dataset, mostly_right, negated
from made.shown import settled

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.usefixtures("small_parts")
HOSTILE = (
    '");window.owned=1;("</script><script>window.owned=1</script>\u2028\ud800<img src=x onerror=owned=1>'
)


def datasets(n: int = 50, words: str = " and true is true") -> list[Dataset]:
    """Return *n* pairs of a base, and the same with *words* in the hypothesis."""
    base = dataset("base.x", ("ENC" * n)[:n])
    return [base, negated(base, words)]


def report_of(items: ItemChoice = "all", skill: float = 0.6, n: int = 50) -> Report:
    return make_report(mostly_right("m", skill, datasets(n)), options=ReportOptions(items=items))


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def assert_whole(page: Path) -> None:
    """Check that the folder has every part of the page, each with as many items as the page says."""
    (data,) = re.findall(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"))
    index = json.loads(data)
    for name, count in (part for each in index["sets"] for part in each["parts"]):
        script = (page.parent / index["folder"] / f"{name}.js").read_text(encoding="ascii")
        ((said, packed),) = re.findall(r'^crossexamItems\("([0-9a-f-]+)","([A-Za-z0-9+/]+=*)"\);\n$', script)
        assert said == name
        assert len(json.loads(zlib.decompress(base64.b64decode(packed)))["items"]) == count


def test_many_items_are_beside_the_page_and_go_with_it_but_nothing_else_of_their_folder(
    tmp_path: Path,
) -> None:
    page, folder = tmp_path / "out.html", tmp_path / "out_items"
    hostile = mostly_right("m", 0.6, datasets(words=HOSTILE))
    assert make_report(hostile, options=ReportOptions(items="all")).save(page) == page
    assert written_beside(page) == folder
    assert_whole(page)
    before = names_in(folder)
    assert len(before) == 8
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    (folder / ".0001.js.half.part").write_text("crossexam", encoding="utf-8")
    report_of().save(page)
    written = page.read_bytes(), names_in(folder)
    assert written[1][:4] == before[:4]  # the items of the base are the same
    report_of().save(page)
    assert written == (page.read_bytes(), names_in(folder))
    report_of(skill=0.3, n=40).save(page)
    assert_whole(page)
    assert len(names_in(folder)) == 6 + 1
    report_of(5).save(page)
    assert names_in(folder) == ["notes.txt"]
    assert written_beside(page) is None
    assert report_of().text(".html").count('<script type="text/plain" id="part-') == 8


def test_what_is_in_place_of_the_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out_items").write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError):  # which the entry point shows, with exit 2
        report_of().save(tmp_path / "out.html")
    assert (tmp_path / "out_items").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("writes", [0, 3, 8])
def test_a_page_that_is_not_replaced_keeps_its_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    page = report_of().save(tmp_path / "out.html")
    before = {path: path.read_bytes() for path in (page, *(tmp_path / "out_items").iterdir())}
    left = writes

    def killed(path: Path, text: str) -> None:
        nonlocal left
        if left == 0:
            raise KeyboardInterrupt
        left -= 1
        write_text(path, text)

    for module in (parts, report_module):
        monkeypatch.setattr(module, "write_text", killed)
    with pytest.raises(KeyboardInterrupt):
        report_of(skill=0.3).save(page)
    assert left == 0
    assert {path: path.read_bytes() for path in before} == before


class Writer:
    """Writes a page of two parts a step at a time; the second part is the same for all writers."""

    STEPS = 5

    def __init__(self, page: Path, name: str) -> None:
        self._page, self._texts, self._names = page, [compressed(name), compressed("the same")], list[str]()
        self._context, self._done = parts_beside(page), 0

    def step(self) -> None:
        if self._done == 0:
            self._folder = self._context.__enter__()
        elif self._done <= len(self._texts):
            self._names.append(self._folder.add(self._texts[self._done - 1]))
        elif self._done == len(self._texts) + 1:
            write_text(self._page, json.dumps(self._names))
        else:
            self._context.__exit__(None, None, None)
        self._done += 1


def test_writers_of_one_page_at_once_leave_each_other_their_parts(tmp_path: Path) -> None:
    page, folder = tmp_path / "out.html", tmp_path / "out_items"
    # Who begins is one of two that do the same, so that the other one has no turn 0.
    for number, chosen in enumerate(combinations(range(1, 2 * Writer.STEPS), Writer.STEPS)):
        writers = [Writer(page, f"{number} one"), Writer(page, f"{number} other")]
        for turn in range(2 * Writer.STEPS):
            writers[turn in chosen].step()
            if page.exists():
                needed = {f"{name}.js" for name in json.loads(page.read_text())}
                assert needed <= set(names_in(folder)), (chosen, turn)
        assert names_in(folder) == sorted(needed), chosen


@pytest.mark.browser
def test_a_missing_and_a_damaged_part_are_named(chromium: Browser, tmp_path: Path) -> None:
    """Of a page in a folder with an odd name."""
    runs = (mostly_right(model, right, datasets()) for model, right in (("a", 0.6), ("b2", 0.8)))
    report = make_report(*runs, options=ReportOptions(items="all"))
    beside = report.save(tmp_path / "ü #1%2F '\".html")
    folder: Any = written_beside(beside)
    last = sorted(folder.iterdir())[-1]
    text, name = last.read_text(encoding="ascii"), f"The file {folder.name}/{last.name} is "
    page = chromium.new_page()
    page.goto(beside.as_uri())
    page.evaluate("document.querySelectorAll('details.section').forEach((each) => (each.open = true))")
    page.select_option("#set", "1")
    assert settled(page) == "50 items"
    missing = "missing. Put the folder beside this page"
    for damage, says in ((None, missing), (text.replace("eJ", "eK", 1), "damaged."), (text[:90], "damaged.")):
        last.unlink() if damage is None else last.write_text(damage, encoding="ascii")
        page.select_option("#outcome", "wrong")
        settled(page)
        assert page.locator("#list [role=alert]").inner_text().startswith(name + says)
        assert page.locator("#export-csv").is_disabled()
        page.select_option("#outcome", "")
        assert settled(page) == "50 items"  # the first of them are there
    last.write_text(text, encoding="ascii")
    page.select_option("#outcome", "right")
    assert re.fullmatch(r"\d+ items", settled(page))
    page.close()
