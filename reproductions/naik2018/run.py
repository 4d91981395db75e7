"""Train the systems of Naik et al. (2018) on subsets of SNLI and MultiNLI and run them over the stress tests.

    python reproductions/naik2018/run.py --work DIR [ROW...] [--only STEP...] [--limit N]

Corpora and vectors are read from CROSSEXAM_DATA.  Every command is printed before it runs; what is finished
is skipped.  Writes results/ and RESULTS.md.  The step judge needs no model: it writes RESULTS.md from the
predictions in results/.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from steps import main

from crossexam.core.dataset import Suite
from crossexam.corpora.spec import CorpusSpec

EXACT = "exact/multinli_dev_mismatched.jsonl"


def exact_labels(work: Path) -> list[str]:
    """Write the pairs of MultiNLI dev mismatched whose label is the official one.

    Copies of the corpus from several sources say so in ``gold_source``; the official file does not have this
    field, and all of its pairs are kept.
    """
    source = CorpusSpec.parse("multinli:dev_mismatched").path()
    lines = source.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if json.loads(line).get("gold_source", "exact").startswith("exact")]
    target = work / EXACT
    target.parent.mkdir(exist_ok=True)
    target.write_text("".join(kept), encoding="utf-8")
    return []


def sections(suite: Suite, work: Path) -> list[str]:
    """Return what has to be known of dev mismatched: the share of the hard subset, if the corpus says it."""
    pairs = [json.loads(line) for line in (work / EXACT).read_text(encoding="utf-8").splitlines()]
    hard = sum(bool(pair.get("hard")) for pair in pairs)
    if not hard:
        return []
    return [
        "## MultiNLI dev mismatched\n\n"
        f"{hard:,} of the {len(pairs):,} pairs of dev mismatched whose official label is "
        "known are of the hard subset, those that a model of the hypothesis alone misclassifies. Accuracies "
        "on mismatched are therefore lower than the paper's and than those on matched, and only differences "
        "between test sets or between models can be compared. The findings above are stated for matched "
        "unless they say otherwise."
    ]


if __name__ == "__main__":
    main(Path(__file__).parent, __doc__ or "", prepare=exact_labels, sections=sections)
