"""Log-probabilities of labels after prompts, by a causal model or by one with an encoder and a decoder.

A prompt is read once.  If all labels begin alike, up to their last token, one row is computed for all of
them: with labels of one token, this is the prompt alone.  Otherwise the labels continue the prompt from its
cached keys and values, and all prompts continue what they begin with together (instructions, shots).  On a
CPU, linear layers are packed.  Each of these shortcuts is taken only if it leaves the log-probabilities of
the probe as they are.  Probabilities are in float32.

Rows are padded on the right and have no mask: what follows a token does not change what a causal model
predicts for it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from functools import partial
from itertools import groupby, takewhile
from typing import Any, Final, Protocol

import torch
from torch import Tensor

from crossexam.core.errors import CrossexamError
from crossexam.models.batches import plan_batches, results_in_order
from crossexam.models.gpu import fetched_in_order, fitting_tokens, free_cached, is_out_of_memory, sent
from crossexam.models.inference import cpu_workers, one_thread
from crossexam.models.lm.encoding import EncodedPrompt
from crossexam.models.packed import DOES_NOT_FIT, Packing, is_worth_packing, keep_freed_memory

#: How far log-probabilities of a shortcut may be from those computed without it, by the dtype of the model.
_TOLERANCE: Final = {torch.float32: 1e-4, torch.bfloat16: 0.25, torch.float16: 0.05}
#: From so many tokens on, what all prompts begin with is read once: copying its cache takes time too.
_WORTH_SHARING: Final = 16
#: Tokens per batch with padding, on a CPU, for states of so many units; narrower models take more.
_CPU_TOKENS: Final = 768
_WIDTH: Final = 384
_MOST_CPU_TOKENS: Final = 4 * _CPU_TOKENS


class Scorer(Protocol):
    """What computes the outputs for questions; :func:`outputs_of` asks it batch by batch."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """Return what the manifest of a run says of the computation."""
        ...

    def compute(self, questions: Sequence[EncodedPrompt]) -> Tensor:
        """Return the outputs of *questions*, one after another, on the device."""
        ...

    def plan(
        self, questions: Sequence[EncodedPrompt], tokens: int | None, pairs: int | None
    ) -> list[list[int]]:
        """Return the batches of *questions*: at most *tokens* with padding, at most *pairs*."""
        ...


def plan_by_length(
    questions: Sequence[EncodedPrompt], tokens: int | None, pairs: int | None
) -> list[list[int]]:
    """Return batches of *questions* of about the same length."""
    return plan_batches([question.length for question in questions], tokens=tokens, pairs=pairs)


class CausalScorer:
    """The log-probability of each token of each label after its prompt, by a causal *model*."""

    def __init__(self, model: Any, device: torch.device) -> None:
        self._model, self._device = model, device
        takes = inspect.signature(model.forward).parameters
        self._keeps_some = "logits_to_keep" in takes
        self._cached = "cache" if "cache" in takes else "past_key_values"  # before transformers 5.24
        self.continues = self._packed = False
        self._beginning: list[int] = []  # what prompts continue, with its keys and values
        self._cache: Any = None

    @property
    def facts(self) -> dict[str, Any]:
        """What the manifest of a run says of the shortcuts that are taken."""
        return {
            "labels_continue_prompts": self.continues,
            "tokens_read_once": len(self._beginning),
            "packed_layers": self._packed,
        }

    def plan(
        self, questions: Sequence[EncodedPrompt], tokens: int | None, pairs: int | None
    ) -> list[list[int]]:
        """Return the batches of *questions*; those that continue their prompts have prompts of one length."""
        if not self.continues:
            return plan_by_length(questions, tokens, pairs)
        order = sorted(range(len(questions)), key=lambda index: (-len(questions[index].context), index))
        batches: list[list[int]] = []
        for _, group in groupby(order, key=lambda index: len(questions[index].context)):
            rows = list(group)
            costs = [len(questions[row].context) + sum(map(len, questions[row].labels)) for row in rows]
            batches += [[rows[k] for k in batch] for batch in plan_batches(costs, tokens=tokens, pairs=pairs)]
        return batches

    def compute(self, questions: Sequence[EncodedPrompt]) -> Tensor:
        """Return the log-probabilities of all tokens of all labels of *questions*: [tokens]."""
        with torch.inference_mode():
            if self.continues and any(len(_beginnings(question)) > 1 for question in questions):
                return self._continued(questions)
            return self._together(questions)

    def take_shortcuts(self, probe: Sequence[EncodedPrompt]) -> None:
        """Let labels continue prompts, and prompts what all begin with, if *probe* is scored as before."""
        if not probe:
            return
        before = self._in_batches(probe)
        if self._device.type == "cpu":
            self._pack(probe, before)
        common = _common([question.context for question in probe])
        if len(common) >= _WORTH_SHARING:
            with suppress(Exception):  # a model without a cache, or with one of another structure
                self._cache = self._read(common)
                self._beginning = common
            if not self._is_same(probe, before):
                self._beginning, self._cache = [], None
        if any(len(_beginnings(question)) > 1 for question in probe):
            self.continues = True
            self.continues = self._is_same(probe, before)

    def _pack(self, probe: Sequence[EncodedPrompt], before: Tensor) -> None:
        """Use torch's activations, and packed layers if they are large, unless scores of *probe* change."""
        if self._model.dtype != torch.float32:
            return
        keep_freed_memory()
        linear = is_worth_packing(self._model)
        try:
            with one_thread():
                packing = Packing(self._model, first_token_only=False, linear=linear)
        except DOES_NOT_FIT:
            return
        is_same = self._is_same(probe, before)
        self._packed = linear and is_same
        (packing.keep if is_same else packing.undo)()

    def _is_same(self, probe: Sequence[EncodedPrompt], before: Tensor) -> bool:
        with suppress(Exception):
            difference = (self._in_batches(probe) - before).abs().max().item()
            return bool(difference <= _TOLERANCE.get(self._model.dtype, 1e-4))
        return False

    def _read(self, beginning: list[int]) -> Any:
        """Return the keys and values of *beginning*."""
        with torch.inference_mode():
            return self._cache_of(self._model(input_ids=self._padded([beginning]), use_cache=True))

    def _cache_of(self, output: Any) -> Any:
        """Return the cache in an *output* of the model."""
        return getattr(output, self._cached)

    def _begun(self, questions: Sequence[EncodedPrompt], rows: int) -> tuple[int, Any]:
        """Return how many tokens of all *questions* are in the cache, and a cache for so many *rows*."""
        size = len(self._beginning)
        if not size or any(
            question.context[:size] != self._beginning or len(question.context) == size
            for question in questions
        ):
            return 0, None
        cache = deepcopy(self._cache)
        cache.batch_repeat_interleave(rows)
        return size, cache

    def _in_batches(self, questions: Sequence[EncodedPrompt]) -> Tensor:
        """Return the log-probabilities of *questions* in their order, computed in batches."""
        batches = self.plan(questions, _CPU_TOKENS, None)
        found: dict[int, Tensor] = {}
        for rows in batches:
            sizes = [sum(map(len, questions[row].labels)) for row in rows]
            computed = self.compute([questions[row] for row in rows])
            found |= dict(zip(rows, torch.split(computed, sizes), strict=True))
        return torch.cat([found[row] for row in range(len(questions))])

    def _together(self, questions: Sequence[EncodedPrompt]) -> Tensor:
        """Read each prompt with its labels, in a row for all labels that begin alike."""
        rows: list[list[int]] = []
        wanted = _Wanted()
        for question in questions:
            row_of = {beginning: len(rows) + k for k, beginning in enumerate(_beginnings(question))}
            rows += [[*question.context, *beginning] for beginning in row_of]
            for label in question.labels:
                wanted.add(row_of[tuple(label[:-1])], len(question.context) - 1, label)
        read, cache = self._begun(questions, len(rows))
        longest = max(map(len, rows))
        rest = self._padded([row[read:] for row in rows])
        first = min(len(question.context) for question in questions) - 1
        kept = {"logits_to_keep": longest - first} if self._keeps_some else {}
        past = {self._cached: cache, "use_cache": cache is not None}
        logits = self._model(input_ids=rest, **past, **kept).logits
        return wanted.log_probabilities(logits, offset=longest - logits.shape[1])

    def _continued(self, questions: Sequence[EncodedPrompt]) -> Tensor:
        """Read prompts of one length, then all labels with their cached keys and values."""
        kept = {"logits_to_keep": 1} if self._keeps_some else {}
        begun, cache = self._begun(questions, len(questions))
        contexts = self._padded([question.context[begun:] for question in questions])
        read = self._model(input_ids=contexts, **{self._cached: cache}, use_cache=True, **kept)
        first, rest = _Wanted(), _Wanted()
        count = len(questions[0].labels)
        beginnings: list[list[int]] = []
        for number, question in enumerate(questions):
            for label in question.labels:
                first.add(number, 0, label[:1])
                rest.add(len(beginnings), 0, label[1:])
                beginnings.append(label[:-1] or [0])
        past = {self._cached: self._cache_of(read)}
        past[self._cached].batch_repeat_interleave(count)
        logits = self._model(input_ids=self._padded(beginnings), **past, use_cache=True).logits
        firsts = first.log_probabilities(read.logits[:, -1:])
        sizes = [len(label) - 1 for question in questions for label in question.labels]
        rests = torch.split(rest.log_probabilities(logits), sizes)
        return torch.cat([part for pair in zip(torch.split(firsts, 1), rests, strict=True) for part in pair])

    def _padded(self, rows: Sequence[Sequence[int]]) -> Tensor:
        return sent(_padded(rows), self._device)


