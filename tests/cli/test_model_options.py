"""Options of models on the command line: flags, --set KIND.OPTION=VALUE, and for which models they are."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from crossexam.api import build
from crossexam.cli.models import model_settings, options_for
from crossexam.core.errors import CrossexamError
from crossexam.models.model import Model
from crossexam.models.table import MODELS, ModelKind
from crossexam.options.build import Examine
from crossexam.options.groups import ModelOption, model_values
from crossexam.options.option import options_of
from crossexam.options.run import Run
from made.commands import invoke
from made.models import Fixed


def _options(*models: str, settings: tuple[str, ...] = (), **flags: Any) -> dict[str, Any]:
    return options_for(models, model_values(Run(**flags)), settings=model_settings(settings))


def test_an_option_of_models_belongs_to_some_kind_and_examine_has_all_of_run() -> None:
    known = {name for kind in MODELS.values() for name in kind.option_names}
    run, examine = (
        {each.name: each for each in options_of(verb).values() if isinstance(each, ModelOption)}
        for verb in (Run, Examine)
    )
    assert run.keys() <= known
    assert run.keys() - examine.keys() == {"labels", "columns", "seed"}  # which are of building there
    assert all(run[name] == examine[name] for name in examine)


def test_set_is_for_one_kind() -> None:
    assert _options("hf/x", "zoo/y", settings=("hf.dtype=bfloat16",)) == {"hf.dtype": "bfloat16"}
    assert _options("mean/hf/x,zoo/y", settings=("zoo.device=cpu",)) == {"zoo.device": "cpu"}
    with pytest.raises(CrossexamError, match=r"'zoo\.dtype'"):
        _options("hf/x", settings=("zoo.dtype=bfloat16",))
    with pytest.raises(CrossexamError, match=r"'hf\.dtype' is set by both --set and --dtype"):
        _options("hf/x", dtype="float16", settings=("hf.dtype=bfloat16",))
    with pytest.raises(CrossexamError, match="'hff'"):
        model_settings(["hff.dtype=bfloat16"])


@dataclass(frozen=True)
class Options:
    label: int = 0
    names: tuple[str, ...] = ()


@pytest.fixture
def constant_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new kind of model: one module and one line."""

    def opened(name: str, options: Options) -> Model:
        return Fixed(name, np.eye(3)[options.label].tolist(), f"{name} {options}")

    module = ModuleType("constant_of_the_test")
    module.__dict__.update(Options=Options, open_constant=opened)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    kind = ModelKind("constant/", "always the same", "constant_of_the_test:open_constant")
    monkeypatch.setitem(MODELS, "constant", kind)


@pytest.mark.usefixtures("constant_kind")
def test_a_new_kind_with_options_needs_no_edit_of_the_command_line(tmp_path: Path) -> None:
    build("corpus", "builtin:demo[:2]", folder=tmp_path / "suite")
    settings = ("--set", "constant.label=2", "--set", "constant.names=a,b")
    invoke("run", "constant/x", tmp_path / "suite", "-o", tmp_path / "run", *settings)
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["model_key"] == "constant/x Options(label=2, names=('a', 'b'))"
    assert "always the same" in invoke("ls models").output
