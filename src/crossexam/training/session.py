"""A training from the request to the finished folder: ``train``.

It owns what all kinds of models share: fingerprint, dev sets, the biased model of a debiasing method,
trackers, and the manifest.  The steps themselves are the loop's.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, Final, Generic, NamedTuple

import torch
from torch import Tensor, nn

from crossexam.core.example import cluster_of
from crossexam.core.files import writing
from crossexam.core.labels import Projection
from crossexam.core.locks import waiting_for
from crossexam.core.manifest import Machine, library_versions
from crossexam.corpora.trained import (
    BiasScore,
    DevScores,
    Score,
    TrainedFolder,
    TrainedManifest,
    fingerprint_of,
    finished_training,
)
from crossexam.training import checkpoints, debiasing
from crossexam.training.data import AddedItems
from crossexam.training.debiasing import METHODS, Bias, BiasedPart, BiasPredictions, Debias
from crossexam.training.devices import Device, chosen_precision
from crossexam.training.loop import Epoch, LoopSettings, Trainer, Training, epoch_from
from crossexam.training.objective import Objective
from crossexam.training.pipeline import E
from crossexam.training.request import TrainingRequest
from crossexam.training.scoring import predict_logits, score_model
from crossexam.training.trackers import open_run

_PACKAGES: Final = ("torch", "accelerate", "safetensors", "tokenizers", "transformers", "numpy")
#: The fields of a fingerprint in their order; a kind of model may lack some.
_FINGERPRINT: Final = (
    "architecture",
    "config",
    "recipe",
    "debiasing",
    "seed",
    "data",
    "vectors",
    "options",
    "precision",
)


def train(training: Training[E], request: TrainingRequest) -> TrainedFolder:
    """Train the model of *training*, resuming an interrupted training; a finished one is returned as it is.

    Raises CrossexamError if the folder holds another training, or if the loss is not finite.
    """
    fingerprint = _fingerprint(training, request)
    finished = finished_training(request.folder, fingerprint)
    if finished is not None:
        checkpoints.remove_snapshots(request.folder)  # of a process that was killed before it did
        return finished
    for text in training.warnings():
        request.note(text)
    device = Device(request.device, request.precision)
    dev = [
        _DevSet(c.spec, training.pipeline.encode(c.examples), c.projection) for c in request.data.dev.corpora
    ]
    session = _Session(training, request, device, dev, fingerprint)
    objective = Objective(training.build(), training.pipeline.output, training.debias)
    objective.attach(training.pipeline.collate(dev[0].encoded, [0]))
    with device.products():
        bias = session.bias()
        curve = session.fit(objective, bias)
        return session.finish(objective.model, curve, bias)


def _fingerprint(training: Training[E], request: TrainingRequest) -> dict[str, Any]:
    """Return all that the weights depend on, as JSON gives it back; of the precision if it is not float32."""
    precision = chosen_precision(request.device, request.precision)
    parts = {
        "architecture": request.name,
        "recipe": asdict(training.recipe),
        "debiasing": _described(training.debias, request) if training.debias else None,
        "seed": request.seed,
        "data": request.data.describe(),
        "options": request.options(),
        **({"precision": precision} if precision != "float32" else {}),
        **training.identity(),
    }
    return fingerprint_of({name: parts[name] for name in _FINGERPRINT if name in parts})


def _described(debias: Debias, request: TrainingRequest) -> dict[str, Any]:
    """Return the settings of *debias* and, if it trains biased models, what these are stopped by."""
    if not METHODS[debias.method].needs_bias or request.bias is not None:
        return asdict(debias)
    return {**asdict(debias), "bias_stopped_by": f"1 of {debiasing.STOPPING_PARTS} parts of its data"}


class _DevSet(NamedTuple, Generic[E]):
    """A development corpus, encoded, and how three labels are mapped to its own."""

    spec: str
    encoded: E
    projection: Projection


@dataclass(frozen=True)
class _Session(Generic[E]):
    """A training with its device and encoded dev sets, which the model and its biased model share.

    ``machines`` are those on which any of its models was trained so far.
    """

    training: Training[E]
    request: TrainingRequest
    device: Device
    dev: Sequence[_DevSet[E]]
    fingerprint: Mapping[str, Any]
    machines: list[Machine] = field(default_factory=list)

    def score(self, model: nn.Module) -> dict[str, Score]:
        """Return the score of *model* on each dev set, by its name."""
        pipeline, device = self.training.pipeline, self.device.device
        return {
            dev.spec: score_model(pipeline, model, dev.encoded, device, dev.projection) for dev in self.dev
        }

    def fit(self, objective: Objective, bias: Bias | None) -> list[dict[str, Any]]:
        """Train *objective*, leaving the best weights in its model, and return the curve."""
        request, device, folder = self.request, self.device, self.request.folder
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            trackers = [
                stack.enter_context(open_run(name, folder.name, self.fingerprint["recipe"], folder))
                for name in (request.trackers if device.is_main else ())
            ]
            for name, run in zip(request.trackers, trackers, strict=False):
                request.note(f"{name}: {run.place}")
            settings = LoopSettings(
                self.training.recipe,
                request.seed,
                device,
                folder=folder / checkpoints.UNFINISHED,
                metrics=folder / checkpoints.METRICS,
                fingerprint=self.fingerprint,
                snapshot_steps=request.snapshot_steps,
                watch=request.watch,
                trackers=trackers,
            )
            return self._carry_out(Trainer(objective, self._epochs(bias), self.score, settings))

    def _carry_out(self, trainer: Trainer) -> list[dict[str, Any]]:
        """Train to the end, remember on which machines, and return the curve."""
        curve = trainer.run()
        self.machines.extend(each for each in trainer.state.machines if each not in self.machines)
        return curve

    def _epochs(self, bias: Bias | None) -> Callable[[int], Epoch]:
        """Return what each epoch reads; examples are encoded again only if the epoch has other ones."""
        training_set, pipeline = self.request.training_set(), self.training.pipeline
        cache: dict[int, tuple[E, dict[str, Tensor], Mapping[str, AddedItems]]] = {}
        said: set[str] = set()

        def epoch_of(epoch: int) -> Epoch:
            drawn = epoch if training_set.redrawn else 0
            if drawn not in cache:
                cache.clear()
                examples, added = training_set.of_epoch(drawn)
                encoded = pipeline.encode(examples, for_training=True)
                cache[drawn] = encoded, bias.fields_of(examples) if bias else {}, added
                for name, counts in added.items():
                    if name not in said:
                        self.request.note(counts.note(name))
                said.update(added)
            encoded, fields, added = cache[drawn]
            read = epoch_from(self.training, encoded, fields, self.request.seed, epoch)
            return read._replace(added=added)

        return epoch_of

    def bias(self) -> Bias | None:
        """Return the biased model's predictions on the training set, None if the method needs none."""
        debias, request = self.training.debias, self.request
        if debias is None or not METHODS[debias.method].needs_bias:
            return None
        examples = request.data.examples
        encoded = self.training.pipeline.encode(examples, for_training=True)
        labels = torch.from_numpy(encoded.labels)
        if request.bias is not None:
            probabilities = debiasing.probabilities_from_run(request.bias, examples, request.data.classes)
            score = debiasing.score_of_run(probabilities, labels)
        else:
            groups = [cluster_of(example) for example in examples]
            predict = partial(self._predict_biased, self.training.biased(), encoded)
            probabilities, score = debiasing.cross_predict(groups, debias, request.seed, predict)
        return debiasing.make_bias(examples, probabilities, labels, debias, score)

    def _predict_biased(self, biased: Training[E], encoded: E, part: BiasedPart) -> BiasPredictions:
        """Train the biased model of *part* of *encoded*, unless another training has, and predict."""
        seed, pipeline, device = self.request.seed, biased.pipeline, self.device
        learned, stop = encoded.take(part.train), encoded.take(part.stop)
        self.request.note(f"{part.name}: {len(learned):,} pairs to train on, {len(stop):,} to stop by")
        fingerprint = self._identity_of(biased, part)
        named = hashlib.blake2b(json.dumps(fingerprint).encode(), digest_size=8).hexdigest()
        folder = (self.request.shared or self.request.folder / checkpoints.UNFINISHED) / f"bias-{named}"
        settings = LoopSettings(
            biased.recipe, seed, device, folder=folder, fingerprint=fingerprint, watch=self.request.watch
        )
        objective = Objective(biased.build(), pipeline.output)
        with waiting_for(folder) if device.is_main else nullcontext():
            trainer = Trainer(
                objective,
                lambda epoch: epoch_from(biased, learned, {}, seed, epoch),
                lambda model: {"held out": score_model(pipeline, model, stop, device.device)},
                settings,
            )
            best = _best_of(self._carry_out(trainer))
        majority = debiasing.majority_of(torch.from_numpy(stop.labels))
        logits = predict_logits(pipeline, objective.model, encoded.take(part.predict), device.device)
        return BiasPredictions(
            torch.softmax(logits.double(), -1),
            BiasScore(best.dev_accuracy, majority, (best.best_epoch or 0,)),
        )

    def _identity_of(self, biased: Training[E], part: BiasedPart) -> dict[str, Any]:
        """Return the fingerprint of a biased model, on which the method and its settings have no effect."""
        same = {name: value for name, value in self.fingerprint.items() if name != "debiasing"}
        return {**same, **biased.identity(), "recipe": asdict(biased.recipe), "biased": part.name}

    def finish(self, model: nn.Module, curve: list[dict[str, Any]], bias: Bias | None) -> TrainedFolder:
        """Write the folder, the manifest last, and remove the snapshots."""
        folder, training, device = self.request.folder, self.training, self.device
        manifest = TrainedManifest(
            kind=training.kind,
            scores=_best_of(curve),
            bias=bias.score.rounded() if bias else None,
            paper=training.paper,
            fingerprint=dict(self.fingerprint),
            facts=training.facts(model),
            device=str(device.device),
            precision=device.precision,
            processes=device.processes,
            versions=library_versions(*_PACKAGES),
            machines=self.machines,
            curve=curve,
        )
        if device.is_main:
            with writing(folder):
                training.save(folder, model)
            TrainedFolder.finish(folder, manifest)
            checkpoints.remove_snapshots(folder)
        device.wait()
        return TrainedFolder.read(folder)


def _best_of(curve: Sequence[Mapping[str, Any]]) -> DevScores:
    """Return the scores of the best epoch of *curve*, the first of equals."""
    best = max(curve, key=lambda record: record["dev_accuracy"])
    return DevScores(
        dev_accuracy=best["dev_accuracy"],
        dev_loss=best["dev_loss"],
        best_epoch=best["epoch"],
        dev=best.get("dev"),
    )
