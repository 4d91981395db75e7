"""The clause of a sentence with one subject and one object, and why there is none."""

from crossexam.language.clauses import Clause, Phrase, main_clause
from made.cases import each_row
from made.sentences import parsed


@each_row
def test_why_there_is_no_clause(sentence: str, links: str, reason: str) -> None:
    assert main_clause(parsed(sentence, links)) == reason


def test_the_last_participle_of_a_caption_is_its_verb() -> None:
    caption = parsed("Men/NNS wearing/VBG hats/NNS pushing/VBG carts/NNS", "-1:root 0:acl 1:obj 0:acl 3:obj")
    assert main_clause(caption) == Clause(Phrase(0, 3, 0), 3, Phrase(4, 5, 4), "active", None)
