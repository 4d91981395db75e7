"""Functions as models: py/module:function and callables."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import Example
from crossexam.core.outcome import UNANSWERED
from crossexam.models.answer_words import AnswerWords
from crossexam.models.answers import NamedLabels, to_answers, to_probabilities
from crossexam.models.local_imports import local_imports
from crossexam.models.table import open_model
from crossexam.runs.run import predict_suite

DATA = Dataset("d", [Example(str(k), f"p {k}", "h", "neutral") for k in range(2)])
OTHER = AnswerWords(order=("contradiction", "neutral", "entailment"))
PAIRS = [("It rains.", "It is wet."), ("A dog.", "A cat.")]


def always_neutral(pairs: Sequence[tuple[str, str]]) -> list[str]:
    return ["neutral"] * len(pairs)


@pytest.mark.parametrize(
    "answers",
    [
        ["entailment", "contradiction"],
        ["E", "contradicts"],
        [{"entailment": 1.0}, {"CONTRADICTION": 0.9999, "neutral": 0.0001}],
        [{"label": "ENTAILMENT", "score": 0.98}, {"label": "contradiction", "score": 0.7}],
        [[1, 0, 0], [0.0, 0.1, 0.9]],
        np.array([[0.9, 0.05, 0.05], [0.2, 0.2, 0.6]], dtype=np.float16),
        (row for row in ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0])),
    ],
)
def test_forms_of_answers(answers: Any) -> None:
    table = to_probabilities(answers, PAIRS, where="f")
    assert table.argmax(axis=1).tolist() == [0, 2]
    assert np.allclose(table.sum(axis=1), 1, atol=1e-12)


def test_tensors_are_answers() -> None:
    torch = pytest.importorskip("torch")
    table = to_probabilities(
        torch.tensor([[0.1, 0.2, 0.7]], dtype=torch.bfloat16, requires_grad=True), PAIRS[:1], where="f"
    )
    assert table.argmax(axis=1).tolist() == [2]


def test_numbers_need_a_declared_order() -> None:
    with pytest.raises(
        FormatError,
        match=r"are class indices, but nothing says what they mean(.|\n)*"
        r"--labels 1=entailment,0=not_entailment if 1 means entailment; --label-order "
        r"entailment,neutral,contradiction \(in the order of your classes\) for three labels; or return",
    ):
        to_probabilities([0, 1], PAIRS, where="f")
    table = to_probabilities(np.array([0, 1]), PAIRS, OTHER, where="f")
    assert table.argmax(axis=1).tolist() == [2, 1]
    with pytest.raises(FormatError, match=r"'A cat\.' is 3\n  wanted: a number from 0 to 2"):
        to_probabilities([0, 3], PAIRS, OTHER, where="f")


def test_a_declared_order_holds_for_columns_too() -> None:
    table = to_probabilities([[0.7, 0.2, 0.1]], PAIRS[:1], OTHER, where="f")
    assert table.tolist() == [[pytest.approx(0.1), pytest.approx(0.2), pytest.approx(0.7)]]
    table = to_probabilities(
        [[0.7, 0.3]], PAIRS[:1], AnswerWords(order=("not_entailment", "entailment")), where="f"
    )
    assert table.tolist() == [[pytest.approx(0.3), pytest.approx(0.7), 0.0]]


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (["neutral"], "f: 1 answers for 2 pairs"),
        (
            ["neutral", "maybe"],
            "f: the answer for premise 'A dog.' and hypothesis 'A cat.' is 'maybe', which",
        ),
        ([{"neutral": 1.0}, {"perhaps": 1.0}], "'A cat.' is 'perhaps', which is not a label"),
        ([[1, 0], [0, 1]], r"f: the answers are of shape \(2, 2\)\n  wanted: shape \(2, 3\)"),
        ([[1, 0, 0], [0, 1]], "f: the answers are ragged or not numeric"),
        ([[1, 0, 0], [0, 1, float("nan")]], r"'A cat.' is \[0.0, 1.0, nan\]; 1 of 2 answers are not prob"),
        ([[2.5, -1.0, 0.3], [1, 0, 0]], "apply a softmax to logits"),
        ([[0.5, 0.2, 0.1], [1, 0, 0]], r"not probabilities\n  wanted: finite, non-negative numbers"),
        (None, "the function did not return a list or an array"),
        ("neutral", "the function did not return a list or an array"),
    ],
)
def test_malformed_answers_are_told(answers: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        to_probabilities(answers, PAIRS, where="f")


def _module(folder: Path, name: str, text: str) -> None:
    (folder / f"{name}.py").write_text(text, encoding="utf-8")


def test_a_function_of_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _module(tmp_path, "own_model_a", "def judge(pairs):\n    return ['contradiction' for _ in pairs]\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", ["/nowhere"])
    model = open_model("py/own_model_a:judge")
    assert model.name == "py/own_model_a:judge"
    assert model.predict(PAIRS).argmax(axis=1).tolist() == [2, 2]


def test_the_key_changes_with_the_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", ["/nowhere"])
    keys = []
    for answer in ("neutral", "neutral", "contradiction"):
        _module(tmp_path, "own_model_b", f"def judge(pairs):\n    return ['{answer}' for _ in pairs]\n")
        keys.append(open_model("py/own_model_b:judge").key)
    assert keys[0] == keys[1] != keys[2]
    declared = {"label_order": ("neutral", "entailment", "contradiction")}
    assert open_model("py/own_model_b:judge", declared).key != keys[2]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a function whose module imports others, directly, indirectly and lazily."""
    package = tmp_path / "own_package"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "inner" / "__init__.py").write_text("", encoding="utf-8")
    texts = {
        "own_function": "import own_helper\nfrom own_package.inner import rules\n\n"
        "def judge(pairs):\n    import own_lazy\n    return ['neutral' for _ in pairs]\n",
        "own_helper": "import json, numpy\nfrom own_second import LABEL\n",
        "own_second": "LABEL = 'neutral'\n",
        "own_lazy": "import own_function\n",
        "own_package/inner/rules": "from . import words\nfrom ..shared import SCALE\n",
        "own_package/inner/words": "WORDS = ()\n",
        "own_package/shared": "SCALE = 1\n",
        "own_bystander": "X = 1\n",
    }
    for name, text in texts.items():
        _module(tmp_path, name, text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [str(tmp_path), *sys.path])
    return tmp_path


