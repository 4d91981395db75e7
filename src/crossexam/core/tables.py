"""Test sets as files: Parquet that the hub's tools open with label names, or JSON lines.

Columns: ``id premise hypothesis label base construction source target edits info``.  ``edits`` are
structs of side, start, end, old, new; ``info`` is a JSON object as text.  Parquet is written with
pyarrow (polars cannot write the schema metadata that `datasets` reads label names from) and read
with polars (which makes Python rows several times faster).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Final

from crossexam.core.dataset import ContentHash, Dataset
from crossexam.core.errors import FormatError
from crossexam.core.example import Change, Edit, Example
from crossexam.core.labels import GOLD_INDEX, GOLDS, LABELS, Gold, parse_label

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS: Final = ("id", "premise", "hypothesis", "label", "base", "construction", "source", "target",
                  "edits", "info")  # fmt: skip
ROWS_A_GROUP: Final = 20_000  # examples held before they are written: about 20 MB

_encode: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode


def _schema(*, two_labels: bool) -> pa.Schema:
    """Return the columns and what the hub's tools read of them; sets with two labels name the fourth."""
    import pyarrow as pa

    text = pa.string()
    edit = pa.struct(
        [("side", text), ("start", pa.int32()), ("end", pa.int32()), ("old", text), ("new", text)]
    )
    types = dict.fromkeys(COLUMNS, text) | {"label": pa.int64(), "edits": pa.list_(edit)}
    names = list(GOLDS if two_labels else LABELS)
    features = {name: {"dtype": "string", "_type": "Value"} for name in ("id", "premise", "hypothesis")}
    features_of_all = features | {"label": {"names": names, "_type": "ClassLabel"}}
    metadata = {"huggingface": json.dumps({"info": {"features": features_of_all}})}
    return pa.schema([pa.field(name, types[name]) for name in COLUMNS], metadata=metadata)


def to_row(example: Example) -> dict[str, Any]:
    """Return *example* as one row of a test set; the label is its index, -1 where there is none."""
    change = example.change
    return {
        "id": example.id,
        "premise": example.premise,
        "hypothesis": example.hypothesis,
        "label": -1 if example.label is None else GOLD_INDEX[example.label],
        "base": example.base,
        "construction": change.construction if change else None,
        "source": change.source if change else None,
        "target": change.target if change else None,
        "edits": [
            {"side": e.side, "start": e.start, "end": e.end, "old": e.old, "new": e.new} for e in change.edits
        ]
        if change
        else [],
        "info": _encode(dict(example.info)),
    }


def from_row(row: dict[str, Any], *, where: str) -> Example:
    """Return the example in *row*; raises FormatError that names the field."""
    try:
        change = None
        if row.get("construction"):
            edits = tuple(
                Edit(e["side"], e["start"], e["end"], e["old"], e["new"]) for e in row["edits"] or ()
            )
            change = Change(row["construction"], row["source"], row["target"], edits)
        info = row.get("info") or {}
        if isinstance(info, str):
            info = json.loads(info)
        if not isinstance(info, dict):
            raise TypeError("field 'info' is not a JSON object")
        premise, hypothesis = row["premise"], row["hypothesis"]
        if not isinstance(premise, str) or not isinstance(hypothesis, str):
            raise TypeError(f"field '{'hypothesis' if isinstance(premise, str) else 'premise'}' is no text")
        return Example(
            id=str(row["id"]),
            premise=premise,
            hypothesis=hypothesis,
            label=_label(row["label"], where),
            base=row.get("base"),
            change=change,
            info=info,
        )
    except KeyError as error:
        raise FormatError(
            f"field {error.args[0]!r} is missing", where=where, wanted=", ".join(COLUMNS)
        ) from None
    except (TypeError, ValueError) as error:
        raise FormatError(f"malformed row: {error}", where=where, wanted=", ".join(COLUMNS)) from None


def _label(value: object, where: str) -> Gold | None:
    """Return the label that a file of ours holds, by index or by name."""
    return GOLDS[-1] if value == len(LABELS) else parse_label(value, where=where)


