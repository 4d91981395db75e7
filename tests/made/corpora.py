"""Files in the formats of corpora, of sentences of our own."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from crossexam.corpora.spec import iter_corpus
from made.cases import Refusal, refused

#: Small files of corpora, as their authors write them.
MADE = Path(__file__).parents[1] / "data" / "suites" / "corpora"


def write_lines(path: Path, lines: Iterable[str], header: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(header + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def write_records(path: Path, records: Iterable[Mapping[str, Any]]) -> Path:
    return write_lines(path, map(json.dumps, records))


def tagged_pair(number: int, label: str, premise: str, hypothesis: str) -> dict[str, str]:
    """A record in SNLI's format with the parses of both sentences, which are parses or words with tags."""
    record = {"pairID": f"t{number}", "gold_label": label}
    for side, words in (("sentence1", premise), ("sentence2", hypothesis)):
        flat = re.sub(r"(\S+)/(\S+)", r"(\2 \1)", words)
        parse = words if words.startswith("(") else f"(S {flat})"
        record[side] = " ".join(re.findall(r" ([^() ]+)\)", parse))
        record[f"{side}_parse"] = f"(ROOT {parse})"
    return record


def write_pairs(folder: Path, name: str, labels: Sequence[str], **more: Sequence[Any]) -> Path:
    """Write a pair for each label in SNLI's format, with the name of the file in its sentences."""
    return write_records(
        folder / f"{name}.jsonl",
        (
            {"pairID": f"{name}{n}", "sentence1": f"{name} {n} runs.", "sentence2": f"{name} {n} moves."}
            | {"gold_label": label, **{field: values[n] for field, values in more.items()}}
            for n, label in enumerate(labels)
        ),
    )


def said_of(*given: Any, **options: Any) -> Refusal:
    """What is said of a corpus that cannot be read."""
    return refused(lambda: list(iter_corpus(*given, **options)))
