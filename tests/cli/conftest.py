"""Commands in this process, and the files and folders that users give by mistake."""

from __future__ import annotations

import gzip
import json
import os
import shlex
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from typer.testing import CliRunner

from crossexam.cli import main
from crossexam.core.example import content_id
from crossexam.core.sealed import read_manifest, sealed

PAIRS = [
    ("A man sleeps.", "A person sleeps.", "entailment"),
    ("A dog runs in the park.", "A cat runs.", "contradiction"),
    ("A girl reads.", "She likes books.", "neutral"),
] * 4
FUNCTIONS = """\
def failing(pairs):
    premises = {}
    return premises["oops"]
def leaving(pairs):
    raise SystemExit(0)
few = lambda pairs: ["neutral"]
none = lambda pairs: None
mixing = lambda pairs: ["neutral"] * (len(pairs) - 1) + ["not_entailment"]
logits = lambda pairs: [[1.0, 2.0, 3.0]] * len(pairs)
nan = lambda pairs: [[float("nan")] * 3] * len(pairs)
indices = lambda pairs: [1] * len(pairs)
apart = lambda premise, hypothesis: "neutral"
perhaps = lambda pairs: ["perhaps"] * len(pairs)
"""
DEEP = "[" * 100_000 + "]" * 100_000
DIGITS = "1" * 5_000


class Said(NamedTuple):
    """The exit status of a command, and what it printed."""

    status: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """All that was printed, as one line."""
        return " ".join(f"{self.out} {self.err}".split())


Crossexam = Callable[..., Said]


