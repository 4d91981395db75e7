"""Stratified samples of items to judge, from a suite or by what models get right and wrong.

Errors come with hints to their source (:mod:`crossexam.validation.error_sources`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from crossexam.core.dataset import Dataset, Run, Suite
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import (
    HOW,
    KIND,
    PAIR,
    RELATION,
    SIDES,
    Example,
    Side,
    cluster_of,
    status_of,
    undo_edits,
)
from crossexam.core.labels import GOLDS, Gold
from crossexam.core.manifest import signature
from crossexam.core.randomness import rng_for
from crossexam.evaluation.comparison import check_same_items, common_part
from crossexam.evaluation.scores import score_run
from crossexam.validation.error_sources import suggestions
from crossexam.validation.questions import ANTONYM_KIND, GRAMMAR_KEPT, chosen_questions, questions_for
from crossexam.validation.study import Item, SampledSet, StudyManifest, create_study

#: Keys of ``info`` that divide the items of a construction; strata are the gold label and these.
KINDS: Final = (KIND, HOW, RELATION)
MAX_JUDGES: Final = 26

T = TypeVar("T")


@dataclass(frozen=True)
class SampleRequest:
    """A sample of *per_set* items from each test set, or only from *sets*, for a number of *judges*.

    *questions* None stands for the questions that go with each construction.
    """

    per_set: int = 100
    seed: int = 0
    judges: int = 3
    sets: tuple[str, ...] | None = None
    questions: tuple[str, ...] | None = None

    def check(self) -> None:
        """Raise CrossexamError if a number or a question is invalid."""
        if self.per_set < 1:
            raise CrossexamError(f"--per-set is {self.per_set}", wanted="a positive whole number")
        if not 1 <= self.judges <= MAX_JUDGES:
            raise CrossexamError(f"--judges is {self.judges}", wanted=f"1 to {MAX_JUDGES}")
        if self.questions is not None:
            chosen_questions(self.questions)

    def judge_names(self) -> list[str]:
        """Return judge-1, judge-2, ..."""
        return [f"judge-{number}" for number in range(1, self.judges + 1)]


def coordinated_sample(
    strata: Sequence[Hashable], roots: Sequence[str], n: int, *, seed: int, name: str
) -> list[int]:
    """Return the positions of a sample of *n* items, coordinated with samples of other sets by *roots*.

    Each stratum has as many items as in :func:`systematic_sample`; they are those whose roots (the ids of the
    items from which they all derive) have the smallest random numbers.  So every item is still as likely to
    be drawn as any other, and sets that derive from the same items are drawn together as far as possible
    (permanent random numbers: Ohlsson 1995, Coordination of Samples Using Permanent Random Numbers).

    >>> swaps = [f"item-{n}" for n in range(90)]
    >>> control = coordinated_sample(["c"] * 90, swaps, 9, seed=0, name="x")
    >>> half = coordinated_sample(["c"] * 45, swaps[:45], 9, seed=0, name="x")
    >>> len(control), len(half), {place for place in control if place < 45} <= set(half)
    (9, 9, True)
    """
    wanted = Counter(strata[place] for place in systematic_sample(strata, n, seed=seed, name=name))
    order = sorted(
        range(len(strata)), key=lambda place: rng_for(seed, "validate", name, roots[place]).random()
    )
    drawn = []
    for place in order:
        if wanted[strata[place]]:
            wanted[strata[place]] -= 1
            drawn.append(place)
    return sorted(drawn)


def systematic_sample(strata: Sequence[Hashable], n: int, *, seed: int, name: str) -> list[int]:
    """Return the positions of a systematic sample of *n* items whose strata are *strata*, in ascending order.

    Items are sorted by stratum, shuffled within each, and taken at equal steps from a random start (Cochran
    1977, *Sampling Techniques*, chapter 8).  So every item has the same probability ``n/N`` of being drawn,
    means need no weights, and the share of each stratum is proportional, rounded up or down.

    >>> drawn = systematic_sample(list("aab") * 30, 9, seed=0, name="x")
    >>> sorted(Counter("aab"[i % 3] for i in drawn).items())
    [('a', 6), ('b', 3)]
    """
    total = len(strata)
    rng = rng_for(seed, "validate", name)
    shuffled = list(range(total))
    rng.shuffle(shuffled)
    shuffled.sort(key=lambda position: str(strata[position]))  # stable: each stratum stays shuffled
    if n >= total:
        return sorted(shuffled)
    step, start = total / n, rng.random()
    return sorted(shuffled[min(total - 1, int((start + i) * step))] for i in range(n))


#: What a study repeats of the manifest of a test set; null if that does not say.


def stratum_of(example: Example) -> tuple[str, ...]:
    """Return the gold label of *example*, and its kind if its construction has several.

    >>> stratum_of(Example("a", "p", "h", "neutral", info={"how": "prefix"}))
    ('neutral', 'prefix')
    """
    kinds = (example.info.get(key) for key in KINDS)
    return (str(example.label), *(str(kind) for kind in kinds if kind is not None))


def sample_suite(suite: Suite, folder: Path, request: SampleRequest, *, origin: str) -> StudyManifest:
    """Write a study of items of *suite* into *folder* and return its manifest; raises CrossexamError.

    Items without a gold label are left out.  So is the base, in which nothing was constructed, unless it is
    named.
    """
    request.check()
    items: list[Item] = []
    entries: dict[str, SampledSet] = {}
    drawn_of = _drawn(suite, _sets(suite.datasets, request.sets), request)
    for name, (drawn, for_pairs) in drawn_of.items():
        dataset = suite.datasets[name]
        entry = dataset.entry
        is_swap = entry.test_class == "behaviour"
        asked = chosen_questions(request.questions or questions_for(entry.construction, is_swap=is_swap))
        if "category" in asked:
            raise CrossexamError(
                "the question 'category' is only for a model's errors",
                hint="specify the run with --errors RUN",
            )
        items += [_item(example, name, asked) for example in drawn]
        entries[name] = _sampled(dataset, drawn, asked, for_pairs=for_pairs or None)
    facts = {"kind": "judgement", "suite": suite.name, "origin": origin}
    return _write(folder, items, entries, facts, request)


def _drawn(
    suite: Suite, names: Sequence[str], request: SampleRequest
) -> dict[str, tuple[list[Example], int]]:
    """Return the items drawn from each of the test sets *names*, and how many only to complete pairs.

    If a test set is the control of another one, items and their controls are drawn together, so that drops
    over verified items have pairs.
    """
    labelled = {name: [each for each in suite.datasets[name] if each.label is not None] for name in names}
    controls = {name: suite.datasets[name].entry.base_set for name in names}
    controls = {name: control if control in labelled else None for name, control in controls.items()}
    found: dict[str, tuple[list[Example], int]] = {}
    wanted: dict[str, set[str]] = {name: set() for name in names}
    for name in sorted(names, key=lambda name: -len(_lineage(name, controls))):  # swaps before their controls
        examples, lineage = labelled[name], _lineage(name, controls)
        strata = [stratum_of(example) for example in examples]
        if len(lineage) > 1 or name in controls.values():
            roots = _roots(name, lineage, labelled)
            places = coordinated_sample(
                strata, roots, request.per_set, seed=request.seed, name=_kind(lineage[-1])
            )
        else:
            places = systematic_sample(strata, request.per_set, seed=request.seed, name=_kind(name))
        own = {examples[place].id for place in places}
        drawn = [each for each in examples if each.id in own | wanted[name]]
        found[name] = (drawn, len(drawn) - len(own))
        if len(lineage) > 1:
            wanted[lineage[1]] |= {each.base for each in drawn if each.base is not None}
    return {name: found[name] for name in names}


def _kind(name: str) -> str:
    """Return *name* of a test set without that of its base, by which no draw is to differ.

    >>> _kind("negation.claims")
    'negation'
    """
    return name.partition(".")[0]


def _lineage(name: str, controls: Mapping[str, str | None]) -> list[str]:
    """Return *name*, its control, the control of that, and so on."""
    lineage = [name]
    while (control := controls[lineage[-1]]) is not None and control not in lineage:
        lineage.append(control)
    return lineage


def _roots(name: str, lineage: Sequence[str], labelled: Mapping[str, Sequence[Example]]) -> list[str]:
    """Return for each item of *name* the id of the item of the last set of *lineage* that it derives from."""
    roots = [each.id for each in labelled[name]]
    for each in lineage[:-1]:
        bases = {example.id: example.base or example.id for example in labelled[each]}
        roots = [bases.get(root, root) for root in roots]
    return roots


def sample_outcomes(
    folder: Path, request: SampleRequest, *, wrong: Sequence[Run] = (), right: Sequence[Run] = (), origin: str
) -> StudyManifest:
    """Write a study of the items that all of *wrong* get wrong and all of *right* get right.

    Of the errors of one model, judges see the gold label and the prediction, as the authors of Naik et al.
    (2018, Table 1) did, and are asked what misled the model; strata are the gold label and the prediction.
    Of other items, they are asked what they are asked of a suite, unless the request names questions.  Items
    that a run did not answer are left out.  Writes the study into *folder* and returns its manifest.  Raises
    CrossexamError, also if the runs share no test set or have other items, or if no item is left.
    """
    request.check()
    runs = _over_shared_sets([*wrong, *right])
    if "category" in (request.questions or ()) and len(wrong) != 1:
        raise CrossexamError(
            f"the question 'category' is about the errors of one model, not of {len(wrong)}",
            hint="name one run with --errors, or another --question",
        )
    names = _sets(runs[0].datasets, request.sets, with_base=True)
    items: list[Item] = []
    entries: dict[str, SampledSet] = {}
    for name, found in _with_outcome(runs, names, len(wrong)).items():
        dataset = runs[0].datasets[name]
        default = ("category",) if len(wrong) == 1 else questions_for(dataset.entry.construction)
        asked = chosen_questions(request.questions or default)
        askable = [each for each in found if _asked_of(each.example, asked)]
        strata = [each.stratum for each in askable]
        places = systematic_sample(strata, request.per_set, seed=request.seed, name=_kind(name))
        drawn = [askable[place] for place in places]
        items += [_outcome_item(each, name, asked) for each in drawn]
        if drawn:
            examples = [each.example for each in drawn]
            entries[name] = _sampled(dataset, examples, asked, of=len(askable))
    if not items:
        raise CrossexamError(
            f"no item to ask about is {_outcome_words(wrong, right)}",
            where=", ".join(names),
            wanted="at least one",
        )
    models = {"wrong": [run.model for run in wrong], "right": [run.model for run in right]}
    return _write(folder, items, entries, {"kind": "outcomes", **models, "origin": origin}, request)


class _Found(NamedTuple):
    """An *example* with the outcome that is sought, and of the error of one model what it *predicted*."""

    example: Example
    predicted: Gold | None

    @property
    def stratum(self) -> tuple[str, ...]:
        if self.predicted is None:
            return stratum_of(self.example)
        return str(self.example.label), self.predicted


def _over_shared_sets(runs: Sequence[Run]) -> list[Run]:
    """Return *runs* over the test sets that all have; raises CrossexamError unless these are the same."""
    first, *others = runs
    for other in others:
        first, _ = common_part(first, other)
    for other in others:
        for name in first.datasets:
            check_same_items(name, first, other)
    return [first, *(other.restricted_to(list(first.datasets)) for other in others)]


def _with_outcome(runs: Sequence[Run], names: Iterable[str], wrong: int) -> dict[str, list[_Found]]:
    """Return the items of each of *names* that the first *wrong* runs get wrong, and the others right."""
    two_labels = any(run.two_labels for run in runs)
    scores = [score_run(run, two_labels=two_labels) for run in runs]
    found: dict[str, list[_Found]] = {}
    for name in names:
        first, *_ = scored = [each[name] for each in scores]
        answered = np.all([each.predicted >= 0 for each in scored], axis=0)
        sought = [~each.correct for each in scored[:wrong]] + [each.correct for each in scored[wrong:]]
        found[name] = [
            _Found(first.examples[place], GOLDS[int(first.predicted[place])] if wrong == 1 else None)
            for place in np.flatnonzero(answered & np.all(sought, axis=0)).tolist()
        ]
    return found


def _outcome_words(wrong: Sequence[Run], right: Sequence[Run]) -> str:
    """Return what the outcome is in words: ``wrong in 'a' and 'b', right in 'c'``."""
    sides = (("wrong", wrong), ("right", right))
    return ", ".join(
        f"{how} in {' and '.join(repr(run.model) for run in runs)}" for how, runs in sides if runs
    )


def _sets(
    datasets: Mapping[str, Dataset], wanted: Sequence[str] | None, *, with_base: bool = False
) -> list[str]:
    kinds = {name.partition(".")[0] for name in datasets}
    for name in wanted or ():
        if name not in datasets and name not in kinds:
            raise UnknownNameError("test set", name, {*datasets, *kinds})
    if wanted:  # by name, or all of a construction
        return [name for name in datasets if name in wanted or name.partition(".")[0] in wanted]
    names = [name for name in datasets if with_base or not datasets[name].entry.is_base]
    if not names:
        raise CrossexamError("the suite contains nothing but its base", hint="--set NAME to judge the base")
    return names


def _asked_of(example: Example, asked: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of the questions *asked* that can be asked of *example*."""
    lacking = {GRAMMAR_KEPT: not _before(example), ANTONYM_KIND: not example.info.get(PAIR)}
    return tuple(key for key in asked if not lacking.get(key, False))


