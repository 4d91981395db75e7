"""Errors that say what is wrong, where, what was wanted, and how to fix it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from copy import copy
from difflib import get_close_matches
from typing import Any, Final, Self

from crossexam.core.output.escapes import visible

#: The name by which pip knows Crossexam: on the index, "crossexam" is another program.
DISTRIBUTION: Final = "crossexam-nli"


class CrossexamError(Exception):
    """An error that the user can fix: *what* is wrong, *where*, what was *wanted*, and a *hint*.

    Its text shows what would be interpreted by a terminal, such as an escape sequence in a quoted line.

    >>> print(CrossexamError("no gold label", where="dev.jsonl, line 3", hint="use --skip-bad"))
    dev.jsonl, line 3: no gold label
      hint: use --skip-bad
    """

    def __init__(
        self, what: str, *, where: str | None = None, wanted: str | None = None, hint: str | None = None
    ) -> None:
        self.what, self.where, self.wanted, self.hint = what, where, wanted, hint
        super().__init__(str(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """Let the error be pickled as it is, whatever its constructor takes."""
        return _restored, (type(self), self.args, self.__dict__)

    def placed(self, where: str, *, hint: str | None = None) -> Self:
        """Return the error *where* it is known to be, with another *hint* if one is given.

        >>> print(CrossexamError("no gold label").placed("dev.jsonl, line 3"))
        dev.jsonl, line 3: no gold label
        """
        found = copy(self)
        found.where, found.hint = where, hint or self.hint
        return found

    def __str__(self) -> str:
        lines = [f"{self.where}: {self.what}" if self.where else self.what]
        if self.wanted:
            lines.append(f"  wanted: {self.wanted}")
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return visible("\n".join(lines))


class FormatError(CrossexamError):
    """Input that is not in the documented format; *where* names the file, the line and the field."""


class UnknownNameError(CrossexamError):
    """A name that is not in a table; unless given, the *hint* is the nearest name that is, or all names.

    The text is that no *kind* is called so, or *what* if it is given.  Case does not make names less near.
    """

    def __init__(
        self,
        kind: str,
        name: str,
        known: Iterable[str],
        *,
        what: str | None = None,
        where: str | None = None,
        hint: str | None = None,
    ) -> None:
        known = sorted(known)
        folded = {each.casefold(): each for each in known}
        near = get_close_matches(name.casefold(), folded, n=1)
        if hint is None:
            hint = (
                f"did you mean '{folded[near[0]]}'?" if near else f"available: {', '.join(known) or 'none'}"
            )
        super().__init__(what or f"no {kind} is called '{name}'", where=where, hint=hint)


class MissingResourceError(CrossexamError):
    """A package, a model or data that is not installed; what does not need it can go on."""


class UnfinishedError(CrossexamError):
    """Questions that could not be asked for now, as when a server is down or a budget is used up.

    A model raises it after it has given the answers that it got.  These are stored, so that the same command
    resumes, or the command with *changed*, such as "a larger --budget"; the exit code is 4.

    >>> print(UnfinishedError("the server does not answer", where="api/mine"))
    api/mine: the server does not answer
    """

    def __init__(
        self,
        what: str,
        *,
        where: str | None = None,
        wanted: str | None = None,
        hint: str | None = None,
        changed: str | None = None,
    ) -> None:
        self.changed = changed
        super().__init__(what, where=where, wanted=wanted, hint=hint)


class MissingExtraError(MissingResourceError):
    """A feature that needs an optional dependency that is not installed; *then* is a command to run after."""

    def __init__(self, package: str, extra: str, needed_for: str, *, then: str | None = None) -> None:
        super().__init__(
            f"{needed_for} needs the package '{package}', which is not installed",
            hint=f"{how_to_install(extra)}, then {then}" if then else how_to_install(extra),
        )


def how_to_install(extra: str) -> str:
    """Return the command that installs the packages of the optional dependency *extra*.

    It names the packages themselves: they are the same however Crossexam was installed.

    >>> how_to_install("spacy")
    'pip install "spacy>=3.7"'
    """
    from importlib.metadata import PackageNotFoundError, requires  # slow, and rarely needed

    try:
        known = requires(DISTRIBUTION) or []
    except PackageNotFoundError:  # a source tree on sys.path that was never installed
        known = []
    packages = _packages_of(extra, known)
    return f"pip install {' '.join(packages)}" if packages else f'pip install ".[{extra}]" in a checkout'


def _packages_of(extra: str, known: Sequence[str]) -> list[str]:
    """Return the requirements of *extra* among those *known*, each in quotes, with those of its extras."""
    packages: dict[str, None] = {}
    for each in known:
        requirement, _, marker = (part.strip() for part in each.partition(";"))
        if not re.search(rf"""extra == ['"]{re.escape(extra)}['"]""", marker):
            continue
        if own := re.fullmatch(rf"{DISTRIBUTION}\[(.+)\]", requirement):
            inner = [found for name in own[1].split(",") for found in _packages_of(name.strip(), known)]
            packages.update(dict.fromkeys(inner))
        else:
            packages[f'"{requirement}"'] = None
    return list(packages)


def _restored(kind: type[CrossexamError], args: tuple[Any, ...], fields: dict[str, Any]) -> CrossexamError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(fields)
    return error
