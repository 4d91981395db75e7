"""Samples of the LM Evaluation Harness, ``samples_TASK_DATE.jsonl``, with the results beside them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from crossexam.core.errors import FormatError
from crossexam.core.files import json_problem
from crossexam.models.logs.replies import Log, Reply, field_text, forms_of, refuse_twice

_NAME: Final = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl")
_WANTED: Final = "a line of samples_TASK_DATE.jsonl with doc, arguments and resps"
_FACTS: Final = frozenset(
    "model_source model_name lm_eval_version transformers_version git_hash system_instruction_sha "
    "chat_template_sha".split()
)


def samples_at(path: Path) -> list[Path]:
    """Return the samples at *path*, a file or a folder that has them at any depth; none if it has none."""
    if path.is_file():
        return [path] if _NAME.fullmatch(path.name) else []
    return sorted(each for each in path.rglob("samples_*.jsonl") if _NAME.fullmatch(each.name))


def read_samples(files: Sequence[Path]) -> Log:
    """Return the replies in *files*; raises FormatError for a task twice, or a line that is not a sample."""
    tasks: dict[str, Path] = {}
    for path in files:
        task = _task_of(path)
        refuse_twice(task, tasks.setdefault(task, path), path)
    replies = [reply for path in files for reply in _replies(path)]
    return Log("lm-eval", {"tasks": sorted(tasks), **_facts(files)}, replies, files)


def _task_of(path: Path) -> str:
    match = _NAME.fullmatch(path.name)
    assert match is not None
    return match["task"]


def _facts(files: Sequence[Path]) -> dict[str, Any]:
    """Return what the results beside *files* say of the model and the versions."""
    facts: dict[str, Any] = {}
    for path in files:
        match = _NAME.fullmatch(path.name)
        results = path.with_name(f"results_{match['date']}.json") if match else None
        if results is None or not results.is_file():
            continue
        try:
            found = json.loads(results.read_text(encoding="utf-8"))
        except (ValueError, RecursionError, UnicodeDecodeError):
            continue  # it only adds to what the samples say
        if isinstance(found, dict):
            facts |= {key: found[key] for key in sorted(_FACTS) if found.get(key) is not None}
            config = found.get("config")
            facts |= {"model_args": config.get("model_args")} if isinstance(config, dict) else {}
    return facts


def _replies(path: Path) -> list[Reply]:
    found: list[Reply] = []
    filters: set[str] = set()
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            where = f"{path}, line {number}"
            try:
                sample = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise FormatError(f"not JSON: {json_problem(error)}", where=where) from None
            if not isinstance(sample, dict):
                raise FormatError("not a JSON object", where=where, wanted=_WANTED)
            filters.add(str(sample.get("filter")))
            found.append(_reply(sample, where))
    if len(filters) > 1:
        raise FormatError(
            f"the samples are those of several filters: {', '.join(sorted(filters))}",
            where=str(path),
            wanted="one line per item",
            hint="log a task with one filter",
        )
    return found


def _reply(sample: Mapping[str, Any], where: str) -> Reply:
    try:
        doc, replies = sample["doc"], sample["resps"]
        identity = (
            field_text(doc, "id"),
            field_text(doc, "test_set"),
            field_text(doc, "premise"),
            field_text(doc, "hypothesis"),
        )
        arguments = sample["arguments"]
        given = [arguments[f"gen_args_{k}"]["arg_1"] for k in range(len(arguments))]
        choices = doc.get("choices") or [str(each).strip() for each in given]
        forms = forms_of(doc.get("labels"), choices)
        if isinstance(given[0], str):  # a continuation: multiple choice
            numbers = [_first(reply) for reply in replies[: len(choices)]]
            return Reply(where, *identity, forms, choices=choices, likelihoods=numbers)
        texts = [str(text) for text in replies[0]]
        return Reply(where, *identity, forms, texts=texts)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise FormatError(
            f"this is not a sample of lm-eval: {type(error).__name__} {error}",
            where=where,
            wanted=_WANTED,
        ) from None


def _first(reply: Sequence[Any]) -> float:
    """Return the log-likelihood in ``[["-4.2", "False"]]``, in which numbers are texts."""
    number = float(reply[0][0])
    if math.isnan(number) or number == math.inf:
        raise ValueError(f"a log-likelihood is {number}")
    return number
