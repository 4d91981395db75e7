"""The signature of a test set or number: what it depends on, in one line (after sacreBLEU)."""

from __future__ import annotations

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


def signature(parts: Mapping[str, object]) -> str:
    """Return *parts* as ``key:value|key:value|version:...``.

    >>> signature({"corpus": "snli:dev", "seed": 0}).startswith("corpus:snli:dev|seed:0|version:")
    True
    """
    pairs = [f"{key}:{value}" for key, value in parts.items()]
    return "|".join([*pairs, f"version:{package_version()}"])
