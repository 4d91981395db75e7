"""What the tests of the zoo share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

import pytest
import torch


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def shrunken() -> Callable[..., Any]:
    """Return a configuration with every integer (also in tuples) at most *most*, and without dropout."""

    def make(config: Any, most: int, **changes: Any) -> Any:
        made: dict[str, Any] = {}
        for field in fields(config):
            value = getattr(config, field.name)
            if isinstance(value, int) and not isinstance(value, bool):
                made[field.name] = min(value, most)
            elif isinstance(value, tuple):
                made[field.name] = tuple(min(each, most) for each in value)
            elif "dropout" in field.name:
                made[field.name] = 0.0
        return replace(config, **{**made, **changes})

    return make
