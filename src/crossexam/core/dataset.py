"""Datasets, suites of them, and runs: a model's predictions over a suite."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from crossexam.core.arguments import required
from crossexam.core.columns import (
    cluster_hashes,
    columns_of,
    info_values,
    labels_of,
)
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import GENERATED_LABEL, STATUS, Example
from crossexam.core.frames import empty_table, info_columns, item_table
from crossexam.core.labels import (
    GOLD_INDEX,
    GOLDS,
    LABELS,
    ItemLabels,
    Projection,
    parse_label,
    projection_of,
)
from crossexam.core.manifest import RunManifest, SuiteManifest, TestSetEntry, entry_of
from crossexam.core.notebook import html_table
from crossexam.core.outcome import Outcomes
from crossexam.core.stored.arrays import array_of_names, bytes_of, joined_texts, numbers_of
from crossexam.core.stored.parquet import ROWS_AT_ONCE

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from numpy.typing import NDArray


@dataclass(frozen=True, repr=False)
class Dataset:
    """Examples with a name and a manifest that records where they come from.

    >>> Dataset("tiny", (Example("a", "It rains.", "It is wet.", "neutral"),))
    Dataset('tiny', 1 example: 1 neutral)
    """

    name: str
    examples: Sequence[Example]
    manifest: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.examples)

    def __iter__(self) -> Iterator[Example]:
        return iter(self.examples)

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone: hashes of clusters differ from process to process."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __repr__(self) -> str:
        """Return the name, and the number of examples by label and of records that were left out."""
        labels = ", ".join(f"{count:,} {name}" for name, count in self._named_counts())
        counted = counted_items(len(self), "example") + (f": {labels}" if labels else "")
        return f"Dataset({self.name!r}, {'; '.join([counted, *self._left_out()])})"

    def _repr_html_(self) -> str:
        """Return the number of examples by label as a table, for notebooks."""
        caption = f"{self.name}: {counted_items(len(self), 'example')}"
        return html_table(caption, ["label", "examples"], self._named_counts(), notes=self._left_out())

    def columns(self, *names: str, at_once: int = ROWS_AT_ONCE) -> Iterator[pa.RecordBatch]:
        """Yield the columns *names* as batches of *at_once* rows of Arrow, in order, without making examples.

        The columns are those of a test-set file; see :func:`crossexam.core.columns.columns_of`.

        >>> tiny = Dataset("tiny", (Example("a", "It rains.", "It is wet.", "neutral"),))
        >>> [batch.to_pylist() for batch in tiny.columns("id", "label")]
        [[{'id': 'a', 'label': 1}]]
        """
        return columns_of(self.examples, names, at_once)

    def ids(self) -> pa.ChunkedArray:
        """Return the ids [n] as a column of strings."""
        import pyarrow as pa

        return pa.chunked_array([batch["id"] for batch in self.columns("id")], pa.string())

    def labels(self) -> NDArray[np.int8]:
        """Return the gold labels [n] as indices in ``GOLDS``, -1 where there is none."""
        return self._labels

    def clusters(self) -> NDArray[np.uint64]:
        """Return the clusters [n] as numbers: equal ones are the same cluster, in this and other test sets.

        They are hashes, which differ from process to process.
        """
        return self._clusters

    @cached_property
    def _labels(self) -> NDArray[np.int8]:
        return labels_of(self.examples)

    @cached_property
    def relabelled(self) -> NDArray[np.bool_]:
        """Which examples had their label replaced by judges: [n]."""
        return info_values(self.examples, [GENERATED_LABEL])[GENERATED_LABEL].stated

    @cached_property
    def has_proposed_labels(self) -> bool:
        """Whether a rule proposed the labels of some examples.

        >>> Dataset("a", [Example("a", "p", "h", None, info={"status": "proposed"})]).has_proposed_labels
        True
        """
        return bool(info_values(self.examples, [STATUS])[STATUS].values)

    @cached_property
    def _clusters(self) -> NDArray[np.uint64]:
        return cluster_hashes(self.examples)

    @cached_property
    def projection(self) -> Projection:
        """The projection that the manifest declares, else the one that the gold labels need."""
        declared = self.entry.projection
        found = [] if declared is not None else np.unique(self.labels()).tolist()
        return projection_of(declared, (GOLDS[index] for index in found if index >= 0))

    def label_counts(self) -> dict[str, int]:
        """Return the number of examples by gold label, in the order of ``GOLDS``; "none" has no label.

        >>> Dataset("tiny", (Example("a", "It rains.", "It is wet.", None),)).label_counts()
        {'none': 1}
        """
        counts = np.bincount(self.labels() + 1, minlength=len(GOLDS) + 1).tolist()
        named = zip((*GOLDS, "none"), (*counts[1:], counts[0]), strict=True)
        return {label: count for label, count in named if count}

    def _named_counts(self) -> list[tuple[str, int]]:
        return [
            ("without a label" if label == "none" else label, count)
            for label, count in self.label_counts().items()
        ]

    def _left_out(self) -> list[str]:
        return _left_out([self.entry.counts])

    @cached_property
    def entry(self) -> TestSetEntry:
        """The manifest as the typed entry of a test set; raises FormatError."""
        return entry_of(self.name, self.manifest, "a manifest")

    def content_hash(self) -> str:
        """Return 16 hexadecimal digits that change when an id, a text or a label does."""
        return content_hash(self.examples)

    @cached_property
    def stated_hash(self) -> str:
        """The content hash that the manifest states, computed if it states none or is of more items."""
        known = self.entry.content_hash if self.entry.rows == len(self) else None
        return known or self.content_hash()


def counted_items(count: int, noun: str) -> str:
    """Return *count* with *noun* in the singular or plural.

    >>> counted_items(1, "item"), counted_items(1200, "item")
    ('1 item', '1,200 items')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _left_out(counts: Iterable[Mapping[str, Any] | None]) -> list[str]:
    """Return in a list how many records were left out, by the *counts* of reading; empty if none were."""
    total: Counter[str] = Counter()
    for each in counts:
        total.update({key: int((each or {}).get(key, 0)) for key in ("no_gold", "bad")})
    facts = {"without a gold label": total["no_gold"], "malformed": total["bad"]}
    left = ", ".join(f"{count:,} {what}" for what, count in facts.items() if count)
    return [f"left out: {left}"] if left else []


