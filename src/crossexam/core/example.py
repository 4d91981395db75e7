"""An example, and the record of how it was derived from another.

A construction does not write text.  It states which sentence of the base example each side starts
from and which edits are made, and the text follows, so that text and record cannot disagree.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from crossexam.core.labels import Gold

Side = Literal["premise", "hypothesis"]
SIDES: Final[tuple[Side, ...]] = ("premise", "hypothesis")

#: Keys of ``info`` that only constructions read; they are not copied to derived examples.
HEAVY_INFO: Final[frozenset[str]] = frozenset(
    {"premise_parse", "hypothesis_parse", "premise_binary_parse", "hypothesis_binary_parse",
     "premise_tags", "hypothesis_tags", "rationale", "options"}
)  # fmt: skip

#: Keys of ``info`` that say what people judged of an example; a derived one was not judged.
JUDGED_INFO: Final[frozenset[str]] = frozenset({"verdict", "agreed", "status"})


@dataclass(frozen=True, slots=True)
class Edit:
    """On the new *side*, characters *start* to *end* of the starting sentence, *old*, become *new*."""

    side: Side
    start: int
    end: int
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Change:
    """How an example came about.

    ``construction`` is a name with its version (``antonymy.v1``).  ``source`` says which side of the
    base example the new premise starts from, ``target`` which side the new hypothesis starts from.
    """

    construction: str
    source: Side
    target: Side
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A premise, a hypothesis and the gold label (None where there is none).

    ``base`` is the id of the example that this one was derived from, ``change`` how.  ``info`` holds
    what a corpus or construction says besides: genre, annotator labels, parses, the word pair ...

    >>> base = Example("a", "The man is tall.", "A man is here.", "neutral")
    >>> edit = Edit("hypothesis", 11, 15, "tall", "short")
    >>> item = base.derive("contradiction", Change("antonymy.v1", "premise", "premise", (edit,)))
    >>> item.hypothesis, item.base
    ('The man is short.', 'a')
    """

    id: str
    premise: str
    hypothesis: str
    label: Gold | None
    base: str | None = None
    change: Change | None = None
    info: Mapping[str, Any] = field(default_factory=dict)

    def text(self, side: Side) -> str:
        """Return the sentence on *side*."""
        return self.premise if side == "premise" else self.hypothesis

    def derive(
        self, label: Gold | None, change: Change, *, suffix: str = "", info: Mapping[str, Any] | None = None
    ) -> Example:
        """Return the example that *change* makes of this one; its text follows from the edits.

        The id is ``construction:base-id`` and *suffix*.  Raises ValueError where an edit does not fit.
        """
        name = change.construction.partition(".")[0]
        inherited = {key: value for key, value in self.info.items() if key not in HEAVY_INFO | JUDGED_INFO}
        return Example(
            id=f"{name}:{self.id}{suffix}",
            premise=apply_edits(self.text(change.source), change.edits, "premise"),
            hypothesis=apply_edits(self.text(change.target), change.edits, "hypothesis"),
            label=label,
            base=self.id,
            change=change,
            info={**inherited, "cluster": cluster_of(self), **(info or {})},
        )


def cluster_of(example: Example) -> str:
    """Return the name of the cluster of *example*: examples made from one premise share it.

    Answers about one premise are not independent, so every interval counts by cluster.
    """
    known = example.info.get("cluster")
    if known is not None:
        return str(known)
    return hashlib.blake2b(example.premise.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def apply_edits(text: str, edits: Iterable[Edit], side: Side) -> str:
    """Return *text* after those of *edits* that are on *side*; offsets are those of *text*.

    Raises ValueError where edits overlap or their ``old`` is not what stands there.
    """
    pieces: list[str] = []
    position = 0
    for edit in sorted((e for e in edits if e.side == side), key=lambda e: (e.start, e.end)):
        if edit.start < position:
            raise ValueError(f"edits overlap at character {edit.start} of {text!r}")
        if text[edit.start : edit.end] != edit.old or edit.end < edit.start:
            raise ValueError(f"characters {edit.start} to {edit.end} of {text!r} are not {edit.old!r}")
        pieces += [text[position : edit.start], edit.new]
        position = edit.end
    if not pieces:
        return text
    pieces.append(text[position:])
    return "".join(pieces)


def undo_edits(text: str, edits: Iterable[Edit], side: Side) -> str:
    """Return the sentence that *text* was before those of *edits* that are on *side*.

    Raises ValueError where the record does not fit the text.

    >>> undo_edits("not here", [Edit("premise", 0, 0, "", "not ")], "premise")
    'here'
    """
    return apply_edits(text, located_in_result(edits, side), side)


def located_in_result(edits: Iterable[Edit], side: Side) -> list[Edit]:
    """Return the inverse edits of *side*: where each new piece stands in the edited text."""
    inverse: list[Edit] = []
    shift = 0
    for edit in sorted((e for e in edits if e.side == side), key=lambda e: (e.start, e.end)):
        start = edit.start + shift
        inverse.append(Edit(side, start, start + len(edit.new), edit.new, edit.old))
        shift += len(edit.new) - len(edit.old)
    return inverse


VERDICT: Final = "verdict"
STATUS: Final = "status"
VERIFIED: Final = "verified"
REJECTED: Final = "rejected"
PROPOSED: Final = "proposed"
STATUSES: Final = (VERIFIED, REJECTED, PROPOSED)


def status_of(example: Example) -> str | None:
    """Return whether *example* is verified, rejected or proposed; None where nothing is said of it.

    >>> status_of(Example("a", "p", "h", "neutral", info={"status": "proposed"}))
    'proposed'
    """
    for found in (example.info.get(VERDICT), example.info.get(STATUS)):
        if found in STATUSES:
            return str(found)
    return None
