"""A study: a folder with the items, the judges, and the answers of each.

``items.json`` has the items, their gold labels, and the tokens and orders of the judges; it stays as it was
drawn, and its SHA-256 is in ``manifest.json``.  Each judge's answers are appended to a file of their own
(:mod:`crossexam.validation.answer_log`).  Only the owner of these files may read them.
"""

from __future__ import annotations

import json
import secrets
import warnings
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import SIDES, Side
from crossexam.core.files import keep, new_folder, sha256_of, writing
from crossexam.core.labels import Gold, Projection, parse_label, projection_of
from crossexam.core.locks import waiting_for
from crossexam.core.manifest import TestSetEntry, manifest_in
from crossexam.core.output.escapes import json_text
from crossexam.core.sealed import MANIFEST, as_json, check_files, typed, write_manifest
from crossexam.validation.answer_log import PAGE, AnswerLog, CutOffWarning, Judgement
from crossexam.validation.questions import ANTONYM_KIND, CANNOT_SAY, GRAMMAR_KEPT, QUESTIONS

ITEMS: Final = "items.json"
_RESTORE: Final = "restore the file from a copy of the study; what each judge answered is in JUDGE.jsonl"


@dataclass(frozen=True)
class Item:
    """An item to judge; *asked* are keys of questions, *predicted* and *suggested* are for error studies.

    *before* has the sentences that its construction edited, as they were, *pair* its two words; *status* is
    that of a label that was only proposed.
    """

    number: int
    test_set: str
    example: str
    premise: str
    hypothesis: str
    gold: Gold | None
    predicted: Gold | None
    cluster: str
    asked: tuple[str, ...]
    suggested: tuple[tuple[str, str], ...] = ()
    before: Mapping[Side, str] = field(default_factory=dict)
    status: str | None = None
    pair: str | None = None

    def revealed(self, question: str) -> dict[str, str]:
        """Return by column what judges see with *question* and must not see with others."""
        if question == GRAMMAR_KEPT:
            return {f"{side} before the change": self.before.get(side, "") for side in SIDES}
        return {"words": self.pair or ""} if question == ANTONYM_KIND else {}

    @property
    def name(self) -> str:
        """Return the name that judges see; it reveals neither the test set nor the label."""
        return f"i{self.number:05d}"


