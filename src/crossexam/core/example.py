"""An example, and the record of how it was derived from another.

A construction does not write text.  It says which sentence of the base example each side starts from and
which edits are made; the text follows, so that text and record cannot disagree.

The keys of ``info`` that the package reads are constants here, and so are the values of an item's status.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Final, Literal, NamedTuple

import msgspec

from crossexam.core.labels import Gold, parse_label

_REMEMBERED: Final = 4096  # premises, which neighbouring examples and all items of an example share

Side = Literal["premise", "hypothesis"]
SIDES: Final[tuple[Side, ...]] = ("premise", "hypothesis")
OTHER_SIDE: Final[Mapping[Side, Side]] = {"premise": "hypothesis", "hypothesis": "premise"}

# fmt: off
# Keys of `info`, in all corpora and constructions.
CLUSTER:          Final = "cluster"           # examples that are not independent share it: see cluster_of
CAPTION_ID:       Final = "captionID"         # SNLI's premise
PROMPT_ID:        Final = "promptID"          # MultiNLI's premise
GENRE:            Final = "genre"             # of a corpus that has genres
ANNOTATOR_LABELS: Final = "annotator_labels"  # the labels that single annotators gave
DISTRIBUTION:     Final = "label_distribution"  # the shares of the three labels among many annotators
VOTES:            Final = "votes"             # how many of them gave each label
OLD_LABEL:        Final = "old_label"         # the gold label before the example was annotated again
MEAN_SCORE:       Final = "score"             # of people who judged a pair of Add-1, from 1 to 5
PAIR:             Final = "pair"              # of words: "hot/cold"
KIND:             Final = "kind"              # of antonyms; of a single text ("problem", "sentence")
HOW:              Final = "how"               # the rule that made a numerical item
ERROR:            Final = "error"             # of spelling, in tests with several: swap or keyboard
RELATION:         Final = "relation"          # of the words that were swapped
CONTROL_LABEL:    Final = "control_label"     # the gold label of the control of a swap
ONLY_PAIR:        Final = "only_pair"         # whether only the pair of words differs in a control
DOUBTS:           Final = "doubts"            # why our rules doubt an item, or would not make it
SEEN:             Final = "seen"              # whether the pair of words is in the training corpus
POLARITY:         Final = "polarity"          # of a pair of words in the training corpus
SCORE:            Final = "lexically_misleading_score"
PLACE:            Final = "place"             # of a distracting passage: before, after, around
CHAIN:            Final = "chain"             # shared by the items (h, z) and (p, z) of an example (p, h)
LINK:             Final = "link"              # which of these an item is: "h-z" or "p-z"
# Keys of `info` in word problems.
OPTIONS:          Final = "options"           # possible answers
CORRECT:          Final = "correct"           # the letter of the right one
RATIONALE:        Final = "rationale"         # its derivation
# Keys of `info` for what people judged.
VERDICT:          Final = "verdict"           # VERIFIED or REJECTED
AGREED:           Final = "agreed"            # how many judges give the item's label, and of how many: [2, 3]
GENERATED_LABEL:  Final = "generated_label"   # of the construction, if judges replaced it: see as_generated
JUDGED_KIND:      Final = "judged_kind"       # of antonyms: gradable, relational, complementary
JUDGE_LABELS:     Final = "judge_labels"      # the labels that single judges gave
STATUS:           Final = "status"            # one of ITEM_STATUSES, of an item whose label is only proposed
# Keys of `info` for annotation that a corpus ships with each sentence.
PARSE_KEY:        Final[Mapping[Side, str]] = {"premise": "premise_parse", "hypothesis": "hypothesis_parse"}
BINARY_PARSE_KEY: Final[Mapping[Side, str]] = {"premise": "premise_binary_parse",
                                               "hypothesis": "hypothesis_binary_parse"}
TAGS_KEY:         Final[Mapping[Side, str]] = {"premise": "premise_tags", "hypothesis": "hypothesis_tags"}
# fmt: on

#: Keys of ``info`` that only constructions read; derived examples do not inherit them.
HEAVY_INFO: Final[frozenset[str]] = frozenset(
    {*PARSE_KEY.values(), *BINARY_PARSE_KEY.values(), *TAGS_KEY.values(), RATIONALE, OPTIONS}
)

#: Those of them that an unchanged example keeps, since models read them too.
KEPT_INFO: Final[frozenset[str]] = frozenset(BINARY_PARSE_KEY.values())

#: Keys of ``info`` for what people judged; a derived example was not judged.
JUDGED_INFO: Final[frozenset[str]] = frozenset(
    {VERDICT, AGREED, STATUS, GENERATED_LABEL, JUDGED_KIND, JUDGE_LABELS}
)

_NOT_INHERITED: Final = HEAVY_INFO | JUDGED_INFO
_NOT_LIGHT: Final = HEAVY_INFO - KEPT_INFO

#: Values of ``info[STATUS]`` and, the first two, of ``info[VERDICT]``.
VERIFIED: Final = "verified"
REJECTED: Final = "rejected"
PROPOSED: Final = "proposed"
UNDECIDED: Final = "undecided"  # proposed with a doubt: not scored before people have judged it
ITEM_STATUSES: Final = (VERIFIED, REJECTED, PROPOSED, UNDECIDED)

#: Values of ``info["link"]``, of transitivity: from which sentence of the example to z.
HYPOTHESIS_TO_Z: Final = "h-z"
PREMISE_TO_Z: Final = "p-z"


#: Kinds of example that are single texts, without a hypothesis and a gold label; see ``info["kind"]``.
SINGLE_TEXTS: Final = frozenset({"problem", "sentence"})


class Edit(NamedTuple):
    """The replacement, on the new *side*, of *old* (characters *start* to *end* of the old text) by *new*."""

    side: Side
    start: int
    end: int
    old: str
    new: str


class Change(msgspec.Struct, frozen=True):
    """The derivation of an example from its base.

    ``construction`` is a name with its version (``antonymy.v1``).  ``source`` is the side of the base example
    that the new premise starts from, ``target`` the side that the new hypothesis starts from.
    """

    construction: str
    source: Side
    target: Side
    edits: tuple[Edit, ...]


@dataclass(frozen=True, init=False, match_args=False)
class Example(msgspec.Struct, dict=True):
    """A premise, a hypothesis and the gold label (None if there is none).

    ``base`` is the id of the example that this one was derived from, ``change`` how.  ``info`` holds whatever
    else a corpus or a construction records: genre, annotator labels, parses, the word pair ...

    A dataclass, but for how it is made: a ``msgspec.Struct`` takes a tenth of the time.

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
    info: Mapping[str, Any] = {}

    @property
    def is_single_text(self) -> bool:
        """Whether it is a sentence or a word problem alone, which is not a pair and has no label."""
        return not self.hypothesis and self.info.get(KIND) in SINGLE_TEXTS

    def text(self, side: Side) -> str:
        """Return the sentence on *side*."""
        return self.premise if side == "premise" else self.hypothesis

    def derive(
        self, label: Gold | None, change: Change, *, suffix: str = "", info: Mapping[str, Any] | None = None
    ) -> Example:
        """Return the example that *change* derives from this one; its text follows from the edits.

        The id is ``construction:base-id`` and *suffix*.  Raises ValueError if an edit does not fit.
        """
        name = change.construction.partition(".")[0]
        inherited = self.inherited_info
        return Example(
            f"{name}:{self.id}{suffix}",
            apply_edits(self.text(change.source), change.edits, "premise"),
            apply_edits(self.text(change.target), change.edits, "hypothesis"),
            label,
            self.id,
            change,
            {**inherited, **info} if info else inherited,
        )

    @cached_property
    def inherited_info(self) -> Mapping[str, Any]:
        """The ``info`` of the examples derived from this one, but for what each adds: one object for all."""
        info = {key: value for key, value in self.info.items() if key not in _NOT_INHERITED}
        return info | {CLUSTER: cluster_of(self)}


