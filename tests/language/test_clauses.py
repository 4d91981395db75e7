"""The clause of a sentence with one subject and one object, and why there is none."""

from crossexam.language.clauses import Clause, Phrase, main_clause
from crossexam.language.tokens import Parsed, Token
from made.cases import each_row


def _parsed(spec: str) -> Parsed:
    pieces = [piece.split("|") for piece in spec.split()]
    return Parsed(
        tuple(Token(word, 0, 0, tag) for word, tag, _, _ in pieces),
        tuple(int(head) for *_, head in pieces),
        tuple(relation for _, _, relation, _ in pieces),
    )


@each_row
def test_why_there_is_no_clause(spec: str, reason: str) -> None:
    assert main_clause(_parsed(spec)) == reason


def test_the_last_participle_of_a_caption_is_its_verb() -> None:
    spec = "Men|NNS|root|-1 wearing|VBG|acl|0 hats|NNS|obj|1 pushing|VBG|acl|0 carts|NNS|obj|3"
    expected = Clause(Phrase(0, 3, 0), 3, Phrase(4, 5, 4), "active", None)
    assert main_clause(_parsed(spec)) == expected
