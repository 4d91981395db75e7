"""The scripts of this folder are run by tests, and are none themselves."""

from __future__ import annotations

collect_ignore_glob = ["*.py"]
