"""The tables of the cross-dataset benchmark: the mean, with published ones, and accuracy by corpus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from crossexam.core.manifest import CROSS_DATASET as CROSS_DATASET_FACT
from crossexam.reports.analysis import ALL, Analysis, Section
from crossexam.reports.figures import Figure
from crossexam.reports.published_systems import other_pairs, published_on_corpus
from crossexam.reports.results import Results, once
from crossexam.reports.table import MARK, Cell, Column, Marked, Table

if TYPE_CHECKING:
    from crossexam.evaluation.cross_dataset import BenchmarkScore, RelativeGain

_GAIN_NOTE: Final = (
    "Relative improvement: 100 times the ratio of the two accuracies, minus 100, as in Table 3 of Zhang "
    "et al. (2020). Intervals: linearization of the ratio, with the items of both models paired and "
    "clustered by premise, within and between corpora."
)
_COMPUTED: Final = (
    f"{MARK} Not printed in the paper: computed here from the rounded accuracies of Table 5 over these {{}}."
)


def _note(score: BenchmarkScore) -> str:
    return (
        "Mean: unweighted mean of the accuracies on the corpora. Difference, relative: of the mean from "
        f"{score.reference_name}, in points and in percent. Intervals: MOVER, with items clustered by "
        f"premise, within and between corpora; {score.reference_name} counts as independent of them."
    )


@once
def _gains(results: Results) -> dict[str, RelativeGain]:
    """Return the relative improvement over the base model of each other model that shares corpora with it."""
    from crossexam.evaluation.cross_dataset import relative_gain
    from crossexam.evaluation.unanswered import answered_part

    base = results.base_model
    if base is None:
        return {}
    others = (model for model in results.models if model is not base and model.benchmark is not None)
    limit = results.options.max_unanswered
    found = ((model.name, relative_gain(*answered_part(model.run, base.run, limit))) for model in others)
    return {name: gain for name, gain in found if gain is not None}


#: What stands for the name of a test set in figures of the benchmark.
BENCHMARK: Final = "(corpora of the cross-dataset benchmark)"


def _score_figures(results: Results) -> Iterator[Figure]:
    for model in results.models:
        if model.benchmark is not None:
            for statistic, estimate in model.benchmark.figures.items():
                yield Figure(model.name, BENCHMARK, statistic, estimate)


def _gain_figures(results: Results) -> Iterator[Figure]:
    """Yield the relative improvement of each model over the base model, which the figure is of."""
    if results.base_model is not None:
        of = results.base_model.name
        for name, gain in _gains(results).items():
            for statistic, estimate in gain._asdict().items():
                if estimate is not None:
                    yield Figure(name, BENCHMARK, f"relative_improvement_{statistic}", estimate, of)


def gain_table(results: Results) -> Table:
    """Return the relative improvement of each model over the base model (Table 3); may have no rows.

    Published rows are beside it if the corpora and the reference are those of the paper.
    """
    base = results.base_model
    if base is None or base.benchmark is None:
        return Table("Relative improvement", (), ())
    rows: list[tuple[Cell, ...]] = []
    for model in results.models:
        gain = _gains(results).get(model.name)
        if model.benchmark is not None:
            score = model.benchmark
            rows.append(
                (model.name, score.reference, gain and gain.reference, score.mean, gain and gain.mean)
            )
    notes = [_GAIN_NOTE]
    score = base.benchmark
    if results.options.published_rows and score.part == "test" and not score.missing and score.is_published:
        rows += _published_gains()
        notes.append(_table_source("Table 3"))
    columns = (
        Column("Model"),
        Column(score.reference_name, "percent"),
        Column("Relative, %", "points"),
        Column("Mean", "percent"),
        Column("Relative, % (mean)", "points"),
    )
    return Table(f"Relative improvement over {base.name}", columns, tuple(rows), tuple(notes))


def _published_gains() -> list[tuple[Cell, ...]]:
    """Return the rows of the paper's Table 3, whose base model is BiLSTM."""
    from crossexam.published.figures import published

    table = published("zhang2020").table("debiasing")
    names = ("snli_test", "snli_test.relative", "mean", "mean.relative")
    rows: list[tuple[Cell, ...]] = []
    for system in table.rows:
        figures = [table.value(system, name) for name in names]
        shares = [None if figure is None else figure / 100 for figure in figures]
        rows.append((f"{system} (published)", *shares))
    return rows


def _differences(scores: Sequence[tuple[str, BenchmarkScore]]) -> list[str]:
    """Return a note if the models were run on different corpora, so that their means do not compare."""
    first = set(scores[0][1].accuracies)
    others = [name for name, score in scores[1:] if set(score.accuracies) != first]
    if not others:
        return []
    return [f"Not over the same corpora as {scores[0][0]}, so the means do not compare: {', '.join(others)}."]