@pytest.fixture
def crossexam(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Crossexam:
    """Return a function that carries out a command line, a string or words, in this process.

    It fails unless the exit status is the one that is expected.
    """

    def carry_out(line: str | list[str], status: int = 0) -> Said:
        words = shlex.split(line, comments=True) if isinstance(line, str) else line
        monkeypatch.setattr("sys.argv", ["crossexam", *words])
        capsys.readouterr()
        code: object = 0
        try:
            main.run()
        except SystemExit as stopped:
            code = stopped.code or 0
        said = Said(code if isinstance(code, int) else 1, *capsys.readouterr())
        assert said.status == status, f"exit status {said.status}, not {status}\n{said.out}\n{said.err}"
        return said

    return carry_out


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


def table(name: str, rows: list[tuple[str, ...]], header: str = "premise,hypothesis,label") -> None:
    Path(name).write_text("\n".join([header, *map(",".join, rows)]) + "\n", encoding="utf-8")


def json_lines(name: str, rows: list[dict[str, Any]]) -> None:
    Path(name).write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def write_bases() -> None:
    """Write files that are not a base, or whose labels or columns are not known."""
    relabelled = {
        "numbers": "01",
        "yesno": ("no", "yes"),
        "truth": ("false", "true"),
        "single": ["entailment"],
    }
    for name, labels in relabelled.items():
        table(f"{name}.csv", [(p, h, labels[k % len(labels)]) for k, (p, h, _) in enumerate(PAIRS)])
    table("pairs.csv", PAIRS)
    table("more.csv", [*PAIRS, PAIRS[0]])
    table("header.csv", [])
    table("other.csv", PAIRS, "text_a,text_b,gold")
    table("twice.csv", [(p, h, h, label) for p, h, label in PAIRS], "premise,hypothesis,hypothesis,label")
    table("ragged.csv", [*PAIRS, ("A man", "a dog", "a cat", "and", "neutral")])
    table("mixed.csv", [*PAIRS, ("A man sleeps.", "A man is awake.", "not_entailment")])
    table("misspelt.csv", [*PAIRS, ("A man sleeps.", "A man is awake.", "contradicton")])
    table("blank.csv", [("", "A man sleeps.", "neutral")])
    table("nul.csv", [("A m\0an.", "A man.", "neutral")])
    table("quote.csv", [('"A man sleeps.', "A man.", "neutral")])
    content = Path("pairs.csv").read_bytes()
    for name in ("excel.csv", "book.xlsx"):
        with zipfile.ZipFile(name, "w") as archive:
            archive.writestr("[Content_Types].xml", "<Types/>")
            archive.writestr("xl/workbook.xml", os.urandom(200))
    with zipfile.ZipFile("archive.csv", "w") as archive:
        archive.writestr("pairs.csv", content)
    packed = gzip.compress(content)
    binary = {
        "empty.csv": b"",
        "paper.csv": b"%PDF-1.4\n1 0 obj\n",
        "packed.csv": packed,
        "cut.csv.gz": packed[:-20],
        "text.csv.gz": content,
        "utf16.csv": content.decode().encode("utf-16"),
        "latin.csv": "premise,hypothesis,label\nUn café.,A café.,neutral\n".encode("latin-1"),
        "array.json": b'[{"premise": "a", "hypothesis": "b", "label": "neutral"}]',
        "cut.jsonl": b'{"premise": "a", "hypothesis": "b", "label": "neutral"}\n{"premise": "a",',
        "deep.jsonl": f'{{"premise": {DEEP}}}\n'.encode(),
        "deep.json": DEEP.encode(),
        "digits.jsonl": f'{{"label": {DIGITS}}}\n'.encode(),
        "list.jsonl": b'{"premise": ["a"], "hypothesis": "b", "label": "neutral"}\n',
        "number.jsonl": b'{"premise": 3, "hypothesis": "b", "label": "neutral"}\n',
        "damaged.parquet": b"PAR1 no Parquet PAR1",
    }
    for name, written in binary.items():
        Path(name).write_bytes(written)
    pl.DataFrame({"x": ["a"], "y": ["b"]}).write_parquet("xy.parquet")
    Path("emptydir").mkdir()


def write_predictions() -> None:
    """Write predictions for the items of ``corpus`` that cannot be used."""
    ids = [content_id(*pair) + (f"~{n // 3 + 1}" if n >= 3 else "") for n, pair in enumerate(PAIRS)]
    rows: dict[str, list[dict[str, Any]]] = {
        "fine": [{"id": name, "label": "neutral"} for name in ids],
        "missing": [{"id": name, "label": "neutral"} for name in ids[:-3]],
        "extra": [{"id": name, "label": "neutral"} for name in [*ids, "zzz"]],
        "two": [{"id": ids[0], "label": "neutral"}, {"id": ids[0], "label": "entailment"}],
        "no_id": [{"label": "neutral"}],
        "labels": [{"id": name, "label": "perhaps"} for name in ids],
        "numbers": [{"id": name, "label": 1} for name in ids],
        "digits": [{"id": name, "probabilities": [10**4_000, 0, 0]} for name in ids],
    }
    for name, of_file in rows.items():
        json_lines(f"p_{name}.jsonl", of_file)
    table("p_logits.csv", [(name, "1.0 2.0 3.0") for name in ids], "id,logits")
    table(
        "p_words.csv", [(name, "high", "low", "low") for name in ids], "id,entailment,neutral,contradiction"
    )
    lists = [[name] for name in ids]
    labels = ["neutral"] * len(ids)
    pl.DataFrame({"id": lists, "label": labels}).write_parquet("p_list_id.parquet")
    pl.DataFrame({"premise": lists, "hypothesis": ids, "label": labels}).write_parquet("p_list_text.parquet")


def write_rules() -> None:
    """Write a file of rules that can be used, and others that cannot."""
    accuracy = '[[gate]]\nset = "*"\nmeasure = "accuracy"\n'
    against = 'against = "baseline"\nmargin = 0.1\n'
    texts = {
        "fine": f"{accuracy}min = 0.1\n",
        "empty": "",
        "gates": accuracy.replace("gate", "gates"),
        "key": f"{accuracy}min = 0.1\n{accuracy}minimum = 0.1\n",
        "measure": f"{accuracy}min = 0.1\n".replace("accuracy", "acuracy"),
        "percent": f"{accuracy}min = 60\n",
        "margin": f"{accuracy}min = 0.1\nmargin = 0.1\n",
        "against": f"{accuracy}{against}",
        "none": f"{accuracy}min = 0.1\n".replace("*", "antonymy.*"),
    }
    for name, text in texts.items():
        Path(f"r_{name}.toml").write_text(text, encoding="utf-8")


def write_models() -> None:
    """Write modules and checkpoints that are not models."""
    modules = {
        "mymodel": FUNCTIONS,
        "broken": "def f(:\n",
        "needy": "import nosuchlibrary\n",
        "leaving": "import sys\nsys.exit(3)\n",
    }
    for name, source in modules.items():
        Path(f"{name}.py").write_text(source, encoding="utf-8")
    names = {"three": ["contradiction", "neutral", "entailment"], "one": ["score"],
             "five": [f"star {n}" for n in range(5)], "label": ["LABEL_0", "LABEL_1", "LABEL_2"]}  # fmt: skip
    for name, classes in {
        **names,
        **{name: ["a"] for name in ("bare", "pickle", "index", "cut", "pipe", "export")},
    }.items():
        folder = Path(f"hf_{name}")
        folder.mkdir()
        config = {"model_type": "bert", "id2label": dict(enumerate(classes)), "num_labels": len(classes)}
        (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
        if name in names:
            (folder / "model.safetensors").write_bytes(b"")
    Path("hf_pickle", "pytorch_model.bin").write_bytes(b"")
    Path("hf_index", "weights.bin").write_bytes(b"")
    Path("hf_export", "model.onnx").write_bytes(b"")
    index = {"weight_map": {"a": "weights.bin"}}
    Path("hf_index", "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    Path("hf_cut", "config.json").write_text('{"model_type":', encoding="utf-8")
    Path("hf_pipe", "config.json").unlink()
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
    """A folder with a suite, a run and a study that are sound, and with much that is not."""
    folder = tmp_path_factory.mktemp("mistakes")
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
            assert CliRunner().invoke(main.app, command, catch_exceptions=False).exit_code == 0
        write_predictions()
        write_models()
        write_rules()
        write_damaged_folders()
    return folder
