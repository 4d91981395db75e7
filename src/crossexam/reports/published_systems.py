"""The figures of published systems: which study, table and column belong to which test set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from crossexam.core.dataset import Dataset
from crossexam.core.labels import THREE_LABELS
from crossexam.reports.table import MARK, Marked


@dataclass(frozen=True)
class PublishedColumns:
    """The columns of a study: the heading of the *group*, and its *tables* in order of precedence.

    The figures belong to the corpora of the study, *own* in the words of its tables, and to AQuA-RAT.
    """

    study: str
    group: str
    tables: tuple[str, ...]
    own: tuple[str, ...]
    note: str

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems, in the order of the paper.

        >>> STUDIES[0].systems
        ('NB', 'CH', 'RC', 'IS', 'BiLSTM', 'CBOW', 'ALIGN')
        """
        from crossexam.published.figures import published

        study = published(self.study)
        return tuple(dict.fromkeys(row for key in self.tables for row in study.table(key).rows))

    def figures(self, dataset: Dataset) -> dict[str, float]:
        """Return the published accuracy of each system on the counterpart of *dataset*, as shares.

        Empty if the paper has no such test set over the same corpus, the whole of it, and its three labels;
        marked if the authors' items were made by other rules, or of more word problems.  A system has its
        figure in the first of the tables that has one.

        >>> STUDIES[0].figures(Dataset("negation.dev_mismatched", ()))["NB"]
        0.4
        >>> STUDIES[0].figures(Dataset("negation.snli_dev", ()))
        {}
        """
        from crossexam.published.figures import corpus_of

        part = dataset.entry.part
        own = corpus_of(dataset.entry) in self.own or part.startswith(_WORD_PROBLEMS)
        return self._of_part(dataset, part) if own and dataset.projection is THREE_LABELS else {}

    def _of_part(self, dataset: Dataset, part: str) -> dict[str, float]:
        """Return the figures for the construction of *dataset* over the base *part*; may be empty."""
        from crossexam.published.figures import published

        construction = dataset.entry.construction
        if "|clause:" in (dataset.entry.signature or ""):  # another tautology than the paper's
            return {}
        share = Marked if self.difference(dataset) else float
        found: dict[str, float] = {}
        for table in (published(self.study).table(key) for key in self.tables):
            for system in table.rows:
                figure = table.value(system, construction, part)
                if figure is not None:
                    found.setdefault(system, share(round(figure / 100, 6)))
        return found

    def difference(self, dataset: Dataset) -> str:
        """Return how the items of *dataset* differ from the authors'; empty if they were made by their rules.

        >>> STUDIES[0].difference(Dataset("spelling_error_adjacent_swap.dev_matched", ()))
        "our rules never make another English word; the authors' script may"
        """
        return difference_from(self.study, dataset)

    @property
    def source(self) -> str:
        """The note on the figures: where they are from."""
        from crossexam.published.figures import published

        study = published(self.study)
        return f"{', '.join(self.systems)}: {self.note} {study.citation} {study.source}"


#: The beginning of the names of AQuA-RAT's parts, from which Naik et al. (2018) made numerical reasoning.
_WORD_PROBLEMS: Final = "aqua"
_SPLITS: Final = frozenset({_WORD_PROBLEMS, "train", "dev", "test"})
_WITHOUT_TRAINING: Final = (
    "AQuA-RAT's training set, from which most of the authors' items are, is left out or not whole"
)

STUDIES: Final = (
    PublishedColumns(
        "naik2018", "Published, Naik et al. 2018", ("accuracy", "spelling_error", "distraction_training"),
        ("matched", "mismatched"),
        "as published in Table 3 (other forms of spelling error: Table 8; the tautology 'green is not red': "
        "Table 5, after training with the negation distraction), on the authors' own test sets over MultiNLI "
        "dev (numerical reasoning: one set over AQuA-RAT), without intervals.",
    ),
    PublishedColumns(
        "nie2019", "Published, Nie et al. 2019", ("compositionality", "accuracy"),
        ("snli", "matched", "mismatched"),
        "as published in Tables 2 and 5, on SNLI dev, MultiNLI dev and the authors' own adversaries and "
        "subsets of these, trained on all of SNLI or MultiNLI, without intervals. Human: 100 items judged by "
        "the authors on the adversaries, else one annotator's label.",
    ),
)  # fmt: skip


