"""The clause that a word stands in: whether it asserts the word, or leaves room for the antonym.

What a main clause says of one situation excludes its opposite.  An instruction says nothing of a situation,
an infinitive or gerund says what may come about, and adverbial clauses and phrases before the subject only
set the scene: *when you were younger*, *in a typical factory* (Quirk et al., 1985, ch. 8, on adverbials, and
sections 11.24 and 15.24-30).  What is negated, or only possible, in another clause says nothing of the word's
own (10.64).
"""

from __future__ import annotations

import itertools
from typing import Final

from crossexam.constructions.rules.place import (
    RARELY_COMPARED,
    Place,
    follows_of,
    is_linked,
    is_said_of_subject,
    is_scene,
)
from crossexam.language.lexicons.closed_classes import BE_WITH_CLITICS, NEGATIONS
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.monotonicity.polarity import polarity_in
from crossexam.language.monotonicity.spans import (
    TaggedSentence,
    clause_end,
    clause_start,
    condition_end,
    text_bounds,
)
from crossexam.language.nouns import is_rather_verb
from crossexam.language.remembered import NEARBY, remembered

_RELATIVE: Final = frozenset({"WDT", "WP", "WP$", "WRB"})
_PARTIAL: Final = frozenset("some many most certain several few".split())
# Before "of", what some of a kind are, and others not: a lot of, one of (Quirk et al., 5.25, 6.48).
_PARTS: Final = frozenset("lot lots plenty one part parts half".split())
# What may be, or should be, is not yet so (Huddleston and Pullum, 2002, chapter 3, on lexical modals).
_MODAL_ADJECTIVES: Final = frozenset("possible necessary likely probable required needed".split())
# Before a verb in -ing, prepositions that leave open whether it comes about: *the dream of owning a house*.
_BEFORE_GERUND: Final = frozenset("of to about against from".split())
# Conjunctions that open a clause of time, place or contrast (Quirk et al., 14.12); the polarity of *if*,
# *before* and *whenever* is that of operators.  The first need no finite verb: *when young*.
_WITHOUT_VERB: Final = frozenset("when while where whilst".split())
_WITH_VERB: Final = frozenset("after although as once since though whereas".split())
_CONJUNCTIONS: Final = _WITHOUT_VERB | _WITH_VERB
_OF_CIRCUMSTANCE: Final = _CONJUNCTIONS - {"although", "though", "whereas"}  # what follows these is so
_AFTER_VERB: Final = frozenset("DT IN JJ PRP PRP$ RB TO".split())
# Of what may be, or is wished, said or believed; those that are verbs can be of another clause.
_MODAL: Final = frozenset(
    "hoping wishing wanting planning expecting promising thinking believing needing may might could can "
    "if whether unless perhaps maybe possibly potentially probably seem seems seemed think thinks thought "
    "believe believes believed hope hopes hoped want wants wanted wish wishes wished would should must "
    "ought need needs expect expects expected plan plans planned promise promises promised".split()
)
# Of what must be, is thought or is likely: the opposite cannot be so, too, unlike what may be or is wished.
_OF_BELIEF: Final = frozenset("thinking believing think thinks thought believe believes believed".split())
_OF_CERTAINTY: Final = _OF_BELIEF | frozenset(
    "probably seem seems seemed would should must ought need needs".split()
)
_DIVIDING: Final = NEGATIONS | _PARTIAL - {"most"}  # before these: some think so, I do not think so
_OF_CONDITION: Final = frozenset({"if", "whether", "unless"})
_OF_HEDGE: Final = frozenset({"hope", "wish"})  # also if it follows: it is hot, I hope
# After these, *to be* says what is so, or has to be: *it proved to be hot*.
_BEFORE_TO_BE: Final = frozenset(
    "appear appears appeared believed considered deemed demonstrated found had has have known likely meant "
    "need needed needs out proved proven reported reputed said seem seemed seems seen shown supposed thought "
    "used".split()
)
_OF_WISH: Final = frozenset({"of", "that", "to"})  # after a noun: in hopes of, the need to
# Before what explains something (Quirk et al., 15.45 and 8.133).
_OF_REASON: Final = frozenset({"because", "thanks"})
_SO: Final = frozenset({"so", "such"})
_EXPLAINING: Final = _OF_REASON | _SO
_OF_DEGREE: Final = frozenset({"as", "so"})  # after these, an adjective opens no clause
#: The uses of what is said of a subject.
SAID: Final = frozenset({"predicate", "complement"})
_MASCULINE_OR_FEMININE: Final = frozenset("he him his himself she her hers herself".split())
_ONE: Final = frozenset("one each either neither".split())


