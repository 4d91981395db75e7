"""What a reader is: how a corpus's files are cut into records, and each record made a plain one.

The records of a corpus's file as its reader makes them plain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crossexam.core.errors import FormatError
from crossexam.core.labels import Gold
from crossexam.corpora.columns import INFO_COLUMNS, Layout
from crossexam.corpora.installed import CorpusFile
from crossexam.corpora.records import Form, Row, iter_records, sniff

Cut = Callable[[Path], Iterator[tuple[int, Row | FormatError]]]


@dataclass(frozen=True)
class Reader:
    """The reader of a corpus: *plain* makes a record one of :func:`pair`'s, None where it is no pair.

    *cuts* are other ways to cut a file into records than its form tells, by the end of the file's path
    (the longest that fits is taken).  *projection* is how a model's answers are read where the corpus has
    other labels than the three (``core/projections.py``).  *seen* says what the reader was tried on:
    "official files", "a copy ...", or "its documented format".  *inner* splits are marked in the records
    themselves (key ``split``), where one file has them all.
    """

    plain: Callable[[Row], Row | None]
    seen: str
    cuts: Mapping[str, Cut] = field(default_factory=dict)
    projection: str = "three labels"
    inner: frozenset[str] = frozenset()

    def cut_of(self, path: Path) -> Cut | None:
        """Return how the file at *path* is cut, None where its form tells."""
        fitting = [end for end in self.cuts if path.as_posix().endswith(end)]
        return self.cuts[max(fitting, key=len)] if fitting else None


def pair(
    premise: str,
    hypothesis: str,
    label: object,
    *,
    name: object = None,
    split: str | None = None,
    **info: Any,
) -> Row:
    """Return a plain record: two sentences, a label as ``parse_label`` takes it, an id, and more.

    A label of None means that there is no gold.  Values of *info* that are None or empty are left out.

    >>> pair("It rains.", "It is wet.", "neutral", name=7, genre="weather")["genre"]
    'weather'
    """
    more = {key: value for key, value in info.items() if value is not None and value not in ("", [])}
    return {"premise": premise, "hypothesis": hypothesis, "label": label, "id": name, "split": split, **more}


def layout_of(row: Row) -> Layout:
    """Return the layout of a record of :func:`pair`: its four columns, the rest to ``info``."""
    roles = ("premise", "hypothesis", "label", "id")
    extra = {key: key for key in row if key not in {*roles, "split", *INFO_COLUMNS, "annotator_labels"}}
    return Layout("pair", {role: role for role in roles}, extra)


def carried(row: Row) -> Row:
    """Return what every corpus may say of a pair: genre, parses, the annotators' labels (``INFO_COLUMNS``).

    >>> carried({"sentence1": "It rains.", "genre": "weather"})
    {'genre': 'weather'}
    """
    return {key: row[key] for key in (*INFO_COLUMNS, "annotator_labels") if key in row}


def labelled(names: Mapping[str, Gold | None], value: object) -> Gold | None:
    """Return the label that *names* gives for *value*, without regard to case; raises FormatError.

    None stands for "no gold"; a value of None, or -1 as the hub has it, is no gold under any names.

    >>> labelled({"1": "entailment"}, 1)
    'entailment'
    """
    name = str(value).strip().lower()
    if name in names:
        return names[name]
    if value is None or name in {"", "-1", "-"}:
        return None
    raise FormatError(f"unknown label {value!r}", where="the label", wanted=", ".join(names))


def numbered(stem: str, number: int) -> str:
    """Return the id of the record *number* of the file *stem*.

    >>> numbered("dev", 12)
    'dev-000012'
    """
    return f"{stem}-{number:06d}"


def plain_records(reader: Reader, file: CorpusFile) -> tuple[Form, Iterator[tuple[int, Row | FormatError]]]:
    """Return the form of a corpus's file, and its records as *reader* makes them plain."""
    cut = reader.cut_of(file.path)
    form = sniff(file.path) if cut is None else Form(file.path, "json lines")
    return form, _plain(reader, file, iter_records(form) if cut is None else cut(file.path))


def _plain(
    reader: Reader, file: CorpusFile, records: Iterator[tuple[int, Row | FormatError]]
) -> Iterator[tuple[int, Row | FormatError]]:
    """Yield plain records; one without an id has its number in the file, whatever is left out before it."""
    inner, found = file.part in reader.inner, False
    for count, (number, record) in enumerate(records, 1):
        if isinstance(record, FormatError):
            yield number, record
            continue
        try:
            row = reader.plain(record)
        except FormatError as error:
            yield number, error
            continue
        except KeyError as error:
            fields = ", ".join(map(str, record))
            yield number, FormatError(f"the field '{error.args[0]}' is missing", wanted=f"it beside {fields}")
            continue
        except (TypeError, ValueError, AttributeError, IndexError) as error:
            yield number, FormatError(f"a field of another type: {error}", wanted="the corpus's own fields")
            continue
        if row is not None and (not inner or row["split"] == file.part):
            found = True
            yield number, row if row["id"] is not None else {**row, "id": numbered(file.path.stem, count)}
    if inner and not found:
        raise FormatError(
            f"no pair of it is marked '{file.part}'",
            where=str(file.path),
            hint=f"{file.corpus}:all has all of its pairs",
        )
