"""Old names of options, which are accepted with a warning until the version after the next.

Names change together with a line here; the line goes away in the version :data:`GONE_IN`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from crossexam.core.settings import as_kind

CHANGED_IN: Final = "0.2.0"
GONE_IN: Final = "0.3.0"


class RenamedWarning(FutureWarning):
    """An option was given by a name that it will soon not have any more."""


class Renamed(NamedTuple):
    """The option of the same construction or suite that replaces a switch, and its value for on and off."""

    option: str
    on: str
    off: str


#: Flags, and with underscores the arguments of functions, by their old names.
RENAMED_FLAGS: Final[Mapping[str, str]] = MappingProxyType({"--annotator": "--tagger"})
#: Switches of constructions and suites (``--set NAME.OPTION=VALUE``) by their old names.
RENAMED_OPTIONS: Final[Mapping[str, Renamed]] = MappingProxyType(
    {
        "antonymy.as_published": Renamed("rules", on="paper", off="ours"),
        "so_swap.as_published": Renamed("rules", on="paper", off="ours"),
    }
)


def current_flag(flag: str) -> str:
    """Return the name that *flag* has now, with a warning if it had another.

    >>> current_flag("--tagger")
    '--tagger'
    """
    if flag in RENAMED_FLAGS:
        _warn(flag, RENAMED_FLAGS[flag])
    return RENAMED_FLAGS.get(flag, flag)


def current_keywords(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return keyword arguments by the names that they have now, with a warning for each that changed."""
    names = {_keyword(old): _keyword(new) for old, new in RENAMED_FLAGS.items()}
    for name in given:
        if name in names:
            _warn(f"{name}=", f"{names[name]}=")
    return {names.get(name, name): value for name, value in given.items()}


def current_option(name: str, option: str, value: Any) -> tuple[str, Any]:
    """Return what *option* of the construction or suite *name* is called now, and its value.

    Warns if that has changed.  Raises CrossexamError if the value of a switch is not true or false.

    >>> current_option("antonymy", "indirect", "true")
    ('indirect', 'true')
    """
    renamed = RENAMED_OPTIONS.get(f"{name}.{option}")
    if renamed is None:
        return option, value
    chosen = renamed.on if as_kind(value, bool, f"{name}.{option}") else renamed.off
    _warn(f"{name}.{option}={value}", f"{name}.{renamed.option}={chosen}")
    return renamed.option, chosen


def _keyword(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")


def _warn(old: str, new: str) -> None:
    message = f"'{old}' is '{new}' since version {CHANGED_IN}; version {GONE_IN} will not know the old name"
    warnings.warn(RenamedWarning(message), stacklevel=4)
