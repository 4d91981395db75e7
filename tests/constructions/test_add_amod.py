"""AddAmod: where the adjective goes, which nouns and adjectives are taken, and why others are not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossexam.constructions.add_amod import NounEntity, ReadPremise, why_not_two
from crossexam.constructions.apply import apply_construction
from crossexam.constructions.check import run_checks
from crossexam.constructions.resources import LanguageResources
from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.corpora.spec import CorpusSpec
from crossexam.language.lexicons.adjectives import AdjectiveCounts
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.noun_phrases import noun_phrases
from crossexam.language.nouns import clashes_with_noun, concrete_kind, is_one_kind_of_other
from crossexam.language.parsing.dependencies import Parsed
from crossexam.language.tokens import Token, words
from crossexam.suites.bases import base_from_examples
from crossexam.suites.build import build_in_memory
from crossexam.suites.table import suite_request

WORDNET = WordNet.load()


def example(tagged: str, name: str = "e") -> Example:
    """The premise of words with their Penn tags; "_" joins no blank before it."""
    pairs = [piece.rsplit("/", 1) for piece in tagged.split()]
    text = " ".join(word for word, _ in pairs).replace(" _", "")
    tags = [[word.removeprefix("_"), tag] for word, tag in pairs]
    return Example(name, text, "", "entailment", info={"premise_tags": tags})


Only = Callable[[str, str], dict[str, str]]


@pytest.fixture
def only(tmp_path: Path) -> Only:
    """Options with a table that has each of the adjectives once with each of the nouns."""

    def options(adjectives: str, nouns: str) -> dict[str, str]:
        path = tmp_path / "table.tsv"
        row = dict.fromkeys(adjectives.split(), 1)
        AdjectiveCounts(dict.fromkeys(nouns.split(), row), "test").write(path)
        return {"adjectives": str(path)}

    return options


def added(
    base: Example, options: Mapping[str, Any], seed: int = 0
) -> tuple[list[Example], Mapping[str, Any]]:
    return apply_construction(
        "add_amod", [base], seed=seed, resources=LanguageResources("parses"), options=options
    )


def pair(tagged: str, options: Mapping[str, Any]) -> list[str]:
    """The new premise and hypothesis, in the order of where the adjective stands."""
    (item,), counts = added(example(tagged), options)
    assert (item.label, counts["rejected"]) == ("neutral", {})
    assert run_checks(Dataset("add_amod", [item]), Dataset("base", [example(tagged)])) == []
    assert item.change is not None
    starts = {
        side: max(e.start for e in item.change.edits if e.side == side) for side in ("premise", "hypothesis")
    }
    return (
        [item.premise, item.hypothesis]
        if starts["premise"] < starts["hypothesis"]
        else [item.hypothesis, item.premise]
    )


@pytest.mark.parametrize(
    ("tagged", "adjective", "nouns", "expected"),
    [
        (
            "A/DT goat/NN watched/VBD an/DT ape/NN _./.",
            "small",
            "goat ape",
            ["A small goat watched an ape.", "A goat watched a small ape."],
        ),
        (
            "A/DT goat/NN watched/VBD a/DT truck/NN",
            "old",
            "goat truck",
            ["An old goat watched a truck", "A goat watched an old truck"],
        ),
        (
            "A/DT GOAT/NN WATCHED/VBD A/DT TRUCK/NN",
            "old",
            "goat truck",
            ["AN OLD GOAT WATCHED A TRUCK", "A GOAT WATCHED AN OLD TRUCK"],
        ),
        (
            "Goats/NNS watched/VBD two/CD trucks/NNS _./.",
            "old",
            "goat truck",
            ["Old goats watched two trucks.", "Goats watched two old trucks."],
        ),
        (
            "TVs/NNS stood/VBD near/IN the/DT trucks/NNS _./.",
            "old",
            "tv truck",
            ["Old TVs stood near the trucks.", "TVs stood near the old trucks."],
        ),
        (
            "goats/NNS watched/VBD my/PRP$ truck/NN",
            "old",
            "goat truck",
            ["old goats watched my truck", "goats watched my old truck"],
        ),
        (  # Quirk et al. 1985, section 17.115: size, age, colour, material, compound
            "A/DT big/JJ brown/JJ goat/NN watched/VBD the/DT red/JJ metal/NN fire/NN truck/NN",
            "old",
            "goat truck",
            [
                "A big old brown goat watched the red metal fire truck",
                "A big brown goat watched the old red metal fire truck",
            ],
        ),
        (
            "Several/JJ goats/NNS watched/VBD many/JJ parked/VBN trucks/NNS",
            "old",
            "goat truck",
            ["Several old goats watched many parked trucks", "Several goats watched many old parked trucks"],
        ),
        (
            "A/DT nurse/NN met/VBD the/DT pilot/NN",
            "indian",
            "nurse pilot",
            ["An Indian nurse met the pilot", "A nurse met the Indian pilot"],
        ),
        (
            "The/DT pilot/NN 's/POS goat/NN watched/VBD a/DT truck/NN",
            "old",
            "goat truck",
            ["The pilot 's old goat watched a truck", "The pilot 's goat watched an old truck"],
        ),
        (
            "A/DT goat/NN and/CC a/DT truck/NN stood/VBD there/RB",
            "old",
            "goat truck",
            ["An old goat and a truck stood there", "A goat and an old truck stood there"],
        ),
        (  # what is said in quotation marks before is over
            "\"/`` Go/VB _\"/'' said/VBD a/DT pilot/NN near/IN a/DT truck/NN",
            "old",
            "pilot truck",
            ['" Go" said an old pilot near a truck', '" Go" said a pilot near an old truck'],
        ),
        (  # not known what it describes, and yet after an age
            "A/DT musical/JJ goat/NN watched/VBD a/DT truck/NN",
            "old",
            "goat truck",
            ["An old musical goat watched a truck", "A musical goat watched an old truck"],
        ),
    ],
)
def test_where_the_adjective_stands(
    tagged: str, adjective: str, nouns: str, expected: list[str], only
) -> None:  # type: ignore[no-untyped-def]
    assert pair(tagged, only(adjective, nouns)) == expected


FEW = "fewer than two concrete nouns"
NONE = "no adjective for both nouns"


@pytest.mark.parametrize(
    ("tagged", "reason"),
    [
        ("A/DT goat/NN sleeps/VBZ", FEW),
        ("A/DT goat/NN has/VBZ joy/NN in/IN its/PRP$ heart/NN", FEW),
        ("A/DT goat/NN never/RB met/VBD a/DT truck/NN", "negation, condition or question"),
        ("Has/VBZ a/DT goat/NN met/VBN a/DT truck/NN _?/.", "negation, condition or question"),
        ("A/DT goat/NN watched/VBD a/DT goat/NN and/CC a/DT truck/NN", "noun that occurs twice"),
        ("A/DT goat/NN watched/VBD Goats/NNS", "noun that occurs twice"),
        ("A/DT goat/NN in/IN a/DT Truck/NN", "proper name"),
        ("A/DT goat/NN in/IN a/DT Volvo/NNP truck/NN", "proper name"),
        ("A/DT fat/JJ and/CC slow/JJ goat/NN in/IN a/DT truck/NN", "modifiers joined or graded"),
        ("A/DT very/RB fat/JJ goat/NN in/IN a/DT truck/NN", "modifiers joined or graded"),
        ("A/DT goat/NN in/IN every/DT truck/NN", "quantified, or one picked out"),
        ("The/DT other/JJ goat/NN in/IN a/DT truck/NN", "quantified, or one picked out"),
        ("The/DT fattest/JJS goat/NN in/IN a/DT truck/NN", "compared"),
        ("A/DT truck/NN shaped/VBN like/IN a/DT goat/NN", "noun that names nobody"),
        ("A/DT goat/NN takes/VBZ a/DT bus/NN", "object of a light verb"),
        ("A/DT goat/NN near/IN truck/NN", "singular without a determiner"),
        ("Goats/NNS and/CC trucks/NNS", "could modify what is joined to it"),
        ("Goats/NNS ,/, and/CC trucks/NNS", "could modify what is joined to it"),
        ("A/DT goat/NN near/IN a/DT truck/NN -/: like/JJ thing/NN", "part of a longer word"),
        ("They/PRP goats/NNS near/IN a/DT truck/NN", "unclear where the phrase begins"),
        ("Big/JJ feeding/VBG goats/NNS near/IN a/DT truck/NN", "unclear where the phrase begins"),
        ("A/DT goat/NN says/VBZ ``/`` a/DT truck/NN", "in quotation marks"),
        ("A/DT vehicle/NN passed/VBD the/DT truck/NN", "one noun is a kind of the other"),
        ("A/DT goat/NN ran/VBD ./. A/DT truck/NN stopped/VBD", "in two sentences"),
        ("A/DT goat/NN was/VBD a/DT pilot/NN", "one entity twice"),
        ("Some/DT pilots/NNS run/VBP ,/, a/DT cook/NN sleeps/VBZ", "one entity twice"),
        ("A/DT couple/NN sits/VBZ ,/, a/DT cook/NN sleeps/VBZ", "one entity twice"),
        ("A/DT box/NN of/IN trucks/NNS", "part and whole"),
        ("A/DT house/NN with/IN a/DT fence/NN", "part and whole"),
        ("A/DT goat/NN saw/VBD a/DT bench/NN", NONE),  # the table has no adjective of benches
        ("An/DT old/JJ goat/NN saw/VBD a/DT truck/NN", NONE),  # it is there already
        ("A/DT new/JJ goat/NN saw/VBD a/DT truck/NN", NONE),  # the opposite is
        ("A/DT little/JJ goat/NN saw/VBD a/DT truck/NN", NONE),  # young, then
    ],
)
def test_why_there_is_no_item(tagged: str, reason: str, only: Only) -> None:
    nouns = "goat truck pilot cook couple box house fence vehicle bus"
    items, counts = added(example(tagged), only("old", nouns))
    assert (items, counts["rejected"]) == ([], {reason: 1})


@pytest.mark.parametrize(
    ("tagged", "adjectives"),
    [
        ("A/DT pilot/NN in/IN a/DT shirt/NN", "red"),  # no one colour
        ("A/DT boy/NN near/IN a/DT truck/NN", "old young"),  # boys are young
        ("A/DT kitten/NN near/IN a/DT truck/NN", "small large"),
        ("A/DT girl/NN near/IN a/DT truck/NN", "little"),
        ("A/DT whale/NN near/IN a/DT truck/NN", "large"),
        ("A/DT pilot/NN near/IN a/DT truck/NN", "new"),  # who is new is new there
        ("A/DT dwarf/NN near/IN a/DT truck/NN", "small"),  # "a person who is markedly small"
        ("A/DT cook/NN and/CC his/PRP$ mother/NN", "old asian"),
        ("A/DT goat/NN near/IN an/DT unusual/JJ truck/NN", "strange"),  # WordNet: both like "unusual"
        ("A/DT goat/NN near/IN a/DT truck/NN is/VBZ unusual/JJ", "strange"),
        ("A/DT goat/NN near/IN a/DT large/JJ truck/NN", "big tall"),  # a synonym; the same class
        ("A/DT goat/NN near/IN a/DT book/NN store/NN", "red"),  # a store of red books?
        ("A/DT goat/NN near/IN a/DT busy/JJ store/NN", "red"),  # red busy, busy red?
        ("A/DT pilot/NN in/IN a/DT house/NN", "white"),
        ("A/DT goat/NN in/IN a/DT house/NN", "white"),  # the White House
        ("A/DT goat/NN near/IN a/DT baby/NN elephant/NN", "small"),  # the first noun says so
        ("A/DT goat/NN near/IN a/DT truck/NN", "federal"),  # not of a known class
    ],
)
def test_adjectives_that_cannot_be_added(tagged: str, adjectives: str, only: Only) -> None:
    nouns = {t.split("/")[0] for t in tagged.split() if t.endswith("NN")}
    items, counts = added(example(tagged), only(adjectives, " ".join(nouns)))
    assert (items, counts["rejected"]) == ([], {NONE: 1})


def test_an_adjective_that_is_usual_of_a_noun_is_not_added(tmp_path: Path) -> None:
    def outcome(red: int, others: int) -> int:
        path = tmp_path / f"{red}.tsv"
        AdjectiveCounts({"boat": {"red": red, "green": others}, "truck": {"red": 9, "old": 9}}, "t").write(
            path
        )
        tagged = "A/DT goat/NN on/IN a/DT truck/NN near/IN a/DT boat/NN"
        return len(added(example(tagged), {"adjectives": str(path)})[0])

    assert outcome(red=7, others=3) == 0  # more than three in five
    assert outcome(red=6, others=4) == 1
    assert outcome(red=7, others=0) == 1  # too few to say


def test_both_directions_and_what_is_recorded(only: Only) -> None:
    premise = "A/DT goat/NN near/IN a/DT truck/NN"
    items, _ = added(example(premise), only("old", "goat truck") | {"both_directions": True})
    first, second = items
    assert (first.premise, first.hypothesis) == (second.hypothesis, second.premise)
    assert second.id == first.id + ":mirrored"
    assert first.info["cluster"] == second.info["cluster"]
    assert first.info["nouns"] == second.info["nouns"][::-1]
    assert (first.info["adjective"], first.info["class"], first.info["counts"]) == ("old", "age", [1, 1])


def test_choices_are_drawn_by_their_smaller_count(tmp_path: Path) -> None:
    path = tmp_path / "table.tsv"
    AdjectiveCounts(
        {"goat": {"old": 1, "red": 90, "wild": 90}, "truck": {"old": 90, "red": 9, "wild": 90}}, "t"
    ).write(path)
    base = example("A/DT goat/NN near/IN a/DT truck/NN")
    drawn = [added(base, {"adjectives": str(path)}, seed)[0][0] for seed in range(300)]
    red = sum(item.info["adjective"] == "red" for item in drawn)
    assert 300 * 0.83 < red < 300 * 0.97  # 9 to 1; three standard errors are 0.052
    in_premise = sum("goat" in item.info["nouns"][0] for item in drawn)
    assert 300 * 0.41 < in_premise < 300 * 0.59


def parsed(text: str, tags: str, links: str) -> Parsed:
    tokens = tuple(token._replace(tag=tag) for token, tag in zip(words(text), tags.split(), strict=True))
    pairs = [link.split(":", 1) for link in links.split()]
    return Parsed(tokens, tuple(int(head) for head, _ in pairs), tuple(name for _, name in pairs))


def test_what_the_parse_says_of_two_nouns(for_each: Callable[..., None]) -> None:
    def check(text: str, tags: str, links: str, reason: str | None) -> None:
        parse = parsed(text, tags, links)
        phrases = [
            p for p in noun_phrases(parse.tokens, parse) if parse.tokens[p.head].text in {"nurse", "pilot"}
        ]
        sentence = ReadPremise(text, parse.tokens, [t.text.lower() for t in parse.tokens], phrases, parse)
        nurse, pilot = (NounEntity(p, parse.tokens[p.head].text, "person") for p in phrases)
        assert why_not_two(sentence, nurse, pilot, WORDNET) == reason

    for_each(
        check,
        [
            (  # apposition
                "A nurse from town, the pilot of it, sings",
                "DT NN IN NN , DT NN IN PRP , VBZ",
                "1:det 10:nsubj 3:case 1:nmod 6:punct 6:det 1:appos 8:case 6:nmod 1:punct -1:root",
                "one entity twice",
            ),
            (  # predicate
                "A nurse here is really a pilot",
                "DT NN RB VBZ RB DT NN",
                "1:det 6:nsubj 1:advmod 6:cop 6:advmod 6:det -1:root",
                "one entity twice",
            ),
            (  # subject of the noun without a copula: not said of it
                "A nurse saw really a pilot",
                "DT NN VBD RB DT NN",
                "1:det 5:nsubj -1:root 5:advmod 5:det 2:obj",
                None,
            ),
            ("A nurse saw a pilot", "DT NN VBD DT NN", "1:det 2:nsubj -1:root 4:det 2:obj", None),
            ("A nurse with a pilot", "DT NN IN DT NN", "1:det -1:root 4:case 4:det 1:nmod", None),
        ],
    )


def test_a_shipped_parse_is_read(only: Only) -> None:
    text = "A goat near a truck sleeps."
    tree = (
        "(ROOT (S (NP (NP (DT A) (NN goat)) (PP (IN near) (NP (DT a) (NN truck)))) (VP (VBZ sleeps)) (. .)))"
    )
    base = Example("e", text, "", "entailment", info={"premise_parse": tree})
    (item,), _ = added(base, only("old", "goat truck"))
    assert {item.premise, item.hypothesis} == {
        "An old goat near a truck sleeps.",
        "A goat near an old truck sleeps.",
    }


def test_what_nouns_name() -> None:
    assert [concrete_kind(n, WORDNET) for n in ("people", "goat", "table", "arm", "idea")] == [
        "person",
        "animal",
        "thing",
        None,
        None,
    ]
    assert is_one_kind_of_other("truck", "vehicle", WORDNET)
    assert is_one_kind_of_other("vehicle", "truck", WORDNET)
    assert not is_one_kind_of_other("truck", "goat", WORDNET)
    assert clashes_with_noun("young", "truck", WORDNET)
    assert not clashes_with_noun("old", "truck", WORDNET)


def test_the_table_stands_in_the_signature(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    AdjectiveCounts({"goat": {"old": 1}, "truck": {"old": 1}}, "mine").write(path)
    base = base_from_examples([example("A/DT goat/NN near/IN a/DT truck/NN")])
    options = {"adjectives": str(path), "both_directions": True}
    request = suite_request("add_amod", [base], options={"add_amod": options}, tagger="parses")
    suite = build_in_memory(request)
    (name,) = (name for name in suite.datasets if name.startswith("add_amod"))
    signature = suite.datasets[name].manifest["signature"]
    assert f"|adjectives:{AdjectiveCounts.read(path).name}|" in signature
    assert "|both_directions:True|" in signature
    assert len(suite.datasets[name]) == 2
    stated = suite.manifest["request"]["options"]["add_amod"]
    assert stated.pop("adjectives").startswith(f"{path}#")
    assert stated == {"both_directions": True}
    plain = build_in_memory(suite_request("add_amod", [base], tagger="parses"))
    assert "both_directions" not in plain.datasets[name].manifest["signature"]
    assert plain.manifest["request"]["options"] == {}
    with pytest.raises(
        CrossexamError, match="'negation' does not use 'add_amod', so it does not take that option"
    ):
        suite_request("negation", [base], options={"add_amod": options})


NOUNS = st.sampled_from(["goats", "trucks", "nurses", "hats", "joys", "boys", "benches", "dogs", "shirts"])
ADJECTIVES = st.lists(
    st.sampled_from(["red", "old", "big", "wooden", "striped", "busy"]), max_size=2, unique=True
)
LINKS = st.sampled_from(["near/IN", "and/CC", "of/IN", "watch/VBP", ",/,"])
DETERMINERS = st.sampled_from(["the/DT", "two/CD", "all/DT", ""])


@settings(max_examples=80, deadline=None)
@given(NOUNS, ADJECTIVES, LINKS, DETERMINERS, NOUNS, ADJECTIVES, st.integers(0, 9))
def test_an_item_adds_one_adjective_to_each_side(
    noun: str, before: list[str], link: str, determiner: str, other: str, others: list[str], seed: int
) -> None:
    pieces = [*(f"{a}/JJ" for a in before), f"{noun}/NNS", link, determiner, *(f"{a}/JJ" for a in others)]
    base = example(" ".join([*filter(None, pieces), f"{other}/NNS", "here/RB"]))
    items, counts = added(base, {}, seed)
    assert len(items) + sum(counts["rejected"].values()) == 1
    for item in items:
        adjective = item.info["adjective"]
        for side, told in (("premise", item.premise), ("hypothesis", item.hypothesis)):
            assert sorted(told.lower().split()) == sorted([*base.premise.lower().split(), adjective]), side
        assert adjective not in base.premise.split()
        assert item.premise != item.hypothesis


@pytest.mark.parametrize(
    ("tagged", "adjective", "nouns", "expected"),
    [
        (  # an unknown class, known already by the noun, not in the usual order
            "A/DT young/JJ boy/NN watched/VBD an/DT ape/NN",
            "small",
            "boy ape",
            ["A young small boy watched an ape", "A young boy watched a small ape"],
        ),
        (  # negated; the same class; one kind of the other
            "No/DT red/JJ truck/NN met/VBD a/DT vehicle/NN",
            "green",
            "truck vehicle",
            ["No red green truck met a vehicle", "No red truck met a green vehicle"],
        ),
        (
            "Joys/NNS are/VBP like/IN fire/NN trucks/NNS _./.",
            "real",
            "joy truck",
            ["Real joys are like fire trucks.", "Joys are like real fire trucks."],
        ),
        (
            "A/DT goat/NN watched/VBD trucks/NNS",
            "african",
            "goat truck",
            ["An African goat watched trucks", "A goat watched African trucks"],
        ),
    ],
)
def test_the_rules_of_the_paper_add_any_adjective_of_both_nouns(
    tagged: str, adjective: str, nouns: str, expected: list[str], only: Only
) -> None:
    options = only(adjective, nouns)
    assert pair(tagged, {**options, "rules": "paper"}) == expected


@pytest.mark.parametrize(
    ("tagged", "adjective", "nouns", "reason"),
    [
        ("A/DT goat/NN watched/VBD a/DT goat/NN", "old", "goat", "fewer than two nouns"),
        ("A/DT goat/NN watched/VBD a/DT truck/NN", "old", "goat", "no adjective for both nouns"),
        (
            "An/DT old/JJ goat/NN watched/VBD a/DT truck/NN",
            "old",
            "goat truck",
            "no adjective for both nouns",
        ),
    ],
)
def test_the_rules_of_the_paper_need_two_nouns_without_the_adjective(
    tagged: str, adjective: str, nouns: str, reason: str, only: Only
) -> None:
    items, counts = added(example(tagged), {**only(adjective, nouns), "rules": "paper"})
    assert (items, counts["rejected"]) == ([], {reason: 1})


@pytest.mark.parametrize("word", "several many few other own same such multiple various ten first".split())
def test_what_determines_or_counts_a_noun_is_no_adjective_of_the_paper(word: str, only: Only) -> None:
    tagged = "Two/CD goats/NNS watched/VBD the/DT trucks/NNS"
    items, counts = added(example(tagged), {**only(word, "goat truck"), "rules": "paper"})
    assert (items, counts["rejected"]) == ([], {"no adjective for both nouns": 1})
    assert added(example(tagged), {**only(f"{word} little", "goat truck"), "rules": "paper"})[0]


@pytest.mark.slow
def test_the_rules_of_the_paper_make_at_least_as_many_items_as_the_paper(shared_data: Path) -> None:
    base = CorpusSpec.parse(f"snli@{shared_data / 'snli' / 'snli_1.0_dev.jsonl'}").examples()
    items, _ = apply_construction("add_amod", base, options={"rules": "paper"})
    assert len(items) >= 1_783


@pytest.mark.parametrize(
    ("tagged", "adjective", "nouns", "reason"),
    [
        (  # a flag has the colours of its country
            "A/DT man/NN with/IN a/DT bag/NN near/IN a/DT Canadian/JJ flag/NN",
            "red",
            "bag flag",
            "no adjective for both nouns",
        ),
        (  # the man wears black, and dances
            "Two/CD goats/NNS dressed/VBD in/IN black/JJ dances/NNS",
            "small",
            "goat dance",
            "unclear where the phrase begins",
        ),
        (
            "Two/CD goats/NNS dressed/VBD in/IN black/JJ juggling/NN trucks/NNS",
            "old",
            "goat truck",
            "unclear where the phrase begins",
        ),
    ],
)
def test_what_an_adjective_would_spoil(
    tagged: str, adjective: str, nouns: str, reason: str, only: Only
) -> None:
    items, counts = added(example(tagged), only(adjective, nouns))
    assert (items, counts["rejected"]) == ([], {reason: 1})


def test_black_trousers_are_no_verb(only: Only) -> None:
    tagged = "A/DT goat/NN near/IN men/NNS in/IN black/JJ dresses/NNS"
    assert pair(tagged, only("small", "goat dress"))[1] == "A goat near men in small black dresses"


def test_an_empty_premise_gives_nothing() -> None:
    assert apply_construction("add_amod", [Example("e", " ", "A goat.", None)])[0] == []


def test_tokens_of_this_file_are_placed() -> None:
    assert words("A goat")[1] == Token("goat", 2, 6, "")
