"""The table of prompt templates (``table.toml``), and templates in files of users."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from crossexam.core.errors import CrossexamError, FormatError, UnknownNameError
from crossexam.core.output.escapes import quoted
from crossexam.models.prompts.template import Template

#: The entries of a template in TOML with the types that they have there.
_TYPES: Final[Mapping[str, type]] = {
    "user": str,
    "system": str,
    "delimiter": str,
    "source": str,
    "score": str,
    "version": int,
    "labels": dict,
    "outputs": dict,
    "edits": dict,
}
#: As the name of a template: that for the labels of the test sets.
AUTO: Final = "auto"
_NAMES: Final[Mapping[type, str]] = {str: "a text", int: "a whole number", dict: "a table", list: "a list"}


@cache
def templates() -> Mapping[str, Template]:
    """Return the templates of the package, by name.

    >>> templates()["gpt3"].labels["contradiction"]
    'False'
    """
    text = files("crossexam.models.prompts").joinpath("table.toml").read_text(encoding="utf-8")
    found: dict[str, Template] = {}
    for name, entries in tomllib.loads(text).items():
        found[name] = _made(name, entries, found)
    return found


def default_template(two_labels: bool) -> Template:
    """Return the template with which test sets of *two_labels*, or of three, are asked if nobody names one.

    >>> default_template(two_labels=True).labels
    {'entailment': 'yes', 'not_entailment': 'no'}
    """
    return templates()["words.two" if two_labels else "words"]


def template(name_or_file: str | Path) -> Template:
    """Return the template of the package with this name, or the one in this TOML file.

    Raises UnknownNameError if there is neither, FormatError that names the file and the entry if the file is
    not a template.

    >>> template("gpt3").prompt("It rains.", "It is wet.")
    'It rains.\\nQuestion: It is wet. True, False, or Neither?\\nAnswer:'
    """
    name, path = str(name_or_file), Path(name_or_file)
    if isinstance(name_or_file, str) and name in templates():
        return templates()[name]
    if path.suffix != ".toml" and not path.is_file():
        near = get_close_matches(name, templates(), n=1)
        raise UnknownNameError("template", name, templates(), hint=None if near else _LISTED)
    return _from_file(path)


def _from_file(path: Path) -> Template:
    where = str(path)
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CrossexamError(
            f"cannot be read ({error.strerror})",
            where=where,
            wanted="a template in TOML, or one of crossexam ls templates",
        ) from None
    except (ValueError, RecursionError) as error:  # not UTF-8, not TOML, or a number of too many digits
        raise FormatError(f"is not TOML: {error}", where=where, wanted="a template in TOML") from None
    try:
        return _made(path.stem, {"source": path.name, **entries}, templates())
    except FormatError as error:
        raise FormatError(error.what, where=where, wanted=error.wanted, hint=_WAY_OUT) from None


_LISTED: Final = "crossexam ls templates lists them; a template of your own is a file, NAME.toml"
_WAY_OUT: Final = "docs/templates.md describes the entries; like = 'words' takes those of another template"


def _made(name: str, entries: Mapping[str, Any], known: Mapping[str, Template]) -> Template:
    """Return the template with these *entries*, and otherwise those of the one that it is like."""
    _check(entries)
    own = {key: value for key, value in entries.items() if key != "like"}
    if "like" in entries:
        if entries["like"] not in known:
            raise FormatError(
                f"it is like '{entries['like']}', which is not a template",
                wanted="the name of a template of crossexam ls templates",
            )
        return replace(known[entries["like"]], name=name, **own)
    for needed in ("user", "labels"):
        if needed not in own:
            raise FormatError(f"it has no entry '{needed}'", wanted="user and labels, or like")
    return Template(name, **own)


def _check(entries: Mapping[str, Any]) -> None:
    """Raise FormatError unless all *entries* are known and have the type that they must have."""
    types = {**_TYPES, "like": str}
    for key, value in entries.items():
        if key not in types:
            raise FormatError(f"it has an entry '{key}'", wanted=f"only {', '.join(sorted(types))}")
        _check_type(key, value, types[key])
    for key, kind in (("labels", str), ("outputs", int), ("edits", list)):
        for inner, value in entries.get(key, {}).items():
            _check_type(f"{key}.{inner}", value, kind)
    for inner, edits in entries.get("edits", {}).items():
        for edit in edits:
            _check_type(f"edits.{inner}", edit, str)


def _check_type(key: str, value: object, kind: type) -> None:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise FormatError(f"its entry '{key}' is {quoted(value)}", wanted=_NAMES[kind])
