"""Hostile names, ids, texts and keys through every command and every format: nothing is interpreted."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import accumulate, product
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest
import yaml
from markdown_it import MarkdownIt
from starlette.testclient import TestClient

from crossexam.core.example import Example
from crossexam.core.files import sha256_of
from crossexam.core.labels import LABELS
from crossexam.core.output.escapes import FORMULA, visible
from crossexam.core.sealed import read_manifest, write_manifest
from crossexam.core.test_sets import read_suite, write_test_set
from crossexam.models.function import Options, from_callable
from crossexam.runs.folder import run_into_folder
from crossexam.validation.server import application
from crossexam.validation.study import open_study
from made.cases import for_each
from made.corpora import write_records

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HOSTILE: dict[str, str] = json.loads((Path(__file__).parent / "data" / "hostile.json").read_text("utf-8"))
CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
#: Names of test sets; ids, texts and keys have all of HOSTILE.
_OF_SETS = """
title, c1, nul, separators, override, surrogate, noncharacters, closing markup, emoji, formula, cells, image,
input, row, script, event, expression, template, path, device, lower, upper, composed, decomposed, long"""
NAMES = tuple(HOSTILE[name] for name in re.split(r",\s", _OF_SETS.strip()))
Run = Callable[..., str]


@pytest.fixture
def run(crossexam: Callable[..., Any]) -> Run:
    """Run a command as from a shell; nothing is printed that a terminal would interpret."""

    def command(*arguments: str | Path, codes: tuple[int, ...] = (0,)) -> str:
        said = crossexam(arguments, None)
        assert said.status in codes, said.err
        assert "Traceback" not in said.err
        assert not CONTROL.search(said.out + said.err)
        return str(said.out or said.err)

    return command


#: What Parquet and UTF-8 can have.
STORABLE = {name: text for name, text in HOSTILE.items() if not re.search("[\ud800-\udfff]", text)}


def written(path: Path) -> str:
    """Return what is in a file, in which nothing may be that a terminal would interpret."""
    text = path.read_text(encoding="utf-8-sig")
    assert not CONTROL.search(text)
    return text


def examples(prefix: str, base: bool) -> list[Example]:
    """Return an item per hostile text: in its id, in both sentences, and as key and value of its facts."""
    return [
        Example(
            f"{text}{prefix}",
            f"{text} A man sleeps.",
            f"A man sleeps {text}",
            LABELS[number % 3],
            base=None if base else f"{text}base",
            info={"genre": text, text: text, "cluster": text},
        )
        for number, text in enumerate(STORABLE.values())
    ]


def write_suite(folder: Path, *, with_errors: bool) -> Path:
    """Write a suite whose test sets have hostile names, as somebody else's program would."""
    entries: dict[str, dict[str, Any]] = {}

    def add(name: str, file: str, items: list[Example], **facts: Any) -> None:
        write_test_set(folder / file, items)
        entries[name] = {"file": file, "sha256": sha256_of(folder / file), "part": NAMES[0], **facts}

    folder.mkdir()
    add(f"base.{NAMES[0]}", "base.parquet", examples("base", True), construction="base")
    of_base = {"base_set": f"base.{NAMES[0]}", "keeps_label": True}
    for number, name in enumerate(NAMES):
        items = examples(f"-{number}", False)[number % 5 :: 9]
        made = {"examples": 9, "items": len(items), "rejected": {name: 2}}
        again = items[:1] if with_errors else []
        facts = {"construction": f"{name}.v1", **of_base, "yield": made}
        add(name, f"{number}.parquet", [*items, *again], **facts)
    manifest = {"format": 1, "name": NAMES[0], "paper": "", "signature": "", "request": {}}
    write_manifest(folder / "manifest.json", {**manifest, "test_sets": entries})
    return folder


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of hostile names, in each of whose test sets an item is there twice."""
    return write_suite(tmp_path_factory.mktemp("hostile") / "suite", with_errors=True)


@pytest.fixture(scope="module")
def runs(suite: Path) -> tuple[Path, ...]:
    """Two runs over the suite, whose models have hostile names."""
    names = (HOSTILE["markup"] + HOSTILE["script"], HOSTILE["colour"] + "|&_" + HOSTILE["long"])
    folders = tuple(suite.parent / f"run-{number}" for number in range(2))
    for step, (name, folder) in enumerate(zip(names, folders, strict=True), 1):

        def judge(pairs: list[tuple[str, str]], step: int = step) -> list[str]:
            return [LABELS[len(premise) * step % 3] for premise, _ in pairs]

        judge.__qualname__ = name
        run_into_folder(from_callable(judge, Options()), read_suite(suite), folder)
    return folders


def test_runs_have_a_file_per_test_set(suite: Path, runs: tuple[Path, ...]) -> None:
    names = [path.name for path in (runs[0] / "predictions").iterdir()]
    assert len({name.casefold() for name in names}) == len(NAMES) + 1
    manifest = json.loads((runs[0] / "manifest.json").read_text("utf-8"))
    assert list(manifest["test_sets"]) == [f"base.{NAMES[0]}", *NAMES]
    assert not list(suite.parent.parent.glob("up*"))


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["md", "tex", "csv", "json", "html"])
def test_reports(run: Run, runs: tuple[Path, ...], tmp_path: Path, suffix: str) -> None:
    for command in ("report", "compare") if suffix != "html" else ("report",):  # there is no such page
        path = tmp_path / f"{command}.{suffix}"
        run(command, *runs, "-o", path)
        CHECKS[suffix](written(path))


def check_csv(text: str) -> None:
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    named = {row["test_set"] if "test_set" in row else row["name"] for row in rows}
    assert {f"'{visible(name)}" if name.startswith(FORMULA) else visible(name) for name in NAMES} <= named
    for row in rows:
        assert None not in row
        for cell in row.values():
            assert not cell.startswith(FORMULA) or float(cell) < 0


def check_json(text: str) -> None:
    document = json.loads(text)
    (measured, *_) = document["models"] or document["comparison"]
    assert set(NAMES) <= {each["name"] for each in measured["test_sets"]}  # JSON has the exact names


def check_markdown(text: str, *more: str) -> None:
    """Check that *text* has tables and paragraphs, and blocks of the kinds *more*."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    kinds = {child.type for token in tokens for child in token.children or ()}
    assert kinds <= {"text", "text_special", "strong_open", "strong_close", "em_open", "em_close"}
    blocks = {token.type.removesuffix("_open").removesuffix("_close") for token in tokens}
    assert blocks <= {"heading", "paragraph", "inline", "table", "thead", "tbody", "tr", "th", "td", *more}
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1


