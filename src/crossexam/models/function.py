"""Functions as models: ``py/module:function``, or any callable, of a list of (premise, hypothesis).

The function may return labels (``"entailment"``, or numbers with a declared order), an array of
probabilities [n, 3], or a mapping from label to probability for each pair.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
import types
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.labels import LABELS
from crossexam.models.label_order import Order, class_name, is_two_label, parse_order, to_label_columns
from crossexam.models.opening import ModelOptions, Pair

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_VERSION: Final = "function.v1"
#: How far from 1 a row of probabilities may sum, for functions that compute in 16 bits.
_TOLERANCE: Final = 1e-2
_WANTED: Final = (
    "a label, a mapping from label to probability, or a row of three probabilities for each pair, "
    "in the order of the pairs"
)


@dataclass(frozen=True)
class FunctionModel:
    """A function of a list of pairs, whose answers are checked and put in the order of ``LABELS``."""

    name: str
    key: str
    function: Callable[[list[Pair]], Any]
    order: Order | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """Return the function's answers as probabilities [n, 3]; raises CrossexamError, FormatError."""
        try:
            answers = self.function(list(pairs))
        except CrossexamError:
            raise
        except Exception as error:
            raise CrossexamError(
                f"the function raised {type(error).__name__}: {error}", where=self.name
            ) from error
        return to_probabilities(answers, len(pairs), self.order, where=self.name)


def open_function(spec: str, options: ModelOptions) -> FunctionModel:
    """Return the model for ``module:function``; the working folder is searched for the module first.

    Raises CrossexamError where there is no such module or function.
    """
    module_name, colon, attribute = spec.partition(":")
    name = f"py/{spec}"
    if not (colon and module_name and attribute):
        raise CrossexamError(f"'{name}' names no function", wanted="py/module:function")
    here = str(Path.cwd())
    if here not in sys.path:  # stays there: the function may import its neighbours when it is called
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not (module_name == error.name or module_name.startswith(error.name + ".")):
            raise CrossexamError(
                f"the module needs '{error.name}', which is not installed", where=name
            ) from error
        raise CrossexamError(
            f"there is no module '{module_name}' in {here} or where Python looks", where=name
        ) from None
    except Exception as error:
        raise CrossexamError(
            f"importing the module raised {type(error).__name__}: {error}", where=name
        ) from error
    function: Any = module
    for part in attribute.split("."):
        function = getattr(function, part, None)
    if not callable(function):
        known = sorted(n for n, value in vars(module).items() if callable(value) and not n.startswith("_"))
        raise CrossexamError(
            f"the module has no function '{attribute}'",
            where=name,
            hint=f"it has: {', '.join(known[:8])}" if known else None,
        )
    return _model(name, function, options, _source_of_module(module, function))


def from_callable(function: Callable[..., Any], options: ModelOptions) -> FunctionModel:
    """Return *function* as a model.

    Its stored answers are used again only where its source says all that they depend on: a closure, a
    method, a partial or an object with state gets a key of its own, which is new in every process.
    """
    name = getattr(function, "__qualname__", None) or type(function).__name__
    return _model(f"py/{name}", function, options, _source_of_callable(function))


def _model(name: str, function: Callable[..., Any], options: ModelOptions, source: str) -> FunctionModel:
    order = parse_order(options.label_order, where="--label-order") if options.label_order else None
    digest = hashlib.blake2b(f"{_VERSION}\x1f{name}\x1f{order}\x1f{source}".encode(), digest_size=16)
    details = {
        "label_order": list(order) if order else None,
        "two_label": bool(order and is_two_label(order)),
    }
    return FunctionModel(name, digest.hexdigest(), function, order, details)


def _source_of_module(module: types.ModuleType, function: Callable[..., Any]) -> str:
    files = {getattr(module, "__file__", None)}
    files.add(getattr(sys.modules.get(getattr(function, "__module__", None) or ""), "__file__", None))
    texts = [Path(file).read_bytes().hex() for file in sorted(f for f in files if f) if Path(file).exists()]
    return "".join(texts) or uuid.uuid4().hex


def _source_of_callable(function: Callable[..., Any]) -> str:
    plain = (
        isinstance(function, types.FunctionType) and not function.__closure__ and not function.__defaults__
    )
    if not plain or isinstance(function, partial):
        return uuid.uuid4().hex
    try:
        text = inspect.getsource(function)
        module = inspect.getmodule(function)
        return text + (inspect.getsource(module) if module else uuid.uuid4().hex)
    except (OSError, TypeError):
        return uuid.uuid4().hex


