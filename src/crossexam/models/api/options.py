"""The options of models behind an endpoint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from crossexam.core.errors import CrossexamError
from crossexam.models.api.pacing import check_pace
from crossexam.models.api.questions import Sampling, refuse_in_batch, way_named
from crossexam.models.api.servers import Reasoning
from crossexam.models.api.spending import SpendingLimits

_DEFAULT_LIMIT: Final = 16
_LIMIT_OF_CHOICES: Final = 64  # llama.cpp writes white space before the object that a schema demands
_LIMIT_WITH_REASONING: Final = 4_096


@dataclass(frozen=True)
class Options:
    """How a model behind an endpoint is asked.

    ``endpoint`` is the URL before ``/chat/completions``, by default that in OPENAI_BASE_URL or OpenAI's;
    ``key_env`` names the environment variable with its key (``-``: no key).  ``template`` is the prompt.
    ``answer`` is the way: auto, text, logprobs, samples:N or choice.  ``reasoning`` is off, low, medium, high
    or as-is.  ``max_output`` is the greatest number of tokens of an answer.  ``temperature`` is 0, and 1 for
    samples; ``seed`` is sent to the server.  ``concurrency`` requests are sent at once, each is given
    ``timeout`` seconds and ``tries`` tries.  ``budget`` is in tokens; ``price`` is that of a million tokens
    read and of a million written, and ``max_cost`` the greatest cost.  ``extra`` are further fields of the
    requests, as JSON.  ``server`` is the kind of server if it is not recognized.  ``keep_text`` keeps the
    texts of answers.  ``insecure_http`` allows http to other hosts, ``yes`` many requests to them.
    ``batch_in`` are files with the answers to a batch, from which the model answers in place of the server.
    """

    endpoint: str | None = None
    key_env: str | None = None
    template: str = "words"
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
