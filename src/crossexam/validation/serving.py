"""Serve the judges' page on the loopback interface."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final

from crossexam.core.errors import CrossexamError, MissingExtraError
from crossexam.validation.application import application
from crossexam.validation.study import Study, open_study

ADDRESS: Final = "127.0.0.1"
PORT: Final = 8765


def links(study: Study, port: int) -> dict[str, str]:
    """Return the link of each judge."""
    return {judge: f"http://{ADDRESS}:{port}/j/{token}" for judge, token in study.judges.items()}


def serve(folder: Path, *, port: int = PORT, announce: Callable[[dict[str, str]], None]) -> None:
    """Serve the study in *folder* until interrupted; *announce* is called with the links once they work.

    *port* 0 takes any free one.  Raises CrossexamError where the port is taken, MissingExtraError.
    """
    try:
        import uvicorn
    except ImportError:
        raise MissingExtraError("uvicorn", "validate", "the judges' page") from None

    with open_study(folder) as study:
        asgi = application(study)
        with _listening(port) as listener:
            announce(links(study, listener.getsockname()[1]))
            # No access log: it would write the tokens of the links.
            config = uvicorn.Config(asgi, access_log=False, log_level="warning", server_header=False)
            uvicorn.Server(config).run(sockets=[listener])


def _listening(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((ADDRESS, port))
        listener.listen(128)
    except (OSError, OverflowError):
        listener.close()
        raise CrossexamError(
            f"port {port} of {ADDRESS} cannot be had",
            hint="--port 0 for any that is free; links change with it",
        ) from None
    return listener
