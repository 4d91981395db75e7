"""Plug-ins: what other installed distributions add to a table, by entry points.

A distribution names an object of a module under a group of entry points (``crossexam.constructions``) in its
``pyproject.toml``.  The object is imported when the table is.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from crossexam.core.errors import CrossexamError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class PlugIn(NamedTuple):
    """An object that a distribution adds: its *value*, *where* it is declared, and its *source*.

    The source is the name of its module or package with a hash of the files of this.
    """

    value: Any
    where: str
    source: str


def plug_ins(group: str) -> Iterator[PlugIn]:
    """Yield what installed distributions add to *group*, by name; raises CrossexamError if one is broken.

    >>> list(plug_ins("no.such.group"))
    []
    """
    from importlib.metadata import entry_points

    for point in sorted(entry_points(group=group), key=lambda point: (point.name, point.value)):
        where = f"the plug-in {point.name} = {point.value}"
        yield PlugIn(_loaded(point, where), where, _source_of(point.module))


def _loaded(point: EntryPoint, where: str) -> Any:
    try:
        return point.load()
    except Exception as error:  # whatever a module of somebody else raises
        package = point.dist.name if point.dist else point.module
        raise CrossexamError(
            f"importing it raised {type(error).__name__}: {error}",
            where=where,
            hint=f"repair it, or pip uninstall {package}",
        ) from error


def _source_of(module: str) -> str:
    """Return the name of the module or package that *module* belongs to, with a hash of its files."""
    from importlib.util import find_spec

    top = module.partition(".")[0]
    spec = find_spec(top)
    folders = [] if spec is None else [Path(each) for each in spec.submodule_search_locations or ()]
    files = [path for folder in folders for path in sorted(folder.rglob("*")) if _is_source(path)]
    if not files and spec is not None and spec.origin is not None:
        files = [Path(spec.origin)]
    contents = sha256()
    for path in files:
        contents.update(sha256(path.read_bytes()).digest())
    return f"{top}@{contents.hexdigest()[:16]}"


def _is_source(path: Path) -> bool:
    return path.is_file() and path.suffix != ".pyc"