def to_probabilities(answers: Any, count: int, order: Order | None, *, where: str) -> NDArray[np.float64]:
    """Return *answers* to *count* pairs as probabilities [count, 3]; raises FormatError.

    >>> to_probabilities(["neutral"], 1, None, where="f").tolist()
    [[0.0, 1.0, 0.0]]
    """
    rows = _as_rows(answers, where)
    if len(rows) != count:
        raise FormatError(f"{len(rows)} answers to {count} pairs", where=where, wanted=_WANTED)
    if not count:
        import numpy as np

        return np.zeros((0, len(LABELS)))
    first = rows[0]
    if isinstance(first, str):
        return _from_names(rows, where)
    if isinstance(first, Mapping):
        return _from_mappings(rows, where)
    if isinstance(first, int):
        return _from_numbers(rows, order, where)
    return _from_table(rows, order, where)


def _as_rows(answers: Any, where: str) -> list[Any]:
    if hasattr(answers, "detach"):  # a torch tensor, perhaps on a GPU and in 16 bits
        answers = answers.detach().cpu().double().numpy() if answers.is_floating_point() else answers.cpu()
    if hasattr(answers, "tolist"):
        answers = answers.tolist()
    if isinstance(answers, str | Mapping) or not isinstance(answers, Sequence):
        try:
            answers = None if isinstance(answers, str | Mapping) else list(answers)
        except TypeError:
            answers = None
    if answers is None:
        raise FormatError("the function returned no list or array", where=where, wanted=_WANTED)
    return [row.tolist() if hasattr(row, "tolist") else row for row in answers]


def one_hot(indices: Sequence[int]) -> NDArray[np.float64]:
    """Return rows with a single 1, at *indices* [n] of ``LABELS``: [n, 3]."""
    import numpy as np

    hot: NDArray[np.float64] = np.eye(len(LABELS))[np.asarray(indices, dtype=np.int64)]
    return hot


def _from_names(rows: Sequence[Any], where: str) -> NDArray[np.float64]:
    return one_hot([_label_index(row, number, where) for number, row in enumerate(rows)])


def _label_index(name: object, number: int, where: str) -> int:
    found = class_name(name)
    if found is None or not isinstance(name, str):
        raise FormatError(
            f"answer {number} is {name!r}, which is no label", where=where, wanted=" or ".join(LABELS)
        )
    return LABELS.index("neutral" if found == "not_entailment" else found)


def _from_numbers(rows: Sequence[Any], order: Order | None, where: str) -> NDArray[np.float64]:
    if order is None:
        raise FormatError(
            "the answers are numbers of classes, whose order is not declared",
            where=where,
            hint="--label-order entailment,neutral,contradiction, or return names",
        )
    for number, row in enumerate(rows):
        if isinstance(row, bool) or not isinstance(row, int) or not 0 <= row < len(order):
            raise FormatError(
                f"answer {number} is {row!r}", where=where, wanted=f"a number from 0 to {len(order) - 1}"
            )
    return _from_names([order[row] for row in rows], where)


def _from_mappings(rows: Sequence[Any], where: str) -> NDArray[np.float64]:
    table = []
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise FormatError(f"answer {number} is {row!r}", where=where, wanted="a mapping, as answer 0 is")
        if "label" in row:  # what a text-classification pipeline returns of its best class
            table.append([float(k == _label_index(row["label"], number, where)) for k in range(len(LABELS))])
            continue
        shares = [0.0] * len(LABELS)
        for name, share in row.items():
            shares[_label_index(name, number, where)] += float(share)
        table.append(shares)
    return _from_table(table, None, where)


def _from_table(rows: Sequence[Any], order: Order | None, where: str) -> NDArray[np.float64]:
    import numpy as np

    columns = len(order) if order else len(LABELS)
    try:
        table = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        table = np.zeros(0)
    if table.shape != (len(rows), columns):
        shape = "ragged or not numeric" if table.shape == (0,) else f"of shape {table.shape}"
        raise FormatError(f"the answers are {shape}", where=where, wanted=f"({len(rows)}, {columns})")
    checked = check_probabilities(table, where=where)
    return to_label_columns(checked, order) if order else checked


def check_probabilities(table: NDArray[np.float64], *, where: str) -> NDArray[np.float64]:
    """Return *table* [n, k] with rows that sum to 1; raises FormatError where they are no probabilities."""
    import numpy as np

    sums = table.sum(axis=1)
    wrong = ~np.isfinite(table).all(axis=1) | (table < 0).any(axis=1) | ~(np.abs(sums - 1) <= _TOLERANCE)
    if wrong.any():
        number = int(wrong.argmax())
        raise FormatError(
            f"answer {number} is {table[number].tolist()}: {int(wrong.sum())} of {len(table)} are no probabilities",
            where=where,
            wanted="finite numbers of at least 0 that sum to 1",
            hint="logits become probabilities by a softmax",
        )
    exact: NDArray[np.float64] = table / sums[:, None]
    return exact
