"""The operators of a sentence and their restrictors and scopes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.monotonicity.operators import (
    ASKING,
    MASS,
    NOT_SUBSECTIVE,
    ORDERING,
    Direction,
    Operator,
    by_phrase,
)
from crossexam.language.monotonicity.spans import (
    TaggedSentence,
    clause_end,
    clause_start,
    condition_end,
    has_finite_verb,
    main_verb,
    noun_phrase_end,
    noun_phrase_head,
    phrase_end,
    text_bounds,
)
from crossexam.language.numbers import NUMBER_WORDS

_BY_PHRASE: Final[Mapping[tuple[str, ...], Operator]] = by_phrase()
_LONGEST: Final = max(map(len, _BY_PHRASE))
_BEFORE_NOUNS: Final = frozenset("all each every most few half both any zero".split())


class Region(NamedTuple):
    """Tokens *start* to *end*, and their monotonicity under the operator called *by*."""

    start: int
    end: int
    direction: Direction
    by: str


class _Match(NamedTuple):
    """An operator at tokens *start* to *end*."""

    row: Operator
    start: int
    end: int


def regions(sentence: TaggedSentence) -> list[Region]:
    """Return the regions of all operators of *sentence* that are not upward monotone, outermost first."""
    found = [*_operators(sentence)]
    free = [match for match in found if sentence.word(match.start).startswith("any")]
    plain = [region for match in found if match not in free for region in _reach(sentence, match)]
    plain += [*_questions(sentence), *_modified(sentence), *_compared(sentence)]
    plain += [r for match in free if not _licensed(plain, match.start) for r in _reach(sentence, match)]
    return sorted(
        (r for r in plain if r.direction != "up" and r.start < r.end), key=lambda r: (r.start, -r.end)
    )


def _licensed(over: list[Region], position: int) -> bool:
    """Return whether an *any* at *position* means *some*, because it is in the scope of another operator."""
    return any(region.start <= position < region.end for region in over)


def _operators(sentence: TaggedSentence) -> Iterator[_Match]:
    """Yield the operators from left to right, the longest phrase at each position, without overlaps."""
    k = 0
    while k < len(sentence.tokens):
        found = next((f for n in range(_LONGEST, 0, -1) if (f := _match(sentence, k, n))), None)
        if found is None:
            k += 1
            continue
        if found.row.reach != "nothing":
            yield found
        k = found.end


def _match(sentence: TaggedSentence, k: int, length: int) -> _Match | None:
    if k + length > len(sentence.tokens):
        return None
    row = next((_BY_PHRASE[key] for key in _keys(sentence, k, length) if key in _BY_PHRASE), None)
    if row is None:
        return None
    found = _Match(row, k, k + length)
    return found if _stands(sentence, found) else None


def _keys(sentence: TaggedSentence, k: int, length: int) -> Iterator[tuple[str, ...]]:
    """Yield the words from *k* as the table may list them: numerals as N, a verb as its lemma."""
    words = list(sentence.words[k : k + length])
    if words == ["neither"] and "nor" in sentence.words[k : text_bounds(sentence, k)[1]]:
        yield ("neither", "nor")
    yield tuple(words)
    yield tuple("N" if _is_number(sentence, k + n) else word for n, word in enumerate(words))
    if (sentence.is_verb(k) or sentence.tag(k) == "NNS") and (lemma := WordNet.load().morphy(words[0], "v")):
        yield (lemma, *words[1:])


def _is_number(sentence: TaggedSentence, k: int) -> bool:
    return sentence.tag(k) == "CD" or sentence.word(k) in NUMBER_WORDS


def _stands(sentence: TaggedSentence, found: _Match) -> bool:
    """Return whether the words are used as the operator, and not in another function."""
    first, after, before = sentence.word(found.start), found.end, found.start - 1
    reach, following = found.row.reach, sentence.tag(after)
    if reach == "complement":
        stops = found.row.words.startswith("stop")  # stops running, but not stops at or stops to
        mistagged = sentence.tag(found.start) == "NNS" and sentence.tag(before).startswith("NN")
        verb = sentence.is_verb(found.start) or (mistagged and following in {"DT", "NN", "VBG", "TO"})
        return verb and (not stops or following == "VBG")
    if first == "nor":
        return "neither" not in sentence.words[: found.start]
    if first == "no":
        return sentence.word(after) not in {",", ".", "!", ""}
    if reach == "noun phrase" and sentence.word(after - 1) in _BEFORE_NOUNS:
        return not _determined(sentence, before) and _opens_noun_phrase(sentence, after, before)
    if first == "little":
        return not _determined(sentence, before) and sentence.word(after) in MASS
    if first == "only":
        return not _determined(sentence, before)
    if found.row.words.startswith("barely"):
        return not _is_number(sentence, after)
    if first == "before":
        return any(sentence.is_verb(k) for k in range(after, clause_end(sentence, found.start)))
    return True


def _opens_noun_phrase(sentence: TaggedSentence, after: int, before: int) -> bool:
    """Return whether a noun, *of* or, sentence-initially, a verb follows: not in *are all asleep*."""
    if sentence.word(after) in {"of", "a", "an", "other"}:  # both a dog and a cat; each other
        return sentence.word(after) == "of"
    tag = sentence.tag(after)
    starts = before < text_bounds(sentence, after)[0]
    if not starts and (tag == "VBG" or (tag == "VBN" and sentence.is_verb(before)) or tag == "RB"):
        return False
    nouns = range(after, noun_phrase_head(sentence, after) + 1)
    if any(sentence.tag(k).startswith(("NN", "CD")) for k in nouns):
        return True
    return starts and sentence.is_verb(after)


def _determined(sentence: TaggedSentence, k: int) -> bool:
    return sentence.tag(k) in {"DT", "PRP$", "POS"}


def _reach(sentence: TaggedSentence, found: _Match) -> Iterator[Region]:
    """Yield the regions of one operator."""
    name = " ".join(sentence.words[found.start : found.end])
    scope, last = f"scope of '{name}'", found.end - 1
    reach, direction = found.row.reach, found.row.scope
    if reach in {"noun phrase", "pronoun"}:
        yield from _quantified(sentence, found, name)
    elif reach == "condition":
        if name == "if" and WordNet.load().morphy(sentence.word(found.start - 1), "v") in ASKING:
            direction = "none"
        yield Region(found.end, condition_end(sentence, last), direction, scope)
    elif reach == "phrase":
        yield Region(found.end, phrase_end(sentence, last, nominal=True), direction, scope)
    elif name == "not" and sentence.word(found.start - 1) == ",":  # a man, not a woman, ...
        yield Region(found.end, condition_end(sentence, last), direction, scope)
    elif sentence.tag(found.end) in {"VBG", "VBN"} and not has_finite_verb(sentence, found.start):
        yield Region(found.end, phrase_end(sentence, last), direction, scope)  # a man not wearing a hat is
    else:
        yield Region(found.end, clause_end(sentence, last), direction, scope)


def _quantified(sentence: TaggedSentence, found: _Match, name: str) -> Iterator[Region]:
    """Yield the restrictor and the scope of a quantifier."""
    restrictor, scope = found.row.restrictor, found.row.scope
    inside, outside = f"restrictor of '{name}'", f"scope of '{name}'"
    head = found.end - 1
    if found.row.reach == "noun phrase" or sentence.word(found.end) == "of":
        head = max(head, noun_phrase_head(sentence, found.end))
    if sentence.tag(found.start - 1) == "IN" and sentence.tag(found.start - 2).startswith("NN"):
        yield Region(found.end, head + 1, restrictor, inside)  # it modifies a noun: a man with no hat
        return
    start = clause_start(sentence, found.start)
    verb = next((k for k in range(found.start - 1, start - 1, -1) if sentence.is_verb(k)), None)
    if verb is None:
        finite = main_verb(sentence, head)
        if finite is not None:
            yield Region(found.end, finite, restrictor, inside)
            yield Region(finite, clause_end(sentence, finite), scope, outside)
            return
        verb_of_caption = head + 1
        yield Region(found.end, verb_of_caption, restrictor, inside)
        if sentence.tag(found.start - 1) != "IN":
            yield Region(verb_of_caption, clause_end(sentence, head), scope, outside)
        return
    end = noun_phrase_end(sentence, head)
    yield Region(found.end, end, restrictor, inside)
    while sentence.is_verb(verb - 1):
        verb -= 1
    yield Region(verb, found.start, scope, outside)
    unclear = sentence.parsed is None and sentence.tag(end) == "IN" and restrictor != scope
    finite = has_finite_verb(sentence, found.start)
    last = clause_end(sentence, head) if finite else phrase_end(sentence, head)
    yield Region(end, last, "none" if unclear else scope, outside)


def _questions(sentence: TaggedSentence) -> Iterator[Region]:
    """Yield the questions, in which nothing can be replaced."""
    for k, word in enumerate(sentence.words):
        if word == "?":
            start, end = text_bounds(sentence, k - 1) if k else (0, 0)
            yield Region(start, end, "none", "question")


def _modified(sentence: TaggedSentence) -> Iterator[Region]:
    """Yield what superlatives, adjectives of order and non-subsective adjectives modify."""
    for k, word in enumerate(sentence.words):
        ordering = word in ORDERING or _is_superlative(sentence, k)
        head = noun_phrase_head(sentence, k + 1)
        if ordering and _determined(sentence, k - 1) and head > k:
            yield Region(k, head + 1, "none", f"after '{word}'")
        elif word in NOT_SUBSECTIVE and head > k and sentence.tag(k)[:2] in {"JJ", "VB", "NN"}:
            yield Region(k + 1, head + 1, "none", f"after '{word}'")
        elif word == "too" and sentence.tag(k + 1)[:3] in {"JJ", "RB", "VBN"}:
            end = clause_end(sentence, k)
            to = next((j for j in range(k + 2, end) if sentence.tag(j) == "TO"), end)
            yield Region(to, end, "down", "scope of 'too ... to'")


def _is_superlative(sentence: TaggedSentence, k: int) -> bool:
    word, tag = sentence.word(k), sentence.tag(k)
    if word in {"most", "least"}:
        return tag in {"JJS", "RBS"}
    return tag[:2] == "JJ" and word.endswith("est") and WordNet.load().morphy(word, "a") not in {word, None}


def _compared(sentence: TaggedSentence) -> Iterator[Region]:
    """Yield the standards of comparisons: more dogs than cats; taller than girls, but not than the girl."""
    for k, word in enumerate(sentence.words):
        if word != "than" or _is_number(sentence, k + 1) or sentence.word(k - 1) == "rather":
            continue
        more = next((j for j in range(k - 1, max(-1, k - 6), -1) if sentence.tag(j) in {"JJR", "RBR"}), None)
        if more is not None and more < k - 1 and sentence.word(more) in {"more", "fewer", "less"}:
            yield Region(more + 1, k, "none", f"compared by '{sentence.word(more)}'")
        if sentence.word(k + 1) not in {"the", "any", "every", "all", "this", "that"}:
            yield Region(k + 1, phrase_end(sentence, k), "none", "compared by 'than'")
