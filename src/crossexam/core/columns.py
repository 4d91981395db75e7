"""Columns of examples, wherever these are: in a file, of which a stretch at a time is read, or in memory.

Whatever is computed from all examples of a test set should be computed from columns: an example is an object
of some two thousand bytes, and takes twenty times as long to make as its row to read.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeGuard

from crossexam.core.example import (
    CLUSTER,
    GENERATED_LABEL,
    STATUS,
    STATUSES,
    VERDICT,
    Example,
    cluster_of,
    premise_cluster,
)
from crossexam.core.labels import GOLD_INDEX
from crossexam.core.stored.examples import ROWS_AT_ONCE, StoredExamples, column_types
from crossexam.core.stored.rows import to_row

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

# Texts that a path expression returns for JSON that is not a string, or for a string that looks like it.
_NUMBER: Final = r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_NO_STRING: Final = rf"^(?s:true|false|[\[{{].*|{_NUMBER})$"
_INTEGER: Final = r"^(?:0|-?[1-9][0-9]{0,17})$"
_ABSENT: Final = object()


def columns_of(
    examples: Sequence[Example], names: Sequence[str], at_once: int = ROWS_AT_ONCE
) -> Iterator[pl.DataFrame]:
    """Yield the columns *names* of *examples* as tables of at most *at_once* rows, in their order.

    The columns are those of a test-set file (:data:`crossexam.core.stored.rows.COLUMNS`): ``label`` is the
    index in ``GOLDS``, -1 without a gold label; ``info`` is JSON.  Every table but the last has *at_once*
    rows, unless the examples are some of a file.  A lone surrogate, which no file can hold, becomes its
    escape.

    >>> tiny = [Example("a", "It rains.", "It is wet.", "neutral", info={"genre": "talk"})]
    >>> [frame.rows() for frame in columns_of(tiny, ["label", "info"])]
    [[(1, '{"genre": "talk"}')]]
    """
    import polars as pl

    if in_columns(examples):
        for _, frame in examples.stretches(names, at_once):
            yield frame.with_columns(**_without_nulls(names))
        return
    types = column_types()
    for start in range(0, len(examples), at_once):
        rows = [to_row(example) for example in examples[start : start + at_once]]
        yield pl.DataFrame({name: _series([row[name] for row in rows], types[name]) for name in names})


def in_columns(examples: Sequence[Example]) -> TypeGuard[StoredExamples]:
    """Return whether the columns of *examples* are read from a file, without making examples."""
    return isinstance(examples, StoredExamples) and examples.rows.own_format


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


def _series(values: Sequence[Any], kind: pl.DataType) -> pl.Series:
    import polars as pl

    try:
        return pl.Series(values, dtype=kind)
    except UnicodeEncodeError:
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
    import numpy as np

    if not in_columns(examples):
        found = (-1 if each.label is None else GOLD_INDEX[each.label] for each in examples)
        return np.fromiter(found, np.int8, len(examples))
    return _joined(
        (frame["label"].to_numpy().astype(np.int8) for frame in columns_of(examples, ["label"])), np.int8
    )


def text_hashes(examples: Sequence[Example], name: Literal["id", "base"]) -> NDArray[np.uint64]:
    """Return a hash of the text in column *name* of each of *examples* [n]: equal texts have equal numbers.

    The numbers are comparable between test sets, but not between processes.  No base is an empty text.
    """
    import numpy as np

    if not in_columns(examples):
        return _hashes(_series([getattr(each, name) or "" for each in examples], column_types()[name]))
    return _joined((_hashes(frame[name].fill_null("")) for frame in columns_of(examples, [name])), np.uint64)


class Places:
    """Where each id is in a test set, to find the bases of the items of others."""

    def __init__(self, examples: Sequence[Example]) -> None:
        import numpy as np

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
        import numpy as np

        if not len(self._ids):
            return np.full(len(examples), -1, dtype=np.int64)
        wanted = text_hashes(examples, "base")
        place = np.searchsorted(self._ids, wanted, side="right") - 1
        return np.where(self._ids[place] == wanted, self._order[place], np.int64(-1))


def examples_at(examples: Sequence[Example], rows: Sequence[int] | NDArray[Any]) -> Sequence[Example]:
    """Return the *examples* at *rows*, ascending positions or a mask [n]; those of a file are read later."""
    import numpy as np

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
    import numpy as np

    found = info_values(examples, (STATUS, VERDICT))
    verdicts, statuses = (found[key].mapped(_status_code).astype(np.int8) for key in (VERDICT, STATUS))
    return np.where(verdicts >= 0, verdicts, statuses)


def _status_code(value: Any) -> int:
    return STATUSES.index(value) if value in STATUSES else -1


def cluster_names(examples: Sequence[Example]) -> pl.Series:
    """Return the cluster of each of *examples* [n]: that of :func:`~crossexam.core.example.cluster_of`."""
    import polars as pl

    if not in_columns(examples):
        return _series([cluster_of(each) for each in examples], pl.String())
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
    import numpy as np

    if not in_columns(examples):
        return _hashes(_series([cluster_of(each) for each in examples], column_types()["id"]))
    return _joined(
        (_hashes(_clusters(frame)) for frame in columns_of(examples, ["premise", "info"])), np.uint64
    )


def _hashes(texts: pl.Series) -> NDArray[np.uint64]:
    hashes: NDArray[np.uint64] = texts.hash(seed=0).to_numpy()
    return hashes


def _joined(parts: Iterator[NDArray[Any]], kind: Any) -> NDArray[Any]:
    import numpy as np

    return np.concatenate([np.empty(0, dtype=kind), *parts])


def _clusters(frame: pl.DataFrame) -> pl.Series:
    """Return the cluster of each row of *frame*, which has the premises and infos."""
    import polars as pl

    info = frame["info"]
    found, doubtful = _matched(info, CLUSTER)
    doubtful &= ~(found.str.contains(_INTEGER).fill_null(False))  # whose text is the same as a string
    if doubtful.any():
        exact = [json.loads(text).get(CLUSTER) for text in info.filter(doubtful)]
        texts = [None if value is None else str(value) for value in exact]
        found = found.scatter(doubtful.arg_true(), pl.Series(texts, dtype=pl.String))
    stated = found.is_not_null()
    if stated.all():
        return found
    premises = frame["premise"].filter(~stated)
    names = {premise: premise_cluster(premise) for premise in premises.unique()}
    return found.scatter((~stated).arg_true(), premises.replace_strict(names, return_dtype=pl.String))


def _matched(info: pl.Series, key: str) -> tuple[pl.Series, pl.Series]:
    """Return the text of the value under *key* in each JSON object, and whether it may be anything else.

    The text is null if there is no value.  It is that of a string unless it is doubtful.
    """
    import polars as pl

    if key.isidentifier():
        found = info.str.json_path_match(f"$.{key}")
    else:
        found = pl.repeat(None, len(info), dtype=pl.String, eager=True)
    different = found.unique()
    odd = different.filter(different.str.contains(_NO_STRING))
    no_string = found.is_null() | (found.is_in(odd.to_list()).fill_null(value=False) if len(odd) else False)
    if no_string.any():  # it has the key, or it may be written with escapes
        name = json.dumps(key, ensure_ascii=False)
        no_string &= info.str.contains(name, literal=True) | info.str.contains("\\", literal=True)
    return found, no_string


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
        import numpy as np

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
    if not in_columns(examples):
        for example in examples:
            for key, coder in coders.items():
                coder.add(example.info.get(key, _ABSENT))
    elif keys:
        for frame in columns_of(examples, ["info"]):
            present = _present(frame["info"], keys)
            decoded = _Decoded(frame["info"])
            for key, coder in coders.items():
                if key in present:
                    _add_values(coder, frame["info"], key, decoded)
                else:
                    coder.skip(len(frame))
    return {key: coder.found() for key, coder in coders.items()}


def _present(info: pl.Series, keys: Sequence[str]) -> set[str]:
    """Return those of *keys* that some JSON object may have, by one search for all of them."""
    names = {json.dumps(key, ensure_ascii=False): key for key in keys}
    if not info.str.contains_any([*names, "\\"]).any():
        return set()
    if info.str.contains("\\", literal=True).any():  # any key may be written with escapes
        return set(keys)
    found = info.str.extract_many(list(names), overlapping=True).explode().drop_nulls().unique()
    return {names[name] for name in found.to_list()}


def _add_values(coder: _Coder, info: pl.Series, key: str, decoded: _Decoded) -> None:
    """Add the value under *key* in each JSON object to *coder*."""
    found, doubtful = _matched(info, key)
    if not doubtful.any():
        coder.add_texts(found)
        return
    values = [_ABSENT if value is None else value for value in found.to_list()]
    for row in doubtful.arg_true().to_list():
        values[row] = decoded[row].get(key, _ABSENT)
    coder.add_all(values)


class _Decoded(dict[int, Any]):
    """The objects in a column of JSON by row, each decoded when it is first asked for."""

    def __init__(self, info: pl.Series) -> None:
        self._info = info

    def __missing__(self, row: int) -> Any:
        self[row] = json.loads(self._info[row])
        return self[row]


class _Coder:
    """Numbers different values in the order of their appearance."""

    def __init__(self) -> None:
        self._places: dict[Hashable, int] = {}
        self._values: list[Any] = []
        self._codes = array("i")
        self._skipped = 0  # examples at the end that have no code yet

    def add(self, value: Any) -> None:
        self._make_up()
        self._codes.append(-1 if value is _ABSENT else self._place(value))

    def add_all(self, values: Sequence[Any]) -> None:
        self._make_up()
        self._codes.extend(-1 if value is _ABSENT else self._place(value) for value in values)

    def add_texts(self, texts: pl.Series) -> None:
        """Add examples whose values are *texts*, null where there is none."""
        import polars as pl

        places = {text: self._place(text) for text in texts.drop_nulls().unique(maintain_order=True)}
        codes = texts.replace_strict(places, default=-1, return_dtype=pl.Int32)
        self._codes.frombytes(codes.to_numpy().tobytes())

    def skip(self, count: int) -> None:
        """Add *count* examples that do not have the key."""
        self._skipped += count

    def _make_up(self) -> None:
        """Give those that were skipped their code: it takes no memory unless some example has the key."""
        self._codes.frombytes(b"\xff" * (self._skipped * self._codes.itemsize))  # -1
        self._skipped = 0

    def _place(self, value: Any) -> int:
        identity = value if type(value) is str else (type(value), repr(value))
        place = self._places.setdefault(identity, len(self._values))
        if place == len(self._values):
            self._values.append(value)
        return place

    def found(self) -> InfoValues:
        import numpy as np

        if not self._values:
            count = len(self._codes) + self._skipped
            return InfoValues(self._values, np.broadcast_to(np.int32(-1), (count,)))
        self._make_up()
        return InfoValues(self._values, np.frombuffer(self._codes, dtype=np.int32))
