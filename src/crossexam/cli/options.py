"""Options that several commands share, and the functions that interpret them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperCommand

from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.files import shortened
from crossexam.core.outcome import check_unanswered

if TYPE_CHECKING:
    from rich.table import Table

    from crossexam.core.dataset import Run
    from crossexam.evaluation.seen_pairs import TrainingPairs
    from crossexam.reports.results import ItemChoice
    from crossexam.suites.bases import Base
    from crossexam.suites.plan import SuiteKind

_CONSTRUCTION: Final = "How to build"
_READING: Final = "How to read files"
_MODEL: Final = "How to run the model"

BaseSpecs = Annotated[
    list[str],
    typer.Option(
        "--base",
        help="What to build from: CORPUS:SPLIT or a file. Repeatable.",
        show_default=False,
    ),
]
#: The same for commands that also build suites without a base.
BasesOrNone = Annotated[
    list[str] | None,
    typer.Option(
        "--base",
        help="What to build from: CORPUS:SPLIT or a file, or several as one (A+B). Repeatable. For "
        "cross-dataset, the names of its corpora to include; default: all that are installed.",
        show_default=False,
    ),
]
Problems = Annotated[
    list[str] | None,
    typer.Option(
        "--word-problems",
        help="What to build numerical reasoning from: CORPUS:SPLIT or a file, or 'base' for the premises of "
        "the base. Default: all splits of AQuA-RAT that are installed, else the base.",
        rich_help_panel=_CONSTRUCTION,
        show_default=False,
    ),
]
Seed = Annotated[
    int, typer.Option(help="Seed of all random choices in building.", rich_help_panel=_CONSTRUCTION)
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Set an option of a construction or suite (with examine, also of a kind of model): "
        "--set antonymy.rules=released. Repeatable; crossexam ls options lists all options.",
        rich_help_panel=_CONSTRUCTION,
        metavar="NAME.OPTION=VALUE",
        show_default=False,
    ),
]
#: Where SuiteCommand passes on short forms, as FLAG=VALUE.
ShortForms = Annotated[list[str] | None, typer.Option("--short-form", hidden=True)]
Limit = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Use only the first N examples of each base; word problems are not limited.",
        rich_help_panel=_CONSTRUCTION,
        metavar="N",
    ),
]
RunLimit = Annotated[
    int | None,
    typer.Option("--limit", min=1, help="Ask about the first N items of each test set.", metavar="N"),
]
PerKey = Annotated[
    int | None,
    typer.Option(
        "--per-key",
        min=1,
        help="Keep at most N items per key, drawn at random. Keys: the word pair of antonymy and word swaps, "
        "the rule of numerical reasoning, the words of SOSwap and AddAmod.",
        rich_help_panel=_CONSTRUCTION,
        metavar="N",
        show_default=False,
    ),
]
TaggerSpec = Annotated[
    str,
    typer.Option(
        "--tagger",
        help="POS tagger: auto (the parses in the corpus, else builtin), builtin, parses, nltk, "
        "spacy:PIPELINE.",
        rich_help_panel=_CONSTRUCTION,
    ),
]
ParserSpec = Annotated[
    str,
    typer.Option(
        "--parser",
        help="Dependency parser: auto (the parses in the corpus, else the pipeline of --tagger), parses, "
        "spacy:PIPELINE, which also parses sentences without a parse for models that read trees.",
        rich_help_panel=_CONSTRUCTION,
    ),
]
RecognizerSpec = Annotated[
    str,
    typer.Option(
        "--entities",
        help="Named-entity recognizer: auto, lists, spacy:PIPELINE.",
        rich_help_panel=_CONSTRUCTION,
    ),
]
Columns = Annotated[
    str | None,
    typer.Option(
        help="Column names of a tabular file: premise=sentence1,hypothesis=sentence2,label=gold.",
        rich_help_panel=_READING,
    ),
]
AnswerColumns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        help="Column names of a file of predictions (file/): id=uid,prediction=verdict, or "
        "premise=doc,hypothesis=claim,prediction=verdict.",
        rich_help_panel=_MODEL,
        metavar="ROLE=COLUMN,...",
        show_default=False,
    ),
]
Labels = Annotated[
    str | None,
    typer.Option(
        help="What the labels of a tabular file mean: yes=entailment,no=not_entailment. "
        "Numbers always need this; VALUE=- means no gold label.",
        rich_help_panel=_READING,
        metavar="VALUE=LABEL,...",
        show_default=False,
    ),
]
#: The same for the answers of models alone.
AnswerLabels = Annotated[
    str | None,
    typer.Option(
        "--labels",
        help="What words and numbers in answers of py/, file/ and api/ models mean, besides the usual names: "
        "supported=entailment,unsupported=not_entailment.",
        rich_help_panel=_MODEL,
        metavar="WORD=LABEL,...",
        show_default=False,
    ),
]
#: The same for a base and for answers.
AllLabels = Annotated[
    str | None,
    typer.Option(
        "--labels",
        help="What the labels of a tabular file mean: yes=entailment,no=not_entailment. Numbers always need "
        "this; VALUE=- means no gold label. Answers of py/, file/ and api/ models may use these words, too "
        "(--set py.labels=... for other words of theirs, none for the usual names alone).",
        rich_help_panel=_READING,
        metavar="VALUE=LABEL,...",
        show_default=False,
    ),
]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Skip malformed rows and count them.", rich_help_panel=_READING)
]
AllowLoss = Annotated[
    bool,
    typer.Option(
        "--allow-loss",
        help="Accept that --skip-bad skips more than 1 % of the rows or all rows with some label, or that a "
        "label declared with --labels never occurs.",
        rich_help_panel=_READING,
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace another suite in the folder.")]
BatchSize = Annotated[
    str, typer.Option(help="Pairs per batch, or auto.", rich_help_panel=_MODEL, metavar="N|auto")
]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.", rich_help_panel=_MODEL)]
Dtype = Annotated[
    str | None,
    typer.Option(
        help="float32, bfloat16 or float16; default: float32, for lm/ as in the checkpoint.",
        rich_help_panel=_MODEL,
    ),
]
MaxLength = Annotated[
    int | None,
    typer.Option(help="Maximum length of a pair in tokens; default: the model's.", rich_help_panel=_MODEL),
]
Chunk = Annotated[
    str | None,
    typer.Option(
        help="Ask the model about chunks of the premise: whole sentences of N words, tokens or sentences "
        "together.",
        rich_help_panel=_MODEL,
        metavar="words:N|tokens:N|sentences:N|none",
        show_default=False,
    ),
]
Combine = Annotated[
    str | None,
    typer.Option(
        "--aggregate",
        help="How the predictions for the chunks are combined; default: max. max-mean and min divide the "
        "hypothesis into sentences.",
        rich_help_panel=_MODEL,
        metavar="max|mean|max-mean|min",
        show_default=False,
    ),
]
Like = Annotated[
    str | None,
    typer.Option(
        help="Chunks and aggregate of a published system: minicheck, alignscore, summac-zs.",
        rich_help_panel=_MODEL,
        metavar="SYSTEM",
        show_default=False,
    ),
]
LabelOrder = Annotated[
    str | None,
    typer.Option(
        help="Class order of the model or file: contradiction,neutral,entailment.", rich_help_panel=_MODEL
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        help="P(entailment) above which a model of two labels predicts entailment; required by models with "
        "one output.",
        rich_help_panel=_MODEL,
        metavar="P",
    ),
]
Revision = Annotated[str | None, typer.Option(help="Revision of a hub checkpoint.", rich_help_panel=_MODEL)]
ModelSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Set an option of a kind of model: --set hf.dtype=bfloat16. Repeatable.",
        rich_help_panel=_MODEL,
        metavar="KIND.OPTION=VALUE",
        show_default=False,
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        "--only", help="Use only these test sets, by name or pattern (negation.*). Repeatable.", metavar="SET"
    ),
]
Again = Annotated[
    str | None,
    typer.Option(
        "--again",
        help="Retry pairs left unanswered for these reasons, such as unparsed,refused.",
        metavar="STATUS,...",
        rich_help_panel=_MODEL,
    ),
]
Items = Annotated[
    str | None,
    typer.Option(
        help="Items per test set on the HTML page: a number, those that a model got wrong, or all. "
        "Default: 400.",
        metavar="N|errors|all",
    ),
]

Alpha = Annotated[
    float,
    typer.Option(
        help="Level of significance: corrected p-values up to this level are marked. The behaviour study "
        "uses 0.0001.",
        metavar="P",
    ),
]

MaxUnanswered = Annotated[
    float,
    typer.Option(
        help="Largest share of unanswered items of a test set; if there are more, only bounds of its results "
        "are shown.",
        metavar="SHARE",
    ),
]

TrainingIndex = Annotated[
    str | None,
    typer.Option(
        "--index",
        help="Look up the word pairs of two runs in this corpus, on which their models were trained; several "
        "are joined by +.",
        metavar="CORPUS",
        show_default=False,
    ),
]

Verified = Annotated[
    bool,
    typer.Option("--verified", help="Only items that people verified (crossexam validate verdict --apply)."),
]


def chosen_items(text: str | None) -> ItemChoice:
    """Return which items of each test set the page shows; raises CrossexamError.

    >>> chosen_items("all"), chosen_items("25")
    ('all', 25)
    """
    from crossexam.reports.results import ITEMS_PER_SET, item_choice

    if text is None:
        return ITEMS_PER_SET
    try:
        return item_choice(int(text), "--items")
    except ValueError:
        return item_choice(text, "--items")


def training_pairs_of(runs: Sequence[Run], index: str | None) -> TrainingPairs | None:
    """Return the word pairs of the corpora *index*, None if there is no such option, with a progress bar."""
    from crossexam.cli.console import progress_bar
    from crossexam.evaluation.seen_pairs import training_pairs

    if index is None:
        return None
    with progress_bar() as progress:
        return training_pairs(runs, index, progress=progress)


def reading_options(
    columns: str | None, labels: str | None, skip_bad: bool, allow_loss: bool
) -> dict[str, Any]:
    """Return the options of reading a corpus as the functions of the library take them."""
    from crossexam.corpora.columns import stated_columns
    from crossexam.corpora.label_names import stated_labels

    return {
        "columns": stated_columns(columns),
        "labels": stated_labels(labels),
        "skip_bad": skip_bad,
        "allow_loss": allow_loss,
    }


def bases_from(specs: Sequence[str], reading: Mapping[str, Any], limit: int | None) -> list[Base]:
    """Return the bases named by the options; *reading* are the options of reading them."""
    from crossexam.corpora.spec import CorpusSpec, each_reading
    from crossexam.suites.bases import base_from_corpora

    unions = [CorpusSpec.parse_union(spec) for spec in specs]
    readings = iter(each_reading(list(chain.from_iterable(unions)), reading))
    return [base_from_corpora(list(islice(readings, len(union))), limit=limit) for union in unions]


def named_bases(specs: Sequence[str] | None, suite: str) -> Sequence[str]:
    """Return *specs*; raises CrossexamError if there are none, since *suite* needs at least one."""
    if not specs:
        raise CrossexamError(
            f"{suite} needs a base corpus",
            wanted="--base CORPUS:SPLIT or --base FILE",
            hint="crossexam ls corpora lists the corpora",
        )
    return specs


def problems_from(specs: Sequence[str] | None, kind: SuiteKind) -> list[Base]:
    """Return the word problems for a suite: those named, else AQuA-RAT if it is installed, else none."""
    from crossexam.cli.console import note
    from crossexam.constructions.table import CONSTRUCTIONS
    from crossexam.corpora.installed import data_folder
    from crossexam.suites.bases import base_from_spec, installed_word_problems
    from crossexam.suites.table import reads_problems

    if not reads_problems(kind):
        return []
    if specs is None and kind.name not in CONSTRUCTIONS:
        found = installed_word_problems()
        if found:
            note(
                f"numerical reasoning is built from {', '.join(base.spec for base in found)}, installed in "
                f"{data_folder()}; --word-problems base builds it from the base"
            )
        return found
    if specs is None:
        return []
    return [] if list(specs) == ["base"] else [base_from_spec(spec) for spec in specs]


class SuiteCommand(TyperCommand):
    """A command that accepts short forms of options (``suites/short_forms.py``) like other options.

    Contexts are untyped, since some releases of typer bundle click.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Turn short forms into ``--short-form FLAG=VALUE`` before the arguments are parsed."""
        return super().parse_args(ctx, _with_short_forms(args))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help text and the meaning of the short forms."""
        from crossexam.cli.console import show

        super().format_help(ctx, formatter)
        show(_short_form_table())


