"""Train the models of Nie et al. (2019) on the MultiNLI subset, and test them on MultiNLI dev (Tables 3, 5).

    python reproductions/nie2019_multinli/run.py --work DIR [ROW...] [--only STEP...] [--limit N]

Corpora, vectors and the spaCy pipeline that parses them are read from CROSSEXAM_DATA.  Every command is
printed before it runs; what is finished is skipped.  Writes results/ and RESULTS.md.  The step judge needs no
model: it writes RESULTS.md from the predictions in results/.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from mismatched import exact_labels, hard_note
from steps import main

if __name__ == "__main__":
    main(
        Path(__file__).parent,
        __doc__ or "",
        prepare=exact_labels,
        sections=lambda suite, work: hard_note(work),
    )
