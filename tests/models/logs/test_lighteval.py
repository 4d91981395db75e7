"""Details of lighteval as models, ``log/FOLDER``.

The files in tests/data/lighteval are those that lighteval 0.13.0 wrote (``lighteval accelerate
--save-details``) for the two tasks that ``crossexam export lighteval`` makes of SET, with the tiny GPT-2 of
``scripts/lm_golden.py``; only their names are others.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from crossexam.core.dataset import Dataset
from crossexam.core.errors import FormatError
from crossexam.core.example import Example
from crossexam.models.table import open_model
from crossexam.runs.run import predict_suite as run

DATA = Path(__file__).parents[2] / "data" / "lighteval"
DATE = "2026-11-22T16-08-42.379195"
ITEMS = tuple(
    Example(f"negation:{k}", f"Ann has {k} cats.", "Ann has cats.", label)
    for k, label in enumerate(["entailment", "neutral", "contradiction", "entailment"])
)
SET = Dataset("negation.dev", ITEMS, {"construction": "negation"})


def written(
    folder: Path, change: Callable[[dict[str, Any]], None] | None = None, *, source: str = "likelihoods"
) -> Path:
    """Write details to *folder* as lighteval does, each row changed by *change*; return the folder."""
    task = "crossexam_negation_dev" + ("_chat" if source == "texts" else "")
    target = folder / "details" / "org" / "model" / DATE / f"details_{task}|0_{DATE}.parquet"
    target.parent.mkdir(parents=True, exist_ok=True)
    if change is None:
        shutil.copy(DATA / f"{source}.parquet", target)
        return folder
    rows = pl.read_parquet(DATA / f"{source}.parquet").to_dicts()
    for row in rows:
        change(row)
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(target)
    return folder


def test_log_likelihoods_are_probabilities(tmp_path: Path) -> None:
    """lighteval asks in another order: items are matched by their ids."""
    rows = pl.read_parquet(DATA / "likelihoods.parquet").to_dicts()
    logged = {row["doc"]["specific"]["id"]: row["model_response"]["logprobs"] for row in rows}
    assert list(logged) != [item.id for item in ITEMS]
    found = run(f"log/{written(tmp_path)}", SET)
    expected = np.exp([logged[item.id] for item in ITEMS])
    np.testing.assert_allclose(
        found.probabilities["negation.dev"], expected / expected.sum(axis=1, keepdims=True), rtol=1e-12
    )
    np.testing.assert_allclose(found.outcomes["negation.dev"].label_mass, expected.sum(axis=1), rtol=1e-12)
    assert found.manifest["details"]["harness"] == "lighteval"


def _answer(row: dict[str, Any]) -> None:
    texts = {"negation:0": "True", "negation:1": "The answer is Neither.", "negation:2": "True or False"}
    text = [texts.get(row["doc"]["specific"]["id"], "")]
    row["model_response"] |= {"text": text, "text_post_processed": None}


def test_texts_are_read_by_the_rules_of_api(tmp_path: Path) -> None:
    found = run(f"log/{written(tmp_path, source='texts')}", SET)
    assert set(found.outcomes["negation.dev"].statuses()) == {"unparsed"}
    found = run(f"log/{written(tmp_path, _answer, source='texts')}", SET)
    assert found.outcomes["negation.dev"].statuses().tolist() == [
        "answered", "answered", "ambiguous", "empty",
    ]  # fmt: skip
    assert found.predictions("negation.dev").tolist()[:2] == ["entailment", "neutral"]


def _think(row: dict[str, Any]) -> None:
    row["model_response"] |= {"text": ["False? True."], "text_post_processed": ["True."]}


def test_of_a_text_with_reasoning_what_follows_it_is_read(tmp_path: Path) -> None:
    found = run(f"log/{written(tmp_path, _think, source='texts')}", SET)
    assert set(found.predictions("negation.dev")) == {"entailment"}


def _own_task(row: dict[str, Any]) -> None:
    row["doc"]["specific"] = None


def test_tasks_of_lighteval_itself_are_matched_by_their_prompts(tmp_path: Path) -> None:
    """Their docs have neither ids nor pairs, only the text that was asked."""
    expected = run(f"log/{written(tmp_path / 'exported')}", SET).probabilities["negation.dev"]
    log = f"log/{written(tmp_path / 'own', _own_task)}"
    found = run(log, SET, options={"template": "gpt3"}).probabilities["negation.dev"]
    np.testing.assert_array_equal(found, expected)
    with pytest.raises(FormatError, match="the reply is to the prompt 'Ann has 2 cats"):
        run(log, SET)


def _truncated(row: dict[str, Any]) -> None:
    row["model_response"]["truncated_tokens_count"] = 3


def test_truncated_prompts_are_a_warning(tmp_path: Path) -> None:
    model = open_model(f"log/{written(tmp_path, _truncated)}")
    assert model.details["truncated"]["warning"] == "lighteval truncated 4 of 4 prompts"


def _not_a_number(row: dict[str, Any]) -> None:
    row["model_response"]["logprobs"][1] = float("nan")


def _nothing(row: dict[str, Any]) -> None:
    del row["model_response"]["text"]
    row["model_response"]["logprobs"] = []


def test_rows_without_an_answer_are_an_error(tmp_path: Path, refused: Any) -> None:
    for change in (_not_a_number, _nothing):
        assert "row 1: the row is not a detail of lighteval" in refused(
            FormatError, open_model, f"log/{written(tmp_path / change.__name__, change)}"
        )


def test_files_that_are_not_details_are_an_error(tmp_path: Path) -> None:
    path = next(written(tmp_path).rglob("*.parquet"))
    pl.DataFrame({"doc": [1], "model_response": [2]}).write_parquet(path)
    with pytest.raises(FormatError, match="row 1: the row is not a detail of lighteval"):
        open_model(f"log/{tmp_path}")
    pl.DataFrame({"doc": [1]}).write_parquet(path)
    with pytest.raises(FormatError, match="not details of lighteval"):
        open_model(f"log/{tmp_path}")
    path.write_bytes(b"PAR1")
    with pytest.raises(FormatError, match="not details of lighteval"):
        open_model(f"log/{tmp_path}")


def test_the_results_beside_them_name_the_model(tmp_path: Path) -> None:
    results = written(tmp_path) / "results" / "org" / "model" / f"results_{DATE}.json"
    results.parent.mkdir(parents=True)
    config = {"model_name": "org/model", "lighteval_sha": "?", "model_config": {"dtype": "float32"}}
    results.write_text(json.dumps({"config_general": config}))
    details = open_model(f"log/{tmp_path}").details
    assert (details["model"], details["dtype"]) == ("org/model", "float32")


def test_details_of_two_runs_are_refused(tmp_path: Path) -> None:
    path = next(written(tmp_path).rglob("*.parquet"))
    later = path.with_name(path.name.replace("2026", "2027"))
    shutil.copy(path, later)
    with pytest.raises(FormatError, match="two logs of task"):
        open_model(f"log/{tmp_path}")
    later.unlink()
    other = path.parent.parent.with_name("other") / DATE / path.name.replace("negation", "antonymy")
    other.parent.mkdir(parents=True)
    shutil.copy(path, other)
    with pytest.raises(FormatError, match="several models: "):
        open_model(f"log/{tmp_path}")
