"""Exported sequence classifiers as models: ``onnx/FOLDER``, run by onnxruntime, without torch.

A folder is what optimum or sentence-transformers write: ``model.onnx`` beside or below ``config.json`` and
``tokenizer.json``.  As for ``hf/``, the class order is never assumed: it is verified with the probe.

A folder that ``crossexam convert`` wrote also has ``convert.json``, which says what it was converted from and
how the two compare; it counts only if it is about the graph that is run.

Graphs that onnxruntime quantized dynamically take the scale of their activations from the whole batch, so
that a pair's answer depends on the pairs beside it, on padding too.  Therefore pairs are put into batches
only if that changes nothing for the pairs of the probe; otherwise each is computed by itself, one per core.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.files import read_json, sha256_of
from crossexam.core.places import home_expanded
from crossexam.core.sealed import read_manifest
from crossexam.models.batches import (
    MOST_WORKERS,
    TokenizedPairs,
    characters_read,
    plan_batches,
    results_in_order,
    small_numbers,
)
from crossexam.models.checkpoint import declared_order, limit_of, longest_pair
from crossexam.models.classifier import ClassifierModel
from crossexam.models.label_order import PAIRS
from crossexam.models.model import CharactersRead, Pair, check_batch_size
from crossexam.models.threshold import check_threshold, head_shares
from crossexam.training.pretrained import Checkpoint, graphs_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

_VERSION: Final = "onnx.v1"
DEFAULT_GRAPH: Final = "model.onnx"
_WITHOUT_WEIGHTS: Final = frozenset({".onnx", ".md"})
#: What ``crossexam convert`` writes beside a graph: see :mod:`crossexam.evaluation.conversion`.
CONVERSION: Final = "convert.json"
TOKENIZER: Final = "tokenizer.json"
TOKENIZER_CONFIG: Final = "tokenizer_config.json"
_ENCODED_AT_ONCE: Final = 4_096
#: Tokens per batch with padding, and for graphs of ``crossexam convert``: the fastest (bench/RESULTS.md).
_TOKENS: Final = 768
_CONVERTED_TOKENS: Final = 256
#: Fusions of onnxruntime whose kernels are slower than the operators that they replace in these graphs.
_SLOW_FUSIONS: Final = ("BiasGeluFusion", "SkipLayerNormFusion")
_NO_LIMIT: Final = 10**30
_INPUTS: Final = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_OUTPUT: Final = "logits"
_INTEGERS: Final = {"tensor(int64)": "int64", "tensor(int32)": "int32"}
#: Logits that differ by more are not the same; in float32 a batch changes some 1e-6.
_SAME_LOGITS: Final = 1e-4


@dataclass(frozen=True)
class Options:
    """Which graph is run, and how.

    ``file`` is the graph's name, needed if the folder has several and not exactly one ``model.onnx``;
    ``batch_size`` counts pairs (``auto``: batches of about the same number of tokens); ``max_length`` counts
    the tokens of a pair, by default the tokenizer's maximum; ``label_order`` declares the class order, by
    default the configuration's; ``threshold`` is the probability above which a model of two labels predicts
    entailment; ``device`` is the CPU.
    """

    file: str | None = None
    device: Literal["auto", "cpu"] = "auto"
    batch_size: int | Literal["auto"] = "auto"
    max_length: int | None = None
    label_order: tuple[str, ...] | None = None
    threshold: float | None = None

    def __post_init__(self) -> None:
        check_batch_size(self.batch_size)
        check_threshold(self.threshold)


@dataclass(frozen=True)
class Export:
    """An exported classifier: its *checkpoint* (folder, name, configuration) and the *graph* to run."""

    checkpoint: Checkpoint
    graph: Path

    @property
    def tokenizer(self) -> Path:
        """The file of the tokenizer."""
        return self.checkpoint.folder / TOKENIZER

    @cached_property
    def conversion(self) -> Mapping[str, Any] | None:
        """What ``convert.json`` says of the graph, None if it is missing or about another graph."""
        path = self.graph.parent / CONVERSION
        found = read_manifest(path) if path.is_file() else {}
        return found if found.get("graph_sha256") == sha256_of(self.graph) else None

    def content_hash(self) -> str:
        """Return 32 hexadecimal digits that change when the graph or a file beside it does.

        Any of these may have weights, in folders too, but for other graphs and a card.
        """
        beside = self.graph.parent.rglob("*")
        found = {path for path in beside if path.suffix not in _WITHOUT_WEIGHTS}
        found |= {self.checkpoint.folder / name for name in ("config.json", TOKENIZER, TOKENIZER_CONFIG)}
        running = hashlib.blake2b(digest_size=16)
        for path in sorted(path for path in {self.graph, *found} if path.is_file()):
            name = path.relative_to(self.checkpoint.folder).as_posix()
            running.update(f"{name}\x1f{sha256_of(path)}\x1e".encode())
        return running.hexdigest()


def open_onnx(name: str, options: Options, folder: Path | None = None) -> ClassifierModel:
    """Return the model ``onnx/FOLDER``, or the one called *name* in *folder*; raises CrossexamError.

    The graph is loaded when the model first predicts; errors in the files or the class names are raised at
    once.
    """
    export = find_export(name, folder or home_expanded(name.partition("/")[2]), options.file)
    checkpoint = export.checkpoint
    declared = declared_order(checkpoint, options.label_order, options.threshold)
    content = export.content_hash()
    parts = (_VERSION, content, str(options.max_length), *declared.key_parts)
    key = hashlib.blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()
    details: dict[str, Any] = {
        "checkpoint": content,
        "file": export.graph.relative_to(checkpoint.folder).as_posix(),
        "architecture": (checkpoint.config.get("architectures") or [None])[0],
    }
    if export.conversion is not None:
        details["conversion"] = {name: each for name, each in export.conversion.items() if name != "probe"}
    load = partial(_load, export, options)
    return ClassifierModel(checkpoint.where, key, declared, load, _token_starts(export), details)


def _load(export: Export, options: Options, _: Sequence[Pair]) -> OnnxClassifier:
    return OnnxClassifier(export, max_length=options.max_length, batch_size=options.batch_size)


def _token_starts(export: Export) -> Callable[[str], list[int]]:
    """Return the function that locates the tokens of a text; it loads the tokenizer at its first call."""

    loaded = cache(partial(read_tokenizer, export))
    return lambda text: [start for start, _ in loaded().encode(text, add_special_tokens=False).offsets]


def find_export(name: str, folder: Path, file: str | None = None) -> Export:
    """Return the exported classifier in *folder*, its graph *file* if stated; *name* is the model's.

    Raises CrossexamError if there is none, if it is not clear which graph is meant, or if a file that it
    needs is missing.
    """
    kind, _, spec = name.partition("/")
    if folder.is_file():
        raise CrossexamError(
            "a file, not a folder",
            where=name,
            wanted="the folder with config.json and tokenizer.json",
            hint=f"onnx/{folder.parent} --set onnx.file={folder.name}",
        )
    if not folder.is_dir():
        raise CrossexamError(
            "no such folder", where=name, hint="download the exported model and give the path of its folder"
        )
    graph = _graph(folder, file, name)
    for needed in ("config.json", TOKENIZER):
        if not (folder / needed).is_file():
            below = (graph.parent / needed).is_file()
            raise FormatError(
                f"{needed} is missing",
                where=name,
                wanted="a folder with config.json, tokenizer.json and the graph, which may be in onnx/",
                hint=f"onnx/{graph.parent}" if below else None,
            )
    return Export(Checkpoint(folder, spec, None, read_json(folder / "config.json"), kind=kind), graph)


def _graph(folder: Path, file: str | None, where: str) -> Path:
    """Return the graph called *file*, without it the only one or the only ``model.onnx``."""
    found = {path.relative_to(folder).as_posix(): path for path in graphs_in(folder)}
    if not found:
        checkpoint = any(folder.glob("*.safetensors"))
        raise CrossexamError(
            "no .onnx file",
            where=where,
            wanted="the folder of an exported classifier",
            hint=f"to run the checkpoint in it: hf/{folder}" if checkpoint else None,
        )
    if file in found:
        return found[file]
    wanted = file or DEFAULT_GRAPH
    named = [path for path in found.values() if path.name == wanted]
    if file is None and len(found) == 1:
        named = list(found.values())
    if len(named) == 1:
        return named[0]
    count, verb = (len(named), "are") if named else ("none", "is")
    raise CrossexamError(
        f"{count} of its {len(found)} .onnx files {verb} called {wanted}",
        where=where,
        wanted=f"one of: {', '.join(found)}",
        hint=f"--set onnx.file={next(iter(found))}",
    )


class OnnxClassifier:
    """A loaded graph with its tokenizer.

    For *max_length* and *batch_size* see :class:`Options`; ``one_by_one`` says that pairs are not put into
    batches.
    """

    def __init__(self, export: Export, *, max_length: int | None, batch_size: int | Literal["auto"]) -> None:
        self.where, self.batch_size = export.checkpoint.where, batch_size
        path = export.checkpoint.folder / TOKENIZER_CONFIG
        settings = read_json(path) if path.is_file() else {}
        config = export.checkpoint.config
        limit = limit_of(settings.get("model_max_length") or _NO_LIMIT, self.where)
        self.max_length = longest_pair(limit, config, max_length, where=self.where)
        self.side = str(settings.get("padding_side") or "right")
        self._whole, self._truncating = (read_tokenizer(export, length) for length in (None, self.max_length))
        self.padding = _padding(settings, config, self._whole)
        self._workers, threads = _cores()
        self._tokens = _TOKENS if export.conversion is None else _CONVERTED_TOKENS
        self.session = _session(export, threads)
        self._types = _input_types(self.session, self.where)
        self.probe = self._probe_logits()
        self.one_by_one = self.padding is None or not self._same_in_a_batch()
        self._moved = _moved(self.probe, (export.conversion or {}).get("probe"))

    @property
    def facts(self) -> Mapping[str, Any]:
        """Return the device, the maximum length, and whether pairs were computed one by one.

        Of a converted graph also how far its probabilities for the probe are from those at its conversion.
        """
        facts = {"device": "cpu", "max_length": self.max_length, "one_by_one": self.one_by_one}
        return facts if self._moved is None else {**facts, "moved_since_conversion": self._moved}

    def encode(self, pairs: Sequence[Pair]) -> TokenizedPairs:
        """Return *pairs* as tokens; those above the maximum length lose the end of their longer sentence."""
        ids: list[NDArray[np.int32]] = []
        types: list[NDArray[np.int8]] = []
        read: dict[int, CharactersRead] = {}
        for start in range(0, len(pairs), _ENCODED_AT_ONCE):
            chunk = list(pairs[start : start + _ENCODED_AT_ONCE])
            found = self._whole.encode_batch(chunk)
            long = [k for k, each in enumerate(found) if len(each.ids) > self.max_length]
            shorter = self._truncating.encode_batch([chunk[k] for k in long])
            for k, each in zip(long, shorter, strict=True):
                found[k] = each
                read[start + k] = characters_read(chunk[k], each.sequence_ids, each.offsets)
            ids += small_numbers((each.ids for each in found), np.int32, self.where)
            types += small_numbers((each.type_ids for each in found), np.int8, self.where)
        lengths = np.array([len(row) for row in ids], dtype=np.int64)
        flat = np.concatenate(ids) if ids else np.zeros(0, dtype=np.int32)
        flat_types = np.concatenate(types) if types else np.zeros(0, dtype=np.int8)
        return TokenizedPairs(flat, flat_types, lengths, read)

    def plan(self, encoded: TokenizedPairs) -> list[list[int]]:
        """Return the batches for *encoded*, which depend on the lengths and the options alone."""
        lengths = encoded.lengths.tolist()
        if self.batch_size != "auto":
            return plan_batches(lengths, pairs=int(self.batch_size))
        return plan_batches(lengths, tokens=self._tokens)

    def processed_tokens(self, lengths: Sequence[int]) -> int:
        """Return the number of tokens of a batch of pairs of these *lengths*, padding included."""
        return sum(lengths) if self.one_by_one else len(lengths) * max(lengths)

    def logits(
        self, encoded: TokenizedPairs, batches: Sequence[Sequence[int]]
    ) -> Iterator[NDArray[np.float64]]:
        """Yield the logits [len(batch), classes] of each of *batches*, in their order."""
        task = self._each if self.one_by_one else self._together
        with ThreadPoolExecutor(self._workers) as pool:
            yield from results_in_order(pool, partial(task, encoded), batches)

    def _probe_logits(self) -> NDArray[np.float64]:
        """Return the logits of the pairs of the probe, each computed by itself: [30, classes]."""
        return self._each(self.encode(PAIRS), range(len(PAIRS)))

    def _same_in_a_batch(self) -> bool:
        """Return whether the pairs of the probe have the same logits in a batch as by themselves."""
        try:
            together = self._together(self.encode(PAIRS), range(len(PAIRS)))
        except CrossexamError:  # a graph for one pair at a time
            return False
        return bool(abs(together - self.probe).max() <= _SAME_LOGITS)

    def _each(self, encoded: TokenizedPairs, rows: Sequence[int]) -> NDArray[np.float64]:
        return np.concatenate([self._together(encoded, [row]) for row in rows])

    def _together(self, encoded: TokenizedPairs, rows: Sequence[int]) -> NDArray[np.float64]:
        tables = {
            "input_ids": encoded.padded(rows, encoded.ids, self.padding or 0, self.side),
            "attention_mask": encoded.mask(rows, self.side),
        }
        if "token_type_ids" in self._types and encoded.types is not None:
            tables["token_type_ids"] = encoded.padded(rows, encoded.types, 0, self.side)
        inputs = {name: tables[name].astype(kind) for name, kind in self._types.items()}
        try:
            (answer,) = self.session.run([_OUTPUT], inputs)
        except Exception as error:  # onnxruntime's errors have no common class
            raise CrossexamError(
                f"onnxruntime cannot run it: {_first_line(error)}", where=self.where
            ) from error
        if answer.ndim != 2:
            raise CrossexamError(
                f"its logits have {answer.ndim} dimensions", where=self.where, wanted="[pairs, classes]"
            )
        logits: NDArray[np.float64] = answer.astype("float64")
        return logits


def _cores() -> tuple[int, int]:
    """Return how many batches are computed at once, and by how many threads each."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    workers = min(cores, MOST_WORKERS)
    return workers, cores // workers


