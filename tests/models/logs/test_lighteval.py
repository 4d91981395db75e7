"""Details of lighteval as models, ``log/FOLDER``.

The files in tests/data/lighteval are those that lighteval 0.13.0 wrote (``lighteval accelerate
--save-details``) for the two tasks that ``crossexam export lighteval`` makes of the items, with the tiny
GPT-2 of ``scripts/lm_golden.py``; only their names are others.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crossexam.core.dataset import Dataset
from crossexam.core.errors import FormatError
from crossexam.models.table import open_model
from made.cases import refused

DATA = Path(__file__).parents[2] / "data" / "lighteval"
DATE = "2026-11-22T16-08-42.379195"
NAME = "negation.dev"


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes details as lighteval does, each row changed; it returns their folder."""

    def write(change: Callable[[dict[str, Any]], object] | None = None, source: str = "likelihoods") -> Path:
        folder = tmp_path / (change.__name__ if change else source)
        task = "crossexam_negation_dev" + ("_chat" if source == "texts" else "")
        target = folder / "details" / "org" / "model" / DATE / f"details_{task}|0_{DATE}.parquet"
        target.parent.mkdir(parents=True)
        if change is None:
            shutil.copy(DATA / f"{source}.parquet", target)
            return folder
        rows = pq.read_table(DATA / f"{source}.parquet").to_pylist()
        for row in rows:
            change(row)
        pq.write_table(pa.Table.from_pylist(rows), target)
        return folder

    return write


def test_log_likelihoods_are_probabilities(run: Any, written: Any, asked: Dataset) -> None:
    """lighteval asks in another order: items are matched by their ids."""
    rows = pq.read_table(DATA / "likelihoods.parquet").to_pylist()
    logged = {row["doc"]["specific"]["id"]: row["model_response"]["logprobs"] for row in rows}
    assert list(logged) != [item.id for item in asked]
    found = run(written())
    expected = np.exp([logged[item.id] for item in asked])
    mass = expected.sum(axis=1)
    np.testing.assert_allclose(found.probabilities[NAME], expected / mass[:, None], rtol=1e-12)
    np.testing.assert_allclose(found.outcomes[NAME].label_mass, mass, rtol=1e-12)


def test_texts_are_read_by_the_rules_of_api(run: Any, written: Any) -> None:
    """Of a text with reasoning, what follows it is read."""

    def thinking(row: dict[str, Any]) -> None:
        row["model_response"] |= {"text": ["False? True."], "text_post_processed": ["True."]}

    assert set(run(written(None, "texts")).outcomes[NAME].statuses()) == {"unparsed"}
    assert set(run(written(thinking, "texts")).predictions(NAME)) == {"entailment"}


def test_tasks_of_lighteval_itself_are_matched_by_their_prompts(run: Any, written: Any) -> None:
    """Their docs have neither ids nor pairs, only the text that was asked."""

    def own_task(row: dict[str, Any]) -> None:
        row["doc"]["specific"] = None

    expected, log = run(written()).probabilities[NAME], written(own_task)
    np.testing.assert_array_equal(run(log, template="gpt3").probabilities[NAME], expected)
    assert "the reply is to the prompt 'Ann has 2 cats" in refused(FormatError, run, log)


def test_files_and_rows_that_are_not_details_are_an_error(written: Any) -> None:
    def not_a_number(row: dict[str, Any]) -> None:
        row["model_response"]["logprobs"][1] = float("nan")

    no_detail = "row 1: the row is not a detail of lighteval"
    assert no_detail in refused(FormatError, open_model, f"log/{written(not_a_number)}")
    folder = written()
    path = next(folder.rglob("*.parquet"))
    for columns, said in (({"doc": [1], "model_response": [2]}, no_detail), ({"doc": [1]}, "not details")):
        pq.write_table(pa.table(columns), path)
        assert said in refused(FormatError, open_model, f"log/{folder}")
    path.write_bytes(b"PAR1")
    assert "not details of lighteval" in refused(FormatError, open_model, f"log/{folder}")