class TestSetWriter:
    """Writes examples one by one to *path* (``.parquet`` or ``.jsonl``), a row group at a time.

    A context manager; counts ``rows`` and keeps the running ``content_hash``.  *path* should be a
    temporary name (see :func:`crossexam.core.files.finished_or_absent`).
    """

    __test__ = False  # not a test, whatever pytest thinks of its name

    def __init__(self, path: Path, *, file_format: str = "parquet") -> None:
        if file_format not in {"parquet", "jsonl"}:
            raise FormatError(f"unknown format '{file_format}'", wanted="parquet or jsonl")
        self.rows = 0
        self.content_hash = ContentHash()
        self._path, self._format = path, file_format
        self._pending: list[dict[str, Any]] = []
        self._stream: IO[str] | None = None
        self._parquet: Any = None
        self._schema: Any = None
        self._two_labels = False

    def __enter__(self) -> TestSetWriter:
        if self._format == "jsonl":
            self._stream = self._path.open("w", encoding="utf-8")
        return self

    def write(self, example: Example) -> None:
        """Add one example."""
        self.rows += 1
        self.content_hash.update(example)
        self._pending.append(to_row(example))
        if len(self._pending) >= ROWS_A_GROUP:
            self._flush()

    def _flush(self) -> None:
        if self._stream is not None:
            for row in self._pending:
                label = None if row["label"] < 0 else GOLDS[row["label"]]
                readable = {**row, "label": label, "info": json.loads(row["info"])}
                self._stream.write(json.dumps(readable, ensure_ascii=False) + "\n")
        elif self._pending or self._parquet is None:
            import pyarrow as pa

            self._open_parquet()
            columns = {name: [row[name] for row in self._pending] for name in COLUMNS}
            self._parquet.write_table(pa.table(columns, schema=self._schema))
        self._pending.clear()

    def _open_parquet(self) -> None:
        """Open the file at its first rows, which tell how many labels there are; raises FormatError."""
        two_labels = any(row["label"] == len(LABELS) for row in self._pending)
        if self._parquet is None:
            import pyarrow.parquet as pq

            self._two_labels = two_labels
            self._schema = _schema(two_labels=two_labels)
            self._parquet = pq.ParquetWriter(self._path, self._schema, compression="zstd")
        elif two_labels and not self._two_labels:
            raise FormatError(
                f"'{GOLDS[-1]}' after {ROWS_A_GROUP:,} rows and more without it",
                where=str(self._path),
                wanted="a corpus of three labels or of two",
            )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._flush()
        finally:
            if self._stream is not None:
                self._stream.close()
            if self._parquet is not None:
                self._parquet.close()


def write_test_set(path: Path, examples: Iterable[Example], *, file_format: str = "parquet") -> None:
    """Write *examples* to *path*, whole or not at all."""
    from crossexam.core.files import finished_or_absent

    with finished_or_absent(path) as temporary, TestSetWriter(temporary, file_format=file_format) as writer:
        for example in examples:
            writer.write(example)


def iter_test_set(path: Path) -> Iterator[Example]:
    """Yield the examples of a test set file, Parquet or JSON lines; raises FormatError."""
    if path.suffix == ".jsonl":
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                where = f"{path}, line {number}"
                try:
                    row = json.loads(line)
                except (UnicodeDecodeError, json.JSONDecodeError) as error:
                    raise FormatError(f"not JSON: {error}", where=where) from None
                if not isinstance(row, dict):
                    raise FormatError("not a JSON object", where=where, wanted=", ".join(COLUMNS))
                yield from_row(row, where=where)
        return
    import polars as pl

    try:
        table = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise FormatError(f"not a Parquet file: {error}", where=str(path)) from None
    missing = [name for name in ("id", "premise", "hypothesis", "label") if name not in table.columns]
    if missing:
        raise FormatError(f"no column {missing[0]!r}", where=str(path), wanted=", ".join(COLUMNS))
    for number, row in enumerate(table.iter_rows(named=True)):
        yield from_row(row, where=f"{path}, row {number}")


def read_test_set(path: Path, *, name: str | None = None) -> Dataset:
    """Return the test set in *path* as a Dataset; its name is the file's unless given."""
    return Dataset(name or path.stem, tuple(iter_test_set(path)), {"path": str(path)})
