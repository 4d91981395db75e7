"""Which child of a constituent is its head: a content word, as in Universal Dependencies.

The tables follow the head rules of Collins (1999, appendix A) with the changes of the Stanford
converter's "semantic" heads (de Marneffe, MacCartney and Manning, 2006, section 2): the innermost verb
heads a verb group, the object a prepositional phrase, the predicate a clause with *be*, and the first
conjunct a coordination.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crossexam.language.lexicons import closed_classes
from crossexam.language.parsing.trees import Tree

# As Penn trees split them, with either apostrophe: ai n't, they 've; participles of "do" are not auxiliaries.
PENN_BE: Final = closed_classes.BE_WITH_CLITICS | {"’s", "’re", "’m", "ai"}
GET: Final = frozenset("get gets got getting gotten".split())
PENN_HAVE: Final = closed_classes.HAVE | {"'ve", "'d", "’ve"}
PENN_DO: Final = closed_classes.DO - {"done", "doing"}
PUNCTUATION: Final = frozenset("`` '' , . : -LRB- -RRB- HYPH NFP #".split())

# fmt: off
_VERBAL: Final = ("VP", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD")
_NOUNS: Final = ("NN", "NNS", "NNP", "NNPS", "NX")
_NOMINAL: Final = ("NP", "NP-TMP", "NAC", "NML", "WHNP", *_NOUNS, "PRP", "CD", "QP", "EX", "DT")
_ADJECTIVAL: Final = ("ADJP", "JJ", "JJR", "JJS", "WHADJP")
_ADVERBIAL: Final = ("ADVP", "RB", "RBR", "RBS", "WHADVP", "WRB")
_CLAUSAL: Final = ("S", "SBAR", "SINV", "SQ", "SBARQ")
_CLASSES: Final = {
    label: group[0]
    for group in (_VERBAL, _NOMINAL, _ADJECTIVAL, _ADVERBIAL, _CLAUSAL, ("PP", "WHPP"))
    for label in group
}
_VERB_TAGS: Final = frozenset(_VERBAL[1:])
_PREDICATES: Final = ("ADJP", "NP", "PP", "ADVP", "UCP", "JJ", "QP", "WHNP", "SBAR", "S")

# Label -> groups of children, first group first; "<" takes the leftmost of a group, ">" the rightmost.
_RULES: Final[dict[str, tuple[tuple[str, tuple[str, ...]], ...]]] = {
    "S":      (("<", ("VP", "VBZ", "VBP", "VBD")), (">", ("ADJP", "UCP")), ("<", ("S", "SBAR", "SINV")),
               (">", ("NP", "PP", "ADVP"))),
    "SINV":   (("<", ("VP", *_VERBAL)), ("<", ("S", "NP"))),
    "SQ":     (("<", ("VP",)), (">", ("ADJP", "NP", "PP", "ADVP")), ("<", _VERBAL)),
    "SBAR":   (("<", _CLAUSAL), ("<", ("VP", "FRAG", "NP", "ADJP", "PP", "ADVP"))),
    "SBARQ":  (("<", ("SQ", "S", "SINV", "SBARQ")), ("<", ("FRAG", "NP"))),
    "PP":     ((">", ("NP", "WHNP", "NP-TMP")), ("<", ("S", "SBAR", "PP", "ADJP", "UCP", "QP", "VP")),
               ("<", (*_NOUNS, "PRP", "CD", "JJ", "VBG")), ("<", ("ADVP", "RB"))),
    "VP":     (("<", ("VP", *_VERBAL[1:-1])), ("<", ("MD", "TO")), ("<", ("NP", "NN", "NNS", "S", "ADJP"))),
    "ADJP":   ((">", ("JJ", "JJR", "JJS", "VBN", "VBG", "ADJP")), (">", (*_NOUNS, "CD", "RB", "NP", "QP"))),
    "ADVP":   ((">", ("RB", "RBR", "RBS", "WRB", "ADVP")), ("<", ("IN", "RP", "NP", "JJ", "PP"))),
    "QP":     ((">", ("CD",)), (">", ("$", "NN", "NNS", "JJ", "DT", "RB"))),
    "PRT":    (("<", ("RP",)),),
    "CONJP":  (("<", ("CC",)), (">", ("RB", "IN"))),
    "NP":     ((">", (*_NOUNS, "NML")), ("<", ("NP", "NAC", "WHNP", "NP-TMP")),
               (">", ("PRP", "CD", "QP", "EX", "WP", "$")), (">", ("JJ", "JJS", "JJR", "ADJP", "VBG", "FW")),
               (">", ("DT", "WDT", "PRP$")), ("<", ("S", "SBAR", "VP", "PP", "RB", "POS"))),
    "FRAG":   (("<", ("S", "VP", "NP", "INTJ", "ADJP", "SBAR", "PP")), ("<", ("ADVP", *_NOUNS))),
}
_SAME_RULES: Final = {
    "WHPP": "PP", "WHNP": "NP", "NX": "NP", "NP-TMP": "NP", "NAC": "NP", "NML": "NP", "WHADJP": "ADJP",
    "WHADVP": "ADVP", "ROOT": "FRAG", "TOP": "FRAG", "": "FRAG", "X": "FRAG", "PRN": "FRAG", "UCP": "FRAG",
    "RRC": "VP",
}
# fmt: on


def is_mark(node: Tree) -> bool:
    """Return whether *node* is a punctuation mark."""
    return node.label in PUNCTUATION


def phrase_class(node: Tree) -> str:
    """Return the category of what coordinates with *node*: VP, NP, ADJP, ADVP, S or PP, or its label.

    >>> phrase_class(Tree("NNS", (), 0, 1, "dogs"))
    'NP'
    """
    return _CLASSES.get(node.label, node.label)


def rules_for(label: str) -> str:
    """Return the label whose rules apply to a node labelled *label*, ignoring function tags."""
    plain = label if label in _RULES or label in _SAME_RULES else label.split("-")[0].split("=")[0]
    return _SAME_RULES.get(plain, plain)


def first_verb(node: Tree) -> Tree | None:
    """Return the leaf of the first verb of a verb phrase, including auxiliaries."""
    for child in node.children:
        if child.label in _VERB_TAGS:
            return child
        if child.label == "VP":
            return first_verb(child)
    return node if node.label in _VERB_TAGS else None


def head_child(node: Tree, *, existential: bool = False) -> int:
    """Return the index of the child that heads *node*.

    *existential*: *node* is the verb phrase of *there is*, whose verb is the head.

    >>> from crossexam.language.parsing.trees import parse_tree
    >>> tree = parse_tree("(VP (VBZ is) (VP (VBG riding) (NP (DT a) (NN horse))))")
    >>> head_child(tree), head_child(tree.children[1].children[1])
    (1, 1)
    """
    children, label = node.children, rules_for(node.label)
    if label == "VP":
        return _verb_phrase_head(children, existential)
    if label == "NP" and (noun := _noun_before_conjunction(children)) is not None:
        return noun
    if label == "S" and (verb := _verb_after_subject(children)) is not None:
        return verb
    found = _by_rules(children, label)
    return _first_conjunct(children, found)


def _by_rules(children: Sequence[Tree], label: str) -> int:
    bare = [child.label if child.label in ("NP-TMP",) else child.label.split("-")[0] for child in children]
    for direction, group in _RULES.get(label, ()):
        places = [k for k, name in enumerate(bare) if name in group and not _is_possessive(children[k])]
        if places:
            return places[0] if direction == "<" else places[-1]
    content = [k for k, child in enumerate(children) if not is_mark(child) and child.label != "CC"]
    return content[0] if content else 0


def _is_possessive(node: Tree) -> bool:
    return bool(node.children) and node.children[-1].label == "POS"


def _first_conjunct(children: Sequence[Tree], found: int) -> int:
    """Return the first child that is coordinated with the head *found*, or *found*."""
    joined = [k for k, child in enumerate(children) if child.label in ("CC", "CONJP") and k]
    if not joined or children[found].label in _VERB_TAGS:
        return found
    alike = [k for k, child in enumerate(children) if phrase_class(child) == phrase_class(children[found])]
    return alike[0] if alike[0] < joined[0] else found


def _verb_phrase_head(children: Sequence[Tree], existential: bool) -> int:
    verb = next((k for k, child in enumerate(children) if child.label in _VERB_TAGS), None)
    inner = next((k for k, child in enumerate(children) if child.label == "VP"), None)
    to = next((k for k, child in enumerate(children) if child.label == "TO"), None)
    if verb is None or (inner is not None and inner < verb):
        return inner if inner is not None else _by_rules(children, "VP") if to is None else to
    word = children[verb].word.lower()
    if inner is not None and is_auxiliary(children[verb], children[inner]):
        joined = any(child.label == "CC" for child in children[verb:inner])
        if not joined:
            return inner
    if word in PENN_BE and not existential:
        found = [
            k
            for k in range(verb + 1, len(children))
            if children[k].label.split("-")[0] in _PREDICATES and children[k].label != "NP-TMP"
        ]
        if found:  # is clearly the best: an adverb only if there is nothing else
            return next((k for k in found if children[k].label != "ADVP"), found[0])
    return verb


def is_auxiliary(verb: Tree, inner: Tree) -> bool:
    """Return whether the leaf *verb* is an auxiliary of the verb phrase *inner* after it."""
    word = verb.word.lower()
    if verb.label == "MD" or word in PENN_BE or word in PENN_DO:
        return True
    first = first_verb(inner)
    participle = first is not None and first.label in {"VBN", "VBD"}
    return participle and (word in PENN_HAVE or word in GET)


def _verb_after_subject(children: Sequence[Tree]) -> int | None:
    """Return the verb phrase after the first noun phrase if another, a participle's, precedes that."""
    labels = [child.label for child in children]
    if "NP" not in labels or "VP" not in labels[: labels.index("NP")] or "CC" in labels:
        return None
    return next((k for k in range(labels.index("NP"), len(labels)) if labels[k] == "VP"), None)


def _noun_before_conjunction(children: Sequence[Tree]) -> int | None:
    """Return the noun that a flat coordination of nouns begins with: *a man and a woman*.

    None if the conjuncts precede the noun: *red and white flags*.
    """
    joined = next((k for k, child in enumerate(children) if child.label in ("CC", "CONJP") and k), None)
    if joined is None or not any(phrase_class(child) == "NP" for child in children[joined:]):
        return None
    before = joined - 1
    while before > 0 and is_mark(children[before]):
        before -= 1
    if children[before].label not in _NOUNS:
        return None
    first = before
    marks = [k for k in range(before) if is_mark(children[k])]
    if marks and marks[0] and children[marks[0] - 1].label in _NOUNS:
        first = marks[0] - 1  # boys, girls and women
    return first
