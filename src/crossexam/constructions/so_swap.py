"""SOSwap (Nie, Wang and Bansal, 2019, section 3.1): the subject and the object of a sentence are swapped.

The premise is that of the base; the hypothesis is the premise with the noun phrases of subject and object
swapped; the gold label is contradiction.  In the passive, the subject and the agent after *by* are swapped.
Noun phrases are moved as a whole, with determiners, adjectives and everything else attached to the noun;
dependents of the verb stay.  The finite verb agrees with its new subject, personal pronouns change their
case, and the sentence-initial capital is adjusted.

The paper says no more, and its code was never released.  Our decisions:

- Only main clauses are used, including captions such as *A man riding a horse*, which have no finite verb.
- Only direct objects are swapped: the paper says subject-verb-object, and in *a man sits on a bench* the
  bench is not an object.
- Clauses are rejected if the result would not be English (:func:`swap_obstacles`) or may not be a
  contradiction (:func:`swap_doubts`); the name of each rule is the reason counted in the yield table.  The
  paper's judges considered 84 % of its 971 items from SNLI dev contradictions; these rules yield fewer
  items, and more of them are contradictions.  ``--as-published`` keeps items with doubtful labels, with the
  doubts in ``info["doubts"]``.
- Clauses are also rejected if they appear to be misparsed (:func:`is_misread` and the functions after it),
  since swapping would not result in English.  The Stanford parser makes most errors on captions: a verb
  becomes the last noun of a compound, a participle an adjective, a preposition a particle.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from crossexam.constructions.construction import Draft, Outcome, Rejection, Resources
from crossexam.core.example import Edit, Example
from crossexam.language.agreement import Role, agreeing, in_case, lemma_of, number_of
from crossexam.language.clauses import GROUPS, Clause, Phrase, main_clause
from crossexam.language.lexicons.closed_classes import (
    CLOSED_CLASSES,
    INDEFINITE_PEOPLE,
    NEGATIONS,
    PERSONAL_PRONOUNS,
)
from crossexam.language.lexicons.proper_names import FIRST_NAMES
from crossexam.language.lexicons.verb_kinds import (
    IDIOMS,
    INTRANSITIVE,
    LIGHT,
    MEASURE,
    MOTION,
    MUTUAL,
    STATIVE_PARTICIPLES,
    SYMMETRIC,
    SYMMETRIC_ALWAYS,
)
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.nouns import animacy, is_event
from crossexam.language.parsing.dependencies import Parsed


@dataclass(frozen=True)
class Options:
    """The options of SOSwap: *as_published* keeps the items that are doubtful by our rules."""

    as_published: bool = False


def so_swap(
    example: Example, resources: Resources, rng: random.Random, options: Options = Options()
) -> Iterator[Outcome]:
    """Yield the premise paired with its copy in which subject and object are swapped."""
    if not example.premise.strip():
        return
    parsed = resources.parsed(example, "premise")
    if parsed is None:
        yield Rejection("no parse of the premise")
        return
    clause = main_clause(parsed)
    if isinstance(clause, str):
        yield Rejection(clause)
        return
    reason = next(swap_obstacles(parsed, clause, resources.wordnet), None)
    found = list(swap_doubts(parsed, clause, resources.wordnet)) if reason is None else []
    if found and not options.as_published:
        reason = found[0]
    yield Rejection(reason) if reason else _item(example, parsed, clause, resources.wordnet, found)


def _item(example: Example, parsed: Parsed, clause: Clause, wordnet: WordNet, found: list[str]) -> Draft:
    sentence = example.premise
    new_subject = _moved(sentence, parsed, clause.object, "subject", wordnet)
    new_object = _moved(sentence, parsed, clause.subject, "object", wordnet)
    edits = [
        _replaced(sentence, parsed, clause.subject, new_subject),
        *_agreement(parsed, clause),
        _replaced(sentence, parsed, clause.object, new_object),
    ]
    info: dict[str, Any] = {
        "subject": _text(sentence, parsed, clause.subject),
        "verb": lemma_of(parsed.tokens[clause.verb].text),
        "object": _text(sentence, parsed, clause.object),
        "voice": clause.voice,
    }
    info |= {"doubts": found} if found else {}
    return Draft("contradiction", tuple(edits), target="premise", info=info)


def _text(sentence: str, parsed: Parsed, phrase: Phrase) -> str:
    return sentence[parsed.tokens[phrase.start].start : parsed.tokens[phrase.end - 1].end]


def _replaced(sentence: str, parsed: Parsed, phrase: Phrase, new: str) -> Edit:
    """Return the edit that replaces *phrase* by *new*, capitalized at the beginning of the sentence."""
    old = _text(sentence, parsed, phrase)
    if phrase.start == _first_word(parsed) and old[:1].isupper():
        new = new[:1].upper() + new[1:]
    start = parsed.tokens[phrase.start].start
    return Edit("hypothesis", start, start + len(old), old, new)


def _moved(sentence: str, parsed: Parsed, phrase: Phrase, role: Role, wordnet: WordNet) -> str:
    """Return the text of *phrase* in its new *role* within the sentence."""
    text = _text(sentence, parsed, phrase)
    if phrase.end - phrase.start == 1:
        text = in_case(text, role)
    if phrase.start == _first_word(parsed) and not _keeps_capital(parsed, phrase, wordnet):
        text = text[:1].lower() + text[1:]
    return text


def _first_word(parsed: Parsed) -> int:
    return next((k for k, token in enumerate(parsed.tokens) if token.text[:1].isalnum()), 0)


def _keeps_capital(parsed: Parsed, phrase: Phrase, wordnet: WordNet) -> bool:
    """Return whether the first word of *phrase*, here sentence-initial, is capitalized everywhere."""
    token = parsed.tokens[phrase.start]
    word = token.text
    if word.lower() in CLOSED_CLASSES:
        return False
    if word[1:].lower() != word[1:]:  # BMX, McDonald
        return True
    named = token.tag in {"NNP", "NNPS"} and _is_name(parsed, phrase)
    lemmas = {lemma for synset in wordnet.synsets(word) for lemma in wordnet.lemmas(synset)}
    forms = {word.lower(), *wordnet.lemmas_of(word.lower())}
    return named or (bool(lemmas) and not lemmas & forms)


def _is_name(parsed: Parsed, phrase: Phrase) -> bool:
    """Return whether the words of *phrase* up to its head are names: *Mark Twain*, *Maria*, not *Man*."""
    tokens = parsed.tokens[phrase.start : phrase.head + 1]
    several = len(tokens) > 1 and all(token.tag in {"NNP", "NNPS"} for token in tokens)
    return several or tokens[0].text.lower() in FIRST_NAMES


def _agreement(parsed: Parsed, clause: Clause) -> Iterator[Edit]:
    """Yield the edit that makes the finite verb agree with its new subject, if it changes."""
    if clause.finite is None:
        return
    old, new = number_of(parsed, clause.subject), number_of(parsed, clause.object)
    token = parsed.tokens[clause.finite]
    if old == new and parsed.tokens[clause.subject.head].text.lower() not in GROUPS:
        return
    form = agreeing(token.text, token.tag, new)
    if form != token.text:
        yield Edit("hypothesis", token.start, token.end, token.text, form)


_NEGATIONS: Final = NEGATIONS - {"nowhere", "without"} | {"n’t"}  # a man without a hat: not negated
_MODALS: Final = frozenset("can could may might must shall should would ca".split())
_OTHERS: Final = frozenset("another other others one two three some each the a an this that same".split())
_GENERIC: Final = frozenset(
    (
        "person people individual individuals human humans someone somebody one everyone everybody anyone "
        "anybody other others all adult adults audience crowd"
    ).split()
)
_MEASURES: Final = frozenset("part time day hour minute mile foot meter yard second lap".split())


def swap_doubts(parsed: Parsed, clause: Clause, wordnet: WordNet) -> Iterator[str]:
    """Yield the reasons why both sentences may be true after swapping *clause*."""
    words = [token.text.lower() for token in parsed.tokens]
    subject, thing = words[clause.subject.head], words[clause.object.head]
    if _is_negated(words, parsed, clause):
        yield "a negated clause"
    if any(words[k] in _MODALS for k in parsed.children(clause.verb, "aux")):
        yield "a modal verb"
    yield from _by_verb(lemma_of(words[clause.verb]), parsed, clause, wordnet, subject, thing)
    if "something" in {subject, thing}:
        yield "an indefinite phrase"
    if _singular(subject, wordnet) == _singular(thing, wordnet):
        own, other = (_content(words, phrase) for phrase in (clause.subject, clause.object))
        if own == other or not (own and other):
            yield "identical phrases"
    elif animacy(subject, wordnet) == animacy(thing, wordnet) == "person" and (
        (subject in _GENERIC) != (thing in _GENERIC)
    ):
        yield "one phrase may mean the other"


def _by_verb(
    verb: str, parsed: Parsed, clause: Clause, wordnet: WordNet, subject: str, thing: str
) -> Iterator[str]:
    """Yield the doubts raised by *verb* with the heads *subject* and *thing*."""
    kinds = animacy(subject, wordnet), animacy(thing, wordnet)
    noun = _singular(thing, wordnet)
    if verb in SYMMETRIC_ALWAYS or (verb in SYMMETRIC and kinds[0] == kinds[1]):
        yield "a symmetric verb"
    if verb in MUTUAL and "thing" not in kinds:
        yield "each may do it to the other"
    if verb in MEASURE or (parsed.children(clause.object.head, "nummod") and noun in _MEASURES):
        yield "a quantity"
    light = verb in LIGHT and is_event(noun, wordnet)
    if light or f"{verb} {noun}" in IDIOMS or noun in {"way", "place"}:
        yield "the object is part of the predicate"
    if clause.voice == "passive" and verb in STATIVE_PARTICIPLES:
        yield "by says where"


def _singular(noun: str, wordnet: WordNet) -> str:
    return wordnet.morphy(noun, "n") or noun


def _is_negated(words: list[str], parsed: Parsed, clause: Clause) -> bool:
    beside = parsed.children(clause.verb)
    phrases = (clause.subject, clause.object)
    inside = [k for phrase in phrases for k in range(phrase.start, phrase.end)]
    return any(words[k] in _NEGATIONS for k in (*beside, *inside))


def _content(words: list[str], phrase: Phrase) -> frozenset[str]:
    """Return the words that distinguish a phrase from another one with the same head."""
    return frozenset(words[k] for k in range(phrase.start, phrase.end) if k != phrase.head) - _OTHERS


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
_NO_HEADS: Final = CLOSED_CLASSES - PERSONAL_PRONOUNS - _INDEFINITE
_CLAUSES: Final = frozenset({"acl:relcl", "acl", "ccomp", "advcl"})
_FINITE: Final = frozenset({"VBZ", "VBP", "VBD"})
_SUBORDINATORS: Final = frozenset("after before while as because".split())
_PERCEPTION: Final = frozenset("help let make watch see hear have".split())
_DIRECTIONS: Final = frozenset(
    "down up along across over through around off by past on in out onto into away under".split()
)


def is_misread(parsed: Parsed, phrase: Phrase) -> bool:
    """Return whether *phrase* is unlikely to be a single noun phrase."""
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
    return (
        not _ends_well(parsed, phrase)
        or words[phrase.head] in CLOSED_CLASSES - PERSONAL_PRONOUNS - _INDEFINITE
    )


def _is_posture(tag: str, word: str) -> bool:
    return tag == "NNS" and lemma_of(word) in INTRANSITIVE | {"gesture", "walk", "run", "wave"}


def _is_participle(tag: str, word: str) -> bool:
    return tag.startswith("NN") and word.endswith("ing") and word not in _ING_NOUNS


def _ends_well(parsed: Parsed, phrase: Phrase) -> bool:
    last = parsed.tokens[phrase.end - 1].tag
    before = parsed.tokens[phrase.end - 2].tag if phrase.end > 1 else ""
    return last.startswith(("NN", "PRP")) or last == "CD" or (last == "JJ" and before in {"IN", "CC", "RB"})


def agrees(parsed: Parsed, clause: Clause) -> bool:
    """Return whether the finite verb agrees with its subject; if not, the parse is wrong."""
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
        first.tag.startswith("NN")
        and second.tag.startswith("NN")
        and animacy(first.text.lower(), wordnet) != "thing"
        and wordnet.is_lemma(second.text.lower(), "v")
        for first, second in pairwise(inside)
    )


def is_bare(parsed: Parsed, phrase: Phrase) -> bool:
    """Return whether *phrase* has no determiner or numeral, as *cake* in *cake eating girl*."""
    return not parsed.children(phrase.head, "det", "nummod", "nmod:poss") and not any(
        token.tag in {"DT", "CD", "PRP"} for token in parsed.tokens[phrase.start : phrase.head + 1]
    )


_REFLEXIVES: Final = frozenset(
    ("myself yourself himself herself itself ourselves yourselves themselves themself oneself").split()
)
_POSSESSIVES: Final = frozenset("his her its their my your our whose hers theirs".split())
_CLITICS: Final = frozenset(f"{mark}{end}" for mark in "'’" for end in ("s", "re", "m", "ve", "d", "ll"))
_LOOSE: Final = frozenset({"appos", "dep", "parataxis", "acl", "advcl", "case", "mark"})
_CLAUSAL: Final = frozenset({"acl", "advcl", "ccomp", "dep", "parataxis"})


def swap_obstacles(parsed: Parsed, clause: Clause, wordnet: WordNet) -> Iterator[str]:
    """Yield the reasons why swapping *clause* would not result in English."""
    words = [token.text.lower() for token in parsed.tokens]
    if words[-1] == "?" or parsed.tokens[0].tag in {"WP", "WRB", "WDT", "MD"}:
        yield "a question"
    if _REFLEXIVES & set(words) or {("each", "other"), ("one", "another")} & set(pairwise(words)):
        yield "a reflexive or reciprocal pronoun"
    for name, phrase in (("subject", clause.subject), ("object", clause.object)):
        yield from _in_phrase(words, parsed, phrase, name)
    if clause.finite is not None and parsed.tokens[clause.finite].text in _CLITICS:
        yield "a contracted verb"
    if any(token.tag == "``" for token in parsed.tokens[1 : clause.subject.start]):
        yield "inside a quotation"
    if sum(token.text[:1].isupper() for token in parsed.tokens) > len(words) / 2:
        yield "capitals throughout"
    if _refers_across(words, clause):
        yield "a phrase refers to the other"
    yield from _misreadings(parsed, clause, wordnet)
    yield from _left_behind(words, parsed, clause)


def _in_phrase(words: list[str], parsed: Parsed, phrase: Phrase, name: str) -> Iterator[str]:
    tag, inside = parsed.tokens[phrase.head].tag, range(phrase.start, phrase.end)
    if not (tag.startswith("NN") or (tag == "PRP" and words[phrase.head] in PERSONAL_PRONOUNS)):
        yield f"{name} is not a noun or personal pronoun"
    if any(parsed.relations[k] == "acl:relcl" for k in inside):
        yield "a relative clause"
    if is_misread(parsed, phrase):
        yield f"{name} is parsed oddly"
    if any(parsed.tokens[k].tag in {",", ":", "``"} for k in inside) and not _is_list(parsed, phrase):
        yield f"a comma inside the {name}"
    if any(words[k] in {"or", "nor", "but"} for k in inside):
        yield "coordination with or or but"


def _is_list(parsed: Parsed, phrase: Phrase) -> bool:
    """Return whether the commas of *phrase* separate the conjuncts of a list."""
    inside = range(phrase.start, phrase.end)
    after_comma = [k for k in inside if k > phrase.start and parsed.tokens[k - 1].tag == ","]
    return any(parsed.relations[k] == "conj" for k in inside) and not any(
        parsed.relations[k] in _LOOSE for k in after_comma
    )


def _refers_across(words: list[str], clause: Clause) -> bool:
    """Return whether a pronoun in one phrase may refer to the other.

    Any pronoun in the object may, and a possessive before the noun of the subject; after the noun it refers
    to that noun.
    """
    thing, agent = clause.object, clause.subject
    inside = [words[k] for k in range(thing.start, thing.end)]
    before = [words[k] for k in range(agent.start, agent.head)]
    personal = len(inside) > 1 and bool(PERSONAL_PRONOUNS & set(inside))
    return (
        personal or bool(_POSSESSIVES & set(before)) or (len(inside) > 1 and bool(_POSSESSIVES & set(inside)))
    )


def _misreadings(parsed: Parsed, clause: Clause, wordnet: WordNet) -> Iterator[str]:
    between = parsed.tokens[clause.verb + 1 : clause.object.start]
    if clause.voice == "active" and any(token.tag not in {"RP", "RB"} for token in between):
        yield "object is far from its verb"
    if {token.tag for token in parsed.tokens[clause.subject.end : clause.verb]} & {"IN", "RP", "NN", "NNS"}:
        yield "subject is far from its verb"
    if has_misread_particle(parsed, clause):
        yield "a particle that may be a preposition"
    if has_misread_verb(parsed, clause, wordnet):
        yield "a verb that takes no object"
    if has_actor_for_object(parsed, clause, wordnet):
        yield "object is a clause"
    if not agrees(parsed, clause):
        yield "subject and verb do not agree"
    if clause.finite is not None and (
        is_of_unclear_number(parsed, clause.subject) or is_of_unclear_number(parsed, clause.object)
    ):
        yield "a phrase of unclear number"
    if clause.finite is None and clause.voice == "active" and is_bare(parsed, clause.subject):
        yield "a caption that would read as a compound"


def _left_behind(words: list[str], parsed: Parsed, clause: Clause) -> Iterator[str]:
    """Yield the reasons why commas, conjuncts or participles would be left in the wrong place."""
    thing, tokens = clause.object, parsed.tokens
    if tokens[clause.subject.end].tag in {",", ":", "-RRB-", "''"}:
        yield "a comma before the verb"
    after = tokens[thing.end].tag if thing.end < len(tokens) else ""
    if after in {"-LRB-", "POS", "HYPH"}:
        yield "object is parsed oddly"
    conjuncts = parsed.children(clause.verb, "conj")
    if after == "CC" and not any(thing.end < k for k in conjuncts):
        yield "coordinated objects apart"
    inside = range(thing.start, thing.end)
    clausal = any(parsed.relations[k] in _CLAUSAL for k in inside)
    if clause.finite is None and (clausal or _goes_on(parsed, clause)):
        yield "a participle after the object of a caption"
    own = [k for k in conjuncts if not parsed.children(k, "nsubj", "nsubj:pass")]
    others = {tokens[j].tag for k in own for j in (*parsed.children(k, "aux", "aux:pass", "cop"), k)}
    if others & {"VBZ", "VBP"} or (clause.finite == clause.verb and others & {"VBD", "VB"}):
        yield "coordinated verbs"


def _goes_on(parsed: Parsed, clause: Clause) -> bool:
    """Return whether another participle follows the object's noun directly: it may modify the subject."""
    tokens = parsed.tokens
    return any(
        tokens[k].tag == "VBG" and (tokens[k - 1].tag.startswith("NN") or tokens[k - 1].tag in {"RB", "RP"})
        for k in range(clause.object.start + 1, len(tokens))
    )
