"""Fine-tuning of pretrained transformers: ``crossexam train hf/FOLDER``.

The result is a folder that ``hf/`` opens, with the names of the labels in its configuration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from crossexam.core.errors import CrossexamError, MissingExtraError
from crossexam.core.example import Example
from crossexam.core.labels import ENTAILMENT_OR_NOT, THREE_LABELS, Projection
from crossexam.corpora.trained import TrainedFolder
from crossexam.training.debiasing import METHODS, Debias, settings_with
from crossexam.training.first_token import skip_other_tokens
from crossexam.training.pipeline import LabelledBatch, ModelOutput
from crossexam.training.pretrained import find_checkpoint
from crossexam.training.request import TrainingRequest
from crossexam.training.transformers_logging import quiet_transformers
from crossexam.zoo.architecture import Recipe

PREFIX: Final = "hf/"
KIND: Final = "transformers"

#: BERT's row of the public model cards for MultiNLI; ``max_length`` counts the pair's tokens.
RECIPE: Final = Recipe(
    optimizer="adamw", learning_rate=2e-5, batch_size=32, epochs=3, schedule="linear-warmup", clip=1.0,
    weight_decay=0.01, max_length=128, source="public model cards of BERT-base on MultiNLI",
)  # fmt: skip


@dataclass(frozen=True)
class TokenizedTexts:
    """Tokenized pairs: the tokenizer's lists by name, and *labels* [n], -1 for an unlabelled example."""

    fields: Mapping[str, Sequence[Sequence[int]]]
    labels: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def lengths(self) -> list[tuple[int, int]]:
        """Return the number of tokens of each pair, as those of its premise."""
        return [(len(row), 0) for row in self.fields["input_ids"]]

    def take(self, rows: Sequence[int]) -> TokenizedTexts:
        """Return the pairs at *rows*."""
        fields = {name: [values[row] for row in rows] for name, values in self.fields.items()}
        return TokenizedTexts(fields, self.labels[list(rows)])


@dataclass(frozen=True)
class TransformerPipeline:
    """How a transformer reads examples: pairs of at most *max_length* tokens."""

    tokenizer: Any
    max_length: int
    classes: Projection = THREE_LABELS
    reads_parses: bool = False

    def encode(self, examples: Sequence[Example], *, for_training: bool = False) -> TokenizedTexts:
        """Return *examples* tokenized, always truncated; raises CrossexamError if a sentence is empty."""
        for example in examples:
            if not (example.premise.strip() and example.hypothesis.strip()):
                raise CrossexamError("a sentence is empty", where=f"example {example.id}")
        fields = self.tokenizer(
            [e.premise for e in examples],
            [e.hypothesis for e in examples],
            truncation="longest_first",
            max_length=self.max_length,
            return_attention_mask=False,
        )
        labels = np.array([self.classes.class_of(example.label) for example in examples], dtype=np.int64)
        names = [name for name in ("input_ids", "token_type_ids") if name in fields]
        return TokenizedTexts({name: fields[name] for name in names}, labels)

    def collate(self, encoded: TokenizedTexts, rows: Sequence[int]) -> LabelledBatch:
        """Return the pairs at *rows* as a padded batch."""
        chosen = encoded.take(rows)
        padded = self.tokenizer.pad(chosen.fields, return_tensors="pt")
        return LabelledBatch(padded, torch.from_numpy(chosen.labels))

    def output(self, model: Any, inputs: Any) -> ModelOutput:
        """Return logits, and as features the last layer's state of the first token."""
        output = model(**inputs, output_hidden_states=True)
        return ModelOutput(output.logits, output.hidden_states[-1][:, 0])

    def logits(self, model: Any, inputs: Any) -> Tensor:
        """Return the logits of a batch: [B, 3]."""
        logits: Tensor = model(**inputs).logits
        return logits


