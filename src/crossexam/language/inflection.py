"""English word forms: a word inflected like the one it replaces, and the article *a* or *an* before it.

Inflected forms are those of the SPECIALIST Lexicon (National Library of Medicine), as compiled by
``scripts/compile_forms.py``.  They are checked, since the lexicon has errors (*freeer*), and a word that it
lacks has regular forms only if WordNet leads back from them to the word.  The article depends on the sound of
the next word (Quirk et al., 1985, ch. 5, on the articles).
"""

from __future__ import annotations

import gzip
import hashlib
import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, Literal

from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.remembered import WORDS, remembered

Article = Literal["a", "an"]

# fmt: off
# Irregular comparison (Quirk et al., 1985, sections 7.76 and 7.83); of two forms, the commoner.
_COMPARISON: Final[Mapping[str, tuple[str, str]]] = {
    "good": ("better", "best"),   "well": ("better", "best"),   "bad":  ("worse", "worst"),
    "ill":  ("worse", "worst"),   "badly": ("worse", "worst"),  "far":  ("farther", "farthest"),
    "much": ("more", "most"),     "many": ("more", "most"),
}
# Disyllables that take -er, apart from those with the endings below (section 7.81).
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
#: WordNet's part of speech by the first letter of a Penn tag.
PARTS: Final[Mapping[str, str]] = {"N": "n", "J": "a", "R": "r", "V": "v"}
# fmt: on


# Spelt with an initial vowel, pronounced with a consonant (Merriam-Webster).
_CONSONANT_SOUND: Final = re.compile(
    r"""
    eu                                              # European, euphemism
    | ewe(?![a-z]) | ewer                           # ewe
    | (?: one | ones | once | oneself | oneness | onetime ) (?![a-z])   # one, one-way; not onerous
    | ouija
    | uni (?! n | mp | mm | ma | mi | de | ro | rr | ss )   # university, uniform; not uninvited, unimportant
    | unanim | unary                                # unanimous; not unanswered
    | us (?: e | age | ab | ual | ing | urp | ur[iy] )      # use, usable, usual; not usher
    | ut (?: a | en | er | il | op )                # Utah, utensil, uterus, utility, utopia; not utter
    | ubiq | ugand | uku | ukr | uru | uvu | uygh | ufo
    | ur (?: an | in | ol | ea | et )               # uranium, urine; not urban, urgent
    """,
    re.VERBOSE,
)
# Spelt with an initial consonant, pronounced with a vowel.  American English: an herb.
_VOWEL_SOUND: Final = re.compile(
    r"""
    hour | honest | honou?r | heir | herb (?: s | al | y )? (?![a-z]) | hors (?![a-z])
    | ytt | yv | ypres
    """,
    re.VERBOSE,
)
_VOWEL_LETTERS: Final = frozenset("aefhilmnorsx")  # whose names begin with a vowel: an MBA, an X-ray
_ACRONYM: Final = re.compile(r"(?:[A-Z]\.?){2,}s?(?![A-Za-z])")
# Acronyms that are read letter by letter although they could be read as a word ...
_SPELT: Final = frozenset(
    "HIV ICU LED MIA NAACP NCAA RAF ROI SAT UAE UAV UCLA UFO UK UN UPS URL US USA USB".split()
)
# ... and as a word although they are short or do not look like one.
_SPOKEN: Final = frozenset(
    "FAQ FEMA HUD LAN MASH NAFTA NASA NATO RAM ROM SARS SIM SWAT SCUBA SONAR LASER".split()
)
_ONSETS: Final = re.compile(
    r"[^AEIOUY]?[AEIOUY]|[BCFGKP][LR]|[DT][RW]|S[CHKLMNPTW]|[CGPRTW]H|[GKW][NR]|QU|STR"
)
_NUMBER: Final = re.compile(r"(\d{1,3}(?:,\d{3})+|\d+)")
_FORMS: Final = Path(__file__).with_name("lexicons") / "forms.txt.gz"


def inflect_like(lemma: str, word: str, tag: str) -> str | None:
    """Return the form of *lemma* that has the inflection of *word*, of Penn tag *tag*, or None.

    None if English has no such one-word form (the comparative of *beautiful*, the plural of *happiness*),
    if *lemma* is several words, and for *be* if the form depends on person.  A tag without inflection
    (NN, JJ, VB, IN ...) gives *lemma*, unless *word* is an inflected form and not a lemma of WordNet: then
    the tagger erred, and *lemma* gets the number or degree of *word*.  Of two spellings (*apices*,
    *apexes*) the lexicon's first is taken.

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
    """Return *word* with the capitalisation of *like*; its own capitals stay (*Gentile*).

    >>> match_case("cold", "Hot"), match_case("cold", "HOT"), match_case("Gentile", "jew")
    ('Cold', 'COLD', 'Gentile')
    """
    if len(like) > 1 and like.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if like[:1].isupper() else word


@remembered(WORDS)
def indefinite_article(next_word: str) -> Article:
    """Return the article before *next_word*, which is a word, a number or an acronym, as written.

    Quotation marks, brackets and currency signs at its beginning are ignored.

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


