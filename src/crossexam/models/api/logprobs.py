"""Probabilities of labels from the log-probabilities of the tokens of an answer.

The first token of a text is often not its answer (Wang et al., 2024, arXiv 2402.14499), so the answer is read
first, and the probabilities are those of the token in which it begins.  Tokens are located by their bytes,
since some have none that are a text of their own.  A server that answers "entailment" may have had the tokens
*Ent*, *ent* and *entail* before it: each counts for the one label that it can become.

These are probabilities of the beginnings of labels, not of whole labels, and only as many as a server lists.
``mass`` is what all labels had together before they were normalised; *least* is the smallest probability that
was listed, more than which no token can have that is not listed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from crossexam.models.api.reading import LabelForms, ReadAnswer
from crossexam.models.label_order import ClassName

#: Why an answer has no probabilities of its labels, as the end of a sentence that begins with the answers.
WITHOUT_SHARES: Final = {
    "disagree": "the most probable label was not the one in the text",
    "misaligned": "the tokens with log-probabilities were not those of the text",
    "no_label": "no label was among the listed tokens",
    "missing": "there were no log-probabilities",
}
#: What servers send in place of a log-probability that they do not list (OpenAI's schema, vLLM).
_UNLISTED: Final = -9000.0
_BLANK: Final = " \t\r\n\"'`*_“”‘’«»([▁Ġ"


class LabelShares(NamedTuple):
    """The probabilities of the labels at the token in which an answer begins.

    ``shares`` sum to 1; ``mass`` is their sum before that; ``least`` is the smallest probability listed;
    ``top`` has the listed tokens with their log-probabilities.
    """

    shares: Mapping[ClassName, float]
    mass: float
    least: float
    top: Sequence[tuple[str, float]]


def shares_at(tokens: object, text: str, answer: ReadAnswer, forms: LabelForms) -> LabelShares | str:
    """Return the probabilities at the token of *tokens* in which *answer* begins, or why there are none.

    *tokens* are ``logprobs.content`` of a choice, and *text* is the content of its message.  The reasons are
    ``missing`` (no tokens), ``misaligned`` (they are not those of the text) and ``no_label`` (none of the
    listed tokens begins a label).

    >>> token = {"token": "Yes", "logprob": -0.1, "top_logprobs": [{"token": " no", "logprob": -2.4}]}
    >>> forms = LabelForms({"entailment": "yes", "contradiction": "no"})
    >>> found = shares_at([token], "Yes", ReadAnswer("entailment", start=0, end=3), forms)
    >>> {label: round(share, 2) for label, share in found.shares.items()}
    {'entailment': 0.91, 'contradiction': 0.09}
    """
    if not isinstance(tokens, list) or not tokens:
        return "missing"
    pieces = [_bytes_of(token) for token in tokens]
    place = None if None in pieces else _token_at([p or b"" for p in pieces], text, answer.start)
    if place is None:
        return "misaligned"
    index, before = place
    listed = _listed(tokens[index])
    if listed is None:
        return "misaligned"
    return _counted(listed, before, forms)


def _bytes_of(token: object) -> bytes | None:
    """Return the bytes of a token, those of its text if a server does not list them."""
    if not isinstance(token, Mapping):
        return None
    listed = token.get("bytes")
    if isinstance(listed, list):
        try:
            return bytes(listed)
        except (TypeError, ValueError):
            return None
    text = token.get("token")
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else None


def _token_at(pieces: Sequence[bytes], text: str, start: int) -> tuple[int, str] | None:
    """Return the token in which the character *start* of *text* is, and what of the token is before it.

    It is None if *text* is not what the tokens end with.  Before it there may be reasoning, which a server
    takes off; after it, tokens of white space.
    """
    joined, content = b"".join(pieces), text.encode("utf-8", "surrogatepass")
    offset = len(joined.rstrip()) - len(content.rstrip())
    if offset < 0 or joined[offset : offset + len(content.rstrip())] != content.rstrip():
        return None
    place, passed = offset + len(text[:start].encode("utf-8", "surrogatepass")), 0
    for index, piece in enumerate(pieces):
        if passed <= place < passed + len(piece):
            return index, piece[: place - passed].decode("utf-8", "replace")
        passed += len(piece)
    return None


def _listed(token: Mapping[str, Any]) -> list[tuple[bytes, str, float]] | None:
    """Return the listed alternatives of *token* and the token itself: bytes, text, log-probability."""
    found: dict[bytes, tuple[str, float]] = {}
    alternatives = token.get("top_logprobs")
    for each in [*(alternatives if isinstance(alternatives, list) else []), token]:
        piece = _bytes_of(each)
        if piece is None or not isinstance(value := each.get("logprob"), int | float) or math.isnan(value):
            return None
        found.setdefault(piece, (piece.decode("utf-8", "replace"), float(value)))
    return [(piece, text, value) for piece, (text, value) in found.items()]


def _counted(listed: Sequence[tuple[bytes, str, float]], before: str, forms: LabelForms) -> LabelShares | str:
    masses: dict[ClassName, float] = dict.fromkeys(forms.forms, 0.0)
    for _, text, value in listed:
        label = label_begun_by(text.removeprefix(before), forms)
        if label is not None:
            masses[label] += math.exp(min(value, 0.0))
    mass = math.fsum(masses.values())
    if mass <= 0:
        return "no_label"
    shares = {label: each / mass for label, each in masses.items()}
    least = min(math.exp(min(value, 0.0)) for _, _, value in listed if value > _UNLISTED)
    return LabelShares(shares, min(mass, 1.0), least, [(text, value) for _, text, value in listed])


def label_begun_by(token: str, forms: LabelForms) -> ClassName | None:
    """Return the only label that *token* can begin, None if there is none or more than one.

    >>> forms = LabelForms({"entailment": "Yes", "neutral": "Neither", "contradiction": "No"})
    >>> [label_begun_by(token, forms) for token in (" y", "No.", "N", "Not", "Nei")]
    ['entailment', 'contradiction', None, None, 'neutral']
    """
    bare = token.lstrip(_BLANK).rstrip().casefold()
    if not bare:
        return None
    begun = {
        label for form, label in forms.by_text.items() if form.startswith(bare) or _is_all_of(form, bare)
    }
    return begun.pop() if len(begun) == 1 else None


def _is_all_of(form: str, token: str) -> bool:
    """Return whether *token* begins with the whole of *form*, and not with a longer word."""
    return token.startswith(form) and not token[len(form) :][:1].isalnum()