def difference_from(study: str, dataset: Dataset) -> str:
    """Return how the items of *dataset* differ from those of *study*; empty for a base.

    >>> difference_from("naik2018", Dataset("numerical_reasoning_released.aqua_dev_test", ()))
    "AQuA-RAT's training set, from which most of the authors' items are, is left out or not whole"
    >>> bool(difference_from("naik2018", Dataset("numerical_reasoning_released.aqua_train_100", ())))
    True
    >>> difference_from("naik2018", Dataset("numerical_reasoning_released.aqua_train_dev_test", ()))
    ''
    """
    from crossexam.published.figures import published

    entry = dataset.entry
    if entry.is_base:
        return ""
    of_rules = published(study).difference(entry.construction, entry.rules)
    splits = {*entry.part.split("_")} if entry.part.startswith(_WORD_PROBLEMS) else _SPLITS
    is_part = "train" not in splits or not splits <= _SPLITS  # a slice has a longer name
    return "; ".join(filter(None, (of_rules, _WITHOUT_TRAINING if is_part else "")))


def is_of_snli_dev(dataset: Dataset) -> bool:
    """Return whether *dataset* was made from SNLI dev, from which Nie et al. (2019) made all their items."""
    from crossexam.published.figures import corpus_of

    return corpus_of(dataset.entry) == "snli"


def other_rules_note(differences: Mapping[str, str]) -> list[str]:
    """Return the note on marked figures: how each test set, by short name, differs from the authors'.

    >>> other_rules_note({"negation": "our rules keep the full stop", "base": ""})
    ['† Published for other items. For negation, our rules keep the full stop.']
    """
    names: dict[str, list[str]] = {}
    for name, sentence in differences.items():
        if sentence:
            names.setdefault(sentence, []).append(name)
    listed = " ".join(f"For {', '.join(of)}, {sentence}." for sentence, of in names.items())
    return [f"{MARK} Published for other items. {listed}"] if listed else []


def columns_for(datasets: Sequence[Dataset]) -> tuple[PublishedColumns, ...]:
    """Return the studies that have a figure for a test set among *datasets* that is not a base.

    If all are bases there are none: a base alone is no test of these studies.

    >>> [each.study for each in columns_for([Dataset("so_swap.snli_dev", ())])]
    ['nie2019']
    >>> columns_for([Dataset("so_swap.my_corpus", ())])
    ()
    """
    made = [each for each in datasets if not each.entry.is_base]
    return tuple(study for study in STUDIES if any(study.figures(each) for each in made))


#: The study whose Table 5 has accuracies by corpus.
CORPORA_STUDY: Final = "zhang2020"


def published_on_corpus(dataset: Dataset) -> dict[str, float]:
    """Return the published accuracy of each system on a corpus of the benchmark, or on SNLI, as shares.

    Empty if *dataset* is another test set, or a validation set; marked if it has other pairs or labels than
    Table 4 says (:func:`other_pairs`).
    """
    from crossexam.evaluation.cross_dataset import about
    from crossexam.published.figures import published
    from crossexam.suites.cross_dataset_corpora import MEMBERS, REFERENCE

    place = about(dataset)
    column = REFERENCE if place.get("reference") else place.get("key")
    if place.get("part", "test") != "test" or column not in {*MEMBERS, REFERENCE}:
        return {}
    table = published(CORPORA_STUDY).table("accuracy")
    share = Marked if other_pairs(dataset) else float
    figures = {system: table.value(system, column) for system in table.rows}
    return {name: share(round(each / 100, 6)) for name, each in figures.items() if each is not None}


