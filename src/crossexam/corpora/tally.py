"""The count of what reading a corpus met."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from crossexam.core.errors import FormatError
from crossexam.core.example import Example

MESSAGES_KEPT: Final = 5


@dataclass
class CorpusReport:
    """What reading a corpus met: records *read*, those given as *examples*, and those left out.

    *no_gold* records have no gold label, *bad* ones could not be read (*messages*: the first few);
    *renamed* ids stood there before and got ``~2``, ``~3`` ... after them;
    *unlabelled* pairs are in a file that has no labels.  *labels* counts the
    examples given (None: no label).
    """

    read: int = 0
    examples: int = 0
    no_gold: int = 0
    bad: int = 0
    renamed: int = 0
    unlabelled: int = 0
    labels: Counter[str | None] = field(default_factory=Counter)
    messages: list[str] = field(default_factory=list)

    def note_bad(self, error: FormatError) -> None:
        """Count a record that could not be read."""
        self.bad += 1
        if len(self.messages) < MESSAGES_KEPT:
            self.messages.append(str(error))

    def note_example(self, example: Example) -> None:
        """Count an example given."""
        self.examples += 1
        self.labels[example.label] += 1
        self.unlabelled += example.label is None and bool(example.hypothesis)

    def reset(self) -> None:
        """Begin to count anew."""
        vars(self).update(vars(CorpusReport()))

    def summary(self) -> str:
        """Return in one line what was left out or renamed; empty where nothing was.

        >>> CorpusReport(read=10_000, no_gold=158).summary()
        'of 10,000 records 158 have no gold label'
        """
        facts = {
            "have no gold label": self.no_gold,
            "are malformed and were skipped": self.bad,
            "repeat an id and were renamed": self.renamed,
        }
        if self.unlabelled == self.examples > 0:
            return (
                f"none of {self.examples:,} pairs has a label, so that no accuracy can be measured; "
                "--columns label=NAME names their column"
            )
        told = ", ".join(f"{count:,} {what}" for what, count in facts.items() if count)
        return f"of {self.read:,} records {told}" if told else ""

    def as_dict(self) -> dict[str, Any]:
        """Return the counts for a manifest; labels in the order of their names, "none" last."""
        named = {label: self.labels[label] for label in sorted(filter(None, self.labels))}
        if self.labels[None]:
            named["none"] = self.labels[None]
        return {
            "read": self.read,
            "examples": self.examples,
            "labels": named,
            "no_gold": self.no_gold,
            "bad": self.bad,
            "bad_messages": list(self.messages),
            "renamed_ids": self.renamed,
        }
