"""Polarity marking: natural logic on POS tags (MacCartney, 2009, chapter 6; Hu and Moss, 2018).

Monotonicity operators are words that reverse or block entailments in their restrictor or scope.  A position
is ``up`` if replacing its word by a more general one gives an entailed sentence, ``down`` if a more specific
one does, and ``none`` if neither does; the monotonicity of nested operators composes.

Deviation: the authors above use a categorial grammar or dependency parses; here scopes are determined by the
POS tags, and by dependencies if available, since most corpora include no parses.  If the tags leave the
attachment of a phrase after an object undecided, the polarity is ``none``, unless it is the same either way.

The sources of the table of operators, by the short names used there:

| | |
|---|---|
| MC | MacCartney 2009, *Natural Language Inference*, chapter 6 |
| IM | Icard and Moss 2014, *Recent Progress on Monotonicity*, LiLT 9 |
| Hu | Hu et al. 2020, MonaLog, and Hu and Moss 2018, polarity of parses (ccg2mono) |
| MED | Yanaka et al. 2019, *Can neural networks understand monotonicity reasoning?*, W19-4804 |
| Lad | Ladusaw 1980, *Polarity Sensitivity as Inherent Scope Relations* |
| Q | Quirk et al. 1985, *A Comprehensive Grammar*, sections 8.111 and 10.59 (near-negatives) |

Among several readings, the most common one in captions is used: ``the`` and numerals are existential
(``three dogs`` means at least three: MC), ``many`` and ``few`` are cardinal (IM), and ``only`` also asserts
its prejacent, so that nothing can be replaced, whereas MED considers only its exclusive part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import Final, Literal, NamedTuple

from crossexam.language.lexicons.closed_classes import INDEFINITE_ARTICLES, NUMBER_WORDS
from crossexam.language.lexicons.noun_groups import MASS
from crossexam.language.lexicons.wordnet import wordnet
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
    sentence_of,
    text_bounds,
)
from crossexam.language.remembered import ALL_WORDS, NEARBY, remembered
from crossexam.language.tokens import Parsed, Token

Direction = Literal["up", "down", "none"]
Reach = Literal["noun phrase", "pronoun", "clause", "complement", "phrase", "condition", "nothing"]


class Operator(NamedTuple):
    """Operators: *words*, separated by ``|`` (``N`` is a numeral), and their *restrictor* and *scope*.

    *reach* says where these are.  ``noun phrase``: the restrictor is the noun phrase that the word opens,
    and the scope is the predicate; ``pronoun``: the restrictor is what follows the pronoun in its phrase.
    The others have a scope only.  ``clause``: to the end of the clause; ``complement``: the same, after a
    verb in any form; ``phrase``: to the end of the prepositional phrase; ``condition``: the clause that the
    word opens; ``nothing``: none, in an idiom.
    """

    words: str
    reach: Reach
    restrictor: Direction
    scope: Direction
    source: str


# fmt: off
#: The longest match at a position is taken.  "neither nor" is *neither* with a later *nor*.
OPERATORS: Final[tuple[Operator, ...]] = (
    # negation
    Operator("not|n't|n’t|never|cannot|no longer|nor",           "clause",      "up",   "down", "MC"),
    Operator("hardly|scarcely|rarely|seldom",                    "clause",      "up",   "down", "Q, Lad"),
    Operator("barely|almost|nearly",                             "clause",      "up",   "none", "Q"),
    Operator("not only|not just|no matter|not until|at all|after all|above all|over all|no doubt",
                                                                 "nothing",     "up",   "up",   "idioms"),
    Operator("no|zero",                                          "noun phrase", "down", "down", "MC, MED"),
    Operator("nobody|no one|nothing|none|no-one",                "pronoun",     "down", "down", "MC, MED"),
    Operator("neither",                                          "noun phrase", "down", "down", "MC"),
    Operator("neither nor",                                      "clause",      "up",   "down", "MC"),
    Operator("without|instead of|rather than|free of|devoid of|in the absence of",
                                                                 "phrase",      "up",   "down", "MC, Hu"),
    Operator("except|except for|but for|apart from|all but|lack of|absence of",
                                                                 "phrase",      "up",   "none", "MC"),
    # predicates with a negative implication
    Operator("refuse|fail|deny|doubt|lack|avoid|decline|neglect|forget to|prevent|forbid|prohibit|ban|"
             "refrain from|abstain from|dispute",                "complement",  "up",   "down", "MC 6.5, Hu"),
    Operator("stop|quit|cease",                                  "complement",  "up",   "none", "MC 6.5"),
    Operator("pretend|wonder",                                   "complement",  "up",   "none", "MC 6.5"),
    Operator("unable|impossible|unlikely|unwilling|unaware|incapable|reluctant",
                                                                 "clause",      "up",   "down", "Lad, Hu"),
    # quantifiers
    Operator("every|all|each|any",                               "noun phrase", "down", "up",   "MC, MED"),
    Operator("everyone|everybody|everything|anyone|anybody|anything",
                                                                 "pronoun",     "down", "up",   "MC, IM"),
    Operator("almost every|almost all|nearly every|nearly all|practically all",
                                                                 "noun phrase", "none", "up",   "IM"),
    Operator("some|several|many|a few|a lot of|lots of|plenty of|a little|a number of|another|a|an|the|N",
                                                                 "noun phrase", "up",   "up",   "MC, IM"),
    Operator("at least N|more than N|over N|no fewer than N|no less than N|at least half",
                                                                 "noun phrase", "up",   "up",   "IM, MED"),
    Operator("few|very few|too few|little|very little|almost no","noun phrase", "down", "down", "IM, MED"),
    Operator("fewer than N|less than N|at most N|no more than N|not more than N|up to N|under N",
                                                                 "noun phrase", "down", "down", "IM, MED"),
    Operator("exactly N|precisely N|only N|just N|about N|around N|approximately N|nearly N|almost N|"
             "roughly N|an even number of|an odd number of",     "noun phrase", "none", "none", "IM"),
    Operator("most|half|half of|most of|both|more than half of|the majority of",
                                                                 "noun phrase", "none", "up",   "MC, IM"),
    Operator("only",                                             "clause",      "up",   "none", "IM"),
    # clauses
    Operator("if|in case|provided",                              "condition",   "up",   "down", "MC, Lad"),
    Operator("whenever|wherever|whoever|whatever",               "condition",   "up",   "down", "Lad"),
    Operator("unless",                                           "condition",   "up",   "up",   "if not"),
    Operator("before",                                           "condition",   "up",   "down", "Lad, Hu"),
    Operator("until|till|whether|as if|as though|even if|only if",
                                                                 "condition",   "up",   "none", "Lad"),
)

#: Adjectives that are not subsective: a fake gun is not a gun (Kamp and Partee, 1995).
NOT_SUBSECTIVE: Final = frozenset(
    "fake former alleged counterfeit artificial imaginary pretend mock toy supposed so-called would-be "
    "future potential possible apparent putative fictional virtual false phony pseudo presumed mythical "
    "hypothetical fictitious replica simulated imitation aspiring".split()
)
#: Adjectives of order, which block replacements like superlatives, after a determiner (IM).
ORDERING: Final = frozenset("first second third fourth last next only best worst biggest favorite".split())
#: Verbs after which *if* means *whether* (Quirk et al., 15.6).
ASKING: Final = frozenset("ask wonder see know check decide tell inquire find sure matter determine".split())
# fmt: on


def by_phrase() -> Mapping[tuple[str, ...], Operator]:
    """Return the operators by their words.

    >>> by_phrase()[("fewer", "than", "N")].scope
    'down'
    """
    return {tuple(phrase.split()): row for row in OPERATORS for phrase in row.words.split("|")}


_BY_PHRASE: Final[Mapping[tuple[str, ...], Operator]] = by_phrase()


def _blocks_nothing(row: Operator | None) -> bool:
    return row is not None and row.reach == "noun phrase" and row.restrictor == row.scope == "up"


#: The lengths of the operators that begin with a word; "neither" alone also stands for "neither nor".
_LENGTHS: Final[Mapping[str, frozenset[int]]] = {
    first: frozenset(len(phrase) for phrase in (*_BY_PHRASE, ("neither",)) if phrase[0] == first)
    for first in {phrase[0] for phrase in _BY_PHRASE}
}
#: The same without *a*, *the*, *some* ..., which are upward in both arguments: only *any* needs their scope.
_LENGTHS_OF_BLOCKING: Final[Mapping[str, frozenset[int]]] = {
    first: lengths - {1} if _blocks_nothing(_BY_PHRASE.get((first,))) else lengths
    for first, lengths in _LENGTHS.items()
}
_NO_LENGTHS: Final[frozenset[int]] = frozenset()
#: The longest word of each operator that is not upward in both arguments, and what else opens a region.
_SIGNS: Final = frozenset(
    max(phrase, key=len) for phrase, row in _BY_PHRASE.items() if not _blocks_nothing(row)
) | {"?", "than"}
#: The second words of operators; they rule out most phrases that begin with an article.
_SECOND: Final = frozenset(phrase[1] for phrase in _BY_PHRASE if len(phrase) > 1)
#: Words that modify what follows; others do if they are superlatives in -est.
_MODIFYING: Final = ORDERING | NOT_SUBSECTIVE | {"most", "least", "too"}
_AFTER_PRONOUNS: Final = INDEFINITE_ARTICLES | {"of", "other"}
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
    if not any(map(_may_open, sentence.words, sentence.tags)):  # as in most sentences
        return []
    found = [*_operators(sentence)]
    free = [match for match in found if sentence.word(match.start).startswith("any")]
    plain = [region for match in found if match not in free for region in _reach(sentence, match)]
    plain += [*_questions(sentence), *_modified(sentence), *_compared(sentence)]
    plain += [r for match in free if not _licensed(plain, match.start) for r in _reach(sentence, match)]
    return sorted(
        (r for r in plain if r.direction != "up" and r.start < r.end), key=lambda r: (r.start, -r.end)
    )


@remembered(ALL_WORDS)
def _may_open(word: str, tag: str) -> bool:
    """Return whether *word* may be why a sentence has a region."""
    if word in _SIGNS or word in _MODIFYING or word.endswith("est") or word.startswith("any"):
        return True
    return _verb(word, tag) in _SIGNS


@remembered(NEARBY)
def _known_regions(sentence: TaggedSentence) -> list[Region]:
    """Return the regions of a sentence, in which there may be several candidates."""
    return regions(sentence)


def _licensed(over: list[Region], position: int) -> bool:
    """Return whether an *any* at *position* means *some*, because it is in the scope of another operator."""
    return any(region.start <= position < region.end for region in over)


def _operators(sentence: TaggedSentence) -> Iterator[_Match]:
    """Yield the operators from left to right, the longest phrase at each position, without overlaps."""
    with_free = any(map(str.startswith, sentence.words, repeat("any")))
    past = 0
    for k, lengths in enumerate(map(_lengths, sentence.words, sentence.tags, repeat(with_free))):
        if not lengths or k < past:
            continue
        found = next((f for n in lengths if (f := _match(sentence, k, n))), None)
        if found is None:
            continue
        past = found.end
        if found.row.reach != "nothing":
            yield found


@remembered(ALL_WORDS)
def _lengths(word: str, tag: str, with_free: bool) -> tuple[int, ...]:
    """Return the lengths of the operators that *word* may begin, the longest first; most words begin none.

    Words such as *a* and *the* are included only *with_free*: if the sentence has an *any*.
    """
    known = _LENGTHS if with_free else _LENGTHS_OF_BLOCKING
    lengths = known.get(word, _NO_LENGTHS)
    if tag == "CD" or word in NUMBER_WORDS:
        lengths |= known["N"]
    lengths |= known.get(_verb(word, tag) or "", _NO_LENGTHS)
    return tuple(sorted(lengths, reverse=True))


def _verb(word: str, tag: str) -> str | None:
    """Return the lemma of *word* as a verb, None if it has another tag."""
    return wordnet().morphy(word, "v") if tag.startswith("VB") or tag in {"MD", "NNS"} else None


def _match(sentence: TaggedSentence, k: int, length: int) -> _Match | None:
    if k + length > len(sentence.tokens):
        return None
    if length > 1 and sentence.words[k + 1] not in _SECOND and not _is_number(sentence, k + 1):
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
    if lemma := _verb(words[0], sentence.tag(k)):
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
    if first == "little":  # before other nouns it is an adjective, as captions omit articles
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
    if sentence.word(after) in _AFTER_PRONOUNS:  # both a dog and a cat; each other
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
        if name == "if" and wordnet().morphy(sentence.word(found.start - 1), "v") in ASKING:
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
        if word not in _MODIFYING and not word.endswith("est"):
            continue
        ordering = (word in ORDERING or _is_superlative(sentence, k)) and _determined(sentence, k - 1)
        blocking = word in NOT_SUBSECTIVE and sentence.tag(k)[:2] in {"JJ", "VB", "NN"}
        head = noun_phrase_head(sentence, k + 1) if ordering or blocking else k
        if ordering and head > k:
            yield Region(k, head + 1, "none", f"after '{word}'")
        elif blocking and head > k:
            yield Region(k + 1, head + 1, "none", f"after '{word}'")
        elif word == "too" and sentence.tag(k + 1)[:3] in {"JJ", "RB", "VBN"}:
            end = clause_end(sentence, k)
            to = next((j for j in range(k + 2, end) if sentence.tag(j) == "TO"), end)
            yield Region(to, end, "down", "scope of 'too ... to'")


def _is_superlative(sentence: TaggedSentence, k: int) -> bool:
    word, tag = sentence.word(k), sentence.tag(k)
    if word in {"most", "least"}:
        return tag in {"JJS", "RBS"}
    return tag[:2] == "JJ" and word.endswith("est") and wordnet().base_form(word, "a") != word


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


class Polarity(NamedTuple):
    """The replacements that keep a sentence true: by more general words (up), more specific (down), or none.

    *reason* names the operators whose restrictor or scope the position is in, outermost first.
    """

    direction: Direction
    reason: str


def compose(outer: Direction, inner: Direction) -> Direction:
    """Return the composition of two directions: down twice is up, and none stays none.

    >>> compose("down", "down"), compose("up", "down"), compose("none", "down")
    ('up', 'down', 'none')
    """
    if "none" in (outer, inner):
        return "none"
    return "up" if outer == inner else "down"


def polarity_at(tokens: Sequence[Token], position: int, parsed: Parsed | None = None) -> Polarity:
    """Return the polarity of the token at *position* of a sentence with Penn tags.

    *parsed*: its dependencies, used if they have the same tokens.  Raises IndexError outside the sentence.

    >>> tags = "No/DT dog/NN is/VBZ barking/VBG loudly/RB ./.".split()
    >>> tokens = [Token(word, k, k + 1, tag) for k, (word, tag) in enumerate(t.split("/") for t in tags)]
    >>> polarity_at(tokens, 1)
    Polarity(direction='down', reason="restrictor of 'no'")
    """
    if not 0 <= position < len(tokens):
        raise IndexError(f"no token {position} in a sentence of {len(tokens)}")
    return polarity_in(sentence_of(tokens, parsed), position)


def polarity_in(sentence: TaggedSentence, position: int) -> Polarity:
    """Return the polarity of the token at *position* of *sentence*, as :func:`polarity_at` does."""
    over = [region for region in _known_regions(sentence) if region.start <= position < region.end]
    direction: Direction = "up"
    for region in over:
        direction = compose(direction, region.direction)
    return Polarity(direction, ", ".join(region.by for region in over) or "no operator over it")
