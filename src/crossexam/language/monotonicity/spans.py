"""Clauses and phrases of a tagged sentence, and the noun phrase that a word opens.

They are delimited by tags, which suffice for captions and hypotheses, as these are short.  If the sentence
has dependencies, the end of a noun phrase is that of its subtree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from crossexam.language.lexicons.closed_classes import AUXILIARIES, SUBORDINATORS
from crossexam.language.remembered import NEARBY, once, remembered
from crossexam.language.tokens import Parsed, Span, Token

_ENDS: Final = frozenset({".", "!", "?", ";", "..."})
_FINITE: Final = frozenset({"MD", "VBZ", "VBP", "VBD"})
_RELATIVE: Final = frozenset({"WDT", "WP", "WP$"})
# Those that open a clause within a phrase ("that", "where", "than"), and rare or ambiguous ones.
_NOT_OPENING: Final = frozenset("that where wherever than lest once whilst".split())
_OPENING: Final = SUBORDINATORS - _NOT_OPENING | {"but", "so"}
_ONLY_WITH_VERB: Final = frozenset("before after until till since as so but".split())
_IN_PHRASE: Final = frozenset(
    "DT PRP$ CD JJ JJR JJS RB RBR RBS NN NNS NNP NNPS POS PDT HYPH WP$ -LRB- -RRB-".split()
)


@dataclass(frozen=True, eq=False)
class TaggedSentence:
    """Tagged tokens, their texts in lower case, and their dependencies if the parse has the same tokens.

    What follows from these alone is kept, since many questions are asked of one sentence.
    """

    tokens: Sequence[Token]
    words: tuple[str, ...]
    parsed: Parsed | None

    @once
    def tags(self) -> tuple[str, ...]:
        """The tags of the tokens."""
        return tuple([token.tag for token in self.tokens])

    @once
    def finite(self) -> frozenset[int]:
        """The tokens that begin a finite verb group, unlike a participle after an auxiliary."""
        return frozenset(k for k, tag in enumerate(self.tags) if tag in _FINITE and self._is_first(k))

    @once
    def ends(self) -> tuple[int, ...]:
        """The marks that end a sentence of the text."""
        return tuple([k for k, word in enumerate(self.words) if word in _ENDS])

    def tag(self, k: int) -> str:
        """Return the tag of token *k*, or '' if *k* is out of range."""
        return self.tags[k] if 0 <= k < len(self.tags) else ""

    def word(self, k: int) -> str:
        """Return token *k* in lower case, or '' if *k* is out of range."""
        return self.words[k] if 0 <= k < len(self.words) else ""

    def is_verb(self, k: int) -> bool:
        """Return whether token *k* is tagged as a verb or modal."""
        return self.tag(k).startswith("VB") or self.tag(k) == "MD"

    def is_finite(self, k: int) -> bool:
        """Return whether token *k* begins a finite verb group."""
        return k in self.finite

    def _is_first(self, k: int) -> bool:
        before = k - 1
        while self.tag(before) == "RB":
            before -= 1
        own = self.word(before) in AUXILIARIES and self.is_verb(before)
        return not own and self.tag(before) != "TO"


def sentence_of(tokens: Sequence[Token], parsed: Parsed | None) -> TaggedSentence:
    """Return the sentence of *tokens*, with *parsed* if it has the same tokens."""
    if parsed is None or [t.start for t in parsed.tokens] != [t.start for t in tokens]:
        return _of_tokens(tuple(tokens))
    return TaggedSentence(tokens, _lower(tokens), parsed)


@remembered(NEARBY)
def _of_tokens(tokens: tuple[Token, ...]) -> TaggedSentence:
    return TaggedSentence(tokens, _lower(tokens), None)


def _lower(tokens: Sequence[Token]) -> tuple[str, ...]:
    return tuple([token.text.lower() for token in tokens])


def text_bounds(sentence: TaggedSentence, k: int) -> Span:
    """Return the span of the sentence with token *k*, as the text may have several."""
    start, end = min(k, 0), max(k, len(sentence.words))
    for mark in sentence.ends:
        if mark >= k:
            return start, mark
        start = mark + 1
    return start, end


def clause_end(sentence: TaggedSentence, k: int) -> int:
    """Return the end of the clause with token *k*: before another clause, or that of the relative clause."""
    _, limit = text_bounds(sentence, k)
    relative = _relative_pronoun(sentence, k)
    if relative is not None:
        limit = min(limit, relative_end(sentence, relative))
    for j in range(k + 1, limit):
        if _opens_clause(sentence, j, limit):
            return j
        if sentence.word(j) == "," and (
            sentence.tag(j + 1) in {"PRP", "CC"} or _is_new_clause(sentence, j, limit)
        ):
            return j
    return limit


def clause_start(sentence: TaggedSentence, k: int) -> int:
    """Return the start of the clause with token *k*."""
    start, limit = text_bounds(sentence, k)
    for j in range(k - 1, start - 1, -1):
        if _opens_clause(sentence, j, limit) or _is_relative(sentence, j) or sentence.word(j) == "that":
            return j + 1
        if sentence.word(j) == "," and _is_fronted(sentence, start, j):
            return j + 1
    return start


def phrase_end(sentence: TaggedSentence, k: int, *, nominal: bool = False) -> int:
    """Return the end of the phrase that token *k* opens: a comma, another finite verb, or the clause's end.

    *nominal*: *k* is a preposition; if no verb follows it, a participle after its noun is not part of the
    phrase: *a man without a hat riding a horse*.
    """
    end = clause_end(sentence, k)
    nominal = nominal and not sentence.is_verb(k + 1) and sentence.tag(k + 1) != "RB"
    j = k + 1
    while j < end:
        if _is_relative(sentence, j):
            j = min(end, relative_end(sentence, j))
            continue
        if sentence.word(j) == "," or sentence.is_finite(j):
            return j
        if nominal and sentence.tag(j) in {"VBG", "VBN"} and sentence.tag(j - 1).startswith("NN"):
            return j
        j += 1
    return end


def condition_end(sentence: TaggedSentence, k: int) -> int:
    """Return the end of the clause that conjunction *k* opens: a comma, *then*, or the end of a clause."""
    end = clause_end(sentence, k)
    return next((j for j in range(k + 1, end) if sentence.word(j) in {",", "then"}), end)


def relative_end(sentence: TaggedSentence, pronoun: int) -> int:
    """Return the end of a relative clause: before the second finite verb, that of the main clause."""
    _, limit = text_bounds(sentence, pronoun)
    verbs = 0
    for j in range(pronoun + 1, limit):
        if sentence.is_finite(j) and sentence.tag(j - 1) != "CC":
            verbs += 1
            if verbs == 2:
                return j
    return limit


def has_finite_verb(sentence: TaggedSentence, k: int) -> bool:
    """Return whether the clause with token *k* has a finite verb before *k*."""
    return any(sentence.is_finite(j) for j in range(clause_start(sentence, k), k))


def main_verb(sentence: TaggedSentence, k: int) -> int | None:
    """Return the finite verb after token *k* whose subject is *k*, None in a caption."""
    _, limit = text_bounds(sentence, k)
    own = _relative_pronoun(sentence, k)
    j = k + 1
    while j < limit:
        if _is_relative(sentence, j):
            j = relative_end(sentence, j)
            continue
        if own is None and j > k + 1 and _opens_clause(sentence, j, limit):
            return None
        if sentence.is_finite(j):
            return j
        j += 1
    return None


def noun_phrase_head(sentence: TaggedSentence, start: int) -> int:
    """Return the head of the noun phrase that begins at *start*, its last noun, or ``start - 1``.

    What precedes ``'s`` is a separate phrase.
    """
    head, j = start - 1, start
    if sentence.word(j) == "of":
        j += 1
    while _continues(sentence, j):
        if sentence.tag(j) == "POS":
            break
        if sentence.tag(j).startswith(("NN", "CD")) or (sentence.tag(j).startswith("JJ") and head < start):
            head = j
        j += 1
    return head


def noun_phrase_end(sentence: TaggedSentence, head: int) -> int:
    """Return the end of the noun phrase of *head*, including its *of*, relative clause or participle."""
    if sentence.parsed is not None and sentence.tag(head).startswith("NN"):
        below = sentence.parsed.below(head)
        end = head + 1
        while end in below:
            end += 1
        return end
    end = head + 1
    while sentence.word(end) == "of":
        end = noun_phrase_head(sentence, end + 1) + 1
    if _is_relative(sentence, end):
        return min(clause_end(sentence, end), relative_end(sentence, end))
    if sentence.tag(end) in {"VBG", "VBN"}:
        return phrase_end(sentence, end)
    return end


def _continues(sentence: TaggedSentence, j: int) -> bool:
    """Return whether token *j* continues a noun phrase."""
    tag, following = sentence.tag(j), sentence.tag(j + 1)
    if tag in _IN_PHRASE:
        return not (tag.startswith("RB") and not following.startswith(("JJ", "RB", "VBN", "CD")))
    if tag in {"VBG", "VBN"}:
        return following.startswith(("NN", "JJ"))
    return tag in {"CC", ","} and sentence.tag(j - 1).startswith("JJ") and following.startswith("JJ")


def _is_relative(sentence: TaggedSentence, j: int) -> bool:
    if sentence.word(j) == "that":
        return sentence.tag(j) == "WDT" or (sentence.tag(j - 1).startswith("NN") and sentence.is_verb(j + 1))
    return (
        sentence.tag(j) in _RELATIVE
        and j > 0
        and sentence.tag(j - 1)[:2] in {"NN", "PR", "DT", "CD", "JJ", ","}
    )


def _relative_pronoun(sentence: TaggedSentence, k: int) -> int | None:
    """Return the relative pronoun of the innermost relative clause that token *k* is in."""
    start, _ = text_bounds(sentence, k)
    for j in range(k, start - 1, -1):
        if _is_relative(sentence, j) and relative_end(sentence, j) > k:
            return j
    return None


def _opens_clause(sentence: TaggedSentence, j: int, limit: int) -> bool:
    """Return whether the conjunction *j* opens a clause before *limit*."""
    word = sentence.word(j)
    if word in _OPENING:
        return word not in _ONLY_WITH_VERB or any(sentence.is_verb(k) for k in range(j + 1, limit))
    return word in {"and", "or"} and _is_new_clause(sentence, j, limit)


def _is_new_clause(sentence: TaggedSentence, j: int, limit: int) -> bool:
    """Return whether a finite verb, with or without a subject, follows *j*, and another precedes it."""
    if not any(sentence.is_finite(i) for i in range(text_bounds(sentence, j)[0], j)):
        return False
    k = j + 1
    while k < limit and (sentence.tag(k) in _IN_PHRASE or sentence.tag(k) in {"PRP", "EX"}):
        k += 1
    return k < limit and sentence.tag(k) in _FINITE


def _is_fronted(sentence: TaggedSentence, start: int, comma: int) -> bool:
    """Return whether a clause or phrase, which ends at *comma*, precedes the main clause."""
    return sentence.word(start) in _OPENING or sentence.tag(start) in {"IN", "WRB"}
