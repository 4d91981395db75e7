"""Fit ``builtin/bag-of-words`` and write it: ``CROSSEXAM_DATA=... python scripts/fit_bag_of_words.py``.

It is fitted on the parts of SNLI's and MultiNLI's training sets below; what ships are words, word pairs
and weights, no sentences.  Features are dropped, those with the smallest weights first, until the table
is of the size wanted; weights are rounded to 16 bits.  Accuracies before and after are in the manifest.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from crossexam.core.sealed import MANIFEST, as_json, write_manifest
from crossexam.corpora.labelled import load_corpus
from crossexam.shallow.bag_of_words import (
    BAG_OF_WORDS,
    TABLE,
    BagOfWords,
    load_bag_of_words,
    load_table,
    save_bag_of_words,
)
from crossexam.shallow.fitting import FitRequest, fit_once, score_on_corpus

TARGET = Path(__file__).parents[1] / "src" / "crossexam" / "models" / "shipped_bag_of_words"
TRAIN = ("snli/snli_1.0_train_subset.jsonl", "multinli/multinli_train_subset_tokenised.tsv")
TESTS = ("snli:dev", "snli:test", "multinli:dev_matched", "multinli:dev_mismatched")
LARGEST = 1_000_000  # bytes of the table


def save_pruned(model: BagOfWords, folder: Path, config: dict[str, Any]) -> BagOfWords:
    """Write the largest model below the limit, found by halving the interval of feature counts."""
    low, high = 0, len(model.features)
    save_bag_of_words(folder, model, config, "float16")
    if (folder / TABLE).stat().st_size > LARGEST:
        while high - low > 1:
            middle = (low + high) // 2
            save_bag_of_words(folder, model.pruned(middle), config, "float16")
            low, high = (middle, high) if (folder / TABLE).stat().st_size <= LARGEST else (low, middle)
        save_bag_of_words(folder, model.pruned(low), config, "float16")
    return load_table(folder / TABLE, TABLE)


def main() -> None:
    data = Path(os.environ["CROSSEXAM_DATA"])
    with tempfile.TemporaryDirectory() as scratch:
        request = FitRequest(
            "+".join(str(data / name) for name in TRAIN), "snli:dev", Path(scratch) / "whole", TESTS
        )
        whole = fit_once(BAG_OF_WORDS, request)
        model = load_bag_of_words(whole.folder)
    settings = {name: asdict(part) for name, part in BAG_OF_WORDS.settings.items()}
    shipped = save_pruned(model, TARGET, settings)
    corpora = [load_corpus(name) for name in TESTS]
    fingerprint = dict(whole.manifest.fingerprint)
    fingerprint["train"] = [
        {"spec": name, "sha256": corpus["sha256"]}
        for name, corpus in zip(TRAIN, fingerprint["train"], strict=True)
    ]
    before = as_json(whole.manifest)
    manifest = {
        **before,
        "source": "parts of the training sets of SNLI 1.0 (27,872 of 550,152 pairs; Bowman et al. 2015, "
        "CC BY-SA 4.0) and MultiNLI 1.0 (20,000 of 392,702 pairs; Williams et al. 2018)",
        "script": "scripts/fit_bag_of_words.py",
        "fingerprint": fingerprint,
        "features_before_pruning": before["features"],
        "words": len(shipped.features.words),
        "features": {kind: len(codes) for kind, codes in shipped.features.codes.items()},
        "bytes": (TARGET / TABLE).stat().st_size,
        "tests_before_pruning": before["tests"],
        "tests": {corpus.spec: as_json(score_on_corpus(shipped, corpus).on(corpus)) for corpus in corpora},
    }
    manifest["scores"] = {f"dev_{name}": manifest["tests"]["snli:dev"][name] for name in ("accuracy", "loss")}
    write_manifest(TARGET / MANIFEST, manifest)
    print((TARGET / MANIFEST).read_text())


if __name__ == "__main__":
    main()
