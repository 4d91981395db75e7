"""The table of shallow models: being in it is being fitted, run, listed and tested."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from crossexam.cli.main import app
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.corpora.spec import iter_corpus
from crossexam.models.fitted import FittedModel
from crossexam.models.table import MODELS, open_model
from crossexam.shallow.fitting import (
    CONFIG,
    MANIFEST,
    FitRequest,
    FittedFolder,
    ShallowModel,
    fit_once,
)
from crossexam.shallow.table import SHALLOW, shallow_named

SPEC = "builtin:demo[:45]"
PAIRS = [("A man sleeps.", "Nobody sleeps."), ("", "Ärger 東京"), ("Two dogs run outside.", "Animals move.")]


@pytest.fixture(scope="module", params=sorted(SHALLOW))
def model(request: pytest.FixtureRequest) -> ShallowModel:
    return SHALLOW[request.param]


@pytest.fixture(scope="module")
def asked(model: ShallowModel, tmp_path_factory: pytest.TempPathFactory) -> FitRequest:
    folder = tmp_path_factory.mktemp(model.name)
    words = sorted({word for e in iter_corpus("builtin:demo") for word in re.findall(r"\w+", e.premise)})
    rows = np.random.default_rng(0).normal(size=(len(words), 3)).tolist()
    lines = [f"{word} {' '.join(map(str, row))}\n" for word, row in zip(words, rows, strict=True)]
    (folder / "vectors.txt").write_text("".join(lines), encoding="utf-8")
    return FitRequest(SPEC, SPEC, folder / "model", vectors=folder / "vectors.txt")


@pytest.fixture(scope="module")
def fitted(model: ShallowModel, asked: FitRequest) -> FittedFolder:
    return fit_once(model, asked)


def _listed(table: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COLUMNS", "200")
    return CliRunner().invoke(app, ["ls", table], catch_exceptions=False).output


def test_fitting_writes_a_folder_with_its_files(model: ShallowModel, fitted: FittedFolder) -> None:
    assert {path.name for path in fitted.folder.iterdir()} == {CONFIG, MANIFEST, *model.files}
    assert set(model.key_files) <= {CONFIG, *model.files}
    manifest = fitted.manifest
    assert manifest["kind"] == model.kind
    assert list(manifest)[:4] == ["kind", "scores", "fingerprint", "paper"]
    for name, part in model.settings.items():
        assert manifest["fingerprint"][name] == asdict(part)
    assert set(model.described) <= set(manifest["fingerprint"])
    assert set(model.packages) <= set(manifest["versions"])
    assert all(model.columns(manifest).values())


def test_the_prefix_opens_it(model: ShallowModel, fitted: FittedFolder) -> None:
    opened = open_model(f"{model.prefix}/{fitted.folder}")
    assert isinstance(opened, FittedModel)
    assert opened.details == {
        **{part: fitted.manifest["fingerprint"][part] for part in model.described},
        "train": [SPEC],
    }
    predicted = opened.predict(PAIRS)
    assert predicted.shape == (len(PAIRS), 3)
    assert np.allclose(predicted.sum(axis=1), 1)
    assert len(opened.key) == 32


def test_what_is_saved_again_predicts_the_same(
    model: ShallowModel, fitted: FittedFolder, tmp_path: Path
) -> None:
    loaded = model.load(fitted.folder)
    config = {name: asdict(part) for name, part in model.settings.items()}
    model.save(tmp_path, loaded, config)
    assert (tmp_path / CONFIG).read_bytes() == (fitted.folder / CONFIG).read_bytes()
    (tmp_path / MANIFEST).write_text("{}")
    assert np.array_equal(model.load(tmp_path).probabilities(PAIRS), loaded.probabilities(PAIRS))
    assert model.key(tmp_path) == model.key(fitted.folder)


def test_it_is_fitted_once(model: ShallowModel, asked: FitRequest, fitted: FittedFolder) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in fitted.folder.iterdir() if path.name != MANIFEST}
    again = fit_once(model, replace(asked, tests=(SPEC,)))
    assert before == {name: (fitted.folder / name).stat().st_mtime_ns for name in before}
    assert again.manifest["tests"][SPEC]["accuracy"] == fitted.manifest["scores"]["dev_accuracy"]
    with pytest.raises(CrossexamError, match="already holds another model"):
        fit_once(model, replace(asked, limit=3))


def test_a_folder_that_lacks_a_file_is_refused(
    model: ShallowModel, fitted: FittedFolder, tmp_path: Path
) -> None:
    names = (CONFIG, MANIFEST, *model.files)
    for missing in names:
        for name in names:
            (tmp_path / name).unlink(missing_ok=True)
            if name != missing:
                (tmp_path / name).write_bytes((fitted.folder / name).read_bytes())
        with pytest.raises(CrossexamError, match=f"does not contain a {model.noun}") as caught:
            open_model(f"{model.prefix}/{tmp_path}")
        assert f"crossexam train {model.name} " in str(caught.value)
    (tmp_path / names[-1]).write_bytes((fitted.folder / names[-1]).read_bytes())
    (tmp_path / CONFIG).write_text('{"kind": "crossexam-other", "format": 1}')
    with pytest.raises(FormatError, match="this is 'crossexam-other', format 1"):
        model.load(tmp_path)


def _numbers(model: ShallowModel) -> Iterator[tuple[str, str]]:
    for part in model.settings.values():
        for name, value in asdict(part).items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                yield name, "0" if isinstance(value, int) else "-1.5"


def test_settings_are_checked(model: ShallowModel) -> None:
    for name, wrong in _numbers(model):
        with pytest.raises(CrossexamError, match=f"'{name}' is {wrong}\n  wanted: a number above 0"):
            model.settings_from({name: wrong})
    with pytest.raises(CrossexamError, match="no setting is called 'no_such'"):
        model.settings_from({"no_such": "1"})
    assert dict(model.settings_from(None)) == dict(model.settings)


def test_it_has_a_name_an_alias_and_a_prefix_of_its_own(model: ShallowModel) -> None:
    for name in filter(None, (model.name, model.alias)):
        assert shallow_named(name) is shallow_named(name.upper()) is model
    assert MODELS[model.prefix].description == model.summary
    assert sum(other.prefix == model.prefix for other in SHALLOW.values()) == 1
    assert shallow_named("no such model") is None


def test_it_is_listed(model: ShallowModel, monkeypatch: pytest.MonkeyPatch) -> None:
    recipes = _listed("recipes", monkeypatch)
    assert re.search(rf"{model.name}( \({model.alias}\))? .*{re.escape(model.recipe.parameters)}", recipes)
    assert model.summary in _listed("models", monkeypatch)


def test_features_are_shown_or_refused(model: ShallowModel, fitted: FittedFolder, tmp_path: Path) -> None:
    name = f"{model.prefix}/{fitted.folder}"
    if model.features is None:
        with pytest.raises(CrossexamError, match="has no named features\n  wanted: builtin/bag-of-words or "):
            CliRunner().invoke(app, ["features", name], catch_exceptions=False)
        return
    table = model.features(name, fitted.folder, 3)
    assert name in table.title
    assert len(table.rows) == 3
    assert {len(row) for row in table.rows} == {len(table.columns)} == {len(table.numeric)}
    line = ["features", name, "--top", "3", "-o", str(tmp_path / "chart.svg")]
    if table.bars is None:
        with pytest.raises(CrossexamError, match="-o draws feature importances"):
            CliRunner().invoke(app, line, catch_exceptions=False)
    else:
        assert CliRunner().invoke(app, line, catch_exceptions=False).exit_code == 0


def test_options_of_other_models_are_refused(model: ShallowModel, tmp_path: Path) -> None:
    line = ["train", model.name, "--train", SPEC, "--dev", SPEC, "-o", str(tmp_path / "m")]
    field = next(iter(asdict(next(iter(model.settings.values())))))
    with pytest.raises(CrossexamError, match=f"--sweep has no effect on {model.name}") as caught:
        CliRunner().invoke(app, [*line, "--sweep", "x=1,2"], catch_exceptions=False)
    assert field in str(caught.value)
