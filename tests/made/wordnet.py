"""The dictionary files of WordNet, a page of our own and Debian's, and what the package makes of them."""

import runpy
from pathlib import Path

from made.scripts import ROOT

MINI = ROOT / "tests" / "data" / "mini-wordnet"
SOURCE = Path("/usr/share/wordnet")  # Debian's wordnet-base and wordnet-sense-index


def compile_wordnet(source: Path) -> tuple[bytes, str]:
    script = ROOT / "scripts" / "compile_wordnet.py"
    compiled: tuple[bytes, str] = runpy.run_path(str(script))["compile_wordnet"](source)
    return compiled
