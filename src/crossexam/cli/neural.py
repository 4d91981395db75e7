"""Training with a loop, as ``crossexam train`` does it: a model of the zoo, or a transformer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain

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
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.settings import grid
from crossexam.corpora.reading import label_counts
from crossexam.options.engines import engine_of
from crossexam.options.groups import reading_of
from crossexam.options.train import Train, settings_of
from crossexam.runs.saved import read_run
from crossexam.shallow.table import SHALLOW
from crossexam.training.data import (
    Augmentation,
    load_data,
    parse_augmentations,
    with_construction_options,
    with_parser,
)
from crossexam.training.debiasing import METHODS
from crossexam.training.request import Status, TrainingRequest
from crossexam.training.several import train_grid, train_seeds
from crossexam.training.train import model_name
from crossexam.training.transformer import PREFIX as TRANSFORMERS
from crossexam.training.vocabulary import load_word_sources
from crossexam.zoo.hypothesis_only import PREFIX
from crossexam.zoo.table import ABBREVIATIONS, ARCHITECTURES, architecture_named, table_name


def train_neural(options: Train) -> None:
    """Train with one or several seeds, or a grid of settings, and print the scores."""
    options = replace(options, model=table_name(options.model))
    _check_names(options)
    combinations = grid(options.sweep)
    seeds = range(options.seed, options.seed + (options.seeds or 1))
    engine = engine_of(options, note=note)
    with training_progress() as watch:
        request = _request(options, watch)
        data = request.data
        for corpus in (*data.train, *data.dev.corpora, *data.tests):
            note(f"{corpus.spec}: {label_counts(corpus.describe()['labels'])}")
        for text in data.dev.notes:
            note(text)
        if options.sweep:
            models = train_grid(request, combinations, seeds, engine)
        else:
            models = {"": train_seeds(request, seeds, engine)}
    show(training_table(request, models))
    for trained in chain.from_iterable(models.values()):
        if line := dev_line(trained.manifest["scores"], model_name(trained)):
            show(line)
    warn_of_no_bias(chain.from_iterable(models.values()), options.debias)
    if len(seeds) > 1 and not options.sweep:
        note(spread_line(models[""]))
    written(options.output)


def _check_names(options: Train) -> None:
    """Raise CrossexamError for unknown names and conflicting options, before any data is read."""
    if options.ablate not in (None, "rnn"):
        raise CrossexamError(f"--ablate is '{options.ablate}'", wanted="rnn")
    if options.bias is not None and options.debias is None:
        raise CrossexamError("--bias requires --debias", hint=f"--debias with one of {', '.join(METHODS)}")
    if options.augment_repeat and options.augment is None:
        raise CrossexamError("--augment-repeat requires --augment", hint="--augment so_swap:20000")
    if options.adjectives is not None and options.augment is None:
        raise CrossexamError("--adjectives requires --augment", hint="--augment add_amod")
    with_construction_options(_augmentations(options), settings_of(options))
    if options.debias is not None and options.debias not in METHODS:
        raise UnknownNameError("debiasing method", options.debias, METHODS)
    if options.model.startswith(TRANSFORMERS):
        return
    if options.model not in ARCHITECTURES and not options.model.startswith(PREFIX):
        shallow = [name for model in SHALLOW.values() for name in (model.name, model.alias) if name]
        raise UnknownNameError("model to train", options.model, [*ARCHITECTURES, *ABBREVIATIONS, *shallow])
    architecture_named(options.model)


def _request(options: Train, watch: Callable[[Status], None]) -> TrainingRequest:
    """Return the training request that *options* describe, with its data loaded."""
    trees = _reads_trees(options)
    reading = reading_of(options)
    data = load_data(
        options.training,
        options.dev,
        tests=options.test,
        limit=options.limit,
        dev_limit=options.dev_limit,
        seed=options.seed,
        two_labels=options.two_labels,
        **reading,
    )
    return TrainingRequest(
        options.model,
        with_parser(data, options.parser, trees=trees),
        options.output,
        values=settings_of(options),
        vectors=options.vectors,
        vocabulary_from=load_word_sources(options.vocabulary_from, reading),
        ablate_rnn=options.ablate == "rnn",
        shuffle_words=options.shuffle_words,
        augmentations=_augmentations(options),
        debias=options.debias,
        bias=None if options.bias is None else read_run(options.bias),
        device=options.device,
        precision=options.precision,
        trackers=options.track,
        watch=watch,
        note=note,
    )


def _augmentations(options: Train) -> tuple[Augmentation, ...]:
    if options.augment is None:
        return ()
    return parse_augmentations(options.augment, repeat=options.augment_repeat)


def _reads_trees(options: Train) -> bool:
    """Return whether the model reads parses; raises CrossexamError if an option of parsing has no effect."""
    trees = options.model in ARCHITECTURES and "trees" in ARCHITECTURES[options.model].needs
    if options.parser != "auto" and not trees and not options.augment:
        raise CrossexamError(
            f"--parser has no effect on {options.model}, which reads no parses",
            hint="leave it out; syntactic_tree_lstm and --augment use it",
        )
    return trees
