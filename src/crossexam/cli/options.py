"""Options that several verbs share, and what they are turned into."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperCommand

from crossexam.core.errors import CrossexamError, UnknownNameError

if TYPE_CHECKING:
    from rich.table import Table

    from crossexam.suites.bases import Base
    from crossexam.suites.build import SuiteKind

_CONSTRUCTION: Final = "How to build"
_READING: Final = "How to read the base"
_MODEL: Final = "How to run the model"

BaseSpecs = Annotated[
    list[str],
    typer.Option(
        "--base",
        help="What to build from: CORPUS:SPLIT or a file. Repeatable.",
        show_default=False,
    ),
]
#: The same for verbs that know suites without a base.
BasesOrNone = Annotated[
    list[str] | None,
    typer.Option(
        "--base",
        help="What to build from: CORPUS:SPLIT or a file. Repeatable. A suite with corpora of its own takes "
        "the names of some of them; default: all that are installed.",
        show_default=False,
    ),
]
Problems = Annotated[
    list[str] | None,
    typer.Option(
        "--word-problems",
        help="What numerical reasoning is built from: CORPUS:SPLIT or a file, 'base' for the base's own "
        "premises. Default: AQuA-RAT where it is in the data folder, else the base.",
        rich_help_panel=_CONSTRUCTION,
        show_default=False,
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of every random choice.", rich_help_panel=_CONSTRUCTION)]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Set an option of a construction or suite, or in examine of a kind of model: "
        "--set antonymy.as_published=true. Repeatable; crossexam ls options lists them.",
        rich_help_panel=_CONSTRUCTION,
        metavar="NAME.OPTION=VALUE",
        show_default=False,
    ),
]
#: Where SuiteCommand puts the short forms it meets, as FLAG=VALUE.
ShortForms = Annotated[list[str] | None, typer.Option("--short-form", hidden=True)]
Limit = Annotated[
    int | None,
    typer.Option(
        min=1, help="Use the first N examples of each base only.", rich_help_panel=_CONSTRUCTION, metavar="N"
    ),
]
TaggerSpec = Annotated[
    str,
    typer.Option(
        "--tagger",
        "--annotator",
        help="Parts of speech: auto (the corpus's parses, else NLTK), nltk, spacy:PIPELINE.",
        rich_help_panel=_CONSTRUCTION,
    ),
]
ParserSpec = Annotated[
    str,
    typer.Option(
        "--parser",
        help="Dependencies: auto (the corpus's parses, else --tagger's pipeline), parses, spacy:PIPELINE.",
        rich_help_panel=_CONSTRUCTION,
    ),
]
RecognizerSpec = Annotated[
    str,
    typer.Option(
        "--entities", help="Named entities: auto, lists, spacy:PIPELINE.", rich_help_panel=_CONSTRUCTION
    ),
]
Columns = Annotated[
    str | None,
    typer.Option(
        help="Columns of a table: premise=sentence1,hypothesis=sentence2,label=gold.",
        rich_help_panel=_READING,
    ),
]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Skip malformed rows and count them.", rich_help_panel=_READING)
]
Force = Annotated[bool, typer.Option("--force", help="Build anew over another suite.")]
BatchSize = Annotated[
    str, typer.Option(help="Pairs per batch, or auto.", rich_help_panel=_MODEL, metavar="N|auto")
]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.", rich_help_panel=_MODEL)]
Dtype = Annotated[str, typer.Option(help="float32, bfloat16 or float16.", rich_help_panel=_MODEL)]
MaxLength = Annotated[
    int | None,
    typer.Option(help="Maximum length of a pair in tokens; default: the model's.", rich_help_panel=_MODEL),
]
LabelOrder = Annotated[
    str | None,
    typer.Option(
        help="The model's or file's class order: contradiction,neutral,entailment.", rich_help_panel=_MODEL
    ),
]
Revision = Annotated[str | None, typer.Option(help="Revision of a hub checkpoint.", rich_help_panel=_MODEL)]
ModelSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="An option of a kind of model: --set hf.dtype=bfloat16. Repeatable.",
        rich_help_panel=_MODEL,
        metavar="KIND.OPTION=VALUE",
        show_default=False,
    ),
]
Items = Annotated[
    str | None,
    typer.Option(help="Items of each test set on the HTML page, or all. Default: 400.", metavar="N|all"),
]

Verified = Annotated[
    bool,
    typer.Option("--verified", help="Only items that people verified (crossexam validate verdict --apply)."),
]


def items_per_set(text: str | None) -> int | None:
    """Return the number of items of a test set to show, None for all; raises CrossexamError.

    >>> items_per_set("all"), items_per_set("25")
    (None, 25)
    """
    from crossexam.reports.items import ITEMS_PER_SET

    if text is None:
        return ITEMS_PER_SET
    if text == "all":
        return None
    if not (text.isdigit() and int(text) > 0):
        raise CrossexamError(f"--items is '{text}'", wanted="all or a whole number above 0")
    return int(text)


def bases_from(specs: Sequence[str], columns: str | None, skip_bad: bool, limit: int | None) -> list[Base]:
    """Return the bases that the options name."""
    from crossexam.corpora.columns import parse_columns
    from crossexam.suites.bases import base_from_spec

    mapping = None if columns is None else parse_columns(columns)
    return [base_from_spec(spec, columns=mapping, skip_bad=skip_bad, limit=limit) for spec in specs]


def named_bases(specs: Sequence[str] | None, suite: str) -> Sequence[str]:
    """Return *specs*; raises CrossexamError if there are none, since *suite* is built from some."""
    if not specs:
        raise CrossexamError(
            f"{suite} needs a base corpus",
            wanted="--base CORPUS:SPLIT or --base FILE",
            hint="crossexam ls corpora lists what has a name",
        )
    return specs


def problems_from(specs: Sequence[str] | None, kind: SuiteKind) -> list[Base]:
    """Return the word problems for a suite: those named, else AQuA-RAT if it is installed, else none."""
    from crossexam.constructions.table import CONSTRUCTIONS
    from crossexam.suites.bases import base_from_spec, installed_word_problems
    from crossexam.suites.table import reads_problems

    if not reads_problems(kind):
        return []
    if specs is None:
        return installed_word_problems() if kind.name not in CONSTRUCTIONS else []
    return [] if list(specs) == ["base"] else [base_from_spec(spec) for spec in specs]


class SuiteCommand(TyperCommand):
    """A verb that takes the short forms of options (``suites/short_forms.py``) like options of its own.

    Contexts are untyped: some releases of typer have a click of their own.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Turn short forms into ``--short-form FLAG=VALUE`` before the arguments are parsed."""
        return super().parse_args(ctx, _with_short_forms(args))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, and what the short forms stand for."""
        from crossexam.cli.console import show

        super().format_help(ctx, formatter)
        show(_short_form_table())


