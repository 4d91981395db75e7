"""What the tests of corpora share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from crossexam.corpora.spec import iter_corpus


@pytest.fixture(autouse=True)
def _no_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test find the user's corpora; those that read real files name their folder."""
    monkeypatch.delenv("CROSSEXAM_DATA", raising=False)


@pytest.fixture(scope="session")
def said_of(refused: Callable[..., str]) -> Callable[..., str]:
    """Return what is said of a corpus that cannot be read."""
    return lambda *given, **options: refused(lambda: list(iter_corpus(*given, **options)))