def _with_short_forms(args: Sequence[str]) -> list[str]:
    from crossexam.suites.renamed import current_flag
    from crossexam.suites.short_forms import SHORT_FORMS

    rest = list(args)
    expanded: list[str] = []
    while rest:
        written, equals, value = rest.pop(0).partition("=")
        flag = current_flag(written)
        argument = f"{flag}{equals}{value}"
        form = SHORT_FORMS.get(flag)
        if argument == "--":
            return [*expanded, argument, *rest]
        if form is None:
            expanded.append(argument)
            continue
        if form.takes and not equals:
            if not rest:
                raise CrossexamError(f"{flag} needs a value", wanted=f"{flag} {form.takes}")
            value = rest.pop(0)
        if equals and not form.takes:
            raise CrossexamError(f"{flag} does not take a value", wanted=f"{flag} alone", where=argument)
        expanded += ["--short-form", f"{flag}={value if form.takes else 'true'}"]
    return expanded


def short_form_values(pieces: Sequence[str]) -> dict[str, Any]:
    """Return the values of ``FLAG=VALUE`` *pieces* by flag; raises CrossexamError for repeated flags."""
    from crossexam.suites.short_forms import SHORT_FORMS

    values: dict[str, Any] = {}
    for piece in pieces:
        flag, _, value = piece.partition("=")
        if SHORT_FORMS[flag].repeatable:
            values.setdefault(flag, []).append(value)
        elif values.setdefault(flag, value) != value:
            raise CrossexamError(f"{flag} is given twice", wanted=f"either '{values[flag]}' or '{value}'")
    return values


