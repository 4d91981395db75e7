"""The tables of the behaviour analysis: accuracy by set and factor, the tests, and their counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from crossexam.constructions.table import SWAPS
from crossexam.core.estimate import Estimate
from crossexam.published.figures import is_of_snli_train
from crossexam.reports.analysis import Analysis, Section
from crossexam.reports.figures import Figure
from crossexam.reports.published_systems import difference_from, other_rules_note
from crossexam.reports.results import ModelResults, Results, once
from crossexam.reports.table import Cell, Column, Marked, Table, significance_note

if TYPE_CHECKING:
    from crossexam.evaluation.behaviour import FactorResult

_STUDY: Final = "sanchez2018"
#: The published table of each column.
_PUBLISHED: Final = ("accuracy", "changed", "insensitivity", "unseen", "polarity")
_FACTORS: Final = ("insensitivity", "unseen pairs", "polarity")
#: The published test statistics of each factor.
_STATISTICS: Final[Mapping[str, str]] = {
    "insensitivity": "insensitivity_test",
    "unseen pairs": "unseen_test",
    "polarity": "polarity_test",
}
#: The published counts of each factor, with the system and the test set that they belong to.
_COUNTS: Final[Mapping[str, tuple[str, str, str]]] = {
    "insensitivity": ("insensitivity_counts", "ESIM", "i_ta2"),
    "unseen pairs": ("unseen_counts", "DAM", "i_ta1"),
    "polarity": ("polarity_counts", "DAM", "i_ta1"),
}
#: What the rows of the counts of each factor are, and which items are counted.
_ROWS: Final[Mapping[str, tuple[str, str]]] = {
    "insensitivity": ("Prediction", "Items whose gold label differs from that of their control."),
    "unseen pairs": ("Prediction", "Seen: the word pair, in this order, occurs in training."),
    "polarity": ("Polarity", "Polarity: the label with which the word pair occurs most often in training."),
}
_NOTE: Final = (
    "Changed: items whose gold label differs from that of their control, in percent; gold changed: accuracy "
    "on them. Pair unseen: the ordered word pair does not occur in training. Against polarity: the gold "
    "label is not that with which the pair occurs most often in training (including unseen and tied pairs)."
)
_NAMES: Final = (
    "The names: i, examples of the corpus; e, one of their sentences on both sides; a, with a pair of "
    "antonyms; h, with a hypernym and its hyponym; t, the two words exchanged (in ta2 and ta3, one antonym "
    "replaced); without t, the controls."
)
_TESTS: Final = (
    "p: of a permutation test, since the items of a word pair are alike. Whether pairs are seen, and their "
    "polarities, are permuted over the pairs, whatever the order of their words; changes of prediction, "
    "among the items of one ordered pair. All permutations (exact) or, if they are too many, a sample of "
    "them (Monte Carlo). Holm and Bonferroni correct it over all tests of the model."
)
_EFFECTS: Final = (
    "V: Cramer's V, bias-corrected. Its interval, and that of the odds ratio, count word pairs as clusters. "
    "Smallest detectable effect: the effect size (Cohen's w, which is V if one side of the table has two "
    "categories) found in 80 % of cases at this level divided by the number of tests, given how many "
    "independent items these are worth; a smaller effect can exist although its test is not significant. "
    "None of this takes into account that items can share a premise."
)
_AS_PUBLISHED: Final = (
    "G and p (items) are as in the paper: they assume independent items, so that a few frequent pairs can "
    "make p (items) small without any effect. G: log-likelihood ratio, with Yates' correction at one degree "
    "of freedom. p (items): of the chi-square distribution; of Fisher's exact test if expected counts are "
    "too small for it (in a table of two by two any below 5, in a larger one any below 1 or more than a "
    "fifth below 5)."
)


@once
def factors(model: ModelResults) -> tuple[FactorResult, ...]:
    """Return the effects of the factors of the behaviour analysis; empty without such test sets."""
    from crossexam.evaluation.behaviour import factor_results

    return tuple(factor_results(model.run, alpha=model.options.alpha, left_out=model.only_bounds))


def _factor_figures(results: Results) -> Iterator[Figure]:
    """Yield the numbers of the factors; a figure is of its factor, a count of its row and column as well."""
    for model in results.models:
        for each in factors(model):
            for statistic, value in _numbers(each, results.options.alpha):
                if value is not None:
                    yield Figure(
                        model.name, each.test_set, f"factor_{statistic}", value, each.factor, each.test.n
                    )
            for row, counts in zip(each.crossed.rows, each.crossed.counts.tolist(), strict=True):
                for column, count in zip(each.crossed.columns, counts, strict=True):
                    of = f"{each.factor}: {row}>{column}"
                    yield Figure(model.name, each.test_set, "factor_counts", count, of)


def _numbers(each: FactorResult, alpha: float) -> Iterator[tuple[str, float | Estimate | None]]:
    """Yield every number of a factor; none of tests and effect sizes if there is nothing to test."""
    test, by_pairs = each.test, each.by_pairs
    yield from (("share", each.share), ("accuracy", each.subset), ("pairs", each.pairs))
    yield "n_eff", by_pairs.n_eff
    if test.freedom:
        yield from (("g", test.statistic), ("df", test.freedom))
        yield from (("p_value", each.p_value), ("draws", by_pairs.draws))
        yield "p_value_items", test.p
        yield "p_items_draws", None if test.p_exact is None else test.draws
        yield "p_asymptotic", test.p_asymptotic
        yield from (("p_holm", each.p_holm), ("p_bonferroni", each.p_bonferroni))
        yield "significant_holm", int(each.p_holm <= alpha)
        yield "significant_bonferroni", int(each.p_bonferroni <= alpha)
        yield from (("cramers_v", each.cramers_v), ("odds_ratio", each.odds_ratio))
        yield "detectable", each.detectable
    yield from (("alpha", alpha), ("smallest_expected", test.smallest_expected))


def behaviour_table(results: Results) -> Table:
    """Return accuracy on each set of the study and on the subsets of the three factors; may have no rows."""
    sets = _sets(results)
    subsets = [_subsets(model) for model in results.models]
    rows: list[tuple[Cell, ...]] = []
    differences: dict[str, str] = {}
    for position, (name, construction, part) in enumerate(sets):
        for model, of_model in zip(results.models, subsets, strict=True):
            if (result := model.result(name)) is not None:
                found = [of_model.get((name, factor)) for factor in _FACTORS]
                changed = found[0].share if found[0] is not None else None
                factors = (each.subset if each is not None and each.subset.n else None for each in found)
                short = results.short_names[name]
                rows.append((short, model.name, result.n, result.accuracy, changed, *factors))
        last = position + 1 == len(sets) or sets[position + 1][1:] != (construction, part)
        if results.options.published_rows and last and is_of_snli_train(part):
            short, difference = results.short_names[name], difference_from(_STUDY, results.test_sets[name])
            rows += [(short, *row) for row in _published(construction, Marked if difference else float)]
            differences[short] = difference
    columns = (
        Column("Test set"),
        Column("Model"),
        Column("Items", "count"),
        Column("All", "percent"),
        Column("Changed", "percent"),
        Column("Gold changed", "percent"),
        Column("Pair unseen", "percent"),
        Column("Against polarity", "percent"),
    )
    notes = [_NAMES, _NOTE]
    if any(row[2] is None for row in rows):  # published systems
        notes += [*other_rules_note(differences), _source("Table 1")]
    return Table("Behaviour under word swaps", columns, tuple(rows), tuple(notes), grouped=1)


def factor_table(results: Results) -> Table:
    """Return the tests of the three factors on each set and model; may have no rows.

    Below them are the published test statistics.
    """
    rows: list[tuple[Cell, ...]] = []
    for name, construction, part in _sets(results):
        for factor in _FACTORS:
            found = _of_factor(results, name, factor)
            rows += [
                (
                    results.short_names[name],
                    factor,
                    model.name,
                    each.test.n,
                    each.pairs,
                    _statistic(each),
                    each.test.p if each.test.freedom else None,
                    each.p_value,
                    each.by_pairs.method if each.test.freedom else None,
                    each.p_holm,
                    each.p_bonferroni,
                    _effect(each),
                    _odds(each),
                    _detectable(each),
                )
                for model, each in found
            ]
            if found and results.options.published_rows and is_of_snli_train(part):
                rows += _published_tests(results.short_names[name], construction, factor)
    columns = (
        Column("Test set"),
        Column("Factor"),
        Column("Model"),
        Column("Items", "count"),
        Column("Pairs", "count"),
        Column("G (df)"),
        Column("p (items)", "p"),
        Column("p", "p"),
        Column("p from"),
        Column("Holm", "p", alpha=results.options.alpha),
        Column("Bonferroni", "p", alpha=results.options.alpha),
        Column("V"),
        Column("Odds ratio"),
        Column("Smallest detectable effect"),
    )
    notes = [f"{_TESTS} {significance_note(results.options.alpha)}", _EFFECTS, _AS_PUBLISHED]
    if any(row[3] is None for row in rows):
        notes.append(_source("sections 6.1 to 6.4"))
    return Table("Tests of the three factors", columns, tuple(rows), tuple(notes), grouped=2)


def crossed_tables(results: Results) -> list[Table]:
    """Return the contingency tables behind the tests, a table per factor, with those of the paper."""
    return [table for factor in _FACTORS if (table := _crossed_table(results, factor)).rows]


def _crossed_table(results: Results, factor: str) -> Table:
    """Return the counts of *factor* on each set and model, with the share of each count in its row."""
    rows: list[tuple[Cell, ...]] = []
    names: tuple[str, ...] = ()
    key, system, of_set = _COUNTS[factor]
    for name, construction, part in _sets(results):
        found = _of_factor(results, name, factor)
        for model, each in found:
            names = each.crossed.columns
            counted = zip(each.crossed.rows, each.crossed.counts.tolist(), strict=True)
            rows += [
                (results.short_names[name], model.name, row, *counts, *_shares(counts))
                for row, counts in counted
            ]
        if found and results.options.published_rows and construction == of_set and is_of_snli_train(part):
            published = _published_counts(key, names)
            rows += [(results.short_names[name], f"{system} (published)", *row) for row in published]
    heading, note = _ROWS[factor]
    columns = (
        Column("Test set"),
        Column("Model"),
        Column(heading),
        *(Column(each, "count") for each in names),
        *(Column(f"{each}, %", "percent") for each in names),
    )
    notes = [f"{note} Percent: of the items of the row."]
    if any("(published)" in str(row[1]) for row in rows):
        notes.append(_source(_place(key)))
    return Table(f"Counts: {factor}", columns, tuple(rows), tuple(notes), 2, "Contingency tables")


def _shares(counts: Sequence[int]) -> list[float | None]:
    total = sum(counts)
    return [count / total if total else None for count in counts]


def _of_factor(results: Results, test_set: str, factor: str) -> list[tuple[ModelResults, FactorResult]]:
    """Return the effect of *factor* on *test_set* for each model that has one."""
    return [
        (model, each)
        for model in results.models
        for each in factors(model)
        if (each.test_set, each.factor) == (test_set, factor)
    ]


def _sets(results: Results) -> list[tuple[str, str, str]]:
    """Return the sets of the study among the test sets, each with its construction and part."""
    entries = ((name, dataset.entry) for name, dataset in results.test_sets.items())
    return [(name, entry.construction, entry.part) for name, entry in entries if entry.construction in SWAPS]


def _subsets(model: ModelResults) -> Mapping[tuple[str, str], FactorResult]:
    """Return the effect of each factor by test set and factor."""
    return {(each.test_set, each.factor): each for each in factors(model)}


def _statistic(each: FactorResult) -> str | None:
    return f"{each.test.statistic:.2f} ({each.test.freedom})" if each.test.freedom else None


def _odds(each: FactorResult) -> str | None:
    odds = each.odds_ratio
    if odds is None or not each.test.freedom:
        return None
    return f"{odds.value:.2f} [{odds.low:.2f}, {odds.high:.2f}]"


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


def _published_tests(short_name: str, kind: str, factor: str) -> list[tuple[Cell, ...]]:
    """Return the rows of the published test statistics of *factor* on the set *kind*; may be empty."""
    from crossexam.published.figures import published

    study = published(_STUDY)
    table, freedoms = study.table(_STATISTICS[factor]), study.table("polarity_freedom")
    rows: list[tuple[Cell, ...]] = []
    for system in table.rows:
        statistic = table.value(system, kind)
        freedom = freedoms.value(system, kind) if factor == "polarity" else 1
        if statistic is not None and freedom is not None:
            shown = f"{statistic:g} ({freedom:g})"
            nothing = (None,) * 8
            rows.append((short_name, factor, f"{system} (published)", None, None, shown, *nothing))
    return rows


def _published_counts(key: str, columns: Sequence[str]) -> list[tuple[Cell, ...]]:
    """Return the rows of a published contingency table: name, counts, and their shares in the row."""
    from crossexam.published.figures import published

    table = published(_STUDY).table(key)
    rows: list[tuple[Cell, ...]] = []
    for row in table.rows:
        counts = [int(table.value(row, column) or 0) for column in columns]
        rows.append((row, *counts, *_shares(counts)))
    return rows


def _place(key: str) -> str:
    from crossexam.published.figures import published

    return published(_STUDY).table(key).place


def _source(place: str) -> str:
    from crossexam.published.figures import published

    return f"{published(_STUDY).cited(place)}; the authors' items from SNLI's training set, labelled by hand."


BEHAVIOUR: Final = Analysis(
    "behaviour",
    (
        Section("behaviour", "Word swaps", behaviour_table),
        Section("factors", "Factors", factor_table, within="behaviour", figures=_factor_figures),
        Section("counts", "Counts", crossed_tables, within="behaviour", captions=True),
    ),
    constructions=frozenset(SWAPS),
)