class EncoderDecoderScorer:
    """The log-probability of each token of each label, which the decoder of *model* writes after a prompt."""

    def __init__(self, model: Any, device: torch.device, where: str) -> None:
        self._model, self._device = model, device
        start = model.config.decoder_start_token_id
        if start is None:
            raise CrossexamError(
                "config.json does not say with which token its decoder starts (decoder_start_token_id)",
                where=where,
                wanted="an encoder-decoder model that was trained to write text",
            )
        self._start = int(start)
        self.facts: dict[str, Any] = {}

    def plan(
        self, questions: Sequence[EncodedPrompt], tokens: int | None, pairs: int | None
    ) -> list[list[int]]:
        """Return batches of *questions* of about the same length."""
        return plan_by_length(questions, tokens, pairs)

    def compute(self, questions: Sequence[EncodedPrompt]) -> Tensor:
        """Return the log-probabilities of all tokens of all labels of *questions*: [tokens]."""
        from transformers.modeling_outputs import BaseModelOutput

        rows: list[list[int]] = []
        counts: list[int] = []
        wanted = _Wanted()
        for question in questions:
            row_of = {beginning: len(rows) + k for k, beginning in enumerate(_beginnings(question))}
            rows += [[self._start, *beginning] for beginning in row_of]
            counts.append(len(row_of))
            for label in question.labels:
                wanted.add(row_of[tuple(label[:-1])], 0, label)
        contexts = [question.context for question in questions]
        mask = sent(_padded([[1] * len(context) for context in contexts]), self._device)
        repeats = torch.tensor(counts, device=self._device)
        with torch.inference_mode():
            read = self._model.get_encoder()(
                input_ids=sent(_padded(contexts), self._device), attention_mask=mask
            )
            logits = self._model(
                encoder_outputs=BaseModelOutput(read.last_hidden_state.repeat_interleave(repeats, dim=0)),
                attention_mask=mask.repeat_interleave(repeats, dim=0),
                decoder_input_ids=sent(_padded(rows), self._device),
                use_cache=False,
            ).logits
            return wanted.log_probabilities(logits)


