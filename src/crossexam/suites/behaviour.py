"""Behaviour analysis (Sanchez Carmona et al. 2018, section 5): ten test sets of swapped word pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from crossexam.constructions.apply import ChunkYield, Tally
from crossexam.constructions.construction import Draft, Rejection
from crossexam.constructions.entry import Construction, changed_options
from crossexam.constructions.keys import at_most_per_key
from crossexam.constructions.pair_family import Rules
from crossexam.constructions.pair_indexes import cached_index
from crossexam.constructions.pair_matching import PairTable
from crossexam.constructions.resources import LanguageResources, content_identity
from crossexam.constructions.table import FAMILIES, SWAPS
from crossexam.constructions.word_pair_swaps import Options, swaps
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import DOUBTS, ONLY_PAIR, PAIR, POLARITY, SEEN, STATUS, UNDECIDED, Example
from crossexam.core.files import sha256_of
from crossexam.core.labels import LABELS, THREE_LABELS
from crossexam.core.manifest import TestSetEntry
from crossexam.core.progress import Progress, silent
from crossexam.core.randomness import SeededOnUse, rng_for
from crossexam.core.rules import with_rules
from crossexam.language.lexicons.word_pairs import WordPair, read_pairs
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.lexicons.wordnet_pairs import wordnet_pairs
from crossexam.suites.bases import Base
from crossexam.suites.chunks import BaseChunk, ChunkWork
from crossexam.suites.plan import BasePass, DeferredItems, Resolved, SuitePlan, SuiteRequest, TestSetPlan

if TYPE_CHECKING:
    from crossexam.language.word_pair_index import WordPairIndex

#: The relations of word pairs: opposites, or a word and a more general one.
RELATIONS: Final = ("antonym", "hypernym")
#: The name of the built-in list of pairs.
WORDNET: Final = "wordnet"


_BASE_IS_INDEX: Final = (
    "word pairs count as seen if the base has them, as if models were trained on it; --index CORPUS names "
    "their training corpus"
)


@dataclass(frozen=True)
class BehaviourOptions:
    """The options of the behaviour analysis.

    *pairs* are ``antonym=FILE`` and ``hypernym=FILE``, with ``wordnet`` for the built-in list.  *index* is
    the corpus in which pairs count as seen: the training corpus of the models to be run, if it is not the
    base; several are joined by ``+``.  *controls* is the maximum number of controls per family.  *rules* are
    those of the swaps: ``paper`` matches and exchanges words as written, and rejects nothing.
    """

    pairs: tuple[str, ...] = ()
    index: str | None = None
    controls: int | None = None
    rules: Rules = "ours"

    def __post_init__(self) -> None:
        if self.controls is not None and self.controls < 1:
            raise CrossexamError(f"controls is {self.controls}", wanted="a whole number above 0")

    def lists(self) -> dict[str, tuple[str, ...]]:
        """Return the lists of pairs per relation; raises CrossexamError."""
        named: dict[str, list[str]] = {}
        for text in self.pairs:
            relation, equals, name = text.partition("=")
            if not (relation and equals and name):
                raise CrossexamError(
                    f"'{text}' does not name a list of word pairs",
                    wanted="antonym=FILE or hypernym=FILE, with wordnet as FILE for the built-in list",
                )
            if relation not in RELATIONS:
                raise UnknownNameError("relation of swaps", relation, RELATIONS)
            named.setdefault(relation, []).append(name)
        return {relation: tuple(named.get(relation) or (WORDNET,)) for relation in RELATIONS}


@dataclass
class PairResources(LanguageResources):
    """The resources of the swaps, including word pairs and the index of the training corpus."""

    antonyms: PairTable = field(default_factory=lambda: PairTable([]))
    hypernyms: PairTable = field(default_factory=lambda: PairTable([]))
    index_spec: str = ""
    progress: Progress = silent

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the word pairs, too; a copy in another process opens the index from the cache."""
        kind, choices = super().__reduce__()
        pairs = {"antonyms": self.antonyms, "hypernyms": self.hypernyms, "index_spec": self.index_spec}
        return partial(kind, **pairs), choices

    @cached_property
    def index(self) -> WordPairIndex:
        """The index of the training corpus."""
        return cached_index(self.index_spec, progress=self.progress)


@dataclass(frozen=True)
class Swaps:
    """Makes the ten test sets: the items of a family follow from one sequence of random choices."""

    options: Options
    seed: int

    def made(self, chunk: BaseChunk, work: ChunkWork) -> dict[str, ChunkYield[list[Example]]]:
        """Return the items built from *chunk*, by set; examples count if a set might have an item of them."""
        resources, rng = cast("PairResources", work.resources), SeededOnUse()
        tallies = {name: Tally() for name in SWAPS}
        versioned = {name: each.under(self.options.rules).versioned for name, each in SWAPS.items()}
        for example in chunk.with_gold:
            for family in FAMILIES:
                rng.aim(self.seed, family, example.id)
                for name, outcome in swaps(family, example, resources, rng, self.options):
                    tally = tallies[name]
                    tally.examples += 1
                    if isinstance(outcome, Rejection):
                        tally.reject(outcome.reason)
                    elif isinstance(outcome, Draft):
                        tally.items.append(outcome.item(example, versioned[name]))
                    else:
                        tally.items.append(outcome)
        return {SWAPS[name].under(self.options.rules).makes: each.made() for name, each in tallies.items()}