@remembered(WORDS)
def listed_forms(word: str) -> frozenset[str]:
    """Return *word* and the inflected forms that the lexicon has for it as a noun or adjective, lower-cased.

    >>> sorted(listed_forms("man")), sorted(listed_forms("Hot"))
    (['man', 'men'], ['hot', 'hotter', 'hottest'])
    """
    lemma = word.lower()
    return frozenset({lemma, *(form for tag in ("NNS", "JJR", "JJS") for form in _listed(lemma, tag))})


@remembered(WORDS)
def lemma_of(verb: str) -> str:
    """Return the base form of *verb*, in lower case: by the lexicon, by WordNet, or else by its ending.

    >>> lemma_of("riding"), lemma_of("Hula-hooping"), lemma_of("breakdances")
    ('ride', 'hula-hoop', 'breakdance')
    """
    lower = verb.lower()
    if base := _table("VB").get(lower):
        return base
    first, hyphen, last = lower.rpartition("-")
    if first and last:
        return f"{first}{hyphen}{lemma_of(last)}"
    return wordnet().morphy(lower, "v") or _without_ending(lower)


def _without_ending(verb: str) -> str:
    """Return *verb* without the ending of a regular form: a guess, for new and misspelt verbs."""
    if verb.endswith(("ies", "ied")):
        return f"{verb[:-3]}y"
    if re.search("[^s]s$", verb):
        return verb[:-2] if re.search("(?:[sxz]|ch|sh)es$", verb) else verb[:-1]
    ending = re.fullmatch("(.*[aeiouy].*)(?:ing|ed)", verb)
    if ending is None:
        return verb
    if re.search(r"([bdgmnprt])\1$", ending[1]):
        return ending[1][:-1]
    takes_e = re.search("[^aeiou][aeiouy][^aeiouwxy]$|[cgsvz]$|[^aeiou]l$", ending[1])
    return f"{ending[1]}e" if takes_e else ending[1]


@cache
def forms_version() -> str:
    """Return the first characters of a hash of the table of forms, for signatures."""
    return hashlib.sha256(_FORMS.read_bytes()).hexdigest()[:8]


@cache
def _sections() -> Mapping[str, str]:
    """Return the sections of the table of forms by Penn tag; see ``scripts/compile_forms.py``."""
    _, *sections = gzip.decompress(_FORMS.read_bytes()).decode().split("[")
    rows = (section.partition("]\n") for section in sections)
    return {tag: text for tag, _, text in rows}


@cache
def _table(tag: str) -> Mapping[str, str]:
    """Return the forms of Penn *tag*, joined by slashes, by word: few of the tags are ever asked for."""
    return dict(line.split("\t") for line in _sections().get(tag, "").splitlines())


def _seen_tag(word: str, tag: str) -> str:
    """Return *tag*, or the inflected one if *word* cannot be the base form that *tag* says it is."""
    if tag not in {"NN", "NNP", "JJ", "RB"}:
        return tag
    base = wordnet().morphy(word, PARTS[tag[0]])
    if base is None or base == word:
        return tag
    if tag.startswith("N"):
        return f"{tag}S"
    return f"{tag}S" if word.endswith("st") else f"{tag}R"


@remembered(WORDS)
def _form(lemma: str, tag: str) -> str | None:
    if tag in {"NNS", "NNPS"}:
        return _plural(lemma)
    if tag in _GRADES:
        return _graded(lemma, tag)
    if tag in {"VBZ", "VBD", "VBN", "VBG", "VBP"}:
        return _verb_form(lemma, tag)
    return lemma


def _listed(lemma: str, tag: str, *, proper: bool = False) -> tuple[str, ...]:
    """Return the forms that the lexicon has for *lemma*, if need be as a proper noun."""
    word = lemma.lower()
    forms = _table(tag).get(word.capitalize() if proper else word, "")
    return tuple(match_case(form, lemma) for form in forms.split("/") if form)