class ClassScorer:
    """The logits of the classes of a classifier that reads one text, the prompt: *count* for each question.

    If the classifier labels tokens, its logits for the first token count.
    """

    def __init__(self, model: Any, device: torch.device, pad: int) -> None:
        self._model, self._device, self._pad = model, device, pad
        self.facts: dict[str, Any] = {}

    def plan(
        self, questions: Sequence[EncodedPrompt], tokens: int | None, pairs: int | None
    ) -> list[list[int]]:
        """Return batches of *questions* of about the same length."""
        return plan_by_length(questions, tokens, pairs)

    def compute(self, questions: Sequence[EncodedPrompt]) -> Tensor:
        """Return the logits of all classes for each of *questions*, one after another: [n * classes]."""
        contexts = [question.context for question in questions]
        mask = _padded([[1] * len(context) for context in contexts])
        with torch.inference_mode():
            logits: Tensor = self._model(
                input_ids=sent(_padded(contexts, self._pad), self._device),
                attention_mask=sent(mask, self._device),
            ).logits
        return (logits[:, 0] if logits.dim() == 3 else logits).float().flatten()


def outputs_of(
    scorer: Scorer,
    questions: Sequence[EncodedPrompt],
    batches: Iterable[Sequence[int]],
    device: torch.device,
    where: str,
) -> Iterator[Tensor]:
    """Yield the outputs of *scorer* for each of *batches* of *questions*, on the CPU and in their order."""
    task = partial(_fitting, scorer, questions, device, where)
    if device.type != "cpu":
        yield from fetched_in_order(map(task, batches), device)
        return
    with cpu_workers() as pool:
        if pool is None:
            yield from map(task, batches)
        else:
            yield from results_in_order(pool, task, list(batches))


