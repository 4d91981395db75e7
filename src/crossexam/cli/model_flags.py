"""Flags that are options of some kinds of models: ``--endpoint URL`` for ``--set api.endpoint=URL``."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer
from typer.core import TyperCommand

from crossexam.core.errors import CrossexamError

if TYPE_CHECKING:
    from rich.table import Table

_HIDDEN: Final = "--model-flag"
#: Where ModelCommand passes flags on, as OPTION=VALUE.
ModelFlags = Annotated[list[str] | None, typer.Option(_HIDDEN, hidden=True)]


class ModelFlag(NamedTuple):
    """A flag for the option of its name; *takes* is a placeholder for its value, empty for a switch."""

    flag: str
    takes: str
    help: str

    @property
    def option(self) -> str:
        """The option that it sets."""
        return self.flag.removeprefix("--").replace("-", "_")


_TABLE: Final = (
    ModelFlag(
        "--template",
        "NAME|FILE",
        "the prompt: crossexam ls templates (default: words, or words.two if all test sets have two labels, "
        "or that with which a known checkpoint was trained); several, separated by commas, give one run each",
    ),
    ModelFlag("--score", "SCORE", "lm/: sum, mean, pmi, first or class (default: what the template says)"),
    ModelFlag("--chat", "auto|yes|no", "lm/: prompts as messages (default: if there is a chat template)"),
    ModelFlag("--shots", "N", "solved examples in each prompt, balanced by label (default: 0)"),
    ModelFlag("--shots-from", "CORPUS", "the corpus from which they are drawn, such as snli:train"),
    ModelFlag("--shots-seed", "N", "the seed by which they are drawn (default: 0)"),
    ModelFlag(
        "--endpoint",
        "URL",
        "where the server is, such as http://127.0.0.1:8000/v1 (default: $OPENAI_BASE_URL, else OpenAI)",
    ),
    ModelFlag(
        "--key-env",
        "NAME",
        "the environment variable with the key (OpenAI: OPENAI_API_KEY; this machine: none; -: no key)",
    ),
    ModelFlag("--answer", "WAY", "auto, text, logprobs, samples:N or choice (default: auto)"),
    ModelFlag("--reasoning", "LEVEL", "off, low, medium, high or as-is (default: off)"),
    ModelFlag(
        "--max-output",
        "N",
        "most tokens per answer (default: 16; 64 for choice; 4,096 unless --reasoning off)",
    ),
    ModelFlag("--temperature", "T", "default: 0; 1 with samples"),
    ModelFlag("--seed", "N", "sent to the server (default: 0)"),
    ModelFlag("--concurrency", "N", "requests at once (default: 8; 1 for llama.cpp)"),
    ModelFlag("--timeout", "SECONDS", "to wait for a complete answer (default: 120)"),
    ModelFlag("--tries", "N", "attempts per request (default: 8)"),
    ModelFlag("--budget", "TOKENS", "stop when the run has used this many"),
    ModelFlag("--price", "IN,OUT", "price per million input and output tokens"),
    ModelFlag("--max-cost", "X", "stop when the run has cost this much; requires --price"),
    ModelFlag("--extra", "JSON", "further fields of each request"),
    ModelFlag("--insecure-http", "", "allow http to other machines"),
    ModelFlag("--keep-text", "yes|no", "keep the texts of answers in the store (default: yes)"),
    ModelFlag("--batch-in", "FILE,...", "take the answers from the output of a batch"),
    ModelFlag("--yes", "", "send more than 2,000 requests to another machine without asking"),
)
MODEL_FLAGS: Final = {flag.flag: flag for flag in _TABLE}


class ModelCommand(TyperCommand):
    """A command that accepts MODEL_FLAGS like other options; a flag that it has itself keeps its meaning."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Turn the flags into ``--model-flag OPTION=VALUE`` before the arguments are parsed."""
        return super().parse_args(ctx, _expanded(args, self._own))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help text and the meaning of the flags."""
        from crossexam.cli.console import show

        super().format_help(ctx, formatter)
        show(_table_of_flags(self._own))

    @property
    def _own(self) -> frozenset[str]:
        return frozenset(name for option in self.params for name in option.opts)


def _expanded(args: Sequence[str], own: Container[str]) -> list[str]:
    rest, expanded = list(args), list[str]()
    while rest:
        argument = rest.pop(0)
        name, equals, value = argument.partition("=")
        flag = None if name in own else MODEL_FLAGS.get(name)
        if argument == "--":
            return [*expanded, argument, *rest]
        if flag is None:
            expanded.append(argument)
            continue
        if flag.takes and not equals:
            if not rest:
                raise CrossexamError(f"{name} needs a value", wanted=f"{name} {flag.takes}")
            value = rest.pop(0)
        if equals and not flag.takes:
            raise CrossexamError(f"{name} does not take a value", wanted=f"{name} alone", where=argument)
        expanded += [_HIDDEN, f"{flag.option}={value if flag.takes else 'true'}"]
    return expanded


def flag_values(pieces: Sequence[str] | None) -> dict[str, str]:
    """Return the values of ``OPTION=VALUE`` *pieces* by option; raises CrossexamError for repeated ones.

    >>> flag_values(["endpoint=http://127.0.0.1:8000/v1"])
    {'endpoint': 'http://127.0.0.1:8000/v1'}
    """
    values: dict[str, str] = {}
    for piece in pieces or ():
        option, _, value = piece.partition("=")
        if option in values:
            raise CrossexamError(
                f"--{option.replace('_', '-')} is given twice", wanted=f"'{values[option]}' or '{value}'"
            )
        values[option] = value
    return values


def by_template(flags: Mapping[str, str], output: Path) -> list[tuple[dict[str, str], Path]]:
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
    if {"", ".", ".."} & set(folders) or len({name.casefold() for name in folders}) < len(folders):
        raise CrossexamError(
            f"--template is {flags['template']}",
            wanted="different templates, joined by commas, whose files have different names",
        )
    return [({**flags, "template": name}, output / each) for name, each in zip(names, folders, strict=True)]


def _table_of_flags(own: Container[str]) -> Table:
    from rich.box import ROUNDED
    from rich.table import Table

    table = Table(title="Language models (api/, lm/)", title_justify="left", box=ROUNDED, show_header=False)
    for flag in _TABLE:
        written = f"--set api.{flag.option}={flag.takes}" if flag.flag in own else f"{flag.flag} {flag.takes}"
        table.add_row(written.strip(), flag.help)
    return table
