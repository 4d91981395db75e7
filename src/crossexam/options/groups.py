"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from crossexam.core.outcome import MAX_UNANSWERED
from crossexam.core.places import copy_path, here_path, work_path
from crossexam.options.option import Count, NumberOrAuto, Option, option, options_of, several, switch
from crossexam.options.short_forms import ShortForms

if TYPE_CHECKING:
    from crossexam.corpora.reading import Reading

#: What a command reads or writes at a path or URL, and what is on this machine.
ReadFrom = Annotated[Path, copy_path]
WriteTo = Annotated[Path, work_path]
Here = Annotated[Path, here_path]

_BUILDING: Final[dict[str, Any]] = {"group": "How to build"}
_READING: Final[dict[str, Any]] = {"group": "How to read files"}
_WHERE: Final[dict[str, Any]] = {"group": "Where the work is done"}


@dataclass(frozen=True, kw_only=True)
class ModelOption(Option):
    """An option of those kinds of models that have one of its name: short for ``--set KIND.NAME=VALUE``."""


_MODEL: Final[dict[str, Any]] = {"group": "How to run the model"}
_OF_MODEL: Final[dict[str, Any]] = {**_MODEL, "kind": ModelOption}
_OF_SERVER: Final[dict[str, Any]] = {
    "group": "Language models (api/, lm/)",
    "kind": ModelOption,
}


def model_values(options: Any) -> dict[str, Any]:
    """Return the values of the options of models that are given in *options*."""
    known: Any = type(options)
    of_models = [each for each in options_of(known).values() if isinstance(each, ModelOption)]
    values = {each.name: getattr(options, each.name) for each in of_models}
    return {each.name: values[each.name] for each in of_models if values[each.name] != each.default}


@dataclass(frozen=True)
class ReadingOptions:
    """How a corpus is read."""

    columns: Mapping[str, str] | str | None = option(
        "Column names of a tabular file: premise=sentence1,hypothesis=sentence2,label=gold.",
        takes="ROLE=COLUMN,...",
        first=True,
        **_READING,
    )
    labels: Mapping[Any, str | None] | str | None = option(
        "What the labels of a tabular file mean: yes=entailment,no=not_entailment. Numbers always need this; "
        "VALUE=- means no gold label.",
        takes="VALUE=LABEL,...",
        first=True,
        **_READING,
    )
    skip_bad: bool = switch("Skip malformed rows and count them.", **_READING)
    allow_loss: bool = switch(
        "Accept that --skip-bad skips more than 1 % of the rows or all rows with some label, or that a label "
        "declared with --labels never occurs.",
        **_READING,
    )


def reading_of(options: ReadingOptions) -> Reading:
    """Return how corpora are read by *options*, whose texts are parsed."""
    from crossexam.corpora.columns import stated_columns
    from crossexam.corpora.label_names import stated_labels
    from crossexam.corpora.reading import Reading

    columns, labels = stated_columns(options.columns), stated_labels(options.labels)
    return Reading(columns, labels, options.skip_bad, options.allow_loss)


@dataclass(frozen=True)
class FromBases(ShortForms):
    """From what test sets are built."""

    base: tuple[str, ...] = several(
        "What to build from: CORPUS:SPLIT or a file, or several as one (A+B). Repeatable. For cross-dataset, "
        "the names of its corpora to include; default: all that are installed.",
        takes="CORPUS:SPLIT|FILE",
        first=True,
    )
    limit: Count | None = option(
        "Use only the first N examples of each base, but all word problems.", first=True
    )
    settings: tuple[str, ...] = several(
        "Set an option of a construction or suite (with examine, also of a kind of model): --set "
        "antonymy.rules=released. Repeatable; crossexam ls options lists all options.",
        "--set",
        takes="NAME.OPTION=VALUE",
        first=True,
    )
    force: bool = switch("Replace another suite in the folder.", first=True)


