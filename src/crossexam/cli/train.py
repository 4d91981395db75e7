"""crossexam train: a model of the zoo, a checkpoint of transformers, or a shallow baseline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from crossexam.cli.shallow_screen import fit_and_show, refuse_options, shallow_names
from crossexam.core.errors import CrossexamError, UnknownNameError

if TYPE_CHECKING:
    from crossexam.core.dataset import Run

_TRAINING: Final = "How to train"
_CHANGES: Final = "What to train differently"

Values = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="A field of the configuration or recipe: --set lr=0.0004 --set hidden=100. Repeatable.",
        metavar="FIELD=VALUE",
        rich_help_panel=_TRAINING,
    ),
]
Sweep = Annotated[
    list[str] | None,
    typer.Option(
        help="Train every combination: --sweep lr=0.001,0.0004 --sweep hidden=100,300; chosen on dev.",
        metavar="FIELD=VALUE,VALUE",
        rich_help_panel=_TRAINING,
    ),
]


def train(
    model: Annotated[
        str,
        typer.Argument(
            help="An architecture, bag-of-words, hypothesis-fasttext, random-forest, or hf/FOLDER-or-ID.",
            metavar="NAME",
        ),
    ],
    training: Annotated[
        str, typer.Option("--train", help="What to train on: CORPUS+CORPUS.", metavar="CORPUS")
    ],
    dev: Annotated[str, typer.Option("--dev", help="What to stop and choose by.", metavar="CORPUS")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder for the model.", metavar="DIR")],
    test: Annotated[
        list[str] | None,
        typer.Option("--test", help="Score the trained model on this too. Repeatable.", metavar="CORPUS"),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed.", min=0, rich_help_panel=_TRAINING)] = 0,
    seeds: Annotated[
        int | None,
        typer.Option(
            help="Train with so many seeds, from --seed on.", min=1, rich_help_panel=_TRAINING, metavar="N"
        ),
    ] = None,
    values: Values = None,
    epochs: Annotated[
        int | None,
        typer.Option(help="At most so many epochs.", min=1, rich_help_panel=_TRAINING, metavar="N"),
    ] = None,
    vectors: Annotated[
        Path | None,
        typer.Option(
            help="Word vectors: GloVe, word2vec or fastText text, plain or .gz.",
            rich_help_panel=_TRAINING,
            metavar="FILE",
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            help="The first N examples of each training corpus only.",
            min=1,
            rich_help_panel=_TRAINING,
            metavar="N",
        ),
    ] = None,
    sweep: Sweep = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1.", rich_help_panel=_TRAINING)] = "auto",
    precision: Annotated[
        str,
        typer.Option(
            help="auto (bfloat16 on a GPU that has it), float32, bfloat16, float16.",
            rich_help_panel=_TRAINING,
        ),
    ] = "auto",
    track: Annotated[
        list[str] | None,
        typer.Option(help="Also tell tensorboard, wandb or mlflow.", rich_help_panel=_TRAINING),
    ] = None,
    ablate: Annotated[
        str | None,
        typer.Option(help="rnn: position-wise layers for recurrent ones.", rich_help_panel=_CHANGES),
    ] = None,
    shuffle_words: Annotated[
        bool,
        typer.Option("--shuffle-words", help="Shuffle the words of sentences.", rich_help_panel=_CHANGES),
    ] = False,
    augment: Annotated[
        str | None,
        typer.Option(
            help="Items of constructions beside the data: negation, antonymy:20000.",
            rich_help_panel=_CHANGES,
            metavar="NAME[:COUNT],...",
        ),
    ] = None,
    debias: Annotated[
        str | None,
        typer.Option(help="adv, drift, learned-mixin, learned-mixin-h, weighting.", rich_help_panel=_CHANGES),
    ] = None,
    bias: Annotated[
        Path | None,
        typer.Option(
            help="Run of a biased model over the training set; else one is trained.",
            rich_help_panel=_CHANGES,
            metavar="RUN",
        ),
    ] = None,
) -> None:
    """Train a model; an interrupted training goes on where it was."""
    from crossexam.shallow.table import shallow_named

    if (shallow := shallow_named(model)) is not None:
        from crossexam.shallow.fitting import FitRequest as ShallowRequest

        refuse_options(
            shallow,
            {
                "--seed": seed,
                "--seeds": seeds,
                "--epochs": epochs,
                "--vectors": vectors,
                "--sweep": sweep,
                "--device": device != "auto",
                "--precision": precision != "auto",
                "--track": track,
                "--ablate": ablate,
                "--shuffle-words": shuffle_words,
                "--augment": augment,
                "--debias": debias,
                "--bias": bias,
            },
        )
        asked = ShallowRequest(
            training,
            dev,
            output,
            tuple(test or ()),
            values=_assigned(values, epochs),
            limit=limit,
            seed=seed,
            vectors=vectors,
        )
        fit_and_show(shallow, asked)
        return
    from crossexam.cli.console import note, result_table, show, spread_line, watching, written
    from crossexam.core.settings import grid
    from crossexam.training.data import load_data, parse_augmentations
    from crossexam.training.request import Request
    from crossexam.training.train import train_grid, train_seeds

    if ablate not in (None, "rnn"):
        raise CrossexamError(f"--ablate is '{ablate}'", wanted="rnn")
    if bias is not None and debias is None:
        raise CrossexamError("--bias without --debias", hint="say which method: --debias drift")
    _known(model, debias)
    combinations = grid(sweep or [])
    with watching() as watch:
        request = Request(
            model,
            load_data(training, dev, tests=test or (), limit=limit),
            output,
            values=_assigned(values, epochs),
            vectors=vectors,
            ablate_rnn=ablate == "rnn",
            shuffle_words=shuffle_words,
            augmentations=parse_augmentations(augment) if augment else (),
            debias=debias,
            bias=_run(bias),
            device=device,
            precision=precision,
            trackers=tuple(track or ()),
            watch=watch,
        )
        chosen = range(seed, seed + (seeds or 1))
        found = train_grid(request, combinations, chosen) if sweep else {"": train_seeds(request, chosen)}
    show(result_table(request, found))
    if seeds is not None and seeds > 1 and not sweep:
        note(spread_line(found[""]))
    written(output)


def _known(model: str, debias: str | None) -> None:
    """Raise CrossexamError where the names of model and method are in no table, before data are read."""
    if debias is not None:
        from crossexam.training.objective import Debias

        Debias(debias)
    if model.startswith("hf/"):
        return
    from crossexam.zoo.hypothesis_only import PREFIX
    from crossexam.zoo.table import ARCHITECTURES, architecture_named

    if model not in ARCHITECTURES and not model.startswith(PREFIX):
        raise UnknownNameError("model to train", model, [*ARCHITECTURES, *shallow_names()])
    architecture_named(model)


def _assigned(values: Sequence[str] | None, epochs: int | None) -> dict[str, str]:
    from crossexam.core.settings import parse_assignments

    found = parse_assignments(values or [], "--set")
    if epochs is not None:
        if "epochs" in found:
            raise CrossexamError("'epochs' is both in --set and in --epochs")
        found["epochs"] = str(epochs)
    return found


def _run(folder: Path | None) -> Run | None:
    if folder is None:
        return None
    from crossexam.runs.folder import read_run

    return read_run(folder)
