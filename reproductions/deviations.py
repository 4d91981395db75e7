"""What deviates from the paper, with figures from the results: the first section of RESULTS.md.

A text may have ``{FACT of ROW}``, a fact of the training or the run of a row, ``{unread of ROW on SET}``,
the percentage of the items of SET whose sentences ROW did not read to the end, and ``{EXPRESSION}``, an
expression of ``findings.py`` in percent.  What is not known, because a row has not been run, is
"(not run yet)".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from findings import AllAnswers, cells_of, estimate

from crossexam.core.errors import CrossexamError

#: results/ROW.json.
Result: TypeAlias = Mapping[str, Any]
#: The number of training pairs of SNLI.
SNLI_PAIRS: Final = 549_367
_NOT_KNOWN: Final = "(not run yet)"
_PLACE: Final = re.compile(r"\{([^{}]+)\}")
_FACT: Final = re.compile(r"(\w+) of (\w+)(?: on ([\w.]+))?")


@dataclass(frozen=True)
class Deviation:
    """Something that deviates from the paper: findings refer to its *name*, and the page shows its *text*.

    What is said of one of its *rows* rests on it, whether a finding refers to it or not.
    """

    name: str
    text: str
    rows: tuple[str, ...] = ()


def _pairs(result: Result) -> int:
    return sum(each["pairs"] for each in result["train"])


def _snli_share(result: Result) -> str:
    snli = sum(each["pairs"] for each in result["train"] if each["corpus"].startswith("snli"))
    return f"{100 * snli / _pairs(result):.0f} %"


def _unparsed(result: Result) -> str:
    if result["parses"] is None:  # the manifest does not say
        return "an unknown number of"
    pairs, parsed = (sum(each[key] for each in result["parses"].values()) for key in ("pairs", "parsed"))
    return f"{pairs - parsed:,} of {pairs:,}"


#: What a text can say of a row, by name.
FACTS: Final[Mapping[str, Callable[[Result], str]]] = {
    "pairs": lambda result: f"{_pairs(result):,}",
    "snli": _snli_share,
    "of_snli": lambda result: f"{100 * _pairs(result) / SNLI_PAIRS:.0f} %",
    "seeds": lambda result: str(len(result["seeds"])),
    "members": lambda result: str(result["members"]),
    "epochs": lambda result: str(result["recipe"]["epochs"]),
    "unparsed": _unparsed,
}
_UNREAD: Final = "unread"


def texts(
    deviations: Iterable[Deviation],
    results: Mapping[str, Result],
    answers: AllAnswers,
    unread: Callable[[str, str], float | None],
) -> dict[str, str]:
    """Return the text of each of *deviations*, by its name.

    *unread* returns the share of the items of a set whose sentences a row did not read to the end, None if
    that is not known.  Raises CrossexamError if a text names no fact.
    """

    def value(inner: str, name: str) -> str:
        if (fact := _FACT.fullmatch(inner)) is None:
            if not all(cell in answers.get(row, {}) for row, cell in cells_of(inner)):
                return _NOT_KNOWN
            return f"{100 * estimate(answers, inner).value:.1f}"
        what, row, on = fact.groups()
        if what == _UNREAD and on:
            share = unread(row, on)
            return _NOT_KNOWN if share is None else f"{100 * share:.0f} %"
        if what not in FACTS:
            raise CrossexamError(
                f"'{inner}' is no fact of a row", where=f"deviation {name}", wanted=", ".join(FACTS)
            )
        return FACTS[what](results[row]) if row in results else _NOT_KNOWN

    def filled(deviation: Deviation) -> str:
        return _PLACE.sub(lambda match: value(match[1], deviation.name), deviation.text)

    return {each.name: filled(each) for each in deviations}
