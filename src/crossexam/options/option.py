"""What a field of a class of options says: its flag, its help, and the values that it takes.

The options of a command are a frozen dataclass, whose fields are made by :func:`option` and :func:`argument`.
Groups that commands share are base classes.  What its docstring says after the first paragraph is in the help
of the command.  The command line (:mod:`crossexam.cli.command`) reads texts into such a class, and the
library (:mod:`crossexam.api`) arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from crossexam.core.arguments import shown
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.settings import Within, choices, described, fitting

_OPTION: Final = "option"
T = TypeVar("T")
Count = Annotated[int, Within(1)]
NotNegative = Annotated[int, Within(0)]
NumberOrAuto = Literal["auto"] | Count


@dataclass(frozen=True, kw_only=True)
class Option:
    """An option of a command: the field *name* of type *kind*.

    An argument has no *flags*.  *takes* stands for its value in the help, and *group* is its heading there.
    Of a command with many options, ``--help`` shows only the *first* ones.
    """

    help: str
    flags: tuple[str, ...] = ()
    takes: str = ""
    group: str | None = None
    first: bool = False
    required: bool = False
    is_argument: bool = False
    name: str = ""
    kind: Any = None
    default: Any = None

    @property
    def is_switch(self) -> bool:
        """Whether it takes no value."""
        return self.kind is bool

    @property
    def repeatable(self) -> bool:
        """Whether it may be given several times, and then has all values."""
        return get_origin(self.kind) is tuple

    @property
    def spelt(self) -> str:
        """How errors name it on the command line."""
        return self.takes if self.is_argument else self.flags[0]

    @property
    def whole_help(self) -> str:
        """What the help with all options says of it."""
        return self.help

    @property
    def usage(self) -> str:
        """How it is written on the command line."""
        return self.takes if self.is_argument else f"{self.flags[0]} {self.takes}".strip()

    def read(self, texts: Any) -> Any:
        """Return the value that *texts* of the command line stand for; raises CrossexamError.

        That of a switch is True or False already.  Another option that takes one value may not be given two.
        """
        if self.is_switch:
            return texts
        if self.repeatable:
            return tuple(self._fitting(text, get_args(self.kind)[0], self.spelt) for text in texts)
        if len(set(texts)) > 1:
            raise CrossexamError(
                f"{self.spelt} is given twice", wanted=f"either '{texts[0]}' or '{texts[-1]}'"
            )
        return self._fitting(texts[-1], self.kind, self.spelt)

    def checked(self, value: Any) -> Any:
        """Return *value*, the argument of this name; raises CrossexamError if it does not fit."""
        return self._fitting(value, self.kind, self.name, reads_texts=False)

    def _fitting(self, value: Any, kind: Any, name: str, *, reads_texts: bool = True) -> Any:
        try:
            return fitting(value, kind, reads_texts=reads_texts)
        except ValueError:
            what = f"{name} is {shown(value)}"
        wanted = {str: self.help, bool: "True or False"}.get(kind) or described(kind)
        raise CrossexamError(what, wanted=wanted)


def option(help: str, *flags: str, default: Any = None, kind: type[Option] = Option, **how: Any) -> Any:
    """Return the field of an option with *flags*, by default the name of the field; *how* are of Option."""
    return field(default=default, metadata={_OPTION: kind(help=help, flags=flags, **how)})


def switch(help: str, *flags: str, **how: Any) -> Any:
    """Return the field of an option without a value."""
    return option(help, *flags, default=False, **how)


def several(help: str, *flags: str, **how: Any) -> Any:
    """Return the field of an option that may be repeated."""
    return option(help, *flags, default=(), **how)


def argument(takes: str, help: str, *, default: Any = None, required: bool = True) -> Any:
    """Return the field of an argument; one of several values has a tuple as its type."""
    return option(help, default=default, takes=takes, required=required, is_argument=True)


@cache
def options_of(cls: Any) -> Mapping[str, Option]:
    """Return the options of a class by the names of its fields, arguments first, then what is required."""
    kinds = get_type_hints(cls, include_extras=True)
    found = [_option(each, kinds[each.name]) for each in fields(cls)]
    found.sort(key=lambda each: (not each.is_argument, not each.required))
    return {each.name: each for each in found}


def _option(of: Field[Any], annotation: Any) -> Option:
    said: Option = of.metadata[_OPTION]
    kind: Any = Union.__getitem__(tuple(each for each in choices(annotation) if each is not NoneType))
    return replace(
        said,
        name=of.name,
        kind=kind,
        default=of.default,
        flags=() if said.is_argument else said.flags or (f"--{of.name.replace('_', '-')}",),
        takes=said.takes or ("" if kind is bool else _placeholder(kind)),
    )


def _placeholder(kind: Any) -> str:
    """Return what stands in the help for a value of *kind*.

    >>> _placeholder(NumberOrAuto), _placeholder(Literal["fail", "pass"])
    ('auto|N', 'fail|pass')
    """
    if get_origin(kind) is Literal:
        return "|".join(map(str, get_args(kind)))
    if get_origin(kind) in (Annotated, tuple):
        return _placeholder(get_args(kind)[0])
    names = {int: "N", float: "X", Path: "PATH", str: "TEXT"}
    return names[kind] if kind in names else "|".join(map(_placeholder, choices(kind)))


def read_options(cls: Callable[..., T], given: Mapping[str, Any]) -> T:
    """Return the options that the command line has *given*, texts by name, None for those that are not given.

    Raises CrossexamError.
    """
    values = {}
    known = options_of(cls)
    for name, each in known.items():
        value = given.get(name)
        if value is not None:
            values[name] = each.read([value] if isinstance(value, str) else value)
    for name, each in known.items():
        if each.required and name not in values:
            what, _, _ = each.help.partition(". ")
            raise CrossexamError(f"{each.spelt} is missing", wanted=f"{each.usage}: {what.removesuffix('.')}")
    return cls(**values)


def checked_options(cls: Callable[..., T], **given: Any) -> T:
    """Return the options that are *given* as arguments; None is what is not given.  Raises CrossexamError."""
    known = options_of(cls)
    for name in given:
        if name not in known:
            raise UnknownNameError("option", name, known)
    return cls(**{name: known[name].checked(value) for name, value in given.items() if value is not None})
