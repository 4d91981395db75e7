"""A user's own claims, labels, functions and files: ``--labels`` and ``--columns`` on the command line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossexam.runs.saved import read_run

Crossexam = Callable[..., Any]
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
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder with ten claims, of which five are supported, and functions."""
    rows = ["document,claim,verdict"]
    for n in range(0, 10, 2):
        rows.append(f"Ann walked {n}.,Bob was hungry on day {n}.,unsupported")
        rows.append(f"Ann walked {n + 1}. The bus was late.,The bus was late.,supported")
    (tmp_path / "claims.csv").write_text("\n".join(rows), encoding="utf-8")
    (tmp_path / "own_answers.py").write_text(FUNCTIONS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))


def examine(models: str, labels: str = LABELS) -> str:
    base = f"--base claims.csv --columns {COLUMNS} --labels {labels}"
    return f"examine {models} {base} --suite negation -o out"


def right(name: str, test_set: str = "base.claims") -> int:
    run = read_run(Path("out/runs") / name)
    gold = [each.label for each in run.datasets[test_set]]
    return sum(a == b for a, b in zip(run.predictions(test_set).tolist(), gold, strict=True))


def test_labels_hold_for_the_base_and_for_the_answers(crossexam: Crossexam) -> None:
    names = ["words", "usual", "truth"]
    crossexam(examine(" ".join(f"py/own_answers:{name}" for name in names) + " builtin/overlap"))
    assert [right(f"py-own_answers-{name}") for name in names] == [10, 10, 10]


def test_an_answer_that_cannot_be_read_is_refused_before_anything_is_built(crossexam: Crossexam) -> None:
    for name, culprit, declared in (
        ("odd", "'dunno'", "dunno=LABEL"),
        ("numbers", "class indices", "1=entailment,0=not_entailment"),
    ):
        said = crossexam(examine(f"builtin/overlap py/own_answers:{name}"), 2)
        assert culprit in said.err
        assert f"--labels {LABELS},{declared}" in said.err
        assert not Path("out").exists()
        assert "yield" not in said.text


def test_answers_may_have_other_words_than_the_base(crossexam: Crossexam) -> None:
    text = Path("claims.csv").read_text().replace("unsupported", "true").replace("supported", "false")
    Path("claims.csv").write_text(text)  # true: it is hallucinated
    labels = "true=not_entailment,false=entailment"
    for function, option, warned in (("exchanged", "", True), ("truth", " --set py.labels=none", False)):
        said = crossexam(f"{examine(f'py/own_answers:{function}', labels)}{option}").text
        assert right(f"py-own_answers-{function}") == 10
        assert ("its answer True means not_entailment" in said) == warned
