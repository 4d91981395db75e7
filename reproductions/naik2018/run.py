"""Train the systems of Naik et al. (2018) on subsets of SNLI and MultiNLI and run them over the stress tests.

    python reproductions/naik2018/run.py --work DIR [ROW...] [--only STEP...] [--limit N]

Corpora and vectors are read from CROSSEXAM_DATA.  Every command is printed before it runs; what is finished
is skipped.  Writes results/ and RESULTS.md.  The step judge needs no model: it writes RESULTS.md from the
predictions in results/.
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
