"""The items of a page: which are shown, and their sentences with what was changed."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossexam.core.dataset import Run
from crossexam.core.example import Edit, apply_edits, undo_edits
from crossexam.reports.items import PageItems, segments, stratified_sample
from crossexam.reports.results import ReportOptions, results_of
from made.cases import for_each
from made.runs import dataset, mostly_right, negated, run_of

TAIL = " and false is not true"


def test_sample_shows_every_kind_and_repeats() -> None:
    strata = np.repeat([0, 1, 2, 3], [900, 90, 9, 1])
    chosen = stratified_sample(strata, 40, "negation")
    shown = np.bincount(strata[chosen], minlength=4)
    assert len(chosen) == 40 == len(set(chosen))
    # About sqrt(size): of 40, in proportions 30 : 9.5 : 3 : 1 of their sum 43.5.
    assert list(shown) == pytest.approx([40 * 30 / 43.5, 40 * 9.5 / 43.5, 40 * 3 / 43.5, 1], abs=1.5)
    assert chosen == stratified_sample(strata, 40, "negation") != stratified_sample(strata, 40, "antonymy")


WORDS = st.lists(st.sampled_from(["hot", "cold", "not", "the", "an", "naïve", "😀"]), min_size=1, max_size=8)


@given(WORDS, st.data())
def test_segments_spell_the_new_and_the_old_sentence(words: list[str], data: st.DataObject) -> None:
    text, edits, start = " ".join(words), [], 0
    for word in words:
        if data.draw(st.booleans()):
            new = data.draw(st.sampled_from(["", "cold", "and true is true"]))
            edits.append(Edit("hypothesis", start, start + len(word), word, new))
        start += len(word) + 1
    result = apply_edits(text, edits, "hypothesis")
    pieces = segments(result, edits, "hypothesis")
    assert "".join(piece if isinstance(piece, str) else piece[0] for piece in pieces) == result
    old = "".join(piece if isinstance(piece, str) else piece[1] for piece in pieces)
    assert old == undo_edits(result, edits, "hypothesis") == text


def wrong_items(runs: Sequence[Run], name: str) -> list[str]:
    """Return the ids that any of *runs* got wrong, by the frames that users see."""
    wrong = {each for run in runs for each in run.to_polars().filter(test_set=name, correct=False)["id"]}
    return [item.id for item in runs[0].datasets[name] if item.id in wrong]


def test_errors_are_the_items_that_some_model_got_wrong() -> None:
    def check(*runs: Run) -> None:
        for each in PageItems(results_of(runs, ReportOptions(items="errors"))).shown:
            ids = [each.dataset.examples[row].id for row in each.rows]
            assert ids == wrong_items(runs, each.dataset.name)

    base = dataset("base.x", ("ENC" * 50)[:50])
    both = [base, negated(base, TAIL)]
    of_two = run_of({"base.x": "ENCCN" * 12}, dataset("base.x", "En-" * 20), two_label=True)
    assert 0 < len(wrong_items([of_two], "base.x")) < 40
    two_runs = mostly_right("a", 0.6, both), mostly_right("b2", 0.8, both)
    right, without_the_other_set = mostly_right("a", 1.0, both), mostly_right("b2", 0.5, [base])
    for_each(check, [two_runs, (right, without_the_other_set), (of_two,)])


def test_items_carry_their_base_and_its_answer() -> None:
    base = dataset("base.x", "ENC" * 2, info={"genre": "tiny"})
    changed = negated(base, TAIL)
    said = {base.name: "ENCENC", changed.name: "NNCNNN"}, {base.name: "ENCEEE", changed.name: "ENCEEE"}
    items = PageItems(results_of([run_of(each, base, changed, sure=0.8) for each in said]))
    packed = items.packed(1, 0, 6)
    texts = packed["texts"]
    number, name, gold, premise, hypothesis, *rest = packed["items"][0]
    base_premise, base_hypothesis, base_gold, said, before, facts = rest
    assert (items.shown[number].dataset.name, name) == ("negation.x", "negation:base:0")
    assert (gold, base_gold, facts) == (0, 0, "genre: tiny")
    assert texts[premise] == texts[base_premise] == "Premise 0."
    assert (hypothesis, texts[base_hypothesis]) == (["Hypothesis 0", [TAIL, ""], "."], "Hypothesis 0.")
    assert said == [[1, 100, 800, 100], [0, 800, 100, 100]]
    assert before == [[0, 800, 100, 100], [0, 800, 100, 100]]
