"""Signs that a clause was misparsed, for constructions that move its phrases.

Statistical parsers make most errors on captions: a verb becomes the last noun of a compound, a participle an
adjective, a preposition a particle.  Each function describes one kind of error; none of them needs another
parser.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from crossexam.language.agreement import agreeing, lemma_of, number_of
from crossexam.language.clauses import GROUPS, Clause, Phrase
from crossexam.language.lexicons.adjective_classes import class_of
from crossexam.language.lexicons.closed_classes import (
    CLOSED_CLASSES,
    INDEFINITE_PEOPLE,
    PERSONAL_PRONOUNS,
)
from crossexam.language.lexicons.verb_kinds import INTRANSITIVE, MOTION
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.nouns import animacy, is_common_noun, is_rather_verb
from crossexam.language.parsing.dependencies import Parsed

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
_INDEFINITE: Final = INDEFINITE_PEOPLE | {"something", "everything"}
_NO_HEADS: Final = CLOSED_CLASSES - PERSONAL_PRONOUNS - _INDEFINITE | {"right", "left"}
_CLAUSES: Final = frozenset({"acl:relcl", "acl", "ccomp", "advcl"})
_FINITE: Final = frozenset({"VBZ", "VBP", "VBD"})
_SUBORDINATORS: Final = frozenset("after before while as because".split())
_PERCEPTION: Final = frozenset("help let make watch see hear have".split())
_BEING: Final = frozenset("am is are was were be been being".split())
_SINGULAR: Final = frozenset("a an one this that each every another".split())
_COUNTS: Final = frozenset("few dozen hundred thousand couple many great good pair".split())
_DIRECTIONS: Final = frozenset(
    "down up along across over through around off by past on in out onto into away under".split()
)


def is_misread(parsed: Parsed, phrase: Phrase, wordnet: WordNet) -> bool:
    """Return whether *phrase* is unlikely to be a single, whole noun phrase."""
    words = [token.text.lower() for token in parsed.tokens]
    return (
        any(_is_misread_word(parsed, words, k, phrase, wordnet) for k in range(phrase.start, phrase.end))
        or not _ends_well(parsed, words, phrase)
        or words[phrase.head] in _NO_HEADS
        or _has_plural_after_one(parsed, phrase)
        or _is_cut_short(words, phrase, wordnet)
    )


def _is_misread_word(parsed: Parsed, words: list[str], k: int, phrase: Phrase, wordnet: WordNet) -> bool:
    """Return whether the word at *k*, in *phrase*, is likely to be another part of speech."""
    tokens, tag = parsed.tokens, parsed.tokens[k].tag
    before = tokens[k - 1].tag if k > phrase.start else ""
    if tag in {"DT", "PRP$"} and before.startswith(("NN", "JJ")) and words[k] not in {"all", "both"}:
        return True  # catches a wave
    if before == tag == "NNS" or (before in {"NN", "NNP"} and _is_posture(tag, words[k])):
        return True  # a black man stands
    if before.startswith("NN") and words[k] in _INDEFINITE:
        return True  # shows a woman in a shirt something
    if _is_participle(tag, words[k]) and not _premodifies(parsed, k, phrase, wordnet):
        return True
    if (tag in _FINITE and parsed.relations[k] not in _CLAUSES) or words[k] in _SUBORDINATORS:
        return True
    return (
        _is_no_such_word(parsed, k, phrase, wordnet)
        or _is_verb_of_a_list(parsed, k, wordnet)
        or _is_verb_of_a_person(parsed, words, k, phrase, wordnet)
    )


def _premodifies(parsed: Parsed, k: int, phrase: Phrase, wordnet: WordNet) -> bool:
    """Return whether the participle at *k* modifies a noun: a swimming pool, not a shirt cooking corn."""
    tokens = parsed.tokens
    if k + 1 >= phrase.end or not tokens[k + 1].tag.startswith("NN"):
        return False
    if k == phrase.start or not tokens[k - 1].tag.startswith("NN"):
        return True
    word = tokens[k].text.lower()
    pairs = (f"{tokens[k - 1].text.lower()}_{word}", f"{word}_{tokens[k + 1].text.lower()}")
    return any(wordnet.is_lemma(pair, "n") for pair in pairs)


def _is_no_such_word(parsed: Parsed, k: int, phrase: Phrase, wordnet: WordNet) -> bool:
    """Return whether the word at *k* is the head but no noun, or an adjective before *and* but a noun.

    *A small dinghy laden with plants*, *a helmet and protective clothing*; a noun that WordNet only has as a
    name (*Laden*) counts if the word is something else too.
    """
    token, word = parsed.tokens[k], parsed.tokens[k].text.lower().rpartition("-")[2]
    if not word.isalpha() or (token.text[:1].isupper() and k > phrase.start):
        return False
    if k == phrase.head and token.tag in {"NN", "NNS"} and word not in _INDEFINITE:
        other = wordnet.is_lemma(word, "a") or wordnet.is_lemma(word, "v")
        return not (is_common_noun(word, wordnet) if other else wordnet.lemmas_of(word, "n"))
    conjoined = k + 1 < phrase.end and parsed.tokens[k + 1].tag == "CC"
    return (
        token.tag == "JJ"
        and conjoined
        and bool(wordnet.lemmas_of(word, "n"))
        and not wordnet.is_lemma(word, "a")
    )


def _is_verb_of_a_list(parsed: Parsed, k: int, wordnet: WordNet) -> bool:
    """Return whether the noun at *k* is a verb after *and*: wear sandals and hold umbrellas."""
    tokens = parsed.tokens
    return (
        parsed.relations[k] == "compound"
        and tokens[k].tag.startswith("NN")
        and k > 0
        and tokens[k - 1].tag == "CC"
        and is_rather_verb(tokens[k].text.lower(), wordnet)
    )


def _is_verb_of_a_person(parsed: Parsed, words: list[str], k: int, phrase: Phrase, wordnet: WordNet) -> bool:
    """Return whether the head at *k* may be part of the verb that follows: a man dust mopping the floor."""
    return (
        k == phrase.head > phrase.start
        and k + 1 < len(words)
        and parsed.tokens[k + 1].tag.startswith("VB")
        and parsed.relations[k - 1] == "compound"
        and wordnet.is_lemma(words[k], "v")
        and animacy(words[k], wordnet) == "thing"
        and animacy(words[k - 1], wordnet) == "person"
    )


def _is_cut_short(words: list[str], phrase: Phrase, wordnet: WordNet) -> bool:
    """Return whether the next word belongs to the last one of *phrase*: an oil / well."""
    return phrase.end < len(words) and wordnet.is_lemma("_".join(words[phrase.end - 1 : phrase.end + 1]), "n")


def _has_plural_after_one(parsed: Parsed, phrase: Phrase) -> bool:
    """Return whether a determiner of the singular precedes a plural: a jumps, one children."""
    if parsed.tokens[phrase.head].tag != "NNS":
        return False
    own = parsed.children(phrase.head, "det", "nummod")
    words = {parsed.tokens[k].text.lower() for k in range(phrase.start, phrase.head)}
    return any(parsed.tokens[k].text.lower() in _SINGULAR for k in own) and not words & _COUNTS


def _is_posture(tag: str, word: str) -> bool:
    return tag == "NNS" and lemma_of(word) in INTRANSITIVE | {"gesture", "walk", "run", "wave"}


def _is_participle(tag: str, word: str) -> bool:
    return tag.startswith("NN") and word.endswith("ing") and word not in _ING_NOUNS


def _ends_well(parsed: Parsed, words: list[str], phrase: Phrase) -> bool:
    """Return whether the last word may end a noun phrase, which a colour may not (paints a wall blue)."""
    end = phrase.end - 1
    last, before = parsed.tokens[end].tag, parsed.tokens[end - 1].tag if phrase.end > 1 else ""
    if end > phrase.start and (
        words[end] in CLOSED_CLASSES - PERSONAL_PRONOUNS - _INDEFINITE
        or (class_of(words[end]) == "colour" and before.startswith("NN"))
    ):
        return False
    return last.startswith(("NN", "PRP")) or last == "CD" or (last == "JJ" and before in {"IN", "CC", "RB"})


def agrees(parsed: Parsed, clause: Clause) -> bool:
    """Return whether the finite verb agrees with its subject, and its auxiliaries with it; else misparsed."""
    auxiliaries = parsed.children(clause.verb, "aux", "aux:pass")
    if auxiliaries and parsed.tokens[clause.verb].tag in {"VBZ", "VBP"}:
        return False  # he is has
    being = any(parsed.tokens[k].text.lower() in _BEING for k in auxiliaries)
    if being and parsed.tokens[clause.verb].tag == "VB":
        return False
    if clause.finite is None or parsed.tokens[clause.subject.head].text.lower() in GROUPS:
        return True
    token = parsed.tokens[clause.finite]
    return agreeing(token.text, token.tag, number_of(parsed, clause.subject)) == token.text


def is_of_unclear_number(parsed: Parsed, phrase: Phrase) -> bool:
    """Return whether *and* may conjoin dependents of the head, not the head: a boy with a hat and a coat."""
    joined = [k for k in parsed.children(phrase.head, "conj") if k < phrase.end]
    return bool(joined) and any(k < joined[0] for k in parsed.children(phrase.head, "nmod"))


def has_misread_verb(parsed: Parsed, clause: Clause, wordnet: WordNet) -> bool:
    """Return whether the verb has no object: it is intransitive, or an adjective (*snow covered streets*)."""
    verb, thing = parsed.tokens[clause.verb], clause.object
    if clause.voice == "passive":
        return False
    lemma = lemma_of(verb.text.lower())
    if lemma in INTRANSITIVE or not wordnet.is_lemma(lemma, "v"):
        return True
    if parsed.tokens[thing.start].text.lower() in {"arm", "hand", "side"}:  # walks arm in arm
        return True
    past = verb.tag in {"VBD", "VBN"} and clause.finite == clause.verb
    return past and is_bare(parsed, thing) and clause.subject.head != clause.verb - 1


def has_misread_particle(parsed: Parsed, clause: Clause) -> bool:
    """Return whether the particle of the verb may be a preposition: walks down the road."""
    verb = parsed.tokens[clause.verb].text.lower().rpartition("-")[2]
    after = parsed.tokens[clause.verb + 1].text.lower()
    return clause.voice == "active" and lemma_of(verb) in MOTION and after in _DIRECTIONS


def has_actor_for_object(parsed: Parsed, clause: Clause, wordnet: WordNet) -> bool:
    """Return whether the object is an agent with a verb, misparsed as a compound: helps a kid dig."""
    if lemma_of(parsed.tokens[clause.verb].text) not in _PERCEPTION:
        return False
    inside = parsed.tokens[clause.object.start : clause.object.end]
    return any(
        first.tag.startswith(("NN", "JJ"))
        and second.tag.startswith("NN")
        and animacy(first.text.lower(), wordnet) != "thing"
        and wordnet.is_lemma(second.text.lower(), "v")
        and (first.tag.startswith("NN") or is_rather_verb(second.text.lower(), wordnet))
        for first, second in pairwise(inside)
    )


def ends_in_verb(parsed: Parsed, clause: Clause, wordnet: WordNet) -> bool:
    """Return whether the bare object of a caption may end in its verb: men playing soccer chase a ball."""
    head, tokens = clause.object.head, parsed.tokens
    form = "NN" if number_of(parsed, clause.subject) == "plural" else "NNS"
    return (
        clause.object.start < head
        and is_bare(parsed, clause.object)
        and tokens[head - 1].tag.startswith("NN")
        and tokens[head].tag == form
        and is_rather_verb(tokens[head].text.lower(), wordnet)
    )


def is_of_nearer_noun(parsed: Parsed, clause: Clause, wordnet: WordNet) -> bool:
    """Return whether the participle of a caption is that of a nearer noun: a view of a woman drinking tea."""
    tokens, subject = parsed.tokens, clause.subject
    if clause.voice == "passive" or animacy(tokens[subject.head].text.lower(), wordnet) != "thing":
        return False
    later = range(subject.head + 1, subject.end)
    return any(
        tokens[k].tag.startswith("NN") and animacy(tokens[k].text.lower(), wordnet) != "thing" for k in later
    )


def is_bare(parsed: Parsed, phrase: Phrase) -> bool:
    """Return whether *phrase* has no determiner or numeral, as *cake* in *cake eating girl*."""
    return not parsed.children(phrase.head, "det", "nummod", "nmod:poss") and not any(
        token.tag in {"DT", "CD", "PRP"} for token in parsed.tokens[phrase.start : phrase.head + 1]
    )


def goes_on_in_compound(parsed: Parsed, thing: Phrase) -> bool:
    """Return whether a particle and a bare noun follow the object: a button down shirt."""
    after = parsed.tokens[thing.end : thing.end + 2]
    return len(after) == 2 and after[0].text.lower() in {"down", "up"} and after[1].tag == "NN"


def has_participle_of_agent(parsed: Parsed, clause: Clause, wordnet: WordNet) -> bool:
    """Return whether a participle of the object says what the subject does: holds papers looking around."""
    heads = (parsed.tokens[phrase.head].text.lower() for phrase in (clause.subject, clause.object))
    agent, thing = (animacy(head, wordnet) for head in heads)
    inside = range(clause.object.head + 1, clause.object.end)
    participles = any(parsed.relations[k] == "acl" and parsed.tokens[k].tag == "VBG" for k in inside)
    return participles and clause.voice == "active" and thing == "thing" != agent
