"""The harnesses whose logs can be read: how their files are found, and how they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from crossexam.models.logs import inspect_logs, lm_eval
from crossexam.models.logs.replies import Log

#: By name of the harness: what finds its logs in a file or folder, and what reads them.
HARNESSES: Final[Mapping[str, tuple[Callable[[Path], list[Path]], Callable[[Sequence[Path]], Log]]]] = {
    "lm-eval": (lm_eval.samples_at, lm_eval.read_samples),
    "inspect": (inspect_logs.logs_at, inspect_logs.read_logs),
}
