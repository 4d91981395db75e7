"""Reading the file of a corpus: its examples, one at a time, and a report of what was left out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from crossexam.core.errors import FormatError
from crossexam.core.example import Example, content_id
from crossexam.core.files import sha256_of
from crossexam.core.labels import GOLDS, THREE_LABELS, Gold, Projection, projection_for, projection_named
from crossexam.core.output.escapes import clipped
from crossexam.core.test_sets import entry_beside
from crossexam.corpora.catalog import catalog
from crossexam.corpora.columns import Layout, expects_gold, find_layout, to_example
from crossexam.corpora.installed import CorpusFile
from crossexam.corpora.label_names import (
    LabelNames,
    Names,
    UndeclaredNumbersError,
    UnknownLabelError,
    explained_by_counts,
    name_of,
    refuse_mixture,
)
from crossexam.corpora.readers.reader import layout_of, normalized_records
from crossexam.corpora.readers.table import READERS
from crossexam.corpora.records import Records, Row, Source, detect_format, way_to_utf8

MESSAGES_KEPT: Final = 5
#: The largest proportion of malformed records that --skip-bad skips without being told to allow it.
_MOST_SKIPPED: Final = 0.01
_ALLOW: Final = "--allow-loss (allow_loss=True) accepts this"

#: What finds the layout of a record, given the source and the layout of the records before.
Finder = Callable[[Row, Source, Layout | None], Layout]


@dataclass(frozen=True)
class Reading:
    """How the file of a corpus is read.

    *columns* maps roles (premise, hypothesis, label, id, question, sentence) to the file's columns;
    any other key puts its column into ``info``.  Well-known names need no mapping.  *labels* says what the
    values of the label column mean (:func:`crossexam.corpora.label_names.parse_labels`); numbers always need
    it in a file that is not of a known corpus.  *skip_bad* skips malformed records, and *allow_loss* allows
    that more than one in a hundred or all with some label are skipped, or that a declared label never occurs.
    If *files_only*, the columns and labels are for files, among which there are corpora that are known.
    """

    columns: Mapping[str, str] | None = None
    labels: Names | None = None
    skip_bad: bool = False
    allow_loss: bool = False
    files_only: bool = False

    def of(self, corpus: str | None) -> Reading:
        """Return how a file of *corpus* is read, None if it is of no known one.

        >>> reading = Reading(labels={"yes": "entailment"}, skip_bad=True, files_only=True)
        >>> reading.of("snli").changed
        {'skip_bad': True}
        """
        return replace(self, columns=None, labels=None) if self.files_only and corpus else self

    @property
    def changed(self) -> dict[str, Any]:
        """The options that are not the defaults, as manifests have them.

        >>> Reading(labels={"yes": "entailment"}).changed
        {'labels': {'yes': 'entailment'}}
        """
        return {name: value for name, value in vars(self).items() if value and name != "files_only"}


@dataclass
class ReadingReport:
    """Counts of reading a corpus: records *read*, *examples* returned, and records left out.

    *no_gold* records have no gold label and *bad* ones are malformed (*messages* holds the first few errors).
    *renamed* ids were repeated, and ``~2``, ``~3`` ... was added to them.  *quoted* records of a
    tab-separated file have a field that looks quoted.  *unlabelled* pairs have no label, and are returned.
    *labels* counts the examples per label, None for no label; *taken* counts in the same way those that a
    slice and a limit leave (:meth:`taking`).
    """

    read: int = 0
    examples: int = 0
    no_gold: int = 0
    bad: int = 0
    renamed: int = 0
    quoted: int = 0
    unlabelled: int = 0
    labels: Counter[str | None] = field(default_factory=Counter)
    taken: Counter[str | None] = field(default_factory=Counter)
    messages: list[str] = field(default_factory=list)

    def note_bad(self, error: FormatError) -> None:
        """Count a malformed record."""
        self.bad += 1
        if len(self.messages) < MESSAGES_KEPT:
            self.messages.append(str(error))

    def note_example(self, example: Example) -> None:
        """Count an example returned."""
        self.examples += 1
        self.labels[example.label] += 1
        self.unlabelled += example.label is None and bool(example.hypothesis)

    def taking(self, examples: Iterable[Example]) -> Iterator[Example]:
        """Yield *examples*, those that are left of a corpus, and count them as taken."""
        for example in examples:
            self.taken[example.label] += 1
            yield example

    def reset(self) -> None:
        """Set all counts to zero."""
        vars(self).update(vars(ReadingReport()))

    def summary(self) -> str:
        """Return in one line what was left out or renamed; the empty string if nothing was.

        >>> ReadingReport(read=10_000, no_gold=158).summary()
        'of 10,000 records: 158 without a gold label'
        """
        facts = {
            "without a gold label": self.no_gold,
            "malformed, and skipped": self.bad,
            "with a repeated id, and renamed": self.renamed,
            "with quotes around a field, which are text in a tab-separated file (not in .csv)": self.quoted,
        }
        if self.unlabelled == self.examples > 0:
            pairs = self.taken.total() or self.examples
            return (
                f"none of the {pairs:,} pairs has a label, so accuracy cannot be measured; "
                "if they do have labels, name the column with --columns label=NAME"
            )
        counts = ", ".join(f"{count:,} {what}" for what, count in facts.items() if count)
        return f"of {self.read:,} records: {counts}" if counts else ""

    def label_counts(self) -> str:
        """Return the number of pairs taken per label, in one line; the empty string if no pair has a label.

        >>> ReadingReport(taken=Counter({"not_entailment": 3, "entailment": 1})).label_counts()
        'entailment 1 (25.0 %), not_entailment 3 (75.0 %)'
        """
        return label_counts(self.taken)

    def as_dict(self) -> dict[str, Any]:
        """Return the counts for a manifest; labels in alphabetical order, "none" last."""
        named = {label: self.labels[label] for label in sorted(filter(None, self.labels))}
        if self.labels[None]:
            named["none"] = self.labels[None]
        return {
            "read": self.read,
            "examples": self.examples,
            "labels": named,
            "no_gold": self.no_gold,
            "bad": self.bad,
            "bad_messages": list(self.messages),
            "renamed_ids": self.renamed,
        }


def label_counts(counts: Mapping[str, int] | Mapping[str | None, int]) -> str:
    """Return *counts* per label in one line; the empty string if there are none.

    >>> label_counts({"not_entailment": 1})
    'not_entailment 1 (100.0 %)'
    """
    of_any: Mapping[Any, int] = counts
    named = {label: of_any[label] for label in GOLDS if of_any.get(label)}
    total = sum(named.values())
    return ", ".join(f"{label} {n:,} ({100 * n / total:.1f} %)" for label, n in named.items())


def read_examples(
    file: CorpusFile,
    reading: Reading = Reading(),
    *,
    drop_no_gold: bool = True,
    report: ReadingReport | None = None,
) -> Iterator[Example]:
    """Return the examples in the *file* of a corpus, read one at a time.

    Ids are the corpus's own (SNLI's and MultiNLI's pairID) or else made of the content
    (:func:`crossexam.core.example.content_id`); a repeated id gets ``~2``.  Pairs without a gold label are
    left out if *drop_no_gold*.  *report* is filled as the examples are read.

    Raises FormatError, with file, line and field, at the first malformed record unless *reading* skips them,
    and at the end if no example is left, or if more was lost than *reading* allows.
    """
    report = ReadingReport() if report is None else report
    reading = reading.of(file.corpus)
    is_known = file.corpus is not None and not reading.columns
    reader = READERS.get(file.corpus or "") if is_known else None
    if is_known and reading.labels is not None:
        raise FormatError(
            f"the labels of '{file.corpus}' are known",
            where=file.spec,
            wanted="no --labels",
            hint="name its columns with --columns to read it as a file of your own",
        )
    if reader is not None:
        formatted, records = normalized_records(reader, file)
        normalized = replace(formatted.source, records=lambda: records)
        return _examples(normalized, lambda row, *_: layout_of(row), reading, drop_no_gold, report)
    find = _finder(reading.columns, LabelNames(reading.labels, numbered=is_known))
    found = detect_format(file.path)
    source = found.source
    if found.format == "tsv" and not is_known:
        source = replace(source, records=partial(_noting_quoted, source.records, report))
    return _examples(source, find, reading, drop_no_gold, report)


def _noting_quoted(records: Callable[[], Records], report: ReadingReport) -> Records:
    """Yield *records*, and count those with a field that a writer of CSV has quoted."""
    for number, row in records():
        fields = row.values() if isinstance(row, dict) else ()
        report.quoted += any(isinstance(each, str) and _looks_quoted(each) for each in fields)
        yield number, row


def _looks_quoted(field: str) -> bool:
    r"""Return whether quotes enclose *field*, and all quotes inside are doubled.

    >>> _looks_quoted('"He said ""no""."'), _looks_quoted('"No," he said, "no."'), _looks_quoted('"No."')
    (True, False, False)
    """
    inside = field[1:-1]
    enclosed = len(field) > 2 and field[0] == field[-1] == '"'
    return enclosed and '""' in inside and '"' not in inside.replace('""', "")


def read_source(source: Source, reading: Reading, report: ReadingReport) -> Iterator[Example]:
    """Return the examples in the records of *source*, read one at a time; see :func:`read_examples`."""
    find = _finder(reading.columns, LabelNames(reading.labels))
    return _examples(source, find, reading, True, report)


def _finder(columns: Mapping[str, str] | None, labels: LabelNames) -> Finder:
    def find(row: Row, source: Source, before: Layout | None) -> Layout:
        return before or replace(_layout(source, row, columns), labels=labels)

    return find


def declared_projection(file: CorpusFile) -> Projection:
    """Return the projection that the reader of *file* or the manifest of its suite declares."""
    if file.corpus is None:
        entry = entry_beside(file.path)
        return projection_named(entry.projection) if entry and entry.projection else THREE_LABELS
    reader = READERS.get(file.corpus)
    return projection_named(reader.projection) if reader else THREE_LABELS


def corpus_manifest(file: CorpusFile, report: ReadingReport) -> dict[str, Any]:
    """Return where a corpus came from: name, path, SHA-256, counts, and licence and citation if known."""
    manifest: dict[str, Any] = {
        "name": file.name,
        "part": file.part,
        "spec": file.spec,
        "path": str(file.path),
        "sha256": sha256_of(file.path),
        "counts": report.as_dict(),
    }
    projection = projection_for(declared_projection(file), report.labels)  # type: ignore[arg-type]  # counts of Gold labels
    if projection is not THREE_LABELS:
        manifest |= {"projection": projection.name}
    known = catalog().get(file.corpus or "")
    if known is not None:
        manifest |= {"licence": known.licence, "citation": known.citation, "homepage": known.homepage}
    return manifest


def _examples(
    source: Source, find: Finder, reading: Reading, drop_no_gold: bool, report: ReadingReport
) -> Iterator[Example]:
    layout: Layout | None = None
    identities = _Identities(report)
    values = _Values()
    for number, row in source.records():
        report.read += 1
        try:
            if isinstance(row, FormatError):
                raise row
            layout = find(row, source, layout)
            _same_label_column(row, layout)
            example = to_example(row, layout, identities.of)
        except FormatError as error:
            explained = values.explained(error, source, layout)
            if not reading.skip_bad or isinstance(explained, _HeaderError | UndeclaredNumbersError):
                raise _placed(explained, source, number) from None
            report.note_bad(_placed(explained, source, number))
            values.bad[values.of(row, layout)] += 1
            continue
        if reading.skip_bad:
            values.good.add(values.of(row, layout))
        if example.label is None and expects_gold(example, layout):
            report.no_gold += 1
            if drop_no_gold:
                continue
        report.note_example(example)
        yield example
    _refuse_nothing(source, report)
    refuse_mixture(report.labels, where=source.where)  # type: ignore[arg-type]  # counts of Gold labels
    if not reading.allow_loss:
        _refuse_loss(source, report, reading.labels or {}, values)


@dataclass
class _Values:
    """The values of the label column: those of *good* records, and how many *bad* records have each."""

    good: set[str] = field(default_factory=set)
    bad: Counter[str] = field(default_factory=Counter)
    _all: Counter[str] = field(default_factory=Counter)

    @staticmethod
    def of(row: Row | FormatError, layout: Layout | None) -> str:
        if layout is None or isinstance(row, FormatError):
            return ""
        value = row.get(layout.columns.get("label", ""))
        return "" if isinstance(value, list | dict) else name_of(value)

    def explained(self, error: FormatError, source: Source, layout: Layout | None) -> FormatError:
        """Return *error*; if it is about a label in a plain file, with what the label column holds."""
        if not isinstance(error, UnknownLabelError) or layout is None or layout.labels.numbered:
            return error
        if not self._all:
            rows = (row for _, row in source.records() if not isinstance(row, FormatError))
            self._all.update(self.of(row, layout) for row in rows)
        return explained_by_counts(error, self._all, declared=layout.labels.declared is not None)

    def vanished(self) -> list[str]:
        """Return the values of which at least two records were bad, and none good."""
        return [
            name for name, count in self.bad.most_common() if name and count > 1 and name not in self.good
        ]


def _refuse_loss(source: Source, report: ReadingReport, declared: Names, values: _Values) -> None:
    """Raise FormatError if too many records were skipped, or if a label was lost with them."""
    if vanished := values.vanished():
        name = vanished[0]
        raise FormatError(
            f"all {values.bad[name]:,} records with the label '{clipped(name)}' were skipped",
            where=source.where,
            hint=f"--labels {name}=LABEL declares what it means ({name}=- for no gold label); {_ALLOW}",
        )
    if report.bad > _MOST_SKIPPED * report.read:
        first = report.messages[0].splitlines()[0]
        raise FormatError(
            f"{report.bad:,} of {report.read:,} records are malformed, which is more than 1 %; the first: "
            f"{first}",
            where=source.where,
            hint="; ".join(filter(None, (way_to_utf8(first), _ALLOW))),
        )
    absent = [label for label in dict.fromkeys(declared.values()) if label and not report.labels[label]]
    if absent:
        names = " or ".join(f"'{name}'" for name, label in declared.items() if label == absent[0])
        raise FormatError(
            f"no record has the label {names}, which --labels declares as {absent[0]}",
            where=source.where,
            wanted="at least one",
            hint=_ALLOW,
        )


class _Identities:
    """Unique ids: the corpus's own, else those of the content."""

    def __init__(self, report: ReadingReport) -> None:
        self._report = report
        self._seen: set[str] = set()

    def of(self, given: object, premise: str, hypothesis: str, label: Gold | None) -> str:
        """Return the id of an example, *given* by the corpus or None."""
        is_own = given is not None and given != ""
        name = str(given) if is_own else content_id(premise, hypothesis, label)
        unique = unique_id(name, self._seen)
        self._report.renamed += is_own and unique != name
        return unique


