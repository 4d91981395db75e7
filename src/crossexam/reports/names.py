"""The short names of test sets and models in reports for people: ``negation`` for ``negation.dev_matched``.

The part, which names the base, is left out if there is only one base.  CSV and JSON keep the full names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from crossexam.core.dataset import Dataset
from crossexam.core.manifest import TestSetEntry
from crossexam.core.rules import OURS

_STATUS = re.compile(r"(.*) \((\w+)\)")

#: In words, the samples of the behaviour analysis, which the paper calls by symbols.
_SYMBOLS: Final = {
    "i_a": "antonyms",
    "i_ta1": "antonyms exchanged",
    "i_ta2": "relative in hypothesis",
    "i_ta3": "relative in premise",
    "e_a": "antonyms in one sentence",
    "e_ta": "antonyms exchanged in one sentence",
    "i_h": "hypernyms",
    "i_th": "hypernyms exchanged",
    "e_h": "hypernyms in one sentence",
    "e_th": "hypernyms exchanged in one sentence",
}

#: Characters of a short name of a model; the middle of a longer one is left out.
_LONGEST: Final = 24


def short_names(test_sets: Mapping[str, Dataset]) -> dict[str, str]:
    """Return a short name per full name of *test_sets*; no two are the same.

    >>> names = ("base.dev", "negation.dev")
    >>> list(short_names({name: Dataset(name, ()) for name in names}).values())
    ['base (dev)', 'negation']
    >>> names = ("base.dev_matched", "base.snli_dev", "cs_0_7.snli_dev")
    >>> list(short_names({name: Dataset(name, ()) for name in names}).values())
    ['base (dev matched)', 'base (snli dev)', 'cs 0.7 (snli dev)']
    >>> names = ("base.dev", "antonymy_released.dev")
    >>> list(short_names({name: Dataset(name, ()) for name in names}).values())
    ['base (dev)', 'antonymy (released)']
    >>> names = ("i_a.snli_train", "i_ta1.snli_train")
    >>> list(short_names({name: Dataset(name, ()) for name in names}).values())
    ['antonyms (i_a)', 'antonyms exchanged (i_ta1)']
    """
    entries = {name: dataset.entry for name, dataset in test_sets.items()}
    bases = {entry.part for entry in entries.values() if entry.is_base}
    several = len(bases or {entry.part for entry in entries.values()}) > 1
    names = {name: _short(name, entry, several or entry.is_base) for name, entry in entries.items()}
    with_part = {name: _short(name, entry, True) for name, entry in entries.items()}
    for longer in (with_part, {name: name for name in names}):
        total = Counter(names.values())
        names = {name: longer[name] if total[short] > 1 else short for name, short in names.items()}
    return names


def named_together(names: Collection[str], test_sets: Mapping[str, Dataset], short: Mapping[str, str]) -> str:
    """Return the *short* names of *names* for a sentence, without the base where all bases are meant.

    That is where all of *test_sets* that differ in the base alone are among *names*.

    >>> sets = {name: Dataset(name, ()) for name in ("base.a", "base.b", "cs.a", "cs.b", "negation.a")}
    >>> named_together(["cs.a", "cs.b", "base.a"], sets, short_names(sets))
    'cs, base (a)'
    """
    alike: dict[str, set[str]] = {}
    for name, dataset in test_sets.items():
        alike.setdefault(_short(name, dataset.entry, False), set()).add(name)
    without = {name: brief for brief, several in alike.items() if several <= {*names} for name in several}
    return ", ".join(dict.fromkeys(without.get(name, short[name]) for name in names))


def _short(name: str, entry: TestSetEntry, with_part: bool) -> str:
    """Return the construction of *name*, with rules, part and status in brackets, or *name* as it is.

    That of a sample of the behaviour analysis is in words, with its symbol in brackets.
    """
    match = _STATUS.fullmatch(name)
    full, status = (match[1], match[2]) if match else (name, "")
    if full != entry.name or not entry.part:
        return name
    rules = "" if entry.rules == OURS else entry.rules
    part = entry.part.replace("_", " ") if with_part else ""
    construction = re.sub(r"(?<=\d)_(?=\d)", ".", entry.construction).replace("_", " ")  # cs_0_7: cs 0.7
    symbol = entry.construction if entry.construction in _SYMBOLS else ""
    details = ", ".join(filter(None, (symbol, rules, part, status)))
    construction = _SYMBOLS.get(symbol, construction)
    return f"{construction} ({details})" if details else construction


def short_model_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return a short name per name of a model: as few of its last folders as tell them apart.

    No two are the same, unless two *names* are; the middle of a long one is left out.

    >>> short_model_names(["hf/models/roberta-large", "zoo/runs/1/esim", "zoo/runs/2/esim"])
    ('roberta-large', '1/esim', '2/esim')
    """
    parts = [name.rstrip("/").split("/") for name in names]
    short = [""] * len(names)
    for place, own in enumerate(parts):
        others = [each for each in parts if each != own]
        depth = 1
        while depth < len(own) and any(each[-depth:] == own[-depth:] for each in others):
            depth += 1
        short[place] = "/".join(own[-depth:])
    cut = [_cut(name) for name in short]
    return tuple(
        name if cut.count(brief) > short.count(name) else brief
        for name, brief in zip(short, cut, strict=True)
    )


def _cut(name: str) -> str:
    """Return *name* without its middle if it is long.

    >>> _cut("roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli")
    'roberta-lar…R1_R2_R3-nli'
    """
    kept = _LONGEST // 2
    return name if len(name) <= _LONGEST else f"{name[: kept - 1]}…{name[-kept:]}"
