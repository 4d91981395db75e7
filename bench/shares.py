"""Where the CPU time of a build goes: the shares of start-up, reading, tagging, constructing and writing.

    CROSSEXAM_DATA=... python bench/shares.py build stress-tests --base snli:dev -o OUT --workers 1

Runs the command in this process and looks at its stack after every few milliseconds of CPU time.  A sample
belongs to the first stage of the table that is on the stack.
"""

from __future__ import annotations

import signal
import sys
from collections import Counter
from types import FrameType
from typing import Final

#: Stages and what shows them: part of the path of a file, and a function in it ("" is any).
_STAGES: Final[tuple[tuple[str, tuple[tuple[str, str], ...]], ...]] = (
    ("imports", (("importlib._bootstrap", ""),)),
    ("the command line", (("typer/", "make_context"),)),
    ("tables, loaded", (("lexicons/", "__init__"), ("tagging/", "_from_file"), ("entities.py", "__init__"))),
    ("encoding items", (("encoded.py", "encoded"),)),
    ("tokens and tags", (("resources.py", "tokens"),)),
    ("seeding the generator", (("randomness.py", "_seed_if_due"),)),
    ("items from drafts", (("construction.py", "item"),)),
    ("antonymy", (("constructions/antonymy.py", ""),)),
    ("numerical reasoning", (("numerical_reasoning.py", ""),)),
    ("spelling errors", (("spelling_error.py", ""),)),
    ("tautologies", (("tautology.py", ""),)),
    ("applying constructions", (("apply.py", "made"),)),
    ("reading", (("corpora/", ""), ("constructed.py", "_chunks"))),
    ("writing", (("test_sets.py", ""), ("constructed.py", "take"))),
)


def stage_of(frame: FrameType | None) -> str:
    """Return the first stage in the table that has a function on the stack of *frame*."""
    stack = []
    while frame is not None:
        stack.append((frame.f_code.co_filename, frame.f_code.co_name))
        frame = frame.f_back
    for stage, shown_by in _STAGES:
        for part, function in shown_by:
            if any(part in path and function in ("", name) for path, name in stack):
                return stage
    return "the rest"


def main() -> None:
    samples: Counter[str] = Counter()

    def sample(number: int, frame: FrameType | None) -> None:
        samples[stage_of(frame)] += 1

    signal.signal(signal.SIGPROF, sample)
    signal.setitimer(signal.ITIMER_PROF, 0.004, 0.004)
    try:
        from crossexam.cli.main import run

        run()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        for stage, count in samples.most_common():
            print(f"{count / samples.total():6.1%}  {stage}", file=sys.stderr)


if __name__ == "__main__":
    main()
