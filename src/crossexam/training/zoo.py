"""Train a model of the zoo, from its name and the corpora to the folder with its weights.

What a training of a zoo model and that of its biased model share.

The biased model of a debiasing method, trained on the spot: the model's own form without the premise.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Final

import torch
from torch import Tensor, nn

from crossexam.core.errors import CrossexamError
from crossexam.core.files import sha256_of, write_json
from crossexam.core.settings import Settings
from crossexam.language.word_vectors import Vectors
from crossexam.training import checkpoints, debiasing, scoring
from crossexam.training.data import TrainingSet
from crossexam.training.devices import Device
from crossexam.training.encoding import EncodedPairs, Encoder, plan_epoch, plan_scoring
from crossexam.training.loop import Trainer, carry_out
from crossexam.training.objective import Batch, Debias, Objective, Reading
from crossexam.training.request import (
    Epoch,
    Plan,
    Request,
    Score,
    Trained,
    best_of,
    finished_before,
    versions,
)
from crossexam.training.vocabulary import check_width, fill_words, make_vocabulary
from crossexam.zoo.architecture import Architecture, Recipe
from crossexam.zoo.hypothesis_only import hypothesis_only
from crossexam.zoo.layers import Sizes
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
                f"there is no form of {architecture.name} without an RNN",
                where="--ablate rnn",
                wanted="an architecture whose configuration has 'recurrence'",
            )
        config = replace(config, recurrence="feedforward")
    if debias is not None and debias.method == "adv" and not architecture.encodes_sentences:
        raise CrossexamError(
            f"{architecture.name} encodes no sentence on its own, and adv needs the hypothesis's vector",
            where="--debias adv",
            wanted="a sentence encoder",
            hint="--debias drift works with every model",
        )
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


def _kit(
    request: Request,
    architecture: Architecture,
    config: Any,
    recipe: Recipe,
    debias: Debias | None,
    training_set: TrainingSet,
) -> Kit:
    first = training_set.examples(0)
    words = first if not request.data.redrawn else [*request.data.examples, *first]
    vocabulary, vectors = make_vocabulary(
        words,
        lower_case=recipe.lower_case,
        characters="characters" in architecture.needs,
        vectors=request.vectors,
        progress=request.progress,
    )
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
        "kind": checkpoints.KIND,
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
        described = checkpoints.Description(kit.architecture, kit.config, kit.sizes)
        checkpoints.save_model(target, described, model, kit.encoder.vocabulary)
        write_json(target / checkpoints.MANIFEST, manifest)
        shutil.rmtree(target / checkpoints.UNFINISHED, ignore_errors=True)
    kit.device.wait()
    return Trained(target, manifest)


def read_pairs(model: Any, inputs: Any) -> Reading:
    """Return what *model* makes of a batch of pairs; the hypothesis's vector where it encodes sentences."""
    if hasattr(model, "encode"):
        hypothesis = model.encode(inputs.hypothesis, "hypothesis")
        features = model.compare(model.encode(inputs.premise, "premise"), hypothesis)
        return Reading(model.output(features), features, hypothesis)
    features = model.features(inputs)
    return Reading(model.output(features), features)


@dataclass(frozen=True)
class Kit:
    """What a training and that of its biased model share."""

    request: Request
    architecture: Architecture
    config: Any
    recipe: Recipe
    debias: Debias | None
    encoder: Encoder
    sizes: Sizes
    vectors: Vectors | None
    device: Device
    dev: EncodedPairs

    def model(self, architecture: Architecture, config: Any, seed: int) -> Any:
        """Return the untrained model, with its word vectors."""
        torch.manual_seed(seed)
        model: Any = architecture.build(config, self.sizes)
        generator = torch.Generator().manual_seed(seed)
        fill_words(model.words.table, self.encoder.vocabulary, self.vectors, self.recipe, generator)
        return model

    def collate(
        self, pairs: EncodedPairs, bias: debiasing.Bias | None, places: Tensor | None, rows: Sequence[int]
    ) -> Batch:
        """Return *rows* of *pairs*; *places* are their rows in *bias*."""
        inputs = self.encoder.collate(pairs, rows)
        labels = torch.from_numpy(pairs.labels[list(rows)])
        if bias is None or places is None:
            return Batch(inputs, labels)
        where = places[list(rows)]
        if bias.weights is not None:
            return Batch(inputs, labels, weights=bias.weights[where])
        return Batch(inputs, labels, log_bias=bias.log_bias[where])

    def logits(self, model: nn.Module, pairs: EncodedPairs) -> Tensor:
        """Return the logits of *pairs*: [n, 3]."""
        batches = plan_scoring(pairs.lengths, scoring.words_per_batch(self.device.device))
        collate = partial(self.collate, pairs, None, None)
        return scoring.logits_of(model, batches, collate, lambda m, inputs: m(inputs), self.device.device)

    def score(self, model: nn.Module) -> Score:
        """Return how *model* does on the dev set."""
        return scoring.score_of(self.logits(model, self.dev), torch.from_numpy(self.dev.labels))


def part_of(pairs: EncodedPairs, rows: Sequence[int]) -> EncodedPairs:
    """Return *rows* of *pairs*."""
    premises, hypotheses = ([side[row] for row in rows] for side in (pairs.premises, pairs.hypotheses))
    return EncodedPairs(premises, hypotheses, pairs.labels[list(rows)])


_BIAS_FOR_OTHERS: Final = "hypothesis_only"  # the biased model of what encodes no sentences


def bias_of(kit: Kit, prints: dict[str, Any]) -> debiasing.Bias | None:
    """Return the biased model's answers over the training set, None where the method needs none."""
    if kit.debias is None or not kit.debias.needs_bias:
        return None
    examples = kit.request.data.examples
    pairs = kit.encoder.pairs(examples, max_length=kit.recipe.max_length)
    if kit.request.bias is not None:
        probabilities = debiasing.probabilities_from_run(kit.request.bias, examples)
    else:
        answer = partial(_biased_answers, kit, pairs, prints)
        probabilities = debiasing.probabilities_on_the_spot(len(pairs), kit.debias, kit.request.seed, answer)
    return debiasing.make_bias(examples, probabilities, torch.from_numpy(pairs.labels), kit.debias)


def _biased_answers(
    kit: Kit,
    pairs: EncodedPairs,
    prints: dict[str, Any],
    rows: Sequence[int],
    asked: Sequence[int],
    name: str,
) -> Tensor:
    """Train the hypothesis-only form of the model on *rows*, and return its answers for *asked*: [n, 3]."""
    if kit.architecture.encodes_sentences:
        biased, config = hypothesis_only(kit.architecture), kit.config
    else:
        biased = architecture_named(_BIAS_FOR_OTHERS)
        width = kit.vectors.width if kit.vectors else biased.config.width
        config = replace(biased.config, width=width)
    recipe = kit.recipe if kit.architecture.encodes_sentences else biased.recipe
    part = part_of(pairs, rows)

    def epoch_of(epoch: int) -> Epoch:
        batches = plan_epoch(part.lengths, recipe.batch_size, seed=kit.request.seed, epoch=epoch)
        return Epoch(batches, partial(kit.collate, part, None, None))

    model = kit.model(biased, config, kit.request.seed)
    place = kit.request.folder / checkpoints.UNFINISHED / name.replace(" ", "-")
    plan = Plan(
        recipe, kit.request.seed, kit.device, place, None, {**prints, "biased": name}, watch=kit.request.watch
    )
    Trainer(Objective(model, read_pairs), epoch_of, kit.score, plan).run()
    return torch.softmax(kit.logits(model, part_of(pairs, asked)).double(), -1)
