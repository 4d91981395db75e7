"""A run for each section of a report, and reports of them."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from crossexam.core.dataset import Dataset, ReadItems, Run
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.core.manifest import PredictedSet, RunManifest
from crossexam.core.outcome import Outcome, Outcomes
from crossexam.evaluation.seen_pairs import TrainingPairs
from crossexam.language.word_pair_index import WordPairIndex
from crossexam.reports.analysis import Section
from crossexam.reports.report import RENDERERS, Report
from crossexam.reports.results import ReportOptions, Results, results_of
from crossexam.reports.sections import page_sections
from crossexam.suites.lexically_misleading import SCORE
from made.claims import claims as claims_of
from made.runs import Info, dataset
from made.shown import SECTIONS, terminal

YIELD: Final = {"examples": 30, "items": 24, "rejected": {"no full stop": 6}}
GOLDS: Final = "ENC" * 8


def set_of(name: str, golds: str = GOLDS, info: Info = (), **facts: Any) -> Dataset:
    base = None if facts.get("base_set") is None else "base.x"
    return dataset(name, golds, base, info=info, **{"yield": YIELD, **facts})


def run_of(*datasets: Dataset, **manifest: Any) -> Run:
    """A run whose model gets every third item of a base wrong, else every fifth, in two ways in turn."""
    answers = {}
    for test_set in datasets:
        wrong = 3 if test_set.name.startswith("base") else 5
        rows = np.full((len(test_set), 3), 0.1)
        for k, item in enumerate(test_set):
            gold = LABELS.index(item.label)  # type: ignore[arg-type]
            rows[k, gold if k % wrong else (gold + 1 + k // wrong % 2) % 3] = 0.8
        answers[test_set.name] = rows
    facts = RunManifest(**{"model_key": "k", **manifest})
    return Run("mine", {each.name: each for each in datasets}, answers, facts)


def other_model(run: Run, model: str, step: int, order: list[int]) -> Run:
    """Another model, which exchanges two labels in every so many predictions of *run*."""
    answers = {name: rows.copy() for name, rows in run.probabilities.items()}
    for rows in answers.values():
        rows[::step] = rows[::step][:, order]
    return replace(run, model=model, probabilities=answers)


def others(run: Run) -> list[Run]:
    named = ("other", 4, [1, 0, 2]), ("models/yet another", 3, [0, 2, 1])
    return [other_model(run, *each) for each in named]


def stress(**manifest: Any) -> Run:
    negation = set_of("negation.x", GOLDS[1:] + GOLDS[0], base_set="base.x")
    return run_of(set_of("base.x"), negation, **manifest)


def adversary() -> Run:
    return run_of(set_of("so_swap.x", "C" * 24))


def lexical() -> Run:
    def info(k: int) -> dict[str, Any]:
        return {SCORE: 0.1 + k / 30, "annotator_labels": [LABELS[k % 3]] * 3}

    return run_of(set_of("base.x", info=info))


def benchmark() -> Run:
    corpora = {"sick": {"key": "sick", "title": "SICK", "protocol": "human judged", "complete": True}}
    places = {**corpora, "snli_test": {"reference": True}}
    return run_of(*(set_of(f"corpus.{key}", cross_dataset=place) for key, place in places.items()))


def claims() -> Run:
    """Two data sets of a benchmark, of claims that every other is supported."""
    rows = [(f"{k // 2} cats", 1 - k % 2, (0.8, 0.1)[k % 2 if k % 5 else 1 - k % 2]) for k in range(24)]
    return claims_of(benchmark="true", frank=rows, paws=rows)


def swaps() -> Run:
    def info(k: int) -> dict[str, Any]:
        control = LABELS[(k - k % 2) % 3]
        return {"seen": k % 4 > 0, "polarity": LABELS[k % 2], "control_label": control}

    return run_of(set_of("base.x"), set_of("i_th.x", GOLDS, info, base_set="base.x"))


def pairs() -> Run:
    words = ("hot/cold", "hot/cold", "big/small", "old/new", *(f"good/bad{k}" for k in range(20)))
    info = [{"pair": word, "kind": "gradable"} for word in words]
    return run_of(set_of("antonymy.x", "C" * 24, info))


def long_inputs() -> Run:
    """A run that read every other item to the end, and of every fourth nothing that was changed."""
    run, rows = stress(), np.arange(24)
    return replace(run, reading={name: ReadItems(rows % 2 == 1, rows % 4 == 1) for name in run.datasets})


def judged() -> Run:
    """Judges gave labels to every other item, two of them the gold label and one entailment."""

    def info(k: int) -> dict[str, Any]:
        return {"judge_labels": ["contradiction", "contradiction", "entailment"]} if k % 2 else {}

    return run_of(set_of("so_swap.snli", "C" * 24, info))


def tree_reader() -> Run:
    """A run of a model that reads parses, which half of the items of each test set have."""
    entry = PredictedSet(rows=24, of_rows=24, content_hash="", signature=None, parsed=12)
    return stress(test_sets={"base.x": entry, "negation.x": entry})


def chaotic() -> Run:
    """A corpus of which people's labels are known."""
    votes = ((6, 3, 1), (2, 7, 1), (1, 2, 7))

    def info(k: int) -> dict[str, Any]:
        counts = votes[k % 3]
        shares = [count / 10 for count in counts]
        return {"label_distribution": shares, "votes": list(counts), "old_label": LABELS[k % 3]}

    return run_of(set_of("base.x", info=info))


def challenged() -> Run:
    """A challenge set with two slicings of its own."""

    def info(k: int) -> dict[str, Any]:
        return {"section": f"{k % 2} plurals", "single_premise": k % 3 > 0, "premises": str(k % 3)}

    place = {"name": "fracas", "title": "FraCaS", "of": 24}
    return run_of(set_of("base.fracas", info=info, challenge=place))


