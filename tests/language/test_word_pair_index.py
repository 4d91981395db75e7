"""The index of word pairs against counting by brute force, kept and loaded, damaged and asked again."""

import hashlib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.core.sealed import read_manifest, write_manifest
from crossexam.language import tokens, word_pair_index
from crossexam.language.word_pair_index import TOKENIZER, WordPairIndex, word_forms
from made.cases import refused

WORDS = ("dog", "Dog", "dogs", "sunset", "sunrise", "bridge", "not", "n't", "Mr.", "3,000", ".", "İzmir", "ß")
sentences = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
labels = st.sampled_from([*LABELS, None])
corpora = st.lists(st.tuples(sentences, sentences, labels), max_size=25).map(
    lambda rows: [Example(f"{n}", *row) for n, row in enumerate(rows)]
)


def by_hand(examples: list[Example]) -> tuple[Counter[tuple[str, str, str]], Counter[tuple[str, str]]]:
    """Examples by pair and label, and by word and side (premise, hypothesis, either)."""
    pairs: Counter[tuple[str, str, str]] = Counter()
    single: Counter[tuple[str, str]] = Counter()
    for example in examples:
        if example.label is None:
            continue
        premise, hypothesis = set(word_forms(example.premise)), set(word_forms(example.hypothesis))
        pairs.update((one, other, example.label) for one in premise for other in hypothesis)
        single.update((word, "premise") for word in premise)
        single.update((word, "hypothesis") for word in hypothesis)
        single.update((word, "either") for word in premise | hypothesis)
    return pairs, single


def every_pair(examples: list[Example]) -> list[tuple[str, str]]:
    known = sorted({w for e in examples for w in (*word_forms(e.premise), *word_forms(e.hypothesis))})
    return [(one, other) for one in [*known, "never"] for other in [*known, "never"]]


@given(corpora, st.sampled_from([1, 7, 4_000_000]))
def test_the_index_is_counting_by_hand(examples: list[Example], at_once: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word_pair_index, "_PAIRS_AT_ONCE", at_once)  # chunks of one example, and of all
        index = WordPairIndex.build(iter(examples))
    pairs, single = by_hand(examples)
    asked = every_pair(examples)
    counts = index.counts(asked).tolist()
    assert counts == [[pairs[one, other, label] for label in LABELS] for one, other in asked]
    assert index.seen(asked).tolist() == [any(row) for row in counts]
    most = [[label for label, n in zip(LABELS, row, strict=True) if n == max(row)] for row in counts]
    named = ["-".join(labels) if any(row) else "none" for labels, row in zip(most, counts, strict=True)]
    assert index.polarity(asked) == named
    assert len(index) == int(index.seen(asked).sum())
    for word, _ in asked:
        assert index.occurrences(word) == single[word, "either"]
        for side in ("premise", "hypothesis"):
            assert index.occurrences(word, side) == single[word, side]
    labelled = sum(example.label is not None for example in examples)
    assert (index.manifest["examples"], index.manifest["skipped"]) == (labelled, len(examples) - labelled)


def test_a_changed_tokenizer_needs_a_new_name() -> None:
    """Where this fails, raise TOKENIZER and put the new hash here: kept indexes are then made anew."""
    rules = hashlib.sha256(tokens._WORD.pattern.encode()).hexdigest()[:12]
    assert (TOKENIZER, rules) == ("words.v1", "8585f61c371f")


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    WordPairIndex.build([Example("a", "Dogs bark.", "A dog.", "neutral")]).save(kept)
    whole = {file.name: file.read_bytes() for file in kept.iterdir()}
    for name in ("keys.npy", "counts.npy", "word_counts.npy", "words.txt"):
        (kept / name).write_bytes(whole[name][:-5])
        assert f"{kept}: the index is damaged: " in refused(WordPairIndex.load, kept), name
        (kept / name).write_bytes(whole[name])
    np.save(kept / "keys.npy", np.array([{}], dtype=object), allow_pickle=True)
    assert "the index is damaged" in refused(WordPairIndex.load, kept)
    np.save(kept / "keys.npy", np.arange(3.0))
    assert "keys.npy contains float64, not uint64" in refused(WordPairIndex.load, kept)
    manifest = read_manifest(kept / "manifest.json")
    write_manifest(kept / "manifest.json", {**manifest, "tokenizer": "words.v0"})
    assert "tokenizer words.v0\n  wanted: format 1 and" in refused(WordPairIndex.load, kept)
    assert "no manifest.json: this is not an index" in refused(WordPairIndex.load, tmp_path)