# The sentence


def is_under_negation(place: Place) -> bool:
    """Return whether the sentence is negated, but not only in other clauses than what says the word.

    What is *hot, and did not spill* is hot; what did not spill may have been.
    """
    sentence, position = place.sentence, place.position
    if NEGATIONS.isdisjoint(place.words):
        return False
    if place.use not in SAID or "or" in sentence.words[position:]:  # is dead, or never was
        return True
    start = clause_start(sentence, position)
    while sentence.word(start - 1) in _OF_DEGREE:  # never so glad
        start = clause_start(sentence, start - 1)
    own = range(start, clause_end(sentence, position))
    return any(
        (k in own and not _is_of_later_verb(place, k)) or "that" in sentence.words[k:position]
        for k, word in enumerate(sentence.words)
        if word in NEGATIONS
    )


def is_under_modal(place: Place) -> bool:
    """Return whether a word of possibility or belief stands in the sentence and leaves room for the opposite.

    What is said of a subject is not affected by the verb of a later clause, as in *so simple that Ben may do
    it*, nor by what makes it certain or one person's view.  Nouns count only if they have a complement: *in
    hopes of*, but not *a need for money*.
    """
    sentence = place.sentence
    return not _MODAL.isdisjoint(place.words) and any(
        word in _MODAL and _is_modal(sentence, k) and not (place.use in SAID and _leaves_no_room(place, k))
        for k, word in enumerate(sentence.words)
    )


def _is_modal(sentence: TaggedSentence, k: int) -> bool:
    return sentence.tags[k][:2] not in {"NN", "JJ"} or sentence.word(k + 1) in _OF_WISH


def _leaves_no_room(place: Place, k: int) -> bool:
    """Return whether the word at *k* is another clause's, or says what is certain or thought to be so."""
    sentence, word = place.sentence, place.sentence.word(k)
    if word in _OF_CONDITION:
        return k > place.position
    if word in _OF_CERTAINTY and _is_certain(place, k):
        return True
    is_hedge = word in _OF_HEDGE and sentence.word(k - 1) == "i"
    return sentence.is_verb(k) and not is_hedge and _is_of_later_verb(place, k)


def _is_certain(place: Place, k: int) -> bool:
    """Return whether the word at *k* is about one view, and what is said is not yet to be done.

    *Some think that it is hot*, and others do not; what *should be prepared* is unprepared, and who
    *should be able to leave* is unable to.
    """
    sentence, word = place.sentence, place.sentence.word(k)
    start, _ = text_bounds(sentence, place.position)
    is_of_several = word in _OF_BELIEF and sentence.tag(k - 1) == "NNS"
    is_to_be_done = word not in _OF_BELIEF and (place.swap.word.endswith("ed") or place.swap.word == "able")
    if k == start or is_of_several or is_to_be_done:
        return False
    return _DIVIDING.isdisjoint(sentence.words[start : place.position])


def _is_of_later_verb(place: Place, k: int) -> bool:
    """Return whether a finite verb follows the predicate up to *k*, which is then that of another clause."""
    return any(place.sentence.is_finite(j) for j in range(place.position + 1, k + 1))


def is_in_restrictive_clause(place: Place) -> bool:
    """Return whether a relative clause without a comma, or one that *that* opens, precedes the word.

    After a verb or adjective, *that* opens what is said or known, which excludes its opposite if it says the
    word of its subject: *he saw that the soup was hot*.
    """
    sentence, position = place.sentence, place.position
    return any(
        k < position and not (place.use in SAID and _is_content(sentence, k)) for k in _relatives(sentence)
    )


def _is_content(sentence: TaggedSentence, k: int) -> bool:
    return sentence.words[k] == "that" and sentence.tags[k - 1][:2] in {"VB", "JJ"}


@remembered(NEARBY)
def _relatives(sentence: TaggedSentence) -> tuple[int, ...]:
    """Return the relative pronouns, and *that* as a conjunction, without a comma before them."""
    if "that" not in sentence.words and _RELATIVE.isdisjoint(sentence.tags):
        return ()
    return tuple(
        k
        for k in range(1, len(sentence.words))
        if (sentence.tags[k] in _RELATIVE or (sentence.words[k] == "that" and sentence.tags[k] == "IN"))
        and sentence.tags[k - 1] != ","
    )


