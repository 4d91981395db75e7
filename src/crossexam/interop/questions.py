"""Test sets as questions: each item in the words of a prompt template, with the answers to choose from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError
from crossexam.core.example import cluster_of
from crossexam.core.labels import Gold
from crossexam.models.prompts.template import Template


class Question(NamedTuple):
    """An item as a question.

    *choices* are the *labels* as the template writes them, *answer* is the right one, and *target* is its
    place among them.  *cluster* is shared by items that are not independent.
    """

    id: str
    test_set: str
    premise: str
    hypothesis: str
    gold: Gold
    base: str | None
    cluster: str
    construction: str
    prompt: str
    messages: Sequence[dict[str, str]]
    labels: tuple[Gold, ...]
    choices: tuple[str, ...]
    target: int
    answer: str

    def record(self) -> dict[str, Any]:
        """Return the question as an object of JSON."""
        return {**self._asdict(), "messages": list(self.messages)}


@dataclass(frozen=True)
class QuestionSet:
    """The questions of a test set, in order, without the *unlabelled* items, which have no right answer."""

    dataset: Dataset
    template: Template

    @property
    def name(self) -> str:
        """The name of the test set."""
        return self.dataset.name

    @property
    def unlabelled(self) -> int:
        """The number of items without a gold label."""
        return int((self.dataset.labels() < 0).sum())

    def __len__(self) -> int:
        return len(self.dataset) - self.unlabelled

    def __iter__(self) -> Iterator[Question]:
        labels = tuple(self.template.labels)
        construction = self.dataset.entry.construction
        for item in self.dataset.examples:
            gold = item.label and self.template.label_of(item.label)
            if gold is None:
                continue
            forms = self.template.forms(item.premise, item.hypothesis)
            yield Question(
                item.id,
                self.name,
                item.premise,
                item.hypothesis,
                gold,
                item.base,
                cluster_of(item),
                construction,
                self.template.prompt(item.premise, item.hypothesis),
                self.template.messages(item.premise, item.hypothesis),
                labels,
                tuple(forms[label] for label in labels),
                labels.index(gold),
                forms[gold],
            )


def question_set(dataset: Dataset, template: Template) -> QuestionSet:
    """Return the items of *dataset* in the words of *template*.

    A template with two labels asks about sets of three as about entailment and the rest.  Raises
    CrossexamError if *dataset* has two labels and *template* three: the right answer is not among them.
    """
    if "not_entailment" in dataset.projection.labels and not template.two_label:
        raise CrossexamError(
            f"its gold labels are {' and '.join(dataset.projection.labels)}, and template '{template.name}' "
            "has three labels, without not_entailment",
            where=f"test set {dataset.name}",
            wanted="a template with two labels",
            hint="--template words.two, or one of your own; or leave the test set out with --only",
        )
    return QuestionSet(dataset, template)
