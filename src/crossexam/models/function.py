"""Functions as models: ``py/module:function``, or any callable.

It takes a list of (premise, hypothesis), or a premise and a hypothesis, and is called for each pair.  Of a
pair it may return a label (``"entailment"``), a word or class index that ``labels`` or ``label_order``
declares, True or False, three probabilities (of a list, as an array [n, 3]), or a mapping from label to
probability.  True means that the premise entails the hypothesis, False that it does not.  For a pair without
an answer it returns ``{"status": "refused"}``, with one of the statuses of :mod:`crossexam.core.outcome`;
None is an error.

The key of the model is a hash of the source of its module and of the local modules that this imports.  What
else predictions may depend on (a server, files of data, the environment) is not in the key, so that stored
predictions are used again when only that has changed.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
import traceback
import types
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, Final

from crossexam.core.errors import CrossexamError
from crossexam.models.answer_words import AnswerWords, answer_words
from crossexam.models.answers import AnswerPlaces, pair_named, to_answers
from crossexam.models.label_order import NamedLabels, is_two_label, parse_order
from crossexam.models.local_imports import local_imports, source_of
from crossexam.models.model import Batch, Model, Pair
from crossexam.models.threshold import check_threshold

_VERSION: Final = "function.v2"
_DEBUG: Final = "call the function in Python to see the whole traceback"


@dataclass(frozen=True)
class Options:
    """How the function's answers are read.

    ``label_order`` is the class order of its columns or class indices; ``labels`` says what other words and
    numbers mean (``supported=entailment,unsupported=not_entailment``, or a dict); ``threshold`` is the
    probability above which a function of two labels predicts entailment.
    """

    label_order: tuple[str, ...] | None = None
    labels: str | Mapping[str, Any] | None = None
    threshold: float | None = None

    def __post_init__(self) -> None:
        check_threshold(self.threshold)
        answer_words(self.labels)


@dataclass(frozen=True)
class FunctionModel(Model):
    """A function of a list of pairs, whose output is checked and put in the order of ``LABELS``."""

    name: str
    key: str
    function: Callable[[list[Pair]], Any]
    words: AnswerWords = field(default_factory=AnswerWords)
    threshold: float | None = None
    details: dict[str, Any] = field(default_factory=dict)
    named: NamedLabels = field(default_factory=NamedLabels)

    def recall(self, facts: Mapping[str, Any]) -> None:
        """Take over from *facts* that the function has two labels."""
        if facts.get("two_label"):
            self.named.add(["not_entailment"], where=self.name)

    def answered(self, pairs: Sequence[Pair]) -> Batch:
        """Return the function's predictions, and which pairs it did not answer.

        Raises CrossexamError, FormatError.
        """
        try:
            answers = self.function(list(pairs))
        except CrossexamError:
            raise
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever it raises: also SystemExit, and exceptions of its own kind
            raise CrossexamError(
                f"the function raised {_described(error)}",
                where=self.name,
                hint=f"{_DEBUG}; this list began with {pair_named(pairs[0])}" if pairs else _DEBUG,
            ) from error
        places = AnswerPlaces.about(pairs, self.name)
        found, outcomes = to_answers(answers, places, self.words, threshold=self.threshold, named=self.named)
        self.details["two_label"] = self.details.get("two_label", False) or self.named.two_label
        return Batch(range(len(pairs)), found, [None] * len(pairs), outcomes)


def open_function(name: str, options: Options) -> FunctionModel:
    """Return the model ``py/module:function``; the working folder is searched last, after all libraries.

    Raises CrossexamError if there is no such module or function, or if a library has the module's name.
    """
    module_name, colon, attribute = name.partition("/")[2].partition(":")
    if not (colon and module_name and attribute):
        raise CrossexamError(f"'{name}' is not the name of a function", wanted="py/module:function")
    here = str(Path.cwd())
    _refuse_name_of_library(module_name, here, name)
    if here not in sys.path:  # not removed: the function may import its neighbours when it is called
        sys.path.append(here)  # not first: a file pyarrow.py there would replace the library everywhere
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not (module_name == error.name or module_name.startswith(error.name + ".")):
            raise CrossexamError(
                f"the module needs '{error.name}', which is not installed",
                where=name,
                hint="install it into the environment that crossexam runs in",
            ) from error
        raise CrossexamError(
            f"no module '{module_name}' in {here} or on Python's path",
            where=name,
            wanted="py/module:function",
            hint=f"did you mean 'py/{near}:{attribute}'?" if (near := _near(module_name)) else None,
        ) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise CrossexamError(
            f"importing the module raised {_described(error)}",
            where=name,
            hint=f'python -c "import {module_name}" shows where',
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


def _near(module: str) -> str | None:
    """Return what *module* may be meant to be: a module for a path, or one in the working folder."""
    stem = module.removesuffix(".py").replace("/", ".")
    if stem != module:
        return stem
    here = sorted(path.stem for path in Path.cwd().glob("*.py"))
    return next(iter(get_close_matches(module, here, n=1)), None)


def _refuse_name_of_library(module: str, here: str, name: str) -> None:
    """Raise CrossexamError if *module* is a file of the folder *here* and a library is called the same."""
    top = module.partition(".")[0]
    mine = PathFinder.find_spec(top, [here])
    if mine is None or mine.origin is None:
        return
    elsewhere = [path for path in sys.path if Path(path or here).resolve() != Path(here).resolve()]
    library = PathFinder.find_spec(top, elsewhere)
    if top in sys.stdlib_module_names or (library is not None and library.origin not in (None, mine.origin)):
        raise CrossexamError(
            f"{Path(mine.origin).name} has the name of a library, which would be imported instead",
            where=name,
            wanted=f"a file with another name than '{top}'",
            hint="rename the file, and the module in py/module:function",
        )


def from_callable(function: Callable[..., Any], options: Options) -> FunctionModel:
    """Return *function* as a model.

    Its stored predictions are reused only if they depend on nothing but its source: a closure, a method, a
    partial or an object with state gets a key that is new in every process.
    """
    name = getattr(function, "__qualname__", None) or type(function).__name__
    return _model(f"py/{name}", function, options, _source_of_callable(function))


def _described(error: BaseException) -> str:
    """Return the type of *error*, what it says, and the line that raised it.

    >>> _described(KeyError("premise"))
    "KeyError: 'premise'"
    """
    text = f"{type(error).__name__}: {error}"
    frames = traceback.extract_tb(error.__traceback__)[1:]  # the first is the call in this module
    if not frames or frames[-1].filename.startswith("<"):  # in the import system, or in C
        return text
    return f"{text} ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"


def _of_a_list(name: str, function: Callable[..., Any]) -> Callable[[list[Pair]], Any]:
    """Return *function* as one of a list of pairs; raises CrossexamError unless it takes that or a pair."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # in C, without a signature
        return function
    if _takes(signature, 1):
        return function
    if _takes(signature, 2):
        return partial(_pair_by_pair, function)
    raise CrossexamError(
        f"the function takes {signature}",
        where=name,
        wanted="a function of a list of (premise, hypothesis), or of a premise and a hypothesis",
    )


