"""Signs that a parse took a phrase or a verb for what it is not (see so_swap.py).

Stanford's parser errs most on captions: a verb becomes the last noun of a compound, a participle an
adjective, a preposition a particle.  Such a clause is rejected, for its swap is no English.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from crossexam.language.agreement import agreeing, lemma_of, number_of
from crossexam.language.clauses import GROUPS, Clause, Phrase
from crossexam.language.dependencies import Parsed
from crossexam.language.lexicons.closed_classes import CLOSED_CLASSES
from crossexam.language.lexicons.verb_kinds import INTRANSITIVE, MOTION
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.noun_kinds import INDEFINITE_PEOPLE, PERSONAL, is_verb, kind_of

# fmt: off
# Nouns in -ing; another one at the end of a phrase is a participle that the parser took for a noun.
_ING_NOUNS: Final = frozenset((
    "painting building clothing wedding ring string king swing thing something anything everything wing "
    "sling spring pudding railing ceiling awning earring crossing opening landing meeting parking bedding "
    "frosting icing lightning drawing rigging carving dressing being scaffolding siding stocking wrapping "
    "morning evening covering lighting seating padding stuffing topping greeting training cutting surfing"
).split())
_INDEFINITE: Final = INDEFINITE_PEOPLE | {"something", "everything"}
_CLAUSES: Final = frozenset({"acl:relcl", "acl", "ccomp", "advcl"})
_FINITE: Final = frozenset({"VBZ", "VBP", "VBD"})
_SUBORDINATORS: Final = frozenset("after before while as because".split())
_PERCEPTION: Final = frozenset("help let make watch see hear have".split())
_DIRECTIONS: Final = frozenset(
    "down up along across over through around off by past on in out onto into away under".split()
)
# fmt: on


def is_misread(parsed: Parsed, phrase: Phrase) -> bool:
    """Tell whether *phrase* can hardly be one noun phrase."""
    tokens, words = parsed.tokens, [token.text.lower() for token in parsed.tokens]
    for k in range(phrase.start, phrase.end):
        tag, before = tokens[k].tag, tokens[k - 1].tag if k > phrase.start else ""
        if tag in {"DT", "PRP$"} and before.startswith(("NN", "JJ")) and words[k] not in {"all", "both"}:
            return True  # catches a wave
        if before == tag == "NNS" or (before in {"NN", "NNP"} and _is_posture(tag, words[k])):
            return True  # a black man stands
        if _is_participle(tag, words[k]) and not (k + 1 < phrase.end and tokens[k + 1].tag[:2] == "NN"):
            return True
        if (tag in _FINITE and parsed.relations[k] not in _CLAUSES) or words[k] in _SUBORDINATORS:
            return True
    return not _ends_well(parsed, phrase) or words[phrase.head] in CLOSED_CLASSES - PERSONAL - _INDEFINITE


def _is_posture(tag: str, word: str) -> bool:
    return tag == "NNS" and lemma_of(word) in INTRANSITIVE | {"gesture", "walk", "run", "wave"}


def _is_participle(tag: str, word: str) -> bool:
    return tag.startswith("NN") and word.endswith("ing") and word not in _ING_NOUNS


def _ends_well(parsed: Parsed, phrase: Phrase) -> bool:
    last = parsed.tokens[phrase.end - 1].tag
    before = parsed.tokens[phrase.end - 2].tag if phrase.end > 1 else ""
    return last.startswith(("NN", "PRP")) or last == "CD" or (last == "JJ" and before in {"IN", "CC", "RB"})


def agrees(parsed: Parsed, clause: Clause) -> bool:
    """Tell whether the finite verb agrees with its subject; where it does not, the parse is wrong."""
    if clause.finite is None or parsed.tokens[clause.subject.head].text.lower() in GROUPS:
        return True
    token = parsed.tokens[clause.finite]
    return agreeing(token.text, token.tag, number_of(parsed, clause.subject)) == token.text


def is_of_unclear_number(parsed: Parsed, phrase: Phrase) -> bool:
    """Tell whether *and* may join what depends on the head, not the head: a boy with a hat and a coat."""
    joined = [k for k in parsed.children(phrase.head, "conj") if k < phrase.end]
    return bool(joined) and any(k < joined[0] for k in parsed.children(phrase.head, "nmod"))


def has_misread_verb(parsed: Parsed, clause: Clause, wordnet: WordNet) -> bool:
    """Tell whether the verb has no object: it is intransitive, or an adjective (*snow covered streets*)."""
    verb, thing = parsed.tokens[clause.verb], clause.object
    if clause.voice == "passive":
        return False
    lemma = lemma_of(verb.text.lower())
    if lemma in INTRANSITIVE or not is_verb(wordnet, lemma):
        return True
    if parsed.tokens[thing.start].text.lower() in {"arm", "hand", "side"}:  # walks arm in arm
        return True
    past = verb.tag in {"VBD", "VBN"} and clause.finite == clause.verb
    return past and is_bare(parsed, thing) and clause.subject.head != clause.verb - 1


def has_misread_particle(parsed: Parsed, clause: Clause) -> bool:
    """Tell whether the particle of the verb may be a preposition: walks down the road."""
    verb = parsed.tokens[clause.verb].text.lower().rpartition("-")[2]
    after = parsed.tokens[clause.verb + 1].text.lower()
    return clause.voice == "active" and lemma_of(verb) in MOTION and after in _DIRECTIONS


def has_actor_for_object(parsed: Parsed, clause: Clause, wordnet: WordNet) -> bool:
    """Tell whether the object does something, and the parser made a compound of it: helps a kid dig."""
    if lemma_of(parsed.tokens[clause.verb].text) not in _PERCEPTION:
        return False
    inside = parsed.tokens[clause.object.start : clause.object.end]
    return any(
        first.tag.startswith("NN")
        and second.tag.startswith("NN")
        and kind_of(wordnet, first.text.lower()) != "thing"
        and is_verb(wordnet, second.text.lower())
        for first, second in pairwise(inside)
    )


def is_bare(parsed: Parsed, phrase: Phrase) -> bool:
    """Tell whether *phrase* has no determiner or number: *cake eating girl* is one who eats it."""
    return not parsed.children(phrase.head, "det", "nummod", "nmod:poss") and not any(
        token.tag in {"DT", "CD", "PRP"} for token in parsed.tokens[phrase.start : phrase.head + 1]
    )
