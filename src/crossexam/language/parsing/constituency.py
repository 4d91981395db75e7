"""Conversion of constituency parses in Penn notation to Universal Dependencies.

Heads are determined by the rules of ``head_rules.py``.  The relation of a child to the head of its
constituent depends on the kind of the constituent: :func:`label_of` applies different rules to clauses,
subordinate clauses within a clause, noun phrases, and all other phrases.

The relations (de Marneffe, Manning, Nivre and Zeman, 2021) require more information than a parser without
function tags provides, so a few are approximate: a noun phrase directly after another one is an apposition, a
temporal noun phrase is recognized by its noun, and the gap of a relative clause is its subject if it has
none, and otherwise its object.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from crossexam.language.lexicons.closed_classes import SUBORDINATORS
from crossexam.language.parsing.dependencies import Parsed
from crossexam.language.parsing.head_rules import (
    BE,
    GET,
    HAVE,
    first_verb,
    head_child,
    is_mark,
    phrase_class,
    rules_for,
)
from crossexam.language.parsing.trees import Tree, parse_tree
from crossexam.language.tokens import align

# fmt: off
_BY_TAG: Final = {
    "CC": "cc", "CONJP": "cc", "PRT": "compound:prt", "RP": "compound:prt", "EX": "expl", "UH": "discourse",
    "INTJ": "discourse", "MD": "aux", "POS": "case", "PRN": "parataxis", "PRP$": "nmod:poss",
    "WP$": "nmod:poss", "WRB": "advmod", "WHADVP": "advmod", "WHPP": "obl", "LS": "discourse",
    "LST": "discourse",
}
_NOUNS: Final = frozenset("NN NNS NNP NNPS".split())
# Nouns that are temporal by themselves (Bies et al., 1995, section 2.2.2 on -TMP).
_TIMES: Final = frozenset(
    "today tonight yesterday tomorrow monday tuesday wednesday thursday friday saturday sunday morning "
    "afternoon evening night day week month year summer winter spring autumn fall time noon".split()
)
# Those of adverbial clauses: "that" and "whether" open complements.
_ADVERBIAL: Final = SUBORDINATORS - {"that", "whether", "wherever", "whilst"} | {"so", "like"}
# Verbs whose participle or infinitive is a complement (Quirk et al., 1985, sections 16.38 to 16.40).
_CATENATIVE: Final = frozenset(
    "start begin stop keep continue like love enjoy try want need prefer finish avoid go come seem appear "
    "plan hope attempt learn help dare decide refuse consider practice".split()
)
_BEFORE_NOUN: Final = {
    "DT": "det", "PDT": "det", "WDT": "det", "CD": "nummod", "QP": "nummod", "JJ": "amod", "JJR": "amod",
    "JJS": "amod", "ADJP": "amod", "VBN": "amod", "VBG": "amod", "VBD": "amod", "NN": "compound",
    "NNS": "compound", "NNP": "compound", "NNPS": "compound", "NML": "compound", "NX": "compound",
    "NAC": "compound", "FW": "compound", "RB": "advmod", "ADVP": "advmod", "RBR": "advmod", "RBS": "advmod",
    "$": "compound", "UCP": "amod", "PRP": "dep", "WHADJP": "amod", "VB": "compound", "VBZ": "compound",
}
# fmt: on


@dataclass(frozen=True, slots=True)
class NodeContext:
    """The ancestors of a node, outermost first, and whether its subject is existential *there*."""

    parents: tuple[tuple[Tree, int], ...] = ()  # a node and the index of its child on the path
    existential: bool = False

    def below(self, node: Tree, child: int, *, existential: bool) -> NodeContext:
        """Return the context of the *child*-th child of *node*."""
        verbal = node.children[child].label == "VP"
        return NodeContext((*self.parents, (node, child)), existential and verbal)


def label_of(node: Tree, chosen: int, k: int, context: NodeContext) -> str:
    """Return the relation of child *k* of *node* to the head of child *chosen*."""
    child, head = node.children[k], node.children[chosen]
    if is_mark(child):
        return "punct"
    if _is_conjunct(node, chosen, k):
        return "conj"
    if child.label == "IN" and rules_for(node.label) == "PP":
        return "mark" if _is_clause(head) else "case"
    if rules_for(node.label) == "PP" and child.label in {"TO", "VBG", "RB", "RP", "JJ", "VBN", "FW", "CC"}:
        before = [each.label for each in node.children[k + 1 : k + 2]]
        return "advmod" if child.label == "RB" and before == ["IN"] else "case"
    if child.label in _BY_TAG and not (child.label == "UH" and phrase_class(head) == "NP"):
        return _BY_TAG[child.label]
    kind = rules_for(node.label)
    if kind == "SBAR":
        return _in_subordinate(node, chosen, child)
    if kind in {"VP", "S", "SINV", "SQ", "SBARQ"}:
        return _in_clause(node, chosen, k, context)
    if kind == "NP" or (kind in {"FRAG", "PP", "QP"} and phrase_class(head) == "NP"):
        return _in_noun_phrase(node, chosen, k)
    return _beside_adjective(child)


def _is_conjunct(node: Tree, chosen: int, k: int) -> bool:
    """Return whether child *k* is coordinated with the head, or with an earlier child of its own category."""
    children = node.children
    child, head = children[k], children[chosen]
    joins = [j for j, each in enumerate(children) if each.label in {"CC", "CONJP"} and j]
    if not joins or child.label in {"CC", "CONJP"}:
        return False
    alike = phrase_class(child) == phrase_class(head) or node.label == "UCP"
    if alike and chosen < k:
        flat = head.label in _NOUNS
        if flat and child.label not in _NOUNS | {"NP"}:
            return False
        if flat and any(each.label in _NOUNS for each in children[k + 1 : k + 2]):
            return False  # part of a compound in the second conjunct
        joined = any(j < k for j in joins) or is_mark(children[k - 1])
        return joined and child.label not in {"DT", "CD", "EX"}
    before = [j for j in joins if j < k]
    first = before[-1] - 1 if before else -1
    return bool(before) and k < chosen and first >= 0 and phrase_class(children[first]) == phrase_class(child)


def _in_subordinate(node: Tree, chosen: int, child: Tree) -> str:
    head = node.children[chosen]
    if child.label in {"IN", "DT", "TO"}:
        return "mark"
    if child.label.startswith("WH"):
        has_subject = any(each.label in {"NP", "EX", "SBAR"} for each in head.children[:-1])
        return "obj" if has_subject else ("nsubj:pass" if is_passive(head) else "nsubj")
    return _beside_adjective(child)


def is_passive(node: Tree) -> bool:
    """Return whether a clause or verb phrase is passive: *be* or *get* before a past participle.

    >>> from crossexam.language.parsing.trees import parse_tree
    >>> is_passive(parse_tree("(VP (VBZ has) (VP (VBN been) (VP (VBN seen))))"))
    True
    """
    inner = next((child for child in node.children if child.label == "VP"), None)
    if inner is None:
        return False
    if rules_for(node.label) != "VP":
        verb = next((c for c in node.children if c.label in {"VBZ", "VBP", "VBD"}), None)  # of a question
        return is_passive(inner) or (verb is not None and _makes_passive(verb, inner))
    verb = next((child for child in node.children if child.label.startswith("VB")), None)
    return (verb is not None and _makes_passive(verb, inner)) or is_passive(inner)


def _makes_passive(verb: Tree, inner: Tree) -> bool:
    first = first_verb(inner)
    participle = first is not None and first.label in {"VBN", "VBD"} and first.word.lower() not in BE
    return participle and verb.word.lower() in BE | GET


def _in_clause(node: Tree, chosen: int, k: int, context: NodeContext) -> str:
    child, head = node.children[k], node.children[chosen]
    if child.label.startswith("VB"):
        return _auxiliary(child, head)
    if child.label == "TO":
        return "mark"
    if phrase_class(child) == "NP":
        return _noun_phrase_in_clause(node, chosen, k, context)
    if child.label == "PP":
        return _preposition_in_clause(child, node, context)
    if child.label in {"ADJP", "JJ", "JJR", "UCP"}:
        return "xcomp" if k > chosen else "advmod" if node.label != "VP" else "xcomp"
    if child.label == "VP":
        return "xcomp" if head.label.startswith("VB") and _governs(head) else "advcl"
    if child.label in {"S", "SBAR"}:
        return _clause_in_clause(node, chosen, k)
    return "advmod" if phrase_class(child) == "ADVP" else "mark" if child.label == "IN" else "dep"


def _auxiliary(verb: Tree, head: Tree) -> str:
    if rules_for(head.label) == "VP" or head.label.startswith("VB"):
        return "aux:pass" if _makes_passive(verb, head) else "aux"
    return "cop" if verb.word.lower() in BE else "aux"


def _noun_phrase_in_clause(node: Tree, chosen: int, k: int, context: NodeContext) -> str:
    child, children = node.children[k], node.children
    if child.label == "EX" or (child.children and child.children[0].label == "EX"):
        return "expl"
    if child.label == "NP-TMP" or _is_temporal(child):
        return "obl"
    question = rules_for(node.label) in {"SQ", "SINV"}
    if rules_for(node.label) == "VP" and not question:
        if context.existential:
            return "nsubj"
        return "obl" if k < chosen else _object(children, chosen, k)
    later = [j for j in range(k + 1, len(children)) if phrase_class(children[j]) == "NP" and j < chosen]
    if k > chosen and not question:
        return "dep"
    return "dep" if later else "nsubj:pass" if is_passive(node) else "nsubj"


def _object(children: tuple[Tree, ...], chosen: int, k: int) -> str:
    """Return whether the noun phrase *k* after a verb is its object or its indirect object."""
    phrases = [j for j in range(chosen + 1, len(children)) if _may_be_object(children[j])]
    if len(phrases) == 1:
        return "obj"
    if any(is_mark(each) for each in children[phrases[0] : phrases[1]]):
        return "obj" if k == phrases[0] else "dep"
    return "iobj" if k == phrases[0] else "obj" if k == phrases[1] else "dep"


def _may_be_object(node: Tree) -> bool:
    return phrase_class(node) == "NP" and node.label != "NP-TMP" and not _is_temporal(node)


def _is_temporal(node: Tree) -> bool:
    leaves = node.leaves() if node.children else [(node.label, node.word)]
    flat = all(not child.children for child in node.children)
    return flat and leaves[-1][1].lower() in _TIMES and leaves[0][1].lower() not in {"the", "a", "an"}


def _preposition_in_clause(child: Tree, node: Tree, context: NodeContext) -> str:
    if _is_clause(child.children[head_child(child)]):
        return "advcl"
    by = child.children[0].word.lower() == "by"
    return "obl:agent" if by and _is_participle_phrase(node, context) else "obl"


def _is_participle_phrase(node: Tree, context: NodeContext) -> bool:
    """Return whether *node* is headed by a past participle in the passive: after *have* it is not."""
    verb = first_verb(node)
    if node.label != "VP" or verb is None or verb.label not in {"VBN", "VBD"}:
        return False
    for parent, taken in reversed(context.parents):
        if parent.label != "VP":
            break
        before = [each for each in parent.children[:taken] if each.label.startswith("VB")]
        if before:
            return before[-1].word.lower() in BE | GET
    return verb.label == "VBN"


def _governs(verb: Tree) -> bool:
    """Return whether a participle after the leaf *verb* is its complement."""
    word = verb.word.lower()
    return any(word in _forms(base) for base in _CATENATIVE) or word in HAVE


def _forms(base: str) -> set[str]:
    irregular = {
        "begin": {"began", "begun"},
        "keep": {"kept"},
        "go": {"went", "gone", "goes"},
        "come": {"came"},
    }
    stem = base[:-1] if base.endswith(("e", "y")) else base
    double = base + base[-1]
    made = {
        base,
        f"{base}s",
        f"{base}ed",
        f"{base}d",
        f"{base}ing",
        f"{stem}ing",
        f"{stem}ies",
        f"{stem}ied",
        f"{double}ing",
        f"{double}ed",
    }
    return made | irregular.get(base, set())


def _clause_in_clause(node: Tree, chosen: int, k: int) -> str:
    """Return the relation of the clause *k* below *node* to the head of child *chosen*."""
    child, head = node.children[k], node.children[chosen]
    if k < chosen:
        finite = rules_for(node.label) == "S" and child.label == "SBAR" and _opens_with_wh(child)
        return "csubj" if finite and not is_mark(node.children[k + 1]) else "advcl"
    if child.label == "SBAR":
        first = child.children[0]
        adverbial = (
            first.label in {"IN", "RB", "WHADVP", "ADVP"}
            and (first.leaves()[0][1].lower() if first.children else first.word.lower()) in _ADVERBIAL
        )
        return "advcl" if adverbial or is_mark(node.children[k - 1]) else "ccomp"
    if is_mark(node.children[k - 1]):
        return "advcl" if rules_for(node.label) == "VP" else "parataxis"
    if any(each.label in {"NP", "EX"} for each in child.children[:-1]):
        return "ccomp"
    verb = first_verb(head) or head
    inner = next((each for each in child.children if each.label == "VP"), None)
    infinitive = inner is not None and inner.children[0].label == "TO"
    has_object = any(phrase_class(each) == "NP" for each in node.children[chosen + 1 : k])
    if infinitive and not has_object:
        return "xcomp"
    return "xcomp" if _governs(verb) or (inner is None) else "advcl"


def _opens_with_wh(node: Tree) -> bool:
    return node.children[0].label.startswith("WH") or node.children[0].word.lower() in {"that", "whether"}


def _is_clause(node: Tree) -> bool:
    """Return whether *node* is a clause or a verb phrase, so that a preposition before it is a marker."""
    return rules_for(node.label) in {"S", "VP", "SBAR", "SQ", "SINV"} or node.label in {"VBG"}


def _in_noun_phrase(node: Tree, chosen: int, k: int) -> str:
    """Return the relation of child *k* of a noun phrase to the head of its child *chosen*."""
    child = node.children[k]
    possessive = k + 1 < chosen and node.children[k + 1].label == "POS"
    if possessive or (child.label == "NP" and child.children[-1].label == "POS"):
        return "nmod:poss"
    if k < chosen and child.label in _BEFORE_NOUN:
        return "advmod" if child.label == "RB" else _BEFORE_NOUN[child.label]
    if child.label in {"PP", "WHPP"}:
        return "acl" if _is_clause(child.children[head_child(child)]) else "nmod"
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


def _beside_adjective(child: Tree) -> str:
    """Return the relation of *child* to a head that is neither verb nor noun, an adjective or adverb."""
    kind = phrase_class(child)
    if child.label in {"S", "SBAR"}:
        return "advcl"
    if child.label == "IN":
        return "advmod"
    return {"NP": "obl", "PP": "obl", "ADVP": "advmod", "ADJP": "advmod", "VP": "advcl"}.get(kind, "dep")


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
