"""Processes of this machine: what they yield, what they raise, and when they end."""

import functools
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from crossexam.core.errors import CrossexamError, FormatError, UnknownNameError
from crossexam.engines.engine import Engine, InThisProcess
from crossexam.engines.local import Processes
from made.engines import ERROR, failing, killed_at, raising, squaring

ERRORS = (FormatError("no gold label", where="dev.jsonl, line 3", wanted="a label", hint="--skip-bad"), ERROR)


@pytest.mark.parametrize("engine", [InThisProcess(), Processes(2)], ids=lambda engine: str(engine.workers))
def test_results_come_in_the_order_of_the_tasks_and_errors_as_they_were_raised(engine: Engine) -> None:
    found = list(engine.results(squaring, range(40)))
    assert [square for square, _ in found] == [number * number for number in range(40)]
    assert (os.getpid() in {process for _, process in found}) == (engine.workers == 1)
    for error in ERRORS:
        with pytest.raises(type(error)) as caught:
            list(engine.results(functools.partial(raising, error), range(9)))
        assert vars(caught.value) == vars(error)
    in_any_order = engine.results(squaring, range(20), ordered=False)
    assert sorted(square for square, _ in in_any_order) == [number * number for number in range(20)]


def test_a_worker_that_does_not_start_or_is_killed_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="no tagger is called 'spcy'"):
        list(Processes(2).results(failing, range(9)))
    with pytest.raises(CrossexamError, match="a worker process was killed"):
        list(Processes(2).results(functools.partial(killed_at, 0, tmp_path / "absent" / "mark"), range(9)))


def test_tasks_are_read_only_a_few_ahead_and_a_few_start_no_process() -> None:
    tasks = iter(range(1000))
    results = Processes(2).results(squaring, tasks)
    assert next(results)[0] == 0
    assert next(tasks) < 20
    results.close()
    few = Processes(2, worthwhile=5).results(squaring, range(4))
    assert {process for _, process in few} == {os.getpid()}


def _program(text: str, **how: object) -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-c", text], env=environment, **pipes, **how)  # type: ignore[call-overload,no-any-return]


STUCK = """
from made.engines import squaring, stuck
from crossexam.engines.local import Processes
list(Processes(2).results(stuck, range(9)))
"""


@pytest.fixture
def of_stuck_workers() -> subprocess.Popen[bytes]:
    """A program with two workers that have begun and do not end, in a group of its own."""
    program = _program(STUCK, start_new_session=True)
    assert program.stdout is not None
    assert [program.stdout.readline() for _ in range(2)] == [b"begun\n"] * 2
    return program


def test_workers_end_with_a_killed_parent(of_stuck_workers: subprocess.Popen[bytes]) -> None:
    """The output of all processes is one pipe, which ends when the last of them does."""
    of_stuck_workers.kill()
    assert of_stuck_workers.communicate(timeout=120)[0] == b""


def test_an_interrupt_ends_all_with_one_traceback(of_stuck_workers: subprocess.Popen[bytes]) -> None:
    os.killpg(of_stuck_workers.pid, signal.SIGINT)  # to the whole group, as a terminal does
    _, errors = of_stuck_workers.communicate(timeout=120)
    assert errors.count(b"Traceback") == errors.count(b"KeyboardInterrupt") == 1


def test_a_script_is_not_run_again_in_workers(tmp_path: Path) -> None:
    """Without `if __name__ == "__main__"`, too."""
    script = tmp_path / "script.py"
    script.write_text(f"print('run')\n{STUCK.replace('(stuck', '(squaring')}")
    program = _program(f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')")
    output, errors = program.communicate(timeout=120)
    assert (program.returncode, output.splitlines()) == (0, [b"run"]), errors.decode()
