"""Sentence splitting, on texts like those of word problems."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from crossexam.language.sentences import split_sentences


def test_sentences_end_where_they_should(each_case: Callable[..., None]) -> None:
    def check(marked: str) -> None:
        text = marked.replace("|", "")
        ended = [text[start:end] for start, end in split_sentences(text)]
        assert ended == [part.strip() for part in marked.split("|") if part.strip()]

    each_case(check)
    assert [*split_sentences("")] == []


@given(st.lists(st.sampled_from(["Kim", "p.m.", "No.", "5", "...", "?", '"', "\n\n", "B.", "rest.How", " "])))
def test_spans_are_in_order_and_leave_out_blanks_only(pieces: list[str]) -> None:
    text = " ".join(pieces)
    spans = split_sentences(text)
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(spans))
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)
