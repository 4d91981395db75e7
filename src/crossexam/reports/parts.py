"""The items of the page in parts, each compressed: inside the page, or as files in a folder beside it.

A page that is opened from a disk may fetch no file, but it may run a script that is beside it.  A file of the
folder is therefore a script of one call with a text in base64, so that no sentence can become code.  The name
of a file contains a hash of its content, so that a page never finds the items of another.  The files are
written before the page, and those of an older page are removed after it.  If writing is interrupted, there is
an old page or a new one, with all of its items.

Several processes may write the same page at once: the last one wins.  All who write files into the folder
hold a lock on it together until their page is written.  Files are removed only by somebody who is then alone,
so that nobody's page is still to come; what the page that is there names is kept.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from crossexam.core.dataset import Run
from crossexam.core.files import write_text
from crossexam.core.labels import GOLD_INDEX
from crossexam.core.locks import FOLDER_LOCK, SharedLock, sweep
from crossexam.core.outcome import STATUSES
from crossexam.core.output.escapes import CONTROLS, FORMULA, SIGNED_NUMBER
from crossexam.core.output.file_names import shortened
from crossexam.core.transfers import put_file, remove_there
from crossexam.reports.analyses.ranks import together
from crossexam.reports.items import PageItems
from crossexam.reports.results import SEVERAL, Results
from crossexam.runs.asked import how_asked

#: Items per part: a page shows the first ones of a test set as soon as it has one part.
PART_ITEMS: Final = 2000
#: A page of more items has them in a folder beside it.
MOST_INSIDE: Final = 20_000

_NAME: Final = re.compile(r"\d{4,}-[0-9a-f]{16}")  # of a part
_PART: Final = re.compile(rf"{_NAME.pattern}\.js")
_OURS: Final = re.compile(rf"{_PART.pattern}|\..*\.part|{re.escape(FOLDER_LOCK)}")


class PartsFolder:
    """The folder beside *page* with the parts of its items; it is made when the first part is written."""

    def __init__(self, page: Path) -> None:
        whole = page.stem if page.suffix == ".html" else page.name  # a.HTML may be beside a.html
        self.path = page.with_name(f"{shortened(whole)}_items")
        self._page = page
        self._written: list[str] = []
        self._lock: SharedLock | None = None

    @property
    def address(self) -> str:
        """The folder as the page names it, a URL relative to the page."""
        return f"{quote(os.fsencode(self.path.name))}/"

    def add(self, text: str) -> str:
        """Write a part with *text* in base64 and return its name."""
        self._lock = self._lock or SharedLock(self.path)
        digest = hashlib.sha256(text.encode("ascii")).hexdigest()[:16]
        name = f"{len(self._written):04}-{digest}"
        write_text(self.path / f"{name}.js", f'crossexamItems("{name}","{text}");\n')
        self._written.append(f"{name}.js")
        return name

    def copy(self) -> None:
        """Copy the parts of this page to its place, if that is elsewhere."""
        for name in self._written:
            put_file(self.path / name)

    def parts(self) -> list[Path]:
        """Return the parts in the folder, of this page or an older one; other files are not ours."""
        return self._files(_PART)

    def _files(self, pattern: re.Pattern[str]) -> list[Path]:
        if not self.path.is_dir():
            return []
        return sorted(path for path in self.path.iterdir() if pattern.fullmatch(path.name))

    def remove_older(self) -> None:
        """Remove parts that the page does not have, and unfinished files, unless somebody writes others."""
        if self._lock is not None or self._files(_OURS):
            self._lock = self._lock or SharedLock(self.path)
            if self._lock.is_alone():
                needed = set(_NAME.findall(self._page.read_text(encoding="utf-8")))
                for path in self.parts():
                    if path.stem not in needed:
                        path.unlink(missing_ok=True)
                sweep(self.path)
        remove_there(self.path, lambda name: _PART.fullmatch(name) is not None)

    def close(self) -> None:
        """Release the lock on the folder, and remove the folder if it is empty."""
        if self._lock is not None:
            self._lock.close()
            with suppress(OSError):  # not empty, or gone
                self.path.rmdir()


@contextmanager
def parts_beside(page: Path) -> Iterator[PartsFolder]:
    """Provide the folder for parts of *page*, which is written in the ``with``; then remove older parts."""
    folder = PartsFolder(page)
    try:
        yield folder
        folder.remove_older()
    finally:
        folder.close()


def written_beside(page: Path) -> Path | None:
    """Return the folder with items of the HTML page at *page*; None if there are none beside it."""
    folder = PartsFolder(page)
    return folder.path if page.suffix.lower() == ".html" and folder.parts() else None


def compressed(value: Any) -> str:
    """Return *value* as compressed JSON in base64.

    >>> zlib.decompress(base64.b64decode(compressed(["It rains."])))
    b'["It rains."]'
    """
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode("ascii"))).decode("ascii")


def packed_items(
    results: Results, items: PageItems, folder: PartsFolder | None = None
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return what the page's script knows of *items* from the start, and the parts inside the page by name.

    More than MOST_INSIDE items go to *folder*, if there is one; then no part is inside the page.
    """
    many = sum(len(each.rows) for each in items.shown) > MOST_INSIDE
    inside: dict[str, str] = {}

    def keep(text: str) -> str:
        name = str(len(inside))
        inside[name] = text
        return name

    beside = folder if many else None
    index = _index(results, items, keep if beside is None else beside.add)
    index["folder"] = None if beside is None else beside.address
    return index, inside


