"""Trained models of the zoo as models: ``zoo/FOLDER``.

A sentence encoder encodes each distinct sentence of a thousand pairs once, and matches afterwards: test sets
built from one base share most of their sentences, and pairs that share a premise are asked together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from crossexam.core.errors import MissingExtraError
from crossexam.core.example import BINARY_PARSE_KEY, SIDES, Example, Side
from crossexam.core.labels import THREE_LABELS
from crossexam.core.output.escapes import quoted
from crossexam.core.places import home_expanded
from crossexam.language.tokens import words
from crossexam.models.batches import plan_batches
from crossexam.models.label_order import row_softmax, to_label_columns
from crossexam.models.model import Batch, CharactersRead, Model, Pair, check_batch_size

if TYPE_CHECKING:
    from torch import Tensor

    from crossexam.training.encoding import EncodedPairs, Encoder

_VERSION: Final = "zoo.v1"
#: Words per batch with padding, as in scoring while training.
_CPU_WORDS: Final = 2_048
_GPU_WORDS: Final = 65_536
#: Pairs whose words are looked up at once.
_PAIRS_AT_ONCE: Final = 32_768
#: Pairs whose sentences are encoded, and then matched, at once: at most 250 MB for InferSent's vectors.
_CPU_MATCHED: Final = 1_024
_GPU_MATCHED: Final = 8_192


@dataclass(frozen=True)
class Options:
    """How a trained model is run.

    ``batch_size`` counts pairs (``auto``: batches of about the same number of words); ``dtype`` is that of
    the weights; ``max_length`` counts the words of a sentence.
    """

    device: str = "auto"
    batch_size: int | Literal["auto"] = "auto"
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    max_length: int | None = None

    def __post_init__(self) -> None:
        check_batch_size(self.batch_size)


class ZooModel(Model):
    """A trained model, loaded when it first predicts."""

    name: str
    key: str

    def __init__(self, folder: Path, options: Options) -> None:
        from crossexam.training.checkpoints import checkpoint_hash, read_description

        self.name = f"zoo/{folder}"
        self._folder, self._options = folder, options
        self._described = read_description(folder)
        content = checkpoint_hash(folder)
        parts = (_VERSION, content, options.dtype, str(options.max_length))
        self.key = hashlib.blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()
        self._model: Any = None
        self._encoder: Encoder | None = None
        self._parses: Mapping[str, str] = {}
        self._facts: dict[str, Any] = {
            "checkpoint": content,
            "architecture": self._described.architecture.name,
            **({} if self._described.classes is THREE_LABELS else {"two_label": True}),
            "dtype": options.dtype,
            "sentences_asked": 0,
            "sentences_encoded": 0,
        }

    @property
    def parses(self) -> Mapping[str, str] | None:
        """The binary parses that an architecture of trees reads; other sentences get right-branching ones."""
        return self._parses if "trees" in self._described.architecture.needs else None

    def with_parses(self, parses: Mapping[str, str]) -> ZooModel:
        """Return the model that reads *parses*, which must fit their sentences."""
        changed = copy(self)
        changed._parses, changed._facts = parses, dict(self._facts)
        return changed

    @property
    def details(self) -> Mapping[str, Any]:
        """Return the facts on the model and on how it was run."""
        return self._facts

    def batches(self, pairs: Sequence[Pair], known: Sequence[bool]) -> Iterator[Batch]:
        """Yield the predictions for those of *pairs* that are not *known*, batch by batch.

        Batches are planned over all *pairs*, so that an interrupted run resumes with the same batches.
        """
        import torch

        self._load()
        order = sorted(range(len(pairs)), key=lambda k: pairs[k])  # pairs that share a premise together
        for start in range(0, len(order), _PAIRS_AT_ONCE):
            part = order[start : start + _PAIRS_AT_ONCE]
            wanted = [not known[index] for index in part]
            if not any(wanted):
                continue
            asked = [pairs[index] for index in part]
            encoded = self._encoded(asked)
            limit = self._most_words()
            with torch.inference_mode():
                for rows, logits in self._logits(encoded, wanted):
                    yield Batch(
                        [part[row] for row in rows],
                        to_label_columns(
                            row_softmax(logits.double().cpu().numpy()),
                            self._described.classes.labels,
                        ),
                        [_characters_read(asked[row], limit) for row in rows],
                    )
        self._note_sources()

    def _logits(self, encoded: EncodedPairs, wanted: Sequence[bool]) -> Iterator[tuple[list[int], Tensor]]:
        """Yield the *wanted* rows of *encoded* with their logits."""
        asked = 2 * sum(wanted)
        self._facts["sentences_asked"] += asked
        if self._described.architecture.encodes_sentences:
            yield from self._matched(encoded, wanted)
            return
        self._facts["sentences_encoded"] += asked
        for planned in self._plan([p + h for p, h in encoded.lengths]):
            rows = [row for row in planned if wanted[row]]
            if rows:
                yield rows, self._model(self._ready(self._collator().collate(encoded, rows)))

    def _matched(self, encoded: EncodedPairs, wanted: Sequence[bool]) -> Iterator[tuple[list[int], Tensor]]:
        """Encode each distinct sentence of some pairs once, then match; yield rows and logits.

        Which pairs are together depends on *encoded* alone: the last bits of a vector depend on the sentences
        that are encoded with it.
        """
        size = _CPU_MATCHED if self._facts["device"] == "cpu" else _GPU_MATCHED
        for start in range(0, len(wanted), size):
            rows = [row for row in range(start, min(start + size, len(wanted))) if wanted[row]]
            if rows:
                premises, hypotheses = (self._vectors(encoded, side, rows) for side in SIDES)
                yield rows, self._model.output(self._model.compare(premises, hypotheses))

    def _vectors(self, encoded: EncodedPairs, side: Side, rows: Sequence[int]) -> Tensor:
        """Return the vectors [len(rows), d] of the sentences of *rows* on *side*."""
        import torch

        sentences = encoded.premises if side == "premise" else encoded.hypotheses
        # Sentences with the same text are the same object; see Encoder.pairs.
        first: dict[int, int] = {}
        for row in rows:
            first.setdefault(id(sentences[row]), row)
        distinct = list(first.values())
        pieces: list[Tensor] = []
        place: dict[int, int] = {}
        for planned in self._plan([len(sentences[row]) for row in distinct]):
            chosen = [distinct[k] for k in planned]
            batch = self._collator().sentences([sentences[row] for row in chosen])
            place |= {row: len(place) + k for k, row in enumerate(chosen)}
            pieces.append(self._model.encode(self._ready(batch), side))
        self._facts["sentences_encoded"] += len(place)
        return torch.cat(pieces)[[place[first[id(sentences[row])]] for row in rows]]

    def _plan(self, lengths: Sequence[int]) -> list[list[int]]:
        if self._options.batch_size != "auto":
            return plan_batches(lengths, pairs=int(self._options.batch_size))
        words = _CPU_WORDS if self._facts["device"] == "cpu" else _GPU_WORDS
        return plan_batches(lengths, tokens=words)

    def _encoded(self, pairs: Sequence[Pair]) -> EncodedPairs:
        examples = [
            Example(f"of the pair {quoted(pair)}", *pair, None, info=self._annotation(pair)) for pair in pairs
        ]
        return self._collator().pairs(examples, max_length=self._options.max_length)

    def _annotation(self, pair: Pair) -> dict[str, str]:
        """Return the binary parses of the sentences of *pair*, as in the ``info`` of examples."""
        found = zip(SIDES, map(self._parses.get, pair), strict=True)
        return {BINARY_PARSE_KEY[side]: parse for side, parse in found if parse is not None}

    def _most_words(self) -> int | None:
        """Return how many words of a sentence are read, by the options or by the architecture; None for all.

        Records what sets it.
        """
        of_model = getattr(self._model, "most_words", None)
        limits = {"run --set zoo.max_length=N": self._options.max_length}
        if of_model is not None:
            name = self._described.architecture.name
            limits[f"train {name} --set {self._model.most_words_field}=N"] = of_model
        known = {by: limit for by, limit in limits.items() if limit is not None}
        if not known:
            return None
        by = min(known, key=known.__getitem__)
        self._facts |= {"most_words": known[by], "most_words_by": f"crossexam {by}"}
        return known[by]

    def _collator(self) -> Encoder:
        if self._encoder is None:
            raise ValueError("the model is not loaded")
        return self._encoder

    def _ready(self, batch: Any) -> Any:
        return batch.to(self._facts["device"])

    def _load(self) -> None:
        """Load weights and vocabulary; raises CrossexamError."""
        if self._model is not None:
            return
        import torch

        from crossexam.training.checkpoints import load_model
        from crossexam.training.devices import torch_device
        from crossexam.training.encoding import Encoder

        device = torch_device(self._options.device)
        model, described, vocabulary = load_model(self._folder)
        self._model = model.to(device=device, dtype=getattr(torch, self._options.dtype))
        self._encoder = Encoder(vocabulary, described.architecture.needs)
        self._facts["device"] = str(device)

    def _note_sources(self) -> None:
        """Record what replaced the tags that a corpus ships and a pair of texts does not."""
        encoder = self._collator()
        if "tags" in encoder.needs:
            self._facts["tags_from"] = encoder.reader.tagged


def _characters_read(pair: Pair, most_words: int | None) -> CharactersRead | None:
    """Return how far a model reads *pair* that reads *most_words* of a sentence; None if it reads all."""
    if most_words is None or all(len(text) <= most_words for text in pair):  # a word has a character
        return None
    tokens = [words(text) for text in pair]
    if all(len(each) <= most_words for each in tokens):
        return None
    ends = (
        each[most_words - 1].end if len(each) > most_words else len(text)
        for text, each in zip(pair, tokens, strict=True)
    )
    return CharactersRead(*ends)


def open_zoo(name: str, options: Options) -> ZooModel:
    """Return the trained model ``zoo/FOLDER``; raises CrossexamError.

    Weights are loaded when the model first predicts; errors in the folder are raised at once.
    """
    if not _has_torch():
        raise MissingExtraError("torch", "torch", name)
    return ZooModel(home_expanded(name.partition("/")[2]), options)


def list_zoo() -> list[tuple[str, str]]:
    """Return the names and descriptions of the architectures; none without torch."""
    if not _has_torch():
        return []
    from crossexam.zoo.table import ARCHITECTURES

    return [
        (f"zoo/FOLDER of {each.name}", f"{each.summary} ({each.paper})") for each in ARCHITECTURES.values()
    ]


def _has_torch() -> bool:
    return find_spec("torch") is not None
