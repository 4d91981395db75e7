"""A hook of mkdocs: the report of ``crossexam demo`` as demo/report.html of the site.

The page is too large for the repository, so that ``mkdocs build`` runs the demo.  If $CROSSEXAM_DEMO_PAGE
is the path of such a page, that is used.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

ROOT = Path(__file__).resolve().parents[1]
PAGE = "demo/report.html"  # in the site


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the page to the *files* of the site."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, PAGE, content=_report()))
    return files


@cache  # mkdocs serve builds the site at every change
def _report() -> bytes:
    there = os.environ.get("CROSSEXAM_DEMO_PAGE")
    if there:
        return Path(there).read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "crossexam", "demo", "-o", folder]
        environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        return (Path(folder) / "report.html").read_bytes()