def check_latex(text: str) -> None:
    wide = r"\resizebox{\textwidth}{!}{"  # ours: it is closed after the table
    assert text.count(f"{wide}\n") == text.count("\\end{tabular}}\n")
    text = text.replace(f"{wide}\n", "").replace("\\end{tabular}}", "\\end{tabular}")
    assert not re.search(r"\\input\{|write18\{", text)
    for line in text.splitlines():
        if not line.startswith("%"):
            assert not re.search(r"(?<!\\)[%#]|^[\[*]", line)
            braces = re.findall(r"(?<!\\)[{}]", line)
            depths = list(accumulate(1 if brace == "{" else -1 for brace in braces)) or [0]
            assert min(depths) >= depths[-1] == 0, line


class Tags(HTMLParser):
    """The tags of a page, its scripts, and the names of all attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.scripts = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]
        self.scripts += tag == "script" and dict(attrs).get("type") is None


def check_html(text: str) -> None:
    page = Tags(text)
    assert page.scripts == 1
    assert not page.tags & {"iframe", "img", "object", "embed", "base", "foreignobject"}


CHECKS = {"csv": check_csv, "json": check_json, "md": check_markdown, "tex": check_latex, "html": check_html}


_MORE_UNTIL = """(texts) => {
    const more = document.querySelector("#more");
    if (more && more.offsetParent) more.click();
    const shown = document.querySelector("#list").textContent.split(/\\s+/).join(" ");
    return texts.every((text) => shown.includes(text));
}"""


@pytest.mark.slow
@pytest.mark.browser
def test_the_page_runs_nothing_even_without_its_policy(
    run: Run, runs: tuple[Path, ...], tmp_path: Path, chromium: Browser
) -> None:
    path = tmp_path / "page.html"
    run("report", *runs, "-o", path, "--items", "all")
    text = path.read_text(encoding="utf-8")
    without = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    assert without != text
    path.write_text(without, encoding="utf-8")
    context = chromium.new_context()
    asked: list[str] = []
    trouble: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page = context.new_page()
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("console", lambda message: trouble.append(message.text))
    page.on("dialog", lambda dialog: (trouble.append("a dialog opened"), dialog.dismiss()))
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details.section').forEach((each) => (each.open = true))")
    page.select_option("#set", "")
    texts = [" ".join(visible(text).split()) for text in STORABLE.values()]
    page.wait_for_function(_MORE_UNTIL, arg=texts)  # items are unpacked after the page is shown
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    shown = page.locator("body").inner_text()
    for name in (*NAMES, *STORABLE.values()):
        assert " ".join(visible(name).split()) in " ".join(shown.split())
    assert page.evaluate("typeof window.owned") == "undefined"
    assert page.locator("#list iframe, #list img, #list script, #list svg, #list style").count() == 0
    assert not CONTROL.search(shown.replace("\xa0", " "))
    context.close()
    assert (asked, trouble) == ([path.as_uri()], [])


def test_the_terminal(run: Run, suite: Path, runs: tuple[Path, ...], tmp_path: Path) -> None:
    assert "[bold red]x[/]" in run("report", *runs)
    run("compare", *runs)
    assert ":boom:" in run("check", suite, "--all", codes=(1,)).replace("\n", "")
    shown = run("run", "builtin/overlap", suite, "-o", tmp_path / "run")
    assert run("run", "builtin/overlap", suite, "-o", tmp_path / "run") == shown


def test_a_gate(run: Run, runs: tuple[Path, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The baseline and the run are those of two models of hostile names."""
    rules = tmp_path / "rules.toml"
    rule = '[[gate]]\nset = "*"\nmeasure = "accuracy"\n'
    rules.write_text(f'{rule}against = "baseline"\nmargin = 0.5\n{rule}min = 1.0\n')  # items are shown
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "gate.md"))
    run("baseline", runs[0], "-o", tmp_path / "baseline.parquet")
    files = ("--junit", tmp_path / "gate.xml", "--json", tmp_path / "gate.json")
    of = ("--baseline", tmp_path / "baseline.parquet", "--rules", rules, "--items", "all")
    assert "[bold red]x[/]" in run("gate", runs[1], *of, *files, codes=(1, 5))
    cases = ElementTree.fromstring(written(tmp_path / "gate.xml")).findall(".//testcase")
    shown = {" ".join(case.attrib["classname"].split()) for case in cases}
    assert {" ".join(visible(name).split()) for name in NAMES} <= shown
    assert {child.tag for case in cases for child in case} <= {"failure", "skipped"}
    document = json.loads(written(tmp_path / "gate.json"))
    assert set(NAMES) <= {check["test_set"] for check in document["checks"]}
    check_markdown((tmp_path / "gate.md").read_text(encoding="utf-8"), "bullet_list", "list_item")


