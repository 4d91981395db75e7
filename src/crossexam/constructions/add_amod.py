"""AddAmod (Nie et al., 2019, Analyzing Compositionality-Sensitivity of NLI Models, section 3.1).

A premise with two different noun entities, and an adjective that a corpus uses of both nouns: the new
premise has the adjective before the one, the hypothesis before the other; the gold label is neutral.

The paper says no more.  Decided here: the adjective is one whose class is known (size, age, colour ...;
``adjective_classes.py``), seen with each noun, drawn by the smaller of its two counts; it
is new to the sentence, of another class than every modifier of both phrases, and no antonym or synonym
of one; it neither follows from a noun nor is usual of it ("young boy", "green grass"); it stands in
the order of adjectives.  Phrases that may not be two entities, that an adjective would be read across
("young men and women"), or where it could be entailed (under negation and quantifiers) are rejected, each
with its reason.  The paper's judges found 88 % of its items neutral.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from crossexam.constructions.add_amod_rules import (
    Entity,
    Sentence,
    bears_on_other,
    fits,
    is_closed,
    is_new,
    place_for,
    why_not,
    why_not_two,
)
from crossexam.constructions.construction import Draft, Outcome, Rejection, Resources
from crossexam.core.example import Edit, Example, Side
from crossexam.language.inflection import indefinite_article, match_case
from crossexam.language.lexicons.adjective_classes import ADDABLE
from crossexam.language.lexicons.adjectives import AdjectiveCounts
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.noun_phrases import noun_lemma, noun_phrases
from crossexam.language.nouns import concrete_kind, is_usual


class _Choice(NamedTuple):
    """The premise has *adjective* before *first*, the hypothesis before *second*."""

    adjective: str
    first: Entity
    second: Entity
    counts: tuple[int, int]

    def mirrored(self) -> _Choice:
        return _Choice(self.adjective, self.second, self.first, self.counts[::-1])


@dataclass(frozen=True)
class Options:
    """*both_directions* yields the mirrored item too.

    *adjectives* names the table of which adjectives go with which nouns: a corpus to count them in
    (``CORPUS:SPLIT`` or a file; the counts are cached), the file of a table, or None for the table that ships
    with the package.
    """

    both_directions: bool = False
    adjectives: str | None = field(default=None, metadata={"content": True})


def add_amod(
    example: Example, resources: Resources, rng: random.Random, options: Options = Options()
) -> Iterator[Outcome]:
    """Yield the premise with an adjective before one noun, and before another as the hypothesis."""
    if not example.premise.strip():
        return
    sentence = _read(example, resources)
    choices = _choices(sentence, resources.adjectives(options.adjectives), resources.wordnet)
    if isinstance(choices, Rejection):
        yield choices
        return
    choice = rng.choices(choices, [min(each.counts) for each in choices])[0]
    if rng.random() < 0.5:
        choice = choice.mirrored()
    yield _draft(sentence, choice)
    if options.both_directions:
        yield _draft(sentence, choice.mirrored(), ":mirrored")


def _read(example: Example, resources: Resources) -> Sentence:
    parsed = resources.parsed(example, "premise")
    tokens = parsed.tokens if parsed else resources.tokens(example, "premise")
    words = [token.text.lower() for token in tokens]
    return Sentence(example.premise, tokens, words, [*noun_phrases(tokens, parsed)], parsed)


def _choices(sentence: Sentence, table: AdjectiveCounts, wordnet: WordNet) -> Sequence[_Choice] | Rejection:
    """Return all pairs of nouns with an adjective for both, or why there is none."""
    if is_closed(sentence):
        return Rejection("negation, condition or question")
    entities = _entities(sentence, wordnet)
    if isinstance(entities, Rejection):
        return entities
    reason = ""
    choices: list[_Choice] = []
    for first, second in combinations(entities, 2):
        why = why_not_two(sentence, first, second, wordnet)
        if why:
            reason = reason or why
        else:
            found = [*_shared(sentence, first, second, table, wordnet)]
            choices += found
            reason = "no adjective for both nouns" if not found else reason
    return choices or Rejection(reason)


def _entities(sentence: Sentence, wordnet: WordNet) -> Sequence[Entity] | Rejection:
    """Return the phrases that take an adjective, if there are two, else why the first does not."""
    nouns = [noun_lemma(sentence.tokens[phrase.head], wordnet) for phrase in sentence.phrases]
    all_nouns = [noun_lemma(t, wordnet) for t in sentence.tokens if t.tag.startswith("NN")]
    found: list[Entity] = []
    reason = ""
    for phrase, noun in zip(sentence.phrases, nouns, strict=True):
        kind = concrete_kind(noun, wordnet)
        if kind is None:
            continue
        why = "noun that comes twice" if all_nouns.count(noun) > 1 else why_not(sentence, phrase)
        if why:
            reason = reason or why
        else:
            found.append(Entity(phrase, noun, kind))
    if len(found) > 1:
        return found
    return Rejection(reason or "fewer than two concrete nouns")


def _shared(
    sentence: Sentence, first: Entity, second: Entity, table: AdjectiveCounts, wordnet: WordNet
) -> Iterator[_Choice]:
    """Yield the adjectives that can stand before either noun."""
    for adjective, count in sorted(table.adjectives_of(first.noun).items()):
        counts = count, table.count(adjective, second.noun)
        if adjective not in ADDABLE or not min(counts) or not is_new(adjective, sentence, wordnet):
            continue
        if all(
            fits(adjective, sentence, entity, table, wordnet)
            and not is_usual(adjective, entity.noun, table)
            and not bears_on_other(adjective, entity)
            for entity in (first, second)
        ):
            yield _Choice(adjective, first, second, counts)


def _draft(sentence: Sentence, choice: _Choice, suffix: str = "") -> Draft:
    edits = (
        *_insertion(sentence, choice.first, choice.adjective, "premise"),
        *_insertion(sentence, choice.second, choice.adjective, "hypothesis"),
    )
    info = {
        "adjective": choice.adjective,
        "class": ADDABLE[choice.adjective],
        "nouns": [choice.first.noun, choice.second.noun],
        "counts": list(choice.counts),
    }
    return Draft("neutral", edits, target="premise", suffix=suffix, info=info)


def _insertion(sentence: Sentence, entity: Entity, adjective: str, side: Side) -> Iterator[Edit]:
    """Yield the edits that put *adjective* before the noun, with the article and the capital set right."""
    place = place_for(adjective, sentence, entity.phrase)
    token = sentence.tokens[place]
    new = adjective.capitalize() if ADDABLE[adjective] == "origin" else adjective
    new = adjective.upper() if sentence.text.isupper() else new
    if place == 0 and token.text[0].isupper() and not sentence.text.isupper():
        rest = token.text[0].lower() + token.text[1:] if token.text[1:].islower() else token.text
        yield Edit(side, token.start, token.end, token.text, f"{new.capitalize()} {rest}")
        return
    before = sentence.tokens[place - 1] if place else None
    if before and before.text.lower() in {"a", "an"}:
        article = match_case(indefinite_article(new), before.text)
        article = article.upper() if sentence.text.isupper() else article
        if article != before.text:
            yield Edit(side, before.start, before.end, before.text, article)
    yield Edit(side, token.start, token.start, "", f"{new} ")
