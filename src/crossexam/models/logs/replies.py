"""What a log says of one item, whichever harness wrote it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from crossexam.models.label_order import ClassName


class Reply(NamedTuple):
    """What a model replied to one question.

    *id* and *test_set* name the item where the log has them.  The reply is the log-likelihood of each label,
    *likelihoods*, or else the *texts* of one answer or several; *forms* are the labels as they are written.
    *finish* says why each text ended (``length``, ``content_filter``), and *tokens* are the log-probabilities
    of its tokens, as ``logprobs.content`` of a chat endpoint, if the log has them.  *where* is its place for
    errors.
    """

    where: str
    id: str | None
    test_set: str | None
    premise: str | None
    hypothesis: str | None
    forms: Mapping[ClassName, str]
    likelihoods: Sequence[float] | None = None
    texts: Sequence[str | None] = ()
    finish: Sequence[str] = ()
    tokens: Sequence[Any] = ()


class Log(NamedTuple):
    """A log: the *harness* that wrote it, *facts* for the manifest of a run, and the replies by file."""

    harness: str
    facts: Mapping[str, Any]
    replies: Sequence[Reply]
    files: Sequence[Path]
