"""The command-line entry point, which turns errors into messages and exit codes."""

from __future__ import annotations

import gc
import io
import sys
import traceback
import warnings
from collections.abc import Mapping
from typing import Any, Final

import typer

from crossexam.cli.command import Verb, group_of
from crossexam.cli.console import note
from crossexam.cli.model_flags import ModelCommand
from crossexam.cli.options import SuiteCommand
from crossexam.core.errors import CrossexamError, MissingExtraError, UnfinishedError
from crossexam.core.files import disk_full, name_too_long, too_many_files
from crossexam.core.imports import imported
from crossexam.core.output.escapes import visible
from crossexam.core.places import with_urls
from crossexam.models.api.pacing import WaitingWarning
from crossexam.suites.renamed import RenamedWarning

_FINDINGS: Final = 1
_USER_ERROR: Final = 2
_INTERNAL_ERROR: Final = 3
_UNFINISHED: Final = 4
_INTERRUPTED: Final = 130
_SHOWN: Final = 300  # characters of what a library says
#: What libraries raise for files that are damaged, if the reader of a file did not say it better.
_DAMAGE: Final = frozenset(
    (
        "polars.ComputeError",
        "polars.PanicException",
        "pyo3_runtime.PanicException",
        "polars.SchemaError",
        "pyarrow.ArrowInvalid",
        "safetensors_rust.SafetensorError",
        "sqlite3.DatabaseError",
        "zipfile.BadZipFile",
        "zlib.error",
        "gzip.BadGzipFile",
    )
)
#: The optional dependency that brings a package, if whatever needs it did not look for it first.
_EXTRAS: Final = {
    **dict.fromkeys(("torch", "transformers", "safetensors", "accelerate"), "torch"),
    **dict.fromkeys(("sklearn", "sacrebleu", "ot"), "shallow"),
    **dict.fromkeys(("onnx", "onnxscript"), "onnx"),
    **dict.fromkeys(("starlette", "uvicorn"), "validate"),
    "fsspec": "remote",
    "ray": "ray",
    "spacy": "spacy",
}


def _former(path: str) -> typer.Typer:
    function = imported(path)
    hidden = {"short_forms": SuiteCommand, "model_flags": ModelCommand}
    classes = tuple(hidden[name] for name in hidden if name in function.__annotations__)
    former = typer.Typer(add_completion=False, context_settings={"help_option_names": ["-h", "--help"]})
    former.command(function.__name__, cls=type("Command", classes, {}) if classes else None)(function)
    return former


#: The commands of ``validate``, in the order of the help text.
_OF_VALIDATE: Final = {
    "sample": Verb("crossexam.options.validate:Sample", "crossexam.cli.validate:sample"),
    "serve": Verb("crossexam.options.validate:Serve", "crossexam.cli.validate:serve"),
    "export": Verb("crossexam.options.validate:ExportStudy", "crossexam.cli.validate:export"),
    "import": Verb("crossexam.options.validate:ImportAnswers", "crossexam.cli.validate:import_"),
    "verdict": Verb("crossexam.options.validate:Verdict", "crossexam.cli.validate:verdict"),
}
validate = group_of(
    _OF_VALIDATE, name="validate", help="Collect human judgements on test sets.", add_completion=False
)
#: The commands, in the order of the help text.
VERBS: Final[Mapping[str, Verb | typer.Typer]] = {
    "demo": _former("crossexam.cli.examine:demo"),
    "examine": _former("crossexam.cli.examine:examine"),
    "ls": Verb("crossexam.options.data:Ls", "crossexam.cli.ls:ls"),
    "fetch": Verb("crossexam.options.data:Fetch", "crossexam.cli.fetch:fetch"),
    "build": _former("crossexam.cli.build:build"),
    "check": Verb("crossexam.options.data:Check", "crossexam.cli.check:check"),
    "run": _former("crossexam.cli.run:run"),
    "report": Verb("crossexam.options.results:Report", "crossexam.cli.report:report"),
    "compare": Verb("crossexam.options.results:Compare", "crossexam.cli.compare:compare"),
    "baseline": Verb("crossexam.options.results:Baseline", "crossexam.cli.baseline:baseline"),
    "gate": Verb("crossexam.options.results:Gate", "crossexam.cli.gate:gate"),
    "train": Verb("crossexam.options.train:Train", "crossexam.cli.train:train"),
    "convert": Verb("crossexam.options.run:Convert", "crossexam.cli.convert:convert"),
    "export": Verb("crossexam.options.data:Export", "crossexam.cli.export:export"),
    "card": Verb("crossexam.options.data:Card", "crossexam.cli.card:card"),
    "features": Verb("crossexam.options.train:Features", "crossexam.cli.features:features"),
    "subset": _former("crossexam.cli.subset:subset"),
    "validate": validate,
}
app = group_of(
    VERBS,
    name="crossexam",
    help="Cross-examine models of natural language inference: build test sets, run models, report results.",
)


@app.callback(invoke_without_command=True)
def _options(
    version: bool = typer.Option(
        False, "--version", help="Print the version and exit.", is_eager=True, metavar=""
    ),
) -> None:
    if version:
        from crossexam.core.manifest import package_version

        typer.echo(package_version())
        raise typer.Exit