def _index(results: Results, items: PageItems, keep: Callable[[str], str]) -> dict[str, Any]:
    """Return the models, test sets and labels for the page's script; *keep* takes and names each part.

    ``controls`` are the characters that the page shows by an escape, ``formula`` holds what begins a formula
    in a spreadsheet unless it is a ``number``, for the CSV that the page writes.  ``golds`` and
    ``answers`` are the labels that some item has, ``parts`` of a test set are names and numbers of items.
    ``statuses`` are the names of the reasons why there is no answer, if one is missing.  ``together`` are the
    models of which one alone can be right, if there are three or more, and their labels are the same.
    """
    is_compared = len(results.models) >= SEVERAL and results.same_labels
    compared = {each.name: each.models for each in together(results)} if is_compared else {}
    golds: set[int] = set()
    answers: set[int] = set()
    sets = []
    for number, shown in enumerate(items.shown):
        parts = []
        for start in range(0, len(shown.rows), PART_ITEMS):
            part = items.packed(number, start, start + PART_ITEMS)
            golds.update(item[2] for item in part["items"])
            answers.update(given[0] for item in part["items"] for given in item[8] if given)
            parts.append([keep(compressed(part)), len(part["items"])])
        dataset = shown.dataset
        sets.append(
            {
                "name": dataset.name,
                "short": results.short_names[dataset.name],
                "shown": len(shown.rows),
                "total": len(dataset),
                "labels": [GOLD_INDEX[label] for label in dataset.projection.labels],
                "together": compared.get(dataset.name, ()),
                "compared": dataset.entry.compares_items,
                "parts": parts,
            }
        )
    return {
        "models": [model.name for model in results.models],
        "twoLabels": [run.two_labels for run in results.runs],
        "rescaled": [_rescaled(run) for run in results.runs],
        "controls": CONTROLS,
        "formula": FORMULA,
        "number": SIGNED_NUMBER,
        "sets": sets,
        "golds": sorted(golds),
        "answers": sorted(answers),
        "statuses": list(STATUSES) if min(answers, default=0) < 0 else [],
    }


def _rescaled(run: Run) -> str:
    """Return how the threshold of the model of *run* changed its probabilities; "" if it did not."""
    threshold = how_asked(run.details).get("threshold")
    changed = isinstance(threshold, float) and threshold != 0.5  # 0.5 stays where it is
    return f"rescaled: 0.5 is the threshold {threshold:g}" if changed else ""
