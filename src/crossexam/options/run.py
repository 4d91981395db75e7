"""The options of the command that runs a model, and of that which converts one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from crossexam.options.groups import (
    Checkpoint,
    Here,
    ModelOption,
    ModelOptions,
    ReadFrom,
    ServerOptions,
    Where,
    WriteTo,
)
from crossexam.options.option import Count, argument, option, several, switch


@dataclass(frozen=True)
class Run(Where, ServerOptions, ModelOptions):
    """The options of ``crossexam run``.

    A folder holds one run: further test sets are added to it if the model is the same. With several
    templates, it holds a folder with a run for each.

    Example: crossexam run hf/my-model tests -o runs/mine
    """

    model: str = argument("MODEL", "A model: see crossexam ls models.")
    tests: tuple[ReadFrom, ...] = argument(
        "DIR|FILE...", "Suites (folders) or test sets (files), or their URLs."
    )
    output: WriteTo = option(
        "Folder for the predictions, or a URL.", "-o", "--output", takes="RUN", required=True, first=True
    )
    only: tuple[str, ...] = several(
        "Use only these test sets, by name or pattern (negation.*). Repeatable.", takes="SET", first=True
    )
    limit: Count | None = option("Ask about the first N items of each test set.", first=True)
    labels: str | None = option(
        "What words and numbers in answers of py/, file/ and api/ models mean, besides the usual names: "
        "supported=entailment,unsupported=not_entailment.",
        takes="WORD=LABEL,...",
        group="How to run the model",
        first=True,
        kind=ModelOption,
    )
    columns: str | None = option(
        "Column names of a file of predictions (file/): id=uid,prediction=verdict, or "
        "premise=doc,hypothesis=claim,prediction=verdict.",
        takes="ROLE=COLUMN,...",
        group="How to run the model",
        first=True,
        kind=ModelOption,
    )
    values: tuple[str, ...] = several(
        "Set an option of a kind of model: --set hf.dtype=bfloat16. Repeatable.",
        "--set",
        takes="KIND.OPTION=VALUE",
        group="How to run the model",
        first=True,
    )
    seed: int | None = option(
        "Sent to the server (default: 0).", group="Language models (api/, lm/)", kind=ModelOption
    )
    batch_out: Path | None = option("Write the requests as a batch file; send nothing.", takes="FILE")
    force: bool = switch("Replace another run in the folder; stored predictions are kept.", first=True)


@dataclass(frozen=True)
class Convert(Checkpoint):
    """The options of ``crossexam convert``.

    Example: crossexam convert hf/my-model -o my-onnx
    """

    model: str = argument("MODEL", "A checkpoint: hf/FOLDER or hf/ID.")
    output: Here = option("Folder for the new model.", "-o", "--output", takes="DIR", required=True)
    int8: bool = switch("Quantize: weights and activations of 8 bits.")
    on: tuple[ReadFrom, ...] = several(
        "Compare the two models on 1,000 pairs of this suite or test set. Repeatable. Default: the stress "
        "tests built from the demo corpus.",
        takes="DIR|FILE",
    )
    accept: bool = switch("Keep the model even if the two predict the same label for less than 99 %.")
