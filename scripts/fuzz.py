"""Damage files of every kind that Crossexam reads, and count what becomes of them.

``python scripts/fuzz.py --inputs 1000`` makes a thousand damaged copies of sample files and reads each as a
command would.  Every one of them must be read as before, or be one clear error:

- ``same``: it was read, to the same result as the undamaged file;
- ``differs``: it was read, to another result.  That is a defect (``UNNOTICED``) if a checksum could tell;
- ``error``: a CrossexamError, exit code 2;
- ``EXCEPTION``: any other exception, a defect: exit code 3 or worse;
- ``HANG``: the reader computed for ten seconds or slept for two minutes, a defect;
- ``CRASH``: the process died, a defect.

Input *n* of a seed is always the same: ``--only N`` repeats it and shows the traceback.  With ``--log FILE``,
an interrupted run resumes.  The exit code is 1 if there is a defect.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import random
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

os.environ.setdefault("OMP_NUM_THREADS", "1")

from fuzz_mutations import damage
from fuzz_readers import READERS, Reader

SECONDS: Final = 10.0  # of computing
LONGEST_SLEEP: Final = 120.0
BATCH: Final = 400
SLOW_LEFT_OUT: Final = 0.95
SAME, DIFFERS, ERROR = "same", "differs", "error"
UNNOTICED, EXCEPTION, HANG, CRASH = "UNNOTICED", "EXCEPTION", "HANG", "CRASH"
DEFECTS: Final = (UNNOTICED, EXCEPTION, HANG, CRASH)
OUTCOMES: Final = (SAME, DIFFERS, ERROR, *DEFECTS)


class Result(NamedTuple):
    """What became of input *number*: read by *reader* after *mutation* of *file*; *detail* says how."""

    number: int
    reader: str
    file: str
    mutation: str
    outcome: str
    detail: str


def digest(value: object) -> str:
    """Return a hash of *value* as it is shown."""
    return hashlib.blake2b(repr(value).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def make_samples(work: Path, names: Sequence[str]) -> None:
    """Write the sample files of the readers *names* below *work*, in a process of its own."""
    child = os.fork()
    if child == 0:
        try:
            for name in names:
                if not (work / name).exists():
                    unfinished = Path(tempfile.mkdtemp(dir=work))
                    READERS[name].make(unfinished)
                    unfinished.rename(work / name)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    if os.waitpid(child, 0)[1]:
        raise SystemExit("the sample files could not be made")


def outcome_of(reader: Reader, place: Path, expected: str, *, show: bool = False) -> tuple[str, str]:
    """Return what becomes of the damaged files in *place*, and the details."""
    from crossexam.core.errors import CrossexamError

    try:
        found = digest(reader.read(place))
    except CrossexamError as error:
        if show:
            print(error)
        return ERROR, ""
    except BaseException as error:
        if show:
            traceback.print_exc()
        frames = traceback.extract_tb(error.__traceback__)
        last = next((f for f in reversed(frames) if "/crossexam/" in f.filename), frames[-1])
        inner = f"{Path(last.filename).name}:{last.lineno}"
        return EXCEPTION, f"{type(error).__name__} at {inner}: {str(error)[:120]}"
    if found == expected:
        return SAME, ""
    return (UNNOTICED if reader.checked else DIFFERS), ""


def attempt(
    work: Path, names: Sequence[str], seed: int, number: int, expected: dict[str, str], show: bool
) -> Result:
    """Make input *number* of *seed*, read it, and return what became of it."""
    rng = random.Random(f"{seed}/{number}")
    name = rng.choice(names)
    if READERS[name].slow and rng.random() < SLOW_LEFT_OUT:
        name = rng.choice(names)
    reader = READERS[name]
    if name not in expected:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            expected[name] = digest(reader.read(shutil.copytree(work / name, Path(folder) / "place")))
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        place = Path(folder) / "place"
        shutil.copytree(work / name, place)
        file = rng.choice(sorted(path for path in place.rglob(reader.files) if path.is_file()))
        mutation = damage(file, rng)
        if show:
            print(f"{name}: {mutation} in {file.relative_to(place)}")
            shutil.copytree(place, work / "shown", dirs_exist_ok=True)
        outcome, detail = outcome_of(reader, place, expected[name], show=show)
        return Result(
            number, name, str(file.relative_to(place)), mutation, outcome, detail.replace(folder, "")
        )


def _answers(pipe: BinaryIO, child: int) -> bool:
    """Return whether *child* writes to *pipe* before it has computed or slept for too long."""
    start, deadline = _cpu_seconds(child), time.monotonic() + LONGEST_SLEEP
    while time.monotonic() < deadline:
        if select.select([pipe], [], [], 1)[0]:
            return True
        if _cpu_seconds(child) - start > SECONDS:
            return False
    return False


def _cpu_seconds(process: int) -> float:
    """Return how long *process* has computed: on a busy machine it may wait for others."""
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def in_child(work: Path, names: Sequence[str], seed: int, numbers: Sequence[int]) -> Iterator[Result]:
    """Yield the results of *numbers* from a process that is killed if it hangs; it may stop early."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        expected: dict[str, str] = {}
        with os.fdopen(writing, "w") as pipe:
            for number in numbers:
                pipe.write(json.dumps(attempt(work, names, seed, number, expected, False)) + "\n")
                pipe.flush()
        os._exit(0)
    os.close(writing)
    done = 0
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        held = b""
        while done < len(numbers):
            ready = _answers(pipe, child)
            piece = pipe.read(1 << 16) if ready else b""
            if not piece:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
                yield Result(numbers[done], "?", "?", "?", CRASH if ready else HANG, "")
                break
            held += piece
            *lines, held = held.split(b"\n")
            for line in lines:
                yield Result(*json.loads(line))
                done += 1
    os.waitpid(child, 0)


