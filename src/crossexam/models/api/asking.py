"""Questions to a server: one after another with a record of them, or by several threads; and what stops all.

What fails for one pair leaves that pair without an answer for now.  What would fail for all of them, such as
a wrong key, stops everything; so do several failures in a row.  Answers that are under way are waited for,
since they are paid for.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple

import numpy as np

from crossexam.core.errors import CrossexamError, UnfinishedError
from crossexam.core.labels import LABELS
from crossexam.core.outcome import Outcome
from crossexam.models.api.batch_files import BatchReplies, custom_id
from crossexam.models.api.endpoint import Endpoint, RejectedError, ServerError, UnpaidError
from crossexam.models.api.pacing import (
    FAILURES_IN_A_ROW,
    ComeBackError,
    Pace,
    StoppedError,
    TransientError,
)
from crossexam.models.api.questions import Questions
from crossexam.models.api.replies import NOTHING, Row, status_of_rejection, usage_of
from crossexam.models.api.spending import Spending, SpendingLimits, SpentError, estimated
from crossexam.models.model import Batch, Pair

#: What ends a command that a later one can resume.
GIVEN_UP: Final = (ComeBackError, UnpaidError, SpentError)
#: So many answers are handed on together at most.
_MOST_TOGETHER: Final = 256
#: After the first answer, others are waited for so long: to store them one by one takes longer than to ask.
_SECONDS_TOGETHER: Final = 0.02
_OF_ALL: Final = frozenset({401, 403, 404, 405, 407})


class Answer(NamedTuple):
    """What became of question *number*."""

    number: int
    row: Row
    outcome: Outcome


class WorkerPool:
    """Asks questions in *threads* at *pace*; *ask* returns what became of one pair.

    *host* is named in errors.
    """

    def __init__(
        self, ask: Callable[[Pair], tuple[Row, Outcome]], pace: Pace, threads: int, host: str
    ) -> None:
        self._ask, self._pace, self._threads, self._host = ask, pace, threads, host
        self._lock = threading.Lock()
        self._failures: Counter[str] = Counter()
        self._in_a_row = self._answers = 0
        self._stop_error: BaseException | None = None

    def answers(self, questions: Iterable[tuple[int, Pair]]) -> Iterator[list[Answer]]:
        """Yield what became of *questions*, those together that arrived together, in any order.

        Raises UnfinishedError at the end if some failed for now, CrossexamError if all would.
        """
        source, done = iter(questions), SimpleQueue[Answer | None]()

        def work() -> None:
            while not self._pace.is_stopped:
                with self._lock:
                    question = next(source, None)
                if question is None:
                    break
                answer = self._one(*question)
                if answer is not None:
                    done.put(answer)
            done.put(None)

        workers = [threading.Thread(target=work, daemon=True) for _ in range(self._threads)]
        for worker in workers:
            worker.start()
        try:
            yield from _together(done, len(workers))
        except BaseException:
            self._pace.stop()
            raise
        self._raise_if_unfinished()

    def _one(self, index: int, pair: Pair) -> Answer | None:
        """Return what became of one question, None if it could not be answered for now."""
        try:
            row, outcome = self._ask(pair)
        except TransientError as error:
            self._failed(str(error))
            return None
        except RejectedError as error:
            return self._rejected(index, error)
        except StoppedError:
            return None
        except GIVEN_UP as error:
            self._stop(unfinished(error, self._host))
            return None
        except BaseException as error:  # a bug, which the caller has to see
            self._stop(error)
            return None
        with self._lock:
            self._in_a_row, self._answers = 0, self._answers + 1
        return Answer(index, row, outcome)

    def _rejected(self, index: int, error: RejectedError) -> Answer | None:
        answer = answer_to_rejection(index, error)
        if answer is not None:
            return answer
        if error.error.status in _OF_ALL or error.error.status // 100 == 3 or not self._answers:
            self._stop(rejection(error, self._host))
        else:
            self._failed(str(error))
        return None

    def _failed(self, reason: str) -> None:
        with self._lock:
            self._failures[reason] += 1
            self._in_a_row += 1
            is_hopeless = self._in_a_row >= FAILURES_IN_A_ROW
        if is_hopeless:
            self._stop(
                UnfinishedError(f"{FAILURES_IN_A_ROW} questions in a row failed: {reason}", where=self._host)
            )

    def _stop(self, error: BaseException) -> None:
        with self._lock:
            self._stop_error = self._stop_error or error
        self._pace.stop()

    def _raise_if_unfinished(self) -> None:
        if self._stop_error is not None:
            raise self._stop_error
        if self._failures:
            reasons = "; ".join(f"{count:,} times {why}" for why, count in self._failures.most_common(3))
            raise UnfinishedError(
                f"{self._failures.total():,} questions got no answer ({reasons})", where=self._host
            )


def _together(done: SimpleQueue[Answer | None], workers: int) -> Iterator[list[Answer]]:
    """Yield what is in the queue *done* until all *workers* have put None into it."""
    while workers:
        got = [done.get()]
        if got != [None]:
            time.sleep(_SECONDS_TOGETHER)
        while len(got) < _MOST_TOGETHER:
            try:
                got.append(done.get_nowait())
            except Empty:
                break
        workers -= got.count(None)
        if answers := [answer for answer in got if answer is not None]:
            yield answers


def answer_to_rejection(number: int, error: RejectedError) -> Answer | None:
    """Return what became of question *number* if the server refused this pair, None for other refusals."""
    status = status_of_rejection(error.error)
    return None if status is None else Answer(number, NOTHING, Outcome(status, detail={"error": str(error)}))


def unfinished(error: Exception, host: str) -> UnfinishedError:
    """Return the error to show if *host* is not asked any further for now because of *error*."""
    is_nobody = isinstance(error, TransientError) and error.refused
    return UnfinishedError(
        str(error),
        where=host,
        hint="is the server running, and is the endpoint its address?" if is_nobody else None,
        changed=getattr(error, "larger", None),
    )


def rejection_of_probe(error: RejectedError, host: str, shots: int) -> CrossexamError:
    """Return the error to show for the first request, about an easy pair after so many *shots*."""
    if status_of_rejection(error.error) != "too_long":
        return rejection(error, host)
    return CrossexamError(
        f"the prompt about an easy pair of the probe, which goes first, is too long for the model: {error}",
        where=host,
        wanted=f"a context in which the prompt with its {shots} shots fits"
        if shots
        else "a context in which the prompt fits",
        hint=("fewer --shots, " if shots else "")
        + "a shorter --template, or a server that was started with a larger context (llama.cpp: -c)",
    )


def rejection(error: RejectedError, host: str) -> CrossexamError:
    """Return the error to show for a request that *host* does not answer, whatever the pair."""
    hints = {
        401: "the key in the environment variable that --key-env names is not accepted",
        403: "the key does not allow this model",
        404: "--endpoint ends with /v1 for most servers, and the model must be named as the server names it",
        407: "a proxy is in the way",
    }
    status = error.error.status
    hint = hints.get(status)
    if status // 100 == 3:
        hint = "give the address that it redirects to with --endpoint, if you trust it"
    return CrossexamError(f"the server refuses the request: {error}", where=host, hint=hint)


def as_batch(answers: Sequence[Answer]) -> Batch:
    """Return *answers* as a batch of the model."""
    rows = np.array([answer.row for answer in answers], dtype=np.float64).reshape(-1, len(LABELS))
    outcomes = [answer.outcome for answer in answers]
    return Batch([answer.number for answer in answers], rows, [None] * len(answers), outcomes)


#: What replies say of who answers, and under which name that is counted.
_SERVED: Final = {"model": "models_served", "system_fingerprint": "fingerprints", "provider": "providers"}
Reply = Mapping[str, Any]


class Replied:
    """What replies say of who answers, counted; several threads may count."""

    def __init__(self) -> None:
        self._seen: dict[str, Counter[str]] = {name: Counter() for name in _SERVED.values()}
        self._lock = threading.Lock()
        self.count = 0

    @property
    def facts(self) -> dict[str, Any]:
        """The counts that are not empty, for the manifest of a run."""
        with self._lock:
            return {name: dict(count) for name, count in self._seen.items() if count}

    def add(self, reply: Reply) -> None:
        """Count *reply*."""
        with self._lock:
            self.count += 1
            for field, name in _SERVED.items():
                if isinstance(value := reply.get(field), str):
                    self._seen[name][value] += 1

    def resume(self, facts: Mapping[str, Any]) -> None:
        """Add what *facts* say of earlier replies."""
        for name, count in self._seen.items():
            count.update(_counts(facts.get(name)))
        self.count += self._seen["models_served"].total()


def _counts(found: object) -> dict[str, int]:
    return {str(key): int(value) for key, value in found.items()} if isinstance(found, Mapping) else {}


class Chat:
    """Asks at *endpoint* at *pace*, within the limits of *spending*; several threads may."""

    def __init__(self, endpoint: Endpoint, pace: Pace, spending: Spending) -> None:
        self.endpoint, self.pace, self.spending = endpoint, pace, spending
        self._replied, self._requests = Replied(), Counter[str]()

    @property
    def replies(self) -> int:
        """How many replies came, now and earlier."""
        return self._replied.count

    @property
    def facts(self) -> dict[str, Any]:
        """What was sent, what came back and what it used up, for the manifest of a run."""
        requests = self.endpoint.counts + Counter({"retried": self.pace.retried}) + self._requests
        return {**self._replied.facts, "requests": dict(requests), **self.spending.facts}

    def resume(self, facts: Mapping[str, Any]) -> None:
        """Add to the record what *facts* say of earlier commands."""
        self._requests.update(_counts(facts.get("requests")))
        self._replied.resume(facts)
        self.spending.resume(_counts(facts.get("usage")), self._replied.count)

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
        self._replied.add(reply)
        return reply


class BatchChat:
    """What a batch answered: its *replies* to the requests of the model with *key*.

    What it used up is counted, but not limited: it has been spent.  *limits* have the prices.
    """

    def __init__(self, replies: BatchReplies, key: str, limits: SpendingLimits) -> None:
        self._replies, self._key, self._limits = replies, key, limits
        self.resume({})

    def resume(self, facts: Mapping[str, Any]) -> None:
        """Go on from what *facts* say of earlier commands."""
        self._earlier, self._replied, self._spending = facts, Replied(), Spending(self._limits)
        self._replied.resume(facts)
        self._spending.resume(_counts(facts.get("usage")), self._replied.count)

    @property
    def facts(self) -> dict[str, Any]:
        """What came back and what it used up, as the replies say it, for the manifest of a run."""
        return {**self._earlier, **self._replied.facts, **self._spending.facts}

    def reply_to(self, pair: Pair, *, counted: bool = True) -> Reply:
        """Return the reply about *pair*; raises TransientError for none, RejectedError for an error.

        It is *counted* unless it was counted before.
        """
        found = self._replies.reply(custom_id(self._key, pair))
        if found is None:
            raise TransientError("not in the batch files")
        if isinstance(found, ServerError):
            raise RejectedError(found)
        if counted:
            self._replied.add(found)
            self._spending.count(usage_of(found))
        return found


def _usage(body: bytes, reply: Reply) -> dict[str, int]:
    """Return the tokens that *reply* used, estimated if it does not say it."""
    usage = usage_of(reply)
    return usage if "input" in usage and "output" in usage else estimated(body, str(reply["choices"]))
