"""Inflection: forms with the inflection of another word, case, a and an."""

import random

import pytest

from crossexam.language import inflection
from crossexam.language.inflection import indefinite_article, inflect_like, lemma_of, match_case
from crossexam.language.lexicons.wordnet import wordnet
from made.cases import each_row

ARTICLES = {
    "an": """apple hour hours hourly honest honor heir heiress herb umbrella uninvited unimportant
             unidentified utter urban usher onerous MBA FBI X-ray x-ray SUV HIV F.B.I. LED mp3 8 8th 80 88
             800 8,000 $8 11 11th 11,000 18 18th 18,000 1890 18-year-old 8-year-old eight eleven élan "old"
             unanswered unannounced unanchored""",
    "a": """hat house university unique uniform unanimous union European euphemism one one-way once ewe
             useful user usual utility utensil Utah ubiquitous uranium ukulele US U.S. UN UFO NATO NASA
             UNIQUE HOT MAN T-shirt u-turn PhD CD 1 1st 10 100 108 180 110 1,100 1,800 $1 12 one-eyed
             herbivore yellow historic unanimity""",
}


@each_row
def test_a_word_takes_the_inflection_of_another(lemma: str, word: str, tag: str, form: str | None) -> None:
    assert inflect_like(lemma, word, tag) == form


def test_the_article_goes_by_sound() -> None:
    for article, words in ARTICLES.items():
        assert [word for word in words.split() if indefinite_article(word) != article] == []


def test_case_is_that_of_the_other_word_and_the_base_form_that_of_a_verb() -> None:
    """By the lexicon, by its last part, by WordNet, and by the endings of regular forms."""
    cases = "cold/hot/cold cold/Hot/Cold cold/HOT/COLD Gentile/heathen/Gentile /Hot/ women/A/Women"
    for word, like, wanted in (case.split("/") for case in cases.split()):
        assert match_case(word, like) == wanted  # one capital is no shouting
    verbs = """Found/find lay/lie rode/ride hula-hooping/hula-hoop twerked/twerk breakdances/breakdance
               bullriding/bullride photgraphs/photgraph iceskating/iceskate puppies/puppy watches/watch
               swimms/swimm"""
    for verb, lemma in (pair.split("/") for pair in verbs.split()):
        assert lemma_of(verb) == lemma


@pytest.mark.slow
def test_forms_of_every_lemma_of_wordnet_are_those_of_lemminflect() -> None:
    """Where the lexicon has none, the model's, if WordNet's rules reduce them to the lemma."""
    package = pytest.importorskip("lemminflect")
    tags = {"n": ("NOUN", ["NNS"]), "v": ("VERB", ["VBD", "VBN", "VBG", "VBZ"])}
    rng = random.Random(0)
    for pos, (part, forms) in tags.items():
        lemmas = sorted(lemma for lemma in wordnet()._part(pos).lemmas() if lemma.isalpha())
        for lemma in rng.sample(lemmas, 3000):
            listed = package.getAllInflections(lemma, part)
            guessed = package.getAllInflectionsOOV(lemma, part)
            for tag in forms:
                assert inflection._listed(lemma, tag) == listed.get(tag, ())
                form = guessed[tag][0]
                known = form if lemma in wordnet().lemmas_of(form, pos) else None
                assert listed.get(tag) or inflection._guessed(lemma, tag) == known, lemma
