"""Benchmarks of fact checking (LLM-AggreFact, TRUE, SummaC): a test set for each of their data sets.

The premise is a document, the hypothesis a claim, and the labels are entailment and not_entailment.  TRUE has
no split of its own: its data sets count as test sets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, NamedTuple

from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import Example
from crossexam.core.labels import ENTAILMENT_OR_NOT
from crossexam.core.manifest import BASE, FACT_CHECKING, TestSetEntry
from crossexam.core.output.file_names import alike, name_part
from crossexam.corpora.catalog import catalog
from crossexam.corpora.readers.fact_checking import DATA_SET
from crossexam.corpora.spec import CorpusSpec
from crossexam.suites.bases import Base, base_from_spec, base_read, unchanged
from crossexam.suites.plan import Overview, SuitePlan, SuiteRequest, TestSetPlan

Split = Literal["test", "dev"]


class Benchmark(NamedTuple):
    """A benchmark: its *title*, and the *splits* that it has.

    The data set of an example is named by the example, or by the split of the corpus if this has one per
    data set (*per_data_set*), all of which are a split of the benchmark.
    """

    corpus: str
    title: str
    splits: tuple[Split, ...]
    per_data_set: bool = False

    def parts(self, split: Split) -> Sequence[str]:
        """Return the splits of the corpus that *split* consists of."""
        return tuple(catalog()[self.corpus].splits) if self.per_data_set else (split,)

    def spec_of(self, part: str) -> CorpusSpec:
        """Return the split *part* of the corpus."""
        return CorpusSpec.parse(f"{self.corpus}:{part}")


BENCHMARKS: Final[dict[str, Benchmark]] = {
    each.corpus: each
    for each in (
        Benchmark("aggrefact", "LLM-AggreFact", ("dev", "test")),
        Benchmark("true", "TRUE", ("test",), per_data_set=True),
        Benchmark("summac", "SummaC", ("dev", "test")),
    )
}


@dataclass(frozen=True)
class FactCheckingOptions:
    """The benchmarks (*only*; if empty, those that are installed) and the *split*.

    A text of several names has commas between them.
    """

    only: tuple[str, ...] = ()
    split: Split = "test"

    def __post_init__(self) -> None:
        names = (name.strip() for text in self.only for name in text.split(","))
        object.__setattr__(self, "only", tuple(names))

    def chosen(self) -> list[Benchmark]:
        """Return the requested benchmarks; raises CrossexamError for unknown ones and missing splits."""
        for name in self.only:
            if name not in BENCHMARKS:
                raise UnknownNameError("benchmark of fact checking", name, BENCHMARKS)
        found = [BENCHMARKS[name] for name in dict.fromkeys(self.only)] or list(BENCHMARKS.values())
        lacking = [each.title for each in found if self.split not in each.splits]
        if self.only and lacking:
            raise CrossexamError(
                f"{', '.join(lacking)} has no split '{self.split}'", where="--split", wanted="test"
            )
        return [each for each in found if self.split in each.splits]


def plan_fact_checking(request: SuiteRequest) -> SuitePlan:
    """Plan the test set of each data set.

    Benchmarks that are not installed, and files that are missing from one, are skipped and listed in the
    manifest.  Raises CrossexamError if a benchmark is requested by name and is not installed, or if none is.
    """
    options: FactCheckingOptions = request.options
    files = _files(options)
    absent, notes = _absent(options, files), []
    lacking = [each.title for each in BENCHMARKS.values() if options.split not in each.splits]
    if lacking and not options.only:
        notes.append(f"not included, since they have no split '{options.split}': {', '.join(lacking)}")
    if absent:
        notes.append(f"not installed, so not included: {', '.join(absent)}")
    plans = [
        _planned(request, benchmark, name, base, examples)
        for benchmark, parts in files.items()
        for name, (base, examples) in _data_sets(parts, benchmark).items()
    ]
    bases = [base for parts in files.values() for base in parts.values()]
    facts = {"absent": absent, "read": [base_read(base) for base in bases]}
    return SuitePlan(plans, notes, lambda: facts)


_Parts = Mapping[str, Base]


def _files(options: FactCheckingOptions) -> dict[str, _Parts]:
    """Return the installed splits of the chosen benchmarks, by benchmark and name of the split."""
    found: dict[str, _Parts] = {}
    for benchmark in options.chosen():
        specs = {part: benchmark.spec_of(part) for part in benchmark.parts(options.split)}
        bases = {part: base_from_spec(spec.text) for part, spec in specs.items() if spec.installed()}
        if bases:
            found[benchmark.corpus] = bases
    return found


def _absent(options: FactCheckingOptions, files: Mapping[str, _Parts]) -> list[str]:
    """Return what of the chosen benchmarks is not installed; raises CrossexamError if it is needed."""
    missing = [each.corpus for each in options.chosen() if each.corpus not in files]
    if missing and (options.only or not files):
        raise CrossexamError(
            f"not installed: {', '.join(missing)}",
            wanted="their files in the data folder",
            hint=f"crossexam fetch {missing[0]} says how to get them",
        )
    parts = [
        f"{corpus}:{part}"
        for corpus, bases in files.items()
        for part in BENCHMARKS[corpus].parts(options.split)
        if part not in bases
    ]
    return [*missing, *parts]


def _data_sets(parts: _Parts, corpus: str) -> dict[str, tuple[Base, list[Example]]]:
    """Return the examples of each data set, in the order of the file, with the base that they are from."""
    found: dict[str, tuple[Base, list[Example]]] = {}
    for part, base in parts.items():
        for example in base.open():
            name = str(example.info.get(DATA_SET, part))
            found.setdefault(name, (base, []))[1].append(example)
    _check_names(found, corpus)
    return found


def _check_names(names: Mapping[str, object], corpus: str) -> None:
    """Raise CrossexamError if two data sets would have test sets of the same name."""
    if found := alike(names, lambda name: _part(corpus, name)):
        raise CrossexamError(
            f"the data sets '{found[0]}' and '{found[1]}' would have test sets of one name",
            where=corpus,
            wanted="names that differ in their letters or digits",
        )


def _part(corpus: str, name: str) -> str:
    """Return the part of the name of a test set that stands for a data set.

    >>> _part("aggrefact", "AggreFact-CNN"), _part("summac", "frank")
    ('aggrefact_cnn', 'summac_frank')
    """
    plain = name_part(name)
    return plain if plain.startswith(f"{corpus}_") else f"{corpus}_{plain}"


def _planned(
    request: SuiteRequest, corpus: str, name: str, base: Base, examples: Sequence[Example]
) -> TestSetPlan:
    facts = {
        "benchmark": corpus,
        "title": BENCHMARKS[corpus].title,
        "data_set": name,
        "split": request.options.split,
    }
    entry = TestSetEntry(
        versioned=BASE,
        part=_part(corpus, name),
        projection=ENTAILMENT_OR_NOT.declaration,
        facts={FACT_CHECKING: facts},
    )
    signed = request.signed(base, data_set=name)
    return TestSetPlan(entry, signed, partial(unchanged, examples, request.limit))


OVERVIEW: Final = Overview(
    "Claims and documents",
    {
        "test set": lambda entry: entry.name,
        "benchmark": lambda entry: str(entry.facts[FACT_CHECKING]["title"]),
        "data set": lambda entry: str(entry.facts[FACT_CHECKING]["data_set"]),
        "split": lambda entry: str(entry.facts[FACT_CHECKING]["split"]),
        "claims": lambda entry: f"{entry.rows:,}",
    },
    numbers=("claims",),
)
