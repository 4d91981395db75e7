"""What is found out about a server and a model before the first pair is asked: thirty easy pairs go first.

They show which fields the server refuses and which it ignores, whether log-probabilities come and are those
of the text, and whether the model's labels mean what the template says
(:mod:`crossexam.models.label_order`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from crossexam.core.errors import CrossexamError
from crossexam.core.labels import GOLDS, LABELS, THREE_LABELS, Gold, label_indices
from crossexam.core.outcome import ANSWERED
from crossexam.core.output.escapes import quoted
from crossexam.models.api.asking import Reply
from crossexam.models.api.questions import Questions, Sampling, Way
from crossexam.models.api.replies import ReplyReader, usage_of
from crossexam.models.label_order import PROBE, TWO_LABELS, Order, ProbeResult, agreements, order_text

#: Log-probabilities are used if so many of the answers that could be read have them.
_ENOUGH: Final = 0.5
NO_PROBE_WARNING: Final = (
    "the batch files have no answers about the probe: it could not be verified that the model's labels mean "
    "what the template says"
)


@dataclass(frozen=True)
class ProbeReplies:
    """What came back for the pairs of the probe: *replies* has None where a pair was refused."""

    replies: Sequence[Sequence[Reply] | None]
    questions: Questions
    forms_of: ReplyReader
    sampling: Sampling

    def way(self, asked: Way) -> Way:
        """Return the way in which answers are read; raises CrossexamError if *asked* is not possible."""
        if asked.name not in ("auto", "logprobs"):
            return asked
        reader = ReplyReader(self.forms_of.forms, Way("logprobs"))
        states = [self._state(reader, choices) for choices in self._choices()]
        readable = [state for state in states if state is not None]
        aligned = sum(state in ("aligned", "disagree", "no_label") for state in readable)
        if aligned and aligned >= _ENOUGH * len(readable):
            return Way("logprobs")
        if asked.name == "auto":
            return Way("text")
        sent = any(state != "missing" for state in readable)
        raise CrossexamError(
            "the log-probabilities that the server sends are not those of its texts"
            if sent
            else "the server sends no log-probabilities",
            wanted=f"log-probabilities for at least half of the {len(readable)} answers to the probe",
            hint="--answer text reads labels only; --answer samples:N estimates probabilities",
        )

    def ignored(self) -> list[str]:
        """Return the groups of fields that the server took and ignored, as far as answers show it."""
        fields, choices = self.questions.fields, self._choices()
        usage = [usage_of(reply) for several in self.replies for reply in several or ()]
        texts = [self.forms_of.read(choice) for choice in choices]
        found = {
            "logprobs": "logprobs" in fields and not any(_has_logprobs(choice) for choice in choices),
            "samples": "n" in fields and any(len(several or ()) > 1 for several in self.replies),
            "max_output": any(each.get("output", 0) > self.sampling.limit for each in usage),
            "reasoning": self.sampling.reasoning == "off"
            and (any(each.get("reasoning") for each in usage) or any(map(_has_reasoning, choices))),
            "choice": bool(self.questions.groups.get("choice"))
            and any(answer.rule not in ("exact", "json") for answer, _ in texts),
        }
        return [group for group, is_ignored in found.items() if is_ignored]

    def judged(self, two_label: bool) -> tuple[ProbeResult, int]:
        """Return how well the labels fit the thirty pairs, and how many answers could be read.

        An answer that cannot be read is wrong.
        """
        labels = [self._label(several) for several in self.replies]
        gold = [label for _, _, label in PROBE]
        read = [(label, right) for label, right in zip(labels, gold, strict=True) if label is not None]
        result = _of_two(read) if two_label else _of_three(read)
        return result, len(read)

    def refuse_unreadable(self, readable: int) -> None:
        """Raise CrossexamError if none of the answers can be read."""
        if readable:
            return
        texts = [text for text in (self.forms_of.read(choice)[1] for choice in self._choices()) if text]
        example = f", such as {quoted(' '.join(texts[0].split()))}" if texts else ""
        raise CrossexamError(
            f"none of the answers to the {len(PROBE)} easy pairs of the probe can be read{example}",
            wanted="answers that name a label of the template",
            hint=self._way_out(),
        )

    def _way_out(self) -> str:
        """Return what may make the answers readable."""
        is_restricted = bool(self.questions.groups.get("choice"))
        choice = "" if is_restricted else "--answer choice (which allows the labels alone), "
        return (
            f"try {choice}--labels WORD=LABEL (which declares words of the answers), another --template, "
            f"or another --max-output than {self.sampling.limit}: a larger one if answers are cut short, a "
            "smaller one if they go on after the label"
        )

    def _choices(self) -> list[Mapping[str, Any]]:
        return [choice for several in self.replies for reply in several or () for choice in reply["choices"]]

    def _state(self, reader: ReplyReader, choice: Mapping[str, Any]) -> str | None:
        detail = reader.outcome([choice])[1].detail or {}
        return detail.get("logprobs")

    def _label(self, several: Sequence[Reply] | None) -> str | None:
        choices = [choice for reply in several or () for choice in reply["choices"]]
        if not choices:
            return None
        row, outcome = self.forms_of.outcome(choices)
        if outcome.status != ANSWERED:
            return None
        label: Gold = GOLDS[label_indices(np.array([row]), THREE_LABELS)[0]]
        return label


def _of_three(read: Sequence[tuple[str, str]]) -> ProbeResult:
    answered = len(read) / len(PROBE)
    scored = agreements([LABELS.index(label) for label, _ in read], [gold for _, gold in read])
    shares = {order: share * answered for share, order in scored}
    best = max(shares, key=lambda order: shares[order])
    declared: Order = LABELS
    return ProbeResult(declared, shares[declared], best, shares[best])


def _of_two(read: Sequence[tuple[str, str]]) -> ProbeResult:
    """Return the mean of the accuracies on entailment and on the rest, as labels are and exchanged."""
    shares, exchanged = [], []
    for side in (True, False):
        count = sum((gold == "entailment") == side for _, _, gold in PROBE)
        predicted = [label == "entailment" for label, gold in read if (gold == "entailment") == side]
        right = predicted.count(side)
        shares.append(right / count)
        exchanged.append((len(predicted) - right) / count)
    share, other = sum(shares) / 2, sum(exchanged) / 2
    swapped: Order = ("not_entailment", "entailment")
    return ProbeResult(TWO_LABELS, share, *((TWO_LABELS, share) if share >= other else (swapped, other)))


def refuse_exchanged_labels(result: ProbeResult, template: str) -> None:
    """Raise CrossexamError if the labels of *template* fit the probe far better in another order."""
    if result.conflicts:
        raise CrossexamError(
            f"with the labels of the template '{template}', the model gets {100 * result.share:.0f} % of "
            f"{len(PROBE)} easy items right; if they meant {order_text(result.best)}, it would get "
            f"{100 * result.best_share:.0f} %",
            where="--template",
            wanted=f"labels for {order_text(result.order)}, each in the words that mean it",
        )


def low_probe_warning(result: ProbeResult) -> str:
    """Return the warning if a model gets few of the easy pairs right, whatever its labels mean.

    >>> low_probe_warning(ProbeResult(LABELS, 0.4, LABELS, 0.4)).partition(":")[0]
    'the model gets only 40 % of the 30 easy items of the probe right'
    """
    other = ""
    if result.best != result.order:
        other = f" ({100 * result.best_share:.0f} % if its labels meant {order_text(result.best)})"
    return (
        f"the model gets only {100 * result.share:.0f} % of the {len(PROBE)} easy items of the probe right"
        f"{other}: it could not be verified that its labels mean what the template says"
    )


def _has_logprobs(choice: Mapping[str, Any]) -> bool:
    listed = choice.get("logprobs")
    return isinstance(listed, Mapping) and bool(listed.get("content"))


def _has_reasoning(choice: Mapping[str, Any]) -> bool:
    message = choice.get("message")
    message = message if isinstance(message, Mapping) else {}
    return bool(message.get("reasoning_content") or message.get("reasoning"))
