"""Samples of the items that several models get wrong and right."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from crossexam.cli.validate import app
from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.labels import LABEL_INDEX, Label
from crossexam.core.outcome import Outcome, Outcomes
from crossexam.runs.folder import save_run
from crossexam.validation.sampling import SampleRequest, sample_outcomes
from crossexam.validation.study import Judgement, open_study

LETTERS: dict[str, Label] = {"E": "entailment", "N": "neutral", "C": "contradiction"}


def items(construction: str, labels: str, **info: str) -> Dataset:
    examples = tuple(
        Example(
            f"{construction}:{n}", f"Tom has {n} boats.", f"Tom owns {n} boats.", LETTERS[letter], info=info
        )
        for n, letter in enumerate(labels)
    )
    return Dataset(f"{construction}.dev", examples, {"construction": f"{construction}.v1", "part": "dev"})


def answering(model: str, dataset: Dataset, predicted: str) -> Run:
    rows = np.eye(3)[[LABEL_INDEX[LETTERS[letter]] for letter in predicted]]
    return Run(model, {dataset.name: dataset}, {dataset.name: rows})


@pytest.mark.parametrize(
    ("wrong", "right", "expected"),
    [
        (("one", "other"), (), {0, 1, 5}),
        ((), ("one", "other"), {2, 3}),
        (("one",), ("other",), {4}),
        (("other",), ("one",), set()),
        ((), ("one",), {2, 3}),
    ],
)
def test_items_are_drawn_by_what_all_runs_get_wrong_and_right(
    tmp_path: Path, wrong: tuple[str, ...], right: tuple[str, ...], expected: set[int]
) -> None:
    dataset = items("antonymy", "CCCCCC", pair="hot/cold")
    runs = {
        "one": answering("one", dataset, "ENCCEE"),
        "other": answering("other", dataset, "EECCCE"),
    }

    def sample() -> dict[str, Any]:
        return sample_outcomes(
            tmp_path / "study",
            SampleRequest(judges=1, questions=("antonym_kind",)),
            wrong=[runs[name] for name in wrong],
            right=[runs[name] for name in right],
            origin="runs",
        )

    if not expected:
        with pytest.raises(CrossexamError, match="no item to ask about is wrong in 'other', right in 'one'"):
            sample()
        assert not (tmp_path / "study").exists()
        return
    manifest = sample()
    assert (manifest["wrong"], manifest["right"]) == (list(wrong), list(right))
    assert manifest["test_sets"]["antonymy.dev"]["of"] == len(expected)
    with open_study(tmp_path / "study") as study:
        assert {item.example for item in study.items.values()} == {f"antonymy:{n}" for n in expected}


def test_what_several_runs_get_wrong_has_no_single_prediction(tmp_path: Path) -> None:
    dataset = items("antonymy", "CC", pair="hot/cold")
    runs = [answering("one", dataset, "EE"), answering("other", dataset, "NE")]
    sample_outcomes(tmp_path / "study", SampleRequest(judges=1), wrong=runs, origin="")
    with open_study(tmp_path / "study") as study:
        assert {(item.predicted, item.asked) for item in study.items.values()} == {
            (None, ("label", "grammatical"))
        }
    with pytest.raises(CrossexamError, match="'category' is about the errors of one model, not of 2"):
        sample_outcomes(tmp_path / "other", SampleRequest(questions=("category",)), wrong=runs, origin="")


def test_runs_over_other_items_are_refused(tmp_path: Path) -> None:
    one, other = items("antonymy", "CC"), items("antonymy", "CCC")
    elsewhere = items("negation", "CC")
    runs = [answering("one", one, "EE"), answering("other", other, "EEE")]
    with pytest.raises(CrossexamError, match="'one' and 'other' were run on different items"):
        sample_outcomes(tmp_path / "study", SampleRequest(), wrong=runs, origin="")
    apart = [answering("one", one, "EE"), answering("other", elsewhere, "EE")]
    with pytest.raises(CrossexamError, match="have no test set in common"):
        sample_outcomes(tmp_path / "study", SampleRequest(), wrong=apart, origin="")


def test_unanswered_items_are_neither_wrong_nor_right(tmp_path: Path) -> None:
    dataset = items("antonymy", "CC")
    told = [Outcome("refused"), Outcome("answered")]
    silent = replace(
        answering("silent", dataset, "EE"), outcomes={dataset.name: Outcomes.of(told, len(dataset))}
    )
    silent.probabilities[dataset.name][0] = np.nan
    sample_outcomes(tmp_path / "study", SampleRequest(), wrong=[silent], origin="")
    with open_study(tmp_path / "study") as study:
        assert [item.example for item in study.items.values()] == ["antonymy:1"]


def test_the_command_takes_several_runs(tmp_path: Path) -> None:
    dataset = items("antonymy", "CCCC", pair="hot/cold")
    paths = []
    for model, predicted in (("one", "EECC"), ("other", "CEEC")):
        paths.append(str(tmp_path / model))
        save_run(answering(model, dataset, predicted), Path(paths[-1]))

    def drawn(*options: str, name: str) -> list[str]:
        study = str(tmp_path / name)
        done = CliRunner().invoke(app, ["sample", *options, "--question", "antonym_kind", "-o", study])
        assert done.exit_code == 0, done.output
        with open_study(Path(study)) as opened:
            return sorted(item.example for item in opened.items.values())

    one, other = paths
    assert drawn("--errors", one, "--errors", other, name="wrong") == ["antonymy:1"]
    assert drawn("--errors", other, "--errors", one, name="again") == ["antonymy:1"]
    assert drawn("--right-in", one, "--right-in", other, name="right") == ["antonymy:3"]
    assert drawn("--errors", one, "--right-in", other, name="apart") == ["antonymy:0"]
    with open_study(tmp_path / "wrong") as study:
        for judge in study.judges:
            study.record(Judgement(judge, 1, "antonym_kind", "complementary"))
    printed = CliRunner().invoke(app, ["verdict", str(tmp_path / "wrong")]).output
    (row,) = (line for line in printed.splitlines() if "complementary" in line)
    assert row.split("│")[1:-1] == [" complementary ", "     1 ", " 100 ", "           99 ", "           73 "]
