"""Studies as tasks for Label Studio, and judgements from its export as JSON (not JSON_MIN).

Format: https://labelstud.io/guide/task_format and https://labelstud.io/guide/export.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import quoteattr

from crossexam.core.errors import FormatError
from crossexam.core.files import json_problem, write_text
from crossexam.core.output.escapes import json_text
from crossexam.validation.answer_log import Judgement
from crossexam.validation.exchange import (
    Sheet,
    hints_of,
    item_named,
    items_by_name,
    value_of,
    without_repetitions,
)
from crossexam.validation.questions import QUESTIONS
from crossexam.validation.study import Item, Study

_TO: Final = "hypothesis"  # the tag that the choices annotate


def labelling_config(sheet: Sheet) -> str:
    """Return the labelling configuration: two texts, and the choices of each question."""
    lines = ["<View>"]
    for side in ("premise", "hypothesis"):
        lines += [f'  <Header value="{side.capitalize()}"/>', f'  <Text name="{side}" value="${side}"/>']
    if sheet.of_errors:
        lines += [
            '  <Header value="Gold label and prediction"/>',
            '  <Text name="error" value="$error"/>',
        ]
    if sheet.revealed(sheet.items[0]):
        lines += ['  <Header value="For this question"/>', '  <Text name="revealed" value="$revealed"/>']
    for key in sheet.questions:
        question = QUESTIONS[key]
        asked_of_all = all(key in item.asked for item in sheet.items)
        words = question.words if asked_of_all else f"{question.words} (only if the task asks for: {key})"
        lines += [
            f"  <Header value={quoteattr(words)}/>",
            f'  <Choices name="{key}" toName="{_TO}" choice="single-radio" '
            f'required="{str(asked_of_all).lower()}">',
            *(
                f"    <Choice value={quoteattr(choice.value)} alias={quoteattr(choice.value)} "
                f"hint={quoteattr(choice.words)}/>"
                for choice in question.choices
            ),
            "  </Choices>",
        ]
    lines += [
        '  <Header value="Questions of this task"/>',
        '  <Text name="asked" value="$asked"/>',
        "</View>",
    ]
    return "\n".join(lines) + "\n"


def write_tasks(sheet: Sheet, path: Path) -> Path:
    """Write *sheet* as tasks to *path*; return the path of the labelling configuration beside it."""
    write_text(path, json_text([_task(sheet, item) for item in sheet.items], indent=1) + "\n")
    config = path.with_suffix(".xml")
    write_text(config, labelling_config(sheet))
    return config


def _task(sheet: Sheet, item: Item) -> dict[str, Any]:
    data = {
        "item": item.name,
        "premise": item.premise,
        "hypothesis": item.hypothesis,
        "asked": ", ".join(key for key in item.asked if key in sheet.questions),
    }
    if revealed := sheet.revealed(item):
        data["revealed"] = "; ".join(f"{name}: {text}" for name, text in revealed.items() if text)
    if item.predicted:
        data["error"] = f"{item.gold}, predicted {item.predicted}. Hints: {hints_of(item)}"
    annotations = []
    for judge in sheet.judges:
        answers = ((key, sheet.given.get((judge, item.number, key))) for key in sheet.questions)
        if results := [_result(key, value) for key, value in answers if value]:
            annotations.append({"completed_by": {"email": judge}, "result": results})
    return {"data": data, **({"annotations": annotations} if annotations else {})}


def _result(question: str, value: str) -> dict[str, Any]:
    return {"from_name": question, "to_name": _TO, "type": "choices", "value": {"choices": [value]}}


def read_tasks(study: Study, path: Path, *, names: Mapping[str, str] | None = None) -> list[Judgement]:
    """Return the judgements in Label Studio's export *path*; *names* are judges by annotator.

    An annotator is the number or e-mail address of a user, as in the export.  Cancelled annotations are
    skipped, and so are answers to questions that are not asked about the item, since every task shows all
    questions.  Raises FormatError, with the position of the task in the file.
    """
    try:
        tasks = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        line = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise FormatError(
            f"not JSON: {json_problem(error)}",
            where=f"{path}{line}",
            wanted="a JSON export from Label Studio",
        ) from None
    if not isinstance(tasks, list):
        raise FormatError("not a list of tasks", where=str(path), wanted="a JSON export from Label Studio")
    known = items_by_name(study)
    places = ((task, f"{path}, task {place}") for place, task in enumerate(tasks, 1))
    return without_repetitions(
        (judgement, where)
        for task, where in places
        for judgement in _of_task(study, task, known, names or {}, where)
    )


def _of_task(
    study: Study, task: Any, known: Mapping[str, Item], names: Mapping[str, str], where: str
) -> Iterator[Judgement]:
    try:
        item = item_named(task["data"]["item"], known, where=where)
        for annotation in task.get("annotations") or []:
            if annotation.get("was_cancelled"):
                continue
            judge = _judge(study, annotation, names, where)
            for result in annotation["result"]:
                question = result.get("from_name")
                if result.get("type") != "choices" or question not in item.asked:
                    continue
                (choice,) = result["value"]["choices"]
                yield Judgement(judge, item.number, question, value_of(question, str(choice), where=where))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise FormatError(
            f"not a task of this study ({type(error).__name__}: {error})",
            where=where,
            wanted="data.item, and annotations[].result[].value.choices with one choice each",
        ) from None


def _judge(study: Study, annotation: Mapping[str, Any], names: Mapping[str, str], where: str) -> str:
    who = annotation.get("completed_by")
    identifiers = [who.get("email"), who.get("id")] if isinstance(who, dict) else [who]
    annotators = [str(identifier) for identifier in identifiers if identifier is not None]
    judges = (names.get(annotator, annotator) for annotator in annotators)
    judge = next((name for name in judges if name in study.judges), None)
    if judge is None:
        shown = " or ".join(f"'{annotator}'" for annotator in annotators) or "without a name"
        raise FormatError(
            f"the annotator {shown} is not a judge in the study",
            where=where,
            wanted=", ".join(study.judges),
            hint=f"--judge {annotators[0] if annotators else 'NAME'}={next(iter(study.judges))}",
        )
    return judge
