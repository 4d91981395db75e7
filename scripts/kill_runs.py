"""Kill ``crossexam run`` at random moments, resume it, and compare it with a run that nobody killed.

    python scripts/kill_runs.py --kills 1000 --log kills.jsonl     # goes on where the log ends

Models of five kinds are made, all tiny: a function, a checkpoint, a model of the zoo, an ensemble and an
exported graph.  A run is a fork of this process, which has imported everything and started no thread.  It is
killed (SIGKILL) after a random share of the time of an undisturbed run, or right before or after the answers
of a random batch are stored; it is given again and killed again, until it ends.  Its predictions must have
the same bytes, its folder the same files, and its manifest the same facts but times.  After each kill the
store is read: it must have all answers but those that were being stored at that moment, and no pair that it
has may be asked again.

The log has a line per run, with the seed of its moments.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import crash_verbs
from crash_points import Bench, contents, difference, opened_copy
from crash_verbs import DEMO, Step, Verb, write_checkpoint

_SUITE: Final = f"build negation --base {DEMO} -o suite"
_TORCH: Final = ("torch", "safetensors.torch")
_CHECKPOINT: Final = (*_TORCH, "transformers", "tokenizers", "onnx", "onnxruntime")
_BATCH: Final = 5


def _graph() -> None:
    """Write a graph that sums vectors of words, with the tokenizer of a checkpoint, to ``graph``."""
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    write_checkpoint()
    words = len(json.loads(Path("bert/tokenizer.json").read_text())["model"]["vocab"])
    vectors = np.random.default_rng(1).normal(size=(words, 3)).astype(np.float32)
    nodes = [
        helper.make_node("Gather", ["vectors", "input_ids"], ["found"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Einsum", ["found", "mask"], ["logits"], equation="pth,pt->ph"),
    ]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["pairs", "tokens"])
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["pairs", 3])
    graph = helper.make_graph(nodes, "sums", inputs, [output], [numpy_helper.from_array(vectors, "vectors")])
    Path("graph").mkdir()
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        shutil.copy(Path("bert") / name, "graph")
    opset = [helper.make_opsetid("", 18)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=10), "graph/model.onnx")


def _run(model: str) -> str:
    return f"run {model} suite -o out --batch-size {_BATCH}"


#: The models, with what makes them, and what is imported for it.
MODELS: Final[dict[str, tuple[str, tuple[Step, ...], tuple[str, ...]]]] = {
    "py": ("py/judge:judge", (crash_verbs.write_function,), ()),
    "hf": ("hf/bert", (write_checkpoint,), (*_CHECKPOINT, "crossexam.models.huggingface")),
    "zoo": (
        "zoo/model",
        (f"train cbow --train {DEMO} --dev {DEMO} -o model --epochs 1 --device cpu",),
        (*_TORCH, "crossexam.training.train", "crossexam.models.zoo", "crossexam.zoo.table"),
    ),
    "mean": ("mean/builtin/overlap,builtin/alignment", (), ()),
    "onnx": ("onnx/graph", (_graph,), _CHECKPOINT),
}


@dataclass(frozen=True)
class _Asked:
    """What became of a run: how often it was killed, how many pairs were asked in all, and what is wrong."""

    model: str
    seed: int
    kills: int
    asked: int
    pairs: int
    problem: str

    @property
    def line(self) -> str:
        return json.dumps(vars(self))


class _Killed:
    """A model whose runs are killed: *expected* is what an undisturbed run of *seconds* leaves."""

    def __init__(self, name: str, root: Path) -> None:
        model, steps, _ = MODELS[name]
        self.name, self.bench = name, Bench(root)
        self.verb = Verb(name, _run(model), (_SUITE, *steps))
        self.bench.prepare(self.verb)
        self.bench.renew()
        start = time.monotonic()
        if self._process() != 0:
            raise RuntimeError(f"{name}: {self.bench.log.read_text()}")
        self.seconds = time.monotonic() - start
        self.expected = contents(self.bench.work, self.verb)
        asked = [pair for batch in self._batches() for pair in batch]
        self.batches, self.pairs = len(self._batches()), len(asked)
        if len(set(asked)) < self.pairs:
            raise RuntimeError(f"{name}: an undisturbed run asks pairs twice")

    @property
    def _count_file(self) -> Path:
        return self.bench.log.with_name("asked.txt")

    def _batches(self) -> list[list[str]]:
        """Return the pairs of each batch that the last process had answered, in their order."""
        text = self._count_file.read_text() if self._count_file.exists() else ""
        return [line.split() for line in text.split("\n")[:-1]]  # what a kill cut off was not stored

    def _stored(self) -> set[str]:
        """Return the pairs in the store."""
        path = self.bench.work / "out" / "store.sqlite"
        if not path.exists():
            return set()
        with opened_copy(path) as connection:
            try:
                rows = connection.execute("SELECT pairs FROM batches").fetchall()
            except sqlite3.OperationalError:  # killed before there was a table
                rows = []
        return {each for (pairs,) in rows for each in _hexadecimal(pairs)}

    def _process(self, *, seconds: float | None = None, store: int | None = None) -> int:
        """Carry out the command; it is killed after *seconds*, or at the end *store* of storing a batch.

        Each batch has two ends, before and after it.
        """

        self._count_file.unlink(missing_ok=True)

        def action() -> int:
            _count_into(self._count_file, store)
            if seconds is not None:
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                _kill_after(seconds)
            return crash_verbs.carry_out(self.verb.command)

        return self.bench.fork(action)

    def run(self, seed: int) -> _Asked:
        """Kill and resume a run until it ends, at the moments of *seed*."""
        draw, kills, problem = random.Random(seed), 0, ""
        asked: list[str] = []
        stored: set[str] = set()
        self.bench.renew()
        while not problem:
            if draw.random() < 0.5:
                code = self._process(seconds=draw.uniform(0, 1.2) * self.seconds)
            else:
                code = self._process(store=draw.randrange(2 * self.batches + 1))
            batches, before, stored = self._batches(), stored, self._stored()
            asked += [pair for batch in batches for pair in batch]
            problem = _misconduct(batches, before, stored)
            if code != -signal.SIGKILL:
                break
            kills += 1
        if not problem and code:
            problem = f"exit {code}: {self.bench.log.read_text()[-300:]}"
        problem = problem or difference(self.expected, contents(self.bench.work, self.verb))
        return _Asked(self.name, seed, kills, len(asked), len(set(asked)), problem)


def _misconduct(batches: Sequence[Sequence[str]], before: Set[str], after: Set[str]) -> str:
    """Return what is wrong with the *batches* that a process asked; the store had and has some pairs.

    >>> _misconduct([["a", "b"], ["c"]], {"d"}, {"a", "b", "d"})
    ''
    >>> _misconduct([["a", "b"], ["c"]], {"a"}, {"a", "c"})
    "asked again although stored: ['a']; answered and not stored: ['b']; no longer stored: []"
    """
    again = sorted(before.intersection(pair for batch in batches for pair in batch))
    lost = sorted(pair for batch in batches[:-1] for pair in batch if pair not in after)
    gone = sorted(before - after)
    if not (again or lost or gone):
        return ""
    return f"asked again although stored: {again}; answered and not stored: {lost}; no longer stored: {gone}"


def _hexadecimal(hashes: bytes) -> list[str]:
    return [hashes[start : start + 16].hex() for start in range(0, len(hashes), 16)]


def _count_into(path: Path, fatal: int | None) -> None:
    """Write the pairs of each batch to *path* when it is answered; kill this process at the *fatal* end."""
    from crossexam.runs.answer_store import AnswerStore
    from crossexam.runs.pair_hashes import to_bytes

    add, ends = AnswerStore.add, itertools.count()

    def end() -> None:
        if next(ends) == fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    def counted(store: AnswerStore, hashes: Any, *rest: Any) -> None:
        with path.open("a") as stream:
            stream.write(" ".join(_hexadecimal(to_bytes(hashes))) + "\n")
        end()
        add(store, hashes, *rest)
        end()

    AnswerStore.add = counted  # type: ignore[method-assign]


def _kill_after(seconds: float) -> None:
    """Have this process killed after *seconds*, by a process of its own."""
    pid = os.getpid()
    if os.fork() == 0:
        time.sleep(seconds)
        if os.getppid() == pid:
            os.kill(pid, signal.SIGKILL)
        os._exit(0)


def _todo(log: Path, kills: int, names: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield models and seeds until the *log* has so many *kills*."""
    while True:
        lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        if sum(line["kills"] for line in lines) >= kills:
            return
        yield names[len(lines) % len(names)], len(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("models", nargs="*", help=f"by default all: {', '.join(MODELS)}")
    parser.add_argument("--kills", type=int, default=1000, help="how many in all")
    parser.add_argument("--log", type=Path, default=Path("kills.jsonl"), help="the log, which is continued")
    given = parser.parse_args(arguments)
    names = given.models or list(MODELS)
    crash_verbs.import_everything([Verb(name, "", modules=MODELS[name][2]) for name in names])
    with tempfile.TemporaryDirectory(prefix="kills-") as root:
        made: dict[str, _Killed] = {}
        for name, seed in _todo(given.log, given.kills, names):
            if name not in made:
                made[name] = _Killed(name, Path(root).resolve() / name)
            done = made[name].run(seed)
            with given.log.open("a") as stream:
                stream.write(done.line + "\n")
    return _summary(given.log)


def _summary(log: Path) -> int:
    """Print what the *log* has; return 1 if anything is wrong."""
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for name in dict.fromkeys(line["model"] for line in lines):
        own = [line for line in lines if line["model"] == name]
        wrong = [line for line in own if line["problem"]]
        again = sum(line["asked"] - line["pairs"] for line in own)
        kills = sum(line["kills"] for line in own)
        print(f"{name}: {len(own)} runs, {kills} kills, {again} pairs asked again, {len(wrong)} wrong")
        for line in wrong[:3]:
            print(f"  seed {line['seed']}: {line['problem']}")
    return 1 if any(line["problem"] for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
