"""The command line: what it prints, what it refuses, what it leaves behind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src"


def crossexam(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "crossexam.cli.main", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(SOURCE), "COLUMNS": "160"} | environment,
        check=False,
    )


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("demo")
    return folder, crossexam("demo", "-o", "out", cwd=folder, NLTK_DATA=str(folder), HOME=str(folder))


def test_the_demo_needs_nothing(demo: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, done = demo
    assert done.returncode == 0, done.stderr
    assert "builtin/overlap" in done.stdout
    assert "antonymy" in done.stdout
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    assert "builtin/bag-of-words" in page
    assert "builtin/minilm" in page
    assert "numerical_reasoning" in page


@pytest.mark.slow
def test_a_second_demo_uses_the_first(demo: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, _ = demo
    before = {p: p.stat().st_mtime_ns for p in (folder / "out" / "suite").iterdir()}
    done = crossexam("demo", "-o", "out", cwd=folder, NLTK_DATA=str(folder), HOME=str(folder))
    assert done.returncode == 0, done.stderr
    assert "already contains this suite" in done.stderr
    assert before == {p: p.stat().st_mtime_ns for p in (folder / "out" / "suite").iterdir()}


@pytest.mark.slow
def test_check_passes_and_fails(demo: tuple[Path, subprocess.CompletedProcess[str]], tmp_path: Path) -> None:
    folder, _ = demo
    done = crossexam("check", "out/suite", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "")
    assert "0 errors" in done.stderr
    base = next((folder / "out" / "suite").glob("base.*"))  # numerical reasoning comes from no pair of it
    assert crossexam("check", "out/suite", "--base", str(base), cwd=folder).returncode == 0
    bad = tmp_path / "bad.jsonl"
    bad.write_text(
        '{"id": "antonymy:a", "premise": "It is hot.", "hypothesis": "It is cold.", "label": "neutral",'
        ' "base": "a", "construction": "antonymy.v1", "source": "premise", "target": "premise",'
        ' "edits": [{"side": "hypothesis", "start": 6, "end": 9, "old": "hot", "new": "warm"}], "info": {}}\n'
    )
    done = crossexam("check", str(bad), cwd=tmp_path)
    assert done.returncode == 1
    assert "E101" in done.stdout
    assert "E201" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["html", "md", "tex", "csv", "json"])
def test_reports_of_every_form(
    demo: tuple[Path, subprocess.CompletedProcess[str]], tmp_path: Path, suffix: str
) -> None:
    folder, _ = demo
    runs = sorted(str(path) for path in (folder / "out" / "runs").iterdir())
    done = crossexam("report", *runs, "-o", str(tmp_path / f"x.{suffix}"), cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / f"x.{suffix}").stat().st_size > 1_000
    done = crossexam("compare", *runs[:2], cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "negation" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["build", "negaton", "--base", "builtin:demo", "-o", "x"], "did you mean 'negation'"),
        (["build", "negation", "--base", "nowhere.jsonl", "-o", "x"], "nowhere.jsonl"),
        (["build", "negation", "--base", "snli:valid", "-o", "x"], "snli"),
        (
            ["build", "negation", "--base", "builtin:demo", "-o", "x", "--columns", "a"],
            "'a' does not name a column",
        ),
        (["build", "negation", "--base", "builtin:demo", "-o", "x", "--format", "xml"], "'xml'"),
        (["build", "antonymy", "--base", "builtin:demo", "-o", "x", "--tagger", "spcy"], "spcy"),
        (["run", "builtin/overlp", "x.parquet", "-o", "r"], "x.parquet"),
        (["run", "hf", "x.parquet", "-o", "r", "--batch-size", "none"], "--batch-size is 'none'"),
        (["report", "nowhere"], "nowhere"),
        (["ls", "models2"], "did you mean 'models'"),
        (
            ["train", "random-forrest", "--train", "x", "--dev", "y", "-o", "z"],
            "did you mean 'random-forest'",
        ),
        (["fetch", "snly"], "did you mean 'snli'"),
    ],
)
def test_a_mistake_has_one_message_and_no_traceback(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    done = crossexam(*arguments, cwd=tmp_path, CROSSEXAM_DATA=str(tmp_path))
    assert done.returncode == 2, done.stdout + done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("crossexam: ")


def test_an_internal_error_leaves_a_log(tmp_path: Path) -> None:
    code = (
        "import sys; from crossexam.cli import ls, main; sys.argv = ['crossexam', 'ls'];"
        "ls._table = lambda kind: 1 / 0; main.run()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(SOURCE), "TMPDIR": str(tmp_path)},
    )
    assert done.returncode == 3
    assert "internal error: ZeroDivisionError" in done.stderr
    (log,) = tmp_path.glob("crossexam-*.log")
    assert str(log) in done.stderr
    assert "Traceback" in log.read_text()


def test_ls_corpora_tells_splits_apart_and_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from crossexam.cli.ls import _corpora

    (tmp_path / "SICK_train.txt").write_text("", encoding="utf-8")
    (tmp_path / "MED.tsv").write_text("", encoding="utf-8")
    monkeypatch.setenv("CROSSEXAM_DATA", str(tmp_path))
    rows = {row[0]: row[1:3] for row in _corpora().rows}
    assert rows["sick"] == ("train dev test all", "part")
    assert rows["med"] == ("test", "yes")
    assert rows["anli"] == ("r1_* r2_* r3_* with * = train dev test", "no")


@pytest.mark.parametrize("kind", ["corpora", "constructions", "suites", "models", "templates", "recipes"])
def test_ls(kind: str, tmp_path: Path) -> None:
    done = crossexam("ls", kind, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    expected = {
        "corpora": "snli",
        "constructions": "antonymy.v2",
        "suites": "stress-tests",
        "models": "zoo/FOLDER of esim",
        "templates": "p3-can-we-infer",
        "recipes": "adagrad",
    }
    assert expected[kind] in done.stdout


def test_every_verb_and_option_has_help(tmp_path: Path) -> None:
    whole = crossexam("--help", cwd=tmp_path).stdout
    verbs = re.findall(r"^│ ([a-z]+) ", whole, flags=re.MULTILINE)
    assert set(verbs) >= {"demo", "examine", "ls", "fetch", "build", "check", "run", "report", "compare"}
    assert crossexam("--version", cwd=tmp_path).stdout.strip()


def test_a_base_file_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("a,b,gold\nThe soup is hot.,A meal is warm.,entailment\n")
    done = crossexam(
        "build",
        "negation",
        "--base",
        "mine.csv",
        "--columns",
        "premise=a,hypothesis=b,label=gold",
        "-o",
        "x",
        "--format",
        "jsonl",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "A meal is warm and false is not true." in (tmp_path / "x" / "negation.mine.jsonl").read_text()


@pytest.mark.slow
def test_a_run_is_not_written_over_another_models(
    demo: tuple[Path, subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    suite = str(demo[0] / "out" / "suite" / "negation.builtin_demo.parquet")
    assert crossexam("run", "builtin/overlap", suite, "-o", "mine", cwd=tmp_path).returncode == 0
    assert crossexam("run", "builtin/overlap", suite, "-o", "mine", cwd=tmp_path).returncode == 0
    before = (tmp_path / "mine" / "manifest.json").read_bytes()
    other = crossexam("run", "builtin/majority", suite, "-o", "mine", cwd=tmp_path)
    assert other.returncode == 2
    assert (
        other.stderr
        == "crossexam: mine: this folder contains a run of builtin/overlap, not of builtin/majority\n"
        "  hint: choose another -o, or --force (in Python, force=True) to replace the run\n"
    )
    assert (tmp_path / "mine" / "manifest.json").read_bytes() == before
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "notes.txt").write_text("mine")
    assert (
        "this folder contains files, but they are not from a run"
        in crossexam("run", "builtin/overlap", suite, "-o", "notes", cwd=tmp_path).stderr
    )
    (tmp_path / "file").write_text("mine")
    for verb in (["run", "builtin/overlap", suite], ["build", "negation", "--base", "builtin:demo"]):
        refused = crossexam(*verb, "-o", "file", cwd=tmp_path)
        assert refused.returncode == 2, refused.stderr
        assert "file" in refused.stderr
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.slow
def test_a_report_onto_a_folder_is_the_users_mistake(
    demo: tuple[Path, subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    run = next((demo[0] / "out" / "runs").iterdir())
    (tmp_path / "d.html").mkdir()
    refused = crossexam("report", str(run), "-o", "d.html", cwd=tmp_path)
    assert refused.returncode == 2, refused.stderr
    assert "d.html" in refused.stderr
