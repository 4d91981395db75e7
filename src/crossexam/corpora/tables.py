"""Tables in memory as corpora: DataFrames, datasets of the hub, lists of dicts; and lists of Examples.

The libraries of these tables are not imported: a table is recognised by the module and the name of its
class.  Its rows are read like those of a file, by the same columns, labels and rules for malformed records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from crossexam.core.arguments import shown
from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import Example
from crossexam.core.labels import GOLDS
from crossexam.core.output.escapes import quoted
from crossexam.corpora.reading import Reading, ReadingReport, read_source
from crossexam.corpora.records import Records, Row, Source, class_names, unique_names, with_class_names

WANTED: Final = (
    "the name of a corpus (snli:dev), a path, a DataFrame (polars, pandas), a datasets.Dataset, "
    "a list of dicts, or a list of Examples"
)

#: The name of a table without one; test sets built from it are called ``negation.examples``.
UNNAMED: Final = "examples"


@dataclass(frozen=True)
class TableKind:
    """The tables of the class *name* of *package*, and how their rows are read; errors say what *is_a* is."""

    package: str
    name: str
    is_a: str
    rows: Callable[[Any], Iterator[Row]]


def _polars(table: Any) -> Iterator[Row]:
    frame = table.collect() if hasattr(table, "collect") else table
    return iter(frame.iter_rows(named=True))


def _pandas(table: Any) -> Iterator[Row]:
    names = unique_names([str(name) for name in table.columns], where="the pandas DataFrame")
    for values in table.itertuples(index=False, name=None):
        yield dict(zip(names, values, strict=True))


def _arrow(table: Any) -> Iterator[Row]:
    classes = class_names(table.schema.metadata or {})
    for batch in table.to_batches():
        for row in batch.to_pylist():
            yield with_class_names(row, classes)


def _hub(table: Any) -> Iterator[Row]:
    features = table.features or {}
    classes = {name: each.names for name, each in features.items() if type(each).__name__ == "ClassLabel"}
    for row in table.with_format(None):
        yield with_class_names(row, classes)


def _hub_splits(table: Any) -> Iterator[Row]:
    splits = ", ".join(map(str, table))
    raise CrossexamError(f"the {type(table).__name__} has several splits: {splits}", wanted="one of them")


TABLES: Final[tuple[TableKind, ...]] = (
    TableKind("polars", "DataFrame", "the polars DataFrame", _polars),
    TableKind("polars", "LazyFrame", "the polars LazyFrame", _polars),
    TableKind("pandas", "DataFrame", "the pandas DataFrame", _pandas),
    TableKind("pyarrow", "Table", "the pyarrow Table", _arrow),
    TableKind("datasets", "Dataset", "the Dataset", _hub),
    TableKind("datasets", "IterableDataset", "the IterableDataset", _hub),
    TableKind("datasets", "DatasetDict", "the DatasetDict", _hub_splits),
    TableKind("datasets", "IterableDatasetDict", "the DatasetDict", _hub_splits),
)


def table_kind(data: object) -> TableKind | None:
    """Return the kind of table that *data* is, or None.

    >>> import polars as pl
    >>> table_kind(pl.DataFrame()).is_a, table_kind([])
    ('the polars DataFrame', None)
    """
    classes = {(each.__module__.partition(".")[0], each.__name__) for each in type(data).__mro__}
    return next((kind for kind in TABLES if (kind.package, kind.name) in classes), None)


def dataset_of(
    data: Any,
    reading: Reading = Reading(),
    *,
    name: str | None = None,
    report: ReadingReport | None = None,
) -> Dataset:
    """Return *data*, a table or examples, as a Dataset called *name*; its manifest has the counts of reading.

    A Dataset keeps its name.  Rows are numbered from 1 in errors.  Missing values (None, NaN) are None.
    Raises CrossexamError if *data* is none of these or if *reading* is for tables alone, FormatError at the
    first malformed row.

    >>> rows = [{"premise": "It rains.", "hypothesis": "It is wet.", "label": "neutral"}]
    >>> dataset_of(rows, name="weather").examples[0].label
    'neutral'
    """
    if isinstance(data, Dataset):
        return _checked(data, reading)
    name, report = name or UNNAMED, ReadingReport() if report is None else report
    kind = table_kind(data)
    if kind is not None:
        source = Source(kind.is_a, "table", "row", True, partial(_rows, kind, data))
    else:
        rows = _listed(data)
        if isinstance(rows[0], Example):
            return _checked(Dataset(name, tuple(rows)), reading)
        source = Source("the list", "list", "row", False, partial(_dicts, rows))
    examples = tuple(read_source(source, reading, report))
    return Dataset(name, examples, {"name": name, "part": name, "spec": name, "counts": report.as_dict()})


def _rows(kind: TableKind, table: Any) -> Records:
    return ((number, _plain_row(row)) for number, row in enumerate(kind.rows(table), 1))


def _checked(dataset: Dataset, reading: Reading) -> Dataset:
    """Return *dataset*; raises FormatError for an item that is no Example of texts, or repeats an id.

    CrossexamError is raised if an option of *reading* is set: these are for tables.
    """
    for option in reading.changed:
        raise CrossexamError(f"Examples are not read with {option}", wanted=f"{option}= for tables only")
    seen: set[str] = set()
    for number, item in enumerate(dataset.examples, 1):
        where = f"{dataset.name}, item {number}"
        _check_example(item, where)
        if item.id in seen:
            raise FormatError(f"the id {quoted(item.id)} is not unique", where=where, wanted="unique ids")
        seen.add(item.id)
    return dataset


def _listed(data: Any) -> list[Any]:
    """Return what *data* iterates over; raises CrossexamError if there is nothing or it is not a list."""
    if isinstance(data, str | bytes | Mapping) or not isinstance(data, Iterable):
        of_columns = isinstance(data, Mapping)
        hint = "polars.DataFrame(...) makes a table of a dict of columns" if of_columns else None
        raise CrossexamError(f"{shown(data)} is not a corpus", wanted=WANTED, hint=hint)
    rows = list(data)
    if not rows:
        raise CrossexamError("there are no examples", wanted="at least one")
    if not isinstance(rows[0], Example | Mapping):
        raise CrossexamError(
            f"{shown(data)} that begins with {shown(rows[0])} is not a corpus", wanted=WANTED
        )
    return rows


def _check_example(item: object, where: str) -> None:
    if not isinstance(item, Example):
        raise FormatError(f"{shown(item)} instead of an Example", where=where, wanted="Examples only")
    for field in ("id", "premise", "hypothesis"):
        value = getattr(item, field)
        if not isinstance(value, str):
            raise FormatError(f"{field} is {shown(value)}", where=where, wanted="a string")
    if item.label is not None and item.label not in GOLDS:
        raise FormatError(f"label is {shown(item.label)}", where=where, wanted=f"{', '.join(GOLDS)} or None")


def _dicts(rows: Iterable[Any]) -> Records:
    for number, row in enumerate(rows, 1):
        if isinstance(row, Mapping):
            yield number, _plain_row(row)
        else:
            yield number, FormatError(f"{shown(row)} instead of a dict", wanted="a dict per pair")


def _plain_row(row: Mapping[Any, Any]) -> Row:
    return {str(name): _plain(value) for name, value in row.items()}


def _plain(value: Any) -> Any:
    """Return *value* as a value of JSON: NumPy's scalars and arrays as Python's, missing values as None.

    >>> import numpy as np
    >>> _plain(np.int64(2)), _plain(float("nan")), _plain(np.array([1, 2]))
    (2, None, [1, 2])
    """
    if value is None or isinstance(value, bool | int) or type(value) is str:
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        return None if value != value else float(value)
    if type(value).__name__ in {"NAType", "NaTType"}:  # of pandas
        return None
    if isinstance(value, Mapping):
        return _plain_row(value)
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return _plain(value.tolist()) if hasattr(value, "tolist") else value
