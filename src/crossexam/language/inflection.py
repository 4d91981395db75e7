"""English inflection: another word in the form of the one it replaces.

Forms are those of the lemminflect package (the NIH's SPECIALIST Lexicon), checked: it also guesses
words that it does not know (*gooder*, *beautifuler*) and its lexicon has slips (*freeer*).

Whether *a* or *an* stands before a word: by its sound (Quirk et al., 1985, section 5.8).

The lemminflect package, imported without spaCy.

Where spaCy is installed, ``import lemminflect`` imports it in order to add methods to its tokens, which
nothing here uses and which takes two seconds.
"""

from __future__ import annotations

import importlib
import re
import sys
import threading
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final, Literal

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
    if wordnet.is_lemma(noun.lower(), "a"):  # the dead
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


Article = Literal["a", "an"]

# Written with a vowel, spoken with a consonant (Merriam-Webster's pronunciations).
_CONSONANT_SOUND: Final = re.compile(
    r"""
    eu                                              # European, euphemism
    | ewe(?![a-z]) | ewer                           # ewe
    | (?: one | ones | once | oneself | oneness | onetime ) (?![a-z])   # one, one-way; not onerous
    | ouija
    | uni (?! n | mp | mm | ma | mi | de | ro | rr | ss )   # university, uniform; not uninvited, unimportant
    | unan | unary                                  # unanimous
    | us (?: e | age | ab | ual | ing | urp | ur[iy] )      # use, usable, usual; not usher
    | ut (?: a | en | er | il | op )                # Utah, utensil, uterus, utility, utopia; not utter
    | ubiq | ugand | uku | ukr | uru | uvu | uygh | ufo
    | ur (?: an | in | ol | ea | et )               # uranium, urine; not urban, urgent
    """,
    re.VERBOSE,
)
# Written with a consonant, spoken with a vowel.  American: an herb.
_VOWEL_SOUND: Final = re.compile(
    r"""
    hour | honest | honou?r | heir | herb (?: s | al | y )? (?![a-z]) | hors (?![a-z])
    | ytt | yv | ypres
    """,
    re.VERBOSE,
)
_VOWEL_LETTERS: Final = frozenset("aefhilmnorsx")  # whose names begin with a vowel: an MBA, an X-ray
_ACRONYM: Final = re.compile(r"(?:[A-Z]\.?){2,}s?(?![A-Za-z])")
# Capitals that are read letter by letter though they could be read as a word ...
_SPELT: Final = frozenset(
    "HIV ICU LED MIA NAACP NCAA RAF ROI SAT UAE UAV UCLA UFO UK UN UPS URL US USA USB".split()
)
# ... and as a word though they are short or look like none.
_SPOKEN: Final = frozenset(
    "FAQ FEMA HUD LAN MASH NAFTA NASA NATO RAM ROM SARS SIM SWAT SCUBA SONAR LASER".split()
)
_ONSETS: Final = re.compile(
    r"[^AEIOUY]?[AEIOUY]|[BCFGKP][LR]|[DT][RW]|S[CHKLMNPTW]|[CGPRTW]H|[GKW][NR]|QU|STR"
)
_NUMBER: Final = re.compile(r"(\d{1,3}(?:,\d{3})+|\d+)")


@lru_cache(maxsize=1 << 12)
def indefinite_article(next_word: str) -> Article:
    """Return the article before *next_word*: a word, number or acronym, as it is written.

    Quotes, brackets and currency signs before it do not matter.

    >>> [indefinite_article(word) for word in ("hour", "hot", "university", "umbrella", "one-eyed", "MBA")]
    ['an', 'a', 'a', 'an', 'a', 'an']
    >>> [indefinite_article(word) for word in ("8-year-old", "$11,000", "18th", "180", "1,800", "1800", "US")]
    ['an', 'an', 'an', 'a', 'a', 'an', 'a']
    """
    word = "".join(c for c in unicodedata.normalize("NFKD", next_word) if not unicodedata.combining(c))
    word = re.sub(r"^[^\w.#]+", "", word).lstrip("_")
    if number := _NUMBER.match(word):
        return _before_number(number[1])
    if _is_spelt(word):
        return "an" if word[0].lower() in _VOWEL_LETTERS else "a"
    lower = word.lower()
    if _CONSONANT_SOUND.match(lower):
        return "a"
    return "an" if lower[:1] in frozenset("aeiou") or _VOWEL_SOUND.match(lower) else "a"


def _before_number(number: str) -> Article:
    """Return the article before digits: eight, eighty, eight hundred; eleven and eighteen (thousand).

    Four digits without a comma are read in pairs, as years are: an 1890 law.
    """
    first = number.split(",")[0]
    eleven = first[:2] in {"11", "18"} and (len(first) % 3 == 2 or len(first) == 4)
    return "an" if first.startswith("8") or eleven else "a"


def _is_spelt(word: str) -> bool:
    """Tell whether *word* is read as names of letters: X-ray, FBI, U.S.; not NATO, nor shouted OLD."""
    if re.match(r"[A-Za-z](?![A-Za-z'’])|[A-Za-z]{2,3}\d", word):  # X-ray, mp3
        return True
    if not _ACRONYM.match(word):
        return False
    letters = re.match(r"[A-Z.]+", word)
    capitals = letters[0] if letters else ""
    name = capitals.replace(".", "")
    if "." in capitals.rstrip(".") or name in _SPELT or not re.search("[AEIOUY]", name):
        return True
    if name in _SPOKEN or _is_word(name.lower()):
        return False
    return len(name) <= 3 or not _ONSETS.match(name)


def _is_word(word: str) -> bool:
    """Tell whether WordNet has *word*, or a form of it, written in lower case."""
    wordnet = WordNet.load()
    lemmas = set(wordnet.lemmas_of(word))
    return any(lemmas & set(wordnet.lemmas(synset)) for synset in wordnet.synsets(word))


_LOCK = threading.Lock()


class _NoSpacy:
    """A finder that tells one thread that there is no spaCy."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Raise for spaCy in the thread that made this; leave all else to the finders behind it."""
        if name == "spacy" and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def lemminflect() -> Any:
    """Return the package; spaCy is not imported for it, and can be before, after and meanwhile."""
    with _LOCK:
        return _imported()


@cache
def _imported() -> Any:
    guard = _NoSpacy()
    sys.meta_path.insert(0, guard)
    try:
        return importlib.import_module("lemminflect")
    except NameError:
        # Another thread began to import spaCy after the guard had denied it and before lemminflect
        # looked whether it is there; now it is, and the guard is not asked.
        return importlib.import_module("lemminflect")
    finally:
        sys.meta_path.remove(guard)
