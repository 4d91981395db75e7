"""The sections of a report: one table, which every format reads.

A new section is a function from the results to its tables, and a line in :data:`SECTIONS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from crossexam.reports.accuracy import (
    accuracy_table,
    drop_table,
    error_table,
    judged_table,
    prediction_table,
    written_accuracy_table,
)
from crossexam.reports.analyses.agreement import (
    agreement_tables,
    alone_tables,
    first_agreement_tables,
)
from crossexam.reports.analyses.behaviour import behaviour_table, crossed_tables, factor_table
from crossexam.reports.analyses.challenge import challenge_tables, more_challenge_tables
from crossexam.reports.analyses.consistency import (
    consistency_against_table,
    consistency_table,
    violations_by_label_table,
)
from crossexam.reports.analyses.cross_dataset import corpus_table, gain_table, score_table
from crossexam.reports.analyses.fact_checking import checked_against_table, fact_checking_table
from crossexam.reports.analyses.joint import joint_against_table, kinds_against_table, seen_against_table
from crossexam.reports.analyses.keys import keyed_against_table, keys_table
from crossexam.reports.analyses.lexically_misleading import highest_table, misleading_charts, misleading_table
from crossexam.reports.analyses.parses import parse_table
from crossexam.reports.analyses.provenance import run_table, signature_table, yields_table
from crossexam.reports.analyses.ranks import (
    difference_tables,
    first_difference_table,
    rank_tables,
)
from crossexam.reports.analyses.slices import published_slice_tables, slice_tables
from crossexam.reports.analyses.templates import noise_table, template_table
from crossexam.reports.analyses.truncation import truncation_table
from crossexam.reports.brief import brief_tables
from crossexam.reports.broken import broken_table
from crossexam.reports.charts import Charts, confusion_charts
from crossexam.reports.comparison import against_table, only_one_table
from crossexam.reports.probabilities.charts import reliability_charts, risk_charts
from crossexam.reports.probabilities.comparison import paired_against_tables
from crossexam.reports.probabilities.tables import (
    calibration_table,
    people_table,
    selective_table,
    temperature_table,
)
from crossexam.reports.results import SEVERAL, Results
from crossexam.reports.table import Table
from crossexam.reports.unanswered import unanswered_against_table, unanswered_table

#: A page, a Markdown and a LaTeX document, and what a terminal shows in brief.
Format = Literal["html", "md", "tex", "terminal"]

_PAGE: Final = ("html",)
_WRITTEN: Final = ("html", "md", "tex")
_WRITTEN_ONLY: Final = ("md", "tex")
_TERMINAL: Final = ("terminal",)
_ALL: Final = (*_WRITTEN, *_TERMINAL)


def _none(results: Results) -> list[Table]:
    return []


@dataclass(frozen=True)
class Section:
    """A section of a report: its *tables* and, on the page, its *charts*.

    Tables without rows are left out, and a section without anything to show is hidden.

    *key* is its anchor on the page, *name* its link in the navigation, *title* its heading: that of its first
    table if empty.  *within*: the key of the section of the page that shows it, without a link of its own.
    *captions*: the page shows the title of each table above it.  *template*: a file in ``page/`` that shows
    the items above the tables; *open*: the page shows the section from the start, and its template
    draws the tables, too.  *on_request*: only
    a report that is asked for calibration has it.  *models*: only a report of so many models has it, 3 being
    three or more.
    """

    key: str
    name: str
    tables: Callable[[Results], Table | list[Table]] = _none
    formats: Sequence[Format] = _WRITTEN
    title: str = ""
    charts: Callable[[Results], Charts] | None = None
    within: str = ""
    captions: bool = False
    template: str = ""
    on_request: bool = False
    open: bool = False
    models: int | None = None

    def is_in(self, form: Format, results: Results) -> bool:
        """Return whether a report in this format, on so many models, may have the section."""
        of_so_many = self.models in {None, min(len(results.models), SEVERAL)}
        return form in self.formats and of_so_many and (results.options.calibration or not self.on_request)

    def tables_of(self, results: Results) -> list[Table]:
        """Return the tables of the section that have rows."""
        tables = self.tables(results)
        return [table for table in ([tables] if isinstance(tables, Table) else tables) if table.rows]


# fmt: off
SECTIONS: Final[tuple[Section, ...]] = (
    Section("brief",      "In brief",               brief_tables,     _TERMINAL),
    Section("broken",     "What breaks",            broken_table,     _PAGE, template="broken", open=True),
    Section("accuracy",   "Accuracy",               accuracy_table,   _PAGE),
    Section("accuracies", "Accuracy",               written_accuracy_table, _WRITTEN_ONLY),
    Section("unanswered", "Unanswered",             unanswered_table, _ALL),
    Section("drop",       "Drop",                   drop_table),
    Section("noise",      "Asked again",            noise_table),
    Section("ranks",      "Ranks",                  rank_tables,      title="Ranks of models",
            captions=True, models=SEVERAL),
    Section("pairs",      "Differences",            difference_tables, _PAGE, within="ranks", captions=True,
            models=SEVERAL),
    Section("first_pairs", "Differences",           first_difference_table, _WRITTEN_ONLY, models=SEVERAL),
    Section("agreement",  "Agreement",              agreement_tables, _PAGE, title="Agreement of models",
            captions=True, models=SEVERAL),
    Section("agreements", "Agreement",              first_agreement_tables, _WRITTEN_ONLY, models=SEVERAL),
    Section("alone",      "Only one right",         alone_tables,     title="Only one model right",
            models=SEVERAL),
    Section("against",    "A against B",            against_table,    models=2),
    Section("lacking",    "Unanswered by A or B",   unanswered_against_table, within="against", models=2),
    Section("joint",      "Together",               joint_against_table, within="against", models=2),
    Section("kinds",      "Kinds of antonyms",      kinds_against_table, within="against", models=2),
    Section("seen",       "In training",            seen_against_table, _ALL, within="against", models=2),
    Section("by_key",     "Over keys",              keyed_against_table, within="against", models=2),
    Section("checked",    "Balanced accuracy",      checked_against_table, within="against", models=2),
    Section("violations", "In violations",          consistency_against_table, within="against", models=2),
    Section("paired",     "Probabilities",          paired_against_tables, within="against", models=2,
            captions=True, on_request=True),
    Section("only_one",   "Only one right",         only_one_table,   _PAGE, within="against", models=2),
    Section("people",     "People",                 people_table),
    Section("calibration", "Calibration",           calibration_table, _ALL, charts=reliability_charts,
            on_request=True),
    Section("temperature", "At a temperature",      temperature_table, _ALL, within="calibration",
            on_request=True),
    Section("selective",  "Selective prediction",   selective_table,  _ALL, charts=risk_charts,
            on_request=True),
    Section("errors",     "Errors",                 error_table,      charts=confusion_charts),
    Section("predicted",  "Predictions",            prediction_table, within="accuracy"),
    Section("judged",     "Judges",                 judged_table),
    Section("keys",       "Keys",                   keys_table),
    Section("templates",  "Templates",              template_table),
    Section("consistency", "Consistency",           consistency_table),
    Section("by_label",   "By label",               violations_by_label_table, within="consistency"),
    Section("truncation", "Truncation",             truncation_table),
    Section("parses",     "Parses",                 parse_table),
    Section("misleading", "Lexically misleading",   misleading_table, charts=misleading_charts),
    Section("highest",    "Highest score",          highest_table,    ("html", "md"), within="misleading"),
    Section("benchmark",  "Cross-dataset",          score_table,      _ALL),
    Section("gain",       "Relative improvement",   gain_table,       _ALL, within="benchmark",
            captions=True),
    Section("corpora",    "Corpora",                corpus_table,     within="benchmark"),
    Section("challenge",  "Challenge sets",         challenge_tables, title="Challenge sets",
            captions=True),
    Section("challenge_more", "More slices",        more_challenge_tables, _PAGE, within="challenge",
            captions=True),
    Section("checking",   "Fact checking",          fact_checking_table, _ALL),
    Section("behaviour",  "Word swaps",             behaviour_table),
    Section("factors",    "Factors",                factor_table,     within="behaviour"),
    Section("counts",     "Counts",                 crossed_tables, within="behaviour",
            captions=True),
    Section("items",      "Items",                  formats=_PAGE, template="items"),
    Section("slices",     "Slices",                 slice_tables,     _PAGE, title="Slices", captions=True),
    Section("published_slices", "Slices",           published_slice_tables, _WRITTEN_ONLY),
    Section("yield",      "Yield",                  yields_table),
    Section("signatures", "Signatures",             signature_table,  title="Signatures", captions=True),
    Section("runs",       "Runs",                   run_table,        within="signatures", captions=True),
)
# fmt: on


def tables_in(form: Format, results: Results) -> list[Table]:
    """Return the tables that *form* shows, in order."""
    shown = (section for section in SECTIONS if section.is_in(form, results))
    tables = (table for section in shown for table in section.tables_of(results))
    return [table if form == "html" else table.in_words for table in tables]


def compared_tables(results: Results, *, details: bool = True) -> list[Table]:
    """Return the tables that compare exactly two models, their probabilities too, as documents have them.

    Without *details*, these are that of the accuracies, and what was asked for.
    """
    form: Format = "md" if details else "terminal"
    shown = (
        section
        for section in SECTIONS
        if section.key == "against" or (section.within == "against" and form in section.formats)
    )
    return [table.in_words for section in shown for table in section.tables_of(results)]


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


def page_sections(results: Results) -> list[PageSection]:
    """Return the sections that the page shows, in order; those without anything to show are left out."""
    return _shown_within("", results)


def _shown_within(parent: str, results: Results) -> list[PageSection]:
    shown = []
    for section in SECTIONS:
        if section.within != parent or not section.is_in("html", results):
            continue
        tables = section.tables_of(results)
        if tables or (section.tables is _none):
            charts = section.charts(results) if section.charts is not None else None
            inside = _shown_within(section.key, results)
            shown.append(PageSection(section, tables, charts, tuple(inside)))
    return shown