def _session(export: Export, threads: int) -> Any:
    """Return the graph in memory; raises CrossexamError if onnxruntime cannot load it."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3  # errors, which are raised as well
    options.use_deterministic_compute = True
    try:
        return onnxruntime.InferenceSession(
            str(export.graph),
            options,
            providers=["CPUExecutionProvider"],
            disabled_optimizers=None if export.conversion is None else _SLOW_FUSIONS,
        )
    except Exception as error:  # onnxruntime's errors have no common class
        raise CrossexamError(
            f"onnxruntime cannot load it: {_first_line(error)}", where=export.checkpoint.where
        ) from error


def _moved(logits: NDArray[np.float64], before: Any) -> float | None:
    """Return the largest difference between the probabilities of *logits* and of those *before*, if known."""
    if before is None or np.shape(before) != logits.shape:
        return None
    return round(float(abs(head_shares(logits) - head_shares(np.asarray(before, dtype=float))).max()), 6)


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _input_types(session: Any, where: str) -> dict[str, str]:
    """Return numpy's type of each input of the graph; raises CrossexamError unless it classifies pairs."""
    types = {each.name: _INTEGERS.get(each.type) for each in session.get_inputs()}
    outputs = [each.name for each in session.get_outputs()]
    known = {name: kind for name, kind in types.items() if name in _INPUTS and kind}
    if known.keys() != types.keys() or "input_ids" not in known or _OUTPUT not in outputs:
        raise CrossexamError(
            f"the graph maps {', '.join(types)} to {', '.join(outputs)}",
            where=where,
            wanted="input_ids, attention_mask and token_type_ids (integers) to logits: a sequence classifier",
        )
    return known


def read_tokenizer(export: Export, most: int | None = None) -> Any:
    """Return the tokenizer of *export*, truncating pairs to *most* tokens; raises FormatError."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(export.tokenizer))
    except Exception as error:  # tokenizers raises Exception itself
        raise FormatError(
            f"tokenizers cannot read it: {_first_line(error)}", where=str(export.tokenizer)
        ) from None
    tokenizer.no_padding()  # the file may state both; lengths and batches are planned here
    tokenizer.no_truncation()
    if most is not None:
        tokenizer.enable_truncation(most, strategy="longest_first")
    return tokenizer


def _padding(settings: Mapping[str, Any], config: Mapping[str, Any], tokenizer: Any) -> int | None:
    """Return the id of the padding token, or None if it has none."""
    token = settings.get("pad_token")
    text = token.get("content") if isinstance(token, Mapping) else token
    stated = tokenizer.token_to_id(text) if text else config.get("pad_token_id")
    return None if stated is None else int(stated)
