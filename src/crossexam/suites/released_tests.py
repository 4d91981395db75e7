"""The stress tests that Naik et al. (2018) released, as a suite with their bases.

The items are those of the authors' files, unchanged.  The pair of MultiNLI dev that an item was made from is
found by its text, since the files have the ids of MultiNLI 0.9, if any.  One sentence of the item is in the
pair; the other was edited in one place.  An item whose pair is not found, or is not the only one that fits,
has no base: it counts for the accuracy of its test set, but not for the drop.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any, Final, Literal, NamedTuple

from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import CLUSTER, OTHER_SIDE, SIDES, Change, Edit, Example, Side, cluster_of
from crossexam.core.manifest import BASE, TestSetEntry
from crossexam.corpora.spec import CorpusSpec
from crossexam.suites.bases import Base, base_from_spec, base_read, part_name, unchanged, with_notes
from crossexam.suites.plan import Overview, Resolved, SuitePlan, SuiteRequest, TestSetPlan

CORPUS: Final = "naik_stress"
#: The share of a sentence's characters that must be left for it to be the one that was edited.
_LEAST_LEFT: Final = 0.25
#: In ``info``: the id of the pair of MultiNLI 0.9 that the authors' file names.
_BASE_PAIR: Final = "base_pair"
#: AQuA-RAT, from whose problems the numerical items were made; the files do not name them.
_PROBLEMS: Final = "aqua"
_BASES: Final[Mapping[str, str]] = {
    "matched": "multinli:dev_matched",
    "mismatched": "multinli:dev_mismatched",
}


class ReleasedTest(NamedTuple):
    """A stress test of the authors: its *name* here, the name of its files in the corpus, and its class.

    *edited* is the side of the pair that was edited, None if each sentence of the pair was used on its own
    (antonymy) or if there is no pair (numerical reasoning).
    """

    name: str
    file: str
    test_class: Literal["competence", "distraction", "noise"]
    edited: Side | None = "hypothesis"
    splits: tuple[str, ...] = ("matched", "mismatched")

    @property
    def keeps_label(self) -> bool:
        """Whether an item has the gold label of its pair."""
        return self.edited is not None


TESTS: Final = (
    ReleasedTest("antonymy_authors", "antonymy", "competence", None),
    ReleasedTest("numerical_reasoning_authors", "numerical_reasoning", "competence", None, ()),
    ReleasedTest("word_overlap_authors", "word_overlap", "distraction"),
    ReleasedTest("negation_authors", "negation", "distraction"),
    ReleasedTest("length_mismatch_authors", "length_mismatch", "distraction", "premise"),
    ReleasedTest("spelling_error_mixed_content_word_authors", "content_word", "noise"),
    ReleasedTest("spelling_error_mixed_function_word_authors", "function_word", "noise"),
    ReleasedTest("spelling_error_keyboard_swap_authors", "keyboard", "noise"),
    ReleasedTest("spelling_error_adjacent_swap_authors", "swap", "noise"),
)


@dataclass(frozen=True)
class ReleasedOptions:
    """The *tests* to include, by names of constructions (``negation``); if empty, all that are installed."""

    tests: tuple[str, ...] = ()

    def chosen(self) -> tuple[ReleasedTest, ...]:
        """Return the requested tests; raises UnknownNameError."""
        known = {each.name.removesuffix("_authors"): each for each in TESTS}
        for name in self.tests:
            if name not in known:
                raise UnknownNameError("stress test", name, known)
        return tuple(known[name] for name in dict.fromkeys(self.tests)) or TESTS


class _Pairs:
    """The pairs of a base by the text of each side, without regard to white space."""

    def __init__(self, examples: Iterable[Example]) -> None:
        self._by_text: dict[Side, dict[str, list[Example]]] = {side: defaultdict(list) for side in SIDES}
        for example in examples:
            for side in SIDES:
                self._by_text[side][_plain(example.text(side))].append(example)

    def edited_on(self, side: Side, item: Example) -> Example | None:
        """Return the only pair with the label of *item* that differs from it by an edit on *side*."""
        other = OTHER_SIDE[side]
        found = self._by_text[other].get(_plain(item.text(other)), ())
        same = [pair for pair in found if pair.label == item.label]
        left = [_share_left(pair.text(side), item.text(side)) for pair in same]
        best = max(left, default=0.0)
        if best < _LEAST_LEFT:
            return None
        return _only([pair for pair, share in zip(same, left, strict=True) if share == best], item)

    def with_sentence(self, item: Example) -> tuple[Example, Side, Side] | None:
        """Return a pair, its side, and the side of *item* that have the same text; the other is edited.

        Pairs that share a premise have the same cluster, so any of them stands for all.
        """
        for own in SIDES:
            for side in SIDES:
                found = self._by_text[side].get(_plain(item.text(own)), ())
                pair = _named(found, item) or next(iter(found), None)
                if (
                    pair is not None
                    and _share_left(pair.text(side), item.text(OTHER_SIDE[own])) >= _LEAST_LEFT
                ):
                    return pair, side, own
        return None


def _plain(text: str) -> str:
    return " ".join(text.split())


def _only(pairs: Sequence[Example], item: Example) -> Example | None:
    """Return the pair that *item* names, else the only one of *pairs*, else None."""
    return _named(pairs, item) or (pairs[0] if len(pairs) == 1 else None)


def _named(pairs: Iterable[Example], item: Example) -> Example | None:
    return next((pair for pair in pairs if pair.id == item.info.get(_BASE_PAIR)), None)


def _share_left(old: str, new: str) -> float:
    """Return the share of the characters of *old* that one replacement that gives *new* leaves.

    >>> _share_left("It rains.", "It rains and true is true."), _share_left("It rains.", "It rians.")
    (1.0, 0.7777777777777778)
    """
    start, end = _common(old, new)
    return (start + end) / len(old) if old else 0.0


def _common(old: str, new: str) -> tuple[int, int]:
    """Return how many characters *old* and *new* share at the start, and of the rest at the end."""
    from rapidfuzz.distance import Postfix, Prefix

    start = Prefix.similarity(old, new)
    return start, Postfix.similarity(old[start:], new[start:])


def _edit(side: Side, old: str, new: str) -> Edit:
    start, end = _common(old, new)
    return Edit(side, start, len(old) - end, old[start : len(old) - end], new[start : len(new) - end])


def with_base(item: Example, test: ReleasedTest, pairs: _Pairs) -> Example:
    """Return *item* with the pair that it was made from as its base, or as it is if none is found.

    How it was made is recorded if the two texts are the same to the character.
    """
    found = _base_of(item, test, pairs)
    if found is None:
        return item
    pair, sources, kept = found
    edited = OTHER_SIDE[kept]
    info = {**item.info, CLUSTER: cluster_of(pair)}
    if pair.text(sources[kept]) != item.text(kept) or pair.text(sources[edited]) == item.text(edited):
        return replace(item, base=pair.id, info=info)
    edit = _edit(edited, pair.text(sources[edited]), item.text(edited))
    change = Change(test.name, sources["premise"], sources["hypothesis"], (edit,))
    return replace(item, base=pair.id, change=change, info=info)


def _base_of(
    item: Example, test: ReleasedTest, pairs: _Pairs
) -> tuple[Example, Mapping[Side, Side], Side] | None:
    """Return the pair of *item*, which of its sides each side of *item* starts from, and the side kept."""
    if test.edited is not None:
        pair = pairs.edited_on(test.edited, item)
        return None if pair is None else (pair, {side: side for side in SIDES}, OTHER_SIDE[test.edited])
    found = pairs.with_sentence(item)
    if found is None:
        return None
    pair, source, kept = found
    return pair, dict.fromkeys(SIDES, source), kept


class _Split:
    """A split of MultiNLI dev, which is read when it is first used."""

    def __init__(self, base: Base) -> None:
        self.base = base

    @cached_property
    def examples(self) -> list[Example]:
        return list(self.base.open())

    @cached_property
    def pairs(self) -> _Pairs:
        return _Pairs(self.examples)


def plan_released(request: SuiteRequest) -> SuitePlan:
    """Plan the authors' stress tests that are installed, and MultiNLI dev if it is.

    Raises CrossexamError if none is installed, or if a test is requested by name and is not.
    """
    splits = {
        split: _Split(base_from_spec(spec))
        for split, spec in _BASES.items()
        if CorpusSpec.parse(spec).installed()
    }
    files = {test: _files(test) for test in request.options.chosen()}
    _refuse_missing(request.options, files)
    notes = [
        f"{spec} is not installed, so no item has a base, and reports show no drops for this split"
        for split, spec in _BASES.items()
        if split not in splits
    ]
    plans = [_plan_of_base(request, each) for each in splits.values()]
    plans += [
        _plan_of_test(request, test, split, file, splits.get(split))
        for test, of_splits in files.items()
        for split, file in of_splits.items()
    ]
    read = [file for of_splits in files.values() for file in of_splits.values()]
    return SuitePlan(plans, notes, lambda: {"read": [base_read(base) for base in read]})


Files = Mapping[ReleasedTest, Mapping[str, Base]]


def _files(test: ReleasedTest) -> dict[str, Base]:
    """Return the installed files of *test*, by split of MultiNLI dev; the key is empty if there are none."""
    names = {split: f"{CORPUS}:{test.file}_{split}" for split in test.splits} or {"": f"{CORPUS}:{test.file}"}
    return {
        split: base_from_spec(spec) for split, spec in names.items() if CorpusSpec.parse(spec).installed()
    }


def _refuse_missing(options: ReleasedOptions, files: Files) -> None:
    missing = [test.file for test, splits in files.items() if not splits]
    if missing and (options.tests or len(missing) == len(files)):
        what = f"not installed: {', '.join(missing)}"
        raise CrossexamError(
            what if options.tests else "none of the authors' stress tests is installed",
            wanted="their files in the data folder",
            hint=f"crossexam fetch {CORPUS} says how to get them",
        )


def _plan_of_base(request: SuiteRequest, split: _Split) -> TestSetPlan:
    def rows() -> Iterator[Example]:
        return unchanged(split.examples, request.limit)

    return TestSetPlan(TestSetEntry(versioned=BASE, part=split.base.part), request.signed(split.base), rows)


def _plan_of_test(
    request: SuiteRequest, test: ReleasedTest, split: str, file: Base, pairs_of: _Split | None
) -> TestSetPlan:
    entry = TestSetEntry(
        versioned=test.name,
        part=part_name(_BASES[split]) if split else _PROBLEMS,
        base_set=None if pairs_of is None else f"{BASE}.{part_name(_BASES[split])}",
        keeps_label=test.keeps_label,
        test_class=test.test_class,
    )
    bases_found = list[bool]()

    def rows() -> Iterator[Example]:
        for item in islice(file.open(), request.limit):
            made = _item(item, test, pairs_of.pairs if pairs_of else None)
            bases_found.append(made.base is not None)
            yield made

    def found() -> dict[str, Any]:
        yields = {"examples": len(bases_found), "items": len(bases_found), "rejected": {}}
        return {"yields": yields, "facts": {"bases_found": sum(bases_found)}}

    base = Resolved(pairs_of and pairs_of.base.identified)
    return TestSetPlan(entry, request.signed(file, base=base), rows, found)


def _item(item: Example, test: ReleasedTest, pairs: _Pairs | None) -> Example:
    named = replace(item, id=f"{test.name}:{item.id}")
    if test.splits:
        return with_base(with_notes(named, {}), test, pairs) if pairs else with_notes(named, {})
    # Entailment and contradiction start from the sentence of the problem, neutral ends with it (section 3.1).
    sentence = item.hypothesis if item.label == "neutral" else item.premise
    return with_notes(replace(named, info={**item.info, CLUSTER: _plain(sentence)}), {})


def _bases_found(entry: TestSetEntry) -> str:
    return "" if entry.is_base or not entry.base_set else f"{entry.facts['bases_found']:,}"


OVERVIEW: Final = Overview(
    "The stress tests of Naik et al. (2018)",
    {
        "test set": lambda entry: entry.name,
        "items": lambda entry: f"{entry.rows:,}",
        "with their pair": _bases_found,
    },
    numbers=("items", "with their pair"),
)
