"""English inflection: another word in the form of the one it replaces.

Forms are those of the lemminflect package (the NIH's SPECIALIST Lexicon), checked: it also guesses
words that it does not know (*gooder*, *beautifuler*) and its lexicon has slips (*freeer*).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from crossexam.language.articles import indefinite_article
from crossexam.language.lemminflect_import import lemminflect
from crossexam.language.lexicons.wordnet import WordNet

__all__ = ["indefinite_article", "inflect_like", "match_case"]

# fmt: off
# Irregular comparison (Quirk et al., 1985, sections 7.76 and 7.83); of two forms, the commoner.
_COMPARISON: Final[Mapping[str, tuple[str, str]]] = {
    "good": ("better", "best"),   "well": ("better", "best"),   "bad":  ("worse", "worst"),
    "ill":  ("worse", "worst"),   "badly": ("worse", "worst"),  "far":  ("farther", "farthest"),
    "much": ("more", "most"),     "many": ("more", "most"),
}
# Disyllables that take -er beside those with the endings below (section 7.81).
_DISYLLABLES: Final = frozenset(
    "common cruel handsome pleasant polite quiet remote severe sincere solid stupid wicked".split()
)
# Nouns with a plural like the singular (section 5.87).
_ZERO_PLURALS: Final = frozenset(
    "aircraft barracks bison carp cod corps crossroads deer elk fish gallows grouse headquarters hovercraft "
    "kennels means moose offspring salmon series sheep shrimp spacecraft species swine trout works".split()
)
# Endings of nouns that have no plural unless the lexicon knows one.
_ABSTRACT: Final = (
    "ance", "ancy", "ence", "ency", "hood", "ia", "ics", "ing", "ion", "ism", "ity", "ness", "ship", "tude",
)
_COMPOUND: Final = re.compile("(under|un|over|out|re|mis|fore|hand)-?(.{3,})")  # of a verb
_GRADES: Final[Mapping[str, int]] = {"JJR": 0, "RBR": 0, "JJS": 1, "RBS": 1}
_PARTS: Final[Mapping[str, str]] = {"N": "n", "J": "a", "R": "r", "V": "v"}
# fmt: on


def inflect_like(lemma: str, word: str, tag: str) -> str | None:
    """Return the form of *lemma* that has the inflection of *word*, of Penn tag *tag*, or None.

    None where English has no such form in one word (the comparative of *beautiful*, the plural of
    *happiness*), where *lemma* is several words, and for *be* where the form depends on person.  A tag
    without inflection (NN, JJ, VB, IN ...) gives *lemma*, unless *word* is no lemma of WordNet but a form
    of one: then the tagger erred, and the plural or grade of *word* is taken.

    Deviation: where there are two spellings (*apices*, *apexes*) this is the lexicon's first, for it does
    not matter here.

    >>> inflect_like("cold", "hottest", "JJS"), inflect_like("woman", "men", "NNS")
    ('coldest', 'women')
    >>> inflect_like("bad", "better", "JJR"), inflect_like("beautiful", "uglier", "JJR")
    ('worse', None)
    """
    if not re.fullmatch(r"[^\W\d_]+(?:['-][^\W\d_]+)*", lemma):
        return None
    if lemma.lower() == "little" and word.lower() in {"more", "most"}:  # of quantity, not of size
        return {"more": "less", "most": "least"}[word.lower()]
    return _form(lemma, _seen_tag(word.lower(), tag))


def match_case(word: str, like: str) -> str:
    """Return *word* with the capitals of *like*; what *word* has by itself (*Gentile*) stays.

    >>> match_case("cold", "Hot"), match_case("cold", "HOT"), match_case("Gentile", "jew")
    ('Cold', 'COLD', 'Gentile')
    """
    if len(like) > 1 and like.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if like[:1].isupper() else word


def _seen_tag(word: str, tag: str) -> str:
    """Return *tag*, or the inflected one where *word* cannot be the base form that *tag* says."""
    if tag not in {"NN", "NNP", "JJ", "RB"}:
        return tag
    base = WordNet.load().morphy(word, _PARTS[tag[0]])
    if base is None or base == word:
        return tag
    if tag.startswith("N"):
        return f"{tag}S"
    return f"{tag}S" if word.endswith("st") else f"{tag}R"


@lru_cache(maxsize=1 << 14)
def _form(lemma: str, tag: str) -> str | None:
    if tag in {"NNS", "NNPS"}:
        return _plural(lemma)
    if tag in _GRADES:
        return _graded(lemma, tag)
    if tag in {"VBZ", "VBD", "VBN", "VBG", "VBP"}:
        return _verb_form(lemma, tag)
    return lemma


def _listed(lemma: str, tag: str, part: str) -> tuple[str, ...]:
    """Return the forms that the lexicon has for *lemma*."""
    forms: Mapping[str, Any] = lemminflect().getAllInflections(lemma, part)
    return tuple(forms.get(tag, ()))


def _guessed(lemma: str, tag: str, part: str) -> str | None:
    """Return the form that lemminflect's model guesses, if WordNet's rules lead from it back to *lemma*."""
    forms: Mapping[str, Any] = lemminflect().getAllInflectionsOOV(lemma, part)
    form = next(iter(forms.get(tag, ())), None)
    known = form and lemma.lower() in WordNet.load().lemmas_of(form, _PARTS[tag[0]])
    return str(form) if known else None


def _plural(noun: str) -> str | None:
    if noun.lower() in _ZERO_PLURALS:
        return noun
    listed = (noun[0].isupper() and _listed(noun, "NNS", "PROPN")) or _listed(noun, "NNS", "NOUN")
    if listed:
        if listed[0] == noun and noun.endswith("ness"):  # a mass noun before all
            return None
        if plural := next((form for form in listed if form != noun), None):
            return plural
        return noun if re.search("[^s]s$", noun) and not noun.endswith("ics") else None  # winnings
    wordnet = WordNet.load()
    if noun.isupper():
        return f"{noun}s"
    if noun.endswith(_ABSTRACT) or re.search("[^s]s$", noun):  # bellicosity, losings
        return None
    if noun.lower() in wordnet.lemmas_of(noun, "a"):  # the dead
        return None
    _, *others = noun.split("-")
    if len(others) > 1 or (others and not wordnet.lemmas_of(others[0], "n")):  # man-of-war, passer-by
        return None
    return _guessed(noun, "NNS", "NOUN")


def _graded(word: str, tag: str) -> str | None:
    if word in _COMPARISON:
        return _COMPARISON[word][_GRADES[tag]]
    if not _takes_endings(word) or (tag.startswith("R") and re.search("[^r]ly$", word)):  # early
        return None
    regular = _regular_grades(word, _GRADES[tag])
    listed = _listed(word, f"JJ{tag[2]}", "ADJ")
    if tag.startswith("R"):
        listed = _listed(word, tag, "ADV") or listed  # late, hard, fast: adverbs with the adjective's form
    if listed and re.search("[eu]e$", word):  # freer, truer
        return regular[0]
    return next((form for form in listed if form in regular), None)


def _takes_endings(word: str) -> bool:
    """Tell whether *word* is short enough for -er and -est (Quirk et al., 1985, section 7.81)."""
    syllables = len(re.findall("[aeiouy]+", re.sub("(?<![aeiouyl])e$|(?<=[aeiouy]l)e$|e(?=ly$)", "", word)))
    if syllables <= 1 or word in _DISYLLABLES:
        return True
    ending = re.search("(?:y|ow|[^aeiouy]le|er|ure)$", word)
    return ending is not None and syllables <= (3 if re.match("un.*y$", word) else 2)


def _regular_grades(word: str, grade: int) -> tuple[str, ...]:
    """Return the spellings that the regular comparative (0) or superlative (1) may have."""
    ending = ("er", "est")[grade]
    if word.endswith("e"):
        return (word + ending[1:],)
    if re.search("[^aeiou]y$", word):
        return word[:-1] + "i" + ending, word + ending
    if re.fullmatch("[^aeiouy]*(?:u(?<=qu))?[aeiouy][^aeiouywx]", word):  # big, bigger; one syllable
        return (word + word[-1] + ending,)
    return (word + ending,)


def _verb_form(verb: str, tag: str) -> str | None:
    if verb == "be" and tag in {"VBP", "VBD"}:
        return None
    if tag == "VBP":
        return verb
    listed = _listed(verb, tag, "VERB") or (_listed(verb, "VBD", "VERB") if tag == "VBN" else ())
    if listed:
        return listed[0]
    if (compound := _COMPOUND.match(verb)) and (form := _verb_form(compound[2], tag)):  # unfreeze, unfroze
        return compound[1] + form
    return _guessed(verb, tag, "VERB")