@dataclass(frozen=True)
class TransformerTraining:
    """The fine-tuning of a pretrained transformer."""

    request: TrainingRequest
    recipe: Recipe
    debias: Debias | None
    kind: str = KIND
    paper: str | None = None

    @classmethod
    def of(cls, request: TrainingRequest) -> TransformerTraining:
        """Return the training that *request* describes; raises CrossexamError if an option does not apply."""
        has_run = request.bias is not None
        parts = settings_with({"recipe": RECIPE}, request.debias, request.values, bias_given=has_run)
        debias = parts["debias"]
        refused = {
            "--vectors": request.vectors is not None,
            "--vocabulary-from": bool(request.vocabulary_from),
            "--ablate rnn": request.ablate_rnn,
            f"--debias {request.debias}": debias is not None and METHODS[debias.method].needs_hypothesis,
        }
        for option, given in refused.items():
            if given:
                raise CrossexamError("not available for a pretrained transformer", where=option)
        training = cls(request, parts["recipe"], debias)
        if debias is not None and not has_run:
            training.biased()
        return training

    @property
    def _source(self) -> str:
        return self.request.name.removeprefix(PREFIX)

    @cached_property
    def pipeline(self) -> TransformerPipeline:
        """How the transformer reads examples."""
        classes = self.request.data.classes
        return TransformerPipeline(_load_tokenizer(self._source), self.recipe.max_length, classes)

    def identity(self) -> dict[str, Any]:
        """Return no further fields: the name of the checkpoint says it all."""
        return {}

    def warnings(self) -> Iterator[str]:
        """Yield nothing: a transformer reads words alone."""
        yield from ()

    def build(self) -> nn.Module:
        """Return the pretrained model; a classification head with another number of classes is new."""
        torch.manual_seed(self.request.seed)
        model: Any = _load_classifier(self._source, self.request.data.classes)
        if model.config.pad_token_id is None:
            model.config.pad_token_id = self.pipeline.tokenizer.pad_token_id
        probe = self.pipeline.tokenizer(["A dog runs."], ["The sun shines."], return_tensors="pt")
        skip_other_tokens(model, lambda: self.pipeline.logits(model, probe))
        built: nn.Module = model
        return built

    def biased(self) -> TransformerTraining:
        """Raise CrossexamError: a transformer has no form that reads the hypothesis alone."""
        raise CrossexamError(
            f"{self.request.debias} needs a biased model's predictions on the training set",
            where=f"train {self.request.name}",
            hint="--bias RUN: the run of a hypothesis-only model over the training set",
        )

    def save(self, folder: Path, model: Any) -> None:
        """Write the checkpoint and its tokenizer into *folder*."""
        model.save_pretrained(folder)
        self.pipeline.tokenizer.save_pretrained(folder)

    def facts(self, model: nn.Module) -> dict[str, Any]:
        """Return no further facts: the checkpoint's own configuration has them."""
        return {}


def load_transformer(folder: Path) -> tuple[nn.Module, TransformerPipeline]:
    """Return the fine-tuned model in *folder* and how it reads examples; raises CrossexamError."""
    fingerprint = TrainedFolder.read(folder).manifest.fingerprint
    classes = ENTAILMENT_OR_NOT if fingerprint["data"].get("two_labels") else THREE_LABELS
    model: nn.Module = _load_classifier(str(folder), classes)
    tokenizer = _load_tokenizer(str(folder))
    return model, TransformerPipeline(tokenizer, fingerprint["recipe"]["max_length"], classes)


def _load_tokenizer(source: str) -> Any:
    return _loaded(source, "AutoTokenizer")


def _load_classifier(source: str, classes: Projection) -> Any:
    return _loaded(
        source,
        "AutoModelForSequenceClassification",
        use_safetensors=True,
        ignore_mismatched_sizes=True,
        dtype=torch.float32,
        id2label=dict(enumerate(classes.labels)),
        label2id={label: index for index, label in enumerate(classes.labels)},
        num_labels=len(classes.labels),
    )


def _loaded(source: str, auto_class: str, **options: Any) -> Any:
    """Return what the *auto_class* of transformers loads from *source*; raises CrossexamError."""
    try:
        import transformers
    except ImportError:
        raise MissingExtraError("transformers", "torch", f"training {PREFIX}{source}") from None
    folder = find_checkpoint(source, None).folder
    try:
        with quiet_transformers():
            return getattr(transformers, auto_class).from_pretrained(
                folder, trust_remote_code=False, **options
            )
    except Exception as error:  # transformers raises nearly anything for a checkpoint it cannot read
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise CrossexamError(f"transformers cannot load it: {first}", where=f"{PREFIX}{source}") from error