def content_id(premise: str, hypothesis: str, label: Gold | None) -> str:
    """Return an id for a pair that has none: 16 hexadecimal digits that follow from its content alone.

    The draws of constructions follow ids, so the same rows give the same items, whatever the name, the format
    or the order of the files that they are in.

    >>> content_id("It rains.", "It is wet.", "neutral") == content_id("It rains.", "It is wet.", None)
    False
    """
    content = f"{premise}\x1f{hypothesis}\x1f{label or ''}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def cluster_of(example: Example) -> str:
    """Return the cluster of *example*; examples with the same premise share it.

    Predictions on one premise are not independent, so every confidence interval is computed over clusters.
    """
    known = example.info.get(CLUSTER)
    return premise_cluster(example.premise) if known is None else str(known)


@lru_cache(_REMEMBERED)
def premise_cluster(premise: str) -> str:
    """Return the cluster of the examples with *premise* that state none."""
    return hashlib.blake2b(premise.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def light_info(example: Example) -> dict[str, Any]:
    """Return the ``info`` of *example* with its cluster, without what only constructions read.

    >>> sorted(light_info(Example("a", "P", "H", None, info={"genre": "x", "premise_parse": "(NN P)"})))
    ['cluster', 'genre']
    """
    info = {key: value for key, value in example.info.items() if key not in _NOT_LIGHT}
    return info | {CLUSTER: cluster_of(example)}


def status_of(example: Example) -> str | None:
    """Return the status of *example*, one of ITEM_STATUSES; None if its label is not in question.

    >>> status_of(Example("a", "p", "h", "neutral", info={"status": "proposed"}))
    'proposed'
    """
    for status in (example.info.get(VERDICT), example.info.get(STATUS)):
        if status in ITEM_STATUSES:
            return str(status)
    return None


def is_relabelled(example: Example) -> bool:
    """Return whether judges replaced the label of *example*."""
    return GENERATED_LABEL in example.info


def as_generated(example: Example) -> Example:
    """Return *example* with the label of its construction, if judges replaced it.

    >>> as_generated(Example("a", "p", "h", "neutral", info={"generated_label": "entailment"}))
    Example(id='a', premise='p', hypothesis='h', label='entailment', base=None, change=None, info={})
    """
    if not is_relabelled(example):
        return example
    info = {key: value for key, value in example.info.items() if key != GENERATED_LABEL}
    return replace(example, label=parse_label(example.info[GENERATED_LABEL]), info=info)


def apply_edits(text: str, edits: Sequence[Edit], side: Side) -> str:
    """Return *text* with those of *edits* applied that are on *side*; offsets are those of *text*.

    Raises ValueError if edits overlap or if *text* does not have their ``old`` at their offsets.
    """
    if len(edits) == 1 and edits[0][0] != side:
        return text
    if len(edits) > 1:
        edits = sorted(edits, key=lambda e: (e.start, e.end))
    edited, position = "", 0
    for edited_side, start, end, old, new in edits:
        if edited_side != side:
            continue
        if start < position:
            raise ValueError(f"edits overlap at character {start} of {text!r}")
        if text[start:end] != old or end < start:
            raise ValueError(f"characters {start} to {end} of {text!r} are not {old!r}")
        edited += text[position:start] + new
        position = end
    return edited + text[position:]


def undo_edits(text: str, edits: Iterable[Edit], side: Side) -> str:
    """Return *text* as it was before those of *edits* that are on *side*.

    Raises ValueError if the record does not fit the text.

    >>> undo_edits("not here", [Edit("premise", 0, 0, "", "not ")], "premise")
    'here'
    """
    return apply_edits(text, located_in_result(edits, side), side)


def located_in_result(edits: Iterable[Edit], side: Side) -> list[Edit]:
    """Return the inverses of the edits on *side*, with offsets in the edited text."""
    inverse: list[Edit] = []
    shift = 0
    for edit in sorted((e for e in edits if e.side == side), key=lambda e: (e.start, e.end)):
        start = edit.start + shift
        inverse.append(Edit(side, start, start + len(edit.new), edit.new, edit.old))
        shift += len(edit.new) - len(edit.old)
    return inverse
