"""The source of modules, and the local modules that a module imports, found by reading it.

Nothing is imported for it.

A module is local if it belongs neither to the standard library nor to an installed package.  Imports inside
functions count.  What is imported by a computed name, files of data, and servers behind a function cannot be
found this way.
"""

from __future__ import annotations

import ast
import sys
import sysconfig
from collections.abc import Iterator
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Final

from crossexam.core.errors import CrossexamError

_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
_OWN: Final = "crossexam"  # its version, not its source, is part of results
_FIRST_READ: Final[dict[str, tuple[ModuleSpec, bytes]]] = {}  # by module, since it was imported


def source_of(name: str, file: Path) -> bytes:
    """Return the source of the module *name*.

    Raises CrossexamError if it is no longer what was first read: the module in memory is the former one.
    """
    text = file.read_bytes()
    spec = getattr(sys.modules.get(name), "__spec__", None)
    if spec is None:
        return text
    known, first = _FIRST_READ.get(name, (None, b""))
    if known is spec and first != text:
        raise CrossexamError(
            "the file has changed since it was imported, so that the former code would be called",
            where=str(file),
            hint=f"start Python again, or call importlib.reload on the module '{name}'",
        )
    _FIRST_READ[name] = spec, text
    return text


def local_imports(name: str, file: Path) -> dict[str, Path]:
    """Return the files of the local modules that the module *name* in *file* imports, also indirectly.

    >>> local_imports("mine", Path(__file__))
    {}
    """
    found: dict[str, Path] = {}
    todo = [(name, file)]
    while todo:
        module, path = todo.pop()
        for imported in _imports(module, path):
            for part in _with_parents(imported):
                spec = _spec(part)
                if part in found or part == name or spec is None or not _is_local(spec):
                    continue
                found[part] = Path(str(spec.origin))
                todo.append((part, found[part]))
    return dict(sorted(found.items()))


def _imports(module: str, path: Path) -> Iterator[str]:
    """Yield the full names that *path* imports; ``from a import b`` may import both ``a`` and ``a.b``."""
    if path.suffix != ".py":
        return
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, ValueError, SyntaxError):
        return
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            start = ".".join([*parents, *([node.module] if node.module else [])])
            yield from (start, *(f"{start}.{alias.name}" for alias in node.names))


def _with_parents(name: str) -> Iterator[str]:
    """Yield *name* and the packages that contain it, the outermost first."""
    parts = name.split(".")
    yield from (".".join(parts[:end]) for end in range(1, len(parts) + 1))


def _spec(name: str) -> ModuleSpec | None:
    """Return where the module *name* would be imported from, without importing its package."""
    parent, _, last = name.rpartition(".")
    if not last.isidentifier() or name.partition(".")[0] == _OWN:
        return None
    if not parent:
        return PathFinder.find_spec(name)
    package = _spec(parent)
    folders = package.submodule_search_locations if package else None
    return None if folders is None else PathFinder.find_spec(name, list(folders))


def _is_local(spec: ModuleSpec) -> bool:
    if not spec.has_location or spec.origin is None:  # built in, frozen, or a folder without __init__.py
        return False
    path = Path(spec.origin).resolve()
    libraries = (sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib"))
    is_in_library = any(path.is_relative_to(Path(folder).resolve()) for folder in libraries)
    return not (_INSTALLED & set(path.parts) or is_in_library)
