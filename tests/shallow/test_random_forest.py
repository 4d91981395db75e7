"""The random forest: its trees against scikit-learn, its folder and its importances."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from crossexam.shallow.fitting import FitRequest, fit_once
from crossexam.shallow.pair_features import FEATURES
from crossexam.shallow.random_forest import RANDOM_FOREST, TREES, arrays_of, load_forest, save_forest
from made.cases import refused
from made.commands import invoke


@pytest.mark.parametrize("changes", [{}, {"max_depth": 3}])
def test_the_walk_through_the_trees_is_scikit_learns(changes: dict[str, Any], tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    table = np.round(rng.normal(size=(400, 19)), 2)  # rounded: many values are equal, many at thresholds
    gold = (table[:, 0] > 0).astype(int) + (table[:, 1] * rng.normal(size=400) > 0.2)
    grower = RandomForestClassifier(15, random_state=0, **changes).fit(table, gold)
    save_forest(tmp_path / TREES, arrays_of(grower))
    forest = load_forest(tmp_path / TREES)
    asked = np.vstack([table, np.round(rng.normal(size=(3_000, 19)), 2), np.full((1, 19), 1e9)])
    assert np.allclose(forest.probabilities(asked), grower.predict_proba(asked), rtol=0, atol=1e-12)
    save_forest(tmp_path / "again.npz", forest)
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / TREES).read_bytes()


def test_damaged_trees_are_refused(tmp_path: Path) -> None:
    path = tmp_path / TREES
    grower = RandomForestClassifier(2, random_state=0).fit(np.eye(19), np.arange(19) % 3)
    save_forest(path, arrays_of(grower))
    with np.load(path) as stored:
        sound = dict(stored)
    np.savez(path, **(sound | {"left": np.zeros_like(sound["left"])}))  # a walk would not end
    assert "do not form decision trees" in refused(load_forest, path)
    np.savez(path, **(sound | {"roots": np.array([None])}))
    assert "not the trees of a random forest" in refused(load_forest, path)


def test_a_folder_knows_its_vectors_and_its_importances_are_drawn(
    corpus: Path, vectors_file: Path, tmp_path: Path
) -> None:
    folder, chart = tmp_path / "m", tmp_path / "importance.svg"
    values = {"trees": "10", "min_leaf": "1"}
    request = FitRequest(str(corpus), str(corpus), folder, values=values, vectors=vectors_file)
    manifest = fit_once(RANDOM_FOREST, request).manifest
    assert manifest.facts["vectors"] == {"width": 3, "words_kept": 8, "coverage": round(13 / 23, 4)}
    assert "needs word vectors" in refused(fit_once, RANDOM_FOREST, replace(request, vectors=None))
    shown = invoke("features", f"rf/{folder}", "--top", "3", "-o", chart).output
    importances = manifest.facts["importances"]
    ordered = sorted(importances, key=lambda name: -importances[name][0])
    assert all((name in shown) is (place < 3) for place, name in enumerate(ordered))
    drawn = chart.read_text(encoding="utf-8")
    assert all(name.replace("_", " ") in drawn for name in FEATURES)
