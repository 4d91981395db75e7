"""What the tests of language share."""

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def pipeline_in() -> Callable[..., str]:
    """Write a spaCy pipeline that knows nothing to a folder, and return its spec."""

    def write(folder: Path, *, tags: str = "", relations: str = "") -> str:
        spacy = pytest.importorskip("spacy")
        spacy.util.fix_random_seed(5)
        nlp = spacy.blank("en")
        for component, labels in (("tagger", tags), ("parser", relations)):
            if labels:
                pipe = nlp.add_pipe(component)
                for label in labels.split():
                    pipe.add_label(label)
        if nlp.pipe_names:
            nlp.initialize()
        nlp.to_disk(folder)
        return f"spacy:{folder}"

    return write
