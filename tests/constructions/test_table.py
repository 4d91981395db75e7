"""Being in the table of constructions is being tested."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossexam.constructions.apply import Maker, chunks, make
from crossexam.constructions.check import check
from crossexam.constructions.construction import Construction
from crossexam.constructions.resources import Resources
from crossexam.constructions.table import CONSTRUCTIONS, construction_named
from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import Example

ALL = pytest.mark.parametrize("construction", CONSTRUCTIONS.values(), ids=lambda each: each.name)


@pytest.fixture
def base(
    construction: Construction,
    tiny_corpus: list[Example],
    tiny_problems: list[Example],
    tiny_parsed: list[Example],
) -> list[Example]:
    if "parser" in construction.uses and "tagger" not in construction.uses:
        return tiny_parsed
    return tiny_problems if construction.reads_problems else tiny_corpus


def _resources() -> Resources:
    return Resources("parses")


@ALL
def test_no_check_finds_an_error(construction: Construction, base: list[Example]) -> None:
    items, _ = make(construction.name, base, resources=_resources())
    pairs = None if construction.reads_problems else Dataset("base", base)
    findings = check(Dataset(construction.name, items), pairs)
    assert [finding for finding in findings if finding.code.startswith("E")] == []


@ALL
def test_it_applies_to_something(construction: Construction, base: list[Example]) -> None:
    items, counts = make(construction.name, base, resources=_resources())
    assert items
    assert counts["items"] == len(items)
    assert counts["examples"] == len(base)


@ALL
def test_it_does_not_depend_on_order(construction: Construction, base: list[Example]) -> None:
    if construction.unique_pairs:
        base = [each for each in base if each.id != "husband"]  # no pair of these comes twice
    forward, _ = make(construction.name, base, seed=3, resources=_resources())
    backward, _ = make(construction.name, base[::-1], seed=3, resources=_resources())
    assert sorted(forward, key=lambda item: item.id) == sorted(backward, key=lambda item: item.id)


@ALL
def test_every_item_names_its_construction_and_base(construction: Construction, base: list[Example]) -> None:
    items, _ = make(construction.name, base, resources=_resources())
    for item in items:
        assert item.change is not None
        assert item.change.construction == construction.versioned
        assert (item.base or "").partition(":")[0] in {example.id for example in base}


@ALL
def test_golden(construction: Construction, base: list[Example], golden: Callable[[str, str], None]) -> None:
    items, counts = make(construction.name, base, resources=_resources())
    lines = [f"{item.label}\n  {item.premise}\n  {item.hypothesis}" for item in items]
    lines += [f"rejected: {reason}: {count}" for reason, count in counts["rejected"].items()]
    golden(f"{construction.name}.txt", "\n".join(lines) + "\n")


@ALL
def test_it_cites_its_paper_and_shows_what_it_makes(construction: Construction) -> None:
    assert re.search(r"\d{4}, (section|appendix)", construction.paper)
    premise, hypothesis, label = construction.illustration
    assert premise != hypothesis
    assert label in construction.labels
    assert (construction.function.__doc__ or "").strip()


@ALL
def test_an_empty_sentence_is_rejected_or_ignored(construction: Construction) -> None:
    empty = Example("e", "", "", "neutral", info={"premise_tags": [], "hypothesis_tags": []})
    items, counts = make(construction.name, [empty], resources=_resources())
    assert items == []
    assert counts["rejected"] or construction.per_sentence


SENTENCES = st.lists(
    st.sampled_from(
        ["a", "man", "“Go", "p.m.", "off.”", "is", "(so)", "boys'", "'tis", "3.5", "no!", "…", "U.S."]
    ),
    min_size=1,
    max_size=8,
).map(" ".join)


@given(SENTENCES, st.sampled_from(["word_overlap", "negation", "length_mismatch", "tautology"]))
def test_a_tautology_is_a_pure_insertion_after_all_words(sentence: str, name: str) -> None:
    (item,), _ = make(name, [Example("a", sentence, sentence, "neutral")])
    side = "premise" if name == "length_mismatch" else "hypothesis"
    assert item.change is not None
    (edit,) = item.change.edits
    assert (edit.side, edit.old) == (side, "")
    assert edit.new.startswith(" and ")
    rest = sentence[edit.start :]
    assert not re.search(r"\w", rest)
    assert item.label == "neutral"


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("He left.", "He left and true is true."),
        ("He said, “Go!”", "He said, “Go and true is true!”"),
        ("It lands at 5 p.m.", "It lands at 5 p.m. and true is true."),
        ("I live in the U.S.", "I live in the U.S. and true is true."),
        ("He likes benefits ", "He likes benefits and true is true "),
        ("It is the boys'", "It is the boys' and true is true"),
        ("He left (at noon).", "He left (at noon) and true is true."),
        ("Vitamin C.", "Vitamin C and true is true."),
        ("Wait...", "Wait and true is true..."),
        ("?!", "?! and true is true"),
    ],
)
def test_where_the_tautology_goes(sentence: str, expected: str) -> None:
    (item,), _ = make("word_overlap", [Example("a", "p", sentence, "neutral")])
    assert item.hypothesis == expected


WORDS = st.sampled_from(
    ["on", "form", "the", "The", "TEH", "aa", "a", "hot", "cat", "quite", "McGee", "naïve"]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=6).map(" ".join), st.integers(0, 50))
def test_a_spelling_error_changes_one_word_into_no_word(sentence: str, seed: int) -> None:
    for name in ("spelling_error_adjacent_swap", "spelling_error_keyboard_swap"):
        items, _ = make(name, [Example("a", "p", sentence, "neutral")], seed=seed)
        for item in items:
            old, new = sentence.split(), item.hypothesis.split()
            changed = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
            assert len(changed) == 1
            before, after = changed[0]
            assert [c.isupper() for c in before] == [c.isupper() for c in after]
            assert after.lower() not in {"no", "from", "cat", "bat", "got", "not", "tan", "ton"}


def test_the_free_tautology_is_the_users() -> None:
    (item,), _ = make(
        "tautology",
        [Example("a", "p", "It rains.", "neutral")],
        resources=Resources(tautology="and two is two."),
    )
    assert item.hypothesis == "It rains and two is two."
    with pytest.raises(CrossexamError, match="the tautology is empty"):
        make("tautology", [Example("a", "p", "h", None)], resources=Resources(tautology=" "))


def test_an_unknown_name_has_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'negation'"):
        construction_named("negaton")
    with pytest.raises(UnknownNameError, match=r"no construction is called 'negation\.v9'"):
        construction_named("negation.v9")


def test_chunks_and_repeated_pairs_do_not_matter() -> None:
    assert [len(chunk) for chunk in chunks([Example(str(i), "p", "h", None) for i in range(5)], 2)] == [
        2,
        2,
        1,
    ]
    tags = [["The", "DT"], ["soup", "NN"], ["is", "VBZ"], ["hot", "JJ"]]
    info = {"premise_tags": tags, "hypothesis_tags": []}
    twice = [Example(name, "The soup is hot", "", "neutral", info=info) for name in "ab"]
    items, counts = make("antonymy", twice, resources=_resources())
    assert len(items) == 1
    assert counts["rejected"] == {"sentence met before": 1}


def _numbers(text: str) -> list[float]:
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*\.?\d*", text)]


@given(seed=st.integers(0, 10_000))
@settings(max_examples=150, deadline=None)
def test_less_than_and_more_than_are_always_true(seed: int) -> None:
    tags = [["Ada", "NNP"], ["has", "VBZ"], ["350", "CD"], ["marbles", "NNS"], [".", "."]]
    base = Example("a", "Ada has 350 marbles.", "", None, info={"premise_tags": tags})
    resources = _resources()
    maker = Maker(CONSTRUCTIONS["numerical_reasoning"], resources, seed=seed)
    items = {item.label: item for item in maker.items(base)}
    assert set(items) == {"entailment", "contradiction", "neutral"}
    entailed = items["entailment"]
    (new,) = _numbers(entailed.hypothesis)
    assert new not in {350, 1}
    assert ("less than" in entailed.hypothesis) == (new > 350)
    assert ("more than" in entailed.hypothesis) == (new < 350)
    assert (items["neutral"].premise, items["neutral"].hypothesis) == (entailed.hypothesis, entailed.premise)
    contradicted = items["contradiction"].hypothesis
    prefixed = "than" in contradicted
    assert (_numbers(contradicted) == [350]) == prefixed


def test_an_item_equal_to_its_base_is_rejected() -> None:
    tags = {
        "premise_tags": [["Hot", "JJ"], ["soup", "NN"]],
        "hypothesis_tags": [["Cold", "JJ"], ["soup", "NN"]],
    }
    given_pair = Example("a", "Hot soup", "Cold soup", "contradiction", info=tags)
    (item,), counts = make("antonymy", [given_pair], resources=_resources())
    assert (item.premise, item.hypothesis) == ("Cold soup", "Hot soup")
    assert counts["rejected"] == {"equal to its base": 1}
