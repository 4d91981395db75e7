"""The signature of a test set or number: what it depends on, in one line (after sacreBLEU)."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version


def package_version() -> str:
    """Return the installed version of Crossexam.

    >>> package_version()[0].isdigit()
    True
    """
    try:
        return version("crossexam")
    except PackageNotFoundError:  # a source tree on sys.path that was never installed
        return "0+unknown"


def library_versions(*packages: str) -> dict[str, str]:
    """Return the versions of Crossexam, of Python and of those *packages* that are installed.

    >>> list(library_versions("no-such-package"))
    ['crossexam', 'python']
    """
    versions = {"crossexam": package_version(), "python": platform.python_version()}
    for name in packages:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def signature(parts: Mapping[str, object]) -> str:
    """Return *parts* as ``key:value|key:value|version:...``.

    >>> signature({"corpus": "snli:dev", "seed": 0}).startswith("corpus:snli:dev|seed:0|version:")
    True
    """
    pairs = [f"{key}:{value}" for key, value in parts.items()]
    return "|".join([*pairs, f"version:{package_version()}"])
