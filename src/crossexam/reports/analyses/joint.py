"""What two models get right and wrong together, and which of its word pairs were in training.

Beside the figures of Naik et al. (2018, section 4.3).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from crossexam.constructions.keys import counted_keys
from crossexam.core.dataset import Dataset
from crossexam.language.lexicons.antonym_kinds import ANTONYM_KINDS
from crossexam.reports.analyses.errors import ERROR_TYPES, error_kinds
from crossexam.reports.analysis import ALL, Analysis, Section
from crossexam.reports.figures import Figure
from crossexam.reports.published_systems import STUDIES, difference_from, other_rules_note
from crossexam.reports.results import Results
from crossexam.reports.table import COUNT_MARK, MARK, Cell, Column, Marked, Table

_STUDY: Final = "naik2018"
#: The numbers of the paper that are of pairs of words.
_PAIRS: Final = frozenset({"easy", "hard"})
#: Items that its authors judged, per outcome.
_JUDGED: Final = 100
_TABLE: Final = "joint_outcomes"
_COLUMNS: Final = (
    Column("Test set"),
    Column("Models"),
    Column("Items", "count"),
    Column("Both right", "count"),
    Column("Both wrong", "count"),
    Column("Keys, both right", "count"),
    Column("Keys, both wrong", "count"),
)
_NOTE: Final = (
    "Keys: distinct word pairs (or other keys) of the items that both models get right, and of those that "
    "both get wrong; a pair can be in both, and its two orders are one. "
)
_KINDS_NOTE: Final = (
    "Both E-C: entailment (gold) that both models predict as contradiction; the others likewise."
)
_KINDS_NOTE_OF_TWO: Final = (
    "Both E-N: entailment (gold) that both models predict as not_entailment; both N-E: the reverse."
)


#: Why the published numbers of pairs are marked.
_COUNTED: Final = (
    f"{COUNT_MARK} The paper does not say how it counted pairs of words. Here, a pair is two lemmas, in "
    "either order."
)

_KIND_TABLE: Final = "antonym_kinds"
_KIND_COLUMNS: Final = (
    Column("Test set"),
    Column("Right"),
    Column("Items", "count"),
    *(Column(kind.capitalize(), "percent") for kind in ANTONYM_KINDS),
)
_KIND_NOTE: Final = (
    "Kinds of the antonyms of the items that both models get right, and of those that neither gets right, in "
    "percent of these items. Unknown: pairs that our table of kinds lacks."
)

_SEEN_TABLE: Final = "seen_pairs"
_SEEN_COLUMNS: Final = (
    Column("Test set"),
    Column("Right"),
    Column("Pairs", "count"),
    Column("Seen", "percent"),
    Column("In a contradiction", "percent"),
    Column("Mean count", "mean"),
)
#: What the tables of the paper call the items of a group, and their pairs.
_ITEMS: Final = {"both": "both_right", "neither": "both_wrong"}
_PAPER: Final = {"both": "easy", "neither": "hard"}
_RIGHT: Final = {"both": "both", "neither": "neither", "only_a": "only A", "only_b": "only B"}
_SEEN_NOTE: Final = (
    "Pairs: different word pairs of the items that both models, neither, or only one gets right, in either "
    "order; a pair can be in several rows. Seen: pairs with one word in the premise and the other in the "
    "hypothesis of a training example; in a contradiction: of one with this label. Mean count: examples per "
    "pair, unseen pairs included. A word stands for its forms as a noun or adjective. Intervals: Wilson for "
    "shares, bootstrap over pairs for means. That of a mean is too narrow where a few pairs have most of the "
    "examples: it may then hold the mean of all such pairs in 60 % of cases only."
)


def _joint_figures(results: Results) -> Iterator[Figure]:
    for each in results.comparison.joint:
        counts = {"both_right": each.both_right, "both_wrong": each.both_wrong}
        counts |= {f"both_{kind}": each.same_errors.get(kind, 0) for kind in ERROR_TYPES}
        keys = {"easy_keys": each.easy, "hard_keys": each.hard}
        for statistic, value in {**counts, **keys}.items():
            if value is not None:
                yield Figure(results.pair, each.name, statistic, value, n=each.n)


def _kind_figures(results: Results) -> Iterator[Figure]:
    for each in results.comparison.joint:
        for outcome, kinds in (("right", each.kinds_right), ("wrong", each.kinds_wrong)):
            for kind, share in kinds.items():
                yield Figure(results.pair, each.name, f"both_{outcome}_kind", share, kind)


def _seen_figures(results: Results) -> Iterator[Figure]:
    """Yield the word pairs in training by who gets them right, which the figure is of."""
    training = results.options.training
    depends = "" if training is None else f"training:{training.spec}"
    for each in results.comparison.seen:
        for statistic, value in (
            ("pairs", each.pairs),
            ("pairs_left_out", each.left_out),
            ("pairs_seen", each.seen),
            ("pairs_contradiction", each.contradiction),
            ("pairs_mean", each.mean),
        ):
            yield Figure(results.pair, each.test_set, statistic, value, each.group, depends=depends)


def joint_against_table(results: Results) -> Table:
    """Return the joint outcomes of exactly two models; else it has no rows."""
    names, published_rows = results.short_names, results.options.published_rows
    rows: list[tuple[Cell, ...]] = []
    differences: dict[str, str] = {}
    kinds = error_kinds(results)
    notes = [_NOTE + (_KINDS_NOTE if "E-C" in kinds else _KINDS_NOTE_OF_TWO)]
    for each in results.comparison.joint:
        errors = (each.same_errors.get(kind, 0) for kind in kinds)
        keys = (each.easy, each.hard)
        name, dataset = names[each.name], results.test_sets[each.name]
        rows.append((name, "A and B", each.n, each.both_right, each.both_wrong, *keys, *errors))
        if published_rows and (beside := _published(dataset, kinds)):
            differences[name] = difference_from(_STUDY, dataset)
            rows += [(name, *row) for row in beside]
            notes += _too_few_pairs(name, dataset)
    if any(COUNT_MARK in cell.marks for row in rows for cell in row if isinstance(cell, Marked)):
        notes.append(_COUNTED)
    if differences:
        notes += [*other_rules_note(differences), f"{_source(_TABLE)}."]
    folded = "Show what both models get right and wrong"
    columns = (*_COLUMNS, *(Column(f"Both {kind}", "count") for kind in kinds))
    return Table("Right and wrong together", columns, tuple(rows), tuple(notes), grouped=1, folded=folded)


def _published(dataset: Dataset, kinds: Sequence[str]) -> list[tuple[Cell, ...]]:
    """Return the published joint outcomes on the counterpart of *dataset*, with errors of these *kinds*."""
    columns = ("items", "both_right", "both_wrong", "easy", "hard", *kinds)
    return [
        (
            f"{systems} (published)",
            *(
                _beside(each, dataset, pairs=name in _PAIRS)
                for name, each in zip(columns, figures, strict=True)
            ),
        )
        for systems, figures in _figures(_TABLE, dataset, columns)
    ]


def _figures(
    table: str, dataset: Dataset, columns: Sequence[str]
) -> Iterator[tuple[str, list[float | None]]]:
    """Yield the systems with figures in *columns* of a published *table* for the counterpart of *dataset*."""
    from crossexam.published.figures import published

    (study,) = (each for each in STUDIES if each.study == _STUDY)
    if not study.figures(dataset):
        return
    stated, entry = published(_STUDY).table(table), dataset.entry
    for systems in stated.rows:
        figures = [stated.value(systems, f"{entry.construction}.{each}", entry.part) for each in columns]
        if any(figure is not None for figure in figures):
            yield systems, figures


def _beside(figure: float | None, dataset: Dataset, *, pairs: bool) -> float | None:
    """Return a published *figure* with the marks that it needs beside those of *dataset*.

    *pairs*: whether it is about pairs of words.
    """
    marks = (MARK if difference_from(_STUDY, dataset) else "") + (COUNT_MARK if pairs else "")
    return figure if figure is None or not marks else Marked(figure, marks)


def _too_few_pairs(name: str, dataset: Dataset) -> list[str]:
    """Return in a list the note that *dataset*, made by the authors' script, has too few pairs."""
    from crossexam.published.figures import published

    table, entry = published(_STUDY).table(_TABLE), dataset.entry
    stated = [table.value(row, f"{entry.construction}.hard", entry.part) for row in table.rows]
    most = max((figure for figure in stated if figure is not None), default=0)
    keys = counted_keys(dataset.examples, entry.construction)
    if keys is None or entry.rules != "released":
        return []
    edits = (example.change.edits[0] for example in dataset if example.change and example.change.edits)
    written = len({(edit.old, edit.new) for edit in edits})
    if max(written, len(set(keys))) >= most:
        return []
    return [
        f"The {len(dataset):,} items of {name} have {len(set(keys)):,} different pairs ({written:,} if order "
        f"and inflection tell pairs apart), so the published {most:,.0f} cannot be of items that the "
        "authors' script makes."
    ]


