"""Fine-tune a pretrained transformer by the same loop: ``crossexam train hf/FOLDER``.

The result is a folder that ``hf/`` opens, with the names of the labels in its configuration.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn

from crossexam.core.errors import CrossexamError, MissingExtraError
from crossexam.core.example import Example
from crossexam.core.files import read_json, write_json
from crossexam.core.labels import LABEL_INDEX, LABELS
from crossexam.core.settings import Settings
from crossexam.corpora.labelled import Corpus
from crossexam.training import debiasing, scoring
from crossexam.training.checkpoints import MANIFEST, UNFINISHED
from crossexam.training.data import TrainingSet
from crossexam.training.devices import Device
from crossexam.training.encoding import plan_epoch, plan_scoring
from crossexam.training.loop import carry_out
from crossexam.training.objective import Batch, Debias, Objective, Reading
from crossexam.training.request import Epoch, Request, Score, Trained, best_of, finished_before, versions
from crossexam.training.transformers_logging import quiet_transformers
from crossexam.zoo.architecture import Recipe

PREFIX: Final = "hf/"

#: BERT's row of the public model cards for MultiNLI; ``max_length`` counts the pair's tokens.
RECIPE: Final = Recipe(
    optimizer="adamw", learning_rate=2e-5, batch_size=32, epochs=3, schedule="linear-warmup", clip=1.0,
    weight_decay=0.01, max_length=128, source="public model cards of BERT-base on MultiNLI",
)  # fmt: skip


@dataclass(frozen=True)
class Tokens:
    """A batch of tokenised pairs, as the transformer's arguments."""

    arguments: Mapping[str, Tensor]

    def to(self, device: torch.device) -> Tokens:
        """Return the same on *device*."""
        return Tokens({name: tensor.to(device) for name, tensor in self.arguments.items()})


def read_tokens(model: Any, inputs: Tokens) -> Reading:
    """Return logits, and as features the last layer's state of the first token."""
    answer = model(**inputs.arguments, output_hidden_states=True)
    return Reading(answer.logits, answer.hidden_states[-1][:, 0])


def plain_logits(model: Any, inputs: Tokens) -> Tensor:
    """Return the logits alone."""
    logits: Tensor = model(**inputs.arguments).logits
    return logits


@dataclass(frozen=True)
class _Pairs:
    """Tokenised pairs: the tokenizer's lists by name, and labels [n]."""

    fields: Mapping[str, Sequence[Sequence[int]]]
    labels: Tensor

    @property
    def lengths(self) -> list[tuple[int, int]]:
        return [(len(row), 0) for row in self.fields["input_ids"]]


def train_pretrained(request: Request) -> Trained:
    """Fine-tune the checkpoint that *request* names (``hf/FOLDER-or-ID``); raises CrossexamError."""
    recipe, debias = _settled(request)
    source = request.name.removeprefix(PREFIX)
    prints = _fingerprint(request, recipe, debias, source)
    done = finished_before(request.folder, prints)
    if done is not None:
        return done
    torch.manual_seed(request.seed)  # of the classification head, which is new
    tokenizer, model = _loaded(source)
    if model.config.pad_token_id is None:
        model.config.pad_token_id = tokenizer.pad_token_id
    device = Device(request.device, request.precision)
    training_set = TrainingSet(request.data, request.seed, request.augmentations, request.shuffle_words)
    encode = partial(_encoded, tokenizer, recipe.max_length)
    dev = encode(request.data.dev.examples)
    bias = _bias(request, debias)
    cache: dict[int, tuple[_Pairs, Tensor | None]] = {}

    def epoch_of(epoch: int) -> Epoch:
        drawn = epoch if training_set.redrawn else 0
        if drawn not in cache:
            cache.clear()
            examples = training_set.examples(drawn)
            cache[drawn] = encode(examples), torch.tensor(bias.rows(examples)) if bias else None
        pairs, places = cache[drawn]
        batches = plan_epoch(pairs.lengths, recipe.batch_size, seed=request.seed, epoch=epoch)
        return Epoch(batches, partial(_collate, tokenizer, pairs, bias, places))

    def score(scored: nn.Module) -> Score:
        return _score(scored, tokenizer, dev, device.device)

    objective = Objective(model, read_tokens, debias)
    objective.attach(_collate(tokenizer, dev, None, None, [0]))
    curve = carry_out(request, objective, epoch_of, score, recipe, device, prints)
    return _saved(request.folder, tokenizer, model, device, curve, prints)


def scorer(folder: Path, device: torch.device) -> Callable[[Corpus], Score]:
    """Return what scores a corpus with the fine-tuned checkpoint in *folder*."""
    tokenizer, model = _loaded(str(folder))
    max_length = read_json(folder / MANIFEST)["fingerprint"]["recipe"]["max_length"]
    model.to(device)
    return lambda test: _score(model, tokenizer, _encoded(tokenizer, max_length, test.examples), device)


