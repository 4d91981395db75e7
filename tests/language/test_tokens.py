"""Tokens with offsets: alignment of parses with published sentences, and the regular tokenizer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossexam.language.tokens import AlignmentError, align, words
from made.cases import each_row


@each_row
def test_words_that_a_parser_rewrote_are_found_in_the_sentence(
    rewritten: str, sentence: str, parsed: list[str], texts: list[str] | None
) -> None:
    tokens = align(sentence, [("X", word) for word in parsed])
    for token in tokens:
        assert sentence[token.start : token.end] == token.text
    if texts is None:  # one token a leaf, and nothing of the sentence lost but blanks
        assert len(tokens) == len(parsed)
        texts = [token.text for token in tokens]
        assert "".join(texts) == sentence.replace(" ", "")
    assert [token.text for token in tokens] == texts


WORDS = st.sampled_from(
    "dog dogs the a grey (blue) \"no\" can't Kim's U.S. 1,200.50 well-known to go … —".split()
)


@given(st.lists(WORDS, min_size=1, max_size=12), st.sampled_from([" ", "  ", "\u00a0"]))
def test_every_token_is_the_text_at_its_place_and_nothing_is_lost(chosen: list[str], blank: str) -> None:
    sentence = blank.join(chosen)
    tokens = words(sentence)
    assert all(sentence[token.start : token.end] == token.text for token in tokens)
    assert "".join(token.text for token in tokens) == "".join(sentence.split())
    assert align(sentence, [("X", token.text) for token in tokens]) == tuple(
        token._replace(tag="X") for token in tokens
    )


@each_row
def test_words_follow_the_treebank(text: str, expected: str) -> None:
    assert " ".join(token.text for token in words(text)) == expected


def test_a_parse_of_another_sentence_is_an_error_that_shows_the_place() -> None:
    for sentence, parsed, message in (
        ("A dog runs.", "A cat runs .", "the parse has 'cat' where the sentence has 'dog runs.'"),
        ("A dog runs far.", "A dog runs", "the parse ends before ' far.'"),
        ("A dog", "A dog runs", "the parse has 'runs' where the sentence has its end"),
    ):
        with pytest.raises(AlignmentError, match=message):
            align(sentence, [("X", word) for word in parsed.split()])
