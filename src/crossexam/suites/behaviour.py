"""Behaviour analysis (Sanchez Carmona et al. 2018, section 5): ten test sets of swapped word pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from crossexam.constructions.apply import YieldCounts, chunks
from crossexam.constructions.construction import Draft, Rejection, changed_options
from crossexam.constructions.keys import at_most_per_key
from crossexam.constructions.pair_indexes import cached_index
from crossexam.constructions.pair_matching import PairTable
from crossexam.constructions.pair_replacement import Rules
from crossexam.constructions.resources import LanguageResources
from crossexam.constructions.word_pair_swaps import (
    SWAPS,
    Options,
    SwapResources,
    swaps,
)
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import DOUBTS, ONLY_PAIR, PAIR, POLARITY, SEEN, STATUS, UNDECIDED, Example
from crossexam.core.files import sha256_of
from crossexam.core.labels import LABELS, THREE_LABELS
from crossexam.core.manifest import TestSetEntry, package_version, signature
from crossexam.core.progress import Progress, silent
from crossexam.core.randomness import rng_for
from crossexam.core.rules import with_rules
from crossexam.language.lexicons.word_pairs import WordPair, read_pairs
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.lexicons.wordnet_pairs import wordnet_pairs
from crossexam.suites.bases import Base
from crossexam.suites.build import SuiteRequest, SuiteWriter

if TYPE_CHECKING:
    from crossexam.language.word_pair_index import WordPairIndex

#: The relations of word pairs: opposites, or a word and a more general one.
RELATIONS: Final = ("antonym", "hypernym")
#: The name of the built-in list of pairs.
WORDNET: Final = "wordnet"


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

    @cached_property
    def index(self) -> WordPairIndex:
        """The index of the training corpus."""
        return cached_index(self.index_spec, progress=self.progress)


@dataclass
class SwapSets:
    """The items and yields of the ten test sets while they are being built."""

    items: dict[str, list[Example]] = field(default_factory=lambda: {name: [] for name in SWAPS})
    counts: dict[str, YieldCounts] = field(default_factory=lambda: {name: YieldCounts() for name in SWAPS})

    def take(self, example: Example, resources: SwapResources, seed: int, options: Options) -> None:
        """Add the items built from *example* to their sets."""
        for family in dict.fromkeys(str(each.drawn_as) for each in SWAPS.values()):
            rng = rng_for(seed, family, example.id)
            for name, outcome in swaps(family, example, resources, rng, options):
                counts = self.counts[name]
                counts.examples += 1
                if isinstance(outcome, Rejection):
                    counts.rejected[outcome.reason] += 1
                    continue
                counts.items += 1
                if isinstance(outcome, Draft):
                    outcome = outcome.item(example, SWAPS[name].under(options.rules).versioned)
                self.items[name].append(outcome)


def make_swap_sets(
    examples: Iterable[Example],
    resources: PairResources,
    *,
    seed: int = 0,
    rules: Rules = "ours",
    progress: Progress = silent,
) -> SwapSets:
    """Return the ten sets built from training *examples*, with the training statistics of each pair."""
    sets = SwapSets()
    done = 0
    for chunk in chunks(examples):
        resources.prepare(chunk)
        for example in chunk:
            sets.take(example, resources, seed, Options(rules))
        done += len(chunk)
        progress("swapping word pairs", done, None)
    progress("swapping word pairs", done, done)
    if rules == "ours":
        select(sets, seed)
    sets.items = {
        name: list(with_training_facts(items, resources.index)) for name, items in sets.items.items()
    }
    return sets


#: The sets whose labels differ, of which items are selected, and what none of the three labels has more of.
SELECTED: Final = ("i_ta2", "i_ta3", "i_th")
MOST_OF_A_LABEL: Final = 2 / 3
_SURPLUS: Final = "left out so that no label has more than two thirds"
_SAME: Final = "left out so that no more pairs than of the controls are the same otherwise"


def select(sets: SwapSets, seed: int) -> None:
    """Leave out decided items of ``SELECTED``, at random, until each set is a test of what it is to test.

    No label has more than two thirds of the decided items, if there are others; and of no more of them than
    of the controls are the two sentences the same apart from the pair.
    """
    for name in SELECTED:
        controls = sets.items[str(SWAPS[name].control)]
        most_same = sum(bool(each.info[ONLY_PAIR]) for each in controls) / max(1, len(controls))
        undecided = [each for each in sets.items[name] if each.info.get(STATUS) == UNDECIDED]
        kept = [each for each in sets.items[name] if each.info.get(STATUS) != UNDECIDED]
        kept.sort(key=lambda item: rng_for(seed, "selected", item.id).random())
        counts = sets.counts[name]
        while True:
            fewer, reason = _without_surplus(kept, most_same)
            if len(fewer) == len(kept):
                break
            counts.rejected[reason] += len(kept) - len(fewer)
            counts.items -= len(kept) - len(fewer)
            kept = fewer
        chosen_ids = {each.id for each in (*kept, *undecided)}
        sets.items[name] = [each for each in sets.items[name] if each.id in chosen_ids]


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


def build_behaviour(request: SuiteRequest, writer: SuiteWriter) -> None:
    """Write the ten test sets of each base."""
    options: BehaviourOptions = request.options
    lists = options.lists()
    for base in request.bases:
        _check_labels(base)
    tables = pair_tables(lists, options.rules)
    writer.note(
        "labels that natural logic does not decide are only proposals: use crossexam validate to have people "
        "judge them"
    )
    identity = _identity(request)
    if writer.already_built(identity):
        return
    for base in request.bases:
        if base.in_memory and options.index is None:
            raise CrossexamError(
                "the behaviour suite needs a corpus as its base", wanted="the name or the path of a corpus"
            )
        resources = PairResources(
            request.tagger,
            request.recognizer,
            request.parser,
            antonyms=tables["antonym"],
            hypernyms=tables["hypernym"],
            index_spec=base.spec if options.index is None else options.index,
            progress=writer.progress,
        )
        sets = make_swap_sets(
            base.open(),
            resources,
            seed=request.seed,
            rules=options.rules,
            progress=writer.progress,
        )
        if not any(sets.items.values()):
            raise CrossexamError(
                "no example contains a listed word pair, with one word in each sentence",
                where=base.spec,
                hint="use other lists: --pairs antonym=FILE, --pairs hypernym=FILE",
            )
        drawn = chosen(sets.items, options.controls, request.seed, per_key=request.per_key)
        for name, items in drawn.items():
            writer.write(_entry(request, base, name, items, sets, resources, identity), items)
    writer.finish({"bases": "+".join(request.base_identities()), "seed": request.seed})


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


def _identity(request: SuiteRequest) -> dict[str, Any]:
    """Return everything that the files of the suite depend on."""
    options: BehaviourOptions = request.options
    lists = {
        relation: [
            name if name == WORDNET else f"{Path(name).name}@{sha256_of(Path(name))[:16]}" for name in names
        ]
        for relation, names in options.lists().items()
    }
    return {
        "suite": request.kind.name,
        "bases": request.base_identities(),
        "pairs": lists,
        "index": options.index,
        "seed": request.seed,
        "format": request.file_format,
        "annotator": request.tagger,
        "controls": options.controls,
        "rules": options.rules,
        "limit": request.limit,
        "version": package_version(),
        **request.per_key_part(),
    }


def pair_tables(lists: Mapping[str, Sequence[str]], rules: Rules = "ours") -> dict[str, PairTable]:
    """Return the word pairs per relation, by the paper's rules all of them.

    Raises CrossexamError if a list contains none of its relation.
    """
    wordnet = WordNet.load()
    tables = {}
    for relation in RELATIONS:
        found: list[WordPair] = []
        for name in lists[relation]:
            read = (
                wordnet_pairs("antonym" if relation == "antonym" else "hypernym", wordnet)
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


def _entry(
    request: SuiteRequest,
    base: Base,
    name: str,
    items: Sequence[Example],
    sets: SwapSets,
    resources: PairResources,
    identity: Mapping[str, Any],
) -> TestSetEntry:
    options: BehaviourOptions = request.options
    kind = SWAPS[name].under(options.rules)
    parts: dict[str, object] = {
        "corpus": f"{base.spec}@{base.identity}",
        "construction": kind.versioned,
        "seed": request.seed,
        "pairs": "+".join(each for lists in identity["pairs"].values() for each in lists),
        "annotator": resources.tagger.name,
        "wordnet": resources.wordnet.version,
    }
    parts |= {key: value for key, value in changed_options(options).items() if key != "pairs"}
    return TestSetEntry(
        name,
        base.part,
        version=kind.version,
        rules=kind.rules,
        base_set=f"{with_rules(kind.control, kind.rules)}.{base.part}" if kind.control else None,
        keeps_label=kind.keeps_label,
        paired=True,
        test_class=kind.test_class,
        signature=signature({**parts, **request.per_key_part(), **request.limit_part()}),
        yields=_yields(sets.counts[name], items, request),
    )


def _yields(counts: YieldCounts, items: Sequence[Example], request: SuiteRequest) -> dict[str, Any]:
    """Return *counts* if only *items* were drawn; those left to judges are counted by their doubt."""
    facts = counts.as_dict()
    left = facts["items"] - len(items)
    if left:
        limits = (("--controls", request.options.controls), ("--per-key", request.per_key))
        flags = ", ".join(flag for flag, most in limits if most is not None)
        facts["rejected"] = {**facts["rejected"], f"not drawn ({flags})": left}
    doubts = Counter(str(each.info[DOUBTS][0]) for each in items if each.info.get(STATUS) == UNDECIDED)
    judges = {f"left to judges: {doubt}": number for doubt, number in doubts.most_common()}
    return facts | {"items": len(items) - doubts.total(), "rejected": {**facts["rejected"], **judges}}