class SampledSet(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the manifest of a study says of a test set: some of what the suite says, and what was drawn."""

    construction: str  # with its version
    part: str
    rows: int
    content_hash: str
    signature: str | None
    projection: str | None
    drawn: int  # so many items
    strata: Mapping[str, int]  # of the items that were drawn
    questions: Sequence[str]
    for_pairs: int | None = None  # of the items that were drawn, those that are controls of others
    of: int | None = None  # the items that could be drawn, if these are not all


class StudyManifest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What stands in the ``manifest.json`` of a study; ``facts`` say what it was sampled from."""

    format: int
    facts: Mapping[str, Any]
    signature: str
    seed: int
    per_set: int  # so many items of a test set were to be drawn
    judges: Sequence[str]
    items: int
    test_sets: Mapping[str, SampledSet]
    study: str | None = None  # its id, drawn when it is written
    files: Mapping[str, str] = {}  # the SHA-256 of the file of items

    def to_json(self) -> dict[str, Any]:
        """Return the manifest as it is written."""
        return as_json(self)


class JudgeProgress(NamedTuple):
    """How far a judge is: *done* of *total* items, and the next *item* and *question* (None if all is done).

    *given* are the answers to earlier questions about the next item.
    """

    item: Item | None
    question: str | None
    done: int
    total: int
    given: Mapping[str, str]


class Study:
    """A study in its *folder*; *content* is that of its items.  Answers are read anew whenever asked for."""

    def __init__(self, folder: Path, manifest: StudyManifest, content: Mapping[str, Any]) -> None:
        self.folder, self.manifest = folder, manifest
        #: The items by number.
        self.items: Final = {entry["number"]: _item_of(entry) for entry in content["items"]}
        #: The token of each judge by name.
        self.judges: Final[dict[str, str]] = {
            judge: entry["token"] for judge, entry in content["judges"].items()
        }
        #: The key that signs cookies and form tokens.
        self.secret: Final = bytes.fromhex(content["secret"])
        self._orders: Final[dict[str, list[int]]] = {
            judge: entry["order"] for judge, entry in content["judges"].items()
        }
        self._logs: Final = {
            judge: AnswerLog(folder / _log_name(judge), judge, self._check) for judge in self.judges
        }

    @property
    def identity(self) -> str:
        """The id of the study: eight hexadecimal digits."""
        return str(self.manifest.study)

    def entry(self, name: str) -> TestSetEntry:
        """Return what the manifest says of test set *name*; raises KeyError if it is not in the study."""
        known = self.manifest.test_sets[name]
        return TestSetEntry(
            versioned=known.construction,
            part=known.part,
            rows=known.rows,
            content_hash=known.content_hash,
            signature=known.signature,
            projection=known.projection,
        )

    @cached_property
    def projections(self) -> dict[str, Projection]:
        """How the labels of each test set are read; judges choose among three, a corpus may have two."""
        golds: dict[str, list[Gold | None]] = {}
        for item in self.items.values():
            golds.setdefault(item.test_set, []).append(item.gold)
        return {name: projection_of(self.entry(name).projection, of_set) for name, of_set in golds.items()}

    def label(self, item: Item, value: str) -> str:
        """Return the answer *value* to the question for the label, as one of the labels of the test set.

        Of two labels, neutral and contradiction are not_entailment.  CANNOT_SAY remains what it is.
        """
        if value == CANNOT_SAY:
            return value
        return self.projections[item.test_set].read(parse_label(value)) or CANNOT_SAY

    def order(self, judge: str) -> list[int]:
        """Return the numbers of the items in the order of *judge*."""
        return self._orders[judge]

    def judgements(self, judge: str | None = None) -> list[Judgement]:
        """Return the latest judgements, of *judge* or of all judges, sorted.

        Raises FormatError that names the line that is not an answer.
        """
        judges = self.judges if judge is None else [judge]
        return sorted(answer for name in judges for answer in self._logs[name].latest().values())

    def check_answers(self) -> None:
        """Raise FormatError if an answer is damaged; warn if the last of a judge was not saved completely."""
        for log in self._logs.values():
            if not log.path.exists():
                raise FormatError(f"there is no {log.path.name}", where=str(self.folder), hint=_RESTORE)
            if log.read():
                warnings.warn(
                    CutOffWarning(f"{log.path}: the last line is incomplete, so this answer is left out"),
                    stacklevel=3,
                )

    def progress(self, judge: str) -> JudgeProgress:
        """Return how far *judge* is, with the first unanswered question in the judge's order of items."""
        given: dict[int, dict[str, str]] = {}
        for judgement in self.judgements(judge):
            given.setdefault(judgement.item, {})[judgement.question] = judgement.value
        items = [self.items[number] for number in self.order(judge)]
        due = [
            (item, left)
            for item in items
            if (left := [key for key in item.asked if key not in given.get(item.number, {})])
        ]
        if not due:
            return JudgeProgress(None, None, len(items), len(items), {})
        item, left = due[0]
        return JudgeProgress(item, left[0], len(items) - len(due), len(items), given.get(item.number, {}))

    def record(self, judgement: Judgement) -> bool:
        """Save *judgement*; return False if it changes nothing.  Raises CrossexamError if it is not valid."""
        return self.record_all([judgement], source=PAGE) == 1

    def record_all(self, judgements: Sequence[Judgement], *, source: str) -> int:
        """Save *judgements*, all or none; return how many are new or changed.  Raises CrossexamError.

        What a killed process has saved of them is not saved again.
        """
        by_judge: dict[str, list[Judgement]] = {}
        for judgement in judgements:
            self._check(judgement)
            by_judge.setdefault(judgement.judge, []).append(judgement)
        new = 0
        with self._alone(), ExitStack() as written:
            for judge, given in by_judge.items():
                log = self._logs[judge]
                if changes := _changes(log.latest(), given):
                    written.callback(log.cut)
                    log.append(changes, source)
                    new += len(changes)
            written.pop_all()
        return new

    def undo(self, judge: str) -> bool:
        """Undo the latest click of *judge* on the page; return False if there is none."""
        log = self._logs[judge]
        with self._alone():
            if can_undo := log.can_undo():
                log.undo()
        return can_undo

    def _alone(self) -> AbstractContextManager[None]:
        """Hold the lock, so that nobody else saves between reading and writing."""
        return waiting_for(self.folder)

    def _check(self, judgement: Judgement) -> None:
        if judgement.judge not in self.judges:
            raise CrossexamError(f"no judge is called '{judgement.judge}'", wanted=", ".join(self.judges))
        item = self.items.get(judgement.item)
        if item is None:
            raise CrossexamError(f"the study has no item {judgement.item}")
        if judgement.question not in item.asked:
            raise CrossexamError(
                f"'{judgement.question}' is not a question about item {item.name}",
                wanted=", ".join(item.asked),
            )
        known = [choice.value for choice in QUESTIONS[judgement.question].choices]
        if judgement.value not in known:
            raise CrossexamError(
                f"'{judgement.value}' is not an answer to '{judgement.question}'", wanted=", ".join(known)
            )


def _log_name(judge: str) -> str:
    return f"{judge}.jsonl"


def _changes(known: Mapping[tuple[int, str], Judgement], given: Sequence[Judgement]) -> list[Judgement]:
    """Return those of the judgements *given* by a judge that change what is *known*, in order."""
    latest, changes = dict(known), []
    for judgement in given:
        if latest.get(judgement[1:3]) != judgement:
            changes.append(judgement)
            latest[judgement[1:3]] = judgement
    return changes


def open_study(folder: Path) -> Study:
    """Return the study in *folder*.

    Raises FormatError if there is none, or if it is not as it was written.  Warns of an answer that was not
    written to its end.
    """
    content, items_file = manifest_in(folder, "study", hint=_RESTORE), folder / ITEMS
    if not items_file.exists():
        raise FormatError(f"there is no {ITEMS}", where=str(folder), hint=_RESTORE)
    manifest = typed(content, StudyManifest, folder / MANIFEST, hint=_RESTORE)
    check_files(folder, manifest.files, hint=_RESTORE)
    study = Study(folder, replace(manifest, files={}), json.loads(items_file.read_text(encoding="utf-8")))
    study.check_answers()
    return study


def create_study(
    folder: Path, items: Sequence[Item], orders: Mapping[str, Sequence[int]], manifest: StudyManifest
) -> None:
    """Write a study into *folder*; *orders* are the item numbers in the order of each judge.

    The folder is written completely or not at all.  If it has the same study, without an answer, that stays.
    Raises CrossexamError if it has anything else, or if the disk is full.
    """
    if _is_drawn(folder, manifest):
        return
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CrossexamError("this folder is not empty", where=str(folder), hint="choose another -o")
    content = {
        "secret": secrets.token_hex(32),
        "judges": {
            judge: {"token": secrets.token_urlsafe(24), "order": list(order)}
            for judge, order in orders.items()
        },
        "items": [vars(item) for item in items],
    }
    with new_folder(folder, purpose="sampling") as unfinished:
        for name in (ITEMS, *map(_log_name, orders)):
            (unfinished / name).touch(mode=0o600)
        with writing(folder / ITEMS):
            (unfinished / ITEMS).write_text(json_text(content, indent=1) + "\n", encoding="utf-8")
        files = {ITEMS: sha256_of(unfinished / ITEMS)}
        write_manifest(unfinished / MANIFEST, replace(manifest, study=secrets.token_hex(4), files=files))
    for name in (ITEMS, *map(_log_name, orders), MANIFEST):
        keep(folder / name)


def _is_drawn(folder: Path, manifest: StudyManifest) -> bool:
    """Return whether *folder* has the study of *manifest*, and nobody has answered."""
    try:
        study = open_study(folder)
    except FormatError:
        return False
    return study.manifest == replace(manifest, study=study.identity) and not study.judgements()


def _item_of(entry: Mapping[str, Any]) -> Item:
    """Return the item that *entry* of a file of items describes."""
    asked, suggested = tuple(entry["asked"]), tuple(map(tuple, entry["suggested"]))
    return Item(**{**entry, "asked": asked, "suggested": suggested})
