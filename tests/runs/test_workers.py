"""Models asked by the workers of an engine: the same predictions, and the same model or an error."""

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
from made.cases import refused

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


def asked(
    model: Any, engine: Processes, store: Path | None = None, pairs: Any = PAIRS, batch_size: int = 10
) -> Run:
    options = {"batch_size": batch_size}
    return predict_suite(model, Dataset("set", pairs), store=store, ask=asking_of(engine), options=options)


def test_shares_end_where_batches_do_and_known_pairs_are_not_asked(engine: Counted, tmp_path: Path) -> None:
    first = asked("builtin/overlap", engine, tmp_path)
    alone = predict_suite("builtin/overlap", Dataset("set", PAIRS))
    assert first.probabilities["set"].tolist() == alone.probabilities["set"].tolist()
    assert [share.offset for share in engine.tasks] == [0, 20, 40, 60, 80]
    engine.tasks.clear()
    more = replace(PAIRS[0], id="more", hypothesis="It rained.")
    again = asked("builtin/overlap", engine, tmp_path, pairs=[*PAIRS, more])
    assert [(share.offset, list(share.known)) for share in engine.tasks] == [(80, [1] * 10 + [0])]
    assert again.manifest.pairs_from_store == 90


def test_what_workers_learn_of_a_model_is_known_here_and_may_not_be_contradictory(
    engine: Counted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class NewWorkers(Processes):
        """An engine of which every worker carries out one task."""

        def results(self, start: Any, tasks: Any, *, ordered: bool = True) -> Any:
            yield from (start()(task) for task in tasks)

    (tmp_path / "naming.py").write_text(NAMING)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert asked("py/naming:two", engine, tmp_path / "store").manifest.asked_pairs == 90
    assert asked("py/naming:two", engine, tmp_path / "store").details["two_label"] is True
    said = refused(asked, "py/naming:mixed", NewWorkers(9), batch_size=20)
    assert "some answers are not_entailment, others are neutral" in said


def test_a_worker_that_opens_another_model_is_an_error(engine: Counted) -> None:
    overlap: Any = open_model("builtin/overlap")
    other = type("Other", (), {"name": "builtin/majority", "key": overlap.key, "details": {}})()
    other.predict = overlap.predict
    assert refused(asked, other, engine).startswith("builtin/majority: a worker opens another model")
