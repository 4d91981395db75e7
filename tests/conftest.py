"""Fixtures that several test files share."""

from __future__ import annotations

import ast
import csv
import json
import linecache
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow.parquet as pq
import pytest
import typer.main
import typer.testing
from hypothesis import settings

import crossexam as cx
from crossexam.cli import main
from crossexam.core.example import Example
from crossexam.core.labels import parse_label
from made.cases import for_each
from made.checkpoints import save_tiny
from made.sentences import tagged

if TYPE_CHECKING:
    from playwright.sync_api import Browser

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads of torch in several processes wait for each other
os.environ.pop("COLUMNS", None)  # how wide the output of commands is
# No test depends on timing or luck; the second tier tries more.
settings.register_profile("first", deadline=None, derandomize=True, max_examples=30)
settings.register_profile("second", settings.get_profile("first"), max_examples=150)
settings.load_profile("first")

# Each doctest starts a debugger, which asks of every file that was ever read whether it has changed.
linecache.checkcache = lambda filename=None: None  # type: ignore[assignment]

#: Typer makes all verbs with their options anew for each command, which takes longer than most commands.
typer.main.get_command = typer.testing._get_command = cache(typer.main.get_command)

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
if (SHARED / "nltk_data").is_dir():
    os.environ.setdefault("NLTK_DATA", str(SHARED / "nltk_data"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora beside the checkout; tests skip where it is absent."""
    if not SHARED.is_dir():
        pytest.skip(f"no real corpora at {SHARED}")
    return SHARED


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI, with the corpora beside the checkout, skip only tests that need a GPU, a harness or a tracker.

    Harnesses and trackers are installed in later steps.
    """
    report = yield
    skipped = report.skipped and not hasattr(report, "wasxfail") and isinstance(report.longrepr, tuple)
    if (
        skipped
        and "CI" in os.environ
        and SHARED.is_dir()
        and not re.search(r"GPU|extra (interop|mlflow|wandb|tensorboard)", str(report.longrepr))
    ):
        report.outcome = "failed"
        report.longrepr = f"skipped in CI although {SHARED} is there: {report.longrepr}"
    return report


@pytest.fixture(autouse=True)
def own_modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Forget the modules that a test imports from a temporary folder: others may have the same names."""
    yield
    temporary = str(tmp_path_factory.getbasetemp())
    sys.path[:] = [path for path in sys.path if not path.startswith(temporary)]
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(temporary):
            del sys.modules[name]


@pytest.fixture
def written_as_scored() -> Callable[[Path], None]:
    """Check that the files of a run give the accuracies of its report to the last digit."""

    def check(folder: Path) -> None:
        report = folder.with_suffix(".csv")
        cx.report(cx.load_run(folder), max_unanswered=1.0).save(report)
        with report.open(encoding="utf-8", newline="") as stream:
            rows = [row for row in csv.DictReader(stream) if not row["of"] and row["statistic"] == "accuracy"]
        shown = {row["test_set"]: float(row["value"]) for row in rows if row["n"] != "0"}
        right: dict[str, list[bool]] = {}
        for path in (folder / "predictions").glob("*.parquet"):
            for item in pq.read_table(path).to_pylist():
                name = f"{path.stem} ({item['status']})" if item.get("status") else path.stem
                known = None not in (item["predicted"], item["label"])
                assert item["correct"] is (item["predicted"] == item["label"] if known else None)
                if known:
                    right.setdefault(name, []).append(item["correct"])
        assert shown
        assert {name: sum(right[name]) / len(right[name]) for name in shown} == shown

    return check


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="write golden files anew; then read the diff")
    parser.addoption("--all", action="store_true", help="run the tests that are marked slow or browser, too")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--all"):
        settings.load_profile("second")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the second tier, unless ``--all`` or ``-m`` asks for it."""
    if config.getoption("--all") or config.option.markexpr:
        return
    second = [each for each in items if any(map(each.get_closest_marker, ("slow", "browser")))]
    config.hook.pytest_deselected(items=second)
    items[:] = [each for each in items if each not in set(second)]


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with the golden file of that name; ``pytest --accept`` writes it."""

    def compare(name: str, text: str) -> None:
        path = Path(__file__).parent / "golden" / name
        if request.config.getoption("--accept"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return compare


def _rows(name: str) -> list[list[str]]:
    lines = (Path(__file__).parent / "data" / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def _tagged_pairs(name: str) -> list[Example]:
    rows = _rows(name)
    return [tagged(p, h, label=parse_label(label), name=row, genre="tiny") for row, label, p, h in rows]


@pytest.fixture(scope="session")
def tiny_corpus() -> list[Example]:
    """Six pairs that reach every branch of the constructions on pairs."""
    return _tagged_pairs("tiny_corpus.txt")


@pytest.fixture(scope="session")
def tiny_pairs() -> list[Example]:
    """Eight pairs with word pairs in them, for constructions that swap these."""
    return _tagged_pairs("tiny_pairs.txt")


@pytest.fixture(scope="session")
def tiny_parsed() -> list[Example]:
    """Six pairs whose premises ship a parse, all but one, for constructions that read dependencies."""
    return [
        Example(name, premise, hypothesis, parse_label(label), info={"premise_parse": parse})
        for name, label, premise, parse, hypothesis in _rows("tiny_parsed.txt")
    ]


@pytest.fixture(scope="session")
def tiny_documents() -> list[Example]:
    """Six pairs with premises of several sentences, all but one, for constructions for documents."""
    return [
        Example(name, premise, hypothesis, parse_label(label), info={"genre": "tiny"})
        for name, label, premise, hypothesis in _rows("tiny_documents.txt")
    ]


@pytest.fixture(scope="session")
def tiny_problems() -> list[Example]:
    """Five word problems that reach every branch of numerical reasoning."""
    return [tagged(text, label=None, name=name, kind="problem") for name, text in _rows("tiny_problems.txt")]


@pytest.fixture(scope="session")
def word_tokenizer() -> Callable[[Iterable[str], int], Any]:
    """Return a function that makes a tokenizer of the words of texts, with BERT's templates."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}

    def make(texts: Iterable[str], max_length: int) -> Any:
        words = {word for text in texts for word in re.findall(r"\w+|[^\w\s]", text.lower())}
        vocabulary = {word: number for number, word in enumerate([*special.values(), *sorted(words)])}
        made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
        made.normalizer = normalizers.BertNormalizer()
        made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        made.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]",
            pair="[CLS] $A [SEP] $B:1 [SEP]:1",
            special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
        )
        return PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=max_length, **special)

    return make


