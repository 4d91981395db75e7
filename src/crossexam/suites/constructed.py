"""Suites that apply constructions, in one pass over each base."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import chain
from typing import Any, Final

from crossexam.constructions.apply import CHUNK, Applier, chunks
from crossexam.constructions.construction import Construction, changed_options
from crossexam.constructions.keys import NOT_DRAWN_PER_KEY, at_most_per_key
from crossexam.constructions.resources import LanguageResources, content_identity
from crossexam.core.errors import CrossexamError, MissingResourceError
from crossexam.core.example import Example, light_info
from crossexam.core.labels import ENTAILMENT_OR_NOT, THREE_LABELS, Projection
from crossexam.core.manifest import BASE, TestSetEntry, package_version, signature
from crossexam.core.progress import seldom_collected
from crossexam.language.parsing.binary import derived_parses
from crossexam.language.parsing.parsers import TreeParser, tree_parser
from crossexam.models.table import open_model
from crossexam.suites.bases import Base
from crossexam.suites.build import SuiteRequest, SuiteWriter, TestSetSink
from crossexam.suites.lexically_misleading import LAMBDAS, CSSubsets, check_lambdas


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
    not_built = _without_resources(request, first)
    for reason, names in _by_reason(not_built).items():
        writer.note(f"warning: not built: {', '.join(names)}: {reason}")
    identity = _identity(request, lambdas)
    if writer.already_built(identity | ({"not_built": list(not_built)} if not_built else {})):
        return
    resources = chain([first], iter(request.resources, None))  # each base its own: they record what they used
    constructions = [c for c in request.constructions if c.name not in not_built]
    no_parser = any("parser" in c.uses for c in request.constructions if c.name in not_built)
    trees = None if no_parser else tree_parser(request.parser)
    on_problems = [c for c in constructions if c.reads_problems]
    on_pairs = [c for c in constructions if not c.reads_problems or not request.problems]
    for base in request.bases:
        subsets = CSSubsets(base, lambdas, open_model(request.options.model), writer) if lambdas else None
        _build_from(
            base,
            on_pairs,
            request,
            writer,
            next(resources),
            trees,
            with_base=base.has_pairs,
            subsets=subsets,
        )
    for base in request.problems if on_problems else ():
        projection = _of_problems(request)
        _build_from(
            base,
            on_problems,
            request,
            writer,
            next(resources),
            trees,
            with_base=False,
            projection=projection,
        )
    signed = {"bases": "+".join(request.base_identities()), "seed": request.seed}
    if not_built:
        reasons = {name: error.what for name, error in not_built.items()}
        writer.finish(signed | {"without": "+".join(not_built)}, not_built=reasons)
    else:
        writer.finish(signed)


def _without_resources(
    request: SuiteRequest, resources: LanguageResources
) -> dict[str, MissingResourceError]:
    """Return the errors of the constructions that use a resource which is not installed, by name.

    Raises the error if the construction was asked for by name.
    """
    errors = {}
    for construction in request.constructions:
        try:
            resources.load(construction.uses)
        except MissingResourceError as error:
            if construction.name == request.kind.name:
                raise
            errors[construction.name] = error
    return errors


def _by_reason(not_built: Mapping[str, MissingResourceError]) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for name, error in not_built.items():
        names.setdefault(f"{error.what}\n  hint: {error.hint}", []).append(name)
    return names


def _build_from(
    base: Base,
    constructions: Sequence[Construction],
    request: SuiteRequest,
    writer: SuiteWriter,
    resources: LanguageResources,
    trees: TreeParser | None,
    *,
    with_base: bool,
    subsets: CSSubsets | None = None,
    projection: Projection | None = None,
) -> None:
    projection = projection or base.projection
    for construction in constructions:
        resources.gather(construction, base.open)
    base_set = f"{BASE}.{base.part}"
    whole = _BaseSet(writer.open(base_set)) if with_base else None
    derived = [
        _DerivedSet(
            Applier(construction, resources, seed=request.seed, projection=projection),
            writer.open(f"{construction.makes}.{base.part}"),
            request.per_key if construction.key else None,
        )
        for construction in constructions
    ]
    done = 0
    with seldom_collected():
        for chunk in chunks(base.open(), CHUNK):
            chunk = trees.completed(chunk) if trees else chunk
            resources.prepare(chunk)
            if whole is not None:
                whole.take(subsets.take(chunk) if subsets else chunk)
            made = [(test_set, test_set.made(chunk)) for test_set in derived]
            for test_set, items in made:
                test_set.take(_with_trees(items, chunk if with_base else (), trees))
            done += len(chunk)
            writer.progress(f"building from {base.spec}", done, None)
    if done == 0:
        raise CrossexamError(
            f"the base {base.spec} has no examples with a gold label", wanted="at least one example"
        )
    writer.progress(f"building from {base.spec}", done, done)
    if whole is not None:
        signed = signature(_corpus(base, request, trees))
        entry = TestSetEntry(BASE, base.part, signature=signed, projection=projection.declaration)
        writer.close(whole.sink, entry)
    for test_set in derived:
        test_set.finish()
        writer.close(
            test_set.sink,
            _entry(test_set.applier, base, base_set if with_base else None, request, resources, trees),
        )
    if subsets is not None:
        subsets.close(request.limit_part())


def _of_problems(request: SuiteRequest) -> Projection:
    """Return the projection of items from word problems: two labels if no base of the suite has three."""
    has_three = [base.projection is THREE_LABELS for base in request.bases]
    return THREE_LABELS if any(has_three) or not has_three else ENTAILMENT_OR_NOT


@dataclass(frozen=True)
class _BaseSet:
    sink: TestSetSink

    def take(self, chunk: Iterable[Example]) -> None:
        for example in chunk:
            self.sink.write(light(example))


@dataclass(frozen=True)
class _DerivedSet:
    """The items of a construction: written one by one, or, if they are limited *per_key*, at the end."""

    applier: Applier
    sink: TestSetSink
    per_key: int | None = None
    held: list[Example] = field(default_factory=list)

    def made(self, chunk: Iterable[Example]) -> list[Example]:
        """Return the items of the examples of *chunk*."""
        return [item for example in chunk for item in self.applier.items(example)]

    def take(self, items: Iterable[Example]) -> None:
        """Write *items*, or hold them back if their number per key is limited."""
        for item in items:
            if self.per_key is None:
                self.sink.write(item)
            else:
                self.held.append(item)

    def finish(self) -> None:
        """Write the items that were held back, at most so many per key, and count the others."""
        if self.per_key is None:
            return
        counts = self.applier.counts
        kept = at_most_per_key(self.held, self.applier.construction, self.per_key, self.applier.seed)
        left_out = len(self.held) - len(kept)
        if left_out:
            counts.items -= left_out
            counts.rejected[NOT_DRAWN_PER_KEY] += left_out
        for item in kept:
            self.sink.write(item)


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


def _entry(
    applier: Applier,
    base: Base,
    base_set: str | None,
    request: SuiteRequest,
    resources: LanguageResources,
    trees: TreeParser | None,
) -> TestSetEntry:
    construction = applier.construction
    used = _used(construction, resources)
    options = _option_identity(construction.options)
    parts: dict[str, object] = {
        "corpus": f"{base.spec}@{base.identity}",
        "construction": construction.versioned,
        **used,  # resources are identified by their content, not by the option that selects them
        **{name: value for name, value in options.items() if name not in used},
        **({"seed": request.seed} if construction.draws or (construction.key and request.per_key) else {}),
        **(request.per_key_part() if construction.key else {}),
        **_trees_part(trees),
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
        yields=applier.counts.as_dict(),
        projection=applier.projection.declaration,
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
    from importlib.metadata import version

    facts: dict[str, Callable[[], object]] = {
        "tagger": lambda: resources.tagger.name,
        "recognizer": lambda: resources.recognizer.name,
        "parser": lambda: resources.parser.name,
        "adjectives": lambda: resources.adjectives(construction.options.adjectives).name,
        "wordnet": lambda: resources.wordnet.version,
        "lemminflect": lambda: version("lemminflect"),
        "passages": lambda: resources.passages.name,
    }
    return {_SIGNED_AS.get(name, name): facts[name]() for name in construction.uses}


def _identity(request: SuiteRequest, lambdas: Sequence[float]) -> dict[str, Any]:
    """Return everything that the files of the suite depend on."""
    options = {c.name: _option_identity(c.options) for c in request.constructions}
    if "model" in changed_options(request.options):
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
        **request.per_key_part(),
    }


def _option_identity(options: Any) -> dict[str, Any]:
    """Return the options that differ from their defaults, with a hash if they name a corpus or file."""
    changed = changed_options(options)
    for each in fields(options) if changed else ():
        if each.name in changed and each.metadata.get("content"):
            changed[each.name] = content_identity(changed[each.name])
    return changed