def _takes(signature: inspect.Signature, arguments: int) -> bool:
    try:
        signature.bind(*[None] * arguments)
    except TypeError:
        return False
    return True


def _pair_by_pair(function: Callable[[str, str], Any], pairs: list[Pair]) -> list[Any]:
    return [function(premise, hypothesis) for premise, hypothesis in pairs]


def _model(name: str, function: Callable[..., Any], options: Options, source: str) -> FunctionModel:
    of_a_list = _of_a_list(name, function)
    order = parse_order(options.label_order, where="--label-order") if options.label_order else None
    words = answer_words(options.labels, order)
    parts = [_VERSION, name, str(order), source]
    parts += [f"labels {words.identity}"] if words.identity else []
    parts += [] if options.threshold is None else [f"threshold {options.threshold}"]
    digest = hashlib.blake2b("\x1f".join(parts).encode("utf-8", "surrogatepass"), digest_size=16)
    details = {
        "label_order": list(order) if order else None,
        **words.facts,
        "two_label": options.threshold is not None or bool(order and is_two_label(order)),
        **({} if options.threshold is None else {"threshold": options.threshold}),
    }
    return FunctionModel(name, digest.hexdigest(), of_a_list, words, options.threshold, details)


def _source_of_module(module: types.ModuleType, function: Callable[..., Any]) -> str:
    """Return the source of *module*, of the module that defines *function*, and of their local imports."""
    modules = {module.__name__: module}
    defining = sys.modules.get(getattr(function, "__module__", None) or "")
    if defining is not None:
        modules[defining.__name__] = defining
    known = {name: getattr(each, "__file__", None) for name, each in modules.items()}
    files = {name: Path(file) for name, file in known.items() if file}
    own = {path: source_of(name, path) for name, path in files.items() if path.exists()}
    texts = [own[path].hex() for path in sorted(own)]
    return "".join([*texts, *_source_of_imports(files)]) or uuid.uuid4().hex


def _source_of_imports(files: Mapping[str, Path]) -> list[str]:
    """Return the source of the other local modules that the modules in *files* import."""
    found: dict[str, Path] = {}
    for name, path in files.items():
        found |= local_imports(name, path)
    others = {name: path for name, path in sorted(found.items()) if path not in files.values()}
    return [f"\x1f{name}\x1f{source_of(name, path).hex()}" for name, path in others.items()]


def _source_of_callable(function: Callable[..., Any]) -> str:
    plain = (
        isinstance(function, types.FunctionType) and not function.__closure__ and not function.__defaults__
    )
    if not plain or isinstance(function, partial):
        return uuid.uuid4().hex
    try:
        text = inspect.getsource(function)
        module = inspect.getmodule(function)
        if module is None:
            return uuid.uuid4().hex
        file = Path(inspect.getsourcefile(module) or "")
        own = source_of(module.__name__, file).hex() if file.is_file() else inspect.getsource(module)
        return "".join([text, own, *_source_of_imports({module.__name__: file})])
    except (OSError, TypeError):
        return uuid.uuid4().hex
