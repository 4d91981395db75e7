"""Runs of models as the commands make them: with several templates, permission, repetition and dry runs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, MutableSequence, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from crossexam.cli.console import note, progress_bar, say
from crossexam.core.dataset import Run, Suite, counted_items
from crossexam.core.errors import CrossexamError
from crossexam.core.output.escapes import json_text, visible
from crossexam.evaluation.repeat import (
    PAIRS_REPEATED,
    drawn_pairs,
    noise_of,
    noise_sentence,
    repeat_in_folder,
)
from crossexam.models.api.forecast import CHARACTERS_PER_TOKEN, Forecast
from crossexam.models.chunking import Chunking, chunking_of, in_chunks
from crossexam.models.model import Model, Pair
from crossexam.models.table import open_model
from crossexam.options.groups import ModelOptions
from crossexam.runs.folder import run_into_folder, suite_in_folder
from crossexam.runs.run import UnconfirmedError, first_items, pairs_to_ask, refuse_many
from crossexam.runs.windows import Asking

if TYPE_CHECKING:
    from crossexam.models.api.model import ChatModel


def chunking_for(options: ModelOptions) -> Chunking | None:
    """Return how premises are divided; raises CrossexamError if pairs were to be asked again in chunks."""
    chunking = chunking_of(options.chunk, options.aggregate, options.like)
    if options.repeat is not None and chunking is not None:
        raise CrossexamError("--repeat asks about whole pairs", wanted="--repeat without --chunk and --like")
    return chunking


class PlannedRun(NamedTuple):
    """A run of *model* with *options* into *folder*, of those with several templates that with *template*."""

    model: str | Model
    options: Mapping[str, Any]
    folder: Path
    template: str | None = None


@dataclass(frozen=True)
class RunMaker:
    """Makes runs over *suite*, or says what they would send to servers."""

    suite: Suite
    ask: Asking
    limit: int | None = None
    chunking: Chunking | None = None
    repeat: int = 0
    force: bool = False
    again: Sequence[str] = ()

    def runs(self, planned: MutableSequence[PlannedRun]) -> Iterator[Run]:
        """Yield the runs of one model that are *planned*, and take them off so that none stays in memory.

        Raises CrossexamError; UnfinishedError if a model could not be asked about all pairs.
        """
        permission = Permission(self.repeat, len(planned))
        while planned:
            yield self._run(planned.pop(0), permission)

    def _run(self, planned: PlannedRun, permission: Permission) -> Run:
        model, options, folder, template = planned
        opened = open_model(model, options, tests=self.suite)
        permission.of_next_run(self.suite, self.limit)
        with progress_bar() as progress, _of(template):
            answers = run_into_folder(
                opened,
                self.suite,
                folder,
                options=options,
                limit=self.limit,
                chunking=self.chunking,
                force=self.force,
                progress=progress,
                ask=self.ask,
                again=self.again,
                permit=permission,
            )
        if self.repeat:
            permission.to_repeat(opened)
            answers = repeat_in_folder(answers, opened, folder, self.repeat)
            if (noise := noise_of(answers)) is not None:
                note(f"{answers.model}: {noise_sentence(noise)}")
        return answers

    def show_forecasts(self, planned: Sequence[PlannedRun]) -> None:
        """Print what the runs that are *planned* would send, each and in all; nothing is sent."""
        models = [open_model(each.model, each.options, tests=self.suite) for each in planned]
        of_one_model = len({model.name for model in models}) == 1
        forecasts = []
        for model, each in zip(models, planned, strict=True):
            if len(planned) > 1:
                say(f"{_title(each, None if of_one_model and each.template else model.name)}:")
            asked = server_model(model)
            if asked is None:
                say("nothing is sent: the model is on this machine")
                continue
            forecasts.append(self._forecast(model, asked, each.folder))
            _show_forecast(asked, forecasts[-1])
        if len(forecasts) > 1:
            say(f"in all, with {len(forecasts)} {'templates' if of_one_model else 'runs'}:")
            _show_total(forecasts)
        if not all(each.server_is_known for each in forecasts):
            note(
                "the server was not contacted; if it is recognized during the run, it may be sent other "
                "fields, which --set api.server=NAME shows"
            )
        note("nothing was sent")

    def _forecast(self, model: Model, asked: ChatModel, folder: Path) -> Forecast:
        """Return what it takes to run *model*, of which *asked* asks a server, into *folder*."""
        again: list[Pair] = []
        if self.repeat:
            whole = suite_in_folder(folder, model, self.suite, self.limit, force=self.force)
            sets = {name: first_items(dataset, self.limit) for name, dataset in whole.datasets.items()}
            again = list(drawn_pairs(sets)) * self.repeat
        parts = model if self.chunking is None else in_chunks(model, self.chunking)
        return asked.forecast(pairs_to_ask(parts, self.suite, folder, self.limit), again)


def _title(planned: PlannedRun, model: str | None) -> str:
    template = None if planned.template is None else f"template {planned.template}"
    return ", ".join(filter(None, (model, template)))


@contextmanager
def _of(template: str | None) -> Iterator[None]:
    """Name *template*, if there are several, in the error of a run with it."""
    try:
        yield
    except CrossexamError as error:
        named = None if template is None else f"template {template}"
        error.where = ", ".join(filter(None, (error.where, named))) or None
        raise


def server_model(model: Model) -> ChatModel | None:
    """Return the part of *model* that asks a server, None if there is none."""
    from crossexam.models.api.model import ChatModel  # which loads all that a server needs

    asked = model.inner or model
    return asked if isinstance(asked, ChatModel) else None


def required_server(models: Sequence[Model], flag: str) -> ChatModel:
    """Return the part of the first of *models* that asks a server; raises CrossexamError if none does."""
    found = next((asked for model in models if (asked := server_model(model)) is not None), None)
    if found is None:
        raise CrossexamError(
            f"{flag} is for models behind an endpoint",
            where=", ".join(model.name for model in models),
            wanted="api/NAME",
        )
    return found


class Permission:
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
        sizes = [len(dataset) for dataset in suite.datasets.values()]
        items = sum(size if limit is None else min(limit, size) for size in sizes)
        self._again = min(PAIRS_REPEATED, items) * self._repeat
        self._left -= 1
        self._is_asked = False

    def to_repeat(self, model: Model) -> None:
        """Ask for the pairs of --repeat if there were no others to send; raises CrossexamError."""
        if model.host is not None and not self._is_asked:
            self(model, 0)

    def __call__(self, model: Model, pairs: int) -> None:
        """Name the host to which *pairs* are sent; ask the user if they are many.  Raises CrossexamError."""
        self._is_asked = True
        if not model.requests_for(pairs + self._again):
            note(f"reading the answers about {pairs:,} pairs from the batch files: nothing is sent")
            return
        self._confirm(model, self._sent + (pairs + self._again) * self._left)
        self._sent += pairs + self._again
        again = [f"{counted_items(self._again, 'pair')} again (--repeat)"] if self._again else []
        sent = [counted_items(pairs, "pair")] if pairs else []
        note(f"sending {', and '.join(sent + again)} to {model.host}")

    def _confirm(self, model: Model, pairs: int) -> None:
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


def _show_forecast(model: ChatModel, found: Forecast) -> None:
    """Print how many pairs would be sent, in how many requests and tokens, and the first request."""
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
    costs = [each.cost for each in forecasts if each.cost is not None]
    say(f"requests: at most {sum(each.requests for each in forecasts):,}")
    read, written = (sum(getattr(each, name) for each in forecasts) for name in ("read", "written"))
    _show_tokens(read, written, sum(costs) if costs else None)


def _show_tokens(read: int, written: int, cost: float | None) -> None:
    say(
        f"tokens to read: about {read:,} (an estimate: {CHARACTERS_PER_TOKEN} characters each); to write: at "
        f"most {written:,}"
    )
    if cost is not None:
        say(f"cost: at most about {cost:.4g}")


def _indented(body: bytes) -> str:
    return json_text(json.loads(body), indent=2)