def unique_id(name: str, seen: set[str]) -> str:
    """Return *name*, with ``~2``, ``~3`` ... if it is among *seen*, to which the id returned is added.

    >>> seen: set[str] = set()
    >>> unique_id("4705552913", seen), unique_id("4705552913", seen)
    ('4705552913', '4705552913~2')
    """
    unique, times = name, 1
    while unique in seen:
        times += 1
        unique = f"{name}~{times}"
    seen.add(unique)
    return unique


class _HeaderError(FormatError):
    """A header that fits no record of the file, so that skipping records does not help."""


def _layout(source: Source, row: Row, mapping: Mapping[str, str] | None) -> Layout:
    try:
        return find_layout(row, mapping)
    except FormatError as error:
        if not source.one_header:  # the next object may have the missing fields
            raise
        raise _HeaderError(error.what, wanted=error.wanted, hint=error.hint) from None


def _same_label_column(row: Row, layout: Layout) -> None:
    """Refuse labels that start in the middle of a JSON lines file: they would be ignored."""
    if layout.shape == "pair" and "label" not in layout.columns:
        late = next((name for name in ("gold_label", "label") if name in row), None)
        if late is not None:
            raise FormatError(
                "this record has a label, but the first has none",
                where=f"field '{late}'",
                wanted="a label in every record (null for no gold) or in none",
            )


def _placed(error: FormatError, source: Source, number: int) -> FormatError:
    if isinstance(error, _HeaderError):
        return error.placed(f"{source.where}, header")
    where = f"{source.where}, {source.unit} {number}"
    return error.placed(
        f"{where}, {error.where}" if error.where else where,
        hint=error.hint or "--skip-bad (skip_bad=True) skips such records and counts them",
    )


def _refuse_nothing(source: Source, report: ReadingReport) -> None:
    if report.examples:
        return
    if not report.read:
        raise FormatError(f"the {source.kind} has no records", where=source.where, wanted="at least one")
    if report.bad:
        raise FormatError(
            f"none of the {report.read} records could be used "
            f"({report.bad} malformed, {report.no_gold} without a"
            f" gold label); the first error: {report.messages[0]}",
            where=source.where,
        )
    raise FormatError(
        f"none of the {report.read} records has a gold label",
        where=source.where,
        hint="drop_no_gold=False keeps them",
    )