def _short_form_table() -> Table:
    from rich.box import ROUNDED
    from rich.table import Table

    from crossexam.suites.short_forms import SHORT_FORMS

    table = Table(title="Short forms", title_justify="left", box=ROUNDED, show_header=False)
    for form in SHORT_FORMS.values():
        table.add_row(f"{form.flag} {form.takes}".strip(), form.help, form.meaning)
    return table


def model_options(
    models: Sequence[str],
    *,
    batch_size: str,
    device: str,
    dtype: str | None,
    max_length: int | None,
    label_order: str | None,
    threshold: float | None,
    revision: str | None,
    more: Mapping[str, Any] = MappingProxyType({}),
    of_base: Mapping[str, Any] = MappingProxyType({}),
    settings: Iterable[tuple[str, str, str]] = (),
) -> dict[str, Any]:
    """Return the option values of *models* for ``predict_suite``; raises CrossexamError.

    The flags that every command with models has are all required, so that none can be forgotten; *more* are
    further ones by option.  Those *of_base* are about the base as well: kinds that lack them ignore them, and
    ``--set`` goes before them.  *settings* are (kind, option, text) triples of
    ``--set KIND.OPTION=VALUE``.  A flag is shorthand for these, and applies to those kinds among *models*
    that have the option.
    """
    from crossexam.models.table import COMPUTING, kinds_of

    if batch_size != "auto" and not (batch_size.isdigit() and int(batch_size) > 0):
        raise CrossexamError(f"--batch-size is '{batch_size}'", wanted="auto or a whole number above 0")
    flags: dict[str, Any] = {
        "batch_size": None if batch_size == "auto" else int(batch_size),
        "device": None if device == "auto" else device,
        "dtype": dtype,
        "max_length": max_length,
        "label_order": label_order or None,
        "threshold": threshold,
        "revision": revision,
        **more,
    }
    kinds = kinds_of(models)
    values: dict[str, Any] = {}
    for option, value in flags.items():
        if value is not None:
            having = [f"{name}.{option}" for name, kind in kinds.items() if option in kind.option_names]
            # Without a kind, an option is an error for models that lack it, unless it is in COMPUTING.
            values |= dict.fromkeys([option] if option in COMPUTING or not having else having, value)
    for kind, option, text in settings:
        name = f"{kind}.{option}"
        if kind not in kinds:
            raise CrossexamError(
                f"--set sets '{name}', but none of the models is {kind}/...",
                wanted=f"an option of {', '.join(f'{each}/' for each in kinds)}",
            )
        if name in values or flags.get(option) is not None:
            raise CrossexamError(f"'{option}' is set by both --set {name} and --{option.replace('_', '-')}")
        values[name] = text
    for option, value in of_base.items():
        having = [f"{name}.{option}" for name, kind in kinds.items() if option in kind.option_names]
        values |= {name: value for name in having if value is not None and name not in values}
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


