"""crossexam fetch: download corpora."""

from __future__ import annotations

from crossexam.cli.console import note, progress_bar
from crossexam.corpora.fetch import install_corpus
from crossexam.options.data import Fetch


def fetch(options: Fetch) -> None:
    """Download corpora."""
    for name in options.names:
        with progress_bar() as progress:
            result = install_corpus(
                name,
                data_dir=options.data,
                source=options.source,
                progress=progress,
                max_size=options.max_size * 1_000_000,
            )
        note(result.summary())
