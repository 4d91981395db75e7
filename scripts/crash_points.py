"""Kill a command at every point at which it changes a file, repeat it, and compare what is there at the end.

    python scripts/crash_points.py                  # every event of every verb
    python scripts/crash_points.py build run-py:5   # of some; at every fifth of the second
    python scripts/crash_points.py --every 9 --seed 2 --json results.json
    python scripts/crash_points.py --kills 2 --seed 5    # at two events of every verb
    python scripts/crash_points.py run --engine strace   # at the system calls themselves (slow, needs strace)

An event is what changes the disk: a file is opened for writing, written, closed, renamed or removed, a folder
is made or removed, a statement of SQLite is carried out.  A write is two events, before it and half way
through it.  For each event, the command is killed there (SIGKILL) and then given once more.  It must succeed,
and leave the same files with the same bytes as a command that nobody killed, and no others.  What may differ
is named in ``VOLATILE`` and ``COUNTED``: times, and how much was asked in the last process.

Everything is imported once, and each command is a fork of this process, which itself reads no data: libraries
would start threads, and a fork copies the locks that these hold.
"""

from __future__ import annotations

import argparse
import builtins
import contextlib
import io
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import crash_verbs
from crash_verbs import VERBS, Verb

from crossexam.core.sealed import CHECKSUM, FILES, ChangedError, check_files, read_manifest

#: Keys of JSON files whose values are times, in every verb.
VOLATILE: Final = frozenset({"seconds", "finished", "examples_per_second", "at"})
#: Keys that say how much was asked by the process that finished, or what it read.
COUNTED: Final = frozenset(
    {
        "asked_pairs",
        "pairs_from_store",
        "real_tokens",
        "processed_tokens",
        "sentences_asked",
        "sentences_encoded",
    }
)
#: Tables and columns of SQLite files that are drawn anew, or that number rows in the order of their writing.
_DRAWN: Final = {"models": ("facts",)}
_NUMBERED: Final = {"batches": ("number",), "parts": ("number",)}
#: The logs that have times: of a training, and of a judge.
_LOGS: Final = ("metrics.jsonl", "judge-*.jsonl")
_UNEQUAL: Final = ("metrics.jsonl", "items.json")
_SECONDS: Final = 300  # for a command: it hangs if it takes longer


