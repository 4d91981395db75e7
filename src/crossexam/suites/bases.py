"""Bases: the named streams of examples from which suites are built, and subsets of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example, light_info
from crossexam.core.labels import (
    ENTAILMENT_OR_NOT,
    LABELS,
    THREE_LABELS,
    Gold,
    Projection,
    projection_for,
    projection_named,
)
from crossexam.core.manifest import BaseRead
from crossexam.core.output.file_names import alike, name_part
from crossexam.corpora.reading import Reading, ReadingReport, unique_id
from crossexam.corpora.spec import CorpusSpec, reading_among

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Base:
    """A base: its *part* in the names of test sets, its *spec*, and its *identity*, a hash of its content.

    ``open`` returns a new stream of its examples each time; ``report`` counts the records dropped while
    reading; an ``in_memory`` base has no file.  ``open_all`` returns the same stream with the pairs that lack
    a gold label between the others; None if these are not part of the base, as in a slice.  ``uncounted``
    returns a stream of all its examples, without regard to a limit, that the report does not count.
    ``declared`` is the projection that its corpus or the user declares; ``reading`` are the options with
    which it is read that are not the defaults.
    """

    part: str
    spec: str
    identity: str
    open: Callable[[], Iterator[Example]]
    uncounted: Callable[[], Iterator[Example]]
    open_all: Callable[[], Iterator[Example]] | None = None
    report: ReadingReport = field(default_factory=ReadingReport)
    in_memory: bool = False
    declared: Projection = THREE_LABELS
    reading: Mapping[str, Any] = field(default_factory=dict)

    @property
    def identified(self) -> str:
        """The spec with the identity, as signatures name the base."""
        return f"{self.spec}@{self.identity}"

    def golds(self) -> Iterator[Gold | None]:
        """Yield all gold labels, without regard to a limit."""
        return (example.label for example in self.uncounted())

    @cached_property
    def projection(self) -> Projection:
        """How three labels are mapped to those of the base."""
        return projection_for(self.declared, self.golds())

    @cached_property
    def has_gold(self) -> bool:
        """Whether any example has a gold label."""
        return any(gold is not None for gold in self.golds())

    @cached_property
    def has_pairs(self) -> bool:
        """Whether the base consists of pairs; False if it has sentences or word problems alone."""
        first = next(self.uncounted(), None)
        return first is None or not first.is_single_text


def part_name(spec: str) -> str:
    """Return the part of test-set names that stands for the base *spec*.

    >>> part_name("multinli:dev_matched"), part_name("data/my set.v2.jsonl"), part_name("snli:dev[1::2]")
    ('multinli_dev_matched', 'my_set_v2', 'snli_dev_1_2')
    >>> part_name("aqua:dev+aqua:test"), part_name("snli:dev+data/mine.tsv")
    ('aqua_dev_test', 'snli_dev_mine')
    """
    try:
        corpora = CorpusSpec.parse_union(spec)
    except CrossexamError:  # the name of a Dataset, not of a corpus
        return name_part(Path(spec).stem)
    names: list[str] = []
    corpus = None
    for each in corpora:
        name = Path(each.name).stem + each.text[len(each.name) :]
        names.append(name.removeprefix(f"{corpus}:"))
        corpus = each.corpus
    return name_part("+".join(names))


def base_from_spec(spec: str, reading: Reading = Reading(), *, limit: int | None = None) -> Base:
    """Return the base named by *spec*: a corpus, a slice of one, or a union of these (:class:`CorpusSpec`).

    *limit* is that of all of them.  Raises CrossexamError if one cannot be found or has a share, or if their
    labels differ.
    """
    corpora = [corpus.without_share() for corpus in CorpusSpec.parse_union(spec)]
    reading = reading_among(corpora, reading)
    readings = [reading.of(corpus.corpus) for corpus in corpora]
    declared = {projection_as_read(corpus, reading) for corpus in corpora}
    if len(declared) > 1:
        raise CrossexamError(
            "the corpora have different labels", where=spec, hint="give each a --base of its own"
        )
    report = ReadingReport()

    def stream(counts: ReadingReport, **how: Any) -> Iterator[Example]:
        streams = [(corpus, corpus.examples(reading, report=counts, **how)) for corpus in corpora]
        return _joined(streams, spec) if len(streams) > 1 else streams[0][1]

    def open_stream() -> Iterator[Example]:
        report.reset()
        return report.taking(islice(stream(report), limit))

    def open_all() -> Iterator[Example]:
        report.reset()
        return report.taking(_up_to_labelled(stream(report, drop_no_gold=False), limit))

    return Base(
        part_name(spec),
        spec,
        "+".join(map(identity_as_read, (corpus.identity() for corpus in corpora), readings)),
        open_stream,
        lambda: stream(ReadingReport()),
        None if any(corpus.is_slice for corpus in corpora) else open_all,
        report,
        declared=declared.pop(),
        reading={name: value for each in readings for name, value in each.changed.items()},
    )


def _joined(streams: Iterable[tuple[CorpusSpec, Iterator[Example]]], where: str) -> Iterator[Example]:
    """Yield the examples of all *streams* with unique ids; raises CrossexamError if a corpus gives none."""
    seen: set[str] = set()
    for corpus, examples in streams:
        known = len(seen)
        for example in examples:
            unique = unique_id(example.id, seen)
            yield example if unique == example.id else replace(example, id=unique)
        if len(seen) == known:
            raise CrossexamError(f"{corpus.text} gives no examples", where=where, wanted="at least one")


def _up_to_labelled(examples: Iterable[Example], limit: int | None) -> Iterator[Example]:
    """Yield *examples* up to the one that is number *limit* of those with a gold label."""
    labelled = 0
    for example in examples if limit != 0 else ():
        yield example
        labelled += example.label is not None
        if labelled == limit:
            return


def projection_as_read(corpus: CorpusSpec, reading: Reading) -> Projection:
    """Return the projection that the corpus has, or that the labels declared by the user need."""
    reading = reading.of(corpus.corpus)
    if "not_entailment" in (reading.labels or {}).values():
        return ENTAILMENT_OR_NOT
    return THREE_LABELS if reading.columns else corpus.declared_projection()


def identity_as_read(content: str, reading: Reading) -> str:
    """Return what identifies the examples that *reading* gives of a file, which *content* identifies.

    >>> identity_as_read("0f2781d6", Reading())
    '0f2781d6'
    >>> identity_as_read("0f2781d6", Reading(labels={"yes": "entailment"}))
    '0f2781d6-6ebaee56'
    """
    if not reading.changed:
        return content
    text = json.dumps(reading.changed, sort_keys=True)
    return f"{content}-{hashlib.blake2b(text.encode(), digest_size=4).hexdigest()}"


def base_from_examples(data: Dataset | Iterable[Example], *, limit: int | None = None) -> Base:
    """Return a base of examples in memory; raises CrossexamError if there are none."""
    dataset = data if isinstance(data, Dataset) else Dataset("examples", tuple(data))
    if not len(dataset):
        raise CrossexamError(f"the base '{dataset.name}' has no examples")
    spec = dataset.entry.spec or dataset.name
    stream = partial(islice, dataset.examples, limit)
    declared = dataset.entry.projection
    return Base(
        part_name(spec),
        spec,
        dataset.content_hash(),
        stream,
        lambda: iter(dataset),
        in_memory=True,
        declared=projection_named(declared) if declared else THREE_LABELS,
    )


def distinct_parts(bases: Iterable[Base]) -> None:
    """Raise CrossexamError if two bases would have test sets of the same name."""
    if found := alike(bases, lambda base: base.part):
        first, second = found
        raise CrossexamError(
            f"two bases are called '{second.part}': {first.spec} and {second.spec}",
            hint="rename one of the files, or build into two folders",
        )


def base_read(base: Base) -> BaseRead:
    """Return what the manifest says of *base*."""
    return BaseRead(
        part=base.part,
        spec=base.spec,
        identity=base.identity,
        read=base.report.as_dict(),
        reading=dict(base.reading),
    )


def installed_word_problems() -> list[Base]:
    """Return the base that the installed splits of AQuA-RAT make, the paper's word problems; may be empty."""
    splits = [f"aqua:{split}" for split in ("train", "dev", "test")]
    found = [spec for spec in splits if CorpusSpec.parse(spec).installed()]
    return [base_from_spec("+".join(found))] if found else []