def _source(table: str) -> str:
    from crossexam.published.figures import published

    study = published(_STUDY)
    return f"{study.cited(study.table(table).place)}; on their own items"


def kinds_against_table(results: Results) -> Table:
    """Return the kinds of antonyms that exactly two models get right and wrong; may have no rows."""
    published_rows = results.options.published_rows
    rows: list[tuple[Cell, ...]] = []
    differences: dict[str, str] = {}
    for each in results.comparison.joint:
        name, dataset = results.short_names[each.name], results.test_sets[each.name]
        for group, kinds in (("both", each.kinds_right), ("neither", each.kinds_wrong)):
            if not kinds:
                continue
            rows.append((name, _RIGHT[group], kinds[ANTONYM_KINDS[0]].n, *kinds.values()))
            beside = _published_kinds(group, dataset) if published_rows else []
            if beside:
                differences[name] = difference_from(_STUDY, dataset)
            rows += [(name, *row) for row in beside]
    notes = [_KIND_NOTE]
    if differences:
        source = f"{_source(_KIND_TABLE)}, of which {_JUDGED} of each outcome were judged by hand."
        notes += [*other_rules_note(differences), source]
    folded = "Show the kinds of antonyms"
    return Table("Kinds of antonyms", _KIND_COLUMNS, tuple(rows), tuple(notes), grouped=1, folded=folded)


