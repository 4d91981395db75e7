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
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from crossexam.core.errors import FormatError
from crossexam.core.example import (
    CLUSTER,
    GENERATED_LABEL,
    STATUS,
    STATUSES,
    VERDICT,
    Example,
    premise_cluster,
)
from crossexam.core.stored.examples import ROWS_AT_ONCE, StoredExamples, column_types
from crossexam.core.stored.rows import to_columns

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

#: For how many sets of keys what reads them is kept.
_READERS_KEPT: Final = 64


def columns_of(
    examples: Sequence[Example], names: Sequence[str], at_once: int = ROWS_AT_ONCE, *, exact: bool = False
) -> Iterator[pl.DataFrame]:
    """Yield the columns *names* of *examples* as tables of at most *at_once* rows, in their order.

    The columns are those of a test-set file (:data:`crossexam.core.stored.rows.COLUMNS`): ``label`` is the
    index in ``GOLDS``, -1 without a gold label; ``info`` is JSON.  Every table but the last has *at_once*
    rows, unless the examples are some of a file.  A lone surrogate, which no file can hold, becomes its
    escape; if the texts are to be *exact*, it raises FormatError.

    >>> tiny = [Example("a", "It rains.", "It is wet.", "neutral", info={"genre": "talk"})]
    >>> [frame.rows() for frame in columns_of(tiny, ["label", "info"])]
    [[(1, '{"genre": "talk"}')]]
    """
    import polars as pl

    if isinstance(examples, StoredExamples) and examples.rows.own_format:
        for _, frame in examples.stretches(names, at_once):
            yield frame.with_columns(**_without_nulls(names))
        return
    types = column_types()
    for start in range(0, len(examples), at_once):
        columns = to_columns(examples[start : start + at_once], names)
        yield pl.DataFrame(
            {name: _series(values, types[name], exact=exact) for name, values in columns.items()}
        )


def _without_nulls(names: Sequence[str]) -> dict[str, pl.Expr]:
    """Return what the columns *names* are read as where other programs may have written nulls."""
    import polars as pl

    info = pl.col("info")
    read = {
        "id": pl.col("id").fill_null("None"),
        "label": pl.col("label").fill_null(-1),
        "edits": pl.col("edits").fill_null([]),
        "info": pl.when(info.is_null() | (info == "")).then(pl.lit("{}")).otherwise(info),
    }
    return {name: read[name] for name in names if name in read}


def _series(values: Sequence[Any], kind: pl.DataType, *, exact: bool = False) -> pl.Series:
    import polars as pl

    try:
        return pl.Series(values, dtype=kind)
    except UnicodeEncodeError as error:
        if exact:
            raise FormatError(
                "a text has half of a character (a lone surrogate)",
                where=_escaped(error.object),
                wanted="text that UTF-8 can encode",
            ) from None
        return pl.Series([_escaped(value) for value in values], dtype=kind)


def _escaped(value: Any) -> Any:
    """Return *value* with the lone surrogates of its texts as escapes."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, list):
        return [_escaped(part) for part in value]
    if isinstance(value, dict):
        return {key: _escaped(part) for key, part in value.items()}
    return value


def labels_of(examples: Sequence[Example]) -> NDArray[np.int8]:
    """Return the gold labels of *examples* as indices in ``GOLDS`` [n], -1 where there is none.

    >>> labels_of([Example("a", "p", "h", "neutral"), Example("b", "p", "h", None)]).tolist()
    [1, -1]
    """
    frames = columns_of(examples, ["label"])
    return _joined((frame["label"].to_numpy().astype(np.int8) for frame in frames), np.int8)


def text_hashes(examples: Sequence[Example], name: Literal["id", "base"]) -> NDArray[np.uint64]:
    """Return a hash of the text in column *name* of each of *examples* [n]: equal texts have equal numbers.

    The numbers are comparable between test sets, but not between processes.  No base is an empty text.
    """
    frames = columns_of(examples, [name])
    return _joined((_hashes(frame[name].fill_null("")) for frame in frames), np.uint64)


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


def relabelled_items(examples: Sequence[Example]) -> NDArray[np.bool_]:
    """Return of which of *examples* judges replaced the label: [n]."""
    return info_values(examples, [GENERATED_LABEL])[GENERATED_LABEL].stated


def has_proposed_labels(examples: Sequence[Example]) -> bool:
    """Return whether a rule proposed the labels of *examples*, or of some of them.

    >>> has_proposed_labels([Example("a", "p", "h", None, info={"status": "proposed"})])
    True
    """
    return bool(info_values(examples, (STATUS,))[STATUS].values)


def status_codes(examples: Sequence[Example]) -> NDArray[np.int8]:
    """Return the status of each of *examples* [n] as its index in STATUSES, -1 if it has none.

    The status is that of :func:`~crossexam.core.example.status_of`.

    >>> status_codes([Example("a", "p", "h", None, info={"status": "proposed"})]).tolist()
    [2]
    """
    found = info_values(examples, (STATUS, VERDICT))
    verdicts, statuses = (found[key].mapped(_status_code).astype(np.int8) for key in (VERDICT, STATUS))
    return np.where(verdicts >= 0, verdicts, statuses)


def _status_code(value: Any) -> int:
    return STATUSES.index(value) if value in STATUSES else -1


def cluster_names(examples: Sequence[Example]) -> pl.Series:
    """Return the cluster of each of *examples* [n]: that of :func:`~crossexam.core.example.cluster_of`."""
    import polars as pl

    parts = (_clusters(frame) for frame in columns_of(examples, ["premise", "info"]))
    return pl.concat([pl.Series(dtype=pl.String), *(part.alias("") for part in parts)])


def cluster_hashes(examples: Sequence[Example]) -> NDArray[np.uint64]:
    """Return a hash of the cluster of each of *examples* [n]: equal numbers are the same cluster.

    The clusters are those of :func:`~crossexam.core.example.cluster_of`.  The numbers are comparable between
    test sets, but not between processes.

    >>> a, b, c = cluster_hashes([Example(str(n), "pqp"[n], "h", None) for n in range(3)]).tolist()
    >>> a == c, a == b
    (True, False)
    """
    frames = columns_of(examples, ["premise", "info"])
    return _joined((_hashes(_clusters(frame)) for frame in frames), np.uint64)


def _hashes(texts: pl.Series) -> NDArray[np.uint64]:
    hashes: NDArray[np.uint64] = texts.hash(seed=0).to_numpy()
    return hashes


def _joined(parts: Iterator[NDArray[Any]], kind: Any) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype=kind), *parts])


def _clusters(frame: pl.DataFrame) -> pl.Series:
    """Return the cluster of each row of *frame*, which has the premises and infos."""
    import polars as pl

    coder = _Coder()
    _add_values({CLUSTER: coder}, frame["info"])
    given = coder.found()
    texts = [None if each is None else str(each) for each in given.values]
    names = _series([*texts, None], pl.String())
    found = names[given.codes.astype("int64")]  # -1 is the last
    missing = found.is_null()
    if not missing.any():
        return found
    premises = frame["premise"].filter(missing)
    own = {premise: premise_cluster(premise) for premise in premises.unique()}
    return found.scatter(missing.arg_true(), premises.replace_strict(own, return_dtype=pl.String))


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
    for frame in columns_of(examples, ["info"]):
        _add_values(coders, frame["info"])
    return {key: coder.found() for key, coder in coders.items()}


def _add_values(coders: Mapping[str, _Coder], info: pl.Series) -> None:
    """Add to the coder of each key the value that each JSON object has under it."""
    text = f"[{info.str.join(',').item()}]"
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
