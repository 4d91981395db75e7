"""Results of one model with several templates: which runs belong together, and what is counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Example
from crossexam.core.labels import LABELS, Gold
from crossexam.core.outcome import Outcome, Outcomes
from crossexam.evaluation.templates import template_of, template_results
from crossexam.reports.analyses.provenance import run_table
from crossexam.reports.analyses.templates import TEMPLATES
from crossexam.reports.results import ReportOptions, model_names, results_of


def _run(model: str, template: str | None, answers: str, golds: str = "encx", **details: Any) -> Run:
    """Return a run over a test set of *golds*; *answers* are initials of labels, "-" for no answer."""
    by_initial: dict[str, Gold] = {label[0]: label for label in LABELS} | {"x": "not_entailment"}
    examples = tuple(
        Example(f"i{k}", f"Premise {k}.", "Hypothesis.", by_initial.get(gold) if gold != "?" else None)
        for k, gold in enumerate(golds)
    )
    table = np.array(
        [[np.nan] * 3 if each == "-" else [float(label[0] == each) for label in LABELS] for each in answers]
    )
    outcomes = [Outcome("cut") if each == "-" else Outcome() for each in answers]
    facts = {"details": {**({"template": {"name": template}} if template else {}), **details}}
    return Run(
        model, {"tiny": Dataset("tiny", examples)}, {"tiny": table}, facts, {},
        {"tiny": Outcomes.of(outcomes, len(answers))},
    )  # fmt: skip


def test_runs_of_one_model_belong_together_whatever_their_names_say() -> None:
    assert template_of(_run("lm/x [gpt3]", "gpt3", "enc", "enc")) == ("lm/x", "gpt3")
    assert template_of(_run("api/x", "words", "enc", "enc")) == ("api/x", "words")
    assert template_of(_run("lm/x [my/own.toml]", "own", "enc", "enc")) == ("lm/x", "own")
    chunked = _run("lm/x [gpt3] [words:300,max]", "gpt3", "enc", "enc")
    assert template_of(chunked) == ("lm/x [words:300,max]", "gpt3")
    assert template_of(_run("hf/x", None, "enc", "enc")) is None
    runs = [
        _run("lm/x [a]", "a", "enc", "enc"),
        _run("hf/y", None, "nnn", "enc"),
        _run("lm/x [b]", "b", "eec", "enc"),
        _run("lm/z [a]", "a", "eec", "enc"),
    ]
    found = template_results(runs)
    assert [(each.model, list(each.accuracies)) for each in found] == [("lm/x", ["a", "b"])]
    assert (found[0].lowest, found[0].highest) == ("b", "a")
    assert found[0].spread.value == pytest.approx(1 / 3)
    assert found[0].sensitivity.value == pytest.approx(np.log(2) / np.log(3) / 3)


def test_only_items_answered_with_all_templates_are_compared() -> None:
    """The item without gold counts for the sensitivity; the unanswered one for neither."""
    runs = [_run("lm/x", "a", "ennc", "enn?"), _run("lm/x", "b", "-nce", "enn?")]
    (found,) = template_results(runs, max_unanswered=0.34)
    assert template_results(runs) == ()  # a third is too many
    assert [estimate.value for estimate in found.accuracies.values()] == [1.0, 0.5]
    assert [estimate.n for estimate in found.accuracies.values()] == [2, 2]
    assert found.unanswered == 1
    assert found.sensitivity.n == 3
    assert found.sensitivity.value == pytest.approx(2 / 3 * np.log(2) / np.log(3))


def test_templates_of_two_labels_are_compared_on_two() -> None:
    runs = [_run("lm/x", "a", "enc", "enc"), _run("lm/x", "b", "enn", "enc", two_label=True)]
    (found,) = template_results(runs)
    assert [estimate.value for estimate in found.accuracies.values()] == [1.0, 1.0]
    assert found.sensitivity.value == 0.0


def test_a_template_that_two_runs_have_is_numbered() -> None:
    runs = [_run("lm/x", "a", "enc", "enc"), _run("lm/x", "a", "enn", "enc")]
    assert list(template_results(runs)[0].accuracies) == ["a (1)", "a (2)"]


def test_runs_of_one_name_are_told_apart_by_their_templates() -> None:
    runs = [_run("api/x", each, "enc", "enc") for each in ("a", "b", "b")]
    assert model_names(runs) == ["api/x [a]", "api/x [b] (1)", "api/x [b] (2)"]
    assert model_names([*runs[:1], _run("lm/x [a]", "a", "enc", "enc")]) == ["api/x", "lm/x [a]"]


def test_runs_that_differ_in_shots_or_answers_say_so() -> None:
    runs = [
        _run("api/x", "a", "enc", "enc", answer="choice", shots={"count": 4, "from": "snli:dev", "seed": 0}),
        _run("api/x", "a", "enc", "enc", answer="choice"),
        _run("api/x", "a", "enc", "enc", answer="text"),
    ]
    assert model_names(runs) == [
        "api/x [a] [shots 4, answer choice]",
        "api/x [a] [no shots, answer choice]",
        "api/x [a] [no shots, answer text]",
    ]


def test_the_properties_of_a_run_say_how_it_was_asked_and_not_where_the_server_computes() -> None:
    served = _run("api/x", "a", "enc", "enc", answer="choice", endpoint="http://127.0.0.1:1/v1")
    for run, device in ((served, []), (_run("hf/x", None, "enc", "enc"), ["cpu"])):
        run.manifest["device"] = "cpu"
        found = {row[1]: row[2] for row in run_table(results_of([run])).rows}
        assert [found[name] for name in ("device",) if name in found] == device
        assert found.get("answer") == ("choice" if run is served else None)
        assert found.get("endpoint") == ("http://127.0.0.1:1/v1" if run is served else None)


def test_the_report_shows_lowest_highest_spread_and_sensitivity() -> None:
    runs = [_run("lm/x [a]", "a", "ennc", "enn?"), _run("lm/x [b]", "b", "-nce", "enn?")]
    (table,) = TEMPLATES.sections[0].tables_of(results_of(runs, ReportOptions(max_unanswered=0.34)))
    assert [column.header.strip() for column in table.columns] == [
        "Model", "Test set", "Templates", "Lowest accuracy", "with", "Highest accuracy", "with", "Spread",
        "Sensitivity", "Unanswered",
    ]  # fmt: skip
    row = table.rows[0]
    assert (row[0], row[2], row[4], row[6], row[9]) == ("lm/x", 2, "b", "a", 1)
    assert TEMPLATES.sections[0].tables_of(results_of(runs[:1])) == []


def test_the_report_says_which_templates_left_too_much_unanswered() -> None:
    runs = [_run("lm/x [a]", "a", "ennc", "enne"), _run("lm/x [b]", "b", "-nce", "enne")]
    whole = [_run("lm/z [a]", "a", "ennc", "enne"), _run("lm/z [b]", "b", "ence", "enne")]
    (table,) = TEMPLATES.sections[0].tables_of(results_of([*runs, *whole]))
    assert [row[0] for row in table.rows] == ["lm/z"]
    said = "Left out, because more than 5 % of the items lack an answer with some template"
    assert f"{said}: tiny of lm/x." in table.notes
