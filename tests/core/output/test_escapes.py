"""Hostile texts in every output: its reader gets them as text, and nothing in them is interpreted."""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from crossexam.core.output.escapes import ESCAPERS, FORMULA, escape_cell, escape_latex, one_line, visible
from crossexam.core.output.file_names import file_stem
from made.cases import for_each

HOSTILE: dict[str, str] = json.loads((Path(__file__).parents[2] / "data/hostile.json").read_text("utf-8"))
CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def read_html(escaped: str) -> str:
    assert '"' not in escaped  # it may stand in an attribute as well
    return ElementTree.fromstring(f"<p>{escaped}</p>").text or ""


def read_xml(escaped: str) -> str:
    element = ElementTree.fromstring(f'<case name="{escaped}">{escaped}</case>')
    assert element.get("name") == (element.text or "")
    return element.text or ""


def read_markdown(escaped: str) -> str:
    """Return the text of a heading and of the cell of a table, which are the same."""
    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    tokens = reader.parse(f"# {escaped}\n\n| a | b |\n| --- | --- |\n| {escaped} | end |\n")
    inline = [token for token in tokens if token.type == "inline"]
    kinds = {child.type for token in inline for child in token.children or ()}
    assert kinds <= {"text", "text_special"}
    assert len(inline) == 5
    assert not re.search(r"(?<!\\)@", escaped)  # which GitHub notifies
    texts = ["".join(child.content for child in token.children or ()) for token in inline]
    assert texts[-2:] == [texts[0], "end"]
    return texts[0]


def read_latex(escaped: str) -> str:
    """Return the text that LaTeX would print; every special character must be part of an escape."""
    assert not escaped.startswith(("[", "*"))
    assert not re.search(r"--|,,|''|[?!]`|<<|>>", escaped.replace("--", "–") if "–" in escaped else escaped)
    words = {escape_latex(character): character for character in '\\&%$#_{}~^<>|"`·†∞'}
    escapes = "|".join(map(re.escape, sorted(words, key=len, reverse=True))) + r"|\{\}"
    assert not re.search(r"[\\&%$#_{}~^]", re.sub(escapes, "", escaped))
    return re.sub(escapes, lambda found: words.get(found[0], ""), escaped)


def read_csv(escaped: str) -> str:
    stream = io.StringIO()
    csv.writer(stream).writerow([escaped, "end"])
    [cell, end], *others = csv.reader(io.StringIO(stream.getvalue(), newline=""))
    assert (end, others) == ("end", [])
    assert not cell.startswith(FORMULA)
    text = cell.removeprefix("'")
    return text if text.startswith(FORMULA) else cell


def read_script(escaped: str) -> str:
    assert escaped.isascii()
    assert not set(escaped) & set("<>&")
    text: str = json.loads(escaped)
    return text


#: What reads each output, and what it must read; JSON keeps the exact text.
READERS: dict[str, tuple[Callable[[str], str], Callable[[str], str]]] = {
    "terminal": (str, visible),
    "html": (read_html, visible),
    "xml": (read_xml, visible),
    "svg": (str, visible),
    "md": (read_markdown, one_line),
    "tex": (read_latex, one_line),
    "csv": (read_csv, visible),
    "json": (json.loads, str),
    "script": (read_script, str),
}


ANY_TEXT = st.text(st.sampled_from("ab \n\r\0\x1b\u2028\u202e\ud800<>&\"'`\\{}[]()%$#_^~|*-+=,.:/@!1"))


@pytest.mark.parametrize("output", ESCAPERS)
def test_any_text_is_read_as_text(output: str) -> None:
    read, wanted = READERS[output]

    def check(text: str) -> None:
        escaped = ESCAPERS[output](text)
        assert not CONTROL.search(escaped)
        assert read(escaped) == wanted(text)

    for_each(check, HOSTILE.values())
    if output not in {"md", "csv"}:
        given(ANY_TEXT)(check)()


def test_plain_text_and_numbers_stay_as_they_are() -> None:
    text = "A man, 3.5 years old (so they say); été, עברית\u200f, 👩‍👩‍👧!"
    assert {escape_text(text) for escape_text in (visible, one_line, escape_cell, escape_latex)} == {text}
    for number in ("-0.5", "+3", "-1e-05"):
        assert escape_cell(number) == number
        assert escape_cell(f"{number}+1") == f"'{number}+1"


def test_no_two_names_are_one_file() -> None:
    names = [*HOSTILE.values(), "", ".", "..", "Dev", "nul", "NUL", "con", "a", "A", "x" * 301, "X" * 300]
    names += [file_stem(name) for name in names] + [file_stem(name).lower() for name in names]
    stems = {name: file_stem(name) for name in names}
    # what a file system takes a name for that ignores case, composition and dots at the end
    folded = {unicodedata.normalize("NFD", f"{stem}.parquet").casefold() for stem in stems.values()}
    assert len(folded) == len(stems)
    device = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\.|$)")
    for stem in stems.values():
        assert re.fullmatch(r"[\w~%-][\w.~% -]*", stem, re.ASCII), stem
        assert not device.match(stem), stem
        assert len(f".{stem}.parquet.12345678.part") <= 255
    assert file_stem("base.snli_dev_1_2") == "base.snli_dev_1_2"