@pytest.mark.parametrize(
    ("module", "counts"),
    [
        ("own_function", True),
        ("own_helper", True),
        ("own_second", True),
        ("own_lazy", True),
        ("own_package/__init__", True),
        ("own_package/inner/__init__", True),
        ("own_package/inner/rules", True),
        ("own_package/inner/words", True),
        ("own_package/shared", True),
        ("own_bystander", False),
    ],
)
def test_the_key_covers_local_imports(project: Path, module: str, counts: bool) -> None:
    before = open_model("py/own_function:judge").key
    assert open_model("py/own_function:judge").key == before
    _module(project, module, (project / f"{module}.py").read_text(encoding="utf-8") + "# changed\n")
    assert (open_model("py/own_function:judge").key != before) == counts


def test_the_key_of_a_callable_covers_local_imports(project: Path) -> None:
    import importlib

    judge = importlib.import_module("own_function").judge
    before = open_model(judge).key
    assert open_model(judge).key == before
    _module(project, "own_second", "LABEL = 'entailment'\n")
    assert open_model(judge).key != before


def test_a_source_that_is_not_python_has_no_imports(tmp_path: Path) -> None:
    _module(tmp_path, "broken", "def (:\n")
    assert local_imports("broken", tmp_path / "broken.py") == {}
    assert local_imports("absent", tmp_path / "absent.py") == {}


