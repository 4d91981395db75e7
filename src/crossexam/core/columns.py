"""Columns of examples, wherever these are: in a file, of which a stretch at a time is read, or in memory.

Whatever is computed from all examples of a test set should be computed from columns: an example is an object
of some two thousand bytes, and takes twenty times as long to make as its row to read.  Only
:func:`columns_of` knows where the examples are.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from crossexam.core.errors import FormatError
from crossexam.core.example import (
    CLUSTER,
    ITEM_STATUSES,
    STATUS,
    VERDICT,
    Example,
    premise_cluster,
)
from crossexam.core.stored.arrays import (
    array_of_numbers,
    array_of_texts,
    has_empty_text,
    missing_of,
    numbers_of,
)
from crossexam.core.stored.examples import StoredExamples
from crossexam.core.stored.parquet import ROWS_AT_ONCE
from crossexam.core.stored.rows import to_batch

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

#: For how many sets of keys what reads them is kept.
_READERS_KEPT: Final = 64


def columns_of(
    examples: Sequence[Example], names: Sequence[str], at_once: int = ROWS_AT_ONCE, *, exact: bool = False
) -> Iterator[pa.RecordBatch]:
    """Yield the columns *names* of *examples* as batches of at most *at_once* rows, in their order.

    The columns are those of a test-set file (:data:`crossexam.core.stored.rows.COLUMNS`): ``label`` is the
    index in ``GOLDS``, -1 without a gold label; ``info`` is JSON.  Every batch but the last has *at_once*
    rows, unless the examples are some of a file.  A lone surrogate, which no file can hold, becomes its
    escape; if the texts are to be *exact*, it raises FormatError.

    >>> tiny = [Example("a", "It rains.", "It is wet.", "neutral", info={"genre": "talk"})]
    >>> [batch.to_pylist() for batch in columns_of(tiny, ["label", "info"])]
    [[{'label': 1, 'info': '{"genre": "talk"}'}]]
    """
    if isinstance(examples, StoredExamples) and examples.own_format:
        for _, batch in examples.stretches(names, at_once):
            yield _without_nulls(batch)
        return
    texts = partial(_texts, exact=exact)
    for start in range(0, len(examples), at_once):
        yield to_batch(examples[start : start + at_once], names, texts)


def _without_nulls(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return *batch* with what nulls are read as, which other programs may have written."""
    for place, field in enumerate(batch.schema):
        column, filled = batch.column(place), _FILLED.get(field.name)
        if filled and (column.null_count or (field.name == "info" and has_empty_text(column))):
            batch = batch.set_column(place, field, filled(column))
    return batch


def _filled_edits(column: pa.ListArray) -> pa.ListArray:
    import pyarrow as pa

    return pa.ListArray.from_arrays(column.offsets, column.values, type=column.type)


#: What makes a column of the one that has nulls.
_FILLED: Final[Mapping[str, Callable[[Any], pa.Array]]] = {
    "id": lambda ids: ids.fill_null(array_of_texts(["None"])[0]),
    "label": lambda labels: array_of_numbers(np.where(missing_of(labels), -1, numbers_of(labels))),
    "edits": _filled_edits,
    "info": lambda infos: array_of_texts([text or "{}" for text in infos.to_pylist()]),
}


def _texts(texts: Sequence[str | None], *, exact: bool = False) -> pa.StringArray:
    """Return *texts* as an array, with lone surrogates as escapes; *exact* raises FormatError for one."""
    try:
        return array_of_texts(texts)
    except UnicodeEncodeError as error:
        if exact:
            raise FormatError(
                "a text has half of a character (a lone surrogate)",
                where=_escaped(error.object),
                wanted="text that UTF-8 can encode",
            ) from None
        return array_of_texts([None if text is None else _escaped(text) for text in texts])


