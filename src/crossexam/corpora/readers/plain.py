"""The records of a corpus's file as its reader makes them plain."""

from __future__ import annotations

from collections.abc import Iterator

from crossexam.core.errors import FormatError
from crossexam.corpora.readers.reader import Reader
from crossexam.corpora.records import Form, Row, iter_records, sniff
from crossexam.corpora.splits import Source


def numbered(stem: str, number: int) -> str:
    """Return the id of the record *number* of the file *stem*.

    >>> numbered("dev", 12)
    'dev-000012'
    """
    return f"{stem}-{number:06d}"


def plain_records(reader: Reader, source: Source) -> tuple[Form, Iterator[tuple[int, Row | FormatError]]]:
    """Return the form of a corpus's file, and its records as *reader* makes them plain."""
    cut = reader.cut_of(source.path)
    form = sniff(source.path) if cut is None else Form(source.path, "json lines")
    return form, _plain(reader, source, iter_records(form) if cut is None else cut(source.path))


def _plain(
    reader: Reader, source: Source, records: Iterator[tuple[int, Row | FormatError]]
) -> Iterator[tuple[int, Row | FormatError]]:
    """Yield plain records; one without an id has its number in the file, whatever is left out before it."""
    inner, found = source.part in reader.inner, False
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
        if row is not None and (not inner or row["split"] == source.part):
            found = True
            yield number, row if row["id"] is not None else {**row, "id": numbered(source.path.stem, count)}
    if inner and not found:
        raise FormatError(
            f"no pair of it is marked '{source.part}'",
            where=str(source.path),
            hint=f"{source.corpus}:all has all of its pairs",
        )
