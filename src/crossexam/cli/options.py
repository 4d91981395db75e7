"""Options that several verbs share, and what they are turned into."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from crossexam.core.errors import CrossexamError, UnknownNameError

if TYPE_CHECKING:
    from crossexam.suites.bases import Base

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
        help="What to build from: CORPUS:SPLIT or a file. Repeatable. For cross-dataset: which of its "
        "corpora; default: all that are installed.",
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
Part = Annotated[
    str,
    typer.Option(
        "--split",
        help="For cross-dataset: test, or validation, on which models are chosen.",
        rich_help_panel=_CONSTRUCTION,
    ),
]
Pairs = Annotated[
    list[str] | None,
    typer.Option(
        help="For behaviour: word pairs, as antonym=FILE or hypernym=FILE. Repeatable; default: WordNet's.",
        rich_help_panel=_CONSTRUCTION,
        metavar="RELATION=FILE",
        show_default=False,
    ),
]
TrainingIndex = Annotated[
    str | None,
    typer.Option(
        "--index",
        help="For behaviour: the corpus in which word pairs are seen or unseen. Default: the base.",
        rich_help_panel=_CONSTRUCTION,
        metavar="CORPUS",
    ),
]
Controls = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="For behaviour: draw at most N controls of either kind.",
        rich_help_panel=_CONSTRUCTION,
        metavar="N",
    ),
]
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
Tautology = Annotated[
    str | None,
    typer.Option(
        help='Also test with a tautology of your own, such as "green is not red".',
        rich_help_panel=_CONSTRUCTION,
    ),
]
Indirect = Annotated[
    bool,
    typer.Option(
        "--indirect",
        help="Antonymy: also through a similar adjective.",
        rich_help_panel=_CONSTRUCTION,
    ),
]
AsPublished = Annotated[
    bool,
    typer.Option(
        "--as-published",
        help="Antonymy, SOSwap: keep items that our rules doubt, as the papers do.",
        rich_help_panel=_CONSTRUCTION,
    ),
]
Adjectives = Annotated[
    str | None,
    typer.Option(
        "--adjectives",
        help="add_amod: which adjectives go with which nouns, counted in CORPUS:SPLIT or a file and kept in "
        "the user's cache; or the file of a table. Default: the table that is shipped.",
        rich_help_panel=_CONSTRUCTION,
        show_default=False,
        metavar="CORPUS:SPLIT|FILE",
    ),
]
BothDirections = Annotated[
    bool,
    typer.Option(
        "--both-directions",
        help="add_amod: the mirrored item too.",
        rich_help_panel=_CONSTRUCTION,
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
    """Return *specs*; raises CrossexamError where there are none, since *suite* is built from some."""
    if not specs:
        raise CrossexamError(
            f"what {suite} is built from is missing",
            wanted="--base CORPUS:SPLIT or --base FILE",
            hint="crossexam ls corpora lists what has a name",
        )
    return specs


def refuse_foreign(suite: str, *, split: str, **of_behaviour: object) -> None:
    """Raise CrossexamError where an option is given that only another suite than *suite* has."""
    if split != "test" and suite != "cross-dataset":
        raise CrossexamError(f"{suite} has no --split {split}", hint="--split is for cross-dataset")
    given = [f"--{name}" for name, value in of_behaviour.items() if value is not None]
    if given and suite != "behaviour":
        raise CrossexamError(f"{suite} has no {', '.join(given)}", hint="this is for behaviour")


def problems_from(specs: Sequence[str] | None, suite: str) -> list[Base]:
    """Return the word problems for *suite*: those named, else AQuA where it is at hand, else none."""
    from crossexam.constructions.table import CONSTRUCTIONS
    from crossexam.suites.bases import base_from_spec, word_problems_at_hand
    from crossexam.suites.table import suite_named

    if not any(CONSTRUCTIONS[name].reads_problems for name in suite_named(suite).constructions):
        return []
    if specs is None:
        return word_problems_at_hand() if suite not in CONSTRUCTIONS else []
    return [] if list(specs) == ["base"] else [base_from_spec(spec) for spec in specs]


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
    """Return the option values of *models*, for :func:`crossexam.runs.run.run`; raises CrossexamError.

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
    from crossexam.core.settings import parse_assignments
    from crossexam.models.table import MODELS

    triples = []
    for name, text in parse_assignments(pieces or [], "--set").items():
        kind, dot, option = name.partition(".")
        if not (dot and option):
            raise CrossexamError(
                f"--set has '{name}={text}'", wanted="KIND.OPTION=VALUE, as in hf.dtype=bfloat16"
            )
        if kind not in MODELS:
            raise UnknownNameError("kind of model", kind, MODELS)
        triples.append((kind, option, text))
    return triples


def model_folder(runs: Path, model: str) -> Path:
    """Return the folder in *runs* for the predictions of *model*.

    >>> model_folder(Path("runs"), "hf/out/my model").as_posix()
    'runs/hf-out-my-model'
    """
    safe = "".join(c if c.isalnum() or c in "._" else "-" for c in model).strip("-.")
    return runs / (safe or "model")
