"""Polarity of places in sentences: replacements in both directions, and the directions at words.

The sentences of tests/data/monotonicity_*.tsv are tagged by NLTK's tagger, so these tests say how the rules
do on tags as they come; they skip where its model is not there.
"""

import re
from pathlib import Path

import pytest

from crossexam.language.monotonicity.polarity import Direction, polarity_at
from crossexam.language.tagging.nltk_tagger import NltkTagger
from crossexam.language.tokens import Parsed
from made.cases import each_row
from made.sentences import tokens_of

DATA = Path(__file__).parents[2] / "data"
PLACE = re.compile(r"\{([^|]*)\|([^|]*)\|([^}]*)\}")


def items(name: str) -> list[tuple[str, int, str]]:
    """Sentences, the place of the word that may become a broader or narrower one, and the direction there."""
    found = []
    for line in (DATA / f"monotonicity_{name}.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            _, sentence, wanted = line.split("\t")
            place = PLACE.search(sentence)
            assert place, line
            found.append((PLACE.sub(place[1], sentence), place.start(), wanted))
    return found


def direction(text: str, word: str, parsed: Parsed | None = None) -> Direction:
    tokens = tokens_of(text)
    place = next(k for k, token in enumerate(tokens) if token.text == word)
    return polarity_at(tokens, place, parsed).direction


# Wanted: of tuned items all, which they were tuned to; of the others what was measured, less one item in 20.
@pytest.mark.parametrize(
    ("name", "least", "wanted"), [("tuned", 80, 1.0), ("held_out", 40, 0.95), ("fresh", 40, 0.95)]
)
def test_replacements_follow_where_the_polarity_says(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch, name: str, least: int, wanted: float
) -> None:
    """A broader word follows where the direction is up, a narrower one where it is down."""
    monkeypatch.setattr("nltk.data.path", [str(shared_data / "nltk_data")])
    tagger, wrong, given = NltkTagger(), [], items(name)
    for premise, start, right in given:
        tokens = tagger.tag(premise)
        place = next(k for k, token in enumerate(tokens) if token.start >= start)
        found = polarity_at(tokens, place).direction
        wrong += [(premise, way, found) for way in ("up", "down") if (found == way) != (right == way)]
    assert len(given) >= least
    assert len(wrong) <= (1 - wanted) * 2 * len(given), wrong


@each_row
def test_directions_at_words(text: str, directions: str) -> None:
    words = [pair.split()[0] for pair in directions.split(", ")]
    assert ", ".join(f"{word} {direction(text, word)}" for word in words) == directions


def test_a_phrase_after_an_object_may_belong_to_either() -> None:
    text = "He/PRP sees/VBZ {} dog/NN in/IN parks/NNS ./."
    assert direction(text.format("every/DT"), "parks") == "none"
    assert direction(text.format("no/DT"), "parks") == "down"
    tokens = tokens_of(text.format("every/DT"))
    # He sees every dog in parks: the last phrase hangs on the dog, or on the verb
    relations = ("nsubj", "root", "det", "obj", "case", "nmod", "punct")
    on_dog = Parsed(tokens, (1, -1, 3, 1, 5, 3, 1), relations)
    on_verb = Parsed(tokens, (1, -1, 3, 1, 5, 1, 1), relations)
    assert [direction(text.format("every/DT"), "parks", p) for p in (on_dog, on_verb)] == ["down", "up"]
