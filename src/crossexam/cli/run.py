"""crossexam run: run a model over test sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from crossexam.cli.console import note, show, warn_of_gaps, written
from crossexam.cli.model_runs import PlannedRun, RunMaker, chunking_for, required_server
from crossexam.cli.models import by_template, model_settings, options_for, statuses, without_key
from crossexam.core.dataset import Run as MadeRun
from crossexam.core.dataset import Suite
from crossexam.core.errors import CrossexamError
from crossexam.core.test_sets import read_suites
from crossexam.models.chunking import Chunking, in_chunks
from crossexam.models.model import Model
from crossexam.models.table import open_model
from crossexam.options.engines import engine_of
from crossexam.options.groups import model_values
from crossexam.options.run import Run
from crossexam.reports.report import make_report
from crossexam.runs.run import pairs_to_ask
from crossexam.runs.workers import asking_of


def run(options: Run) -> None:
    """Run a model over test sets."""
    model, batch_out = options.model, options.batch_out
    ask = asking_of(engine_of(options, note=note))
    asked_again = statuses(options.again)
    chunking = chunking_for(options)
    values = model_values(options)
    if options.dry_run or batch_out is not None:
        values = without_key([model], values)
    variants = by_template(values, options.output)
    if batch_out is not None and len(variants) > 1:
        raise CrossexamError("a batch file has one prompt per pair", wanted="--batch-out with one --template")
    settings = model_settings(options.values)
    planned = [
        PlannedRun(
            model,
            options_for([model], each, settings=settings),
            folder,
            each["template"] if len(variants) > 1 else None,
        )
        for each, folder in variants
    ]
    suite = read_suites(options.tests).only(options.only)
    maker = RunMaker(
        suite, ask, options.limit, chunking, options.repeat or 0, force=options.force, again=asked_again
    )
    if options.dry_run:
        required_server([open_model(model, planned[0].options, tests=suite)], "--dry-run")
        maker.show_forecasts(planned)
        return
    if batch_out is not None:
        opened = open_model(model, planned[0].options, tests=suite)
        _write_batch(opened, suite, options.output, chunking, options.limit, batch_out)
        return
    _show(list(maker.runs(planned)), suite, options.output)


def _show(runs: Sequence[MadeRun], suite: Suite, output: Path) -> None:
    """Show the results of *runs*, where they are, and what they leave open."""
    show(make_report(*runs).terminal())
    kept = [name for name in runs[0].datasets if name not in suite.datasets]
    if kept:
        note(f"{output} already had these test sets of the model, which are kept: {', '.join(kept)}")
    written(output)
    warn_of_gaps(runs)


def _write_batch(
    model: Model, suite: Suite, folder: Path, chunking: Chunking | None, limit: int | None, path: Path
) -> None:
    """Write the requests about the probe and the pairs that *folder* lacks as batch files."""
    from crossexam.models.api.batch_files import write_batch_files  # of httpx, which few runs need

    asked = required_server([model], "--batch-out")
    waiting = pairs_to_ask(model if chunking is None else in_chunks(model, chunking), suite, folder, limit)
    files = write_batch_files(path, asked.batch_requests(waiting))
    for file in files:
        written(file)
    if files:
        note("send it as a batch, then repeat the command with --batch-in OUTPUT in place of --batch-out")
    else:
        note("all pairs are answered: no batch file was written")