def is_not_upward(place: Place) -> bool:
    """Return whether the word is not in an upward monotone context, unless it is itself a superlative.

    What is the largest of its kind is not the smallest: *it is the largest lake in the country*.
    """
    sentence, position = place.sentence, place.position
    polarity = polarity_in(sentence, position)
    word = sentence.words[position]
    if polarity.direction == "up":
        return False
    is_extreme = place.use == "complement" and place.is_the and polarity.reason == f"after '{word}'"
    return not (is_extreme and word.endswith("est") and place.swap.pair[1] not in RARELY_COMPARED)


def is_of_some_cases(sentence: TaggedSentence) -> bool:
    """Return whether a word such as *some* follows a preposition."""
    return not _PARTIAL.isdisjoint(sentence.words) and any(
        word in _PARTIAL and sentence.tag(k - 1) == "IN" for k, word in enumerate(sentence.words)
    )


def is_under_modal_adjective(place: Place) -> bool:
    """Return whether a predicate such as *is necessary* precedes the word, or is that of its clause."""
    sentence, position = place.sentence, place.position
    if _MODAL_ADJECTIVES.isdisjoint(place.words):
        return False
    start, _ = text_bounds(sentence, position)
    return any(
        sentence.word(k) in _MODAL_ADJECTIVES and k != position and is_linked(sentence, k)
        for k in range(start, clause_end(sentence, position))
    )


def is_in_instruction(place: Place) -> bool:
    """Return whether the text opens with a verb, or with one tagged as a noun or adjective."""
    return place.sentence.tags[place.start] in {"VB", "VBP"} or _is_untagged_instruction(
        place.sentence, place.start
    )


def _is_untagged_instruction(sentence: TaggedSentence, start: int) -> bool:
    """Return whether a text without a finite verb opens with a verb tagged as a noun or adjective."""
    if sentence.tag(start)[:2] not in {"NN", "JJ"} or sentence.tag(start + 1) not in _AFTER_VERB:
        return False
    word = sentence.word(start)
    if wordnet().morphy(word, "v") != word or not is_rather_verb(word):
        return False
    _, end = text_bounds(sentence, start)
    return not any(sentence.is_finite(k) for k in range(start, end))


def is_in_first_phrase(place: Place) -> bool:
    """Return whether the word is in a phrase that precedes the subject, without a comma or finite verb."""
    sentence, start = place.sentence, place.start
    return sentence.tags[start] in {"IN", "TO"} and not any(
        sentence.word(k) == "," or sentence.is_finite(k) for k in range(start, place.position)
    )


def is_in_adverbial_clause(place: Place) -> bool:
    """Return whether the word is in a clause of time, place or contrast, outside of a scene."""
    sentence = place.sentence
    if _CONJUNCTIONS.isdisjoint(place.words) or is_scene(sentence):
        return False
    opening = _OF_CIRCUMSTANCE if place.use in SAID else _CONJUNCTIONS
    return any(
        sentence.words[k] in opening and _opens_adverbial_clause(sentence, k, place.position)
        for k in range(place.start, place.position)
    )


def _opens_adverbial_clause(sentence: TaggedSentence, k: int, position: int) -> bool:
    """Return whether *position* is in the clause that token *k* opens as a conjunction."""
    word = sentence.word(k)
    if sentence.tag(k) not in {"IN", "WRB"}:
        return False
    end = condition_end(sentence, k)
    while sentence.word(end) == "," and sentence.tag(end - 1) == sentence.tag(end + 1) == "JJ":
        end = max(end + 1, condition_end(sentence, end))  # it goes on after a comma between adjectives
    has_verb = any(sentence.is_finite(j) for j in range(k + 1, end))
    return position < end and (has_verb or word in _WITHOUT_VERB)


def is_in_infinitive(place: Place) -> bool:
    """Return whether *to* and a verb precede the word, with no finite verb or comma in between."""
    sentence, k = place.sentence, place.position - 1
    if "VB" not in sentence.tags or is_scene(sentence):
        return False
    while k >= place.start and sentence.words[k] != "," and k not in sentence.finite:
        if sentence.tags[k] == "VB" and sentence.tag(k - 1) == "TO":
            return not (place.use in SAID and _says_what_is(sentence, k))
        k -= 1
    return False


def _says_what_is(sentence: TaggedSentence, k: int) -> bool:
    """Return whether the infinitive at *k* is that of *proved to be* or *used to be*."""
    is_linking = sentence.word(k) == "be" or sentence.word(k + 1) == "been"
    return is_linking and sentence.word(k - 2) in _BEFORE_TO_BE


