"""Studies as tasks for Label Studio, and what it exports read back (its JSON, not JSON_MIN).

Format: https://labelstud.io/guide/task_format and https://labelstud.io/guide/export.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import quoteattr

from crossexam.core.errors import FormatError
from crossexam.core.files import write_text
from crossexam.validation.questions import QUESTIONS, in_order
from crossexam.validation.spreadsheet import value_of
from crossexam.validation.study import Answer, Item, Study

_TO: Final = "hypothesis"  # the tag that answers are about


def labelling_config(study: Study) -> str:
    """Return the labelling configuration: two texts, and choices with the page's keys for each question."""
    questions = in_order(key for item in study.items.values() for key in item.asked)
    errors = any(item.predicted for item in study.items.values())
    lines = ["<View>"]
    for side in ("premise", "hypothesis"):
        lines += [f'  <Header value="{side.capitalize()}"/>', f'  <Text name="{side}" value="${side}"/>']
    if errors:
        lines += [
            '  <Header value="Gold label, and what the model answered"/>',
            '  <Text name="error" value="$error"/>',
        ]
    for key in questions:
        question = QUESTIONS[key]
        asked_of_all = all(key in item.asked for item in study.items.values())
        words = question.words if asked_of_all else f"{question.words} (where the task asks: {key})"
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


def write_tasks(study: Study, path: Path, *, judges: Sequence[str], with_answers: bool = False) -> Path:
    """Write *study* as tasks to *path* and the configuration beside it; return the path of the latter.

    Tasks are in the order of a single judge, else in an order that says nothing.
    """
    given: dict[int, dict[str, dict[str, str]]] = {}
    for answer in study.answers() if with_answers else ():
        if answer.judge in judges:
            given.setdefault(answer.item, {}).setdefault(answer.judge, {})[answer.question] = answer.value
    numbers = study.order(judges[0]) if len(judges) == 1 else list(study.items)
    tasks = [_task(study.items[number], given.get(number, {})) for number in numbers]
    write_text(path, json.dumps(tasks, ensure_ascii=False, indent=1) + "\n")
    config = path.with_suffix(".xml")
    write_text(config, labelling_config(study))
    return config


def _task(item: Item, given: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    data = {
        "item": item.name,
        "premise": item.premise,
        "hypothesis": item.hypothesis,
        "asked": ", ".join(item.asked),
    }
    if item.predicted:
        signs = "; ".join(f"{category}: {why}" for category, why in item.suggested)
        data["error"] = f"{item.gold}, answered {item.predicted}. Signs: {signs}"
    annotations = [
        {
            "completed_by": {"email": judge},
            "result": [
                {"from_name": question, "to_name": _TO, "type": "choices", "value": {"choices": [value]}}
                for question, value in answers.items()
            ],
        }
        for judge, answers in given.items()
    ]
    return {"data": data, **({"annotations": annotations} if annotations else {})}


def read_tasks(study: Study, path: Path, *, names: Mapping[str, str] | None = None) -> list[Answer]:
    """Return the answers in Label Studio's export *path*; *names* says which judge an annotator is.

    An annotator is a user's number or e-mail address, as the export has it.  Cancelled annotations are none;
    answers to questions that an item is not asked are left out, since every task shows all questions.
    Raises FormatError that names the task, by its place in the file.
    """
    try:
        tasks = json.loads(path.read_text(encoding="utf-8-sig"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        line = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise FormatError(f"not JSON: {error}", where=f"{path}{line}") from None
    if not isinstance(tasks, list):
        raise FormatError("not a list of tasks", where=str(path), wanted="Label Studio's export, JSON")
    by_name = {item.name: item for item in study.items.values()}
    answers: dict[tuple[str, int, str], Answer] = {}
    for place, task in enumerate(tasks, 1):
        where = f"{path}, task {place}"
        for answer in _of_task(study, task, by_name, names or {}, where):
            known = answers.setdefault(answer[:3], answer)
            if known.value != answer.value:
                raise FormatError(
                    f"'{answer.judge}' gives two answers to '{answer.question}'",
                    where=where,
                    hint="delete one of the annotations",
                )
    return list(answers.values())


def _of_task(
    study: Study, task: Any, by_name: Mapping[str, Item], names: Mapping[str, str], where: str
) -> Iterator[Answer]:
    try:
        name = task["data"]["item"]
        annotations = task.get("annotations") or []
        item = by_name.get(name)
        if item is None:
            raise FormatError(f"the study has no item '{name}'", where=where, wanted="field 'data.item'")
        for annotation in annotations:
            if annotation.get("was_cancelled"):
                continue
            judge = _judge(study, annotation, names, where)
            for result in annotation["result"]:
                question = result.get("from_name")
                if result.get("type") != "choices" or question not in item.asked:
                    continue
                (choice,) = result["value"]["choices"]
                yield Answer(judge, item.number, question, value_of(question, str(choice), where=where))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise FormatError(
            f"not a task of this study ({type(error).__name__}: {error})",
            where=where,
            wanted="data.item, and annotations[].result[].value.choices with one choice each",
        ) from None


def _judge(study: Study, annotation: Mapping[str, Any], names: Mapping[str, str], where: str) -> str:
    who = annotation.get("completed_by")
    known = [who.get("email"), who.get("id")] if isinstance(who, dict) else [who]
    found = [str(each) for each in known if each is not None]
    judge = next((names.get(each, each) for each in found if names.get(each, each) in study.judges), None)
    if judge is None:
        shown = " or ".join(f"'{each}'" for each in found) or "nobody"
        raise FormatError(
            f"the annotator {shown} is no judge of the study",
            where=where,
            wanted=", ".join(study.judges),
            hint=f"--judge {found[0] if found else 'NAME'}={next(iter(study.judges))}",
        )
    return judge
