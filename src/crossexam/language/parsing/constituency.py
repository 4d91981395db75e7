"""Conversion of constituency parses in Penn notation to Universal Dependencies.

Heads are determined by the rules of ``head_rules.py``, and the relations of the other children of a
constituent to its head by the rows of ``relation_rules.py``.
"""

from __future__ import annotations

from crossexam.language.parsing.head_rules import head_child, is_mark, phrase_class
from crossexam.language.parsing.relation_rules import Placed, Row, deciding
from crossexam.language.parsing.trees import Tree, parse_tree
from crossexam.language.tokens import Parsed, align


def parsed_from_parse(sentence: str, parse: str) -> Parsed:
    """Return the dependencies of *sentence* according to its bracketed *parse*.

    The tokens are those of the sentence, with offsets; a leaf that is not in the sentence is left out.
    Raises FormatError if the parse is malformed, AlignmentError if it belongs to another sentence.

    >>> parse = "(S (NP (DT A) (NN dog)) (VP (VBZ is) (VP (VBG chasing) (NP (PRP it)))) (. .))"
    >>> parsed_from_parse("A dog is chasing it.", parse).relations
    ('det', 'nsubj', 'aux', 'root', 'obj', 'punct')
    """
    tree = parse_tree(parse)
    leaves = tree.leaves()
    numbered = align(sentence, [(str(k), word) for k, (_, word) in enumerate(leaves)])
    kept = [int(token.tag) for token in numbered]  # the number of each token's leaf
    heads, relations = dependencies(tree)
    place = {leaf: k for k, leaf in enumerate(kept)}
    tokens = tuple(token._replace(tag=leaves[leaf][0]) for token, leaf in zip(numbered, kept, strict=True))
    return Parsed(
        tokens,
        tuple(place.get(_kept_head(leaf, heads, place), -1) for leaf in kept),
        tuple(relations[leaf] for leaf in kept),
    )


def _kept_head(leaf: int, heads: list[int], place: dict[int, int]) -> int:
    head = heads[leaf]
    while head >= 0 and head not in place:
        head = heads[head]
    return head


def dependencies(tree: Tree) -> tuple[list[int], list[str]]:
    """Return the head (-1 of the root) and the relation of each leaf of *tree*."""
    heads, rows = attached(tree)
    return heads, ["root" if row is None else row.relation for row in rows]


def attached(tree: Tree) -> tuple[list[int], list[Row | None]]:
    """Return the head (-1 of the root) of each leaf of *tree*, and the row that gave it its relation."""
    heads = [-1] * tree.end
    rows: list[Row | None] = [None] * tree.end
    if tree.children:
        _attach(Placed(tree, 0, Tree("", (tree,), 0, tree.end), 0), heads, rows)
    return heads, rows


def _attach(place: Placed, heads: list[int], rows: list[Row | None]) -> int:
    """Set head and row of the leaves below the child in *place*, except for its head, which is returned."""
    node = place.child
    chosen = head_child(node, existential=node.label == "VP" and place.is_existential)
    places = [Placed(child, k, node, chosen, place) for k, child in enumerate(node.children)]
    found = [_attach(each, heads, rows) if each.child.children else each.child.start for each in places]
    for k, leaf in enumerate(found):
        if k != chosen:
            heads[leaf] = found[chosen]
            row = rows[leaf] = deciding(places[k])
            if row.relation == "conj":
                _to_first_alike(node, chosen, k, found, heads)
    _hand_to_conjuncts(node, chosen, found, heads, rows)
    return found[chosen]


def _to_first_alike(node: Tree, chosen: int, k: int, found: list[int], heads: list[int]) -> None:
    """Attach a conjunct of another category than the head to the first of its own: red and white flags."""
    kind = phrase_class(node.children[k])
    if kind != phrase_class(node.children[chosen]):
        first = next(j for j, other in enumerate(node.children) if phrase_class(other) == kind)
        if first < k:
            heads[found[k]] = found[first]


def _hand_to_conjuncts(
    node: Tree, chosen: int, found: list[int], heads: list[int], rows: list[Row | None]
) -> None:
    """Attach conjunctions, and determiners and adjectives after them, to the conjunct they precede."""
    children = node.children
    for k, child in enumerate(children):
        if child.label == "POS" and 0 < k < chosen and children[k - 1].label.startswith("NN"):
            for before in range(k - 1):  # the child's kite, in one flat phrase
                if children[before].label in {"DT", "JJ", "PRP$"}:
                    heads[found[before]] = found[k - 1]
            heads[found[k]] = found[k - 1]
        if k == chosen or child.label not in {"CC", "CONJP"}:
            continue
        for j in range(k + 1, len(children)):
            row = rows[found[j]]
            if row is not None and row.relation == "conj":
                for between in range(k, j):
                    if not is_mark(children[between]) and between != chosen:
                        heads[found[between]] = found[j]
                break
