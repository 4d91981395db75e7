"""Sentence splitting, on texts like those of word problems."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from crossexam.language.sentences import split_sentences

# "|" marks where a sentence ends.
MARKED = [
    "He ran.| She sat.",
    "Mr. Lee and Dr. Roy met Mrs. Hall.| They left.",
    "He paid Rs. 450 for it.| It cost 3.50 a kg.",
    "It stood at rest.|How far did it go?",
    "How much?|He did not say.",
    "They lost 2.|Kim won.",
    "See www.Example.com or Ph.D students.",
    "He came at 7 p.m. on Monday.| He left at 9 p.m.| She stayed.",
    "He lives in the U.S. Senate building.| In the U.S.| The law is old.",
    "A man had 43 sheep.| he sold some.",
    "It needs 5 kg.| Find the cost.",
    "Cut 5 in. of it and sell it by the approx. weight.",
    "They go from A to B.| Find the distance.",
    "It is older than T.| If it were not, it would be X.",
    "Did they ask B. to come?| Yes.",
    "See sec. Four of it.",
    "It weighs 5 kg.| Kim took it.",
    "J. Smith met George W. Bush.| They spoke.",
    'He asked, "Why?" and left.',
    '"Go!" she said.| He went.',
    'He said, "I will go."| She stayed.',
    "Find No. 7 and the no. of books.| There is no.| Find it.",
    "Wait... what?| No…| Yes.",
    "Tests end .| The next begins .",
    "Give the sum.|\n\nA new part",
    "It is so long that the line\nbreaks here.| Then it ends.",
    "Which is right?|\nI. one point|\nII. two points",
    "1. Take 2 eggs.| Boil them.",
    "He won 5 games (of 7).| She won 2.",
    "",
]


def test_sentences_end_where_they_should() -> None:
    found, wanted = [], []
    for marked in MARKED:
        text = marked.replace("|", "")
        found.append([text[start:end] for start, end in split_sentences(text)])
        wanted.append([part.strip() for part in marked.split("|") if part.strip()])
    assert found == wanted


SENTENCES = st.sampled_from(
    [
        "Kim has 3.5 kg of rice.",
        "Who won?",
        "Mr. Lee paid Rs. 40.",
        "He left at 7 p.m.",
        "Run!",
        "The end came.",
    ]
)


@given(st.lists(SENTENCES, min_size=1, max_size=6), st.sampled_from([" ", "  ", "\n"]))
def test_whole_sentences_come_back(chosen: list[str], blank: str) -> None:
    text = blank.join(chosen)
    assert [text[start:end] for start, end in split_sentences(text)] == chosen


@given(st.lists(st.sampled_from(["Kim", "p.m.", "No.", "5", "...", "?", '"', "\n\n", "B.", "rest.How", " "])))
def test_spans_are_in_order_and_leave_out_blanks_only(pieces: list[str]) -> None:
    text = " ".join(pieces)
    spans = split_sentences(text)
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(spans))
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)


def test_word_problems_have_no_sentence_that_ends_in_an_abbreviation(shared_data: Path) -> None:
    count = 0
    for name in ("aqua_dev.json", "aqua_test.json"):
        for line in (shared_data / "word_problems" / name).open(encoding="utf-8"):
            text = json.loads(line)["question"]
            for start, end in split_sentences(text):
                count += 1
                assert not text[start:end].endswith(("Rs.", "Mr.", "Dr.")), text
    assert count > 1000