def model_folders(runs: Path, models: Sequence[str]) -> dict[str, Path]:
    """Return the folder in *runs* for the predictions of each of *models*.

    Raises CrossexamError if two of them would have the same folder.

    >>> {name: folder.as_posix() for name, folder in model_folders(Path("runs"), ["hf/my model"]).items()}
    {'hf/my model': 'runs/hf-my-model'}
    """
    found: dict[str, str] = {}
    for model in models:
        safe = "".join(c if c.isalnum() or c in "._" else "-" for c in model).strip("-.")
        name = shortened(safe or "model")
        alike = [other for other, taken in found.items() if taken.casefold() == name.casefold()]
        if alike:
            differing = (
                "different models" if model in found else "models whose names differ in a letter or digit"
            )
            raise CrossexamError(
                f"the predictions of {alike[0]} and {model} would be in the same folder, {runs / name}",
                wanted=differing,
                hint="crossexam run MODEL SUITE -o FOLDER writes into a folder of your choice",
            )
        found[model] = name
    return {model: runs / name for model, name in found.items()}


def statuses(again: str | None) -> list[str]:
    """Return the statuses in *again*, which commas separate; raises UnknownNameError.

    >>> statuses("unparsed, cut")
    ['unparsed', 'cut']
    """
    return check_unanswered(name.strip() for name in again.split(",")) if again is not None else []