class Events:
    """A count of events, which kills the process at the one of the number *fatal*."""

    def __init__(self, folder: Path, fatal: int | None) -> None:
        self.folder, self.fatal = f"{folder}/", fatal
        self.names: list[str] = []

    def note(self, what: str, path: object = "") -> None:
        """Count an event, unless this is the fatal one."""
        self.names.append(f"{what} {os.fspath(path) if isinstance(path, str | os.PathLike) else ''}".strip())
        if len(self.names) == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    def concerns(self, path: object) -> bool:
        """Return whether *path* is one of the command's: relative, or in the folder."""
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if not isinstance(path, str | os.PathLike):
            return False
        return not Path(path).is_absolute() or f"{os.fspath(path)}/".startswith(self.folder)

    def arm(self) -> None:
        """Count from now on, in this process for good."""
        sys.addaudithook(self._audit)
        for module in (io, builtins):
            module.open = self._open  # type: ignore[attr-defined]
        self._patch_sqlite()
        self._patch_parquet()
        self._patch_safetensors()

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            if isinstance(mode, str) or not isinstance(flags, int):  # io.open, which is counted by itself
                return
            if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and self.concerns(path):
                self.note("open", path)
        elif event in _CHANGES and any(map(self.concerns, arguments[:2])):
            self.note(event, next(each for each in arguments if isinstance(each, str | os.PathLike)))

    def _open(self, file: Any, mode: str = "r", buffering: int = -1, *rest: Any, **named: Any) -> Any:
        """Open *file* as io.open does; what is written is counted."""
        if not set(mode) & set("wax+") or not self.concerns(file) or named.get("opener"):
            return _io_open(file, mode, buffering, *rest, **named)
        raw = _CountedFile(file, mode.replace("b", "").replace("t", ""), self)
        if buffering == 0:
            return raw
        kind = io.BufferedRandom if "+" in mode else io.BufferedWriter
        binary = kind(raw)  # type: ignore[type-var]
        if "b" in mode:
            return binary
        text = io.TextIOWrapper(binary, *rest, **named)
        text.mode = mode  # type: ignore[misc]
        return text

    def _patch_sqlite(self) -> None:
        note, concerns, connect = self.note, self.concerns, sqlite3.connect

        class Connection(sqlite3.Connection):
            def execute(self, sql: str, *rest: Any) -> sqlite3.Cursor:
                return _between(note, sql, lambda: super(Connection, self).execute(sql, *rest))

            def executemany(self, sql: str, *rest: Any) -> sqlite3.Cursor:
                return _between(note, sql, lambda: super(Connection, self).executemany(sql, *rest))

            def executescript(self, sql: str) -> sqlite3.Cursor:
                return _between(note, sql, lambda: super(Connection, self).executescript(sql))

            def close(self) -> None:
                _between(note, "close", super().close)

        def counted(database: Any, *rest: Any, **named: Any) -> sqlite3.Connection:
            if concerns(database) and os.fspath(database) != ":memory:":
                named["factory"] = Connection
            return connect(database, *rest, **named)

        sqlite3.connect = counted  # type: ignore[assignment]

    def _patch_parquet(self) -> None:
        """Let pyarrow write Parquet through files of Python, whose writes are counted."""
        import pyarrow.parquet as pq

        begin, end, opened = pq.ParquetWriter.__init__, pq.ParquetWriter.close, self._open

        def init(writer: Any, where: Any, *rest: Any, **named: Any) -> None:
            writer.counted = opened(where, "wb") if isinstance(where, str | os.PathLike) else None
            begin(writer, writer.counted or where, *rest, **named)

        def close(writer: Any) -> None:
            end(writer)
            if writer.counted is not None:
                writer.counted.close()

        pq.ParquetWriter.__init__, pq.ParquetWriter.close = init, close

    def _patch_safetensors(self) -> None:
        """Let safetensors write through files of Python."""
        modules = [
            sys.modules[name] for name in ("safetensors.torch", "safetensors.numpy") if name in sys.modules
        ]
        for module in modules:

            def save(tensors: Any, filename: Any, metadata: Any = None, to_bytes: Any = module.save) -> None:
                with self._open(filename, "wb") as stream:
                    stream.write(to_bytes(tensors, metadata))

            for other in list(sys.modules.values()):
                for name in ("save_file", "safe_save_file"):
                    if getattr(other, name, None) is module.save_file:
                        setattr(other, name, save)


