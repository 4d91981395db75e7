"""Kill ``crossexam run`` at random moments, resume it, and compare it with a run that nobody killed.

    python scripts/kill_runs.py --kills 1000 --log kills.jsonl     # goes on where the log ends

Models of five kinds are made, all tiny: a function, a checkpoint, a model of the zoo, an ensemble and an
exported graph.  A run is a fork of this process, which has imported everything and started no thread.  It is
killed (SIGKILL) after a random share of the time of an undisturbed run, given again and killed again, until
it ends.  Its predictions must have the same bytes, its folder the same files, and its manifest the same facts
but times; and no pair may be asked twice, except those of the batch that a kill interrupted.

The log has a line per run, with the seed of its moments.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import crash_verbs
from crash_points import Bench, contents, difference
from crash_verbs import DEMO, Step, Verb

_SUITE: Final = f"build negation --base {DEMO} -o suite"
_TORCH: Final = ("torch", "safetensors.torch")
_CHECKPOINT: Final = (*_TORCH, "transformers", "tokenizers", "onnx", "onnxruntime")
_BATCH: Final = 5


def _checkpoint() -> None:
    """Write an untrained BERT of one small layer, and a graph with the same tokenizer that sums vectors."""
    import numpy as np
    import onnx
    import torch
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "a",
        "the",
        "man",
        "woman",
        "is",
        "in",
        "on",
        ".",
        "not",
        "two",
    ]
    made = Tokenizer(models.WordLevel({word: n for n, word in enumerate(words)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made, model_max_length=64, pad_token="[PAD]", unk_token="[UNK]"
    )
    torch.manual_seed(1)
    labels = dict(enumerate(("entailment", "neutral", "contradiction")))
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
        id2label=labels,
        label2id={label: n for n, label in labels.items()},
    )
    BertForSequenceClassification(config).save_pretrained("bert")
    tokenizer.save_pretrained("bert")
    vectors = np.random.default_rng(1).normal(size=(len(words), 3)).astype(np.float32)
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
    "hf": ("hf/bert", (_checkpoint,), (*_CHECKPOINT, "crossexam.models.huggingface")),
    "zoo": (
        "zoo/model",
        (f"train cbow --train {DEMO} --dev {DEMO} -o model --epochs 1 --device cpu",),
        (*_TORCH, "crossexam.training.train", "crossexam.models.zoo", "crossexam.zoo.table"),
    ),
    "mean": ("mean/builtin/overlap,builtin/alignment", (), ()),
    "onnx": ("onnx/graph", (_checkpoint,), _CHECKPOINT),
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
        if self._process(None) != 0:
            raise RuntimeError(f"{name}: {self.bench.log.read_text()}")
        self.seconds = time.monotonic() - start
        self.expected = contents(self.bench.work, self.verb)
        self.pairs = len(self._counted())
        if len(set(self._counted())) < self.pairs:
            raise RuntimeError(f"{name}: an undisturbed run asks pairs twice")

    @property
    def _count_file(self) -> Path:
        return self.bench.log.with_name("asked.txt")

    def _counted(self) -> list[str]:
        """Return the pairs that were asked so far, a batch a line."""
        text = self._count_file.read_text() if self._count_file.exists() else ""
        return [pair for line in text.splitlines() for pair in line.split()]

    def _process(self, seconds: float | None) -> int:
        """Carry out the command; it is killed after *seconds*."""

        def action() -> int:
            _count_into(self._count_file)
            if seconds is not None:
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                _kill_after(seconds)
            return crash_verbs.carry_out(self.verb.command)

        return self.bench.fork(action)

    def run(self, seed: int) -> _Asked:
        """Kill and resume a run until it ends, at the moments of *seed*."""
        draw, kills = random.Random(seed), 0
        self.bench.renew()
        self._count_file.unlink(missing_ok=True)
        while (code := self._process(draw.uniform(0, 1.2) * self.seconds)) == -signal.SIGKILL:
            kills += 1
        asked = self._counted()
        twice = len(asked) - len(set(asked))
        problem = f"exit {code}: {self.bench.log.read_text()[-300:]}" if code else ""
        problem = problem or difference(self.expected, contents(self.bench.work, self.verb))
        if not problem and twice > kills * _most_in_flight(self.name):
            problem = f"{twice} pairs were asked again after {kills} kills"
        return _Asked(self.name, seed, kills, len(asked), len(set(asked)), problem)


def _most_in_flight(name: str) -> int:
    """Return how many pairs may be asked and not yet stored when a process is killed: one batch of them."""
    return 1_024 if name == "zoo" else _BATCH


def _count_into(path: Path) -> None:
    """Write the pairs of each batch to *path* when it is answered and before it is stored."""
    from crossexam.runs.answer_store import AnswerStore

    add = AnswerStore.add

    def counted(store: AnswerStore, hashes: Any, *rest: Any) -> None:
        with path.open("a") as stream:
            stream.write(" ".join(f"{one:x}-{other:x}" for one, other in hashes.tolist()) + "\n")
        add(store, hashes, *rest)

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