@pytest.fixture(scope="session")
def tiny_checkpoint(
    tmp_path_factory: pytest.TempPathFactory, word_tokenizer: Callable[[Iterable[str], int], Any]
) -> Path:
    """An untrained BERT of two small layers over the words of the built-in corpus, saved for ``hf/``."""
    from crossexam.corpora.spec import iter_corpus

    tokenizer = word_tokenizer((example.premise for example in iter_corpus("builtin:demo")), 128)
    folder = tmp_path_factory.mktemp("checkpoint") / "my-checkpoint"
    save_tiny(folder, tokenizer, seed=1, positions=128)
    return folder


@pytest.fixture
def copied(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that copies a folder, and changes files of JSON in the copy."""

    def copy(source: Path, name: str = "copy", **files: Mapping[str, object]) -> Path:
        folder = Path(shutil.copytree(source, tmp_path / name))
        for stem, changes in files.items():
            path = folder / f"{stem}.json"
            path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes))
        return folder

    return copy


CHROMIUM = Path(os.environ.get("CROSSEXAM_CHROMIUM", "/usr/bin/chromium"))
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update")  # fmt: skip


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A headless Chromium; its absence fails in CI and skips elsewhere."""
    if not CHROMIUM.exists():
        stop = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        stop(f"no Chromium at {CHROMIUM}: CROSSEXAM_CHROMIUM says where it is")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


class Said(NamedTuple):
    """The exit status of a command, and what it printed."""

    status: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """All that was printed, as one line."""
        return " ".join(f"{self.out} {self.err}".split())


@pytest.fixture
def crossexam(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """Return a function that carries out a command line, a string or words, as from a shell.

    It fails unless the exit status is the one that is expected; None expects none.
    """

    def carry_out(line: str | Iterable[object], status: int | None = 0) -> Said:
        words = shlex.split(line, comments=True) if isinstance(line, str) else map(str, line)
        monkeypatch.setattr("sys.argv", ["crossexam", *words])
        monkeypatch.setattr("gc.freeze", lambda: None)
        capsys.readouterr()
        code: object = 0
        try:
            main.run()
        except SystemExit as stopped:
            code = stopped.code or 0
        said = Said(code if isinstance(code, int) else 1, *capsys.readouterr())
        found = f"exit status {said.status}, not {status}\n{said.out}\n{said.err}"
        assert status in {None, said.status}, found
        return said

    return carry_out


@cache
def _tables(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return the tables of a file by the names of their tests."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    rows: list[tuple[Any, ...]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        first, *others = line.split("\t")
        if heading := re.fullmatch(r"\[(\w+)\]", first):
            rows = found.setdefault(heading[1], [])
        elif line and not line.startswith("# "):
            rows.append(tuple(_value(cell) for cell in (first, *others) if not cell.startswith("# ")))
    return found


def _value(cell: str) -> Any:
    if cell.startswith(("[", "{")) or cell in {"True", "False", "None"}:
        return ast.literal_eval(cell)
    return cell.replace("\\n", "\n")


@pytest.fixture
def each_case(request: pytest.FixtureRequest) -> Callable[[Callable[..., None]], None]:
    """Check every row of the table of this test, which is in the file of its module below ``tests/data``.

    The table begins with the name of the test in brackets, and what its cells are. Between the cells of a
    row are tabs; a cell or a line that begins with ``# `` is a remark. Lists, dictionaries, True, False and
    None are written as in Python, all else is text, in which ``\\n`` is a new line.
    """
    below = request.path.relative_to(Path(__file__).parent)
    path = Path(__file__).parent / "data" / below.parent / f"{below.stem.removeprefix('test_')}.tsv"
    rows = _tables(path)[request.function.__name__]
    return lambda check: for_each(check, rows)