_CHANGES: Final = frozenset(
    {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod"}
)
_io_open: Final = io.open
_READS: Final = ("SELECT", "PRAGMA data_version", "PRAGMA table_info")


def _between(note: Callable[[str, object], None], sql: str, call: Callable[[], Any]) -> Any:
    """Return what *call* returns; before it is an event, unless the statement only reads."""
    if not sql.lstrip().startswith(_READS):
        note("sqlite", " ".join(sql.split())[:40])
    return call()


class _CountedFile(io.FileIO):
    """A file whose opening, writes and closing are events."""

    def __init__(self, path: Any, mode: str, events: Events) -> None:
        self._events, self._name = events, path
        events.note("open", path)
        super().__init__(path, mode)

    def write(self, data: Any) -> int:
        self._events.note("write", self._name)
        view = memoryview(data).cast("B")
        if len(view) > 1:
            done = super().write(view[: len(view) // 2]) or 0
            self._events.note("half written", self._name)
            return done + (super().write(view[done:]) or 0)
        return super().write(view) or 0

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._events.note("closed", self._name)


@dataclass
class Result:
    """What became of a verb: its *events*, and by the event at which it was killed, what was then wrong."""

    verb: str
    events: list[str] = field(default_factory=list)
    killed: list[int] = field(default_factory=list)
    problems: dict[int, str] = field(default_factory=dict)


class Bench:
    """The folder in which verbs are killed: ``prepared`` is what each begins with, ``work`` where it runs."""

    def __init__(self, root: Path) -> None:
        self.prepared, self.work, self.log = root / "prepared", root / "work", root / "log.txt"
        self.prepared.mkdir(parents=True)

    def prepare(self, verb: Verb) -> None:
        """Make what *verb* begins with; raises RuntimeError if that fails."""
        shutil.rmtree(self.prepared)
        self.prepared.mkdir()
        self.renew()
        for step in verb.setup:
            code = self.fork(lambda step=step: crash_verbs.carry_out(step))  # type: ignore[misc]
            if code:
                raise RuntimeError(f"{verb.name}: preparing ended with {code}: {self.log.read_text()}")
        shutil.rmtree(self.prepared)
        self.work.rename(self.prepared)

    def renew(self) -> None:
        """Let the work begin anew with what is prepared."""
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(self.prepared, self.work, symlinks=True)

    def fork(self, action: Callable[[], int], *, seconds: int = _SECONDS) -> int:
        """Return the exit code of *action* in a process of its own, negative if it was killed."""
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            code = 70
            try:
                signal.alarm(seconds)
                log = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.dup2(log, 1)
                os.dup2(log, 2)
                os.chdir(self.work)
                os.environ |= crash_verbs.environment(self.work)
                code = action()
            except BaseException:
                import traceback

                traceback.print_exc()
            finally:
                with contextlib.suppress(Exception):
                    sys.stdout.flush()
                    sys.stderr.flush()
                os._exit(code)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def _run(self, verb: Verb, fatal: int | None = None, names: Path | None = None) -> int:
        def action() -> int:
            events = Events(self.work, fatal)
            if fatal is not None or names is not None:
                events.arm()
            code = crash_verbs.carry_out(verb.command)
            if names is not None:
                with _io_open(names, "w") as stream:
                    json.dump(events.names, stream)
            return code

        return self.fork(action)

    def events_of(self, verb: Verb) -> tuple[list[str], dict[str, Any]]:
        """Return the events of *verb*, and what it leaves; raises RuntimeError if it fails."""
        names = self.log.with_name("events.json")
        self.renew()
        if code := self._run(verb, names=names):
            raise RuntimeError(f"{verb.name}: exit {code}: {self.log.read_text()}")
        return json.loads(names.read_text()), contents(self.work, verb)

    def problem(self, verb: Verb, event: int, expected: Mapping[str, Any]) -> str | None:
        """Return what is wrong after *verb* was killed at *event* and given again; None if nothing is."""
        self.renew()
        code = self._run(verb, fatal=event)
        if code != -signal.SIGKILL:
            return f"it ended with {code} instead of being killed: {self.log.read_text()[-500:]}"
        code = self._run(verb)
        if code:
            return f"given again, it ended with {code}: {self.log.read_text()[-500:].strip()}"
        return difference(expected, contents(self.work, verb)) or None

    def examine(self, verb: Verb, every: int, seed: int, kills: int | None = None) -> Result:
        """Kill *verb* at every *every*-th event, beginning with the one after *seed*, or so many times."""
        self.prepare(verb)
        events, expected = self.events_of(verb)
        result = Result(verb.name, events)
        for event in chosen_events(len(events), every, seed, kills):
            result.killed.append(event)
            if (problem := self.problem(verb, event, expected)) is not None:
                result.problems[event] = problem
        return result


def chosen_events(events: int, every: int, seed: int, kills: int | None = None) -> Sequence[int]:
    """Return every *every*-th of so many *events*, numbered from 1; with *kills*, so many.

    >>> list(chosen_events(10, 4, 6)), list(chosen_events(10, 1, 6, kills=2)), list(chosen_events(1, 1, 6, 2))
    ([3, 7], [2, 7], [1])
    """
    if kills is not None:
        every = max(1, events // kills)
    return range(1 + seed % every, events + 1, every)[:kills]


def contents(folder: Path, verb: Verb) -> dict[str, Any]:
    """Return what is in *folder*, by path: the bytes of files, without what may differ; None for folders."""
    skipped = frozenset({*VOLATILE, *COUNTED, *verb.volatile})
    paths = sorted(path for path in folder.rglob("*") if "__pycache__" not in path.parts)
    return {
        path.relative_to(folder).as_posix(): None if path.is_dir() else _content(path, skipped)
        for path in paths
    }


def _content(path: Path, skipped: frozenset[str]) -> Any:
    if path.suffix == ".json":
        return _without(_json(path), skipped)
    if any(map(path.match, _LOGS)):
        return [_without(json.loads(line), skipped) for line in path.read_text(encoding="utf-8").splitlines()]
    if path.suffix == ".sqlite":
        return _tables(path)
    if path.suffix == ".html":
        return page_without(path.read_text(encoding="utf-8"), skipped)
    return path.read_bytes()


def _json(path: Path) -> Any:
    """Return what is in *path*; the checksums in a manifest that cover times are only verified."""
    value = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(value, dict) or CHECKSUM not in value:
        return value
    try:
        manifest = read_manifest(path)
        check_files(path.parent, manifest.get(FILES, {}), hint="")
    except ChangedError as error:
        return str(error)
    if FILES in manifest:  # of a model, whose log has times, or of a study, which has keys drawn anew
        manifest[FILES] = {name: known for name, known in manifest[FILES].items() if name not in _UNEQUAL}
    return manifest


def page_without(page: str, names: Iterable[str]) -> str:
    """Return *page* without the values of the properties *names* of its runs.

    >>> page_without('<td class="text">asked pairs<wbr></td><td class="text">0.<wbr>03</td>', ["asked_pairs"])
    '<td class="text">asked pairs<wbr></td>'
    """
    properties = "|".join(re.escape(name.replace("_", " ")) for name in sorted(names))
    cell = r'<td class="text">'
    return re.sub(f"({cell}(?:{properties})(?:<wbr>)?</td>){cell}(?:[^<]|<wbr>)*</td>", r"\1", page)


def _without(value: Any, skipped: frozenset[str]) -> Any:
    if isinstance(value, dict):
        return {key: _without(each, skipped) for key, each in value.items() if key not in skipped}
    return [_without(each, skipped) for each in value] if isinstance(value, list) else value


def _tables(path: Path) -> dict[str, list[Any]]:
    """Return the rows of the tables in *path*, sorted, without what is drawn anew."""
    with opened_copy(path) as connection:
        connection.row_factory = sqlite3.Row
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {}
        for name in names:
            left_out = (*_DRAWN.get(name, ()), *_NUMBERED.get(name, ()))
            rows = map(dict, connection.execute(f"SELECT * FROM {name}"))
            found[name] = sorted(repr({k: row[k] for k in row if k not in left_out}) for row in rows)
        return found


@contextlib.contextmanager
def opened_copy(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a copy of the SQLite file *path*: opening a file in WAL mode changes its folder."""
    with tempfile.TemporaryDirectory() as folder:
        for part in path.parent.glob(f"{path.name}*"):
            shutil.copy(part, folder)
        with contextlib.closing(sqlite3.connect(Path(folder, path.name))) as connection:
            yield connection


def difference(expected: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    """Return how what is *found* differs from what is *expected*, "" if it does not."""
    lines = [f"left behind: {path}" for path in found if path not in expected]
    lines += [f"missing: {path}" for path in expected if path not in found]
    lines += [
        f"different: {path}{_where(expected[path], found[path])}"
        for path in expected
        if path in found and expected[path] != found[path]
    ]
    return "; ".join(lines)


def _where(expected: Any, found: Any) -> str:
    """Return where two JSON objects or lists differ first."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in [*expected, *(each for each in found if each not in expected)]:
            if expected.get(key) != found.get(key):
                return f" [{key}]{_where(expected.get(key), found.get(key))}"
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for place, (one, other) in enumerate(zip(expected, found, strict=True)):
            if one != other:
                return f" [{place}]{_where(one, other)}"
    return "" if isinstance(expected, bytes) else f": {str(found)[:200]} instead of {str(expected)[:200]}"


#: System calls that change the disk.
_CALLS: Final = ("write", "pwrite64", "rename", "unlink", "mkdir", "rmdir", "ftruncate", "fsync", "fdatasync")


def strace_problems(bench: Bench, verb: Verb, every: int, seed: int) -> Result:
    """Kill *verb* at its system calls, one process per call; raises RuntimeError without strace."""
    if shutil.which("strace") is None:
        raise RuntimeError("strace is not installed: apt-get install strace")
    bench.prepare(verb)
    _, expected = bench.events_of(verb)
    result = Result(verb.name)
    for call in _CALLS:
        for number in _endless(1 + seed % every, every):
            bench.renew()
            inject = f"inject={call}:signal=KILL:when={number}"
            line = [sys.executable, str(Path(crash_verbs.__file__)), verb.name]
            done = subprocess.run(
                ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", inject, *line],
                cwd=bench.work,
                env={**os.environ, **crash_verbs.environment(bench.work)},
                capture_output=True,
                check=False,
            )
            if done.returncode == 0:
                break
            result.events.append(f"{call} {number}")
            result.killed.append(len(result.events))
            code = bench._run(verb)
            wrong = f"exit {code}" if code else difference(expected, contents(bench.work, verb))
            if wrong:
                result.problems[len(result.events)] = wrong
    return result


def _endless(start: int, step: int) -> Iterator[int]:
    while True:
        yield start
        start += step


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("verbs", nargs="*", help=f"by default all: {', '.join(VERBS)}")
    parser.add_argument("--every", type=int, default=1, help="kill at every so many events only")
    parser.add_argument("--kills", type=int, help="kill each so many times, whatever --every says")
    parser.add_argument("--seed", type=int, default=0, help="which of them")
    parser.add_argument("--engine", choices=("hooks", "strace"), default="hooks")
    parser.add_argument("--json", type=Path, help="write the results here")
    given = parser.parse_args(arguments)
    steps = {name: int(step or given.every) for name, _, step in (v.partition(":") for v in given.verbs)}
    if unknown := sorted(set(steps) - set(VERBS)):
        parser.error(f"no verb is called {unknown[0]}; there are {', '.join(VERBS)}")
    chosen = {VERBS[name]: step for name, step in (steps or dict.fromkeys(VERBS, given.every)).items()}
    crash_verbs.import_everything(list(chosen))
    results = []
    for verb, every in chosen.items():
        with tempfile.TemporaryDirectory(prefix="crash-") as root:
            bench = Bench(Path(root).resolve())
            if given.engine == "strace":
                result = strace_problems(bench, verb, every, given.seed)
            else:
                result = bench.examine(verb, every, given.seed, given.kills)
        results.append(result)
        _show(result)
    if given.json is not None:
        given.json.write_text(json.dumps([asdict(each) for each in results], indent=1))
    return 1 if any(each.problems for each in results) else 0


#: What is random in the names of temporary files.
_RANDOM: Final = re.compile(r"\.\w{8}\.part")


def _show(result: Result) -> None:
    killed, wrong = len(result.killed), len(result.problems)
    print(f"{result.verb}: {len(result.events)} events, killed at {killed}, wrong after {wrong}")
    seen: dict[str, list[int]] = {}
    for event, problem in result.problems.items():
        seen.setdefault(_RANDOM.sub(".*.part", problem), []).append(event)
    for problem, events in seen.items():
        names = ", ".join(f"{event} ({result.events[event - 1][-70:]})" for event in events[:3])
        print(f"  {len(events)} x {problem}\n      at {names}")


if __name__ == "__main__":
    sys.exit(main())
