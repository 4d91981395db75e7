"""Readers: how the files of a corpus are split into records, and each record is normalized.

A normalized record is a row of :func:`pair`, the same for all corpora.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from crossexam.core.errors import FormatError
from crossexam.core.labels import Gold
from crossexam.core.output.escapes import quoted
from crossexam.corpora.columns import INFO_COLUMNS, Layout
from crossexam.corpora.installed import CorpusFile
from crossexam.corpora.label_names import LabelNames, UndeclaredNumbersError, name_of
from crossexam.corpora.records import FormattedFile, Records, Row, detect_format, iter_records

#: Readers return names of labels, or numbers in the order of the hub if their corpus documents that.
_DOCUMENTED: Final = LabelNames(numbered=True)

Splitter = Callable[[Path], Records]


@dataclass(frozen=True)
class Reader:
    """The reader of a corpus: *normalize* turns a record into one of :func:`pair`, or None to leave it out.

    *tested_on* says which files the reader was tested on: "official files", "a copy ...", or "its documented
    format".  *splitters* split the files whose format :func:`detect_format` does not recognise into records,
    by the end of their paths; the longest match counts.  *projection* is how a model's predictions are mapped
    if the corpus has other labels than the three (``core/labels.py``).  *inner_splits* are the splits
    that the records themselves name (key ``split``), if one file has them all.
    """

    normalize: Callable[[Row], Row | None]
    tested_on: str
    splitters: Mapping[str, Splitter] = field(default_factory=dict)
    projection: str = "three labels"
    inner_splits: frozenset[str] = frozenset()

    def splitter_for(self, path: Path) -> Splitter | None:
        """Return the splitter of the file at *path*, None if its format is a common one."""
        matching = [end for end in self.splitters if path.as_posix().endswith(end)]
        return self.splitters[max(matching, key=len)] if matching else None


def pair(
    premise: str,
    hypothesis: str,
    label: object,
    *,
    name: object = None,
    split: str | None = None,
    **info: Any,
) -> Row:
    """Return a normalized record: two sentences, a label as ``parse_label`` takes it, an id, and *info*.

    A label of None means that there is no gold label.  Values of *info* that are None or empty are left out.

    >>> pair("It rains.", "It is wet.", "neutral", name=7, genre="weather")["genre"]
    'weather'
    """
    more = {key: value for key, value in info.items() if value is not None and value not in ("", [])}
    return {"premise": premise, "hypothesis": hypothesis, "label": label, "id": name, "split": split, **more}


def layout_of(row: Row) -> Layout:
    """Return the layout of a record of :func:`pair`: its four columns; the others go to ``info``."""
    roles = ("premise", "hypothesis", "label", "id")
    extra = {key: key for key in row if key not in {*roles, "split", *INFO_COLUMNS, "annotator_labels"}}
    return Layout("pair", {role: role for role in roles}, extra, _DOCUMENTED)


def shared_info(row: Row) -> Row:
    """Return what many corpora record of a pair: genre, parses, annotators' labels (``INFO_COLUMNS``).

    >>> shared_info({"sentence1": "It rains.", "genre": "weather"})
    {'genre': 'weather'}
    """
    return {key: row[key] for key in (*INFO_COLUMNS, "annotator_labels") if key in row}


def gold_label(names: Mapping[str, Gold | None], value: object) -> Gold | None:
    """Return the gold label that *names* gives for *value*, without regard to case; None if there is none.

    A value of None, or -1 as in the hub's copies, always means that there is no gold label.  Raises
    FormatError for any other value that is not in *names*; if no number is, UndeclaredNumbersError for a
    number.

    >>> gold_label({"1": "entailment"}, 1)
    'entailment'
    """
    name = str(value).strip().lower()
    if name in names:
        return names[name]
    if value is None or name in {"", "-1", "-"}:
        return None
    if name_of(value).isdigit() and not any(known.isdigit() for known in names):
        raise UndeclaredNumbersError(
            f"the label {quoted(value)} is a number, and the format does not say what it means",
            where="the label",
            wanted=", ".join(names),
            hint="read it as a file of your own: its name without 'CORPUS@', --columns, and what each number "
            "means with --labels 0=LABEL,1=LABEL",
        )
    raise FormatError(f"unknown label {quoted(value)}", where="the label", wanted=", ".join(names))


def normalized_records(reader: Reader, file: CorpusFile) -> tuple[FormattedFile, Records]:
    """Return a corpus's file with its format, and its records as *reader* normalizes them."""
    split = reader.splitter_for(file.path)
    if split is None:
        formatted = detect_format(file.path)
        return formatted, _normalized(reader, file, iter_records(formatted))
    return FormattedFile(file.path, "json lines"), _normalized(reader, file, split(file.path))


def _normalized(reader: Reader, file: CorpusFile, records: Records) -> Records:
    """Yield normalized records."""
    inner, matched = file.part in reader.inner_splits, False
    for number, record in records:
        try:
            if isinstance(record, FormatError):
                raise record
            row = _normalize(reader, record)
        except FormatError as error:
            yield number, error
            continue
        if row is not None and (not inner or row["split"] == file.part):
            matched = True
            yield number, row
    if inner and not matched:
        raise FormatError(
            f"no pair in the file belongs to the split '{file.part}'",
            where=str(file.path),
            hint=f"{file.corpus}:all has all pairs",
        )


def _normalize(reader: Reader, record: Row) -> Row | None:
    try:
        return reader.normalize(record)
    except KeyError as error:
        wanted = f"that field; the record has {', '.join(map(str, record))}"
        raise FormatError(f"the field '{error.args[0]}' is missing", wanted=wanted) from None
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        wanted = "the fields of the corpus's documented format"
        raise FormatError(f"a field has the wrong type: {error}", wanted=wanted) from None
