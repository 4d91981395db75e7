"""The options of models as commands state them, and the folder of the run of each model and template."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.outcome import check_unanswered
from crossexam.core.output.file_names import alike, model_folder
from crossexam.core.settings import parse_option_settings, set_once
from crossexam.models.api.servers import NO_KEY
from crossexam.models.table import COMPUTING, MODELS, kinds_of


def options_for(
    models: Sequence[str],
    values: Mapping[str, Any],
    *,
    of_base: Mapping[str, Any] = MappingProxyType({}),
    settings: Iterable[tuple[str, str, str]] = (),
) -> dict[str, Any]:
    """Return the option values of *models* for ``predict_suite``; raises CrossexamError.

    *values* are those of flags, by option: a flag is short for ``--set KIND.OPTION=VALUE`` of those kinds
    among *models* that have the option.  Those *of_base* are about the base as well: kinds that lack them
    ignore them, and ``--set`` goes before them.  *settings* are (kind, option, text) triples of ``--set``.
    """
    kinds = kinds_of(models)

    def having(option: str) -> list[str]:
        return [f"{name}.{option}" for name, kind in kinds.items() if option in kind.option_names]

    stated: list[tuple[str, Any, str]] = []  # by target, the name that open_model takes, and the value
    for kind, option, text in settings:
        name = f"{kind}.{option}"
        if kind not in kinds:
            raise CrossexamError(
                f"--set sets '{name}', but none of the models is {kind}/...",
                wanted=f"an option of {', '.join(f'{each}/' for each in kinds)}",
            )
        stated.append((name, (name, text), "--set"))
    for option, value in values.items():
        for target in having(option) or [option]:
            # Without a kind, an option is an error for models that lack it, unless it is in COMPUTING.
            name = option if option in COMPUTING else target
            stated.append((target, (name, value), f"--{option.replace('_', '-')}"))
    found: dict[str, Any] = dict(set_once(stated).values())
    for option, value in of_base.items():
        found |= {name: value for name in having(option) if value is not None and name not in found}
    return found


def model_settings(pieces: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return ``KIND.OPTION=VALUE`` *pieces* as (kind, option, text) triples; raises CrossexamError.

    >>> model_settings(["hf.dtype=bfloat16"])
    [('hf', 'dtype', 'bfloat16')]
    """
    triples = parse_option_settings(pieces, example="hf.dtype=bfloat16")
    for kind, _, _ in triples:
        if kind not in MODELS:
            raise UnknownNameError("kind of model", kind, MODELS)
    return triples


def by_template(flags: Mapping[str, Any], output: Path) -> list[tuple[dict[str, Any], Path]]:
    """Return *flags* with one template each, and the folder of the run with it.

    That is *output* for one template, and a folder in it for each of several, which are joined by commas.
    Raises CrossexamError if two would have the same folder.

    >>> [str(folder) for _, folder in by_template({"template": "gpt3,mine/own.toml"}, Path("runs"))]
    ['runs/gpt3', 'runs/own']
    """
    names = [name.strip() for name in flags.get("template", "").split(",")]
    if len(names) == 1:
        return [(dict(flags), output)]
    folders = [name.rpartition("/")[2].removesuffix(".toml") for name in names]
    if {"", ".", ".."} & set(folders) or alike(folders, str):
        raise CrossexamError(
            f"--template is {flags['template']}",
            wanted="different templates, joined by commas, whose files have different names",
        )
    return [({**flags, "template": name}, output / each) for name, each in zip(names, folders, strict=True)]


def model_folders(runs: Path, models: Sequence[str]) -> dict[str, Path]:
    """Return the folder in *runs* for the predictions of each of *models*.

    Raises CrossexamError if two of them would have the same folder.

    >>> {name: folder.as_posix() for name, folder in model_folders(Path("runs"), ["hf/my model"]).items()}
    {'hf/my model': 'runs/hf-my-model'}
    """
    if found := alike(models, model_folder):
        first, second = found
        folder = runs / model_folder(second)
        raise CrossexamError(
            f"the predictions of {first} and {second} would be in the same folder, {folder}",
            wanted="different models"
            if first == second
            else "models whose names differ in a letter or digit",
            hint="crossexam run MODEL SUITE -o FOLDER writes into a folder of your choice",
        )
    return {model: runs / model_folder(model) for model in models}


def statuses(again: str | None) -> list[str]:
    """Return the statuses in *again*, which commas separate; raises UnknownNameError.

    >>> statuses("unparsed, cut")
    ['unparsed', 'cut']
    """
    return check_unanswered(name.strip() for name in again.split(",")) if again is not None else []


def without_key(models: Sequence[str], flags: Mapping[str, Any]) -> dict[str, Any]:
    """Return *flags* without a key for *models*, to which nothing is sent."""
    has_key = any(name.startswith("api/") for name in models)
    return {**flags, "key_env": NO_KEY} if has_key else dict(flags)