def _known(datasets: Mapping[str, Dataset], name: str) -> Dataset:
    required(name, str, "the name of the test set", wanted=f"one of: {', '.join(datasets)}")
    if name not in datasets:
        raise UnknownNameError("test set", name, datasets)
    return datasets[name]


class ContentHash:
    """A running hash of examples, for sets that are streamed: of what :func:`content_record` returns."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=8)

    def update_records(self, records: Iterable[bytes | memoryview]) -> None:
        """Add the examples with these records (:func:`content_record`)."""
        self._hash.update(b"".join(records))

    def hexdigest(self) -> str:
        """Return 16 hexadecimal digits."""
        return self._hash.hexdigest()


def content_record(example: Example) -> bytes:
    """Return what the content hash reads of *example*: its id, its texts and its label."""
    record = f"{example.id}\x1f{example.premise}\x1f{example.hypothesis}\x1f{example.label}\x1e"
    return record.encode("utf-8", "surrogatepass")


def content_hash(examples: Sequence[Example], labels: NDArray[np.int8] | None = None) -> str:
    """Return the hash of ids, texts and labels, in order, as 16 hexadecimal digits.

    *labels* [n], indices in GOLDS or -1, are in place of those of the examples.
    """
    running = ContentHash()
    names = [f"{name}\x1e" for name in (*GOLDS, None)]  # -1 is the last
    start = 0
    for batch in columns_of(examples, ["id", "premise", "hypothesis", "label"]):
        indices = numbers_of(batch["label"]) if labels is None else labels[start : start + len(batch)]
        golds = array_of_names(np.where(indices < 0, len(GOLDS), indices), names)
        running.update_records([bytes_of(joined_texts([*batch.columns[:3], golds], "\x1f"))])
        start += len(batch)
    return running.hexdigest()


def has_content(examples: Sequence[Example], known: str | None) -> bool:
    """Return whether *known* is the content hash of *examples*, as they are or before judges relabelled any.

    >>> item = Example("a", "p", "h", "neutral", info={"generated_label": "entailment"})
    >>> has_content([item], content_hash([Example("a", "p", "h", "entailment")]))
    True
    """
    return content_hash(examples) == known or _generated_content_hash(examples) == known


def _generated_content_hash(examples: Sequence[Example]) -> str:
    """Return the content hash of *examples* before judges relabelled any."""
    generated = info_values(examples, [GENERATED_LABEL])[GENERATED_LABEL]
    golds = [parse_label(value) for value in generated.values]
    indices = np.array([-1 if gold is None else GOLD_INDEX[gold] for gold in (*golds, None)], dtype=np.int8)
    labels = np.where(generated.stated, indices[generated.codes], labels_of(examples))
    return content_hash(examples, labels)


@dataclass(frozen=True, repr=False)
class Suite:
    """Test sets by name, built together from one base."""

    name: str
    datasets: Mapping[str, Dataset]
    manifest: SuiteManifest = field(default_factory=SuiteManifest)

    def __getitem__(self, name: str) -> Dataset:
        """Return the test set *name*; raises UnknownNameError."""
        return _known(self.datasets, name)

    def __contains__(self, name: object) -> bool:
        return name in self.datasets

    def __iter__(self) -> Iterator[Dataset]:
        return iter(self.datasets.values())

    def __len__(self) -> int:
        return len(self.datasets)

    def only(self, patterns: Sequence[str]) -> Suite:
        """Return the suite with the test sets that *patterns* name (``negation.*``), all if there are none.

        Raises UnknownNameError for a pattern that names no test set.

        >>> sets = [Dataset(name, ()) for name in ("base.dev", "negation.dev", "negation.test")]
        >>> list(Suite("tests", {each.name: each for each in sets}).only(["negation.*"]).datasets)
        ['negation.dev', 'negation.test']
        """
        if not patterns:
            return self
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in self.datasets):
                raise UnknownNameError("test set", pattern, self.datasets)
        chosen = {
            name: each
            for name, each in self.datasets.items()
            if any(fnmatchcase(name, pattern) for pattern in patterns)
        }
        return Suite(self.name, chosen, self.manifest)

    def __repr__(self) -> str:
        """Return the name, and the number of test sets, of items, and of records of bases left out."""
        return f"Suite({self.name!r}, {'; '.join([_size(self.datasets), *self._left_out()])})"

    def _repr_html_(self) -> str:
        """Return the test sets with their items by gold label as a table, for notebooks."""
        counts = {dataset.name: dataset.label_counts() for dataset in self}
        labels = [label for label in (*GOLDS, "none") if any(label in each for each in counts.values())]
        rows = [
            [name, sum(each.values()), *(each.get(label, 0) for label in labels)]
            for name, each in counts.items()
        ]
        caption = f"{self.name}: {_size(self.datasets)}"
        return html_table(caption, ["test set", "items", *labels], rows, notes=self._left_out())

    def _left_out(self) -> list[str]:
        return _left_out(base.read for base in self.manifest.bases)


def have_two_labels(datasets: Iterable[Dataset]) -> bool:
    """Return whether all *datasets*, at least one, have the gold labels entailment and not_entailment.

    >>> have_two_labels([Dataset("rte", (), {"projection": "two labels"}), Dataset("snli", ())])
    False
    """
    found = ["not_entailment" in each.projection.labels for each in datasets]
    return bool(found) and all(found)


def _size(datasets: Mapping[str, Dataset]) -> str:
    items = sum(len(dataset) for dataset in datasets.values())
    return f"{counted_items(len(datasets), 'test set')}, {counted_items(items, 'item')}"


@dataclass(frozen=True)
class ReadItems:
    """What a model read of the items of a test set: which were *truncated*, and of which no *edit* was read.

    Arrays of booleans [n].  ``edit_unseen`` items were truncated, and everything that their construction
    changed was cut off, so that their predictions say nothing about the change.
    """

    truncated: NDArray[np.bool_]
    edit_unseen: NDArray[np.bool_]

    def at(self, rows: Sequence[int] | NDArray[np.bool_] | slice) -> ReadItems:
        """Return the reading of the items at *rows*."""
        return ReadItems(self.truncated[rows], self.edit_unseen[rows])


@dataclass(frozen=True, repr=False)
class Run:
    """The predictions of *model*: per test set an array of probabilities [n, 3], columns in LABELS order.

    If the model gives only labels, each row has a single 1.  The manifest holds the model key, the counts of
    truncated and predicted pairs, and the signature of every test set.  *reading* says which items were
    truncated, for those test sets for which this is known.

    The row of an unanswered item is NaN, and *outcomes* say why.  A test set whose items were all answered
    need not have an entry there.
    """

    model: str
    datasets: Mapping[str, Dataset]
    probabilities: Mapping[str, NDArray[np.float64]]
    manifest: RunManifest = field(default_factory=RunManifest)
    reading: Mapping[str, ReadItems] = field(default_factory=dict)
    outcomes: Mapping[str, Outcomes] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return the model, and the number of test sets, of items, and of those without an answer."""
        unanswered = sum(int((~each.answered).sum()) for each in self.outcomes.values())
        missing = f", {unanswered:,} unanswered" if unanswered else ""
        return f"Run({self.model!r}, {_size(self.datasets)}{missing})"

    def _repr_html_(self) -> str:
        """Return the number of predictions by label of each test set as a table, for notebooks."""
        counts = {name: Counter(self.predictions(name).tolist()) for name in self.datasets}
        labels = [label for label in (*GOLDS, "") if any(each[label] for each in counts.values())]
        rows = [[name, each.total(), *(each[label] for label in labels)] for name, each in counts.items()]
        header = [
            "test set",
            "items",
            *(f"predicted {label}" if label else "unanswered" for label in labels),
        ]
        return html_table(f"{self.model}: {_size(self.datasets)}", header, rows)

    @property
    def details(self) -> Mapping[str, Any]:
        """What the model says about itself; empty if it says nothing."""
        return self.manifest.details or {}

    @property
    def two_labels(self) -> bool:
        """Whether the model only tells entailment from non-entailment (``details.two_label``)."""
        return bool(self.details.get("two_label"))

    def answers(self, name: str) -> NDArray[np.float64]:
        """Return the probabilities on test set *name* [n, 3]; raises CrossexamError if some are missing.

        Rows without an answer are NaN.
        """
        n = len(_known(self.datasets, name))
        where, wanted = f"test set {name}", f"{n} rows of {len(LABELS)} probabilities"
        if name not in self.probabilities:
            raise CrossexamError(f"'{self.model}' has no predictions", where=where, wanted=wanted)
        rows = np.asarray(self.probabilities[name], dtype=np.float64)
        rows = rows if rows.size else rows.reshape(0, len(LABELS))
        if rows.shape != (n, len(LABELS)):
            predictions = (
                f"{len(rows)} predictions" if len(rows) != n else f"predictions of shape {rows.shape}"
            )
            raise CrossexamError(
                f"'{self.model}' has {predictions} for {n} items",
                where=where,
                wanted=wanted,
                hint="run the model over this test set again",
            )
        if (np.isnan(rows[:, 0]) != ~self.answered(name)).any():
            raise CrossexamError(
                f"'{self.model}' has predictions that are not numbers",
                where=where,
                wanted="numbers, except for items whose outcome says that there is no answer",
            )
        return rows

    def outcomes_of(self, name: str) -> Outcomes:
        """Return what became of the question about each item of test set *name*: [n].

        Raises UnknownNameError, CrossexamError.
        """
        count = len(_known(self.datasets, name))
        found = self.outcomes.get(name, Outcomes.all_answered(count))
        if len(found.codes) != count:
            raise CrossexamError(
                f"'{self.model}' has {len(found.codes)} outcomes for {count} items", where=f"test set {name}"
            )
        return found

    def answered(self, name: str) -> NDArray[np.bool_]:
        """Return which items of test set *name* the model answered: [n]; raises UnknownNameError.

        >>> import numpy as np
        >>> tiny = Dataset("tiny", (Example("a", "It rains.", "It is wet.", "neutral"),))
        >>> Run("mine", {"tiny": tiny}, {"tiny": np.array([[0.2, 0.7, 0.1]])}).answered("tiny").tolist()
        [True]
        """
        return self.outcomes_of(name).answered

    def restricted_to(self, names: Iterable[str]) -> Run:
        """Return the run over the test sets *names* alone; raises UnknownNameError."""
        datasets = {name: _known(self.datasets, name) for name in names}
        probabilities = {name: self.probabilities[name] for name in datasets}
        reading = {name: self.reading[name] for name in datasets if name in self.reading}
        outcomes = {name: self.outcomes[name] for name in datasets if name in self.outcomes}
        return Run(self.model, datasets, probabilities, self.manifest, reading, outcomes)

    def scored(self, name: str) -> ItemLabels:
        """Return gold labels, predictions and probabilities on test set *name* in the labels that are scored.

        These are the labels of the test set, or two where a model of two labels meets a test set of three.
        Raises UnknownNameError, CrossexamError.
        """
        answered = self.answers(name)
        dataset = self.datasets[name]
        return ItemLabels(dataset.labels(), answered, dataset.projection, self.two_labels)

    def predictions(self, name: str) -> NDArray[np.str_]:
        """Return the label predicted for each item of test set *name*, as a string: [n].

        The labels are those that are scored (:meth:`scored`); without an answer, it is "".  Raises
        UnknownNameError, CrossexamError.

        >>> import numpy as np
        >>> tiny = Dataset("tiny", (Example("a", "It rains.", "It is wet.", "neutral"),))
        >>> Run("mine", {"tiny": tiny}, {"tiny": np.array([[0.2, 0.7, 0.1]])}).predictions("tiny").tolist()
        ['neutral']
        """
        labels: NDArray[np.str_] = np.array([*GOLDS, ""])[self.scored(name).predicted]  # -1 is the last
        return labels

    def to_arrow(self, info: Sequence[str] = ()) -> pa.Table:
        """Return a pyarrow Table with one row per item of every test set, in their order.

        Columns: ``test_set``, ``id``, ``premise``, ``hypothesis``, ``label`` (gold), ``predicted``,
        ``correct``, ``cluster`` (items that are not independent share it), ``status`` (verified, rejected or
        proposed; null if the label is not in question), ``outcome`` (answered, or why there is no answer),
        ``p_LABEL`` for each label that is scored (null in test sets without it), and ``model_p_entailment``,
        ``model_p_neutral`` and ``model_p_contradiction`` (the model's own, unless it has two labels).  *info*
        names more columns, keys of the examples' ``info`` (``genre``).  Raises UnknownNameError if no item
        has such a key.

        The share of rows whose ``predicted`` is their ``label`` is the accuracy of the report.  On a test set
        of two labels, and for a model of two labels, both columns have these two.  Without an answer,
        ``predicted`` and the probabilities are null; without an answer or a gold label, so is ``correct``.

        >>> import numpy as np
        >>> tiny = Dataset("tiny", (Example("a", "It rains.", "It is wet.", "neutral"),))
        >>> run = Run("mine", {"tiny": tiny}, {"tiny": np.array([[0.2, 0.7, 0.1]])})
        >>> run.to_arrow().select(["test_set", "label", "predicted", "correct"]).to_pylist()
        [{'test_set': 'tiny', 'label': 'neutral', 'predicted': 'neutral', 'correct': True}]
        """
        import pyarrow as pa

        tables = [
            item_table(name, dataset.examples, self.scored(name), self.outcomes_of(name))
            for name, dataset in self.datasets.items()
        ]
        every = [dataset.examples for dataset in self.datasets.values()]
        joined = pa.concat_tables(tables or [empty_table()], promote_options="default")
        for name, column in info_columns(every, info).items():
            joined = joined.append_column(name, column)
        return joined

    def to_pandas(self, info: Sequence[str] = ()) -> pd.DataFrame:
        """Return :meth:`to_arrow` as a pandas DataFrame; raises CrossexamError if pandas is not installed."""
        _needed_for("to_pandas", "pandas")
        return self.to_arrow(info).to_pandas()

    def to_polars(self, info: Sequence[str] = ()) -> pl.DataFrame:
        """Return :meth:`to_arrow` as a polars DataFrame; raises CrossexamError if polars is not installed."""
        polars = _needed_for("to_polars", "polars")
        found: pl.DataFrame = polars.from_arrow(self.to_arrow(info))
        return found


def _needed_for(method: str, package: str) -> Any:
    """Return the module *package* that *method* of a run needs; raises CrossexamError without it."""
    try:
        return import_module(package)
    except ImportError:
        raise CrossexamError(
            f"{method} needs the package '{package}', which is not installed",
            hint=f"pip install {package}, or use to_arrow, which returns a pyarrow Table",
        ) from None
