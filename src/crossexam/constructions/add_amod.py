"""AddAmod (Nie et al., 2019, Analyzing Compositionality-Sensitivity of NLI Models, section 3.1).

Given a premise with two different noun entities and an adjective that modifies both nouns in a corpus, the
adjective is inserted before one noun in the new premise and before the other in the hypothesis; the gold
label is neutral.

The paper says no more, and its code was never released.  ``rules=paper`` does what it says and nothing else:
any two different nouns of the premise and any adjective that precedes both in the corpus, unless either
already has it; it is inserted right before the noun, and the article before it is adjusted.  Words that
taggers call adjectives, but that determine or count the noun, are none ("several", "other", "own":
``DETERMINING``).  Our own rules, the default:

- The nouns name two concrete entities, the adjective describes only one of them, and it is new: sentences,
  phrases, pairs of them and adjectives are rejected by the rows of ``rules/add_amod.py``.
- The adjective is inserted in the usual order of adjectives.

With either, adjectives are drawn in proportion to the smaller of the two counts.  The paper's judges
considered 88 % of its items neutral.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import Final, Literal, NamedTuple

from crossexam.constructions.construction import Draft, Rejection, Resources, Yielded
from crossexam.constructions.rules.add_amod import RULES, Addition, Entities, Entity, Premise, against
from crossexam.constructions.rules.rule import switched_off
from crossexam.core.example import Edit, Example, Side
from crossexam.language.inflection import indefinite_article, match_case
from crossexam.language.lexicons.adjective_classes import class_of
from crossexam.language.lexicons.closed_classes import DETERMINING, INDEFINITE_ARTICLES, NUMBER_WORDS
from crossexam.language.lexicons.counts import CountTable
from crossexam.language.noun_phrases import noun_phrases

_NO_ADJECTIVES: Final = DETERMINING | NUMBER_WORDS  # whatever their tags
_TOO_FEW: Final = "fewer than two concrete nouns"
_NO_ADJECTIVE: Final = "no adjective for both nouns"


class _Choice(NamedTuple):
    """An item: *adjective* precedes *first* in the premise and *second* in the hypothesis."""

    adjective: str
    first: Entity
    second: Entity
    counts: tuple[int, int]

    def mirrored(self) -> _Choice:
        return _Choice(self.adjective, self.second, self.first, self.counts[::-1])


@dataclass(frozen=True)
class Options:
    """The options of AddAmod.

    *rules* are our own, or those of the paper, to the letter.  *both_directions* also yields the mirrored
    item.  *adjectives* names the adjective-noun counts: a corpus (``CORPUS:SPLIT`` or a file; the counts are
    cached), a file of counts, or None for those shipped with the package.  *without* names reasons whose
    rules do not count.
    """

    rules: Literal["ours", "paper"] = "ours"
    both_directions: bool = False
    adjectives: str | None = field(default=None, metadata={"content": True})
    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        off = switched_off(RULES, self.without, "add_amod", ours=self.rules == "ours")
        object.__setattr__(self, "without", off)


def add_amod(
    example: Example, resources: Resources, rng: random.Random, options: Options = Options()
) -> Iterator[Yielded]:
    """Yield the premise with an adjective before one noun, paired with the same before another noun."""
    if not example.premise.strip():
        return
    premise, table = _read(example, resources), resources.counts(options.adjectives)
    literal = options.rules == "paper"
    choices = _literal_choices(premise, table) if literal else _choices(premise, table, options.without)
    if isinstance(choices, Rejection):
        yield choices
        return
    choice = rng.choices(choices, [min(each.counts) for each in choices])[0]
    if rng.random() < 0.5:
        choice = choice.mirrored()
    yield _draft(choice, literal=literal)
    if options.both_directions:
        yield _draft(choice.mirrored(), ":mirrored", literal=literal)


def _read(example: Example, resources: Resources) -> Premise:
    parsed = resources.parsed(example, "premise")
    tokens = parsed.tokens if parsed else resources.tokens(example, "premise")
    return Premise(example.premise, tokens, [*noun_phrases(tokens, parsed)], parsed)


def _choices(premise: Premise, table: CountTable, without: tuple[str, ...]) -> Sequence[_Choice] | Rejection:
    """Return all pairs of nouns with an adjective for both, or the first reason why there is none."""
    closed = next(against(premise, without), None)
    if closed:
        return Rejection(closed.reason)
    entities = _entities(premise, without)
    if isinstance(entities, Rejection):
        return entities

    @cache
    def fits(adjective: str, entity: Entity) -> bool:
        return not any(against(Addition(adjective, entity, table), without))

    reason = ""
    choices: list[_Choice] = []
    for first, second in combinations(entities, 2):
        rule = next(against(Entities(first, second), without), None)
        if rule:
            reason = reason or rule.reason
            continue
        shared = _shared(first, second, table)
        found = [each for each in shared if fits(each.adjective, first) and fits(each.adjective, second)]
        choices += found
        reason = _NO_ADJECTIVE if not found else reason
    return choices or Rejection(reason)


def _entities(premise: Premise, without: tuple[str, ...]) -> Sequence[Entity] | Rejection:
    """Return the phrases that can take an adjective; if fewer than two, the first reason for rejection."""
    found: list[Entity] = []
    reasons: list[str] = []
    for phrase in premise.phrases:
        entity = Entity(premise, phrase)
        rule = next(against(entity, without), None)
        if rule is None:
            found.append(entity)
        elif rule.reason != _TOO_FEW:
            reasons.append(rule.reason)
    return found if len(found) > 1 else Rejection(next(iter(reasons), _TOO_FEW))


def _literal_choices(premise: Premise, table: CountTable) -> Sequence[_Choice] | Rejection:
    """Return all pairs of different nouns with an adjective that precedes both in the corpus."""
    entities = [Entity(premise, phrase) for phrase in premise.phrases]
    if len({entity.noun for entity in entities}) < 2:
        return Rejection("fewer than two nouns")
    choices = [
        choice
        for first, second in combinations(entities, 2)
        if first.noun != second.noun
        for choice in _shared(first, second, table)
        if not any(_has(entity, choice.adjective) for entity in (first, second))
    ]
    return choices or Rejection(_NO_ADJECTIVE)


def _shared(first: Entity, second: Entity, table: CountTable) -> Iterator[_Choice]:
    """Yield the adjectives that precede both nouns in the corpus."""
    others = table.after(second.noun)
    for adjective, count in sorted(table.after(first.noun).items()):
        counts = count, others.get(adjective, 0)
        if min(counts) and adjective not in _NO_ADJECTIVES:
            yield _Choice(adjective, first, second, counts)


def _has(entity: Entity, adjective: str) -> bool:
    return adjective in entity.premise.words[entity.phrase.start : entity.phrase.head]


def _draft(choice: _Choice, suffix: str = "", *, literal: bool) -> Draft:
    edits = (
        *_insertion(choice.first, choice.adjective, "premise", literal=literal),
        *_insertion(choice.second, choice.adjective, "hypothesis", literal=literal),
    )
    info = {
        "adjective": choice.adjective,
        "class": class_of(choice.adjective),
        "nouns": [choice.first.noun, choice.second.noun],
        "counts": list(choice.counts),
    }
    return Draft("neutral", edits, target="premise", suffix=suffix, info=info)


def _insertion(entity: Entity, adjective: str, side: Side, *, literal: bool) -> Iterator[Edit]:
    """Yield the edits that insert *adjective* before the noun, and adjust the article and capitals.

    If *literal*, right before the noun, otherwise in the order of adjectives.
    """
    premise = entity.premise
    place = entity.nouns[0] if literal else entity.place_for(adjective)
    token = premise.tokens[place]
    new = adjective.capitalize() if class_of(adjective) == "origin" else adjective
    new = adjective.upper() if premise.is_in_capitals else new
    if place == 0 and token.text[0].isupper() and not premise.is_in_capitals:
        rest = token.text[0].lower() + token.text[1:] if token.text[1:].islower() else token.text
        yield Edit(side, token.start, token.end, token.text, f"{new.capitalize()} {rest}")
        return
    before = premise.tokens[place - 1] if place else None
    if before and before.text.lower() in INDEFINITE_ARTICLES:
        article = match_case(indefinite_article(new), before.text)
        article = article.upper() if premise.is_in_capitals else article
        if article != before.text:
            yield Edit(side, before.start, before.end, before.text, article)
    yield Edit(side, token.start, token.start, "", f"{new} ")
