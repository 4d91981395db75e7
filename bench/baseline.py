"""The size of a baseline of 100,000 items whose labels and probabilities have no pattern.

python bench/baseline.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.gates.baseline import Baseline, write_baseline

ITEMS = 100_000


def main() -> None:
    items = tuple(Example(f"i{k}", "P.", "H.", LABELS[k % 3]) for k in range(ITEMS))
    rows = np.random.default_rng(0).dirichlet([1, 1, 1], ITEMS)
    run = Run("mine", {"x.dev": Dataset("x.dev", items)}, {"x.dev": rows})
    for probabilities in (False, True):
        path = Path(tempfile.mkdtemp()) / "baseline.parquet"
        write_baseline(Baseline.of(run, probabilities=probabilities), path)
        what = "with probabilities" if probabilities else "labels"
        print(f"{ITEMS:,} items, {what}: {path.stat().st_size / 1000:,.0f} kB")


if __name__ == "__main__":
    main()
