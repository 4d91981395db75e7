"""Commands in this process, and the files and folders that users give by mistake."""

import gzip
import json
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import polars as pl
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from crossexam.cli import main
from crossexam.core.sealed import read_manifest, sealed
from crossexam.core.test_sets import write_test_set
from made.commands import Crossexam, invoke
from made.suites import SLEEP

FUNCTIONS = """\
def failing(pairs):
    premises = {}
    return premises["oops"]
def leaving(pairs):
    raise SystemExit(0)
class Own(BaseException):
    pass
def owning(pairs):
    raise Own("stop")
few = lambda pairs: ["neutral"]
none = lambda pairs: None
mixing = lambda pairs: ["neutral"] * (len(pairs) - 1) + ["not_entailment"]
logits = lambda pairs: [[1.0, 2.0, 3.0]] * len(pairs)
nan = lambda pairs: [[float("nan")] * 3] * len(pairs)
indices = lambda pairs: [1] * len(pairs)
apart = lambda premise, hypothesis, more: "neutral"
perhaps = lambda pairs: ["perhaps"] * len(pairs)
"""
DEEP = "[" * 100_000 + "]" * 100_000
DIGITS = "1" * 5_000


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryFileSystem]:
    """An empty file system at ``memory://``, and an empty cache."""
    monkeypatch.setenv("CROSSEXAM_CACHE", str(tmp_path / "cache"))
    MemoryFileSystem.store.clear()
    MemoryFileSystem.pseudo_dirs[:] = [""]
    yield MemoryFileSystem()
    MemoryFileSystem.store.clear()


