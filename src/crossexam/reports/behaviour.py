"""The tables of the behaviour analysis: accuracy by set and factor, the tests, and their counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from crossexam.reports.published_systems import difference_from, of_snli, other_rules_note
from crossexam.reports.results import ModelResults, Results
from crossexam.reports.table import Cell, Column, Marked, Table

if TYPE_CHECKING:
    from crossexam.evaluation.behaviour import FactorResult

_STUDY: Final = "sanchez2018"
#: The published table of each column.
_PUBLISHED: Final = ("accuracy", "insensitivity", "unseen", "polarity")
_FACTORS: Final = ("insensitivity", "unseen pairs", "polarity")
_NOTE: Final = (
    "Gold changed: items whose gold label differs from that of their control. Pair unseen: the ordered word "
    "pair does not occur in training. Against polarity: the gold label is not the label with which the pair "
    "occurs most often in training (including unseen and tied pairs)."
)
_TESTS: Final = (
    "G: log-likelihood ratio, with Yates' correction at one degree of freedom. p: Fisher's exact test if an "
    "expected count is below 5; Holm and Bonferroni correct over all tests of the model. V: Cramer's V, "
    "bias-corrected. These tests assume independent items. Detectable: the smallest effect size (Cohen's w, "
    "which is V if one side of the table has two categories) detectable with this many items at a power of "
    "80 %; a smaller effect can exist although its test is not significant."
)


def behaviour_table(results: Results) -> Table:
    """Return accuracy on each set of the study and on the subsets of the three factors; may have no rows."""
    sets = _sets(results)
    subsets = [_subsets(model) for model in results.models]
    rows: list[tuple[Cell, ...]] = []
    differences: dict[str, str] = {}
    for position, (name, construction, part) in enumerate(sets):
        for model, of_model in zip(results.models, subsets, strict=True):
            if (result := model.result(name)) is not None:
                factors = (of_model.get((name, factor)) for factor in _FACTORS)
                rows.append((results.short_names[name], model.name, result.n, result.accuracy, *factors))
        last = position + 1 == len(sets) or sets[position + 1][1:] != (construction, part)
        if results.published_rows and last and of_snli(part):
            short, difference = results.short_names[name], difference_from(_STUDY, results.test_sets[name])
            rows += [(short, *row) for row in _published(construction, Marked if difference else float)]
            differences[short] = difference
    columns = (
        Column("Test set"),
        Column("Model"),
        Column("Items", "count"),
        Column("All", "percent"),
        Column("Gold changed", "percent"),
        Column("Pair unseen", "percent"),
        Column("Against polarity", "percent"),
    )
    notes = [_NOTE]
    if any(row[2] is None for row in rows):  # published systems
        notes += [*other_rules_note(differences), _source()]
    return Table("Behaviour under word swaps", columns, tuple(rows), tuple(notes), grouped=1)


def factor_table(results: Results) -> Table:
    """Return the tests of the three factors on each set and model; may have no rows."""
    rows: list[tuple[Cell, ...]] = []
    for model in results.models:
        for each in model.factors:
            statistic = f"{each.test.statistic:.2f} ({each.test.freedom})" if each.test.freedom else None
            odds = (
                f"{each.odds_ratio.value:.2f} [{each.odds_ratio.low:.2f}, {each.odds_ratio.high:.2f}]"
                if each.odds_ratio and each.test.freedom
                else None
            )
            rows.append(
                (
                    results.short_names[each.test_set],
                    each.factor,
                    model.name,
                    each.test.n,
                    statistic,
                    each.p_value,
                    each.p_holm,
                    each.p_bonferroni,
                    _effect(each),
                    odds,
                    _detectable(each),
                )
            )
    columns = (
        Column("Test set"),
        Column("Factor"),
        Column("Model"),
        Column("Items", "count"),
        Column("G (df)"),
        Column("p", "p"),
        Column("Holm", "p"),
        Column("Bonferroni", "p"),
        Column("V"),
        Column("Odds ratio"),
        Column("Detectable"),
    )
    return Table("Tests of the three factors", columns, tuple(rows), (_TESTS,))


def crossed_tables(results: Results) -> list[Table]:
    """Return the counts behind every test, one table each, as in the paper's Tables 2 to 4."""
    tables = []
    for model in results.models:
        for each in model.factors:
            columns = (
                Column(each.factor.capitalize()),
                *(Column(name, "count") for name in each.crossed.columns),
            )
            counted = zip(each.crossed.rows, each.crossed.counts.tolist(), strict=True)
            rows = tuple((name, *counts) for name, counts in counted)
            title = f"{results.short_names[each.test_set]}, {each.factor}: {model.name}"
            tables.append(Table(title, columns, rows, folded="Contingency tables"))
    return tables


def _sets(results: Results) -> list[tuple[str, str, str]]:
    """Return the sets of the study among the test sets, each with its construction and part."""
    from crossexam.constructions.word_pair_swaps import SWAPS

    entries = ((name, dataset.entry) for name, dataset in results.test_sets.items())
    return [(name, entry.construction, entry.part) for name, entry in entries if entry.construction in SWAPS]


def _subsets(model: ModelResults) -> Mapping[tuple[str, str], Cell]:
    """Return the accuracy on the subset of each test set and factor; a subset without items is left out."""
    return {(each.test_set, each.factor): each.subset for each in model.factors if each.subset.n}


def _effect(each: FactorResult) -> str | None:
    v = each.cramers_v
    if not each.test.freedom:
        return None
    return f"{v.value:.2f} [{v.low:.2f}, {v.high:.2f}]"


def _detectable(each: FactorResult) -> str | None:
    if not each.test.freedom:
        return None
    return "none" if each.detectable != each.detectable else f"{each.detectable:.2f}"


def _published(kind: str, share: type[float]) -> list[tuple[Cell, ...]]:
    """Return name, no number of items, and the published accuracies of each system on the set *kind*."""
    from crossexam.published.figures import published

    tables = [published(_STUDY).table(key) for key in _PUBLISHED]
    found: list[tuple[Cell, ...]] = []
    for system in tables[0].rows:
        figures = [table.value(system, kind) if system in table.rows else None for table in tables]
        if any(figure is not None for figure in figures):
            cells = (None if figure is None else share(figure) for figure in figures)
            found.append((f"{system} (published)", None, *cells))
    return found


def _source() -> str:
    from crossexam.published.figures import published

    study = published(_STUDY)
    return f"Published: Table 1 of {study.citation} {study.source}; the authors' items, labelled by hand."
