"""Whether a word belongs to what a sentence asserts of one situation.

What a main clause says of one situation excludes its opposite.  An instruction says nothing of a situation,
an infinitive says what may come about, and adverbial clauses and phrases before the subject only set the
scene: *when you were younger*, *in a typical factory* (Quirk et al., 1985, sections 8.147, 11.24, 15.24-30).
By the tags, since most corpora have no parses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from crossexam.language.monotonicity.spans import (
    TaggedSentence,
    condition_end,
    sentence_of,
    text_bounds,
)
from crossexam.language.tokens import Token

# Before the subject or verb of a clause: conjunctions, adverbs, interjections, marks.
_BEFORE_CLAUSE: Final = frozenset("CC RB UH , : `` '' -LRB-".split())
# Conjunctions that open a clause of time, place or contrast (Quirk et al., 14.12); the polarity of *if*,
# *before* and *whenever* is that of operators.  The first need no finite verb: *when young*.
_WITHOUT_VERB: Final = frozenset("when while where whilst".split())
_WITH_VERB: Final = frozenset("after although as once since though whereas".split())
_BE: Final = frozenset("be is are am was were been being 's 're 'm".split())


def is_scene(tokens: Sequence[Token]) -> bool:
    """Return whether a sentence describes one scene, as captions do: in the progressive or without a verb.

    >>> def tokens(*tagged): return [Token(*pair[:1], 0, 0, pair[1]) for pair in tagged]
    >>> is_scene(tokens(("Men", "NNS"), ("are", "VBP"), ("singing", "VBG")))
    True
    >>> is_scene(tokens(("Men", "NNS"), ("sing", "VBP")))
    False
    """
    sentence = sentence_of(tokens, None)
    verbs = [k for k, token in enumerate(tokens) if token.tag == "VB" or sentence.is_finite(k)]
    return not verbs or any(_is_progressive(sentence, k) for k in range(len(tokens)))


def _is_progressive(sentence: TaggedSentence, k: int) -> bool:
    before = k - 1
    while sentence.tag(before) == "RB":
        before -= 1
    return sentence.tag(k) == "VBG" and sentence.word(before) in _BE


def unasserted(tokens: Sequence[Token], position: int) -> Iterator[str]:
    """Yield the reasons why the sentence may not assert the word at *position* of one situation."""
    sentence = sentence_of(tokens, None)
    start, _ = text_bounds(sentence, position)
    while start < position and sentence.tag(start) in _BEFORE_CLAUSE:
        start += 1
    if sentence.tag(start) in {"VB", "VBP"}:
        yield "in an instruction"
    if sentence.tag(start) in {"IN", "TO"} and _is_in_first_phrase(sentence, start, position):
        yield "in a phrase before the subject"
    if is_scene(tokens):
        return
    if any(_is_in_adverbial_clause(sentence, k, position) for k in range(start, position)):
        yield "in an adverbial clause"
    if _is_in_infinitive(sentence, start, position):
        yield "in an infinitive"


def _is_in_first_phrase(sentence: TaggedSentence, start: int, position: int) -> bool:
    """Return whether neither a comma nor a finite verb stands between *start* and *position*."""
    return not any(sentence.word(k) == "," or sentence.is_finite(k) for k in range(start, position))


def _is_in_adverbial_clause(sentence: TaggedSentence, k: int, position: int) -> bool:
    """Return whether *position* is in the clause that token *k* opens as a conjunction."""
    word = sentence.word(k)
    if word not in _WITHOUT_VERB | _WITH_VERB or sentence.tag(k) not in {"IN", "WRB"}:
        return False
    end = condition_end(sentence, k)
    has_verb = any(sentence.is_finite(j) for j in range(k + 1, end))
    return position < end and (has_verb or word in _WITHOUT_VERB)


def _is_in_infinitive(sentence: TaggedSentence, start: int, position: int) -> bool:
    """Return whether *to* and a verb precede *position*, with no finite verb or comma in between."""
    k = position - 1
    while k >= start and sentence.word(k) != "," and not sentence.is_finite(k):
        if sentence.tag(k) == "VB" and sentence.tag(k - 1) == "TO":
            return True
        k -= 1
    return False
