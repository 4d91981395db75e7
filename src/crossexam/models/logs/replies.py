"""What a log says of one item, whichever harness wrote it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from crossexam.core.errors import FormatError
from crossexam.core.output.escapes import quoted
from crossexam.models.label_order import ClassName, class_name


class Reply(NamedTuple):
    """What a model replied to one question.

    *id* and *test_set* name the item where the log has them; without an id, the texts of the pair, the
    *prompt*, or *pair_digest*, the hash in a request of ``api/``, say which item it is.  *forms* are the
    labels as they are written.  The reply is the log-likelihood of each of *choices*, *likelihoods*, or else
    the *texts* of one answer or several.  *finish* says why each text ended (``length``, ``content_filter``),
    *refusals* are what was sent in place of a text, and *tokens* are the log-probabilities of its tokens, as
    ``logprobs.content`` of a chat endpoint, if the log has them.  *status* is that of a question that was
    refused as it was (``too_long``).  *where* is its place for errors.
    """

    where: str
    id: str | None
    test_set: str | None
    premise: str | None
    hypothesis: str | None
    forms: Mapping[ClassName, str]
    choices: Sequence[str] = ()
    likelihoods: Sequence[float] | None = None
    texts: Sequence[str | None] = ()
    finish: Sequence[str] = ()
    refusals: Sequence[str] = ()
    tokens: Sequence[Any] = ()
    status: str = ""
    prompt: str | None = None
    pair_digest: str | None = None


def label_forms(labels: Sequence[Any], choices: Sequence[Any]) -> dict[ClassName, str]:
    """Return how each of *labels* is written, of *choices*; raises ValueError if they are anything else.

    >>> label_forms(["entailment", "neutral"], ["Yes", "Maybe"])
    {'entailment': 'Yes', 'neutral': 'Maybe'}
    """
    found: dict[ClassName, str] = {}
    for label, choice in zip(labels, choices, strict=True):
        name = class_name(label) if isinstance(label, str) else None
        if name is None or not isinstance(choice, str):
            raise ValueError(f"{quoted(choice)} for the label {quoted(label)}")
        found[name] = choice
    return found


def field_text(about: Mapping[str, Any], key: str) -> str | None:
    """Return the entry *key* of *about* as text, None if there is none."""
    return None if about.get(key) is None else str(about[key])


class Log(NamedTuple):
    """A log: the *harness* that wrote it, *facts* for the manifest of a run, and the replies by file."""

    harness: str
    facts: Mapping[str, Any]
    replies: Sequence[Reply]
    files: Sequence[Path]


def forms_of(labels: Sequence[ClassName] | None, choices: Sequence[str]) -> dict[ClassName, str]:
    """Return how each label is written: *labels* as *choices*, or choices that are names of labels.

    It is empty if that is not known.  Raises ValueError for labels that are none.

    >>> forms_of(None, ["Entailment", "not_entailment"])
    {'entailment': 'Entailment', 'not_entailment': 'not_entailment'}
    >>> forms_of(None, ["True", "False"])
    {}
    """
    if labels:
        return label_forms(labels, choices) if len(labels) == len(choices) else {}
    names: Sequence[ClassName | None] = [class_name(choice) for choice in choices]
    found = {name: choice for name, choice in zip(names, choices, strict=False) if name is not None}
    return found if len(found) == len(names) == len(choices) else {}


def refuse_several_models(models: Sequence[str], files: Sequence[Path]) -> None:
    """Raise FormatError if *files* have the replies of several *models*."""
    if len(models) > 1:
        raise FormatError(
            f"the logs are of several models: {', '.join(models)}",
            where=str(files[0].parent),
            wanted="logs of one model",
            hint="name one log, or keep the logs of each model in a folder of its own",
        )


def refuse_twice(task: str, first: Path, second: Path) -> None:
    """Raise FormatError if there are two logs, *first* and *second*, of one *task*."""
    if first != second:
        raise FormatError(
            f"there are two logs of task {task}, {first.name} and {second.name}",
            where=str(second.parent),
            wanted="one",
            hint="name the file, or keep the logs of each run in a folder of its own",
        )
