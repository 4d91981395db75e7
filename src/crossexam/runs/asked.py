"""How a model was asked: the options that tell apart several runs of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

#: The options by name, with the place of each in the details of a run.
RUN_OPTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "threshold": ("threshold",),
    "endpoint": ("endpoint",),
    "template": ("template", "name"),
    "shots": ("shots", "count"),
    "shots from": ("shots", "from"),
    "shots seed": ("shots", "seed"),
    "answer": ("answer",),
    "score": ("score",),
    "reasoning": ("sampling", "reasoning"),
    "temperature": ("sampling", "temperature"),
    "seed": ("sampling", "seed"),
    "max output": ("sampling", "max_output"),
}


def how_asked(details: Any) -> dict[str, str | int | float]:
    """Return the options of RUN_OPTIONS that the *details* of a run have: a threshold, and those of prompts.

    >>> how_asked({"template": {"name": "gpt3"}, "answer": "choice", "two_label": False})
    {'template': 'gpt3', 'answer': 'choice'}
    """
    found = {}
    for name, place in RUN_OPTIONS.items():
        value = details
        for key in place:
            value = value.get(key) if isinstance(value, Mapping) else None
        if isinstance(value, str | int | float):
            found[name] = value
    return found


def distinct_names(names: Sequence[str], asked: Sequence[Mapping[str, str | int | float]]) -> list[str]:
    """Return *names*, those that are equal with the options of RUN_OPTIONS in which the runs differ.

    What is still the same is numbered.

    >>> distinct_names(["m", "m", "n"], [{"shots": 4, "shots seed": 0}, {}, {}])
    ['m [shots 4]', 'm [no shots]', 'n']
    >>> distinct_names(["m", "m"], [{}, {}])
    ['m (1)', 'm (2)']
    """
    groups: dict[str, list[Mapping[str, str | int | float]]] = {}
    for name, each in zip(names, asked, strict=True):
        groups.setdefault(name, []).append(each)
    words = (_difference(each, groups[name]) for name, each in zip(names, asked, strict=True))
    told = [f"{name} [{what}]" if what else name for name, what in zip(names, words, strict=True)]
    total, seen = Counter(told), Counter[str]()
    numbered = []
    for name in told:
        seen[name] += 1
        numbered.append(name if total[name] == 1 else f"{name} ({seen[name]})")
    return numbered


def _difference(
    one: Mapping[str, str | int | float], group: Sequence[Mapping[str, str | int | float]]
) -> str:
    """Return the options of *one* that not all of the *group* have, as words."""
    varying = [name for name in RUN_OPTIONS if len({each.get(name) for each in group}) > 1]
    shown = [name for name in varying if not any(name.startswith(f"{other} ") for other in varying)]
    return ", ".join(f"{name} {one[name]}" if name in one else f"no {name}" for name in shown)
