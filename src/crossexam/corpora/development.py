"""Development sets: the corpora by which a training stops, and by which settings are chosen.

Of several corpora, the mean of their accuracies counts, each under its own projection and whatever its size.
Over the validation sets of the cross-dataset benchmark, this is how Zhang et al. (2020, sections 2.2 and 3.3)
choose epochs and hyper-parameters.  Of large sets, some pairs may be drawn, since all are scored every epoch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from crossexam.core.dataset import Dataset, content_hash, counted_items
from crossexam.core.errors import CrossexamError
from crossexam.core.manifest import CROSS_DATASET
from crossexam.core.randomness import drawn_order
from crossexam.core.test_sets import read_suite
from crossexam.corpora.labelled import Corpus, load_corpus
from crossexam.corpora.reading import Reading
from crossexam.corpora.spec import user_path


@dataclass(frozen=True)
class DevSets:
    """The *corpora* whose mean accuracy counts, and the *name* that stands for all of them.

    *notes* say what a suite holds that does not count.  Of each corpus, at most *limit* examples are drawn
    with *seed*; the limit is None if it cuts nothing off.
    """

    name: str
    corpora: tuple[Corpus, ...]
    notes: tuple[str, ...] = ()
    limit: int | None = None
    seed: int = 0

    @property
    def several(self) -> bool:
        """Whether there is more than one corpus, so that a mean counts."""
        return len(self.corpora) > 1

    def describe(self) -> dict[str, Any]:
        """Return what a manifest says: the one corpus, or the number of examples and each of the corpora."""
        parts = [corpus.describe() for corpus in self.corpora]
        drawn = {} if self.limit is None else {"limit": self.limit, "seed": self.seed}
        if not self.several:
            return {**parts[0], **drawn}
        return {"spec": self.name, "rows": sum(part["rows"] for part in parts), **drawn, "parts": parts}

    def drawn(self, limit: int | None, seed: int) -> DevSets:
        """Return at most *limit* examples of each corpus, drawn with *seed*, in their order, and a note.

        The draw depends on the texts and the seed alone.  Raises CrossexamError if the limit is below 1.
        """
        if limit is not None and limit < 1:
            raise CrossexamError(f"--dev-limit is {limit}", wanted="a whole number above 0")
        sizes = [len(corpus.examples) for corpus in self.corpora]
        if limit is None or max(sizes) <= limit:
            return self
        corpora = tuple(_drawn(corpus, limit, seed) for corpus in self.corpora)
        kept = sum(len(corpus.examples) for corpus in corpora)
        note = (
            f"--dev-limit {limit}: {kept:,} of {sum(sizes):,} development pairs, drawn with the seed {seed}"
        )
        return replace(self, corpora=corpora, notes=(*self.notes, note), limit=limit, seed=seed)


def _drawn(corpus: Corpus, limit: int, seed: int) -> Corpus:
    places = sorted(drawn_order(corpus.examples, seed)[:limit])
    return replace(corpus, examples=tuple(corpus.examples[place] for place in places))


def dev_names(dev: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of development sets, of which there may be one or several.

    >>> dev_names("snli:dev"), dev_names(["snli:dev", "fourteen"])
    (('snli:dev',), ('snli:dev', 'fourteen'))
    """
    return (dev,) if isinstance(dev, str) else tuple(dev)


def is_suite(name: str) -> bool:
    """Return whether *name* is a folder, and so a suite rather than a corpus.

    >>> is_suite("snli:dev"), is_suite("")
    (False, False)
    """
    return bool(name) and user_path(name).is_dir()


def load_dev_sets(
    names: Sequence[str],
    reading: Reading = Reading(),
    *,
    limit: int | None = None,
    seed: int = 0,
) -> DevSets:
    """Return the development sets called *names*: corpora, and suites by their folders.

    Of a suite, its bases count: the corpora as they are, without the one from which the cross-dataset
    benchmark measures a drop.  At most
    *limit* examples of each are drawn with *seed* (:meth:`DevSets.drawn`).  Raises CrossexamError if a suite
    has no bases, if a corpus is given twice, or if the limit is below 1.
    """
    corpora: list[Corpus] = []
    notes: list[str] = []
    for name in names:
        if is_suite(name):
            found, said = _of_suite(user_path(name))
            corpora += found
            notes += said
        else:
            corpora.append(load_corpus(name, reading))
    _refuse_repeats(corpora)
    return DevSets(" and ".join(names), tuple(corpora), tuple(notes)).drawn(limit, seed)


def _of_suite(folder: Path) -> tuple[list[Corpus], list[str]]:
    """Return the corpora of the suite in *folder*, and notes on the rest of it."""
    datasets = list(read_suite(folder))
    bases = [dataset for dataset in datasets if dataset.entry.is_base]
    counted = [dataset for dataset in bases if not dataset.entry.about(CROSS_DATASET).get("reference")]
    if not counted:
        example = datasets[0].entry.file if datasets else None
        raise CrossexamError(
            "the suite has no unchanged corpus, only test sets made from corpora",
            where=f"--dev {folder}",
            wanted="a suite with bases, such as that of crossexam build cross-dataset --split validation",
            hint=f"--dev {folder / example} uses one test set" if example else None,
        )
    return [_corpus(folder, dataset) for dataset in counted], _notes(folder, datasets, bases, counted)


def _corpus(folder: Path, dataset: Dataset) -> Corpus:
    path = str(folder / str(dataset.entry.file))
    labelled = tuple(example for example in dataset if example.label is not None)
    if not labelled:
        raise CrossexamError(
            f"none of the {len(dataset)} examples is labelled", where=path, wanted="pairs with gold labels"
        )
    return Corpus(path, labelled, projection=dataset.projection)


def _notes(
    folder: Path, datasets: Sequence[Dataset], bases: Sequence[Dataset], counted: Sequence[Dataset]
) -> list[str]:
    notes = [
        f"{folder}: {dataset.name} is left out, because it is not part of the mean of the benchmark"
        for dataset in bases
        if dataset not in counted
    ]
    if made := len(datasets) - len(bases):
        notes.append(f"{folder}: {counted_items(made, 'test set')} made from its corpora left out")
    if any(dataset.entry.about(CROSS_DATASET).get("part") == "test" for dataset in counted):
        notes.append(
            f"warning: {folder} holds test sets of the benchmark; a model that is selected on them cannot "
            "be evaluated on them. crossexam build cross-dataset --split validation builds the validation "
            "sets"
        )
    return notes


def _refuse_repeats(corpora: Sequence[Corpus]) -> None:
    """Raise CrossexamError if two corpora have the same examples, which would then count twice."""
    known: dict[str, str] = {}
    for corpus in corpora:
        content = content_hash(corpus.examples)
        if content in known:
            same = known[content] == corpus.spec
            what = f"and {corpus.spec} hold the same examples"
            raise CrossexamError(
                f"{known[content]} {'is given twice' if same else what}",
                where="--dev",
                wanted="each corpus once, since all have the same weight in the mean",
            )
        known[content] = corpus.spec
