"""Reader of MultiNLI's annotated pairs (Williams et al. 2018, section 3.4): a file of tags, and the pairs.

A line of the file has the id of a pair of MultiNLI dev and its tags (``#ANTO``, ``#MODAL`` ...), of which it
may have none.  The pairs are those of MultiNLI dev, which has to be installed too.  Naik et al. (2018,
section 5) compare the accuracy on the pairs tagged ``ANTO`` with that on their antonymy test.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from crossexam.core.errors import FormatError
from crossexam.corpora.installed import data_folder, find_split
from crossexam.corpora.readers.reader import pair, shared_info
from crossexam.corpora.records import Records, Row, detect_format, iter_records, text_lines

_LABELS: Final = frozenset({"entailment", "neutral", "contradiction", "-"})


def tagged_pairs(path: Path) -> Records:
    """Yield the pairs of MultiNLI dev that the file at *path* tags, with the tags; raises FormatError."""
    pairs = _pairs(path)
    for number, line, _ in text_lines(path):
        if isinstance(line, FormatError):
            yield number, line
            continue
        name, *fields = line.split()
        tags = [field.removeprefix("#") for field in fields if field not in _LABELS]
        if name in pairs:
            yield number, {**pairs[name], "annotations": tags}
        else:
            yield (
                number,
                FormatError(
                    f"'{name}' is not a pair of MultiNLI",
                    wanted="the id of a pair of its dev set and its tags, as in 1234n #ANTO",
                ),
            )


def _pairs(path: Path) -> dict[str, Row]:
    """Return the records of the split of MultiNLI dev that *path* annotates, by id."""
    split = "dev_mismatched" if "mismatched" in path.name else "dev_matched"
    for folder in (data_folder(), path.parent, path.parent.parent):
        found = find_split("multinli", split, folder)
        if found is not None:
            records = (record for _, record in iter_records(detect_format(found)))
            return {str(row["pairID"]): row for row in records if not isinstance(row, FormatError)}
    raise FormatError(
        f"the pairs of these annotations are not installed: multinli:{split}",
        where=str(path),
        wanted="MultiNLI in the data folder or beside this file",
        hint="crossexam fetch multinli downloads it",
    )


def annotated(row: Row) -> Row:
    """Read a pair of MultiNLI, with its tags as ``annotations``."""
    return pair(
        row["sentence1"],
        row["sentence2"],
        row["gold_label"],
        name=row["pairID"],
        annotations=row["annotations"],
        annotator_labels=row.get("annotator_labels"),
        **{key: value for key, value in shared_info(row).items() if key != "annotator_labels"},
    )
