"""What a report says in words is the same in every format; the sentences themselves: test_one_voice.py."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Run
from crossexam.core.output.escapes import escape_latex, escape_markdown
from crossexam.evaluation.candidates import Candidate, HeadlineChoice
from crossexam.reports.accuracy import drop_table
from crossexam.reports.report import make_report
from crossexam.reports.results import results_of
from crossexam.reports.sections import warnings
from crossexam.reports.sentences.headline import headlines
from crossexam.stats.paired import clustered_mcnemar, paired_difference
from crossexam.stats.unpaired import difference
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


# The choice of a headline, simulated: the answers to independent items are, not what a report does with them


def paired(rng: np.random.Generator, choice: HeadlineChoice, n: int, drop: float) -> Candidate:
    """A drop of *n* pairs of which a tenth is discordant, and the true drop is *drop*."""
    kind = rng.choice(3, n, p=[0.05 + drop / 2, 0.05 - drop / 2, 0.9])  # the base alone, the item alone, both
    base, item = kind != 1, kind != 0
    test = clustered_mcnemar(base, item)
    return choice.candidate(partial(paired_difference, base, item, None), test.p_exact)


def unpaired(rng: np.random.Generator, choice: HeadlineChoice, n: int, drop: float) -> Candidate:
    """A difference of *n* items each whose true accuracies differ by *drop*."""
    base, items = rng.random(n) < 0.8, rng.random(n) < 0.8 - drop
    return choice.candidate(partial(difference, base, items, None, None))


def reports(count: int, models: int, n: int, drop: float = 0.0, of_unpaired: int = 0) -> Iterator[Any]:
    """The candidates of each of *count* reports on *models* with ten test sets, some of them not paired."""
    rng, choice = np.random.default_rng(7), HeadlineChoice(10 * models)
    for _ in range(count):
        kinds = [*[unpaired] * of_unpaired, *[paired] * (10 - of_unpaired)] * models
        yield [made(rng, choice, n, drop) for made in kinds]


def test_the_interval_of_the_largest_drop_has_the_true_one() -> None:
    """An interval of one drop at 95 % has it in four of five reports only."""
    found = reports(300, 1, 1500, drop=0.02)
    largest = [max((one.loss for one in each), key=lambda loss: loss.value) for each in found]
    assert np.mean([loss.low <= 0.02 <= loss.high for loss in largest]) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("of_unpaired", [0, 5])
def test_a_report_without_drops_rarely_claims_one(of_unpaired: int) -> None:
    """Corrected for each model by itself, one of four reports would."""
    found = reports(60, 20, 500, of_unpaired=of_unpaired)
    assert np.mean([any(one.is_significant for one in each) for each in found]) <= 0.06
