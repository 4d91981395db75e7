"""What spreadsheets and Label Studio share: what is shown of a study, and how answers are read back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.validation.answer_log import Judgement
from crossexam.validation.questions import QUESTIONS, exported_questions
from crossexam.validation.study import Item, Study

_SHORT: Final[Mapping[str, str]] = {"y": "yes", "n": "no"}
_SHORT_LABELS: Final[Mapping[str, str]] = {"e": "entailment", "n": "neutral", "c": "contradiction"}


@dataclass(frozen=True)
class Sheet:
    """What *judges* are shown: *items* in their order, the *questions*, and the answers *given* so far.

    Answers are by judge, number of the item, and question.  Each item is asked at least one of the questions.
    """

    judges: Sequence[str]
    questions: Sequence[str]
    items: Sequence[Item]
    given: Mapping[tuple[str, int, str], str]

    @property
    def of_errors(self) -> bool:
        """Whether the items are errors of a model, of which judges see gold label and prediction."""
        return any(item.predicted for item in self.items)

    def revealed(self, item: Item) -> dict[str, str]:
        """Return what only this sheet shows of *item*, by column; the same columns for each item."""
        return item.revealed(self.questions[0])


def sheet_of(
    study: Study,
    judges: Sequence[str] | None = None,
    questions: Sequence[str] | None = None,
    *,
    with_answers: bool = False,
) -> Sheet:
    """Return what is shown of *study* to *judges*, about *questions*; None stands for all.

    Items are in the order of the judge if there is one, else in the random order of their numbers.  Raises
    CrossexamError for an unknown judge or question, and for questions that cannot be seen together.
    """
    for name in judges or ():
        if name not in study.judges:
            raise CrossexamError(f"no judge is called '{name}'", wanted=", ".join(study.judges))
    chosen_judges = list(judges or study.judges)
    chosen = exported_questions((key for item in study.items.values() for key in item.asked), questions)
    numbers = study.order(chosen_judges[0]) if len(chosen_judges) == 1 else study.items
    return Sheet(
        chosen_judges,
        chosen,
        [study.items[number] for number in numbers if set(chosen) & set(study.items[number].asked)],
        {each[:3]: each.value for each in study.judgements()} if with_answers else {},
    )


def hints_of(item: Item) -> str:
    """Return the hints to the source of the error, in one line."""
    return "; ".join(f"{category}: {why}" for category, why in item.suggested)


def items_by_name(study: Study) -> dict[str, Item]:
    """Return the items of *study* by the names that judges see."""
    return {item.name: item for item in study.items.values()}


def item_named(name: str, known: Mapping[str, Item], *, where: str) -> Item:
    """Return the item called *name*, of those *known*; raises FormatError."""
    if name not in known:
        raise FormatError(f"the study has no item '{name}'", where=where, wanted="an item such as i00001")
    return known[name]


def value_of(question: str, text: str, *, where: str) -> str:
    """Return the answer to *question* that *text* spells; raises FormatError.

    >>> value_of("label", "Neutral ", where="x"), value_of("grammatical", "y", where="x")
    ('neutral', 'yes')
    """
    name = text.strip().removeprefix("'").lower().replace(" ", "_")
    name = (_SHORT_LABELS if question == "label" else _SHORT).get(name, name)
    known = [choice.value for choice in QUESTIONS[question].choices]
    if name not in known:
        raise FormatError(f"'{text}' is not an answer to '{question}'", where=where, wanted=", ".join(known))
    return name


def without_repetitions(found: Iterable[tuple[Judgement, str]]) -> list[Judgement]:
    """Return the judgements *found*, each with where it is, each once; raises FormatError if two contradict.

    >>> without_repetitions([(Judgement("ann", 1, "label", "neutral"), "task 1")] * 2)
    [Judgement(judge='ann', item=1, question='label', value='neutral')]
    """
    known: dict[tuple[str, int, str], Judgement] = {}
    for judgement, where in found:
        if known.setdefault(judgement[:3], judgement) != judgement:
            raise FormatError(
                f"'{judgement.judge}' gives two answers to '{judgement.question}' about one item",
                where=where,
                hint="delete one of them",
            )
    return list(known.values())
