"""Persons, places and organizations."""

from collections.abc import Callable
from pathlib import Path

import pytest

from crossexam.language.entities import Entity, ListedEntities, resolve_recognizer
from crossexam.language.tokens import Token, words
from made.cases import each_row, refused

LISTS = ListedEntities()


def _tagged(text: str, tags: dict[str, str]) -> list[Token]:
    return [
        token._replace(tag=tags.get(token.text, "NNP" if token.text[0].isupper() else "X"))
        for token in words(text)
    ]


@each_row
def test_names_are_found(text: str, tags: dict[str, str], expected: list[list[str]]) -> None:
    found = LISTS.entities(text, _tagged(text, tags))
    assert [[text[entity.start : entity.end], entity.kind] for entity in found] == expected


def test_other_capitalised_words_are_no_entities(each_case: Callable[..., None]) -> None:
    tagged = (
        "travels/VBZ cost/VBP have/VBP They/PRP On/IN the/DT A/DT The/DT a/DT Rose/NN Will/MD Grant/VB "
        "Art/NN Popcorn/NN costs/VBZ won/VBD"
    )
    tags = dict(each.split("/") for each in tagged.split())

    def check(text: str) -> None:
        assert LISTS.entities(text, _tagged(text, tags)) == ()

    each_case(check)


def test_without_tags_capitalised_words_are_tried_and_one_that_begins_a_sentence_is_not_guessed() -> None:
    assert LISTS.entities("They saw Kelly in Omaha.") == (Entity(9, 14, "PERSON"), Entity(18, 23, "LOCATION"))
    assert LISTS.entities("Vorlan, go!", _tagged("Vorlan, go!", {})) == ()
    found = LISTS.entities("Antwan met Hutchins in Wuppertal.", ())  # of the compiled lists
    assert [entity.kind for entity in found] == ["PERSON", "PERSON", "LOCATION"]


def test_spacy_labels_of_both_inventories_are_understood(
    tmp_path: Path, pipeline_in: Callable[..., str]
) -> None:
    spacy = pytest.importorskip("spacy")
    nlp = spacy.blank("en")
    assert "has no entity recognizer" in refused(resolve_recognizer, pipeline_in(tmp_path / "blank"))
    labels = {"Ann": "PER", "Bob": "PERSON", "Oslo": "GPE", "Rhine": "LOC", "Acme": "ORG", "Monday": "DATE"}
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": label, "pattern": word} for word, label in labels.items()])
    nlp.to_disk(tmp_path / "ruler")
    recognizer, text = resolve_recognizer(f"spacy:{tmp_path / 'ruler'}"), " ".join(labels)
    alone = recognizer.entities(text)
    assert [entity.kind for entity in alone] == ["PERSON", "PERSON", "LOCATION", "LOCATION", "ORGANIZATION"]
    recognizer.prepare([text, "Nothing here.", text])
    assert recognizer.entities(text) == alone
