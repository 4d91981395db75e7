"""The options of the command that trains a model, and of that which shows what it has learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from crossexam.core.settings import parse_assignments, set_once
from crossexam.options.groups import Here, ReadFrom, ReadingOptions, Where
from crossexam.options.option import Count, NotNegative, argument, option, several, switch
from crossexam.training.debiasing import METHODS

_TRAINING: Final[dict[str, Any]] = {"group": "How to train"}
_CHANGES: Final[dict[str, Any]] = {"group": "Changes to model, data and loss"}


@dataclass(frozen=True)
class Fit(ReadingOptions):
    """The options that every model has that can be trained."""

    model: str = argument(
        "NAME", "An architecture, bag-of-words, hypothesis-fasttext, random-forest, or hf/FOLDER-or-ID."
    )
    training: str = option(
        "Training data: CORPUS, or several as CORPUS+CORPUS.",
        "--train",
        takes="CORPUS",
        required=True,
        first=True,
    )
    dev: tuple[str, ...] = several(
        "Development data, for early stopping and the selection of the best weights: CORPUS, or the folder "
        "of a suite. Repeatable. With several corpora, the mean of their accuracies is used.",
        takes="CORPUS|SUITE",
        required=True,
        first=True,
    )
    output: Here = option("Folder for the model.", "-o", "--output", takes="DIR", required=True, first=True)
    test: tuple[str, ...] = several(
        "Also score the trained model on this corpus. Repeatable.", takes="CORPUS", first=True
    )
    values: tuple[str, ...] = several(
        "Set a field of the configuration or recipe, or an option of a construction of --augment: --set "
        "lr=0.0004 --set so_swap.rules=paper. Repeatable.",
        "--set",
        takes="FIELD=VALUE",
        first=True,
        **_TRAINING,
    )
    limit: Count | None = option(
        "Use only the first N examples of each training corpus.", first=True, **_TRAINING
    )
    dev_limit: Count | None = option(
        "Draw at most N examples of each development set, with --seed. Every epoch scores them all. "
        "Trainings with several seeds have the same ones.",
        **_TRAINING,
    )
    two_labels: bool = switch(
        "Train a model of entailment and not_entailment, as from corpora with two labels.", **_CHANGES
    )


@dataclass(frozen=True)
class Train(Where, Fit):
    """The options of ``crossexam train``.

    Example: crossexam train bag-of-words --train snli:train --dev snli:dev -o bow
    """

    seed: NotNegative = option("Random seed.", default=0, first=True, **_TRAINING)
    seeds: Count | None = option(
        "Train N models, with consecutive seeds starting at --seed.", first=True, **_TRAINING
    )
    epochs: Count | None = option("Train for at most N epochs.", first=True, **_TRAINING)
    vectors: Here | None = option(
        "Word vectors: a text file of GloVe, word2vec or fastText vectors, plain or .gz.",
        takes="FILE",
        first=True,
        **_TRAINING,
    )
    vocabulary_from: tuple[str, ...] = several(
        "Add the words of this corpus or suite that have a vector in --vectors to the vocabulary. Only its "
        "texts are read, never its labels. Repeatable.",
        takes="CORPUS|SUITE",
        **_TRAINING,
    )
    sweep: tuple[str, ...] = several(
        "Train all combinations of these values: --sweep lr=0.001,0.0004 --sweep hidden=100,300. The best "
        "one on the development data is marked.",
        takes="FIELD=VALUE,VALUE",
        **_TRAINING,
    )
    device: str = option(
        "auto, cpu, cuda, or one GPU as cuda:1.", default="auto", takes="NAME", first=True, **_TRAINING
    )
    precision: str = option(
        "auto (bfloat16 if a GPU supports it, float32 on a CPU), float32, medium (only products read "
        "bfloat16), bfloat16, float16.",
        default="auto",
        takes="NAME",
        **_TRAINING,
    )
    track: tuple[str, ...] = several(
        "Log each epoch to tensorboard, wandb or mlflow. Repeatable.", takes="NAME", **_TRAINING
    )
    ablate: Literal["rnn"] | None = option(
        "rnn: replace recurrent layers by position-wise ones.", takes="rnn", **_CHANGES
    )
    shuffle_words: bool = switch("Shuffle the words of each training sentence.", **_CHANGES)
    augment: str | None = option(
        "Add items of these constructions to the training data: negation,antonymy:20000.",
        takes="NAME[:COUNT],...",
        **_CHANGES,
    )
    augment_repeat: bool = switch(
        "Repeat items of --augment NAME:COUNT if the training data yield fewer than COUNT.", **_CHANGES
    )
    parser: str = option(
        "Dependency parser for sentences without a parse, for syntactic_tree_lstm and --augment: auto (only "
        "parses that the corpus ships) or spacy:PIPELINE.",
        default="auto",
        takes="NAME",
        **_CHANGES,
    )
    adjectives: str | None = option(
        "With --augment add_amod, short for --set add_amod.adjectives: count adjective-noun pairs in this "
        "corpus, or read them from a file.",
        takes="CORPUS:SPLIT|FILE",
        **_CHANGES,
    )
    debias: str | None = option(f"Debiasing method: {', '.join(METHODS)}.", takes="METHOD", **_CHANGES)
    bias: ReadFrom | None = option(
        "Run of a biased model over the training set. Default: train a hypothesis-only model.",
        takes="RUN",
        **_CHANGES,
    )


def settings_of(options: Train) -> dict[str, str]:
    """Return the values of ``--set`` and of the options that are short for it, by field."""
    stated = parse_assignments(options.values, "--set")
    short = (
        ("epochs", options.epochs, "--epochs"),
        ("add_amod.adjectives", options.adjectives, "--adjectives"),
    )
    return set_once(
        [
            *((field, value, "--set") for field, value in stated.items()),
            *((field, str(value), flag) for field, value, flag in short if value is not None),
        ]
    )


@dataclass(frozen=True)
class Features:
    """The options of ``crossexam features``.

    For a bag-of-words model, these are the features with the largest weights per label: "hypothesis: nobody"
    is a word of the hypothesis, "outside / inside" a word of the premise and one of the hypothesis.  For a
    random forest, it is the mean decrease in impurity per feature.

    Example: crossexam features builtin/bag-of-words --top 5
    """

    model: str = argument(
        "MODEL",
        "A bag-of-words model or a random forest: bow/FOLDER, builtin/bag-of-words, rf/FOLDER.",
        default="builtin/bag-of-words",
        required=False,
    )
    top: Count = option("Number of features (per label).", default=20)
    output: Here | None = option(
        "For a random forest: write a chart of all features.", "-o", "--output", takes="FILE.svg"
    )