def test_what_cannot_be_imported_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", ["/nowhere"])
    _module(tmp_path, "own_model_c", "def judge(pairs):\n    return [1 / 0]\nNAME = 'x'\n")
    _module(tmp_path, "own_model_d", "import surely_not_installed\n")
    with pytest.raises(CrossexamError, match="wanted: py/module:function"):
        open_model("py/own_model_c")
    with pytest.raises(CrossexamError, match="no module 'own_model_x'"):
        open_model("py/own_model_x:judge")
    with pytest.raises(CrossexamError, match="hint: did you mean 'py/own_model_c:judge'"):
        open_model("py/own_mdoel_c:judge")
    with pytest.raises(CrossexamError, match="the module has no function 'jugde'\n  hint: it has: judge"):
        open_model("py/own_model_c:jugde")
    with pytest.raises(CrossexamError, match="the module needs 'surely_not_installed'"):
        open_model("py/own_model_d:judge")
    with pytest.raises(
        CrossexamError,
        match=r"_c:judge: the function raised ZeroDivisionError(.|\n)*; this list began with premise '",
    ):
        open_model("py/own_model_c:judge").predict(PAIRS)


def test_only_functions_without_state_keep_their_key() -> None:
    def closing_over(label: str) -> Callable[[Sequence[tuple[str, str]]], list[str]]:
        return lambda pairs: [label] * len(pairs)

    assert open_model(always_neutral).key == open_model(always_neutral).key
    first, second = open_model(closing_over("neutral")), open_model(closing_over("entailment"))
    assert first.key != second.key
    assert first.predict(PAIRS).argmax(axis=1).tolist() == [1, 1]
    assert open_model(partial(always_neutral)).key != open_model(partial(always_neutral)).key


@pytest.mark.parametrize(
    "given", ["neutral", {"neutral": 1.0}, [0.0, 1.0, 0.0], np.array([0.0, 1.0, 0.0]), {"label": "neutral"}]
)
@pytest.mark.parametrize("status", UNANSWERED)
def test_a_status_stands_for_a_missing_answer(given: Any, status: str) -> None:
    table, outcomes = to_answers([{"status": status}, given], PAIRS, where="f")
    assert np.isnan(table[0]).all()
    assert table[1].tolist() == [0, 1, 0]
    assert [outcome.status for outcome in outcomes] == [status, "answered"]


