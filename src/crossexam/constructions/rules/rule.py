"""Rules: why a construction does not make an item that it could make, as the rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Generic, NamedTuple, TypeVar

from crossexam.core.errors import CrossexamError, UnknownNameError

View = TypeVar("View")


class Rule(NamedTuple, Generic[View]):
    """A row: the *reason* that is counted in yield tables, and whether it *holds* of a *View* of a sentence.

    *rejects* is a sentence of which it holds, *keeps* one that differs little and makes an item, and *why*
    says in a sentence what the rule is about, with its source.  Rows may share a reason.
    """

    reason: str
    holds: Callable[[View], object]
    rejects: str
    keeps: str
    why: str


def holding(rules: Iterable[Rule[View]], view: View, without: Collection[str] = ()) -> Iterator[Rule[View]]:
    """Yield those of *rules* that hold of *view*, in their order, but for the reasons *without*."""
    return (rule for rule in rules if rule.holds(view) and rule.reason not in without)


def switched_off(
    rules: Iterable[Rule[View]], names: Iterable[str], of: str, *, ours: bool
) -> tuple[str, ...]:
    """Return the reasons in *names*, each one or several with commas between, in the order of *rules*.

    *of* is the construction, for errors: UnknownNameError for a name that is not a reason, CrossexamError if
    items are not made by *ours*, these rules.

    >>> table = [Rule(name, str.isspace, "", "", "") for name in ("question", "modal, or reported")]
    >>> switched_off(table, ["modal, or reported,question"], "antonymy", ours=True)
    ('question', 'modal, or reported')
    """
    where = f"{of}.without"
    known = dict.fromkeys(rule.reason for rule in rules)
    named = {reason for each in names for reason in _named(each, known, f"rule of {of}", where)}
    if named and not ours:
        raise CrossexamError(
            "only the rules of rules=ours can be switched off",
            where=where,
            hint=f"leave out {where}, or choose rules=ours",
        )
    return tuple(reason for reason in known if reason in named)


def _named(text: str, known: Collection[str], kind: str, where: str) -> Iterator[str]:
    """Yield the names in *text*, which commas separate and which may have commas themselves."""
    pieces = text.split(",")
    while pieces:
        ends = (end for end in range(len(pieces), 0, -1) if ",".join(pieces[:end]).strip() in known)
        end = next(ends, None)
        if end is None:
            raise UnknownNameError(kind, pieces[0].strip(), known, where=where)
        yield ",".join(pieces[:end]).strip()
        pieces = pieces[end:]