def _escaped(text: str) -> str:
    """Return *text* with its lone surrogates as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def labels_of(examples: Sequence[Example]) -> NDArray[np.int8]:
    """Return the gold labels of *examples* as indices in ``GOLDS`` [n], -1 where there is none.

    >>> labels_of([Example("a", "p", "h", "neutral"), Example("b", "p", "h", None)]).tolist()
    [1, -1]
    """
    batches = columns_of(examples, ["label"])
    return _joined((numbers_of(batch["label"]).astype(np.int8) for batch in batches), np.int8)


def text_hashes(examples: Sequence[Example], name: Literal["id", "base"]) -> NDArray[np.uint64]:
    """Return a hash of the text in column *name* of each of *examples* [n]: equal texts have equal numbers.

    The numbers are comparable between test sets, but not between processes.  No base is an empty text.
    """
    columns = (batch[name].to_pylist() for batch in columns_of(examples, [name]))
    return _joined((hashes_of([text or "" for text in texts]) for texts in columns), np.uint64)


class Places:
    """Where each id is in a test set, to find the bases of the items of others."""

    def __init__(self, examples: Sequence[Example]) -> None:
        ids = text_hashes(examples, "id")
        order = np.argsort(ids, kind="stable")
        self._ids, self._order = ids[order], order.astype(np.uint32)

    def of_bases(self, examples: Sequence[Example]) -> NDArray[np.int64]:
        """Return the position of the base of each of *examples* [n], -1 if it is not there.

        Of several examples with one id it is the last.

        >>> base = [Example("a", "p", "h", None), Example("b", "p", "h", None)]
        >>> items = [Example("x", "p", "h", None, base="b"), Example("y", "p", "h", None)]
        >>> Places(base).of_bases(items).tolist()
        [1, -1]
        """
        if not len(self._ids):
            return np.full(len(examples), -1, dtype=np.int64)
        wanted = text_hashes(examples, "base")
        place = np.searchsorted(self._ids, wanted, side="right") - 1
        return np.where(self._ids[place] == wanted, self._order[place], np.int64(-1))


def examples_at(examples: Sequence[Example], rows: Sequence[int] | NDArray[Any]) -> Sequence[Example]:
    """Return the *examples* at *rows*, ascending positions or a mask [n]; those of a file are read later."""
    if isinstance(examples, StoredExamples):
        return examples.at(rows)
    index = np.asarray(rows)
    places = np.flatnonzero(index) if index.dtype == np.bool_ else index
    return tuple(examples[place] for place in places.tolist())


def status_codes(examples: Sequence[Example]) -> NDArray[np.int8]:
    """Return the status of each of *examples* [n] as its index in ITEM_STATUSES, -1 if it has none.

    The status is that of :func:`~crossexam.core.example.status_of`.

    >>> status_codes([Example("a", "p", "h", None, info={"status": "proposed"})]).tolist()
    [2]
    """
    found = info_values(examples, (STATUS, VERDICT))
    verdicts, statuses = (found[key].mapped(_status_code).astype(np.int8) for key in (VERDICT, STATUS))
    return np.where(verdicts >= 0, verdicts, statuses)


def _status_code(value: Any) -> int:
    return ITEM_STATUSES.index(value) if value in ITEM_STATUSES else -1


def cluster_names(examples: Sequence[Example]) -> pa.ChunkedArray:
    """Return the cluster of each of *examples* [n]: that of :func:`~crossexam.core.example.cluster_of`."""
    import pyarrow as pa

    found = map(_clusters, columns_of(examples, ["premise", "info"]))
    parts = [_texts(names).take(array_of_numbers(numbers)) for numbers, names in found]
    return pa.chunked_array(parts, pa.string())


def cluster_hashes(examples: Sequence[Example]) -> NDArray[np.uint64]:
    """Return a hash of the cluster of each of *examples* [n]: equal numbers are the same cluster.

    The clusters are those of :func:`~crossexam.core.example.cluster_of`.  The numbers are comparable between
    test sets, but not between processes.

    >>> a, b, c = cluster_hashes([Example(str(n), "pqp"[n], "h", None) for n in range(3)]).tolist()
    >>> a == c, a == b
    (True, False)
    """
    found = map(_clusters, columns_of(examples, ["premise", "info"]))
    return _joined((hashes_of(names)[numbers] for numbers, names in found), np.uint64)


def hashes_of(values: Sequence[Hashable]) -> NDArray[np.uint64]:
    """Return a hash of each of *values* [n], which another process does not give."""
    return np.fromiter(map(hash, values), np.int64, len(values)).view(np.uint64)


def _joined(parts: Iterator[NDArray[Any]], kind: Any) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype=kind), *parts])


def _clusters(batch: pa.RecordBatch) -> tuple[NDArray[np.int64], list[str]]:
    """Return the number of the cluster of each row of *batch* [n], and the names of clusters by number.

    *batch* has the premises and infos.  Several numbers may have one name.
    """
    coder = _Coder()
    _add_values({CLUSTER: coder}, batch["info"])
    given = coder.found()
    names = [*map(str, given.values)]
    stated = [-1 if value is None else place for place, value in enumerate(given.values)]
    numbers = np.array([*stated, -1])[given.codes]  # -1 is the last
    missing = np.flatnonzero(numbers < 0)
    if len(missing):
        premises = batch["premise"].take(array_of_numbers(missing)).dictionary_encode()
        numbers[missing] = len(names) + numbers_of(premises.indices)
        names += map(premise_cluster, premises.dictionary.to_pylist())
    return numbers, names


@dataclass(frozen=True)
class InfoValues:
    """The values of examples under a key of ``info``: different *values*, and the number of each item's [n].

    The number is -1 if an example does not have the key.  Values of different types are different.
    """

    values: Sequence[Any]
    codes: NDArray[np.int32]

    @property
    def stated(self) -> NDArray[np.bool_]:
        """Whether each example has the key, even if its value is None: [n]."""
        has_key: NDArray[np.bool_] = self.codes >= 0
        return has_key

    def each(self) -> NDArray[np.object_]:
        """Return the value of each example [n], None if it does not have the key."""
        return self.mapped(lambda value: value)

    def mapped(self, function: Callable[[Any], Any], absent: Any = None) -> NDArray[np.object_]:
        """Return *function* of the value of each example [n], of *absent* if it does not have the key."""
        results = np.empty(len(self.values) + 1, dtype=object)
        for place, value in enumerate((*self.values, absent)):  # the last is that of the number -1
            results[place] = function(value)
        chosen: NDArray[np.object_] = results[self.codes]
        return chosen


def info_values(examples: Sequence[Example], keys: Sequence[str]) -> dict[str, InfoValues]:
    """Return the values of *examples* under each of *keys* of ``info``.

    >>> tiny = [Example(str(n), "p", "h", None, info={"n": n % 2}) for n in range(3)]
    >>> found = info_values(tiny, ["n"])["n"]
    >>> found.values, found.codes.tolist()
    ([0, 1], [0, 1, 0])
    """
    coders = {key: _Coder() for key in keys}
    for batch in columns_of(examples, ["info"]):
        _add_values(coders, batch["info"])
    return {key: coder.found() for key, coder in coders.items()}


def _add_values(coders: Mapping[str, _Coder], info: pa.StringArray) -> None:
    """Add to the coder of each key the value that each JSON object has under it."""
    text = f"[{','.join(info.to_pylist())}]"
    escaped = "\\" in text  # any key may be written with escapes
    keys = tuple(key for key in coders if escaped or json.dumps(key, ensure_ascii=False) in text)
    found = dict(zip(keys, _reader_of(keys)(text), strict=True)) if keys else {}
    for key, coder in coders.items():
        if key in found:
            coder.add(found[key])
        else:
            coder.skip(len(info))


@lru_cache(_READERS_KEPT)
def _reader_of(keys: tuple[str, ...]) -> Callable[[str], list[list[Any]]]:
    """Return what reads the values under each of *keys* from a list of JSON objects; UNSET: none."""
    import msgspec

    names = [f"value_{number}" for number in range(len(keys))]
    fields = [
        (name, Any, msgspec.field(name=key, default=msgspec.UNSET))
        for name, key in zip(names, keys, strict=True)
    ]
    decode = msgspec.json.Decoder(list[msgspec.defstruct("Values", fields)]).decode  # type: ignore[misc]
    getters = [attrgetter(name) for name in names]

    def read(text: str) -> list[list[Any]]:
        try:
            objects = decode(text)
        except msgspec.DecodeError:  # NaN and half of a surrogate, which the module json reads
            known = json.loads(text)
            return [[each.get(key, msgspec.UNSET) for each in known] for key in keys]
        return [[*map(getter, objects)] for getter in getters]

    return read


class _Coder:
    """Numbers different values in the order of their appearance."""

    def __init__(self) -> None:
        import msgspec

        self._absent = msgspec.UNSET
        self._places: dict[Hashable, int] = {self._absent: -1}
        self._values: list[Any] = []
        self._codes = array("i")
        self._skipped = 0  # examples at the end that have no code yet

    def add(self, values: Sequence[Any]) -> None:
        """Add the examples that have these *values*, UNSET if they do not have the key."""
        if values.count(self._absent) == len(values):
            self.skip(len(values))
            return
        self._make_up()
        identities: Sequence[Hashable] = values
        if not {*map(type, values)} <= {str, type(self._absent)}:
            identities = [*map(self._identity, values)]
        for identity, value in dict(zip(identities, values, strict=True)).items():
            if identity not in self._places:
                self._places[identity] = len(self._values)
                self._values.append(value)
        self._codes.extend(map(self._places.__getitem__, identities))

    def _identity(self, value: Any) -> Hashable:
        """Return what equal values of one type have in common."""
        return value if type(value) is str or value is self._absent else (type(value), repr(value))

    def skip(self, count: int) -> None:
        """Add *count* examples that do not have the key."""
        self._skipped += count

    def _make_up(self) -> None:
        """Append -1 for the skipped examples (deferred, so that an absent key costs no memory)."""
        self._codes.frombytes(b"\xff" * (self._skipped * self._codes.itemsize))
        self._skipped = 0

    def found(self) -> InfoValues:
        if not self._values:
            count = len(self._codes) + self._skipped
            return InfoValues(self._values, np.broadcast_to(np.int32(-1), (count,)))
        self._make_up()
        return InfoValues(self._values, np.frombuffer(self._codes, dtype=np.int32))
