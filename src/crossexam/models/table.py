"""Models by name: ``builtin/NAME``, ``file/PATH``, ``py/module:function``, ``hf/ID-or-folder``.

A model is anything with a ``predict``.  A kind of model is a function and one line in ``MODELS``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.models.model import Model, ModelOptions, Pair

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class ModelKind:
    """A kind of model: names that begin with *prefix* are opened by *open*."""

    prefix: str
    description: str
    open: Callable[[str, ModelOptions], Model]


def _builtin(rest: str, options: ModelOptions) -> Model:
    from crossexam.models.builtin import open_builtin

    return open_builtin(rest, options)


def _file(rest: str, options: ModelOptions) -> Model:
    from crossexam.models.prediction_file import open_predictions

    return open_predictions(rest, options)


def _function(rest: str, options: ModelOptions) -> Model:
    from crossexam.models.function import open_function

    return open_function(rest, options)


def _huggingface(rest: str, options: ModelOptions) -> Model:
    from crossexam.models.huggingface import open_huggingface

    return open_huggingface(rest, options)


def _bag_of_words(rest: str, options: ModelOptions) -> Model:
    from crossexam.models.bag_of_words import open_bag_of_words

    return open_bag_of_words(rest, options)


def _hypothesis(rest: str, options: ModelOptions) -> Model:
    from crossexam.models.hypothesis_fasttext import open_hypothesis_fasttext

    return open_hypothesis_fasttext(rest, options)


def _forest(rest: str, options: ModelOptions) -> Model:
    from crossexam.models.random_forest import open_random_forest

    return open_random_forest(rest, options)


def _zoo(rest: str, options: ModelOptions) -> Model:
    from crossexam.models.zoo import open_zoo

    return open_zoo(rest, options)


def _mean(rest: str, options: ModelOptions) -> Model:
    from crossexam.models.ensemble import open_mean

    return open_mean(rest, options)


# fmt: off
MODELS: Final[dict[str, ModelKind]] = {
    "builtin": ModelKind("builtin/", "no download: majority, overlap, alignment, bag-of-words", _builtin),
    "file":    ModelKind("file/", "answers in a JSONL, CSV, TSV or Parquet file, by id or by text", _file),
    "py":      ModelKind("py/", "a function of yours, as module:function, of a list of pairs", _function),
    "hf":      ModelKind("hf/", "a sequence-classification checkpoint: a folder or a hub id", _huggingface),
    "mean":    ModelKind("mean/", "an ensemble, as MODEL,MODEL,...: the mean of their probabilities", _mean),
    "bow":     ModelKind("bow/", "a bag-of-words model that crossexam train made: its folder", _bag_of_words),
    "hom":     ModelKind("hom/", "fastText on the hypothesis, by crossexam train: its folder", _hypothesis),
    "rf":      ModelKind("rf/", "a random forest on 19 features, by crossexam train: its folder", _forest),
    "zoo":     ModelKind("zoo/", "a model that crossexam train made: its folder", _zoo),
}
# fmt: on


def open_model(
    model: str | Model | Callable[[Sequence[Pair]], Any], options: ModelOptions | None = None
) -> Model:
    """Return the model that *model* names; a model is returned as it is, a function becomes one.

    Raises UnknownNameError where the name is of no kind, CrossexamError where it cannot be opened.

    >>> open_model("builtin/majority").predict([("It rains.", "It is wet.")]).tolist()
    [[1.0, 0.0, 0.0]]
    """
    options = options or ModelOptions()
    if isinstance(model, str):
        kind, slash, rest = model.partition("/")
        if kind not in MODELS or not slash:
            raise UnknownNameError("kind of model", kind, MODELS, hint=_name_hint(kind, model))
        if not rest:
            raise CrossexamError(f"'{model}' names no model", wanted=MODELS[kind].description)
        return MODELS[kind].open(rest, options)
    if isinstance(model, Model):
        return model
    if callable(model):
        from crossexam.models.function import from_callable

        return from_callable(model, options)
    raise CrossexamError(
        f"a {type(model).__name__} is no model",
        wanted="a name such as builtin/overlap, or a function of pairs",
    )


def _name_hint(kind: str, model: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(kind, MODELS, n=1)
    if near and near[0] != kind:
        return f"did you mean '{near[0]}/{model.partition('/')[2]}'?"
    prefixes = ", ".join(each.prefix for each in MODELS.values())
    return f"names begin with {prefixes}; a checkpoint is hf/{model}"
