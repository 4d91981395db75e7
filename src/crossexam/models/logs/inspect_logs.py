"""Logs of Inspect: ``.eval`` files, which inspect-ai reads, and ``.json`` files, which need nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.files import json_problem
from crossexam.core.output.escapes import quoted
from crossexam.models.logs.replies import Log, Reply, field_text, label_forms, refuse_several_models

#: How Inspect calls the ends of texts that a chat endpoint calls otherwise.
_FINISH: Final = {"max_tokens": "length", "model_length": "length", "content_filter": "content_filter"}
_WANTED: Final = "a log of Inspect, converted to JSON"
_NOT_READ: Final = {"events", "store", "attachments"}


def logs_at(path: Path) -> list[Path]:
    """Return the logs at *path*, a file or a folder in which they lie; none if it has none."""
    if path.is_file():
        return [path] if path.suffix == ".eval" or (path.suffix == ".json" and _is_log(path)) else []
    found = sorted(path.glob("*.eval"))
    return found or [each for each in sorted(path.glob("*.json")) if _is_log(each)]


def _is_log(path: Path) -> bool:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError, UnicodeDecodeError):
        return False
    return isinstance(document, dict) and "samples" in document and "eval" in document


def read_logs(files: Sequence[Path]) -> Log:
    """Return the replies in *files*; raises CrossexamError if inspect-ai is missing, FormatError."""
    facts: dict[str, Any] = {"tasks": [], "models": [], "versions": []}
    replies = []
    for path in files:
        header, samples = _from_json(path) if path.suffix == ".json" else _from_eval(path)
        about = header.get("eval")
        if not isinstance(about, dict) or not isinstance(about.get("packages") or {}, dict):
            raise FormatError("field 'eval' does not describe a log", where=str(path), wanted=_WANTED)
        for key, value in (
            ("tasks", about.get("task")),
            ("models", about.get("model")),
            ("versions", (about.get("packages") or {}).get("inspect_ai")),
        ):
            if value is not None and value not in facts[key]:
                facts[key].append(value)
        replies += [_reply(sample, f"{path}, sample {quoted(sample.get('id'))}") for sample in samples]
    refuse_several_models([str(each) for each in facts["models"]], files)
    return Log("inspect", facts, replies, files)


def _from_json(path: Path) -> tuple[Mapping[str, Any], Iterator[Mapping[str, Any]]]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {json_problem(error)}", where=str(path)) from None
    samples = document["samples"]
    if not isinstance(samples, list) or not all(isinstance(each, dict) for each in samples):
        raise FormatError("field 'samples' is not a list of objects", where=str(path), wanted=_WANTED)
    return document, iter(samples)


def _from_eval(path: Path) -> tuple[Mapping[str, Any], Iterator[Mapping[str, Any]]]:
    try:
        from inspect_ai.log import read_eval_log, read_eval_log_samples
    except ImportError as error:
        raise CrossexamError(
            "reading .eval files needs inspect-ai, which is not installed",
            where=str(path),
            hint='pip install "inspect-ai>=0.3.285", or convert it elsewhere: inspect log convert --to json',
        ) from error
    try:
        header = read_eval_log(str(path), header_only=True).model_dump()
    except Exception as error:  # whatever inspect raises for a file that is damaged or not a log
        raise FormatError(f"not a log of Inspect: {error}", where=str(path)) from error
    samples = read_eval_log_samples(str(path), all_samples_required=False, exclude_fields=_NOT_READ)
    return header, (sample.model_dump() for sample in samples)


def _reply(sample: Mapping[str, Any], where: str) -> Reply:
    try:
        about = sample.get("metadata") or {}
        choices = sample["output"].get("choices") or []
        chosen = choices[0] if choices else {}
        text = _content(chosen["message"]["content"]) if chosen else None
        logprobs = chosen.get("logprobs") or {}
        labels, forms = about.get("labels") or (), about.get("choices") or ()
        return Reply(
            where,
            str(sample["id"]),
            field_text(about, "test_set"),
            field_text(about, "premise"),
            field_text(about, "hypothesis"),
            label_forms(labels, forms),
            texts=[text],
            finish=[_FINISH.get(str(chosen.get("stop_reason")), "")],
            tokens=[logprobs.get("content")],
        )
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(
            f"this is not a sample of Inspect: {type(error).__name__} {error}",
            where=where,
            wanted="a sample of a task that crossexam export inspect wrote",
        ) from None


def _content(content: str | Sequence[Mapping[str, Any]]) -> str:
    """Return the text of a message, whose content may be in parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list | tuple):
        raise TypeError("the content of the message is neither text nor a list of parts")
    return "".join(part.get("text", "") for part in content if part.get("type") == "text")
