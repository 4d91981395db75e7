"""Errors that say what is wrong, where, what was wanted, and how to fix it.

What an operating system says by a number is turned into such an error by tables: what is used up
(:data:`_USED_UP`) wherever it is met, as nothing else may be said of it, and what is wrong with a path
(:data:`_OF_PATHS`) where the errors of a command are shown.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

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


def _limit() -> str | None:
    """Return in words how many files this process may open; None where that cannot be found out."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    most, highest = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == highest:
        return f"no more than the limit, which is {most:,} files and which only an administrator can raise"
    at_most = "any number" if highest == resource.RLIM_INFINITY else f"{highest:,}"
    return f"no more than the limit, which is {most:,} files and can be raised to {at_most}"


class _UsedUp(NamedTuple):
    """What says that something is used up: numbers, and *words* of libraries that do not give a number."""

    numbers: tuple[int, ...]
    words: str | None
    what: str
    hint: str
    wanted: Callable[[], str | None] = lambda: None


_SPACE: Final = "free some space, or write to another disk; then repeat the command"
_FILES: Final = "raise the limit with `ulimit -n NUMBER` in the same shell, then repeat the command"
_USED_UP: Final = (
    # The first is how SQLite says that it cannot make its files larger.
    _UsedUp((), "disk I/O error", "disk I/O error: probably no space is left", _SPACE),
    _UsedUp(
        (errno.ENOSPC,), r"no space left|disk is full|os error 28\b", "no space left on the device", _SPACE
    ),
    _UsedUp((errno.EDQUOT,), None, "disk quota exceeded", _SPACE),
    _UsedUp((errno.EFBIG,), None, "file too large", _SPACE),
    _UsedUp(
        (errno.EMFILE, errno.ENFILE),
        r"too many open files|os error (?:23|24)\b",
        "too many files are open",
        _FILES,
        _limit,
    ),
)
_OTHER: Final = "choose another path"
#: What a system says of a path, and the way out; of the others, its own words.
_OF_PATHS: Final[dict[int | None, tuple[str, str]]] = {
    errno.ENOENT: ("no such file or folder", "check the path"),
    errno.ENOTDIR: ("a part of this path is a file, not a folder", _OTHER),
    errno.EISDIR: ("this is a folder, not a file", "name a file in it"),
    errno.EACCES: ("permission denied", "choose another path, or have its permissions changed"),
    errno.EROFS: ("this disk can only be read", "write to another one"),
}
_LONGEST_NAME: Final = 255  # bytes, on most file systems


def exhausted(error: BaseException, path: Path | str | None = None) -> CrossexamError | None:
    """Return the error to show if *error*, or what led to it, says that a disk is full or files too many.

    *path* is what was being read or written.  Libraries often take a file that they cannot open for damaged.

    >>> print(exhausted(OSError(errno.ENOSPC, "No space left on device"), "out/report.html"))
    out/report.html: no space left on the device
      hint: free some space, or write to another disk; then repeat the command
    >>> many = OSError(errno.EMFILE, "Too many open files", "suite/base.parquet")
    >>> str(exhausted(many)).splitlines()[0]
    'suite/base.parquet: too many files are open'
    """
    for cause in _causes(error):
        number, said = getattr(cause, "errno", None), "" if isinstance(cause, CrossexamError) else str(cause)
        for row in _USED_UP:
            if number in row.numbers or (row.words and re.search(row.words, said, re.IGNORECASE)):
                where = path or getattr(cause, "filename", None) or getattr(error, "where", None)
                return CrossexamError(
                    row.what, where=None if where is None else str(where), wanted=row.wanted(), hint=row.hint
                )
    return None


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield *error* and what led to it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def of_system(error: BaseException) -> CrossexamError | None:
    """Return the error to show for what the operating system says, None if *error* is not its.

    >>> print(of_system(FileNotFoundError(errno.ENOENT, "No such file or directory", "nosuch.csv")))
    nosuch.csv: no such file or folder
      hint: check the path
    """
    if (found := exhausted(error) or name_too_long(error)) is not None:
        return found
    if not isinstance(error, OSError) or error.filename is None:
        return None
    what, hint = _OF_PATHS.get(error.errno, (error.strerror or str(error), _OTHER))
    return CrossexamError(what, where=str(error.filename), hint=hint)


def name_too_long(error: BaseException) -> CrossexamError | None:
    """Return the error to show if *error* says that a name is longer than the file system takes.

    >>> error = OSError(errno.ENAMETOOLONG, "File name too long", 300 * "x" + ".csv")
    >>> str(name_too_long(error)).splitlines()[1]
    '  wanted: names of at most 255 bytes'
    """
    if not isinstance(error, OSError) or error.errno != errno.ENAMETOOLONG or error.filename is None:
        return None
    parts = Path(os.fsdecode(error.filename)).parts
    for number, part in enumerate(parts, 1):
        if (length := len(os.fsencode(part))) > _LONGEST_NAME:
            return CrossexamError(
                f"a name of {length:,} bytes is too long",
                where=str(Path(*parts[:number])),
                wanted=f"names of at most {_LONGEST_NAME} bytes",
                hint="choose a shorter name",
            )
    return CrossexamError(
        "the path is too long", where=str(Path(*parts)), hint="choose a shorter path, or work in its folder"
    )