#: The sets whose labels differ, of which items are selected, and what none of the three labels has more of.
SELECTED: Final = ("i_ta2", "i_ta3", "i_th")
MOST_OF_A_LABEL: Final = 2 / 3
_SURPLUS: Final = "left out so that no label has more than two thirds"
_SAME: Final = "left out so that pairs that differ in nothing else are no more frequent than in the controls"


def select(sets: Mapping[str, DeferredItems], seed: int) -> None:
    """Leave out decided items of ``SELECTED``, at random, until each set is a test of what it is to test.

    No label has more than two thirds of the decided items, if there are others; and of no more of them than
    of the controls are the two sentences the same apart from the pair.
    """
    for name in SELECTED:
        controls = sets[str(SWAPS[name].control)].items
        most_same = sum(bool(each.info[ONLY_PAIR]) for each in controls) / max(1, len(controls))
        made = sets[name]
        decided = [each for each in made.items if each.info.get(STATUS) != UNDECIDED]
        decided.sort(key=lambda item: rng_for(seed, "selected", item.id).random())
        while True:
            fewer, reason = _without_surplus(decided, most_same)
            if len(fewer) == len(decided):
                break
            left_out = {each.id for each in decided}.difference(each.id for each in fewer)
            made.keep([each for each in made.items if each.id not in left_out], reason)
            decided = fewer


def _without_surplus(items: Sequence[Example], most_same: float) -> tuple[list[Example], str]:
    """Return *items* without the last that are too many, and why: the same otherwise, or of one label."""
    same = [each.id for each in items if each.info[ONLY_PAIR]]
    others = len(items) - len(same)
    surplus = same[int(most_same / (1 - most_same) * others) :] if most_same < 1 else []
    if surplus and others:
        return [each for each in items if each.id not in set(surplus)], _SAME
    for label in LABELS:
        of_label = [each.id for each in items if each.label == label]
        rest = len(items) - len(of_label)
        surplus = of_label[int(MOST_OF_A_LABEL / (1 - MOST_OF_A_LABEL) * rest + 1e-9) :]
        if surplus and rest:
            return [each for each in items if each.id not in set(surplus)], _SURPLUS
    return list(items), ""


def with_training_facts(items: Iterable[Example], index: WordPairIndex) -> Iterator[Example]:
    """Yield *items* with ``seen`` (whether training has the ordered pair) and ``polarity`` (section 5.5)."""
    rows = list(items)
    pairs = [cast("tuple[str, str]", tuple(str(item.info[PAIR]).split("/"))) for item in rows]
    for item, seen, polarity in zip(rows, index.seen(pairs), index.polarity(pairs), strict=True):
        yield replace(item, info={**item.info, SEEN: bool(seen), POLARITY: polarity})


def plan_behaviour(request: SuiteRequest) -> SuitePlan:
    """Plan the ten test sets of each base."""
    options: BehaviourOptions = request.options
    lists = options.lists()
    for base in request.bases:
        if base.in_memory and options.index is None:
            raise CrossexamError(
                "the behaviour suite needs a corpus as its base", wanted="the name or the path of a corpus"
            )
    notes = [
        "labels that natural logic does not decide are only proposals, and items that it leaves undecided "
        "are not scored: use crossexam validate to have people judge them"
    ]
    if options.index is None:
        notes.insert(0, _BASE_IS_INDEX)
    tables = cache(lambda: pair_tables(lists, options.rules))
    return SuitePlan([_SwappedBase(request, base, tables).planned for base in request.bases], notes)


