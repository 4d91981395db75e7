"""Tasks for Label Studio hide what judges must not see, come back, and errors name the task."""

import json
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.errors import FormatError
from crossexam.validation.exchange import sheet_of
from crossexam.validation.label_studio import read_tasks, write_tasks
from crossexam.validation.study import Study
from made.cases import refused


def exported(path: Path, who: object) -> list[dict[str, Any]]:
    """What Label Studio makes of our tasks: annotations with ids, and much that we do not read."""
    tasks: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    for number, task in enumerate(tasks, 1):
        common = {"to_name": "hypothesis", "type": "choices", "origin": "manual"}
        result = [
            {"id": f"r{number}{name}", "from_name": name, "value": {"choices": [value]}, **common}
            for name, value in (("label", "neutral"), ("grammatical", "no"))
        ]
        given = {"id": number, "completed_by": who, "was_cancelled": False, "result": result}
        cancelled = {"id": 99, "completed_by": 77, "was_cancelled": True, "result": []}
        task |= {"id": number, "project": 1, "predictions": [], "annotations": [given, cancelled]}
    return tasks


@pytest.mark.parametrize("who", [3, {"id": 3, "email": "ann@example.org"}, {"email": "ann@example.org"}])
def test_tasks_come_back(study: Study, tmp_path: Path, who: object) -> None:
    path = tmp_path / "x.json"
    config = write_tasks(sheet_of(study, ["judge-2"]), path)
    text = path.read_text(encoding="utf-8") + config.read_text(encoding="utf-8")
    assert not any(secret in text for secret in ("secret", "antonymy", *study.judges.values()))
    tasks = json.dumps(exported(path, who))
    path.write_text(tasks, encoding="utf-8")
    names = {"3": "judge-1", "ann@example.org": "judge-1"}
    answers = read_tasks(study, path, names=names)
    assert len(answers) == 5 + 4  # the item that is not asked for its grammar is left alone
    assert {answer.judge for answer in answers} == {"judge-1"}
    assert study.record_all(answers, source="x.json") == 9
    assert study.record_all(read_tasks(study, path, names=names), source="x.json") == 0
    write_tasks(sheet_of(study, with_answers=True), path)
    assert set(read_tasks(study, path)) == set(study.judgements())
    path.write_text(tasks, encoding="utf-8")
    with pytest.raises(FormatError, match=r"the annotator .* is not a judge"):
        read_tasks(study, path)


def test_errors_name_the_task(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_tasks(sheet_of(study, ["judge-1"]), path)
    text = json.dumps(exported(path, "judge-1"), indent=1)
    for old, new, message in (
        ('"neutral"', '"red"', "task 1: 'red' is not an answer to 'label'"),
        ('"data"', '"date"', "task 1: not a task of this study"),
        ("[\n", "[,\n", "line 1: not JSON"),
        (text, "{}", "not a list of tasks"),
    ):
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        assert message in refused(FormatError, read_tasks, study, path)
