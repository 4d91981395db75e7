"""The command line: one verb a file; errors that say what, where, what was wanted and the way out."""

from __future__ import annotations

import sys
import traceback
from typing import Final

import typer

from crossexam.cli import (
    build,
    check,
    compare,
    demo,
    examine,
    features,
    fetch,
    ls,
    report,
    subset,
    train,
    validate,
)
from crossexam.cli import run as run_model
from crossexam.core.errors import CrossexamError

_FINDINGS: Final = 1
_USER_MISTAKE: Final = 2
_OUR_MISTAKE: Final = 3
_INTERRUPTED: Final = 130

app = typer.Typer(
    name="crossexam",
    help="Cross-examine models of natural language inference: build stress tests, run any model, report.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(demo.demo)
app.command("examine")(examine.examine)
app.command("ls")(ls.ls)
app.command("fetch")(fetch.fetch)
app.command("build")(build.build)
app.command("check")(check.check)
app.command("run")(run_model.run)
app.command("report")(report.report)
app.command("compare")(compare.compare)
app.command("train")(train.train)
app.command("features")(features.features)
app.command("subset")(subset.subset)
app.add_typer(validate.app)


@app.callback(invoke_without_command=True)
def _options(
    version: bool = typer.Option(False, "--version", help="Print the version and exit.", is_eager=True),
) -> None:
    if version:
        from crossexam.core.manifest import package_version

        typer.echo(package_version())
        raise typer.Exit


def run() -> None:
    """Run the command line; exit with 0, 1 (findings), 2 (the user's mistake) or 3 (ours)."""
    try:
        app()
    except CrossexamError as error:
        typer.echo(f"crossexam: {error}", err=True)
        sys.exit(_USER_MISTAKE)
    except KeyboardInterrupt:
        _say_interrupted()
        sys.exit(_INTERRUPTED)
    except SystemExit as stop:  # typer turns an interruption into an exit without a word
        if stop.code == _INTERRUPTED:
            _say_interrupted()
        raise
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone: nothing to tell, and no second error
        sys.exit(0)
    except OSError as error:
        if error.filename is None:
            _report_our_mistake(error)
            sys.exit(_OUR_MISTAKE)
        typer.echo(f"crossexam: {error.filename}: {error.strerror}\n  hint: another path", err=True)
        sys.exit(_USER_MISTAKE)
    except Exception as error:
        _report_our_mistake(error)
        sys.exit(_OUR_MISTAKE)


def _say_interrupted() -> None:
    typer.echo("crossexam: interrupted; what was finished is kept, run it again to go on", err=True)


def _report_our_mistake(error: Exception) -> None:
    """Write the traceback to a file that the user can paste, and say where it is."""
    import platform
    import tempfile

    from crossexam.core.manifest import package_version

    facts = f"crossexam {package_version()}, Python {platform.python_version()}, {platform.platform()}\n"
    arguments = f"arguments: {' '.join(sys.argv[1:])}\n\n"
    with tempfile.NamedTemporaryFile(
        "w", prefix="crossexam-", suffix=".log", delete=False, encoding="utf-8"
    ) as log:
        log.write(facts + arguments + "".join(traceback.format_exception(error)))
    typer.echo(
        f"crossexam: a mistake of ours: {type(error).__name__}: {error}\n"
        f"  hint: please report it with the text of {log.name}",
        err=True,
    )


if __name__ == "__main__":
    run()
