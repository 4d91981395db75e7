"""Questions without an answer: what a model says of them is stored, resumed, saved and read again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from crossexam.core.dataset import Dataset, Run, Suite
from crossexam.core.errors import UnfinishedError, UnknownNameError
from crossexam.core.example import Example
from crossexam.core.outcome import STATUSES, UNANSWERED, Outcome, Outcomes
from crossexam.models.chunking import Chunking
from crossexam.models.ensemble import Mean
from crossexam.models.model import Batch, Model, Pair
from crossexam.runs import windows
from crossexam.runs.folder import run_into_folder
from crossexam.runs.run import predict_suite
from crossexam.runs.saved import read_run
from made.runs import assert_same_answers

NAN = [np.nan] * 3


class Mute(Model):
    """A model that does not answer the pairs whose hypothesis begins with the name of a status."""

    key: str = "mute"
    details: dict[str, Any] = {}  # noqa: RUF012

    def __init__(self, name: str = "mute", fails_at: int | None = None) -> None:
        self.name, self._fails_at = name, fails_at
        self.asked: list[Pair] = []

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        raise AssertionError("batches are planned")

    def outcome(self, pair: Pair) -> Outcome:
        word = pair[1].partition(" ")[0]
        if word in UNANSWERED:
            return Outcome(word, detail={"text": f"no, {word} " + "…" * 300})
        return Outcome(label_mass=0.5 if word == "mass" else None)

    def batches(self, pairs: Sequence[Pair], known: Sequence[bool]) -> Iterator[Batch]:
        for start in range(0, len(pairs), 3):
            rows = [row for row in range(start, min(start + 3, len(pairs))) if not known[row]]
            if not rows:
                continue
            if self._fails_at is not None and len(self.asked) >= self._fails_at:
                raise UnfinishedError("the server does not answer", where=self.name, hint="come back at ten")
            self.asked += [pairs[row] for row in rows]
            outcomes = [self.outcome(pairs[row]) for row in rows]
            shares = [[0.25, 0.25, 0.5] if each.status == "answered" else NAN for each in outcomes]
            yield Batch(rows, np.array(shares), [None] * len(rows), outcomes)


WORDS = ("plain", "refused", "mass", "cut", "plain")
ITEMS = tuple(Example(f"i{k}", f"p {k}", f"{WORDS[k % 5]} {k}", "neutral") for k in range(20))
DATA = Dataset("d", ITEMS)
EXPECTED = {"refused": 4, "cut": 4}


def test_a_run_never_shows_a_label_where_there_is_no_answer(refused: Callable[..., str]) -> None:
    run = predict_suite(Mute(), DATA)
    missing = ~run.answered("d")
    assert missing.sum() == 8
    assert set(run.scored("d").predicted[missing]) == {-1}
    assert set(run.predictions("d")[missing]) == {""}
    table = run.to_arrow().filter(missing)
    assert table["outcome"].to_pylist() == ["refused", "cut"] * 4
    for column in ("predicted", "correct", "p_entailment", "p_neutral", "p_contradiction"):
        assert table[column].null_count == 8
    unexplained = Run("m", {"d": Dataset("d", ITEMS[:2])}, {"d": np.array([[0.2, 0.3, 0.5], NAN])})
    assert "predictions that are not numbers" in refused(unexplained.scored, "d")
    assert repr(run) == "Run('mute', 1 test set, 20 items, 8 unanswered)"


def test_a_saved_run_says_why_there_is_no_answer_and_it_is_not_asked_twice(tmp_path: Path) -> None:
    run = run_into_folder(Mute(), DATA, tmp_path)
    assert run.outcomes["d"].unanswered() == run.manifest.test_sets["d"].unanswered == EXPECTED
    table = pq.read_table(tmp_path / "predictions" / "d.parquet")
    assert table.column_names[-2:] == ["outcome", "label_mass"]
    assert table["outcome"].to_pylist() == ["answered", "refused", "answered", "cut", "answered"] * 4
    assert table["p_neutral"].null_count == table["predicted"].null_count == 8
    assert table["label_mass"].to_pylist() == [None, None, 0.5, None, None] * 4
    assert_same_answers(run, read_run(tmp_path))
    assert_same_answers(run, run_into_folder(Mute(fails_at=0), DATA, tmp_path))  # nothing is asked
    run_into_folder(Mute(), Dataset("d", ITEMS[::5]), tmp_path / "all")
    table = pq.read_table(tmp_path / "all" / "predictions" / "d.parquet")
    assert not {"outcome", "label_mass"} & set(table.column_names)
    assert read_run(tmp_path / "all").outcomes == {}


def test_only_the_named_statuses_are_asked_again(tmp_path: Path, refused: Callable[..., str]) -> None:
    run_into_folder(Mute(), DATA, tmp_path)
    model = Mute()
    run = run_into_folder(model, DATA, tmp_path, again=["cut", "empty"])
    assert {pair[1].partition(" ")[0] for pair in model.asked} == {"cut"}
    assert len(model.asked) == 4
    assert run.outcomes["d"].unanswered() == EXPECTED
    healed = Mute()
    healed.outcome = lambda pair: Outcome()  # type: ignore[method-assign]
    run = run_into_folder(healed, DATA, tmp_path, again=["refused", "cut"])
    assert run.answered("d").all()
    assert read_run(tmp_path).answered("d").all()
    said = refused(UnknownNameError, run_into_folder, Mute(), DATA, tmp_path, again=["answered"])
    assert "'answered' is not a reason for a missing answer" in said


def test_an_unfinished_run_keeps_its_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It counts the pairs that are left, and goes on with them."""
    monkeypatch.setattr(windows, "FIRST_WINDOW", 4)
    monkeypatch.setattr(windows, "LARGEST_WINDOW", 4)
    run_into_folder(Mute(), Dataset("late", ITEMS[18:]), tmp_path / "run")  # two pairs of the last window
    suite = Suite("s", {"late": Dataset("late", ITEMS[18:]), "d": DATA})
    stops = Mute(fails_at=5)
    with pytest.raises(UnfinishedError) as caught:
        run_into_folder(stops, suite, tmp_path / "run")
    left = 20 - 2 - len(stops.asked)
    assert f"{left} of 20 distinct pairs are still to be asked" in str(caught.value)
    assert "come back at ten; what was answered is stored" in str(caught.value)
    goes_on = Mute()
    run = run_into_folder(goes_on, suite, tmp_path / "run")
    assert len(goes_on.asked) == left
    assert_same_answers(run, predict_suite(Mute(), suite))


