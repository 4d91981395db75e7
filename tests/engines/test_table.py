"""Engines by name: each is made without being started, and refuses what it does not have."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.engines.engine import InThisProcess
from crossexam.engines.local import Processes
from crossexam.engines.ray import RayEngine
from crossexam.engines.table import ENGINES, EngineOptions, engine_named


def test_names_and_options_make_engines() -> None:
    assert isinstance(engine_named("local", EngineOptions(workers=1)), InThisProcess)
    assert engine_named("local", EngineOptions(workers=3)) == Processes(3)
    assert engine_named("ray") == RayEngine()
    wanted = RayEngine("10.0.0.1:6379", 8, 2.0, 0.5)
    assert engine_named("ray:10.0.0.1:6379", EngineOptions(8, num_cpus=2, num_gpus=0.5)) == wanted


@pytest.mark.parametrize("name", ENGINES)
def test_each_engine_is_documented(name: str) -> None:
    assert f"--engine {name}" in Path(__file__).parents[2].joinpath("docs", "scale.md").read_text()


def test_an_unknown_engine_is_named() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'ray'"):
        engine_named("rai")


@pytest.mark.parametrize(
    ("text", "wanted"), [("local:4", "local"), ("ray:", "ray:HOST:PORT, ray:auto, or ray alone")]
)
def test_an_address_that_an_engine_cannot_have_is_refused(text: str, wanted: str) -> None:
    with pytest.raises(CrossexamError, match=f"'{text}' is not an engine") as caught:
        engine_named(text)
    assert caught.value.wanted == wanted


def test_options_of_a_cluster_are_refused_elsewhere() -> None:
    with pytest.raises(CrossexamError, match="--num-gpus has no effect on the engine 'local'") as caught:
        engine_named("local", EngineOptions(num_gpus=1))
    assert "--engine ray" in str(caught.value.hint)