def _guessed(lemma: str, tag: str) -> str | None:
    """Return the regular form of *lemma*, if WordNet's rules reduce it to *lemma* again."""
    word = lemma.lower()
    form = _table(f"{tag}?").get(word, regular_form(word, tag))
    return match_case(form, lemma) if word in wordnet().lemmas_of(form, PARTS[tag[0]]) else None


def regular_form(word: str, tag: str) -> str:
    """Return the regular form of a noun or verb in lower case.

    >>> regular_form("pony", "NNS"), regular_form("skate", "VBG"), regular_form("tie", "VBG")
    ('ponies', 'skating', 'tying')
    """
    if tag == "VBG":
        return f"{word[:-2]}ying" if word.endswith("ie") else re.sub("(?<=[^iyeo])e$", "", word) + "ing"
    stem = f"{word[:-1]}ie" if re.search("[^aeiou]y$", word) else word
    if tag in {"VBD", "VBN"}:
        return f"{stem}d" if stem.endswith("e") else f"{stem}ed"
    return f"{stem}es" if re.search("(?:[szx]|ch|sh)$", stem) else f"{stem}s"


def _plural(noun: str) -> str | None:
    if noun.lower() in _ZERO_PLURALS:
        return noun
    listed = (noun[0].isupper() and _listed(noun, "NNS", proper=True)) or _listed(noun, "NNS")
    if listed:
        if listed[0] == noun and noun.endswith("ness"):  # primarily a mass noun
            return None
        if plural := next((form for form in listed if form != noun), None):
            return plural
        return noun if re.search("[^s]s$", noun) and not noun.endswith("ics") else None  # winnings
    if noun.isupper():
        return f"{noun}s"
    if noun.endswith(_ABSTRACT) or re.search("[^s]s$", noun):  # bellicosity, losings
        return None
    if wordnet().is_lemma(noun.lower(), "a"):  # the dead
        return None
    _, *others = noun.split("-")
    if len(others) > 1 or (others and not wordnet().lemmas_of(others[0], "n")):  # man-of-war, passer-by
        return None
    return _guessed(noun, "NNS")


def _graded(word: str, tag: str) -> str | None:
    if word in _COMPARISON:
        return _COMPARISON[word][_GRADES[tag]]
    if not _takes_endings(word) or (tag.startswith("R") and re.search("[^r]ly$", word)):  # early
        return None
    regular = _regular_grades(word, _GRADES[tag])
    listed = _listed(word, f"JJ{tag[2]}")
    if tag.startswith("R"):
        listed = _listed(word, tag) or listed  # late, hard, fast: adverbs with the adjective's form
    if listed and re.search("[eu]e$", word):  # freer, truer
        return regular[0]
    return next((form for form in listed if form in regular), None)


def _takes_endings(word: str) -> bool:
    """Return whether *word* is short enough for -er and -est (Quirk et al., 1985, section 7.81)."""
    syllables = len(re.findall("[aeiouy]+", re.sub("(?<![aeiouyl])e$|(?<=[aeiouy]l)e$|e(?=ly$)", "", word)))
    if syllables <= 1 or word in _DISYLLABLES:
        return True
    ending = re.search("(?:y|ow|[^aeiouy]le|er|ure)$", word)
    return ending is not None and syllables <= (3 if re.match("un.*y$", word) else 2)


def _regular_grades(word: str, grade: int) -> tuple[str, ...]:
    """Return the possible spellings of the regular comparative (grade 0) or superlative (1)."""
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
    listed = _listed(verb, tag) or (_listed(verb, "VBD") if tag == "VBN" else ())
    if listed:
        return listed[0]
    if (compound := _COMPOUND.match(verb)) and (form := _verb_form(compound[2], tag)):  # unfreeze, unfroze
        return compound[1] + form
    return _guessed(verb, tag)


def _before_number(number: str) -> Article:
    """Return the article before digits: eight, eighty, eight hundred; eleven and eighteen (thousand).

    Four digits without a comma are read in pairs, as years are: an 1890 law.
    """
    first = number.split(",")[0]
    eleven = first[:2] in {"11", "18"} and (len(first) % 3 == 2 or len(first) == 4)
    return "an" if first.startswith("8") or eleven else "a"


def _is_spelt(word: str) -> bool:
    """Return whether *word* begins with the name of a letter: X-ray, FBI, U.S.; not NATO, nor OLD."""
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
    """Return whether WordNet has a lemma of *word* that is written in lower case."""
    lemmas = set(wordnet().lemmas_of(word))
    return any(lemmas & set(wordnet().lemmas(synset)) for synset in wordnet().synsets(word))