def _with_short_forms(args: Sequence[str]) -> list[str]:
    from crossexam.suites.short_forms import SHORT_FORMS

    rest = list(args)
    expanded: list[str] = []
    while rest:
        argument = rest.pop(0)
        flag, equals, value = argument.partition("=")
        form = SHORT_FORMS.get(flag)
        if argument == "--":
            return [*expanded, argument, *rest]
        if form is None:
            expanded.append(argument)
            continue
        if form.takes and not equals:
            if not rest:
                raise CrossexamError(f"{flag} is not followed by a value", wanted=f"{flag} {form.takes}")
            value = rest.pop(0)
        if equals and not form.takes:
            raise CrossexamError(f"{flag} takes no value", where=argument)
        expanded += ["--short-form", f"{flag}={value or 'true'}"]
    return expanded


def short_form_values(pieces: Sequence[str]) -> dict[str, Any]:
    """Return the values by flag of ``FLAG=VALUE`` *pieces*; raises CrossexamError if one is given twice."""
    from crossexam.suites.short_forms import SHORT_FORMS

    values: dict[str, Any] = {}
    for piece in pieces:
        flag, _, value = piece.partition("=")
        if SHORT_FORMS[flag].repeatable:
            values.setdefault(flag, []).append(value)
        elif values.setdefault(flag, value) != value:
            raise CrossexamError(f"{flag} is given twice", wanted=f"one of '{values[flag]}' and '{value}'")
    return values


