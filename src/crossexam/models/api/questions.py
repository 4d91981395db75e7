"""The body of a request: the messages of a pair, and fields that a server may refuse.

Fields come in groups, each with a first choice and what to try if that is refused, down to nothing.  Which of
them a server takes is found out once, with the first question (:func:`accepted_by`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, NamedTuple

from crossexam.core.errors import CrossexamError
from crossexam.models.api.endpoint import RejectedError, ServerError
from crossexam.models.api.servers import Reasoning, Server
from crossexam.models.model import Pair
from crossexam.models.prompts.template import Shot, Template

#: The HTTP statuses by which a server refuses a field.
_REFUSES: Final = frozenset({400, 422})
#: What names of secrets end with, and names that end so and are none.
_SECRETS: Final = ("key", "token", "authorization", "secret", "password", "credential", "credentials")
_NO_SECRETS: Final = frozenset({"prompt_cache_key", "ignore_eos_token"})


class Way(NamedTuple):
    """How answers are asked for (:data:`WAYS`), and the number of *samples* per pair."""

    name: str
    samples: int = 1

    def __str__(self) -> str:
        return f"samples:{self.samples}" if self.name == "samples" else self.name


#: The ways by name; ``auto`` is ``logprobs`` where the server sends them, else ``text``.
WAYS: Final = ("auto", "text", "logprobs", "samples:N", "choice")


def way_named(text: str) -> Way:
    """Return the way that ``--answer`` states; raises CrossexamError.

    >>> str(way_named("samples:5"))
    'samples:5'
    """
    name, colon, number = text.partition(":")
    if name == "samples" and number.isdigit() and 2 <= int(number) <= 100:
        return Way("samples", int(number))
    if colon or name not in WAYS:
        raise CrossexamError(
            f"--answer is '{text}'",
            wanted=f"one of: {', '.join(WAYS)} (2 to 100 samples)",
        )
    return Way(name)


def refuse_in_batch(way: Way) -> None:
    """Raise CrossexamError if a batch cannot be asked in this *way*, since no server is tried first."""
    if way.name in ("auto", "samples"):
        raise CrossexamError(
            f"a batch cannot be asked with --answer {way}", wanted="--answer text, logprobs or choice"
        )


@dataclass(frozen=True)
class Sampling:
    """What decides which answer a model gives: numbers as the server takes them, *limit* in tokens."""

    temperature: float
    seed: int
    limit: int
    reasoning: Reasoning


@dataclass(frozen=True)
class Questions:
    """What makes requests to a server: *model* is its name there, *groups* are the optional fields by name.

    Of the choices of a group the first is used; a group without any is one that the server refused.
    *extra* are fields of the user, which are always sent.  *shots* come before every question, as earlier
    turns of the chat.
    """

    model: str
    template: Template
    groups: Mapping[str, tuple[Mapping[str, Any], ...]]
    extra: Mapping[str, Any]
    shots: tuple[Shot, ...] = ()

    @cached_property
    def fields(self) -> Mapping[str, Any]:
        """The fields of every request besides ``model`` and ``messages``."""
        chosen: dict[str, Any] = {}
        for choices in self.groups.values():
            chosen |= choices[0] if choices else {}
        return chosen | dict(self.extra)

    def body(self, pair: Pair, more: Mapping[str, Any] | None = None) -> bytes:
        """Return the request about *pair*, with *more* fields."""
        messages = self.template.messages(*pair, self.shots)
        request = {"model": self.model, "messages": messages, **self.fields, **(more or {})}
        return json.dumps(request, ensure_ascii=False).encode("utf-8", "surrogatepass")

    def without(self, group: str) -> Questions:
        """Return the questions with the next choice of *group*."""
        return replace(self, groups={**self.groups, group: self.groups[group][1:]})

    def only(self, groups: Mapping[str, tuple[Mapping[str, Any], ...]]) -> Questions:
        """Return the questions with these *groups* alone."""
        return replace(self, groups=groups)


def optional_fields(
    template: Template, server: Server, way: Way, sampling: Sampling
) -> dict[str, tuple[Mapping[str, Any], ...]]:
    """Return the groups of fields in the words of *server*, those that matter least last.

    It is not yet known what it refuses.
    """
    samples = way.name == "samples"
    limits = dict.fromkeys((server.limit, "max_tokens", "max_completion_tokens"))
    groups: dict[str, tuple[Mapping[str, Any], ...]] = {
        "max_output": tuple({name: sampling.limit} for name in limits),
        "temperature": ({"temperature": 1.0 if samples else sampling.temperature},),
    }
    if samples:
        groups["samples"] = ({"n": way.samples},)
    else:
        groups["seed"] = ({"seed": sampling.seed},)
    if way.name in ("auto", "logprobs"):
        tops = (server.top, 5) if server.top > 5 else (server.top,)
        groups["logprobs"] = tuple({"logprobs": True, "top_logprobs": top} for top in tops)
    if way.name == "choice":
        groups["choice"] = (server.choice(tuple(template.labels.values())),)
    if sampling.reasoning != "as-is" and (fields := server.reasoning(sampling.reasoning)):
        groups["reasoning"] = (fields,)
    if server.always:
        groups["server"] = (server.always,)
    return groups


def accepted_by(
    questions: Questions, pair: Pair, ask: Callable[[bytes], Mapping[str, Any]]
) -> tuple[Questions, Mapping[str, Any]]:
    """Return *questions* with the fields that a server takes, and its answer about *pair*.

    *ask* sends a request.  A refusal that names no field is taken to be about the last group that is left.
    Raises RejectedError if the server refuses what it is asked without any of them.
    """
    while True:
        try:
            return questions, ask(questions.body(pair))
        except RejectedError as error:
            left = [group for group, choices in questions.groups.items() if choices]
            if error.error.status not in _REFUSES or not left:
                raise
            questions = questions.without(_named_in(error.error, questions) or left[-1])


def _named_in(error: ServerError, questions: Questions) -> str | None:
    """Return the group of which *error* names a field."""
    text = f"{error.param} {error.message}"
    named = {
        name: group
        for group, choices in questions.groups.items()
        for name in (choices[0] if choices else ())
        if re.search(rf"\b{re.escape(name)}\b", text)
    }
    return named[max(named, key=len)] if named else None


def extra_fields(text: str | None) -> dict[str, Any]:
    """Return the fields in ``--extra``, a JSON object; raises CrossexamError if it may hold a secret.

    >>> extra_fields('{"provider": {"only": ["x"]}}')
    {'provider': {'only': ['x']}}
    """
    if not text:
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise CrossexamError(
            "--extra is not a JSON object", wanted='fields of the request, such as {"top_p": 1}'
        )
    for name in _names_in(found):
        if name.lower() not in _NO_SECRETS and name.lower().endswith(_SECRETS):
            raise CrossexamError(
                f"--extra has a field '{name}', which looks like a secret: the request is in the manifest",
                wanted="fields without secrets",
                hint="a key belongs in the environment variable that --key-env names",
            )
    for reserved in ("model", "messages", "stream"):
        if reserved in found:
            raise CrossexamError(
                f"--extra has a field '{reserved}'", wanted="fields that Crossexam does not set"
            )
    return found


def _names_in(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name)
            yield from _names_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _names_in(inner)
