"""SOSwap (Nie, Wang and Bansal, 2019, section 3.1): the subject and the object of a sentence are swapped.

The premise is that of the base; the hypothesis is the premise with the noun phrases of subject and object
swapped; the gold label is contradiction.  Noun phrases are moved as a whole, with determiners, adjectives and
everything else attached to the noun; dependents of the verb stay.

The paper says no more, and its code was never released.  ``rules=paper`` does what it says and nothing else:
in the first verb with a subject and a direct object, the two phrases change places and every word stays as it
is, apart from the sentence-initial capital.  It is neither made to agree nor checked.  Our own rules, the
default:

- Only main clauses are used, including captions such as *A man riding a horse*, which have no finite verb,
  and the passive, in which the subject and the agent after *by* are swapped.
- Only direct objects are swapped: the paper says subject-verb-object, and in *a man sits on a bench* the
  bench is not an object.
- The finite verb agrees with its new subject, and personal pronouns change their case.
- Clauses are rejected if the result would not be English or may not be a contradiction, by the rows of
  ``rules/so_swap.py``.  The paper's judges considered 84 % of its 971 items from SNLI dev contradictions;
  these rules yield fewer items, and more of them are contradictions.

What most of the swapped sentences say could hardly happen (*A ball throws the boy*), so that a model may
spot nonsense without reading who does what to whom: ``so_swap_plausible.py`` makes those that could.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from crossexam.constructions.construction import NO_PARSE, Draft, Rejection, Resources, Yielded
from crossexam.constructions.rules.rule import Rule, switched_off
from crossexam.constructions.rules.so_swap import RULES, Roles, against
from crossexam.core.example import Edit, Example, Side
from crossexam.language.agreement import Role, agreeing, in_case, number_of
from crossexam.language.clauses import GROUPS, Clause, Phrase, main_clause, transitive_clause
from crossexam.language.inflection import lemma_of
from crossexam.language.lexicons.closed_classes import CLOSED_CLASSES
from crossexam.language.lexicons.proper_names import FIRST_NAMES
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.tokens import Parsed


@dataclass(frozen=True)
class Options:
    """The options of SOSwap.

    *rules* are our own, or those of the paper, to the letter.  *without* names reasons whose rules do not
    count.
    """

    rules: Literal["ours", "paper"] = "ours"
    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raise CrossexamError if *without* names no rules, or if there are none to switch off."""
        off = switched_off(RULES, self.without, "so_swap", ours=self.rules == "ours")
        object.__setattr__(self, "without", off)


def so_swap(
    example: Example, resources: Resources, rng: random.Random, options: Options = Options()
) -> Iterator[Yielded]:
    """Yield the premise paired with its copy in which subject and object are swapped."""
    if options.rules == "paper":
        yield from swapped(example, "premise", resources, None)
    else:
        yield from swapped(example, "premise", resources, partial(against, without=options.without))


def swapped(
    example: Example,
    side: Side,
    resources: Resources,
    rules: Callable[[Roles], Iterator[Rule[Roles]]] | None,
) -> Iterator[Yielded]:
    """Yield the sentence on *side* paired with its copy in which subject and object are swapped.

    *rules* yields those that hold of the main clause; None swaps the first clause that it can, as the paper
    says.
    """
    if not example.text(side).strip():
        return
    parsed = resources.parsed(example, side)
    if parsed is None:
        yield Rejection(NO_PARSE)
        return
    clause = transitive_clause(parsed) if rules is None else _sound_clause(parsed, rules)
    if isinstance(clause, str):
        yield Rejection(clause)
        return
    yield _item(example, side, parsed, clause, literal=rules is None)


def _sound_clause(parsed: Parsed, rules: Callable[[Roles], Iterator[Rule[Roles]]]) -> Clause | str:
    """Return the main clause, or the reason why it is not to be swapped."""
    clause = main_clause(parsed)
    if isinstance(clause, str):
        return clause
    first = next(rules(Roles(parsed, clause)), None)
    return first.reason if first else clause


def _item(example: Example, side: Side, parsed: Parsed, clause: Clause, *, literal: bool) -> Draft:
    sentence = example.text(side)
    new_subject = _moved(sentence, parsed, clause.object, None if literal else "subject")
    new_object = _moved(sentence, parsed, clause.subject, None if literal else "object")
    edits = [
        _replaced(sentence, parsed, clause.subject, new_subject),
        *([] if literal else _agreement(parsed, clause)),
        _replaced(sentence, parsed, clause.object, new_object),
    ]
    info: dict[str, Any] = {
        "subject": _text(sentence, parsed, clause.subject),
        "verb": lemma_of(parsed.tokens[clause.verb].text),
        "object": _text(sentence, parsed, clause.object),
        "voice": clause.voice,
    }
    suffix = "" if side == "premise" else f":{side}"
    return Draft("contradiction", tuple(edits), source=side, target=side, suffix=suffix, info=info)


def _text(sentence: str, parsed: Parsed, phrase: Phrase) -> str:
    return sentence[parsed.tokens[phrase.start].start : parsed.tokens[phrase.end - 1].end]


def _replaced(sentence: str, parsed: Parsed, phrase: Phrase, new: str) -> Edit:
    """Return the edit that replaces *phrase* by *new*, capitalized at the beginning of the sentence."""
    old = _text(sentence, parsed, phrase)
    if phrase.start == _first_word(parsed) and (old[:1].isupper() or old[:1].isdigit()):
        new = new[:1].upper() + new[1:]
    start = parsed.tokens[phrase.start].start
    return Edit("hypothesis", start, start + len(old), old, new)


def _moved(sentence: str, parsed: Parsed, phrase: Phrase, role: Role | None) -> str:
    """Return the text of *phrase* in its new *role* within the sentence; None keeps the case of a pronoun."""
    text = _text(sentence, parsed, phrase)
    if role and phrase.end - phrase.start == 1:
        text = in_case(text, role)
    if phrase.start == _first_word(parsed) and not _keeps_capital(parsed, phrase):
        text = text[:1].lower() + text[1:]
    return text


def _first_word(parsed: Parsed) -> int:
    return next((k for k, token in enumerate(parsed.tokens) if token.text[:1].isalnum()), 0)


def _keeps_capital(parsed: Parsed, phrase: Phrase) -> bool:
    """Return whether the first word of *phrase*, here sentence-initial, is capitalized everywhere."""
    token = parsed.tokens[phrase.start]
    word = token.text
    if word == "I":
        return True
    if word.lower() in CLOSED_CLASSES:
        return False
    if word[1:].lower() != word[1:]:  # BMX, McDonald
        return True
    named = token.tag in {"NNP", "NNPS"} and _is_name(parsed, phrase)
    lemmas = {lemma for synset in wordnet().synsets(word) for lemma in wordnet().lemmas(synset)}
    forms = {word.lower(), *wordnet().lemmas_of(word.lower())}
    unknown = token.tag == "NNP" and not lemmas and phrase.end - phrase.start == 1
    return named or unknown or (bool(lemmas) and not lemmas & forms)


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
