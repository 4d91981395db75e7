"""Which items of a suite, or of a run's errors, are judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from crossexam.core.dataset import Dataset, Run, Suite
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import Example, cluster_of
from crossexam.core.labels import GOLDS, Gold
from crossexam.core.manifest import signature
from crossexam.core.randomness import rng_for
from crossexam.evaluation.scores import has_two_labels, is_base, score_run
from crossexam.validation.questions import chosen_questions, questions_for
from crossexam.validation.study import Item, create_study
from crossexam.validation.suggestions import Misread, suggestions

#: Keys of ``info`` that say of which kind an item is; strata are the gold label and these.
KINDS: Final = ("kind", "how", "relation")
MOST_JUDGES: Final = 26

T = TypeVar("T")


@dataclass(frozen=True)
class SampleRequest:
    """What to draw: *per_set* items of each test set, or of those *sets*, for so many *judges*.

    *questions* None asks what goes with each construction.
    """

    per_set: int = 100
    seed: int = 0
    judges: int = 3
    sets: tuple[str, ...] | None = None
    questions: tuple[str, ...] | None = None

    def check(self) -> None:
        """Raise CrossexamError where the request makes no sense."""
        if self.per_set < 1:
            raise CrossexamError(f"--per-set is {self.per_set}", wanted="a whole number above 0")
        if not 1 <= self.judges <= MOST_JUDGES:
            raise CrossexamError(f"--judges is {self.judges}", wanted=f"1 to {MOST_JUDGES}")
        if self.questions is not None:
            chosen_questions(self.questions)

    def judge_names(self) -> list[str]:
        """Return judge-1, judge-2, ..."""
        return [f"judge-{number}" for number in range(1, self.judges + 1)]


def systematic(strata: Sequence[Hashable], n: int, *, seed: int, name: str) -> list[int]:
    """Return *n* positions of the items with these *strata*, stratified: every k-th of a sorted list.

    Items are sorted by stratum, shuffled within, and taken at equal steps from a random start (Cochran 1977,
    *Sampling Techniques*, chapter 8).  So every item has the same chance ``n/N``, means need no weights, and
    each stratum gets its proportional share, rounded up or down.

    >>> sorted(Counter("aab"[i % 3] for i in systematic(list("aab") * 30, 9, seed=0, name="x")).items())
    [('a', 6), ('b', 3)]
    """
    total = len(strata)
    rng = rng_for(seed, "validate", name)
    shuffled = list(range(total))
    rng.shuffle(shuffled)
    shuffled.sort(key=lambda position: str(strata[position]))  # stable: stays shuffled within
    if n >= total:
        return sorted(shuffled)
    step, start = total / n, rng.random()
    return sorted(shuffled[min(total - 1, int((start + i) * step))] for i in range(n))


def stratum_of(example: Example) -> tuple[str, ...]:
    """Return the gold label of *example*, and its kind where its construction tells kinds apart.

    >>> stratum_of(Example("a", "p", "h", "neutral", info={"how": "prefix"}))
    ('neutral', 'prefix')
    """
    kinds = (example.info.get(key) for key in KINDS)
    return (str(example.label), *(str(kind) for kind in kinds if kind is not None))


def sample_suite(suite: Suite, folder: Path, request: SampleRequest, *, origin: str) -> dict[str, Any]:
    """Write a study of items of *suite* into *folder* and return its manifest; raises CrossexamError.

    Items without a gold label are left out, and the base unless it is named: nothing was constructed.
    """
    request.check()
    items: list[Item] = []
    entries: dict[str, Any] = {}
    for name in _sets(suite.datasets, request.sets):
        dataset = suite.datasets[name]
        construction = str(dataset.manifest.get("construction") or name)
        examples = [example for example in dataset if example.label is not None]
        is_swap = str(dataset.manifest.get("test_class")) == "behaviour"
        asked = chosen_questions(request.questions or questions_for(construction, is_swap=is_swap))
        if "category" in asked:
            raise CrossexamError(
                "the question 'category' is for errors", hint="--errors RUN says whose errors"
            )
        positions = systematic(
            [stratum_of(each) for each in examples], request.per_set, seed=request.seed, name=name
        )
        drawn = [examples[position] for position in positions]
        items += [_item(example, name, asked) for example in drawn]
        entries[name] = _entry(dataset, drawn, asked)
    facts = {"kind": "judgement", "suite": suite.name, "origin": origin}
    return _write(folder, items, entries, facts, request)


def sample_errors(run: Run, folder: Path, request: SampleRequest, *, origin: str) -> dict[str, Any]:
    """Write a study of the wrong answers of *run* into *folder* and return its manifest.

    Judges see the gold label and the answer, as the authors of Naik et al. (2018, Table 1) did, and are asked
    what misled the model.  Strata are the gold label and the answer.  Raises CrossexamError.
    """
    request.check()
    asked = chosen_questions(request.questions or ("category",))
    items: list[Item] = []
    entries: dict[str, Any] = {}
    answered = score_run(run, two_labels=has_two_labels(run))
    for name in _sets(run.datasets, request.sets, with_base=True):
        dataset, scored = run.datasets[name], answered[name]
        said = zip(scored.examples, scored.predicted.tolist(), scored.correct.tolist(), strict=True)
        wrong = [(example, GOLDS[answer]) for example, answer, is_right in said if not is_right]
        strata = [(example.label, answer) for example, answer in wrong]
        positions = systematic(strata, request.per_set, seed=request.seed, name=name)
        drawn = [wrong[position] for position in positions]
        items += [_error(example, answer, name, asked) for example, answer in drawn]
        entries[name] = {**_entry(dataset, [each for each, _ in drawn], asked), "errors": len(wrong)}
    facts = {"kind": "errors", "model": run.model, "origin": origin}
    return _write(folder, items, entries, facts, request)


def _sets(
    datasets: Mapping[str, Dataset], wanted: Sequence[str] | None, *, with_base: bool = False
) -> list[str]:
    kinds = {name.partition(".")[0] for name in datasets}
    for name in wanted or ():
        if name not in datasets and name not in kinds:
            raise UnknownNameError("test set", name, {*datasets, *kinds})
    if wanted:  # by name, or all of a construction
        return [name for name in datasets if name in wanted or name.partition(".")[0] in wanted]
    found = [name for name in datasets if with_base or not is_base(datasets[name])]
    if not found:
        raise CrossexamError("there is nothing but the base", hint="--set NAME to judge a base")
    return found


def _item(example: Example, test_set: str, asked: tuple[str, ...]) -> Item:
    cluster = cluster_of(example)
    return Item(
        0, test_set, example.id, example.premise, example.hypothesis, example.label, None, cluster, asked
    )


def _error(example: Example, answer: Gold, test_set: str, asked: tuple[str, ...]) -> Item:
    item = replace(_item(example, test_set, asked), predicted=answer)
    if "category" not in asked or example.label is None:
        return item
    misread = Misread(example.premise, example.hypothesis, example.label, answer)
    return replace(item, suggested=suggestions(misread))


def _entry(dataset: Dataset, drawn: Sequence[Example], asked: Iterable[str]) -> dict[str, Any]:
    manifest = dataset.manifest
    strata = Counter(" / ".join(stratum_of(example)) for example in drawn)
    return {
        "construction": manifest.get("construction"),
        "part": manifest.get("part"),
        "rows": len(dataset),
        "content_hash": dataset.content_hash(),
        "signature": manifest.get("signature"),
        "drawn": len(drawn),
        "strata": dict(sorted(strata.items())),
        "questions": list(asked),
    }


def _write(
    folder: Path,
    items: Sequence[Item],
    entries: Mapping[str, Any],
    facts: Mapping[str, Any],
    request: SampleRequest,
) -> dict[str, Any]:
    if not items:
        raise CrossexamError("no item can be judged", wanted="items with a gold label, or wrong answers")
    for (name, example), count in Counter((item.test_set, item.example) for item in items).items():
        if count > 1:
            raise CrossexamError(f"two items have the id '{example}'", where=f"test set {name}")
    numbered = [
        replace(item, number=number)
        for number, item in enumerate(_shuffled(items, request.seed, "numbers"), 1)
    ]
    numbers = [item.number for item in numbered]
    orders = {judge: _shuffled(numbers, request.seed, "order", judge) for judge in request.judge_names()}
    sets = "+".join(f"{name}@{entry['content_hash']}" for name, entry in entries.items())
    parts = {"study": facts["kind"], "seed": request.seed, "per_set": request.per_set, "sets": sets}
    manifest = {
        "format": 1,
        **facts,
        "signature": signature(parts),
        "seed": request.seed,
        "per_set": request.per_set,
        "judges": list(orders),
        "items": len(items),
        "test_sets": dict(entries),
    }
    create_study(folder, numbered, orders, manifest)
    return manifest


def _shuffled(values: Sequence[T], seed: int, *parts: str) -> list[T]:
    found = list(values)
    rng_for(seed, "validate", *parts).shuffle(found)
    return found
