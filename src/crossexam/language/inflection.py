"""English word forms: a word inflected like the one it replaces, and the article *a* or *an* before it.

Inflected forms are those of the lemminflect package (the NIH's SPECIALIST Lexicon), checked, because the
package also guesses forms of words that it does not know (*gooder*, *beautifuler*) and its lexicon has
errors (*freeer*).  The article depends on the sound of the next word (Quirk et al., 1985, section 5.8).
"""

from __future__ import annotations

import gzip
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
_PARTS: Final[Mapping[str, str]] = {"N": "n", "J": "a", "R": "r", "V": "v"}
# fmt: on


# Spelt with an initial vowel, pronounced with a consonant (Merriam-Webster).
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
_LOCK: Final = threading.Lock()


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


@lru_cache(maxsize=1 << 12)
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


@lru_cache(maxsize=1 << 14)
def listed_forms(word: str) -> frozenset[str]:
    """Return *word* and the inflected forms that the lexicon has for it as a noun or adjective, lower-cased.

    >>> sorted(listed_forms("man")), sorted(listed_forms("Hot"))
    (['man', 'men'], ['hot', 'hotter', 'hottest'])
    """
    lemma = word.lower()
    parts = (lemminflect().getAllInflections(lemma, part).values() for part in ("NOUN", "ADJ"))
    return frozenset({lemma, *(form.lower() for forms in parts for some in forms for form in some)})


def lemminflect() -> Any:
    """Return the package, imported without spaCy, which may itself be imported at any time.

    If spaCy is installed, ``import lemminflect`` imports it, which takes two seconds, in order to add
    methods to its tokens that are not used here.
    """
    with _LOCK:
        return _imported()


def _seen_tag(word: str, tag: str) -> str:
    """Return *tag*, or the inflected one if *word* cannot be the base form that *tag* says it is."""
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
    """Return the form that lemminflect's model guesses, if WordNet's rules reduce it to *lemma* again."""
    forms: Mapping[str, Any] = lemminflect().getAllInflectionsOOV(lemma, part)
    form = next(iter(forms.get(tag, ())), None)
    known = form and lemma.lower() in WordNet.load().lemmas_of(form, _PARTS[tag[0]])
    return str(form) if known else None


def _plural(noun: str) -> str | None:
    if noun.lower() in _ZERO_PLURALS:
        return noun
    listed = (noun[0].isupper() and _listed(noun, "NNS", "PROPN")) or _listed(noun, "NNS", "NOUN")
    if listed:
        if listed[0] == noun and noun.endswith("ness"):  # primarily a mass noun
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
    listed = _listed(verb, tag, "VERB") or (_listed(verb, "VBD", "VERB") if tag == "VBN" else ())
    if listed:
        return listed[0]
    if (compound := _COMPOUND.match(verb)) and (form := _verb_form(compound[2], tag)):  # unfreeze, unfroze
        return compound[1] + form
    return _guessed(verb, tag, "VERB")


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
    wordnet = WordNet.load()
    lemmas = set(wordnet.lemmas_of(word))
    return any(lemmas & set(wordnet.lemmas(synset)) for synset in wordnet.synsets(word))


class _Lexicon:
    """The lexicon of lemminflect, whose lines are parsed when their word is looked up: all take 0.2 s.

    *codec* is lemminflect's ``InflectionLUCodec``, *path* the compressed lexicon.
    """

    def __init__(self, codec: Any, path: str) -> None:
        self._codec = codec
        self._forms: dict[str, dict[str, tuple[str, ...]]] = codec.updateForAuxMod({})
        self._lines: dict[str, list[str]] = {}
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as stream:
            for line in stream.read().splitlines():
                self._lines.setdefault(line[: line.index(",")], []).append(line)

    def get(self, word: str, default: Any = None) -> Any:
        """Return the forms of *word* by tag, or *default*."""
        if word not in self._forms:
            if word not in self._lines:
                return default
            parsed = [self._codec.fromString(line)[2] for line in self._lines[word]]
            self._forms[word] = {tag: forms for each in parsed for tag, forms in each.items()}
        return self._forms[word]


@cache
def _imported() -> Any:
    package = _without_spacy()
    inflections = sys.modules["lemminflect.core.Inflections"]
    lexicon = inflections.Inflections()
    lexicon.infl_dict = _Lexicon(inflections.InflectionLUCodec, lexicon.infl_lu_fn)
    return package


def _without_spacy() -> ModuleType:
    finder = _NoSpacy()
    sys.meta_path.insert(0, finder)
    try:
        return importlib.import_module("lemminflect")
    except NameError:
        # Another thread began to import spaCy after the finder had hidden it and before lemminflect
        # looked for it; now it is in sys.modules, and no finder is called.
        return importlib.import_module("lemminflect")
    finally:
        sys.meta_path.remove(finder)


class _NoSpacy:
    """An import finder that hides spaCy from one thread."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Raise for spaCy in the thread of this finder; leave everything else to the other finders."""
        if name == "spacy" and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None
