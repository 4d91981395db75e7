"""Applying constructions to a stream of examples, and counting items and rejections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import islice
from traceback import extract_tb
from typing import Any, Final, Generic, NamedTuple, TypeVar

from crossexam.constructions.construction import Draft, Rejection, Resources
from crossexam.constructions.entry import Construction
from crossexam.constructions.resources import LanguageResources
from crossexam.constructions.table import construction_named
from crossexam.core.arguments import shown
from crossexam.core.errors import CrossexamError
from crossexam.core.example import CLUSTER, Example, Side, cluster_of
from crossexam.core.labels import GOLDS, THREE_LABELS, Gold, Projection, projection_of
from crossexam.core.progress import seldom_collected
from crossexam.core.randomness import SeededOnUse
from crossexam.core.settings import with_options

CHUNK: Final = 1_000  # examples per batch of tagging and parsing
#: The reasons in the yield table that depend on the examples before.
MET_BEFORE: Final = "sentence met before"
REPEATED: Final = "pair already in the set"
#: What is wanted of plug-ins.
_OUTCOMES: Final = "a Draft for each item, or a Rejection"
_FITTING: Final = "each Edit(side, start, end, old, new) with what stands from start to end as old"
_BIT: Final = {"premise": 1, "hypothesis": 2}


class Rejected(NamedTuple):
    """How many cases were rejected for a reason, and how many items were made before the first of them."""

    cases: int
    after: int


Items = TypeVar("Items", bound=Sized)


class ChunkYield(NamedTuple, Generic[Items]):
    """What was made of so many consecutive *examples*: *items*, and what was *rejected*, by reason.

    *pairs* are hashes of the pairs of the items, if no pair may occur twice in their test set.
    """

    examples: int
    items: Items
    rejected: Mapping[str, Rejected] = {}
    pairs: Sequence[int] = ()


class Tally:
    """*items* that are made one after the other, and the reasons for rejections between them."""

    def __init__(self) -> None:
        self.examples, self.items = 0, list[Example]()
        self._rejected: Counter[str] = Counter()
        self._after: dict[str, int] = {}

    def reject(self, reason: str, times: int = 1) -> None:
        """Add a *reason* why there is no item, or why there are several fewer."""
        self._after.setdefault(reason, len(self.items))
        self._rejected[reason] += times

    def made(self) -> ChunkYield[list[Example]]:
        """Return what was added, made of so many examples as were counted."""
        rejected = {reason: Rejected(self._rejected[reason], after) for reason, after in self._after.items()}
        return ChunkYield(self.examples, self.items, rejected)


@dataclass
class YieldCounts:
    """The number of *examples* processed, of *items* built, and of *rejected* cases by reason."""

    examples: int = 0
    items: int = 0
    rejected: Counter[str] = field(default_factory=Counter)

    def add(self, made: ChunkYield[Any], repeated: Sequence[int] = ()) -> None:
        """Count what was *made* of more examples; the items at the places *repeated* were not used.

        Reasons are kept in the order in which they occur first.
        """
        self.examples += made.examples
        self.items += len(made.items) - len(repeated)
        reasons = dict(made.rejected)
        if repeated:
            reasons[REPEATED] = Rejected(len(repeated), repeated[0])
        for reason, each in sorted(reasons.items(), key=lambda pair: pair[1].after):
            self.rejected[reason] += each.cases

    def leave_out(self, reason: str, items: int) -> None:
        """Count so many of the *items* as left out for a *reason*."""
        if items:
            self.items -= items
            self.rejected[reason] += items

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as plain data, the most frequent reason first."""
        return {"examples": self.examples, "items": self.items, "rejected": dict(self.rejected.most_common())}


class SeenSentences:
    """The sentences of a stream of examples that came earlier in it."""

    def __init__(self) -> None:
        self._known: set[int] = set()

    def sides(self, example: Example) -> int:
        """Return which sentences of *example*, the next one, came earlier: 1 premise, 2 hypothesis, 3 both.

        >>> seen = SeenSentences()
        >>> [seen.sides(Example("a", premise, "It rains.", None)) for premise in ("Dogs bark.", "It rains.")]
        [0, 3]
        """
        return self._bit(example.premise, "premise") | self._bit(example.hypothesis, "hypothesis")

    def _bit(self, sentence: str, side: Side) -> int:
        size = len(self._known)
        self._known.add(hash(sentence))
        return 0 if not sentence or len(self._known) > size else _BIT[side]


