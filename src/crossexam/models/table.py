"""Models by name: ``builtin/NAME``, ``file/PATH``, ``py/module:function``, ``hf/ID-or-folder``, ...

A kind of model is one file and one line in ``MODELS``.  The file has a function that opens a model, and a
dataclass ``Options`` if there is anything to choose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Final

from crossexam.core.arguments import shown
from crossexam.core.dataset import Dataset, have_two_labels
from crossexam.core.errors import CrossexamError, MissingExtraError, UnknownNameError
from crossexam.core.settings import Settings
from crossexam.models.model import Model, NoOptions, OwnModel, Pair, is_like_model
from crossexam.training.pretrained import RUN_BY

#: How the names of files of predictions end.
_PREDICTIONS: Final = frozenset({".csv", ".tsv", ".json", ".jsonl", ".parquet"})


@dataclass(frozen=True)
class ModelKind:
    """A kind of model: the names that begin with *prefix*.

    ``opener`` is the function ("module:function") that opens a model by its full name and the options of the
    kind: an instance of the class ``Options`` of its module, of NoOptions if there is no such class.

    ``members`` is the function that returns the names of the models that a name combines, if it does; the
    opener then takes the opened members as a third argument.  ``needs`` are the packages of the extra
    ``torch`` without which a model of the kind cannot predict, though it may be opened.  ``listing`` is the
    function that returns the rows of ``crossexam ls models`` (name and description), by default one row with
    prefix and description.
    """

    prefix: str
    description: str
    opener: str
    members: str | None = None
    listing: str | None = None
    needs: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The key of the kind in MODELS."""
        return self.prefix.removesuffix("/")

    @property
    def options(self) -> type[Any]:
        """The class of the kind's options."""
        found: type[Any] = getattr(import_module(self.opener.partition(":")[0]), "Options", NoOptions)
        return found

    @property
    def option_names(self) -> tuple[str, ...]:
        """The names of the kind's options."""
        return tuple(field.name for field in fields(self.options))

    def listed(self) -> list[tuple[str, str]]:
        """Return what ``crossexam ls models`` lists: names with their descriptions."""
        rows = resolve_name(self.listing)() if self.listing else []
        return rows or [(self.prefix, self.description)]

    def member_names(self, name: str) -> list[str]:
        """Return the names of the models that the model *name* combines, none if it is a single model."""
        return list(resolve_name(self.members)(name)) if self.members else []


_HERE: Final = "crossexam.models"
# fmt: off
MODELS: Final[dict[str, ModelKind]] = {
    kind.name: kind
    for kind in (
        ModelKind("builtin/", "no download: majority, polarity, overlap, alignment, bag-of-words, minilm",
                  f"{_HERE}.builtin:open_builtin", listing=f"{_HERE}.builtin:list_builtins"),
        ModelKind("file/", "predictions in a JSONL, CSV, TSV or Parquet file, by id or by text",
                  f"{_HERE}.prediction_file:open_predictions"),
        ModelKind("log/", "what another harness logged: lm-eval samples or Inspect logs, a file or a folder",
                  f"{_HERE}.logs.model:open_log"),
        ModelKind("py/", "a Python function, as module:function, that returns for each (premise, hypothesis) "
                  "a label, True or False, three probabilities, or a score (--threshold)",
                  f"{_HERE}.function:open_function"),
        ModelKind("hf/", "a sequence-classification checkpoint: a folder or a hub id",
                  f"{_HERE}.huggingface:open_huggingface", needs=RUN_BY),
        ModelKind("lm/", "a local language model or verifier of claims, asked with --template",
                  f"{_HERE}.lm.language_model:open_language_model", needs=RUN_BY),
        ModelKind("api/", "a model behind an endpoint for chats, asked over the network: its name there",
                  f"{_HERE}.api.opening:open_api"),
        ModelKind("onnx/", "an exported sequence classifier: its folder, with tokenizer.json (no torch)",
                  f"{_HERE}.onnx.model:open_onnx"),
        ModelKind("mean/", "an ensemble, as MODEL,MODEL,...: the mean of their probabilities",
                  f"{_HERE}.ensemble:open_mean", members=f"{_HERE}.ensemble:member_names"),
        ModelKind("bow/", "a bag-of-words model fitted by crossexam train: its folder",
                  f"{_HERE}.fitted:open_fitted"),
        ModelKind("hom/", "fastText on the hypothesis, fitted by crossexam train: its folder",
                  f"{_HERE}.fitted:open_fitted"),
        ModelKind("rf/", "a random forest on 19 features, fitted by crossexam train: its folder",
                  f"{_HERE}.fitted:open_fitted"),
        ModelKind("zoo/", "a model of the zoo trained by crossexam train: its folder (extra torch)",
                  f"{_HERE}.zoo:open_zoo", listing=f"{_HERE}.zoo:list_zoo", needs=("torch",)),
    )
}
# fmt: on

#: Options that say how to compute, not what to compute.  Stated for models in general, as in ``examine
#: builtin/overlap hf/X --device cuda``, they are for the kinds that have them; other kinds ignore them.
COMPUTING: Final = frozenset({"batch_size", "device", "dtype", "max_length"})