def _score(model: nn.Module, tokenizer: Any, pairs: _Pairs, device: torch.device) -> Score:
    batches = plan_scoring(pairs.lengths, scoring.words_per_batch(device))
    collate = partial(_collate, tokenizer, pairs, None, None)
    logits = scoring.logits_of(model, batches, collate, plain_logits, device)
    return scoring.score_of(logits, pairs.labels)


def _settled(request: Request) -> tuple[Recipe, Debias | None]:
    refused = {
        "--vectors": request.vectors is not None,
        "--ablate rnn": request.ablate_rnn,
        "--debias adv": request.debias == "adv",
    }
    for option, given in refused.items():
        if given:
            raise CrossexamError("a pretrained transformer does not take it", where=option)
    debias = Debias(request.debias) if request.debias else None
    parts = Settings({"recipe": RECIPE, "debias": debias}).with_values(request.values).parts
    if debias is not None and request.bias is None:
        raise CrossexamError(
            f"{request.debias} needs a biased model's answers over the training set",
            where=f"train {request.name}",
            hint="--bias RUN: the run of a hypothesis-only model over the training set",
        )
    return parts["recipe"], parts["debias"]


def _fingerprint(request: Request, recipe: Recipe, debias: Debias | None, source: str) -> dict[str, Any]:
    prints = {
        "architecture": PREFIX + source,
        "recipe": asdict(recipe),
        "debiasing": asdict(debias) if debias else None,
        "seed": request.seed,
        "data": request.data.describe(),
        "options": request.options(),
    }
    plain: dict[str, Any] = json.loads(json.dumps(prints))
    return plain


def _loaded(source: str) -> tuple[Any, Any]:
    """Return tokenizer and model of the checkpoint *source*; a head of other than three classes is new."""
    try:
        from transformers import AutoModelForSequenceClassification, AutoTokenizer
    except ImportError:
        raise MissingExtraError("transformers", "torch", f"training hf/{source}") from None
    names = {"id2label": dict(enumerate(LABELS)), "label2id": LABEL_INDEX, "num_labels": len(LABELS)}
    try:
        with quiet_transformers():
            tokenizer = AutoTokenizer.from_pretrained(source, trust_remote_code=False)
            model = AutoModelForSequenceClassification.from_pretrained(
                source,
                use_safetensors=True,
                trust_remote_code=False,
                ignore_mismatched_sizes=True,
                dtype=torch.float32,
                **names,
            )
    except Exception as error:  # transformers raises nearly anything for a checkpoint it cannot read
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise CrossexamError(f"transformers cannot load it: {first}", where=f"hf/{source}") from error
    return tokenizer, model


def _encoded(tokenizer: Any, max_length: int, examples: Sequence[Example]) -> _Pairs:
    for example in examples:
        if not (example.premise.strip() and example.hypothesis.strip()):
            raise CrossexamError("a sentence is empty", where=f"example {example.id}")
    fields = tokenizer(
        [e.premise for e in examples],
        [e.hypothesis for e in examples],
        truncation="longest_first",
        max_length=max_length,
        return_attention_mask=False,
    )
    labels = torch.tensor([LABEL_INDEX[e.label] if e.label else -1 for e in examples])
    return _Pairs({name: fields[name] for name in ("input_ids", "token_type_ids") if name in fields}, labels)


def _collate(
    tokenizer: Any, pairs: _Pairs, bias: debiasing.Bias | None, places: Tensor | None, rows: Sequence[int]
) -> Batch:
    chosen = {name: [values[row] for row in rows] for name, values in pairs.fields.items()}
    padded = tokenizer.pad(chosen, return_tensors="pt")
    labels = pairs.labels[list(rows)]
    if bias is None or places is None:
        return Batch(Tokens(dict(padded)), labels)
    where = places[list(rows)]
    weights = bias.weights[where] if bias.weights is not None else None
    return Batch(Tokens(dict(padded)), labels, None if weights is not None else bias.log_bias[where], weights)


def _bias(request: Request, debias: Debias | None) -> debiasing.Bias | None:
    if debias is None or request.bias is None:
        return None
    examples = request.data.examples
    labels = torch.tensor([LABEL_INDEX[e.label] for e in examples if e.label])
    return debiasing.make_bias(
        examples, debiasing.probabilities_from_run(request.bias, examples), labels, debias
    )


def _saved(
    target: Path,
    tokenizer: Any,
    model: Any,
    device: Device,
    curve: list[dict[str, Any]],
    prints: dict[str, Any],
) -> Trained:
    manifest = {
        "kind": "transformers",
        "scores": best_of(curve),
        "fingerprint": prints,
        "device": str(device.device),
        "precision": device.precision,
        "processes": device.processes,
        "versions": versions(),
        "curve": curve,
    }
    if device.is_main:
        model.save_pretrained(target)
        tokenizer.save_pretrained(target)
        write_json(target / MANIFEST, manifest)
        shutil.rmtree(target / UNFINISHED, ignore_errors=True)
    device.wait()
    return Trained(target, manifest)
