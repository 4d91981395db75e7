"""Binary parses as text, as SNLI and MultiNLI ship them: ``( ( A man ) ( is here ) )``.

There are three sources of one: the corpus; the dependencies of a spaCy pipeline, binarised by heads
(:func:`binary_from_dependencies`); and, for a sentence that a construction edited, the parse of the sentence
it was made from (:func:`edited_parse`).

**Binarised by heads.**  A head is joined with its dependents one after another, always the nearest first, in
the order in which the parses of SNLI join them: the words inside a noun phrase (``( a ( small cafe ) )``),
what follows the head (``( ( drinks coffee ) ( in ( a cafe ) ) )``), what precedes it up to the subject
(``( is ( wearing shorts ) )``), closing marks, and the subject with whatever precedes it.

**Edited sentences.**  The tree of the original holds, with these changes.  A word that is replaced by a word
is replaced in the tree, as in antonymy and spelling errors.  A phrase that is replaced by another phrase of
the same sentence is replaced with its tree, as where subject and object change places.  Up to three words
inserted before a word are joined, one after another, with the largest phrase that begins there, as the
adjective of an added modifier.  A clause appended to the sentence, as a tautology is, is joined with the tree
of the sentence; inside it branches to the right, and the closing mark follows it.  After any other change
there is no parse.  A suite keeps the parses of its base, but not those of the sentences that a construction
edited: :func:`known_parses` derives these for the models that read parses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from crossexam.core.dataset import Dataset
from crossexam.core.example import BINARY_PARSE_KEY, SIDES, Edit, Example, Side, undo_edits
from crossexam.language.remembered import SENTENCES, remembered
from crossexam.language.tokens import AlignmentError, Parsed, Span, Token, align, words

#: Only these characters separate: a word may contain a no-break space ("1 1/2").
_PIECE: Final = re.compile(r"[^ \t\r\n]+")
_ESCAPES: Final = {"(": "-LRB-", ")": "-RRB-"}
#: More words than this that are inserted within a sentence are not a modifier.
_MOST_INSERTED: Final = 3
# Relations of what stands inside a noun phrase, before its noun.
_IN_NOUN_PHRASE: Final = frozenset({"det", "amod", "compound", "nummod", "nmod:poss", "nmod"})
_NOMINAL: Final = ("NN", "PRP", "CD", "DT", "WP", "EX")
_SUBJECTS: Final = ("nsubj", "csubj", "expl")


class BinaryTree(NamedTuple):
    """The *leaves* of a binary tree and the *spans* of its inner nodes, (first leaf, last leaf + 1)."""

    leaves: tuple[str, ...]
    spans: frozenset[Span]

    def has(self, start: int, end: int) -> bool:
        """Return whether the leaves *start* to *end* are one node."""
        return end - start == 1 or (start, end) in self.spans

    def text(self) -> str:
        """Return the tree in brackets.

        >>> BinaryTree(("It", "rains"), frozenset({(0, 2)})).text()
        '( It rains )'
        """
        opened, closed = [0] * len(self.leaves), [0] * len(self.leaves)
        for start, end in self.spans:
            opened[start] += 1
            closed[end - 1] += 1
        pieces = ("( " * opened[k] + leaf + " )" * closed[k] for k, leaf in enumerate(self.leaves))
        return " ".join(pieces)


@remembered(SENTENCES)
def binary_tree(parse: str) -> BinaryTree | None:
    """Return the tree of a binary *parse*, or None if that is malformed.

    >>> sorted(binary_tree("( ( A man ) ( is here ) )").spans)
    [(0, 2), (0, 4), (2, 4)]
    """
    leaves: list[str] = []
    spans: set[Span] = set()
    pending: list[Span] = []  # per open bracket its first leaf, and the constituents so far
    count = 0
    for piece in _PIECE.findall(parse):
        if piece == "(":
            pending.append((len(leaves), count))
            count = 0
            continue
        if piece == ")":
            if not pending or not 1 <= count <= 2:
                return None
            start, before = pending.pop()
            if count == 2:
                spans.add((start, len(leaves)))
            count = before + 1
            continue
        leaves.append(piece)
        count += 1
    return None if pending or count != 1 else BinaryTree(tuple(leaves), frozenset(spans))


@remembered(SENTENCES)
def located_tree(sentence: str, parse: str) -> tuple[BinaryTree, tuple[Token, ...]] | None:
    """Return the tree of *parse* and the token of each leaf in *sentence*; None if they do not fit."""
    tree = binary_tree(parse)
    if tree is None:
        return None
    try:
        tokens = align(sentence, [("", leaf) for leaf in tree.leaves])
    except AlignmentError:
        return None
    return (tree, tokens) if len(tokens) == len(tree.leaves) else None


def binary_from_dependencies(parsed: Parsed) -> str | None:
    """Return the binary parse of the dependencies *parsed*, None if a phrase is not contiguous.

    Several sentences are joined from the left.

    >>> from crossexam.language.tokens import Token
    >>> tags = (("A", "DT"), ("man", "NN"), ("plays", "VBZ"), ("golf", "NN"), (".", "."))
    >>> tokens = tuple(Token(word, 0, 0, tag) for word, tag in tags)
    >>> relations = ("det", "nsubj", "root", "obj", "punct")
    >>> binary_from_dependencies(Parsed(tokens, (1, 2, -1, 2, 2), relations))
    '( ( A man ) ( ( plays golf ) . ) )'
    """
    spans: set[Span] = set()
    dependents: list[list[int]] = [[] for _ in parsed.tokens]
    roots: list[int] = []
    for k, head in enumerate(parsed.heads):
        (roots if head < 0 else dependents[head]).append(k)
    whole: dict[int, Span] = {}
    for k in _children_first(dependents, roots):
        span = _joined(parsed, k, [whole[child] for child in _in_order(parsed, k, dependents[k])], spans)
        if span is None:
            return None
        whole[k] = span
    end = 0
    for start, stop in (whole[root] for root in roots):
        if start != end:
            return None
        if start:
            spans.add((0, stop))
        end = stop
    if end != len(parsed.tokens):  # a cycle
        return None
    leaves = tuple(_leaf(token.text) for token in parsed.tokens)
    return BinaryTree(leaves, frozenset(spans)).text()


def _children_first(dependents: Sequence[Sequence[int]], roots: Sequence[int]) -> list[int]:
    order: list[int] = []
    pending = list(roots)
    while pending:
        k = pending.pop()
        order.append(k)
        pending += dependents[k]
    return order[::-1]


def _joined(parsed: Parsed, head: int, parts: Iterable[Span], spans: set[Span]) -> Span | None:
    """Join *head* with *parts*, nearest first, and add each node to *spans*; None if a part is apart."""
    start, end = head, head + 1
    for first, last in parts:
        if last == start:
            start = first
        elif first == end:
            end = last
        else:
            return None
        spans.add((start, end))
    return start, end


def _in_order(parsed: Parsed, head: int, dependents: Sequence[int]) -> list[int]:
    """Return *dependents* in the order in which they are joined with *head*."""
    before = [k for k in reversed(dependents) if k < head]
    after = [k for k in dependents if k > head]
    inside = 0
    if parsed.tokens[head].tag.startswith(_NOMINAL):
        while inside < len(before) and parsed.relations[before[inside]] in _IN_NOUN_PHRASE:
            inside += 1
    closing = len(after)
    while closing and parsed.relations[after[closing - 1]] == "punct":
        closing -= 1
    subject = next(
        (k for k, each in enumerate(before) if parsed.relations[each].startswith(_SUBJECTS)), len(before)
    )
    subject = max(subject, inside)
    return [*before[:inside], *after[:closing], *before[inside:subject], *after[closing:], *before[subject:]]


class _Replacement(NamedTuple):
    """Leaves *start* to *end* of a tree, and what replaces them; *inserted* leaves precede *end*."""

    start: int
    end: int
    leaves: tuple[str, ...]
    spans: frozenset[Span] = frozenset()
    inserted: int = 0


def edited_parse(parse: str, sentence: str, edits: Sequence[Edit]) -> str | None:
    """Return the parse of *sentence*, which has this *parse*, after *edits*; None if it does not follow.

    The module's docstring says what follows.  *edits* are those on one side.

    >>> parse = "( ( A man ) ( ( is here ) . ) )"
    >>> edited_parse(parse, "A man is here.", [Edit("premise", 2, 5, "man", "woman")])
    '( ( A woman ) ( ( is here ) . ) )'
    >>> edited_parse(parse, "A man is here.", [Edit("premise", 2, 2, "", "tall ")])
    '( ( A ( tall man ) ) ( ( is here ) . ) )'
    >>> edited_parse(parse, "A man is here.", [Edit("premise", 13, 13, "", " and true is true")])
    '( ( ( A man ) ( is here ) ) ( ( and ( true ( is true ) ) ) . ) )'
    """
    if not edits:
        return parse
    known = located_tree(sentence, parse)
    if known is None:
        return None
    tree, tokens = known
    replacements: list[_Replacement] = []
    appended: list[str] = []
    marks = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        clause = _appended_clause(edit, tokens)
        if clause:
            appended += clause
            marks = sum(token.start >= edit.start for token in tokens)
            continue
        found = _replacement(edit, sentence, tree, tokens)
        if found is None or (replacements and found.start < replacements[-1].end):
            return None
        replacements.append(found)
    tree = _replaced(tree, replacements)
    return (_with_clause(tree, appended, marks) if appended else tree).text()


def derived_parses(item: Example, base: Example) -> dict[Side, str]:
    """Return the binary parses of the sentences of *item* that follow from those of its *base*, by side."""
    found: dict[Side, str] = {}
    if item.change is None:
        return found
    for side, origin in zip(SIDES, (item.change.source, item.change.target), strict=True):
        parse = base.info.get(BINARY_PARSE_KEY[origin])
        edits = [edit for edit in item.change.edits if edit.side == side]
        parse = edited_parse(parse, base.text(origin), edits) if parse else None
        if parse:
            found[side] = parse
    return found


def with_parses(example: Example, parses: Mapping[Side, str]) -> Example:
    """Return *example* with these binary *parses* in ``info``."""
    new = {BINARY_PARSE_KEY[side]: parse for side, parse in parses.items()}
    return replace(example, info={**example.info, **new}) if new else example


def known_parses(datasets: Iterable[Dataset]) -> dict[str, str]:
    """Return a binary parse for each sentence of *datasets* that has one, by sentence.

    It is the first parse in the data that fits the sentence, else what follows from that of the sentence
    before its edits.
    """
    known: dict[str, str] = {}
    edited: list[tuple[str, str, list[Edit]]] = []
    for dataset in datasets:
        for item in dataset:
            for side in SIDES:
                text, parse = item.text(side), item.info.get(BINARY_PARSE_KEY[side])
                if text in known:
                    continue
                if parse and located_tree(text, str(parse)) is not None:
                    known[text] = str(parse)
                elif item.change is not None:
                    edits = [edit for edit in item.change.edits if edit.side == side]
                    edited.append((text, undo_edits(text, edits, side), edits))
    grown = True
    while grown:  # a construction may start from the items of another
        grown = False
        for text, original, edits in edited:
            if text not in known and original in known:
                parse = edited_parse(known[original], original, edits)
                if parse is not None and located_tree(text, parse) is not None:
                    known[text] = parse
                    grown = True
    return known


def parsed_items(dataset: Dataset, parses: dict[str, str]) -> int:
    """Return the number of items of *dataset* of which both sentences have a parse in *parses*."""
    return sum(item.premise in parses and item.hypothesis in parses for item in dataset)


def _leaf(word: str) -> str:
    """Return *word* as a leaf: brackets are escaped, and blanks cannot be in it."""
    for mark, escape in _ESCAPES.items():
        word = word.replace(mark, escape)
    return re.sub(r"[ \t\r\n]+", "\xa0", word)


def _has_letters(text: str) -> bool:
    return any(map(str.isalnum, text))


def _appended_clause(edit: Edit, tokens: Sequence[Token]) -> list[str]:
    """Return the words that *edit* appends to the sentence, [] if it does something else.

    A text that goes on after a closing mark is not a clause.
    """
    behind = [token for token in tokens if token.end > edit.start]
    if edit.old or len(behind) == len(tokens) or any(_has_letters(token.text) for token in behind):
        return []
    if behind and behind[0].start < edit.start:
        return []
    clause = [_leaf(token.text) for token in words(edit.new)]
    return [] if any(leaf in {".", "!", "?"} for leaf in clause) else clause


def _replacement(edit: Edit, sentence: str, tree: BinaryTree, tokens: Sequence[Token]) -> _Replacement | None:
    """Return what *edit* does to *tree*, None if that is not known."""
    start = next((k for k, token in enumerate(tokens) if token.end > edit.start), len(tokens))
    end = next((k for k, token in enumerate(tokens) if token.start >= edit.end), len(tokens))
    if start == len(tokens):
        return None
    if end <= start:
        if edit.old:
            return None
        return _insertion(start, [token.text for token in words(edit.new)], tree.leaves[start])
    first, last = tokens[start].start, tokens[end - 1].end
    if edit.start < first or edit.end > last:
        return None  # it replaces blanks as well
    new = sentence[first : edit.start] + edit.new + sentence[edit.end : last]
    if end - start == 1 and _has_letters(new) and not re.search(r"[\s()]", new):
        return _Replacement(start, end, (_leaf(new),))
    split = [token.text for token in words(new)]
    moved = _moved(start, end, split, tree, tokens)
    if moved is None and end - start == 1 and split and split[-1].lower() == tokens[start].text.lower():
        return _insertion(start, split[:-1], _leaf(split[-1]))
    return moved


def _insertion(place: int, inserted: Sequence[str], leaf: str) -> _Replacement | None:
    """Return the replacement that puts *inserted* before the *leaf* at *place*."""
    if not 1 <= len(inserted) <= _MOST_INSERTED or not all(map(_has_letters, inserted)):
        return None
    return _Replacement(place, place + 1, (*map(_leaf, inserted), leaf), inserted=len(inserted))


def _moved(
    start: int, end: int, new: Sequence[str], tree: BinaryTree, tokens: Sequence[Token]
) -> _Replacement | None:
    """Return the replacement of a phrase by another phrase of the sentence, with the tree of that one."""
    if not new or not tree.has(start, end):
        return None
    lower, wanted = [token.text.lower() for token in tokens], [word.lower() for word in new]
    for first in range(len(lower) - len(new) + 1):
        last = first + len(new)
        if lower[first:last] == wanted and tree.has(first, last):
            inside = {(a - first, b - first) for a, b in tree.spans if first <= a and b <= last}
            return _Replacement(start, end, tuple(map(_leaf, new)), frozenset(inside))
    return None


def _replaced(tree: BinaryTree, replacements: Sequence[_Replacement]) -> BinaryTree:
    """Return *tree* after *replacements*, which are in order and do not overlap."""
    leaves: list[str] = []
    spans: set[Span] = set()
    moved = list(range(len(tree.leaves) + 1))  # the new number of the leaf after each boundary
    position = shift = 0
    for each in replacements:
        leaves += [*tree.leaves[position : each.start], *each.leaves]
        spans |= {(each.start + shift + a, each.start + shift + b) for a, b in each.spans}
        position = each.end
        shift += len(each.leaves) - (each.end - each.start)
        for boundary in range(each.end, len(moved)):
            moved[boundary] = boundary + shift
    leaves += tree.leaves[position:]
    inserted = {each.start: each.inserted for each in replacements if each.inserted}
    for start, end in tree.spans:
        if any(each.start <= start and end <= each.end for each in replacements):
            continue  # the phrase that was replaced
        first = moved[start]
        if start in inserted and end <= _phrase(tree, start)[1]:
            first += inserted[start]
        if moved[end] - first > 1:
            spans.add((first, moved[end]))
    for start, count in inserted.items():
        last = moved[_phrase(tree, start)[1]]
        spans |= {(moved[start] + k, last) for k in range(count)}
    return BinaryTree(tuple(leaves), frozenset(spans))


def _phrase(tree: BinaryTree, start: int) -> Span:
    """Return the largest node that begins at leaf *start* and is not the whole tree."""
    ends = [end for first, end in tree.spans if first == start and end - first < len(tree.leaves)]
    return start, max(ends, default=start + 1)


def _with_clause(tree: BinaryTree, clause: Sequence[str], marks: int) -> BinaryTree:
    """Return *tree* joined with *clause*, which stands before the last so many *marks*."""
    kept = len(tree.leaves) - marks
    leaves = (*tree.leaves[:kept], *clause, *tree.leaves[kept:])
    end = kept + len(clause)
    spans = {(start, min(stop, kept)) for start, stop in tree.spans if min(stop, kept) - start > 1}
    spans |= {(start, end) for start in range(kept, end - 1)}  # branches to the right
    spans |= {(kept, end + k + 1) for k in range(marks)}
    return BinaryTree(leaves, frozenset(spans | {(0, len(leaves))}))
