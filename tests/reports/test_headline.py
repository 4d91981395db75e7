"""What a report says in words: the finding, and where drops mean nothing; the same in every format."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from crossexam.core.dataset import Dataset, Run
from crossexam.core.estimate import Estimate
from crossexam.core.example import Example
from crossexam.core.labels import LABELS, Gold
from crossexam.core.outcome import Outcome, Outcomes
from crossexam.core.output.escapes import escape_latex, escape_markdown
from crossexam.evaluation.candidates import Candidate
from crossexam.reports.accuracy import drop_table
from crossexam.reports.comparison import against_table
from crossexam.reports.headline import culprit, drops_shown, headline, headlines, leading, warnings, worst_of
from crossexam.reports.report import make_report
from crossexam.reports.results import Results, results_of
from crossexam.stats.paired import paired_difference

NAMES: Mapping[str, Gold] = {
    "E": "entailment", "N": "neutral", "C": "contradiction", "n": "not_entailment"
}  # fmt: skip


def dataset(name: str, golds: str, base: str | None = None) -> Dataset:
    """A test set with an item per letter of *golds*, made from the item of its number in *base*."""
    items = tuple(
        Example(
            f"{name}:{k}", f"Ann has {k} cats.", f"Ann has {k}.", NAMES[letter], base=base and f"{base}:{k}"
        )
        for k, letter in enumerate(golds)
    )
    construction, _, part = name.partition(".")
    return Dataset(name, items, {"construction": construction, "part": part, "base_set": base})


def run_of(model: str, said: Mapping[str, str], datasets: Sequence[Dataset]) -> Run:
    """A run whose predictions are letters; n is neutral and contradiction by halves."""
    rows = {"n": [0.0, 0.5, 0.5], **{label[0].upper(): np.eye(3)[k] for k, label in enumerate(LABELS)}}
    probabilities = {name: np.array([rows[letter] for letter in letters]) for name, letters in said.items()}
    return Run(model, {each.name: each for each in datasets}, probabilities, {"model_key": model})


GOLDS = "ENNC" * 10
BASE = dataset("base.dev", GOLDS)
NEGATION = dataset("negation.dev", GOLDS, "base.dev")
GOOD, NONE_RIGHT = GOLDS, "CEEN" * 10


def examined(model: str, base: str, negation: str) -> Run:
    return run_of(model, {"base.dev": base, "negation.dev": negation}, [BASE, NEGATION])


def wrong(count: int) -> str:
    """The gold labels, of which the first *count* are replaced by others."""
    return GOLDS[:count].translate(str.maketrans("ENC", "NCE")) + GOLDS[count:]


CAREFUL = examined("careful", GOOD, "ENNC" * 8 + NONE_RIGHT[:8])
USELESS = examined("useless", "N" * 40, NONE_RIGHT)


def test_a_drop_is_one_plain_sentence() -> None:
    results = results_of([CAREFUL])
    (drop,) = (result.loss for result in results.models[0].results if result.loss is not None)
    assert headline(results) == (
        "The accuracy of careful falls from 100.0 % on the base to 80.0 % on negation: "
        f"by 20.0 points (95 % interval {100 * drop.low:.1f} to {100 * drop.high:.1f})."
    )


def test_the_base_of_fewer_items_is_said_to_be_smaller() -> None:
    most = dataset("negation.dev", GOLDS[:30], "base.dev")
    run = run_of("m", {"base.dev": GOOD, "negation.dev": NONE_RIGHT[:30]}, [BASE, most])
    results = results_of([run])
    assert "from 100.0 % on the 30 base examples of negation to 0.0 % on negation" in headline(results)


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        (
            "N" * 40,
            "50.0 %, is not above the majority baseline (50.0 %), so changes from it cannot be interpreted.",
        ),
        (
            "E" * 40,
            "25.0 %, is not above the majority baseline (50.0 %), so changes from it cannot be interpreted.",
        ),
    ],
)
@pytest.mark.parametrize("items", [GOOD, NONE_RIGHT, "N" * 38 + "EE"])
def test_a_model_at_chance_has_no_sentence_about_drops(answers: str, words: str, items: str) -> None:
    """However large they are; and what the headline says is not said again."""
    results = results_of([examined("m", answers, items)])
    assert headlines(results) == [f"The accuracy of m on the base, {words}"]
    assert warnings(results) == []


def test_a_base_hardly_above_the_majority_class_is_shown_with_the_test_that_says_so() -> None:
    results = results_of([examined("m", "ENNE" + "N" * 36, GOOD)])
    majority = results.models[0].results[0].majority
    assert majority is not None
    low, high = (f"{100 * bound:.1f}".replace("-", "−") for bound in majority.advantage[1:3])
    assert headlines(results) == [
        "The accuracy of m on the base, 52.5 %, is not significantly above the majority baseline (50.0 %; "
        f"paired test against always giving that label: difference 2.5 points, 95 % interval {low} to "
        f"{high}), so changes from it are hard to interpret."
    ]


def test_a_base_above_the_majority_class_needs_no_word() -> None:
    assert warnings(results_of([CAREFUL])) == []


def test_it_holds_for_two_labels() -> None:
    base = dataset("base.rte", "Ennn" * 10)
    test = dataset("negation.rte", "Ennn" * 10, "base.rte")
    said = {"base.rte": "n" * 40, "negation.rte": "n" * 40}
    results = results_of([run_of("m", said, [base, test])])
    assert headlines(results) == [
        "The accuracy of m on the base, 75.0 %, is not above the majority baseline (75.0 %), so changes "
        "from it cannot be interpreted."
    ]
    said = {"base.rte": "ECNn" * 10, "negation.rte": "n" * 40}  # contradiction and neutral are not entailment
    assert warnings(results_of([run_of("m", said, [base, test])])) == []


def test_without_drops_it_says_nothing_of_them_and_several_bases_are_named() -> None:
    results = results_of([run_of("m", {"base.dev": "N" * 40}, [BASE])])
    assert warnings(results) == [
        "The accuracy of m on the base, 50.0 %, is not above the majority baseline (50.0 %)."
    ]
    other = dataset("base.own", GOLDS)
    said = {"base.dev": "N" * 40, "base.own": GOOD}
    assert warnings(results_of([run_of("m", said, [BASE, other])])) == [
        "The accuracy of m on base (dev), 50.0 %, is not above the majority baseline (50.0 %)."
    ]


ONE_LABEL = (
    "all 20 items of the base have the gold label contradiction: accuracy there says only how often the "
    "model gives it."
)


def constant(model: str) -> Run:
    """Return a run of a model that always gives the one gold label of its base."""
    base, test = dataset("base.dev", "C" * 20), dataset("negation.dev", "ENC" * 6 + "EN", "base.dev")
    return run_of(model, {"base.dev": "C" * 20, "negation.dev": "C" * 20}, [base, test])


def test_a_base_of_one_label_is_said_to_prove_nothing() -> None:
    """It has no label that is more frequent than another, and whoever always gives it is right."""
    assert warnings(results_of([constant("m"), constant("other")])) == [ONE_LABEL]
    report = make_report(constant("m"))
    console = Console(width=250, file=io.StringIO(), record=True)
    console.print(report.terminal())
    assert ONE_LABEL in console.export_text()
    assert ONE_LABEL in report.text(".html").replace("\N{NO-BREAK SPACE}", " ")
    assert f"**{escape_markdown(ONE_LABEL)}**" in report.text(".md")
    assert "| majority baseline | 20 | 100.0 |" in report.text(".md")


def test_the_label_of_a_base_is_that_of_all_items_for_models_of_two_labels_too() -> None:
    base = dataset("base.dev", "CN" * 10)
    run = run_of("m", {"base.dev": "CN" * 10}, [base])
    assert not any("all 20 items" in each for each in warnings(results_of([run])))
    two = replace(run, manifest={**run.manifest, "details": {"two_label": True}})
    assert [each for each in warnings(results_of([two])) if "all 20 items" in each] == [
        ONE_LABEL.replace("contradiction", "not_entailment")
    ]


@pytest.mark.parametrize(("golds", "is_said"), [("C" * 19 + "E", False), ("C" * 20, True)])
def test_an_item_without_an_answer_has_its_label(golds: str, is_said: bool) -> None:
    """The unanswered item decides; what is said holds for all items, although no accuracy is known."""
    run = run_of("m", {"base.dev": "C" * 20}, [dataset("base.dev", golds)])
    run.probabilities["base.dev"][-1] = np.nan
    told = [Outcome()] * 19 + [Outcome("refused")]
    run = replace(run, outcomes={"base.dev": Outcomes.of(told, len(told))})
    assert (ONE_LABEL in warnings(results_of([run], max_unanswered=0))) == is_said


def test_items_without_a_gold_label_do_not_count_and_a_single_item_is_one() -> None:
    base = dataset("base.dev", "C")
    more = replace(base.examples[0], id="base.dev:1", label=None)
    run = run_of("m", {"base.dev": "CC"}, [replace(base, examples=(*base.examples, more))])
    assert warnings(results_of([run])) == [
        "the only labelled item of the base has the gold label contradiction: accuracy there says only how "
        "often the model gives it."
    ]


#: A model that is at chance on one of its two bases, about which its headline is not.
OWN, NEGATED_OWN = dataset("base.own", GOLDS), dataset("negation.own", GOLDS, "base.own")
HALF_USELESS = run_of(
    "half",
    {"base.dev": GOOD, "negation.dev": NONE_RIGHT, "base.own": "N" * 40, "negation.own": NONE_RIGHT},
    [BASE, NEGATION, OWN, NEGATED_OWN],
)


def test_every_format_for_readers_warns_and_shows_the_majority_class() -> None:
    report = make_report(HALF_USELESS)
    (warning,) = warnings(report.results)
    assert warning == (
        "The accuracy of half on base (own), 50.0 %, is not above the majority baseline (50.0 %), so changes "
        "from it cannot be interpreted."
    )
    console = Console(width=250, file=io.StringIO(), record=True)
    console.print(report.terminal())
    terminal, markdown, latex = console.export_text(), report.text(".md"), report.text(".tex")
    assert warning in terminal.split("Test set")[0]
    assert f"**{escape_markdown(warning)}**" in markdown.split("## Accuracy")[0]
    assert escape_latex(warning.rstrip(".")) in latex.split(r"\end{table}")[0]
    page = report.text(".html").replace("\N{NO-BREAK SPACE}", " ")
    assert f'<p class="warning">{warning}</p>' in page
    assert "| majority baseline | 40 | 50.0 |" in markdown
    assert "majority baseline & 40 & 50.0" in latex
    assert terminal.count("majority baseline  ") == 2  # below each base
    assert "Grey line: most frequent label" in page


def test_a_model_at_chance_comes_last_though_its_drop_is_larger() -> None:
    results = results_of([CAREFUL, USELESS])
    careful, useless = results.models
    lost = {model.name: worst_of(model) for model in results.models}
    assert all(result is not None and result.loss is not None for result in lost.values())
    assert lost["useless"].loss > lost["careful"].loss  # type: ignore[union-attr, operator]
    assert culprit(results) is careful
    assert leading(useless) is None


def test_a_drop_from_a_base_at_chance_leads_no_headline() -> None:
    """It is larger than that from the other base, on which the model is better than chance."""
    assert headlines(results_of([HALF_USELESS]))[0].startswith(
        "The accuracy of half falls from 100.0 % on base (dev) to 0.0 % on negation (dev): by 100.0 points"
    )
    steady = replace(
        HALF_USELESS,
        probabilities={**HALF_USELESS.probabilities, "negation.dev": HALF_USELESS.probabilities["base.dev"]},
    )
    assert headlines(results_of([steady])) == [
        "The accuracy of half, 100.0 % on base (dev), does not drop on any test set from a base on which it "
        "is above chance. Drops of up to 22.3 points may go unnoticed."
    ]


def test_few_items_lead_no_headline() -> None:
    """Seven of seven are wrong, and of forty eight."""
    few = dataset("antonymy.dev", GOLDS[:7], "base.dev")
    sets = [BASE, NEGATION, few]
    said = {"base.dev": GOOD, "negation.dev": "ENNC" * 8 + NONE_RIGHT[:8], "antonymy.dev": NONE_RIGHT[:7]}
    assert "to 80.0 % on negation" in headline(results_of([run_of("m", said, sets)]))
    assert headline(results_of([run_of("m", said | {"negation.dev": GOOD}, sets)])) == (
        "The accuracy of m, 100.0 % on the base, does not drop on any test set with at least 30 pairs. "
        "Drops of up to 22.3 points may go unnoticed."
    )
    alone = {name: said[name] for name in ("base.dev", "antonymy.dev")}
    interval = results_of([run_of("m", alone, [BASE, few])]).models[0].results[0].accuracy
    assert headline(results_of([run_of("m", alone, [BASE, few])])) == (
        f"The accuracy of m is 100.0 % on base (dev) (95 % interval {100 * interval.low:.1f} to 100.0); the "
        "test sets built from it have fewer than 30 items, too few for a conclusion."
    )
    tiny = dataset("base.dev", GOLDS[:7])
    assert headline(results_of([run_of("m", {"base.dev": GOOD[:7]}, [tiny])])) == (
        "m was measured on fewer than 30 items of each test set, too few for a conclusion."
    )


def test_a_drop_that_was_tested_comes_before_one_that_was_not() -> None:
    """The items of numbers are of no base example, and their accuracy is lower."""
    facts = {"construction": "numbers", "part": "dev", "base_set": "base.dev", "keeps_label": False}
    numbers = Dataset("numbers.dev", dataset("numbers.dev", GOLDS).examples, facts)
    said = {"base.dev": GOOD, "negation.dev": "ENNC" * 8 + NONE_RIGHT[:8], "numbers.dev": NONE_RIGHT}
    sets = [BASE, NEGATION, numbers]
    results = results_of([run_of("m", said, sets)])
    by_name = {each.name: each for each in results.models[0].results}
    assert by_name["numbers.dev"].difference is not None
    assert by_name["numbers.dev"].difference > by_name["negation.dev"].drop  # type: ignore[operator]
    assert "to 80.0 % on negation" in headline(results)
    untested = headline(results_of([run_of("m", said | {"negation.dev": GOOD}, sets)]))
    assert "to 0.0 % on numbers" in untested
    assert untested.endswith("; not tested: its items are not paired with the base).")
    words = " A larger drop, 100.0 points on numbers, was not tested: its items are not paired with the base."
    assert headline(results).endswith(words)


def fewer(model: str, base: str, items: str) -> Results:
    """The results of a run over the base, and over the items of its first examples only."""
    some = dataset("negation.dev", GOLDS[: len(items)], "base.dev")
    return results_of([run_of(model, {"base.dev": base, "negation.dev": items}, [BASE, some])])


@pytest.mark.parametrize(
    ("base", "items", "words"),
    [
        (GOOD, GOLDS[:34] + "E", "does not drop significantly on any test set; the largest"),
        (GOOD, GOLDS[:35], "does not drop on any test set."),
    ],
)
def test_a_sentence_about_all_test_sets_gives_the_accuracy_on_the_whole_base(
    base: str, items: str, words: str
) -> None:
    """No test set is named there, so the base examples of one would not be those of another."""
    assert headline(fewer("m", base, items)).startswith(f"The accuracy of m, 100.0 % on the base, {words}")


def test_a_sentence_about_all_test_sets_names_one_of_several_bases() -> None:
    said = dict.fromkeys(("base.dev", "negation.dev", "base.own", "negation.own"), GOOD)
    results = results_of([run_of("m", said, [BASE, NEGATION, OWN, NEGATED_OWN])])
    name = results.short_names[worst_of(results.models[0]).base_set]  # type: ignore[union-attr, index]
    assert f", 100.0 % on {name}, does not drop on any test set." in headline(results)


def test_every_format_has_a_sentence_of_each_model() -> None:
    report = make_report(USELESS, CAREFUL)
    first, second = headlines(report.results)
    assert first == headline(report.results)
    assert first.startswith("The accuracy of careful falls")
    assert second.startswith("The accuracy of useless on the base, 50.0 %, is not above the majority")
    console = Console(width=250, file=io.StringIO(), record=True)
    console.print(report.terminal())
    page = report.text(".html").replace("\N{NO-BREAK SPACE}", " ")
    assert console.export_text().startswith(f"{first}\n{second}\n")
    assert report.text(".md").startswith(f"# {escape_markdown(first)}\n\n{escape_markdown(second)}\n")
    assert report.text(".tex").startswith(f"% {first}\n% {second}\n")
    assert f"<h1>{first}</h1>" in page
    assert f"<li>{second}</li>" in page
    assert all(text in report._repr_html_() for text in (first, second))


def test_a_model_above_chance_comes_first_though_no_drop_is_significant() -> None:
    """The drop of the model at the majority class is larger; it says less than that of the other."""
    results = results_of(
        [examined("chance", "N" * 40, "N" * 34 + "E" * 6), examined("m", GOOD, GOLDS[:39] + "N")]
    )
    chance, able = results.models
    losses = [[each.loss.value for each in model.results if each.loss] for model in (chance, able)]
    assert losses[0] > losses[1] > [0]
    assert not drops_shown(chance.results)
    assert headlines(results)[0].startswith(
        "The accuracy of m, 100.0 % on the base, does not drop significantly"
    )
    assert headlines(results)[1].startswith("The accuracy of chance on the base, 50.0 %, is not above")


def test_the_headline_says_that_proposed_labels_are_left_out() -> None:
    proposed = dataset("antonymy.dev (proposed)", GOLDS, "base.dev")
    wrong = {"antonymy.dev (proposed)": NONE_RIGHT}
    only = results_of([run_of("m", wrong, [proposed])])
    both = results_of(
        [run_of("m", wrong | {"base.dev": GOOD, "negation.dev": GOOD}, [BASE, NEGATION, proposed])]
    )
    left_out = "Test sets whose labels are only proposed are left out."
    assert "does not drop on any test set whose labels are not only proposed. " in headline(both)
    assert headline(both).endswith(left_out)
    assert left_out not in headline(only)
    what = "(proposed): rules propose these labels, and people have not confirmed them."
    assert what in make_report(*both.runs).text(".html")
    console = Console(width=250, file=io.StringIO(), record=True)
    console.print(make_report(*both.runs).terminal())
    assert console.export_text().count(what) == 1
    assert what not in make_report(CAREFUL).text(".html")
    assert left_out not in headline(results_of([CAREFUL]))


def test_a_terminal_explains_only_the_columns_that_it_has() -> None:
    without = run_of("m", {"base.dev": GOOD}, [BASE])
    texts = []
    for report in (make_report(CAREFUL), make_report(without)):
        console = Console(width=250, file=io.StringIO(), record=True)
        console.print(report.terminal())
        texts.append(console.export_text())
    assert [("Drop: accuracy lost" in text, "p: McNemar's test" in text) for text in texts] == [
        (True, True),
        (False, False),
    ]
    assert "Percent, with 95 % confidence intervals clustered by premise." in texts[1]


def test_the_largest_of_many_drops_is_claimed_only_if_it_is_significant_after_correction() -> None:
    """Six of 40 items lost are significant for one test set (p = 2 / 2**6), but not as one of twenty."""
    lost = "".join(GOLDS[36:40]).translate(str.maketrans("ENC", "NCE")) + NONE_RIGHT[:2]

    def among(count: int) -> Results:
        sets = [dataset(f"negation.part{k}", GOLDS, "base.dev") for k in range(count)]
        said = {each.name: GOLDS for each in sets} | {"negation.part0": lost + GOLDS[6:], "base.dev": GOOD}
        return results_of([run_of("m", said, [BASE, *sets])])

    one, twenty = among(1), among(20)
    (loss,) = (each.loss for each in one.models[0].results if each.loss is not None)
    assert loss.value == 0.15
    assert loss.low > 0
    assert one.models[0].results[1].p_value == pytest.approx(2 / 2**6)
    assert "falls from 100.0 % on the base to 85.0 % on negation" in headline(one)
    right = [letter == gold for letter, gold in zip(lost + GOLDS[6:], GOLDS, strict=True)]
    low, high = paired_difference([True] * 40, right, confidence=1 - 0.05 / 20)[1:3]
    interval = f"95 % interval −{-100 * low:.1f} to {100 * high:.1f}, widened for the choice among 20 drops"
    assert headline(twenty) == (
        "The accuracy of m, 100.0 % on the base, does not drop significantly on any test set; the largest "
        f"drop is 15.0 points ({interval}), on negation (part0). Drops of up to 34.3 points may go unnoticed."
    )


def test_a_test_and_an_interval_that_disagree_are_both_said() -> None:
    """They are computed in different ways; the table marks the p-value as significant."""
    results = results_of([examined("m", GOOD, GOLDS[:39] + "N")])
    model = results.models[0]
    base, negation = model.results
    drop = Estimate(0.056, -0.005, 0.116, 40, 40)
    for p_value, said in ((0.035, True), (0.051, False)):
        found = Candidate(1, drop, p_value, is_significant=False, detectable=None)
        disputed = replace(
            model, results=(base, replace(negation, drop=drop, p_holm=p_value, candidate=found))
        )
        text = headline(replace(results, models=(disputed,)))
        assert "does not drop significantly on any test set" in text
        words = "(on negation, the corrected p is 0.035, but the interval of the drop includes 0)"
        assert (words in text) is said


def test_drops_are_chosen_from_those_of_all_models() -> None:
    """Six of 40 are significant for a model alone, but not for one of two; its table marks them still."""
    lost = examined("lost", GOOD, wrong(6))
    alone, besides = results_of([lost]), results_of([lost, examined("steady", GOOD, GOOD)])
    for each in (alone, besides):
        assert each.models[0].results[1].p_holm == pytest.approx(2 / 2**6)
    assert "falls from 100.0 % on the base to 85.0 %" in headline(alone)
    assert "widened" not in headline(alone)
    wider = paired_difference([True] * 40, [False] * 6 + [True] * 34, confidence=1 - 0.05 / 2)
    interval = f"95 % interval {100 * wider.low:.1f} to {100 * wider.high:.1f}"
    assert headline(besides) == (
        "The accuracy of lost, 100.0 % on the base, does not drop significantly on any test set (on "
        "negation, p is 0.031 if corrected for the tests of this model alone); the largest drop is 15.0 "
        f"points ({interval}, widened for the choice among 2 drops; "
        "corrected p 0.063), on negation. Drops of up to 22.3 points may go unnoticed."
    )


def test_a_stricter_level_asks_more_of_the_interval_too() -> None:
    """The interval that is shown stays one of 95 %, and excludes 0; a smaller level asks for more."""
    items = dataset("numbers.dev", GOLDS)
    facts = {"construction": "numbers", "part": "dev", "base_set": "base.dev", "keeps_label": False}
    numbers = Dataset("numbers.dev", items.examples, facts)
    run = run_of("m", {"base.dev": GOOD, "numbers.dev": wrong(10)}, [BASE, numbers])
    low = results_of([run]).models[0].results[1].loss.low  # type: ignore[union-attr]
    assert low > 0
    assert "falls from 100.0 %" in headline(results_of([run]))
    strict = headline(results_of([run], alpha=0.0001))
    assert "does not drop significantly on any test set; the largest drop is 25.0 points" in strict
    assert f"{100 * low:.1f} to " in strict
    assert "; not significant at the level 0.0001), on numbers" in strict


def test_uneven_clusters_are_named_where_a_test_assumes_more_of_them() -> None:
    """Forty of 79 items are about one premise; in the other test set, each about its own."""
    golds = GOLDS + GOLDS[:39]
    sets = [dataset("base.dev", golds), dataset("negation.dev", golds, "base.dev")]
    typos = dataset("typos.dev", golds, "base.dev")
    examples = [
        replace(each, info={**each.info, "cluster": "one" if k < 40 else str(k)})
        for k, each in enumerate(typos.examples)
    ]
    uneven = replace(typos, examples=tuple(examples))
    said = dict.fromkeys(("base.dev", "negation.dev", "typos.dev"), golds)
    run = run_of("m", said, [*sets, uneven])
    words = "Few clusters hold many of the items of typos: "
    report = make_report(run)
    assert words in report.text(".md")
    console = Console(width=250, file=io.StringIO(), record=True)
    console.print(report.terminal())
    assert words in " ".join(console.export_text().split())
    assert any(words in note for note in against_table(results_of([run, replace(run, model="o")])).notes)
    assert not any("Few clusters" in note for note in drop_table(results_of([CAREFUL])).notes)


def test_the_table_says_why_the_headline_is_stricter() -> None:
    words = "The largest of 2 drops is likely to be overestimated: the headline's interval"
    for runs, is_said in (([CAREFUL], False), ([CAREFUL, USELESS], True)):
        assert any(words in note for note in drop_table(results_of(runs)).notes) is is_said


def test_a_doubtful_order_of_classes_is_said_first() -> None:
    details = {"members": {"a": {"probe": {"warning": "the order could not be verified"}}, "b": {}}}
    run = Run("m", CAREFUL.datasets, CAREFUL.probabilities, {"model_key": "m", "details": details})
    assert warnings(results_of([run])) == ["m: the order could not be verified."]
    assert "**m: the order could not be verified.**" in make_report(run).text(".md")


def test_without_drops_a_model_at_chance_comes_last_too() -> None:
    results = results_of(
        [run_of("constant", {"base.dev": "E" * 40}, [BASE]), run_of("able", {"base.dev": GOOD}, [BASE])]
    )
    assert [each.split(" is ")[0] for each in headlines(results)] == [
        "The accuracy of able",
        "The accuracy of constant",
    ]
