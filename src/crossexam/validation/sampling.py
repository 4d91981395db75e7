"""Stratified samples of items to judge, from a suite or from the errors of a run.

Errors come with suggestions for their source, one of the nine of Naik et al. (2018, Table 1).  The authors
categorized 100 errors by hand, and the suggestions only help judges to do the same.  The paper describes the
sources (section 2) without figures; the thresholds are ours.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from string import ascii_lowercase
from typing import Any, Final, NamedTuple, TypeVar

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
from crossexam.evaluation.scores import score_run
from crossexam.language.lexicons.closed_classes import CLOSED_CLASSES, NEGATIONS
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.numbers import quantities
from crossexam.language.tokens import words
from crossexam.validation.questions import ANTONYM_KIND, GRAMMAR_KEPT, chosen_questions, questions_for
from crossexam.validation.study import Item, create_study

#: Shares of the content words of the hypothesis that are in the premise: much overlap, and hardly any.
MUCH_OVERLAP: Final = 0.7
LITTLE_OVERLAP: Final = 0.2
#: The least ratio of the lengths of premise and hypothesis, in words.
LONGER: Final = 3.0

_QUANTIFIERS: Final = frozenset(
    "all every each both few fewer many more most least less several some half twice double dozen "
    "majority minority".split()
)
_UNLISTED: Final = frozenset("others amongst amidst unto sans passersby".split())  # not in WordNet
_ENDINGS: Final = ("r", "er", "rs", "ers", "less", "ly", "ed", "ing", "s")
_WORD: Final = re.compile(r"[a-z]+(?:['’-][a-z]+)*")
_PLAIN: Final = re.compile(r"[a-z]{3,}")


class Suggestion(NamedTuple):
    """A *category* of :data:`crossexam.validation.questions.CATEGORIES` and *why* it is suggested."""

    category: str
    why: str


@dataclass(frozen=True)
class Misclassified:
    """An item that a model got wrong: its sentences, its gold label, and the prediction."""

    premise: str
    hypothesis: str
    gold: Gold
    predicted: Gold


def suggestions(item: Misclassified) -> tuple[Suggestion, ...]:
    """Return the possible sources of the error, in the order of the paper's table; else ``unknown``.

    >>> item = Misclassified("The door is open.", "The door is closed.", "contradiction", "entailment")
    >>> [each.category for each in suggestions(item)]
    ['antonymy']
    """
    known = tuple(Suggestion(name, why) for name, sign in _SIGNS.items() if (why := sign(item)) is not None)
    return known or (Suggestion("unknown", "no hint to another"),)


def _content(sentence: str) -> list[str]:
    lowered = [token.text.lower() for token in words(sentence)]
    return [word for word in lowered if _WORD.fullmatch(word) and word not in CLOSED_CLASSES | NEGATIONS]


def _overlap(item: Misclassified) -> str | None:
    hypothesis = set(_content(item.hypothesis))
    if not hypothesis:
        return None
    share = len(hypothesis & set(_content(item.premise))) / len(hypothesis)
    why = f"{share:.0%} of the words of the hypothesis are in the premise"
    if share >= MUCH_OVERLAP and item.predicted == "entailment":
        return why
    if share <= LITTLE_OVERLAP and (item.gold, item.predicted) == ("entailment", "neutral"):
        return why
    return None


def _negation(item: Misclassified) -> str | None:
    if item.predicted != "contradiction":
        return None
    negations = [
        token.text
        for side in (item.premise, item.hypothesis)
        for token in words(side)
        if token.text.lower().replace("’", "'") in NEGATIONS
    ]
    return _listed(negations)


def _antonyms(item: Misclassified) -> str | None:
    if item.gold != "contradiction":
        return None
    hypothesis = set(_content(item.hypothesis))
    pairs = [
        f"{word}/{other}"
        for word in dict.fromkeys(_content(item.premise))
        for other in sorted(hypothesis)
        if word != other and _forms(other) & _opposites(word)
    ]
    return _listed(pairs)


@cache
def _forms(word: str) -> frozenset[str]:
    return frozenset(WordNet.load().lemmas_of(word))


@cache
def _opposites(word: str) -> frozenset[str]:
    wordnet = WordNet.load()
    if not wordnet.has_antonym(word):
        return frozenset()
    return frozenset(
        antonym.lower()
        for synset in wordnet.synsets(word)
        for lemma in _forms(word)
        for _, antonym in wordnet.antonyms(synset, lemma)
    )


def _numbers(item: Misclassified) -> str | None:
    sides = (item.premise, item.hypothesis)
    numbers = [number.text for side in sides for number in quantities(side)]
    quantifiers = [
        token.text for side in sides for token in words(side) if token.text.lower() in _QUANTIFIERS
    ]
    return _listed(numbers + quantifiers)


def _length(item: Misclassified) -> str | None:
    long, short = len(words(item.premise)), len(words(item.hypothesis))
    return f"{long} words and {short} words" if short and long >= LONGER * short else None


def _spelling(item: Misclassified) -> str | None:
    """Return the words in lower case that are not known, but one letter away from a word of WordNet."""
    unknown = [
        token.text
        for side in (item.premise, item.hypothesis)
        for token in words(side)
        if _PLAIN.fullmatch(token.text) and _is_misspelt(token.text)
    ]
    return _listed(unknown)


@cache
def _is_misspelt(word: str) -> bool:
    """Return whether *word* looks misspelt; "mountaintop" and "shirtless" do not, though WordNet lacks them.

    >>> [_is_misspelt(word) for word in ("helments", "mountaintop", "shirtless", "others", "dogs")]
    [True, False, False, False, False]
    """
    if _is_word(word):
        return False
    if any(_is_word(word[:i]) and _is_word(word[i:]) for i in range(3, len(word) - 2)):
        return False
    if any(word.endswith(ending) and _is_word(word.removesuffix(ending)) for ending in _ENDINGS):
        return False
    return any(_is_word(other) for other in _one_edit_away(word))


def _one_edit_away(word: str) -> Iterator[str]:
    """Yield *word* with one letter deleted, inserted or replaced, and with two adjacent letters swapped."""
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        if tail:
            yield head + tail[1:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
        for letter in ascii_lowercase:
            yield head + letter + tail
            if tail:
                yield head + letter + tail[1:]


@cache
def _is_word(word: str) -> bool:
    if word in CLOSED_CLASSES or word in NEGATIONS or word in _QUANTIFIERS or word in _UNLISTED:
        return True
    return bool(WordNet.load().lemmas_of(word) or WordNet.load().lemmas_of(word.replace("our", "or")))


def _listed(texts: Iterable[str]) -> str | None:
    return ", ".join(dict.fromkeys(texts)) or None


_SIGNS: Final[dict[str, Callable[[Misclassified], str | None]]] = {
    "word_overlap": _overlap,
    "negation": _negation,
    "antonymy": _antonyms,
    "numerical_reasoning": _numbers,
    "length_mismatch": _length,
    "grammaticality": _spelling,
}

#: Keys of ``info`` that divide the items of a construction; strata are the gold label and these.
KINDS: Final = (KIND, HOW, RELATION)
MOST_JUDGES: Final = 26

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
        if not 1 <= self.judges <= MOST_JUDGES:
            raise CrossexamError(f"--judges is {self.judges}", wanted=f"1 to {MOST_JUDGES}")
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
_REPEATED: Final = ("construction", "part", "rows", "content_hash", "signature", "projection")


def stratum_of(example: Example) -> tuple[str, ...]:
    """Return the gold label of *example*, and its kind if its construction has several.

    >>> stratum_of(Example("a", "p", "h", "neutral", info={"how": "prefix"}))
    ('neutral', 'prefix')
    """
    kinds = (example.info.get(key) for key in KINDS)
    return (str(example.label), *(str(kind) for kind in kinds if kind is not None))


def sample_suite(suite: Suite, folder: Path, request: SampleRequest, *, origin: str) -> dict[str, Any]:
    """Write a study of items of *suite* into *folder* and return its manifest; raises CrossexamError.

    Items without a gold label are left out.  So is the base, in which nothing was constructed, unless it is
    named.
    """
    request.check()
    items: list[Item] = []
    entries: dict[str, Any] = {}
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
        entries[name] = _entry(dataset, drawn, asked) | ({"for_pairs": for_pairs} if for_pairs else {})
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


def sample_errors(run: Run, folder: Path, request: SampleRequest, *, origin: str) -> dict[str, Any]:
    """Write a study of the wrong predictions of *run* into *folder* and return its manifest.

    Judges see the gold label and the prediction, as the authors of Naik et al. (2018, Table 1) did, and are
    asked what misled the model.  Strata are the gold label and the prediction.  Raises CrossexamError.
    """
    request.check()
    asked = chosen_questions(request.questions or ("category",))
    items: list[Item] = []
    entries: dict[str, Any] = {}
    scores = score_run(run, two_labels=run.two_labels)
    for name in _sets(run.datasets, request.sets, with_base=True):
        dataset, scored = run.datasets[name], scores[name]
        rows = zip(scored.examples, scored.predicted.tolist(), scored.correct.tolist(), strict=True)
        wrong = [(example, GOLDS[predicted]) for example, predicted, is_right in rows if not is_right]
        strata = [(example.label, predicted) for example, predicted in wrong]
        positions = systematic_sample(strata, request.per_set, seed=request.seed, name=_kind(name))
        drawn = [wrong[position] for position in positions]
        items += [_error(example, predicted, name, asked) for example, predicted in drawn]
        entries[name] = {**_entry(dataset, [example for example, _ in drawn], asked), "errors": len(wrong)}
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
    names = [name for name in datasets if with_base or not datasets[name].entry.is_base]
    if not names:
        raise CrossexamError("the suite contains nothing but its base", hint="--set NAME to judge the base")
    return names


def _item(example: Example, test_set: str, asked: tuple[str, ...]) -> Item:
    before, pair = _before(example), example.info.get(PAIR)
    lacking = {GRAMMAR_KEPT: not before, ANTONYM_KIND: not pair}
    asked = tuple(key for key in asked if not lacking.get(key, False))
    return Item(
        number=0,
        test_set=test_set,
        example=example.id,
        premise=example.premise,
        hypothesis=example.hypothesis,
        gold=example.label,
        predicted=None,
        cluster=cluster_of(example),
        asked=asked,
        before=before,
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


def _error(example: Example, predicted: Gold, test_set: str, asked: tuple[str, ...]) -> Item:
    item = replace(_item(example, test_set, asked), predicted=predicted)
    if "category" not in asked or example.label is None:
        return item
    error = Misclassified(example.premise, example.hypothesis, example.label, predicted)
    return replace(item, suggested=suggestions(error))


def _entry(dataset: Dataset, drawn: Sequence[Example], asked: Iterable[str]) -> dict[str, Any]:
    repeated = {key: dataset.manifest.get(key) for key in _REPEATED}
    strata = Counter(" / ".join(stratum_of(example)) for example in drawn)
    return {
        **repeated,
        "rows": len(dataset),
        "content_hash": dataset.content_hash(),
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
    shuffled = list(values)
    rng_for(seed, "validate", *parts).shuffle(shuffled)
    return shuffled