def score_table(results: Results) -> Table:
    """Return mean, SNLI test and the difference of each model, published systems below; may have no rows."""
    from crossexam.evaluation.cross_dataset import published_scores

    scores = [(model.name, model.benchmark) for model in results.models if model.benchmark is not None]
    if not scores:
        return Table("Cross-dataset benchmark", (), ())
    first = scores[0][1]
    keys = list(first.accuracies)
    beside = results.published_of_three and first.part == "test" and first.is_published
    published = published_scores(keys) if beside else {}
    rows: list[tuple[Cell, ...]] = [
        (
            *(name, len(score.accuracies), score.mean, *([None] if published else ())),
            *(score.reference, score.difference, score.relative),
        )
        for name, score in scores
    ]
    for system, each in published.items():
        share = Marked if each.computed else float
        drop = (share(each.difference), share(each.relative))
        shown = (share(each.mean), each.reported, each.reference, *drop)
        rows.append((f"{system} (published)", len(keys), *shown))
    columns = (
        Column("Model"),
        Column("Corpora", "count"),
        Column("Mean", "percent"),
        *((Column(f"{first.reference_name}, reported", "percent"),) if published else ()),
        Column(first.reference_name, "percent"),
        Column("Difference", "points"),
        Column("Relative, %", "points"),
    )
    notes = [_note(first), *_coverage(first), *_differences(scores)]
    computed = any(each.computed for each in published.values())
    if computed:
        notes.append(_COMPUTED.format(f"{len(keys)} corpora"))
    if published:
        reported = "reported: by the paper of each model"
        notes.append(_table_source(f"Tables 2 ({reported}) and 5" if computed else f"Table 2 ({reported})"))
    return Table(first.title, columns, tuple(rows), tuple(notes))


def corpus_table(results: Results) -> Table:
    """Return accuracy by corpus and model, with protocol and labels of each corpus; may have no rows.

    The published systems have columns of their own (Table 5).
    """
    from crossexam.evaluation.cross_dataset import about

    scores = [model.benchmark for model in results.models]
    rows: list[tuple[Cell, ...]] = []
    corpora = [dataset for dataset in results.test_sets.values() if "key" in about(dataset)]
    published = [published_on_corpus(each) if results.published_of_three else {} for each in corpora]
    systems = list(dict.fromkeys(system for figures in published for system in figures))
    for dataset, figures in zip(corpora, published, strict=True):
        place = about(dataset)
        answered = [score.accuracies.get(place["key"]) if score else None for score in scores]
        size = next((each.n for each in answered if each is not None), None)
        labels = dataset.entry.projection or "three labels"
        beside = (figures.get(system) for system in systems)
        rows.append((place["protocol"], place["title"], size, labels, *answered, *beside))
    columns = (
        Column("Protocol"),
        Column("Corpus"),
        Column("Items", "count"),
        Column("Labels"),
        *(Column(model.name, "percent") for model in results.models),
        *(Column(system, "percent", "Published, Zhang et al. 2020") for system in systems),
    )
    notes = _projections(rows)
    if systems:
        differing = {
            about(dataset)["title"]: other_pairs(dataset)
            for dataset, figures in zip(corpora, published, strict=True)
            if figures
        }
        notes += [*_other_pairs_note(differing), f"{', '.join(systems)}: {_half_source()}"]
    return Table("Corpora of the benchmark", columns, tuple(rows), tuple(notes), grouped=1)


def _other_pairs_note(differing: Mapping[str, str]) -> list[str]:
    """Return the note on marked figures: how each corpus, by title, differs from that of the paper."""
    listed = "; ".join(f"{title}: {how}" for title, how in differing.items() if how)
    return [f"{MARK} Published for other pairs. {listed}."] if listed else []


def mean_note(results: Results) -> str | None:
    """Return a sentence on the difference of two models in the mean of the benchmark; None without any."""
    from crossexam.evaluation.cross_dataset import about
    from crossexam.reports.table import interval_text, number_text

    found = results.comparison.mean_of_benchmark
    if found is None:
        return None
    first, _ = results.comparison.answered
    points = f"{number_text(found, 'points')} {interval_text(found)} points".replace("-", "−")
    added = sum(bool(about(dataset).get("added")) for dataset in first.datasets.values())
    outside = f" and of {added} added" if added else ""
    return f"Mean of the corpora of the cross-dataset benchmark{outside}, A minus B: {points}."


def _coverage(score: BenchmarkScore) -> list[str]:
    found = []
    if score.missing:
        found.append(f"Missing: {', '.join(score.missing)}.")
    cut = (*score.incomplete, *((score.reference_name,) if score.reference_cut else ()))
    if cut:
        found.append(f"In part (by --limit, or not all is installed): {', '.join(cut)}.")
    return found


def _projections(rows: Sequence[tuple[Cell, ...]]) -> list[str]:
    from crossexam.core.labels import PROJECTIONS, THREE_LABELS

    used = {str(row[3]) for row in rows} - {THREE_LABELS.name}
    return [f"{p.name.capitalize()}: {p.says} ({p.source})." for p in PROJECTIONS.values() if p.name in used]


def _half_source() -> str:
    source = _table_source("Table 5", ", on the authors' own halves of the corpora")
    return source[0].lower() + source[1:]


def _table_source(place: str, over: str = "") -> str:
    from crossexam.published.figures import published

    return f"{published('zhang2020').cited(place)}{over}; trained on all of SNLI."


CROSS_DATASET: Final = Analysis(
    "cross-dataset benchmark",
    (
        Section("benchmark", "Cross-dataset", score_table, ALL, figures=_score_figures),
        Section(
            "gain",
            "Relative improvement",
            gain_table,
            ALL,
            within="benchmark",
            captions=True,
            figures=_gain_figures,
        ),
        Section("corpora", "Corpora", corpus_table, within="benchmark"),
    ),
    facts=frozenset({CROSS_DATASET_FACT}),
)
