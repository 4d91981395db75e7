"""Training of the zoo's architectures: vocabulary, encoded pairs, and the folder of a trained model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn

from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.files import sha256_of
from crossexam.language.word_vectors import Vectors
from crossexam.training import checkpoints
from crossexam.training.debiasing import METHODS, Debias, settings_with
from crossexam.training.encoding import EncodedPairs, Encoder
from crossexam.training.parses import ParsedPairs, unparsed_warning
from crossexam.training.pipeline import LabelledBatch, ModelOutput
from crossexam.training.request import TrainingRequest
from crossexam.training.vocabulary import KnownWords, Vocabulary, check_width, fill_words, make_vocabulary
from crossexam.zoo.architecture import Architecture, Recipe
from crossexam.zoo.hypothesis_only import hypothesis_only
from crossexam.zoo.layers import Sizes
from crossexam.zoo.table import architecture_named

#: Names of trained architectures begin so.
PREFIX: Final = "zoo/"
#: The biased model of an architecture that does not encode sentences separately.
_DEFAULT_BIASED: Final = "hypothesis_only"


@dataclass(frozen=True)
class ZooPipeline:
    """How an architecture of the zoo reads examples; *max_length* truncates sentences in training."""

    encoder: Encoder
    max_length: int | None = None

    @property
    def reads_parses(self) -> bool:
        """Whether the architecture reads trees."""
        return "trees" in self.encoder.needs

    def encode(self, examples: Sequence[Example], *, for_training: bool = False) -> EncodedPairs:
        """Return *examples* encoded; raises CrossexamError if a sentence is empty."""
        return self.encoder.pairs(examples, max_length=self.max_length if for_training else None)

    def collate(self, encoded: EncodedPairs, rows: Sequence[int]) -> LabelledBatch:
        """Return the examples at *rows* as a padded batch."""
        inputs = self.encoder.collate(encoded, rows)
        return LabelledBatch(inputs, torch.from_numpy(encoded.labels[list(rows)]))

    def output(self, model: Any, inputs: Any) -> ModelOutput:
        """Return logits, features, and the hypothesis vector if the model encodes sentences separately."""
        return zoo_output(model, inputs)

    def logits(self, model: Any, inputs: Any) -> Tensor:
        """Return the logits of a batch: [B, 3]."""
        logits: Tensor = model(inputs)
        return logits


def zoo_output(model: Any, inputs: Any) -> ModelOutput:
    """Return the output of *model*, with the hypothesis vector if it encodes sentences separately."""
    if hasattr(model, "encode"):
        hypothesis = model.encode(inputs.hypothesis, "hypothesis")
        features = model.compare(model.encode(inputs.premise, "premise"), hypothesis)
        return ModelOutput(model.output(features), features, hypothesis)
    features = model.features(inputs)
    return ModelOutput(model.output(features), features)


class _Inputs:
    """Vocabulary, word vectors and pipeline, read when first used, and shared with the biased model."""

    def __init__(self, request: TrainingRequest, architecture: Architecture, recipe: Recipe) -> None:
        self._request, self._needs, self._recipe = request, architecture.needs, recipe

    @cached_property
    def _first_epoch(self) -> list[Example]:
        return self._request.training_set().of_epoch(0).examples

    @cached_property
    def parses(self) -> dict[str, ParsedPairs]:
        """How many pairs have parses, those to train on as in the first epoch; empty if none are read."""
        if "trees" not in self._needs:
            return {}
        dev = [example for corpus in self._request.data.dev.corpora for example in corpus.examples]
        return {"train": ParsedPairs.of(self._first_epoch), "dev": ParsedPairs.of(dev)}

    @cached_property
    def _words(self) -> KnownWords:
        request, first = self._request, self._first_epoch
        return make_vocabulary(
            first if not request.data.redrawn else [*request.data.examples, *first],
            others=[example for source in request.vocabulary_from for example in source.examples],
            lower_case=self._recipe.lower_case,
            characters="characters" in self._needs,
            vectors=request.vectors,
            progress=request.progress,
        )

    @property
    def vocabulary(self) -> Vocabulary:
        return self._words.vocabulary

    @property
    def vectors(self) -> Vectors | None:
        return self._words.vectors

    @property
    def borrowed(self) -> int:
        return self._words.borrowed

    @property
    def sizes(self) -> Sizes:
        vocabulary = self.vocabulary
        return Sizes(len(vocabulary.words), len(vocabulary.characters), len(vocabulary.tags))

    @cached_property
    def pipeline(self) -> ZooPipeline:
        classes = self._request.data.classes
        return ZooPipeline(Encoder(self.vocabulary, self._needs, classes), self._recipe.max_length)

    def fill(self, table: nn.Embedding) -> None:
        """Initialise the word embeddings."""
        generator = torch.Generator().manual_seed(self._request.seed)
        fill_words(table, self.vocabulary, self.vectors, self._recipe, generator)


@dataclass(frozen=True)
class ZooTraining:
    """The training of an architecture of the zoo."""

    request: TrainingRequest
    architecture: Architecture
    config: Any
    recipe: Recipe
    debias: Debias | None
    inputs: _Inputs
    kind: str = checkpoints.KIND

    @classmethod
    def of(cls, request: TrainingRequest) -> ZooTraining:
        """Return the training that *request* describes; raises CrossexamError if its settings do not fit."""
        architecture = architecture_named(request.name)
        own = {"config": architecture.config, "recipe": architecture.recipe}
        parts = settings_with(own, request.debias, request.values, bias_given=request.bias is not None)
        _check_sizes(parts["config"], parts["recipe"], architecture.recipe)
        config = _without_rnn(architecture, parts["config"]) if request.ablate_rnn else parts["config"]
        if request.debias is not None:
            _check_method(request.debias, architecture)
        if request.vocabulary_from and request.vectors is None:
            raise CrossexamError(
                "--vocabulary-from needs word vectors: a word that is not in the training data would keep a "
                "random vector",
                hint="--vectors FILE, a text file of GloVe, word2vec or fastText vectors",
            )
        inputs = _Inputs(request, architecture, parts["recipe"])
        return cls(request, architecture, config, parts["recipe"], parts["debias"], inputs)

    @property
    def paper(self) -> str:
        """The architecture's paper."""
        return self.architecture.paper

    @property
    def pipeline(self) -> ZooPipeline:
        """How the model reads examples, with the vocabulary of the training data."""
        return self.inputs.pipeline

    def identity(self) -> dict[str, Any]:
        """Return the configuration, and the hash of the file of word vectors."""
        vectors = self.request.vectors
        return {
            "config": asdict(self.config),
            "vectors": sha256_of(vectors) if vectors and vectors.is_file() else None,
        }

    def warnings(self) -> Iterator[str]:
        """Yield a warning if the training or development pairs lack parses that the model reads."""
        names = {"train": "training", "dev": "development"}
        counts = {names[part]: counted for part, counted in self.inputs.parses.items()}
        hint = None if self.request.shuffle_words else self.request.data.parse_hint
        if warning := unparsed_warning(counts, hint):
            yield warning

    def build(self) -> nn.Module:
        """Return the untrained model with its word vectors; raises CrossexamError if their width differs."""
        torch.manual_seed(self.request.seed)
        model: Any = self._description.build()
        table = model.words.table
        if self.inputs.vectors is not None:
            check_width(self.inputs.vectors, table.embedding_dim, self.architecture.name, self.config)
        self.inputs.fill(table)
        built: nn.Module = model
        return built

    def biased(self) -> ZooTraining:
        """Return the training of the architecture without the premise, or of the default biased model."""
        if self.architecture.encodes_sentences:
            return replace(self, architecture=hypothesis_only(self.architecture), debias=None)
        biased = architecture_named(_DEFAULT_BIASED)
        vectors = self.inputs.vectors
        config = replace(biased.config, width=vectors.width if vectors else biased.config.width)
        return replace(self, architecture=biased, config=config, recipe=biased.recipe, debias=None)

    def save(self, folder: Path, model: nn.Module) -> None:
        """Write configuration, weights and vocabulary into *folder*."""
        checkpoints.save_model(folder, self._description, model, self.inputs.vocabulary)

    @property
    def _description(self) -> checkpoints.Description:
        classes = self.request.data.classes
        return checkpoints.Description(self.architecture, self.config, self.inputs.sizes, classes)

    def facts(self, model: nn.Module) -> dict[str, Any]:
        """Return the sizes of model and vocabulary, and where vectors, parses and tags come from."""
        encoder, vectors, parses = self.pipeline.encoder, self.inputs.vectors, self.inputs.parses
        words = model.words.table.weight.numel()  # type: ignore[union-attr, operator]
        return {
            "parameters_without_words": sum(p.numel() for p in model.parameters()) - words,
            "vocabulary": asdict(self.inputs.sizes),
            "vectors": vectors.describe() if vectors else None,
            **({"words_from_other_corpora": self.inputs.borrowed} if self.request.vocabulary_from else {}),
            **({"parses": {part: counts._asdict() for part, counts in parses.items()}} if parses else {}),
            "tags_from": encoder.reader.tagged or None,
        }