def budget_of(scorer: Scorer, probe: Sequence[EncodedPrompt], device: torch.device, width: int) -> int:
    """Return how many tokens a batch may have on *device*; a GPU's memory is measured with *probe*.

    *width* is the number of units of the states of the model.  With few, most of the time goes to calls.
    """
    if device.type == "cpu":
        return min(max(_CPU_TOKENS, _CPU_TOKENS * _WIDTH // width), _MOST_CPU_TOKENS)
    tokens = len(probe) * max(question.length for question in probe)
    forward: Callable[[], object] = partial(scorer.compute, probe)
    return fitting_tokens(forward, tokens, device)


def _fitting(
    scorer: Scorer, questions: Sequence[EncodedPrompt], device: torch.device, where: str, rows: Sequence[int]
) -> Tensor:
    """Return the outputs of *rows*, computed in as many parts as the memory requires."""
    try:
        return scorer.compute([questions[row] for row in rows])
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        if len(rows) == 1:
            raise CrossexamError(
                f"a prompt of {questions[rows[0]].length} tokens does not fit in the memory of {device}",
                where=where,
                hint="--max-length, --dtype bfloat16 or --device cpu",
            ) from None
    # Not in the handler, whose traceback would keep the tensors that did not fit.
    free_cached(device)
    middle = len(rows) // 2
    halves = (rows[:middle], rows[middle:])
    return torch.cat([_fitting(scorer, questions, device, where, half) for half in halves])


class _Wanted:
    """The tokens whose log-probabilities are wanted, each with its row and place in the logits."""

    def __init__(self) -> None:
        self._index: dict[tuple[int, int], int] = {}  # places in the logits, each once
        self._places: list[int] = []
        self._tokens: list[int] = []

    def add(self, row: int, place: int, tokens: Sequence[int]) -> None:
        """Want *tokens*, of which the first is predicted at *place* of *row* and the others after it."""
        for k, token in enumerate(tokens):
            self._places.append(self._index.setdefault((row, place + k), len(self._index)))
            self._tokens.append(token)

    def log_probabilities(self, logits: Tensor, offset: int = 0) -> Tensor:
        """Return them by *logits* [rows, places, vocabulary], whose first place is *offset*: [tokens]."""
        if not self._tokens:
            return torch.zeros(0, device=logits.device)
        device = logits.device
        rows, at = (torch.tensor(each, device=device) for each in zip(*self._index, strict=True))
        wanted = logits[rows, at - offset].float()  # [n, vocabulary]
        places = torch.tensor(self._places, device=device)
        found = wanted[places, torch.tensor(self._tokens, device=device)]
        return found - torch.logsumexp(wanted, dim=-1)[places]


def _beginnings(question: EncodedPrompt) -> list[tuple[int, ...]]:
    """Return what the labels of *question* begin with, up to their last token, each beginning once."""
    return list(dict.fromkeys(tuple(label[:-1]) for label in question.labels))


def _common(rows: Sequence[Sequence[int]]) -> list[int]:
    """Return what all *rows* begin with, at least one token less than the shortest of them.

    >>> _common([[1, 2, 3, 4], [1, 2, 3]]), _common([])
    ([1, 2], [])
    """
    shared = takewhile(lambda tokens: len(set(tokens)) == 1, zip(*(row[:-1] for row in rows), strict=False))
    return [tokens[0] for tokens in shared]


def _padded(rows: Sequence[Sequence[int]], fill: int = 0) -> Tensor:
    """Return *rows* as a table, padded on the right with *fill*: [rows, longest]."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[fill] * (longest - len(row))] for row in rows], dtype=torch.int64)