def other_pairs(dataset: Dataset) -> str:
    """Return how the pairs of a corpus of the benchmark differ from Table 4 in size or labels, if they do.

    That they are drawn with another seed is not a difference.
    """
    from crossexam.evaluation.cross_dataset import about
    from crossexam.suites.cross_dataset_corpora import MEMBERS

    place = about(dataset)
    if place.get("reference"):
        cut = not place.get("complete", True) or dataset.entry.rows not in (None, len(dataset))
        return "only a part of it" if cut else ""
    member = MEMBERS[place["key"]]
    found = []
    if len(dataset) != member.sizes[1]:
        found.append(f"{len(dataset):,} pairs, published {member.sizes[1]:,}")
    labels = {example.label for example in dataset}
    if not labels <= member.shares.keys():
        found.append(f"{len(labels)} labels, published {len(member.shares)}")
    return " and ".join(found)


#: Section 5 of Naik et al. (2018): accuracy on a slice of MultiNLI dev.
_SLICES: Final = ("naik2018", "slices")
#: The beginning of the names of parts that are of MultiNLI.
_MULTINLI: Final = "multinli"


def published_slices(dataset: Dataset) -> dict[str, dict[str, dict[str, float]]]:
    """Return the published accuracies on slices of *dataset*, as shares, by slicing, value and system.

    Empty if the paper has none over the same corpus.

    >>> published_slices(Dataset("base.multinli_annotated_matched", ()))
    {'annotation': {'ANTO': {'baselines': 0.67}}}
    >>> published_slices(Dataset("base.snli_dev", ()))
    {}
    """
    from crossexam.published.figures import published

    entry = dataset.entry
    if not entry.part.startswith(_MULTINLI) or dataset.projection is not THREE_LABELS:
        return {}
    study, key = _SLICES
    found: dict[str, dict[str, dict[str, float]]] = {}
    for system, figures in published(study).table(key).cells.items():
        for column, figure in figures.items():
            construction, slicing, value = column.split(".")
            if construction == entry.construction:
                found.setdefault(slicing, {}).setdefault(value, {})[system] = round(figure / 100, 6)
    return found


def slices_note() -> str:
    """Return the note on :func:`published_slices`: where the figures are from, and what they are of."""
    from crossexam.published.figures import published

    study, key = published(_SLICES[0]), published(_SLICES[0]).table(_SLICES[1])
    return f"{study.cited(key.place)}. {key.caption}."


#: Tables 4 and 7 of Naik et al. (2018): shares of the errors.
_ERRORS: Final = ("naik2018", "false_neutral", "antonymy_errors")


def published_errors(dataset: Dataset) -> list[tuple[str, None, float | None, float | None]]:
    """Return system, None, and the shares of false entailment and false neutral in its errors on *dataset*.

    Empty if the paper has no such figures over the same corpus.

    >>> published_errors(Dataset("antonymy.dev_matched", ()))[1]
    ('CH (published)', None, 0.9978, 0.0022)
    >>> published_errors(Dataset("negation.dev_matched", ()))
    []
    """
    from crossexam.published.figures import published

    study, of_all, of_antonymy = _ERRORS
    if not STUDIES[0].figures(dataset):
        return []
    entry, found = dataset.entry, []
    false_neutral, antonymy = published(study).table(of_all), published(study).table(of_antonymy)
    for system in STUDIES[0].systems:
        shares: list[float | None] = [None, None]
        if entry.construction == "antonymy" and system in antonymy.rows:
            shares = [antonymy.value(system, kind, entry.part) for kind in ("C-E", "C-N")]
        elif system in false_neutral.rows:
            shares[1] = false_neutral.value(system, entry.construction, entry.part)
        if shares != [None, None]:
            entailment, neutral = (None if each is None else round(each / 100, 6) for each in shares)
            found.append((f"{system} (published)", None, entailment, neutral))
    return found


def errors_source() -> str:
    """Return the note on :func:`published_errors`: where the figures are from."""
    from crossexam.published.figures import published

    return f"{published(_ERRORS[0]).cited('Tables 4 and 7')}; on the authors' own test sets."
