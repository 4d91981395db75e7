"""Options of models on the command line: flags, --set KIND.OPTION=VALUE, and for which models they are."""

from typing import Any

import pytest

from crossexam.cli.models import model_settings, options_for
from crossexam.core.errors import CrossexamError
from crossexam.models.table import MODELS
from crossexam.options.build import Examine
from crossexam.options.groups import ModelOption, model_values
from crossexam.options.option import options_of
from crossexam.options.run import Run


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
