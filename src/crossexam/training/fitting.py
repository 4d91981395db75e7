"""Train a model of the zoo, from its name and the corpora to the folder with its weights."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from crossexam.core.errors import CrossexamError
from crossexam.core.files import sha256_of, write_json
from crossexam.training import folder
from crossexam.training.batching import plan_epoch
from crossexam.training.biased import bias_of
from crossexam.training.collation import EncodedPairs, Encoder
from crossexam.training.devices import Device
from crossexam.training.kit import Kit, read_pairs
from crossexam.training.objective import Debias, Objective
from crossexam.training.plan import Epoch
from crossexam.training.request import Request, Trained, best_of, finished_before, versions
from crossexam.training.running import carry_out
from crossexam.training.settings import Settings
from crossexam.training.training_set import TrainingSet
from crossexam.training.word_table import check_width, make_vocabulary
from crossexam.zoo.architecture import Architecture
from crossexam.zoo.embedding import Sizes
from crossexam.zoo.recipe import Recipe
from crossexam.zoo.table import architecture_named


def train_zoo(request: Request) -> Trained:
    """Train the architecture that *request* names; goes on where an interrupted one was.

    Raises CrossexamError.
    """
    architecture = architecture_named(request.name)
    config, recipe, debias = _settled(architecture, request)
    prints = _fingerprint(request, config, recipe, debias)
    done = finished_before(request.folder, prints)
    if done is not None:
        return done
    training_set = TrainingSet(request.data, request.seed, request.augmentations, request.shuffle_words)
    kit = _kit(request, architecture, config, recipe, debias, training_set)
    # On the meta device first: what does not fit is told before anything is trained.
    with torch.device("meta"):
        empty: Any = architecture.build(config, kit.sizes)
    if kit.vectors is not None:
        check_width(kit.vectors, empty.words.table.embedding_dim, architecture.name, config)
    return _fit(kit, training_set, prints)


def _settled(architecture: Architecture, request: Request) -> tuple[Any, Recipe, Debias | None]:
    """Return configuration, recipe and debiasing method with the request's values in place."""
    debias = Debias(request.debias) if request.debias else None
    settings = Settings({"config": architecture.config, "recipe": architecture.recipe, "debias": debias})
    parts = settings.with_values(request.values).parts
    config = parts["config"]
    if request.ablate_rnn:
        if not hasattr(config, "recurrence"):
            raise CrossexamError(
                f"there is no form of {architecture.name} without an RNN", where="--ablate rnn",
                wanted="an architecture whose configuration has 'recurrence'",
            )  # fmt: skip
        config = replace(config, recurrence="feedforward")
    if debias is not None and debias.method == "adv" and not architecture.encodes_sentences:
        raise CrossexamError(
            f"{architecture.name} encodes no sentence on its own, and adv needs the hypothesis's vector",
            where="--debias adv", wanted="a sentence encoder", hint="--debias drift works with every model",
        )  # fmt: skip
    return config, parts["recipe"], parts["debias"]


def _fingerprint(request: Request, config: Any, recipe: Recipe, debias: Debias | None) -> dict[str, Any]:
    """Return all that the weights depend on, as JSON gives it back."""
    prints = {
        "architecture": request.name,
        "config": asdict(config),
        "recipe": asdict(recipe),
        "debiasing": asdict(debias) if debias else None,
        "seed": request.seed,
        "data": request.data.describe(),
        "vectors": sha256_of(request.vectors) if request.vectors and request.vectors.is_file() else None,
        "options": request.options(),
    }
    plain: dict[str, Any] = json.loads(json.dumps(prints))
    return plain


def _kit(request: Request, architecture: Architecture, config: Any, recipe: Recipe, debias: Debias | None,
         training_set: TrainingSet) -> Kit:  # fmt: skip
    first = training_set.examples(0)
    words = first if not request.data.redrawn else [*request.data.examples, *first]
    vocabulary, vectors = make_vocabulary(
        words, lower_case=recipe.lower_case, characters="characters" in architecture.needs,
        vectors=request.vectors, progress=request.progress,
    )  # fmt: skip
    sizes = Sizes(len(vocabulary.words), len(vocabulary.characters), len(vocabulary.tags))
    encoder = Encoder(vocabulary, architecture.needs)
    dev = encoder.pairs(request.data.dev.examples)
    device = Device(request.device, request.precision)
    return Kit(request, architecture, config, recipe, debias, encoder, sizes, vectors, device, dev)


def _fit(kit: Kit, training_set: TrainingSet, prints: dict[str, Any]) -> Trained:
    request, recipe = kit.request, kit.recipe
    bias = bias_of(kit, prints)
    cache: dict[int, tuple[EncodedPairs, Tensor | None]] = {}

    def epoch_of(epoch: int) -> Epoch:
        drawn = epoch if training_set.redrawn else 0
        if drawn not in cache:
            cache.clear()
            examples = training_set.examples(drawn)
            pairs = kit.encoder.pairs(examples, max_length=recipe.max_length)
            cache[drawn] = pairs, torch.tensor(bias.rows(examples)) if bias else None
        pairs, places = cache[drawn]
        batches = plan_epoch(pairs.lengths, recipe.batch_size, seed=request.seed, epoch=epoch)
        return Epoch(batches, partial(kit.collate, pairs, bias, places))

    model = kit.model(kit.architecture, kit.config, request.seed)
    objective = Objective(model, read_pairs, kit.debias)
    objective.attach(kit.collate(kit.dev, None, None, [0]))
    curve = carry_out(request, objective, epoch_of, kit.score, recipe, kit.device, prints)
    return _saved(kit, model, curve, prints)


def _saved(kit: Kit, model: nn.Module, curve: list[dict[str, Any]], prints: dict[str, Any]) -> Trained:
    """Write the folder, the manifest last, and take away what was only there while training."""
    target = kit.request.folder
    words = model.words.table.weight.numel()  # type: ignore[union-attr, operator]
    manifest = {
        "kind": folder.KIND,
        "scores": best_of(curve),
        "paper": kit.architecture.paper,
        "fingerprint": prints,
        "parameters_without_words": sum(p.numel() for p in model.parameters()) - words,
        "vocabulary": asdict(kit.sizes),
        "vectors": kit.vectors.describe() if kit.vectors else None,
        "sentences_with_parses": kit.encoder.reader.parsed if "trees" in kit.encoder.needs else None,
        "tags_from": kit.encoder.reader.tagged or None,
        "device": str(kit.device.device),
        "precision": kit.device.precision,
        "processes": kit.device.processes,
        "versions": versions(),
        "curve": curve,
    }
    if kit.device.is_main:
        described = folder.Description(kit.architecture, kit.config, kit.sizes)
        folder.save_model(target, described, model, kit.encoder.vocabulary)
        write_json(target / folder.MANIFEST, manifest)
        shutil.rmtree(target / folder.UNFINISHED, ignore_errors=True)
    kit.device.wait()
    return Trained(target, manifest)
