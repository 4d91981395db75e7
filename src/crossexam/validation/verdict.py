"""What a study shows: how far labels hold, how far judges agree, and which items are verified.

Naik et al. (2018, sections 3.1 and 3.2) report the share of items for which at least two of three judges
agree with the construction.  With two or three judges that is a majority.  With more judges the reported
share still counts two, but an item is verified by a majority only.  A single judge decides alone.
``cannot_say`` counts for no label.

An item is *open* while the missing judgements can still decide it; open items are in no share.

Verdicts can be written into the suite that was judged, and shares are reported with the published ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from pathlib import Path
from typing import Any, Final, NamedTuple

from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Estimate
from crossexam.core.example import (
    AGREED,
    PROPOSED,
    REJECTED,
    STATUS,
    STATUSES,
    VERDICT,
    VERIFIED,
    Example,
)
from crossexam.core.files import read_json, write_json
from crossexam.core.labels import Gold
from crossexam.core.manifest import TestSetEntry, signature
from crossexam.core.test_sets import MANIFEST, read_suite, write_test_set
from crossexam.published.figures import published
from crossexam.stats.agreement import fleiss_kappa, krippendorff_alpha
from crossexam.stats.estimate import share_correct
from crossexam.validation.questions import CANNOT_SAY, QUESTIONS, in_order
from crossexam.validation.study import Item, Study

OPEN: Final = "open"
#: The number of judges that have to agree in the published shares.
TWO: Final = 2


class PublishedFigure(NamedTuple):
    """A *figure* in percent that a *study* printed at a *place*."""

    figure: float
    study: str
    place: str


@dataclass(frozen=True)
class QuestionResult:
    """The result of one *question* on one *test_set*.

    *agreed* is the share of the decided items for which at least *needed* judges give the good answer (the
    label of the item, or yes).  It is None for ``category``, whose *answers* are the numbers of items that
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
    """Whether an item is ``verified``, ``rejected`` or ``open``: *agreed* of *judges* give its label."""

    status: str
    agreed: int
    judges: int


def question_results(study: Study) -> tuple[QuestionResult, ...]:
    """Return the results, test sets in the order of the manifest and questions in that of the table."""
    answers = _answers(study)
    results = []
    for name in study.manifest["test_sets"]:
        items = [item for item in study.items.values() if item.test_set == name]
        for question in in_order(key for item in items for key in item.asked):
            asked = [item for item in items if question in item.asked]
            results.append(_question_result(study, name, question, asked, answers))
    return tuple(results)


def verdicts(study: Study) -> dict[str, dict[str, Verdict]]:
    """Return the verdict on each item whose label was asked for, by test set and example.

    A majority must give the label of the item and, if that was asked, find the item sensible (Sanchez
    Carmona et al. 2018 discard incoherent ones).
    """
    answers, judges = _answers(study), len(study.judges)
    majority = judges // 2 + 1
    by_set: dict[str, dict[str, Verdict]] = {}
    for item in study.items.values():
        if "label" not in item.asked:
            continue
        decisions = [
            _decision(item, key, answers, judges, majority)
            for key in ("label", "sensible")
            if key in item.asked
        ]
        status = REJECTED if False in decisions else OPEN if None in decisions else VERIFIED
        verdict = Verdict(status, _good_answers(item, "label", answers), judges)
        by_set.setdefault(item.test_set, {})[item.example] = verdict
    return by_set


def apply_verdicts(study: Study, path: Path) -> dict[str, dict[str, int]]:
    """Write the verdicts of *study* into the suite at *path*; return the number of each status by test set.

    Each file is written completely or not at all, the manifest last.  Ids, texts and labels do not change,
    so runs over the suite remain valid.  Applying the same verdicts again changes nothing.  Raises
    CrossexamError if the suite is not the one that was judged.
    """
    by_set = verdicts(study)
    if not by_set:
        raise CrossexamError(
            "the study does not ask for labels, so it has no verdicts", where=str(study.folder)
        )
    suite = read_suite(path)
    for name in by_set:
        _check_judged(name, suite.datasets.get(name), study, path)
    counts: dict[str, dict[str, int]] = {}
    for name, of_set in by_set.items():
        dataset = suite.datasets[name]
        file = Path(str(dataset.manifest["path"]))
        examples = [with_verdict(example, of_set.get(example.id)) for example in dataset]
        write_test_set(file, examples, file_format=file.suffix.removeprefix("."))
        tally = Counter(verdict.status for verdict in of_set.values())
        counts[name] = {status: tally[status] for status in (VERIFIED, REJECTED, OPEN)}
    if path.is_dir():
        _write_counts(path / MANIFEST, study, counts)
    return counts


def with_verdict(example: Example, verdict: Verdict | None) -> Example:
    """Return *example* with *verdict* in its ``info``, without an earlier one if the item is open again.

    If the construction only proposed the label, ``info["status"]`` changes with it.

    >>> item = Example("a", "p", "h", "neutral", info={"status": "proposed"})
    >>> with_verdict(item, Verdict("verified", 2, 3)).info
    {'status': 'verified', 'verdict': 'verified', 'agreed': [2, 3]}
    """
    if verdict is None:
        return example
    info = {key: value for key, value in example.info.items() if key not in {VERDICT, AGREED}}
    is_proposed = info.get(STATUS) in STATUSES
    if verdict.status == OPEN:
        return replace(example, info={**info, STATUS: PROPOSED} if is_proposed else info)
    if is_proposed:
        info[STATUS] = verdict.status
    return replace(example, info={**info, VERDICT: verdict.status, AGREED: [verdict.agreed, verdict.judges]})


