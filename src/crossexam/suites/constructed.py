"""Suites that apply constructions, in one pass over each base."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import Any, Final

from crossexam.constructions.apply import CHUNK, MadePairs, MetSentences, YieldCounts, chunks
from crossexam.constructions.construction import Construction, changed_options
from crossexam.constructions.keys import NOT_DRAWN_PER_KEY, at_most_per_key
from crossexam.constructions.resources import LanguageResources, option_identity
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.labels import ENTAILMENT_OR_NOT, THREE_LABELS, Projection
from crossexam.core.manifest import BASE, TestSetEntry, package_version, signature
from crossexam.core.progress import seldom_collected
from crossexam.language.inflection import forms_version
from crossexam.language.parsing.parsers import TreeParser, tree_parser
from crossexam.suites.bases import Base
from crossexam.suites.build import SuiteRequest, SuiteWriter, TestSetSink
from crossexam.suites.chunks import BasePlan, BuildPlan, Chunk, ChunkRows, MadeRows
from crossexam.suites.lexically_misleading import (
    LAMBDAS,
    CSSelection,
    CSSubsets,
    check_lambdas,
    selector_facts,
)


@dataclass(frozen=True)
class CompositionalityOptions:
    """The *lambdas* of the subsets CS_lambda to include, and the *model* that selects them."""

    lambdas: tuple[float, ...] = LAMBDAS
    model: str = "builtin/bag-of-words"

    def __post_init__(self) -> None:
        check_lambdas(self.lambdas)


def build_constructed(request: SuiteRequest, writer: SuiteWriter) -> None:
    """Write each base, and the items that the constructions build from it."""
    _build(request, writer, lambdas=())


def build_compositionality(request: SuiteRequest, writer: SuiteWriter) -> None:
    """Write each base, the items that the constructions build from it, and its subsets CS_lambda."""
    _build(request, writer, lambdas=list(dict.fromkeys(request.options.lambdas)))


def _build(request: SuiteRequest, writer: SuiteWriter, lambdas: Sequence[float]) -> None:
    first = request.resources()
    for construction in request.constructions:
        first.load(construction.uses)  # what is not installed is told before anything is built
    if writer.already_built(_identity(request, lambdas)):
        return
    trees = tree_parser(request.parser)
    bases = _planned(request, lambdas, first)
    plan = BuildPlan(tuple(plan for _, plan in bases), writer.form, request.seed, trees)
    results = request.engine.results(plan, _chunks(bases))
    with closing(results), seldom_collected():
        for place, of_base in groupby(results, key=lambda rows: rows.base):
            base, its_plan = bases[place]
            test_sets = _BaseSets(base, its_plan, request, writer, trees)  # few files are open at once
            for rows in of_base:
                test_sets.take(rows)
            test_sets.finish()
    writer.finish({"bases": "+".join(request.base_identities()), "seed": request.seed})


def _planned(
    request: SuiteRequest, lambdas: Sequence[float], first: LanguageResources
) -> list[tuple[Base, BasePlan]]:
    """Return the bases, those of word problems last, each with what to make of it."""
    resources = chain([first], iter(request.resources, None))  # each base its own: they record what they used
    constructions = tuple(request.constructions)
    on_problems = tuple(c for c in constructions if c.reads_problems)
    on_pairs = tuple(c for c in constructions if not c.reads_problems or not request.problems)
    selection = CSSelection(tuple(lambdas), request.options.model) if lambdas else None
    held = frozenset(c.name for c in constructions if c.key and request.per_key is not None)
    planned = [
        (base, BasePlan(on_pairs, next(resources), base.projection, base.has_pairs, selection, held))
        for base in request.bases
    ]
    for base in request.problems if on_problems else ():
        plan = BasePlan(on_problems, next(resources), _of_problems(request), with_base=False, held=held)
        planned.append((base, plan))
    for base, plan in planned:
        for construction in plan.constructions:
            plan.resources.gather(construction, base.open)
    return planned


def _chunks(bases: Iterable[tuple[Base, BasePlan]]) -> Iterator[Chunk]:
    """Yield the chunks of each base; raises CrossexamError if it has no examples."""
    for place, (base, plan) in enumerate(bases):
        stream = _stream_with_unlabelled(base, plan.constructions)
        needs = {each.needs_gold for each in plan.constructions if each.per_sentence}
        met = {need: MetSentences() for need in needs}
        examples = None
        for examples in chunks(base.open() if stream is None else stream, CHUNK):
            labelled = [
                place
                for place, each in enumerate(examples)
                if stream is None or each.label is not None or each.is_single_text
            ]
            yield Chunk(
                place,
                examples,
                _met(examples, met.get(False)),
                labelled,
                _met([examples[each] for each in labelled], met.get(True)),
            )
        if examples is None:
            raise CrossexamError(
                f"the base {base.spec} has no examples with a gold label", wanted="at least one example"
            )


def _stream_with_unlabelled(base: Base, constructions: Iterable[Construction]) -> Iterator[Example] | None:
    """Return the examples of *base* with those that lack a gold label, if a construction uses these."""
    if base.open_all is None or all(each.needs_gold for each in constructions) or not base.has_gold:
        return None
    return base.open_all()


def _unlabelled_part(base: Base, construction: Construction) -> dict[str, object]:
    """Return the part of a signature for pairs without a gold label that were read for *construction*."""
    read = base.report.no_gold if base.open_all and not construction.needs_gold else 0
    return {"unlabelled": read} if read else {}


def _met(examples: Sequence[Example], known: MetSentences | None) -> bytes:
    """Return which sentences of each of *examples* are *known*; none if no construction asks."""
    return bytes(map(known.sides, examples)) if known else bytes(len(examples))


def _of_problems(request: SuiteRequest) -> Projection:
    """Return the projection of items from word problems: two labels if no base of the suite has three."""
    has_three = [base.projection is THREE_LABELS for base in request.bases]
    return THREE_LABELS if any(has_three) or not has_three else ENTAILMENT_OR_NOT


class _BaseSets:
    """The test sets of a base while they are written."""

    def __init__(
        self, base: Base, plan: BasePlan, request: SuiteRequest, writer: SuiteWriter, trees: TreeParser | None
    ) -> None:
        self.base, self.plan, self.request, self.writer, self.trees = base, plan, request, writer, trees
        self.done = 0
        self.base_set = f"{BASE}.{base.part}" if plan.with_base else None
        self.whole = writer.open(self.base_set) if self.base_set else None
        self.derived = [
            _DerivedSet(
                construction,
                writer.open(f"{construction.makes}.{base.part}"),
                request.seed,
                request.per_key if construction.name in plan.held else None,
            )
            for construction in plan.constructions
        ]
        self.subsets = CSSubsets(base, plan.selection, writer) if plan.selection else None

    def take(self, rows: ChunkRows) -> None:
        """Write the rows of the next chunk."""
        self.plan.resources.add_answered(rows.answered)
        if self.whole is not None and rows.whole is not None:
            self.whole.write(rows.whole)
        for test_set, made in zip(self.derived, rows.made, strict=True):
            test_set.take(made)
        if self.subsets is not None:
            self.subsets.take(rows.examples, rows.subsets)
        self.done += rows.examples
        self.writer.progress(f"building from {self.base.spec}", self.done, None)

    def finish(self) -> None:
        """Record the entries of the test sets."""
        base, request, writer = self.base, self.request, self.writer
        writer.progress(f"building from {base.spec}", self.done, self.done)
        if self.whole is not None:
            signed = signature(_corpus(base, request, self.trees))
            projection = self.plan.projection.declaration
            facts = selector_facts(self.subsets.notes if self.subsets else ())
            entry = TestSetEntry(BASE, base.part, signature=signed, projection=projection, facts=facts)
            writer.close(self.whole, entry)
        for test_set in self.derived:
            test_set.finish()
            entry = _entry(test_set, base, self.base_set, request, self.plan, self.trees)
            writer.close(test_set.sink, entry)
        if self.subsets is not None:
            self.subsets.close(request.limit_part())


@dataclass(frozen=True)
class _DerivedSet:
    """The items of a construction: written one by one, or, if they are limited *per_key*, at the end."""

    construction: Construction
    sink: TestSetSink
    seed: int
    per_key: int | None = None
    counts: YieldCounts = field(default_factory=YieldCounts)
    pairs: MadePairs = field(default_factory=MadePairs)
    held: list[Example] = field(default_factory=list)

    def take(self, made: MadeRows) -> None:
        """Count what was made of so many *examples*, and write the items or hold them back."""
        repeated = self.pairs.repeated(made.pairs)
        self.counts.add(made.examples, len(made.items), made.rejected, repeated)
        items = made.items.without(set(repeated))
        if self.per_key is None:
            self.sink.write(items)
        else:
            self.held.extend(items.items)

    def finish(self) -> None:
        """Write the items that were held back, at most so many per key, and count the others."""
        if self.per_key is None:
            return
        kept = at_most_per_key(self.held, self.construction, self.per_key, self.seed)
        left_out = len(self.held) - len(kept)
        if left_out:
            self.counts.items -= left_out
            self.counts.rejected[NOT_DRAWN_PER_KEY] += left_out
        self.sink.write_examples(kept)


def _entry(
    test_set: _DerivedSet,
    base: Base,
    base_set: str | None,
    request: SuiteRequest,
    plan: BasePlan,
    trees: TreeParser | None,
) -> TestSetEntry:
    construction = test_set.construction
    used = _used(construction, plan.resources)
    options = option_identity(construction.options)
    parts: dict[str, object] = {
        "corpus": f"{base.spec}@{base.identity}",
        "construction": construction.versioned,
        **({"plug_in": construction.plug_in} if construction.plug_in else {}),
        **used,  # resources are identified by their content, not by the option that selects them
        **{name: value for name, value in options.items() if name not in used},
        **({"seed": request.seed} if construction.draws or (construction.key and request.per_key) else {}),
        **(request.per_key_part() if construction.key else {}),
        **_trees_part(trees),
        **_unlabelled_part(base, construction),
        **request.limit_part(),
    }
    return TestSetEntry(
        construction.name,
        base.part,
        version=construction.version,
        rules=construction.rules,
        base_set=None if construction.reads_problems else base_set,
        keeps_label=construction.keeps_label,
        test_class=construction.test_class,
        signature=signature(parts),
        yields=test_set.counts.as_dict(),
        projection=plan.projection_of(construction).declaration,
    )


def _corpus(base: Base, request: SuiteRequest, trees: TreeParser | None) -> dict[str, object]:
    return {"corpus": f"{base.spec}@{base.identity}", **_trees_part(trees), **request.limit_part()}


def _trees_part(trees: TreeParser | None) -> dict[str, object]:
    """Return the part of a signature that names the parser of the sentences without a parse, if any."""
    return {"trees": trees.name} if trees else {}


#: The names of renamed resources in signatures and manifests, which must not change.
_SIGNED_AS: Final = {"tagger": "annotator"}


def _used(construction: Construction, resources: LanguageResources) -> dict[str, object]:
    """Return the parts of the signature for the resources that *construction* uses."""
    facts: dict[str, Callable[[], object]] = {
        "tagger": lambda: resources.tagger.name,
        "recognizer": lambda: resources.recognizer.name,
        "parser": lambda: resources.parser.name,
        "adjectives": lambda: resources.counts("adjectives", construction.options.adjectives).name,
        "wordnet": lambda: resources.wordnet.version,
        "forms": forms_version,
        "passages": lambda: resources.passages.name,
    }
    return {_SIGNED_AS.get(name, name): facts[name]() for name in construction.uses}


def _identity(request: SuiteRequest, lambdas: Sequence[float]) -> dict[str, Any]:
    """Return everything that the files of the suite depend on."""
    options = {c.name: option_identity(c.options) for c in request.constructions}
    added = {c.name: c.plug_in for c in request.constructions if c.plug_in}
    if "model" in changed_options(request.options):
        from crossexam.models.table import open_model

        model = request.options.model
        options[request.kind.name] = {"model": model, "model_key": open_model(model).key}
    return {
        "suite": request.kind.name,
        "constructions": [construction.versioned for construction in request.constructions],
        "lambdas": list(lambdas),
        "bases": request.base_identities(),
        "problems": [f"{base.spec}@{base.identity}" for base in request.problems],
        "seed": request.seed,
        "format": request.file_format,
        "annotator": request.tagger,
        "recognizer": request.recognizer,
        "parser": request.parser,
        "options": {name: changed for name, changed in options.items() if changed},
        "limit": request.limit,
        "version": package_version(),
        **({"plug_ins": added} if added else {}),
        **request.per_key_part(),
    }