def with_gold(
    dataset: Dataset, probabilities: NDArray[np.float64]
) -> tuple[tuple[Example, ...], NDArray[np.float64], NDArray[np.int64]]:
    """Return the examples of *dataset* that have a gold label, their probabilities [n, k] and gold [n].

    The k columns are the labels of the projection of *dataset*.  Raises ValueError if the shape of
    *probabilities* [n, 3] does not match *dataset*.
    """
    projection = dataset.projection

    if probabilities.shape != (len(dataset), len(LABELS)):
        raise ValueError(f"{probabilities.shape} probabilities for {len(dataset)} examples of {dataset.name}")
    kept = [place for place, example in enumerate(dataset) if example.label is not None]
    examples = tuple(dataset.examples[place] for place in kept)
    place = {label: column for column, label in enumerate(projection.labels)}
    gold = np.array([place[example.label] for example in examples if example.label], dtype=np.int64)
    return examples, projection.shares(probabilities[np.array(kept, dtype=np.int64)]), gold


def unchanged(examples: Iterable[Example], limit: int | None = None) -> Iterator[Example]:
    """Yield the first *limit* of *examples* as test sets have them, without data only for constructions."""
    return (with_notes(example, {}) for example in islice(examples, limit))


def with_notes(example: Example, notes: Mapping[str, Any]) -> Example:
    """Return *example* with *notes* and its cluster in ``info``, without data only for constructions."""
    info = {**light_info(example), **notes}
    return Example(
        example.id,
        example.premise,
        example.hypothesis,
        example.label,
        example.base,
        example.change,
        info,
    )