@pytest.fixture
def failing(crossexam: Crossexam, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return a function that lets a command raise an error, and returns what is printed of it."""

    def carry_out(error: BaseException, status: int = 2, line: str = "ls") -> str:
        monkeypatch.setattr(main, "app", Mock(side_effect=error))
        return str(crossexam(line, status).err)

    return carry_out


@pytest.fixture
def sets(folder: Path) -> Path:
    """The working folder with two test sets in files."""
    for name in ("base.tiny", "more.tiny"):
        write_test_set(folder / f"{name}.parquet", [SLEEP])
    return folder


def write_bases() -> None:
    """Write files that are not a base, or whose labels or columns are not known."""
    content = Path("pairs.csv").read_bytes()
    for name in ("excel.csv", "book.xlsx"):
        with zipfile.ZipFile(name, "w") as archive:
            at = (2026, 1, 1, 1, 16, 0)  # a byte of this time is a line feed
            archive.writestr(zipfile.ZipInfo("[Content_Types].xml", at), "<Types/>")
            archive.writestr("xl/workbook.xml", os.urandom(200))
    with zipfile.ZipFile("archive.csv", "w") as archive:
        archive.writestr("pairs.csv", content)
    packed = gzip.compress(content)
    binary = {
        "packed.csv": packed,
        "cut.csv.gz": packed[:-20],
        "utf16.csv": content.decode().encode("utf-16"),
        "deep.jsonl": f'{{"premise": {DEEP}}}\n'.encode(),
        "deep.json": DEEP.encode(),
        "digits.jsonl": f'{{"label": {DIGITS}}}\n'.encode(),
    }
    for name, written in binary.items():
        Path(name).write_bytes(written)
    pl.DataFrame({"x": ["a"], "y": ["b"]}).write_parquet("xy.parquet")
    Path("emptydir").mkdir()


def write_predictions() -> None:
    """Write predictions for the items of ``corpus`` that cannot be used."""
    fine = [json.loads(line) for line in Path("p_fine.jsonl").read_text().splitlines()]
    digits = [{"id": row["id"], "probabilities": [10**4_000, 0, 0]} for row in fine]
    Path("p_digits.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in digits), encoding="utf-8")
    lists, labels = [[row["id"]] for row in fine], [row["label"] for row in fine]
    pl.DataFrame({"id": lists, "label": labels}).write_parquet("p_list_id.parquet")
    columns = {"premise": lists, "hypothesis": [row["id"] for row in fine], "label": labels}
    pl.DataFrame(columns).write_parquet("p_list_text.parquet")


def write_models() -> None:
    """Write modules that are not models, and pipes, which nobody may wait for."""
    modules = {
        "mymodel": FUNCTIONS,
        "broken": "def f(:\n",
        "needy": "import nosuchlibrary\n",
        "leaving": "import sys\nsys.exit(3)\n",
    }
    for name, source in modules.items():
        Path(f"{name}.py").write_text(source, encoding="utf-8")
    Path("hf_pipe").mkdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo("hf_pipe/config.json")
        os.mkfifo("pipe.csv")


def write_damaged(kind: str, damages: Mapping[str, Callable[[dict[str, Any]], Any]]) -> None:
    """Write copies of the folder *kind*; a damage returns what replaces the manifest, or None."""
    for name, damage in damages.items():
        folder = Path(f"{kind}_{name}")
        shutil.copytree(kind, folder)
        text = damage(read_manifest(folder / "manifest.json"))
        if text is not None:
            (folder / "manifest.json").write_text(text, encoding="utf-8")


def without_items(manifest: dict[str, Any]) -> str:
    """Return the *manifest* of a run, whole, of which the items of a test set are nowhere."""
    manifest["test_sets"]["base.pairs"] |= {"items": "nowhere.parquet", "items_path": ""}
    return json.dumps(sealed(manifest))


def write_damaged_folders() -> None:
    nothing: Callable[[object], None] = lambda manifest: None  # noqa: E731
    write_damaged(
        "suite",
        {
            "cut": lambda manifest: '{"test_sets": {"base',
            "empty": lambda manifest: "",
            "list": lambda manifest: "[1]",
            "deep": lambda manifest: DEEP,
            "digits": lambda manifest: f'{{"a": {DIGITS}}}',
            "bare": json.dumps,
            "edited": lambda manifest: json.dumps({"seed": 1, **sealed(manifest)}),
            **dict.fromkeys(("gone", "changed", "half"), nothing),
        },
    )
    write_damaged(
        "run",
        {
            "cut": lambda manifest: '{"test_sets": {"base',
            "bare": json.dumps,
            "no_items": without_items,
            **dict.fromkeys(("gone", "changed"), nothing),
        },
    )
    write_damaged("study", {"cut": lambda manifest: '{"test_sets": {"base', "bare": json.dumps})
    write_damaged("model", {"list": lambda manifest: "[]", "cut": nothing})
    Path("model_cut", "bag_of_words.npz").write_bytes(b"PK")
    name = "negation.pairs.parquet"
    Path("suite_gone", name).unlink()
    shutil.copy("suite/base.pairs.parquet", Path("suite_changed", name))
    Path("suite_half", name).write_bytes(Path("suite", name).read_bytes()[:300])
    Path("run_gone", "predictions", name).unlink()
    Path("run_changed", "predictions", name).write_bytes(b"PAR1")


@pytest.fixture(scope="module")
def mistakes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a suite, a run and a study that are sound, and with much that is not.

    It has the files in ``tests/data/mistakes``: bases, predictions (``p_``), checkpoints (``hf_``)
    and rules of gates (``r_``).
    """
    made = Path(__file__).parents[1] / "data" / "mistakes"
    folder = shutil.copytree(made, tmp_path_factory.mktemp("mistakes"), dirs_exist_ok=True)
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        patched.setenv("CROSSEXAM_CACHE", str(tmp_path_factory.mktemp("cache")))
        write_bases()
        for command in (
            "build negation --base pairs.csv -o suite",
            "build corpus --base pairs.csv -o corpus",
            "run builtin/overlap suite -o run",
            "validate sample suite -o study",
            "train bag-of-words --train pairs.csv --dev pairs.csv -o model",
            "build negation --base builtin:demo --limit 30 -o memory://b/suite",
        ):
            invoke(command)
        write_predictions()
        write_models()
        write_damaged_folders()
    return folder
