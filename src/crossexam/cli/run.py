"""crossexam run: run a model over test sets."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crossexam.cli import engines, options
from crossexam.cli.model_flags import ModelFlags, by_template, flag_values
from crossexam.core.errors import CrossexamError
from crossexam.core.output.escapes import json_text, visible
from crossexam.core.places import copy_path, work_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from crossexam.core.dataset import Run, Suite
    from crossexam.models.api.forecast import Forecast
    from crossexam.models.chunking import Chunking
    from crossexam.models.model import AsksHost, Model, Pair


def run(
    model: Annotated[str, typer.Argument(help="A model: see crossexam ls models.", metavar="MODEL")],
    tests: Annotated[
        list[Path],
        typer.Argument(
            parser=copy_path,
            help="Suites (folders) or test sets (files), or their URLs.",
            metavar="DIR|FILE...",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", parser=work_path, help="Folder for the predictions, or a URL.", metavar="RUN"
        ),
    ],
    only: options.Only = None,
    limit: options.RunLimit = None,
    batch_size: options.BatchSize = "auto",
    device: options.Device = "auto",
    dtype: options.Dtype = None,
    max_length: options.MaxLength = None,
    label_order: options.LabelOrder = None,
    threshold: options.Threshold = None,
    revision: options.Revision = None,
    chunk: options.Chunk = None,
    aggregate: options.Combine = None,
    like: options.Like = None,
    values: options.ModelSettings = None,
    again: options.Again = None,
    model_flags: ModelFlags = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be sent to a server; send nothing.")
    ] = False,
    batch_out: Annotated[
        Path | None,
        typer.Option("--batch-out", help="Write the requests as a batch file; send nothing.", metavar="FILE"),
    ] = None,
    repeat: Annotated[
        int | None,
        typer.Option(
            "--repeat",
            min=1,
            help="Ask up to 100 of the pairs K additional times: how often do answers change?",
            metavar="K",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace another run in the folder; stored predictions are kept.")
    ] = False,
    engine: engines.EngineSpec = "local",
    workers: engines.Workers = None,
    num_cpus: engines.CpusPerWorker = None,
    num_gpus: engines.GpusPerWorker = None,
) -> None:
    """Run a model over test sets. The same command resumes an interrupted run.

    A folder holds one run: further test sets are added to it if the model is the same. With several
    templates, it holds a folder with a run for each.
    """
    from crossexam.cli.console import note, progress_bar
    from crossexam.core.test_sets import read_suites
    from crossexam.evaluation.repeat import noise_of, noise_sentence, repeat_in_folder
    from crossexam.models.chunking import chunking_of
    from crossexam.models.table import open_model
    from crossexam.runs.folder import run_into_folder

    ask = engines.asking(engine, workers, num_cpus, num_gpus)
    asked_again = options.statuses(again)
    chunking = chunking_of(chunk, aggregate, like)
    if repeat is not None and chunking is not None:
        raise CrossexamError("--repeat asks about whole pairs", wanted="--repeat without --chunk and --like")
    variants = by_template(flag_values(model_flags), output)
    if batch_out is not None and len(variants) > 1:
        raise CrossexamError("a batch file has one prompt per pair", wanted="--batch-out with one --template")
    stated = [
        options.model_options(
            [model],
            batch_size=batch_size,
            device=device,
            dtype=dtype,
            max_length=max_length,
            label_order=label_order,
            threshold=threshold,
            revision=revision,
            more=_without_key(model, flags) if dry_run or batch_out is not None else flags,
            settings=options.model_settings(values),
        )
        for flags, _ in variants
    ]
    suite = read_suites(tests).only(only or ())
    if dry_run:
        plan = _Plan(suite, limit, chunking, repeat or 0, force=force)
        _show_forecasts([open_model(model, chosen, tests=suite) for chosen in stated], variants, plan)
        return
    if batch_out is not None:
        opened = open_model(model, stated[0], tests=suite)
        _write_batch(opened, suite, variants[0][1], chunking, limit, batch_out)
        return
    runs = []
    permission = _Permission(repeat or 0, len(variants))
    for chosen, (flags_of, folder) in zip(stated, variants, strict=True):
        opened = open_model(model, chosen, tests=suite)
        permission.of_next_run(suite, limit)
        template = f"template {flags_of['template']}" if len(variants) > 1 else None
        with progress_bar() as progress, _of(template):
            answers = run_into_folder(
                opened,
                suite,
                folder,
                options=chosen,
                limit=limit,
                chunking=chunking,
                force=force,
                progress=progress,
                ask=ask,
                again=asked_again,
                permit=permission,
            )
        if repeat is not None:
            permission.to_repeat(opened)
            answers = repeat_in_folder(answers, opened, folder, repeat)
            if (noise := noise_of(answers)) is not None:
                note(f"{answers.model}: {noise_sentence(noise)}")
        runs.append(answers)
    _show(runs, suite, output)


@contextmanager
def _of(template: str | None) -> Iterator[None]:
    """Name *template*, if there are several, in the error of a run with it."""
    try:
        yield
    except CrossexamError as error:
        error.where = ", ".join(filter(None, (error.where, template))) or None
        raise


def _show(runs: Sequence[Run], suite: Suite, output: Path) -> None:
    """Show the results of *runs*, where they are, and what they leave open."""
    from crossexam.cli.console import note, show, warn_of_gaps, written
    from crossexam.reports.report import terminal_report

    show(terminal_report(runs))
    kept = [name for name in runs[0].datasets if name not in suite.datasets]
    if kept:
        note(f"{output} already had these test sets of the model, which are kept: {', '.join(kept)}")
    written(output)
    warn_of_gaps(runs)


class _Permission:
    """Permission to send pairs to a server, asked for once for the runs with all templates and for --repeat.

    *repeat* is how often pairs are asked again, *runs* the number of runs.
    """

    def __init__(self, repeat: int, runs: int) -> None:
        self._repeat = repeat
        self._left = runs + 1
        self._again = 0
        self._is_asked = False
        self._sent = self._confirmed = 0

    def of_next_run(self, suite: Suite, limit: int | None) -> None:
        """Go on to the run over *suite*, or over the first *limit* items of each test set."""
        from crossexam.evaluation.repeat import PAIRS_REPEATED

        sizes = [len(dataset) for dataset in suite.datasets.values()]
        items = sum(size if limit is None else min(limit, size) for size in sizes)
        self._again = min(PAIRS_REPEATED, items) * self._repeat
        self._left -= 1
        self._is_asked = False

    def to_repeat(self, model: Model) -> None:
        """Ask for the pairs of --repeat if there were no others to send; raises CrossexamError."""
        from crossexam.models.model import AsksHost

        if isinstance(model, AsksHost) and not self._is_asked:
            self(model, 0)

    def __call__(self, model: AsksHost, pairs: int) -> None:
        """Name the host to which *pairs* are sent; ask the user if they are many.  Raises CrossexamError."""
        from crossexam.cli.console import note
        from crossexam.core.dataset import counted_items

        self._is_asked = True
        if not model.requests_for(pairs + self._again):
            note(f"reading the answers about {pairs:,} pairs from the batch files: nothing is sent")
            return
        self._confirm(model, self._sent + (pairs + self._again) * self._left)
        self._sent += pairs + self._again
        again = [f"{counted_items(self._again, 'pair')} again (--repeat)"] if self._again else []
        sent = [counted_items(pairs, "pair")] if pairs else []
        note(f"sending {', and '.join(sent + again)} to {model.host}")

    def _confirm(self, model: AsksHost, pairs: int) -> None:
        from crossexam.runs.waiting import UnconfirmedError, refuse_many

        if pairs <= self._confirmed:
            return
        try:
            refuse_many(model, pairs)
        except UnconfirmedError as error:
            if not sys.stdin.isatty():
                raise
            if not typer.confirm(f"{visible(error.what)}: go on?", err=True):
                raise CrossexamError("nothing was sent", where=model.host) from None
            self._confirmed = pairs


def _server_model(model: Model, flag: str) -> AsksHost:
    """Return the part of *model* that asks a server; raises CrossexamError if there is none, for *flag*."""
    from crossexam.models.model import AsksHost, AsksInParts

    asked = model.inner if isinstance(model, AsksInParts) else model
    if not isinstance(asked, AsksHost):
        raise CrossexamError(f"{flag} is for models behind an endpoint", where=model.name, wanted="api/NAME")
    return asked


def _without_key(model: str, flags: Mapping[str, str]) -> Mapping[str, str]:
    """Return *flags* without a key for *model*, to which nothing is sent."""
    from crossexam.models.api.endpoint import NO_KEY

    return {**flags, "key_env": NO_KEY} if model.startswith("api/") else flags


@dataclass(frozen=True)
class _Plan:
    """What a dry run is about: a *suite*, and the options that decide how much of it is asked how often."""

    suite: Suite
    limit: int | None
    chunking: Chunking | None
    repeat: int
    force: bool

    def forecast(self, model: Model, folder: Path) -> Forecast:
        """Return what it takes to run *model* into *folder*; raises CrossexamError if nothing is sent."""
        from crossexam.evaluation.repeat import drawn_pairs
        from crossexam.models.chunking import in_chunks
        from crossexam.runs.folder import suite_in_folder
        from crossexam.runs.run import first_items, pairs_to_ask

        asked = _server_model(model, "--dry-run")
        again: list[Pair] = []
        if self.repeat:
            whole = suite_in_folder(folder, model, self.suite, self.limit, force=self.force)
            sets = {name: first_items(dataset, self.limit) for name, dataset in whole.datasets.items()}
            again = list(drawn_pairs(sets)) * self.repeat
        parts = model if self.chunking is None else in_chunks(model, self.chunking)
        return asked.forecast(pairs_to_ask(parts, self.suite, folder, self.limit), again)


def _show_forecasts(
    models: Sequence[Model], variants: Sequence[tuple[Mapping[str, str], Path]], plan: _Plan
) -> None:
    """Print what it takes to run *models*, one per template, and in all."""
    from crossexam.cli.console import note, say

    forecasts = []
    for model, (flags, folder) in zip(models, variants, strict=True):
        if len(models) > 1:
            say(f"template {flags['template']}:")
        forecasts.append(plan.forecast(model, folder))
        _show_forecast(_server_model(model, "--dry-run"), forecasts[-1])
    if len(models) > 1:
        say(f"in all, with {len(models)} templates:")
        _show_total(forecasts)
    if not all(each.server_is_known for each in forecasts):
        note(
            "the server was not contacted; if it is recognized during the run, it may be sent other fields, "
            "which --set api.server=NAME shows"
        )
    note("nothing was sent")


def _show_forecast(model: AsksHost, found: Forecast) -> None:
    """Print how many pairs would be sent, in how many requests and tokens, and the first request."""
    from crossexam.cli.console import say

    say(f"distinct pairs to ask: {found.pairs:,}")
    counts = {"for the probe": found.for_probe, "for --repeat": found.for_repeat}
    parts = " and ".join(f"{count:,} {what}" for what, count in counts.items() if count)
    including = f", including {parts}" if parts else ""
    say(
        f"requests to {model.host}: at most {found.requests:,}{including}; a few more if the server refuses "
        "fields"
    )
    _show_tokens(found.read, found.written, found.cost)
    if found.first is not None:
        say(f"the first request about a pair, after those of the probe:\n{_indented(found.first)}")


def _show_total(forecasts: Sequence[Forecast]) -> None:
    from crossexam.cli.console import say

    costs = [each.cost for each in forecasts if each.cost is not None]
    say(f"requests: at most {sum(each.requests for each in forecasts):,}")
    read, written = (sum(getattr(each, name) for each in forecasts) for name in ("read", "written"))
    _show_tokens(read, written, sum(costs) if costs else None)


def _show_tokens(read: int, written: int, cost: float | None) -> None:
    from crossexam.cli.console import say
    from crossexam.models.api.forecast import CHARACTERS_PER_TOKEN

    say(
        f"tokens to read: about {read:,} (an estimate: {CHARACTERS_PER_TOKEN} characters each); to write: at "
        f"most {written:,}"
    )
    if cost is not None:
        say(f"cost: at most about {cost:.4g}")


def _indented(body: bytes) -> str:
    return json_text(json.loads(body), indent=2)


def _write_batch(
    model: Model, suite: Suite, folder: Path, chunking: Chunking | None, limit: int | None, path: Path
) -> None:
    """Write the requests about the probe and the pairs that *folder* lacks as batch files."""
    from crossexam.cli.console import note, written
    from crossexam.models.api.batch_files import write_batch_files
    from crossexam.models.chunking import in_chunks
    from crossexam.runs.run import pairs_to_ask

    asked = _server_model(model, "--batch-out")
    waiting = pairs_to_ask(model if chunking is None else in_chunks(model, chunking), suite, folder, limit)
    files = write_batch_files(path, asked.batch_requests(waiting))
    for file in files:
        written(file)
    if files:
        note("send it as a batch, then repeat the command with --batch-in OUTPUT in place of --batch-out")
    else:
        note("all pairs are answered: no batch file was written")
