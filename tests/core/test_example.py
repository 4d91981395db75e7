"""The record of a change and the text agree, whatever the edits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossexam.core.example import Change, Edit, Example, apply_edits, located_in_result, undo_edits

WORDS = st.sampled_from(["a", "the", "dog", "cold", "runs", "isn't", "naïve", "—", "3,000", "“so”"])
SENTENCES = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    sentence = draw(SENTENCES)
    cuts = sorted(draw(st.lists(st.integers(0, len(sentence)), max_size=6)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))
    kept = [span for i, span in enumerate(spans) if i == 0 or span[0] > spans[i - 1][1]]
    return sentence, [Edit("premise", a, b, sentence[a:b], draw(SENTENCES)) for a, b in kept]


@given(edited())
def test_undoing_gives_the_sentence_back(case: tuple[str, list[Edit]]) -> None:
    sentence, edits = case
    result = apply_edits(sentence, edits, "premise")
    assert undo_edits(result, edits, "premise") == sentence
    for edit in located_in_result(edits, "premise"):
        assert result[edit.start : edit.end] == edit.old
    assert apply_edits(sentence, edits, "hypothesis") == sentence  # the other side is untouched


def test_an_edit_that_does_not_fit_is_an_error() -> None:
    wrong = {
        "are not 'cat'": [Edit("premise", 0, 3, "cat", "x")],
        "overlap": [Edit("premise", 0, 3, "dog", "x"), Edit("premise", 2, 4, "g r", "y")],
        "are not ''": [Edit("premise", 3, 2, "", "x")],
    }
    for message, edits in wrong.items():
        with pytest.raises(ValueError, match=message):
            apply_edits("dog runs", edits, "premise")


def test_deriving_keeps_what_is_known_drops_the_parse_and_makes_premises_clusters() -> None:
    change = Change("negation.v1", "premise", "hypothesis", ())
    base = Example("b", "It rains.", "It is wet.", "neutral", info={"genre": "talk", "premise_parse": "(S)"})
    item = base.derive("neutral", change, info={"how": "so"})
    assert item.id == "negation:b"
    assert dict(item.info) == {"genre": "talk", "how": "so", "cluster": item.info["cluster"]}
    same = Example("2", "It rains.", "It snows.", None).derive(None, change)
    other = Example("3", "It snows.", "It is wet.", None).derive(None, change)
    assert item.info["cluster"] == same.info["cluster"] != other.info["cluster"]
