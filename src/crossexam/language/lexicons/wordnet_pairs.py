"""Word pairs from WordNet, of words in their predominant senses.

With all senses of a word there would be pairs like *dog, chap* and *nose, science*, and with the top of the
hierarchy pairs like *apple, object*; so pairs are of frequent senses, and without the words in
``TOO_GENERAL``.  Of 50 hypernym pairs drawn from those whose words occur three times in SNLI (dev, test
and part of train), 41 were judged right for a caption; wrong were *tiger, person*; *grill, edifice*;
*needle, leaf*; *time, case*; *bib, textile* and four more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final, get_args

from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.language.lexicons.word_pairs import Relation, WordPair
from crossexam.language.lexicons.wordnet import PARTS, wordnet
from crossexam.language.remembered import ALL_WORDS, remembered

#: Steps from a word to its hypernym.  Of the 1,385 pairs of Baroni et al. (2012), 55 % are at most two steps
#: apart, 76 % three; hypernyms at three steps are mostly too rare for captions (puppy, beast; pier, solid).
DISTANCE: Final = 2
#: The share of a word's tags that makes a sense frequent.  All 1,385 of these pairs are of first senses.
SHARE: Final = 0.5
#: The share per relation.  Direct antonyms are taken in every sense, because each disambiguates the other:
#: a share of 0.5 would lose 2,530 of 6,759, among them *boy, girl*; *day, night*; *black, white*.
SHARES: Final[dict[Relation, float]] = {
    "antonym": 0.0,
    "hypernym": SHARE,
    "hyponym": SHARE,
    "synonym": SHARE,
}
#: Parts of speech per relation.  The hypernyms of verbs (troponymy) can seldom replace the verb: the pairs
#: *range, be*; *chain, place*; *chair, head* were among the first twelve drawn.
PARTS_OF: Final[dict[Relation, tuple[str, ...]]] = {
    "antonym": PARTS,
    "hypernym": ("n",),
    "hyponym": ("n",),
    "synonym": PARTS,
}
#: Hypernyms that are almost uninformative, selected by hand from the most frequent ones among the pairs.
TOO_GENERAL: Final = frozenset(
    "abstraction act action activity area artefact artifact attribute being boundary bounds cause change "
    "cognition collection communication concept condition content creation enclosure entity event extremity "
    "form group happening individual information instrumentality job line location matter measure message "
    "motion movement object operation organisation organism organization outcome part period phenomenon "
    "point portion position possession process product property quality region relation result shape signal "
    "signaling soul state stuff substance surface symbol thing unit way whole work writing".split()
)


def wordnet_pairs(
    relation: Relation,
    *,
    pos: Collection[str] | None = None,
    distance: int = DISTANCE,
    share: float | None = None,
    multiword: bool = False,
) -> list[WordPair]:
    """Return the distinct pairs of WordNet whose second word is a *relation* of the first, in order.

    Antonyms are direct ones; hypernyms and hyponyms up to *distance* steps away.  *pos*: some of n, v, a,
    r, by default those of ``PARTS_OF``.  *share*: see :func:`frequent_senses`; 0 for every sense, by default
    that of ``SHARES``.

    >>> WordPair("happy", "unhappy", "antonym", "a") in wordnet_pairs("antonym", pos="a")
    True
    """
    parts = _checked(relation, pos, distance)
    share = SHARES[relation] if share is None else share
    found: dict[WordPair, None] = {}
    for part in parts:
        for word in _words(part):
            if multiword or "_" not in word:
                pairs = _pairs_of(word, relation, part, distance, share, multiword=multiword)
                found.update(dict.fromkeys(pairs))
    return list(found)


def replacements(
    word: str,
    relation_kinds: Iterable[Relation],
    *,
    pos: Collection[str] | None = None,
    distance: int = DISTANCE,
    share: float | None = None,
) -> list[WordPair]:
    """Return the words that may replace the lemma *word*, by one of *relation_kinds*, as pairs.

    They are single words, in frequent senses of both words, as in :func:`wordnet_pairs`, for the sets I_TA2
    and I_TA3 (Sanchez et al., 2018, section 6.1), for which the authors chose them by hand.  *pos*: the
    parts of speech, by default all.

    >>> [pair.second for pair in replacements("sunset", ["synonym"])]
    ['sundown']
    """
    found: dict[WordPair, None] = {}
    for relation in relation_kinds:
        minimum = SHARES.get(relation, SHARE) if share is None else share
        for part in _checked(relation, pos if pos is not None else PARTS, distance):
            pairs = _pairs_of(word.lower(), relation, part, distance, minimum)
            found.update(dict.fromkeys(pairs))
    return list(found)


@remembered(ALL_WORDS)
def frequent_senses(word: str, pos: str, share: float = SHARE) -> tuple[int, ...]:
    """Return the synsets of the lemma *word* as *pos*: the first, and any with *share* of its tags.

    Return none if that part of speech has less than *share* of all tags of the word: *mow* is seldom a loft.

    >>> [wordnet().name(synset) for synset in frequent_senses("dog", "n")]
    ['dog.n.01']
    >>> frequent_senses("dog", "v")
    ()
    """
    senses = [s for s in dict.fromkeys(wordnet().synsets(word, pos)) if _spelling(word, s)]
    counts = [wordnet().tag_count(synset, word) for synset in senses]
    if share and sum(counts) < share * _tags(word):
        return ()
    minimum = share * max(1, sum(counts))
    return tuple(s for k, s in enumerate(senses) if k == 0 or counts[k] >= minimum)


@remembered(ALL_WORDS)
def _tags(word: str) -> int:
    """Return how often *word* was tagged in WordNet's concordances, over all parts of speech."""
    return sum(wordnet().tag_count(synset, word) for synset in dict.fromkeys(wordnet().synsets(word)))


