"""Whether a word belongs to what a sentence asserts of one situation.

What a main clause says of one situation excludes its opposite.  An instruction says nothing of a situation,
an infinitive or gerund says what may come about, and adverbial clauses and phrases before the subject only
set the scene: *when you were younger*, *in a typical factory* (Quirk et al., 1985, sections 8.147, 11.24,
15.24-30).
By the tags, since most corpora have no parses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crossexam.language.lexicons.closed_classes import BE_WITH_CLITICS
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.monotonicity.spans import TaggedSentence, condition_end, text_bounds
from crossexam.language.nouns import is_rather_verb
from crossexam.language.remembered import NEARBY, remembered

# Before the subject or verb of a clause: conjunctions, adverbs, interjections, marks.
_BEFORE_CLAUSE: Final = frozenset("CC RB UH , : `` '' -LRB-".split())
# Before a verb in -ing, prepositions that leave open whether it comes about: *the dream of owning a house*.
_BEFORE_GERUND: Final = frozenset("of to about against from".split())
# Conjunctions that open a clause of time, place or contrast (Quirk et al., 14.12); the polarity of *if*,
# *before* and *whenever* is that of operators.  The first need no finite verb: *when young*.
_WITHOUT_VERB: Final = frozenset("when while where whilst".split())
_WITH_VERB: Final = frozenset("after although as once since though whereas".split())
_CONJUNCTIONS: Final = _WITHOUT_VERB | _WITH_VERB
_AFTER_VERB: Final = frozenset("DT IN JJ PRP PRP$ RB TO".split())


@remembered(NEARBY)
def is_scene(sentence: TaggedSentence) -> bool:
    """Return whether *sentence* describes one scene, as captions do: in the progressive or without a verb.

    >>> from crossexam.language.monotonicity.spans import sentence_of
    >>> from crossexam.language.tokens import Token
    >>> def of(*tagged): return sentence_of([Token(*pair[:1], 0, 0, pair[1]) for pair in tagged], None)
    >>> is_scene(of(("Men", "NNS"), ("are", "VBP"), ("singing", "VBG")))
    True
    >>> is_scene(of(("Men", "NNS"), ("sing", "VBP")))
    False
    """
    if not sentence.finite and "VB" not in sentence.tags:
        return True
    return any(tag == "VBG" and _is_progressive(sentence, k) for k, tag in enumerate(sentence.tags))


def _is_progressive(sentence: TaggedSentence, participle: int) -> bool:
    before = participle - 1
    while sentence.tag(before) == "RB":
        before -= 1
    return sentence.word(before) in BE_WITH_CLITICS


def unasserted(sentence: TaggedSentence, position: int) -> Iterator[str]:
    """Yield the reasons why *sentence* may not assert the word at *position* of one situation."""
    start, _ = text_bounds(sentence, position)
    while start < position and sentence.tags[start] in _BEFORE_CLAUSE:
        start += 1
    opening = sentence.tags[start]
    if opening in {"VB", "VBP"} or _is_untagged_instruction(sentence, start):
        yield "in an instruction"
    if opening in {"IN", "TO"} and _is_in_first_phrase(sentence, start, position):
        yield "in a phrase before the subject"
    if is_scene(sentence):
        return
    conjunctions = not _CONJUNCTIONS.isdisjoint(sentence.words)
    if conjunctions and any(_is_in_adverbial_clause(sentence, k, position) for k in range(start, position)):
        yield "in an adverbial clause"
    if _is_in_infinitive(sentence, start, position):
        yield "in an infinitive"
    if _is_in_gerund(sentence, start, position):
        yield "in a gerund"


def _is_untagged_instruction(sentence: TaggedSentence, start: int) -> bool:
    """Return whether a text without a finite verb opens with a verb tagged as a noun or adjective."""
    if sentence.tag(start)[:2] not in {"NN", "JJ"} or sentence.tag(start + 1) not in _AFTER_VERB:
        return False
    word = sentence.word(start)
    if wordnet().morphy(word, "v") != word or not is_rather_verb(word):
        return False
    _, end = text_bounds(sentence, start)
    return not any(sentence.is_finite(k) for k in range(start, end))


def _is_in_first_phrase(sentence: TaggedSentence, start: int, position: int) -> bool:
    """Return whether neither a comma nor a finite verb stands between *start* and *position*."""
    return not any(sentence.word(k) == "," or sentence.is_finite(k) for k in range(start, position))


def _is_in_adverbial_clause(sentence: TaggedSentence, k: int, position: int) -> bool:
    """Return whether *position* is in the clause that token *k* opens as a conjunction."""
    word = sentence.word(k)
    if word not in _CONJUNCTIONS or sentence.tag(k) not in {"IN", "WRB"}:
        return False
    end = condition_end(sentence, k)
    while sentence.word(end) == "," and sentence.tag(end - 1) == sentence.tag(end + 1) == "JJ":
        end = max(end + 1, condition_end(sentence, end))  # it goes on after a comma between adjectives
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


def _is_in_gerund(sentence: TaggedSentence, start: int, position: int) -> bool:
    """Return whether *position* is in a subject or complement that opens with a verb in -ing.

    Such a clause may name what does not come about, unlike one that a comma sets off: *being a young man, he
    left* (Quirk et al., 15.12 and 15.60).
    """
    k = position - 1
    while k >= start and sentence.word(k) != "," and not sentence.is_finite(k):
        if sentence.tag(k) == "VBG" and sentence.word(k - 1) in _BEFORE_GERUND:
            return True
        if sentence.tag(k) == "VBG" and k == start:
            return _is_subject(sentence, position)
        k -= 1
    return False


def _is_subject(sentence: TaggedSentence, position: int) -> bool:
    """Return whether the clause with *position* is the subject of a verb, or repeated by *it* or *that*."""
    _, end = text_bounds(sentence, position)
    verb = next((j for j in range(position + 1, end) if sentence.is_finite(j)), end)
    is_repeated = verb < end and sentence.word(verb - 1) in {"it", "that", "this"}
    return is_repeated or (verb < end and "," not in sentence.words[position:verb])
