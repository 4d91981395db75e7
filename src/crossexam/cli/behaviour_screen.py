"""Building the suite of the behaviour analysis, and the table of what was made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crossexam.core.errors import CrossexamError

if TYPE_CHECKING:
    from crossexam.suites.bases import Base

BEHAVIOUR: Final = "behaviour"


def parse_pairs(texts: Sequence[str] | None) -> dict[str, list[str]]:
    """Return the lists by relation that ``--pairs RELATION=FILE`` states; raises CrossexamError.

    >>> parse_pairs(["antonym=wordnet", "antonym=own.txt"])
    {'antonym': ['wordnet', 'own.txt']}
    """
    found: dict[str, list[str]] = {}
    for text in texts or ():
        relation, equals, name = text.partition("=")
        if not (relation and equals and name):
            raise CrossexamError(
                f"'{text}' names no list", where="--pairs",
                wanted="antonym=FILE or hypernym=FILE; wordnet for FILE is the built-in list",
            )  # fmt: skip
        found.setdefault(relation, []).append(name)
    return found


def build_behaviour(
    bases: Sequence[Base],
    output: Path,
    *,
    pairs: Sequence[str] | None,
    index: str | None,
    controls: int | None,
    seed: int,
    annotator: str,
    limit: int | None,
    force: bool,
    file_format: str = "parquet",
) -> None:
    """Write the suite into *output* and show what was made; raises CrossexamError."""
    from crossexam.cli.screen import note, progress_bar, show, written, yield_table
    from crossexam.core.files import read_json
    from crossexam.suites.behaviour import BehaviourRequest, write_behaviour

    request = BehaviourRequest(
        bases, parse_pairs(pairs), index, seed, file_format, annotator, controls, limit
    )
    with progress_bar() as progress:
        built = write_behaviour(request, output, force=force, progress=progress)
    if not built:
        note(f"{output} holds this very suite already; nothing was built")
    show(yield_table(read_json(output / "manifest.json")["test_sets"]))
    note("labels by natural logic are proposed: crossexam validate lets people judge them")
    written(output)
