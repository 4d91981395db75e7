"""Relatives of words: the synonyms, hypernyms and hyponyms that may replace one, and what is a kind of what.

Section 6.1 of Sanchez Carmona et al. (2018) replaces an antonym by a relative of the other.  Those of the
commonest antonyms of captions are listed here; others are from WordNet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from crossexam.language.inflection import inflect_like
from crossexam.language.lexicons.noun_groups import COLOURS
from crossexam.language.lexicons.word_pairs import Relation, WordPair
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.lexicons.wordnet_pairs import replacements
from crossexam.language.nouns import animacy
from crossexam.language.remembered import WORDS, remembered

if TYPE_CHECKING:
    from crossexam.language.word_pair_index import WordPairIndex

#: Section 6.1: a hyponym, hypernym or synonym.
KINDS_OF_RELATIVES: Final[tuple[Relation, ...]] = ("hypernym", "hyponym", "synonym")
# fmt: off
# Words that may replace the commonest antonyms of captions, selected by hand, as the paper's (section 6.1,
# footnote 6): WordNet has no more general word for "girl" than "woman", and "guy" is a kind of "man" in it,
# which people use as another word for it.
_RELATIVES: Final[Mapping[str, tuple[str, str, str, str]]] = {
    #           pos  synonyms           hypernyms            hyponyms
    "man":      ("n", "guy gentleman",  "person adult",        "father fisherman cowboy businessman waiter"),
    "men":      ("n", "guy gentleman",  "person adult",        "father fisherman cowboy businessman waiter"),
    "woman":    ("n", "lady",           "person adult",        "mother waitress businesswoman cheerleader"),
    "lady":     ("n", "woman",          "person adult",        "mother waitress businesswoman cheerleader"),
    "boy":      ("n", "",               "child kid person",   "son brother schoolboy"),
    "girl":     ("n", "",               "child kid person",   "daughter sister schoolgirl"),
    "child":    ("n", "kid",            "person",             "boy girl toddler student"),
    "kid":      ("n", "child",          "person",             "boy girl toddler student"),
    "adult":    ("n", "",               "person",             "man woman lady teacher"),
    "baby":     ("n", "infant",         "child person",       ""),
    "male":     ("n", "",               "person",             "man guy boy"),
    "female":   ("n", "",               "person",             "woman lady girl"),
    "father":   ("n", "dad",            "parent man person",  ""),
    "mother":   ("n", "mom",            "parent woman person", ""),
    "son":      ("n", "",               "boy child",          ""),
    "daughter": ("n", "",               "girl child",         ""),
    "dog":      ("n", "",               "animal pet",         "puppy terrier poodle"),
    "cat":      ("n", "",               "animal pet",         "kitten"),
    "horse":    ("n", "",               "animal",             "pony"),
    "cow":      ("n", "",               "animal",             ""),
    "car":      ("n", "automobile",     "",                   "taxi"),
    "street":   ("n", "road",           "",                   "alley"),
    "sidewalk": ("n", "pavement",       "",                   ""),
    "blond":    ("a", "blonde",         "",                   ""),
    "donkey":   ("n", "",               "animal",             ""),
    "road":     ("n", "street",         "",                   "highway"),
    "ocean":    ("n", "sea",            "water",              ""),
    "river":    ("n", "",               "water",              ""),
    "pond":     ("n", "",               "water",              ""),
    "bike":     ("n", "bicycle",        "vehicle",            ""),
    "bicycle":  ("n", "bike",           "vehicle",            ""),
    "lake":     ("n", "",               "water",              ""),
    "floor":    ("n", "ground",         "",                   ""),
    "bedroom":  ("n", "",               "room",               ""),
    "group":    ("n", "",               "",                   "team crowd band"),
    "sun":      ("n", "sunlight",       "",                   ""),
    "walk":     ("v", "",               "move",               "march"),
    "run":      ("v", "",               "move",               "sprint jog"),
    "jog":      ("v", "",               "run move",           ""),
    "fight":    ("v", "",               "",                   "wrestle"),
    "dance":    ("v", "",               "move",               ""),
    "swim":     ("v", "",               "move",               ""),
    "jump":     ("v", "leap",           "",                   ""),
    "talk":     ("v", "speak",          "",                   "chat"),
    "speak":    ("v", "talk",           "",                   ""),
    "sit":      ("v", "seated",         "",                   ""),
    "seat":     ("v", "sit",            "",                   ""),
    "lay":      ("v", "lie",            "",                   ""),
    "sleep":    ("v", "",               "rest",               "nap"),
    "smile":    ("v", "",               "",                   "grin"),
    "laugh":    ("v", "",               "",                   "giggle"),
    "cry":      ("v", "weep",           "",                   "sob"),
    "drink":    ("v", "",               "",                   "sip"),
    "old":      ("a", "elderly aged",   "",                   ""),
    "elderly":  ("a", "old aged",       "",                   ""),
    "large":    ("a", "big",            "",                   ""),
    "big":      ("a", "large",          "",                   ""),
    "small":    ("a", "little",         "",                   ""),
    "blue":     ("a", "",               "colored",            "navy"),
    "red":      ("a", "",               "colored",            "maroon"),
    "green":    ("a", "",               "colored",            "lime"),
    "yellow":   ("a", "",               "colored",            ""),
    "orange":   ("a", "",               "colored",            ""),
    "purple":   ("a", "",               "colored",            ""),
    "black":    ("a", "",               "dark",               ""),
    "white":    ("a", "",               "light",              ""),
    "dark":     ("a", "",               "",                   "black"),
    "brown":    ("a", "",               "colored",            "tan"),
    "gray":     ("a", "grey",           "",                   ""),
    "outdoors": ("r", "outside",        "",                   ""),
    "outside":  ("r", "outdoors",       "",                   ""),
    "indoors":  ("r", "inside",         "",                   ""),
    "inside":   ("r", "indoors",        "",                   ""),
}
# fmt: on
_INFLECTED: Final[Mapping[str, tuple[str, ...]]] = {
    "n": ("NNS",),
    "v": ("VBZ", "VBD", "VBG"),
    "a": ("JJR", "JJS"),
}


def relatives(word: str, pos: str | None) -> list[WordPair]:
    """Return the words that may replace the lemma *word*, as *pos*, as pairs: of the lists, or of WordNet.

    WordNet's more general words for things seldom replace them (*weather* for *snow*), nor do words like a
    colour (*reddish*), and people who lounge often sit: from WordNet come relatives of people and animals,
    and synonyms of things and adjectives; verbs and adverbs have none.

    >>> [(pair.second, pair.relation) for pair in relatives("cat", "n")]
    [('animal', 'hypernym'), ('pet', 'hypernym'), ('kitten', 'hyponym')]
    """
    listed, *words = _RELATIVES.get(word, (None, "", "", ""))
    if listed is not None:
        kinds: tuple[Relation, ...] = ("synonym", "hypernym", "hyponym")
        pairs = zip(kinds, words, strict=True)
        return [
            WordPair(word, each, kind, pos) for kind, row in pairs for each in row.split() if pos == listed
        ]
    if pos in {"v", "r"} or word in COLOURS:
        return []
    living = pos == "n" and animacy(word) != "thing"
    return replacements(word, KINDS_OF_RELATIVES if living else ("synonym",), pos=pos)


def occurrences(pair: WordPair, index: WordPairIndex) -> int:
    """Return how often training has the second word of *pair*, as it is or inflected."""
    tags = _INFLECTED.get(pair.pos or "", ())
    forms = {pair.second, *(inflect_like(pair.second, pair.second, tag) for tag in tags)}
    return sum(index.occurrences(form) for form in forms if form is not None)


def _is_listed_hyponym(word: str, other: str) -> bool:
    """Return whether the lists have the lemma *word* as a kind of *other*.

    >>> _is_listed_hyponym("fisherman", "man"), _is_listed_hyponym("child", "girl")
    (True, False)
    """
    return (
        word in _RELATIVES.get(other, ("", "", "", ""))[3].split()
        or other in _RELATIVES.get(word, ("", "", "", ""))[2].split()
    )


@remembered(WORDS)
def is_kind_of(word: str, other: str) -> bool:
    """Return whether the noun *word*, in its first sense or in our lists, is a synonym or hyponym of *other*.

    >>> is_kind_of("puppies", "dog"), is_kind_of("dog", "puppy")
    (True, False)
    """
    below, above = (wordnet().base_form(each, "n") for each in (word, other))
    return _is_listed_hyponym(below, above) or not set(
        wordnet().closure(*wordnet().synsets(below, "n")[:1])
    ).isdisjoint(wordnet().synsets(above, "n")[:1])


@remembered(WORDS)
def excludes(word: str, other: str) -> bool:
    """Return whether two nouns are antonyms in WordNet: man, woman."""
    first, second = (wordnet().base_form(each, "n") for each in (word, other))
    return any(
        lemma == second for sense in wordnet().synsets(first, "n") for _, lemma in wordnet().antonyms(sense)
    )
