"""The analyses of a report: one table, which every format reads.

A new analysis is a file, and a line in :data:`ANALYSES`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from crossexam.core.columns import info_values
from crossexam.reports.accuracy import ACCURACY, DROP
from crossexam.reports.analyses.agreement import AGREEMENT
from crossexam.reports.analyses.behaviour import BEHAVIOUR
from crossexam.reports.analyses.challenge import CHALLENGE_SETS
from crossexam.reports.analyses.comparison import AGAINST
from crossexam.reports.analyses.consistency import CONSISTENCY
from crossexam.reports.analyses.cross_dataset import CROSS_DATASET
from crossexam.reports.analyses.errors import ERRORS
from crossexam.reports.analyses.fact_checking import FACT_CHECKING
from crossexam.reports.analyses.joint import JOINT, SEEN
from crossexam.reports.analyses.judged import JUDGED
from crossexam.reports.analyses.keys import KEYS
from crossexam.reports.analyses.lexically_misleading import MISLEADING, SELECTED
from crossexam.reports.analyses.parses import PARSES
from crossexam.reports.analyses.provenance import PROVENANCE
from crossexam.reports.analyses.ranks import RANKS
from crossexam.reports.analyses.slices import SLICES
from crossexam.reports.analyses.templates import ASKED_AGAIN, TEMPLATES
from crossexam.reports.analyses.truncation import TRUNCATION
from crossexam.reports.analyses.unanswered import UNANSWERED
from crossexam.reports.analysis import PAGE, TERMINAL, Analysis, Charts, Format, Section
from crossexam.reports.brief import brief_tables
from crossexam.reports.broken import broken_tables
from crossexam.reports.figures import Figure
from crossexam.reports.probabilities.calibration import CALIBRATION, TEMPERATURE
from crossexam.reports.probabilities.paired import PROBABILITIES
from crossexam.reports.probabilities.people import PEOPLE
from crossexam.reports.probabilities.selective import SELECTIVE
from crossexam.reports.results import Results, once
from crossexam.reports.sentences.headline import doubts, other_warnings
from crossexam.reports.table import Table

#: In the order in which documents and the page show their sections.
ANALYSES: Final[tuple[Analysis, ...]] = (
    Analysis(
        "what breaks",
        (
            Section("brief", "In brief", brief_tables, TERMINAL),
            Section("broken", "What breaks", broken_tables, PAGE, template="broken", open=True),
        ),
    ),
    ACCURACY,
    UNANSWERED,
    DROP,
    ASKED_AGAIN,
    RANKS,
    AGREEMENT,
    AGAINST,
    JOINT,
    SEEN,
    PEOPLE,
    CALIBRATION,
    TEMPERATURE,
    SELECTIVE,
    PROBABILITIES,
    ERRORS,
    JUDGED,
    KEYS,
    TEMPLATES,
    CONSISTENCY,
    TRUNCATION,
    PARSES,
    MISLEADING,
    SELECTED,
    CROSS_DATASET,
    CHALLENGE_SETS,
    FACT_CHECKING,
    BEHAVIOUR,
    Analysis("items", (Section("items", "Items", formats=PAGE, template="items"),)),
    SLICES,
    PROVENANCE,
)


_FACTS: Final = frozenset().union(*(analysis.facts for analysis in ANALYSES))
_INFO: Final = tuple(sorted(frozenset().union(*(analysis.info for analysis in ANALYSES))))


@once
def analyses_of(results: Results) -> tuple[Analysis, ...]:
    """Return the analyses that are of *results*, in order."""
    known: set[str] = set()
    for dataset in results.test_sets.values():
        known |= _FACTS & dataset.entry.facts.keys()
        found = info_values(dataset.examples, _INFO)
        known |= {key for key, values in found.items() if values.values}
    return tuple(analysis for analysis in ANALYSES if analysis.is_of(results, known))


def warnings(results: Results) -> list[str]:
    """Return what makes numbers doubtful, a sentence each."""
    of_analyses = (
        warning
        for analysis in analyses_of(results)
        if analysis.warnings is not None
        for warning in analysis.warnings(results)
    )
    return [*doubts(results), *of_analyses, *other_warnings(results)]


def sections_of(results: Results, within: str = "") -> Iterator[Section]:
    """Yield the sections *within* another that are of *results*, in order; else those of the report."""
    for analysis in analyses_of(results):
        yield from (each for each in analysis.sections if each.within == within and each.is_of(results))


def tables_in(form: Format, results: Results) -> list[Table]:
    """Return the tables that *form* shows, in order."""
    tables = (
        table
        for section in sections_of(results)
        for each in (section, *sections_of(results, section.key))
        if each.is_in(form, results)
        for table in each.tables_of(results)
    )
    return [table if form == "html" else table.in_words for table in tables]


def figures_of(results: Results) -> Iterator[Figure]:
    """Yield all figures of *results*, analysis by analysis."""
    for analysis in analyses_of(results):
        for section in analysis.sections:
            if section.is_of(results):
                yield from section.figures_of(results)


def figures_by_set(results: Results) -> dict[tuple[str, str], dict[str, Figure]]:
    """Return the figures of accuracy and drop by model and test set, and by statistic."""
    found: dict[tuple[str, str], dict[str, Figure]] = {}
    for analysis in (ACCURACY, DROP):
        for section in analysis.sections:
            for figure in section.figures_of(results):
                if not figure.of:
                    found.setdefault((figure.model, figure.test_set), {})[figure.statistic] = figure
    return found


#: The key of the section on two models, in which all that compares them is.
COMPARED: Final = "against"


def compared_tables(results: Results, *, details: bool = True) -> list[Table]:
    """Return the tables that compare exactly two models, their probabilities too, as documents have them.

    Without *details*, these are that of the accuracies, and what was asked for.
    """
    form: Format = "md" if details else "terminal"
    shown = (section for section in _compared(results) if section.key == COMPARED or form in section.formats)
    return [table.in_words for section in shown for table in section.tables_of(results)]


def compared_figures(results: Results) -> Iterator[Figure]:
    """Yield the figures that compare exactly two models."""
    for section in _compared(results):
        yield from section.figures_of(results)


def _compared(results: Results) -> Iterator[Section]:
    for section in sections_of(results):
        if section.key == COMPARED:
            yield from (section, *sections_of(results, COMPARED))


@dataclass(frozen=True)
class PageSection:
    """A section as the page shows it, with the sections *inside* it."""

    section: Section
    tables: list[Table]
    charts: Charts | None
    inside: tuple[PageSection, ...] = ()

    @property
    def title(self) -> str:
        """The heading of the section."""
        return self.section.title or (self.tables[0].title if self.tables else self.section.name)


def page_sections(results: Results, within: str = "") -> list[PageSection]:
    """Return the sections that the page shows, in order; those without anything to show are left out."""
    shown = []
    for section in sections_of(results, within):
        if not section.is_in("html", results):
            continue
        tables = section.tables_of(results)
        if tables or section.tables is None:
            charts = section.charts(results) if section.charts is not None else None
            inside = page_sections(results, section.key)
            shown.append(PageSection(section, tables, charts, tuple(inside)))
    return shown
