"""A user's own claims, labels, functions and files: ``--labels`` and ``--columns`` on the command line."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from crossexam.cli.main import app
from crossexam.cli.options import model_options
from crossexam.core.errors import CrossexamError
from crossexam.runs.saved import read_run

LABELS = "supported=entailment,unsupported=not_entailment"
COLUMNS = "premise=document,hypothesis=claim,label=verdict"
#: What each function says of a claim that the document has.
FUNCTIONS = """\
def words(pairs):
    return ["supported" if h in p else "unsupported" for p, h in pairs]
def usual(pairs):
    return ["entailment" if h in p else "not_entailment" for p, h in pairs]
def truth(pairs):
    return [h in p for p, h in pairs]
def exchanged(pairs):
    return [h not in p for p, h in pairs]
def numbers(pairs):
    return [int(h in p) for p, h in pairs]
def odd(pairs):
    return ["dunno"] * len(pairs)
calls = []
def counting(pairs):
    calls.append(list(pairs))
    return ["supported"] * len(pairs)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with ten claims, of which five are supported, and functions."""
    rows = [
        (f"Ann walked {n}. The bus was late.", "The bus was late.", "supported")
        if n % 2
        else (f"Ann walked {n}.", f"Bob was hungry on day {n}.", "unsupported")
        for n in range(10)
    ]
    with (tmp_path / "claims.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("document", "claim", "verdict"), *rows])
    (tmp_path / "own_answers.py").write_text(FUNCTIONS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "own_answers", raising=False)
    return tmp_path


def command(*words: str) -> Any:
    return CliRunner().invoke(app, list(words))


def examine(*words: str, labels: str = LABELS) -> Any:
    base = ["--base", "claims.csv", "--columns", COLUMNS, "--labels", labels, "--suite", "negation"]
    return command("examine", *words, *base, "-o", "out")


def right(name: str, test_set: str = "base.claims") -> int:
    run = read_run(Path("out/runs") / name)
    gold = [each.label for each in run.datasets[test_set]]
    return sum(a == b for a, b in zip(run.predictions(test_set).tolist(), gold, strict=True))


@pytest.mark.usefixtures("folder")
def test_labels_hold_for_the_base_and_for_the_answers() -> None:
    names = ["words", "usual", "truth"]
    done = examine(*(f"py/own_answers:{name}" for name in names), "builtin/overlap")
    assert done.exit_code == 0, done.output
    assert [right(f"py-own_answers-{name}") for name in names] == [10, 10, 10]
    details = json.loads(Path("out/runs/py-own_answers-words/manifest.json").read_text())["details"]
    assert details["declared_labels"] == {"supported": "entailment", "unsupported": "not_entailment"}
    assert details["two_label"] is True


@pytest.mark.usefixtures("folder")
def test_class_indices_of_a_function_are_declared_too() -> None:
    done = examine("py/own_answers:numbers", labels=f"{LABELS},1=entailment,0=not_entailment")
    assert done.exit_code == 0, done.output
    assert right("py-own_answers-numbers") == 10


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "odd",
            f"hypothesis .* is 'dunno', which is not a label(.|\n)*--labels {LABELS},dunno=LABEL declares",
        ),
        ("numbers", f"nothing says what they mean(.|\n)*--labels {LABELS},1=entailment,0=not_entailment if"),
    ],
)
def test_an_answer_that_cannot_be_read_is_refused_before_anything_is_built(name: str, message: str) -> None:
    done = examine("builtin/overlap", f"py/own_answers:{name}")
    with pytest.raises(CrossexamError, match=message):
        raise done.exception
    assert not Path("out").exists()
    assert "yield" not in done.output


@pytest.mark.usefixtures("folder")
def test_a_function_is_tried_once_with_two_pairs_of_the_base() -> None:
    assert examine("py/own_answers:counting").exit_code == 0
    calls = sys.modules["own_answers"].calls
    assert [len(each) for each in calls] == [2, len({pair for call in calls[1:] for pair in call})]
    assert calls[0][0] == ("Ann walked 0.", "Bob was hungry on day 0.")
    before = len(calls)
    assert examine("py/own_answers:counting").exit_code == 0
    assert len(calls) == before  # the same command again asks nothing


@pytest.mark.usefixtures("folder")
def test_answers_may_have_other_words_than_the_base() -> None:
    text = Path("claims.csv").read_text().replace("unsupported", "true").replace("supported", "false")
    Path("claims.csv").write_text(text)  # true: it is hallucinated
    labels = "true=not_entailment,false=entailment"
    done = examine("py/own_answers:exchanged", labels=labels)
    assert done.exit_code == 0, done.output
    assert right("py-own_answers-exchanged") == 10
    assert "its answer True means not_entailment, as --labels says" in " ".join(done.stderr.split())
    done = examine("py/own_answers:truth", "--set", "py.labels=none", labels=labels)
    assert done.exit_code == 0, done.output
    assert right("py-own_answers-truth") == 10
    assert "its answer True" not in done.stderr


def test_a_flag_of_the_base_is_for_the_models_that_have_the_option() -> None:
    plain: Mapping[str, Any] = dict.fromkeys(
        ("dtype", "max_length", "label_order", "threshold", "revision"), None
    ) | {"batch_size": "auto", "device": "auto"}
    options: Callable[..., dict[str, Any]] = lambda *models, **more: model_options(models, **plain, **more)  # noqa: E731
    of_base = {"labels": "yes=entailment"}
    assert options("builtin/overlap", "hf/x", of_base=of_base) == {}
    assert options("py/f", "builtin/overlap", of_base=of_base) == {"py.labels": "yes=entailment"}
    own = [("py", "labels", "ja=entailment")]
    found = options("py/f", "file/x", of_base=of_base, settings=own)
    assert found == {"py.labels": "ja=entailment", "file.labels": "yes=entailment"}
    assert options("py/f", of_base={"labels": None}) == {}


@pytest.fixture
def suite(folder: Path) -> Path:
    """The suite of the claims."""
    line = ("build", "negation", "--base", "claims.csv", "--columns", COLUMNS, "--labels", LABELS)
    assert command(*line, "-o", "tests").exit_code == 0
    return folder / "tests"


@pytest.mark.usefixtures("suite")
@pytest.mark.parametrize(
    ("name", "labels"),
    [("words", LABELS), ("numbers", "1=entailment,0=not_entailment"), ("truth", None), ("usual", LABELS)],
)
def test_run_takes_labels(name: str, labels: str | None) -> None:
    stated = ["--labels", labels] if labels else []
    done = command("run", f"py/own_answers:{name}", "tests", "-o", f"out/runs/{name}", *stated)
    assert done.exit_code == 0, done.output
    assert right(name) == 10


@pytest.mark.usefixtures("suite")
def test_run_takes_columns_of_a_file() -> None:
    assert command("export", "jsonl", "tests", "-o", "pairs").exit_code == 0
    rows = [json.loads(line) for line in Path("pairs/pairs.jsonl").read_text().splitlines()]
    with Path("a.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("doc", "said", "mine"))
        for row in rows:
            is_there = row["hypothesis"] in row["premise"]
            writer.writerow((row["premise"], row["hypothesis"], "supported" if is_there else "unsupported"))
    columns = "premise=doc,hypothesis=said,prediction=mine"
    line = ("run", "file/a.csv", "tests", "-o", "out/runs/file")
    done = command(*line, "--columns", columns, "--labels", LABELS)
    assert done.exit_code == 0, done.output
    assert right("file") == 10
    refused = command(*line, "--labels", LABELS)
    assert "no column identifies the item" in str(refused.exception)
    refused = command("run", "builtin/overlap", "tests", "-o", "x", "--columns", columns)
    assert "builtin/ models have no option 'columns'" in str(refused.exception)
    refused = command("run", "builtin/overlap", "tests", "-o", "x", "--labels", LABELS)
    assert "builtin/ models have no option 'labels'" in str(refused.exception)
    # In examine, --columns is for the base, and the file has an option of its own.
    refused = examine("file/a.csv")
    assert "or --set file.columns=id=A, says which it is" in str(refused.exception)
    assert not Path("out/suite").exists()
    done = examine("file/a.csv", "--set", f"file.columns={columns}")
    assert done.exit_code == 0, done.output
    assert right("file-a.csv") == 10
