"""What readers of a run of a model behind an endpoint must know, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from crossexam.models.api.logprobs import WITHOUT_SHARES

#: What the groups of fields are, and what follows if the server refuses or ignores one.
_FIELDS: Final[Mapping[str, tuple[str, str]]] = {
    "max_output": ("the limit on the length of answers", "answers may be longer than --max-output"),
    "temperature": ("the temperature", "it sampled answers at a temperature of its own"),
    "seed": ("the seed", "asked again, it may answer differently"),
    "reasoning": ("the level of reasoning", "the model may have reasoned before it answered"),
    "choice": ("the restriction to the labels", "answers may be anything"),
    "samples": (
        "the number of answers per request",
        "each answer was asked for by a request of its own, which changes no result",
    ),
    "server": (
        "fields that keep it from using its cache",
        "asked again, it may answer a little otherwise",
    ),
}


def endpoint_remarks(details: Any) -> Iterator[str]:
    """Yield what the *details* of a run say that its numbers alone do not show; nothing for other models.

    >>> list(endpoint_remarks({"model_asked": "gpt-5.1", "models_served": {"gpt-5.1-2026-02": 9}}))
    []
    >>> next(endpoint_remarks({"model_asked": "qwen", "models_served": {"llama": 9}}))
    "the server answered as 'llama', not as 'qwen', which was asked for"
    """
    if not isinstance(details, Mapping) or "model_asked" not in details:
        return
    yield from _on_who_answered(str(details["model_asked"]), details)
    yield from _on_fields(details)
    yield from _on_probabilities(details.get("logprobs"))
    used = details.get("usage")
    if isinstance(used, Mapping) and used.get("estimated"):
        yield (
            f"the server did not say how many tokens it used for {used['estimated']:,} replies, which are "
            "estimated"
        )


def _on_who_answered(asked: str, details: Mapping[str, Any]) -> Iterator[str]:
    served = _counted(details, "models_served")
    other = [name for name in served if not _is_of(asked, name)]
    if other:
        yield f"the server answered as '{other[0]}', not as '{asked}', which was asked for"
    for name, what in (
        ("models_served", "models"),
        ("fingerprints", "configurations (system_fingerprint)"),
        ("providers", "providers"),
    ):
        found = _counted(details, name)
        if len(found) > 1:
            counts = ", ".join(f"{each} {count:,}" for each, count in found.items())
            yield f"several {what} answered: {counts}"


def _is_of(asked: str, served: str) -> bool:
    """Return whether the name *served* is that of the model *asked*, or of a version or a file of it."""
    name, answer = asked.rpartition("/")[2].casefold(), served.rpartition("/")[2].casefold()
    return answer.startswith(name) or name.startswith(answer.removesuffix(".gguf"))


def _on_fields(details: Mapping[str, Any]) -> Iterator[str]:
    for key, what in (("fields_refused", "refused"), ("fields_ignored", "ignored")):
        found = details.get(key)
        for each in found if isinstance(found, Sequence) else ():
            if each in _FIELDS:
                field, consequence = _FIELDS[each]
                yield f"the server {what} {field}: {consequence}"


def _on_probabilities(states: object) -> Iterator[str]:
    if not isinstance(states, Mapping):
        return
    counts = {name: int(states[name]) for name in WITHOUT_SHARES if states.get(name)}
    total = sum(counts.values()) + int(states.get("aligned", 0))
    for name, count in counts.items():
        scored = "it was" if count == 1 else "they were"
        yield (
            f"for {count:,} of {total:,} answers, {WITHOUT_SHARES[name]}; {scored} scored with probability 1 "
            "for the label in the text"
        )
    low = states.get("low_mass")
    if low:
        yield f"in {low:,} of {total:,} answers, all labels together had a probability below 1/2"


def _counted(details: Mapping[str, Any], name: str) -> Mapping[str, int]:
    found = details.get(name)
    return found if isinstance(found, Mapping) else {}
