"""From the dependencies of spaCy's own English pipelines to Universal Dependencies.

Their labels are ClearNLP's (Choi and Palmer, 2012, "Guidelines for the CLEAR style constituent to
dependency conversion").  Some differ in name only, others in direction: in ClearNLP a preposition heads
its object, *be* its predicate, and each conjunct the next one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crossexam.language.parsing.head_rules import BE
from crossexam.language.tokens import Token

# fmt: off
_NAMES: Final = {
    "ROOT": "root",        "dobj": "obj",             "nsubjpass": "nsubj:pass", "csubjpass": "csubj:pass",
    "auxpass": "aux:pass", "poss": "nmod:poss",       "prt": "compound:prt",     "relcl": "acl:relcl",
    "neg": "advmod",       "npadvmod": "obl",         "quantmod": "advmod",      "predet": "det",
    "preconj": "cc",       "intj": "discourse",       "meta": "dep",             "oprd": "xcomp",
    "dative": "iobj",      "attr": "xcomp",           "acomp": "xcomp",
    "agent": "obl:agent",  "pcomp": "advcl",          "prep": "advmod",          "pobj": "obl",
}
# fmt: on
_PREPOSITIONS: Final = frozenset({"prep", "agent", "dative"})
_NOMINAL_TAGS: Final = frozenset("NN NNS NNP NNPS PRP CD DT WP EX".split())
CLEAR_ONLY: Final = frozenset({"dobj", "pobj", "nsubjpass", "auxpass"})


def to_universal(
    tokens: Sequence[Token], heads: Sequence[int], labels: Sequence[str]
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return heads and relations in Universal Dependencies, given ClearNLP's; roots have the head -1.

    >>> tokens = [Token(word, 0, 0, tag) for word, tag in (("Go", "VB"), ("to", "IN"), ("bed", "NN"))]
    >>> to_universal(tokens, [-1, 0, 1], ["ROOT", "prep", "pobj"])
    ((-1, 2, 0), ('root', 'case', 'obl'))
    """
    conversion = _Conversion(
        tokens, list(heads), ["compound" if label == "nmod" else label for label in labels]
    )
    conversion.predicates()
    conversion.prepositions()
    conversion.conjuncts()
    named = tuple(
        "mark" if label == "aux" and tokens[k].tag == "TO" else _NAMES.get(label, label)
        for k, label in enumerate(conversion.labels)
    )
    return tuple(conversion.heads), named


class _Conversion:
    def __init__(self, tokens: Sequence[Token], heads: list[int], labels: list[str]) -> None:
        self.tokens, self.heads, self.labels = tokens, heads, labels

    def children(self, k: int, *labels: str) -> list[int]:
        return [j for j, head in enumerate(self.heads) if head == k and self.labels[j] in labels]

    def raise_over(self, child: int, parent: int, label: str) -> None:
        """Exchange *child* and its *parent*, whose other dependents *child* takes over."""
        self.heads[child], self.labels[child] = self.heads[parent], self.labels[parent]
        self.heads = [child if h == parent and j != child else h for j, h in enumerate(self.heads)]
        self.heads[parent], self.labels[parent] = child, label

    def predicates(self) -> None:
        """Make the predicate the head of *be*, or its subject after existential *there*."""
        for k, token in enumerate(self.tokens):
            if token.text.lower() not in BE or self.labels[k] in {"aux", "auxpass"}:
                continue
            complements = self.children(k, "attr", "acomp")
            if self.children(k, "expl"):
                for j in complements:
                    self.labels[j] = "nsubj"
                continue
            subject = self.children(k, "nsubj")
            places = [j for j in self.children(k, "prep") if subject and j > k and self.children(j, "pobj")]
            if chosen := complements[:1] or places[:1]:
                self.raise_over(chosen[0], k, "cop")

    def prepositions(self) -> None:
        """Make the object the head of its preposition, as ``obl``, ``obl:agent``, ``nmod`` or a clause."""
        for k, label in reversed(list(enumerate(self.labels))):  # the object of an inner one first
            objects, clauses = self.children(k, "pobj"), self.children(k, "pcomp")
            if not (objects or clauses):
                continue
            wanted = self._relation(k, label, bool(objects))
            self.raise_over((objects or clauses)[0], k, "case" if objects else "mark")
            self.labels[(objects or clauses)[0]] = wanted

    def _relation(self, k: int, label: str, phrase: bool) -> str:
        head = self.heads[k]
        under_noun = head >= 0 and self.tokens[head].tag in _NOMINAL_TAGS and not self._is_predicate(head)
        if label not in _PREPOSITIONS:  # a conjunct, the root, the object of another preposition
            return label if label != "pcomp" else "advcl"
        if not phrase:
            return "acl" if under_noun else "advcl"
        if label == "agent":
            return "obl:agent"
        if head >= 0 and self.labels[head] == "prep" and self.tokens[head].tag in {"IN", "RB", "RP"}:
            return "pobj"  # out of the house: raised over the outer preposition next
        return "nmod" if under_noun else "obl"

    def _is_predicate(self, k: int) -> bool:
        return bool(self.children(k, "cop"))

    def conjuncts(self) -> None:
        """Attach all conjuncts to the first one, and each conjunction to the conjunct it precedes."""
        for k, label in enumerate(self.labels):
            while label == "conj" and self.labels[self.heads[k]] == "conj":
                self.heads[k] = self.heads[self.heads[k]]
        for k, label in enumerate(self.labels):
            if label == "cc":
                later = [j for j in self._conjuncts_of(self.heads[k]) if j > k]
                self.heads[k] = later[0] if later else self.heads[k]

    def _conjuncts_of(self, k: int) -> list[int]:
        first = self.heads[k] if self.labels[k] == "conj" else k
        return self.children(first, "conj")