def _checked(relation: Relation, pos: Collection[str] | None, distance: int) -> Collection[str]:
    if relation not in get_args(Relation):
        raise UnknownNameError("relation", relation, get_args(Relation))
    if distance < 1:
        raise CrossexamError(f"a hypernym is at least one step away, not {distance}", wanted="distance >= 1")
    for part in pos or ():
        if part not in PARTS:
            raise UnknownNameError("part of speech", part, PARTS)
    return PARTS_OF[relation] if pos is None else pos


def _words(pos: str) -> Iterable[str]:
    """Return the lemmas of a part of speech in lower case, in the order of its synsets."""
    of_part = (s for s in range(len(wordnet())) if wordnet().pos_of(s).replace("s", "a") == pos)
    return dict.fromkeys(lemma.lower() for synset in of_part for lemma in wordnet().lemmas(synset))


def _spelling(word: str, synset: int) -> str | None:
    """Return the spelling of the lemma *word* in *synset*, None if it is not one: *men* is found as *man*."""
    return next((lemma for lemma in wordnet().lemmas(synset) if lemma.lower() == word), None)


def _pairs_of(
    word: str, relation: Relation, pos: str, distance: int, share: float, *, multiword: bool = False
) -> Iterator[WordPair]:
    """Yield the pairs whose first word is *word*, in lower case, both words in frequent senses.

    The second is a single word unless *multiword*.
    """
    for synset in frequent_senses(word, pos, share):
        first = _spelling(word, synset) or word
        for other, lemma in _others(first, synset, relation, distance):
            if not multiword and "_" in lemma:
                continue
            if lemma.lower() == word or (relation == "hypernym" and lemma in TOO_GENERAL):
                continue
            if relation == "hyponym" and word in TOO_GENERAL:
                continue
            if other in frequent_senses(lemma.lower(), pos, share):
                yield WordPair(first, lemma, relation, pos)


def _others(word: str, synset: int, relation: Relation, distance: int) -> Iterator[tuple[int, str]]:
    if relation == "antonym":
        yield from wordnet().antonyms(synset, word)
    elif relation == "synonym":
        yield from ((synset, lemma) for lemma in wordnet().lemmas(synset))
    else:
        up = relation == "hypernym"
        near = dict.fromkeys((synset,))
        edge = [synset]
        for _ in range(distance):
            steps = (wordnet().hypernyms(s) if up else wordnet().hyponyms(s) for s in edge)
            edge = [s for s in dict.fromkeys(s for step in steps for s in step) if s not in near]
            near |= dict.fromkeys(edge)
            yield from ((s, lemma) for s in edge for lemma in wordnet().lemmas(s))
