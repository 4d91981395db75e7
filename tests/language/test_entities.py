"""Persons, places and organizations."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossexam.language.entities import Entity, EntityRecognizer, ListedEntities, resolve_recognizer
from crossexam.language.lexicons.proper_names import (
    MORE_NAMES,
    NAMES,
    NAMES_FILE,
    NAMES_VERSION,
    name_sections,
)
from crossexam.language.tokens import Token, words


@pytest.fixture(scope="module")
def lists() -> EntityRecognizer:
    return ListedEntities()


def _tagged(text: str, tags: dict[str, str]) -> list[Token]:
    """Tag capitalised words NNP, and the others as *tags* has it."""
    return [
        token._replace(tag=tags.get(token.text, "NNP" if token.text[0].isupper() else "X"))
        for token in words(text)
    ]


# Text; tags of words that are neither NNP nor X; its entities.
FOUND = [
    ("Kelly paid 5 dollars.", {"paid": "VBD"}, [("Kelly", "PERSON")]),
    ("Mr. Black has 8 dogs.", {"has": "VBZ"}, [("Mr. Black", "PERSON")]),
    ("Mr.Black has 8 dogs.", {"has": "VBZ"}, [("Mr.Black", "PERSON")]),
    ("They saw Deborah Pryce there.", {"They": "PRP"}, [("Deborah Pryce", "PERSON")]),
    ("Mumbai New York Kelly", {}, [("Mumbai", "LOCATION"), ("New York", "LOCATION"), ("Kelly", "PERSON")]),
    ("They saw Lake Vorlan there.", {"They": "PRP"}, [("Lake Vorlan", "LOCATION")]),
    ("They flew from New York to Omaha.", {"They": "PRP"}, [("New York", "LOCATION"), ("Omaha", "LOCATION")]),
    ("The road to Milburg is long.", {"The": "DT"}, [("Milburg", "PERSON")]),
    ("They live in Milburg now.", {"They": "PRP"}, [("Milburg", "LOCATION")]),
    ("The Ace Book Company sold 5.", {"The": "DT"}, [("Ace Book Company", "ORGANIZATION")]),
    ("They met on Sesame Street.", {"They": "PRP"}, [("Sesame Street", "LOCATION")]),
    ("Bill bought 5 pens.", {"bought": "VBD"}, [("Bill", "PERSON")]),
    ("Vorlan bought 5 pens.", {"bought": "VBD"}, [("Vorlan", "PERSON")]),
    ("Vorlan and Kelly left.", {"and": "CC"}, [("Vorlan", "PERSON"), ("Kelly", "PERSON")]),
    ("They saw John F. Kennedy there.", {"They": "PRP"}, [("John F. Kennedy", "PERSON")]),
    # The tagger takes a name for an ordinary word; the lists know better.
    ("Shweta rides at 10 km per hour.", {"Shweta": "NN", "rides": "VBZ"}, [("Shweta", "PERSON")]),
    ("They flew to Agra.", {"They": "PRP", "Agra": "NN"}, [("Agra", "LOCATION")]),
    ("John likes tea.", {"likes": "IN"}, [("John", "PERSON")]),
    # Ordinary words that are names by tag and position.
    (
        "They met Rose, Will and Penny.",
        {"They": "PRP"},
        [("Rose", "PERSON"), ("Will", "PERSON"), ("Penny", "PERSON")],
    ),
    ("Grant bought 5 pens.", {"bought": "VBD"}, [("Grant", "PERSON")]),
    ("Mark's pens cost 5 dollars.", {"'s": "POS", "cost": "VBP"}, [("Mark", "PERSON")]),
    ("They found Tuppence there.", {"They": "PRP"}, [("Tuppence", "PERSON")]),
    # One word, a person or a place by what precedes it.
    ("They saw Florence in Florence.", {"They": "PRP"}, [("Florence", "PERSON"), ("Florence", "LOCATION")]),
    # Acronyms, teams, institutions.
    ("They asked NASA.", {"They": "PRP"}, [("NASA", "ORGANIZATION")]),
    ("They left the U.S. in 5 days.", {"They": "PRP"}, [("U.S.", "LOCATION")]),
    ("They asked the QRTZ about it.", {"They": "PRP"}, [("QRTZ", "ORGANIZATION")]),
    ("They say KLB company pays 5.", {"They": "PRP"}, [("KLB", "ORGANIZATION")]),
    (
        "They saw the Detroit Pistons play.",
        {"They": "PRP", "Pistons": "NNPS"},
        [("Detroit Pistons", "ORGANIZATION")],
    ),
    ("They saw the Red Cross there.", {"They": "PRP"}, [("Red Cross", "ORGANIZATION")]),
    ("They saw the Blue Mosque there.", {"They": "PRP"}, [("Blue Mosque", "LOCATION")]),
    (
        "The University of Milburg has 5.",
        {"The": "DT"},
        [("University", "ORGANIZATION"), ("Milburg", "PERSON")],
    ),
    ("They met Abdul Hamid II there.", {"They": "PRP"}, [("Abdul Hamid II", "PERSON")]),
    ("Bin Ladin went there.", {"went": "VBD"}, [("Bin Ladin", "PERSON")]),
    ("ABC company pays 5.", {"pays": "VBZ", "company": "NN"}, [("ABC", "ORGANIZATION")]),
    ("They met Doctor Vorlan there.", {"They": "PRP"}, [("Doctor Vorlan", "PERSON")]),
]


def test_names_are_found(lists: EntityRecognizer) -> None:
    found = []
    for text, tags, _ in FOUND:
        entities = lists.entities(text, _tagged(text, tags))
        found.append((text, tags, [(text[entity.start : entity.end], entity.kind) for entity in entities]))
    assert found == FOUND


NONE = [
    "Train A leaves at 5.",
    "They go from Tribe R to Town F.",
    "A and B have 5 dogs.",
    "They mixed Vorlan X with 5 others.",
    "On Monday and in May they paid Rs. 50.",
    "Find the cost of 5 DVDs.",
    "Light travels 5 km.",
    "Tires cost 50 dollars.",
    "They study Math and IPL scores.",
    "They weigh 5 Kgs.",
    "Some Indian and French films won.",
    "Bill the man 5 dollars.",
    "They flew to Venus.",
    "Rose petals cost 5 dollars.",
    "Will they come?",
    "Grant them 5 days.",
    "Art cost 5 dollars.",
    "Popcorn costs 5 dollars.",
    "The Japanese and the Republicans won.",
    "They asked the CEO about HIV.",
    "They say RS and ST have 5.",
    "They went to a Book Store.",
    "They own a Home Appliance Store.",
    "THEY SAW THE QRTZ.",
]


def test_other_capitalised_words_are_no_entities(lists: EntityRecognizer) -> None:
    tagged = (
        "travels/VBZ cost/VBP have/VBP They/PRP On/IN the/DT A/DT The/DT a/DT Rose/NN Will/MD Grant/VB "
        "Art/NN Popcorn/NN costs/VBZ won/VBD"
    )
    tags = dict(each.split("/") for each in tagged.split())
    assert [text for text in NONE if lists.entities(text, _tagged(text, tags)) != ()] == []


def test_without_tags_capitalised_words_are_tried_and_one_that_begins_a_sentence_is_not_guessed(
    lists: EntityRecognizer,
) -> None:
    assert lists.entities("They saw Kelly in Omaha.") == (Entity(9, 14, "PERSON"), Entity(18, 23, "LOCATION"))
    assert lists.entities("Vorlan, go!", _tagged("Vorlan, go!", {})) == ()
    assert lists.entities("Shweta, go!", _tagged("Shweta, go!", {})) == (Entity(0, 6, "PERSON"),)


def test_recognizers_have_names(refused: Callable[..., str]) -> None:
    assert resolve_recognizer("auto").name == f"lists:wordnet-3.0+names-{NAMES_VERSION}"
    assert "no entity recognizer is called 'list'" in refused(resolve_recognizer, "list")
    assert "'lists' takes no argument, but got 'x'" in refused(resolve_recognizer, "lists:x")


def test_the_file_of_names_is_sorted_and_in_lower_case() -> None:
    assert name_sections("# Note\n\n[a b]\nx y_z\n\n[c]\nd\n") == {"a b": {"x", "y z"}, "c": {"d"}}
    text = NAMES_FILE.read_text("utf-8")
    assert text == text.lower().replace("# names", "# Names").replace("# a section", "# A section")
    for title, block in zip(NAMES, text.split("\n\n")[1:], strict=True):
        names = block.split("\n", 1)[1].split()
        assert names == sorted(set(names)), title
    assert NAMES_FILE.stat().st_size < 1_000_000


PIECES = st.sampled_from(
    "Kelly Omaha New York Train A B and paid the 5 , . Mr. Bill Company Vorlan's".split()
)


@given(st.lists(PIECES, max_size=9), st.booleans())
def test_entities_are_in_order_and_begin_and_end_with_words(pieces: list[str], tagged: bool) -> None:
    text = " ".join(pieces)
    tokens = _tagged(text, {"paid": "VBD"}) if tagged else []
    found = _LISTS.entities(text, tokens)
    starts, ends = {t.start for t in words(text)}, {t.end for t in words(text)}
    reach = 0
    for entity in found:
        assert reach <= entity.start < entity.end
        assert entity.start in starts
        assert entity.end in ends
        reach = entity.end


_LISTS = ListedEntities()


def test_spacy_answers_where_its_pipeline_is_given(shared_data: Path) -> None:
    pytest.importorskip("spacy")
    recognizer = resolve_recognizer(f"spacy:{shared_data / 'spacy' / 'en_ewt_small'}")
    text = "Barack Obama met Angela Merkel in Germany."
    alone = recognizer.entities(text)
    assert {entity.kind for entity in alone} <= {"PERSON", "LOCATION", "ORGANIZATION"}
    assert "Obama" in " ".join(text[entity.start : entity.end] for entity in alone)
    recognizer.prepare([text, "Nothing here.", text])
    assert recognizer.entities(text) == alone
    assert re.fullmatch(r"spacy:en_ewt_small-\d+\.\d+\.\d+", recognizer.name)


def test_spacy_labels_of_both_inventories_are_understood(
    tmp_path: Path, refused: Callable[..., str], pipeline_in: Callable[..., str]
) -> None:
    spacy = pytest.importorskip("spacy")
    nlp = spacy.blank("en")
    assert "has no entity recognizer" in refused(resolve_recognizer, pipeline_in(tmp_path / "blank"))
    labels = {"Ann": "PER", "Bob": "PERSON", "Oslo": "GPE", "Rhine": "LOC", "Acme": "ORG", "Monday": "DATE"}
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": label, "pattern": word} for word, label in labels.items()])
    nlp.to_disk(tmp_path / "ruler")
    found = resolve_recognizer(f"spacy:{tmp_path / 'ruler'}").entities("Ann Bob Oslo Rhine Acme Monday")
    assert [entity.kind for entity in found] == ["PERSON", "PERSON", "LOCATION", "LOCATION", "ORGANIZATION"]


def test_word_problems_keep_out_letters_and_currencies(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import nltk

    from crossexam.language.tagging.nltk_tagger import NltkTagger

    monkeypatch.setattr(nltk.data, "path", [str(shared_data / "nltk_data")])
    tagger, recognizer = NltkTagger(), resolve_recognizer()
    found = []
    for line in (shared_data / "word_problems" / "aqua_dev.json").open(encoding="utf-8"):
        text = json.loads(line)["question"]
        found += [text[e.start : e.end] for e in recognizer.entities(text, tagger.tag(text))]
    assert len(found) > 60
    assert all(len(name) > 1 for name in found)
    assert not {"Rs", "Rs.", "Monday", "Find", "If", "Kgs", "Train"} & set(found)


def test_the_compiled_lists_have_names_that_the_written_ones_lack(lists: EntityRecognizer) -> None:
    for title, names in MORE_NAMES.items():
        assert names, title
        assert not names & NAMES[title], title
    found = lists.entities("Antwan met Hutchins in Wuppertal.", ())
    assert [entity.kind for entity in found] == ["PERSON", "PERSON", "LOCATION"]
    assert not MORE_NAMES["first names"] & MORE_NAMES["countries"]
