"""Suites that apply constructions, in one pass over each base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from crossexam.constructions.entry import Construction
from crossexam.constructions.keys import NOT_DRAWN_PER_KEY, at_most_per_key
from crossexam.constructions.resources import LanguageResources, option_identity
from crossexam.core.labels import ENTAILMENT_OR_NOT, THREE_LABELS, Projection
from crossexam.core.manifest import BASE, TestSetEntry
from crossexam.language.inflection import forms_version
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.parsing.parsers import TreeParser, tree_parser
from crossexam.suites.bases import Base
from crossexam.suites.chunks import ChunkWork, Constructed, Maker, WholeBase
from crossexam.suites.lexically_misleading import LAMBDAS, check_lambdas
from crossexam.suites.plan import BasePass, DeferredItems, Resolved, SuitePlan, SuiteRequest, TestSetPlan
from crossexam.suites.subsets import Subsets, misleading_subsets


@dataclass(frozen=True)
class CompositionalityOptions:
    """The *lambdas* of the subsets CS_lambda to include, and the *model* that selects them."""

    lambdas: tuple[float, ...] = LAMBDAS
    model: str = "builtin/bag-of-words"

    def __post_init__(self) -> None:
        check_lambdas(self.lambdas)


def plan_constructed(request: SuiteRequest) -> SuitePlan:
    """Plan each base, what the constructions build from it and, if the options say so, its subsets CS_lambda.

    Bases of word problems come last.  Raises MissingResourceError if a tagger or parser is not installed.
    """
    first = request.resources()
    for construction in request.constructions:
        first.load(construction.uses)
    resources = chain([first], iter(request.resources, None))  # one per base: they count who tagged it
    options = request.options
    is_cs = isinstance(options, CompositionalityOptions) and bool(options.lambdas)
    subsets = misleading_subsets(options.model, options.lambdas) if is_cs else None
    on_pairs = [each for each in request.constructions if not (each.reads_problems and request.problems)]
    on_problems = [each for each in request.constructions if each.reads_problems]
    trees = tree_parser(request.parser)
    sources = [
        _Source(request, base, on_pairs, next(resources), trees, subsets, with_base=base.has_pairs)
        for base in request.bases
    ]
    sources += [
        _Source(request, base, on_problems, next(resources), trees, of_problems=True)
        for base in (request.problems if on_problems else ())
    ]
    return SuitePlan([each.planned for each in sources], subsets.warnings(request.bases) if subsets else ())


@dataclass(frozen=True)
class _Source:
    """A base, and the *constructions* that are applied to it, with *resources*."""

    request: SuiteRequest
    base: Base
    constructions: Sequence[Construction]
    resources: LanguageResources
    trees: TreeParser | None
    subsets: Subsets | None = None
    with_base: bool = False
    of_problems: bool = False

    @property
    def planned(self) -> BasePass:
        """The test sets that are made of the base."""
        request, base, parts = self.request, self.base, self._trees
        plans = [self._plan_of(construction) for construction in self.constructions]
        if self.with_base and self.subsets:
            whole, *subsets = self.subsets.plans(request, base, **parts)
            plans = [whole, *plans, *subsets]
        elif self.with_base:
            plans = [request.plan_of(base, **parts), *plans]
        return BasePass(base, plans, self._work, self.constructions, self._choose)

    @property
    def _trees(self) -> dict[str, object]:
        """The part of signatures that names the parser of the sentences without a parse, if any."""
        return {"trees": self.trees.name if self.trees else None}

    def _projection(self) -> Projection:
        """Return how labels are mapped to those of the base; problems have two if no base has three."""
        if not self.of_problems:
            return self.base.projection
        has_three = [base.projection is THREE_LABELS for base in self.request.bases]
        return THREE_LABELS if any(has_three) or not has_three else ENTAILMENT_OR_NOT

    def _work(self) -> ChunkWork:
        for construction in self.constructions:
            self.resources.gather(construction, self.base.open)
        makers: list[Maker] = [Constructed(each, self.request.seed) for each in self.constructions]
        if self.with_base:
            makers.insert(0, self.subsets.ready_for(self.base) if self.subsets else WholeBase())
        projection, part = self._projection(), self.base.part
        return ChunkWork(tuple(makers), self.resources, projection, part, self.with_base, self.trees)

    def _choose(self, sets: Mapping[str, DeferredItems]) -> None:
        """Leave out items beyond the maximum per key."""
        most, seed = self.request.per_key, self.request.seed
        for construction in self.constructions:
            if most is not None and construction.keys_are_sampled and construction.makes in sets:
                made = sets[construction.makes]
                made.keep(at_most_per_key(made.items, construction, most, seed), NOT_DRAWN_PER_KEY)

    def _plan_of(self, construction: Construction) -> TestSetPlan:
        """Return the plan of what *construction* makes of the base."""
        has_base_set = self.with_base and not construction.reads_problems
        entry = TestSetEntry(
            versioned=construction.versioned,
            part=self.base.part,
            base_set=f"{BASE}.{self.base.part}" if has_base_set else None,
            keeps_label=construction.keeps_label,
            test_class=construction.test_class,
        )

        def found() -> dict[str, str | None]:
            projection = self._projection()
            kept = projection if construction.keeps_label else projection.of_new_labels
            return {"projection": kept.declaration}

        deferred = construction.keys_are_sampled and self.request.per_key is not None
        return TestSetPlan(entry, self._signed(construction), found=found, deferred=deferred)

    def _signed(self, construction: Construction) -> dict[str, object]:
        """Return what the items of *construction* depend on."""
        request, used = self.request, self._used(construction)
        options = option_identity(construction.options)
        per_key = request.per_key if construction.keys_are_sampled else None

        def unlabelled() -> int | None:
            """Return how many pairs without a gold label were read for the construction."""
            read = self.base.report.no_gold if self.base.open_all and not construction.needs_gold else 0
            return read or None

        parts: dict[str, object] = {
            "construction": construction.versioned,
            "plug_in": construction.plug_in,
            **used,  # resources are identified by their content, not by the option that selects them
            **{name: value for name, value in options.items() if name not in used},
            "seed": request.seed if construction.draws or per_key else None,
            "per_key": per_key,
            **self._trees,
            "unlabelled": Resolved(None, unlabelled),
        }
        return request.signed(self.base, **parts)

    def _used(self, construction: Construction) -> dict[str, object]:
        """Return the parts of the signature for the resources that *construction* uses."""
        request, resources, options = self.request, self.resources, construction.options
        parser = request.parser
        if parser == "auto" != request.tagger:
            parser = f"auto, {request.tagger}"  # the pipeline of the tagger parses what has no parse

        def adjectives() -> str:
            return resources.counts(options.adjectives).name

        known: dict[str, Resolved] = {
            "tagger": Resolved(request.tagger, lambda: resources.tagger.name),
            "recognizer": Resolved(request.recognizer, lambda: resources.recognizer.name),
            "parser": Resolved(parser, lambda: resources.parser.name),
            "adjectives": Resolved(option_identity(options).get("adjectives"), adjectives),
            "wordnet": Resolved(None, lambda: wordnet().version),
            "forms": Resolved(version := forms_version(), lambda: version),
            "passages": Resolved(None, lambda: resources.passages.name),
        }
        return {name: known[name] for name in construction.uses}
