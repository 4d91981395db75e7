"""Functions as models: py/module:function and callables."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossexam
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


def test_forms_of_answers(case: Any) -> None:
    for answers in (
        ["entailment", "contradiction"],
        ["E", "contradicts"],
        [{"entailment": 1.0}, {"CONTRADICTION": 0.9999, "neutral": 0.0001}],
        [{"label": "ENTAILMENT", "score": 0.98}, {"label": "contradiction", "score": 0.7}],
        [[1, 0, 0], [0.0, 0.1, 0.9]],
        np.array([[0.9, 0.05, 0.05], [0.2, 0.2, 0.6]], dtype=np.float16),
        (row for row in ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0])),
    ):
        with case(answers):
            table = to_probabilities(answers, PAIRS, where="f")
            assert table.argmax(axis=1).tolist() == [0, 2]
            assert np.allclose(table.sum(axis=1), 1, atol=1e-12)


def test_tensors_are_answers() -> None:
    torch = pytest.importorskip("torch")
    table = to_probabilities(
        torch.tensor([[0.1, 0.2, 0.7]], dtype=torch.bfloat16, requires_grad=True), PAIRS[:1], where="f"
    )
    assert table.argmax(axis=1).tolist() == [2]


def test_numbers_need_a_declared_order(case: Any) -> None:
    named = (
        "are class indices, but nothing says what they mean",
        "--labels 1=entailment,0=not_entailment if 1 means entailment; --label-order "
        "entailment,neutral,contradiction (in the order of your classes) for three labels; or return",
    )
    with case.refused(*named, kind=FormatError):
        to_probabilities([0, 1], PAIRS, where="f")
    table = to_probabilities(np.array([0, 1]), PAIRS, OTHER, where="f")
    assert table.argmax(axis=1).tolist() == [2, 1]
    with case.refused("'A cat.' is 3", "wanted: a number from 0 to 2", kind=FormatError):
        to_probabilities([0, 3], PAIRS, OTHER, where="f")
    table = to_probabilities([[0.7, 0.2, 0.1]], PAIRS[:1], OTHER, where="f")
    assert table.tolist() == [[pytest.approx(0.1), pytest.approx(0.2), pytest.approx(0.7)]]
    two = AnswerWords(order=("not_entailment", "entailment"))
    table = to_probabilities([[0.7, 0.3]], PAIRS[:1], two, where="f")
    assert table.tolist() == [[pytest.approx(0.3), pytest.approx(0.7), 0.0]]


def test_malformed_answers_are_told(case: Any) -> None:
    for answers, *named in (
        (["neutral"], "f: 1 answer for 2 pairs"),
        (["neutral", "maybe"], "f: the answer for premise 'A dog.' and hypothesis 'A cat.' is 'maybe'"),
        ([{"neutral": 1.0}, {"perhaps": 1.0}], "'A cat.' is 'perhaps', which is not a label"),
        ([[1, 0], [0, 1]], "f: the answers are of shape (2, 2)", "wanted: shape (2, 3)"),
        ([[1, 0, 0], [0, 1]], "f: the answers are ragged or not numeric"),
        ([[1, 0, 0], [0, 1, float("nan")]], "'A cat.' is [0.0, 1.0, nan]; 1 of 2 answers are not prob"),
        ([[2.5, -1.0, 0.3], [1, 0, 0]], "apply a softmax to logits"),
        ([[0.5, 0.2, 0.1], [1, 0, 0]], "not probabilities", "wanted: finite, non-negative numbers"),
        (None, "the function did not return a list or an array"),
        ("neutral", "the function did not return a list or an array"),
    ):
        with case.refused(*named, kind=FormatError):
            to_probabilities(answers, PAIRS, where="f")


# Answers that are missing


def test_a_status_stands_for_a_missing_answer(case: Any) -> None:
    """For one pair, or for all of a batch."""
    neutral = ("neutral", {"neutral": 1.0}, [0.0, 1.0, 0.0], np.array([0.0, 1.0, 0.0]), {"label": "neutral"})
    for status in UNANSWERED:
        for given in neutral:
            with case(status, given):
                table, outcomes = to_answers([{"status": status}, given], PAIRS, where="f")
                assert np.isnan(table[0]).all()
                assert table[1].tolist() == [0, 1, 0]
                assert [outcome.status for outcome in outcomes] == [status, "answered"]
    named = NamedLabels()
    table, outcomes = to_answers([{"status": "cut"}] * 2, PAIRS, where="f", named=named)
    assert np.isnan(table).all()
    assert len(outcomes) == 2
    assert not named.seen
    run = predict_suite(lambda pairs: [{"status": "cut"} for _ in pairs], DATA)
    assert run.outcomes["d"].unanswered() == {"cut": 2}


def test_a_missing_answer_must_be_explicit(case: Any) -> None:
    cut = {"status": "cut"}
    for answers, *named in (
        ([None, "neutral"], "'It is wet.' is None", "status"),
        (["neutral", None], "'A cat.' is None"),
        (["neutral", " "], "'A cat.' is ' ', which is empty", 'hint: a function returns {"status'),
        ([{"status": "tired"}, "neutral"], "'It is wet.' is {'status': 'tired'}"),
        ([{"status": "answered"}, "neutral"], "'It is wet.' is {'status': 'answered'}"),
        ([{**cut, "neutral": 1.0}, "neutral"], "'It is wet.' is"),
        ([cut], "1 answer for 2 pairs"),
        ([cut, "neutral", "neutral"], "3 answers for 2 pairs"),
        (["neutral", cut, "newtral"], "3 answers for 2 pairs"),
        ([cut, "newtral"], "is 'newtral', which is not a label"),
    ):
        with case.refused(*named, kind=FormatError):
            to_answers(answers, PAIRS, where="f")


# Words of a function's own


WORDS = AnswerWords({"supported": "entailment", "unsupported": "not_entailment", "unclear": None})
NUMBERS = AnswerWords({"1": "entailment", "0": "not_entailment"})


def test_a_function_answers_in_words_of_its_own(case: Any) -> None:
    for answers, words in (
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
    ):
        with case(answers, words):
            named = NamedLabels()
            table = to_probabilities(answers, PAIRS, words, where="f", named=named)
            assert table.tolist() == [[1, 0, 0], [0, 1, 0]]  # not_entailment counts as neutral
            assert named.seen == {"entailment", "not_entailment"}
            assert named.two_label
    table, _ = to_answers(["supported", "neutral"], PAIRS, WORDS, where="f")
    assert table.argmax(axis=1).tolist() == [0, 1]
    run = predict_suite(lambda pairs: [p.endswith("0") for p, _ in pairs], DATA)
    assert run.manifest["details"]["two_label"] is True
    assert run.predictions("d").tolist() == ["entailment", "not_entailment"]


def test_answers_that_name_no_label_are_told(case: Any) -> None:
    none, reversed_order = AnswerWords(), AnswerWords({"1": "entailment"}, ("entailment", "not_entailment"))
    supported, wet = "--labels supported=entailment,unsupported=not_entailment", "'It is wet.' is "
    for answers, words, *named in (
        (["supported", "unsupported"], none, f"{wet}'supported', which is not a label", f"hint: {supported}"),
        (["not supported", "supported"], none, "--labels 'not supported=not_entailment,supported=ent"),
        (["supported", "dunno"], WORDS, "--labels supported=entailment,", "unclear=-,dunno=LABEL declares"),
        (["supported", "maybe so"], WORDS, "what --labels declares: supported, unsupported, unclear\n"),
        (["supported", "unclear"], WORDS, "'A cat.' is 'unclear', which --labels declares as no gold label"),
        (["unsupported", "neutral"], WORDS, "some answers are not_entailment, others are neutral"),
        ([True, "supported"], WORDS, f"{wet}True, and ", "'A cat.' is 'supported'"),
        (["supported", True], WORDS, f"{wet}'supported', and ", "'A cat.' is True"),
        ([True, 1], NUMBERS, f"{wet}True, and ", "'A cat.' is 1"),
        ([1, True], NUMBERS, f"{wet}1, and ", "'A cat.' is True"),
        ([True, None], none, "'A cat.' is None"),
        ([True, False], AnswerWords({"true": "entailment"}), "'A cat.' is False, which is not a label"),
        ([1, 2], NUMBERS, "'A cat.' is 2, which is not a label", "0=not_entailment,2=LABEL declares"),
        ([1, 0], WORDS, "unclear=-,1=entailment,0=not_entailment if 1 means entailment; or return True"),
        ([0, 2], none, "hint: --label-order entailment,neutral,contradiction (in the order"),
        ([1, 0], reversed_order, "f: class 1 is entailment by --labels, and not_entailment by --label-order"),
        ([[1, 0], [0, 1]], none, "hint: --label-order entailment,not_entailment (in the order"),
        (["x" * 5_000, "supported"], WORDS, f"{wet}'{'x' * 76}..., which is not a label"),
        ([{"status": "y" * 5_000}, "supported"], WORDS, f"{wet}{{'status': 'yyy", "y...\n"),
    ):
        with case(answers):
            with pytest.raises(CrossexamError) as caught:
                to_answers(answers, PAIRS, words, where="f")
            message = str(caught.value)
            assert all(text in message for text in named), message
            assert len(message) < 600
            assert "a number from 0 to 1" not in message


def test_the_labels_of_a_function_are_in_its_key_and_details(case: Any) -> None:
    def supported(pairs: Sequence[tuple[str, str]]) -> list[str]:
        return ["supported" for _ in pairs]

    plain, words = open_model(supported), open_model(supported, {"labels": "supported=entailment"})
    assert plain.key != words.key
    same = [{"yes": "entailment", "no": "neutral"}, "no=neutral,yes=entailment"]
    assert len({open_model(supported, {"labels": each}).key for each in same}) == 1
    assert words.details["declared_labels"] == {"supported": "entailment"}
    assert words.predict(PAIRS).tolist() == [[1, 0, 0], [1, 0, 0]]
    with case.refused("'maybe' is not a label"):
        open_model(supported, {"labels": {"yes": "maybe"}})
    with case.refused("'py.labels' cannot be 3", "wanted: a text or a dict or none"):
        open_model(supported, {"labels": 3})


# Where functions come from


JUDGE = "def judge(pairs):\n    return ['{}' for _ in pairs]\n"


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Return a function that writes a module into the working folder, from which Python imports nothing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", ["/nowhere"])
    return lambda name, text: _write(tmp_path, name, text)


def _write(folder: Path, name: str, text: str) -> None:
    (folder / f"{name}.py").write_text(text, encoding="utf-8")


def test_a_function_of_the_working_folder(module: Callable[[str, str], None]) -> None:
    module("own_model_a", JUDGE.format("contradiction"))
    model = open_model("py/own_model_a:judge")
    assert model.name == "py/own_model_a:judge"
    assert model.predict(PAIRS).argmax(axis=1).tolist() == [2, 2]
    keys = []
    for answer in ("neutral", "neutral", "contradiction"):
        module("own_model_b", JUDGE.format(answer))
        keys.append(open_model("py/own_model_b:judge").key)
    assert keys[0] == keys[1] != keys[2]
    declared = {"label_order": ("neutral", "entailment", "contradiction")}
    assert open_model("py/own_model_b:judge", declared).key != keys[2]


def test_what_cannot_be_imported_is_told(module: Callable[[str, str], None], case: Any) -> None:
    module("own_model_c", "def judge(pairs):\n    return [1 / 0]\nNAME = 'x'\n")
    module("own_model_d", "import surely_not_installed\n")
    for name, *named in (
        ("own_model_c", "wanted: py/module:function"),
        ("own_model_x:judge", "no module 'own_model_x'"),
        ("own_mdoel_c:judge", "hint: did you mean 'py/own_model_c:judge'"),
        ("own_model_c:jugde", "the module has no function 'jugde'", "hint: it has: judge"),
        ("own_model_d:judge", "the module needs 'surely_not_installed'"),
        (
            "own_model_c:judge",
            "_c:judge: the function raised ZeroDivisionError",
            "; this list began with premise '",
        ),
    ):
        with case.refused(*named):
            open_model(f"py/{name}").predict(PAIRS)


def test_a_module_with_the_name_of_a_library_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    for name in ("json", "numpy", "polars", "sqlite3"):
        _write(tmp_path, name, "raise SystemExit('shadowed')\n")
        with case.refused(f"py/{name}:judge: {name}.py has the name of a library", "wanted: a file with ano"):
            open_model(f"py/{name}:judge")


LOCAL = {
    "own_function": "import own_helper\nfrom own_package.inner import rules\n\n"
    "def judge(pairs):\n    import own_lazy\n    return ['neutral' for _ in pairs]\n",
    "own_helper": "import json, numpy\nfrom own_second import LABEL\n",
    "own_second": "LABEL = 'neutral'\n",
    "own_lazy": "import own_function\n",
    "own_package/__init__": "",
    "own_package/inner/__init__": "",
    "own_package/inner/rules": "from . import words\nfrom ..shared import SCALE\n",
    "own_package/inner/words": "WORDS = ()\n",
    "own_package/shared": "SCALE = 1\n",
    "own_bystander": "X = 1\n",
}


def test_the_key_covers_local_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Any) -> None:
    """Direct, indirect and lazy ones, of the name of a function or of the function itself."""
    (tmp_path / "own_package" / "inner").mkdir(parents=True)
    for name, text in LOCAL.items():
        _write(tmp_path, name, text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [str(tmp_path), *sys.path])
    before = open_model("py/own_function:judge").key
    assert open_model("py/own_function:judge").key == before
    for name, text in LOCAL.items():
        _write(tmp_path, name, f"{text}# changed\n")
        with case(name):
            assert (open_model("py/own_function:judge").key != before) is (name != "own_bystander")
        _write(tmp_path, name, text)
    judge = importlib.import_module("own_function").judge
    before = open_model(judge).key
    assert open_model(judge).key == before
    _write(tmp_path, "own_second", "LABEL = 'entailment'\n")
    assert open_model(judge).key != before
    _write(tmp_path, "broken", "def (:\n")
    assert local_imports("broken", tmp_path / "broken.py") == {}
    assert local_imports("absent", tmp_path / "absent.py") == {}


def test_only_functions_without_state_keep_their_key() -> None:
    def closing_over(label: str) -> Callable[[Sequence[tuple[str, str]]], list[str]]:
        return lambda pairs: [label] * len(pairs)

    assert open_model(always_neutral).key == open_model(always_neutral).key
    first, second = open_model(closing_over("neutral")), open_model(closing_over("entailment"))
    assert first.key != second.key
    assert first.predict(PAIRS).argmax(axis=1).tolist() == [1, 1]
    assert open_model(partial(always_neutral)).key != open_model(partial(always_neutral)).key


#: What imports the libraries that files of the working folder are called after, and lists what it got.
WHERE = """
import sys
def judge(pairs):
    import json, numpy, polars
    sys.stderr.write(f"{json.__file__} {numpy.__file__} {polars.__file__}\\n")
    return [json.loads('"neutral"')] * len(pairs)
"""


@pytest.mark.slow
def test_files_of_the_working_folder_do_not_replace_libraries(tmp_path: Path, case: Any) -> None:
    for number, (start, libraries) in enumerate(
        (
            (("-P", "-m", "crossexam"), ("json", "numpy", "polars", "rich", "typer")),  # as installed
            (("-m", "crossexam"), ("numpy", "polars", "rich", "typer")),  # Python looks there for json
        )
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        for library in libraries:
            _write(folder, library, "raise SystemExit('shadowed')\n")
        _write(folder, "own_model_e", WHERE)
        row = '{"id": "a", "premise": "It rains.", "hypothesis": "It is wet.", "label": "neutral"}\n'
        (folder / "pairs.jsonl").write_text(row, encoding="utf-8")
        source = str(Path(crossexam.__file__).parents[1])
        with case(start):
            ended = subprocess.run(
                [sys.executable, *start, "run", "py/own_model_e:judge", "pairs.jsonl", "-o", "run"],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": source},
                capture_output=True,
                text=True,
                check=False,
            )
            assert ended.returncode == 0, ended.stderr
            assert str(folder / "numpy") not in ended.stderr
            assert "numpy" in ended.stderr
