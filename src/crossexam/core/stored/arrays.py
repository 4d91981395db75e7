"""Arrays of Arrow from values of Python and NumPy, and back, by their buffers.

``pa.array`` and ``to_numpy`` import pandas if it is installed, which takes half a second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from crossexam.core.example import Edit


def array_of_texts(texts: Sequence[str | None]) -> pa.StringArray:
    """Return *texts* as an array; raises UnicodeEncodeError for a lone surrogate.

    >>> array_of_texts(["wet", None]).to_pylist()
    ['wet', None]
    """
    import pyarrow as pa

    known, present = None, texts
    if not all(texts) and None in texts:  # the first is faster
        known = _bits(np.fromiter((text is not None for text in texts), np.bool_, len(texts)))
        present = [text or "" for text in texts]
    joined = "".join(present)  # type: ignore[arg-type]
    lengths = map(len, present if joined.isascii() else [text.encode() for text in present])  # type: ignore
    ends = np.array([0, *accumulate(lengths)], dtype=np.int32)
    return pa.Array.from_buffers(
        pa.string(), len(texts), [known, pa.py_buffer(ends), pa.py_buffer(joined.encode())]
    )


def array_of_numbers(values: NDArray[Any], missing: NDArray[np.bool_] | None = None) -> pa.Array:
    """Return numbers or truth values [n] as an array, null where they are *missing* [n].

    >>> array_of_numbers(np.array([0.5, np.nan]), np.array([False, True])).to_pylist()
    [0.5, None]
    """
    import pyarrow as pa

    known = None if missing is None or not missing.any() else _bits(~missing)
    held = _bits(values) if values.dtype == np.bool_ else pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [known, held])


def array_of_names(codes: NDArray[np.integer[Any]], names: Sequence[str]) -> pa.StringArray:
    """Return the one of *names* that each of *codes* [n] is the number of, null where it is negative.

    >>> array_of_names(np.array([1, -1]), ["yes", "no"]).to_pylist()
    ['no', None]
    """
    return array_of_texts(names).take(array_of_numbers(codes, codes < 0))


def array_of_edits(
    edits: Sequence[Sequence[Edit]],
    kind: pa.ListType,
    texts: Callable[[Sequence[str]], pa.StringArray] = array_of_texts,
) -> pa.ListArray:
    """Return the *edits* of each item as an array of the type *kind*; *texts* makes arrays of text."""
    import pyarrow as pa

    sides, starts, ends, olds, news = [*zip(*chain.from_iterable(edits), strict=True)] or [()] * 5
    places = [array_of_numbers(np.array(each, dtype=np.int32)) for each in (starts, ends)]
    columns = [texts(sides), *places, texts(olds), texts(news)]
    structs = pa.StructArray.from_arrays(columns, fields=list(kind.value_type))
    stops = np.fromiter(accumulate(map(len, edits), initial=0), np.int32, len(edits) + 1)
    return pa.ListArray.from_arrays(array_of_numbers(stops), structs, type=kind)


def joined_texts(columns: Sequence[pa.StringArray], separator: str) -> pa.LargeBinaryArray:
    """Return the texts of *columns* in each row, with *separator* between them, as bytes.

    >>> joined_texts([array_of_texts(["a", "b"]), array_of_texts(["c", "d"])], "-").to_pylist()
    [b'a-c', b'b-d']
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    wide = [each.cast(pa.large_string()) for each in (*columns, array_of_texts([separator]))]
    return pc.binary_join_element_wise(*wide[:-1], wide[-1][0]).cast(pa.large_binary())


def bytes_of(column: pa.LargeBinaryArray) -> memoryview:
    """Return the values of *column*, which has no nulls, one after another.

    >>> bytes(bytes_of(joined_texts([array_of_texts(["a", "b", "c"])], "")[1:]))
    b'bc'
    """
    ends = np.frombuffer(column.buffers()[1], np.int64)[column.offset : column.offset + len(column) + 1]
    return memoryview(column.buffers()[2] or b"")[ends[0] : ends[-1]]


def _bits(values: NDArray[np.bool_]) -> pa.Buffer:
    """Return a bit for each of *values*, the lowest first."""
    import pyarrow as pa

    return pa.py_buffer(np.packbits(values, bitorder="little"))


def numbers_of(column: pa.Array) -> NDArray[Any]:
    """Return a column of numbers or truth values as an array [n]; what stands for nulls is not defined.

    >>> numbers_of(array_of_numbers(np.array([True, False, True]))[1:]).tolist()
    [False, True]
    """
    return _slice_of(column.buffers()[1], column, np.dtype(column.type.to_pandas_dtype()))


def numbers_or_nan(column: pa.FloatingPointArray) -> NDArray[Any]:
    """Return a column of numbers as an array [n], NaN where there is none.

    >>> numbers_or_nan(array_of_numbers(np.zeros(2), np.array([False, True]))).tolist()
    [0.0, nan]
    """
    return (
        np.where(missing_of(column), np.nan, numbers_of(column)) if column.null_count else numbers_of(column)
    )


def codes_of(column: pa.StringArray, codes: Mapping[str, int]) -> NDArray[np.int64]:
    """Return the one of *codes* of each text of *column*, which has no others and no nulls: [n].

    >>> codes_of(array_of_texts(["b", "a", "b"]), {"a": 0, "b": 1}).tolist()
    [1, 0, 1]
    """
    coded = column.dictionary_encode()
    of_texts = np.array([codes[text] for text in coded.dictionary.to_pylist()], dtype=np.int64)
    return of_texts.take(numbers_of(coded.indices))


def missing_of(column: pa.Array) -> NDArray[np.bool_]:
    """Return where *column* is null: [n].

    >>> missing_of(array_of_texts(["a", None])).tolist()
    [False, True]
    """
    known = column.buffers()[0]
    return np.zeros(len(column), np.bool_) if known is None else ~_slice_of(known, column, np.dtype(np.bool_))


def has_empty_text(column: pa.StringArray) -> bool:
    """Return whether a text of *column* is empty, or null.

    >>> has_empty_text(array_of_texts(["", "a"])[1:])
    False
    """
    start, count = column.offset, column.offset + len(column) + 1
    return bool((np.diff(np.frombuffer(column.buffers()[1], np.int32, count=count)[start:]) == 0).any())


def _slice_of(buffer: pa.Buffer, column: pa.Array, kind: np.dtype[Any]) -> NDArray[Any]:
    """Return the values of type *kind* in *buffer* that *column* is about."""
    start, stop = column.offset, column.offset + len(column)
    if kind == np.bool_:
        bits = np.unpackbits(np.frombuffer(buffer, np.uint8), count=stop, bitorder="little")
        return bits[start:].astype(np.bool_)
    return np.frombuffer(buffer, kind, count=stop)[start:]


def edits_of(column: pa.ListArray) -> list[list[dict[str, Any]]]:
    """Return the edits of each item, as records; None where a null stands for edits or for an edit."""
    if column.null_count or column.flatten().null_count:
        found: list[list[dict[str, Any]]] = column.to_pylist()
        return found
    structs = column.flatten()
    names = [field.name for field in structs.type]
    values = [each.to_pylist() for each in structs.flatten()]
    records = [dict(zip(names, each, strict=True)) for each in zip(*values, strict=True)]
    ends = _slice_of(column.buffers()[1], column, np.dtype(np.int32))  # one less than there are
    stops = [*(ends[1:] - ends[:1]).tolist(), len(records)] if len(column) else []
    return [records[start:stop] for start, stop in zip([0, *stops], stops, strict=False)]