def is_in_gerund(place: Place) -> bool:
    """Return whether the word is in a subject or complement that opens with a verb in -ing.

    Such a clause may name what does not come about, unlike one that a comma sets off: *being a young man, he
    left* (Quirk et al., 15.12 and 15.60).
    """
    sentence, k = place.sentence, place.position - 1
    if "VBG" not in sentence.tags or is_scene(sentence):
        return False
    while k >= place.start and sentence.words[k] != "," and k not in sentence.finite:
        if sentence.tags[k] == "VBG" and sentence.word(k - 1) in _BEFORE_GERUND:
            return True
        if sentence.tags[k] == "VBG" and k == place.start:
            return _is_subject(sentence, place.position)
        k -= 1
    return False


def _is_subject(sentence: TaggedSentence, position: int) -> bool:
    """Return whether the clause with *position* is the subject of a verb, or repeated by *it* or *that*."""
    _, end = text_bounds(sentence, position)
    verb = next((j for j in range(position + 1, end) if sentence.is_finite(j)), end)
    is_repeated = verb < end and sentence.word(verb - 1) in {"it", "that", "this"}
    return is_repeated or (verb < end and "," not in sentence.words[position:verb])


def is_said_of_some(place: Place) -> bool:
    """Return whether a word before an adjective or its phrase restricts it to some: *a lot of them*."""
    sentence = place.sentence
    position = place.phrase.start if place.phrase and place.use == "complement" else place.position
    start = clause_start(sentence, position)
    clause = [sentence.words[k] for k in range(start, position) if sentence.words[k] != "most"]
    is_existential = "EX" in sentence.tags[start:position]  # there are hot ones
    return (
        is_existential
        or not _PARTIAL.isdisjoint(clause)
        or any(
            (word in _PARTS and following == "of") or (word == "one" and following in BE_WITH_CLITICS)
            for word, following in itertools.pairwise(clause)
        )
    )


def is_hedged(place: Place) -> bool:
    """Return whether the predicate is that of *I am afraid*, which says that what follows is unwelcome."""
    start = clause_start(place.sentence, place.position)
    return place.swap.word == "afraid" and "i" in place.sentence.words[start : place.position]


def is_explained(place: Place) -> bool:
    """Return whether the word is in a reason or result, or in what has one: the antonym would have another.

    *He left because he was sad*, *it was cold, so he left*, *it was so cold that he left*.
    """
    if _EXPLAINING.isdisjoint(place.words):
        return False
    if place.use not in SAID and (place.use != "head" or place.named == "person"):
        return False
    has_reason = any(word in _OF_REASON and _is_near(place, k) for k, word in enumerate(place.sentence.words))
    return has_reason or _is_so_that(place) or _has_result(place)


def _is_near(place: Place, k: int) -> bool:
    """Return whether the word is in the clause that the conjunction at *k* opens, or in that before it."""
    first, last = sorted((k, place.position))
    between = sum(place.sentence.is_finite(j) for j in range(first + 1, last))
    return between <= (k < place.position) and place.sentence.word(k + 1) != "of"


def _is_so_that(place: Place) -> bool:
    """Return whether *so* or *such* before the word opens a clause after it: *so cold that Ben left*."""
    sentence, position = place.sentence, place.position
    start = place.phrase.start if place.phrase and place.use == "complement" else position
    if _SO.isdisjoint(sentence.words[max(0, start - 1) : position]):
        return False
    _, end = text_bounds(sentence, position)
    verb = next((j for j in range(position + 1, end) if sentence.is_finite(j)), None)
    return verb is not None and not {",", "CC"} & set(sentence.tags[position:verb])


def _has_result(place: Place) -> bool:
    """Return whether a clause with *so* follows that of the word: *it was cold, so Ben left*."""
    sentence = place.sentence
    return any(
        sentence.words[k] == "so" and sentence.tags[k] in {"CC", "IN"} and _is_near(place, k)
        for k in range(place.position + 1, len(sentence.words))
    )


def is_said_of_one(place: Place) -> bool:
    """Return whether a noun says who one of several is: *at least one is a woman*."""
    phrase = place.phrase
    return phrase is not None and is_said_of_subject(place.sentence, phrase) and is_said_of_some(place)


def is_one_with_pronoun(place: Place) -> bool:
    """Return whether a pronoun may refer to one of several: *one of the boys lost his hat*."""
    later = place.sentence.words[place.position :]
    return follows_of(place, _ONE) and not _MASCULINE_OR_FEMININE.isdisjoint(later)
