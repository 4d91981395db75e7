"""Replacing a matched word: what else in the sentence has to change, and when the result is not a test.

By our rules, the new word takes the inflection of the old one, and articles, pronouns and possessives agree
with it; a noun that cannot be counted does not replace one that can.  By the paper's, the word alone is
replaced, as the list of pairs has it (Sanchez Carmona et al. 2018, section 5.2); only an initial capital is
kept.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal

from crossexam.constructions.construction import Rejection
from crossexam.constructions.pair_matching import Match
from crossexam.constructions.rules.word_pair_swaps import Replacing, against
from crossexam.core.example import Edit, Side
from crossexam.language.inflection import inflect_like, match_case
from crossexam.language.lexicons.noun_groups import COLOURS, YOUNG
from crossexam.language.lexicons.word_pairs import Relation, WordPair
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.lexicons.wordnet_pairs import replacements
from crossexam.language.nouns import (
    animacy,
    gender,
    tells_gender,
)
from crossexam.language.pronouns import GenderedPronoun, Unclear, gendered_pronouns
from crossexam.language.remembered import WORDS, remembered
from crossexam.language.tokens import Token

if TYPE_CHECKING:
    from crossexam.language.word_pair_index import WordPairIndex

Rules = Literal["ours", "paper"]
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
_COMPARING: Final = frozenset("another other one".split())
_OF_ONE_GENDER: Final = frozenset(
    "bald balding bearded goatee moustache mustache mustached pregnant shirtless topless".split()
)
_OF_THE_OLD: Final = frozenset("elderly old aged middle-aged".split())
_JOINED: Final = 5  # tokens from a noun to the one that it is coordinated with
_STEM: Final = 4  # letters
_ENDING: Final = 2  # letters: juggle, juggles


def word_edits(
    text: str, match: Match, side: Side, lemma: str, rules: Rules = "ours"
) -> tuple[Edit, ...] | Rejection:
    """Return the edits that replace the pair's word on *side* of the matched *text* by *lemma*."""
    tokens, positions = match.tokens[side], match.positions[side]
    if rules == "paper":
        found = (tokens[k] for k in positions)
        return tuple(Edit(side, t.start, t.end, t.text, match_case(lemma, t.text)) for t in found)
    view = Replacing(match.pair, match.pos, text, tokens, positions, lemma, side)
    first = next(against(view), None)
    if first or view.edits is None:
        return Rejection(first.reason if first else "no such form")
    return (*view.edits, *(() if isinstance(view.pronouns, Unclear) else view.pronouns))


def tells_more(match: Match, side: Side, words: tuple[str, str], edits: Collection[Edit]) -> bool:
    """Return whether the sentence on *side* reveals what its word leaves open and the other word says.

    *words* are the word on *side*, after *edits*, and the other.  "A person lifts her hand" tells as much as
    "a woman lifts her hand", though a person may be a man; "a person juggles", as "a juggler juggles".
    """
    here, other = words
    if _tells_gender(match, side, words, edits):
        return True
    if match.pos != "n" or _excludes(here, other):
        return False
    tokens, positions = match.tokens[side], match.positions[side]
    narrow = (here, other) if _is_narrower(match, here, other) else (other, here)
    return (is_kind_of(*narrow) or match.pair.relation != "antonym") and any(
        _tells_kind(token, *narrow) for k, token in enumerate(tokens) if k not in positions
    )


def _is_narrower(match: Match, word: str, other: str) -> bool:
    """Return whether *word* names a kind of *other*, by the list of pairs if they are those of *match*."""
    if match.pair.relation == "antonym":
        return is_kind_of(word, other)
    narrow = match.pair.first if match.pair.relation == "hypernym" else match.pair.second
    return wordnet().base_form(word, "n") == narrow


def is_odd(match: Match, side: Side, words: tuple[str, str], edits: Collection[Edit]) -> bool:
    """Return whether the sentence on *side* does not go with its word: *a woman in his hat*.

    The arguments are those of :func:`tells_more`.
    """
    here, other = words
    if _clashes_in_gender(match, side, words, edits):
        return True
    if match.pos != "n" or _excludes(here, other):
        return False
    tokens, young = match.tokens[side], wordnet().base_form(here, "n") in YOUNG
    return any(
        _is_specified(tokens, k) or _is_coordinated(tokens, k, here) or (young and _is_aged(tokens, k))
        for k in match.positions[side]
    )


