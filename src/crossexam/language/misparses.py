"""Signs that a clause was misparsed, for constructions that move its phrases.

Statistical parsers make most errors on captions: a verb becomes the last noun of a compound, a participle an
adjective, a preposition a particle, and what belongs to the verb a part of its object.  Each function
describes one kind of error, or of phrase that only suits its present place; none needs another parser.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from crossexam.language.agreement import agreeing, number_of
from crossexam.language.clauses import GROUPS, Clause, Phrase
from crossexam.language.inflection import inflect_like, lemma_of
from crossexam.language.lexicons.adjective_classes import class_of
from crossexam.language.lexicons.closed_classes import BE, INDEFINITES_AS_NOUNS, PATHS
from crossexam.language.lexicons.noun_groups import MASS, PLURAL_NOUNS
from crossexam.language.lexicons.proper_names import FIRST_NAMES
from crossexam.language.lexicons.verb_kinds import INTRANSITIVE, MOTION
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.noun_phrases import PLURAL_ONLY
from crossexam.language.nouns import animacy, is_common_noun, is_rather_verb, sense_names
from crossexam.language.tokens import Parsed

_FINITE: Final = frozenset({"VBZ", "VBP", "VBD"})
_PERCEPTION: Final = frozenset("help let make watch see hear have".split())
_DIRECTIONS: Final = PATHS | frozenset("around away by in into off on onto out over under".split())
_COUNTABLE: Final = frozenset({"garment.n.01", "container.n.01", "vehicle.n.01", "furniture.n.01"})
_GOALS: Final = frozenset("toward towards into onto".split())
_WITH_PATHS: Final = frozenset({"event.n.01", "act.n.02", "way.n.06", "structure.n.01"})


def agrees(parsed: Parsed, clause: Clause) -> bool:
    """Return whether the finite verb agrees with its subject, and its auxiliaries with it; else misparsed."""
    auxiliaries = parsed.children(clause.verb, "aux", "aux:pass")
    if auxiliaries and parsed.tokens[clause.verb].tag in {"VBZ", "VBP"}:
        return False  # he is has
    being = any(parsed.tokens[k].text.lower() in BE for k in auxiliaries)
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


def has_misread_verb(parsed: Parsed, clause: Clause) -> bool:
    """Return whether the verb has no object: it is intransitive, or an adjective (*snow covered streets*).

    A past participle without an auxiliary is passive, and what follows it is not an object but the noun that
    it modifies: *a broken hearted clown*, *a storm battered coast*.
    """
    verb, thing = parsed.tokens[clause.verb], clause.object
    if clause.voice == "passive":
        return False
    lemma = lemma_of(verb.text.lower())
    if lemma in INTRANSITIVE or not wordnet().is_lemma(lemma, "v"):
        return True
    first = parsed.tokens[thing.start].text.lower()
    if first in {"arm", "hand", "side"}:  # walks arm in arm
        return True
    if lemma in MOTION and thing.end - thing.start == 1 and wordnet().is_lemma(first, "r"):  # walks home
        return True
    if verb.tag not in {"VBD", "VBN"} or clause.finite not in {clause.verb, None}:
        return False
    if clause.finite is None:
        return True
    participle = inflect_like(lemma, lemma, "VBN") == verb.text.lower()
    compound = participle and parsed.tokens[thing.head].tag == "NN" and not _is_indefinite(parsed, thing)
    return is_bare(parsed, thing) and (compound or clause.subject.head != clause.verb - 1)


def _is_indefinite(parsed: Parsed, phrase: Phrase) -> bool:
    return parsed.tokens[phrase.head].text.lower() in INDEFINITES_AS_NOUNS


def has_misread_particle(parsed: Parsed, clause: Clause) -> bool:
    """Return whether the particle of the verb may be a preposition: walks down the road.

    It is one after a verb of motion, and that of a path if WordNet has no such phrasal verb.
    """
    lemma = lemma_of(parsed.tokens[clause.verb].text.lower().rpartition("-")[2])
    after = parsed.tokens[clause.verb + 1].text.lower()
    if clause.voice == "passive" or after not in _DIRECTIONS:
        return False
    return lemma in MOTION or (after in PATHS - {"up"} and not wordnet().is_lemma(f"{lemma}_{after}", "v"))


def has_stranded_particle(parsed: Parsed, clause: Clause) -> bool:
    """Return whether a particle before the verb belongs to the subject: a nun with a veil on sings."""
    between = parsed.tokens[clause.subject.end : clause.verb]
    return any(token.text.lower() in _DIRECTIONS for token in between)


def has_actor_for_object(parsed: Parsed, clause: Clause) -> bool:
    """Return whether the object is an agent with a verb, misparsed as a compound: helps a kid dig.

    What does something may also be a thing, if a preposition follows (*watches a boat drift across the bay*)
    or the word is rather a verb (*heard the gate close*).
    """
    thing = clause.object
    if lemma_of(parsed.tokens[clause.verb].text) not in _PERCEPTION:
        return False
    inside, last = parsed.tokens[thing.start : thing.end], parsed.tokens[thing.head]
    after = parsed.tokens[thing.head + 1 : thing.head + 2]
    if (
        parsed.tokens[thing.head - 1].tag.startswith("NN")
        and last.tag == "NN"
        and wordnet().is_lemma(last.text.lower(), "v")
        and (
            is_rather_verb(last.text.lower())
            or any(token.tag == "IN" and token.text.lower() in _DIRECTIONS for token in after)
        )
    ):
        return True
    return any(
        first.tag.startswith(("NN", "JJ"))
        and second.tag.startswith("NN")
        and animacy(first.text.lower()) != "thing"
        and wordnet().is_lemma(second.text.lower(), "v")
        and (first.tag.startswith("NN") or is_rather_verb(second.text.lower()))
        for first, second in pairwise(inside)
    )


def ends_in_verb(parsed: Parsed, clause: Clause) -> bool:
    """Return whether the object of a caption may end in its verb: men playing soccer chase a ball.

    So it may after a colour, which may be a noun: *a nun wearing white kneels*.
    """
    if clause.voice == "passive":
        return False
    head, tokens = clause.object.head, parsed.tokens
    form = "NN" if number_of(parsed, clause.subject) == "plural" else "NNS"
    last = [head, *(k for k in parsed.children(head, "conj") if k < clause.object.end)][-1]
    word = tokens[last].text.lower()
    return (
        clause.object.start < last
        and is_bare(parsed, clause.object)
        and (tokens[last - 1].tag.startswith("NN") or class_of(tokens[last - 1].text.lower()) == "colour")
        and tokens[last].tag == form
        and word not in PLURAL_NOUNS | PLURAL_ONLY
        and is_rather_verb(word)
    )


def has_verb_elsewhere(parsed: Parsed, clause: Clause) -> bool:
    """Return whether a caption has a finite verb whose subject can only be that of the caption.

    *A nun carrying a lamp, wearing a veil, sings*: without its subject, the verb is left alone.  After a
    comma, a plural noun that is more often a verb counts as one.
    """
    if clause.finite is not None:
        return False
    return any(
        (token.tag in _FINITE | {"MD"} and not _has_own_subject(parsed, k))
        or (token.tag == "NNS" and parsed.tokens[k - 1].tag == "," and is_rather_verb(token.text.lower()))
        for k, token in enumerate(parsed.tokens)
        if k > clause.verb
    )


def _has_own_subject(parsed: Parsed, verb: int) -> bool:
    """Return whether the finite *verb*, or a verb that it is conjoined with or helps, has a subject."""
    while not parsed.children(verb, "nsubj", "nsubj:pass", "expl", "csubj"):
        if parsed.relations[verb] not in {"aux", "aux:pass", "cop", "conj"}:
            return False
        verb = parsed.heads[verb]
    return True


def is_of_nearer_noun(parsed: Parsed, clause: Clause) -> bool:
    """Return whether the participle of a caption is that of a nearer noun: a view of a woman drinking tea.

    One of the passive may be that of any noun: *a nun in a yard surrounded by walls*.
    """
    tokens, subject = parsed.tokens, clause.subject
    if clause.voice == "passive":
        return clause.verb == subject.end and any(
            tokens[k].tag.startswith("NN") for k in range(subject.head + 1, subject.end)
        )
    if animacy(tokens[subject.head].text.lower()) != "thing":
        return False
    later = range(subject.head + 1, subject.end)
    return any(tokens[k].tag.startswith("NN") and animacy(tokens[k].text.lower()) != "thing" for k in later)


def is_bare(parsed: Parsed, phrase: Phrase) -> bool:
    """Return whether *phrase* has no determiner or numeral, as *cake* in *cake eating girl*."""
    return not parsed.children(phrase.head, "det", "nummod", "nmod:poss") and not any(
        token.tag in {"DT", "CD", "PRP"} for token in parsed.tokens[phrase.start : phrase.head + 1]
    )


def lacks_determiner(parsed: Parsed, phrase: Phrase) -> bool:
    """Return whether *phrase* is one that can be counted, but has no determiner: *child*, not *tea*.

    WordNet does not say what can be counted, so only kinds of nouns are judged that nearly always can.
    """
    head = parsed.tokens[phrase.head]
    word = head.text.lower()
    initial = phrase.head == 0 and is_common_noun(word) and word not in FIRST_NAMES
    if (
        not (head.tag == "NN" or (head.tag == "NNP" and initial))
        or word in MASS | INDEFINITES_AS_NOUNS
        or not is_bare(parsed, phrase)
    ):
        return False
    if number_of(parsed, phrase) == "plural" or any(
        parsed.tokens[k].tag == "POS" for k in range(phrase.start, phrase.head)
    ):
        return False
    return animacy(word) != "thing" or not _COUNTABLE.isdisjoint(sense_names(word))


def has_path(parsed: Parsed, phrase: Phrase) -> bool:
    """Return whether *phrase* includes a path or goal, which is the verb's: kicks a ball towards the goal.

    A noun that names an event, a way or a building may have a path of its own: *a walk through the hills*.
    """
    names = sense_names(parsed.tokens[phrase.head].text.lower())
    foreign = _GOALS if _WITH_PATHS & names else _GOALS | PATHS
    return any(
        parsed.tokens[k].text.lower() in foreign and parsed.relations[k] == "case"
        for k in range(phrase.head + 1, phrase.end)
    )


def goes_on_in_compound(parsed: Parsed, thing: Phrase) -> bool:
    """Return whether a particle and a bare noun follow the object: a button down shirt."""
    after = parsed.tokens[thing.end : thing.end + 2]
    return len(after) == 2 and after[0].text.lower() in {"down", "up"} and after[1].tag == "NN"


def has_infinitive_of_object(parsed: Parsed, clause: Clause) -> bool:
    """Return whether an infinitive says what the object is for: uses a key to open it, has meat to be fried.

    In the object it is moved although the purpose is the agent's, and a passive one would be left behind.
    """
    thing, tokens = clause.object, parsed.tokens
    if any(tokens[k].tag == "TO" and tokens[k + 1].tag == "VB" for k in range(thing.head + 1, thing.end - 1)):
        return True
    rest = tokens[thing.end :]
    return any(
        to.tag == "TO" and be.text.lower() == "be" and verb.tag == "VBN"
        for to, be, verb in zip(rest, rest[1:], rest[2:], strict=False)
    )


def has_participle_of_agent(parsed: Parsed, clause: Clause) -> bool:
    """Return whether a participle of the object says what the subject does: holds papers looking around."""
    heads = (parsed.tokens[phrase.head].text.lower() for phrase in (clause.subject, clause.object))
    agent, thing = (animacy(head) for head in heads)
    inside = range(clause.object.head + 1, clause.object.end)
    participles = any(parsed.relations[k] == "acl" and parsed.tokens[k].tag == "VBG" for k in inside)
    return participles and clause.voice == "active" and thing == "thing" != agent