def test_a_function_may_leave_all_of_a_batch_unanswered() -> None:
    named = NamedLabels()
    table, outcomes = to_answers([{"status": "cut"}] * 2, PAIRS, where="f", named=named)
    assert np.isnan(table).all()
    assert len(outcomes) == 2
    assert not named.seen
    run = predict_suite(lambda pairs: [{"status": "cut"} for _ in pairs], DATA)
    assert run.outcomes["d"].unanswered() == {"cut": 2}


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([None, "neutral"], "'It is wet.' is None(.|\n)*status"),
        (["neutral", None], "'A cat.' is None"),
        (
            ["neutral", " "],
            r"'A cat.' is ' ', which is empty\n  wanted: a label\n  hint: a function returns \{.status",
        ),
        ([{"status": "tired"}, "neutral"], r"'It is wet.' is \{'status': 'tired'\}"),
        ([{"status": "answered"}, "neutral"], r"'It is wet.' is \{'status': 'answered'\}"),
        ([{"status": "cut", "neutral": 1.0}, "neutral"], "'It is wet.' is"),
        ([{"status": "cut"}], "1 answers for 2 pairs"),
        ([{"status": "cut"}, "neutral", "neutral"], "3 answers for 2 pairs"),
        (["neutral", {"status": "cut"}, "newtral"], "3 answers for 2 pairs"),
        ([{"status": "cut"}, "newtral"], "is 'newtral', which is not a label"),
    ],
)
def test_a_missing_answer_must_be_explicit(answers: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        to_answers(answers, PAIRS, where="f")


@pytest.mark.parametrize("module", ["json", "numpy", "polars", "sqlite3"])
def test_a_module_with_the_name_of_a_library_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    _module(tmp_path, module, "raise SystemExit('shadowed')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    with pytest.raises(
        CrossexamError,
        match=rf"py/{module}:judge: {module}\.py has the name of a library(.|\n)*wanted: a file with another",
    ):
        open_model(f"py/{module}:judge")


#: What imports the libraries that files of the working folder are called after, and lists what it got.
WHERE = """
import sys
def judge(pairs):
    import json, numpy, polars
    sys.stderr.write(f"{json.__file__} {numpy.__file__} {polars.__file__}\\n")
    return [json.loads('"neutral"')] * len(pairs)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("start", "libraries"),
    [
        (["-P", "-m", "crossexam"], ["json", "numpy", "polars", "rich", "typer"]),  # as the installed command
        (["-m", "crossexam"], ["numpy", "polars", "rich", "typer"]),  # Python itself looks there for json
    ],
)
def test_files_of_the_working_folder_do_not_replace_libraries(
    tmp_path: Path, start: list[str], libraries: list[str]
) -> None:
    import crossexam

    for library in libraries:
        _module(tmp_path, library, "raise SystemExit('shadowed')\n")
    _module(tmp_path, "own_model_e", WHERE)
    pairs = tmp_path / "pairs.jsonl"
    row = '{"id": "a", "premise": "It rains.", "hypothesis": "It is wet.", "label": "neutral"}\n'
    pairs.write_text(row, encoding="utf-8")
    source = str(Path(crossexam.__file__).parents[1])
    command = ["run", "py/own_model_e:judge", str(pairs), "-o", str(tmp_path / "run")]
    ended = subprocess.run(
        [sys.executable, *start, *command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert str(tmp_path / "numpy") not in ended.stderr
    assert "numpy" in ended.stderr


WORDS = AnswerWords({"supported": "entailment", "unsupported": "not_entailment", "unclear": None})
NUMBERS = AnswerWords({"1": "entailment", "0": "not_entailment"})


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        (["Supported", " unsupported"], WORDS),
        (["entailment", "not entailment"], WORDS),
        ([{"supported": 1.0}, {"supported": 0.0, "unsupported": 1.0}], WORDS),
        ([{"label": "SUPPORTED", "score": 0.9}, {"label": "unsupported", "score": 0.9}], WORDS),
        ([1, 0], NUMBERS),
        (["1", "0"], NUMBERS),
        (np.array([1, 0]), NUMBERS),
        ([1, 0], AnswerWords({"1": "entailment"}, ("not_entailment", "entailment"))),
        ([True, False], AnswerWords()),
        ([np.True_, np.False_], WORDS),
        (np.array([True, False]), NUMBERS),
        ([False, True], AnswerWords({"true": "not_entailment", "false": "entailment"})),
    ],
)
def test_a_function_answers_in_words_of_its_own(answers: Any, words: AnswerWords) -> None:
    named = NamedLabels()
    table = to_probabilities(answers, PAIRS, words, where="f", named=named)
    assert table.tolist() == [[1, 0, 0], [0, 1, 0]]  # not_entailment counts as neutral
    assert named.seen == {"entailment", "not_entailment"}
    assert named.two_label


@pytest.mark.parametrize(
    ("answers", "words", "message"),
    [
        (
            ["supported", "unsupported"],
            AnswerWords(),
            r"'It is wet.' is 'supported', which is not a label\n  wanted: .*\n"
            r"  hint: --labels supported=entailment,unsupported=not_entailment declares",
        ),
        (
            ["not supported", "supported"],
            AnswerWords(),
            r"--labels 'not supported=not_entailment,supported=ent",
        ),
        (["supported", "dunno"], WORDS, r"--labels supported=entailment,.*unclear=-,dunno=LABEL declares"),
        (["supported", "maybe so"], WORDS, "or what --labels declares: supported, unsupported, unclear\n"),
        (["supported", "unclear"], WORDS, r"'A cat.' is 'unclear', which --labels declares as no gold label"),
        (["supported", "neutral"], WORDS, None),
        (["unsupported", "neutral"], WORDS, "some answers are not_entailment, others are neutral"),
        (
            [True, "supported"],
            WORDS,
            r"'It is wet.' is True, and .* 'A cat.' is 'supported'\n  wanted: answers of one",
        ),
        (["supported", True], WORDS, "'It is wet.' is 'supported', and .* 'A cat.' is True\n"),
        ([True, 1], NUMBERS, "'It is wet.' is True, and .* 'A cat.' is 1\n"),
        ([1, True], NUMBERS, "'It is wet.' is 1, and .* 'A cat.' is True\n"),
        ([True, None], AnswerWords(), "'A cat.' is None"),
        ([True, False], AnswerWords({"true": "entailment"}), "'A cat.' is False, which is not a label"),
        ([1, 2], NUMBERS, r"'A cat.' is 2, which is not a label(.|\n)*0=not_entailment,2=LABEL declares"),
        (
            [1, 0],
            WORDS,
            r"unclear=-,1=entailment,0=not_entailment if 1 means entailment; or return True",
        ),
        ([0, 2], AnswerWords(), r"hint: --label-order entailment,neutral,contradiction \(in the order"),
        (
            [1, 0],
            AnswerWords({"1": "entailment"}, ("entailment", "not_entailment")),
            "f: class 1 is entailment by --labels, and not_entailment by --label-order",
        ),
        ([[1, 0], [0, 1]], AnswerWords(), r"hint: --label-order entailment,not_entailment \(in the order"),
        (["x" * 5_000, "supported"], WORDS, rf"'It is wet.' is 'x{{{76}}}\.\.\., which is not a label"),
        ([{"status": "y" * 5_000}, "supported"], WORDS, r"'It is wet.' is \{'status': 'y+\.\.\.\n"),
    ],
)
def test_answers_that_name_no_label_are_told(answers: Any, words: AnswerWords, message: str | None) -> None:
    if message is None:
        assert to_answers(answers, PAIRS, words, where="f")[0].argmax(axis=1).tolist() == [0, 1]
        return
    with pytest.raises(CrossexamError, match=message) as caught:
        to_answers(answers, PAIRS, words, where="f")
    assert len(str(caught.value)) < 600
    assert "a number from 0 to 1" not in str(caught.value)


def test_the_labels_of_a_function_are_in_its_key_and_details() -> None:
    def supported(pairs: Sequence[tuple[str, str]]) -> list[str]:
        return ["supported" for _ in pairs]

    plain, words = open_model(supported), open_model(supported, {"labels": "supported=entailment"})
    assert plain.key != words.key
    same = [{"yes": "entailment", "no": "neutral"}, "no=neutral,yes=entailment"]
    assert len({open_model(supported, {"labels": each}).key for each in same}) == 1
    assert words.details["declared_labels"] == {"supported": "entailment"}
    assert words.predict(PAIRS).tolist() == [[1, 0, 0], [1, 0, 0]]
    with pytest.raises(CrossexamError, match="'maybe' is not a label"):
        open_model(supported, {"labels": {"yes": "maybe"}})
    with pytest.raises(CrossexamError, match=r"'py\.labels' cannot be 3\n  wanted: a text or a dict or none"):
        open_model(supported, {"labels": 3})


def test_true_and_false_are_two_labels_in_a_run() -> None:
    run = predict_suite(lambda pairs: [p.endswith("0") for p, _ in pairs], DATA)
    assert run.manifest["details"]["two_label"] is True
    assert run.predictions("d").tolist() == ["entailment", "not_entailment"]