def _short_form_table() -> Table:
    from rich.box import ROUNDED
    from rich.table import Table

    from crossexam.suites.short_forms import SHORT_FORMS

    table = Table(title="Short forms", title_justify="left", box=ROUNDED, show_header=False)
    for form in SHORT_FORMS.values():
        stands_for = ", ".join(f"--set {target}={form.takes or 'true'}" for target in form.targets)
        table.add_row(f"{form.flag} {form.takes}".strip(), form.help, stands_for)
    return table


def model_options(
    batch_size: str,
    device: str,
    dtype: str,
    max_length: int | None,
    label_order: str | None,
    revision: str | None,
    *,
    models: Sequence[str] = (),
    settings: Iterable[tuple[str, str, str]] = (),
) -> dict[str, Any]:
    """Return the option values of *models*, as ``predict_suite`` takes them; raises CrossexamError.

    *settings* are (kind, option, text) triples of ``--set KIND.OPTION=VALUE``.  A flag is shorthand for them:
    it is for the kinds among *models* that have the option.
    """
    from crossexam.models.table import COMPUTING, kinds_of

    if batch_size != "auto" and not (batch_size.isdigit() and int(batch_size) > 0):
        raise CrossexamError(f"--batch-size is '{batch_size}'", wanted="auto or a whole number above 0")
    flags: dict[str, Any] = {
        "batch_size": None if batch_size == "auto" else int(batch_size),
        "device": None if device == "auto" else device,
        "dtype": None if dtype == "float32" else dtype,
        "max_length": max_length,
        "label_order": label_order or None,
        "revision": revision,
    }
    kinds = kinds_of(models)
    values: dict[str, Any] = {}
    for option, value in flags.items():
        if value is not None:
            having = [f"{name}.{option}" for name, kind in kinds.items() if option in kind.option_names]
            # Without a kind, an option is refused by models that lack it, unless it is one of COMPUTING.
            values |= dict.fromkeys([option] if option in COMPUTING or not having else having, value)
    for kind, option, text in settings:
        name = f"{kind}.{option}"
        if kind not in kinds:
            raise CrossexamError(
                f"--set has '{name}', and none of the models is {kind}/...",
                wanted=f"an option of {', '.join(f'{each}/' for each in kinds)}",
            )
        if name in values or flags.get(option) is not None:
            raise CrossexamError(f"'{option}' is both in --set {name} and in --{option.replace('_', '-')}")
        values[name] = text
    return values


def model_settings(pieces: Sequence[str] | None) -> list[tuple[str, str, str]]:
    """Return ``KIND.OPTION=VALUE`` *pieces* as (kind, option, text) triples; raises CrossexamError.

    >>> model_settings(["hf.dtype=bfloat16"])
    [('hf', 'dtype', 'bfloat16')]
    """
    from crossexam.core.settings import parse_option_settings
    from crossexam.models.table import MODELS

    triples = parse_option_settings(pieces or (), example="hf.dtype=bfloat16")
    for kind, _, _ in triples:
        if kind not in MODELS:
            raise UnknownNameError("kind of model", kind, MODELS)
    return triples


def model_folder(runs: Path, model: str) -> Path:
    """Return the folder in *runs* for the predictions of *model*.

    >>> model_folder(Path("runs"), "hf/out/my model").as_posix()
    'runs/hf-out-my-model'
    """
    safe = "".join(c if c.isalnum() or c in "._" else "-" for c in model).strip("-.")
    return runs / (safe or "model")
