"""The servers that Crossexam knows: how each is recognized, and the words in which each is asked.

A server that is none of them is asked in the words of OpenAI.  What a server makes of a field is never taken
from this table: most ignore what they do not know, so that it is observed in their answers
(:mod:`crossexam.models.api.probe`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from crossexam.core.errors import UnknownNameError

Reasoning = Literal["off", "low", "medium", "high", "as-is"]
Fields = Mapping[str, Any]

#: The name of an environment variable that means that no key is needed (on the command line, "none" is None).
NO_KEY: Final = "-"


def _effort(level: Reasoning) -> Fields:
    return {"reasoning_effort": "none" if level == "off" else level}


def _in_template(level: Reasoning) -> Fields:
    """Return what chat templates read that can think or not, such as those of Qwen."""
    if level == "off":
        return {"chat_template_kwargs": {"enable_thinking": False}}
    return {"reasoning_effort": level, "chat_template_kwargs": {"enable_thinking": True}}


def _nothing(level: Reasoning) -> Fields:
    return {}


def _schema(forms: Sequence[str]) -> Fields:
    properties = {"label": {"type": "string", "enum": list(forms)}}
    schema = {
        "type": "object",
        "properties": properties,
        "required": ["label"],
        "additionalProperties": False,
    }
    named = {"name": "answer", "strict": True, "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


def _structured(forms: Sequence[str]) -> Fields:
    return {"structured_outputs": {"choice": list(forms)}}


def _regex(forms: Sequence[str]) -> Fields:
    return {"regex": f"({'|'.join(map(re.escape, forms))})"}


def _grammar(forms: Sequence[str]) -> Fields:
    return {"grammar": f"root ::= {' | '.join(json.dumps(form) for form in forms)}"}


@dataclass(frozen=True)
class Server:
    """A kind of server: how it is recognized and asked.

    ``hosts`` are the ends of host names, and ``owners`` the values of ``owned_by`` in its
    list of models.  ``limit`` is the field for the length of an answer; if it is refused, OpenAI's are tried.
    ``reasoning`` and ``choice`` return the fields that set the reasoning, and that allow only some answers;
    ``always`` are further fields.  ``top`` is the largest number of log-probabilities per token that is
    asked for.  ``tried`` says that the tests ask a real one; others are as documented.
    """

    name: str
    hosts: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    limit: str = "max_tokens"
    reasoning: Callable[[Reasoning], Fields] = _effort
    choice: Callable[[Sequence[str]], Fields] = _schema
    always: Fields = field(default_factory=dict)
    top: int = 20
    concurrency: int = 8
    tried: bool = False


# Documented: OpenAI's schema as in openai 3.54.0; vLLM chat_completion/protocol.py at 002032ee; SGLang
# openai/protocol.py at 004c82e0; Ollama and Anthropic by their pages on compatibility with OpenAI.
# llama.cpp: its prompt cache moves log-probabilities by up to 0.011, and so do parallel slots.
_TABLE: Final = (
    Server("openai", hosts=("api.openai.com",), limit="max_completion_tokens"),
    Server("vllm", owners=("vllm",), reasoning=_in_template, choice=_structured),
    Server("sglang", owners=("sglang",), choice=_regex),
    Server(
        "llama.cpp",
        owners=("llamacpp",),
        reasoning=_in_template,
        choice=_grammar,
        always={"cache_prompt": False},
        concurrency=1,
        tried=True,
    ),
    Server("ollama", owners=("library",)),
    Server("transformers", reasoning=_in_template, tried=True),
    Server("anthropic", hosts=("api.anthropic.com",), reasoning=_nothing),
    Server("gemini", hosts=("generativelanguage.googleapis.com",), top=5),
    Server("openrouter", hosts=("openrouter.ai",)),
    Server("other"),
)
SERVERS: Final[Mapping[str, Server]] = {server.name: server for server in _TABLE}


def server_named(name: str) -> Server:
    """Return the server called *name*; raises UnknownNameError."""
    if name not in SERVERS:
        raise UnknownNameError("kind of server", name, SERVERS, where="--set api.server")
    return SERVERS[name]


def server_by_host(url: str) -> Server | None:
    """Return the server that answers at the host of *url*, None if the host does not tell.

    >>> server_by_host("https://api.openai.com/v1").name
    'openai'
    """
    host = urlsplit(url).hostname or ""
    return next((s for s in _TABLE if any(host == h or host.endswith(f".{h}") for h in s.hosts)), None)


def server_by_models(listing: object) -> Server | None:
    """Return the server whose list of models *listing* is, None if it does not tell.

    >>> server_by_models({"data": [{"id": "qwen", "owned_by": "vllm"}]}).name
    'vllm'
    """
    owners = {str(model.get("owned_by")) for model in _models_in(listing)}
    return next((server for server in _TABLE if owners & set(server.owners)), None)


def _models_in(listing: object) -> list[Mapping[str, Any]]:
    data = listing.get("data") if isinstance(listing, Mapping) else None
    return [model for model in data if isinstance(model, Mapping)] if isinstance(data, list) else []
