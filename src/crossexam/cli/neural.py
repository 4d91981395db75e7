"""Training with a loop, as ``crossexam train`` does it: a model of the zoo, or a transformer.

It shows a live progress line, a line per epoch, and a table of scores at the end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import Final

from rich.console import Console
from rich.status import Status as Spinner
from rich.table import Table

from crossexam.cli.console import Clock, Timer, dev_line, duration, note, show, table_of, written
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.settings import grid
from crossexam.corpora.reading import label_counts
from crossexam.corpora.trained import TrainedFolder
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
from crossexam.training.debiasing import METHODS, Debias
from crossexam.training.request import Status, TrainingRequest
from crossexam.training.several import best_of_grid, train_grid, train_seeds
from crossexam.training.train import model_name, spread_of
from crossexam.training.transformer import PREFIX as TRANSFORMERS
from crossexam.training.vocabulary import load_word_sources
from crossexam.zoo.hypothesis_only import PREFIX
from crossexam.zoo.table import ABBREVIATIONS, ARCHITECTURES, architecture_named, table_name

#: Elsewhere than on a terminal, a line is printed after as many seconds without one.
TRAINING_SECONDS: Final = 30.0
_SECONDS_PER_LINE: Final = 0.2


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
        if line := dev_line(trained.manifest.scores, model_name(trained)):
            show(line)
    warn_of_no_bias(chain.from_iterable(models.values()), options.debias)
    if len(seeds) > 1 and not options.sweep:
        note(spread_line(models[""]))
    written(options.output)


def _check_names(options: Train) -> None:
    """Raise CrossexamError for unknown names and conflicting options, before any data is read."""
    if options.bias is not None and options.debias is None:
        raise CrossexamError("--bias requires --debias", hint=f"--debias with one of {', '.join(METHODS)}")
    if options.augment_repeat and options.augment is None:
        raise CrossexamError("--augment-repeat requires --augment", hint="--augment so_swap:20000")
    if options.adjectives is not None and options.augment is None:
        raise CrossexamError("--adjectives requires --augment", hint="--augment add_amod")
    with_construction_options(_augmentations(options), settings_of(options))
    if options.debias is not None:
        Debias(options.debias)  # raises UnknownNameError
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
        reading,
        tests=options.test,
        limit=options.limit,
        dev_limit=options.dev_limit,
        seed=options.seed,
        two_labels=options.two_labels,
    )
    return TrainingRequest(
        options.model,
        with_parser(data, options.parser, trees=trees),
        options.output,
        values=settings_of(options),
        vectors=options.vectors,
        vocabulary_from=load_word_sources(options.vocabulary_from, reading),
        ablate_rnn=options.ablate is not None,
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


def training_table(request: TrainingRequest, models: Mapping[str, Sequence[TrainedFolder]]) -> Table:
    """Return a row per trained model: its folder, best epoch, scores on the dev and test sets, bias model."""
    tests = [test.spec for test in request.data.tests]
    biased = any(trained.manifest.bias for group in models.values() for trained in group)
    last = ["bias model (majority)"] if biased else []
    columns = ("model", "best epoch", "dev accuracy", "dev loss", *tests, *last)
    best = best_of_grid(models) if len(models) > 1 else None
    rows = []
    for settings, group in models.items():
        mark = "  (best)" if settings == best else ""
        for trained in group:
            scores = trained.manifest.scores
            accuracies = (f"{trained.manifest.tests[spec].accuracy:.1f} %" for spec in tests)
            dev = f"{scores.dev_accuracy:.1f} %", f"{scores.dev_loss:.3f}"
            bias = trained.manifest.bias
            beside = [f"{bias.accuracy:.1f} % ({bias.majority:.1f} %)"] if bias else []
            name = f"{model_name(trained)}{mark}"
            rows.append((name, str(scores.best_epoch), *dev, *accuracies, *beside))
    title = f"{request.name} on {request.data.dev.name}"
    return table_of(title, columns, rows, right=range(1, len(columns)))


def warn_of_no_bias(models: Iterable[TrainedFolder], method: str | None) -> None:
    """Print a warning for each of *models* whose bias model knows no more than the most frequent label."""
    for trained in models:
        bias = trained.manifest.bias
        if bias and bias.accuracy <= bias.majority:
            pairs = "held-out training pairs" if bias.best_epoch else "the training pairs"
            note(
                f"warning: {model_name(trained)}: the bias model is right for {bias.accuracy:.1f} % of "
                f"{pairs}, and their most frequent label for {bias.majority:.1f} %: it has learned no "
                f"bias that {method} could remove; train on more pairs or for more epochs (--epochs), "
                "or give the run of a model that is above the majority (--bias RUN)"
            )


def spread_line(models: Sequence[TrainedFolder]) -> str:
    """Return a line with the mean and the standard deviation of the dev accuracy over several seeds."""
    spread = spread_of([trained.accuracy for trained in models])
    return (
        f"dev accuracy {spread.mean:.1f} % on average over {spread.n} seeds, "
        f"standard deviation {spread.deviation:.1f}"
    )


@contextmanager
def training_progress(clock: Clock = time.monotonic) -> Iterator[Callable[[Status], None]]:
    """Yield a function that shows progress: a line per epoch, and how far the epoch is.

    On a terminal the latter is a live line, elsewhere a line every TRAINING_SECONDS by *clock*.
    """
    console = Console(stderr=True)
    spinner = Spinner("reading", console=console) if console.is_terminal else None
    timer = Timer(TRAINING_SECONDS if spinner is None else _SECONDS_PER_LINE, clock)

    def watch(status: Status) -> None:
        if status.scores is not None:
            note(_epoch_line(status))
            timer.begin()
        elif timer.is_due():
            show_line = note if spinner is None else spinner.update
            show_line(_progress_line(status))

    if spinner is None:
        yield watch
        return
    with spinner:
        yield watch


def _progress_line(status: Status) -> str:
    return (
        f"epoch {status.epoch} of {status.epochs}: {status.done:,} of {status.total:,}, "
        f"loss {status.loss:.3f}, {status.examples_per_second:,.0f} examples/s, "
        f"{_time_left(status)}"
    )


def _time_left(status: Status) -> str:
    return f"at most {duration(status.seconds_left)} left" if status.seconds_left >= 1 else "done"


def _epoch_line(status: Status) -> str:
    scores = status.scores or {}
    return (
        f"epoch {status.epoch} of {status.epochs}: loss {scores['train_loss']:.3f}, "
        f"dev {scores['dev_accuracy']:.1f} %, {status.examples_per_second:,.0f} examples/s, "
        f"{_time_left(status)}"
    )
