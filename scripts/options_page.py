"""Write docs/options.md, the page of all options, from the classes of options.

    python scripts/options_page.py

``tests/docs/test_options_page.py`` says whether the page is up to date.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from crossexam.cli.command import Verb
from crossexam.cli.main import VALIDATE, VERBS
from crossexam.core.imports import imported
from crossexam.options.option import Option, options_of

PAGE = Path(__file__).parents[1] / "docs" / "options.md"
HEAD = """\
# Options

All options of all commands, as `crossexam COMMAND --help-all` shows them; `--help` shows those that a first
command needs. This page is written by `python scripts/options_page.py`. Options of constructions, suites and
kinds of models are set by `--set`: `crossexam ls options` lists them.
"""


def page() -> str:
    """Return the text of the page: the options of each command, then those that are in groups."""
    verbs = {name: verb for name, verb in VERBS.items() if isinstance(verb, Verb)}
    verbs |= {f"validate {name}": verb for name, verb in VALIDATE.items()}
    own: dict[str, list[Option]] = {}
    groups: dict[str, dict[tuple[str, str], list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, verb in verbs.items():
        options = options_of(imported(verb.options)).values()
        own[name] = [each for each in options if each.group is None]
        for each in options:
            if each.group is not None:
                groups[each.group][_written(each), _said(each)].append(name)
    return "\n".join((HEAD, *_of_commands(own), *_of_groups(groups)))


def _of_commands(own: Mapping[str, Iterable[Option]]) -> Iterator[str]:
    for name, options in own.items():
        rows = [f"| {_written(each)} | {_said(each)} |" for each in options]
        yield "\n".join((f"## {name}\n", "| | |", "|---|---|", *rows, ""))


def _of_groups(groups: Mapping[str, Mapping[tuple[str, str], Iterable[str]]]) -> Iterator[str]:
    for group, options in groups.items():
        rows = [f"| {written} | {said} | {', '.join(of)} |" for (written, said), of in options.items()]
        yield "\n".join((f"## {group}\n", "| | | of |", "|---|---|---|", *rows, ""))


def _written(each: Option) -> str:
    """Return how an option or argument is written, as code in a table."""
    names = each.flags or ("",)
    written = ", ".join(f"`{name} {each.takes}`".replace(" `", "`").replace("` ", "`") for name in names)
    return written.replace("|", "\\|")


def _said(each: Option) -> str:
    """Return what an option is, whether it is required, and its default."""
    shown = each.default not in (None, False, ())
    more = " Required." if each.required else f" Default: `{each.default}`." if shown else ""
    return f"{each.whole_help}{more}".replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
