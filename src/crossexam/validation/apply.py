"""Verdicts written into the suite that was judged: items verified or rejected, and their labels replaced.

Sanchez Carmona et al. (2018, section 5.2) annotate their swaps by hand and discard incoherent ones: the
judges' label is the gold label (``relabel``), and coherence is required.  Naik et al. (2018) count how often
judges confirm the label of a construction (``confirm``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from msgspec import structs

from crossexam.core.dataset import Dataset, has_content
from crossexam.core.errors import CrossexamError
from crossexam.core.example import (
    AGREED,
    GENERATED_LABEL,
    ITEM_STATUSES,
    JUDGE_LABELS,
    JUDGED_KIND,
    PROPOSED,
    REJECTED,
    STATUS,
    UNDECIDED,
    VERDICT,
    VERIFIED,
    Example,
    as_generated,
    is_relabelled,
)
from crossexam.core.files import finished_or_absent, sha256_of
from crossexam.core.manifest import FileRecord, TestSetEntry, saved_suite_in
from crossexam.core.sealed import MANIFEST, write_manifest
from crossexam.core.test_sets import (
    REBUILD,
    TestSetWriter,
    entry_beside,
    read_suite,
    suite_folder,
)
from crossexam.validation.study import Study
from crossexam.validation.verdict import OPEN, Verdict, VerdictRule, kinds_of_antonyms, labels_given, verdicts

_JUDGED: Final = "|labels:judges"  # at the end of the signature of a test set that judges relabelled


@dataclass(frozen=True)
class Applied:
    """The number of items of a test set that are *verified*, *rejected* or *open*, by the study.

    *changes* counts the verified items whose label judges replaced, by the generated label and theirs, and
    *kinds* those whose antonyms a majority assigned to a kind.
    """

    verified: int
    rejected: int
    open: int
    changes: Mapping[tuple[str, str], int]
    kinds: int = 0

    @property
    def relabelled(self) -> int:
        """The number of items whose label judges replaced."""
        return sum(self.changes.values())

    def __str__(self) -> str:
        """Return the counts in words."""
        changes = ", ".join(f"{count:,} {old} to {new}" for (old, new), count in self.changes.items())
        counts = f"{self.verified:,} verified, {self.rejected:,} rejected, {self.open:,} open"
        counts += f"; {self.relabelled:,} relabelled: {changes}" if changes else ""
        return counts + (f"; {self.kinds:,} kinds of antonyms" if self.kinds else "")


def apply_verdicts(study: Study, path: Path, rule: VerdictRule) -> dict[str, Applied]:
    """Write the verdicts of *study* by *rule* into the suite at *path*; return the counts by test set.

    Each file is written completely or not at all, the manifest last; it vouches for the files at any time.
    Ids and texts do not change, so runs
    over the suite remain valid: they are scored by the new labels.  Applying the same verdicts again changes
    nothing; another rule replaces what was applied.  Raises CrossexamError if the suite is not the one that
    was judged, or if *rule* requires what the study does not ask.
    """
    by_set, kinds = verdicts(study, rule), kinds_of_antonyms(study)
    judged = dict.fromkeys([*by_set, *kinds])
    if not judged:
        raise CrossexamError(
            "the study does not ask for labels, so it has no verdicts", where=str(study.folder)
        )
    path = suite_folder(path)
    suite = read_suite(path)
    for name in judged:
        _check_judged(name, suite.datasets.get(name), study, path)
    labels = labels_given(study)
    written = {}
    for name in judged:
        dataset, of_set = suite.datasets[name], by_set.get(name, {})
        file = Path(str(dataset.entry.path))
        examples = [
            with_kind(
                with_verdict(each, of_set.get(each.id), labels[name].get(each.id, ())), kinds.get(name, {})
            )
            for each in dataset
        ]
        written[name] = replace(dataset, examples=tuple(examples))
        _write_announced(file, written[name])
    applied = {
        name: replace(
            _counts(written[name], by_set.get(name, {})),
            kinds=sum(kind is not None for kind in kinds.get(name, {}).values()),
        )
        for name in judged
    }
    _write_manifest(study, rule, written, applied)
    return applied


def _write_announced(file: Path, dataset: Dataset) -> None:
    """Write *dataset* to *file*, of which the manifest beside it says all before it is replaced.

    So the manifest vouches for the file whenever this is interrupted.
    """
    with finished_or_absent(file) as temporary:
        with TestSetWriter(temporary, file_format=file.suffix.removeprefix(".")) as writer:
            writer.write_examples(dataset.examples)
        if (known := entry_beside(file)) is not None:
            record = _record(temporary, dataset)
            _write_entries(file.parent, [structs.replace(known, next=[*known.next, record])])


def _record(file: Path, dataset: Dataset) -> FileRecord:
    """Return what the manifest records of *file*, which has the items of *dataset*."""
    signature = dataset.entry.signature
    if signature is not None:
        is_judged = any(map(is_relabelled, dataset))
        signature = signature.removesuffix(_JUDGED) + (_JUDGED if is_judged else "")
    return FileRecord(sha256_of(file), dataset.content_hash(), signature)


def _write_entries(folder: Path, entries: Iterable[TestSetEntry]) -> None:
    """Write *entries* into the manifest of the suite in *folder*, in place of those of the same files."""
    manifest, new = saved_suite_in(folder, hint=REBUILD), {each.file: each for each in entries}
    test_sets = {name: new.get(entry.file, entry) for name, entry in manifest.test_sets.items()}
    write_manifest(folder / MANIFEST, structs.replace(manifest, test_sets=test_sets).to_json())


def with_verdict(example: Example, verdict: Verdict | None, labels: Sequence[str] = ()) -> Example:
    """Return *example* with *verdict* in its ``info``, without an earlier one if the item is open again.

    If the construction only proposed the label, ``info["status"]`` changes with it.  *labels* are those of
    the single judges.  If the verdict has another label, that is the new gold label, and
    ``info["generated_label"]`` the old one.

    >>> item = Example("a", "p", "h", "neutral", info={"status": "proposed"})
    >>> new = with_verdict(item, Verdict("verified", 2, 3, "entailment"))
    >>> new.label, new.info["generated_label"], new.info["status"], new.info["agreed"]
    ('entailment', 'neutral', 'verified', [2, 3])
    """
    if verdict is None:
        return example
    generated = as_generated(example)
    info = {key: value for key, value in generated.info.items() if key not in {VERDICT, AGREED, JUDGE_LABELS}}
    if labels:
        info[JUDGE_LABELS] = list(labels)
    is_proposed = info.get(STATUS) in ITEM_STATUSES
    if verdict.status == OPEN:
        before = UNDECIDED if info.pop(UNDECIDED, False) else info.get(STATUS)
        open_again = before if before == UNDECIDED else PROPOSED
        return replace(generated, info={**info, STATUS: open_again} if is_proposed else info)
    if is_proposed:
        if info[STATUS] == UNDECIDED:
            info[UNDECIDED] = True
        info[STATUS] = verdict.status
    info |= {VERDICT: verdict.status, AGREED: [verdict.agreed, verdict.judges]}
    if verdict.label is None or verdict.label == generated.label:
        return replace(generated, info=info)
    return replace(generated, label=verdict.label, info={**info, GENERATED_LABEL: generated.label})


def with_kind(example: Example, kinds: Mapping[str, str | None]) -> Example:
    """Return *example* with the kind of its antonyms in ``info["judged_kind"]``; *kinds* are by id.

    An item that *kinds* lacks does not change; one whose kind is None loses an earlier one.
    """
    if example.id not in kinds:
        return example
    info = {key: value for key, value in example.info.items() if key != JUDGED_KIND}
    kind = kinds[example.id]
    return replace(example, info=info if kind is None else {**info, JUDGED_KIND: kind})


def _counts(dataset: Dataset, of_set: Mapping[str, Verdict]) -> Applied:
    tally = Counter(verdict.status for verdict in of_set.values())
    changes = Counter(
        (str(as_generated(each).label), str(each.label))
        for each in dataset
        if each.id in of_set and is_relabelled(each)
    )
    return Applied(tally[VERIFIED], tally[REJECTED], tally[OPEN], dict(sorted(changes.items())))


def _check_judged(name: str, dataset: Dataset | None, study: Study, path: Path) -> None:
    """Raise CrossexamError unless *dataset* is the test set *name* that was judged."""
    hint = "give the suite that `validate sample` drew from"
    if dataset is None:
        raise CrossexamError(f"the suite has no test set '{name}'", where=str(path), hint=hint)
    judged = study.entry(name).content_hash
    if not has_content(dataset.examples, judged):
        raise CrossexamError(
            f"test set '{name}' is not the one that was judged (content {dataset.content_hash()}, not "
            f"{judged})",
            where=str(path),
            hint=hint,
        )


def _write_manifest(
    study: Study, rule: VerdictRule, written: Mapping[str, Dataset], applied: Mapping[str, Applied]
) -> None:
    """Record the verdicts, and the files as they were announced and are now."""
    entries: dict[Path, list[TestSetEntry]] = {}
    for name, dataset in written.items():
        file = Path(str(dataset.entry.path))
        if (known := entry_beside(file)) is not None:
            entry = structs.replace(known.of_file(known.next[-1]), next=())
            verdict = _recorded(study, rule, applied[name])
            entries.setdefault(file.parent, []).append(structs.replace(entry, verdict=verdict))
    for folder, of_suite in entries.items():
        _write_entries(folder, of_suite)


def _recorded(study: Study, rule: VerdictRule, counts: Applied) -> dict[str, Any]:
    """Return what the manifest records of the verdicts on a test set."""
    return {
        "study": study.identity,
        "signature": study.manifest.signature,
        "judges": len(study.judges),
        "apply": rule.apply,
        "require": list(rule.require),
        VERIFIED: counts.verified,
        REJECTED: counts.rejected,
        OPEN: counts.open,
        **({"kinds": counts.kinds} if counts.kinds else {}),
        "relabelled": {f"{old} to {new}": count for (old, new), count in counts.changes.items()},
    }
