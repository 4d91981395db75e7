"""Dependencies from a constituency parse in Penn notation, by the rules of ``head_rules.py``.

The relations are those of Universal Dependencies (de Marneffe, Manning, Nivre and Zeman, 2021), which are
defined on more than a parser without function tags provides, so a few are approximate: a second noun
phrase next to another one is an apposition, a temporal noun phrase is recognized by its noun, and the gap
of a relative clause is its subject if it has none, and otherwise its object.
"""

from __future__ import annotations

from crossexam.language.parsing.dependencies import Parsed
from crossexam.language.parsing.head_rules import head_child, is_mark, phrase_class, rules_for
from crossexam.language.parsing.relations import NodeContext, label_of
from crossexam.language.parsing.trees import Tree, parse_tree
from crossexam.language.tokens import align


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
    size = tree.end
    heads, relations = [-1] * size, ["root"] * size
    _attach(tree, NodeContext(), heads, relations)
    return heads, relations


def _attach(node: Tree, context: NodeContext, heads: list[int], relations: list[str]) -> int:
    """Set head and relation of the leaves below *node*, except for its head, which is returned."""
    if not node.children:
        return node.start
    existential = context.existential or _has_there(node)
    chosen = head_child(node, existential=existential)
    found = [
        _attach(child, context.below(node, k, existential=existential), heads, relations)
        for k, child in enumerate(node.children)
    ]
    for k in range(len(found)):
        if k != chosen:
            heads[found[k]] = found[chosen]
            relations[found[k]] = label_of(node, chosen, k, context)
            if relations[found[k]] == "conj":
                _to_first_alike(node, chosen, k, found, heads)
    _hand_to_conjuncts(node, chosen, found, heads, relations)
    return found[chosen]


def _has_there(node: Tree) -> bool:
    return rules_for(node.label) in {"S", "SINV", "SQ"} and any(
        child.label == "EX"
        or (child.label == "NP" and child.children[-1:] and child.children[0].label == "EX")
        for child in node.children
    )


def _to_first_alike(node: Tree, chosen: int, k: int, found: list[int], heads: list[int]) -> None:
    """Attach a conjunct of another category than the head to the first of its own: red and white flags."""
    child = node.children[k]
    if phrase_class(child) != phrase_class(node.children[chosen]):
        first = next(
            (
                j
                for j, other in enumerate(node.children)
                if j < k and phrase_class(other) == phrase_class(child)
            ),
            None,
        )
        if first is not None:
            heads[found[k]] = found[first]


def _hand_to_conjuncts(
    node: Tree, chosen: int, found: list[int], heads: list[int], relations: list[str]
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
            if relations[found[j]] == "conj":
                for between in range(k, j):
                    if not is_mark(children[between]) and between != chosen:
                        heads[found[between]] = found[j]
                break
