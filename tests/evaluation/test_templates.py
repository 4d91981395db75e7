"""Results of one model with several templates: which runs belong together, and what is counted."""

from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Run
from crossexam.evaluation.measures import measure
from crossexam.evaluation.templates import template_of, template_results
from crossexam.reports.results import model_names
from made.runs import dataset, run_of


def _run(model: str, template: str | None, said: str, golds: str, **details: Any) -> Run:
    of_template = {"template": {"name": template}} if template else {}
    return run_of({"tiny": said}, dataset("tiny", golds), model=model, **of_template, **details)


def test_runs_of_one_model_belong_together_whatever_their_names_say() -> None:
    assert template_of(_run("lm/x [my/own.toml]", "own", "ENC", "ENC")) == ("lm/x", "own")
    chunked = _run("lm/x [gpt3] [words:300,max]", "gpt3", "ENC", "ENC")
    assert template_of(chunked) == ("lm/x [words:300,max]", "gpt3")
    runs = [
        _run("lm/x [a]", "a", "ENC", "ENC"),
        _run("hf/y", None, "NNN", "ENC"),
        _run("lm/x [b]", "b", "EEC", "ENC"),
        _run("lm/z [a]", "a", "EEC", "ENC"),
    ]
    found = template_results(runs)
    assert [(each.model, list(each.accuracies)) for each in found] == [("lm/x", ["a", "b"])]
    assert (found[0].lowest, found[0].highest) == ("b", "a")
    assert found[0].spread.value == pytest.approx(1 / 3)
    assert found[0].sensitivity.value == pytest.approx(np.log(2) / np.log(3) / 3)


def test_only_items_answered_with_all_templates_are_compared() -> None:
    """The item without gold counts for the sensitivity; the unanswered one for neither."""
    runs = [_run("lm/x", "a", "ENNC", "ENN-"), _run("lm/x", "b", "?NCE", "ENN-")]
    (found,) = template_results(runs, max_unanswered=0.34)
    assert template_results(runs) == ()  # a third is too many
    assert [(each.value, each.n) for each in found.accuracies.values()] == [(1.0, 2), (0.5, 2)]
    assert found.unanswered == 1
    assert found.sensitivity.n == 3
    assert found.sensitivity.value == pytest.approx(2 / 3 * np.log(2) / np.log(3))


def test_accuracies_by_template_have_the_intervals_of_accuracies() -> None:
    """Half of the items are of one word pair, each with a premise of its own."""
    pairs = ["hot/cold"] * 20 + [f"{k}/not {k}" for k in range(20)]
    data = dataset("antonymy.dev", "C" * 40, info=[{"pair": pair} for pair in pairs])
    said = {"a": "C" * 18 + "E" * 12 + "C" * 10, "b": "E" * 18 + "C" * 22}
    runs = [
        run_of({data.name: letters}, data, model="lm/x", template={"name": name})
        for name, letters in said.items()
    ]
    (found,) = template_results(runs)
    for run, accuracy in zip(runs, found.accuracies.values(), strict=True):
        assert accuracy == measure(run)[0].accuracy
        assert accuracy.clusters == 21
    assert found.spread.clusters == 21
    assert found.sensitivity.clusters == 40


def test_runs_of_one_name_are_told_apart() -> None:
    def run(template: str, **details: Any) -> Run:
        return _run("api/x", template, "ENC", "ENC", **details)

    runs = [run(each) for each in ("a", "b", "b")]
    assert model_names(runs) == ["api/x [a]", "api/x [b] (1)", "api/x [b] (2)"]
    assert model_names([*runs[:1], _run("lm/x [a]", "a", "ENC", "ENC")]) == ["api/x", "lm/x [a]"]
    shots = {"count": 4, "from": "snli:dev", "seed": 0}
    runs = [run("a", answer="choice", shots=shots), run("a", answer="choice"), run("a", answer="text")]
    asked = ("shots 4, answer choice", "no shots, answer choice", "no shots, answer text")
    assert model_names(runs) == [f"api/x [a] [{each}]" for each in asked]
