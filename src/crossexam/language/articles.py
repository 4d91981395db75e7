"""Whether *a* or *an* stands before a word: by its sound (Quirk et al., 1985, section 5.8)."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final, Literal

from crossexam.language.lexicons.wordnet import WordNet

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