@pytest.mark.slow
@pytest.mark.parametrize("form", ["jsonl", "lm-eval", "inspect"])
def test_exports(run: Run, suite: Path, tmp_path: Path, form: str) -> None:
    sets = [name for name in NAMES if name not in {HOSTILE["upper"], HOSTILE["composed"]}]
    manifest = read_manifest(suite / "manifest.json")
    folder = Path(shutil.copytree(suite, tmp_path / "suite"))
    of = manifest["test_sets"]  # the names differ in letters, as is asked for
    manifest["test_sets"] = {f"t{number}{name}": of[name] for number, name in enumerate(sets)}
    write_manifest(folder / "manifest.json", manifest)
    run("export", form, folder, "-o", tmp_path / "out")
    for path in (tmp_path / "out").iterdir():
        text = written(path)
        if path.suffix == ".py":
            compile(text, path.name, "exec")
        elif path.suffix == ".yaml":
            yaml.safe_load(text.replace("!function ", ""))
        elif path.suffix == ".jsonl":
            assert all(json.loads(line) for line in text.split("\n") if line)


def test_the_card_of_a_suite(run: Run, suite: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(suite, tmp_path / "suite")
    run("card", folder)
    front, text = written(folder / "README.md").removeprefix("---\n").split("\n---\n", 1)
    configs = [each["config_name"] for each in yaml.safe_load(front)["configs"]]
    assert configs == [visible(each) for each in (f"base.{NAMES[0]}", *NAMES)]
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    kinds = {token.type for each in tokens for token in (each, *(each.children or ()))}
    assert not kinds & {"image", "html_inline", "s_open", "html_block", "hr", "code_block"}


@pytest.mark.slow
def test_a_study_of_judges(run: Run, tmp_path: Path) -> None:
    suite, study = write_suite(tmp_path / "suite", with_errors=False), tmp_path / "study"
    run("validate", "sample", suite, "-o", study, "--per-set", "9")
    for suffix in ("csv", "json"):
        run("validate", "export", study, "-o", tmp_path / f"all.{suffix}")
    sheet = (tmp_path / "all.csv").read_text(encoding="utf-8-sig")
    for row in csv.reader(io.StringIO(sheet, newline=""), strict=True):
        assert not any(cell.startswith(FORMULA) for cell in row)
    assert not CONTROL.search(sheet)
    written(tmp_path / "all.json")
    run("validate", "import", study, tmp_path / "all.csv")  # the sentences are those of the items
    run("validate", "verdict", study)
    opened = open_study(study)
    client = TestClient(application(opened), base_url="http://127.0.0.1:8765")
    page = client.get(f"/j/{opened.judges['judge-1']}").text
    assert not CONTROL.search(page)
    assert not Tags(page).tags & {"iframe", "img", "svg"}


def test_messages_about_files_and_names(run: Run, tmp_path: Path) -> None:
    def check(name: str, place: str) -> None:
        text = HOSTILE[name]
        header = f"premise,{text},label" if place == "header" else "premise,hypothesis,label"
        label = text if place == "label" else "neutral"
        rows = f"{header}\nA man sleeps.,A man.,{label}\n"
        path = tmp_path / ("pairs.jsonl" if place == "line" else "pairs.csv")
        path.write_text(f'{{"premise": {text}\n' if place == "line" else rows, encoding="utf-8")
        commands = {
            "name": ("build", "negation", "--base", f"{text}:dev", "-o", tmp_path / "x"),
            "model": ("run", f"builtin/{text}", path, "-o", tmp_path / "x"),
            "fetch": ("fetch", text, "--data", tmp_path),
            "list": ("ls", "--", text),
            "checkpoint": ("convert", f"hf/{tmp_path / 'no'}{text}", "-o", tmp_path / "x"),
            "features": ("features", f"bow/{tmp_path / 'no'}{text}"),
        }
        command = commands.get(place, ("build", "negation", "--base", path, "-o", tmp_path / "x"))
        assert run(*command, codes=(2,)).startswith("crossexam: ")

    names = ("colour", "c1", "override", "closing markup", "nul")
    places = ("header", "label", "name", "line", "model", "fetch")
    of_names = product(HOSTILE, ("list", "checkpoint", "features"))
    for_each(check, [*product(names, places), *of_names])


@pytest.mark.slow
def test_features_of_a_model_trained_on_hostile_words(run: Run, tmp_path: Path) -> None:
    words = [re.sub(r"[\s\0]", "", text) for text in STORABLE.values()]
    path = write_pairs(tmp_path / "pairs.jsonl", [(f"A {word} sleeps.", f"{word}.") for word in words * 2])
    run("train", "bag-of-words", "--train", path, "--dev", path, "-o", tmp_path / "model")
    run("features", f"bow/{tmp_path / 'model'}", "--top", "60")


#: Names of files that a file system takes.
_OF_FILES = ("colour", "c1", "override", "isolate", "emoji", "formula", "image", "script")


def write_pairs(path: Path, pairs: list[tuple[str, str]]) -> Path:
    labelled = enumerate(pairs)
    return write_records(
        path, ({"premise": p, "hypothesis": h, "label": LABELS[number % 3]} for number, (p, h) in labelled)
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", _OF_FILES)
def test_an_examination_and_a_subset_of_a_hostile_file(run: Run, tmp_path: Path, name: str) -> None:
    legal = HOSTILE[name].replace("/", "|")[:80]
    pairs = [(f"{text} Two men sleep.", f"{text} men") for text in STORABLE.values()]
    path, out = write_pairs(tmp_path / f"{legal}.jsonl", pairs), tmp_path / legal
    bases = ("--base", path, "--skip-bad", "--allow-loss")  # some texts are no sentences
    run("examine", "builtin/overlap", "--suite", "negation", *bases, "-o", out / "all")
    check_html((out / "all" / "report.html").read_text(encoding="utf-8"))
    run("subset", "hard", "--model", "builtin/overlap", *bases, "-o", out / "hard")
    run("card", out / "hard")


@pytest.mark.slow
@pytest.mark.parametrize("name", STORABLE)
def test_requests_to_a_model_with_a_hostile_name(run: Run, tmp_path: Path, name: str) -> None:
    path, text = tmp_path / "base.parquet", HOSTILE[name]
    write_test_set(path, examples("", True))
    asked = ("run", f"api/{text}", path, "-o", tmp_path / "run", "--endpoint", "http://127.0.0.1:9/v1")
    out = run(*asked, "--dry-run")
    assert json.loads(out[out.index("{\n") :])["model"] == text  # JSON has the exact name
    run(*asked, "--answer", "text", "--batch-out", tmp_path / "batch.jsonl")
    requests = [json.loads(line) for line in written(tmp_path / "batch.jsonl").split("\n") if line]
    assert {each["body"]["model"] for each in requests} == {text}
    assert len(requests) > 30  # those of the probe
