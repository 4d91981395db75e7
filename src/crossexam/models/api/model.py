"""Models behind an endpoint: ``api/NAME``, any server that answers ``/chat/completions`` as OpenAI's does.

Each pair is a request of its own.  Several threads ask; answers are handed on as they arrive.  What a server
takes and sends is found out before the first pair (:mod:`crossexam.models.api.probe`), and kept in the store
of a run, so that a resumed run asks as before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from crossexam.core.errors import CrossexamError, UnfinishedError
from crossexam.core.outcome import Outcome
from crossexam.models.answer_words import answer_words
from crossexam.models.api.asking import (
    GIVEN_UP,
    Answer,
    BatchChat,
    Chat,
    Reply,
    WorkerPool,
    answer_to_rejection,
    as_batch,
    rejection_of_probe,
    unfinished,
)
from crossexam.models.api.batch_files import BatchReplies, custom_id
from crossexam.models.api.endpoint import Address, Endpoint, RejectedError
from crossexam.models.api.forecast import Forecast, bodies_sized
from crossexam.models.api.pacing import Pace, StoppedError, TransientError, check_pace
from crossexam.models.api.probe import (
    NO_PROBE_WARNING,
    ProbeReplies,
    low_probe_warning,
    refuse_exchanged_labels,
)
from crossexam.models.api.questions import (
    Questions,
    Sampling,
    Way,
    accepted_by,
    extra_fields,
    optional_fields,
    refuse_in_batch,
    way_named,
)
from crossexam.models.api.reading import chat_forms, unread_warning
from crossexam.models.api.replies import ReplyReader, Row, Tally
from crossexam.models.api.servers import (
    SERVERS,
    Reasoning,
    Server,
    server_by_host,
    server_by_models,
    server_named,
)
from crossexam.models.api.spending import Spending, SpendingLimits
from crossexam.models.label_order import PAIRS as PROBE_PAIRS
from crossexam.models.model import Batch, Model, Pair
from crossexam.models.prompts.shots import Shots
from crossexam.models.prompts.table import AUTO
from crossexam.models.prompts.template import Template
from crossexam.models.prompts.wording import Wording

_VERSION: Final = "api.v1"
_DEFAULT_LIMIT: Final = 16
_LIMIT_OF_CHOICES: Final = 64  # llama.cpp writes white space before the object that a schema demands
_LIMIT_WITH_REASONING: Final = 4_096
#: What is learnt of a server or counted while it is asked, and kept from one command to the next.
_KEPT: Final = (
    *("probe", "server", "models_served", "fingerprints", "providers", "fields_refused", "fields_ignored"),
    *("usage", "cost", "requests", "parse", "logprobs"),
)
#: After so many answers, the details are brought up to date.
_REFRESH_EVERY: Final = 200


@dataclass(frozen=True)
class Options:
    """How a model behind an endpoint is asked.

    ``endpoint`` is the URL before ``/chat/completions``, by default that in OPENAI_BASE_URL or OpenAI's;
    ``key_env`` names the environment variable with its key (``-``: no key).  ``template`` is the prompt
    (``auto``: ``words``, or ``words.two`` if all test sets have two labels), and ``labels`` says what further
    words of its answers mean (``supported=entailment``, or a dict).
    ``shots`` solved examples come before each question, drawn from the corpus ``shots_from`` by
    ``shots_seed``.  ``answer`` is the way: auto, text, logprobs, samples:N or choice.  ``reasoning`` is off,
    low, medium, high or as-is.  ``max_output`` is the greatest number of tokens of an answer.
    ``temperature`` is 0, and 1 for samples; ``seed`` is sent to the server.  ``concurrency`` requests are
    sent at once, each is given ``timeout`` seconds and ``tries`` tries.  ``budget`` is in tokens; ``price``
    is that of a million tokens read and of a million written, and ``max_cost`` the greatest cost.  ``extra``
    are further fields of the requests, as JSON.  ``server`` is the kind of server if it is not recognized.
    ``keep_text`` keeps the texts of answers.  ``insecure_http`` allows http to other hosts, ``yes`` many
    requests to them.  ``batch_in`` are files with the answers to a batch, from which the model answers in
    place of the server.
    """

    endpoint: str | None = None
    key_env: str | None = None
    template: str = AUTO
    labels: str | Mapping[str, Any] | None = None
    shots: int = 0
    shots_from: str | None = None
    shots_seed: int = 0
    answer: str = "auto"
    reasoning: Reasoning = "off"
    max_output: int | None = None
    temperature: float | None = None
    seed: int = 0
    concurrency: int | None = None
    timeout: float = 120.0
    tries: int = 8
    budget: int | None = None
    price: tuple[float, ...] | None = None
    max_cost: float | None = None
    extra: str | None = None
    server: str | None = None
    keep_text: bool = True
    insecure_http: bool = False
    yes: bool = False
    batch_in: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_pace(self.concurrency, self.tries, self.timeout)
        way = way_named(self.answer)
        if self.max_output is not None and self.max_output < 1:
            raise CrossexamError(f"--max-output is {self.max_output}", wanted="a number of tokens above 0")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise CrossexamError(f"--temperature is {self.temperature}", wanted="a number from 0 to 2")
        if self.batch_in:
            refuse_in_batch(way)
        if way.name == "samples" and self.temperature == 0:
            raise CrossexamError(
                "samples at temperature 0 are all the same", wanted="--temperature above 0 (by default 1)"
            )

    @property
    def limits(self) -> SpendingLimits:
        """What may be used up; raises CrossexamError."""
        price = None if self.price is None else tuple(self.price)
        return SpendingLimits(self.budget, price, self.max_cost)  # type: ignore[arg-type]

    def sampling(self) -> Sampling:
        """Return what decides which answer the model gives."""
        way = way_named(self.answer)
        limit = _DEFAULT_LIMIT if way.name != "choice" else _LIMIT_OF_CHOICES
        limit = limit if self.reasoning == "off" else _LIMIT_WITH_REASONING
        temperature = self.temperature
        if temperature is None:
            temperature = 1.0 if way.name == "samples" else 0.0
        return Sampling(temperature, self.seed, self.max_output or limit, self.reasoning)


@dataclass(frozen=True)
class _Prepared:
    """What is known before pairs are asked: the requests that the server takes, and how answers are read."""

    questions: Questions
    reader: ReplyReader


class ChatModel(Model):
    """A model behind *address*, asked with *template*; the *replies* of a batch take the place of *endpoint*.

    *shots* are shown before each question; *wording* is that of a model for which nobody named a template.
    """

    name: str
    details: Mapping[str, Any]

    def __init__(
        self,
        name: str,
        options: Options,
        address: Address,
        template: Template,
        endpoint: Endpoint | None = None,
        replies: BatchReplies | None = None,
        shots: Shots | None = None,
        wording: Wording[ChatModel] | None = None,
    ) -> None:
        self.name, self.options, self.address, self.template = name, options, address, template
        self.shots, self._wording = shots or Shots(), wording
        self._way, self._sampling = way_named(options.answer), options.sampling()
        self._extra = extra_fields(options.extra)
        self._forms = chat_forms(template.labels, answer_words(options.labels).declared, template.name)
        self._spending, self._tally = Spending(options.limits), Tally()
        self._endpoint = endpoint
        self._batch = None if replies is None else BatchChat(replies, self.key, options.limits)
        self._chat: Chat | None = None
        self._earlier: dict[str, Any] = {}
        self._found: dict[str, Any] = {}
        self._prepared: _Prepared | None = None
        self.details = self._fresh_details()

    def worded_for(self, two_labels: bool) -> ChatModel:
        """Return the model with the template for test sets of *two_labels*, or of three."""
        return self if self._wording is None else self._wording.model(self, two_labels)

    @property
    def key(self) -> str:
        """A hash of all that answers depend on, as far as it is known here."""
        sampling = self._sampling
        parts = {
            "version": _VERSION,
            "endpoint": self.address.url,
            "model": self._asked_name,
            "template": self.template.sha256,
            "answer": str(self._way),
            "sampling": [sampling.temperature, sampling.seed, sampling.limit],
            "reasoning": sampling.reasoning,
            "extra": self._extra,
            "server": self.options.server,
            **({"shots": self.shots.sha256} if self.shots.examples else {}),
            **({"also": sorted(self._forms.also.items())} if self._forms.also else {}),
        }
        return hashlib.blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=16).hexdigest()

    @property
    def host(self) -> str:
        """The host to which pairs are sent, with its port."""
        return self.address.host

    @property
    def needs_confirmation(self) -> bool:
        """Whether that is another machine, which the user has not yet agreed to ask many questions."""
        return not (self.address.is_local or self._batch is not None or self.options.yes)

    def requests_for(self, pairs: int) -> int:
        """Return how many requests about *pairs* are sent at most, 0 if a batch answers.

        Not counted are repetitions, and those that try which fields the server takes.
        """
        if self._batch is not None or not pairs:
            return 0
        samples = self._way.samples
        if self._prepared is not None:
            return pairs * samples
        first = samples > 1  # asked again if the server gives fewer answers than it was asked for
        return (pairs + len(PROBE_PAIRS)) * samples + first + (self._certain_server is None)

    def forecast(self, pairs: Iterable[Pair], again: Iterable[Pair] = ()) -> Forecast:
        """Return what it takes to ask about *pairs*, then those of *again*, as far as it is known now."""
        asked, samples = bodies_sized(self.request_bodies(pairs)), self._way.samples
        probe = bodies_sized(self.request_bodies(() if self._prepared or not asked.number else PROBE_PAIRS))
        repeated = bodies_sized(self.request_bodies(again))
        read = (asked.tokens + probe.tokens + repeated.tokens) * samples
        written = (asked.number + probe.number + repeated.number) * samples * self._sampling.limit
        requests, again_sent = self.requests_for(asked.number), 0 if self._batch else repeated.number
        return Forecast(
            pairs=asked.number,
            requests=requests + again_sent * samples,
            for_probe=max(requests - asked.number * samples, 0),
            for_repeat=again_sent * samples,
            read=read,
            written=written,
            cost=self.options.limits.cost_of({"input": read, "output": written}),
            server_is_known=self._certain_server is not None,
            first=asked.first,
        )

    def refuse_asking_about(self, pairs: Iterable[Pair]) -> None:
        """Raise CrossexamError if one of *pairs* is shown in the prompts with its label."""
        self.shots.refuse_asking_about(pairs)

    @property
    def kept(self) -> Collection[str]:
        """The details that are kept in the store of a run."""
        return _KEPT

    def recall(self, facts: Mapping[str, Any]) -> None:
        """Go on from what an earlier command learnt: *facts*, which had these among its details."""
        self._earlier = {name: facts[name] for name in _KEPT if name in facts}
        if self._batch is not None:
            self._batch.resume(self._earlier)
        probe = self._earlier.get("probe")
        if isinstance(probe, Mapping) and isinstance(probe.get("fields"), Mapping):
            questions = self._questions({"accepted": (probe["fields"],)})
            self._prepared = _Prepared(questions, self._reader(way_named(str(probe["answer"]))))
            self._found = {name: self._earlier[name] for name in _KEPT[:2] if name in self._earlier}
            for name in ("fields_refused", "fields_ignored"):
                self._found[name] = self._earlier.get(name, [])
        self._refresh()

    def count(self, details: Iterable[Mapping[str, Any] | None]) -> None:
        """Count the *details* of answers that are part of the run, stored earlier or now."""
        self._tally.add(details)

    def batches(self, pairs: Sequence[Pair], known: Sequence[bool]) -> Iterator[Batch]:
        """Yield the answers about those of *pairs* that are not *known*, those together that came together.

        Raises UnfinishedError if some could not be answered for now.
        """
        questions = [(index, pair) for index, pair in enumerate(pairs) if not known[index]]
        if not questions:
            return
        self.refuse_asking_about(pair for _, pair in questions)
        try:
            yield from map(as_batch, self._answers(questions))
        finally:
            self._refresh()

    def request_bodies(self, pairs: Iterable[Pair]) -> Iterator[tuple[str, bytes]]:
        """Yield the requests about *pairs* as they are before it is known what the server takes.

        Each has the identity by which a batch names its answer.
        """
        prepared = self._prepared or self._unprobed()
        for pair in pairs:
            self.refuse_asking_about((pair,))
            yield custom_id(self.key, pair), prepared.questions.body(pair)

    def batch_requests(self, pairs: Iterable[Pair]) -> Iterator[tuple[str, bytes]]:
        """Yield the requests of a batch about the probe and *pairs*, if any; raises CrossexamError."""
        refuse_in_batch(self._way)
        probe, waiting = list(PROBE_PAIRS), iter(pairs)
        first = next(waiting, None)
        if first is not None:
            rest = (pair for pair in chain([first], waiting) if pair not in probe)
            yield from self.request_bodies(chain(probe, rest))

    @property
    def _certain_server(self) -> Server | None:
        """The kind of server if it is stated or known by its host, None if it has to be asked what it is."""
        stated = self.options.server
        return server_by_host(self.address.url) if stated is None else server_named(stated)

    @property
    def _asked_name(self) -> str:
        return self.name.partition("/")[2]

    def _answers(self, questions: Sequence[tuple[int, Pair]]) -> Iterator[list[Answer]]:
        if self._batch is not None:
            yield from self._from_batch(questions)
            return
        self._prepare()
        threads = min(self._concurrency, len(questions))
        pool = WorkerPool(self._ask, self._open_chat().pace, threads, self.host)
        unseen = _REFRESH_EVERY
        for answers in pool.answers(questions):
            unseen += len(answers)
            if unseen >= _REFRESH_EVERY:
                unseen = 0
                self._refresh()
            yield answers

    def _ask(self, pair: Pair) -> tuple[Row, Outcome]:
        assert self._prepared is not None
        reader, chat = self._prepared.reader, self._open_chat()
        return reader.outcome(_choices(chat.replies_to(self._prepared.questions, pair, reader.way.samples)))

    def _from_batch(self, questions: Sequence[tuple[int, Pair]]) -> Iterator[list[Answer]]:
        assert self._batch is not None
        self._judge_batch(self._batch)
        reader, missing = self._unprobed().reader, 0
        for number, pair in questions:
            try:
                row, outcome = reader.outcome(_choices([self._batch.reply_to(pair)]))
            except TransientError:
                missing += 1
                continue
            except RejectedError as error:
                answer = answer_to_rejection(number, error)
                missing += answer is None
                if answer is not None:
                    yield [answer]
                continue
            yield [Answer(number, row, outcome)]
        if missing:
            raise UnfinishedError(
                f"{missing:,} questions have no answer in the batch files",
                where=", ".join(self.options.batch_in),
                changed="the missing answers in --batch-in (or without it, to ask the server)",
            )

    def _judge_batch(self, batch: BatchChat) -> None:
        """Refuse labels that the answers about the probe show to be wrong, and keep what these show."""
        prepared, is_new = self._unprobed(), "probe" not in {**self._earlier, **self._found}
        replies: list[list[Reply] | None] = []
        for pair in PROBE_PAIRS:
            try:
                replies.append([batch.reply_to(pair, counted=is_new)])
            except (TransientError, RejectedError):
                replies.append(None)
        judged: dict[str, Any] = {"warning": NO_PROBE_WARNING}
        if any(replies):
            probe = ProbeReplies(replies, prepared.questions, prepared.reader, self._sampling)
            judged = self._judged(probe)
        self._found.setdefault("probe", judged | {"answer": str(self._way)})

    def _judged(self, probe: ProbeReplies) -> dict[str, Any]:
        """Return how well labels fit the *probe*; raises CrossexamError if not at all."""
        result, readable = probe.judged(self.template.two_label)
        probe.refuse_unreadable(readable)
        refuse_exchanged_labels(result, self.template.name)
        details = result.as_details() | {"readable": readable}
        if "warning" in details:
            details["warning"] = low_probe_warning(result)
        return details

    @property
    def _concurrency(self) -> int:
        if self.options.concurrency is not None:
            return self.options.concurrency
        return SERVERS[str(self._found["server"]["name"])].concurrency

    def _open_chat(self) -> Chat:
        if self._chat is None:
            assert self._endpoint is not None
            pace = Pace(self._concurrency, self.options.tries, host=self.host)
            self._chat = Chat(self._endpoint, pace, self._spending)
            self._chat.resume(self._earlier)
        return self._chat

    def _prepare(self) -> None:
        """Find out what the server takes and sends, unless that is known; raises CrossexamError."""
        if self._prepared is not None:
            return
        server = self._recognized()
        questions = self._worded_for(server)
        chat = self._open_chat()
        try:
            accepted, first = accepted_by(questions, PROBE_PAIRS[0], chat.send)
        except RejectedError as error:
            raise rejection_of_probe(error, self.host, len(self.shots.examples)) from None
        except (TransientError, StoppedError, *GIVEN_UP) as error:
            raise unfinished(error, self.host) from None
        self._refuse_missing(accepted)
        replies = self._probe_replies(accepted, first)
        probe = ProbeReplies(replies, accepted, self._reader(self._way), self._sampling)
        self._conclude(probe, questions)

    def _recognized(self) -> Server:
        """Return what kind of server it is: as stated, by its host, or by its list of models."""
        assert self._endpoint is not None
        certain = self._certain_server
        if certain is not None:
            server, how = certain, "by its host" if self.options.server is None else "stated"
        else:
            found = server_by_models(self._endpoint.get("/models"))
            server, how = (found, "by its list of models") if found else (SERVERS["other"], "not recognized")
        self._found["server"] = {"name": server.name, "how": how}
        return server

    def _probe_replies(self, accepted: Questions, first: Reply) -> list[list[Reply] | None]:
        """Return what the server says of the pairs of the probe, of which it answered the *first*."""
        samples = self._way.samples
        found: list[list[Reply] | None] = [None] * len(PROBE_PAIRS)
        found[0] = [first] if samples <= len(first["choices"]) else None
        chat = self._open_chat()

        def ask(numbered: Pair) -> tuple[Row, Outcome]:
            found[PROBE_PAIRS.index(numbered)] = chat.replies_to(accepted, numbered, samples)
            return (0.0, 0.0, 0.0), Outcome()

        left = [(n, pair) for n, pair in enumerate(PROBE_PAIRS) if found[n] is None]
        pool = WorkerPool(ask, chat.pace, min(self._concurrency, len(left)), self.host)
        for _ in pool.answers(left):
            pass
        return found

    def _refuse_missing(self, accepted: Questions) -> None:
        """Raise CrossexamError if the server refused the fields that the stated way needs."""
        needed = {"logprobs": "logprobs", "choice": "choice"}.get(self._way.name)
        if needed and not accepted.groups[needed]:
            raise CrossexamError(
                f"the server refuses the fields that --answer {self._way} needs",
                where=self.host,
                wanted=f"a server of a kind that takes them ({self._found['server']['name']}?)",
                hint="--answer text reads labels only; --set api.server=NAME states the kind of server",
            )

    def _conclude(self, probe: ProbeReplies, asked: Questions) -> None:
        """Decide how answers are read, and refuse what the probe shows to be wrong."""
        judged = self._judged(probe)
        way = probe.way(self._way)
        if way.name == "logprobs" and self.template.shared_prefix():
            way = Way("text")
        questions = probe.questions
        if way.name != "logprobs" and questions.groups.get("logprobs"):
            questions = questions.only({**questions.groups, "logprobs": ()})
        fields = {name: value for name, value in questions.fields.items() if name not in self._extra}
        self._found["probe"] = judged | {"answer": str(way), "fields": fields}
        self._found["fields_refused"] = [g for g in asked.groups if not probe.questions.groups[g]]
        self._found["fields_ignored"] = probe.ignored()
        self._prepared = _Prepared(questions, self._reader(way))
        self._refresh()

    def _questions(self, groups: Mapping[str, tuple[Mapping[str, Any], ...]]) -> Questions:
        return Questions(self._asked_name, self.template, groups, self._extra, self.shots.examples)

    def _worded_for(self, server: Server) -> Questions:
        return self._questions(optional_fields(self.template, server, self._way, self._sampling))

    def _reader(self, way: Way) -> ReplyReader:
        return ReplyReader(self._forms, way, self.options.keep_text)

    def _unprobed(self) -> _Prepared:
        """Return how the model is asked and read without knowing what the server takes."""
        server = self._certain_server or SERVERS["other"]
        return _Prepared(self._worded_for(server), self._reader(self._way))

    def _refresh(self) -> None:
        self.details = self._fresh_details()

    def _fresh_details(self) -> dict[str, Any]:
        sampling, template = self._sampling, self.template.facts
        asked = self._chat or self._batch
        seen = self._earlier if asked is None else asked.facts
        concurrency = {"concurrency": self._concurrency} if "server" in self._found else {}
        return {
            "endpoint": self.address.url,
            "model_asked": self._asked_name,
            "template": {name: value for name, value in template.items() if name != "labels"},
            "labels": template["labels"],
            **({"declared_labels": dict(self._forms.also)} if self._forms.also else {}),
            **({"warning": unread_warning(self._forms, self.template.name)} if self._forms.unread else {}),
            **self.shots.facts,
            "answer": str(self._way),
            "sampling": {
                "temperature": sampling.temperature,
                "seed": sampling.seed,
                "max_output": sampling.limit,
                "reasoning": sampling.reasoning,
            },
            "two_label": self.template.two_label,
            **({"extra": self._extra} if self._extra else {}),
            **({"batch_in": list(self.options.batch_in)} if self.options.batch_in else {}),
            **seen,
            **self._found,
            **concurrency,
            **self._tally.facts,
        }


def _choices(replies: Sequence[Reply]) -> list[Mapping[str, Any]]:
    return [choice for reply in replies for choice in reply["choices"]]
