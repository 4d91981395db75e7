"""crossexam train: train a model of the zoo or a shallow baseline, or fine-tune a transformer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from crossexam.cli.engines import CpusPerWorker, EngineSpec, GpusPerWorker, Workers, engine_of
from crossexam.cli.options import AllowLoss, Columns, Labels, SkipBad, reading_options
from crossexam.core.errors import CrossexamError, MissingExtraError, UnknownNameError
from crossexam.core.places import copy_path, here_path
from crossexam.training.debiasing import METHODS

if TYPE_CHECKING:
    from rich.table import Table

    from crossexam.core.dataset import Run
    from crossexam.shallow.fitting import FitRequest, FittedFolder, ShallowModel
    from crossexam.training.data import Augmentation
    from crossexam.training.request import Status, TrainingRequest

_TRAINING: Final = "How to train"
_CHANGES: Final = "Changes to model, data and loss"

Model = Annotated[
    str,
    typer.Argument(
        help="An architecture, bag-of-words, hypothesis-fasttext, random-forest, or hf/FOLDER-or-ID.",
        metavar="NAME",
    ),
]
Train = Annotated[
    str, typer.Option("--train", help="Training data: CORPUS, or several as CORPUS+CORPUS.", metavar="CORPUS")
]
Dev = Annotated[
    list[str],
    typer.Option(
        "--dev",
        help="Development data, for early stopping and the selection of the best weights: CORPUS, or the "
        "folder of a suite. Repeatable. With several corpora, the mean of their accuracies is used.",
        metavar="CORPUS|SUITE",
    ),
]
Output = Annotated[
    Path, typer.Option("-o", "--output", parser=here_path, help="Folder for the model.", metavar="DIR")
]
Tests = Annotated[
    list[str] | None,
    typer.Option("--test", help="Also score the trained model on this corpus. Repeatable.", metavar="CORPUS"),
]
Seed = Annotated[int, typer.Option(help="Random seed.", min=0, rich_help_panel=_TRAINING)]
Seeds = Annotated[
    int | None,
    typer.Option(
        help="Train N models, with consecutive seeds starting at --seed.",
        min=1,
        rich_help_panel=_TRAINING,
        metavar="N",
    ),
]
Values = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Set a field of the configuration or recipe, or an option of a construction of --augment: "
        "--set lr=0.0004 --set so_swap.rules=paper. Repeatable.",
        metavar="FIELD=VALUE",
        rich_help_panel=_TRAINING,
    ),
]
Epochs = Annotated[
    int | None,
    typer.Option(help="Train for at most N epochs.", min=1, rich_help_panel=_TRAINING, metavar="N"),
]
VectorFile = Annotated[
    Path | None,
    typer.Option(
        parser=here_path,
        help="Word vectors: a text file of GloVe, word2vec or fastText vectors, plain or .gz.",
        rich_help_panel=_TRAINING,
        metavar="FILE",
    ),
]
VocabularyFrom = Annotated[
    list[str] | None,
    typer.Option(
        help="Add the words of this corpus or suite that have a vector in --vectors to the vocabulary. Only "
        "its texts are read, never its labels. Repeatable.",
        rich_help_panel=_TRAINING,
        metavar="CORPUS|SUITE",
    ),
]
Limit = Annotated[
    int | None,
    typer.Option(
        help="Use only the first N examples of each training corpus.",
        min=1,
        rich_help_panel=_TRAINING,
        metavar="N",
    ),
]
DevLimit = Annotated[
    int | None,
    typer.Option(
        help="Draw at most N examples of each development set, with --seed. Every epoch scores them all. "
        "Trainings with several seeds have the same ones.",
        min=1,
        rich_help_panel=_TRAINING,
        metavar="N",
    ),
]
Sweep = Annotated[
    list[str] | None,
    typer.Option(
        help="Train all combinations of these values: --sweep lr=0.001,0.0004 --sweep hidden=100,300. "
        "The best one on the development data is marked.",
        metavar="FIELD=VALUE,VALUE",
        rich_help_panel=_TRAINING,
    ),
]
DeviceName = Annotated[
    str, typer.Option(help="auto, cpu, cuda, or one GPU as cuda:1.", rich_help_panel=_TRAINING)
]
Precision = Annotated[
    str,
    typer.Option(
        help="auto (bfloat16 if a GPU supports it, float32 on a CPU), float32, medium (only products read "
        "bfloat16), bfloat16, float16.",
        rich_help_panel=_TRAINING,
    ),
]
Track = Annotated[
    list[str] | None,
    typer.Option(
        help="Log each epoch to tensorboard, wandb or mlflow. Repeatable.", rich_help_panel=_TRAINING
    ),
]
Ablate = Annotated[
    str | None,
    typer.Option(help="rnn: replace recurrent layers by position-wise ones.", rich_help_panel=_CHANGES),
]
ShuffleWords = Annotated[
    bool,
    typer.Option(
        "--shuffle-words", help="Shuffle the words of each training sentence.", rich_help_panel=_CHANGES
    ),
]
Augment = Annotated[
    str | None,
    typer.Option(
        help="Add items of these constructions to the training data: negation,antonymy:20000.",
        rich_help_panel=_CHANGES,
        metavar="NAME[:COUNT],...",
    ),
]
AugmentRepeat = Annotated[
    bool,
    typer.Option(
        "--augment-repeat",
        help="Repeat items of --augment NAME:COUNT if the training data yield fewer than COUNT.",
        rich_help_panel=_CHANGES,
    ),
]
TwoLabels = Annotated[
    bool,
    typer.Option(
        "--two-labels",
        help="Train a model of entailment and not_entailment, as from corpora with two labels.",
        rich_help_panel=_CHANGES,
    ),
]
Parser = Annotated[
    str,
    typer.Option(
        help="Dependency parser for sentences without a parse, for syntactic_tree_lstm and --augment: "
        "auto (only parses that the corpus ships) or spacy:PIPELINE.",
        rich_help_panel=_CHANGES,
        metavar="NAME",
    ),
]
Adjectives = Annotated[
    str | None,
    typer.Option(
        help="With --augment add_amod, short for --set add_amod.adjectives: count adjective-noun pairs in "
        "this corpus, or read them from a file.",
        rich_help_panel=_CHANGES,
        metavar="CORPUS:SPLIT|FILE",
    ),
]
DebiasName = Annotated[
    str | None, typer.Option(help=f"Debiasing method: {', '.join(METHODS)}.", rich_help_panel=_CHANGES)
]
BiasRun = Annotated[
    Path | None,
    typer.Option(
        parser=copy_path,
        help="Run of a biased model over the training set. Default: train a hypothesis-only model.",
        rich_help_panel=_CHANGES,
        metavar="RUN",
    ),
]


@dataclass(frozen=True)
class _Choices:
    """The options of the command line, by the parameter names of the command."""

    model: str
    training: str
    dev: list[str]
    output: Path
    test: list[str] | None
    seed: int
    seeds: int | None
    values: list[str] | None
    epochs: int | None
    vectors: Path | None
    vocabulary_from: list[str] | None
    limit: int | None
    dev_limit: int | None
    sweep: list[str] | None
    device: str
    precision: str
    track: list[str] | None
    ablate: str | None
    shuffle_words: bool
    augment: str | None
    augment_repeat: bool
    parser: str
    adjectives: str | None
    debias: str | None
    bias: Path | None
    two_labels: bool
    columns: str | None
    labels: str | None
    skip_bad: bool
    allow_loss: bool
    engine: str
    workers: str | None
    num_cpus: float | None
    num_gpus: float | None

    def reading(self) -> dict[str, Any]:
        """Return the options of reading the corpora."""
        return reading_options(self.columns, self.labels, self.skip_bad, self.allow_loss)

    def settings(self) -> dict[str, str]:
        """Return the values of ``--set`` and of the flags that are short for it, by field."""
        from crossexam.core.settings import parse_assignments

        settings = parse_assignments(self.values or [], "--set")
        flags = {
            "epochs": ("--epochs", self.epochs),
            "add_amod.adjectives": ("--adjectives", self.adjectives),
        }
        for field, (flag, value) in flags.items():
            if value is None:
                continue
            if field in settings:
                raise CrossexamError(f"'{field}' is set by both --set and {flag}")
            settings[field] = str(value)
        return settings

    def all_seeds(self) -> range:
        """Return the training seeds."""
        return range(self.seed, self.seed + (self.seeds or 1))

    def of_a_loop(self) -> dict[str, Any]:
        """Return the options that models without a training loop may not support."""
        return {
            "--seed": self.seed,
            "--seeds": self.seeds,
            "--epochs": self.epochs,
            "--vectors": self.vectors,
            "--sweep": self.sweep,
            "--device": self.device != "auto",
            "--precision": self.precision != "auto",
            "--track": self.track,
            "--ablate": self.ablate,
            "--shuffle-words": self.shuffle_words,
            "--augment": self.augment,
            "--augment-repeat": self.augment_repeat,
            "--vocabulary-from": self.vocabulary_from,
            "--parser": self.parser != "auto",
            "--adjectives": self.adjectives,
            "--debias": self.debias,
            "--bias": self.bias,
            "--engine": self.engine != "local",
            "--workers": self.workers,
            "--num-cpus": self.num_cpus,
            "--num-gpus": self.num_gpus,
        }


def train(
    model: Model,
    training: Train,
    dev: Dev,
    output: Output,
    test: Tests = None,
    seed: Seed = 0,
    seeds: Seeds = None,
    values: Values = None,
    epochs: Epochs = None,
    vectors: VectorFile = None,
    vocabulary_from: VocabularyFrom = None,
    limit: Limit = None,
    dev_limit: DevLimit = None,
    sweep: Sweep = None,
    device: DeviceName = "auto",
    precision: Precision = "auto",
    track: Track = None,
    ablate: Ablate = None,
    shuffle_words: ShuffleWords = False,
    augment: Augment = None,
    augment_repeat: AugmentRepeat = False,
    parser: Parser = "auto",
    adjectives: Adjectives = None,
    debias: DebiasName = None,
    bias: BiasRun = None,
    two_labels: TwoLabels = False,
    columns: Columns = None,
    labels: Labels = None,
    skip_bad: SkipBad = False,
    allow_loss: AllowLoss = False,
    engine: EngineSpec = "local",
    workers: Workers = None,
    num_cpus: CpusPerWorker = None,
    num_gpus: GpusPerWorker = None,
) -> None:
    """Train a model. The same command resumes interrupted training."""
    choices = _Choices(**locals())
    from crossexam.shallow.table import shallow_named

    shallow = shallow_named(model)
    if shallow is not None:
        _fit_shallow(shallow, choices)
    else:
        _train_neural(choices)


def _fit_shallow(shallow: ShallowModel, choices: _Choices) -> None:
    """Train a model without a training loop."""
    from crossexam.shallow.fitting import FitRequest

    _refuse_options(shallow, choices.of_a_loop())
    request = FitRequest(
        choices.training,
        choices.dev,
        choices.output,
        tuple(choices.test or ()),
        values=choices.settings(),
        limit=choices.limit,
        dev_limit=choices.dev_limit,
        seed=choices.seed,
        vectors=choices.vectors,
        two_labels=choices.two_labels,
        reading=choices.reading(),
    )
    _fit_and_show(shallow, request)


def _refuse_options(model: ShallowModel, given: Mapping[str, Any]) -> None:
    """Raise CrossexamError if *given* has a value for an option that *model* does not support."""
    for option, value in given.items():
        if value and option not in model.takes:
            settable = ", ".join(field.name for part in model.settings.values() for field in fields(part))
            raise CrossexamError(
                f"{option} has no effect on {model.name}, which has no training loop",
                hint=f"leave out {option}; --set accepts {settable}",
            )


def _fit_and_show(model: ShallowModel, request: FitRequest) -> None:
    """Train *model*, then print its scores."""
    from dataclasses import replace

    from crossexam.cli.console import dev_line, note, progress_bar, show, written
    from crossexam.corpora.reading import label_counts
    from crossexam.shallow.fitting import fit_once

    with progress_bar() as progress:
        fitted = fit_once(model, replace(request, progress=progress, note=note))
    manifest = fitted.manifest
    dev = manifest["fingerprint"]["dev"]
    note(f"{request.train}: {label_counts(manifest.get('train_labels', {}))}")
    for part in dev.get("parts", [dev]):
        note(f"{part['spec']}: {label_counts(part['labels'])}")
    show(_shallow_table(model, request, fitted))
    if line := dev_line(manifest["scores"], f"{model.prefix}/{fitted.folder}"):
        show(line)
    written(request.folder)


def _shallow_table(model: ShallowModel, request: FitRequest, fitted: FittedFolder) -> Table:
    from rich.table import Table

    manifest = fitted.manifest
    dev = manifest["fingerprint"]["dev"]["spec"]
    table = Table(title=f"{model.name} on {dev}", title_justify="left")
    columns = model.columns(manifest)
    for column in ("model", *columns, "dev accuracy", "dev loss", *request.tests):
        table.add_column(column, justify="left" if column == "model" else "right")
    scores = manifest["scores"]
    table.add_row(
        f"{model.prefix}/{fitted.folder}",
        *columns.values(),
        f"{scores['dev_accuracy']:.1f} %",
        f"{scores['dev_loss']:.3f}",
        *(f"{manifest['tests'][spec]['accuracy']:.1f} %" for spec in request.tests),
    )
    return table


def _train_neural(choices: _Choices) -> None:
    """Train with one or several seeds, or a grid of settings, and print the scores."""
    if find_spec("torch") is None:  # the tables of models to train need it, too
        raise MissingExtraError("torch", "torch", f"training {choices.model}")
    from crossexam.cli.console import (
        dev_line,
        note,
        show,
        spread_line,
        training_progress,
        training_table,
        warn_of_no_bias,
        written,
    )
    from crossexam.core.settings import grid
    from crossexam.corpora.reading import label_counts
    from crossexam.training.several import train_grid, train_seeds
    from crossexam.training.train import model_name
    from crossexam.zoo.table import table_name

    choices = replace(choices, model=table_name(choices.model))
    _check_names(choices)
    combinations, seeds = grid(choices.sweep or []), choices.all_seeds()
    engine = engine_of(choices.engine, choices.workers, choices.num_cpus, choices.num_gpus)
    with training_progress() as watch:
        request = _request(choices, watch)
        data = request.data
        for corpus in (*data.train, *data.dev.corpora, *data.tests):
            note(f"{corpus.spec}: {label_counts(corpus.describe()['labels'])}")
        for text in data.dev.notes:
            note(text)
        if choices.sweep:
            models = train_grid(request, combinations, seeds, engine)
        else:
            models = {"": train_seeds(request, seeds, engine)}
    show(training_table(request, models))
    for trained in chain.from_iterable(models.values()):
        if line := dev_line(trained.manifest["scores"], model_name(trained)):
            show(line)
    warn_of_no_bias(chain.from_iterable(models.values()), choices.debias)
    if len(seeds) > 1 and not choices.sweep:
        note(spread_line(models[""]))
    written(choices.output)


def _check_names(choices: _Choices) -> None:
    """Raise CrossexamError for unknown names and conflicting options, before any data is read."""
    from crossexam.training.data import with_construction_options

    if choices.ablate not in (None, "rnn"):
        raise CrossexamError(f"--ablate is '{choices.ablate}'", wanted="rnn")
    if choices.bias is not None and choices.debias is None:
        raise CrossexamError("--bias requires --debias", hint=f"--debias with one of {', '.join(METHODS)}")
    if choices.augment_repeat and choices.augment is None:
        raise CrossexamError("--augment-repeat requires --augment", hint="--augment so_swap:20000")
    if choices.adjectives is not None and choices.augment is None:
        raise CrossexamError("--adjectives requires --augment", hint="--augment add_amod")
    with_construction_options(_augmentations(choices), choices.settings())
    if choices.debias is not None and choices.debias not in METHODS:
        raise UnknownNameError("debiasing method", choices.debias, METHODS)
    from crossexam.training.transformer import PREFIX as TRANSFORMERS

    if choices.model.startswith(TRANSFORMERS):
        return
    from crossexam.zoo.hypothesis_only import PREFIX
    from crossexam.zoo.table import ABBREVIATIONS, ARCHITECTURES, architecture_named

    if choices.model not in ARCHITECTURES and not choices.model.startswith(PREFIX):
        names = [*ARCHITECTURES, *ABBREVIATIONS, *_shallow_names()]
        raise UnknownNameError("model to train", choices.model, names)
    architecture_named(choices.model)


def _request(choices: _Choices, watch: Callable[[Status], None]) -> TrainingRequest:
    """Return the training request that *choices* describe, with its data loaded."""
    from crossexam.cli.console import note
    from crossexam.training.data import load_data, with_parser
    from crossexam.training.request import TrainingRequest
    from crossexam.training.vocabulary import load_word_sources

    trees = _reads_trees(choices)
    data = load_data(
        choices.training,
        choices.dev,
        tests=choices.test or (),
        limit=choices.limit,
        dev_limit=choices.dev_limit,
        seed=choices.seed,
        two_labels=choices.two_labels,
        **choices.reading(),
    )
    return TrainingRequest(
        choices.model,
        with_parser(data, choices.parser, trees=trees),
        choices.output,
        values=choices.settings(),
        vectors=choices.vectors,
        vocabulary_from=load_word_sources(choices.vocabulary_from or (), choices.reading()),
        ablate_rnn=choices.ablate == "rnn",
        shuffle_words=choices.shuffle_words,
        augmentations=_augmentations(choices),
        debias=choices.debias,
        bias=_load_run(choices.bias),
        device=choices.device,
        precision=choices.precision,
        trackers=tuple(choices.track or ()),
        watch=watch,
        note=note,
    )


def _augmentations(choices: _Choices) -> tuple[Augmentation, ...]:
    from crossexam.training.data import parse_augmentations

    if choices.augment is None:
        return ()
    return parse_augmentations(choices.augment, repeat=choices.augment_repeat)


def _reads_trees(choices: _Choices) -> bool:
    """Return whether the model reads parses; raises CrossexamError if an option of parsing has no effect."""
    from crossexam.zoo.table import ARCHITECTURES

    trees = choices.model in ARCHITECTURES and "trees" in ARCHITECTURES[choices.model].needs
    if choices.parser != "auto" and not trees and not choices.augment:
        raise CrossexamError(
            f"--parser has no effect on {choices.model}, which reads no parses",
            hint="leave it out; syntactic_tree_lstm and --augment use it",
        )
    return trees


def _load_run(folder: Path | None) -> Run | None:
    if folder is None:
        return None
    from crossexam.runs.saved import read_run

    return read_run(folder)


def _shallow_names() -> list[str]:
    from crossexam.shallow.table import SHALLOW

    return [name for model in SHALLOW.values() for name in (model.name, model.alias) if name]
