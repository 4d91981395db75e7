"""Train the systems of Naik et al. (2018) on subsets of SNLI and MultiNLI and run them over the stress tests.

    python reproductions/naik2018/run.py --work DIR [ROW...] [--only STEP...] [--limit N]

Corpora and vectors are read from CROSSEXAM_DATA.  Every command is printed before it runs; what is finished
is skipped.  Writes results/ and RESULTS.md.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from steps import main

from crossexam.corpora.spec import CorpusSpec


def exact_labels(work: Path) -> list[str]:
    """Write the pairs of MultiNLI dev mismatched whose label is the official one.

    Copies of the corpus from several sources say so in ``gold_source``; the official file does not have this
    field, and all of its pairs are kept.
    """
    source = CorpusSpec.parse("multinli:dev_mismatched").path()
    target = work / "exact" / "multinli_dev_mismatched.jsonl"
    target.parent.mkdir(exist_ok=True)
    lines = source.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if json.loads(line).get("gold_source", "exact").startswith("exact")]
    target.write_text("".join(kept), encoding="utf-8")
    return []


if __name__ == "__main__":
    main(Path(__file__).parent, __doc__ or "", prepare=exact_labels)
