"""Dependencies from a constituency parse in Penn notation, by the rules of ``head_rules.py``.

The relations are those of Universal Dependencies (de Marneffe, Manning, Nivre and Zeman, 2021).  Their
definitions are over what a parser without function tags gives, so a few are approximate: a second noun
phrase beside another one is an apposition, a temporal noun phrase is known by its noun, and the gap of
a relative clause is its subject if it has none, else its object.
"""

from __future__ import annotations

from crossexam.language.parsing.dependencies import Parsed
from crossexam.language.parsing.head_rules import head_child, is_mark, phrase_class, rules_for
from crossexam.language.parsing.relations import Context, label_of
from crossexam.language.parsing.trees import Tree, parse_tree
from crossexam.language.tokens import align


def parsed_from_parse(sentence: str, parse: str) -> Parsed:
    """Return the dependencies of *sentence* by its bracketed *parse*.

    The tokens are the sentence's own, with offsets; a leaf that the sentence does not have is left
    out.  Raises FormatError for a broken parse, AlignmentError where it is another sentence's.

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
    _attach(tree, Context(), heads, relations)
    return heads, relations


def _attach(node: Tree, context: Context, heads: list[int], relations: list[str]) -> int:
    """Set head and relation of the leaves below *node*, but for that of its head, which is returned."""
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
    """Let a conjunct that is not of the head's kind depend on the first of its own: red and white flags."""
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
    """Let conjunctions, and determiners and adjectives after them, depend on the conjunct they precede."""
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
