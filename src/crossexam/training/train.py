"""One training, or several: seeds, and grids of settings chosen on the dev set alone.

Scores of a finished training on test corpora, read from its folder, written into its manifest.

The sentences are read as in training: with the corpus's own parses and tags where it ships them, which a
model that is asked about bare text does without.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import torch

from crossexam.core.dataset import content_hash
from crossexam.core.errors import CrossexamError
from crossexam.core.files import read_json, write_json
from crossexam.corpora.labelled import Corpus
from crossexam.training import scoring
from crossexam.training.checkpoints import KIND, MANIFEST, load_model
from crossexam.training.devices import torch_device
from crossexam.training.encoding import plan_scoring
from crossexam.training.request import Request, Score, Trained


class Spread(NamedTuple):
    """The mean dev accuracy of *n* seeds in percent, and their standard deviation (n - 1); 0 of one."""

    mean: float
    deviation: float
    n: int


def train(request: Request) -> Trained:
    """Train what *request* names, of the zoo or of transformers, and score it on the tests.

    Raises CrossexamError.
    """

    return with_tests(_fitted(request), request.data.tests, request.device)


def _fitted(request: Request) -> Trained:
    if request.name.startswith("hf/"):
        from crossexam.training.transformer import train_pretrained

        return train_pretrained(request)
    from crossexam.training.zoo import train_zoo

    return train_zoo(request)


def spread_of(accuracies: Sequence[float]) -> Spread:
    """Return mean and standard deviation of *accuracies*.

    >>> spread_of([60.0, 62.0, 64.0])
    Spread(mean=62.0, deviation=2.0, n=3)
    """
    n = len(accuracies)
    mean = sum(accuracies) / n
    squares = sum((each - mean) ** 2 for each in accuracies)
    return Spread(mean, (squares / (n - 1)) ** 0.5 if n > 1 else 0.0, n)


def train_seeds(request: Request, seeds: Sequence[int]) -> list[Trained]:
    """Train once a seed, into ``seed-N`` of the request's folder where there are several."""
    if len(seeds) == 1:
        return [train(replace(request, seed=seeds[0]))]
    trained = [train(replace(request, seed=seed, folder=request.folder / f"seed-{seed}")) for seed in seeds]
    spread = spread_of([each.accuracy for each in trained])
    members = {each.folder.name: each.accuracy for each in trained}
    write_json(request.folder / "seeds.json", {"dev_accuracy": members, **spread._asdict()})
    return trained


def train_grid(
    request: Request, combinations: Sequence[Mapping[str, str]], seeds: Sequence[int]
) -> dict[str, list[Trained]]:
    """Train every combination of settings with every seed, each in a folder named after its settings.

    Raises CrossexamError where a combination sets what the request sets too.
    """
    found: dict[str, list[Trained]] = {}
    for values in combinations:
        both = sorted(set(values) & set(request.values))
        if both:
            raise CrossexamError(f"'{both[0]}' is both in --set and in --sweep")
        name = ",".join(f"{field}={value}" for field, value in values.items())
        each = replace(request, values={**request.values, **values}, folder=request.folder / name)
        found[name] = train_seeds(each, seeds)
    table = {name: spread_of([t.accuracy for t in trained])._asdict() for name, trained in found.items()}
    write_json(request.folder / "sweep.json", {"best": best_of_grid(found), "dev_accuracy": table})
    return found


def best_of_grid(found: Mapping[str, Sequence[Trained]]) -> str:
    """Return the settings with the highest mean dev accuracy, the first of equals."""
    return max(found, key=lambda name: spread_of([each.accuracy for each in found[name]]).mean)


def is_trained(folder: Path) -> bool:
    """Tell whether *folder* holds a finished training."""
    return (folder / MANIFEST).is_file()


def describe(trained: Trained) -> dict[str, Any]:
    """Return the scores of *trained* in a line's worth of facts."""
    return {"folder": str(trained.folder), **trained.manifest["scores"]}


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
    from crossexam.training.transformer import scorer

    return scorer(folder, device)


def _zoo_scorer(folder: Path, device: torch.device) -> Any:
    from crossexam.training.encoding import Encoder
    from crossexam.training.objective import Batch

    model, described, vocabulary = load_model(folder)
    encoder = Encoder(vocabulary, described.architecture.needs)
    model.to(device)

    def score(test: Corpus) -> Score:
        pairs = encoder.pairs(test.examples)
        labels = torch.from_numpy(pairs.labels)

        def collate(rows: Sequence[int]) -> Batch:
            return Batch(encoder.collate(pairs, rows), labels[list(rows)])

        batches = plan_scoring(pairs.lengths, scoring.words_per_batch(device))
        logits = scoring.logits_of(model, batches, collate, _call, device)
        return scoring.score_of(logits, labels)

    return score


def _call(model: Any, inputs: Any) -> torch.Tensor:
    logits: torch.Tensor = model(inputs)
    return logits
