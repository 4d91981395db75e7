"""Commands made of classes of options (:mod:`crossexam.options`): what typer parses, and what help shows.

Typer splits the command line into texts, and shows the help.  The texts are read by the types of the options
(:func:`crossexam.options.option.read_options`), as the values of ``--set`` are.  A command is made, and its
modules are imported, when it is called.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from inspect import Parameter, Signature, cleandoc
from pkgutil import resolve_name
from typing import Annotated, Any, Final, NamedTuple

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from crossexam.core.errors import CrossexamError
from crossexam.options.option import Option, options_of, read_options

#: A command has as many options at most for all of them to be shown by --help, besides itself and --help-all.
_FEW: Final = 13
#: What typer raises for a command line that it cannot split; only classes below it are public.
_UsageError: Final[type[Exception]] = typer.BadParameter.__mro__[1]
_HELP: Final = {"help_option_names": ["-h", "--help"]}


class Verb(NamedTuple):
    """A command: the path of the class of its *options*, that of the *function* of them, and what it does."""

    options: str
    function: str
    help: str


def group_of(verbs: Mapping[str, Verb | typer.Typer], **how: Any) -> typer.Typer:
    """Return the application with the commands *verbs*; *how* are the arguments of ``typer.Typer``."""

    class Verbs(TyperGroup):
        def __init__(self, **given: Any) -> None:
            super().__init__(**given)
            self.commands: Any = _Commands(verbs)

        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            _leave_unread(self.get_params(ctx))
            return super().parse_args(ctx, args)

        def list_commands(self, ctx: Any) -> list[str]:
            return list(verbs)

        def format_help(self, ctx: Any, formatter: Any) -> None:
            """Show what the commands do, without making them."""
            commands = self.commands
            said = {
                name: each.help if isinstance(each, Verb) else each.info.help for name, each in verbs.items()
            }
            self.commands = {name: TyperCommand(name, help=text) for name, text in said.items()}
            super().format_help(ctx, formatter)
            self.commands = commands

    app = typer.Typer(
        cls=Verbs, no_args_is_help=True, pretty_exceptions_enable=False, context_settings=_HELP, **how
    )
    app.callback()(lambda: None)  # without one, it would not be a group
    return app


class _Commands(Mapping[str, Any]):
    """The commands of a group by name, each made when it is looked up."""

    def __init__(self, verbs: Mapping[str, Verb | typer.Typer]) -> None:
        self._verbs = verbs

    def __getitem__(self, name: str) -> Any:
        verb = self._verbs[name]
        return typer.main.get_command(_command(name, verb) if isinstance(verb, Verb) else verb)

    def __iter__(self) -> Iterator[str]:
        return iter(self._verbs)

    def __len__(self) -> int:
        return len(self._verbs)


class _Command(TyperCommand):
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _leave_unread(self.get_params(ctx))
        try:
            return super().parse_args(ctx, args)
        except _UsageError as error:
            said: Any = error
        name = getattr(said, "option_name", None)
        usages = [f"{name} {each.metavar or ''}".strip() for each in self.params if name in each.opts]
        raise CrossexamError(
            said.format_message().removesuffix("."),
            wanted=usages[0] if usages else None,
            hint=f"{ctx.command_path} --help shows the options",
        )


def _leave_unread(parameters: Iterable[Any]) -> None:
    """Let typer leave the texts of *parameters* as they are: to read any, even None, it imports pydantic.

    Nor does its help show the types of arguments and of ``--help``, such as ``<list[str]>`` and ``<bool>``.
    """
    for each in parameters:
        if each.param_type_name == "argument" or each.name == "help":
            each.display_type_rich = lambda ctx: None
        if getattr(each, "is_flag", False):
            each.default = each.default or False
        else:
            each.process_value = lambda ctx, value: value


def _command(name: str, verb: Verb) -> typer.Typer:
    """Return the application that is the command called *name*."""
    cls = resolve_name(verb.options)
    options = options_of(cls)

    def run(help_all: bool = False, **given: Any) -> None:
        resolve_name(verb.function)(read_options(cls, given))

    many = sum(not each.is_argument for each in options.values()) > _FEW
    parameters = [_parameter(each, many) for each in options.values()]
    run.__signature__ = Signature([*parameters, _help_all(options, many)])  # type: ignore[attr-defined]
    _, _, more = cleandoc(cls.__doc__).partition("\n\n")
    run.__doc__ = f"{verb.help}\n\n{more}"
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, context_settings=_HELP)
    app.command(name, cls=_Command)(run)
    return app


def _parameter(each: Option, many: bool) -> Parameter:
    """Return the parameter by which typer knows an option, one of *many*: of texts, or a switch."""
    how: dict[str, Any] = {"help": each.help if many else each.whole_help, "metavar": each.takes}
    how["rich_help_panel"] = None if many else each.group
    if each.is_argument:
        kind: Any = list[str] if each.repeatable else str
        how["metavar"] = each.takes.removesuffix("...")  # typer adds them
        said: Any = typer.Argument(**how)
    else:
        kind = bool if each.is_switch else list[str]
        said = typer.Option(*each.flags, hidden=many and not each.first, **how)
    default: Any = each.default
    if each.required:
        default = Parameter.empty
    elif not each.is_switch:
        default = None if default in (None, ()) else str(default) if kind is str else [str(default)]
    return Parameter(each.name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, said])


def _help_all(options: Mapping[str, Option], many: bool) -> Parameter:
    """Return the parameter that shows the help with all *options*, in groups."""

    def show(context: typer.Context, value: bool) -> None:
        if value:
            for each in context.command.params:
                if (of := options.get(each.name)) is not None:
                    vars(each).update(hidden=False, help=of.whole_help, rich_help_panel=of.group)
            typer.echo(context.get_help())
            raise typer.Exit

    text = f"Show all {len(options)} options, in groups."
    said: Any = typer.Option(
        "--help-all", help=text, is_eager=True, callback=show, hidden=not many, metavar=""
    )
    return Parameter("help_all", Parameter.KEYWORD_ONLY, default=False, annotation=Annotated[bool, said])
