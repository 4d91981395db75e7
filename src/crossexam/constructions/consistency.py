"""Items whose answers logic connects (Minervini & Riedel, 2018, arXiv 1808.08609; Li et al., 2019, arXiv
1909.00126).

No gold label is needed: a model contradicts itself if its answers to the items of an example, the example
itself among them, cannot all be right.  The rules are in :mod:`crossexam.evaluation.consistency`; only
identity has a gold label.  With premise p and hypothesis h of the example:

| construction | items |
|---|---|
| identity | (p, p) |
| symmetry | (h, p) |
| negated hypothesis | (p, it is not the case that h) |
| double negation | (p, it is not the case that it is not the case that h) |
| conjunction | (p, h and p) |
| transitivity | (h, z) and (p, z), with z made from h by our antonymy (Wu & Last, 2025, EMNLP 2025.1152) |

A sentence that becomes part of another one loses the capital of its first word, unless that is a name, and
before "and" its full stop.  What cannot be part of a sentence, such as a question or a caption without a
verb, is left out (:mod:`crossexam.language.statements`).

Difference from Wu & Last: our antonymy leaves out replacements in contexts that it doubts.  No label follows
from z here, so that a doubtful one would do no harm, but it is often not English.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from msgspec import structs

from crossexam.constructions.antonymy import antonymy
from crossexam.constructions.construction import Draft, Rejection, Resources, Yielded
from crossexam.constructions.tautology import end_of_words
from crossexam.core.example import CHAIN, HYPOTHESIS_TO_Z, LINK, PREMISE_TO_Z, Edit, Example, Side
from crossexam.language.monotonicity.spans import TaggedSentence, sentence_of
from crossexam.language.statements import (
    has_coordinated_clauses,
    has_several_clauses,
    statement_doubt,
    within_sentence,
)

_NOT: Final = "it is not the case that"
_CLOSING: Final = frozenset({"", ".", "!"})
_UNCLEAR: Final = "first word may be a name or not"
_EMPTY: Final = Rejection("empty sentence")


def identity(example: Example, resources: Resources, rng: random.Random) -> Iterator[Yielded]:
    """Yield the premise paired with itself."""
    if example.premise.strip():
        yield Draft("entailment", (), "premise", "premise")
    else:
        yield _EMPTY


def symmetry(example: Example, resources: Resources, rng: random.Random) -> Iterator[Yielded]:
    """Yield the pair with premise and hypothesis exchanged."""
    if example.premise.strip() and example.hypothesis.strip():
        yield Draft(None, (), "hypothesis", "premise")
    else:
        yield _EMPTY


def negated_hypothesis(example: Example, resources: Resources, rng: random.Random) -> Iterator[Yielded]:
    """Yield the pair with "It is not the case that" before the hypothesis."""
    yield _negated(example, resources, times=1)


def double_negation(example: Example, resources: Resources, rng: random.Random) -> Iterator[Yielded]:
    """Yield the pair with "It is not the case that it is not the case that" before the hypothesis."""
    yield _negated(example, resources, times=2)


def _negated(example: Example, resources: Resources, times: int) -> Draft | Rejection:
    found = _statement(example, "hypothesis", resources)
    if isinstance(found, Rejection):
        return found
    if has_coordinated_clauses(found):
        return Rejection("hypothesis: coordinated clauses")
    first, inner = found.tokens[0], within_sentence(found.tokens)
    if inner is None:
        return Rejection(f"hypothesis: {_UNCLEAR}")
    words = " ".join([_NOT] * times)
    new = f"{words[0].upper()}{words[1:]} {inner}"
    return Draft(None, (Edit("hypothesis", first.start, first.end, first.text, new),))


def conjunction(example: Example, resources: Resources, rng: random.Random) -> Iterator[Yielded]:
    """Yield the pair with "and" and the premise after the hypothesis."""
    yield _conjoined(example, resources)


def _conjoined(example: Example, resources: Resources) -> Draft | Rejection:
    first = _statement(example, "hypothesis", resources)
    second = _statement(example, "premise", resources)
    if isinstance(first, Rejection):
        return first
    if isinstance(second, Rejection):
        return second
    if has_several_clauses(first):  # the premise may become part of the last one
        return Rejection("hypothesis: several clauses")
    if has_coordinated_clauses(second):
        return Rejection("premise: coordinated clauses")
    place, _ = end_of_words(example.hypothesis)
    closing = example.hypothesis[place:]
    if closing.strip() not in _CLOSING:
        return Rejection("hypothesis: quotation, parenthesis or dash")
    inner = within_sentence(second.tokens)
    if inner is None:
        return Rejection(f"premise: {_UNCLEAR}")
    joined = f" and {inner}{example.premise[second.tokens[0].end :]}"
    return Draft(None, (Edit("hypothesis", place, len(example.hypothesis), closing, joined),))


def _statement(example: Example, side: Side, resources: Resources) -> TaggedSentence | Rejection:
    """Return the tagged sentence on *side*, or why it cannot be part of another sentence."""
    text = example.text(side)
    if not text.strip():
        return _EMPTY
    sentence = sentence_of(resources.tokens(example, side), None)
    doubt = statement_doubt(text, sentence)
    return sentence if doubt is None else Rejection(f"{side}: {doubt}")


def transitivity(example: Example, resources: Resources, rng: random.Random) -> Iterator[Yielded]:
    """Yield the pairs (h, z) and (p, z) for each z that has an antonym in place of a word of the hypothesis.

    ``info["chain"]`` is the same for the two, and ``info["link"]`` says which is which.
    """
    if not (example.premise.strip() and example.hypothesis.strip()):
        yield _EMPTY
        return
    for outcome in antonymy(replace(example, premise=""), resources, rng):
        if not isinstance(outcome, Draft):
            yield outcome
            continue
        chain = f"{example.id}{outcome.suffix}"
        links: tuple[tuple[str, Side], ...] = ((HYPOTHESIS_TO_Z, "hypothesis"), (PREMISE_TO_Z, "premise"))
        for link, source in links:
            info = {**outcome.info, CHAIN: chain, LINK: link}
            suffix = f"{outcome.suffix}:{link}"
            yield structs.replace(outcome, label=None, source=source, suffix=suffix, info=info)