def open_model(
    model: str | Model | Callable[[Sequence[Pair]], Any],
    values: Mapping[str, Any] | None = None,
    *,
    tests: Iterable[Dataset] | None = (),
) -> Model:
    """Return the model called *model*; a model is returned as it is, a function becomes a model.

    *values* are the options that the user stated: by name (``device``), or by kind and name (``hf.dtype``)
    for models of this kind alone; texts are parsed as ``--set`` does.  *tests* are the test sets about which
    it is asked, from whose labels the prompt template follows if nobody named one: that for two labels if all
    of them have two, else, and without any, that for three.  If *tests* is None, they are not known yet, and
    the model is opened again with them.  Raises UnknownNameError if there is no such kind, CrossexamError if
    the kind lacks an option or the model cannot be opened.

    >>> open_model("builtin/majority").predict([("It rains.", "It is wet.")]).tolist()
    [[1.0, 0.0, 0.0]]
    """
    opened = _opened(model, values or {})
    if tests is None:
        return opened
    return opened.worded_for(two_labels=have_two_labels(tests))


def _opened(model: str | Model | Callable[[Sequence[Pair]], Any], values: Mapping[str, Any]) -> Model:
    if isinstance(model, str):
        kind = kind_named(model)
        given: list[Any] = [model, options_of(kind, values, where=model)]
        if kind.members is not None:
            given.append([_opened(member, values) for member in kind.member_names(model)])
        opened: Model = resolve_name(kind.opener)(*given)
        return opened
    if isinstance(model, Model):
        return model
    if is_like_model(model):
        return OwnModel(model)
    if callable(model):
        from_callable = resolve_name(f"{_HERE}.function:from_callable")
        wrapped: Model = from_callable(model, options_of(MODELS["py"], values, where="py/"))
        return wrapped
    raise CrossexamError(
        f"{shown(model)} is not a model",
        wanted="a name such as builtin/overlap, or a function that takes pairs",
    )


def check_packages(model: str) -> None:
    """Raise MissingExtraError if a package is not installed with which *model* or a member predicts."""
    kind = kind_named(model)
    for package in kind.needs:
        if find_spec(package) is None:
            raise MissingExtraError(package, "torch", model)
    for member in kind.member_names(model):
        check_packages(member)


def kind_named(model: str) -> ModelKind:
    """Return the kind of the model called *model*; raises UnknownNameError, CrossexamError.

    >>> kind_named("hf/roberta-large-mnli").prefix
    'hf/'
    """
    name, slash, rest = model.partition("/")
    if name not in MODELS or not slash:
        raise UnknownNameError("kind of model", name, MODELS, hint=_name_hint(name, model))
    if not rest:
        raise CrossexamError(
            f"'{model}' is not the name of a model",
            wanted=f"a name that begins with {MODELS[name].prefix} ({MODELS[name].description})",
            hint="crossexam ls models lists the models",
        )
    return MODELS[name]


def kinds_of(models: Iterable[str]) -> dict[str, ModelKind]:
    """Return the kinds of *models* and of the models that they combine, by name; raises CrossexamError.

    >>> list(kinds_of(["mean/builtin/overlap,builtin/majority"]))
    ['mean', 'builtin']
    """
    kinds: dict[str, ModelKind] = {}
    for model in models:
        kind = kind_named(model)
        kinds |= {kind.name: kind, **kinds_of(kind.member_names(model))}
    return kinds


def options_of(kind: ModelKind, values: Mapping[str, Any], *, where: str) -> Any:
    """Return the options of *kind* that *values* state; raises CrossexamError if it lacks one of them.

    >>> options_of(MODELS["hf"], {"device": "cpu", "hf.max_length": "64"}, where="hf/x").max_length
    64
    """
    known, stated = kind.option_names, {}
    for name, value in sorted(values.items(), key=lambda pair: "." in pair[0]):
        prefix, dot, option = name.partition(".") if "." in name else ("", "", name)
        if value is None or (dot and prefix != kind.name):
            continue
        if option not in known:
            if not dot and (option in COMPUTING or kind.members):  # what members lack, they refuse
                continue
            flag = f"--set {name}" if dot else f"--{option.replace('_', '-')}"
            raise CrossexamError(
                f"{kind.prefix} models have no option '{option}'",
                where=where,
                wanted=f"one of: {', '.join(known)}" if known else "no options",
                hint=f"leave out {flag}",
            )
        stated[f"{kind.name}.{option}"] = value
    try:
        return Settings({kind.name: kind.options()}).with_values(stated, where=where).parts[kind.name]
    except CrossexamError as error:
        if not error.what.startswith("--"):  # a message that begins with its flag needs no other place
            raise
        raise CrossexamError(error.what, wanted=error.wanted, hint=error.hint) from None


def _name_hint(kind: str, model: str) -> str:
    from difflib import get_close_matches

    before, colon, rest = model.partition(":")
    if colon and (named := {"python": "py"}.get(before, before)) in MODELS:
        return f"did you mean '{named}/{rest}'?"
    near = get_close_matches(kind, MODELS, n=1)
    if near and near[0] != kind:
        return f"did you mean '{near[0]}/{model.partition('/')[2]}'?"
    builtin = f"builtin/{model}"
    if builtin in dict(MODELS["builtin"].listed()):
        return f"did you mean '{builtin}'?"
    if Path(model).suffix in _PREDICTIONS:
        return f"did you mean 'file/{model}', a file of predictions?"
    module, _, function = model.removesuffix(".py").partition(":")
    if function or model.endswith(".py"):
        return f"a function is py/{Path(module).name.removesuffix('.py')}:{function or 'FUNCTION'}"
    prefixes = ", ".join(each.prefix for each in MODELS.values())
    return f"names begin with {prefixes}; a checkpoint is hf/{model}"
