"""Which questions are asked about the items of a construction."""

from collections.abc import Callable
from typing import Any

from crossexam.core.dataset import Dataset
from crossexam.validation.questions import chosen_questions, questions_for


def test_questions_go_with_constructions(items: Any, study_of: Any, refused: Callable[..., str]) -> None:
    base = Dataset("base.dev", items("x", "E").examples, {"construction": "base"})
    study = study_of(base, items("antonymy", "C"), items("numerical_reasoning", "E"))
    assert {item.test_set: item.asked for item in study.items.values()} == {
        "antonymy.dev": ("label", "grammatical"),
        "numerical_reasoning.dev": ("label", "grammatical", "trivial"),
    }  # and nothing of the base
    assert questions_for("anything.v1", is_swap=True) == ("label", "sensible")
    assert "shows the gold label" in refused(chosen_questions, ["label", "category"])
