"""How users choose an engine, a tagger, an entity recognizer or a parser: ``NAME`` or ``NAME:ARGUMENT``."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from crossexam.core.errors import CrossexamError, UnknownNameError


def name_and_argument(
    kind: str, text: str, known: Collection[str], takes: Mapping[str, str], *, where: str | None = None
) -> tuple[str, str]:
    """Return the name among *known* in *text*, and the argument after the colon, empty if there is none.

    *takes* says of the names that take an argument how they are written with it; *kind* is what errors call
    what is named.  Raises UnknownNameError for another name, and CrossexamError for an argument of a name
    that takes none, and for a colon with nothing after it.

    >>> name_and_argument("engine", "ray:10.0.0.1:6379", {"local", "ray"}, {"ray": "ray:HOST:PORT"})
    ('ray', '10.0.0.1:6379')
    >>> name_and_argument("engine", "local:4", {"local", "ray"}, {"ray": "ray:HOST:PORT"})
    Traceback (most recent call last):
    crossexam.core.errors.CrossexamError: the engine 'local' takes no argument, but got '4'
      wanted: local
    """
    name, colon, argument = text.partition(":")
    if name not in known:
        raise UnknownNameError(kind, name, known, where=where)
    if argument and name not in takes:
        raise CrossexamError(
            f"the {kind} '{name}' takes no argument, but got '{argument}'", where=where, wanted=name
        )
    if colon and not argument:
        raise CrossexamError(
            f"nothing follows the colon of '{text}'", where=where, wanted=takes.get(name, name)
        )
    return name, argument
