"""Measure which statements of core, corpora, runs and cli 24 everyday commands execute.

    python scripts/everyday.py              # the share by folder; exit status 1 if one is below FLOOR
    python scripts/everyday.py --missing    # also the lines that no command executes

Each of the folders must keep to FLOOR, and so must all together.  What no command executes is an error
message, a guard, of another platform, a feature that few need, or too much.  A command is a process: a line
for ``crossexam``, or a notebook of the library.  They build on each other, in a temporary folder with the
small files of ``tests/data`` and pairs of ``builtin:demo`` in several formats, and ask a server on this
machine, which also stands for the hosts of corpora.  Processes that they start are measured, too.
"""

from __future__ import annotations

import argparse
import os
import pty
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import coverage

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]
PACKAGE: Final = ROOT / "src" / "crossexam"
FOLDERS: Final = ("core", "corpora", "runs", "cli")
#: Percent of the statements of each of the four folders, and of all together.
FLOOR: Final = 85.0


@dataclass(frozen=True)
class Command:
    """A command: its *line*, its exit *status*, and *answers* to questions, by their words, at a terminal."""

    line: str
    status: int = 0
    answers: tuple[tuple[str, str], ...] | None = None


_CORPORA: Final = """
rte:dev+wnli:dev cb:dev cb:all mpe:dev joci:dev sick:train scitail:dev scitail:train diagnostic:test
add_one:train dpr:all spr:all fn_plus:all multinli_annotated:matched hans:test conjnli:dev monli:negative
naik_stress:word_overlap_matched med:test fracas:test anli:r1_dev wanli:test cad_nli:original_dev true:paws
aggrefact:dev summac:all chaosnli:snli dpr@data/readers/dnc/recast_new_data.json dirty.jsonl soiled.csv
mine.tsv hub.parquet
"""
_BASES: Final = " ".join(f"--base {each}" for each in _CORPORA.split())
_CLAIMS: Final = """--columns premise=document,hypothesis=claim,label=verdict
--labels yes=entailment,no=contradiction,maybe=neutral --skip-bad --allow-loss"""
_NUMBERS: Final = """--base numbers.csv --columns premise=quelle,hypothesis=satz,label=urteil
--labels 0=entailment,1=neutral,2=contradiction"""
_LLM: Final = """examine api/mine builtin/minilm py/judge:scores --base mine.jsonl --limit 10
--endpoint $URL/v1 --concurrency 1 --template words,t5-mnli --price 1,2 --repeat 2 -o llm"""

#: In their order: later ones read what earlier ones write.
COMMANDS: Final = (
    Command("ls"),
    Command("fetch fracas conjnli breaking_nli --data data"),
    Command("ls corpora conjnli"),
    Command(f"build corpus {_BASES} --skip-bad --allow-loss --format jsonl -o every"),
    Command(
        f"""build stress-tests --base claims.csv --base snli:train[::2] {_CLAIMS} --limit 50 --per-key 5
        --word-problems builtin:word_problems --tautology 'green is not red' --workers 2 --details
        --set antonymy.indirect=true -o file://$PWD/bucket/tests"""
    ),
    Command("check every --all"),
    Command(
        """train bilstm_max --train builtin:demo@0.5+mine.tsv --dev mine.jsonl --dev every --dev-limit 30
        --test hub.parquet --vectors vectors.txt --vocabulary-from every --epochs 2 --set hidden=20
        --set width=20 --sweep lr=0.001,0.0004 --augment negation,so_swap:20 --debias drift -o bilstm""",
        answers=(),
    ),
    Command(
        """train random-forest --train builtin:demo --dev mine.tsv --test mine.jsonl --vectors vectors.txt
        -o rf"""
    ),
    Command("features rf/rf -o importance.svg"),
    Command(
        "examine builtin/overlap hf/one rf/rf --base numbers.csv -o exam",
        answers=(
            ("the premise", "1"),
            ("the hypothesis", "5"),
            ("no column", "satz"),
            ("has the labels", "urteil"),
            ("Above which", "half"),
            ("Above which", "0.5"),
            ("do these mean", "0=yes"),
            ("do these mean", "0=entailment"),
            ("do these mean", "1"),
        ),
    ),
    Command(f"examine hf/one {_NUMBERS} --threshold 0.5 --max-length 20 -o exam", 2),
    Command(f"{_LLM} --dry-run"),
    Command(_LLM),
    Command("PYTHON notebook.py"),
    Command(
        """run hf/checkpoint file://$PWD/bucket/tests -o file://$PWD/bucket/hf --workers 2 --chunk words:8
        --max-length 24 --set hf.dtype=bfloat16"""
    ),
    Command(
        """convert hf/checkpoint --on exam --on sent.parquet
        --on file://$PWD/bucket/tests/base.claims.parquet -o onnx"""
    ),
    Command(
        """report llm file://$PWD/bucket/hf -o report.html -o report.md -o report.tex -o report.csv
        --calibration"""
    ),
    Command("baseline exam/runs/rf-rf -o baseline.parquet --probabilities"),
    Command(
        """gate exam/runs/builtin-overlap --baseline baseline.parquet --items 3 --junit gate.xml
        --json gate.json""",
        1,
    ),
    Command(
        """validate sample --errors exam/runs/builtin-overlap --set antonymy --question label
        --question antonym_kind -o study"""
    ),
    Command("validate import study sheet.csv"),
    Command("validate verdict study --apply relabel --suite exam -o verdicts.json"),
    Command(
        "compare exam/runs/builtin-overlap exam/runs/rf-rf --index snli:train+mine.tsv --common --details"
    ),
    Command("export lm-eval exam --only negation.* -o tasks"),
)