class SeenPairs:
    """The pairs of a test set in which no pair may occur twice."""

    def __init__(self) -> None:
        self._known: set[int] = set()

    def repeated(self, pairs: Iterable[int]) -> list[int]:
        """Return the places of those of *pairs*, given as hashes, that are known, and add the others."""
        places = []
        for place, pair in enumerate(pairs):
            if pair in self._known:
                places.append(place)
            self._known.add(pair)
        return places


def pair_number(item: Example) -> int:
    """Return a hash of the pair of *item*, which is the same in every process."""
    pair = f"{item.premise}\x1f{item.hypothesis}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(pair, digest_size=8).digest(), "big")


class Applier:
    """A construction as applied to a stream of examples, with one seed per example.

    *projection* is that of the examples; labels that the construction assigns are mapped to its labels.
    What is made of an example depends on no other one but for repeated sentences and pairs: :meth:`items`
    knows these and counts; :meth:`made` leaves both to its caller, so that any process can carry it out.

    >>> applier = Applier(construction_named("negation"), LanguageResources(), seed=0)
    >>> [item.hypothesis for item in applier.items(Example("a", "It rains.", "It is wet.", "neutral"))]
    ['It is wet and false is not true.']
    """

    def __init__(
        self,
        construction: Construction,
        resources: Resources,
        *,
        seed: int,
        projection: Projection = THREE_LABELS,
    ) -> None:
        self.construction, self.resources, self.seed = construction, resources, seed
        self.projection = projection if construction.keeps_label else projection.of_new_labels
        self._labels: frozenset[Gold | None] = frozenset({None, *self.projection.labels})
        self.counts = YieldCounts()
        self._bound = construction.bound
        self._is_plug_in = construction.plug_in is not None
        self._function = self._of_plug_in if self._is_plug_in else self._bound
        self._versioned = construction.versioned
        self._stream = construction.drawn_as or construction.name
        self._random = SeededOnUse()
        self._sentences, self._pairs = SeenSentences(), SeenPairs()

    def items(self, example: Example) -> Iterator[Example]:
        """Yield the items built from *example*, the next one of the stream."""
        made = self.made([example], bytes([self._sentences.sides(example)]))
        repeated = self._pairs.repeated(made.pairs)
        self.counts.add(made, repeated)
        yield from (item for place, item in enumerate(made.items) if place not in repeated)

    def made(self, examples: Sequence[Example], seen_sides: bytes) -> ChunkYield[list[Example]]:
        """Return what the construction makes of *examples*, repeated pairs included.

        *seen_sides* tells for each example which of its sentences came earlier in the stream
        (:meth:`SeenSentences.sides`); a construction that works sentence by sentence leaves these out.
        """
        tally = Tally()
        for example, sides in zip(examples, seen_sides, strict=True):
            self._apply(example, sides, tally)
        made = tally.made()
        unique = self.construction.unique_pairs
        return made._replace(pairs=[pair_number(item) for item in made.items]) if unique else made

    def _apply(self, example: Example, seen: int, tally: Tally) -> None:
        """Add to *tally* the items built from *example*, and the reasons for rejections."""
        construction = self.construction
        tally.examples += 1
        if example.is_single_text and not construction.takes_single_texts:
            tally.reject("a single sentence, not a pair")
            return
        premise, hypothesis = example.premise, example.hypothesis
        if seen and construction.per_sentence:
            tally.reject(MET_BEFORE, seen.bit_count())
            example = _without(example, seen)
        # of pairs with one premise, which is used once, the order must not tell what is drawn
        is_problem_of_pairs = construction.reads_problems and example.hypothesis
        drawn_for = example.premise if is_problem_of_pairs else example.id
        self._random.aim(self.seed, self._stream, drawn_for)
        for outcome in self._function(example, self.resources, self._random):
            if isinstance(outcome, Rejection):
                tally.reject(outcome.reason)
                continue
            item = outcome.item(example, self._versioned) if isinstance(outcome, Draft) else outcome
            is_control = item is outcome and not self._is_plug_in
            if item.hypothesis == hypothesis and item.premise == premise and not is_control:
                tally.reject("equal to its base")
            elif item.label in self._labels:
                tally.items.append(item)
            else:
                tally.items.append(replace(item, label=self.projection.gold(item.label)))

    def _of_plug_in(self, example: Example, resources: Resources, rng: Any) -> Iterator[Example | Rejection]:
        """Yield what a plug-in makes of *example*; raises CrossexamError for what cannot be used."""
        source, _, _ = str(self.construction.plug_in).partition("@")
        where = f"the plug-in '{self.construction.name}' of {source}, example {example.id}"
        try:
            made: Any = self._bound(example, resources, rng)
            if isinstance(made, Draft) or not isinstance(made, Iterable):
                raise CrossexamError(f"it returns {shown(made)}", wanted=f"yield {_OUTCOMES}")
            for outcome in made:
                yield outcome if isinstance(outcome, Rejection) else self._checked(outcome, example)
        except CrossexamError as error:
            raise error.placed(error.where or where) from error.__cause__
        except Exception as error:  # whatever a module of somebody else raises
            last = extract_tb(error.__traceback__)[-1]
            raise CrossexamError(
                f"it raised {type(error).__name__}: {error}",
                where=where,
                hint=f"see line {last.lineno} of {last.filename}",
            ) from error

    def _checked(self, outcome: Any, example: Example) -> Example:
        """Return the item that is the *outcome* of a plug-in; raises CrossexamError if there is none."""
        if not isinstance(outcome, Draft | Example):
            raise CrossexamError(f"it yields {shown(outcome)}", wanted=_OUTCOMES)
        try:
            item = outcome.item(example, self._versioned) if isinstance(outcome, Draft) else outcome
        except Exception as error:
            raise CrossexamError(f"its draft does not fit the example: {error}", wanted=_FITTING) from error
        if item.label is not None and item.label not in GOLDS:
            raise CrossexamError(
                f"the label of its item {item.id} is {shown(item.label)}", wanted=", ".join(GOLDS)
            )
        base = outcome.base if isinstance(outcome, Draft) and outcome.base else example
        label, of_base = (self.projection.gold(each.label) for each in (item, base))
        if self.construction.keeps_label and item.base in (None, base.id) and label != of_base:
            raise CrossexamError(
                f"its item {item.id} is {label or 'unlabelled'}, but its base {of_base or 'unlabelled'}",
                wanted="the label of the base, since the plug-in declares keeps_label=True",
                hint="yield the example's label, or declare keeps_label=False",
            )
        return item


