"""Chunks of long premises: where they end, how predictions are combined, what is asked again."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossexam.core.dataset import Dataset
from crossexam.core.example import Change, Edit, Example
from crossexam.core.manifest import ChunkCounts
from crossexam.language.sentences import split_sentences
from crossexam.models.chunking import AGGREGATES, LIKE, UNITS, Chunking, chunking_of, in_chunks
from crossexam.models.model import Pair
from crossexam.models.table import open_model
from crossexam.runs.run import predict_suite
from made.cases import refused
from made.models import Reader

FILLER = "The committee met on Monday and spoke of the weather. "  # 10 words
EVIDENCE = "The bridge was closed in May."
DOCUMENT = FILLER * 499 + "And so on again. " + EVIDENCE  # 5,000 words


def texts(chunking: Chunking, text: str, model: Any = None) -> list[str]:
    return [text[start:end] for start, end in chunking.chunks(text, model or Reader())]


def data_of(*pairs: Pair) -> Dataset:
    return Dataset("d", tuple(Example(str(k), p, h, "entailment") for k, (p, h) in enumerate(pairs)))


def test_evidence_in_the_last_chunk_is_found() -> None:
    data = data_of((DOCUMENT, EVIDENCE))
    assert predict_suite(Reader(), data).reading["d"].truncated.tolist() == [True]
    run = predict_suite(Reader(), data, chunking=Chunking("words:500"))
    assert run.probabilities["d"].tolist() == [[0.9, 0.1, 0.0]]
    assert run.reading["d"].truncated.tolist() == [False]
    assert (run.model, run.manifest.asked_model) == ("reader [words:500,max]", "reader")
    assert run.manifest.test_sets["d"].chunks_per_item == ChunkCounts(mean=10, most=10)
    assert (run.manifest.distinct_pairs, run.manifest.chunk_pairs) == (1, 2)  # nine chunks are alike


SENTENCES = st.lists(st.sampled_from(["It rains.", "Ann is here, too!", "Go?", "“No.”", "A b c d e f g."]))


@given(SENTENCES, st.integers(1, 9), st.sampled_from(["words", "sentences"]))
def test_chunks_have_every_sentence_once_and_are_as_full_as_can_be(
    sentences: list[str], most: int, unit: str
) -> None:
    text = " ".join(sentences)
    chunks = texts(Chunking(f"{unit}:{most}"), text)
    assert " ".join(chunks) == text
    assert all(text.count(chunk) for chunk in chunks)

    def length(part: str) -> int:
        return len(UNITS[unit].starts(part, Reader()))

    for chunk, following in pairwise(chunks):
        assert length(chunk) <= most or len(split_sentences(chunk)) == 1
        start, end = split_sentences(following)[0]
        assert length(f"{chunk} {following[start:end]}") > most


def test_what_was_asked_is_not_asked_again(tmp_path: Path) -> None:
    """Neither short pairs, which are asked as they are, nor chunks for another aggregate."""
    model, pairs = Reader(), [(" It rains.\nIt is wet. ", "It is wet. "), (" \n", "It rains."), ("", "")]
    for how in (None, Chunking("words:50", "max-mean")):
        predict_suite(model, data_of(*pairs), store=tmp_path / "short", chunking=how)
    assert model.asked == pairs
    data = data_of((DOCUMENT, EVIDENCE), ("It rains.", "It rains."))
    first, second = Reader(), Reader()
    predict_suite(first, data, store=tmp_path, chunking=Chunking("words:500"))
    run = predict_suite(second, data, store=tmp_path, chunking=Chunking("words:500", "mean"))
    assert (len(first.asked), second.asked) == (3, [])
    assert run.probabilities["d"][0] == pytest.approx(np.array([0.9 + 0.9, 0.1 + 1.8, 6.3]) / 10)


def test_aggregates() -> None:
    """The three probabilities stay together: those of the chunk and sentence that decide."""
    first = [[0.2, 0.5, 0.3], [0.8, 0.1, 0.1], [0.5, 0.5, 0.0]]  # a sentence of the hypothesis, three chunks
    table = np.array([first, [[0.1, 0.1, 0.8], [0.3, 0.6, 0.1], [0.0, 1.0, 0.0]]])
    for aggregate, sentences, expected in (
        ("max", 1, [0.8, 0.1, 0.1]),
        ("mean", 1, [(0.2 + 0.8 + 0.5) / 3, (0.5 + 0.1 + 0.5) / 3, (0.3 + 0.1 + 0.0) / 3]),
        ("max-mean", 2, [(0.8 + 0.3) / 2, (0.1 + 0.6) / 2, (0.1 + 0.1) / 2]),
        ("min", 2, [0.3, 0.6, 0.1]),
    ):
        assert AGGREGATES[aggregate].combine(table[:sentences]) == pytest.approx(np.array(expected))


def test_each_sentence_of_the_hypothesis_meets_each_chunk() -> None:
    a = {"P one.": 0.2, "P two.": 0.8, "P one. P two.": 0.4}
    b = {"P one.": 0.3, "P two.": 0.1, "P one. P two.": 0.6}
    shares = {"H a.": a, "H b!": b}
    model = open_model(lambda pairs: [[shares[h][p], 1 - shares[h][p], 0] for p, h in pairs])
    keys = {model.key}
    for chunk, aggregate, expected in (("sentences:1", "max-mean", (0.8 + 0.3) / 2), ("none", "min", 0.4)):
        chunked = in_chunks(model, Chunking(chunk, aggregate))
        assert chunked.predict([("P one. P two.", "H a. H b!")])[0, 0] == pytest.approx(expected)
        keys.add(chunked.key)
    assert len(keys) == 3


def test_what_is_read_of_chunks_is_what_is_read_of_the_item() -> None:
    """Every sentence is a chunk, of which the model reads the first 15 characters."""
    text = "Ann is at home. Bob walks to the old town. Eve is at home."

    def item(start: int, end: int, new: str) -> Example:
        change = Change("x.v1", "premise", "hypothesis", (Edit("premise", start, end, text[start:end], new),))
        return Example("a", text, "Ann left.", "neutral").derive("neutral", change)

    data = Dataset("d", (item(16, 19, "Ron"), item(37, 41, "inn"), item(43, 46, "Ada")))
    run = predict_suite(Reader(15), data, chunking=Chunking("sentences:1"))
    assert run.reading["d"].truncated.tolist() == [True] * 3
    assert run.reading["d"].edit_unseen.tolist() == [False, True, False]


def test_tokens_are_those_of_the_model(tiny_checkpoint: Path) -> None:
    model = open_model(f"hf/{tiny_checkpoint}")
    text = "It rains, again. It rains. It rains, here."  # 5, 3 and 5 tokens, 3, 2 and 3 words
    assert texts(Chunking("tokens:8"), text, model) == ["It rains, again. It rains.", "It rains, here."]
    assert texts(Chunking("tokens:7"), text, model) == ["It rains, again.", "It rains.", "It rains, here."]
    assert texts(Chunking("words:8"), text, model) == [text]


def test_what_cannot_be_meant_is_refused(each_case: Any, tmp_path: Path) -> None:
    def check(stated: dict[str, str], *named: str) -> None:
        assert refused(chunking_of, **stated).has(*named)

    each_case(check)
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": "0", "prediction": "neutral"}')
    said = refused(predict_suite, f"file/{path}", data_of(("p", "h")), chunking=Chunking("words:5"))
    assert "a file of predictions has none for chunks" in said


def test_published_systems_are_chunks_and_an_aggregate() -> None:
    for preset in LIKE.values():
        assert chunking_of(like=preset.name) == Chunking(preset.chunk, preset.aggregate)
        assert "arXiv" in preset.source
