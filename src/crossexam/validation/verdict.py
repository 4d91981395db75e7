"""What the judges found: how far labels hold, how far judges agree, and which items are verified.

Naik et al. (2018, sections 3.1 and 3.2) count the items of which at least two of three judges say what the
construction says.  With two or three judges that is a majority; with more, ours counts two as well, and an
item is verified only by a majority.  With one judge, the one decides.  ``cannot_say`` is for no label.

An item is *open* while the judges who have not answered can still decide it; open items are in no share.

Write verdicts into the test sets that were judged.

What was published of human judgement, beside what the judges of a study find.
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
from crossexam.core.example import AGREED, PROPOSED, REJECTED, STATUS, STATUSES, VERDICT, VERIFIED, Example
from crossexam.core.files import read_json, write_json
from crossexam.core.labels import Gold
from crossexam.core.manifest import signature
from crossexam.core.test_sets import MANIFEST, load_suite, write_test_set
from crossexam.published.published import published
from crossexam.stats.agreement import fleiss_kappa, krippendorff_alpha
from crossexam.stats.estimate import accuracy
from crossexam.validation.questions import CANNOT_SAY, QUESTIONS, in_order
from crossexam.validation.study import Item, Study

OPEN: Final = "open"
#: Of how many judges the published share is asked to agree.
TWO: Final = 2


@dataclass(frozen=True)
class Finding:
    """What the judges say of one *test_set* to one *question*.

    *agreed*: share of the decided items of which at least *needed* judges give the good answer (the item's
    label, or yes); None for ``category``, whose *answers* say how many items go to which by as many judges.
    *undecided* items are open.  *kappa* is of the items that all judges answered, *alpha* of all with two
    answers; *unsure* counts the answers ``cannot_say``.
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
    published: Published | None


class Verdict(NamedTuple):
    """Whether an item is ``verified``, ``rejected`` or ``open``: *agreed* of *judges* give its label."""

    status: str
    agreed: int
    judges: int


def agrees(value: str, gold: Gold | None) -> bool:
    """Tell whether a judge's label is the gold label; not_entailment is neutral or contradiction.

    >>> agrees("neutral", "not_entailment"), agrees("neutral", "contradiction")
    (True, False)
    """
    return value == gold or (gold == "not_entailment" and value in {"neutral", "contradiction"})


def findings(study: Study) -> tuple[Finding, ...]:
    """Return what was found, by test set in their order and question in the table's."""
    said = _said(study)
    found = []
    for name in study.manifest["test_sets"]:
        items = [item for item in study.items.values() if item.test_set == name]
        for question in in_order(key for item in items for key in item.asked):
            asked = [item for item in items if question in item.asked]
            found.append(_finding(study, name, question, asked, said))
    return tuple(found)


def verdicts(study: Study) -> dict[str, dict[str, Verdict]]:
    """Return the verdict on each item that judges gave labels to, by test set and example.

    A majority must give the item's label, and where it was asked a majority must find the item sensible
    (Sanchez Carmona et al. 2018 discard what is incoherent).
    """
    said, judges = _said(study), len(study.judges)
    majority = judges // 2 + 1
    found: dict[str, dict[str, Verdict]] = {}
    for item in study.items.values():
        if "label" not in item.asked:
            continue
        states = [
            _state(item, key, said, judges, majority) for key in ("label", "sensible") if key in item.asked
        ]
        status = REJECTED if False in states else OPEN if None in states else VERIFIED
        agreed = _good(item, "label", said)
        found.setdefault(item.test_set, {})[item.example] = Verdict(status, agreed, judges)
    return found


def as_json(study: Study) -> dict[str, Any]:
    """Return everything that was found, for a file."""
    found = findings(study)
    parts = {"study": study.identity, "interval": "wilson95.clustered", "agreement": "bootstrap95.clustered"}
    return {
        "study": dict(study.manifest),
        "signature": signature(parts),
        "findings": [_object(each) for each in found],
        "verdicts": {
            name: {example: verdict._asdict() for example, verdict in of.items()}
            for name, of in verdicts(study).items()
        },
    }


