"""What a report says in words is the same in every format; the sentences themselves: test_one_voice.py."""

import pytest

from crossexam.core.dataset import Run
from crossexam.core.output.escapes import escape_latex, escape_markdown
from crossexam.reports.accuracy import drop_table
from crossexam.reports.report import make_report
from crossexam.reports.results import results_of
from crossexam.reports.sections import warnings
from crossexam.reports.sentences.headline import headlines
from crossexam.stats.paired import paired_difference
from made.runs import dataset, run_of, wrong
from made.shown import page_of, terminal

GOLDS = "ENNC" * 10
BASE, NEGATION = dataset("base.dev", GOLDS), dataset("negation.dev", GOLDS, "base.dev")
OWN, NEGATED_OWN = dataset("base.own", GOLDS), dataset("negation.own", GOLDS, "base.own")


def examined(model: str, base: str, negation: str) -> Run:
    return run_of({"base.dev": base, "negation.dev": negation}, BASE, NEGATION, model=model)


CAREFUL = examined("careful", GOLDS, wrong(GOLDS, 8))


def test_every_format_for_readers_has_the_headlines_the_warning_and_the_majority_class() -> None:
    """The first model leads, though the other loses more; it is at chance on one of its bases."""
    said = {"base.dev": GOLDS, "base.own": "N" * 40, "negation.dev": wrong(GOLDS, 4), "negation.own": GOLDS}
    half = run_of(said, BASE, NEGATION, OWN, NEGATED_OWN, model="half")
    report = make_report(half, CAREFUL)
    first, second = headlines(report.results)
    assert ("of half, 100.0 %" in first, "careful falls" in second) == (True, True)
    (warning,) = warnings(report.results)
    on_terminal, page = terminal(report, 400), page_of(report)
    markdown, latex = report.text(".md"), report.text(".tex")
    assert on_terminal.startswith(f"{first}\n{second}\n")
    assert warning in on_terminal.split("Test set")[0]
    assert markdown.startswith(f"# {escape_markdown(first)}\n\n{escape_markdown(second)}\n")
    assert f"**{escape_markdown(warning)}**" in markdown.split("## Accuracy")[0]
    assert latex.startswith(f"% {first}\n% {second}\n")
    assert escape_latex(warning.rstrip(".")) in latex.split(r"\end{table}")[0]
    finding, rest = first.split(". ", 1)
    on_page = f'<h1>{finding}.</h1>\n<p class="lead">{rest}</p>', f"<li>{second}</li>"
    assert all(text in page for text in (*on_page, f'<p class="warning">{warning}</p>'))
    assert "| majority baseline | 40 | 50.0 | 50.0 |" in markdown


def test_the_interval_of_a_drop_that_was_chosen_is_as_wide_as_the_choice_demands() -> None:
    """Six of 40 items are significant alone (p = 2 / 2**6), but not as one of 20 drops, or of two models."""
    sets = [dataset(f"negation.part{k}", GOLDS, "base.dev") for k in range(20)]
    said = {each.name: GOLDS for each in sets} | {"negation.part0": wrong(GOLDS, 6), "base.dev": GOLDS}
    (found,) = headlines(results_of([run_of(said, BASE, *sets)]))
    pairs = [True] * 40, [False] * 6 + [True] * 34
    low, high = paired_difference(*pairs, confidence=1 - 0.05 / 20)[1:3]
    bounds = f"{100 * low:.1f} to {100 * high:.1f}".replace("-", "−")
    assert f"is 15.0 points (95 % interval {bounds}, adjusted for the choice among 20 drops)" in found
    assert "does not drop significantly" in found
    lost, steady = examined("m", GOLDS, wrong(GOLDS, 6)), examined("steady", GOLDS, GOLDS)
    assert results_of([lost]).models[0].results[1].p_holm == pytest.approx(2 / 2**6)
    results = results_of([lost, steady])
    assert "corrected p 0.031), but not among all 2 drops (corrected p 0.062)" in headlines(results)[0]


def test_uneven_clusters_are_named_where_a_test_assumes_more_of_them() -> None:
    """Forty of 79 items are about one premise; in the other test set, each about its own."""
    golds = GOLDS + GOLDS[:39]
    typos = dataset("typos.dev", golds, "base.dev", info=lambda k: {"cluster": "one" if k < 40 else str(k)})
    sets = dataset("base.dev", golds), dataset("negation.dev", golds, "base.dev"), typos
    run = run_of({each.name: golds for each in sets}, *sets)
    words = "Few clusters hold many of the items of typos: "
    assert words in " ".join(terminal(make_report(run)).split())
    assert not any("Few clusters" in note for note in drop_table(results_of([CAREFUL])).notes)
