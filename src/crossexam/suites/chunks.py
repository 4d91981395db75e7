"""The work of a build that any process can do: from a chunk of a base to the rows of its test sets.

A :class:`ChunkWork` is what a worker has to do with each :class:`BaseChunk`.  What depends on the chunks
before, repeated sentences and pairs, is decided by the process that reads the base
(:class:`crossexam.constructions.apply.SeenSentences`) and by the one that writes the suite
(:class:`crossexam.constructions.apply.SeenPairs`), in the order of the base.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from crossexam.constructions.apply import CHUNK, Applier, ChunkYield, SeenSentences, chunks
from crossexam.constructions.entry import Construction
from crossexam.constructions.resources import LanguageResources
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.labels import Projection
from crossexam.core.manifest import BASE
from crossexam.core.progress import seldom_collected
from crossexam.core.stored.encoded import EncodedItems, Form, encoded
from crossexam.core.stored.rows import SharedInfos
from crossexam.language.parsing.binary import derived_parses, with_parses
from crossexam.language.parsing.parsers import TreeParser
from crossexam.suites.bases import Base, unchanged


class BaseChunk(NamedTuple):
    """Consecutive *examples* of the base of a pass, of which there may be several.

    *labelled* are the places of those that do not lack a gold label: of them the base set consists, and from
    them the constructions that need one make items.  *seen_sides* tells for each example which of its
    sentences came earlier (``SeenSentences.sides``), *seen_labelled* the same in the stream of the labelled.
    """

    of_pass: int
    examples: list[Example]
    labelled: Sequence[int]
    seen_sides: bytes
    seen_labelled: bytes

    @property
    def with_gold(self) -> list[Example]:
        """The examples that do not lack a gold label."""
        return [self.examples[place] for place in self.labelled]


class Maker(Protocol):
    """What makes rows of test sets from a chunk; it can be pickled."""

    def made(self, chunk: BaseChunk, work: ChunkWork) -> Mapping[str, ChunkYield[list[Example]]]:
        """Return the rows of each test set that it makes, by the name of what makes them."""
        ...


class ChunkRows(NamedTuple):
    """What was made of so many *examples* of the base of a pass, by the names of what made it.

    *answered* counts the sentences that each tagger and parser read.
    """

    of_pass: int
    examples: int
    made: Mapping[str, ChunkYield[EncodedItems]]
    answered: dict[str, Counter[str]]


@dataclass(frozen=True)
class ChunkWork:
    """What is made of each chunk of the base *part*, by *makers* with *resources*.

    It is pickled for other processes.  *projection* is that of the base.  With *has_base_set*, the base is
    itself a test set, from whose binary parses those of items may follow.  *trees* parses the sentences that
    have none, if it is there.
    """

    makers: tuple[Maker, ...]
    resources: LanguageResources
    projection: Projection
    part: str
    has_base_set: bool = False
    trees: TreeParser | None = None

    def rows(self, chunk: BaseChunk, form: Form, deferred: Collection[str]) -> ChunkRows:
        """Return the rows of a chunk, in *form*, but as objects for those that are *deferred*."""
        if self.trees:
            chunk = chunk._replace(examples=self.trees.completed(chunk.examples))
        self.resources.prepare(chunk.examples)
        shared = SharedInfos([each.inherited_info for each in chunk.examples]) if form == "parquet" else None
        made = {}
        for maker in self.makers:
            for name, each in maker.made(chunk, self).items():
                items = encoded(each.items, "examples" if name in deferred else form, shared)
                made[name] = ChunkYield(each.examples, items, each.rejected, each.pairs)
        return ChunkRows(chunk.of_pass, len(chunk.labelled), made, self.resources.take_answered())


def in_worker(
    work: Sequence[ChunkWork], deferred: Sequence[Collection[str]], form: Form
) -> Callable[[BaseChunk], ChunkRows]:
    """Return the function that makes the rows of a chunk; called once in each worker.

    *work* is that of each pass, and *deferred* are the names of what makes its deferred test sets.
    """

    def rows_of(chunk: BaseChunk) -> ChunkRows:
        with seldom_collected():
            return work[chunk.of_pass].rows(chunk, form, deferred[chunk.of_pass])

    return rows_of


@dataclass(frozen=True)
class WholeBase:
    """Makes the base set: the examples as they are, without the data that only constructions need."""

    def made(self, chunk: BaseChunk, work: ChunkWork) -> dict[str, ChunkYield[list[Example]]]:
        """Return the labelled examples of *chunk*."""
        whole = list(unchanged(chunk.with_gold))
        return {BASE: ChunkYield(len(whole), whole)}


@dataclass(frozen=True)
class Constructed:
    """Makes the items of a *construction*."""

    construction: Construction
    seed: int

    def made(self, chunk: BaseChunk, work: ChunkWork) -> dict[str, ChunkYield[list[Example]]]:
        """Return what the construction makes of *chunk*, with binary parses that do not follow from bases."""
        construction = self.construction
        applier = Applier(construction, work.resources, seed=self.seed, projection=work.projection)
        read, seen_sides = chunk.examples, chunk.seen_sides
        if construction.needs_gold:
            read, seen_sides = chunk.with_gold, chunk.seen_labelled
        made = applier.made(read, seen_sides)
        items = _with_parses_of_unlabelled(made.items, chunk)
        if work.trees is not None:
            items = _with_trees(items, chunk.with_gold if work.has_base_set else (), work.trees)
        return {construction.makes: made._replace(items=items)}


def _with_parses_of_unlabelled(items: list[Example], chunk: BaseChunk) -> list[Example]:
    """Return *items* with the binary parses that follow from those of pairs which the base set lacks."""
    labelled = set(chunk.labelled)
    others = {each.id: each for place, each in enumerate(chunk.examples) if place not in labelled}
    return [
        with_parses(item, derived_parses(item, others[item.base])) if item.base in others else item
        for item in items
    ]


def _with_trees(items: Sequence[Example], bases: Iterable[Example], trees: TreeParser) -> list[Example]:
    """Return *items* with binary parses where these do not follow from *bases*."""
    by_id = {base.id: base for base in bases}
    known = [derived_parses(item, by_id[item.base]) if item.base in by_id else {} for item in items]
    return trees.completed(items, known)


def chunks_of(of_pass: int, base: Base, constructions: Iterable[Construction]) -> Iterator[BaseChunk]:
    """Yield the chunks of *base* for its *constructions*; raises CrossexamError if it has no examples."""
    stream = _stream_with_unlabelled(base, constructions)
    needs = {each.needs_gold for each in constructions if each.per_sentence}
    known = {need: SeenSentences() for need in needs}
    examples = None
    for examples in chunks(base.open() if stream is None else stream, CHUNK):
        labelled = [
            place
            for place, each in enumerate(examples)
            if stream is None or each.label is not None or each.is_single_text
        ]
        with_gold = [examples[place] for place in labelled]
        yield BaseChunk(
            of_pass,
            examples,
            labelled,
            _seen_sides(examples, known.get(False)),
            _seen_sides(with_gold, known.get(True)),
        )
    if examples is None:
        raise no_examples(base)


def no_examples(base: Base) -> CrossexamError:
    """Return the error for a *base* from which nothing can be built."""
    return CrossexamError(
        f"the base {base.spec} has no examples with a gold label", wanted="at least one example"
    )


def _stream_with_unlabelled(base: Base, constructions: Iterable[Construction]) -> Iterator[Example] | None:
    """Return the examples of *base* with those that lack a gold label, if a construction uses these."""
    if base.open_all is None or all(each.needs_gold for each in constructions) or not base.has_gold:
        return None
    return base.open_all()


def _seen_sides(examples: Sequence[Example], known: SeenSentences | None) -> bytes:
    """Return which sentences of each of *examples* are *known*; none if no construction asks."""
    return bytes(map(known.sides, examples)) if known else bytes(len(examples))
