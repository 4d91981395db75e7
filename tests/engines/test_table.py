"""Engines by name: each is made without being started, and refuses what it does not have."""

from pathlib import Path

from crossexam.engines.engine import InThisProcess
from crossexam.engines.local import Processes
from crossexam.engines.ray import RayEngine
from crossexam.engines.table import ENGINES, EngineOptions, engine_named
from made.cases import refused


def test_names_and_options_make_engines() -> None:
    assert isinstance(engine_named("local", EngineOptions(workers=1)), InThisProcess)
    assert engine_named("local", EngineOptions(workers=3)) == Processes(3)
    wanted = RayEngine("10.0.0.1:6379", 8, 2.0, 0.5)
    assert engine_named("ray:10.0.0.1:6379", EngineOptions(8, num_cpus=2, num_gpus=0.5)) == wanted


def test_each_engine_is_documented() -> None:
    page = Path(__file__).parents[2].joinpath("docs", "scale.md").read_text(encoding="utf-8")
    assert [name for name in ENGINES if f"--engine {name}" not in page] == []


def test_what_is_no_engine_or_has_no_such_options_is_refused() -> None:
    assert "did you mean 'ray'" in refused(engine_named, "rai")
    assert "the engine 'local' takes no argument, but got '4'" in refused(engine_named, "local:4")
    assert "nothing follows the colon of 'ray:'" in refused(engine_named, "ray:")
    said = refused(engine_named, "local", EngineOptions(num_gpus=1))
    assert "--num-gpus has no effect on the engine 'local'" in said
