"""The pairs of MultiNLI dev mismatched whose label is the official one, for studies that build on them."""

from __future__ import annotations

import json
from pathlib import Path

from crossexam.corpora.spec import CorpusSpec

#: The file in the working folder with these pairs.
EXACT = "exact/multinli_dev_mismatched.jsonl"


def exact_labels(work: Path) -> list[str]:
    """Write the pairs of MultiNLI dev mismatched whose label is the official one; no option of `build`.

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


def hard_note(work: Path) -> list[str]:
    """Return a section on how many of the pairs are hard, if the corpus says it."""
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
