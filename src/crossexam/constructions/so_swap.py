"""SOSwap (Nie, Wang and Bansal, 2019, section 3.1): subject and object of the premise change places.

The premise is the base's; the hypothesis is the premise with the noun phrases of subject and object
swapped; the gold label contradiction.  Of the passive, the subject and the agent after *by* are
swapped.  Phrases move whole, with determiners, adjectives and all that is attached to their noun; what
belongs to the verb stays.  The finite verb agrees with its new subject, personal pronouns change their
case, and capitals follow the start of the sentence.

The paper says no more than that, and its code was never released, so these are decisions:

- Main clauses only, and captions, *A man riding a horse*, as clauses without a finite verb.
- Direct objects only: the paper says subject-verb-object; in *a man sits on a bench* the bench is none.
- What makes no English is rejected by ``so_swap_obstacles.py``, what may be no contradiction by
  ``so_swap_doubts.py``, each with its reason.  The paper's judges found 84 % contradictions in its 971
  items from SNLI dev; with these rules there are fewer items, and more of them are contradictions.
  ``--as-published`` keeps those of doubtful label, with the doubts in ``info["doubts"]``.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from crossexam.constructions.construction import Draft, Outcome, Rejection, Resources
from crossexam.constructions.so_swap_rules import doubts, obstacles
from crossexam.core.example import Edit, Example
from crossexam.language.agreement import Role, agreeing, in_case, lemma_of, number_of
from crossexam.language.clauses import GROUPS, Clause, Phrase, main_clause
from crossexam.language.lexicons.closed_classes import CLOSED_CLASSES
from crossexam.language.lexicons.proper_names import FIRST_NAMES
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.parsing.dependencies import Parsed


@dataclass(frozen=True)
class Options:
    """*as_published* keeps the items that our rules doubt, as the paper does."""

    as_published: bool = False


def so_swap(
    example: Example, resources: Resources, rng: random.Random, options: Options = Options()
) -> Iterator[Outcome]:
    """Yield the premise, and the premise with its subject and object swapped."""
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
    reason = next(obstacles(parsed, clause, resources.wordnet), None)
    found = list(doubts(parsed, clause, resources.wordnet)) if reason is None else []
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
    """Return the edit that puts *new* where *phrase* is, capitalised if that is where sentences begin."""
    old = _text(sentence, parsed, phrase)
    if phrase.start == _first_word(parsed) and old[:1].isupper():
        new = new[:1].upper() + new[1:]
    start = parsed.tokens[phrase.start].start
    return Edit("hypothesis", start, start + len(old), old, new)


def _moved(sentence: str, parsed: Parsed, phrase: Phrase, role: Role, wordnet: WordNet) -> str:
    """Return *phrase* as it reads in its new *role* inside a sentence."""
    text = _text(sentence, parsed, phrase)
    if phrase.end - phrase.start == 1:
        text = in_case(text, role)
    if phrase.start == _first_word(parsed) and not _keeps_capital(parsed, phrase, wordnet):
        text = text[:1].lower() + text[1:]
    return text


def _first_word(parsed: Parsed) -> int:
    return next((k for k, token in enumerate(parsed.tokens) if token.text[:1].isalnum()), 0)


def _keeps_capital(parsed: Parsed, phrase: Phrase, wordnet: WordNet) -> bool:
    """Tell whether the first word of *phrase*, which begins the sentence, has a capital of its own."""
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
    """Tell whether the words of *phrase* up to its head are names: *Mark Twain*, *Maria*, not *Man*."""
    tokens = parsed.tokens[phrase.start : phrase.head + 1]
    several = len(tokens) > 1 and all(token.tag in {"NNP", "NNPS"} for token in tokens)
    return several or tokens[0].text.lower() in FIRST_NAMES


def _agreement(parsed: Parsed, clause: Clause) -> Iterator[Edit]:
    """Yield the edit that lets the finite verb agree with its new subject, where it changes."""
    if clause.finite is None:
        return
    old, new = number_of(parsed, clause.subject), number_of(parsed, clause.object)
    token = parsed.tokens[clause.finite]
    if old == new and parsed.tokens[clause.subject.head].text.lower() not in GROUPS:
        return
    form = agreeing(token.text, token.tag, new)
    if form != token.text:
        yield Edit("hypothesis", token.start, token.end, token.text, form)
