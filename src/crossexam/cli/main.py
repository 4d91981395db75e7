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
from crossexam.core.errors import UnfinishedError
from crossexam.core.output.escapes import visible
from crossexam.core.places import with_urls

_USER_ERROR: Final = 2
_INTERNAL_ERROR: Final = 3
_UNFINISHED: Final = 4
_INTERRUPTED: Final = 130

# fmt: off
#: The commands of ``validate``, in the order of the help text.
VALIDATE: Final = {
    "sample": Verb("crossexam.options.validate:Sample", "crossexam.cli.validate:sample",
        "Draw a stratified sample of items to judge, in a different order per judge."),
    "serve": Verb("crossexam.options.validate:Serve", "crossexam.cli.validate:serve",
        "Serve the judges' page on this machine only, and print a link per judge."),
    "export": Verb("crossexam.options.validate:ExportStudy", "crossexam.cli.validate:export",
        "Export a study, to judge items in a spreadsheet or in Label Studio."),
    "import": Verb("crossexam.options.validate:ImportAnswers", "crossexam.cli.validate:import_",
        "Import all judgements of a file, or none if it has errors. Importing it again changes nothing."),
    "verdict": Verb("crossexam.options.validate:Verdict", "crossexam.cli.validate:verdict",
        "Report how many labels the judges confirm, what labels they give, and their agreement."),
}
# fmt: on
validate = group_of(
    VALIDATE, name="validate", help="Collect human judgements on test sets.", add_completion=False
)
# fmt: off
#: The commands, in the order of the help text.
VERBS: Final[Mapping[str, Verb | typer.Typer]] = {
    "demo": Verb("crossexam.options.build:Demo", "crossexam.cli.examine:demo",
        "Build all stress tests from built-in pairs, run two built-in models and write report.html."),
    "examine": Verb("crossexam.options.build:Examine", "crossexam.cli.examine:examine",
        "Build test sets from a base, run models over them, print the results and write report.html."),
    "ls": Verb("crossexam.options.data:Ls", "crossexam.cli.ls:ls",
        "List corpora, constructions, suites, options, models, templates and training recipes."),
    "fetch": Verb("crossexam.options.data:Fetch", "crossexam.cli.fetch:fetch",
        "Download corpora, verify their size and SHA-256, and unpack them. Interrupted downloads resume."),
    "build": Verb("crossexam.options.build:Build", "crossexam.cli.build:build",
        "Build the test sets of a suite, or of one construction, from one or more bases."),
    "check": Verb("crossexam.options.data:Check", "crossexam.cli.check:check",
        "Check built test sets, and show why examples gave no item; exit with status 1 if there are errors."),
    "run": Verb("crossexam.options.run:Run", "crossexam.cli.run:run",
        "Run a model over test sets. The same command resumes an interrupted run."),
    "report": Verb("crossexam.options.results:Report", "crossexam.cli.report:report",
        "Report the results of one or more runs, separately for items with verified and proposed labels."),
    "compare": Verb("crossexam.options.results:Compare", "crossexam.cli.compare:compare",
        "Compare two runs by paired differences with confidence intervals and Holm-corrected p-values."),
    "baseline": Verb("crossexam.options.results:Baseline", "crossexam.cli.baseline:baseline",
        "Write the answers of a run to a small file, with which `crossexam gate` compares later runs."),
    "gate": Verb("crossexam.options.results:Gate", "crossexam.cli.gate:gate",
        "Judge a run by rules: exit code 0 if it passes, 1 if it fails, 5 if that is undecided."),
    "train": Verb("crossexam.options.train:Train", "crossexam.cli.train:train",
        "Train a model. The same command resumes interrupted training."),
    "convert": Verb("crossexam.options.run:Convert", "crossexam.cli.convert:convert",
        "Write a checkpoint as an ONNX model, which needs no torch, and compare the two."),
    "export": Verb("crossexam.options.data:Export", "crossexam.cli.export:export",
        "Write a suite for other programs: tasks that a harness runs, or pairs for a program of your own."),
    "card": Verb("crossexam.options.data:Card", "crossexam.cli.export:card",
        "Write a dataset card into the folder of a suite, for the Hugging Face hub and datasets."),
    "features": Verb("crossexam.options.train:Features", "crossexam.cli.features:features",
        "Print the most important features of a model."),
    "subset": Verb("crossexam.options.build:Subset", "crossexam.cli.subset:subset",
        "Write the examples of a corpus that mislead a shallow model, and the whole corpus, as test sets."),
    "validate": validate,
}
# fmt: on
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
        app(prog_name="crossexam")
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
    except BaseException as error:  # a library in Rust panics with one that is none of Exception
        sys.exit(_tell(error))
    finally:
        gc.freeze()  # nothing is left to collect, and Python would search all objects for cycles as it ends


def _tell(error: BaseException) -> int:
    """Print what *error* says to the user, and return the exit code."""
    from crossexam.cli.mistakes import mistake_of

    mistake = mistake_of(error)
    if mistake is None:
        _report_internal_error(error)
        return _INTERNAL_ERROR
    typer.echo(f"crossexam: {with_urls(str(mistake))}", err=True)
    return _UNFINISHED if isinstance(error, UnfinishedError) else _USER_ERROR


def _escape_what_cannot_be_printed() -> None:
    """Escape characters that the encoding of the terminal lacks, and names of files that are not UTF-8."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _show_warnings_as_notes() -> None:
    """Show our own warnings, which are for the user of the command, as notes without a line of the source."""
    usual = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if category.__module__.startswith("crossexam."):
            note(str(message))
        else:
            usual(message, category, *place, **more)

    warnings.showwarning = show


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
