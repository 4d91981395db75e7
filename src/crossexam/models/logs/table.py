"""The harnesses whose logs can be read: how their files are found, and how they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from crossexam.models.logs import batch, inspect_logs, lighteval, lm_eval
from crossexam.models.logs.replies import Log


class Harness(NamedTuple):
    """How logs are *found* in a file or folder and *read*, and what the *files* are called in errors."""

    found: Callable[[Path], list[Path]]
    read: Callable[[Sequence[Path]], Log]
    files: str


#: By name of the harness.
HARNESSES: Final[Mapping[str, Harness]] = {
    "lm-eval": Harness(
        lm_eval.samples_at, lm_eval.read_samples, "samples_TASK_DATE.jsonl of lm-eval (--log_samples)"
    ),
    "lighteval": Harness(
        lighteval.details_at,
        lighteval.read_details,
        "details_TASK_DATE.parquet of lighteval (--save-details)",
    ),
    "inspect": Harness(inspect_logs.logs_at, inspect_logs.read_logs, ".eval or .json of Inspect"),
    "openai-batch": Harness(
        batch.outputs_at, batch.read_outputs, "the .jsonl output of a batch (custom_id, response)"
    ),
}
