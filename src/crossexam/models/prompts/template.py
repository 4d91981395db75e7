"""Prompt templates: the words in which a model is asked about a pair, and how it is to write each label.

A template is data.  Its fields, ``{premise}`` and ``{hypothesis}``, are replaced once, so that a premise in
which ``{hypothesis}`` occurs stays as it is.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any, Final, Literal, NamedTuple, get_args

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.labels import ENTAILMENT_OR_NOT, LABELS, Gold
from crossexam.core.output.escapes import quoted

Score = Literal["sum", "mean", "pmi", "first", "class"]
SCORES: Final[tuple[Score, ...]] = get_args(Score)

#: Part of every hash: increased if the same entries of a template become another prompt.
_RENDERING: Final = 1
_FIELD: Final = re.compile(r"\{(\w+)\}")
_FIELDS: Final = ("premise", "hypothesis")
#: The marks at the end of an English sentence that lighteval 0.13.0 takes off (its PUNCT).
_FINAL: Final = ".!?\"'\u203c\u203d\u2047\u2048\u2049"

#: What can be done to a sentence before it is inserted.
EDITS: Final[Mapping[str, Callable[[str], str]]] = {
    "stripped": str.strip,
    "full stop": lambda text: text if text.endswith(".") else f"{text}.",
    "no final punctuation": lambda text: text.rstrip(_FINAL),
    "capitalized": lambda text: text[:1].upper() + text[1:],
    "decapitalized": lambda text: text[:1].lower() + text[1:],
}


class Shot(NamedTuple):
    """A solved example that is shown before the question."""

    premise: str
    hypothesis: str
    label: Gold


@dataclass(frozen=True)
class Template:
    """A prompt template.

    ``labels`` says how each label is written: entailment, neutral and contradiction, or entailment and
    not_entailment.  ``delimiter`` stands between a prompt and a label where there are no messages.  ``score``
    is how a local model scores the labels, None if the template leaves it open; ``outputs`` are the tokens or
    classes that stand for the labels with the scores ``first`` and ``class``.  ``edits`` are names in EDITS,
    by field.

    >>> labels = {"entailment": "yes", "not_entailment": "no"}
    >>> Template("mine", "P: {premise} H: {hypothesis}", labels).prompt("It {hypothesis}.", "It rains.")
    'P: It {hypothesis}. H: It rains.'
    """

    name: str
    user: str
    labels: Mapping[Gold, str]
    system: str | None = None
    version: int = 1
    source: str = ""
    delimiter: str = " "
    score: Score | None = None
    outputs: Mapping[Gold, int] | None = None
    edits: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._check_labels()
        self._check_fields()
        self._check_scoring()

    @property
    def two_label(self) -> bool:
        """Whether the answers only tell entailment from the rest."""
        return len(self.labels) == 2

    def label_of(self, gold: Gold) -> Gold | None:
        """Return the label of the template that stands for *gold*, None if none does.

        >>> two = Template("two", "{premise} {hypothesis}", {"entailment": "yes", "not_entailment": "no"})
        >>> two.label_of("neutral")
        'not_entailment'
        """
        return ENTAILMENT_OR_NOT.gold(gold) if self.two_label else gold if gold in self.labels else None

    @property
    def fixed_labels(self) -> bool:
        """Whether the labels are written in the same way for every pair."""
        return not any(_FIELD.search(form) for form in self.labels.values())

    @property
    def sha256(self) -> str:
        """The hash of everything that an answer depends on: not of the name, the version and the source."""
        parts = {
            "rendering": _RENDERING,
            "system": self.system,
            "user": self.user,
            "labels": dict(self.labels),
            "delimiter": self.delimiter,
            "score": self.score,
            "outputs": self.outputs and dict(self.outputs),
            "edits": {name: list(edits) for name, edits in self.edits.items()},
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    @property
    def facts(self) -> dict[str, Any]:
        """What the manifest of a run says of the template."""
        return {
            "name": self.name,
            "version": self.version,
            "sha256": self.sha256,
            "source": self.source,
            "labels": dict(self.labels),
        }

    def messages(self, premise: str, hypothesis: str, shots: Sequence[Shot] = ()) -> list[dict[str, str]]:
        """Return the question as messages of a chat, each with ``role`` and ``content``.

        *shots* come first, each as a message of the user with the answer of the assistant.
        """
        turns = [{"role": "system", "content": self.system}] if self.system else []
        for shot in shots:
            answer = self.forms(shot.premise, shot.hypothesis)[shot.label]
            turns.append({"role": "user", "content": self._question(shot.premise, shot.hypothesis)})
            turns.append({"role": "assistant", "content": answer})
        return [*turns, {"role": "user", "content": self._question(premise, hypothesis)}]

    def prompt(self, premise: str, hypothesis: str, shots: Sequence[Shot] = ()) -> str:
        """Return the question as one text, which a label continues after the delimiter.

        The system message, *shots* with their labels, and the question are set apart by empty lines.
        """
        parts = [self.system] if self.system else []
        for shot in shots:
            question = self._question(shot.premise, shot.hypothesis)
            answer = self.forms(shot.premise, shot.hypothesis)[shot.label]
            parts.append(f"{question}{self.delimiter}{answer}")
        return "\n\n".join([*parts, self._question(premise, hypothesis)])

    def forms(self, premise: str, hypothesis: str) -> dict[Gold, str]:
        """Return how each label is written as the answer about a pair.

        >>> template = Template("x", "{premise} right?", {
        ...     "entailment": "Yes, {hypothesis}", "not_entailment": "No, {hypothesis}"})
        >>> template.forms("It rains.", "it is wet.")["not_entailment"]
        'No, it is wet.'
        """
        return {label: self._filled(form, premise, hypothesis) for label, form in self.labels.items()}

    def shared_prefix(self) -> tuple[str, str] | None:
        """Return two forms of labels, of which one begins with the other whatever the case, or None.

        >>> Template("x", "{premise} {hypothesis}", {"entailment": "True", "not_entailment": "truely not"}
        ... ).shared_prefix()
        ('True', 'truely not')
        """
        for short, long in permutations(self.labels.values(), 2):
            if long.casefold().startswith(short.casefold()):
                return short, long
        return None

    def refuse_shared_prefix(self, needed_for: str) -> None:
        """Raise CrossexamError if a label begins with another: their probabilities would be mixed up."""
        shared = self.shared_prefix()
        if shared:
            raise CrossexamError(
                f"the label '{shared[1]}' begins with the label '{shared[0]}', so that the first tokens of "
                f"an answer do not say which of them it is",
                where=f"template {self.name}",
                wanted=f"labels of which none begins with another, for {needed_for}",
                hint="write the labels in other words, in a template of your own (docs/templates.md)",
            )

    def _question(self, premise: str, hypothesis: str) -> str:
        return self._filled(self.user, premise, hypothesis)

    def _filled(self, text: str, premise: str, hypothesis: str) -> str:
        values = {"premise": premise, "hypothesis": hypothesis}
        for name, edits in self.edits.items():
            for edit in edits:
                values[name] = EDITS[edit](values[name])
        return _FIELD.sub(lambda match: values[match[1]], text)

    def _check_labels(self) -> None:
        if set(self.labels) not in (set(LABELS), set(ENTAILMENT_OR_NOT.labels)):
            raise self._error(
                f"its labels are {', '.join(self.labels) or 'missing'}",
                wanted="entailment, neutral and contradiction, or entailment and not_entailment",
            )
        for label, form in self.labels.items():
            if not form or form != form.strip():
                raise self._error(
                    f"the label {label} is written {quoted(form)}",
                    wanted="a text without white space around it",
                )
        if len(set(self.labels.values())) < len(self.labels):
            raise self._error("two of its labels are written alike", wanted="a text of its own per label")

    def _check_fields(self) -> None:
        texts = [self.user, *self.labels.values()]
        found = {name for text in texts for name in _FIELD.findall(text)}
        for name in sorted(found - set(_FIELDS)):
            raise self._error(f"it has a field {{{name}}}", wanted="{premise} and {hypothesis} only")
        for name in sorted(set(_FIELDS) - found):
            raise self._error(f"it has no field {{{name}}}", wanted="{premise} and {hypothesis} in the text")
        if self.system and _FIELD.search(self.system):
            raise self._error("its system message has a field", wanted="fields in the user message only")
        for name, edits in self.edits.items():
            unknown = [edit for edit in edits if edit not in EDITS]
            if name not in _FIELDS or unknown:
                raise self._error(
                    f"it has the edit {', '.join(unknown)}" if unknown else f"it has edits of {name}",
                    wanted=f"edits of premise and hypothesis among: {', '.join(EDITS)}",
                )

    def _check_scoring(self) -> None:
        if self.score is not None and self.score not in SCORES:
            raise self._error(f"its score is '{self.score}'", wanted=f"one of: {', '.join(SCORES)}")
        if self.outputs is None:
            if self.score == "class":
                raise self._error("it has no outputs", wanted="the number of the class of each label")
            return
        if self.score not in ("first", "class"):
            raise self._error("it has outputs", wanted="outputs only with the score first or class")
        numbers = list(self.outputs.values())
        if set(self.outputs) != set(self.labels) or len(set(numbers)) < len(numbers) or min(numbers) < 0:
            raise self._error(f"its outputs are {dict(self.outputs)}", wanted="a number of its own per label")

    def _error(self, what: str, *, wanted: str) -> FormatError:
        return FormatError(what, where=f"template {self.name}", wanted=wanted)
