"""What is said and asked before pairs are sent to a server, and requests that are not sent but written."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import typer

from crossexam.core.errors import CrossexamError
from crossexam.models.model import AsksHost, AsksInParts, Model, Pair

#: English has about so many characters per token.
CHARACTERS_PER_TOKEN = 4


def permit(model: AsksHost, pairs: int) -> None:
    """Name the host to which *pairs* are sent, and ask the user if they are many; raises CrossexamError."""
    from crossexam.cli.console import note
    from crossexam.runs.waiting import UnconfirmedError, refuse_many

    note(f"sending {pairs:,} pairs to {model.host}")
    try:
        refuse_many(model, pairs)
    except UnconfirmedError as error:
        if not sys.stdin.isatty():
            raise
        if not typer.confirm(f"{error.what}: go on?", err=True):
            raise CrossexamError("nothing was sent", where=model.host) from None


def server_model(model: Model, flag: str) -> AsksHost:
    """Return the part of *model* that asks a server; raises CrossexamError if there is none, for *flag*."""
    asked = model.inner if isinstance(model, AsksInParts) else model
    if not isinstance(asked, AsksHost):
        raise CrossexamError(f"{flag} is for models behind an endpoint", where=model.name, wanted="api/NAME")
    return asked


def show_first_request(model: AsksHost, waiting: Iterator[Pair]) -> None:
    """Print how many of the *waiting* pairs would be sent, about how many tokens, and the first request."""
    from crossexam.cli.console import note

    count = characters = 0
    first: bytes | None = None
    for _, body in model.request_bodies(waiting):
        first = first or body
        count += 1
        characters += sum(len(message["content"]) for message in json.loads(body)["messages"])
    requests = model.requests_for(count)
    sys.stdout.write(
        f"distinct pairs to ask: {count:,}\n"
        f"requests to {model.host}: at most {requests:,}\n"
        f"tokens to read: about {characters // CHARACTERS_PER_TOKEN:,} "
        f"(an estimate: {CHARACTERS_PER_TOKEN} characters each)\n"
    )
    if first is not None:
        sys.stdout.write(
            f"the first request:\n{json.dumps(json.loads(first), indent=2, ensure_ascii=False)}\n"
        )
    note("nothing was sent")


def write_batch(model: AsksHost, waiting: Iterator[Pair], path: Path) -> None:
    """Write the requests about the probe and the *waiting* pairs as batch files."""
    from crossexam.cli.console import note, written
    from crossexam.models.api.batch_files import write_batch_files

    for file in write_batch_files(path, model.batch_requests(waiting)):
        written(file)
    note("send it as a batch, then repeat the command with --batch-in OUTPUT in place of --batch-out")
