"""crossexam train: train a model of the zoo or a shallow baseline, or fine-tune a transformer."""

from __future__ import annotations

from dataclasses import fields, replace
from importlib.util import find_spec

from rich.table import Table

from crossexam.cli.console import dev_line, note, progress_bar, show, table_of, written
from crossexam.core.errors import CrossexamError, MissingExtraError
from crossexam.core.sealed import MANIFEST, typed
from crossexam.corpora.reading import label_counts
from crossexam.corpora.trained import TrainedFolder
from crossexam.options.groups import reading_of
from crossexam.options.option import options_of
from crossexam.options.train import Fit, Train, settings_of
from crossexam.shallow.fitting import FitRequest, ShallowModel, fit_once
from crossexam.shallow.table import shallow_named


def train(options: Train) -> None:
    """Train a model. The same command resumes interrupted training."""
    shallow = shallow_named(options.model)
    if shallow is not None:
        _fit_shallow(shallow, options)
        return
    if find_spec("torch") is None:  # the tables of models to train need it, too
        raise MissingExtraError("torch", "torch", f"training {options.model}")
    from crossexam.cli.neural import train_neural

    train_neural(options)


def _fit_shallow(model: ShallowModel, options: Train) -> None:
    """Train a model without a training loop, then print its scores."""
    _refuse_options(model, options)
    request = FitRequest(
        options.training,
        options.dev,
        options.output,
        options.test,
        values=settings_of(options),
        limit=options.limit,
        dev_limit=options.dev_limit,
        seed=options.seed,
        vectors=options.vectors,
        two_labels=options.two_labels,
        reading=reading_of(options),
        note=note,
    )
    with progress_bar() as progress:
        fitted = fit_once(model, replace(request, progress=progress))
    manifest = fitted.manifest
    dev = manifest.fingerprint["dev"]
    note(f"{request.train}: {label_counts(manifest.train_labels or {})}")
    for part in dev.get("parts", [dev]):
        note(f"{part['spec']}: {label_counts(part['labels'])}")
    show(_shallow_table(model, request, fitted))
    if line := dev_line(manifest.scores, f"{model.prefix}/{fitted.folder}"):
        show(line)
    written(request.folder)


def _refuse_options(model: ShallowModel, options: Train) -> None:
    """Raise CrossexamError if *options* have one that *model* does not support."""
    of_a_loop = [each for name, each in options_of(Train).items() if name not in options_of(Fit)]
    for each in of_a_loop:
        if getattr(options, each.name) != each.default and each.flags[0] not in model.takes:
            settable = ", ".join(field.name for part in model.settings.values() for field in fields(part))
            raise CrossexamError(
                f"{each.flags[0]} has no effect on {model.name}, which has no training loop",
                hint=f"leave out {each.flags[0]}; --set accepts {settable}",
            )


def _shallow_table(model: ShallowModel, request: FitRequest, fitted: TrainedFolder) -> Table:
    manifest = fitted.manifest
    dev = manifest.fingerprint["dev"]["spec"]
    cells = model.columns(typed(manifest.facts, model.facts, fitted.folder / MANIFEST))
    columns = ("model", *cells, "dev accuracy", "dev loss", *request.tests)
    row = (
        f"{model.prefix}/{fitted.folder}",
        *cells.values(),
        f"{manifest.scores.dev_accuracy:.1f} %",
        f"{manifest.scores.dev_loss:.3f}",
        *(f"{manifest.tests[spec].accuracy:.1f} %" for spec in request.tests),
    )
    return table_of(f"{model.name} on {dev}", columns, [row], right=range(1, len(columns)))
