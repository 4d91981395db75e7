"""From what a server sends to the row of a pair: probabilities, or the reason why there are none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappush, heappushpop
from typing import Any, Final, NamedTuple

from crossexam.core.labels import LABELS
from crossexam.core.outcome import ANSWERED, Outcome
from crossexam.models.api.endpoint import ServerError
from crossexam.models.api.logprobs import LabelShares, shares_at
from crossexam.models.api.questions import Way
from crossexam.models.api.reading import LabelForms, ReadAnswer, read_answer
from crossexam.models.label_order import ClassName

#: Below this label mass, probabilities say little.
LOW_MASS: Final = 0.5
Row = tuple[float, float, float]
NOTHING: Final[Row] = (float("nan"), float("nan"), float("nan"))
_MOST_TEXT: Final = 4_000
_MOST_TOP: Final = 20
_CONTEXT: Final = re.compile(
    r"context[ _](?:length|size|window)|maximum[ _]context|prompt is too long|too many (?:input )?tokens"
    r"|exceed_context",
    re.IGNORECASE,
)
_FILTER: Final = re.compile(r"content[ _]?(?:filter|policy|management)|safety|moderation", re.IGNORECASE)
_FILTER_MESSAGE: Final = re.compile(r"content filter|content management policy", re.IGNORECASE)
Usage = Mapping[str, int]


def status_of_rejection(error: ServerError) -> str | None:
    """Return the status of a pair that the server refuses, None if the refusal is not about the pair.

    >>> status_of_rejection(ServerError(400, "too long", code="context_length_exceeded"))
    'too_long'
    """
    if error.status not in (400, 403, 413, 422):
        return None
    text = f"{error.code} {error.kind} {error.message}"
    if error.status != 403 and _CONTEXT.search(text):
        return "too_long"
    is_filter = _FILTER.search(f"{error.code} {error.kind}") or _FILTER_MESSAGE.search(error.message)
    return "filtered" if is_filter and error.status != 422 else None


class Said(NamedTuple):
    """What one choice of a chat completion says.

    It is a *text* or a *refusal*, *finish* is why it ended, *tokens* are its log-probabilities if there are
    any.
    """

    text: str | None
    refusal: str
    finish: str
    tokens: Any


def said_in(choice: Mapping[str, Any]) -> Said:
    """Return what *choice* of a chat completion says.

    >>> said_in({"message": {"content": "Yes"}, "finish_reason": "stop"})
    Said(text='Yes', refusal='', finish='stop', tokens=None)
    """
    found, listed = choice.get("message"), choice.get("logprobs")
    message = found if isinstance(found, Mapping) else {}
    refusal = message.get("refusal")
    return Said(
        text_of(message.get("content")),
        refusal if isinstance(refusal, str) else "",
        str(choice.get("finish_reason") or ""),
        listed.get("content") if isinstance(listed, Mapping) else None,
    )


@dataclass(frozen=True)
class ReplyReader:
    """Reads what a server sent: *forms* are how labels are written, *way* is how answers were asked for."""

    forms: LabelForms
    way: Way
    keep_text: bool = True

    def outcome(self, choices: Sequence[Mapping[str, Any]]) -> tuple[Row, Outcome]:
        """Return the probabilities in the *choices* of one pair, in the order of LABELS, and the outcome.

        Without an answer, the probabilities are NaN.
        """
        if self.way.name == "samples":
            return self._of_samples(choices)
        return self._of_one(choices[0])

    def read(self, choice: Mapping[str, Any]) -> tuple[ReadAnswer, str]:
        """Return what the text of *choice* says, and the text."""
        said = said_in(choice)
        found = read_answer(said.text, self.forms, finish=said.finish, refusal=said.refusal)
        return found, said.text or ""

    def _of_one(self, choice: Mapping[str, Any]) -> tuple[Row, Outcome]:
        answer, text = self.read(choice)
        detail = {"finish": choice.get("finish_reason")} | (
            {"text": text[:_MOST_TEXT]} if self.keep_text else {}
        )
        if answer.label is None:
            return NOTHING, Outcome(answer.status, detail=detail)
        detail |= {"rule": answer.rule}
        if self.way.name != "logprobs":
            return self._row({answer.label: 1.0}), Outcome(detail=detail)
        return self._with_shares(choice, text, answer, detail)

    def _with_shares(
        self, choice: Mapping[str, Any], text: str, answer: ReadAnswer, detail: dict[str, Any]
    ) -> tuple[Row, Outcome]:
        """Return the probabilities at the answer, all for its label if there are none or they disagree."""
        found = shares_at(said_in(choice).tokens, text, answer, self.forms)
        assert answer.label is not None
        if isinstance(found, str):
            return self._row({answer.label: 1.0}), Outcome(detail={**detail, "logprobs": found})
        detail |= {"top": _rounded(found), "least": found.least}
        if found.shares[answer.label] < max(found.shares.values()):
            detail |= {"logprobs": "disagree", "mass": round(found.mass, 6)}
            return self._row({answer.label: 1.0}), Outcome(detail=detail)
        detail |= {"logprobs": "aligned", "mass": round(found.mass, 6)}
        return self._row(found.shares), Outcome(ANSWERED, found.mass, detail)

    def _of_samples(self, choices: Sequence[Mapping[str, Any]]) -> tuple[Row, Outcome]:
        """Return the shares of the labels among the answers."""
        read = [self.read(choice) for choice in choices]
        labels = [answer.label for answer, _ in read if answer.label is not None]
        counts = Counter(answer.label or answer.status for answer, _ in read)
        detail: dict[str, Any] = {"samples": dict(counts)}
        detail |= {"text": read[0][1][:_MOST_TEXT]} if self.keep_text else {}
        if not labels:
            return NOTHING, Outcome(counts.most_common(1)[0][0], detail=detail)
        shares = {label: count / len(labels) for label, count in Counter(labels).items()}
        return self._row(shares), Outcome(ANSWERED, len(labels) / len(read), detail)

    def _row(self, shares: Mapping[ClassName, float]) -> Row:
        """Return *shares* in the order of LABELS; all of not_entailment is in the column of neutral."""
        entailed, open_, denied = (shares.get(label, 0.0) for label in LABELS)
        return entailed, open_ + shares.get("not_entailment", 0.0), denied


def text_of(content: object) -> str | None:
    """Return the text in the *content* of a message: a string, or a list of parts.

    >>> text_of([{"type": "text", "text": "Y"}, {"type": "text", "text": "es"}])
    'Yes'
    """
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else None


def _rounded(found: LabelShares) -> list[list[Any]]:
    listed = sorted(found.top, key=lambda pair: -pair[1])[:_MOST_TOP]
    return [[token, round(value, 4)] for token, value in listed]


def usage_of(reply: Mapping[str, Any]) -> dict[str, int]:
    """Return the tokens that a reply says were used, by kind; a kind that it does not name is missing.

    >>> usage_of({"usage": {"prompt_tokens": 9, "completion_tokens": 2}})
    {'input': 9, 'output': 2}
    """
    found = reply.get("usage")
    used = found if isinstance(found, Mapping) else {}
    read, written = (used.get(f"{side}_tokens_details") for side in ("prompt", "completion"))
    values = {
        "input": used.get("prompt_tokens"),
        "cached": read.get("cached_tokens") if isinstance(read, Mapping) else None,
        "output": used.get("completion_tokens"),
        "reasoning": written.get("reasoning_tokens") if isinstance(written, Mapping) else None,
    }
    return {name: value for name, value in values.items() if isinstance(value, int) and value >= 0}


class Tally:
    """Counts over the details of answers: by which rule they were read, and what of their log-probabilities.

    >>> tally = Tally()
    >>> tally.add([{"rule": "exact", "logprobs": "aligned", "mass": 0.9}, {"rule": "json"}, None])
    >>> tally.facts["parse"], tally.facts["logprobs"]
    ({'exact': 1, 'json': 1}, {'aligned': 1, 'mass_median': 0.9, 'low_mass': 0})
    """

    def __init__(self) -> None:
        self._rules: Counter[str] = Counter()
        self._states: Counter[str] = Counter()
        self._masses = RunningMedian()
        self._low = 0

    def add(self, details: Iterable[Mapping[str, Any] | None]) -> None:
        """Count *details*."""
        for detail in details:
            if detail and isinstance(rule := detail.get("rule"), str):
                self._rules[rule] += 1
            if detail and isinstance(state := detail.get("logprobs"), str):
                self._states[state] += 1
                if "mass" in detail:
                    mass = float(detail["mass"])
                    self._masses.add(mass)
                    self._low += mass < LOW_MASS

    @property
    def facts(self) -> dict[str, Any]:
        """The counts, and the median of the label mass with the number of those below 1/2."""
        facts: dict[str, Any] = {"parse": dict(self._rules)} if self._rules else {}
        if self._states:
            facts["logprobs"] = dict(self._states)
        if (middle := self._masses.value) is not None:
            facts["logprobs"] |= {"mass_median": middle, "low_mass": self._low}
        return facts


class RunningMedian:
    """The median of numbers so far: asking for it sorts nothing, however often that is done."""

    def __init__(self) -> None:
        self._lower: list[float] = []  # negated, so that the largest is first; as many, or one more
        self._upper: list[float] = []

    def add(self, number: float) -> None:
        """Take *number* into account, in time that grows with the logarithm of how many there are."""
        if len(self._lower) > len(self._upper):
            heappush(self._upper, -heappushpop(self._lower, -number))
        else:
            heappush(self._lower, -heappushpop(self._upper, number))

    @property
    def value(self) -> float | None:
        """The median as statistics.median has it, None without numbers."""
        if not self._lower:
            return None
        if len(self._lower) > len(self._upper):
            return -self._lower[0]
        return (self._upper[0] - self._lower[0]) / 2
