"""How the reproductions train: the corpora, the sizes of zoo/rows.toml, and the commands.

Corpora and vectors are read from CROSSEXAM_DATA.  Every command is printed before it runs, and can be pasted
into a shell.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROWS: Mapping[str, Mapping[str, Any]] = tomllib.loads((HERE / "zoo" / "rows.toml").read_text("utf-8"))
SNLI = "$CROSSEXAM_DATA/snli/snli_1.0_train_subset.jsonl"
MULTINLI = "$CROSSEXAM_DATA/multinli/multinli_train_subset_tokenised.tsv"
VECTORS = "$CROSSEXAM_DATA/vectors/googlenews_word2vec_8000x300.txt.gz"
EPOCHS_SHARE = {"snli": 1.0, "snli+multinli": 0.6}  # about as many updates: 27,872 / 47,872 = 0.58


def settings(name: str, data: str) -> dict[str, Any]:
    """Return the row *name* of zoo/rows.toml with the epochs and settings for *data*."""
    row = ROWS[name]
    scaled = {"epochs": round(row["epochs"] * EPOCHS_SHARE[data])}
    return {**row, **scaled, **row.get(data, {})}


def train_command(
    name: str, row: Mapping[str, Any], train: str, dev: str, folder: str, more: Sequence[str] = ()
) -> list[str]:
    """Return the words of the command that trains *row*, called *name*; *more* are its further options."""
    words = ["crossexam", "train", row.get("model", name), "--train", train, "--dev", dev]
    if row.get("vectors", not row.get("model", "").startswith("hf/")):
        words += ["--vectors", VECTORS]
    words += ["--epochs", str(row["epochs"])]
    for field, value in row.get("set", {}).items():
        words += ["--set", f"{field}={value}"]
    return [*words, *more, "-o", folder]


def shown(words: Sequence[str]) -> str:
    """Return a command as it is typed: words with spaces or brackets in quotes that leave variables alone.

    >>> shown(["crossexam", "train", "esim", "--train", "$DATA/a.jsonl[:10]"])
    'crossexam train esim --train "$DATA/a.jsonl[:10]"'
    """
    return " ".join(f'"{word}"' if re.search(r"[\s\[\]]", word) else word for word in words)


def carry_out(words: Sequence[str], cwd: Path) -> None:
    """Print a command of crossexam and run it; raises CalledProcessError."""
    print("$", shown(words), file=sys.stderr, flush=True)
    expanded = [os.path.expandvars(word) for word in words[1:]]
    program = [sys.executable, "-m", "crossexam"]  # the one of this interpreter, installed or not
    subprocess.run([*program, *expanded], cwd=cwd, check=True, stdout=sys.stderr)


def seed_facts(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what results keep of one training, from the *manifest* of its model."""
    return {
        "dev": manifest["scores"]["dev_accuracy"],
        "best_epoch": manifest["scores"]["best_epoch"],
        "epochs": len(manifest["curve"]),
        "seconds": manifest["curve"][-1]["seconds"],
        **origin(manifest),
    }


def origin(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the machines on which the model of *manifest* was trained, None if unknown, and its hash."""
    weights = manifest["files"].get("model.safetensors")
    return {"machines": manifest.get("machines"), "weights_sha256": weights}


def recorded_seconds(name: str, data: str) -> float | None:
    """Return how long a training of the row *name* took when zoo/results were made; None if not known."""
    path = HERE / "zoo" / "results" / f"{name}.{data}.json"
    if not path.exists():
        return None
    seeds = json.loads(path.read_text(encoding="utf-8"))["seeds"]
    return float(sum(seed["seconds"] for seed in seeds) / len(seeds))