def annotated() -> Run:
    """Pairs of MultiNLI of which some are tagged."""

    def info(k: int) -> dict[str, Any]:
        return {} if k % 4 == 0 else {"annotations": [["ANTO"], ["ANTO", "MODAL"], ["MODAL"]][k % 4 - 1]}

    return run_of(set_of("base.multinli_annotated_matched", info=info))


def elsewhere() -> Run:
    """A run of the same model over other premises."""
    other = set_of("base.y", "ENC" * 50)
    items = [replace(item, premise=f"Tom has {k} dogs.") for k, item in enumerate(other)]
    return run_of(replace(other, examples=items))


def asked_with(template: str = "first") -> Run:
    """A run of a model that was asked with a prompt template."""
    run = stress(details={"template": {"name": template}})
    return replace(run, model=f"lm/x [{template}]")


def asked_again() -> Run:
    """A run of a model that was asked again, with other answers."""
    repeat = {"pairs": 100, "times": 2, "flips": 3, "value": 0.015, "low": 0.004, "high": 0.05}
    return stress(details={"repeat": repeat})


def silent() -> Run:
    """A run of a model that did not answer one item of each test set."""
    run = stress()
    told = Outcomes.of([Outcome("refused" if k == 1 else "answered") for k in range(24)], 24)
    for rows in run.probabilities.values():
        rows[1] = np.nan
    return replace(run, outcomes=dict.fromkeys(run.datasets, told))


def inconsistent() -> Run:
    """A run of a model that contradicts itself about every third example."""
    base = set_of("base.x")
    items = tuple(
        replace(item, id=f"c{k}", premise=item.hypothesis, hypothesis=item.premise, base=item.id, label=None)
        for k, item in enumerate(base)
    )
    facts = {"construction": "symmetry", "part": "x", "base_set": "base.x", "test_class": "consistency"}
    run = run_of(base)
    rows = np.roll(run.probabilities["base.x"], 1, axis=0)
    rows[::2] = run.probabilities["base.x"][::2]
    return replace(
        run,
        datasets={**run.datasets, "symmetry.x": Dataset("symmetry.x", items, {**facts, "yield": YIELD})},
        probabilities={**run.probabilities, "symmetry.x": rows},
    )


BY_KEY: Final = {section.key: section for section in SECTIONS}
#: The formats of reports on any number of models; a card describes one.
WITH_SECTIONS: Final = (".html", ".md", ".tex", ".csv", ".json")
#: For each section a run that has it.
RUNS: Final[Mapping[str, Callable[[], Run]]] = dict.fromkeys(BY_KEY, stress) | {
    "predicted": adversary, "misleading": lexical, "highest": lexical,
    "benchmark": benchmark, "corpora": benchmark, "gain": benchmark,
    "behaviour": swaps, "factors": swaps, "counts": swaps,
    "keys": pairs, "by_key": pairs, "joint": pairs, "kinds": pairs, "seen": pairs,
    "truncation": long_inputs, "judged": judged, "parses": tree_reader, "people": chaotic,
    "published_slices": annotated, "templates": asked_with, "noise": asked_again,
    "unanswered": silent, "lacking": silent, "challenge": challenged, "challenge_more": challenged,
    "checking": claims, "checked": claims,
    "consistency": inconsistent, "by_label": inconsistent, "violations": inconsistent,
}  # fmt: skip
#: The sections of exactly two models.
OF_TWO: Final = {
    "against", "only_one", "by_key", "joint", "kinds", "seen", "gain", "lacking", "paired", "checked",
    "violations",
}  # fmt: skip
#: The sections of three models or more.
OF_SEVERAL: Final = {"ranks", "pairs", "first_pairs", "agreement", "agreements", "alone"}
#: A model over test sets that only the section *seen* asks for: pairs of training.
TRAINING: Final = Example("t", "It is hot, old and big.", "It is cold, new and small.", "contradiction")


class Case(NamedTuple):
    """What a report is made of: a *run*, so many *models*, and the *special* section that it is for."""

    run: Callable[[], Run]
    models: int
    special: str = ""


def case_of(section: Section) -> Case:
    models = 3 if section.key in OF_SEVERAL else 2 if section.key in OF_TWO else 1
    with_options = section.key in {"templates", "gain", "seen", "published_slices", "temperature"}
    special = section.key if with_options else "calibration" if section.on_request else ""
    return Case(RUNS[section.key], models, special)


@cache
def results(case: Case) -> Results:
    runs = [case.run(), *others(case.run())][: case.models]
    runs += [asked_with("second")] if case.special == "templates" else []
    seen = TrainingPairs("mine.csv", WordPairIndex.build([TRAINING])) if case.special == "seen" else None
    return results_of(
        runs,
        ReportOptions(
            published_rows=case.special == "published_slices",
            items=5,
            relative_to=1 if case.special == "gain" else None,
            training=seen,
            calibration=case.special == "calibration",
            temperature_from=[elsewhere()] if case.special == "temperature" else [],
        ),
    )


@cache
def rendered(case: Case, form: str) -> str:
    """Return the report of *case*, which sections share, in a format."""
    of = results(case)
    if form != "terminal":
        return RENDERERS[f".{form}"](of)
    return terminal(Report(tuple(of.runs), of.options), 200)


@cache
def shown(case: Case) -> Mapping[str, str]:
    """Return the titles of the sections on the page, by key, with those inside of others."""
    pages = page_sections(results(case))
    return {each.section.key: each.title for page in pages for each in (page, *page.inside)}
