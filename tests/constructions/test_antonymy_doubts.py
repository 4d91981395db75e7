"""Each rule of doubt strikes where it should, and not beside it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from crossexam.constructions.apply import apply_construction
from crossexam.constructions.resources import LanguageResources
from crossexam.core.example import Example


def made(
    tagged: str, *, rules: str = "ours", attested_in: str | None = None
) -> tuple[list[Example], dict[str, int]]:
    """What antonymy makes of words with their Penn tags, such as ``soup/NN``, and why not more."""
    tags = [piece.rsplit("/", 1) for piece in tagged.split()]
    text = " ".join(word for word, _ in tags)
    given = Example("e", text, "", None, info={"premise_tags": tags})
    items, counts = apply_construction(
        "antonymy",
        [given],
        resources=LanguageResources("parses"),
        options={"rules": rules, "attested_in": attested_in},
    )
    return items, counts["rejected"]


# fmt: off
# The reason, a sentence that has it in one word, and what the paper's rules make of it.
DOUBTFUL = [
    ("determiner or quantifier", "The/DT same/JJ soup/NN was/VBD there/RB", "The other soup was there"),
    ("determiner or quantifier", "Few/JJ boats/NNS sank/VBD", "Many boats sank"),
    ("under negation", "The/DT soup/NN was/VBD not/RB hot/JJ", "The soup was not cold"),
    ("modal, conditional or reported", "The/DT soup/NN may/MD be/VB hot/JJ", "The soup may be cold"),
    ("modal, conditional or reported", "He/PRP thought/VBD the/DT tea/NN hot/JJ", "He thought the tea cold"),
    ("at times", "The/DT soup/NN is/VBZ often/RB hot/JJ", "The soup is often cold"),
    ("comparison", "The/DT soup/NN is/VBZ hotter/JJR than/IN tea/NN",
     "The soup is colder than tea"),
    ("comparison", "The/DT most/RBS hot/JJ soup/NN", "The most cold soup"),
    ("question", "Is/VBZ the/DT soup/NN hot/JJ ?/. ”/''", "Is the soup cold ? ”"),
    ("part of a compound noun", "The/DT husband/NN club/NN met/VBD", "The wife club met"),
    ("proper name", "He/PRP crossed/VBD the/DT Old/JJ Bridge/NNP", "He crossed the Young Bridge"),
    # fast.a.02, "(used of timepieces) indicating a time ahead of ...": no tagged text has it.
    ("sense not attested", "The/DT timepieces/NNS are/VBP fast/JJ indicating/VBG a/DT time/NN",
     "The timepieces are slow indicating a time"),
    ("antonym not attested", "The/DT room/NN was/VBD crowded/JJ", "The room was uncrowded"),
    ("part of a fixed expression", "He/PRP ate/VBD a/DT hot/JJ dog/NN", "He ate a cold dog"),
    ("part of a fixed expression", "He/PRP ate/VBD two/CD hot/JJ dogs/NNS", "He ate two cold dogs"),
    ("part of a fixed expression", "He/PRP ate/VBD hot/JJ cross/NN bun/NN", "He ate cold cross bun"),
]
# fmt: on


def test_a_doubtful_replacement_is_rejected_or_marked(for_each: Callable[..., None]) -> None:
    def check(reason: str, tagged: str, published: str) -> None:
        items, rejected = made(tagged)
        assert items == []
        assert rejected.pop(reason) == 1
        assert set(rejected) <= {"the sense has no antonym"}  # of another word
        (item,), _ = made(tagged, rules="paper")
        assert item.hypothesis == published
        assert item.info["doubts"][0] == reason

    for_each(check, DOUBTFUL)


# fmt: off
# Beside the rules: a near miss of each, and what is made of it.
SOUND = [
    ("A/DT hot/JJ soup/NN was/VBD there/RB", ["A cold soup was there"]),
    ("The/DT husband/NN is/VBZ meeting/VBG two/CD aunts/NNS",
     ["The wife is meeting two aunts", "The husband is meeting two uncles"]),
    ("The/DT club/NN of/IN the/DT husband/NN met/VBD", ["The club of the wife met"]),
    ("He/PRP said/VBD “/`` Several/JJ old/JJ sailors/NNS are/VBP singing/VBG",
     ["He said “ Several young sailors are singing"]),
    ("HE/PRP MET/VBD AN/DT OLD/JJ SAILOR/NN", ["HE MET A YOUNG SAILOR"]),
    ("Two/CD old/JJ sailors/NNS sing/VBP", ["Two young sailors sing"]),
    ("He/PRP ate/VBD a/DT hot/JJ soup/NN", ["He ate a cold soup"]),
    # WordNet lists "young man", but its head is a person.
    ("He/PRP met/VBD a/DT young/JJ man/NN", ["He met an old man", "He met a young woman"]),
]
# fmt: on


def test_beside_the_rules_words_are_replaced(for_each: Callable[..., None]) -> None:
    def check(tagged: str, expected: list[str]) -> None:
        items, rejected = made(tagged)
        assert [item.hypothesis for item in items] == expected
        assert rejected == {}
        assert all("doubts" not in item.info for item in made(tagged, rules="paper")[0])

    for_each(check, SOUND)


def test_an_antonym_in_any_form_may_stand_in_the_sentence() -> None:
    tagged = "The/DT husband/NN is/VBZ meeting/VBG two/CD wives/NNS"
    assert made(tagged) == ([], {"antonym stands in the sentence": 2})
    items, _ = made(tagged, rules="paper")
    assert [item.hypothesis for item in items] == [
        "The wife is meeting two wives",
        "The husband is meeting two husbands",
    ]
    assert all(item.info["doubts"] == ["antonym stands in the sentence"] for item in items)


def test_the_first_doubt_is_counted_and_all_are_recorded() -> None:
    tagged = "The/DT soup/NN might/MD not/RB be/VB hot/JJ ?/."
    assert made(tagged) == ([], {"under negation": 1})
    (item,), _ = made(tagged, rules="paper")
    doubts = item.info["doubts"]
    assert doubts[:3] == ["under negation", "modal, conditional or reported", "question"]
    assert doubts[3:] == ["not in an upward monotone context"]


# fmt: off
# A context in which both words may be right, and a near miss in which they exclude each other.
CONTEXTS = [
    ("order or time", "It/PRP was/VBD the/DT first/JJ visit/NN", "It/PRP was/VBD a/DT good/JJ visit/NN"),
    ("additive or comparative word",
     "Anna/NNP also/RB ate/VBD a/DT hot/JJ soup/NN", "Anna/NNP ate/VBD a/DT hot/JJ soup/NN"),
    ("in some cases only", "Some/DT shops/NNS are/VBP wet/JJ", "Shops/NNS are/VBP wet/JJ"),
    ("in some cases only",
     "Shops/NNS were/VBD wet/JJ in/IN some/DT cases/NNS", "Shops/NNS were/VBD wet/JJ"),
    ("in a restrictive clause",
     "Anna/NNP met/VBD people/NNS who/WP are/VBP old/JJ",
     "Anna/NNP met/VBD Ben/NNP ,/, who/WP is/VBZ old/JJ"),
    ("not in an upward monotone context",
     "Everyone/NN happy/JJ sang/VBD", "Everyone/NN was/VBD happy/JJ"),
    ("classifying adjective",
     "Anna/NNP reads/VBZ a/DT local/JJ paper/NN", "Anna/NNP reads/VBZ a/DT clean/JJ paper/NN"),
    ("classifying adjective",
     "Anna/NNP saw/VBD a/DT legal/JJ team/NN", "Anna/NNP saw/VBD a/DT happy/JJ team/NN"),
    ("adjectives that may both be right",
     "The/DT claim/NN is/VBZ strange/JJ", "The/DT soup/NN is/VBZ hot/JJ"),
    ("noun phrase without a determiner",
     "Anna/NNP is/VBZ using/VBG small/JJ shops/NNS", "Anna/NNP is/VBZ using/VBG a/DT small/JJ shop/NN"),
    ("noun phrase without a determiner",
     "They/PRP are/VBP meeting/VBG husbands/NNS", "They/PRP are/VBP meeting/VBG a/DT husband/NN"),
    ("in some cases only",
     "Rules/NNS help/VBP small/JJ shops/NNS", "Rules/NNS help/VBP a/DT small/JJ shop/NN"),
    ("in some cases only", "Some/DT boys/NNS keep/VBP goats/NNS",
     "Some/DT boys/NNS are/VBP feeding/VBG goats/NNS"),
    ("in some cases only",
     "There/EX are/VBP a/DT few/JJ sad/JJ sailors/NNS", "There/EX are/VBP two/CD sad/JJ sailors/NNS"),
    ("in some cases only", "Sad/JJ sailors/NNS keep/VBP goats/NNS",
     "A/DT group/NN of/IN sad/JJ sailors/NNS keeps/VBZ goats/NNS"),
    ("restrictive adjective", "The/DT clean/JJ system/NN works/VBZ", "The/DT system/NN is/VBZ clean/JJ"),
    ("restrictive adjective",
     "The/DT old/JJ sailor/NN left/VBD", "The/DT old/JJ sailor/NN is/VBZ leaving/VBG"),
    ("restrictive adjective",
     "We/PRP met/VBD her/PRP$ tall/JJ tutor/NN", "We/PRP met/VBD a/DT tall/JJ tutor/NN"),
    ("order or time", "They/PRP hired/VBD a/DT new/JJ cook/NN", "They/PRP hired/VBD a/DT young/JJ cook/NN"),
    ("order or time",
     "Anna/NNP tried/VBD a/DT new/JJ game/NN", "Anna/NNP is/VBZ holding/VBG a/DT new/JJ ball/NN"),
    ("restrictive adjective",
     "Anna/NNP closed/VBD three/CD small/JJ shops/NNS", "Anna/NNP met/VBD three/CD small/JJ sailors/NNS"),
    ("restrictive adjective",
     "It/PRP opened/VBD my/PRP$ clean/JJ shop/NN", "It/PRP took/VBD my/PRP$ black/JJ hat/NN"),
    ("neither before a noun nor after a linking verb",
     "Anna/NNP keeps/VBZ the/DT soup/NN hot/JJ", "The/DT soup/NN of/IN Anna/NNP is/VBZ hot/JJ"),
    ("with a complement that may choose another sense",
     "The/DT dog/NN is/VBZ good/JJ for/IN Anna/NNP", "The/DT dog/NN is/VBZ good/JJ"),
    ("with a complement that may choose another sense",
     "The/DT cook/NN was/VBD busy/JJ peeling/VBG carrots/NNS", "The/DT cook/NN was/VBD busy/JJ"),
    ("with a complement that may choose another sense",
     "They/PRP are/VBP bad/JJ because/IN they/PRP lied/VBD", "They/PRP are/VBP bad/JJ"),
    ("comparison",
     "It/PRP is/VBZ as/RB sweet/JJ as/IN a/DT good/JJ pie/NN", "It/PRP is/VBZ a/DT good/JJ pie/NN"),
    ("additive or comparative word",
     "It/PRP is/VBZ cold/JJ ,/, among/IN other/JJ things/NNS", "It/PRP is/VBZ cold/JJ among/IN trees/NNS"),
    ("antonym of a rarer sense", "The/DT tea/NN was/VBD fine/JJ", "The/DT tea/NN was/VBD hot/JJ"),
    ("negative word with a meaning of its own",
     "The/DT tale/NN is/VBZ incredible/JJ", "The/DT tale/NN is/VBZ unlikely/JJ"),
    ("in an instruction",
     "Buy/VB a/DT cheap/JJ lamp/NN", "Anna/NNP bought/VBD a/DT cheap/JJ lamp/NN"),
    ("in a phrase before the subject",
     "In/IN a/DT typical/JJ barn/NN ,/, goats/NNS sleep/VBP",
     "On/IN Monday/NNP ,/, it/PRP was/VBD a/DT typical/JJ barn/NN"),
    ("in an adverbial clause",
     "When/WRB Anna/NNP was/VBD happy/JJ ,/, Ben/NNP sang/VBD",
     "When/WRB Ben/NNP sang/VBD ,/, Anna/NNP was/VBD happy/JJ"),
    ("in an adverbial clause",
     "Ben/NNP sang/VBD after/IN Anna/NNP was/VBD happy/JJ",
     "Ben/NNP was/VBD happy/JJ after/IN the/DT song/NN"),
    ("in an infinitive",
     "Anna/NNP agreed/VBD to/TO buy/VB a/DT cheap/JJ lamp/NN",
     "Anna/NNP gave/VBD a/DT cheap/JJ lamp/NN to/TO Ben/NNP"),
    ("the antonym does not go with the noun",
     "Anna/NNP saw/VBD an/DT old/JJ lamp/NN", "Anna/NNP saw/VBD an/DT old/JJ sailor/NN"),
    ("the antonym does not go with the noun",
     "Anna/NNP saw/VBD a/DT young/JJ baby/NN", "Anna/NNP saw/VBD a/DT young/JJ sailor/NN"),
    ("nouns that may both be right", "The/DT danger/NN passed/VBD", "The/DT husband/NN passed/VBD"),
    ("a time", "It/PRP rained/VBD the/DT night/NN before/RB", "It/PRP saw/VBD the/DT husband/NN before/RB"),
    ("what is measured",
     "It/PRP shows/VBZ the/DT degree/NN of/IN success/NN", "It/PRP shows/VBZ the/DT success/NN"),
    ("one of several relatives", "Ann/NNP saw/VBD my/PRP$ aunt/NN", "Ann/NNP saw/VBD the/DT aunt/NN"),
    ("one of several relatives",
     "The/DT aunts/NNS of/IN Ann/NNP sang/VBD", "Two/CD aunts/NNS of/IN Ann/NNP sang/VBD"),
    ("one of several relatives",
     "Ann/NNP raised/VBD a/DT nephew/NN", "Ann/NNP is/VBZ washing/VBG a/DT nephew/NN"),
    ("the antonym does not go with the noun",
     "The/DT lamp/NN was/VBD old/JJ", "The/DT sailor/NN was/VBD old/JJ"),
    ("modal, conditional or reported",
     "Ann/NNP is/VBZ hoping/VBG for/IN a/DT cold/JJ day/NN",
     "Ann/NNP is/VBZ enjoying/VBG a/DT cold/JJ day/NN"),
    ("adjectives that may both be right",
     "It/PRP is/VBZ a/DT common/JJ bird/NN", "It/PRP is/VBZ a/DT cold/JJ bird/NN"),
    ("the other end of a relation",
     "It/PRP helps/VBZ an/DT employee/NN", "It/PRP helps/VBZ the/DT husband/NN"),
    ("what is measured", "A/DT good/JJ number/NN sang/VBD", "A/DT good/JJ sailor/NN sang/VBD"),
    ("noun phrase without a determiner", "Good/JJ soup/NN sells/VBZ", "Good/JJ sailor/NN sings/VBZ"),
    ("things that can both be present",
     "It/PRP had/VBD a/DT majority/NN", "It/PRP had/VBD the/DT majority/NN"),
    ("a pronoun may refer to the word or to another",
     "A/DT boy/NN saw/VBD a/DT sailor/NN and/CC his/PRP$ dog/NN",
     "A/DT boy/NN saw/VBD a/DT nun/NN and/CC his/PRP$ dog/NN"),
    ("a pronoun goes with a husband or wife",
     "A/DT boy/NN kissed/VBD his/PRP$ bride/NN", "A/DT boy/NN kissed/VBD his/PRP$ dog/NN"),
    ("in a gerund", "Being/VBG happy/JJ helps/VBZ Ben/NNP", "Being/VBG happy/JJ ,/, Ben/NNP sang/VBD"),
    ("in a gerund",
     "Being/VBG happy/JJ ,/, that/DT is/VBZ fun/NN", "Being/VBG happy/JJ ,/, Ben/NNP is/VBZ fun/NN"),
    ("in a gerund",
     "Ben/NNP spoke/VBD of/IN buying/VBG a/DT cheap/JJ lamp/NN",
     "Ben/NNP left/VBD ,/, buying/VBG a/DT cheap/JJ lamp/NN"),
    ("in an instruction",
     "Communicate/NNP in/IN a/DT warm/JJ hall/NN", "Sailors/NNS in/IN a/DT warm/JJ hall/NN"),
    ("in an adverbial clause",
     "When/WRB a/DT purple/JJ ,/, happy/JJ clown/NN sings/VBZ ,/, Ben/NNP sleeps/VBZ",
     "When/WRB Ben/NNP sleeps/VBZ ,/, a/DT purple/JJ ,/, happy/JJ clown/NN sings/VBZ"),
    ("in an adverbial clause",
     "Ben/NNP sang/VBD after/IN Ann/NNP was/VBD happy/JJ ./. Purple/JJ clowns/NNS sang/VBD",
     "Ben/NNP sang/VBD ./. Purple/JJ clowns/NNS sang/VBD ./. Ann/NNP was/VBD happy/JJ"),
    ("in some cases only", "There/EX have/VBP always/RB been/VBN small/JJ shops/NNS",
     "There/EX has/VBZ always/RB been/VBN a/DT small/JJ shop/NN"),
    ("in some cases only",
     "A/DT lot/NN of/IN trays/NNS are/VBP small/JJ", "A/DT pile/NN of/IN trays/NNS is/VBZ small/JJ"),
    ("in some cases only", "One/CD of/IN the/DT sights/NNS is/VBZ a/DT small/JJ shop/NN",
     "One/CD of/IN the/DT sights/NNS is/VBZ the/DT small/JJ shop/NN"),
    ("in some cases only", "Most/JJS sights/NNS are/VBP a/DT small/JJ shop/NN",
     "The/DT most/RBS scenic/JJ sight/NN is/VBZ a/DT small/JJ shop/NN"),
    ("in some cases only", "Stories/NNS impress/VBP a/DT young/JJ sailor/NN",
     "A/DT story/NN impresses/VBZ a/DT young/JJ sailor/NN"),
    ("in some cases only", "There/EX are/VBP risks/NNS for/IN a/DT young/JJ sailor/NN",
     "There/EX is/VBZ a/DT young/JJ sailor/NN"),
    ("noun phrase without a determiner", "Ann/NNP sings/VBZ songs/NNS ,/, which/WDT praise/NN husbands/NNS",
     "Ann/NNP sings/VBZ songs/NNS ,/, which/WDT praise/VBP the/DT husband/NN"),
    ("modal, conditional or reported", "A/DT cheap/JJ lamp/NN is/VBZ necessary/JJ",
     "A/DT cheap/JJ lamp/NN is/VBZ here/RB ,/, and/CC it/PRP is/VBZ necessary/JJ"),
    ("comparison", "It/PRP sings/VBZ like/IN a/DT young/JJ sailor/NN",
     "It/PRP looks/VBZ like/IN a/DT young/JJ sailor/NN"),
    ("classifying adjective",
     "It/PRP is/VBZ a/DT legal/JJ team/NN", "It/PRP is/VBZ a/DT happy/JJ team/NN"),
    ("classifying adjective",  # "specific" is also opposed to "nonspecific", which is another pair
     "Anna/NNP made/VBD a/DT general/JJ claim/NN", "Anna/NNP made/VBD a/DT cheap/JJ claim/NN"),
    ("with a complement that may choose another sense",
     "Ben/NNP is/VBZ far/JJ from/IN Ann/NNP", "Ben/NNP is/VBZ far/JJ"),
    ("antonym only after a verb",
     "Ben/NNP saw/VBD a/DT dead/JJ goat/NN", "Ben/NNP was/VBD dead/JJ"),
    ("word with another sense",
     "The/DT sailor/NN on/IN the/DT boat/NN is/VBZ safe/JJ",
     "The/DT boat/NN of/IN the/DT sailor/NN is/VBZ safe/JJ"),
    ("word with another sense",
     "Ben/NNP stayed/VBD a/DT full/JJ month/NN", "Ben/NNP holds/VBZ a/DT full/JJ bucket/NN"),
    ("before an unknown word",
     "It/PRP is/VBZ a/DT good/JJ knotch/NN", "It/PRP is/VBZ a/DT good/JJ notch/NN"),
    ("proper name", "Big/JJ Brother/NNP sang/VBD", "Young/JJ Asian/NNP sailor/NN sang/VBD"),
]
# fmt: on


def test_both_words_may_be_right_in_some_contexts(for_each: Callable[..., None]) -> None:
    def check(reason: str, doubtful: str, sound: str) -> None:
        _, rejected = made(doubtful)
        assert reason in rejected
        items, rejected = made(sound)
        assert items
        assert reason not in rejected

    for_each(check, CONTEXTS)


# fmt: off
# A noun of the other gender, and the pronouns that go with it or with another.
PRONOUNS = [
    ("A/DT boy/NN drops/VBZ his/PRP$ hat/NN on/IN himself/PRP", "A girl drops her hat on herself"),
    ("The/DT woman/NN says/VBZ that/IN She/PRP fell/VBD ,/, so/RB we/PRP saw/VBD her/PRP",
     "The man says that He fell , so we saw him"),
    ("A/DT boy/NN wears/VBZ a/DT hat/NN of/IN his/PRP$", "A girl wears a hat of hers"),
    ("With/IN his/PRP$ dog/NN ,/, a/DT boy/NN walks/VBZ", "With her dog , a girl walks"),
    ("She/PRP met/VBD a/DT woman/NN", "She met a man"),
    ("He/PRP met/VBD a/DT woman/NN", "He met a man"),
    ("A/DT man/NN held/VBD her/PRP$ hat/NN", "A woman held her hat"),
    ("Two/CD boys/NNS drop/VBP his/PRP$ hat/NN", "Two girls drop his hat"),
]
# fmt: on


def test_pronouns_agree_with_a_noun_of_the_other_gender(for_each: Callable[..., None]) -> None:
    def check(tagged: str, expected: str) -> None:
        items, _ = made(tagged)
        assert expected in [item.hypothesis for item in items]

    for_each(check, PRONOUNS)


def test_a_corpus_can_attest_the_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hot and cold contradict each other in two of three examples, old and young in one of two."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    rows = [
        ("A hot soup.", "A cold soup.", "contradiction"),
        ("A cold soup.", "A hot soup.", "contradiction"),
        ("A hot cup.", "A cold cup.", "neutral"),
        ("An old boy.", "A young boy.", "contradiction"),
        ("An old cat.", "A young cat.", "entailment"),
    ]
    names = ("premise", "hypothesis", "label")
    files = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for file, part in zip(files, (rows[:1], rows[1:]), strict=True):
        file.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in part))
    tagged = "An/DT old/JJ sailor/NN ate/VBD a/DT hot/JJ soup/NN"
    assert [item.hypothesis for item in made(tagged)[0]] == [
        "A young sailor ate a hot soup",
        "An old sailor ate a cold soup",
    ]
    items, rejected = made(tagged, attested_in="+".join(map(str, files)))
    assert [item.hypothesis for item in items] == ["An old sailor ate a cold soup"]
    assert rejected == {"pair not attested in contradictions": 1}
