"""Inference with a sequence classifier of transformers: tokenization, batches that fit into memory.

On a CPU each core runs its own batches with one thread, which keeps a batch in the core's cache and avoids
synchronization; batches are small for the same reason.  On a GPU batches are large, and the results of a
batch are fetched while the next ones are computed.  ``bench/hf_throughput.py`` compares the speed with that
of transformers' pipeline.

What saves time must not change what is predicted: each shortcut is taken only if the logits of the probe stay
the same, and ``facts`` says which ones were.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import torch

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.models.batches import (
    MOST_WORKERS,
    TokenizedPairs,
    characters_read,
    plan_batches,
    results_in_order,
    small_numbers,
    whole_end,
)
from crossexam.models.checkpoint import (
    find_device,
    limit_of,
    load_checkpoint,
    longest_pair,
)
from crossexam.models.gpu import (
    GPU_TOKENS,
    fetched_in_order,
    fitting_tokens,
    free_cached,
    is_out_of_memory,
    sent,
)
from crossexam.models.model import CharactersRead, Pair
from crossexam.models.packed import DOES_NOT_FIT, Packing, is_worth_packing, keep_freed_memory
from crossexam.models.precision import ROUNDING, Rounding
from crossexam.training.first_token import LOGIT_TOLERANCE, skip_other_tokens
from crossexam.training.pretrained import Checkpoint

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Tokens per batch with padding, on a CPU in float32; half precision has twice as many, and is slower with
#: fewer (bench/RESULTS.md).  The largest tensors of BERT-large stay below 32 MiB: see ``keep_freed_memory``.
CPU_TOKENS: Final = 1_536
_ENCODED_AT_ONCE: Final = 4_096


class SequenceClassifier:
    """A loaded checkpoint that turns pairs into logits.

    Its weights are in float32 until :meth:`lower` is called.  For *device*, *max_length* and *batch_size* see
    :class:`crossexam.models.huggingface.Options`.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        *,
        device: str,
        max_length: int | None,
        batch_size: int | Literal["auto"],
    ) -> None:
        self.where, self.folder = checkpoint.where, checkpoint.folder
        self.device = find_device(device, self.where)
        self.tokenizer, self.model = load_checkpoint(checkpoint)
        self.tokenizer.truncation_side = "right"  # what is read begins at the start of a sentence
        self.model = self.model.to(device=self.device, dtype=torch.float32).eval()
        self.max_length = longest_pair(
            limit_of(self.tokenizer.model_max_length, self.where),
            self.model.config.to_dict(),
            max_length,
            where=self.where,
        )
        if self.model.config.pad_token_id is None:
            self.model.config.pad_token_id = self.tokenizer.pad_token_id
        self.batch_size = batch_size
        self.rounding: Rounding | None = None
        self.halved = 0
        self._most_tokens: int | None = None
        self.first_token_only = False
        self._packing: Packing | None = None
        self._budget = CPU_TOKENS if self.device.type == "cpu" else GPU_TOKENS

    @property
    def facts(self) -> Mapping[str, Any]:
        """Return the device, the maximum length and what was done to save time and memory."""
        return {
            "device": str(self.device),
            "max_length": self.max_length,
            "first_token_only": self.first_token_only,
            "packed_layers": self._packing is not None,
            **({"batch_tokens": self._budget} if self.batch_size == "auto" else {}),
            "halved_batches": self.halved,
            **({ROUNDING: self.rounding.as_details()} if self.rounding else {}),
        }

    def encode(self, pairs: Sequence[Pair]) -> TokenizedPairs:
        """Return *pairs* as tokens; those above the maximum length lose the end of their longer sentence."""
        ids: list[NDArray[np.int32]] = []
        types: list[NDArray[np.int8]] = []
        read: dict[int, CharactersRead] = {}
        for start in range(0, len(pairs), _ENCODED_AT_ONCE):
            chunk = pairs[start : start + _ENCODED_AT_ONCE]
            found = self._tokens(chunk)
            long = [k for k, row in enumerate(found["input_ids"]) if len(row) > self.max_length]
            if long:
                shorter, characters = self._truncated([chunk[k] for k in long])
                for name, rows in shorter.items():
                    for k, row in zip(long, rows, strict=True):
                        found[name][k] = row
                read |= {start + k: each for k, each in zip(long, characters, strict=True)}
            ids += small_numbers(found["input_ids"], np.int32, self.where)
            types += small_numbers(found.get("token_type_ids", ()), np.int8, self.where)
        lengths = np.array([len(row) for row in ids], dtype=np.int64)
        flat = np.concatenate(ids) if ids else np.zeros(0, dtype=np.int32)
        return TokenizedPairs(flat, np.concatenate(types) if types else None, lengths, read)

    def _tokens(self, pairs: Sequence[Pair]) -> dict[str, list[Any]]:
        return _columns(self._encoded(pairs, truncation=False))

    def _truncated(self, pairs: Sequence[Pair]) -> tuple[dict[str, list[Any]], list[CharactersRead]]:
        """Return the tokens of *pairs* up to the maximum length, and how far each pair was read."""
        located = bool(self.tokenizer.is_fast)
        encoded = self._encoded(
            pairs, truncation="longest_first", max_length=self.max_length, return_offsets_mapping=located
        )
        if located:
            read = [
                characters_read(pair, encoded.sequence_ids(row), encoded["offset_mapping"][row])
                for row, pair in enumerate(pairs)
            ]
        else:
            read = [self._searched(pair) for pair in pairs]
        return _columns(encoded), read

    def _encoded(self, pairs: Sequence[Pair], **options: Any) -> Any:
        return self.tokenizer(
            [premise for premise, _ in pairs],
            [hypothesis for _, hypothesis in pairs],
            return_attention_mask=False,
            verbose=False,
            **options,
        )

    def _searched(self, pair: Pair) -> CharactersRead:
        """Return how far *pair* is read with a tokenizer that does not say where its tokens are.

        As many tokens are kept as ``longest_first`` keeps, which takes them one by one from the longer
        sentence, from the hypothesis if both are equally long.
        """
        kept = [len(self._bare(text)) for text in pair]
        surplus = sum(kept) + int(self.tokenizer.num_special_tokens_to_add(pair=True)) - self.max_length
        for _ in range(surplus):
            kept[0 if kept[0] > kept[1] else 1] -= 1
        ends = (self._end_of(text, most) for text, most in zip(pair, kept, strict=True))
        return CharactersRead(*(whole_end(text, end) for text, end in zip(pair, ends, strict=True)))

    def _end_of(self, text: str, tokens: int) -> int:
        """Return the length of the longest beginning of *text* that has at most so many *tokens*."""
        end = bisect_right(range(1, len(text) + 1), tokens, key=lambda end: len(self._bare(text[:end])))
        return len(text[:end].rstrip())

    def _bare(self, text: str) -> list[int]:
        ids: list[int] = self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return ids

    def plan(self, encoded: TokenizedPairs) -> list[list[int]]:
        """Return the batches for *encoded*; they depend on the lengths, the options and a GPU's memory."""
        lengths = encoded.lengths.tolist()
        if self.tokenizer.pad_token_id is None:
            return plan_batches(lengths, pairs=1)
        if self.batch_size != "auto":
            return plan_batches(lengths, pairs=int(self.batch_size))
        return plan_batches(lengths, tokens=self._budget)

    def processed_tokens(self, lengths: Sequence[int]) -> int:
        """Return the number of tokens of a batch of pairs of these *lengths*, padding included."""
        return len(lengths) * max(lengths)

    def logits(
        self, encoded: TokenizedPairs, batches: Sequence[Sequence[int]]
    ) -> Iterator[NDArray[np.float64]]:
        """Yield the logits [len(batch), classes] of each of *batches*, in their order."""
        if self.device.type != "cpu":
            launched = (self._fitting(encoded, rows) for rows in batches)
            yield from (_logits(found) for found in fetched_in_order(launched, self.device))
            return
        with cpu_workers() as pool:
            task = partial(self._fitting, encoded)
            if pool is None:
                yield from (_logits(task(rows)) for rows in batches)
                return
            yield from (_logits(found) for found in results_in_order(pool, task, batches))

    def all_logits(self, encoded: TokenizedPairs) -> NDArray[np.float64]:
        """Return the logits of all pairs of *encoded*, in their order: [n, classes]."""
        batches = self.plan(encoded)
        table = np.concatenate(list(self.logits(encoded, batches)))
        return table[np.argsort(np.concatenate(batches))]

    def _fitting(self, encoded: TokenizedPairs, rows: Sequence[int]) -> torch.Tensor:
        """Return the logits of *rows* on the device, computed in as many parts as the memory requires."""
        tokens = len(rows) * int(encoded.lengths[list(rows)].max())
        if len(rows) == 1 or self._most_tokens is None or tokens <= self._most_tokens:
            try:
                return self._forward(encoded, rows)
            except IndexError:
                raise self._has_unknown_tokens() from None
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
                if len(rows) == 1:
                    raise CrossexamError(
                        f"a single pair of {tokens} tokens does not fit in the memory of {self.device}",
                        where=self.where,
                        hint="--max-length, --dtype bfloat16 or --device cpu",
                    ) from None
            # Not in the handler, whose traceback would keep the tensors that did not fit.
            self.halved += 1
            self._most_tokens = tokens // 2
            free_cached(self.device)
        middle = len(rows) // 2
        return torch.cat([self._fitting(encoded, rows[:middle]), self._fitting(encoded, rows[middle:])])

    def inputs(self, encoded: TokenizedPairs, rows: Sequence[int]) -> dict[str, NDArray[np.int64]]:
        """Return the inputs of the model for a batch of *rows* by name, padded: each [len(rows), longest]."""
        side = str(self.tokenizer.padding_side)
        inputs = {
            "input_ids": encoded.padded(rows, encoded.ids, self.tokenizer.pad_token_id or 0, side),
            "attention_mask": encoded.mask(rows, side),
        }
        if encoded.types is not None:
            inputs["token_type_ids"] = encoded.padded(
                rows, encoded.types, getattr(self.tokenizer, "pad_token_type_id", 0), side
            )
        return inputs

    def _forward(self, encoded: TokenizedPairs, rows: Sequence[int]) -> torch.Tensor:
        inputs = self.inputs(encoded, rows).items()
        with torch.inference_mode():
            on_device = {name: sent(torch.from_numpy(table), self.device) for name, table in inputs}
            logits: torch.Tensor = self.model(**on_device).logits
        return logits

    def take_shortcuts(self, probe: TokenizedPairs) -> None:
        """Save time wherever that leaves the logits of *probe* as they are, and fit batches to the memory."""
        try:
            self._probed(probe)
        except IndexError:
            raise self._has_unknown_tokens() from None
        self.read_first_token_only(probe)
        if self.device.type == "cpu":
            self._pack(probe)
            return
        rows = range(len(probe.lengths))
        tokens = len(rows) * int(probe.lengths.max())
        self._budget = fitting_tokens(partial(self._forward, probe, rows), tokens, self.device)

    def _has_unknown_tokens(self) -> FormatError:
        return FormatError(
            f"a token has a number that is not among the {self.model.config.vocab_size:,} of the model",
            where=self.where,
            wanted="the tokenizer with which the checkpoint was trained",
        )

    def read_first_token_only(self, probe: TokenizedPairs) -> None:
        """Skip what the last layer computes for all tokens but the first, if nothing reads it."""
        self.first_token_only = skip_other_tokens(self.model, partial(self._probed, probe))

    def lower(self, dtype: Literal["bfloat16", "float16"]) -> None:
        """Round the weights to *dtype*, in which everything is computed from now on.

        Its layers are packed again if those in float32 were.
        """
        packed, self._packing = self._packing, None
        if packed is not None:
            packed.undo()
        self.model = self.model.to(dtype=getattr(torch, dtype))
        if packed is not None and dtype == "bfloat16":
            self._packing = self._packed()
        if self.device.type == "cpu":
            self._budget = 2 * CPU_TOKENS  # as many bytes

    def way(self, *, native: bool) -> str:
        """Return what the rounding of predictions depends on besides the dtype, as text for the manifest.

        *native* says whether the device has instructions for the dtype.
        """
        emulated, packed = "" if native else ", emulated", ", packed layers" if self._packing else ""
        return f"{self.device.type}{emulated}{packed}, torch {torch.__version__}"

    def _pack(self, probe: TokenizedPairs) -> None:
        """Use packed layers if they are large enough, unless that changes the logits of *probe*."""
        if not is_worth_packing(self.model):
            return
        keep_freed_memory()
        before = self._probed(probe)
        packing = self._packed()
        if packing is None:
            return
        if self._is_same(probe, before):
            self._packing = packing
        else:
            packing.undo()

    def _packed(self) -> Packing | None:
        """Replace the layers by packed ones; return None if that is not possible."""
        with suppress(*DOES_NOT_FIT), one_thread():
            return Packing(self.model, first_token_only=self.first_token_only)
        return None

    def _probed(self, probe: TokenizedPairs) -> torch.Tensor:
        return self._forward(probe, range(len(probe.lengths)))

    def _is_same(self, probe: TokenizedPairs, before: torch.Tensor) -> bool:
        """Return whether the logits of *probe* are what they were *before* a shortcut was taken."""
        try:
            return bool((self._probed(probe) - before).abs().max() <= LOGIT_TOLERANCE)
        except DOES_NOT_FIT:  # a version of torch or transformers with another structure
            return False


def _columns(encoded: Any) -> dict[str, list[Any]]:
    return {name: list(encoded[name]) for name in ("input_ids", "token_type_ids") if name in encoded}


def _logits(found: torch.Tensor) -> NDArray[np.float64]:
    logits: NDArray[np.float64] = found.double().numpy()
    return logits


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch compute in the calling thread alone, as the workers do."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@contextmanager
def cpu_workers() -> Iterator[ThreadPoolExecutor | None]:
    """Yield a pool of one worker per core with its share of the threads, or None if it does not help."""
    threads = torch.get_num_threads()
    count = min(threads, MOST_WORKERS)
    if count < 2:
        yield None
        return
    share = threads // count
    with ThreadPoolExecutor(count, initializer=torch.set_num_threads, initargs=(share,)) as pool:
        try:
            yield pool
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            torch.set_num_threads(threads)
