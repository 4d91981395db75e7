"""Sentence splitting, on texts like those of word problems."""

from collections.abc import Callable

from crossexam.language.sentences import split_sentences


def test_sentences_end_where_they_should(each_case: Callable[..., None]) -> None:
    def check(marked: str) -> None:
        text = marked.replace("|", "")
        ended = [text[start:end] for start, end in split_sentences(text)]
        assert ended == [part.strip() for part in marked.split("|") if part.strip()]

    each_case(check)
    assert [*split_sentences("")] == []