def _object(finding: Finding) -> dict[str, Any]:
    estimates = {key: _numbers(getattr(finding, key)) for key in ("agreed", "kappa", "alpha")}
    place = finding.published._asdict() if finding.published else None
    plain = ("test_set", "question", "judges", "needed", "drawn", "undecided", "unsure")
    return {
        **{key: getattr(finding, key) for key in plain},
        **estimates,
        "answers": dict(finding.answers),
        "published": place,
    }


def _numbers(estimate: Estimate | None) -> dict[str, Any] | None:
    if estimate is None:
        return None
    return {key: None if value != value else value for key, value in estimate._asdict().items()}


Said = Mapping[tuple[int, str], Mapping[str, str]]  # of item and question: the value by judge


def _said(study: Study) -> Said:
    found: dict[tuple[int, str], dict[str, str]] = {}
    for answer in study.answers():
        found.setdefault((answer.item, answer.question), {})[answer.judge] = answer.value
    return found


def _good(item: Item, question: str, said: Said) -> int:
    """Return how many judges give *item* the good answer."""
    values = said.get((item.number, question), {}).values()
    if question == "label":
        return sum(agrees(value, item.gold) for value in values)
    return sum(value == QUESTIONS[question].good for value in values)


def _state(item: Item, question: str, said: Said, judges: int, needed: int) -> bool | None:
    """Return whether *needed* judges give the good answer; None while they still may or may not."""
    good = _good(item, question, said)
    pending = judges - len(said.get((item.number, question), {}))
    if good >= needed:
        return True
    return None if good + pending >= needed else False


def _finding(study: Study, name: str, question: str, items: Sequence[Item], said: Said) -> Finding:
    judges = len(study.judges)
    needed = min(TWO, judges)
    values = [said.get((item.number, question), {}) for item in items]
    clusters = [item.cluster for item in items]
    two_labels = question == "label" and any(item.gold == "not_entailment" for item in items)
    kappa, alpha = _agreement(question, _as_two(values) if two_labels else values, clusters, judges)
    agreed: Estimate | None = None
    answers: dict[str, int] = {}
    if question == "category":
        answers, undecided = _categories(values, judges, needed)
    else:
        states = [_state(item, question, said, judges, needed) for item in items]
        undecided = states.count(None)
        decided = [place for place, state in enumerate(states) if state is not None]
        agreed = accuracy([states[place] is True for place in decided], [clusters[i] for i in decided])
    unsure = sum(value == CANNOT_SAY for each in values for value in each.values())
    beside = published_beside(study.manifest["test_sets"][name], name, question)
    return Finding(
        name, question, judges, needed, len(items), undecided, unsure, agreed, kappa, alpha, answers, beside
    )


