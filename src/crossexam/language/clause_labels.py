"""Which relation a clause has to the verb of the clause that it stands in."""

from __future__ import annotations

from typing import Final

from crossexam.language.head_rules import HAVE, first_verb, is_mark, phrase_class, rules_for
from crossexam.language.trees import Tree

# fmt: off
_SUBORDINATORS: Final = frozenset(
    "while as because since although though before after until till unless once when whenever where so if "
    "whereas lest than like".split()
)
# Verbs whose participle or infinitive is a complement (Quirk et al., 1985, sections 16.38 to 16.40).
_CATENATIVE: Final = frozenset(
    "start begin stop keep continue like love enjoy try want need prefer finish avoid go come seem appear "
    "plan hope attempt learn help dare decide refuse consider practice".split()
)
# fmt: on


def governs(verb: Tree) -> bool:
    """Tell whether a participle after the leaf *verb* is its complement."""
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
    made = {base, f"{base}s", f"{base}ed", f"{base}d", f"{base}ing", f"{stem}ing", f"{stem}ies", f"{stem}ied",
            f"{double}ing", f"{double}ed"}  # fmt: skip
    return made | irregular.get(base, set())


def clause_in_clause(node: Tree, chosen: int, k: int) -> str:
    """Return the relation of the clause *k* below *node* to the head of child *chosen*."""
    child, head = node.children[k], node.children[chosen]
    if k < chosen:
        finite = rules_for(node.label) == "S" and child.label == "SBAR" and _opens_with_wh(child)
        return "csubj" if finite and not is_mark(node.children[k + 1]) else "advcl"
    if child.label == "SBAR":
        first = child.children[0]
        adverbial = (
            first.label in {"IN", "RB", "WHADVP", "ADVP"}
            and (first.leaves()[0][1].lower() if first.children else first.word.lower()) in _SUBORDINATORS
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
    return "xcomp" if governs(verb) or (inner is None) else "advcl"


def _opens_with_wh(node: Tree) -> bool:
    return node.children[0].label.startswith("WH") or node.children[0].word.lower() in {"that", "whether"}