def _is_coordinated(tokens: Sequence[Token], position: int, here: str) -> bool:
    """Return whether "and" or "or" joins the noun to one of its kind: *a person and a man*."""
    before, after = tokens[max(0, position - _JOINED) : position], tokens[position + 1 : position + _JOINED]
    parts = [each for each in (before, after) if any(token.text.lower() in {"and", "or"} for token in each)]
    nouns = [token.text.lower() for each in parts for token in each if token.tag.startswith("NN")]
    return any(is_kind_of(noun, here) or is_kind_of(here, noun) for noun in nouns)


def _is_aged(tokens: Sequence[Token], position: int) -> bool:
    """Return whether the word before the noun says that somebody is old: *an elderly child*."""
    return position > 0 and tokens[position - 1].text.lower() in _OF_THE_OLD


def _is_specified(tokens: Sequence[Token], position: int) -> bool:
    """Return whether "of" follows the noun, or "another" compares it with other nouns."""
    before = {token.text.lower() for token in tokens[max(0, position - 2) : position]}
    after = next((token.text.lower() for token in tokens[position + 1 : position + 2]), "")
    return not before.isdisjoint(_COMPARING) or after == "of"


def _tells_kind(token: Token, narrow: str, broad: str) -> bool:
    """Return whether the content word *token* says that the *broad* thing is, or is not, the *narrow* one."""
    if token.tag[:1] not in {"N", "V", "J"}:
        return False
    word = token.text.lower()
    if _share_stem(word, narrow) and not _share_stem(word, broad):
        return True
    return token.tag.startswith("N") and (is_kind_of(word, narrow) or _excludes(word, narrow))


def _share_stem(word: str, other: str) -> bool:
    """Return whether two words begin alike up to endings: juggles, juggler."""
    length = max(_STEM, min(len(word), len(other)) - _ENDING)
    return word[:length] == other[:length]


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
def _excludes(word: str, other: str) -> bool:
    """Return whether two nouns are antonyms in WordNet: man, woman."""
    first, second = (wordnet().base_form(each, "n") for each in (word, other))
    return any(
        lemma == second for sense in wordnet().synsets(first, "n") for _, lemma in wordnet().antonyms(sense)
    )


def _tells_gender(match: Match, side: Side, words: tuple[str, str], edits: Collection[Edit]) -> bool:
    """Return whether the sentence on *side* tells the gender that its word leaves open."""
    here, other = words
    if gender(here) is not None or gender(other) is None:
        return False
    if animacy(here) != "person":
        return False
    tokens, positions = match.tokens[side], match.positions[side]
    kept = _kept_pronouns(match, side, edits)
    nouns = [t.text for k, t in enumerate(tokens) if k not in positions and t.tag.startswith("NN")]
    described = any(token.text.lower() in _OF_ONE_GENDER for token in tokens)
    return bool(kept) or described or any(tells_gender(noun) for noun in nouns)


def _clashes_in_gender(match: Match, side: Side, words: tuple[str, str], edits: Collection[Edit]) -> bool:
    """Return whether a pronoun has another gender than one of *words*, though nobody else is there.

    A woman is not in his hat, nor is a person, if the other sentence calls that person a woman.
    """
    own = gender(words[0]) or gender(words[1])
    if own is None:
        return False
    tokens, positions = match.tokens[side], match.positions[side]
    nouns = [t.text for k, t in enumerate(tokens) if k not in positions and t.tag.startswith("NN")]
    alone = all(animacy(noun.lower()) != "person" for noun in nouns)
    return alone and any(each.gender != own for each in _kept_pronouns(match, side, edits))


def _kept_pronouns(match: Match, side: Side, edits: Collection[Edit]) -> list[GenderedPronoun]:
    """Return the gendered pronouns on *side* that are not edited."""
    edited, tokens = {edit.start for edit in edits}, match.tokens[side]
    return [each for each in gendered_pronouns(tokens) if tokens[each.position].start not in edited]


def has_particle(match: Match, side: Side) -> bool:
    """Return whether "up" or "down", and no object, follows the pair's word on *side*: *sits down*."""
    tokens = match.tokens[side]
    after = (tokens[k + 1 : k + 3] for k in match.positions[side])
    return any(
        near[0].text.lower() in {"up", "down"} and (len(near) < 2 or near[1].tag not in {"DT", "PRP$"})
        for near in after
        if near
    )
