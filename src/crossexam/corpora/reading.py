"""Reading the file of a corpus: its examples, one at a time, and a report of what was left out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from crossexam.core.errors import FormatError
from crossexam.core.example import Example
from crossexam.core.files import sha256_of
from crossexam.corpora.catalog import catalog
from crossexam.corpora.columns import Layout, expects_gold, find_layout, to_example
from crossexam.corpora.installed import CorpusFile
from crossexam.corpora.readers.reader import layout_of, numbered, plain_records
from crossexam.corpora.readers.table import READERS
from crossexam.corpora.records import Form, Row, iter_records, sniff


def read_examples(
    file: CorpusFile,
    *,
    columns: Mapping[str, str] | None = None,
    skip_bad: bool = False,
    drop_no_gold: bool = True,
    report: ReadingReport | None = None,
) -> Iterator[Example]:
    """Return the examples in the *file* of a corpus, read one at a time.

    *columns* maps roles (premise, hypothesis, label, id, question, sentence) to the file's columns;
    any other key puts its column into ``info``.  Well-known names need no mapping.  Ids are the
    corpus's own (SNLI's and MultiNLI's pairID) or else the file's stem and the record's number;
    a repeated id gets ``~2``.  *report* is filled as the examples are read.

    Raises FormatError, with file, line and field, at the first malformed record unless *skip_bad*, and if
    no example is left at the end.
    """
    report = ReadingReport() if report is None else report
    reader = None if columns else READERS.get(file.corpus or "")
    if reader is not None:
        form, records = plain_records(reader, file)
        return _examples(form, records, lambda row, _: layout_of(row), skip_bad, drop_no_gold, report)
    form = sniff(file.path)

    def find(row: Row, before: Layout | None) -> Layout:
        return before or _layout(form, row, columns)

    return _examples(form, iter_records(form), find, skip_bad, drop_no_gold, report)


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
    known = catalog().get(file.corpus or "")
    if known is not None:
        manifest |= {"licence": known.licence, "citation": known.citation, "homepage": known.homepage}
    return manifest


def _examples(
    form: Form,
    records: Iterator[tuple[int, Row | FormatError]],
    find: Callable[[Row, Layout | None], Layout],
    skip_bad: bool,
    drop_no_gold: bool,
    report: ReadingReport,
) -> Iterator[Example]:
    layout: Layout | None = None
    identities = _Identities(form.path.stem, report)
    for count, (number, row) in enumerate(records, 1):
        report.read += 1
        identities.number = count
        try:
            if isinstance(row, FormatError):
                raise row
            layout = find(row, layout)
            _same_label_column(row, layout)
            example = to_example(row, layout, identities.of)
        except FormatError as error:
            placed = _placed(error, form, number)
            if not skip_bad or isinstance(error, _HeaderError):
                raise placed from None
            report.note_bad(placed)
            continue
        if example.label is None and expects_gold(example, layout):
            report.no_gold += 1
            if drop_no_gold:
                continue
        report.note_example(example)
        yield example
    _something_was_given(form, report)


class _Identities:
    """Makes ids unique: the corpus's own, else ``stem-000123`` with the number of the record."""

    def __init__(self, stem: str, report: ReadingReport) -> None:
        self.number = 0
        self._stem, self._report = stem, report
        self._seen: set[str] = set()

    def of(self, given: object) -> str:
        name = str(given) if given is not None and given != "" else numbered(self._stem, self.number)
        unique, times = name, 1
        while unique in self._seen:
            times += 1
            unique = f"{name}~{times}"
        self._report.renamed += unique != name
        self._seen.add(unique)
        return unique


class _HeaderError(FormatError):
    """Columns that fit no record of the file; skipping records cannot mend it."""


def _layout(form: Form, row: Row, mapping: Mapping[str, str] | None) -> Layout:
    try:
        return find_layout(row, mapping)
    except FormatError as error:
        if form.kind == "json lines":  # the next object may have the fields that this one lacks
            raise
        raise _HeaderError(error.what, wanted=error.wanted, hint=error.hint) from None


def _same_label_column(row: Row, layout: Layout) -> None:
    """Refuse labels that begin in the middle of a JSON lines file: they would be lost."""
    if layout.shape == "pair" and "label" not in layout.columns:
        late = next((name for name in ("gold_label", "label") if name in row), None)
        if late is not None:
            raise FormatError(
                "a label, but the first record has none",
                where=f"field '{late}'",
                wanted="a label in every record (null for no gold) or in none",
            )


def _placed(error: FormatError, form: Form, number: int) -> FormatError:
    if isinstance(error, _HeaderError):
        return FormatError(error.what, where=f"{form.path}, header", wanted=error.wanted, hint=error.hint)
    where = f"{form.path}, {form.unit} {number}"
    return FormatError(
        error.what,
        where=f"{where}, {error.where}" if error.where else where,
        wanted=error.wanted,
        hint=error.hint or "--skip-bad (skip_bad=True) leaves such records out and counts them",
    )


def _something_was_given(form: Form, report: ReadingReport) -> None:
    if report.examples:
        return
    if not report.read:
        raise FormatError("there are no records", where=str(form.path), wanted="at least one")
    if report.bad:
        raise FormatError(
            f"none of {report.read} records could be used ({report.bad} bad, {report.no_gold} without gold);"
            f" the first: {report.messages[0]}",
            where=str(form.path),
        )
    raise FormatError(
        f"none of {report.read} records has a gold label",
        where=str(form.path),
        hint="drop_no_gold=False keeps them",
    )


MESSAGES_KEPT: Final = 5


@dataclass
class ReadingReport:
    """What reading a corpus met: records *read*, those given as *examples*, and those left out.

    *no_gold* records have no gold label, *bad* ones could not be read (*messages*: the first few);
    *renamed* ids stood there before and got ``~2``, ``~3`` ... after them;
    *unlabelled* pairs are in a file that has no labels.  *labels* counts the
    examples given (None: no label).
    """

    read: int = 0
    examples: int = 0
    no_gold: int = 0
    bad: int = 0
    renamed: int = 0
    unlabelled: int = 0
    labels: Counter[str | None] = field(default_factory=Counter)
    messages: list[str] = field(default_factory=list)

    def note_bad(self, error: FormatError) -> None:
        """Count a record that could not be read."""
        self.bad += 1
        if len(self.messages) < MESSAGES_KEPT:
            self.messages.append(str(error))

    def note_example(self, example: Example) -> None:
        """Count an example given."""
        self.examples += 1
        self.labels[example.label] += 1
        self.unlabelled += example.label is None and bool(example.hypothesis)

    def reset(self) -> None:
        """Begin to count anew."""
        vars(self).update(vars(ReadingReport()))

    def summary(self) -> str:
        """Return in one line what was left out or renamed; empty where nothing was.

        >>> ReadingReport(read=10_000, no_gold=158).summary()
        'of 10,000 records 158 have no gold label'
        """
        facts = {
            "have no gold label": self.no_gold,
            "are malformed and were skipped": self.bad,
            "repeat an id and were renamed": self.renamed,
        }
        if self.unlabelled == self.examples > 0:
            return (
                f"none of {self.examples:,} pairs has a label, so that no accuracy can be measured; "
                "--columns label=NAME names their column"
            )
        told = ", ".join(f"{count:,} {what}" for what, count in facts.items() if count)
        return f"of {self.read:,} records {told}" if told else ""

    def as_dict(self) -> dict[str, Any]:
        """Return the counts for a manifest; labels in the order of their names, "none" last."""
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