class Odd(Mute):
    """A model that says this of the first pair."""

    def __init__(self, shares: list[float], outcome: Any) -> None:
        super().__init__()
        self.said = Batch([0], np.array([shares]), [None], [] if outcome is None else [outcome])

    def batches(self, pairs: Sequence[Pair], known: Sequence[bool]) -> Iterator[Batch]:
        yield self.said


def test_numbers_and_statuses_must_agree(refused: Callable[..., str]) -> None:
    shares = [0.2, 0.3, 0.5]
    rows: list[tuple[list[float], Any]] = [(NAN, None), (NAN, Outcome()), (NAN, Outcome("tired"))]
    rows += [(shares, Outcome("refused")), ([np.nan, 0.5, 0.5], Outcome("refused")), (shares, "answered")]
    rows += [(NAN, Outcome("refused", label_mass=0.5)), (shares, Outcome(label_mass=1.5))]
    for shares, outcome in rows:
        said = refused(predict_suite, Odd(shares, outcome), Dataset("d", ITEMS[:1]))
        assert re.search("the model did not return (probabilities|outcomes) for 1 pairs", said)


def test_a_pair_lacks_what_a_part_lacks() -> None:
    mute = Mute()

    def outcome(pair: Pair) -> Outcome:
        return Outcome("too_long") if "Bob" in pair[0] else Outcome(label_mass=len(pair[0]) / 100)

    mute.outcome = outcome  # type: ignore[method-assign]
    items = (
        Example("a", "Ann left. Bob left. Eve left.", "They left.", "neutral"),
        Example("b", "Ann left. Eve is still here.", "They left.", "neutral"),
    )

    for aggregate in ["max", "mean", "max-mean", "min"]:
        run = predict_suite(mute, Dataset("d", items), chunking=Chunking("sentences:1", aggregate))
        assert run.outcomes["d"].statuses().tolist() == ["too_long", "answered"]
        assert run.outcomes["d"].label_mass[1] == pytest.approx(0.09)  # the least: of "Ann left."
        assert np.isnan(run.probabilities["d"]).tolist() == [[True] * 3, [False] * 3]


def test_every_status_has_a_code_and_a_meaning() -> None:
    outcomes = Outcomes.of([Outcome(status) for status in STATUSES], len(STATUSES))
    assert outcomes.statuses().tolist() == list(STATUSES)
    assert outcomes.unanswered() == dict.fromkeys(UNANSWERED, 1)
    assert all(STATUSES.values())


def test_an_ensemble_lacks_what_a_member_lacks() -> None:
    other = Mute("other")
    other.outcome = lambda pair: Outcome()  # type: ignore[method-assign]
    run = predict_suite(Mean("mean/mute,other", (other, Mute())), DATA)
    assert run.outcomes["d"].unanswered() == EXPECTED
    assert run.probabilities["d"][0].tolist() == [0.25, 0.25, 0.5]
