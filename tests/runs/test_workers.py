"""Models asked by the workers of an engine: the same predictions, and the same model or an error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Example
from crossexam.engines.local import Processes
from crossexam.models.table import open_model
from crossexam.runs.run import predict_suite
from crossexam.runs.workers import asking_of

PAIRS = [Example(f"e{k}", f"A man saw {k} dogs.", f"He saw {k} animals.", "entailment") for k in range(90)]
NAMING = """
def two(pairs):
    return ["not_entailment" if len(p) % 2 else "entailment" for p, h in pairs]


def mixed(pairs):
    return ["not_entailment" if "saw 7 dogs" in str(pairs) else "neutral" for p, h in pairs]
"""


class Counted(Processes):
    """Two processes that note the tasks they are given."""

    def results(self, start: Any, tasks: Any, *, ordered: bool = True) -> Any:
        self.tasks.extend(kept := list(tasks))
        return super().results(start, kept, ordered=ordered)

    tasks: list[Any]


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Counted:
    monkeypatch.setattr("crossexam.runs.workers.PAIRS_PER_TASK", 20)
    Counted.tasks = []
    return Counted(2)


@pytest.fixture
def functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "naming.py").write_text(NAMING)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))


def asked(model: Any, engine: Processes, store: Path | None = None, **how: Any) -> Run:
    how = {"options": {"batch_size": 10}} | how
    return predict_suite(model, Dataset("set", PAIRS), store=store, ask=asking_of(engine), **how)


def test_shares_end_where_batches_do_and_known_pairs_are_not_asked(engine: Counted, tmp_path: Path) -> None:
    first = asked("builtin/overlap", engine, tmp_path)
    alone = predict_suite("builtin/overlap", Dataset("set", PAIRS))
    assert first.probabilities["set"].tolist() == alone.probabilities["set"].tolist()
    assert [(share.offset, len(share.pairs)) for share in engine.tasks] == [
        (0, 20), (20, 20), (40, 20), (60, 20), (80, 10),
    ]  # fmt: skip
    engine.tasks.clear()
    more = replace(PAIRS[0], id="more", hypothesis="It rained.")
    both = Dataset("set", [*PAIRS, more])
    how: Any = {"options": {"batch_size": 10}, "ask": asking_of(engine)}
    again = predict_suite("builtin/overlap", both, store=tmp_path, **how)
    assert [(share.offset, list(share.known)) for share in engine.tasks] == [(80, [1] * 10 + [0])]
    assert again.manifest.pairs_from_store == 90


@pytest.mark.usefixtures("functions")
def test_what_workers_learn_of_a_model_is_known_here(engine: Counted, tmp_path: Path) -> None:
    assert asked("py/naming:two", engine, tmp_path / "store").manifest.asked_pairs == 90
    assert asked("py/naming:two", engine, tmp_path / "store").details["two_label"] is True


class NewWorkers:
    """An engine of which every worker carries out one task."""

    workers = 9

    def results(self, start: Any, tasks: Any, *, ordered: bool = True) -> Any:
        yield from (start()(task) for task in tasks)


@pytest.mark.usefixtures("functions", "engine")
def test_labels_of_two_workers_that_contradict_each_other(refused: Callable[..., str]) -> None:
    several: Any = NewWorkers()
    said = refused(asked, "py/naming:mixed", several, options={"batch_size": 20})
    assert "some answers are not_entailment, others are neutral" in said


def test_a_worker_that_opens_another_model_is_an_error(engine: Counted, refused: Callable[..., str]) -> None:
    overlap: Any = open_model("builtin/overlap")
    other = type("Other", (), {"name": "builtin/majority", "key": overlap.key, "details": {}})()
    other.predict = overlap.predict
    assert refused(asked, other, engine).startswith("builtin/majority: a worker opens another model")
