"""The work of a build that any process can do: from a chunk of a base to the rows of its test sets.

A :class:`BuildPlan` says what to make of each base.  Called in a worker, it returns the function from a
:class:`Chunk` to :class:`ChunkRows`.  What depends on the chunks before, repeated sentences and pairs, is
decided by the process that reads the base (:class:`crossexam.constructions.apply.MetSentences`) and by the
one that writes the suite (:class:`crossexam.constructions.apply.MadePairs`), in the order of the base.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from crossexam.constructions.apply import Applier, Rejected, pair_number
from crossexam.constructions.construction import Construction
from crossexam.constructions.resources import LanguageResources
from crossexam.core.example import Example, light_info
from crossexam.core.labels import Projection
from crossexam.core.progress import seldom_collected
from crossexam.core.stored.encoded import EncodedItems, Form, encoded
from crossexam.language.parsing.binary import derived_parses, with_parses
from crossexam.language.parsing.parsers import TreeParser
from crossexam.suites.lexically_misleading import CSSelection


class Chunk(NamedTuple):
    """Consecutive *examples* of the base at the place *base* of the plan.

    *met* tells for each which of its sentences came earlier (``MetSentences.sides``).  *labelled* are the
    places of those that do not lack a gold label: of them the base set consists, and from them the
    constructions that need one make items.  *met_labelled* is *met* in the stream of these alone.
    """

    base: int
    examples: list[Example]
    met: bytes
    labelled: Sequence[int]
    met_labelled: bytes


class MadeRows(NamedTuple):
    """What a construction made of so many *examples*: its *items*, the hashes of their *pairs* if these must
    be unique, and what it *rejected*."""

    examples: int
    items: EncodedItems
    pairs: list[int]
    rejected: Mapping[str, Rejected]


class ChunkRows(NamedTuple):
    """What was made of so many *examples* of the base: its own rows, and those per subset and construction.

    *answered* counts the sentences that each tagger and parser read.
    """

    base: int
    examples: int
    whole: EncodedItems | None
    subsets: list[EncodedItems]
    made: list[MadeRows]
    answered: dict[str, Counter[str]]


@dataclass(frozen=True)
class BasePlan:
    """What to make of a base: items of *constructions*, with *resources*, the base itself and its subsets.

    The items of the constructions *held* are handed over as objects, as some will be left out later.
    """

    constructions: tuple[Construction, ...]
    resources: LanguageResources
    projection: Projection
    with_base: bool
    selection: CSSelection | None = None
    held: frozenset[str] = frozenset()

    def projection_of(self, construction: Construction) -> Projection:
        """Return how labels are mapped to those of the items of *construction*."""
        return self.projection if construction.keeps_label else self.projection.of_new_labels


@dataclass(frozen=True)
class BuildPlan:
    """What to make of each base of a suite; called once in each worker."""

    bases: tuple[BasePlan, ...]
    form: Form
    seed: int
    trees: TreeParser | None = None

    def __call__(self) -> Callable[[Chunk], ChunkRows]:
        """Return the function that makes the rows of a chunk."""
        makers: dict[int, _Maker] = {}

        def rows_of(chunk: Chunk) -> ChunkRows:
            if chunk.base not in makers:
                makers.clear()  # bases come one after the other
                makers[chunk.base] = _Maker(self.bases[chunk.base], self)
            with seldom_collected():
                return makers[chunk.base].rows(chunk)

        return rows_of


class _Maker:
    def __init__(self, plan: BasePlan, build: BuildPlan) -> None:
        self.plan, self.trees, self.form = plan, build.trees, build.form
        self.appliers = [
            Applier(each, plan.resources, seed=build.seed, projection=plan.projection)
            for each in plan.constructions
        ]

    def rows(self, chunk: Chunk) -> ChunkRows:
        plan, trees = self.plan, self.trees
        if trees:
            chunk = chunk._replace(examples=trees.completed(chunk.examples))
        plan.resources.prepare(chunk.examples)
        labelled = [chunk.examples[place] for place in chunk.labelled]
        whole, subsets = self._base_rows(labelled) if plan.with_base else (None, [])
        made = [self._made(applier, chunk, labelled) for applier in self.appliers]
        return ChunkRows(chunk.base, len(labelled), whole, subsets, made, plan.resources.take_answered())

    def _base_rows(self, examples: Sequence[Example]) -> tuple[EncodedItems, list[EncodedItems]]:
        if self.plan.selection is None:
            return encoded([light(each) for each in examples], self.form), []
        whole, subsets = self.plan.selection.chosen(examples, self.plan.projection)
        rows = [encoded(subset, self.form) for subset in subsets]
        return encoded([light(each) for each in whole], self.form), rows

    def _made(self, applier: Applier, chunk: Chunk, labelled: Sequence[Example]) -> MadeRows:
        construction, examples, met = applier.construction, labelled, chunk.met_labelled
        if not construction.needs_gold:
            examples, met = chunk.examples, chunk.met
        items, rejected = applier.made(examples, met)
        pairs = [pair_number(item) for item in items] if construction.unique_pairs else []
        parsed = _with_parses_of_unlabelled(items, chunk)
        completed = _with_trees(parsed, labelled if self.plan.with_base else (), self.trees)
        form = "examples" if construction.name in self.plan.held else self.form
        return MadeRows(len(examples), encoded(completed, form), pairs, rejected)


def _with_parses_of_unlabelled(items: Sequence[Example], chunk: Chunk) -> Sequence[Example]:
    """Return *items* with the binary parses that follow from those of pairs which the base set lacks."""
    labelled = set(chunk.labelled)
    others = {each.id: each for place, each in enumerate(chunk.examples) if place not in labelled}
    return [
        with_parses(item, derived_parses(item, others[item.base])) if item.base in others else item
        for item in items
    ]


def _with_trees(
    items: Sequence[Example], bases: Iterable[Example], trees: TreeParser | None
) -> Sequence[Example]:
    """Return *items* with binary parses where these do not follow from *bases*, if there is a parser."""
    if trees is None:
        return items
    by_id = {base.id: base for base in bases}
    known = [derived_parses(item, by_id[item.base]) if item.base in by_id else {} for item in items]
    return trees.completed(items, known)


def light(example: Example) -> Example:
    """Return *example* with its cluster, without the data that only constructions need."""
    return replace(example, info=light_info(example))
