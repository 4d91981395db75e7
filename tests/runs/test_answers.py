"""Questions without an answer: what a model says of them is stored, resumed, saved and read again."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from crossexam.core.dataset import Dataset, Run, Suite
from crossexam.core.errors import UnfinishedError
from crossexam.core.example import Example
from crossexam.core.outcome import UNANSWERED, Outcome
from crossexam.models.chunking import Chunking
from crossexam.models.ensemble import Mean
from crossexam.models.model import Batch, Model, Pair
from crossexam.runs import windows
from crossexam.runs.folder import run_into_folder
from crossexam.runs.run import predict_suite
from crossexam.runs.saved import read_run
from made.cases import refused
from made.runs import assert_same_answers

NAN = [np.nan] * 3


def by_word(pair: Pair) -> Outcome:
    """What the first word of the hypothesis says, if it is the name of a status."""
    word = pair[1].partition(" ")[0]
    if word in UNANSWERED:
        return Outcome(word, detail={"text": f"no, {word} " + "…" * 300})
    return Outcome(label_mass=0.5 if word == "mass" else None)


class Mute(Model):
    """A model that does not answer all pairs, and fails when it has been asked so many."""

    key: str = "mute"
    details: dict[str, Any] = {}  # noqa: RUF012

    def __init__(self, outcome: Callable[[Pair], Outcome] = by_word, fails_at: int | None = None) -> None:
        self.name, self._outcome, self._fails_at = "mute", outcome, fails_at
        self.asked: list[Pair] = []

    def answered(self, pairs: Sequence[Pair]) -> Batch:
        if self._fails_at is not None and len(self.asked) >= self._fails_at:
            raise UnfinishedError("the server does not answer", where=self.name, hint="come back at ten")
        self.asked += pairs
        outcomes = [self._outcome(pair) for pair in pairs]
        shares = [[0.25, 0.25, 0.5] if each.status == "answered" else NAN for each in outcomes]
        return Batch(range(len(pairs)), np.array(shares), [None] * len(pairs), outcomes)


WORDS = ("plain", "unparsed", "mass", "cut", "plain")
ITEMS = tuple(Example(f"i{k}", f"p {k}", f"{WORDS[k % 5]} {k}", "neutral") for k in range(20))
DATA = Dataset("d", ITEMS)
EXPECTED = {"unparsed": 4, "cut": 4}


def test_a_run_and_its_files_never_show_a_label_where_there_is_no_answer_and_say_why(tmp_path: Path) -> None:
    run = run_into_folder(Mute(), DATA, tmp_path)
    missing = ~run.answered("d")
    assert missing.sum() == 8
    assert set(run.scored("d").predicted[missing]) == {-1}
    assert set(run.predictions("d")[missing]) == {""}
    assert run.outcomes["d"].unanswered() == run.manifest.test_sets["d"].unanswered == EXPECTED
    written = pq.read_table(tmp_path / "predictions" / "d.parquet")
    assert written["outcome"].to_pylist() == ["answered", "unparsed", "answered", "cut", "answered"] * 4
    assert written["label_mass"].to_pylist() == [None, None, 0.5, None, None] * 4
    for table in (run.to_arrow(), written):
        for column in ("predicted", "correct", "p_entailment", "p_neutral", "p_contradiction"):
            assert table.filter(missing)[column].null_count == table[column].null_count == 8
    assert_same_answers(run, read_run(tmp_path))
    assert_same_answers(run, run_into_folder(Mute(fails_at=0), DATA, tmp_path))  # nothing is asked


def test_only_the_named_statuses_are_asked_again(tmp_path: Path) -> None:
    run_into_folder(Mute(), DATA, tmp_path)
    model = Mute()
    run = run_into_folder(model, DATA, tmp_path, again=["cut", "empty"])
    assert [pair[1].partition(" ")[0] for pair in model.asked] == ["cut"] * 4
    assert run.outcomes["d"].unanswered() == EXPECTED
    run_into_folder(Mute(lambda _: Outcome()), DATA, tmp_path, again=["unparsed", "cut"])
    assert read_run(tmp_path).answered("d").all()


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
    goes_on = Mute()
    run = run_into_folder(goes_on, suite, tmp_path / "run")
    assert len(goes_on.asked) == left
    assert_same_answers(run, predict_suite(Mute(), suite))


def test_numbers_and_statuses_must_agree() -> None:
    class Odd(Mute):
        """A model that says *said* of the first pair."""

        said: Batch

        def batches(self, pairs: Sequence[Pair], known: Sequence[bool]) -> Iterator[Batch]:
            yield self.said

    shares, odd = [0.2, 0.3, 0.5], Odd()
    rows: list[tuple[list[float], Any]] = [(NAN, None), (shares, Outcome("refused"))]
    for numbers, outcome in [*rows, (shares, Outcome(label_mass=1.5))]:
        odd.said = Batch([0], np.array([numbers]), [None], [outcome] if outcome else [])
        said = refused(predict_suite, odd, Dataset("d", ITEMS[:1]))
        assert re.search("the model did not return (probabilities|outcomes) for 1 pairs", said)
    unexplained = Run("m", {"d": Dataset("d", ITEMS[:1])}, {"d": np.array([NAN])})
    assert "predictions that are not numbers" in refused(unexplained.scored, "d")


def test_a_pair_lacks_what_a_part_lacks_and_an_ensemble_what_a_member_lacks() -> None:
    items = (
        Example("a", "Ann left. Bob left. Eve left.", "They left.", "neutral"),
        Example("b", "Ann left. Eve is still here.", "They left.", "neutral"),
    )

    def outcome(pair: Pair) -> Outcome:
        return Outcome("too_long") if "Bob" in pair[0] else Outcome(label_mass=len(pair[0]) / 100)

    run = predict_suite(Mute(outcome), Dataset("d", items), chunking=Chunking("sentences:1"))
    assert run.outcomes["d"].statuses().tolist() == ["too_long", "answered"]
    assert run.outcomes["d"].label_mass[1] == pytest.approx(0.09)  # the least: of "Ann left."
    assert np.isnan(run.probabilities["d"]).tolist() == [[True] * 3, [False] * 3]
    run = predict_suite(Mean("mean/mute,other", (Mute(lambda _: Outcome()), Mute())), DATA)
    assert run.outcomes["d"].unanswered() == EXPECTED
    assert run.probabilities["d"][0].tolist() == [0.25, 0.25, 0.5]
