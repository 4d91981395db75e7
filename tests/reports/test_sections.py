"""The sections of a report in every format that they name, their golden tables, and a warning above them."""

import re
from collections.abc import Callable
from html import escape

from crossexam.core.output.escapes import escape_latex, escape_markdown
from crossexam.reports.report import RENDERERS
from crossexam.reports.results import results_of
from crossexam.reports.sections import warnings
from crossexam.reports.table import cell_text
from made.cases import for_each
from made.reports import BY_KEY, RUNS, WITH_SECTIONS, case_of, rendered, results, shown
from made.runs import dataset, run_of
from made.shown import SECTIONS, headers


def test_the_table_is_sound() -> None:
    keys = [section.key for section in SECTIONS]
    assert len(set(keys)) == len(keys)
    assert set(RUNS) == set(keys)  # a new section needs a run here
    assert set(RENDERERS) == {*WITH_SECTIONS, ".yaml", ".vl.json", ".svg"}
    for section in SECTIONS:
        assert section.formats
        assert not section.within or section.within in keys


def test_a_section_is_in_each_of_its_formats() -> None:
    """Its tables are there once, and on the page its title too."""

    def check(key: str, form: str) -> None:
        section = BY_KEY[key]
        case = case_of(section)
        text, tables = rendered(case, form), section.tables_of(results(case))
        assert tables or section.charts or section.template
        for table in tables:
            if form == "html":
                assert f'aria-label="{escape(table.title)}"' in text
            elif form == "terminal":
                assert table.title in text
            else:
                md, tex = f"## {escape_markdown(table.title)}\n", rf"\caption{{{escape_latex(table.title)}"
                assert text.count({"md": md, "tex": tex}[form]) == 1
        if form == "html":
            headings = re.findall(r"<(?:h2|h3|caption|summary)>(?:<h2>)?(.*?)</", text)
            if section.within:
                lines = {table.folded or table.title for table in tables}
                assert all(headings.count(escape(line)) == 1 for line in lines)
            else:
                assert headings.count(escape(shown(case)[key])) == 1
                assert text.count(f'<section id="{key}">') == 1
                assert text.count(f'<a href="#{key}">{section.name}</a>') == 1

    for_each(check, [(section.key, form) for section in SECTIONS for form in section.formats])


def test_the_tables_of_all_sections(golden: Callable[[str, str], None]) -> None:
    """The first rows of each table, and what the notes below it say; signatures have hashes and versions."""
    lines, seen = [], []
    for section in (each for each in SECTIONS if each.key != "signatures"):
        for table in (each.in_words for each in section.tables_of(results(case_of(section)))):
            if table in seen:
                continue
            seen.append(table)
            lines += [f"## {section.key}: {table.title}\n", " | ".join(headers(table))]
            for row in table.rows[:5]:
                cells = zip(row, table.columns, strict=True)
                lines.append(" | ".join(cell_text(cell, each.kind, each.alpha) for cell, each in cells))
            lines += ["", *table.notes, ""]
    golden("sections.txt", "\n".join(lines))


def test_a_base_without_gold_labels_is_stated_if_other_items_have_them() -> None:
    """The figures of the report are then about something else than the base."""
    plain, other = dataset("base.x", "-" * 40), dataset("numerical_reasoning.y", "ENC" * 20)
    said = "None of the 40 items of the base has a gold label: there is no accuracy on it, and no drop."
    both = run_of({"base.x": "E" * 40, "numerical_reasoning.y": "E" * 60}, plain, other)
    assert said in warnings(results_of([both]))
    assert said not in warnings(results_of([run_of({"base.x": "E" * 40}, plain)]))