def as_json(study: Study) -> dict[str, Any]:
    """Return all results and verdicts of *study* as JSON."""
    parts = {"study": study.identity, "interval": "wilson95.clustered", "agreement": "bootstrap95.clustered"}
    return {
        "study": dict(study.manifest),
        "signature": signature(parts),
        "findings": [_result_as_json(result) for result in question_results(study)],
        "verdicts": {
            name: {example: verdict._asdict() for example, verdict in of_set.items()}
            for name, of_set in verdicts(study).items()
        },
    }


def matches_gold(value: str, gold: Gold | None) -> bool:
    """Return whether a judge's label is the gold label; not_entailment is neutral or contradiction.

    >>> matches_gold("neutral", "not_entailment"), matches_gold("neutral", "contradiction")
    (True, False)
    """
    return value == gold or (gold == "not_entailment" and value in {"neutral", "contradiction"})


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


def published_figure(entry: Mapping[str, Any], name: str, question: str) -> PublishedFigure | None:
    """Return the published result of *question* for the construction of a test set; None if there is none.

    *entry* is that of the test set *name* in the manifest of the study.
    """
    construction = TestSetEntry.from_json(name, entry).construction
    source = _PUBLISHED.get((construction, question))
    if source is None:
        return None
    study, key, row = source
    table = published(study).table(key)
    parts = (entry.get("part"), "snli")  # Nie et al. judged items from SNLI only
    figures = (table.value(row, construction, part) for part in parts)
    figure = next((value for value in figures if value is not None), None)
    return None if figure is None else PublishedFigure(figure, study, table.place)


Answers = Mapping[tuple[int, str], Mapping[str, str]]  # by item and question: the value by judge


def _answers(study: Study) -> Answers:
    answers: dict[tuple[int, str], dict[str, str]] = {}
    for judgement in study.judgements():
        answers.setdefault((judgement.item, judgement.question), {})[judgement.judge] = judgement.value
    return answers


def _good_answers(item: Item, question: str, answers: Answers) -> int:
    """Return how many judges give *item* the good answer."""
    values = answers.get((item.number, question), {}).values()
    if question == "label":
        return sum(matches_gold(value, item.gold) for value in values)
    return sum(value == QUESTIONS[question].good for value in values)


def _decision(item: Item, question: str, answers: Answers, judges: int, needed: int) -> bool | None:
    """Return whether *needed* judges give the good answer; None while missing answers can decide that."""
    good = _good_answers(item, question, answers)
    missing = judges - len(answers.get((item.number, question), {}))
    if good >= needed:
        return True
    return None if good + missing >= needed else False


def _question_result(
    study: Study, name: str, question: str, items: Sequence[Item], answers: Answers
) -> QuestionResult:
    judges = len(study.judges)
    needed = min(TWO, judges)
    values = [answers.get((item.number, question), {}) for item in items]
    clusters = [item.cluster for item in items]
    two_labels = question == "label" and any(item.gold == "not_entailment" for item in items)
    kappa, alpha = _agreement(question, _as_two_labels(values) if two_labels else values, clusters, judges)
    agreed: Estimate | None = None
    categories: dict[str, int] = {}
    if question == "category":
        categories, undecided = _categories(values, judges, needed)
    else:
        decisions = [_decision(item, question, answers, judges, needed) for item in items]
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
        published=published_figure(study.manifest["test_sets"][name], name, question),
    )


def _as_two_labels(values: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return the labels of judges with contradiction as neutral: both are not_entailment."""
    return [
        {judge: "neutral" if value == "contradiction" else value for judge, value in of_item.items()}
        for of_item in values
    ]


def _categories(values: Sequence[Mapping[str, str]], judges: int, needed: int) -> tuple[dict[str, int], int]:
    """Return how many items *needed* judges put into each category, and how many are undecided."""
    counts: Counter[str] = Counter()
    undecided = 0
    for of_item in values:
        most = Counter(value for value in of_item.values() if value != CANNOT_SAY).most_common(2)
        if most and most[0][1] >= needed and (len(most) == 1 or most[1][1] < most[0][1]):
            counts[most[0][0]] += 1
        elif len(of_item) < judges:
            undecided += 1
        else:
            counts["no agreement"] += 1
    names = [*QUESTIONS["category"].values, "no agreement"]
    return {name: counts[name] for name in names if counts[name]}, undecided


def _agreement(
    question: str, values: Sequence[Mapping[str, str]], clusters: Sequence[str], judges: int
) -> tuple[Estimate, Estimate]:
    """Return Fleiss' kappa over the items that all judges answered, and Krippendorff's alpha over all."""
    import numpy as np

    undefined = Estimate(nan, -1.0, 1.0, 0, 0)
    if judges < TWO:
        return undefined, undefined
    choices = QUESTIONS[question].values
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


def _check_judged(name: str, dataset: Dataset | None, study: Study, path: Path) -> None:
    """Raise CrossexamError unless *dataset* is the test set *name* that was judged."""
    hint = "give the suite that `validate sample` drew from"
    if dataset is None:
        raise CrossexamError(f"the suite has no test set '{name}'", where=str(path), hint=hint)
    judged, now = study.entry(name).content_hash, dataset.content_hash()
    if now != judged:
        raise CrossexamError(
            f"test set '{name}' is not the one that was judged (content {now}, not {judged})",
            where=str(path),
            hint=hint,
        )


def _write_counts(manifest_file: Path, study: Study, counts: Mapping[str, Mapping[str, int]]) -> None:
    manifest: dict[str, Any] = read_json(manifest_file)
    for name, tally in counts.items():
        manifest["test_sets"][name]["verdict"] = {
            "study": study.identity,
            "signature": study.manifest.get("signature"),
            "judges": len(study.judges),
            **tally,
        }
    write_json(manifest_file, manifest)
