"""What nouns name: two classifications on one walk up the hypernyms."""

from crossexam.language import nouns
from crossexam.language.lexicons.wordnet import wordnet
from made.cases import each_row


@each_row
def test_every_word_has_an_animacy_and_concrete_nouns_a_kind(
    noun: str, of_clause: str, concrete: str | None
) -> None:
    assert nouns.animacy(noun) == of_clause
    assert nouns.concrete_kind(noun.replace("women", "woman")) == concrete


def test_classes_of_nouns_by_their_senses() -> None:
    assert wordnet().lemmas_of("men", "n") == ("men", "man")  # the work force, and the plural
    assert nouns.animacy("men") == "person"
    assert (nouns.is_event("race"), nouns.is_event("racer")) == (True, False)
    kinds = (("truck", "vehicle"), ("vehicle", "truck"), ("truck", "goat"), ("truck", "truck"))
    assert [nouns.is_one_kind_of_other(*each) for each in kinds] == [True, True, False, True]
    assert "small" in nouns.opposites("large")
    assert "cold" in nouns.opposites("torrid")  # a satellite: through its head, hot
    assert "big" in nouns.synonyms("large")
    assert "large" not in nouns.synonyms("large")
