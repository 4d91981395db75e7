"""What the tests of corpora share."""

from collections.abc import Callable
from pathlib import Path

import pytest

from crossexam.corpora.spec import iter_corpus
from made.cases import refused


@pytest.fixture(autouse=True)
def _own_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test find the user's corpora: the data folder of each is its own."""
    monkeypatch.setenv("CROSSEXAM_DATA", str(tmp_path))


@pytest.fixture
def published(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of real corpora, as the data folder."""
    monkeypatch.setenv("CROSSEXAM_DATA", str(shared_data))
    return shared_data


@pytest.fixture(scope="session")
def said_of() -> Callable[..., str]:
    """Return what is said of a corpus that cannot be read."""
    return lambda *given, **options: refused(lambda: list(iter_corpus(*given, **options)))