def _item(example: Example, test_set: str, asked: tuple[str, ...]) -> Item:
    pair = example.info.get(PAIR)
    return Item(
        number=0,
        test_set=test_set,
        example=example.id,
        premise=example.premise,
        hypothesis=example.hypothesis,
        gold=example.label,
        predicted=None,
        cluster=cluster_of(example),
        asked=_asked_of(example, asked),
        before=_before(example),
        status=status_of(example),
        pair="/".join(map(str, pair)) if isinstance(pair, list | tuple) else pair,
    )


def _before(example: Example) -> dict[Side, str]:
    """Return the sentences that the edits of *example* changed, as they were before; empty for a base."""
    if example.change is None:
        return {}
    edits = example.change.edits
    edited = [side for side in SIDES if any(edit.side == side for edit in edits)]
    return {side: undo_edits(example.text(side), edits, side) for side in edited}


def _outcome_item(found: _Found, test_set: str, asked: tuple[str, ...]) -> Item:
    """Return the item to judge; of the error of one model, with what it predicted."""
    example, predicted = found
    item = _item(example, test_set, asked)
    if predicted is None:
        return item
    item = replace(item, predicted=predicted)
    return replace(item, suggested=suggestions(item)) if "category" in asked else item


def _sampled(
    dataset: Dataset,
    drawn: Sequence[Example],
    asked: Iterable[str],
    *,
    for_pairs: int | None = None,
    of: int | None = None,
) -> SampledSet:
    entry, strata = dataset.entry, Counter(" / ".join(stratum_of(example)) for example in drawn)
    return SampledSet(
        construction=entry.versioned,
        part=entry.part,
        rows=len(dataset),
        content_hash=dataset.content_hash(),
        signature=entry.signature,
        projection=entry.projection,
        drawn=len(drawn),
        strata=dict(sorted(strata.items())),
        questions=list(asked),
        for_pairs=for_pairs,
        of=of,
    )


