"""What a study shows: how far labels hold, how far judges agree, and which items are verified.

Naik et al. (2018, sections 3.1 and 3.2) report the share of items for which at least two of three judges
agree with the construction.  With two or three judges that is a majority.  With more judges the reported
share still counts two, but an item is verified by a majority only.  A single judge decides alone.
``cannot_say`` counts for no label.

The label decides whether an item is verified; the other questions are reported, and decide only if they are
required.  An item is *open* while the missing judgements can still decide it; open items are in no share.
Shares are reported with the published ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Estimate
from crossexam.core.example import REJECTED, VERIFIED
from crossexam.core.labels import GOLDS, Gold, parse_label
from crossexam.core.manifest import TestSetEntry, signature
from crossexam.evaluation.verified import shares_of_labels
from crossexam.published.figures import published
from crossexam.stats.agreement import fleiss_kappa, krippendorff_alpha
from crossexam.stats.estimate import share_correct
from crossexam.validation.questions import ANTONYM_KIND, CANNOT_SAY, QUESTIONS, in_order
from crossexam.validation.study import Item, Study

OPEN: Final = "open"
#: The questions without a good answer; the answers are counted.
CHOICES: Final = frozenset({"category", ANTONYM_KIND})
#: The number of judges that have to agree in the published shares, and that can agree at all.
TWO: Final = 2


class PublishedFigure(NamedTuple):
    """A *figure* in percent that a *study* printed at a *place*.

    *difference* says how the items that were judged differ from the authors'; empty if they do not.
    """

    figure: float
    study: str
    place: str
    difference: str = ""


@dataclass(frozen=True)
class QuestionResult:
    """The result of one *question* on one *test_set*.

    *agreed* is the share of the decided items for which at least *needed* judges give the good answer (the
    label of the item, or yes).  It is None for :data:`CHOICES`, whose *answers* are the numbers of items that
    as many judges put into each category.  *undecided* items are open.  *kappa* is over the items that all
    judges answered, *alpha* over all with two answers; *unsure* counts the answers ``cannot_say``.
    """

    test_set: str
    question: str
    judges: int
    needed: int
    drawn: int
    undecided: int
    unsure: int
    agreed: Estimate | None
    kappa: Estimate
    alpha: Estimate
    answers: Mapping[str, int]
    published: PublishedFigure | None


class Verdict(NamedTuple):
    """Whether an item is ``verified``, ``rejected`` or ``open``: *agreed* of *judges* give its label.

    *label* is the gold label of a verified item, which the majority gives; None for any other.
    """

    status: str
    agreed: int
    judges: int
    label: Gold | None = None


@dataclass(frozen=True)
class VerdictRule:
    """What makes an item verified.

    With *apply* ``confirm``, a majority must give the generated label; with ``relabel``, any label, which
    becomes the gold label (Sanchez Carmona et al. 2018, section 5.2, annotate by hand).  Where judges were
    asked the questions *require*, a majority must also say yes.
    """

    apply: Apply = "confirm"
    require: tuple[str, ...] = ()

    def check(self, study: Study) -> None:
        """Raise CrossexamError if *study* asks a required question of no item, or it has no good answer."""
        asked = in_order(key for item in study.items.values() for key in item.asked)
        known = [key for key in asked if QUESTIONS[key].good]
        for key in self.require:
            if key not in known:
                raise CrossexamError(
                    f"the study does not ask for '{key}', so it cannot be required",
                    where=str(study.folder),
                    wanted=", ".join(known) or "a study that asks a yes-or-no question",
                )


#: What becomes of the judges' labels.
Apply = Literal["confirm", "relabel"]
CONFIRMED: Final = VerdictRule()


def question_results(study: Study) -> tuple[QuestionResult, ...]:
    """Return the results, test sets in the order of the manifest and questions in that of the table."""
    answers = _answers(study)
    results = []
    for name in study.manifest.test_sets:
        items = [item for item in study.items.values() if item.test_set == name]
        for question in in_order(key for item in items for key in item.asked):
            asked = [item for item in items if question in item.asked]
            results.append(_question_result(study, name, question, asked, answers))
    return tuple(results)


def verdicts(study: Study, rule: VerdictRule = CONFIRMED) -> dict[str, dict[str, Verdict]]:
    """Return the verdict on each item whose label was asked for, by test set and example.

    Raises CrossexamError if *rule* requires what the study does not ask.
    """
    rule.check(study)
    answers = _answers(study)
    by_set: dict[str, dict[str, Verdict]] = {name: {} for name in study.manifest.test_sets}
    for item in study.items.values():
        if "label" in item.asked:
            by_set[item.test_set][item.example] = _verdict(study, item, rule, answers)
    return {name: of_set for name, of_set in by_set.items() if of_set}


def _verdict(study: Study, item: Item, rule: VerdictRule, answers: JudgesAnswers) -> Verdict:
    judges = len(study.judges)
    majority = judges // 2 + 1
    given = answers.get((item.number, "label"), {})
    label = _shared(given, majority) if rule.apply == "relabel" else item.gold
    decisions = [_decision(given, label, judges, majority)]
    for key in rule.require:
        if key in item.asked:
            said = answers.get((item.number, key), {})
            decisions.append(_decision(said, QUESTIONS[key].good, judges, majority))
    status = REJECTED if False in decisions else OPEN if None in decisions else VERIFIED
    agreed = _votes(given)[label or item.gold or ""]
    return Verdict(status, agreed, judges, parse_label(label) if status == VERIFIED else None)


def _votes(given: Mapping[str, str]) -> Counter[str]:
    """Return how many judges *given* an item each answer; cannot_say is none."""
    return Counter(value for value in given.values() if value != CANNOT_SAY)


def _shared(given: Mapping[str, str], needed: int) -> str | None:
    """Return the answer that *needed* judges, a majority, give, or None."""
    return next((value for value, count in _votes(given).items() if count >= needed), None)


def _decision(given: Mapping[str, str], wanted: str | None, judges: int, needed: int) -> bool | None:
    """Return whether *needed* of the *judges* give the answer *wanted*, or any one if that is None.

    The result is None while missing answers can decide it.
    """
    votes = _votes(given)
    count = max(votes.values(), default=0) if wanted is None else votes[wanted]
    if count >= needed:
        return True
    return None if count + judges - len(given) >= needed else False


class Decisions(NamedTuple):
    """The numbers of items of a test set by what the majority of the judges says of the label.

    It confirms the generated label, or gives *another*; there is *none*; or the item is *open*.
    """

    confirmed: int
    another: int
    none: int
    open: int


def decisions(study: Study) -> dict[str, Decisions]:
    """Return what the majority says of the labels of each test set whose labels were asked for."""
    confirm, relabel = verdicts(study), verdicts(study, VerdictRule("relabel"))
    found = {}
    for name, of_set in relabel.items():
        confirmed = sum(verdict.status == VERIFIED for verdict in confirm[name].values())
        tally = Counter(verdict.status for verdict in of_set.values())
        found[name] = Decisions(confirmed, tally[VERIFIED] - confirmed, tally[REJECTED], tally[OPEN])
    return found


def judged_label_shares(study: Study) -> dict[str, dict[str, Estimate]]:
    """Return the share of each label in the answers of the judges, by test set (Nie et al. 2019, Table 2)."""
    clusters = {(item.test_set, item.example): item.cluster for item in study.items.values()}
    return {
        name: shares_of_labels(
            study.projections[name].labels,
            [(label, clusters[name, example]) for example, labels in given.items() for label in labels],
        )
        for name, given in labels_given(study).items()
        if any(given.values())
    }


def labels_given(study: Study) -> dict[str, dict[str, list[str]]]:
    """Return the labels that the judges give each item, in their order, by test set and example.

    They are labels of the test set (:meth:`crossexam.validation.study.Study.label`); cannot_say is left out.
    """
    answers = _answers(study)
    found: dict[str, dict[str, list[str]]] = {name: {} for name in study.manifest.test_sets}
    for item in study.items.values():
        given = answers.get((item.number, "label"), {})
        labels = (given.get(judge, CANNOT_SAY) for judge in study.judges)
        found[item.test_set][item.example] = [label for label in labels if label != CANNOT_SAY]
    return found


def kinds_of_antonyms(study: Study) -> dict[str, dict[str, str | None]]:
    """Return the kind to which a majority assigns each pair of antonyms, by test set and example, or None."""
    answers, majority = _answers(study), len(study.judges) // 2 + 1
    found: dict[str, dict[str, str | None]] = {}
    for item in study.items.values():
        if ANTONYM_KIND in item.asked:
            kind = _shared(answers.get((item.number, ANTONYM_KIND), {}), majority)
            found.setdefault(item.test_set, {})[item.example] = kind
    return found


def as_json(study: Study, rule: VerdictRule = CONFIRMED) -> dict[str, Any]:
    """Return all results of *study*, and its verdicts by *rule*, as JSON."""
    parts = {"study": study.identity, "interval": "wilson95.clustered", "agreement": "linear95.clustered"}
    return {
        "study": study.manifest.to_json(),
        "signature": signature(parts),
        "rule": {"apply": rule.apply, "require": list(rule.require)},
        "decisions": {name: each._asdict() for name, each in decisions(study).items()},
        "label_shares": {
            name: {label: _estimate_as_json(share) for label, share in shares.items()}
            for name, shares in judged_label_shares(study).items()
        },
        "findings": [_result_as_json(result) for result in question_results(study)],
        "verdicts": {
            name: {example: verdict._asdict() for example, verdict in of_set.items()}
            for name, of_set in verdicts(study, rule).items()
        },
    }


# Study, table and row in which the result is published, by construction and question.
# fmt: off
_PUBLISHED: Final[dict[tuple[str, str], tuple[str, str, str]]] = {
    ("antonymy",            "label"):       ("naik2018", "human", "label_agreed"),
    ("antonymy",            "grammatical"): ("naik2018", "human", "grammatical"),
    ("numerical_reasoning", "label"):       ("naik2018", "human", "label_agreed"),
    ("numerical_reasoning", "grammatical"): ("naik2018", "human", "grammatical"),
    ("numerical_reasoning", "trivial"):     ("naik2018", "human", "trivial"),
    ("word_overlap",        "label"):       ("naik2018", "human", "label_agreed"),
    ("length_mismatch",     "label"):       ("naik2018", "human", "label_agreed"),
    ("so_swap",             "label"):       ("nie2019", "accuracy", "Human"),
    ("add_amod",            "label"):       ("nie2019", "accuracy", "Human"),
}
# fmt: on


def published_figure(made: TestSetEntry, question: str) -> PublishedFigure | None:
    """Return the published result of *question* for the test set *made*; None if there is none."""
    source = _PUBLISHED.get((made.construction, question))
    if source is None:
        return None
    study, key, row = source
    table = published(study).table(key)
    columns = (made.construction, f"{made.construction}.snli")  # Nie et al. judged items from SNLI dev only
    figures = (table.value(row, column, made.part) for column in columns)
    figure = next((value for value in figures if value is not None), None)
    if figure is None:
        return None
    return PublishedFigure(
        figure, study, table.place, published(study).difference(made.construction, made.rules)
    )


JudgesAnswers = Mapping[tuple[int, str], Mapping[str, str]]  # by item and question: the value by judge


def _answers(study: Study) -> JudgesAnswers:
    """Return what the judges answer; labels are those of the test set (:meth:`Study.label`)."""
    answers: dict[tuple[int, str], dict[str, str]] = {}
    for judge, number, question, value in study.judgements():
        read = study.label(study.items[number], value) if question == "label" else value
        answers.setdefault((number, question), {})[judge] = read
    return answers


def _question_result(
    study: Study, name: str, question: str, items: Sequence[Item], answers: JudgesAnswers
) -> QuestionResult:
    judges = len(study.judges)
    needed = min(TWO, judges)
    values = [answers.get((item.number, question), {}) for item in items]
    clusters = [item.cluster for item in items]
    kappa, alpha = _agreement(question, values, clusters, judges)
    agreed: Estimate | None = None
    categories: dict[str, int] = {}
    if question in CHOICES:
        categories, undecided = _categories(question, values, judges, needed)
    else:
        wanted = [item.gold if question == "label" else QUESTIONS[question].good for item in items]
        decisions = [
            _decision(given, good, judges, needed) for given, good in zip(values, wanted, strict=True)
        ]
        undecided = decisions.count(None)
        decided = [place for place, decision in enumerate(decisions) if decision is not None]
        groups = [clusters[place] for place in decided]
        agreed = share_correct([decisions[place] is True for place in decided], groups)
    return QuestionResult(
        test_set=name,
        question=question,
        judges=judges,
        needed=needed,
        drawn=len(items),
        undecided=undecided,
        unsure=sum(value == CANNOT_SAY for of_item in values for value in of_item.values()),
        agreed=agreed,
        kappa=kappa,
        alpha=alpha,
        answers=categories,
        published=published_figure(study.entry(name), question),
    )


def _categories(
    question: str, values: Sequence[Mapping[str, str]], judges: int, needed: int
) -> tuple[dict[str, int], int]:
    """Return how many items *needed* judges put into each category, and how many are undecided."""
    counts: Counter[str] = Counter()
    undecided = 0
    for of_item in values:
        most = _votes(of_item).most_common(2)
        if most and most[0][1] >= needed and (len(most) == 1 or most[1][1] < most[0][1]):
            counts[most[0][0]] += 1
        elif len(of_item) < judges:
            undecided += 1
        else:
            counts["no agreement"] += 1
    names = [*QUESTIONS[question].values, "no agreement"]
    return {name: counts[name] for name in names if counts[name]}, undecided


def _agreement(
    question: str, values: Sequence[Mapping[str, str]], clusters: Sequence[str], judges: int
) -> tuple[Estimate, Estimate]:
    """Return Fleiss' kappa over the items that all judges answered, and Krippendorff's alpha over all."""
    undefined = Estimate(nan, -1.0, 1.0, 0, 0)
    if judges < TWO:
        return undefined, undefined
    choices = GOLDS if question == "label" else QUESTIONS[question].values
    votes = np.array(
        [[sum(value == choice for value in of_item.values()) for choice in choices] for of_item in values],
        dtype=np.int64,
    ).reshape(-1, len(choices))  # [items, choices]
    groups = np.array(clusters, dtype=object)
    full = votes.sum(axis=1) == judges
    kappa = fleiss_kappa(votes[full], groups[full]) if full.any() else undefined
    has_pairs = (votes.sum(axis=1) >= TWO).any()
    return kappa, krippendorff_alpha(votes, groups) if has_pairs else undefined


def _result_as_json(result: QuestionResult) -> dict[str, Any]:
    estimates = {key: _estimate_as_json(getattr(result, key)) for key in ("agreed", "kappa", "alpha")}
    plain = ("test_set", "question", "judges", "needed", "drawn", "undecided", "unsure")
    return {
        **{key: getattr(result, key) for key in plain},
        **estimates,
        "answers": dict(result.answers),
        "published": result.published._asdict() if result.published else None,
    }


def _estimate_as_json(estimate: Estimate | None) -> dict[str, Any] | None:
    if estimate is None:
        return None
    return {key: None if value != value else value for key, value in estimate._asdict().items()}
