"""What the values of a label column mean: names that are known, or names that the user declares.

Numbers are never guessed.  Published corpora number their labels in more than one order, and 1 is entailment
in most files with two labels and neutral in those of the hub with three.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from shlex import quote
from typing import Any, Final

from crossexam.core.arguments import required
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.labels import LABELS, NO_GOLD, Gold, parse_label
from crossexam.core.output.escapes import clipped, quoted

Names = Mapping[str, Gold | None]

#: Words for the labels in corpora of claims and questions, for the mappings that errors propose.
# fmt: off
_LIKELY: Final[Mapping[str, Gold]] = {
    **dict.fromkeys(("yes", "true", "supported", "supports", "support", "correct", "faithful", "consistent",
                     "entailed", "grounded", "factual"), "entailment"),
    **dict.fromkeys(("no", "false", "refuted", "refutes", "refute", "unsupported", "not_supported",
                     "not supported", "incorrect", "unfaithful", "inconsistent", "hallucinated",
                     "ungrounded"), "not_entailment"),
    **dict.fromkeys(("unknown", "unverifiable", "not enough info", "nei", "maybe", "neither"), "neutral"),
}
# The orders in which numbers are most often used, by how many there are: the first of two labels is that of
# fact checking, the second that of the hub's GLUE; of three, that of the hub's SNLI and of MultiNLI's models.
_NUMBERED: Final[Mapping[int, tuple[tuple[Gold, ...], ...]]] = {
    2: (("not_entailment", "entailment"), ("entailment", "not_entailment")),
    3: (("entailment", "neutral", "contradiction"), ("contradiction", "neutral", "entailment")),
}
# fmt: on
_LISTED: Final = 6
_FOUR: Final = "entailment, neutral, contradiction or not_entailment; or - for no gold label"


@dataclass(frozen=True)
class LabelNames:
    """How the values of a label column are read.

    *declared* maps values, as :func:`name_of` writes them, to labels; without it the names of the labels are
    known.  *numbered* says that the corpus documents 0, 1, 2 as entailment, neutral, contradiction.
    """

    declared: Names | None = None
    numbered: bool = False

    def gold(self, value: object, *, where: str) -> Gold | None:
        """Return the gold label that *value* stands for; None marks the absence of one.

        Raises FormatError for a value that is neither known nor declared.

        >>> LabelNames({"yes": "entailment"}).gold("Yes", where="label")
        'entailment'
        """
        name = name_of(value)
        if self.declared is not None:
            if name in self.declared:
                return self.declared[name]
            if name in NO_GOLD:
                return None
            known = ", ".join(self.declared)
            raise UnknownLabelError(
                f"unknown label {quoted(value)}", where=where, wanted=f"one that --labels declares: {known}"
            )
        if self.numbered or not name.isdigit():
            try:
                return parse_label(name)
            except FormatError:
                pass
        raise UnknownLabelError(f"unknown label {quoted(value)}", where=where, wanted=_FOUR)


class UnknownLabelError(FormatError):
    """A label that is neither known nor declared.

    If nothing is declared, *undeclared* counts the values of the label column.
    """

    undeclared: Mapping[str, int] | None = None


class UndeclaredNumbersError(UnknownLabelError):
    """A column of numbers that nothing declares; skipping records does not help."""


def name_of(value: object) -> str:
    """Return *value* as text: in lower case, numbers without a decimal point, no value as an empty text.

    >>> [name_of(each) for each in (" Yes", 1.0, True, None, float("nan"))]
    ['yes', '1', 'true', '', '']
    """
    if value is None:
        return ""
    if isinstance(value, float):
        return "" if math.isnan(value) else str(int(value)) if value.is_integer() else str(value)
    name = str(value).strip().lower()
    whole, point, rest = name.partition(".")
    return whole if point and whole.isdigit() and rest.strip("0") == "" else name


def parse_labels(text: str) -> dict[str, Gold | None]:
    """Return what each value means, from *text*, the value of ``--labels``; raises CrossexamError.

    >>> parse_labels("yes=entailment, no=not_entailment, unclear=-")
    {'yes': 'entailment', 'no': 'not_entailment', 'unclear': None}
    """
    names: dict[str, str] = {}
    for piece in text.split(","):
        value, equals, label = piece.rpartition("=")
        if not (value.strip() and equals and label.strip()) or name_of(value) in names:
            raise CrossexamError(
                f"'{piece.strip()}' does not say what a label means",
                where=f"--labels {text}",
                wanted="VALUE=LABEL,... with each value once, as in yes=entailment,no=not_entailment",
            )
        names[name_of(value)] = label.strip()
    return declared_names(names, where=f"--labels {text}")


def stated_labels(labels: Any) -> dict[str, Gold | None] | None:
    """Return what *labels*, the value of ``--labels`` or a dict in its place, declares; None if it is None.

    Raises CrossexamError.

    >>> stated_labels({True: "entailment", False: "not_entailment"})
    {'true': 'entailment', 'false': 'not_entailment'}
    """
    if isinstance(labels, str):
        return parse_labels(labels)
    wanted = "a dict of values to labels, such as {1: 'entailment', 0: 'not_entailment'}"
    if labels is None or not required(labels, Mapping, "labels", wanted=wanted):
        return None
    return declared_names(labels, where="labels")


def declared_names(names: Mapping[str, object], *, where: str) -> dict[str, Gold | None]:
    """Return *names*, a mapping of values to labels, in the form that LabelNames takes.

    Raises CrossexamError if a label is not one of the four (``-`` and None mean no gold label), or if there
    are both not_entailment and one of the labels that it covers.

    >>> declared_names({1: "entailment", 0: "not_entailment"}, where="labels")
    {'1': 'entailment', '0': 'not_entailment'}
    """
    found: dict[str, Gold | None] = {}
    for value, label in names.items():
        if name_of(label).isdigit():
            raise CrossexamError(f"'{label}' is not a label", where=where, wanted=_FOUR)
        try:
            found[name_of(value)] = parse_label(label)
        except FormatError:
            raise CrossexamError(f"'{label}' is not a label", where=where, wanted=_FOUR) from None
    refuse_mixture(found.values(), where=where)
    return found


def refuse_mixture(labels: Iterable[Gold | None], *, where: str) -> None:
    """Raise CrossexamError if *labels* have both not_entailment and one of the labels that it covers."""
    seen = set(labels)
    covered = [label for label in LABELS[1:] if label in seen]
    if "not_entailment" in seen and covered:
        raise CrossexamError(
            f"the labels mix not_entailment with {' and '.join(covered)}",
            where=where,
            wanted="either entailment, neutral and contradiction, or entailment and not_entailment",
        )


def likely_meanings(counts: Mapping[str, int]) -> list[str]:
    """Return the values of ``--labels`` that say what the values of a label column are likely to mean.

    *counts* says how often each value occurs.  Numbers have two likely meanings.

    >>> likely_meanings({"0": 7, "1": 3})
    ['0=not_entailment,1=entailment', '0=entailment,1=not_entailment']
    """
    if not all(name.isdigit() for name in counts):
        likely = likely_meaning(counts)
        return [likely] if likely else []
    low, high = min(map(int, counts)), max(map(int, counts))
    start = low if low < high else 0
    orders = _NUMBERED.get(max(2, high - start + 1), ())
    return [labels_text({str(n): label for n, label in enumerate(order, start)}) for order in orders]


def likely_meaning(names: Collection[str]) -> str | None:
    """Return the value of ``--labels`` that says what *names* are likely to mean, None if not all are known.

    >>> likely_meaning(["supported", "unsupported"])
    'supported=entailment,unsupported=not_entailment'
    """
    known = {name: _LIKELY[name] for name in names if name in _LIKELY}
    try:
        refuse_mixture(known.values(), where="")
    except CrossexamError:
        return None
    return labels_text(known) if 0 < len(names) == len(known) else None


def labels_text(names: Names) -> str:
    """Return *names* as the value of ``--labels`` that declares them.

    >>> labels_text({"yes": "entailment", "unclear": None})
    'yes=entailment,unclear=-'
    """
    return ",".join(f"{name}={label or '-'}" for name, label in names.items())


def explained_by_counts(
    error: UnknownLabelError, values: Mapping[str, int], *, declared: bool
) -> FormatError:
    """Return *error* with the counts of all *values* of the label column and the ways out.

    *declared* says whether the user has declared labels.
    """
    counts = Counter({name: count for name, count in values.items() if name not in NO_GOLD})
    if not declared and all(name.isdigit() for name in counts):
        return _undeclared_numbers(error, counts)
    listed = [name for name, _ in counts.most_common(_LISTED)]
    rest = len(counts) - len(listed)
    column = ", ".join(f"{clipped(name)} ({counts[name]:,})" for name in listed)
    example = (None if declared else likely_meaning(listed if not rest else ())) or "VALUE=LABEL,..."
    explained = UnknownLabelError(
        error.what,
        where=error.where,
        wanted=error.wanted,
        hint=f"values in the column: {column}{f' and {rest} other values' if rest else ''}; "
        f"--labels {quote(example)} declares what they mean (- for no gold label), --skip-bad skips "
        "such records",
    )
    explained.undeclared = None if declared else counts
    return explained


def _undeclared_numbers(error: UnknownLabelError, counts: Counter[str]) -> FormatError:
    """Return the error for a column of numbers, with both likely mappings and the counts they would give."""
    shown = ", ".join(f"{counts[number]:,} with {number}" for number in sorted(counts, key=int)[:_LISTED])
    ways = []
    for mapping in likely_meanings(counts):
        meant = parse_labels(mapping).items()
        result = ", ".join(f"{counts[number]:,} {label}" for number, label in meant)
        ways.append(f"--labels {mapping} would give {result}")
    explained = UndeclaredNumbersError(
        f"the labels are numbers ({shown}), and nothing says what they mean",
        where=error.where,
        wanted="named labels, or a declaration of what each number means",
        hint="; or ".join(ways) or "--labels 0=LABEL,1=LABEL,... declares what they mean",
    )
    explained.undeclared = counts
    return explained
