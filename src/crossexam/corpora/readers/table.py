"""The table of readers: a corpus by name, what reads its files."""

from __future__ import annotations

from typing import Final

from crossexam.corpora.readers.human_judged import SCITAIL, SICK
from crossexam.corpora.readers.reader import Reader
from crossexam.corpora.readers.recast import DPR

#: A corpus that is not here has the columns of ``corpora/columns.py`` (SNLI, MultiNLI, AQuA-RAT).
READERS: Final[dict[str, Reader]] = {
    "sick": SICK,
    "scitail": SCITAIL,
    "dpr": DPR,
}