def run() -> None:
    """Run the command line; exit with 0, or what went wrong.

    That is 1 (check found errors, or gate fails), 2 (user error, or gate cannot judge), 3 (internal error), 4
    (a model could not be asked about everything for now) or 5 (gate is undecided).
    """
    _escape_what_cannot_be_printed()
    _show_warnings_as_notes()
    try:
        app()
    except CrossexamError as error:
        _complain(too_many_files(error) or error)
        sys.exit(_UNFINISHED if isinstance(error, UnfinishedError) else _USER_ERROR)
    except KeyboardInterrupt:
        _say_interrupted()
        sys.exit(_INTERRUPTED)
    except SystemExit as stop:  # typer turns an interruption into an exit without a message
        if stop.code == _INTERRUPTED:
            _say_interrupted()
        raise
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has quit: avoid a second error
        sys.exit(0)
    except BaseException as error:  # polars panics with an exception that is none of Exception
        full = too_many_files(error) or disk_full(error)
        mistake = (
            full
            or name_too_long(error)
            or _of_the_path(error)
            or _of_a_name(error)
            or _of_a_file(error)
            or _of_a_package(error)
        )
        if mistake is not None:
            _complain(mistake)
            sys.exit(_USER_ERROR)
        _report_internal_error(error)
        sys.exit(_INTERNAL_ERROR)
    finally:
        gc.freeze()  # nothing is left to collect, and Python would search all objects for cycles as it ends


def _complain(error: CrossexamError) -> None:
    typer.echo(f"crossexam: {with_urls(str(error))}", err=True)


def _escape_what_cannot_be_printed() -> None:
    """Escape characters that the encoding of the terminal lacks, and names of files that are not UTF-8."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _show_warnings_as_notes() -> None:
    """Show warnings that are for the user of the command as notes, without a line of the source."""
    usual = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if issubclass(category, RenamedWarning):
            note(f"warning: {message}")
        elif issubclass(category, WaitingWarning):
            note(str(message))
        else:
            usual(message, category, *place, **more)

    warnings.showwarning = show


def _of_the_system(error: BaseException) -> CrossexamError | None:
    """Return the error to show if *error* is a limit of the system."""
    return too_many_files(error) or disk_full(error) or name_too_long(error)


def _of_the_path(error: BaseException) -> CrossexamError | None:
    """Return the error to show if *error* is about a path that the user chose."""
    if not isinstance(error, OSError) or error.filename is None:
        return None
    return CrossexamError(error.strerror or str(error), where=str(error.filename), hint="choose another path")


def _of_a_name(error: BaseException) -> CrossexamError | None:
    """Return the error to show if *error* is about the name of a file that is not UTF-8."""
    if not isinstance(error, UnicodeEncodeError) or not "\ud800" <= error.object[error.start] <= "\udfff":
        return None
    return CrossexamError(
        f"this name is not UTF-8: {error.object!r}"[:_SHOWN], hint="rename the file or folder, and try again"
    )


def _of_a_file(error: BaseException) -> CrossexamError | None:
    """Return the error to show if *error* is what a library raises for a damaged file."""
    of_library = f"{type(error).__module__.partition('.')[0]}.{type(error).__name__}"
    if of_library not in _DAMAGE:
        return None
    said = " ".join(str(error).split())[:_SHOWN]
    return CrossexamError(
        f"a file cannot be read: {said or type(error).__name__}",
        hint="one of the files that the command was given is damaged, or is not in the format that its name "
        "says; write or download it again",
    )


def _of_a_package(error: BaseException) -> CrossexamError | None:
    """Return the error to show if *error* is that an optional dependency is not installed."""
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return None
    package = error.name.partition(".")[0]
    return MissingExtraError(package, _EXTRAS[package], "this command") if package in _EXTRAS else None


def _say_interrupted() -> None:
    typer.echo("crossexam: interrupted; finished work is saved, repeat the command to resume", err=True)


def _report_internal_error(error: BaseException) -> None:
    """Write the traceback to a log file and ask the user to report the error."""
    import platform
    import tempfile

    from crossexam.core.manifest import package_version

    facts = f"crossexam {package_version()}, Python {platform.python_version()}, {platform.platform()}\n"
    arguments = f"arguments: {' '.join(sys.argv[1:])}\n\n"
    report = facts + arguments + "".join(traceback.format_exception(error))
    try:
        with tempfile.NamedTemporaryFile(
            "w",
            prefix="crossexam-",
            suffix=".log",
            delete=False,
            encoding="utf-8",
            errors="backslashreplace",
        ) as log:
            log.write(report)
        contents = f"the contents of {log.name}"
    except OSError:  # perhaps what went wrong is that nothing can be written
        typer.echo(visible(report), err=True)
        contents = "the lines above"
    typer.echo(
        f"crossexam: internal error: {type(error).__name__}: {visible(str(error))}\n"
        f"  hint: please report it, with {contents}",
        err=True,
    )


if __name__ == "__main__":
    run()
