"""Log-likelihoods of ``lm/`` beside those that lighteval 0.13.0 logged for the same model and items."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from crossexam.models.table import open_model

DETAILS = Path(__file__).parents[2] / "data" / "lighteval" / "likelihoods.parquet"


def test_log_likelihoods_are_those_of_lighteval(lm_folders: dict[str, Path]) -> None:
    rows = pl.read_parquet(DETAILS).to_dicts()
    pairs = [(row["doc"]["specific"]["premise"], row["doc"]["specific"]["hypothesis"]) for row in rows]
    model = open_model(f"lm/{lm_folders['gpt2']}", {"template": "gpt3", "device": "cpu"})
    theirs = np.exp([row["model_response"]["logprobs"] for row in rows])
    np.testing.assert_allclose(
        model.predict(pairs), theirs / theirs.sum(axis=1, keepdims=True), rtol=1e-4, atol=1e-9
    )
