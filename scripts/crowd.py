"""Start several runs into one folder at once, again and again, and compare it with that of a single run.

    python scripts/crowd.py --repeats 5

In each round, four runs of one model and one of another begin at the same moment with a new folder.  A
folder has one writer: each must finish, or end with exit code 2 and say that the folder is not free.  The
folder must then have the bytes of an undisturbed run of one of the two models, times apart.  Both are then
given again: that one must succeed and change nothing, the other must be refused.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import crash_verbs
from crash_points import Bench, contents, difference
from crash_verbs import DEMO, Verb

_MODELS: Final = ("py/judge:judge", "builtin/overlap")
#: Which model each run of a round is of.
_CROWD: Final = (0, 0, 0, 0, 1)
_BUSY: Final = "another process is writing to this folder"
_OTHER: Final = "this folder contains a run of"


def _verb(model: str) -> Verb:
    made = (f"build negation --base {DEMO} -o suite", crash_verbs.write_function)
    return Verb(model, f"run {model} suite -o out --batch-size 5", made)


class Crowd:
    """A folder of work, and what an undisturbed run of each model leaves there."""

    def __init__(self, root: Path) -> None:
        self.bench, self.verbs = Bench(root), [_verb(model) for model in _MODELS]
        self.bench.prepare(self.verbs[0])
        self.codes: Counter[int] = Counter()
        self.expected = [self._alone(verb) for verb in self.verbs]

    def _alone(self, verb: Verb) -> dict[str, Any]:
        self.bench.renew()
        if self._given(verb) != 0:
            raise RuntimeError(f"{verb.name}: {self.bench.log.read_text()}")
        return contents(self.bench.work, verb)

    def _given(self, verb: Verb) -> int:
        return self.bench.fork(lambda: crash_verbs.carry_out(verb.command))

    def round(self) -> str:
        """Return what is wrong after one round, "" if nothing is."""
        self.bench.renew()
        codes, said = self._together()
        self.codes.update(codes)
        ended = zip(codes, said, strict=True)
        wrong = [f"exit {code}: {text}" for code, text in ended if _is_wrong(code, text)]
        differences = [
            difference(expected, contents(self.bench.work, verb))
            for expected, verb in zip(self.expected, self.verbs, strict=True)
        ]
        if 0 not in codes:
            wrong.append("nobody finished")
        if all(differences):
            wrong.append(f"the folder is that of neither model: {differences[0]}")
            return "; ".join(wrong)
        winner = differences.index("")
        for place, verb in enumerate(self.verbs):
            code = self._given(verb)
            if (code == 0) != (place == winner):
                wrong.append(f"{verb.name} given again: exit {code}: {self.bench.log.read_text()[-300:]}")
        if after := difference(self.expected[winner], contents(self.bench.work, self.verbs[winner])):
            wrong.append(f"given again: {after}")
        return "; ".join(wrong)

    def _together(self) -> tuple[list[int], list[str]]:
        """Start all runs at the same moment; return their exit codes and what they printed."""
        start, go = os.pipe()
        logs = [self.bench.log.with_name(f"log{number}.txt") for number in range(len(_CROWD))]
        processes = []
        for number, place in enumerate(_CROWD):
            pid = os.fork()
            if pid == 0:
                os.close(go)
                os.read(start, 1)  # until the pipe is closed
                self.bench.log = logs[number]
                os._exit(self._given(self.verbs[place]) & 0xFF)
            processes.append(pid)
        os.close(start)
        os.close(go)
        codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in processes]
        return codes, [log.read_text() for log in logs]


def _is_wrong(code: int, said: str) -> bool:
    """Return whether a run did neither of what it may: finish, or say that the folder is not free."""
    return code != 0 and (code != 2 or not any(each in " ".join(said.split()) for each in (_BUSY, _OTHER)))


def main(arguments: Sequence[str] | None = None) -> int:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("--repeats", type=int, default=100, help="how many rounds")
    given = parser.parse_args(arguments)
    crash_verbs.import_everything([])
    with tempfile.TemporaryDirectory(prefix="crowd-") as root:
        crowd = Crowd(Path(root).resolve() / "bench")
        problems = [crowd.round() for _ in range(given.repeats)]
    wrong = [problem for problem in problems if problem]
    ended = f"{crowd.codes[0]} runs finished, {crowd.codes[2]} were refused"
    print(f"{given.repeats} rounds of {len(_CROWD)} runs, {ended}, {len(wrong)} rounds wrong")
    for problem in dict.fromkeys(wrong):
        print(f"  {wrong.count(problem)} x {problem}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
