"""Automatic checks of a test set: each is a function whose docstring is the message, and has a code.

E codes are errors (an item is wrong), W codes are warnings (a test set deserves a look).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from crossexam.constructions.entry import Construction
from crossexam.constructions.table import known_construction
from crossexam.core.columns import (
    Places,
    columns_of,
    examples_at,
    hashes_of,
    info_values,
    labels_of,
    text_hashes,
)
from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError
from crossexam.core.example import RELATION, SIDES, Example, as_generated, undo_edits
from crossexam.core.labels import ENTAILMENT_OR_NOT, GOLDS
from crossexam.core.stored.parquet import ROWS_AT_ONCE

if TYPE_CHECKING:
    from numpy.typing import NDArray

Bases = Mapping[str, Example]  # id -> example of the base set; empty if that is not available
_MOST_SHARE: Final = 0.9


@dataclass(frozen=True, slots=True)
class Finding:
    """The *code* and *message* of a failed check, and the item (or test set) that fails it."""

    code: str
    message: str
    item: str
    detail: str = ""


def _starting(item: Example) -> dict[str, str] | None:
    """Return the sentence of each side before the edits, or None if these cannot be undone."""
    if item.change is None:
        return None
    try:
        return {side: undo_edits(item.text(side), item.change.edits, side) for side in SIDES}
    except ValueError:
        return None


def replays(items: Sequence[Example], bases: Bases) -> Iterator[tuple[str, str]]:
    """The recorded edits do not produce the item's text."""
    for item in items:
        if item.change is None:
            continue
        starting = _starting(item)
        if starting is None:
            yield item.id, "an edit is not where the record says"
        elif item.change.source == item.change.target and starting["premise"] != starting["hypothesis"]:
            yield item.id, "both sides start from one sentence, but undoing the edits gives two"


def follows_base(items: Sequence[Example], bases: Bases) -> Iterator[tuple[str, str]]:
    """The item does not follow from its base example."""
    for item in items:
        base = bases.get(item.base or "")
        starting = _starting(item)
        if item.change is None or base is None or starting is None:
            continue
        if starting["premise"] != base.text(item.change.source):
            yield item.id, "premise"
        if starting["hypothesis"] != base.text(item.change.target):
            yield item.id, "hypothesis"


def label_allowed(items: Sequence[Example], bases: Bases) -> Iterator[tuple[str, str]]:
    """The label is not one that the construction assigns."""
    for item in map(as_generated, items):
        construction = _construction(item)
        if construction is None or item.label is None:
            continue
        two_labels = {ENTAILMENT_OR_NOT.gold(label) for label in construction.labels}
        if item.label not in (two_labels if item.label == "not_entailment" else construction.labels):
            yield item.id, f"{item.label}, allowed: {', '.join(construction.labels)}"


def label_kept(items: Sequence[Example], bases: Bases) -> Iterator[tuple[str, str]]:
    """The construction keeps labels, but the label differs from the base example's."""
    for item in items:
        construction, base = _construction(item), bases.get(item.base or "")
        if construction is None or not construction.keeps_label or base is None:
            continue
        label, of_base = as_generated(item).label, as_generated(base).label
        if label != of_base:
            yield item.id, f"{of_base} became {label}"


def has_label(items: Sequence[Example], bases: Bases) -> Iterator[tuple[str, str]]:
    """The item has no gold label."""
    for item in items:
        construction = _construction(item)
        if item.label is None and (construction is None or construction.labels):
            yield item.id, ""


def text_changed(items: Sequence[Example], bases: Bases) -> Iterator[tuple[str, str]]:
    """The item has no edits, or one that changes nothing."""
    for item in items:
        if item.change is None or _edits_nothing(item):
            continue
        if not item.change.edits or any(edit.old == edit.new for edit in item.change.edits):
            yield item.id, ""


