"""Run folders on the command line: further test sets, examinations, and reports for files and trackers."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import crossexam as cx
from crossexam.core.test_sets import write_test_set
from crossexam.runs.saved import read_run
from crossexam.training import trackers
from crossexam.training.trackers import OpenRun
from made.suites import SLEEP

Crossexam = Callable[..., Any]


@pytest.fixture
def sets(folder: Path) -> Path:
    for name in ("base.tiny", "more.tiny"):
        write_test_set(folder / f"{name}.parquet", [SLEEP])
    return folder


def test_a_second_suite_is_added_and_has_to_be_left_out_if_only_one_run_has_it(
    sets: Path, crossexam: Crossexam
) -> None:
    crossexam("run builtin/overlap base.tiny.parquet -o run")
    line = "run builtin/overlap base.tiny.parquet more.tiny.parquet --only"
    said = crossexam(f"{line} mo* -o run").err
    assert "run already had these test sets of the model, which are kept: base.tiny" in said
    assert list(read_run(sets / "run").datasets) == ["base.tiny", "more.tiny"]
    assert "'moer.tiny'" in crossexam(f"{line} moer.tiny -o other", 2).err
    crossexam("run builtin/majority base.tiny.parquet -o b")
    only = "only the first run (builtin/overlap) has: more.tiny"
    assert only in crossexam("compare run b -o c.csv", 2).err
    crossexam("compare run b --common -o c.csv")
    assert "more.tiny" not in (sets / "c.csv").read_text(encoding="utf-8")


def test_a_model_that_cannot_be_asked_for_now_ends_with_exit_code_4(sets: Path, crossexam: Crossexam) -> None:
    (sets / "down.py").write_text(
        "import crossexam as cx, pathlib\n"
        "def ask(pairs):\n"
        "    if not pathlib.Path('up').exists():\n"
        "        raise cx.UnfinishedError('the server is down', where='py/down')\n"
        "    return [{'status': 'refused'} for pair in pairs]\n",
        encoding="utf-8",
    )
    line = "run py/down:ask base.tiny.parquet -o run"
    message = crossexam(line, 4).err
    assert "py/down: the server is down; 1 of 1 distinct pairs are still to be asked" in message
    (sets / "up").touch()
    crossexam(line)
    assert read_run(sets / "run").outcomes_of("base.tiny").unanswered() == {"refused": 1}
    assert "1 refused" in crossexam("report run --max-unanswered 1").text
    crossexam(f"{line} --again refused,cut")


RULES = '[[gate]]\nset = "*"\nmeasure = "unanswered"\nmax = 0.0\n'
#: Commands that take a run: here the folder that examine wrote for one model.
TAKE_A_RUN = (
    "report {}",
    "baseline {} -o written.parquet",
    "gate {}",
    "validate sample --errors {} -o study",
)
OF_A_RUN = ("one --relative-to {}", "--temperature-from {}", "--threshold dev:{}")


@pytest.fixture
def examined(folder: Path, crossexam: Crossexam) -> Path:
    Path("crossexam.toml").write_text(RULES, encoding="utf-8")
    for models, out in (("builtin/majority", "one"), ("builtin/overlap builtin/majority", "two")):
        crossexam(f"examine {models} --base builtin:demo[:6] --suite negation -o {out}")
    crossexam("run builtin/overlap one/suite -o run")
    return folder


def test_the_folder_of_an_examination_is_its_run_if_there_is_one(
    examined: Path, crossexam: Crossexam, for_each: Callable[..., None]
) -> None:
    """Otherwise its runs are named; a report takes all of them, in the order in which they were made."""
    for_each(lambda line: crossexam(line.format("one")), ["compare {} run", "compare run {}", *TAKE_A_RUN])
    others = [f"report run {option}" for option in OF_A_RUN]
    for_each(lambda line: named(crossexam(line.format("two"), 2).err), [*TAKE_A_RUN[1:], *others])
    crossexam("report two -o report.json")
    written = json.loads(Path("report.json").read_text(encoding="utf-8"))
    assert [each["name"] for each in written["models"]] == ["builtin/overlap", "builtin/majority"]
    assert cx.load_run("one").model == "builtin/majority"


def named(message: str) -> None:
    assert message.startswith("crossexam: two: ")
    assert all(f"two/runs/builtin-{name}" in message for name in ("overlap", "majority"))


@pytest.mark.usefixtures("examined")
def test_an_examination_that_was_stopped_has_a_run_that_is_not_finished(crossexam: Crossexam) -> None:
    stopped = Path("one/runs/builtin-majority")
    (stopped / "manifest.json").rename(stopped / "store.sqlite")
    assert "one/runs/builtin-majority: the run is not finished" in crossexam("gate one", 4).err
    stopped = Path("two/runs/builtin-overlap")
    (stopped / "manifest.json").rename(stopped / "store.sqlite")
    named(crossexam("gate two", 2).err)  # not the one that is finished


# Reports


@pytest.fixture
def runs(sets: Path, crossexam: Crossexam) -> Path:
    for model in ("overlap", "neutral"):
        crossexam(f"run builtin/{model} base.tiny.parquet -o {model}")
    return sets


def test_a_report_is_tracked_with_its_files(
    runs: Path, crossexam: Crossexam, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The numbers: tests/reports/test_tracking.py."""
    given: list[Any] = []

    @contextmanager
    def keep(name: str, parameters: Any, folder: Path) -> Iterator[OpenRun]:
        def add(folder: Path) -> None:
            given.append((parameters["model"], sorted(path.name for path in folder.iterdir())))

        yield OpenRun("place", lambda metrics, step: None, add)

    kept = replace(trackers.TRACKERS["mlflow"], open=keep)
    monkeypatch.setattr(trackers, "TRACKERS", {"json": kept})  # a package that is there
    said = crossexam("report neutral overlap -o x.md --track json --track json")
    assert "json: builtin/overlap: place" in said.err
    files = ["report.html", "report.json"]
    assert given == [(f"builtin/{name}", files) for name in ("neutral", "overlap")]


def test_a_report_is_written_in_several_formats_or_in_none(runs: Path, crossexam: Crossexam) -> None:
    crossexam("report neutral -o a.csv -o b.md")
    assert all((runs / name).stat().st_size for name in ("a.csv", "b.md"))
    assert "'.xyz'" in crossexam("report neutral -o c.csv -o d.xyz", 2).err
    assert not (runs / "c.csv").exists()
    assert "'mlflwo'" in crossexam("report nowhere --track mlflwo", 2).err  # before anything is read
