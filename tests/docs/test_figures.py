"""The figures in the documentation are those that Crossexam gives: see scripts/docs_figures.py.

Each table or transcript with figures is written by that script, or is in a list below, with a reason.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import docs_figures
import pytest
from figures.pages import PAGES, places_of, without_figures
from figures.records import records
from figures.table import MEASUREMENTS
from figures.workplace import RecordedAnswers, minilm_of_the_package

from made.cases import for_each

TEXTS = {page: path.read_text("utf-8") for page, path in PAGES.items()}
DEFINITION = "what something means or does: a definition, a formula, a value that is chosen"
PAPER = "what a paper says, and the sizes of its data"
EXAMPLE = "a made-up example"
FORMAT = "names and formats of files, versions, labels"
#: Tables whose numbers are no figures of ours, by page and head, with the reason.
NOT_MEASURED: dict[tuple[str, str], str] = {
    ("docs/studies/stress-tests.md", "| test | premise | hypothesis | label |"): EXAMPLE,
    ("docs/command-line.md", "| exit code | meaning |"): DEFINITION,
    ("docs/data.md", "| column | content |"): FORMAT,
    ("docs/data.md", "| column of a prediction file | content |"): FORMAT,
    ("docs/gate.md", "| the gate | when | exit code |"): DEFINITION,
    ("docs/llm.md", "| `--answer` | what is asked | probabilities |"): DEFINITION,
    ("docs/llm.md", "| server | log-probabilities | constrained answers | reasoning off | |"): FORMAT,
    ("docs/models.md", "| `--like` | chunks, aggregate | source | differences |"): PAPER,
    ("docs/probabilities.md", "| number | formula | source |"): DEFINITION,
    ("docs/probabilities.md", "| number | meaning | source |"): DEFINITION,
    ("docs/probabilities.md", "| number | formula | range |"): DEFINITION,
    ("docs/figures.md", "| statistic | what |"): DEFINITION,
    ("docs/derivations.md", "| number | method | source |"): DEFINITION,
    ("docs/statistics.md", "| number | what it is |"): DEFINITION,
    ("docs/studies/challenge.md", "| test sets | labels | slices | published figures |"): PAPER,
    ("docs/studies/behaviour.md", "| | paper | here |"): PAPER,
    ("docs/studies/compositionality.md", "| | paper | here |"): PAPER,
    ("docs/studies/cross-dataset.md", "| corpus | test and validation set | labels |"): PAPER,
    ("docs/studies/cross-dataset.md", "| labels of the corpus | the three probabilities |"): DEFINITION,
    ("docs/studies/cross-dataset.md", "| | paper | here |"): PAPER,
    ("docs/studies/fact-checking.md", "| benchmark | data sets | splits |"): PAPER,
    ("docs/studies/stress-tests.md", "| test | `ours` | `paper` | `released` |"): DEFINITION,
    ("docs/templates.md", "| checkpoint | template | |"): FORMAT,
    ("docs/training.md", "| method | loss | settings | paper |"): DEFINITION,
    ("docs/tutorials/test-your-model.md", "| part | what it says |"): "a power that is defined",
}
#: Pages whose other tables and transcripts another test compares with what Crossexam gives.
TESTED_ELSEWHERE = {
    "docs/gate.md": "tests/gates/test_output.py",
    "docs/models/minilm.md": "tests/models/test_builtin.py",
    "docs/library.md": "tests/docs/test_library_page.py",
}
#: What is a number but no figure: code, addresses, years, places in papers, words of the script.
_NO_FIGURE = re.compile(
    r"`[^`]*`|\S+<!-- =\w+\.\w+ -->|\]\([^)]*\)|\b(?:1[89]|20)\d\d\b"
    r"|\b(?:sections?|Tables?|appendix|chapter)\s[\dA-Z.]+\d*"
    r"|\barXiv[: ][\d.]+|\b[A-Z]\d\d-\d{4}\b|\b[CRW]_?\d+\b|\^\d"
)


class Region(NamedTuple):
    """A table or a transcript on a page, which begins at *line* with *head*."""

    page: str
    line: int
    head: str
    text: str


def regions(page: str, text: str) -> Iterator[Region]:
    """Yield the tables and blocks of text of a page that the script does not write."""
    lines = without_figures(text).split("\n")
    at = 0
    while at < len(lines):
        start, line = at, lines[at].strip()
        at += 1
        if line.startswith("```"):
            while not lines[at].strip().startswith("```"):
                at += 1
            if line in ("```", "```text"):
                yield Region(page, start + 1, line, "\n".join(lines[start + 1 : at]))
            at += 1
        elif line.startswith("|"):
            while at < len(lines) and lines[at].strip().startswith("|"):
                at += 1
            yield Region(page, start + 1, line, "\n".join(lines[start + 2 : at]))


def has_figures(region: Region) -> bool:
    return bool(re.search(r"\d", _NO_FIGURE.sub("", region.text)))


LEFT = [region for page, text in TEXTS.items() for region in regions(page, text) if has_figures(region)]


def test_no_figure_is_typed_by_hand() -> None:
    """If a table has figures of ours, let scripts/docs_figures.py write it; else say why it does not."""
    typed = [
        f"{each.page}:{each.line}: {each.head}"
        for each in LEFT
        if (each.page, each.head) not in NOT_MEASURED and each.page not in TESTED_ELSEWHERE
    ]
    assert typed == []


def test_the_pages_have_the_recorded_figures() -> None:
    """If not, ``python scripts/docs_figures.py`` writes them; figures on no page are not recorded."""
    assert list(docs_figures.page_problems()) == []


def test_the_command_is_on_the_page() -> None:
    """Next to figures is the command that gives them; page by page, since several commands may do."""
    named = {page: {place.key for place in places_of(page, text)} for page, text in TEXTS.items()}
    flat = {page: " ".join(text.replace("\\\n", " ").split()) for page, text in TEXTS.items()}

    def check(name: str) -> None:
        keys = {f"{name}.{part}" for part in records()[name].figures}
        pages = [page for page in TEXTS if named[page] & keys]
        assert pages
        command = " ".join(records()[name].command.split())
        assert any(command in flat[page] for page in pages), command

    for_each(check, sorted(records()))


@pytest.fixture(scope="module")
def minilm() -> RecordedAnswers:
    return RecordedAnswers(minilm_of_the_package())


@pytest.mark.slow
@pytest.mark.parametrize("name", MEASUREMENTS)
def test_what_is_recorded_is_what_crossexam_gives(name: str, minilm: RecordedAnswers) -> None:
    """If not, look at the difference, and then ``python scripts/docs_figures.py --measure NAME``."""
    if reason := docs_figures.missing(MEASUREMENTS[name]):
        pytest.skip(reason)
    assert list(docs_figures.measurement_problems(MEASUREMENTS[name], minilm)) == []


@pytest.mark.slow
def test_the_recorded_answers_are_those_of_the_model() -> None:
    """They are of the weights in the package; on another processor, a few of its labels may be others."""
    import crossexam as cx

    recorded, model = RecordedAnswers(minilm_of_the_package()), minilm_of_the_package()()
    pairs = [(each.premise, each.hypothesis) for each in cx.load("builtin:demo[::4]").examples]
    shares = recorded.predict(pairs)
    assert not recorded.asked
    assert (shares.argmax(axis=1) == model.predict(pairs).argmax(axis=1)).mean() > 0.95