def _published_kinds(group: str, dataset: Dataset) -> list[tuple[Cell, ...]]:
    """Return the published kinds of the items of *group* on the counterpart of *dataset*; may be empty."""
    columns = [f"{_ITEMS[group]}.{kind}" for kind in ANTONYM_KINDS]
    return [
        (
            f"{_RIGHT[group]} ({systems}, published)",
            _JUDGED,
            *(None if each is None else _beside(each / 100, dataset, pairs=False) for each in figures),
        )
        for systems, figures in _figures(_KIND_TABLE, dataset, columns)
    ]


def seen_against_table(results: Results) -> Table:
    """Return the word pairs of exactly two models in the training data of *results*; may have no rows."""
    training, published_rows = results.options.training, results.options.published_rows
    if training is None:
        return Table("Word pairs in training", (), ())
    rows: list[tuple[Cell, ...]] = []
    differences: dict[str, str] = {}
    for each in results.comparison.seen:
        name, dataset = results.short_names[each.test_set], results.test_sets[each.test_set]
        rows.append((name, _RIGHT[each.group], each.pairs, each.seen, each.contradiction, each.mean))
        beside = _published_seen(each.group, dataset) if published_rows else []
        if beside:
            differences[name] = difference_from(_STUDY, dataset)
        rows += [(name, *row) for row in beside]
    notes = [f"Training: {training.spec}, {training.index.manifest['examples']:,} examples. {_SEEN_NOTE}"]
    if left_out := max((each.left_out for each in results.comparison.seen), default=0):
        notes.append(f"Left out: pairs with a word that the index splits, at most {left_out} per row.")
    if differences:
        weaker = (
            "the pairs that only their weaker system gets right are 'nearly twice' as frequent in training"
        )
        notes += [_COUNTED, *other_rules_note(differences), f"{_source(_SEEN_TABLE)}; {weaker}."]
    return Table("Word pairs in training", _SEEN_COLUMNS, tuple(rows), tuple(notes), grouped=1)


def _published_seen(group: str, dataset: Dataset) -> list[tuple[Cell, ...]]:
    """Return the published share of the pairs of *group* on the counterpart of *dataset*; may be empty."""
    if group not in _PAPER:
        return []
    columns = [_PAPER[group]]
    pairs = dict(_figures(_TABLE, dataset, columns))
    return [
        (
            f"{_RIGHT[group]} ({systems}, published)",
            _beside(pairs[systems][0] if systems in pairs else None, dataset, pairs=True),
            None,
            _beside(round(share / 100, 6), dataset, pairs=True),
            None,
        )
        for systems, (share,) in _figures(_SEEN_TABLE, dataset, columns)
        if share is not None
    ]


JOINT: Final = Analysis(
    "both models",
    (
        Section("joint", "Together", joint_against_table, within="against", models=2, figures=_joint_figures),
        Section(
            "kinds",
            "Kinds of antonyms",
            kinds_against_table,
            within="against",
            models=2,
            figures=_kind_figures,
        ),
    ),
)
SEEN: Final = Analysis(
    "word pairs in training",
    (
        Section(
            "seen", "In training", seen_against_table, ALL, within="against", models=2, figures=_seen_figures
        ),
    ),
    lambda results: results.options.training is not None,
)
