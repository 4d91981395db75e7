"""The words in which a model names labels: the usual names, and what ``--labels`` declares besides.

Numbers are class indices: ``--labels`` says what each means, or ``--label-order`` does for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from shlex import quote
from typing import Any, Final

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.labels import GOLDS
from crossexam.core.output.escapes import clipped
from crossexam.corpora.label_names import Names, labels_text, likely_meaning, name_of, stated_labels
from crossexam.models.label_order import ClassName, Order, class_name

_LISTED: Final = 4  # words that a proposal names
_LONGEST: Final = 40  # characters of such a word
_NO_ANSWER_SAYS: Final = (
    'a function returns {"status": "refused"} for a pair without an answer, a file has it in a column status'
)


@dataclass(frozen=True)
class AnswerWords:
    """How answers name labels: *declared* maps words and numbers, *order* is that of classes.

    The words are as :func:`name_of` writes them.  They take precedence over usual names, such as *e*.
    """

    declared: Names = field(default_factory=dict)
    order: Order | None = None

    @property
    def facts(self) -> dict[str, Any]:
        """What is declared, for the manifest of a run."""
        return {"declared_labels": dict(self.declared)} if self.declared else {}

    @property
    def identity(self) -> str:
        """What the key of a model has of the words, empty if none is declared."""
        return labels_text(dict(sorted(self.declared.items())))

    def label_of(self, value: object) -> ClassName | None:
        """Return the label that *value* names, None if it names none.

        >>> words = AnswerWords({"supported": "entailment", "unclear": None})
        >>> [words.label_of(each) for each in ("Supported", "neutral", "unclear", "perhaps")]
        ['entailment', 'neutral', None, None]
        """
        name = name_of(value)
        if name in self.declared:
            return self.declared[name]
        return self._class_at(name) if name.isascii() and name.isdigit() else class_name(name)

    def _class_at(self, digits: str) -> ClassName | None:
        if self.order is None or len(digits) > 3 or int(digits) >= len(self.order):
            return None
        return self.order[int(digits)]

    def labels_of(
        self, values: Sequence[object], said: Callable[[int], str], where: Callable[[int], str]
    ) -> list[ClassName]:
        """Return the labels that *values* name; raises FormatError with what declares those that name none.

        *said* and *where* return what an error says of the value of a number, and its place.
        """
        found: dict[str, ClassName | None] = {}
        names = [name_of(value) for value in values]
        for number, name in enumerate(names):
            if name not in found:
                found[name] = self.label_of(name)
                self._refuse_two_meanings(name, where(number))
            if found[name] is None:
                raise self._unknown(names, number, said(number), where(number))
        return [label for name in names if (label := found[name]) is not None]

    def _refuse_two_meanings(self, name: str, where: str) -> None:
        """Raise CrossexamError if *name* is a number of which ``--labels`` and the class order differ."""
        ordered = self._class_at(name) if name.isascii() and name.isdigit() else None
        if ordered is not None and self.declared.get(name, ordered) != ordered:
            raise CrossexamError(
                f"class {name} is {self.declared[name] or 'no gold label'} by --labels, and {ordered} by "
                "--label-order",
                where=where,
                wanted="one meaning for each number",
                hint="leave out one of the two; examine --set py.labels=none (or file.labels=none) keeps "
                "--labels for the base",
            )

    def _unknown(self, names: Sequence[str], number: int, said: str, where: str) -> FormatError:
        if names[number] in self.declared:
            return FormatError(
                f"{said}, which --labels declares as no gold label",
                where=where,
                wanted="a label; no gold label is for a base, and is not an answer",
                hint=_NO_ANSWER_SAYS,
            )
        if not names[number]:
            return FormatError(f"{said}, which is empty", where=where, wanted="a label", hint=_NO_ANSWER_SAYS)
        others = ", ".join(map(clipped, self.declared))
        return FormatError(
            f"{said}, which is not a label",
            where=where,
            wanted=" or ".join(GOLDS) + (f"; or what --labels declares: {others}" if others else ""),
            hint=f"--labels {quote(self.proposal(names))} declares what your words mean",
        )

    def proposal(self, names: Sequence[str]) -> str:
        """Return a value of ``--labels`` for those of *names* that name no label, besides what is declared.

        >>> AnswerWords().proposal(["supported", "unsupported"])
        'supported=entailment,unsupported=not_entailment'
        >>> AnswerWords({"yes": "entailment"}).proposal(["perhaps"])
        'yes=entailment,perhaps=LABEL'
        """
        unknown = [
            each
            for each in dict.fromkeys(names)
            if 0 < len(each) <= _LONGEST
            and "," not in each
            and each not in self.declared
            and self.label_of(each) is None
        ][:_LISTED]
        has_three = {"neutral", "contradiction"} & {*self.declared.values(), *map(self.label_of, names)}
        likely = None if has_three else likely_meaning(unknown)
        added = likely or ",".join(f"{each}=LABEL" for each in unknown) or "VALUE=LABEL"
        return f"{labels_text(self.declared)},{added}" if self.declared else added


def answer_words(labels: str | Mapping[str, Any] | None, order: Order | None = None) -> AnswerWords:
    """Return the words of answers that the option *labels* declares; raises CrossexamError.

    >>> answer_words("yes=entailment").label_of("yes")
    'entailment'
    """
    return AnswerWords(stated_labels(labels) or {}, order)