def differs_from_base(items: Sequence[Example], bases: Bases) -> Iterator[tuple[str, str]]:
    """The item is identical to its base example, or its premise to its hypothesis."""
    for item in items:
        if item.change is None:
            continue
        base = bases.get(item.base or "")
        if base is not None and (base.premise, base.hypothesis) == (item.premise, item.hypothesis):
            yield item.id, "identical to its base"
        elif _edits_nothing(item):
            continue
        elif item.change.source == item.change.target and item.premise == item.hypothesis:
            yield item.id, "premise and hypothesis are identical"


def untouched_side(items: Sequence[Example], bases: Bases) -> Iterator[tuple[str, str]]:
    """A side is edited that the construction must not change."""
    for item in items:
        construction = _construction(item)
        if construction and item.change:
            wrong = {edit.side for edit in item.change.edits} - set(construction.edits)
            if wrong:
                yield item.id, ", ".join(sorted(wrong))


def unique_ids(items: Sequence[Example], bases: Bases) -> Iterator[tuple[str, str]]:
    """Two items have the same id."""
    repeated = examples_at(items, _repeated(text_hashes(items, "id")))
    counts = Counter(item.id for item in repeated)
    yield from ((name, f"{count} times") for name, count in counts.items() if count > 1)


def unique_pairs(items: Sequence[Example], bases: Bases) -> Iterator[tuple[str, str]]:
    """Two items have the same premise and hypothesis."""
    first: dict[tuple[str, str], str] = {}
    for item in examples_at(items, _repeated(_pair_hashes(items))):
        other = first.setdefault((item.premise, item.hypothesis), item.id)
        if other != item.id and _must_be_unique(item):
            yield item.id, f"as {other}"


def repeated_pairs(items: Sequence[Example], bases: Bases) -> Iterator[tuple[str, str]]:
    """The base repeats pairs, and so does the test set."""
    found = examples_at(items, _repeated(_pair_hashes(items)))
    pairs = Counter((item.premise, item.hypothesis) for item in found if not _must_be_unique(item))
    repeated = sum(count - 1 for count in pairs.values())
    if repeated:
        yield "(set)", f"{repeated} of {len(items)} items"


def balanced(items: Sequence[Example], bases: Bases) -> Iterator[tuple[str, str]]:
    """More than nine tenths of the items have the same label, although the construction assigns several."""
    labels = labels_of(items)
    counts = Counter(GOLDS[index] for index in labels[labels >= 0].tolist())
    if not counts:
        return
    label, count = counts.most_common(1)[0]
    construction = _construction(items[0])
    several = construction is None or len(construction.labels) > 1
    relations = info_values(items, [RELATION])[RELATION]
    if relations.stated.all() and relations.values == ["antonym"]:  # swapped antonyms always contradict
        return
    if several and count > _MOST_SHARE * sum(counts.values()) and len(items) > 1:
        yield "(set)", f"{label}: {count} of {sum(counts.values())}"


def installed(items: Sequence[Example], bases: Bases) -> Iterator[tuple[str, str]]:
    """The construction is not installed, so its sides, labels and repeated pairs were not checked."""
    first = items[0] if items else None
    if first is not None and first.change is not None and _construction(first) is None:
        yield "(set)", first.change.construction


def encoding(items: Sequence[Example], bases: Bases) -> Iterator[tuple[str, str]]:
    """The text contains a replacement character, a control character or wrongly decoded UTF-8."""
    for item in items:
        for side in SIDES:
            bad = [
                c
                for c in item.text(side)
                if c == "\ufffd" or (ord(c) < 32 and c not in "\t\n\r") or c == "\x7f"
            ]
            if bad or "Ã©" in item.text(side) or "â€" in item.text(side):
                yield item.id, f"{side}: {bad[0]!r}" if bad else side


def not_empty(items: Sequence[Example], bases: Bases) -> Iterator[tuple[str, str]]:
    """A sentence is empty."""
    yield from ((item.id, side) for item in items for side in SIDES if not item.text(side).strip())


def any_items(items: Sequence[Example], bases: Bases) -> Iterator[tuple[str, str]]:
    """The test set has no items."""
    if not items:
        yield "(set)", ""


