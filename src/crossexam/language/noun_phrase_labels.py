"""Which relation a child of a noun phrase, or of an adjective phrase, has to its head."""

from __future__ import annotations

from typing import Final

from crossexam.language.head_rules import head_child, is_mark, phrase_class, rules_for
from crossexam.language.trees import Tree

# fmt: off
_BEFORE_NOUN: Final = {
    "DT": "det", "PDT": "det", "WDT": "det", "CD": "nummod", "QP": "nummod", "JJ": "amod", "JJR": "amod",
    "JJS": "amod", "ADJP": "amod", "VBN": "amod", "VBG": "amod", "VBD": "amod", "NN": "compound",
    "NNS": "compound", "NNP": "compound", "NNPS": "compound", "NML": "compound", "NX": "compound",
    "NAC": "compound", "FW": "compound", "RB": "advmod", "ADVP": "advmod", "RBR": "advmod", "RBS": "advmod",
    "$": "compound", "UCP": "amod", "PRP": "dep", "WHADJP": "amod", "VB": "compound", "VBZ": "compound",
}
# fmt: on


def is_clause(node: Tree) -> bool:
    """Tell whether *node* is a clause or a verb phrase, so that a preposition before it is a marker."""
    return rules_for(node.label) in {"S", "VP", "SBAR", "SQ", "SINV"} or node.label in {"VBG"}


def in_noun_phrase(node: Tree, chosen: int, k: int) -> str:
    """Return the relation of child *k* of a noun phrase to the head of its child *chosen*."""
    child = node.children[k]
    possessive = k + 1 < chosen and node.children[k + 1].label == "POS"
    if possessive or (child.label == "NP" and child.children[-1].label == "POS"):
        return "nmod:poss"
    if k < chosen and child.label in _BEFORE_NOUN:
        return "advmod" if child.label == "RB" else _BEFORE_NOUN[child.label]
    if child.label in {"PP", "WHPP"}:
        return "acl" if is_clause(child.children[head_child(child)]) else "nmod"
    if child.label in {"VP", "S", "VBG", "VBN", "RRC"}:
        return "acl"
    if child.label == "SBAR":
        first = child.children[0]
        marked = first.label == "IN" and len(child.children) > 1
        return "acl" if marked else "acl:relcl"
    if phrase_class(child) == "NP":
        return _noun_beside_noun(node, k, chosen)
    return {"ADJP": "amod", "JJ": "amod", "ADVP": "advmod", "RB": "advmod", "IN": "case"}.get(
        child.label, "dep"
    )


def _noun_beside_noun(node: Tree, k: int, chosen: int) -> str:
    child = node.children[k]
    if child.label in {"CD", "QP"}:
        return "nummod"
    if child.label in {"NP-TMP"} or (k < chosen and child.label == "NP"):
        return "nmod"
    return "appos" if child.children or is_mark(node.children[k - 1]) else "dep"


def beside_adjective(child: Tree) -> str:
    """Return the relation of *child* to an adjective, an adverb or what else heads a phrase."""
    kind = phrase_class(child)
    if child.label in {"S", "SBAR"}:
        return "advcl"
    if child.label == "IN":
        return "advmod"
    return {"NP": "obl", "PP": "obl", "ADVP": "advmod", "ADJP": "advmod", "VP": "advcl"}.get(kind, "dep")
