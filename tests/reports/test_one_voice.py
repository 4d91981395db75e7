"""One voice: what the headline of a report says, no warning, note or table beside it takes back.

Each situation is a report; its sentences are in a golden file, and rules that every report must keep are
checked on all of them.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, ReadItems, Run
from crossexam.evaluation.measures import TestSetResult
from crossexam.evaluation.verified import is_proposed
from crossexam.reports.accuracy import projection_notes
from crossexam.reports.published_systems import columns_for
from crossexam.reports.results import ModelResults, ReportOptions, Results, results_of
from crossexam.reports.sections import warnings
from crossexam.reports.sentences.advice import advice
from crossexam.reports.sentences.headline import headlines
from crossexam.reports.sentences.leading import drops_shown, leading
from crossexam.reports.table import cell_text
from made.cases import for_each
from made.runs import dataset, run_of, wrong

GOLDS = "ENC" * 20
#: Answers that recur: the first twenty or all wrong, one label, and none.
LOST, WRONG, ALWAYS, NONE = wrong(GOLDS, 20), wrong(GOLDS, 60), "E" * 60, "?" * 60
SEVEN_WRONG = wrong(GOLDS[:7], 7)
TWO = "En" * 30
SCITAIL = "EN" * 30
BASE = dataset("base.dev", GOLDS)
NEGATION = dataset("negation.dev", GOLDS, "base.dev")
TYPOS = dataset("typos.dev", GOLDS, "base.dev")
FEW_PAIRS = dataset("antonymy.dev", GOLDS[:7], "base.dev")
NUMBERS = dataset("numbers.dev", GOLDS, "base.dev", keeps_label=False)
OPPOSITES = dataset("opposites.dev", "C" * 60, "base.dev", keeps_label=False)
PROPOSED = dataset("swaps.dev (proposed)", GOLDS, "base.dev")
OWN, NEGATED_OWN = dataset("base.own", GOLDS), dataset("negation.own", GOLDS, "base.own")
# Of 60 pairs, the noise floor is 13.9 points.
NOISE = {"pairs": 100, "times": 2, "flips": 30, "value": 0.15, "low": 0.1, "high": 0.3}
DOUBT = {"probe": {"warning": "accuracy on the easy items is 33 %: the order could not be verified"}}


def two(base: str, negation: str, *, model: str = "m", **details: Any) -> Run:
    return run_of({"base.dev": base, "negation.dev": negation}, BASE, NEGATION, model=model, **details)


def of_two_labels(part: str, golds: str, base: str, negation: str, **details: Any) -> Run:
    sets = dataset(f"base.{part}", golds), dataset(f"negation.{part}", golds, f"base.{part}")
    facts = {"projection": "two labels" if "n" in golds else "no contradiction"}
    made = [replace(each, manifest={**each.manifest, **facts}) for each in sets]
    return run_of({made[0].name: base, made[1].name: negation}, *made, **details)


def with_others(answers: str, *others: tuple[Dataset, str], base: str = GOLDS, **details: Any) -> Run:
    said = {"base.dev": base, "negation.dev": answers} | {each.name: letters for each, letters in others}
    return run_of(said, BASE, NEGATION, *(each for each, _ in others), **details)


def read_in_part(unseen: int) -> Run:
    """A run that did not read 20 items of negation to the end, and of some of them not the change."""
    cut, hidden = np.arange(60) < 20, np.arange(60) < unseen
    none = np.zeros(60, dtype=bool)
    reading = {"base.dev": ReadItems(none, none), "negation.dev": ReadItems(cut, hidden)}
    return replace(two(GOLDS, GOLDS), reading=reading)


def two_bases(first: str, negation: str, own: str, negated_own: str) -> Run:
    said = {"base.dev": first, "negation.dev": negation, "base.own": own, "negation.own": negated_own}
    return run_of(said, BASE, NEGATION, OWN, NEGATED_OWN)


def of_one_label(golds: str, base: str = "C" * 60, **details: Any) -> Run:
    """A run over a base of a single label, or nearly so, and a test set of several."""
    sets = dataset("base.dev", golds), dataset("negation.dev", GOLDS, "base.dev")
    return run_of({"base.dev": base, "negation.dev": GOLDS}, *sets, **details)


def over_fewer(negation: str) -> Run:
    """A run over the base, and over the items of its first examples only."""
    some = dataset("negation.dev", GOLDS[: len(negation)], "base.dev")
    return run_of({"base.dev": GOLDS, "negation.dev": negation}, BASE, some)


def published(part: str, golds: str = GOLDS) -> Run:
    sets = dataset(f"base.{part}", golds), dataset(f"negation.{part}", golds, f"base.{part}")
    return run_of({each.name: golds for each in sets}, *sets)


def twenty_sets() -> Run:
    sets = [dataset(f"negation{k}.dev", GOLDS, "base.dev") for k in range(20)]
    said = {each.name: GOLDS for each in sets} | {"base.dev": GOLDS, "negation0.dev": wrong(GOLDS, 6)}
    return run_of(said, BASE, *sets)


def benchmark(answers: str) -> Run:
    place = {"key": "sick", "title": "SICK", "protocol": "human judged", "complete": True}
    sick = dataset("corpus.sick", GOLDS, cross_dataset=place)
    snli = dataset("corpus.snli_test", GOLDS, cross_dataset={"reference": True})
    return run_of({"corpus.sick": answers, "corpus.snli_test": GOLDS}, sick, snli)


def contradicting() -> Run:
    items = tuple(
        replace(each, id=f"c{k}", premise=each.hypothesis, hypothesis=each.premise, base=each.id, label=None)
        for k, each in enumerate(BASE)
    )
    facts = {"construction": "symmetry", "part": "dev", "base_set": "base.dev", "test_class": "consistency"}
    symmetry = Dataset("symmetry.dev", items, facts)
    return run_of({"base.dev": GOLDS, "symmetry.dev": "E" * 60}, BASE, symmetry)


HOLES = "".join("?" if k % 10 == 9 else letter for k, letter in enumerate(GOLDS))
SITUATIONS: dict[str, Callable[[], Run | Sequence[Run] | Results]] = {
    "a tested drop": lambda: two(GOLDS, LOST),
    "no drop": lambda: two(GOLDS, GOLDS),
    "a gain": lambda: two(wrong(GOLDS, 10), GOLDS),
    "a drop that is not significant": lambda: two(GOLDS, wrong(GOLDS, 2)),
    "one of twenty drops": lambda: twenty_sets(),
    "two drops, both tested": lambda: with_others(LOST, (TYPOS, wrong(GOLDS, 30))),
    "a larger drop that was not tested": lambda: with_others(LOST, (NUMBERS, wrong(GOLDS, 50))),
    "only a drop that was not tested": lambda: with_others(GOLDS, (NUMBERS, wrong(GOLDS, 50))),
    "only differences, on items of one gold label":
        lambda: with_others(GOLDS, (NUMBERS, wrong(GOLDS, 40)), (OPPOSITES, wrong("C" * 60, 50))),
    "an untested drop that is not clear": lambda: with_others(GOLDS, (NUMBERS, wrong(GOLDS, 2))),
    "a larger drop on seven items": lambda: with_others(LOST, (FEW_PAIRS, SEVEN_WRONG)),
    "a drop on seven items alone": lambda: with_others(GOLDS, (FEW_PAIRS, SEVEN_WRONG)),
    "seven items and nothing else":
        lambda: run_of({"base.dev": GOLDS, "antonymy.dev": SEVEN_WRONG}, BASE, FEW_PAIRS),
    "few items everywhere": lambda: run_of({"base.dev": GOLDS[:9]}, dataset("base.dev", GOLDS[:9])),
    "at the majority, with drops": lambda: two(ALWAYS, WRONG),
    "below the majority": lambda: two(wrong(GOLDS, 55), WRONG),
    "hardly above the majority": lambda: two("E" * 57 + GOLDS[57:], WRONG),
    "at the majority on one of two bases": lambda: two_bases(GOLDS, LOST, ALWAYS, GOLDS[::-1]),
    "at the majority on three bases": lambda: [
        run_of(dict.fromkeys(("base.dev", "base.own", "base.more"), ALWAYS),
            BASE, OWN, dataset("base.more", GOLDS))
    ],
    "at the majority on both bases": lambda: two_bases("N" * 60, wrong("N" * 60, 20), ALWAYS, GOLDS[::-1]),
    "a base alone, at the majority": lambda: run_of({"base.dev": ALWAYS}, BASE),
    "a base of one label": lambda: [
        run_of({"base.dev": "C" * 60, "typos.dev": wrong("C" * 60, 20)},
            dataset("base.dev", "C" * 60), dataset("typos.dev", "C" * 60, "base.dev"))
    ],
    "no gold labels": lambda: run_of({"base.dev": GOLDS}, dataset("base.dev", "-" * 60)),
    "proposed labels besides": lambda: with_others(GOLDS, (PROPOSED, wrong(GOLDS, 50))),
    "proposed labels only": lambda: run_of({"swaps.dev (proposed)": wrong(GOLDS, 50)}, PROPOSED),
    "a drop below the noise floor": lambda: two(GOLDS, wrong(GOLDS, 8), repeat=NOISE),
    "one drop below the noise floor, one above":
        lambda: with_others(wrong(GOLDS, 8), (TYPOS, wrong(GOLDS, 30)), repeat=NOISE),
    "items not read to the end": lambda: read_in_part(0),
    "changes that were not read": lambda: read_in_part(15),
    "too many items of a test set unanswered": lambda: two(GOLDS, HOLES),
    "too many pairs unanswered, and few items": lambda: two("?" * 2 + GOLDS[2:], GOLDS[:-2] + "?" * 2),
    "too many items of the base unanswered": lambda: two(HOLES, GOLDS),
    "a few items unanswered": lambda: two(GOLDS, LOST[:-1] + "?"),
    "a few items of the base unanswered": lambda: two("??" + GOLDS[2:], LOST),
    "a tested drop, and a test set with only bounds": lambda: with_others(LOST, (TYPOS, HOLES)),
    "nothing answered by one of two models": lambda: [two(NONE, NONE), two(GOLDS, GOLDS, model="able")],
    "only bounds of two of three test sets": lambda: with_others(NONE, (TYPOS, LOST), (NUMBERS, NONE)),
    "nothing answered of four test sets":
        lambda: with_others(NONE, (TYPOS, NONE), (NUMBERS, NONE), base=NONE),
    "three labels on two": lambda: of_two_labels("claims", TWO, "ENEC" * 15, wrong(TWO, 20)),
    "two labels on two": lambda: of_two_labels("claims", TWO, TWO, wrong(TWO, 20), two_label=True),
    "two labels on three": lambda: two("Enn" * 20, wrong("Enn" * 20, 20), two_label=True),
    "three labels without contradiction": lambda: of_two_labels("scitail", SCITAIL, "EC" * 30, SCITAIL),
    "two labels without contradiction":
        lambda: of_two_labels("scitail", SCITAIL, "En" * 30, "En" * 30, two_label=True),
    "models of three and of two labels on two": lambda: [
        of_two_labels("claims", TWO, "ENEC" * 15, TWO, model="three"),
        of_two_labels("claims", TWO, TWO, TWO, model="two", two_label=True),
    ],
    "two models that drop": lambda: [
        two(GOLDS, LOST, model="first"), two(GOLDS, wrong(GOLDS, 40), model="second")
    ],
    "a drop that is significant for its model alone": lambda: [
        two(GOLDS, wrong(GOLDS, 6), model="able"), two(GOLDS, GOLDS, model="steady")
    ],
    "three models at the majority": lambda: [
        two(letter * 60, GOLDS, model=f"always {letter}") for letter in "ENC"
    ],
    "an order of classes in doubt": lambda: two(GOLDS, LOST, **DOUBT),
    "a corpus of published systems": lambda: published("multinli_dev_matched"),
    "two labels under the name of such a corpus": lambda: published("dev_matched", TWO),
    "a corpus of one's own": lambda: published("claims"),
    "a mean over corpora": lambda: benchmark(LOST),
    "rules of consistency": lambda: contradicting(),
    "a drop on fewer items than the base has": lambda: over_fewer(wrong(GOLDS[:40], 20)),
    "no significant drop on fewer items": lambda: over_fewer(wrong(GOLDS[:40], 1)),
    "no drop from either of two bases": lambda: two_bases(*[GOLDS] * 4),
    "no drop but from a base at the majority": lambda: two_bases(GOLDS, GOLDS, ALWAYS, WRONG),
    "a larger drop from a base at the majority": lambda: two_bases(GOLDS, LOST, ALWAYS, WRONG),
    "two bases alone, one at the majority":
        lambda: run_of({"base.dev": ALWAYS, "base.own": GOLDS}, BASE, OWN),
    "two models on a base alone, the first at the majority": lambda: [
        run_of({"base.dev": ALWAYS}, BASE, model="constant"),
        run_of({"base.dev": GOLDS}, BASE, model="able"),
    ],
    "at the majority, with a gain": lambda: two(ALWAYS, GOLDS),
    "at the majority of two labels":
        lambda: of_two_labels("rte", "Ennn" * 15, "n" * 60, "n" * 60, two_label=True),
    "a model at the majority and one whose smaller drop is not significant": lambda: [
        two(ALWAYS, wrong("E" * 57 + "NCN", 6), model="chance"), two(GOLDS, wrong(GOLDS, 1), model="able")
    ],
    "a base of two labels that are one for a model": lambda: of_one_label("CN" * 30, two_label=True),
    "a base of two labels": lambda: of_one_label("CN" * 30),
    "one label but for an item without an answer": lambda: of_one_label("C" * 59 + "E", "C" * 59 + "?"),
    "a base with a single label": lambda: run_of({"base.dev": "CC"}, dataset("base.dev", "C-")),
    "a member whose order of classes is in doubt": lambda: two(GOLDS, GOLDS, members={"a": DOUBT, "b": {}}),
    "an untested drop at a strict level": lambda: results_of(
        [run_of({"base.dev": GOLDS, "numbers.dev": wrong(GOLDS, 10)}, BASE, NUMBERS)],
        ReportOptions(alpha=0.0001),
    ),
    "the same drop at the usual level":
        lambda: run_of({"base.dev": GOLDS, "numbers.dev": wrong(GOLDS, 10)}, BASE, NUMBERS),
}  # fmt: skip


def in_all(check: Callable[[ModelResults, str, Results], None]) -> Callable[..., None]:
    """Return a test of *check* in all situations: of each model, its headline and the results."""

    def in_situation(situation: str) -> None:
        results = results_in(situation)
        for model in (each for each in results.models if each.benchmark is None):
            check(model, next(each for each in headlines(results) if model.name in each), results)

    def test() -> None:
        for_each(in_situation, SITUATIONS)

    return test


@cache
def results_in(situation: str) -> Results:
    made = SITUATIONS[situation]()
    if isinstance(made, Results):
        return made
    return results_of([made] if isinstance(made, Run) else made)


def test_the_sentences_of_all_situations(golden: Callable[[str, str], None]) -> None:
    """All sentences at the head of a report, its notes on labels and published systems, and its advice."""
    lines = []
    for situation in SITUATIONS:
        results = results_in(situation)
        studies = columns_for(list(results.test_sets.values())) if results.published_of_three else ()
        told: dict[str, Iterable[str]] = {
            "headline": headlines(results),
            "warning": warnings(results),
            "projection": projection_notes(results),
            "published": (each.group for each in studies),
            "advice": advice(results),
        }
        lines.append(f"## {situation}\n")
        lines += [f"{kind}: {each}" for kind, sentences in told.items() for each in sentences]
        lines.append("")
    golden("situations.txt", "\n".join(lines))


def marked(model: ModelResults) -> list[TestSetResult]:
    """The drops that the table marks: significant among those of *model* alone."""
    alpha = model.options.alpha
    lost = [each for each in model.results if each.loss is not None and each.loss.value > 0]
    return [each for each in lost if each.p_holm is not None and each.p_holm <= alpha]


@in_all
def test_a_drop_that_is_said_is_the_one_in_the_table_and_was_tested_if_any_was(
    model: ModelResults, said: str, results: Results
) -> None:
    shown, led = drops_shown(model.results), leading(model)
    large = [each for each in model.results if each.name in shown]
    tested = [each for each in large if each.p_holm is not None]
    assert {each.name for each in tested} <= {each.name for each in marked(model)}
    if not re.search(r"\. The (drop|difference) is ", said):
        return
    assert led is not None
    assert led.name in shown
    assert led.loss is not None
    tested = [each for each in tested if not each.is_small]
    above_noise = [each for each in tested if not model.is_within_noise(each)]
    assert led in (above_noise or tested or [led])
    assert f"is {cell_text(led.loss, 'points').partition(' ')[0]} points" in said
    words = (
        r" falls from (\S+) % on .* to (\S+) % on .*?\. The drop is (\S+) points"
        if led.p_holm is not None
        else r" is (\S+) % on .* and (\S+) % on .*, whose items are .*?\. The difference is (\S+) points"
    )
    ((before, after, drop),) = re.findall(words, said)
    assert float(before) - float(after) == pytest.approx(float(drop), abs=0.101)


@in_all
def test_no_drop_is_denied_that_the_table_marks(model: ModelResults, said: str, results: Results) -> None:
    """If it is not significant among the drops of all models, the sentence says so."""
    if "does not drop" in said:
        of_chance = {each.name for each in model.results if each.at_chance}
        able = [each for each in marked(model) if not each.is_small and not is_proposed(each.name)]
        able = [each for each in able if each.base_set not in of_chance]
        names = [results.short_names[each.name] for each in able]
        assert not {each.name for each in able} & drops_shown(model.results)
        assert not able or any(f"(on {name}, " in said for name in names)
