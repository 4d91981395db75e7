"""Commands about models behind an endpoint."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.test_sets import write_test_set
from made.runs import dataset


@pytest.fixture
def tests(tmp_path: Path) -> Path:
    """24 pairs of a test set in a file."""
    path = tmp_path / "tiny.parquet"
    write_test_set(path, dataset("tiny", "ENC" * 8).examples)
    return path


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """The folder into which ``command`` writes."""
    return tmp_path / "run"


@pytest.fixture
def command(crossexam: Callable[..., Any], tests: Path, output: Path, server: Any) -> Callable[..., Any]:
    """Return a function that runs ``crossexam run api/mine`` on these pairs with these arguments."""

    def call(*arguments: object, status: int | None = 0) -> Any:
        line = ("run", "api/mine", tests, "--concurrency", "1", "--endpoint", server.url)
        into = () if "-o" in arguments else ("-o", output)
        said = crossexam((*line, *into, *arguments), status)
        return said._replace(out=" ".join(said.out.split()), err=" ".join(said.err.split()))

    return call
