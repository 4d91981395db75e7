"""What is trained on: corpora by name, several at once, a share or a slice of one.

The examples of an epoch are the corpora's, or a random share of them, with items of constructions added
(augmentation), and words shuffled last.  Every random choice depends on (seed, epoch, id) alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from crossexam.constructions.apply import chunks
from crossexam.constructions.construction import Construction, Draft
from crossexam.constructions.resources import LanguageResources
from crossexam.constructions.table import construction_named
from crossexam.core.errors import CrossexamError
from crossexam.core.example import HEAVY_INFO, SIDES, TAGS_KEY, Example
from crossexam.core.labels import ENTAILMENT_OR_NOT, THREE_LABELS, Projection, projection_of
from crossexam.core.randomness import rng_for
from crossexam.corpora.labelled import Corpus, load_corpus, trains_two_labels
from crossexam.corpora.spec import CorpusSpec, each_reading
from crossexam.training.tokenization import words_of


@dataclass(frozen=True)
class Data:
    """What a training reads: corpora to train on, one to stop and choose by, and *tests* for the end."""

    train: tuple[Corpus, ...]
    dev: Corpus
    tests: tuple[Corpus, ...] = ()
    two_labels: bool = False

    @property
    def classes(self) -> Projection:
        """The labels that a model trained on the data tells apart: three, or entailment and the rest."""
        return ENTAILMENT_OR_NOT if self.two_labels else THREE_LABELS

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
        return {**described, **({"two_labels": True} if self.two_labels else {})}


def load_data(
    train: str,
    dev: str,
    *,
    tests: Sequence[str] = (),
    limit: int | None = None,
    two_labels: bool = False,
    **reading: Any,
) -> Data:
    """Return the data that the options name; raises CrossexamError if it cannot be trained on.

    *train* is a union of corpora, *dev* and each of *tests* one corpus (:class:`CorpusSpec`).  Only training
    corpora may have a share.  *limit* takes the first examples of each training corpus.  The model has two
    labels if the training corpora have, or if *two_labels*; corpora of both kinds need it.  *reading* are the
    options of :func:`crossexam.corpora.reading.read_examples`.
    """
    specs = CorpusSpec.parse_union(train)
    read = [
        load_corpus(spec, limit=limit if place < len(specs) else None, **options)
        for place, (spec, options) in enumerate(each_reading([*specs, dev, *tests], reading))
    ]
    corpora, rest = _unique_ids(read[: len(specs)]), read[len(specs) :]
    two = trains_two_labels([corpus.projection for corpus in corpora], train, two_labels)
    data = Data(tuple(corpora), rest[0], tuple(rest[1:]), two)
    seen = {data.classes.class_of(example.label) for example in data.examples}
    if len(seen) == 1:
        raise CrossexamError(
            f"all {len(data.examples)} training examples are {data.classes.labels[seen.pop()]}",
            where=train,
            wanted="examples of at least two labels",
            hint="a file sorted by label needs a larger --limit" if limit else None,
        )
    return data


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

    def examples(self, epoch: int) -> list[Example]:
        """Return the examples of *epoch*; raises CrossexamError if an augmentation yields no items."""
        examples = self.data.of_epoch(epoch, self.seed)
        for augmentation in self.augmentations:
            examples = examples + augment(self.data.examples, augmentation, seed=self.seed, epoch=epoch)
        if self.shuffled:
            examples = [shuffle_words(example, seed=self.seed, epoch=epoch) for example in examples]
        return examples


def shuffle_words(example: Example, *, seed: int, epoch: int) -> Example:
    """Return *example* with the words of both sentences in random order (Nie et al. 2019, section 4.2).

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
    """Items of a construction added to the training data: one per example, or *count* drawn per epoch."""

    name: str
    count: int | None = None

    @property
    def redrawn(self) -> bool:
        """Whether each epoch has different items."""
        return self.count is not None


def parse_augmentations(text: str) -> tuple[Augmentation, ...]:
    """Return the augmentations in a text like ``negation,antonymy:20000``.

    Raises UnknownNameError, or CrossexamError if a count is malformed.

    >>> parse_augmentations("negation,antonymy:20000")[1]
    Augmentation(name='antonymy', count=20000)
    """
    found = []
    for piece in text.split(","):
        name, colon, count = piece.strip().partition(":")
        if colon and not (count.isdigit() and int(count) > 0):
            raise CrossexamError(
                f"'{piece.strip()}' is not a valid value for --augment",
                wanted="NAME or NAME:COUNT, as in negation:20000",
            )
        construction = construction_named(name)
        if construction.reads_problems:
            raise CrossexamError(
                f"'{name}' is constructed from word problems, not from pairs", where="--augment"
            )
        if "word_pairs" in construction.uses:
            raise CrossexamError(f"'{name}' needs lists of word pairs", where="--augment")
        found.append(Augmentation(construction.makes, int(count) if count else None))
    return tuple(found)


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
    section 4.6).  With a count, they are that many items of examples in an order drawn anew in each epoch
    (Nie et al. 2019, Table 4), or fewer if the examples do not yield as many.  Items without a label are
    left out.  Raises CrossexamError if there are no items.
    """
    construction = construction_named(wanted.name)
    resources = resources or LanguageResources()
    resources.gather(construction, lambda: examples)
    projection = projection_of({}, (example.label for example in examples))
    drawn = epoch if wanted.redrawn else 0
    if wanted.count is None:
        items = list(_first_items(construction, examples, resources, seed, drawn))
    else:
        order = list(examples)
        rng_for(seed, "augment", wanted.name, str(drawn)).shuffle(order)
        items = []
        for item in _first_items(construction, order, resources, seed, drawn):
            items.append(item)
            if len(items) == wanted.count:
                break
    if not items:
        raise CrossexamError(
            f"'{wanted.name}' yields no labelled items from {len(examples)} training examples",
            where="--augment",
        )
    return [replace(item, label=projection.gold(item.label)) for item in items]


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
                    yield outcome.item(example, construction.versioned)
                    break
