"""Clauses whose subject and object cannot be swapped without making bad English (see so_swap.py).

Each rule's name is the reason that the yield table counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from crossexam.constructions.so_swap_misreadings import (
    agrees,
    has_actor_for_object,
    has_misread_particle,
    has_misread_verb,
    is_bare,
    is_misread,
    is_of_unclear_number,
)
from crossexam.language.clauses import Clause, Phrase
from crossexam.language.dependencies import Parsed
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.noun_kinds import PERSONAL

# fmt: off
_REFLEXIVES: Final = frozenset((
    "myself yourself himself herself itself ourselves yourselves themselves themself oneself"
).split())
_POSSESSIVES: Final = frozenset("his her its their my your our whose hers theirs".split())
_CLITICS: Final = frozenset(f"{mark}{end}" for mark in "'’" for end in ("s", "re", "m", "ve", "d", "ll"))
_LOOSE: Final = frozenset({"appos", "dep", "parataxis", "acl", "advcl", "case", "mark"})
_CLAUSAL: Final = frozenset({"acl", "advcl", "ccomp", "dep", "parataxis"})
# fmt: on


def obstacles(parsed: Parsed, clause: Clause, wordnet: WordNet) -> Iterator[str]:
    """Yield why the swap of *clause* would make no English, if it would not."""
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
    if not (tag.startswith("NN") or (tag == "PRP" and words[phrase.head] in PERSONAL)):
        yield f"{name} is no noun or personal pronoun"
    if any(parsed.relations[k] == "acl:relcl" for k in inside):
        yield "a relative clause"
    if is_misread(parsed, phrase):
        yield f"{name} is parsed oddly"
    if any(parsed.tokens[k].tag in {",", ":", "``"} for k in inside) and not _is_list(parsed, phrase):
        yield f"a comma inside the {name}"
    if any(words[k] in {"or", "nor", "but"} for k in inside):
        yield "coordination with or or but"


def _is_list(parsed: Parsed, phrase: Phrase) -> bool:
    """Tell whether the commas of *phrase* are those of a list: nothing but conjuncts follows them."""
    inside = range(phrase.start, phrase.end)
    after_comma = [k for k in inside if k > phrase.start and parsed.tokens[k - 1].tag == ","]
    return any(parsed.relations[k] == "conj" for k in inside) and not any(
        parsed.relations[k] in _LOOSE for k in after_comma
    )


def _refers_across(words: list[str], clause: Clause) -> bool:
    """Tell whether a pronoun in one phrase may mean the other.

    In the object any may; in the subject a possessive before its noun.  After its noun it means that.
    """
    thing, agent = clause.object, clause.subject
    inside = [words[k] for k in range(thing.start, thing.end)]
    before = [words[k] for k in range(agent.start, agent.head)]
    personal = len(inside) > 1 and bool(PERSONAL & set(inside))
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
    """Yield what would be left in the wrong place: commas, conjuncts, participles."""
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
    """Tell whether another participle follows the object's noun, unjoined: it may be the caption's own."""
    tokens = parsed.tokens
    return any(
        tokens[k].tag == "VBG" and (tokens[k - 1].tag.startswith("NN") or tokens[k - 1].tag in {"RB", "RP"})
        for k in range(clause.object.start + 1, len(tokens))
    )
