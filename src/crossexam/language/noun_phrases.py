"""Base noun phrases: a head noun and its premodifiers.

Phrases are chunked by their tags (as in Ramshaw and Marcus, 1995, without what follows the head); if the
sentence has dependencies, a word belongs to a phrase only if it depends on a word of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.tokens import Parsed, Token

_ADJECTIVES: Final = frozenset({"JJ", "JJR", "JJS"})
_PARTICIPLES: Final = frozenset({"VBN", "VBG"})
_DETERMINERS: Final = frozenset({"DT", "PRP$", "WP$", "POS", "PDT", "WDT", "CD"})
_BEFORE_PARTICIPLE: Final = frozenset({"DT", "PRP$", "CD", "JJ", "POS"})
_JOINING: Final = frozenset({",", "CC"})
_OF_A_PART: Final = re.compile("sleeves?|.+ed")  # an adjective before it modifies it: short sleeved
_BETWEEN: Final = _ADJECTIVES | _JOINING
_NO_HEAD: Final = frozenset({"compound", "amod", "det", "advmod", "flat", "case", "fixed", "nummod"})
#: Plurals that do not mean several of their singular (Quirk et al., 1985, section 5.76-77).
PLURAL_ONLY: Final = frozenset(
    "binoculars clothes glasses goggles goods overalls pants people scissors scrubs shorts spectacles "
    "sunglasses tights trousers works".split()
)


class NounPhrase(NamedTuple):
    """Indices of tokens: *start* to *head*; *determiners*, *modifiers* and *compounds* in order.

    Determiners are articles, possessives and numerals, modifiers are adjectives and participles, compounds
    the nouns before the head.  *complex*: the modifiers are coordinated or have adverbs.
    """

    start: int
    head: int
    determiners: tuple[int, ...]
    modifiers: tuple[int, ...]
    compounds: tuple[int, ...]
    complex: bool


def noun_phrases(tokens: Sequence[Token], parsed: Parsed | None = None) -> Iterator[NounPhrase]:
    """Yield the base noun phrases in order, except for nouns with ``'s``, which determine the next one.

    >>> tags = (("A", "DT"), ("small", "JJ"), ("fire", "NN"), ("truck", "NN"))
    >>> [*noun_phrases([Token(word, 0, 0, tag) for word, tag in tags])]
    [NounPhrase(start=0, head=3, determiners=(0,), modifiers=(1,), compounds=(2,), complex=False)]
    """
    end = len(tokens)
    index = 0
    while index < end:
        if not tokens[index].tag.startswith("NN"):
            index += 1
            continue
        first = index
        while index < end and tokens[index].tag.startswith("NN"):
            index += 1
        following = tokens[index].tag if index < end else ""
        before_noun = index + 1 < end and tokens[index + 1].tag.startswith("NN")
        if following == "POS" or (following in {"JJ", "CD"} and before_noun):  # ice cold water
            continue
        if parsed and parsed.relations[index - 1].partition(":")[0] in _NO_HEAD:
            continue
        yield _before(tokens, first, index - 1, parsed)


def _before(tokens: Sequence[Token], first: int, head: int, parsed: Parsed | None) -> NounPhrase:
    """Return the phrase whose nouns are *first* to *head*, with their determiners and modifiers."""
    determiners: list[int] = []
    modifiers: list[int] = []
    start, is_complex = first, False
    index = first - 1
    while index >= 0 and (parsed is None or index < parsed.heads[index] <= head):
        tag = tokens[index].tag
        if tag in _DETERMINERS:
            determiners.insert(0, index)
        elif determiners:
            break
        elif tag in _ADJECTIVES or (tag in _PARTICIPLES and _is_attribute(tokens, index, parsed)):
            modifiers.insert(0, index)
        elif start in modifiers and (tag == "RB" or (tag in _JOINING and _joins(tokens, index))):
            is_complex = True
        else:
            break
        start = index
        index -= 1
    return NounPhrase(
        start, head, tuple(determiners), tuple(modifiers), tuple(range(first, head)), is_complex
    )


def _is_attribute(tokens: Sequence[Token], index: int, parsed: Parsed | None) -> bool:
    """Return whether the participle at *index* premodifies a noun: "a parked car"."""
    if parsed:
        return parsed.relations[index] == "amod"
    return index > 0 and tokens[index - 1].tag in _BEFORE_PARTICIPLE


def _joins(tokens: Sequence[Token], index: int) -> bool:
    return index > 0 and tokens[index - 1].tag in _ADJECTIVES | _PARTICIPLES


def noun_lemma(token: Token) -> str:
    """Return the singular of a noun, by its tag, in lower case.

    >>> noun_lemma(Token("Women", 0, 5, "NNS"))
    'woman'
    """
    word = token.text.lower()
    if not token.tag.endswith("S") or word in PLURAL_ONLY:
        return word
    forms = wordnet().lemmas_of(word, "n")  # WordNet has "men" too: the work force
    return next((form for form in forms if form != word), word)


def adjective_pairs(tokens: Sequence[Token], parsed: Parsed | None) -> Iterator[tuple[str, str]]:
    """Yield each attributive adjective with the lemma of its noun.

    By the relation ``amod`` if the sentence has dependencies, otherwise by its noun phrases.  Only positive
    forms (tag JJ) and common nouns, with only adjectives in between: in "short sleeved shirt" the sleeves
    are short.

    >>> tags = (("Two", "CD"), ("tall", "JJ"), ("young", "JJ"), ("women", "NNS"))
    >>> [*adjective_pairs([Token(word, 0, 0, tag) for word, tag in tags], None)]
    [('tall', 'woman'), ('young', 'woman')]
    """
    if parsed:
        links = [(k, parsed.heads[k]) for k, name in enumerate(parsed.relations) if name == "amod"]
    else:
        links = [(k, phrase.head) for phrase in noun_phrases(tokens) for k in phrase.modifiers]
    for adjective, noun in links:
        between = tokens[adjective + 1 : noun]
        if tokens[adjective].tag != "JJ" or any(token.tag not in _BETWEEN for token in between):
            continue
        if between and _OF_A_PART.fullmatch(between[0].text.lower()):
            continue
        if tokens[noun].tag in {"NN", "NNS"}:
            yield tokens[adjective].text.lower(), noun_lemma(tokens[noun])
