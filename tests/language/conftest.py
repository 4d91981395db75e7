"""What the tests of language share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.example import SIDES, Example


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


@pytest.fixture(scope="session")
def same_in_any_order() -> Callable[..., None]:
    """Check that an annotator, made anew, gives the same of *examples* in whatever order it prepares them."""

    def check(make: Callable[[], Any], method: str, examples: Sequence[Example]) -> None:
        def annotated(order: Sequence[Example], size: int) -> dict[tuple[str, str], Any]:
            annotator, found = make(), {}
            for place, each in enumerate(order):
                if size and place % size == 0:
                    annotator.prepare(order[place : place + size])
                found |= {(each.id, side): getattr(annotator, method)(each, side) for side in SIDES}
            return found

        alone = annotated(examples, 0)  # without preparation
        assert len(alone) == 2 * len(examples)
        for order, size in ((examples, len(examples)), (examples[::-1], 2), (examples, 1)):
            assert annotated(order, size) == alone

    return check
