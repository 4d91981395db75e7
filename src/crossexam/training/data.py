"""What is trained on: corpora by name, several at once, a share or a slice of one.

The examples of an epoch are the corpora's, or a random share of them, with items of constructions added
(augmentation), and words shuffled last.  Every random choice depends on (seed, epoch, id) alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from typing import Any, NamedTuple

from crossexam.constructions.apply import chunks, configured
from crossexam.constructions.construction import Draft
from crossexam.constructions.entry import Construction
from crossexam.constructions.resources import LanguageResources, option_identity
from crossexam.constructions.table import KNOWN, known_construction
from crossexam.core.dataset import counted_items
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import HEAVY_INFO, SIDES, TAGS_KEY, Example
from crossexam.core.labels import ENTAILMENT_OR_NOT, THREE_LABELS, Projection, projection_of
from crossexam.core.randomness import rng_for
from crossexam.core.rules import OURS, without_rules
from crossexam.corpora.development import DevSets, dev_names, load_dev_sets
from crossexam.corpora.labelled import Corpus, load_corpus, trains_two_labels
from crossexam.corpora.reading import Reading
from crossexam.corpora.spec import CorpusSpec, reading_among
from crossexam.language.parsing.binary import derived_parses, with_parses
from crossexam.language.parsing.parsers import tree_parser
from crossexam.training.tokenization import words_of


@dataclass(frozen=True)
class Data:
    """What a training reads: corpora to train on, those to stop and choose by, and *tests* for the end.

    *parser* is that of the constructions that augment the data; if it is a spaCy pipeline, *parser_name* has
    its version.
    """

    train: tuple[Corpus, ...]
    dev: DevSets
    tests: tuple[Corpus, ...] = ()
    two_labels: bool = False
    parser: str = "auto"
    parser_name: str | None = None

    @property
    def classes(self) -> Projection:
        """The labels that a model trained on the data tells apart: three, or entailment and the rest."""
        return ENTAILMENT_OR_NOT if self.two_labels else THREE_LABELS

    @property
    def parse_hint(self) -> str | None:
        """How sentences without a parse get one; None if a pipeline has parsed those that it can."""
        return "--parser spacy:PIPELINE parses them" if self.parser_name is None else None

    @property
    def examples(self) -> tuple[Example, ...]:
        """Return all training examples."""
        return tuple(example for corpus in self.train for example in corpus.examples)

    def of_epoch(self, epoch: int, seed: int) -> list[Example]:
        """Return the training examples of *epoch*: all, but of a corpus with a share only that."""
        found: list[Example] = []
        for corpus in self.train:
            if corpus.share is None:
                found += corpus.examples
                continue
            rng = rng_for(seed, "share", corpus.spec, str(epoch))
            count = max(1, round(corpus.share * len(corpus.examples)))
            found += [corpus.examples[k] for k in sorted(rng.sample(range(len(corpus.examples)), count))]
        return found

    @property
    def redrawn(self) -> bool:
        """Whether epochs differ in what they read."""
        return any(corpus.share is not None for corpus in self.train)

    def describe(self) -> dict[str, Any]:
        """Return what a manifest says of the data that the weights depend on."""
        described = {"train": [corpus.describe() for corpus in self.train], "dev": self.dev.describe()}
        parser = {"parser": self.parser_name} if self.parser_name else {}
        return {**described, **parser, **({"two_labels": True} if self.two_labels else {})}


def load_data(
    train: str,
    dev: str | Sequence[str],
    reading: Reading = Reading(),
    *,
    tests: Sequence[str] = (),
    limit: int | None = None,
    dev_limit: int | None = None,
    seed: int = 0,
    two_labels: bool = False,
) -> Data:
    """Return the data that the options name; raises CrossexamError if it cannot be trained on.

    *train* is a union of corpora, each of *tests* one corpus (:class:`CorpusSpec`), and *dev* one or several
    corpora or folders of suites (:func:`load_dev_sets`).  Only training corpora may have a share.  *limit*
    takes the first examples of each training corpus, and *dev_limit* draws at most so many of each
    development set with *seed*.  The model has two labels if the training corpora have, or if *two_labels*;
    corpora of both kinds need it.
    """
    specs, devs = CorpusSpec.parse_union(train), dev_names(dev)
    reading = reading_among([*specs, *devs, *tests], reading)
    corpora = _unique_ids([load_corpus(spec, reading, limit=limit) for spec in specs])
    dev_sets = load_dev_sets(devs, reading, limit=dev_limit, seed=seed)
    two = trains_two_labels([corpus.projection for corpus in corpora], train, two_labels)
    data = Data(tuple(corpora), dev_sets, tuple(load_corpus(test, reading) for test in tests), two)
    seen = {data.classes.class_of(example.label) for example in data.examples}
    if len(seen) == 1:
        raise CrossexamError(
            f"all {len(data.examples)} training examples are {data.classes.labels[seen.pop()]}",
            where=train,
            wanted="examples of at least two labels",
            hint="a file sorted by label needs a larger --limit" if limit else None,
        )
    return data


def with_parser(data: Data, spec: str, *, trees: bool) -> Data:
    """Return *data* with the parser *spec*: ``auto``, ``parses`` or ``spacy:PIPELINE``.

    The parser serves augmentation.  If *trees*, a spaCy pipeline also parses the sentences whose corpus ships
    no binary parse, in the training, dev and test data.  Raises CrossexamError if there is no such parser.
    """
    parser = tree_parser(spec)
    if parser is None:
        return replace(data, parser=spec)
    named = replace(data, parser=spec, parser_name=parser.name)
    if not trees:
        return named

    def parsed(corpora: tuple[Corpus, ...]) -> tuple[Corpus, ...]:
        return tuple(replace(each, examples=tuple(parser.completed(each.examples))) for each in corpora)

    dev = replace(data.dev, corpora=parsed(data.dev.corpora))
    return replace(named, train=parsed(data.train), dev=dev, tests=parsed(data.tests))


def _unique_ids(corpora: Sequence[Corpus]) -> list[Corpus]:
    """Return *corpora* with their names before their ids where two share an id."""
    ids = Counter(example.id for corpus in corpora for example in corpus.examples)
    if len(corpora) == 1 or ids.total() == len(ids):
        return list(corpora)
    renamed = []
    for number, corpus in enumerate(corpora):
        examples = tuple(replace(e, id=f"{number}/{e.id}") if ids[e.id] > 1 else e for e in corpus.examples)
        renamed.append(replace(corpus, examples=examples))
    return renamed


@dataclass(frozen=True)
class TrainingSet:
    """The examples of each epoch, as a function of (seed, epoch)."""

    data: Data
    seed: int
    augmentations: tuple[Augmentation, ...] = ()
    shuffled: bool = False

    @property
    def redrawn(self) -> bool:
        """Whether epochs differ in their examples."""
        return self.data.redrawn or self.shuffled or any(each.redrawn for each in self.augmentations)

    def of_epoch(self, epoch: int) -> EpochExamples:
        """Return the examples of *epoch* and what is made of them.

        Raises CrossexamError if an augmentation yields no items.
        """
        examples = read = self.data.of_epoch(epoch, self.seed)
        added = {}
        for augmentation in self.augmentations:
            resources = LanguageResources(parser_spec=self.data.parser)
            items = augment(read, augmentation, seed=self.seed, epoch=epoch, resources=resources)
            added[augmentation.name] = AddedItems.of(items, augmentation)
            examples = examples + items
        if self.shuffled:
            examples = [shuffle_words(example, seed=self.seed, epoch=epoch) for example in examples]
        return EpochExamples(examples, added)


def shuffle_words(example: Example, *, seed: int, epoch: int) -> Example:
    """Return *example* with the words of both sentences in random order (Nie et al. 2019, section 4.1).

    Parts of speech that the corpus ships move with their words; parses, which are no longer valid, are
    dropped.  The order is drawn anew in each epoch; the paper does not say whether theirs is.

    >>> sample = Example("a", "A dog barks loudly.", "It barks.", "entailment")
    >>> sorted(shuffle_words(sample, seed=1, epoch=0).premise.split())
    ['.', 'A', 'barks', 'dog', 'loudly']
    """
    info: dict[str, Any] = {key: value for key, value in example.info.items() if key not in HEAVY_INFO}
    texts = {}
    for side in SIDES:
        tokens = list(words_of(example, side))
        rng_for(seed, "shuffle_words", str(epoch), example.id, side).shuffle(tokens)
        texts[side] = " ".join(token.text for token in tokens)
        if tokens and all(token.tag for token in tokens):
            info[TAGS_KEY[side]] = [[token.text, token.tag] for token in tokens]
    return replace(example, premise=texts["premise"], hypothesis=texts["hypothesis"], info=info)


@dataclass(frozen=True)
class Augmentation:
    """Items of a *construction* added to the training data: one per example, or *count* drawn per epoch.

    If there are fewer than *count* different items, an epoch has these once each or, if it may *repeat* them,
    as many as it takes.
    """

    construction: Construction
    count: int | None = None
    repeat: bool = False

    @property
    def name(self) -> str:
        """The name of the items, as in test sets: ``so_swap``, or ``so_swap_paper`` under other rules."""
        return self.construction.makes

    @property
    def redrawn(self) -> bool:
        """Whether each epoch has different items."""
        return self.count is not None

    def with_values(self, values: Mapping[str, Any]) -> Augmentation:
        """Return the augmentation with the options of its construction changed by *values*.

        Raises UnknownNameError for an option that there is not, CrossexamError for a value that does not fit.

        >>> parse_augmentations("so_swap:20")[0].with_values({"rules": "paper"}).name
        'so_swap_paper'
        """
        return replace(self, construction=configured(self.construction, values))

    def describe(self) -> str:
        """Return what was asked for, for a manifest: the version, the number of items and changed options.

        How many items there were is in the learning curve.

        >>> parse_augmentations("so_swap:20")[0].with_values({"rules": "paper"}).describe()
        'so_swap_paper.v2: at most 20 items per epoch, rules=paper'
        """
        count = (
            "" if self.count is None else f": {'' if self.repeat else 'at most '}{self.count} items per epoch"
        )
        options = option_identity(self.construction.options)
        changed = "".join(f", {option}={value}" for option, value in options.items())
        return f"{self.construction.versioned}{count}{changed}"


class AddedItems(NamedTuple):
    """The number of items that an augmentation added in an epoch, how many of them differ, and the number
    *asked* for, None for one per example.
    """

    used: int
    distinct: int
    asked: int | None = None

    @classmethod
    def of(cls, items: Sequence[Example], augmentation: Augmentation) -> AddedItems:
        """Return the counts of *items*, which *augmentation* added."""
        return cls(len(items), len({_texts(item) for item in items}), augmentation.count)

    def counts(self) -> dict[str, int]:
        """Return the counts by name, for a record of an epoch."""
        return {name: count for name, count in self._asdict().items() if count is not None}

    def note(self, name: str) -> str:
        """Return in a line what the augmentation *name* added, a warning if it is less than was asked for.

        >>> AddedItems(245, 245, 300).note("so_swap")[:63]
        'warning: --augment so_swap:300 adds 245 items to an epoch: the '
        """
        items = counted_items(self.used, "item")
        construction, rules = without_rules(name)
        by_rules = "" if rules == OURS else f" with rules={rules}"
        if self.asked is None:
            return f"--augment {construction}{by_rules} adds {items}, {self.distinct:,} of them distinct"
        adds = f"--augment {construction}:{self.asked}{by_rules} adds {items} to an epoch"
        if self.used < self.asked:
            return (
                f"warning: {adds}: the training data yield no more distinct ones "
                "(--augment-repeat repeats them)"
            )
        return f"{adds}, {self.distinct:,} of them distinct"


class EpochExamples(NamedTuple):
    """The *examples* of an epoch, and the items *added* to those of the corpora, by construction."""

    examples: list[Example]
    added: Mapping[str, AddedItems]


def parse_augmentations(text: str, *, repeat: bool = False) -> tuple[Augmentation, ...]:
    """Return the augmentations in a text like ``negation,antonymy:20000``; those with a count may *repeat*.

    Their constructions have the default options (:meth:`Augmentation.with_values`).  Raises UnknownNameError,
    or CrossexamError if a count is malformed, if a construction is given twice, or if there is no count to
    *repeat* for.

    >>> [(each.name, each.count) for each in parse_augmentations("negation,antonymy:20000")]
    [('negation', None), ('antonymy', 20000)]
    """
    found: list[Augmentation] = []
    for piece in text.split(","):
        name, colon, count = piece.strip().partition(":")
        if colon and not (count.isdigit() and int(count) > 0):
            raise CrossexamError(
                f"'{piece.strip()}' is not a valid value for --augment",
                wanted="NAME or NAME:COUNT, as in negation:20000",
            )
        construction = _augmenting(name)
        if any(each.construction.name == name for each in found):
            raise CrossexamError(f"'{name}' is given twice", where=f"--augment {text}")
        found.append(Augmentation(construction, int(count) if count else None, repeat and bool(count)))
    if repeat and not any(each.repeat for each in found):
        raise CrossexamError(
            "--augment-repeat has no effect on one item per example",
            where=f"--augment {text}",
            wanted="NAME:COUNT, as in so_swap:20000",
        )
    return tuple(found)


def _augmenting(name: str) -> Construction:
    """Return the construction called *name*; raises CrossexamError if it cannot augment pairs."""
    if name not in KNOWN:
        bare, rules = without_rules(name)
        rule = f"--augment {bare} --set {bare}.rules={rules}" if known_construction(name) else None
        raise UnknownNameError("construction", name, KNOWN, where="--augment", hint=rule)
    construction = KNOWN[name]
    if construction.reads_problems:
        raise CrossexamError(f"'{name}' is constructed from word problems, not from pairs", where="--augment")
    if "word_pairs" in construction.uses:
        raise CrossexamError(f"'{name}' needs lists of word pairs", where="--augment")
    return construction


def with_construction_options(
    augmentations: Sequence[Augmentation], values: Mapping[str, Any]
) -> tuple[tuple[Augmentation, ...], dict[str, Any]]:
    """Return *augmentations* with the options among *values* that are theirs, and the other values.

    An option is named ``CONSTRUCTION.OPTION``, as in ``crossexam build --set so_swap.rules=paper``.  Raises
    UnknownNameError for an option that there is not, CrossexamError if it is one of a construction that adds
    no items.

    >>> found, rest = with_construction_options(
    ...     parse_augmentations("so_swap:20"), {"so_swap.rules": "paper", "lr": "0.1"}
    ... )
    >>> found[0].name, rest
    ('so_swap_paper', {'lr': '0.1'})
    """
    rest: dict[str, Any] = {}
    options: dict[str, dict[str, Any]] = {}
    for field, value in values.items():
        construction, _, option = field.rpartition(".")
        if construction in KNOWN:
            options.setdefault(construction, {})[option] = value
        else:
            rest[field] = value
    adding = {each.construction.name for each in augmentations}
    for construction in options.keys() - adding:
        option = next(iter(options[construction]))
        raise CrossexamError(
            f"'{construction}.{option}' has no effect: no items of {construction} are added to the data",
            where="--set",
            hint=f"--augment {construction}",
        )
    return tuple(each.with_values(options.get(each.construction.name, {})) for each in augmentations), rest


def augment(
    examples: Sequence[Example],
    wanted: Augmentation,
    *,
    seed: int,
    epoch: int,
    resources: LanguageResources | None = None,
) -> list[Example]:
    """Return the items that *wanted* adds to *examples* in *epoch*.

    Without a count, these are the first item of each example, the same in every epoch (Naik et al. 2018,
    section 4.6).  With a count, they are that many items of different texts, of examples in an order drawn
    anew in each epoch (Nie et al. 2019, Table 4).  If there are fewer, these are all, or are repeated in
    turn.  Items without a label are left out.  Raises CrossexamError if there are no items.
    """
    construction = wanted.construction
    resources = resources or LanguageResources()
    resources.gather(construction, lambda: examples)
    projection = projection_of(None, (example.label for example in examples))
    drawn = epoch if wanted.redrawn else 0
    if wanted.count is None:
        items = list(_first_items(construction, examples, resources, seed, drawn))
    else:
        order = list(examples)
        rng_for(seed, "augment", wanted.name, str(drawn)).shuffle(order)
        items = _distinct(_first_items(construction, order, resources, seed, drawn), wanted.count)
        if wanted.repeat and items:
            items = list(islice(cycle(items), wanted.count))
    if not items:
        raise CrossexamError(
            f"'{wanted.name}' yields no labelled items from {len(examples)} training examples",
            where="--augment",
        )
    return [replace(item, label=projection.gold(item.label)) for item in items]


def _texts(item: Example) -> tuple[str, str]:
    return item.premise, item.hypothesis


def _distinct(items: Iterable[Example], count: int) -> list[Example]:
    """Return the first *count* of *items* with different texts, or all if there are fewer."""
    found: dict[tuple[str, str], Example] = {}
    for item in items:
        found.setdefault(_texts(item), item)
        if len(found) == count:
            break
    return list(found.values())


def _first_items(
    construction: Construction,
    examples: Iterable[Example],
    resources: LanguageResources,
    seed: int,
    epoch: int,
) -> Iterator[Example]:
    for chunk in chunks(examples):
        resources.prepare(chunk)
        for example in chunk:
            rng = rng_for(seed, construction.name, str(epoch), example.id)
            for outcome in construction.bound(example, resources, rng):
                if isinstance(outcome, Draft) and outcome.label is not None:
                    item = outcome.item(example, construction.versioned)
                    yield with_parses(item, derived_parses(item, example))
                    break
