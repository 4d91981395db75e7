"""The table of shallow models: being in it is being fitted, run, listed and tested."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from crossexam.core.errors import CrossexamError, how_to_install
from crossexam.core.example import Example
from crossexam.core.manifest import used_machines
from crossexam.core.sealed import FILES, MANIFEST, read_manifest
from crossexam.corpora.trained import TrainedFolder
from crossexam.models.table import open_model
from crossexam.shallow.fitting import CONFIG, FitRequest, ShallowModel, fit_once
from crossexam.shallow.table import SHALLOW
from made.cases import refused
from made.commands import invoke

PAIRS = [("A man sleeps.", "Nobody sleeps."), ("", "Ärger 東京"), ("Two dogs run outside.", "Animals move.")]
#: Settings with which the models learn the tiny corpus.
VALUES = {
    "bag-of-words": {"content": "false", "min_count": "1", "min_pair_count": "1", "c": "2"},
    "hypothesis-fasttext": {"width": "4", "buckets": "1000", "epochs": "30", "lr": "0.5", "batch_size": "4"},
    "random-forest": {"trees": "10", "min_leaf": "1"},
}
#: Packages without which the models cannot be fitted, and the extras that have them.
NEEDED = {
    "bag-of-words": ("sklearn.linear_model", "shallow"),
    "hypothesis-fasttext": ("torch", "torch"),
    "random-forest": ("sklearn.ensemble", "shallow"),
}


@pytest.fixture(scope="module", params=sorted(SHALLOW))
def model(request: pytest.FixtureRequest) -> ShallowModel:
    return SHALLOW[request.param]


@pytest.fixture(scope="module")
def asked(
    model: ShallowModel, corpus: Path, vectors_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> FitRequest:
    folder = tmp_path_factory.mktemp(model.name) / "model"
    values = VALUES[model.name]
    return FitRequest(str(corpus), str(corpus), folder, values=values, seed=1, vectors=vectors_file)


@pytest.fixture(scope="module")
def fitted(model: ShallowModel, asked: FitRequest) -> TrainedFolder:
    return fit_once(model, asked)


def test_fitting_writes_a_folder_which_its_prefix_opens(
    model: ShallowModel, asked: FitRequest, fitted: TrainedFolder
) -> None:
    assert {path.name for path in fitted.folder.iterdir()} == {CONFIG, MANIFEST, *model.files}
    assert set(model.key_files) <= {CONFIG, *model.files}
    manifest = fitted.manifest
    assert (manifest.kind, read_manifest(fitted.folder / MANIFEST)["examples"]) == (model.kind, 24)
    assert manifest.scores.dev_accuracy == 100.0
    for name, part in model.settings_from(asked.values).items():
        assert manifest.fingerprint[name] == asdict(part)
    assert ("seed" in manifest.fingerprint) is ("--seed" in model.takes)
    assert set(model.packages) <= set(manifest.versions)
    assert manifest.machines == [{"processor": used_machines()[0]["processor"]}]
    name = f"{model.prefix}/{fitted.folder}"
    opened = open_model(name)
    described = {part: manifest.fingerprint[part] for part in model.described}
    assert (opened.name, opened.details) == (name, {**described, "train": [asked.train]})
    predicted = opened.predict(PAIRS)
    assert np.allclose(predicted.sum(axis=1), 1)
    assert np.array_equal(predicted, model.load(fitted.folder).probabilities(PAIRS))
    assert "leave out --revision" in refused(open_model, name, {"revision": "x"})


def test_it_is_fitted_once_and_a_seed_fixes_it(
    model: ShallowModel, asked: FitRequest, fitted: TrainedFolder, tmp_path: Path
) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in fitted.folder.iterdir() if path.name != MANIFEST}
    again = fit_once(model, replace(asked, tests=(asked.dev,)))
    assert before == {name: (fitted.folder / name).stat().st_mtime_ns for name in before}
    assert again.manifest == msgspec.structs.replace(fitted.manifest, tests=again.manifest.tests)
    scores = again.manifest.tests[asked.dev]
    assert (scores.accuracy, scores.rows) == (fitted.manifest.scores.dev_accuracy, 24)
    with pytest.raises(CrossexamError, match="another training run:\\n    limit: not set there, 3 here"):
        fit_once(model, replace(asked, limit=3))
    for seed in (1, 2):
        other = fit_once(model, replace(asked, folder=tmp_path / f"{seed}", seed=seed))
        is_same = seed == 1 or "--seed" not in model.takes
        assert (model.key(other.folder) == model.key(fitted.folder)) is is_same


def test_a_folder_that_lacks_a_file_is_refused(
    model: ShallowModel, fitted: TrainedFolder, copied: Callable[..., Path]
) -> None:
    for missing in (CONFIG, MANIFEST, *model.files):
        folder = copied(fitted.folder, missing)
        (folder / missing).unlink()
        assert f"does not contain a {model.noun}" in refused(open_model, f"{model.prefix}/{folder}")
    other = copied(fitted.folder)
    (other / CONFIG).write_text('{"kind": "crossexam-other", "format": 1}')
    (other / MANIFEST).write_text(json.dumps(read_manifest(other / MANIFEST) | {FILES: {}}))
    assert "this is 'crossexam-other', format 1" in refused(open_model, f"{model.prefix}/{other}")
    assert "no such folder" in refused(open_model, f"{model.prefix}/{other / 'none'}")


def test_settings_are_checked(model: ShallowModel) -> None:
    for part in model.settings.values():
        for name, value in asdict(part).items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                wrong = "0" if isinstance(value, int) else "-1.5"
                assert f"'{name}' is {wrong}\n" in refused(model.settings_from, {name: wrong})


def test_what_cannot_be_fitted_is_refused(
    model: ShallowModel, asked: FitRequest, taught: tuple[Example, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fit(examples: Iterable[Example]) -> int:
        return int(model.fit(iter(examples), asked, model.settings_from(asked.values))[1].examples)

    some = [each for each in taught if each.label != "contradiction"]
    assert "none of the 16 training examples is labelled contradiction" in refused(fit, some)
    assert fit([*taught, *(replace(each, label=None) for each in taught)]) == len(taught)
    two = Example("rte-1", "It rains.", "It pours.", "not_entailment")
    assert "the labels mix not_entailment with neutral" in refused(fit, [*taught, two])
    share = replace(asked, train="snli:train@0.1", folder=asked.folder / "share")
    assert "no epochs to draw a share for" in refused(fit_once, model, share)
    package, extra = NEEDED[model.name]
    monkeypatch.setitem(sys.modules, package, None)
    assert how_to_install(extra) in refused(fit, taught)


def test_the_command_line_trains_it_and_refuses_the_options_of_others(
    model: ShallowModel, asked: FitRequest, tmp_path: Path
) -> None:
    corpora = ["--train", asked.train, "--dev", asked.dev]
    line = ["train", model.alias or model.name, *corpora, "-o", tmp_path / "m"]
    values = dict(VALUES[model.name])
    given = {"--vectors": str(asked.vectors), "--seed": "2", "--epochs": values.pop("epochs", "")}
    of_model = [part for option, value in given.items() if option in model.takes for part in (option, value)]
    sets = [part for name, value in values.items() for part in ("--set", f"{name}={value}")]
    assert "100.0 %" in invoke(*line, *of_model, *sets, "--test", f"{asked.train}[:3]").output
    assert read_manifest(tmp_path / "m" / MANIFEST)["fingerprint"].get("seed", 2) == 2
    for option in {"--seeds", "--epochs", "--vectors", "--sweep"} - model.takes:
        value = "x=1,2" if option == "--sweep" else "2"
        assert f"{option} has no effect on {model.name}" in refused(invoke, *line, option, value)


def test_answers_need_nothing_that_only_fitting_needs(
    corpus: Path, vectors_file: Path, tmp_path: Path
) -> None:
    names = ["builtin/bag-of-words"]
    for model in SHALLOW.values():
        request = FitRequest(str(corpus), str(corpus), tmp_path / model.name, vectors=vectors_file)
        folder = fit_once(model, replace(request, values=VALUES[model.name])).folder
        names.append(f"{model.prefix}/{folder}")
    code = f"""
import sys
sys.modules.update(sklearn=None, nltk=None, torch=None)
from crossexam.models.table import open_model
for name in {names}:
    if name.startswith("rf/"):  # its features need the others
        del sys.modules["nltk"], sys.modules["torch"]
    print(open_model(name).predict([("A woman runs.", "Nobody is here.")]).argmax())
"""
    environment = {**os.environ, "NLTK_DATA": str(tmp_path)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split() == ["2"] * len(names)
