"""Questions about pairs to one server, with a record of what was sent, what came back and what it used up."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from crossexam.models.api.batch_files import BatchReplies, custom_id
from crossexam.models.api.endpoint import Endpoint, RejectedError, ServerError
from crossexam.models.api.pacing import Pace, TransientError
from crossexam.models.api.questions import Questions
from crossexam.models.api.replies import usage_of
from crossexam.models.api.spending import Spending, estimated
from crossexam.models.model import Pair

#: What replies say of who answers, and under which name that is counted.
_SERVED: Final = {"model": "models_served", "system_fingerprint": "fingerprints", "provider": "providers"}
Reply = Mapping[str, Any]


class Chat:
    """Asks at *endpoint* at *pace*, within the limits of *spending*; several threads may."""

    def __init__(self, endpoint: Endpoint, pace: Pace, spending: Spending) -> None:
        self.endpoint, self.pace, self.spending = endpoint, pace, spending
        self._seen: dict[str, Counter[str]] = {name: Counter() for name in (*_SERVED.values(), "requests")}
        self._replies = 0
        self._lock = threading.Lock()

    @property
    def replies(self) -> int:
        """How many replies came, now and earlier."""
        return self._replies

    @property
    def facts(self) -> dict[str, Any]:
        """What was sent, what came back and what it used up, for the manifest of a run."""
        with self._lock:
            facts: dict[str, Any] = {name: dict(count) for name, count in self._seen.items() if count}
        sent = self.endpoint.counts + Counter({"retried": self.pace.retried})
        requests = sent + Counter(facts.get("requests", {}))
        return {**facts, "requests": dict(requests), **self.spending.facts}

    def resume(self, facts: Mapping[str, Any]) -> None:
        """Add to the record what *facts* say of earlier commands."""
        for name, count in self._seen.items():
            found = facts.get(name)
            if isinstance(found, Mapping):
                count.update({str(key): int(value) for key, value in found.items()})
        self._replies += self._seen["models_served"].total()
        used = facts.get("usage")
        self.spending.resume(used if isinstance(used, Mapping) else {}, self._replies)

    def replies_to(self, questions: Questions, pair: Pair, answers: int = 1) -> list[Reply]:
        """Return the replies about *pair* that together have as many *answers*.

        Raises what Pace and Endpoint raise, and SpentError.
        """
        got: list[Reply] = []
        missing, by_number = answers, "n" in questions.fields
        while missing > 0:
            got.append(self.send(questions.body(pair, {"n": missing} if by_number else None)))
            missing -= len(got[-1]["choices"])
        return got

    def send(self, body: bytes) -> Reply:
        """Return the reply to the request *body*, repeated as long as that may help."""
        self.spending.begin()
        reply: Reply | None = None
        try:
            reply = self.pace.carry_out(partial(self.endpoint.post, body))
        finally:
            self.spending.end(None if reply is None else _usage(body, reply))
        with self._lock:
            self._replies += 1
            for field, name in _SERVED.items():
                if isinstance(value := reply.get(field), str):
                    self._seen[name][value] += 1
        return reply


class BatchChat:
    """What a batch answered: its *replies* to the requests of the model with *key*."""

    def __init__(self, replies: BatchReplies, key: str) -> None:
        self._replies, self._key = replies, key

    def reply_to(self, pair: Pair) -> Reply:
        """Return the reply about *pair*; raises TransientError for none, RejectedError for an error."""
        found = self._replies.reply(custom_id(self._key, pair))
        if found is None:
            raise TransientError("not in the batch files")
        if isinstance(found, ServerError):
            raise RejectedError(found)
        return found


def _usage(body: bytes, reply: Reply) -> dict[str, int]:
    """Return the tokens that *reply* used, estimated if it does not say it."""
    usage = usage_of(reply)
    return usage if "input" in usage and "output" in usage else estimated(body, str(reply["choices"]))
