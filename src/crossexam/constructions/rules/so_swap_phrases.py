"""The rules of SOSwap for either phrase, subject or object: when it could not be moved as a whole.

Most of what is rejected here is no noun phrase: the parser took a verb for the last noun of a compound, a
participle for a noun, or what belongs to the verb for the end of its object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from crossexam.constructions.rules.rule import Rule
from crossexam.language.inflection import lemma_of
from crossexam.language.lexicons.adjective_classes import class_of
from crossexam.language.lexicons.closed_classes import (
    CLOSED_CLASSES,
    INDEFINITES_AS_NOUNS,
    PERSONAL_PRONOUNS,
    SINGULAR_DETERMINERS,
)
from crossexam.language.lexicons.verb_kinds import INTRANSITIVE
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.nouns import animacy, is_common_noun, is_rather_verb
from crossexam.language.tokens import Parsed, Token

# Nouns in -ing; any other word in -ing that is tagged as a noun is a participle.
_ING_NOUNS: Final = frozenset(
    (
        "painting building clothing wedding ring string king swing thing something anything everything "
        "wing sling spring pudding railing ceiling awning earring crossing opening landing meeting "
        "parking bedding frosting icing lightning drawing rigging carving dressing being scaffolding "
        "siding stocking wrapping morning evening covering lighting seating padding stuffing topping "
        "greeting training cutting surfing"
    ).split()
)
_FUNCTION_WORDS: Final = CLOSED_CLASSES - PERSONAL_PRONOUNS - INDEFINITES_AS_NOUNS
_NO_HEADS: Final = _FUNCTION_WORDS | {"right", "left"}
_CLAUSES: Final = frozenset({"acl:relcl", "acl", "ccomp", "advcl"})
_FINITE: Final = frozenset({"VBZ", "VBP", "VBD"})
_SUBORDINATORS: Final = frozenset("after before while as because".split())
_WITHOUT_OBJECT: Final = INTRANSITIVE | {"gesture", "walk", "run", "wave"}
_COUNTS: Final = frozenset("few dozen hundred thousand couple many great good pair".split())
_PARTS: Final = frozenset("one both each some other others another".split())  # one in red, the other in blue
_LOOSE: Final = frozenset({"appos", "dep", "parataxis", "acl", "advcl", "case", "mark"})


@dataclass(eq=False)
class ParsedPhrase:
    """The tokens *start* to *end* of the sentence *parsed*, as a noun phrase with this *head*.

    *words* are those of the whole sentence in lower case; its *tags* go on with an empty one.
    """

    parsed: Parsed
    words: Sequence[str]
    tags: Sequence[str]
    start: int
    end: int
    head: int

    @property
    def span(self) -> range:
        """The indices of its tokens."""
        return range(self.start, self.end)

    @property
    def last(self) -> int:
        """The index of its last token."""
        return self.end - 1

    @property
    def neighbours(self) -> Iterator[tuple[Token, Token]]:
        """Each two of its tokens that stand side by side."""
        return pairwise(self.parsed.tokens[self.start : self.end])

    def before(self, index: int) -> str:
        """Return the tag before the token at *index*; empty before the first one."""
        return self.tags[index - 1] if index > self.start else ""

    def looked_up(self, index: int) -> str:
        """Return what WordNet may have of the word at *index*; empty for signs and for names inside."""
        word = self.words[index].rpartition("-")[2]
        named = index > self.start and self.parsed.tokens[index].text[:1].isupper()
        return word if word.isalpha() and not named else ""


def _any_word(holds: Callable[[ParsedPhrase, int], object]) -> Callable[[ParsedPhrase], bool]:
    """Return the predicate that *holds* is true of a word of the phrase, given by its index."""
    return lambda phrase: any(holds(phrase, k) for k in phrase.span)


def _any_two(holds: Callable[[Token, Token], object]) -> Callable[[ParsedPhrase], bool]:
    """Return the predicate that *holds* is true of two neighbouring words of the phrase."""
    return lambda phrase: any(holds(first, second) for first, second in phrase.neighbours)


# What cannot be moved


def _is_nominal(phrase: ParsedPhrase) -> bool:
    tag = phrase.tags[phrase.head]
    return tag.startswith("NN") or (tag == "PRP" and phrase.words[phrase.head] in PERSONAL_PRONOUNS)


def _has_loose_comma(phrase: ParsedPhrase) -> bool:
    """Return whether a comma does not separate the conjuncts of a list."""
    if not any(phrase.tags[k] in {",", ":", "``"} for k in phrase.span):
        return False
    return bool(_PARTS & set(phrase.words[phrase.start + 1 : phrase.end])) or not _is_list(phrase)


def _is_list(phrase: ParsedPhrase) -> bool:
    relations = phrase.parsed.relations
    after_comma = [k for k in phrase.span if phrase.before(k) == ","]
    return any(relations[k] == "conj" for k in phrase.span) and not any(
        relations[k] in _LOOSE or phrase.tags[k] == "VBG" for k in after_comma
    )


# Two words


def _begins_anew(first: Token, second: Token) -> bool:
    """Return whether *second* is a determiner, but not one that may follow its noun: the nuns all."""
    return (
        second.tag in {"DT", "PRP$"}
        and first.tag.startswith(("NN", "JJ"))
        and second.text.lower() not in {"all", "both"}
    )


def _is_verb_of_noun(first: Token, second: Token) -> bool:
    return (
        first.tag in {"NN", "NNP"}
        and second.tag == "NNS"
        and lemma_of(second.text.lower()) in _WITHOUT_OBJECT
    )


# One word


def _is_participle(phrase: ParsedPhrase, k: int) -> bool:
    """Return whether the word at *k*, tagged as a noun, is a participle: not in a swimming pool."""
    word = phrase.words[k]
    if not (phrase.tags[k].startswith("NN") and word.endswith("ing")) or word in _ING_NOUNS:
        return False
    return not _premodifies(phrase, k)


def _premodifies(phrase: ParsedPhrase, k: int) -> bool:
    """Return whether the participle at *k* modifies a noun: a swimming pool, not a shirt cooking corn."""
    if k == phrase.last or not phrase.tags[k + 1].startswith("NN"):
        return False
    if not phrase.before(k).startswith("NN"):
        return True
    pairs = ("_".join(phrase.words[start : start + 2]) for start in (k - 1, k))
    return any(wordnet().is_lemma(pair, "n") for pair in pairs)


def _is_noun_before_and(phrase: ParsedPhrase, k: int) -> bool:
    """Return whether the word at *k* is tagged as an adjective, but WordNet only has it as a noun."""
    if phrase.tags[k] != "JJ" or k == phrase.last or phrase.tags[k + 1] != "CC":
        return False
    word = phrase.looked_up(k)
    return bool(word and wordnet().lemmas_of(word, "n")) and not wordnet().is_lemma(word, "a")


def _is_verb_after_and(phrase: ParsedPhrase, k: int) -> bool:
    return (
        phrase.parsed.relations[k] == "compound"
        and phrase.tags[k].startswith("NN")
        and k > 0
        and phrase.tags[k - 1] == "CC"
        and is_rather_verb(phrase.words[k])
    )


# The head


def _is_unknown(phrase: ParsedPhrase) -> bool:
    """Return whether WordNet has no such noun, or has it as a name alone and as another word: *laden*."""
    word = phrase.looked_up(phrase.head)
    if not word or phrase.tags[phrase.head] not in {"NN", "NNS"} or word in INDEFINITES_AS_NOUNS:
        return False
    has_others = wordnet().is_lemma(word, "a") or wordnet().is_lemma(word, "v")
    return not (is_common_noun(word) if has_others else wordnet().lemmas_of(word, "n"))


def _is_part_of_verb(phrase: ParsedPhrase) -> bool:
    """Return whether the head may belong to the verb that follows, and the noun before it acts."""
    head, words = phrase.head, phrase.words
    return (
        head > phrase.start
        and phrase.tags[head + 1].startswith("VB")
        and phrase.parsed.relations[head - 1] == "compound"
        and wordnet().is_lemma(words[head], "v")
        and animacy(words[head]) == "thing"
        and animacy(words[head - 1]) == "person"
    )


def _is_plural_after_singular(phrase: ParsedPhrase) -> bool:
    if phrase.tags[phrase.head] != "NNS":
        return False
    own = phrase.parsed.children(phrase.head, "det", "nummod")
    before = set(phrase.words[phrase.start : phrase.head])
    return any(phrase.words[k] in SINGULAR_DETERMINERS for k in own) and not before & _COUNTS


# The end


def _ends_in_function_word(phrase: ParsedPhrase) -> bool:
    return phrase.last != phrase.head and phrase.words[phrase.last] in _FUNCTION_WORDS


def _ends_in_colour(phrase: ParsedPhrase) -> bool:
    return phrase.before(phrase.last).startswith("NN") and class_of(phrase.words[phrase.last]) == "colour"


def _ends_in_noun(phrase: ParsedPhrase) -> bool:
    """Return whether the last word is a noun, pronoun or number, or an adjective for one: in red."""
    tag = phrase.tags[phrase.last]
    alone = phrase.before(phrase.last) in {"IN", "CC", "RB"}
    return tag.startswith(("NN", "PRP")) or tag == "CD" or (tag == "JJ" and alone)


def _goes_on(phrase: ParsedPhrase) -> bool:
    """Return whether the last word and the next one are a noun together."""
    together = phrase.words[phrase.last : phrase.end + 1]
    return len(together) == 2 and wordnet().is_lemma("_".join(together), "n")


# fmt: off
#: In the order in which they are asked of subject and object.
OF_PHRASE: Final[tuple[Rule[ParsedPhrase], ...]] = (
    Rule("a phrase without a noun or personal pronoun", lambda p: not _is_nominal(p),
         "The nun fed both.", "The clowns were carrying him.",
         "Numerals and determiners need not stand alone in both roles."),
    Rule("a relative clause", _any_word(lambda p, k: p.parsed.relations[k] == "acl:relcl"),
         "The nun who sang fed the cat.", "The nun fed a few cats.",
         "Its end may be misparsed, and it may fit the noun only in its old role."),

    Rule("two phrases read as one", _any_two(_begins_anew),
         "A monk gave the boy a lamp.", "A monk gave a lamp to the boy.",
         "A determiner begins a phrase."),
    Rule("two phrases read as one", _any_two(lambda first, second: first.tag == second.tag == "NNS"),
         "The nun fed the cats dogs.", "The nun fed a few cats.",
         "The first noun of a compound is rarely in the plural."),
    Rule("two phrases read as one",
         _any_two(lambda first, second: first.tag.startswith("NN")
                                        and second.text.lower() in INDEFINITES_AS_NOUNS),
         "A nun shows a monk in a robe something.", "Somebody fed the cat.",
         "Nothing precedes an indefinite pronoun in its phrase."),
    Rule("a verb read as a noun", _any_two(_is_verb_of_noun),
         "A monk stands holding a candle.", "A monk holding a candle.",
         "After a singular noun, what somebody does is a verb: a monk stands, a boy waves."),
    Rule("a verb read as a noun", _any_word(_is_verb_after_and),
         "Two nuns wear veils and hold lamps.", "Two nuns wear veils and silk gloves.",
         "After and, what is more often a verb is one, with the next noun as its object."),
    Rule("a verb read as a noun", _is_part_of_verb,
         "A man dust mopping the floor.", "A man mopping the floor.",
         "Between a noun for a person and a participle, it may belong to the verb."),
    Rule("a participle read as a noun", _any_word(_is_participle),
         "The nun fed the cat sleeping.", "A nun cleans a large swimming pool.",
         "It says what the noun before it does, unless it modifies the next one."),
    Rule("a noun read as an adjective", _any_word(_is_noun_before_and),
         "The nun wore a bonnet and brown veil.", "The nun wore a long and narrow veil.",
         "What is coordinated with it is another phrase."),
    Rule("a noun that WordNet does not have", _is_unknown,
         "A monk pulls a cart laden with hay.", "A sailor is pulling an old cart along the quay.",
         "It is misspelt or another part of speech."),
    Rule("a function word read as a noun", lambda p: p.words[p.head] in _NO_HEADS,
         "A nun crosses a street right in front.", "A nun crosses a street.",
         "Such a tag is mostly wrong, and nobody and nothing are negations."),
    Rule("a plural after a singular determiner", _is_plural_after_singular,
         "The nun fed a cats.", "The nun fed a few cats.",
         "Either is misspelt, or the plural is a verb (Quirk et al., 1985, chapter 5)."),
    Rule("a clause inside a phrase",
         _any_word(lambda p, k: p.tags[k] in _FINITE and p.parsed.relations[k] not in _CLAUSES),
         "A monk wearing a hood sings.", "The claim that monks eat cake amused a nun.",
         "A finite verb is not part of a phrase, unless it heads a clause about the noun."),
    Rule("a clause inside a phrase", _any_word(lambda p, k: p.words[k] in _SUBORDINATORS),
         "A monk lifts a lamp while singing.", "A monk lifting a lamp while a nun sings and dances.",
         "When or why something is done goes with the verb."),
    Rule("a phrase that may end earlier", _ends_in_function_word,
         "A cook knocks a pan over.", "The mechanic picks up the wrench.",
         "A particle or adverb at its end belongs to the verb."),
    Rule("a phrase that may end earlier", _ends_in_colour,
         "A monk painted the wall blue.", "A monk painted the blue wall.",
         "A colour after its noun is what the object becomes."),
    Rule("a phrase that may end earlier", lambda p: not _ends_in_noun(p),
         "A monk lifts a lamp high.", "A tall boxer lifts a short boxer.",
         "An adjective or verb at its end belongs to the predicate."),
    Rule("a phrase that may go on", _goes_on,
         "The nuns drew an oil well.", "The nuns drew an old well.",
         "Its last word and the next one are a compound in WordNet."),

    Rule("a comma inside a phrase", _has_loose_comma,
         "The mules pull the carriage, holding monks and a dog.", "A boy carries a lamp, a rope and a map.",
         "Unless it separates conjuncts, what it sets off may not belong to the noun."),
    Rule("coordination with or or but", _any_word(lambda p, k: p.words[k] in {"or", "nor", "but"}),
         "The nun fed the cat or the dog.", "A boy carries a lamp, a rope and a map.",
         "Or leaves open which of the two it is; but contrasts them, often under a negation."),
)
# fmt: on
