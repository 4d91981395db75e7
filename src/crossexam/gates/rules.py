"""Rules that a run must keep to, read from ``crossexam.toml`` or given in Python.

Each table ``[[gate]]`` of the file is a rule: a ``measure`` over the test sets that ``set`` names, with the
least or most that it may be (``min``, ``max``), or by how much it may be worse than the baseline (``against =
"baseline"`` and ``margin``).  All numbers are shares from 0 to 1.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from crossexam.core.arguments import required, shown
from crossexam.core.errors import FormatError, UnknownNameError
from crossexam.core.files import read_utf8
from crossexam.gates.measures import MEASURES, Measure

#: The file of rules that is read from the working folder if none is named.
RULES_FILE: Final = Path("crossexam.toml")
_KEYS: Final = ("set", "measure", "min", "max", "against", "margin", "require")
_EXAMPLE: Final = 'gate = [{set = "*", measure = "accuracy", min = 0.6}]'
_TABLE: Final = re.compile(r"^[ \t]*\[\[[ \t]*gate[ \t]*\]\]", re.MULTILINE)

#: On which side of a threshold a value must be.
Side = Literal["above", "below"]


class Limit(NamedTuple):
    """A *threshold*, itself permitted, and on which *side* of it a value must be."""

    side: Side
    threshold: float


@dataclass(frozen=True)
class GateRule:
    """A rule: the *measure* of the test sets that *set* names must keep to *limits*.

    *number* is its place among the rules, from 1, and *where* names it in errors.  With *against_baseline*,
    the difference from the baseline is limited.  With *must_be_shown*, it is not enough that nothing is shown
    to the contrary.
    """

    number: int
    set: str
    measure: Measure
    limits: tuple[Limit, ...]
    where: str
    against_baseline: bool = False
    must_be_shown: bool = False

    def matches(self, name: str) -> bool:
        """Return whether the rule is about the test set *name*.

        >>> (rule,) = rules_from([{"set": "negation.*", "measure": "accuracy", "min": 0.6}])
        >>> rule.matches("negation.dev"), rule.matches("base.dev")
        (True, False)
        """
        return name == self.set or fnmatchcase(name, self.set)


def rules_from(source: Path | Sequence[Mapping[str, Any]] | None) -> tuple[GateRule, ...]:
    """Return the rules in the file *source*, by default :data:`RULES_FILE`, or in mappings with its keys.

    Raises FormatError that names the file and the line where the rule begins, or the number of the rule.

    >>> (rule,) = rules_from([{"set": "*", "measure": "accuracy", "against": "baseline", "margin": 0.02}])
    >>> rule.limits
    (Limit(side='above', threshold=-0.02),)
    """
    if source is None or isinstance(source, Path):
        tables, places = _tables(source or RULES_FILE, is_default=source is None)
    else:
        tables, places = list(source), [f"rule {number}" for number in range(1, len(source) + 1)]
    if not tables:
        raise FormatError(
            "no rules are given",
            where=str(source or RULES_FILE) if source is None or isinstance(source, Path) else "rules",
            wanted="at least one rule",
            hint=_EXAMPLE,
        )
    return tuple(
        _rule(number, table, where)
        for number, (table, where) in enumerate(zip(tables, places, strict=True), 1)
    )


def _tables(path: Path, *, is_default: bool) -> tuple[list[Any], list[str]]:
    """Return the tables ``[[gate]]`` of the file *path*, and where each is."""
    if not path.is_file():
        raise FormatError(
            "no such file",
            where=str(path),
            wanted="rules: a TOML file with tables [[gate]]" + (", or --rules FILE" if is_default else ""),
            hint=f"a file with this line is enough: {_EXAMPLE}",
        )
    text = read_utf8(path)
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, ValueError, RecursionError) as error:
        raise FormatError(f"not TOML: {error}", where=str(path), wanted="tables [[gate]]") from None
    for key in document:
        if key != "gate":
            raise UnknownNameError("table of rules", key, ["gate"], where=str(path))
    tables = required(document.get("gate", []), list, "gate", wanted="tables [[gate]]")
    lines = [text.count("\n", 0, found.end()) + 1 for found in _TABLE.finditer(text)]
    if len(lines) != len(tables):  # an inline array, or a text that has such a line
        return tables, [f"{path}, rule {number}" for number in range(1, len(tables) + 1)]
    return tables, [f"{path}, rule that begins on line {line}" for line in lines]


def _rule(number: int, table: Any, where: str) -> GateRule:
    if not isinstance(table, Mapping):
        raise FormatError(f"the rule is {shown(table)}", where=where, wanted="a table", hint=_EXAMPLE)
    for key in table:
        if key not in _KEYS:
            raise UnknownNameError("key of a rule", str(key), _KEYS, where=where)
    against, require = (
        _choice(table, key, value, where) for key, value in (("against", "baseline"), ("require", "shown"))
    )
    measure = _measure(_text(table, "measure", where), where)
    return GateRule(
        number=number,
        set=_text(table, "set", where),
        measure=measure,
        limits=_limits(table, measure, against, where),
        where=where,
        against_baseline=against,
        must_be_shown=require,
    )


def _measure(name: str, where: str) -> Measure:
    unconditional = name.removeprefix("conditional_")
    if name not in MEASURES and unconditional in MEASURES:
        raise FormatError(
            f"the condition of this rule always holds, so that there is no '{name}'",
            where=where,
            wanted=f"'{unconditional}'",
        )
    if name not in MEASURES:
        raise UnknownNameError("measure", name, MEASURES, where=where)
    return MEASURES[name]


def _limits(table: Mapping[str, Any], measure: Measure, against: bool, where: str) -> tuple[Limit, ...]:
    least, most, margin = (_share(table, key, where) for key in ("min", "max", "margin"))
    if not against and margin is not None:
        raise FormatError("a margin without 'against'", where=where, wanted='against = "baseline"')
    if against and (margin is None or least is not None or most is not None):
        what = "'against' needs a margin" if margin is None else "'min' or 'max' together with 'against'"
        raise FormatError(what, where=where, wanted="a margin, such as 0.02, and neither min nor max")
    if margin is not None:
        return (Limit("above", -margin) if measure.higher_is_better else Limit("below", margin),)
    if least is None and most is None:
        raise FormatError(
            "the rule limits nothing", where=where, wanted="min, max, or against with a margin", hint=_EXAMPLE
        )
    if least is not None and most is not None and least > most:
        raise FormatError(f"min, {least}, is above max, {most}", where=where, wanted="a min of at most max")
    lower = () if least is None else (Limit("above", least),)
    return lower if most is None else (*lower, Limit("below", most))


def _text(table: Mapping[str, Any], key: str, where: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value:
        what = f"'{key}' is missing" if value is None else f"'{key}' is {shown(value)}"
        wanted = "the names of test sets: a name, or a pattern such as 'negation.*'"
        raise FormatError(
            what, where=where, wanted=wanted if key == "set" else f"one of {', '.join(MEASURES)}"
        )
    return value


def _choice(table: Mapping[str, Any], key: str, only: str, where: str) -> bool:
    if key in table and table[key] != only:
        raise FormatError(f"'{key}' is {shown(table[key])}", where=where, wanted=f'"{only}", or no {key}')
    return key in table


def _share(table: Mapping[str, Any], key: str, where: str) -> float | None:
    value = table.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        is_percent = isinstance(value, int | float) and 1 < value <= 100
        raise FormatError(
            f"'{key}' is {shown(value)}",
            where=where,
            wanted="a share from 0 to 1",
            hint=f"{value} % is {value / 100:g}" if is_percent else None,
        )
    return float(value)