def _pair_hashes(items: Sequence[Example]) -> NDArray[np.uint64]:
    """Return a number for the pair of each item [n]; equal pairs have equal numbers."""
    pairs = (
        zip(*(batch[side].to_pylist() for side in SIDES), strict=True) for batch in columns_of(items, SIDES)
    )
    return np.concatenate([np.empty(0, np.uint64), *(hashes_of([*each]) for each in pairs)])


def _repeated(numbers: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which of *numbers* [n] occur more than once: [n]."""
    ordered = np.sort(numbers)
    repeated: NDArray[np.bool_] = np.isin(numbers, ordered[1:][ordered[1:] == ordered[:-1]])
    return repeated


CodedCheck = Callable[[Sequence[Example], Bases], Iterator[tuple[str, str]]]

CHECKS: Final[dict[str, CodedCheck]] = {
    "E101": replays,
    "E102": follows_base,
    "E103": text_changed,
    "E104": differs_from_base,
    "E105": untouched_side,
    "E201": label_allowed,
    "E202": label_kept,
    "E301": unique_ids,
    "E302": unique_pairs,
    "E401": not_empty,
    "W203": has_label,
    "W204": balanced,
    "W303": repeated_pairs,
    "W402": encoding,
    "W501": any_items,
    "W601": installed,
}

#: The checks that need all items of a test set; the others are done on some thousand items at a time.
OF_SETS: Final = frozenset({"E301", "E302", "W204", "W303", "W501", "W601"})


def _construction(item: Example) -> Construction | None:
    return known_construction(item.change.construction.partition(".")[0]) if item.change else None


def _edits_nothing(item: Example) -> bool:
    """Return whether the construction of *item* only chooses the sentences."""
    construction = _construction(item)
    return construction is not None and not construction.edits


def _must_be_unique(item: Example) -> bool:
    construction = _construction(item)
    return construction is not None and construction.unique_pairs


def run_checks(dataset: Dataset, base: Dataset | None = None) -> list[Finding]:
    """Return the findings of all checks on *dataset*, errors first.

    Without the *base* set, E102 and E202 are skipped.  Raises CrossexamError if no item derives from an
    example of *base*.

    >>> run_checks(Dataset("one", [Example("a", "It rains.", "", "neutral")]))[0].code
    'E401'
    """
    examples = dataset.examples
    findings: dict[str, list[Finding]] = {code: [] for code in CHECKS}
    for items, bases in _with_bases(dataset, base):
        for code in CHECKS.keys() - OF_SETS:
            findings[code] += _findings(code, items, bases)
    for code in OF_SETS:
        findings[code] += _findings(code, examples, {})
    return [finding for found in findings.values() for finding in found]


def _findings(code: str, items: Sequence[Example], bases: Bases) -> Iterator[Finding]:
    check = CHECKS[code]
    message = (check.__doc__ or "").strip()
    yield from (Finding(code, message, item, detail) for item, detail in check(items, bases))


def _with_bases(dataset: Dataset, base: Dataset | None) -> Iterator[tuple[Sequence[Example], Bases]]:
    """Yield the items of *dataset*, some thousand at a time, with the examples of *base* that they need."""
    examples = dataset.examples
    of_bases = Places(base.examples).of_bases(examples) if base else np.full(len(examples), -1)
    derived = any(any(batch["base"].to_pylist()) for batch in dataset.columns("base"))
    if base and derived and not (of_bases >= 0).any():
        raise CrossexamError(
            f"none of the items of '{dataset.name}' is derived from the base '{base.name}'",
            hint="check the test set against the base that it was built from",
        )
    for start in range(0, len(examples), ROWS_AT_ONCE):
        part = slice(start, start + ROWS_AT_ONCE)
        places = np.unique(of_bases[part])
        found = examples_at(base.examples, places[places >= 0]) if base else ()
        yield list(examples[part]), {example.id: example for example in found}