def _write(
    folder: Path,
    items: Sequence[Item],
    entries: Mapping[str, SampledSet],
    facts: Mapping[str, Any],
    request: SampleRequest,
) -> StudyManifest:
    items = [item for item in items if item.asked]
    if not items:
        raise CrossexamError("no items to judge", wanted="items with a gold label, or wrong predictions")
    for (name, example), count in Counter((item.test_set, item.example) for item in items).items():
        if count > 1:
            raise CrossexamError(f"two items have the id '{example}'", where=f"test set {name}")
    numbered = [
        replace(item, number=number)
        for number, item in enumerate(_shuffled(items, request.seed, "numbers"), 1)
    ]
    numbers = [item.number for item in numbered]
    orders = {judge: _shuffled(numbers, request.seed, "order", judge) for judge in request.judge_names()}
    sets = "+".join(f"{name}@{entry.content_hash}" for name, entry in entries.items())
    models = {side: "+".join(facts[side]) for side in ("wrong", "right") if facts.get(side)}
    parts = {"study": facts["kind"], **models, "seed": request.seed, "per_set": request.per_set, "sets": sets}
    manifest = StudyManifest(
        format=2,
        facts=facts,
        signature=signature(parts),
        seed=request.seed,
        per_set=request.per_set,
        judges=list(orders),
        items=len(items),
        test_sets=dict(entries),
    )
    create_study(folder, numbered, orders, manifest)
    return manifest


def _shuffled(values: Sequence[T], seed: int, *parts: str) -> list[T]:
    shuffled = list(values)
    rng_for(seed, "validate", *parts).shuffle(shuffled)
    return shuffled
