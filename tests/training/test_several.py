"""Seeds and grids on the workers of an engine: the models of this process, in folders that it sees."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from crossexam.core.settings import grid
from crossexam.corpora.trained import DevScores, TrainedFolder, TrainedManifest
from crossexam.engines.engine import InThisProcess
from crossexam.engines.local import Processes
from crossexam.training.several import best_of_grid, train_grid, train_seeds
from made.cases import refused
from made.suites import contents


@pytest.mark.slow
def test_models_are_those_of_this_process_and_resume_by_folder(request_of: Any, tmp_path: Path) -> None:
    notes: list[str] = []

    def trained(folder: str, engine: Processes | None) -> dict[str, bytes]:
        request = request_of("cbow", folder, values={"epochs": "1"}, note=notes.append)
        train_grid(request, grid(["lr=0.1,0.001"]), [0, 1], engine)
        return {name: data for name, data in contents(tmp_path / folder).items() if ".safetensors" in name}

    alone, several = trained("alone", None), trained("several", Processes(2))
    assert several.keys() == alone.keys()
    assert len(alone) == 4
    for name in ("sweep.json", "lr=0.1/seeds.json"):
        assert (tmp_path / "several" / name).read_text() == (tmp_path / "alone" / name).read_text()
    assert [note for note in notes if "(4 of 4)" in note and "lr=0.001" in note and "seed-1" in note]
    assert trained("several", Processes(2)) == several


def test_the_best_settings_are_those_of_the_highest_mean_the_first_of_equals() -> None:
    def models(*accuracies: float) -> list[TrainedFolder]:
        scores = [DevScores(dev_accuracy=each, dev_loss=1.0) for each in accuracies]
        manifests = [TrainedManifest(kind="x", scores=each, fingerprint={}, versions={}) for each in scores]
        return [TrainedFolder(Path(), each) for each in manifests]

    found = {"a": models(50, 61), "b": models(57, 58), "c": models(58, 57), "d": models(40, 70)}
    assert best_of_grid(found) == "b"


def test_a_node_that_has_not_the_folder_is_named(request_of: Any) -> None:
    request = request_of()

    def results(start: Any, tasks: Iterable[Any], *, ordered: bool = True) -> Iterator[Any]:
        request.folder.rmdir()
        yield from InThisProcess().results(start, tasks)

    said = refused(train_seeds, request, [0, 1], SimpleNamespace(workers=2, results=results))
    assert "the folder for the models is not on the node" in said
