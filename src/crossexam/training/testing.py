"""Scores of a finished training on test corpora, read from its folder, written into its manifest.

The sentences are read as in training: with the corpus's own parses and tags where it ships them, which a
model that is asked about bare text does without.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from crossexam.core.dataset import content_hash
from crossexam.core.files import read_json, write_json
from crossexam.training import scoring
from crossexam.training.batching import plan_scoring
from crossexam.training.data import Corpus
from crossexam.training.devices import torch_device
from crossexam.training.folder import KIND, MANIFEST, load_model
from crossexam.training.plan import Score
from crossexam.training.request import Trained


def with_tests(trained: Trained, tests: Sequence[Corpus], device: str = "auto") -> Trained:
    """Return *trained* with the accuracy on each of *tests* in its manifest; those known stay.

    Raises CrossexamError.
    """
    known: Mapping[str, Any] = trained.manifest.get("tests", {})
    missing = {test.spec: test for test in tests if not _is_known(known, test)}
    if not missing:
        return trained
    score = _scorer(trained.folder, torch_device(device))
    found = {spec: _entry(test, score(test)) for spec, test in missing.items()}
    manifest = {**read_json(trained.folder / MANIFEST), "tests": {**known, **found}}
    write_json(trained.folder / MANIFEST, manifest)
    return Trained(trained.folder, manifest)


def _is_known(known: Mapping[str, Any], test: Corpus) -> bool:
    entry = known.get(test.spec)
    return entry is not None and entry["content_hash"] == content_hash(test.examples)


def _entry(test: Corpus, score: Score) -> dict[str, Any]:
    return {
        "accuracy": round(score.accuracy, 4),
        "loss": round(score.loss, 6),
        "rows": len(test.examples),
        "content_hash": content_hash(test.examples),
    }


def _scorer(folder: Path, device: torch.device) -> Any:
    """Return what scores a corpus with the model in *folder*, of the zoo or of transformers."""
    if read_json(folder / MANIFEST).get("kind") == KIND:
        return _zoo_scorer(folder, device)
    from crossexam.training.pretrained import scorer

    return scorer(folder, device)


def _zoo_scorer(folder: Path, device: torch.device) -> Any:
    from crossexam.training.collation import Encoder
    from crossexam.training.objective import Batch

    model, described, vocabulary = load_model(folder)
    encoder = Encoder(vocabulary, described.architecture.needs)
    model.to(device)

    def score(test: Corpus) -> Score:
        pairs = encoder.pairs(test.examples)
        labels = torch.from_numpy(pairs.labels)

        def collate(rows: Sequence[int]) -> Batch:
            return Batch(encoder.collate(pairs, rows), labels[list(rows)])

        batches = plan_scoring(pairs.lengths, scoring.words_a_batch(device))
        logits = scoring.logits_of(model, batches, collate, _call, device)
        return scoring.score_of(logits, labels)

    return score


def _call(model: Any, inputs: Any) -> torch.Tensor:
    logits: torch.Tensor = model(inputs)
    return logits
