"""Options of models on the command line: flags and --set KIND.OPTION=VALUE, for the models that have them."""

from typing import Any

import pytest

from crossexam.cli.models import model_settings, options_for
from crossexam.core.errors import CrossexamError
from crossexam.options.groups import model_values
from crossexam.options.run import Run


def _options(*models: str, settings: tuple[str, ...] = (), **flags: Any) -> dict[str, Any]:
    return options_for(models, model_values(Run(**flags)), settings=model_settings(settings))


def test_set_is_for_one_kind() -> None:
    assert _options("hf/x", "zoo/y", settings=("hf.dtype=bfloat16",)) == {"hf.dtype": "bfloat16"}
    assert _options("mean/hf/x,zoo/y", settings=("zoo.device=cpu",)) == {"zoo.device": "cpu"}
    with pytest.raises(CrossexamError, match=r"'zoo\.dtype'"):
        _options("hf/x", settings=("zoo.dtype=bfloat16",))
    with pytest.raises(CrossexamError, match=r"'hf\.dtype' is set by both --set and --dtype"):
        _options("hf/x", dtype="float16", settings=("hf.dtype=bfloat16",))
