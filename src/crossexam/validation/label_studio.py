"""Studies as tasks for Label Studio, and judgements from its export as JSON (not JSON_MIN).

Format: https://labelstud.io/guide/task_format and https://labelstud.io/guide/export.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import quoteattr

from crossexam.core.errors import FormatError
from crossexam.core.files import json_problem, write_text
from crossexam.core.output.escapes import json_text
from crossexam.validation.answer_log import Judgement
from crossexam.validation.questions import QUESTIONS, exported_questions
from crossexam.validation.spreadsheet import value_of
from crossexam.validation.study import Item, Study

_TO: Final = "hypothesis"  # the tag that the choices annotate


def labelling_config(study: Study, questions: Sequence[str] | None = None) -> str:
    """Return the labelling configuration: two texts, and the choices of each of *questions*, or of all."""
    chosen, items = _shown(study, questions)
    errors = any(item.predicted for item in items)
    lines = ["<View>"]
    for side in ("premise", "hypothesis"):
        lines += [f'  <Header value="{side.capitalize()}"/>', f'  <Text name="{side}" value="${side}"/>']
    if errors:
        lines += [
            '  <Header value="Gold label and prediction"/>',
            '  <Text name="error" value="$error"/>',
        ]
    if items[0].revealed(chosen[0]):
        lines += ['  <Header value="For this question"/>', '  <Text name="revealed" value="$revealed"/>']
    for key in chosen:
        question = QUESTIONS[key]
        asked_of_all = all(key in item.asked for item in items)
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


def write_tasks(
    study: Study,
    path: Path,
    *,
    judges: Sequence[str],
    questions: Sequence[str] | None = None,
    with_answers: bool = False,
) -> Path:
    """Write *study* as tasks to *path*; return the path of the labelling configuration, in the same folder.

    Tasks are in the order of the judge if there is one, else in the random order of the items' numbers.
    *questions* None stands for all questions; items that none of them is asked about are left out.  Raises
    CrossexamError for questions that cannot be seen together.
    """
    chosen, items = _shown(study, questions)
    given: dict[int, dict[str, dict[str, str]]] = {}
    for judgement in study.judgements() if with_answers else ():
        if judgement.judge in judges and judgement.question in chosen:
            of_item = given.setdefault(judgement.item, {})
            of_item.setdefault(judgement.judge, {})[judgement.question] = judgement.value
    if len(judges) == 1:
        places = {number: place for place, number in enumerate(study.order(judges[0]))}
        items.sort(key=lambda item: places[item.number])
    tasks = [_task(item, chosen, given.get(item.number, {})) for item in items]
    write_text(path, json_text(tasks, indent=1) + "\n")
    config = path.with_suffix(".xml")
    write_text(config, labelling_config(study, questions))
    return config


def _shown(study: Study, questions: Sequence[str] | None) -> tuple[list[str], list[Item]]:
    """Return the questions of the tasks, and the items that at least one of them is asked about."""
    items = study.items.values()
    chosen = exported_questions((key for item in items for key in item.asked), questions)
    return chosen, [item for item in items if set(chosen) & set(item.asked)]


def _task(item: Item, questions: Sequence[str], given: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    data = {
        "item": item.name,
        "premise": item.premise,
        "hypothesis": item.hypothesis,
        "asked": ", ".join(key for key in item.asked if key in questions),
    }
    if revealed := item.revealed(questions[0]):
        data["revealed"] = "; ".join(f"{name}: {text}" for name, text in revealed.items() if text)
    if item.predicted:
        hints = "; ".join(f"{category}: {why}" for category, why in item.suggested)
        data["error"] = f"{item.gold}, predicted {item.predicted}. Hints: {hints}"
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
    by_name = {item.name: item for item in study.items.values()}
    judgements: dict[tuple[str, int, str], Judgement] = {}
    for place, task in enumerate(tasks, 1):
        where = f"{path}, task {place}"
        for judgement in _of_task(study, task, by_name, names or {}, where):
            known = judgements.setdefault(judgement[:3], judgement)
            if known.value != judgement.value:
                raise FormatError(
                    f"'{judgement.judge}' gives two answers to '{judgement.question}'",
                    where=where,
                    hint="delete one of the annotations",
                )
    return list(judgements.values())


def _of_task(
    study: Study, task: Any, by_name: Mapping[str, Item], names: Mapping[str, str], where: str
) -> Iterator[Judgement]:
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