def carry_out(command: Command, folder: Path, url: str) -> tuple[int, str]:
    """Return the exit status of *command*, measured in *folder*, and what it prints."""
    program, *words = shlex.split(command.line.replace("$PWD", str(folder)).replace("$URL", url))
    start = [sys.executable] if program == "PYTHON" else [sys.executable, "-m", "crossexam", program]
    ours = {name: text for name, text in os.environ.items() if not name.startswith(("CROSSEXAM", "COV"))}
    env = {
        "CROSSEXAM_DATA": str(folder / "data"),
        "CROSSEXAM_CACHE": str(folder / "cache"),
        "COVERAGE_PROCESS_START": str(folder / "coverage.ini"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT / "src")]),
        "URL": url,
    }
    how: dict[str, Any] = {"cwd": folder, "env": {**ours, **env}}
    if command.answers is not None:
        return at_a_terminal([*start, *words], command.answers, how)
    done = subprocess.run([*start, *words], **how, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout + done.stderr


def at_a_terminal(
    words: list[str], answers: Iterable[tuple[str, str]], how: Mapping[str, Any]
) -> tuple[int, str]:
    """Return the exit status of a command and what it shows, given each of *answers* after its words."""
    ours, theirs = pty.openpty()
    shown, start, left = "", 0, list(answers)
    with subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, **how) as process:
        os.close(theirs)
        try:
            while piece := os.read(ours, 1 << 16).decode(errors="replace"):
                shown += piece
                while left and (found := shown.find(left[0][0], start)) >= 0:
                    question, answer = left.pop(0)
                    start = found + len(question)
                    os.write(ours, f"{answer}\n".encode())
        except OSError:  # the command has ended
            pass
    os.close(ours)
    return process.returncode, shown


def executed(folder: Path, *, missing: bool = False) -> dict[str, tuple[int, int]]:
    """Return the executed statements and all, by folder; print the *missing* lines of each file."""
    found = coverage.Coverage(config_file=str(folder / "coverage.ini"))
    found.combine()
    counts = dict.fromkeys(FOLDERS, (0, 0))
    for path in sorted(path for name in FOLDERS for path in (PACKAGE / name).rglob("*.py")):
        _, statements, _, left, lines = found.analysis2(str(path))
        name = path.relative_to(PACKAGE).parts[0]
        done, every = counts[name]
        counts[name] = done + len(statements) - len(left), every + len(statements)
        if missing and left:
            print(f"{path.relative_to(PACKAGE)}: {lines}")
    return counts


def keep_to_floor(counts: Mapping[str, tuple[int, int]]) -> bool:
    """Print the share of each folder and of all together, and return whether none is below FLOOR."""
    together = tuple(map(sum, zip(*counts.values(), strict=True)))
    shares = {}
    for name, (done, every) in {**counts, "all": together}.items():
        shares[name] = 100 * done / every
        print(f"{name:8} {done:5,} of {every:5,} {shares[name]:5.1f} %")
    return min(shares.values()) >= FLOOR


def main() -> int:
    """Carry out the commands, print the table; return 1 if one ends as it should not, or below FLOOR."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--missing", action="store_true", help="also print the lines that no command executes"
    )
    options = parser.parse_args()
    from everyday_inputs import serving, write_inputs  # of tests/, whose path is known now

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        (folder / "coverage.ini").write_text(
            f"[run]\nsource = {PACKAGE}\ndata_file = {folder / '.coverage'}\n"
            "parallel = true\nconcurrency = multiprocessing,thread\nsigterm = true\n"
        )
        write_inputs(folder)
        wrong = False
        with serving(folder / "mirror") as url:
            for command in COMMANDS:
                status, shown = carry_out(command, folder, url)
                print(f"{status}  {' '.join(command.line.split())[:100]}", flush=True)
                if status != command.status:
                    wrong = True
                    print(f"{shown[-3000:]}\nexit status {status}, and not {command.status}")
        counts = executed(folder, missing=options.missing)
    return int(not keep_to_floor(counts) or wrong)


if __name__ == "__main__":
    sys.exit(main())
