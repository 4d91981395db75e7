"""Details of lighteval, ``details_TASK|SHOTS_DATE.parquet``, with the results in a folder beside theirs."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from crossexam.core.errors import FormatError
from crossexam.models.logs.replies import Log, Reply, forms_of, refuse_several_models, refuse_twice

_NAME: Final = re.compile(r"details_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)\.parquet")
_COLUMNS: Final = ("doc", "model_response")


def details_at(path: Path) -> list[Path]:
    """Return the details at *path*, a file or a folder that has them at any depth; none if it has none."""
    if path.is_file():
        return [path] if _NAME.fullmatch(path.name) else []
    return sorted(each for each in path.rglob("details_*.parquet") if _NAME.fullmatch(each.name))


def read_details(files: Sequence[Path]) -> Log:
    """Return the replies in *files*; raises FormatError if a task is there twice, or rows are not details."""
    tasks: dict[str, Path] = {}
    for path in files:
        task = _named(path)["task"]
        refuse_twice(task, tasks.setdefault(task, path), path)
    refuse_several_models(sorted({str(path.parent.parent) for path in files}), files)
    rows = [row for path in files for row in _rows(path)]
    facts = {"tasks": sorted(tasks), **_facts(files[0]), **_truncation(rows)}
    return Log("lighteval", facts, [_reply(*row) for row in rows], files)


def _named(path: Path) -> re.Match[str]:
    match = _NAME.fullmatch(path.name)
    assert match is not None
    return match


def _facts(path: Path) -> dict[str, Any]:
    """Return what the results of the run that wrote *path* say of its model, if they are there."""
    model = path.parent.parent  # OUT/details/MODEL/DATE/FILE and OUT/results/MODEL/results_DATE.json
    name = f"results_{_named(path)['date']}.json"
    for parent in model.parents:
        if parent.name != "details":
            continue
        results = parent.parent / "results" / model.relative_to(parent) / name
        try:
            config = json.loads(results.read_text(encoding="utf-8"))["config_general"]
            stated = config.get("model_config") or {}
            facts = {"model": config.get("model_name"), "lighteval_sha": config.get("lighteval_sha")}
            return facts | {"dtype": stated.get("dtype"), "revision": stated.get("revision")}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return {}  # it only adds to what the details say
    return {}


#: The columns doc and model_response of a row, and its place for errors.
_Row = tuple[Mapping[str, Any], Mapping[str, Any], str]


def _rows(path: Path) -> list[_Row]:
    from crossexam.core.stored.parquet import ParquetRows

    try:
        rows = list(ParquetRows(path).records(_COLUMNS))
    except FormatError as error:
        raise FormatError(f"not details of lighteval: {error.what}", where=str(path)) from None
    places = (f"{path}, row {number}" for number in range(1, len(rows) + 1))
    found = [(row["doc"], row["model_response"], place) for row, place in zip(rows, places, strict=True)]
    for doc, response, place in found:
        if not isinstance(doc, Mapping) or not isinstance(response, Mapping):
            raise _not_a_detail(place, "doc or model_response is not a struct")
    return found


def _truncation(rows: Sequence[_Row]) -> dict[str, Any]:
    """Return a warning if prompts were truncated: the model did not read all of these pairs."""
    count = sum(bool(response.get("truncated_tokens_count")) for _, response, _ in rows)
    if not count:
        return {}
    return {
        "truncated": {"items": count, "warning": f"lighteval truncated {count:,} of {len(rows):,} prompts"}
    }


def _reply(doc: Mapping[str, Any], response: Mapping[str, Any], where: str) -> Reply:
    try:
        item = doc.get("specific") or {}
        choices = item.get("choices") or [choice.strip() for choice in doc["choices"]]
        reply = Reply(
            where,
            item.get("id"),
            item.get("test_set"),
            item.get("premise"),
            item.get("hypothesis"),
            forms_of(item.get("labels"), choices),
            prompt=doc["query"],
        )
        if response["logprobs"]:
            numbers = [float(number) for number in response["logprobs"]]
            if any(map(math.isnan, numbers)):
                raise ValueError("a log-likelihood is not a number")
            return reply._replace(choices=choices, likelihoods=numbers)
        return reply._replace(texts=response.get("text_post_processed") or response["text"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _not_a_detail(where, f"{type(error).__name__} {error}") from None


def _not_a_detail(where: str, reason: str) -> FormatError:
    return FormatError(
        f"the row is not a detail of lighteval: {reason}",
        where=where,
        wanted="doc with query and choices, and model_response with logprobs or text",
    )