@dataclass(frozen=True)
class Building(FromBases):
    """How test sets are built."""

    word_problems: tuple[str, ...] = several(
        "What to build numerical reasoning from: CORPUS:SPLIT or a file, or 'base' for the premises of the "
        "base. Default: all splits of AQuA-RAT that are installed, else the base. Repeatable.",
        takes="CORPUS:SPLIT|FILE|base",
        **_BUILDING,
    )
    seed: int = option("Seed of all random choices in building.", default=0, **_BUILDING)
    per_key: Count | None = option(
        "Keep at most N items per key, drawn at random. Keys: the word pair of antonymy and word swaps, the "
        "rule of numerical reasoning, the words of SOSwap and AddAmod.",
        **_BUILDING,
    )
    tagger: str = option(
        "POS tagger: auto (the parses in the corpus, else builtin), builtin, parses, nltk, spacy:PIPELINE.",
        default="auto",
        takes="NAME",
        **_BUILDING,
    )
    entities: str = option(
        "Named-entity recognizer: auto, lists, spacy:PIPELINE.", default="auto", takes="NAME", **_BUILDING
    )
    parser: str = option(
        "Dependency parser: auto (the parses in the corpus, else the pipeline of --tagger), parses, "
        "spacy:PIPELINE, which also parses sentences without a parse for models that read trees.",
        default="auto",
        takes="NAME",
        **_BUILDING,
    )


