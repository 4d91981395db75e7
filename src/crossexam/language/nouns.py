"""What nouns name, by WordNet, and which adjectives follow from the noun alone.

There are two classifications, because they serve two purposes.  :func:`animacy` gives every word form a
class, so that the participants of a clause can be compared.  :func:`concrete_kind` is for lemmas whose
referent can be described by an adjective: a list corrects WordNet for nouns that image captions use in
another sense, and nouns that name nothing concrete with clear boundaries have no kind.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final, Literal

from crossexam.language.lexicons.adjective_classes import class_of
from crossexam.language.lexicons.closed_classes import INDEFINITE_PEOPLE, PERSONAL_PRONOUNS
from crossexam.language.lexicons.noun_groups import (
    BABIES,
    GROUPS_OF_PEOPLE,
    KIN,
    KINDS,
    KNOWN,
    LARGE,
    NO_ENTITY,
    OF_LIVING,
    OF_THINGS,
    OLD,
    YOUNG,
    NounKind,
)
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.remembered import WORDS, remembered
from crossexam.language.tokens import Token

Gender = Literal["masculine", "feminine"]

# Words of definitions that tell the gender of what is defined, and of those who have or wear it.
_MALE: Final = frozenset("man male boy brother husband father".split())
_FEMALE: Final = frozenset("woman female girl sister wife mother".split())
_OF_ONE_GENDER: Final = frozenset("men men's man's woman women girls women's woman's".split())
_WORN: Final = frozenset({"artifact.n.01", "body_part.n.01", "hair.n.01"})
_TIMES: Final = frozenset({"time_period.n.01", "time_unit.n.01"})
_FREQUENT: Final = 2  # senses: the first bikini of WordNet is an atoll
_OF_OTHERS: Final = frozenset("group couple pair bunch team crowd trio pack".split())
_MANY: Final = frozenset("crowd team audience class band".split())
_TERM_FOR: Final = re.compile(r"(\w+ ){0,2}terms? (for|of) ")
#: Words of which one is a kind of the other in WordNet, but which describe the same things in captions:
#: a dog that hunts is a hound (WordNet: "dog used for hunting"), a cart is "a heavy open wagon".
_NEAR: Final = frozenset(
    frozenset(pair.split("/"))
    for pair in "dog/hound cart/wagon animal/pet animal/creature structure/building walkway/sidewalk "
    "walkway/path grocery/supermarket slope/mountainside hill/hillside activist/crusader dancer/performer "
    "kid/youngster child/youngster".split()
)
#: Words of closed classes in definitions.  Without all that there are (*opposite*, *about*), 727 nouns of
#: WordNet would be taken for other ones with an adjective.
_IN_DEFINITIONS: Final = frozenset(
    "a an the any some that which who whose whom is are was be has have having with without of for in on at "
    "by to from into as or and but not one other especially usually often than its it their used such".split()
)
_PARTS: Final = ("n", "v", "a")
_SENSES: Final = 6
_PUNCTUATION: Final = str.maketrans(",;()", "    ")


@remembered(WORDS)
def animacy(noun: str) -> NounKind:
    """Return ``person`` (or a group of people), ``animal`` or ``thing`` for *noun*, inflected or not.

    By the first sense of each of its lemmas; whatever is neither a person nor an animal is a thing.

    >>> [animacy(noun) for noun in ("men", "crowd", "horse", "bench")]
    ['person', 'person', 'animal', 'thing']
    """
    if noun in GROUPS_OF_PEOPLE | INDEFINITE_PEOPLE or noun in PERSONAL_PRONOUNS - {"it"}:
        return "person"
    classes: set[str] = set()
    for lemma in wordnet().lemmas_of(noun, "n"):  # men: the work force, but also man
        classes |= sense_names(lemma)
        if lemma in GROUPS_OF_PEOPLE:
            return "person"
    if "person.n.01" in classes:
        return "person"
    return "animal" if "animal.n.01" in classes else "thing"


@remembered(WORDS)
def concrete_kind(noun: str) -> NounKind | None:
    """Return what the lemma *noun* names by its commonest sense, None if nothing concrete and bounded.

    >>> [concrete_kind(noun) for noun in ("cook", "horse", "bench", "hand", "joy", "front")]
    ['person', 'animal', 'thing', None, None, None]
    """
    if noun in NO_ENTITY:
        return None
    if noun in KNOWN:
        return KNOWN[noun]
    classes = sense_names(noun)
    return next((kind for name, kind in KINDS.items() if name in classes), None)


@remembered(WORDS)
def is_event(noun: str) -> bool:
    """Return whether *noun* in its first sense names an act or event.

    >>> is_event("walk"), is_event("horse")
    (True, False)
    """
    return not sense_names(noun).isdisjoint({"act.n.02", "event.n.01"})


@remembered(WORDS)
def is_common_noun(word: str) -> bool:
    """Return whether the lower-case *word* is, or inflects, a noun that WordNet writes in lower case.

    >>> [is_common_noun(word) for word in ("geese", "headfirst", "laden")]
    [True, False, False]
    """
    lemmas = wordnet().lemmas_of(word, "n")
    return any(
        lemma in wordnet().lemmas(synset) for lemma in lemmas for synset in wordnet().synsets(lemma, "n")
    )


@remembered(WORDS)
def is_rather_verb(word: str) -> bool:
    """Return whether *word*, inflected or not, is a verb more often than a noun in WordNet's concordances.

    >>> [is_rather_verb(word) for word in ("chase", "dances", "shirt")]
    [True, True, False]
    """
    return _uses(word, "v") > _uses(word, "n")


@remembered(WORDS)
def is_rather_adjective(word: str) -> bool:
    """Return whether *word* is an adjective more often than a noun in WordNet's concordances.

    >>> [is_rather_adjective(word) for word in ("young", "red", "stone")]
    [True, True, False]
    """
    return _uses(word, "a") > _uses(word, "n")


@remembered(WORDS)
def is_other_name(noun: str) -> bool:
    """Return whether the first sense of *noun* is defined as a term for something with another name.

    >>> [is_other_name(noun) for noun in ("dad", "pooch", "father", "poodle")]
    [True, True, False, False]
    """
    return any(_TERM_FOR.match(wordnet().definition(sense)) for sense in _first_sense(noun))


@remembered(WORDS)
def is_physical(noun: str) -> bool:
    """Return whether the first sense of *noun* names something physical, and no idea, act or group.

    >>> [is_physical(noun) for noun in ("lake", "poodle", "belief")]
    [True, True, False]
    """
    return "physical_entity.n.01" in sense_names(noun)


def _uses(word: str, pos: str) -> int:
    lemma = wordnet().morphy(word, pos)
    return sum(wordnet().tag_count(synset, lemma) for synset in wordnet().synsets(lemma, pos)) if lemma else 0


@remembered(WORDS)
def gender(noun: str) -> Gender | None:
    """Return the gender of the persons that *noun*, inflected or not, names; None if it leaves that open.

    By the first sense of its lemmas, and else by its definition, in which the first gendered word counts: a
    mother is "a woman who has given birth to a child".

    >>> [gender(noun) for noun in ("men", "Mother", "uncle", "person", "teacher", "cup")]
    ['masculine', 'feminine', 'masculine', None, None, None]
    """
    if animacy(noun.lower()) != "person":
        return None
    found = {_gender(lemma) for lemma in wordnet().lemmas_of(noun.lower(), "n")}
    found.discard(None)
    return found.pop() if len(found) == 1 else None


def _gender(lemma: str) -> Gender | None:
    classes = sense_names(lemma)
    if not classes.isdisjoint({"male.n.02", "female.n.02"}):
        return "masculine" if "male.n.02" in classes else "feminine"
    if lemma.endswith("man") and lemma != "human":
        return "feminine" if lemma.endswith("woman") else "masculine"
    for sense in _first_sense(lemma):
        for word in _words_of(sense):
            if word in _MALE | _FEMALE:
                return "masculine" if word in _MALE else "feminine"
    return None


def is_living(tokens: Sequence[Token], position: int) -> bool:
    """Return whether the token at *position* names people or animals, but not a group *of* others."""
    token = tokens[position]
    if not token.tag.startswith("NN") or animacy(token.text.lower()) == "thing":
        return False
    following = tokens[position + 1].text.lower() if position + 1 < len(tokens) else ""
    return not (token.text.lower() in _OF_OTHERS and following == "of")


def participants(tokens: Sequence[Token], *, besides: Collection[int] = ()) -> Iterator[str]:
    """Yield the nouns of *tokens* for people and animals, in lower case, but not those at *besides*.

    >>> tags = (("Dogs", "NNS"), ("chase", "VBP"), ("a", "DT"), ("boy", "NN"))
    >>> [*participants([Token(word, 0, 0, tag) for word, tag in tags])]
    ['dogs', 'boy']
    """
    for position, token in enumerate(tokens):
        if position not in besides and is_living(tokens, position):
            yield token.text.lower()


def may_name(word: str, other: str) -> bool:
    """Return whether somebody whom a sentence calls *other* may be the one whom another calls *word*.

    >>> may_name("person", "girl"), may_name("guy", "girl"), may_name("man", "dog")
    (True, False, False)
    """
    if other in _MANY:
        return False
    known = zip(_attributes(word), _attributes(other), strict=True)
    return all(None in both or len(set(both)) == 1 for both in known)


@remembered(WORDS)
def _attributes(noun: str) -> tuple[str | None, str | None, str | None]:
    """Return what *noun* tells of somebody: whether they are a person, their gender, and their age."""
    lemma = wordnet().base_form(noun.lower(), "n")
    sex = gender(lemma)
    age = "young" if lemma in YOUNG else "grown" if sex is not None or lemma in OLD else None
    return animacy(lemma), sex, age


@remembered(WORDS)
def tells_gender(word: str) -> bool:
    """Return whether *word* names what only women or only men wear or have, by WordNet's definitions.

    >>> [tells_gender(word) for word in ("beard", "bikini", "sundress", "shirt")]
    [True, True, True, False]
    """
    return any(
        not {wordnet().name(above) for above in wordnet().closure(kind)}.isdisjoint(_WORN)
        and not _OF_ONE_GENDER.isdisjoint(_words_of(kind))
        for lemma in wordnet().lemmas_of(word.lower(), "n")
        for sense in wordnet().synsets(lemma, "n")[:_FREQUENT]
        for kind in wordnet().closure(sense)  # a sundress is a dress, "a garment for a woman"
    )


@remembered(WORDS)
def genus_of(noun: str) -> frozenset[str]:
    """Return the words by which the definition of a kind of *noun* may name it: its synonyms.

    >>> sorted(genus_of("store"))
    ['shop', 'store']
    """
    return frozenset(lemma.lower() for sense in _first_sense(noun) for lemma in wordnet().lemmas(sense)) | {
        noun
    }


def is_relative(noun: str) -> bool:
    """Return whether *noun* is a kinship term, whose age bears on that of another person."""
    return noun in KIN


@remembered(WORDS)
def is_time(noun: str) -> bool:
    """Return whether the first sense of a lemma of *noun* is a time."""
    return any(
        not _TIMES.isdisjoint(map(wordnet().name, wordnet().closure(*wordnet().synsets(lemma, "n")[:1])))
        for lemma in wordnet().lemmas_of(noun, "n")
    )


@remembered(WORDS)
def is_unknown(word: str) -> bool:
    """Return whether WordNet lacks a common noun in any form, so that it may be misspelt."""
    return word.islower() and word.isalpha() and not wordnet().lemmas_of(word)


def is_one_kind_of_other(first: str, second: str) -> bool:
    """Return whether one noun is a hypernym of the other in their first senses: "guy" and "man"."""
    return any(
        not set(wordnet().closure(*_first_sense(noun))).isdisjoint(_first_sense(other))
        for noun, other in ((first, second), (second, first))
    )


@remembered(WORDS)
def clashes_with_noun(adjective: str, noun: str) -> bool:
    """Return whether the noun itself implies or excludes the adjective: "young boy", "tall skyscraper".

    By a list, and by the definition of the noun's first sense, if it contains the adjective or an antonym.
    Colours do not go with persons: "a white man" and "a white shirt" are not of one colour.
    """
    kind, is_thing = class_of(adjective), concrete_kind(noun) == "thing"
    if kind == "colour" and concrete_kind(noun) == "person":
        return True
    if kind == "age" and noun in YOUNG | OLD:
        return True
    if (adjective in OF_THINGS and not is_thing) or (adjective in OF_LIVING and is_thing):
        return True
    if kind == "size" and (noun in BABIES | LARGE or (noun in YOUNG and adjective in {"little", "tiny"})):
        return True
    return not _defining_words(noun).isdisjoint({adjective, *opposites(adjective)})


@remembered(WORDS)
def opposites(adjective: str) -> frozenset[str]:
    """Return the antonyms of *adjective* in any of its senses, including those of similar adjectives."""
    senses = wordnet().synsets(adjective, "a")
    heads = (
        head for synset in senses for head in wordnet().similar_to(synset) if wordnet().pos_of(synset) == "s"
    )
    return frozenset(lemma.lower() for synset in (*senses, *heads) for _, lemma in wordnet().antonyms(synset))


@remembered(WORDS)
def synonyms(adjective: str) -> frozenset[str]:
    """Return the other adjectives of the synsets of *adjective*."""
    senses = wordnet().synsets(adjective, "a")
    return frozenset(lemma.lower() for synset in senses for lemma in wordnet().lemmas(synset)) - {adjective}


def _first_sense(noun: str) -> tuple[int, ...]:
    return wordnet().synsets(noun, "n")[:1]


@remembered(WORDS)
def sense_names(noun: str) -> frozenset[str]:
    """Return the names of the first sense of *noun* and of all its hypernyms: ``dog.n.01`` ..."""
    return frozenset(map(wordnet().name, wordnet().closure(*_first_sense(noun))))


@remembered(WORDS)
def _defining_words(noun: str) -> frozenset[str]:
    """Return the words of the definition of the first sense of *noun*."""
    return frozenset(word for sense in _first_sense(noun) for word in _words_of(sense))


def _words_of(sense: int) -> list[str]:
    return wordnet().definition(sense).translate(_PUNCTUATION).split()


@remembered(WORDS)
def are_near(narrow: str, broad: str) -> bool:
    """Return whether people use one of two lemmas for the other: those of a list, and *a short coat*.

    That is, if the definition of *narrow* is *broad* with an adjective; but people see what is young.

    >>> [are_near(*pair) for pair in (("hound", "dog"), ("jacket", "coat"), ("puppy", "dog"))]
    [True, True, False]
    """
    if frozenset((narrow, broad)) in _NEAR:
        return True
    words = [word for word in _defining(narrow) if word not in _IN_DEFINITIONS]
    return (
        len(words) > 1
        and words[-1] == broad
        and gender(narrow) is None
        and all(wordnet().synsets(word, "a") and class_of(word) != "age" for word in words[:-1])
    )


def _defining(noun: str) -> list[str]:
    """Return the words of the definition of *noun* in its first sense, without what is in brackets."""
    return next((_plain(wordnet().definition(sense)).split() for sense in wordnet().synsets(noun, "n")), [])


def _plain(definition: str) -> str:
    """Return *definition* in lower case, without brackets and punctuation."""
    kept, depth = [], 0
    for character in definition.lower():
        depth += character == "("
        if not depth:
            kept.append(character if character.isalnum() or character in "-'" else " ")
        depth -= character == ")"
    return "".join(kept)


def say_what_defines(words: Collection[str], narrow: str, broad: str) -> bool:
    """Return whether the lemmas *words* have all that the definition of *narrow* adds to *broad*.

    >>> [say_what_defines([word], "sapling", "tree") for word in ("new", "tall")]
    [True, False]
    """
    own = genus_of(broad)
    defining = [word for word in _defining(narrow) if word not in _IN_DEFINITIONS]
    wanted = [word for word in defining if word not in own]
    if not wanted or own.isdisjoint(defining):
        return False
    return all(any(_mean_the_same(word, other) for other in words) for word in wanted)


@remembered(WORDS)
def _mean_the_same(word: str, other: str) -> bool:
    """Return whether two words, the first inflected or not, share a lemma or a sense."""
    lemmas = {word, *wordnet().lemmas_of(word)}
    return other in lemmas or any(
        not set(wordnet().synsets(lemma, part)).isdisjoint(wordnet().synsets(other, part))
        for lemma in lemmas
        for part in _PARTS
    )


@remembered(WORDS)
def goes_with(word: str, narrow: str, broad: str) -> bool:
    """Return whether a definition of the lemma *word* names *narrow*, not *broad*: to pour, "rain heavily".

    >>> [goes_with(word, "rain", "weather") for word in ("pour", "bad")]
    [True, False]
    """
    senses = (sense for part in _PARTS for sense in wordnet().synsets(word, part)[:_SENSES])
    return any(_is_about(sense, narrow, broad) for sense in senses)


def _is_about(sense: int, narrow: str, broad: str) -> bool:
    words = _plain(wordnet().definition(sense)).split()
    lemmas = {lemma for word in words for lemma in (word, *wordnet().lemmas_of(word, "n"))}
    return narrow in lemmas and broad not in lemmas