def _as_two(values: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return the labels of judges with contradiction called neutral: both are not_entailment."""
    return [
        {judge: "neutral" if value == "contradiction" else value for judge, value in each.items()}
        for each in values
    ]


def _categories(values: Sequence[Mapping[str, str]], judges: int, needed: int) -> tuple[dict[str, int], int]:
    """Return how many items *needed* judges put into each category, and how many are not put yet."""
    counts: Counter[str] = Counter()
    undecided = 0
    for each in values:
        most = Counter(value for value in each.values() if value != CANNOT_SAY).most_common(2)
        if most and most[0][1] >= needed and (len(most) == 1 or most[1][1] < most[0][1]):
            counts[most[0][0]] += 1
        elif len(each) < judges:
            undecided += 1
        else:
            counts["no agreement"] += 1
    names = [*QUESTIONS["category"].values, "no agreement"]
    return {name: counts[name] for name in names if counts[name]}, undecided


def _agreement(
    question: str, values: Sequence[Mapping[str, str]], clusters: Sequence[str], judges: int
) -> tuple[Estimate, Estimate]:
    """Return Fleiss' kappa of the items that all judges answered, and Krippendorff's alpha of all."""
    import numpy as np

    nothing = Estimate(nan, -1.0, 1.0, 0, 0)
    known = QUESTIONS[question].values
    votes = np.array(
        [[sum(value == name for value in each.values()) for name in known] for each in values], dtype=np.int64
    ).reshape(-1, len(known))
    if judges < TWO:
        return nothing, nothing
    groups = np.array(clusters, dtype=object)
    full = votes.sum(axis=1) == judges
    kappa = fleiss_kappa(votes[full], groups[full]) if full.any() else nothing
    paired = (votes.sum(axis=1) >= TWO).any()
    return kappa, krippendorff_alpha(votes, groups) if paired else nothing


def judged(example: Example, verdict: Verdict | None) -> Example:
    """Return *example* with *verdict* in its ``info``; an earlier one is taken away where it is open again.

    Where the construction only proposed the label, ``info["status"]`` follows.

    >>> judged(Example("a", "p", "h", "neutral", info={"status": "proposed"}), Verdict("verified", 2, 3)).info
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


def apply_verdicts(study: Study, path: Path) -> dict[str, dict[str, int]]:
    """Write the verdicts of *study* into the suite *path* and return how many of each, by test set.

    Each file is written whole or not at all, the manifest last; ids, texts and labels do not change, so that
    runs over the suite stay what they are.  Doing it again changes nothing.  Raises CrossexamError where the
    suite is not the one that was judged.
    """
    found = verdicts(study)
    if not found:
        raise CrossexamError(
            "the study asks for no labels: there is no verdict on an item", where=str(study.folder)
        )
    suite = load_suite(path)
    for name in found:
        _check(name, suite.datasets.get(name), study, path)
    counts: dict[str, dict[str, int]] = {}
    for name, of in found.items():
        dataset = suite.datasets[name]
        file = Path(str(dataset.manifest["path"]))
        examples = [judged(example, of.get(example.id)) for example in dataset]
        write_test_set(file, examples, file_format=file.suffix.removeprefix("."))
        tally = Counter(verdict.status for verdict in of.values())
        counts[name] = {status: tally[status] for status in (VERIFIED, REJECTED, OPEN)}
    if path.is_dir():
        _note(path / MANIFEST, study, counts)
    return counts


def _check(name: str, dataset: Dataset | None, study: Study, path: Path) -> None:
    hint = "give the suite that `validate sample` drew from"
    if dataset is None:
        raise CrossexamError(f"the suite has no test set '{name}'", where=str(path), hint=hint)
    known, now = study.manifest["test_sets"][name]["content_hash"], dataset.content_hash()
    if now != known:
        raise CrossexamError(
            f"test set '{name}' is not the one that was judged (content {now}, not {known})",
            where=str(path),
            hint=hint,
        )


def _note(manifest_file: Path, study: Study, counts: Mapping[str, Mapping[str, int]]) -> None:
    manifest: dict[str, Any] = read_json(manifest_file)
    for name, tally in counts.items():
        manifest["test_sets"][name]["verdict"] = {
            "study": study.identity,
            "signature": study.manifest.get("signature"),
            "judges": len(study.judges),
            **tally,
        }
    write_json(manifest_file, manifest)


# Construction and question, and where what was published of them stands: study, table, row.
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


class Published(NamedTuple):
    """A *figure* in percent that a *study* printed at a *place*."""

    figure: float
    study: str
    place: str


def published_beside(entry: Mapping[str, Any], name: str, question: str) -> Published | None:
    """Return what was published of *question* for the construction of a test set; None where nothing was.

    *entry* is that of the test set *name* in the study's manifest.
    """
    construction = str(entry.get("construction") or name).partition(".")[0]
    place = _PUBLISHED.get((construction, question))
    if place is None:
        return None
    study, key, row = place
    table = published(study).table(key)
    parts = (entry.get("part"), "snli")  # Nie et al. judged items from SNLI alone
    figures = (table.value(row, construction, part) for part in parts)
    figure = next((each for each in figures if each is not None), None)
    return None if figure is None else Published(figure, study, table.place)
