"""Write verdicts into the test sets that were judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.files import read_json, write_json
from crossexam.core.suite_files import MANIFEST, load_suite
from crossexam.core.tables import write_test_set
from crossexam.suites.status import PROPOSED, REJECTED, STATUS, STATUSES, VERDICT, VERIFIED
from crossexam.validation.study import Study
from crossexam.validation.verdict import OPEN, Verdict, verdicts

#: How many judges give the item's label, and of how many: ``[2, 3]``.
AGREED: Final = "agreed"


def judged(example: Example, verdict: Verdict | None) -> Example:
    """Return *example* with *verdict* in its ``info``; an earlier one is taken away where it is open again.

    Where the construction only proposed the label, ``info["status"]`` follows.

    >>> judged(Example("a", "p", "h", "neutral", info={"status": "proposed"}), Verdict("verified", 2, 3)).info
    {'status': 'verified', 'verdict': 'verified', 'agreed': [2, 3]}
    """
    if verdict is None:
        return example
    info = {key: value for key, value in example.info.items() if key not in {VERDICT, AGREED}}
    is_proposed = info.get(STATUS) in STATUSES
    if verdict.status == OPEN:
        return replace(example, info={**info, STATUS: PROPOSED} if is_proposed else info)
    if is_proposed:
        info[STATUS] = verdict.status
    return replace(example, info={**info, VERDICT: verdict.status, AGREED: [verdict.agreed, verdict.judges]})


def apply_verdicts(study: Study, path: Path) -> dict[str, dict[str, int]]:
    """Write the verdicts of *study* into the suite *path* and return how many of each, by test set.

    Each file is written whole or not at all, the manifest last; ids, texts and labels do not change, so that
    runs over the suite stay what they are.  Doing it again changes nothing.  Raises CrossexamError where the
    suite is not the one that was judged.
    """
    found = verdicts(study)
    if not found:
        raise CrossexamError(
            "the study asks for no labels: there is no verdict on an item", where=str(study.folder)
        )
    suite = load_suite(path)
    for name in found:
        _check(name, suite.datasets.get(name), study, path)
    counts: dict[str, dict[str, int]] = {}
    for name, of in found.items():
        dataset = suite.datasets[name]
        file = Path(str(dataset.manifest["path"]))
        examples = [judged(example, of.get(example.id)) for example in dataset]
        write_test_set(file, examples, file_format=file.suffix.removeprefix("."))
        tally = Counter(verdict.status for verdict in of.values())
        counts[name] = {status: tally[status] for status in (VERIFIED, REJECTED, OPEN)}
    if path.is_dir():
        _note(path / MANIFEST, study, counts)
    return counts


def _check(name: str, dataset: Dataset | None, study: Study, path: Path) -> None:
    hint = "give the suite that `validate sample` drew from"
    if dataset is None:
        raise CrossexamError(f"the suite has no test set '{name}'", where=str(path), hint=hint)
    known, now = study.manifest["test_sets"][name]["content_hash"], dataset.content_hash()
    if now != known:
        raise CrossexamError(
            f"test set '{name}' is not the one that was judged (content {now}, not {known})",
            where=str(path),
            hint=hint,
        )


def _note(manifest_file: Path, study: Study, counts: Mapping[str, Mapping[str, int]]) -> None:
    manifest: dict[str, Any] = read_json(manifest_file)
    for name, tally in counts.items():
        manifest["test_sets"][name]["verdict"] = {
            "study": study.identity, "signature": study.manifest.get("signature"),
            "judges": len(study.judges), **tally,
        }  # fmt: skip
    write_json(manifest_file, manifest)
