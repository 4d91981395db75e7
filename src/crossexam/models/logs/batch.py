"""The results of OpenAI's batches, JSON lines, which ``vllm run-batch`` writes as well.

A line has the answer to the request of that ``custom_id``: the id of an item, or the identity that ``api/``
gives its requests (``--batch-out``), which names the pair.  What was asked is not in the file, so that
``--template`` has to say which answer stands for which label.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from crossexam.core.errors import FormatError
from crossexam.core.output.escapes import quoted
from crossexam.models.api.batch_files import BatchAnswer, batch_answers, is_batch_output
from crossexam.models.api.endpoint import ServerError
from crossexam.models.api.replies import said_in, status_of_rejection
from crossexam.models.label_order import PAIRS
from crossexam.models.logs.replies import Log, Reply, refuse_several_models
from crossexam.models.model import pair_digest

#: The custom_id of a request of api/: the beginning of the model's key, and the hash of the pair.
_OF_API: Final = re.compile(r"(?P<key>[0-9a-f]{12})-(?P<pair>[0-9a-f]{32})")
#: The pairs by which api/ probes a server, which begin its batches.
_PROBE: Final = frozenset(map(pair_digest, PAIRS))


def outputs_at(path: Path) -> list[Path]:
    """Return the results of batches at *path*, a file or a folder; none if it has none."""
    files = [path] if path.is_file() else sorted(path.glob("*.jsonl"))
    return [file for file in files if file.suffix == ".jsonl" and is_batch_output(file)]


def read_outputs(files: Sequence[Path]) -> Log:
    """Return the replies in *files*; raises FormatError if requests failed, or were answered twice."""
    answers: dict[str, BatchAnswer] = {}
    for path in files:
        for found in batch_answers(path):
            known = answers.get(found.custom_id)
            if known is None or _failed(known):
                answers[found.custom_id] = found
            elif not _failed(found):
                raise FormatError(
                    f"there are two answers to the request {quoted(found.custom_id)}",
                    where=found.place,
                    wanted="one answer per request",
                    hint="keep the results of each batch in a folder of its own",
                )
    _refuse_failures(answers, files)
    keys = {match["key"] for name in answers if (match := _OF_API.fullmatch(name))}
    refuse_several_models([f"api/ with the key {key}..." for key in sorted(keys)], files)
    models = _values("model", answers)
    refuse_several_models(models, files)
    facts = {"models": models, "fingerprints": _values("system_fingerprint", answers)}
    replies = [reply for found in answers.values() if (reply := _reply(found)) is not None]
    return Log("openai-batch", facts, replies, files)


def _failed(found: BatchAnswer) -> bool:
    """Return whether there is no answer for now: the server refused something other than the pair."""
    return isinstance(found.answer, ServerError) and status_of_rejection(found.answer) is None


def _refuse_failures(answers: Mapping[str, BatchAnswer], files: Sequence[Path]) -> None:
    failed = [found for found in answers.values() if _failed(found)]
    if failed:
        raise FormatError(
            f"{len(failed):,} of {len(answers):,} requests failed: {failed[0].answer}",
            where=failed[0].place,
            wanted="an answer to every request",
            hint="send these requests again in another batch, and put its results into the same folder "
            f"({files[0].parent})",
        )


def _values(name: str, answers: Mapping[str, BatchAnswer]) -> list[str]:
    found = [each.answer.get(name) for each in answers.values() if isinstance(each.answer, Mapping)]
    return sorted({value for value in found if isinstance(value, str)})


def _reply(found: BatchAnswer) -> Reply | None:
    """Return a reply, None for one about a pair of the probe."""
    match = _OF_API.fullmatch(found.custom_id)
    pair = match["pair"] if match else None
    if pair in _PROBE:
        return None
    about: dict[str, Any] = {"pair_digest": pair}
    if isinstance(found.answer, ServerError):
        about |= {"status": status_of_rejection(found.answer) or ""}
    else:
        said = [said_in(choice) for choice in found.answer["choices"] if isinstance(choice, Mapping)]
        about |= {
            "texts": [each.text for each in said],
            "finish": [each.finish for each in said],
            "refusals": [each.refusal for each in said],
            "tokens": [each.tokens for each in said],
        }
    return Reply(found.place, None if pair else found.custom_id, None, None, None, {}, **about)