def _check_sizes(config: Any, recipe: Recipe, usual: Recipe) -> None:
    """Raise CrossexamError if a size in *config* is below 1, or if the model reads fewer words than are kept.

    The second is not an error with the *usual* recipe, whose sentences the model cuts.
    """
    for name, value in asdict(config).items():
        for size in value if isinstance(value, tuple) else (value,):
            if isinstance(size, int) and size < 1:
                raise CrossexamError(
                    f"'{name}' is {size}", where=f"--set {name}={size}", wanted="a number of 1 or more"
                )
    room = getattr(config, "length", inf)  # for the words of a sentence
    if room < recipe.max_length != usual.max_length:
        raise CrossexamError(
            f"{recipe.max_length} words of a sentence are kept, but the model reads {room}",
            where=f"--set max_length={recipe.max_length}",
            hint=f"--set length={recipe.max_length} makes the model read as many",
        )


def _without_rnn(architecture: Architecture, config: Any) -> Any:
    if not hasattr(config, "recurrence"):
        raise CrossexamError(
            f"{architecture.name} cannot be built without an RNN",
            where="--ablate rnn",
            wanted="an architecture whose configuration has 'recurrence'",
        )
    return replace(config, recurrence="feedforward")


def _check_method(method: str, architecture: Architecture) -> None:
    """Raise CrossexamError if the debiasing *method* needs sentence vectors that *architecture* lacks."""
    if METHODS[method].needs_hypothesis and not architecture.encodes_sentences:
        general = [name for name, each in METHODS.items() if not each.needs_hypothesis]
        raise CrossexamError(
            f"{method} needs the hypothesis's vector, and {architecture.name} does not encode sentences "
            "separately",
            where=f"--debias {method}",
            wanted="a sentence encoder",
            hint=f"methods that work with any model: {', '.join(general)}",
        )


def load_zoo(folder: Path) -> tuple[nn.Module, ZooPipeline]:
    """Return the trained model in *folder* and how it reads examples; raises CrossexamError."""
    model, description, vocabulary = checkpoints.load_model(folder)
    return model, ZooPipeline(Encoder(vocabulary, description.architecture.needs, description.classes))