def request_fields(options: Building) -> dict[str, Any]:
    """Return the fields of a SuiteRequest that *options* state in the words of the library."""
    return {
        "seed": options.seed,
        "limit": options.limit,
        "per_key": options.per_key,
        "tagger": options.tagger,
        "recognizer": options.entities,
        "parser": options.parser,
    }


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint is, and what its classes mean."""

    label_order: str | None = option(
        "Class order of the model or file: contradiction,neutral,entailment.",
        takes="LABEL,...",
        first=True,
        **_OF_MODEL,
    )
    threshold: float | None = option(
        "P(entailment) above which a model of two labels predicts entailment; required by models with one "
        "output.",
        takes="P",
        **_OF_MODEL,
    )
    revision: str | None = option("Revision of a hub checkpoint.", takes="NAME", **_OF_MODEL)


@dataclass(frozen=True)
class ModelOptions(Checkpoint):
    """How a model is run."""

    batch_size: NumberOrAuto = option("Pairs per batch.", default="auto", **_OF_MODEL)
    device: str = option(
        "auto, cpu, cuda, cuda:1, mps.", default="auto", takes="NAME", first=True, **_OF_MODEL
    )
    dtype: str | None = option(
        "float32, bfloat16 or float16; default: float32, for lm/ as in the checkpoint.",
        takes="TYPE",
        **_OF_MODEL,
    )
    max_length: int | None = option("Maximum length of a pair in tokens; default: the model's.", **_OF_MODEL)
    chunk: str | None = option(
        "Ask the model about chunks of the premise: whole sentences, at most N words, tokens or sentences "
        "together.",
        takes="words:N|tokens:N|sentences:N|none",
        **_MODEL,
    )
    aggregate: str | None = option(
        "How the predictions for the chunks are combined; default: max. max-mean and min divide the "
        "hypothesis into sentences.",
        takes="max|mean|max-mean|min",
        **_MODEL,
    )
    like: str | None = option(
        "Chunks and aggregate of a published system: minicheck, alignscore, summac-zs.",
        takes="SYSTEM",
        **_MODEL,
    )
    again: str | None = option(
        "Retry pairs left unanswered for these reasons, such as unparsed,refused.",
        takes="STATUS,...",
        **_MODEL,
    )
    dry_run: bool = switch("Show what would be sent to a server; send nothing.", first=True)
    repeat: Count | None = option(
        "Ask up to 100 of the pairs K additional times: how often do answers change?", takes="K"
    )


@dataclass(frozen=True)
class ServerOptions:
    """How language models are prompted and asked; a seed is an option of its own, which building has, too."""

    template: str | None = option(
        "The prompt: crossexam ls templates (default: words, or words.two if all test sets have two labels, "
        "or that with which a known checkpoint was trained); several, separated by commas, give one run "
        "each.",
        takes="NAME|FILE",
        first=True,
        **_OF_SERVER,
    )
    score: str | None = option(
        "lm/: sum, mean, pmi, first or class (default: what the template says).", takes="SCORE", **_OF_SERVER
    )
    chat: str | None = option(
        "lm/: prompts as messages (default: if there is a chat template).", takes="auto|yes|no", **_OF_SERVER
    )
    shots: int | None = option(
        "Solved examples in each prompt, balanced by label (default: 0).", **_OF_SERVER
    )
    shots_from: str | None = option(
        "The corpus from which they are drawn, such as snli:train.", takes="CORPUS", **_OF_SERVER
    )
    shots_seed: int | None = option("The seed by which they are drawn (default: 0).", **_OF_SERVER)
    endpoint: str | None = option(
        "Where the server is, such as http://127.0.0.1:8000/v1 (default: $OPENAI_BASE_URL, else OpenAI).",
        takes="URL",
        first=True,
        **_OF_SERVER,
    )
    key_env: str | None = option(
        "The environment variable with the key (OpenAI: OPENAI_API_KEY; this machine: none; -: no key).",
        takes="NAME",
        **_OF_SERVER,
    )
    answer: str | None = option(
        "auto, text, logprobs, samples:N or choice (default: auto).", takes="WAY", **_OF_SERVER
    )
    reasoning: str | None = option(
        "off, low, medium, high or as-is (default: off).", takes="LEVEL", **_OF_SERVER
    )
    max_output: int | None = option(
        "Most tokens per answer (default: 16; 64 for choice; 4,096 unless --reasoning off).",
        **_OF_SERVER,
    )
    temperature: float | None = option("Default: 0; 1 with samples.", takes="T", **_OF_SERVER)
    concurrency: int | None = option("Requests at once (default: 8; 1 for llama.cpp).", **_OF_SERVER)
    timeout: float | None = option(
        "Seconds to wait for a complete answer (default: 120).", takes="SECONDS", **_OF_SERVER
    )
    tries: int | None = option("Attempts per request (default: 8).", **_OF_SERVER)
    budget: int | None = option("Stop when the run has used this many.", takes="TOKENS", **_OF_SERVER)
    price: str | None = option("Price per million input and output tokens.", takes="IN,OUT", **_OF_SERVER)
    max_cost: float | None = option("Stop when the run has cost this much; requires --price.", **_OF_SERVER)
    extra: str | None = option("Further fields of each request.", takes="JSON", **_OF_SERVER)
    insecure_http: bool = switch("Allow http to other machines.", **_OF_SERVER)
    keep_text: str | None = option(
        "Keep the texts of answers in the store (default: yes).", takes="yes|no", **_OF_SERVER
    )
    batch_in: str | None = option(
        "Take the answers from the output of a batch.", takes="FILE,...", **_OF_SERVER
    )
    yes: bool = switch("Send more than 2,000 requests to another machine without asking.", **_OF_SERVER)


@dataclass(frozen=True)
class Where:
    """Where the work is done: in processes of this machine, or on a cluster."""

    engine: str = option(
        "local (this machine), or ray: a Ray cluster, by its address. The results do not depend on it.",
        default="local",
        takes="local|ray[:HOST:PORT|:auto]",
        **_WHERE,
    )
    workers: NumberOrAuto | None = option(
        "Processes, or actors of the cluster. Default: as many as the cluster has room for; on this machine, "
        "one per core to build from a large base, else one.",
        **_WHERE,
    )
    num_cpus: float | None = option("CPUs of each worker on the cluster; default: 1.", takes="N", **_WHERE)
    num_gpus: float | None = option(
        "GPUs of each worker on the cluster, 0.5 to let two share one; default: 0.", takes="N", **_WHERE
    )


@dataclass(frozen=True)
class Unanswered:
    """What becomes of test sets of which much is unanswered."""

    max_unanswered: float = option(
        "Largest share of unanswered items of a test set; if there are more, only bounds of its results are "
        "shown.",
        default=MAX_UNANSWERED,
        takes="SHARE",
    )


@dataclass(frozen=True)
class Shown(Unanswered):
    """How results of runs are shown."""

    details: bool = switch("Print all tables, not just the main one of each suite.")
    verified: bool = switch("Only items that people verified (crossexam validate verdict --apply).")
    alpha: float = option(
        "Level of significance: corrected p-values up to this level are marked. The behaviour study uses "
        "0.0001.",
        default=0.05,
        takes="P",
    )
    index: str | None = option(
        "Look up the word pairs of two runs in this corpus, on which their models were trained; several are "
        "joined by +.",
        takes="CORPUS",
    )