def _without(example: Example, sides: int) -> Example:
    """Return *example* without its sentences on *sides* (as in :meth:`SeenSentences.sides`)."""
    premise = "" if sides & _BIT["premise"] else example.premise
    hypothesis = "" if sides & _BIT["hypothesis"] else example.hypothesis
    info = {**example.info, CLUSTER: cluster_of(example)}
    return Example(example.id, premise, hypothesis, example.label, example.base, example.change, info)


def chunks(examples: Iterable[Example], size: int = CHUNK) -> Iterator[list[Example]]:
    """Yield *examples* in lists of *size*; the last one may be shorter."""
    iterator = iter(examples)
    while chunk := list(islice(iterator, size)):
        yield chunk


def configured(construction: Construction, values: Mapping[str, Any]) -> Construction:
    """Return *construction* with its options changed by *values*; texts are read by type.

    Raises UnknownNameError for an option that there is not, CrossexamError for a value that does not fit.
    """
    options = with_options(construction.options, values, construction.name)
    return replace(construction, options=options)


def apply_construction(
    construction: str | Construction,
    examples: Iterable[Example],
    *,
    seed: int = 0,
    resources: LanguageResources | None = None,
    options: Mapping[str, Any] | None = None,
) -> tuple[list[Example], Mapping[str, Any]]:
    """Return the items that *construction* (or the one of that name) builds from *examples*, and its yield.

    *options* are those of the construction, by name; the items depend only on these, the examples and the
    seed.  Raises UnknownNameError, and CrossexamError if *resources* lack the word pairs that it uses.

    >>> items, counts = apply_construction("negation", [Example("a", "It rains.", "It is wet.", "neutral")])
    >>> counts["examples"], counts["items"]
    (1, 1)
    """
    resources = resources or LanguageResources()
    examples = list(examples)
    named = construction_named(construction) if isinstance(construction, str) else construction
    if "word_pairs" in named.uses and not hasattr(resources, "antonyms"):
        raise CrossexamError(
            f"'{named.name}' needs word pairs and the index of a training corpus",
            hint="crossexam build behaviour builds its test set",
        )
    chosen = configured(named, options or {})
    projection = projection_of(None, (example.label for example in examples))
    applier = Applier(chosen, resources, seed=seed, projection=projection)
    resources.gather(chosen, lambda: examples)
    items: list[Example] = []
    with seldom_collected():
        for chunk in chunks(examples):
            resources.prepare(chunk)
            for example in chunk:
                items.extend(applier.items(example))
    return items, applier.counts.as_dict()
