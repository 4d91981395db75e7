"""Inference with a sequence classifier of transformers: tokenization, batches that fit into memory.

On a CPU each core runs its
own batches with one thread, which keeps a batch in the core's cache and avoids synchronization; batches are
small for the same reason.  ``bench/hf_throughput.py`` compares the speed with that of transformers' pipeline.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

from crossexam.core.errors import CrossexamError
from crossexam.models.batches import (
    CPU_TOKENS,
    MOST_WORKERS,
    TokenizedPairs,
    characters_read,
    plan_batches,
    results_in_order,
    whole_end,
)
from crossexam.models.checkpoint import (
    find_device,
    import_torch,
    load_checkpoint,
    longest_pair,
)
from crossexam.models.model import CharactersRead, Pair
from crossexam.training.pretrained import Checkpoint

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Tokens per batch with padding on a device other than a CPU: enough to fill it, halved if it does not fit.
GPU_TOKENS: Final = 16_384
_ENCODED_AT_ONCE: Final = 4_096
#: Architectures whose classification head reads only the first token of the last layer.
_READS_FIRST_TOKEN: Final = frozenset({"bert", "roberta", "xlm-roberta", "camembert", "electra"})
_SAME_LOGITS: Final = 1e-5


class SequenceClassifier:
    """A loaded checkpoint that turns pairs into logits.

    For *device*, *dtype*, *max_length* and *batch_size* see :class:`crossexam.models.huggingface.Options`.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        *,
        device: str,
        dtype: Literal["float32", "bfloat16", "float16"],
        max_length: int | None,
        batch_size: int | Literal["auto"],
    ) -> None:
        torch = import_torch(checkpoint)
        self.where, self.folder = checkpoint.where, checkpoint.folder
        self.device = find_device(device, self.where)
        self.tokenizer, self.model = load_checkpoint(checkpoint)
        self.tokenizer.truncation_side = "right"  # what is read begins at the start of a sentence
        self.model = self.model.to(device=self.device, dtype=getattr(torch, dtype)).eval()
        self.max_length = longest_pair(
            int(self.tokenizer.model_max_length), self.model.config.to_dict(), max_length, where=self.where
        )
        if self.model.config.pad_token_id is None:
            self.model.config.pad_token_id = self.tokenizer.pad_token_id
        self.batch_size = batch_size
        self.halved = 0
        self._most_tokens: int | None = None
        self.first_token_only = False
        self._float32 = dtype == "float32"

    @property
    def facts(self) -> Mapping[str, Any]:
        """Return the device, the maximum length and what was done to save time and memory."""
        return {
            "device": str(self.device),
            "max_length": self.max_length,
            "first_token_only": self.first_token_only,
            "halved_batches": self.halved,
        }

    def encode(self, pairs: Sequence[Pair]) -> TokenizedPairs:
        """Return *pairs* as tokens; those above the maximum length lose the end of their longer sentence."""
        import numpy as np

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
            ids += [np.asarray(row, dtype=np.int32) for row in found["input_ids"]]
            types += [np.asarray(row, dtype=np.int8) for row in found.get("token_type_ids", ())]
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
        """Return the batches for *encoded*, which depend on the lengths and the options alone."""
        lengths = encoded.lengths.tolist()
        if self.tokenizer.pad_token_id is None:
            return plan_batches(lengths, pairs=1)
        if self.batch_size != "auto":
            return plan_batches(lengths, pairs=int(self.batch_size))
        return plan_batches(lengths, tokens=CPU_TOKENS if self.device.type == "cpu" else GPU_TOKENS)

    def processed_tokens(self, lengths: Sequence[int]) -> int:
        """Return the number of tokens of a batch of pairs of these *lengths*, padding included."""
        return len(lengths) * max(lengths)

    def logits(
        self, encoded: TokenizedPairs, batches: Sequence[Sequence[int]]
    ) -> Iterator[NDArray[np.float64]]:
        """Yield the logits [len(batch), classes] of each of *batches*, in their order."""
        with _workers(self.device) as pool:
            if pool is None:
                yield from (self._fitting(encoded, rows) for rows in batches)
                return
            yield from results_in_order(pool, partial(self._fitting, encoded), batches)

    def _fitting(self, encoded: TokenizedPairs, rows: Sequence[int]) -> NDArray[np.float64]:
        """Return the logits of *rows*, in as many parts as the memory requires."""
        import numpy as np

        tokens = len(rows) * int(encoded.lengths[list(rows)].max())
        if len(rows) == 1 or self._most_tokens is None or tokens <= self._most_tokens:
            try:
                return self._forward(encoded, rows)
            except (RuntimeError, MemoryError) as error:
                if not _is_out_of_memory(error):
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
            _free(self.device)
        middle = len(rows) // 2
        return np.concatenate([self._fitting(encoded, rows[:middle]), self._fitting(encoded, rows[middle:])])

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

    def _forward(self, encoded: TokenizedPairs, rows: Sequence[int]) -> NDArray[np.float64]:
        import torch

        with torch.inference_mode():
            inputs = self.inputs(encoded, rows)
            on_device = {name: torch.from_numpy(table).to(self.device) for name, table in inputs.items()}
            answer = self.model(**on_device).logits.double().cpu().numpy()
        logits: NDArray[np.float64] = answer
        return logits

    def read_first_token_only(self, encoded: TokenizedPairs) -> None:
        """Skip what the last layer computes for all tokens but the first, if nothing reads it.

        The heads of BERT and its relatives read only the first token, so that after the last layer's
        attention the other tokens are computed in vain: an eighth of all work with 6 layers.  They are
        skipped only if the logits of *encoded* stay the same.
        """
        model = self.model
        if getattr(model.config, "model_type", "") not in _READS_FIRST_TOKEN or not self._float32:
            return
        rows = list(range(len(encoded.lengths)))
        before = self._forward(encoded, rows)
        last = model.base_model.encoder.layer[-1].attention.output
        hook = last.register_forward_pre_hook(lambda _, states: tuple(state[:, :1] for state in states))
        try:
            self.first_token_only = bool(abs(self._forward(encoded, rows) - before).max() <= _SAME_LOGITS)
        except (RuntimeError, IndexError, TypeError):  # a version of transformers with another structure
            self.first_token_only = False
        if not self.first_token_only:
            hook.remove()


def _columns(encoded: Any) -> dict[str, list[Any]]:
    return {name: list(encoded[name]) for name in ("input_ids", "token_type_ids") if name in encoded}


@contextmanager
def _workers(device: Any) -> Iterator[ThreadPoolExecutor | None]:
    """Yield a pool of one worker per core with its share of the threads, or None if it does not help."""
    import torch

    threads = torch.get_num_threads()
    count = min(threads, MOST_WORKERS)
    if device.type != "cpu" or count < 2:
        yield None
        return
    share = threads // count
    with ThreadPoolExecutor(count, initializer=torch.set_num_threads, initargs=(share,)) as pool:
        try:
            yield pool
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            torch.set_num_threads(threads)


def _is_out_of_memory(error: Exception) -> bool:
    import torch

    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    text = str(error).lower()
    return "out of memory" in text or "can't allocate memory" in text or "not enough memory" in text


def _free(device: Any) -> None:
    import torch

    if device.type == "cuda":
        torch.cuda.empty_cache()