def fuzz(work: Path, names: Sequence[str], seed: int, numbers: Sequence[int]) -> Iterator[Result]:
    """Yield the result of each of *numbers*."""
    left = list(numbers)
    while left:
        count = 0
        for result in in_child(work, names, seed, left[:BATCH]):
            count += 1
            yield result
        left = left[count:]


def known_results(log: Path | None) -> list[Result]:
    """Return the results that *log* has from an earlier run."""
    if log is None or not log.exists():
        return []
    return [Result(*json.loads(line)) for line in log.read_text(encoding="utf-8").splitlines()]


def show_counts(results: Sequence[Result]) -> int:
    """Print the counts by reader and the defects; return how many there are."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for result in results:
        counts[result.reader][result.outcome] += 1
    print(f"{'reader':24}" + "".join(f"{outcome:>10}" for outcome in OUTCOMES))
    for name, count in sorted(counts.items()):
        print(f"{name:24}" + "".join(f"{count[outcome]:>10,}" for outcome in OUTCOMES))
    total = Counter(result.outcome for result in results)
    print(f"{'all':24}" + "".join(f"{total[outcome]:>10,}" for outcome in OUTCOMES))
    kinds: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for result in results:
        if result.outcome in DEFECTS:
            detail = result.detail.split(": ")[0]
            kinds[result.reader, result.outcome, result.file, detail].append(result.number)
    for kind, numbers in sorted(kinds.items(), key=lambda each: -len(each[1])):
        print(f"{len(numbers):6} {' '.join(kind)}: --only {numbers[0]}")
    return sum(total[outcome] for outcome in DEFECTS)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=1000, help="how many damaged files to read")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--reader", action="append", choices=sorted(READERS), help="only this one; repeatable"
    )
    parser.add_argument("--only", type=int, help="repeat one input, and show what happens")
    parser.add_argument("--work", type=Path, help="the folder of the sample files; made if it is missing")
    parser.add_argument("--log", type=Path, help="a file of results, from which the same command resumes")
    options = parser.parse_args()
    names = sorted(options.reader or READERS)
    with tempfile.TemporaryDirectory() as temporary:
        work = (options.work or Path(temporary)).absolute()
        work.mkdir(parents=True, exist_ok=True)
        make_samples(work, names)
        if options.only is not None:
            print(attempt(work, names, options.seed, options.only, {}, True))
            return 0
        results = known_results(options.log)
        done = {result.number for result in results}
        numbers = [number for number in range(options.inputs) if number not in done]
        with Path(options.log or os.devnull).open("a", encoding="utf-8") as log:
            for result in fuzz(work, names, options.seed, numbers):
                results.append(result)
                log.write(json.dumps(result) + "\n")
                log.flush()
        return 1 if show_counts(results) else 0


if __name__ == "__main__":
    sys.exit(main())
