"""The cross-dataset benchmark (Zhang et al. 2020, section 2), built from the installed corpora.

There is one test set per corpus, ``base.KEY``, and SNLI's test set, from which the drop is measured.  The
splits are drawn with a given seed (section 2.2) and written along with the test sets, as lists of ids with
content hashes.  The rank of a pair in the draw is a hash of the seed and its two sentences, so that the same
corpus has the same splits on any machine, whatever the order and the ids of the pairs in its files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Literal, NamedTuple

from crossexam.core.dataset import content_hash
from crossexam.core.errors import CrossexamError
from crossexam.core.example import MEAN_SCORE, Example
from crossexam.core.manifest import BASE, CROSS_DATASET, TestSetEntry
from crossexam.core.randomness import drawn_order
from crossexam.corpora.readers.table import READERS
from crossexam.corpora.reading import Reading, ReadingReport
from crossexam.corpora.spec import CorpusSpec
from crossexam.suites.bases import base_from_spec, identity_as_read, unchanged
from crossexam.suites.cross_dataset_corpora import (
    MEMBERS,
    REFERENCE,
    SCORED,
    Member,
    added_members,
    check_overlap,
    corpus_and_projection,
    member_named,
    projection_of_added,
    straightforward_pairs,
    without_reference,
)
from crossexam.suites.plan import Overview, Resolved, SuitePlan, SuiteRequest, TestSetPlan

SPLITS: Final = "splits"
_REFERENCE_SPEC: Final[Mapping[str, str]] = {"test": "snli:test", "validation": "snli:dev"}


@dataclass(frozen=True)
class CrossDatasetOptions:
    """The *corpora* (keys of MEMBERS; if empty, all installed ones) and the *split*: test or validation.

    *add* names further corpora, each possibly with a projection (CORPUS:PROJECTION), and *reference* the
    corpus from which the difference of the mean is measured; None is SNLI.  Of Add-1, *add_one* takes all
    pairs or only the straightforward ones (:func:`straightforward_pairs`).
    """

    corpora: tuple[str, ...] = ()
    split: Literal["test", "validation"] = "test"
    add: tuple[str, ...] = ()
    reference: str | None = None
    add_one: Literal["all", "straightforward"] = "all"

    def members(self, reading: Reading = Reading()) -> list[Member]:
        """Return the requested corpora, read with those options of *reading* that are for them.

        Raises UnknownNameError, CrossexamError if two have common files.
        """
        chosen = [member_named(name) for name in self.corpora] or list(MEMBERS.values())
        members = [member.read_with(reading) for member in (*chosen, *added_members(self.add))]
        if self.add_one == "straightforward":
            if SCORED not in {member.key for member in members}:
                raise CrossexamError(
                    f"'{SCORED}' is not among the corpora", where="cross-dataset.add_one=straightforward"
                )
            members = [replace(each, straightforward=each.key == SCORED) for each in members]
        check_overlap(members)
        reference = self.reference_spec
        if self.reference is None and not CorpusSpec.parse(reference).installed():
            return members
        return without_reference(members, reference, named=bool(self.corpora))

    @property
    def files(self) -> list[str]:
        """The files among the corpora that are added and the reference: all that is not read by its name."""
        specs = [corpus_and_projection(text)[0] for text in self.add]
        specs += [CorpusSpec.parse(self.reference)] if self.reference is not None else []
        return [spec.text for spec in specs if spec.corpus is None]

    @property
    def reference_spec(self) -> str:
        """The corpus from which the difference is measured."""
        return _REFERENCE_SPEC[self.split] if self.reference is None else self.reference


def plan_cross_dataset(request: SuiteRequest) -> SuitePlan:
    """Plan the test set of each corpus and of SNLI, and the lists of ids of the splits.

    Corpora that are not installed are skipped and listed in the manifest.  Raises CrossexamError if a corpus
    is requested by name and is not installed, or if none is.
    """
    options: CrossDatasetOptions = request.options
    excluded = _excluded(options)
    splits, absent = _splits(request)
    lists = {key: split.manifest(request.seed) for key, split in splits.items()}
    plans = [
        _planned(request, split, lists[key][options.split]["content_hash"])
        for key, split in splits.items()
        if split.part(options.split)
    ]
    reference = _reference(request)
    facts = {
        "absent": list(absent),
        "added": list(options.add) or None,
        "reference": options.reference,
        "excluded": excluded or None,
        "reading": request.reading.changed or None,
    }
    return SuitePlan(
        plans if reference is None else [*plans, reference],
        list(_notes(options, splits, absent, excluded)),
        lambda: {name: value for name, value in facts.items() if value is not None},
        {f"{SPLITS}/{key}.json": ids for key, ids in lists.items()},
    )


def _notes(
    options: CrossDatasetOptions, splits: Mapping[str, Split], absent: Sequence[str], excluded: Sequence[str]
) -> Iterator[str]:
    """Yield what the user must know of the corpora."""
    if excluded:
        yield f"not part of the mean, as {options.reference} is the reference: {', '.join(excluded)}"
    if absent:
        missing = ", ".join(absent)
        yield f"not installed, so not included: {missing}; reports will call the benchmark partial"
    for key, split in splits.items():
        if split.skipped:
            yield f"{key}: {split.skipped:,} malformed records were skipped"
        if not split.part(options.split):
            yield f"{key} has no {options.split} set, because {', '.join(split.absent)} is not installed"
    if SCORED in splits:
        yield _note_on_scores(splits[SCORED])


def _excluded(options: CrossDatasetOptions) -> list[str]:
    """Return the corpora of the benchmark that are left out because they are the reference."""
    if options.reference is None or options.corpora:
        return []
    return [key for key in MEMBERS if key not in {member.key for member in options.members()}]


def _splits(request: SuiteRequest) -> tuple[dict[str, Split], tuple[str, ...]]:
    """Return the splits of the installed corpora by key, and the keys of the other corpora."""
    options: CrossDatasetOptions = request.options
    progress = request.progress
    members = options.members(request.reading)
    splits: dict[str, Split] = {}
    for done, member in enumerate(members):
        progress("drawing the splits", done, len(members))
        split = split_member(member, request.seed)
        if split is not None:
            splits[member.key] = split
    progress("drawing the splits", len(members), len(members))
    absent = tuple(member.key for member in members if member.key not in splits)
    if not splits or (options.corpora and absent):
        raise CrossexamError(
            f"not installed: {', '.join(absent)}",
            wanted="their files in the data folder",
            hint="docs/corpora.md says where they are looked for; crossexam fetch NAME downloads them",
        )
    return splits, absent


def _is_whole(examples: Sequence[Example], request: SuiteRequest) -> bool:
    """Return whether ``--limit`` cuts none of *examples* off."""
    return request.limit is None or len(examples) <= request.limit


def _limit(examples: Sequence[Example], request: SuiteRequest) -> int | None:
    return None if _is_whole(examples, request) else request.limit


def _reference(request: SuiteRequest) -> TestSetPlan | None:
    """Return the test set of the training corpus, from which the drop is measured, None if it is absent.

    The most frequent label of SNLI is that of its training set; of another reference, its own.
    """
    options: CrossDatasetOptions = request.options
    spec = options.reference_spec
    corpus = CorpusSpec.parse(spec)
    is_usual = options.reference is None
    if is_usual and not corpus.installed():
        return None
    base = base_from_spec(spec, replace(request.reading, files_only=True))
    examples = tuple(base.open())
    facts = {
        "majority": "entailment" if is_usual else most_frequent(examples),
        "reference": True,
        "part": options.split,
        "complete": _is_whole(examples, request) and not base.report.bad,
        **({} if is_usual else {"title": spec}),
    }
    signed = {
        "corpus": Resolved(base.identified, lambda: spec if is_usual else base.identified),
        "part": options.split,
        "limit": _limit(examples, request),
    }
    usual_part = REFERENCE if options.split == "test" else "snli_dev"
    entry = TestSetEntry(
        versioned=BASE,
        part=usual_part if is_usual else base.part,
        projection=None if is_usual else base.projection.declaration,
        facts={CROSS_DATASET: facts},
    )
    return TestSetPlan(entry, signed, partial(unchanged, examples, request.limit))


def _planned(request: SuiteRequest, split: Split, content: str) -> TestSetPlan:
    """Return the plan of the test set of a corpus; *content* is the hash of all its examples."""
    member, part = split.member, request.options.split
    examples = split.part(part)
    signed: dict[str, object] = {
        "corpus": Resolved(f"{member.key}@{content}", lambda: member.key),
        "files": identity_as_read("+".join(split.files), member.reading),
        "part": part,
        "seed": request.seed,
        "pairs": "straightforward" if member.straightforward else None,
        "limit": _limit(examples, request),
    }
    facts = {
        "key": member.key,
        "title": member.title,
        "protocol": member.protocol,
        "rule": member.rule,
        "part": part,
        "complete": split.complete and _is_whole(examples, request),
        "differences": split.differences(),
        "known": member.known,
        "majority": most_frequent(split.validation),
        **({"added": True} if member.added else {}),
    }
    entry = TestSetEntry(
        versioned=BASE, part=member.key, projection=_projection(split), facts={CROSS_DATASET: facts}
    )
    return TestSetPlan(entry, signed, partial(unchanged, examples, request.limit))


def _differences(entry: TestSetEntry) -> str:
    about = entry.facts[CROSS_DATASET]
    if about.get("added"):
        return "not in the paper"
    found = "; ".join(about.get("differences", ()))
    return f"{found} ({about['known']})" if found and about.get("known") else found or "–"


OVERVIEW: Final = Overview(
    "cross-dataset",
    {
        "test set": lambda entry: entry.name,
        "items": lambda entry: f"{entry.rows:,}",
        "labels": lambda entry: entry.projection or "three labels",
        "differs from Table 4 of the paper": _differences,
    },
    numbers=("items",),
)


def _projection(split: Split) -> str | None:
    """Return the projection of the corpus as its entry declares it."""
    if split.member.added:
        return projection_of_added(split.member, (*split.validation, *split.test)).declaration
    reader = READERS.get(split.member.corpus)
    return reader.projection if reader and not _has_three_labels(split) else None


def _has_three_labels(split: Split) -> bool:
    """Return whether the files distinguish neutral from contradiction, as not all copies of a corpus do."""
    golds = {example.label for example in (*split.validation, *split.test)}
    return len(golds & {"neutral", "contradiction"}) == 2


#: The largest difference of a label share from Table 4 that is not reported, in percentage points.
_POINTS: Final = 1.0


@dataclass(frozen=True)
class Split:
    """A corpus of the benchmark, split into *validation* and *test* examples.

    *absent* names the splits of the corpus that are not installed, *files* are the names of those read, and
    *skipped* is the number of their records that are malformed.
    """

    member: Member
    validation: Sequence[Example]
    test: Sequence[Example]
    absent: tuple[str, ...]
    files: tuple[str, ...]
    skipped: int = 0

    def part(self, name: Literal["test", "validation"]) -> Sequence[Example]:
        """Return the examples of one of the two."""
        return self.test if name == "test" else self.validation

    @property
    def complete(self) -> bool:
        """Whether everything the test set is drawn from is installed, with as many labels as in Table 4.

        Fewer labels suffice if the corpus itself has fewer than the paper states (*known*).
        """
        if self.skipped:
            return False
        if self.member.added:
            return True
        if len(self.test) < self.member.sizes[1] and not self.member.known:
            return False
        rows = len(self.validation) + len(self.test)
        return not self.absent or self.member.given is not None or rows >= sum(self.member.sizes)

    def differences(self) -> list[str]:
        """Return the differences from Table 4: missing files, sizes and label shares."""
        if self.member.added:
            return []
        found = [f"not installed: {', '.join(self.absent)}"] if self.absent else []
        found += [f"{self.skipped:,} malformed records skipped"] if self.skipped else []
        ours = (len(self.validation), len(self.test))
        for name, here, published in zip(("validation", "test"), ours, self.member.sizes, strict=True):
            if here != published:
                found.append(f"{name} has {here:,} examples, published {published:,}")
        shares = label_shares([*self.validation, *self.test] if self.member.given is None else self.test)
        for label in sorted({*shares, *self.member.shares}):
            here_, there = shares.get(label, 0.0), self.member.shares.get(label, 0.0)  # type: ignore[call-overload]
            if abs(here_ - there) > _POINTS:
                found.append(f"{here_:.1f} % {label}, published {there:.1f} %")
        return found

    def manifest(self, seed: int) -> dict[str, Any]:
        """Return the record of the split: rule, seed, and ids and content hash of both parts."""
        return {
            "corpus": self.member.key,
            "rule": self.member.rule,
            "seed": seed,
            "files": list(self.files),
            "complete": self.complete,
            "differences": self.differences(),
            "known": self.member.known,
            **{
                name: {"rows": len(part), "content_hash": content_hash(part), "ids": [e.id for e in part]}
                for name, part in (("validation", self.validation), ("test", self.test))
            },
        }


def most_frequent(examples: Sequence[Example]) -> str | None:
    """Return the most frequent gold label of *examples*, or None if there are none."""
    counts = Counter(example.label for example in examples)
    return min(counts, key=lambda label: (-counts[label], str(label))) if counts else None


def label_shares(examples: Sequence[Example]) -> dict[str, float]:
    """Return the percentage per gold label.

    >>> label_shares([Example("a", "P.", "H.", "neutral")])
    {'neutral': 100.0}
    """
    counts = Counter(str(example.label) for example in examples)
    return {label: 100 * count / len(examples) for label, count in sorted(counts.items())}


def split_member(member: Member, seed: int) -> Split | None:
    """Return *member* split with *seed*, or None if nothing that its test set needs is installed.

    If only some of its splits are installed, these are divided in the published proportion.
    """
    pool = _pool(member, member.splits)
    if member.given is not None:
        return _with_given_test_set(member, pool, seed)
    if member.straightforward:
        pool = pool._replace(examples=list(straightforward_pairs(pool.examples, ", ".join(pool.files))))
    if not pool.examples:
        return None
    wanted = len(pool.examples) // 2
    if member.sampled is not None:
        whole = sum(member.sizes)
        wanted = member.sampled if not pool.absent else len(pool.examples) * member.sampled // whole
    validation, test = pool.drawn(wanted, seed)
    return Split(member, validation, test, pool.absent, pool.files, pool.skipped)


def _note_on_scores(split: Split) -> str:
    """Return how many pairs of Add-1 are straightforward, and how many the paper has."""
    pairs = [*split.validation, *split.test]
    if not all(MEAN_SCORE in example.info for example in pairs):
        return f"{SCORED}: the files have no mean scores, so the straight-forward pairs are not known"
    clear = list(straightforward_pairs(pairs, SCORED))
    share = label_shares(clear).get("entailment", 0.0)
    size, published = sum(split.member.sizes), split.member.shares["entailment"]
    if split.member.straightforward:
        taken = f"the {len(clear):,} pairs that have a mean score of at most 3 or at least 4 are taken"
    else:
        taken = f"{len(clear):,} of {len(pairs):,} pairs have a mean score of at most 3 or at least 4"
    sentence = f"{SCORED}: {taken} ({share:.1f} % entailment); the paper takes {size:,} ({published} %)"
    hint = "--set cross-dataset.add_one=straightforward takes those alone"
    return sentence if split.member.straightforward else f"{sentence}; {hint}"


def _with_given_test_set(member: Member, pool: _Pool, seed: int) -> Split | None:
    test = _pool(member, (member.given or "",))
    if test.absent:
        return None
    validation, _ = pool.drawn(len(test.examples), seed)
    files, skipped = (*pool.files, *test.files), pool.skipped + test.skipped
    return Split(member, validation, test.examples, pool.absent, files, skipped)


class _Pool(NamedTuple):
    """The labelled *examples* of some splits of a corpus; *skipped* records of the *files* are malformed."""

    examples: list[Example]
    absent: tuple[str, ...]
    files: tuple[str, ...]
    skipped: int

    def drawn(self, wanted: int, seed: int) -> tuple[list[Example], list[Example]]:
        """Return *wanted* examples, drawn with *seed*, and the others, both in the order of the files."""
        first = set(drawn_order(self.examples, seed)[:wanted])
        halves: tuple[list[Example], list[Example]] = ([], [])
        for place, example in enumerate(self.examples):
            halves[place not in first].append(example)
        return halves


def _pool(member: Member, splits: Sequence[str]) -> _Pool:
    """Return the labelled examples of *splits* of *member*."""
    examples: list[Example] = []
    absent, files = [], []
    skipped = 0
    for part in splits:
        spec = member.spec_of(part)
        if not spec.installed():
            absent.append(spec.text)
            continue
        files.append(spec.path().name)
        report = ReadingReport()
        found = _labelled(spec, member, report)
        single = len(splits) == 1
        examples += (example if single else replace(example, id=f"{part}:{example.id}") for example in found)
        skipped += report.bad
    return _Pool(examples, tuple(absent), tuple(files), skipped)


def _labelled(spec: CorpusSpec, member: Member, report: ReadingReport) -> Iterator[Example]:
    """Yield the labelled examples of a split, with the labels of the projection stated for it, if any."""
    if not member.added:
        yield from spec.examples(member.reading, report=report)
        return
    count = 0
    for example in spec.examples(member.reading, labelled_only=True, report=report):
        count += 1
        label = example.label if member.projection is None else member.projection.gold(example.label)
        yield replace(example, label=label)
    if count < 2:
        raise CrossexamError(
            f"'{member.corpus}' has {count} labelled pairs",
            where="--add",
            wanted="at least two, one for validation and one for the test set",
        )