@dataclass(frozen=True)
class _SwappedBase:
    """A base whose word pairs are swapped, those of *tables*."""

    request: SuiteRequest
    base: Base
    tables: Callable[[], Mapping[str, PairTable]]

    @cached_property
    def resources(self) -> PairResources:
        """The resources of the swaps, among them the word pairs that the training corpus has."""
        request, tables, index = self.request, self.tables(), self.request.options.index
        return PairResources(
            request.tagger,
            request.recognizer,
            request.parser,
            antonyms=tables["antonym"],
            hypernyms=tables["hypernym"],
            index_spec=self.base.spec if index is None else index,
            progress=request.progress,
        )

    @property
    def planned(self) -> BasePass:
        """The ten test sets that are made of the base."""
        plans = [self._plan_of(each.under(self.request.options.rules)) for each in SWAPS.values()]
        return BasePass(self.base, plans, self._work, choose=self._choose)

    def _work(self) -> ChunkWork:
        _check_labels(self.base)
        self.resources.index  # noqa: B018  (counted here, so that copies in other processes find it cached)
        swaps_of_pairs = Swaps(Options(self.request.options.rules), self.request.seed)
        return ChunkWork((swaps_of_pairs,), self.resources, self.base.projection, self.base.part)

    def _plan_of(self, swap: Construction) -> TestSetPlan:
        """Return the plan of the test set of *swap*."""
        request, options = self.request, self.request.options
        changed = {name: value for name, value in changed_options(options).items() if name != "pairs"}
        if options.index is not None:
            changed["index"] = Resolved(content_identity(options.index), lambda: options.index)
        signed = request.signed(
            self.base,
            construction=swap.versioned,
            seed=request.seed,
            pairs="+".join(chain.from_iterable(map(_identified, options.lists().values()))),
            tagger=Resolved(request.tagger, lambda: self.resources.tagger.name),
            wordnet=Resolved(None, lambda: wordnet().version),
            **changed,
            per_key=request.per_key,
        )
        entry = TestSetEntry(
            versioned=swap.versioned,
            part=self.base.part,
            base_set=f"{with_rules(swap.control, swap.rules)}.{self.base.part}" if swap.control else None,
            keeps_label=swap.keeps_label,
            paired=True,
            test_class=swap.test_class,
        )
        return TestSetPlan(entry, signed, deferred=True)

    def _choose(self, made: Mapping[str, DeferredItems]) -> None:
        """Leave out what is too many, say of all items what training has, and draw from the controls."""
        request, options = self.request, self.request.options
        sets = dict(zip(SWAPS, made.values(), strict=True))
        if options.rules == "ours":
            select(sets, request.seed)
        for each in sets.values():
            each.items = list(with_training_facts(each.items, self.resources.index))
        if not any(each.items for each in sets.values()):
            raise CrossexamError(
                "no example contains a listed word pair, with one word in each sentence",
                where=self.base.spec,
                hint="use other lists: --pairs antonym=FILE, --pairs hypernym=FILE",
            )
        limits = {"--controls": options.controls, "--per-key": request.per_key}
        flags = ", ".join(flag for flag, most in limits.items() if most is not None)
        items = {name: each.items for name, each in sets.items()}
        drawn = chosen(items, options.controls, request.seed, per_key=request.per_key)
        for name, each in sets.items():
            each.keep(drawn[name], f"not drawn ({flags})")
            undecided = [
                str(item.info[DOUBTS][0]) for item in each.items if item.info.get(STATUS) == UNDECIDED
            ]
            for doubt, items_of_doubt in Counter(undecided).most_common():
                each.counts.leave_out(f"left to judges: {doubt}", items_of_doubt)


def _identified(lists: Sequence[str]) -> list[str]:
    """Return the names of *lists* of word pairs, with the hashes of those that are files."""
    return [name if name == WORDNET else f"{Path(name).name}@{sha256_of(Path(name))[:16]}" for name in lists]


def _check_labels(base: Base) -> None:
    """Raise CrossexamError if *base* has only two labels, or none."""
    if base.projection is not THREE_LABELS:
        raise CrossexamError(
            "the base does not tell contradiction from neutral, and the suite starts from contradictions",
            where=base.spec,
            wanted="a corpus with entailment, neutral and contradiction",
        )
    if not any(example.label in LABELS for example in base.open()):
        raise CrossexamError(
            "no example has any of the three labels",
            where=base.spec,
            wanted="a training corpus with entailment, neutral and contradiction",
        )


def pair_tables(lists: Mapping[str, Sequence[str]], rules: Rules = "ours") -> dict[str, PairTable]:
    """Return the word pairs per relation, by the paper's rules all of them.

    Raises CrossexamError if a list contains none of its relation.
    """
    tables = {}
    for relation in RELATIONS:
        found: list[WordPair] = []
        for name in lists[relation]:
            read = (
                wordnet_pairs("antonym" if relation == "antonym" else "hypernym")
                if name == WORDNET
                else read_pairs(Path(name), relation)
            )
            kinds = {relation} if relation == "antonym" else {"hypernym", "hyponym"}
            fitting = [pair for pair in read if pair.relation in kinds]
            if not fitting:
                raise CrossexamError(
                    f"no {relation} pairs", where=name, hint="is this a list for another relation?"
                )
            found += fitting
        tables[relation] = PairTable(found, every=rules == "paper")
    return tables


def chosen(
    items: Mapping[str, Sequence[Example]], controls: int | None, seed: int, *, per_key: int | None = None
) -> dict[str, list[Example]]:
    """Return *items* by set: at most *controls* random controls per family, and their derivatives.

    With *per_key*, at most so many controls of each word pair.
    """
    if controls is None and per_key is None:
        return {name: list(each) for name, each in items.items()}
    kept: set[str] = set()
    found: dict[str, list[Example]] = {}
    for name, kind in SWAPS.items():  # a control comes before what is derived from it
        if kind.control is None:
            own = items[name] if per_key is None else at_most_per_key(items[name], kind, per_key, seed)
            ranked = sorted(own, key=lambda item: rng_for(seed, "controls", item.id).random())
            drawn = {item.id for item in ranked[:controls]}
            found[name] = [item for item in items[name] if item.id in drawn]
        else:
            found[name] = [item for item in items[name] if item.base in kept]
        kept |= {item.id for item in found[name]}
    return found
