"""Which relation a child of a constituent has to its head, in Universal Dependencies: the rows of a table.

The first row that applies decides.  The relations (de Marneffe, Manning, Nivre and Zeman, 2021) require more
information than a parser without function tags provides, so a few are approximate: a noun phrase directly
after another one is an apposition, a temporal noun phrase is recognized by its noun, and the gap of a
relative clause is its subject if it has none, and otherwise its object.

In the table, "UD" is the page of the relation on universaldependencies.org/u/dep or /en/dep, "PTB" the
bracketing guidelines of the Penn Treebank (Bies et al., 1995), and "Quirk" Quirk et al. (1985).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from crossexam.language.lexicons.closed_classes import ARTICLES, SUBORDINATORS
from crossexam.language.parsing.head_rules import (
    GET,
    PENN_BE,
    PENN_HAVE,
    first_verb,
    head_child,
    is_mark,
    phrase_class,
    rules_for,
)
from crossexam.language.parsing.trees import Tree
from crossexam.language.remembered import WORDS, remembered

_CLASSES: Final = {"NP": "nominal", "VP": "verbal", "ADJP": "adjectival", "ADVP": "adverbial"}
_NOUNS: Final = frozenset("NN NNS NNP NNPS".split())
# Nouns that are temporal by themselves (Bies et al., 1995, section 2.2.2 on -TMP).
_TIMES: Final = frozenset(
    "today tonight yesterday tomorrow monday tuesday wednesday thursday friday saturday sunday morning "
    "afternoon evening night day week month year summer winter spring autumn fall time noon".split()
)
# Those of adverbial clauses: "that" and "whether" open complements.
_ADVERBIAL: Final = SUBORDINATORS - {"that", "whether", "wherever", "whilst"} | {"so", "like"}
# Verbs whose participle or infinitive is a complement (Quirk et al., 1985, sections 16.38 to 16.40) ...
_CATENATIVE: Final = (
    "start begin stop keep continue like love enjoy try want need prefer finish avoid go come seem appear "
    "plan hope attempt learn help dare decide refuse consider practice".split()
)
# ... in all their forms, and some that do not exist.
_GOVERNING: Final = PENN_HAVE.union(
    "began begun kept went gone goes came".split(),
    (verb + end for verb in _CATENATIVE for end in ("", "s", "ed", "d", "ing")),
    (verb[:-1] + end for verb in _CATENATIVE if verb[-1] in "ey" for end in ("ing", "ies", "ied")),
    (verb + verb[-1] + end for verb in _CATENATIVE for end in ("ed", "ing")),
)


@dataclass(eq=False, slots=True)
class Placed:
    """A *child*, the *k*-th of *node*, whose head is the *chosen*-th; *above* is where *node* itself is."""

    child: Tree
    k: int
    node: Tree
    chosen: int
    above: Placed | None = None

    @property
    def head(self) -> Tree:
        """The child that heads the node."""
        return self.node.children[self.chosen]

    @property
    def first(self) -> Tree:
        """The first child of the child, or the child itself if it is a word."""
        return self.child.children[0] if self.child.children else self.child

    @property
    def next_label(self) -> str:
        """The label of the next child, or nothing."""
        return self.node.children[self.k + 1].label if self.k + 1 < len(self.node.children) else ""

    @property
    def is_after_mark(self) -> bool:
        """Whether a punctuation mark precedes the child."""
        return self.k > 0 and is_mark(self.node.children[self.k - 1])

    @property
    def is_existential(self) -> bool:
        """Whether the child is a clause with *there* for its subject, or a verb phrase of one."""
        if rules_for(self.child.label) in {"S", "SINV", "SQ"}:
            return any(map(_is_there, self.child.children))
        return self.child.label == "VP" and self.above is not None and self.above.is_existential


def _is_there(node: Tree) -> bool:
    first = node.children[0] if node.label == "NP" and node.children else node
    return first.label == "EX"


# Coordination


def _joins(node: Tree) -> bool:
    return node.label in {"CC", "CONJP"}


def _is_conjunct(place: Placed) -> bool:
    """Return whether the child, after the head, is coordinated with it."""
    children, child, head = place.node.children, place.child, place.head
    if phrase_class(child) != phrase_class(head) and place.node.label != "UCP":
        return False
    if child.label in {"CC", "CONJP", "DT", "CD", "EX"} or not any(map(_joins, children[1:])):
        return False
    if head.label in _NOUNS and (child.label not in _NOUNS | {"NP"} or place.next_label in _NOUNS):
        return False  # part of a compound in the second conjunct
    return place.is_after_mark or any(map(_joins, children[1 : place.k]))


def _is_second_modifier(place: Placed) -> bool:
    """Return whether the child, before the head, is coordinated with an earlier child of its own category."""
    children, child = place.node.children, place.child
    last = next((j for j in range(place.k - 1, 0, -1) if _joins(children[j])), None)
    return last is not None and not _joins(child) and phrase_class(children[last - 1]) == phrase_class(child)


# Verbs


def _is_passive(node: Tree) -> bool:
    """Return whether a clause or verb phrase is passive: *be* or *get* before a past participle."""
    inner = next((child for child in node.children if child.label == "VP"), None)
    verb = next((child for child in node.children if child.label.startswith("VB")), None)
    return inner is not None and ((verb is not None and _makes_passive(verb, inner)) or _is_passive(inner))


def _makes_passive(verb: Tree, inner: Tree) -> bool:
    first = first_verb(inner)
    participle = first is not None and first.label in {"VBN", "VBD"} and first.word.lower() not in PENN_BE
    return participle and verb.word.lower() in PENN_BE | GET


def _is_copula(place: Placed) -> bool:
    verbal = rules_for(place.head.label) == "VP" or place.head.label.startswith("VB")
    return place.child.word.lower() in PENN_BE and not verbal


def _is_agent(place: Placed) -> bool:
    """Return whether the child is the *by* of a past participle in the passive: after *have* it is not."""
    verb, above = first_verb(place.node), place.above
    if place.first.word.lower() != "by" or place.node.label != "VP" or verb is None:
        return False
    while above is not None and above.node.label == "VP":
        auxiliaries = [each for each in above.node.children[: above.k] if each.label.startswith("VB")]
        if auxiliaries:
            return verb.label in {"VBN", "VBD"} and auxiliaries[-1].word.lower() in PENN_BE | GET
        above = above.above
    return verb.label == "VBN"


def _governs(verb: Tree) -> bool:
    """Return whether a participle after the leaf *verb* is its complement."""
    return verb.word.lower() in _GOVERNING


# Noun phrases


def _is_temporal(node: Tree) -> bool:
    words = [word.lower() for _, word in node.leaves()]
    flat = not any(child.children for child in node.children)
    return node.label == "NP-TMP" or (flat and words[-1] in _TIMES and words[0] not in ARTICLES)


def _objects(place: Placed) -> list[int]:
    """Return the indices of the indirect and the direct object, or of the direct object, after the verb."""
    children = place.node.children
    nominal = [k for k in range(place.chosen + 1, len(children)) if phrase_class(children[k]) == "NP"]
    found = [k for k in nominal if not _is_temporal(children[k])][:2]
    separate = len(found) == 2 and any(map(is_mark, children[found[0] : found[1]]))
    return found[:1] if separate else found


def _is_before_another(place: Placed) -> bool:
    return any(phrase_class(each) == "NP" for each in place.node.children[place.k + 1 : place.chosen])


def _is_possessor(place: Placed) -> bool:
    """Return whether *'s* ends the child, or follows before the head."""
    if place.next_label == "POS" and place.k + 1 < place.chosen:
        return True
    return place.child.label == "NP" and any(each.label == "POS" for each in place.child.children[-1:])


# Clauses


def _is_clause(node: Tree) -> bool:
    """Return whether *node* is a clause or a verb phrase, so that a preposition before it is a marker."""
    return rules_for(node.label) in {"S", "VP", "SBAR", "SQ", "SINV"} or node.label == "VBG"


def _introduces_clause(place: Placed) -> bool:
    child = place.child
    return bool(child.children) and _is_clause(child.children[head_child(child)])


def _has_subject(clause: Tree, *labels: str) -> bool:
    return any(each.label in {"NP", "EX", *labels} for each in clause.children[:-1])


def _is_subject_clause(place: Placed) -> bool:
    opens = place.first.label.startswith("WH") or place.first.word.lower() in {"that", "whether"}
    return opens and not is_mark(place.node.children[place.k + 1])


def _is_adverbial(place: Placed) -> bool:
    word = place.child.leaves()[0][1].lower()
    opens = place.first.label in {"IN", "RB", "WHADVP", "ADVP"} and word in _ADVERBIAL
    return place.is_after_mark or opens


def _is_open_complement(place: Placed) -> bool:
    """Return whether the child, a clause without a subject, is a complement of the head: *want to buy*."""
    inner = next((each for each in place.child.children if each.label == "VP"), None)
    if inner is None or _governs(first_verb(place.head) or place.head):
        return True
    between = place.node.children[place.chosen + 1 : place.k]
    infinitive = any(each.label == "TO" for each in inner.children[:1])
    return infinitive and not any(phrase_class(each) == "NP" for each in between)


class Row(NamedTuple):
    """A row: the *relation* of a *child* below a *parent* if both are of these kinds and the row *holds*.

    Kinds are labels, or classes in small letters (:func:`parent_kinds`, :func:`child_kinds`); none means any.
    *side* is that of the child, seen from the head.  In *parse* this row decides about *word*, and *why* says
    what the relation is, with the source.
    """

    relation: str
    parent: str
    child: str
    side: Literal["before", "after", ""]
    holds: Callable[[Placed], object] | None
    parse: str
    word: str
    why: str


# fmt: off
RELATIONS: Final = (
    # Marks and conjuncts
    Row("punct", "", "punctuation", "", None,
        "(S (NP (PRP It)) (VP (VBD rained)) (. .))", ".", "UD: punctuation"),
    Row("conj", "", "", "after", _is_conjunct,
        "(NP (NN tea) (CC and) (NN cake))", "cake", "UD: conjuncts depend on the first one"),
    Row("conj", "", "", "before", _is_second_modifier,
        "(NP (JJ red) (CC and) (JJ white) (NNS flags))", "white", "PTB: modifiers in a flat noun phrase"),

    # Prepositions
    Row("mark", "PP", "IN", "", lambda p: _is_clause(p.head),
        "(PP (IN by) (S (VP (VBG winding) (NP (NN gauze)))))", "by", "UD: a marker if a clause follows"),
    Row("case", "PP nominal", "IN", "", None,
        "(PP (IN on) (NP (DT the) (NN shelf)))", "on", "UD: prepositions depend on their noun"),
    Row("advmod", "PP", "RB", "", lambda p: p.next_label == "IN",
        "(PP (RB just) (IN above) (NP (DT the) (NN door)))", "just", "UD: an adverb before a preposition"),
    Row("case", "PP", "TO VBG RB RP JJ VBN FW CC", "", None,
        "(PP (TO to) (NP (DT a) (NN post)))", "to", "PTB: what else heads a PP: to, including, such as"),

    # Other words and phrases that have the same relation everywhere
    Row("cc", "", "CC CONJP", "", None,
        "(NP (NN tea) (CC and) (NN cake))", "and", "UD: a coordinating conjunction"),
    Row("compound:prt", "", "PRT RP", "", None,
        "(VP (VB pick) (PRT (RP up)) (NP (NNS shells)))", "up", "UD: the particle of a phrasal verb"),
    Row("dep", "", "UH", "", lambda p: phrase_class(p.head) == "NP",
        "(NP (DT the) (UH um) (NN barn))", "um", "left open; UD has discourse"),
    Row("discourse", "", "UH INTJ LS LST", "", None,
        "(S (INTJ (UH Oh)) (, ,) (NP (PRP it)) (VP (VBD rained)))", "Oh", "UD: an interjection"),
    Row("aux", "", "MD", "", None,
        "(VP (MD may) (VP (VB rain)))", "may", "UD: a modal verb is an auxiliary"),
    Row("advmod", "", "ADVP RB WHADVP WRB", "", None,
        "(VP (VBD waved) (ADVP (RB gently)))", "gently", "UD: an adverb"),
    Row("case", "", "POS", "", None,
        "(NP (NP (DT the) (NN farmer) (POS 's)) (NN daughter))", "'s", "UD: the mark of the genitive"),
    Row("nmod:poss", "", "PRP$ WP$", "", None,
        "(NP (PRP$ his) (NN uncle))", "his", "UD: a possessive pronoun"),
    Row("parataxis", "", "PRN", "", None,
        "(NP (NP (NNS Cats)) (PRN (: --) (NP (CD two)) (: --)))", "two", "PTB: a parenthetical"),

    # Subordinate clauses
    Row("mark", "SBAR", "IN DT TO", "", None,
        "(SBAR (IN because) (S (NP (PRP it)) (VP (VBD rained))))", "because", "UD: a marker of a clause"),
    Row("obj", "SBAR", "wh", "", lambda p: _has_subject(p.head, "SBAR"),
        "(SBAR (WHNP (WDT that)) (S (NP (PRP we)) (VP (VBD saw))))", "that", "approximate: see above"),
    Row("nsubj:pass", "SBAR", "wh", "", lambda p: _is_passive(p.head),
        "(SBAR (WHNP (WDT that)) (S (VP (VBD was) (VP (VBN seen)))))", "that", "UD: subject of a passive"),
    Row("nsubj", "SBAR", "wh", "", None,
        "(SBAR (WHNP (WP who)) (S (VP (VBD smiled))))", "who", "UD: a subject"),

    # Verbs and their complements
    Row("cop", "clause", "verb", "", _is_copula,
        "(VP (VBZ is) (ADJP (JJ hot)))", "is", "UD: the predicate is the head, not the copula"),
    Row("aux:pass", "clause", "verb", "", lambda p: _makes_passive(p.child, p.head),
        "(VP (VBD was) (VP (VBN sold)))", "was", "UD: the auxiliary of a passive"),
    Row("aux", "clause", "verb", "", None,
        "(VP (VBZ is) (VP (VBG raining)))", "is", "UD: any other verb before a verb is an auxiliary"),
    Row("mark", "clause", "TO IN", "", None,
        "(VP (TO to) (VP (VB buy) (NP (DT the) (NN barn))))", "to", "UD: marks an infinitive, or a clause"),
    Row("xcomp", "clause", "VP", "", lambda p: _governs(p.head),
        "(VP (VBD kept) (VP (VBG singing)))", "singing", "Quirk 16.39: a participle as complement"),
    Row("advmod", "S SINV SQ SBARQ", "ADJP JJ JJR UCP", "before", None,
        "(S (ADJP (JJ Glad)) (, ,) (NP (PRP she)) (VP (VBD sang)))", "Glad", "approximate: as an adverb"),
    Row("xcomp", "clause", "ADJP JJ JJR UCP", "", None,
        "(VP (VBD felt) (ADJP (JJ tired)))", "tired", "UD: an adjective said of the subject or object"),

    # Noun phrases in clauses
    Row("expl", "clause", "nominal", "", lambda p: _is_there(p.child),
        "(S (NP (EX There)) (VP (VBZ is) (NP (DT a) (NN goat))))", "There", "UD: existential there"),
    Row("obl", "clause", "nominal", "", lambda p: _is_temporal(p.child),
        "(VP (VBD slept) (NP (DT all) (NN day)))", "day", "UD obl:tmod: a noun phrase that says when"),
    Row("nsubj", "VP", "nominal", "", lambda p: p.above and p.above.is_existential,
        "(S (NP (EX There)) (VP (VBZ is) (NP (DT a) (NN goat))))", "goat", "UD expl: what there is"),
    Row("iobj", "VP", "nominal", "after", lambda p: p.k in _objects(p)[:-1],
        "(VP (VBD gave) (NP (NNP Ann)) (NP (NN tea)))", "Ann", "UD: the first of two objects"),
    Row("obj", "VP", "nominal", "after", lambda p: p.k in _objects(p),
        "(VP (VBD drank) (NP (NN tea)))", "tea", "UD: the object"),
    Row("dep", "VP S SBARQ", "nominal", "after", None,
        "(VP (VBD bought) (NP (NN bread)) (, ,) (NP (NN tea)))", "tea", "UD: no relation fits"),
    Row("dep", "S SINV SQ SBARQ", "nominal", "before", _is_before_another,
        "(S (NP (NNP Ann)) (, ,) (NP (PRP she)) (VP (VBD sang)))", "Ann", "UD: dislocated; left open"),
    Row("nsubj:pass", "S SINV SQ SBARQ", "nominal", "", lambda p: _is_passive(p.node),
        "(S (NP (DT The) (NN barn)) (VP (VBD was) (VP (VBN sold))))", "barn", "UD: the subject of a passive"),
    Row("nsubj", "S SINV SQ SBARQ", "nominal", "", None,
        "(S (NP (PRP She)) (VP (VBD sang)))", "She", "UD: the subject"),

    # Prepositional phrases and clauses in clauses
    Row("advcl", "clause", "PP", "", _introduces_clause,
        "(VP (VBD won) (PP (IN by) (S (VP (VBG trying)))))", "trying", "UD: the preposition is a marker"),
    Row("obl:agent", "clause", "PP", "", _is_agent,
        "(VP (VBN seen) (PP (IN by) (NP (DT a) (NN nurse))))", "nurse", "UD: the agent of a passive"),
    Row("csubj", "S", "SBAR", "before", _is_subject_clause,
        "(S (SBAR (IN That) (S (NP (PRP we)) (VP (VBD lost)))) (VP (VBD hurt)))", "lost",
        "UD: a clause as subject"),
    Row("ccomp", "clause", "SBAR", "after", lambda p: not _is_adverbial(p),
        "(VP (VBD said) (SBAR (IN that) (S (NP (PRP we)) (VP (VBD lost)))))", "lost",
        "UD: a clause as object"),
    Row("advcl", "VP", "S", "after", lambda p: p.is_after_mark,
        "(VP (VBD sat) (, ,) (S (NP (NNS eyes)) (VP (VBG shining))))", "shining", "Quirk 15.58: absolute"),
    Row("parataxis", "clause", "S", "after", lambda p: p.is_after_mark,
        "(S (S (NP (PRP I)) (VP (VBD ate))) (: ;) (S (NP (PRP she)) (VP (VBD sang))))", "sang",
        "UD: side by side"),
    Row("ccomp", "clause", "S", "after", lambda p: _has_subject(p.child),
        "(VP (VBD saw) (S (NP (PRP him)) (VP (VB leave))))", "leave", "PTB: it has its own subject"),
    Row("xcomp", "clause", "S", "after", _is_open_complement,
        "(VP (VBP want) (S (VP (TO to) (VP (VB leave)))))", "leave", "UD: its subject is that of the verb"),

    # Within noun phrases
    Row("nmod:poss", "nominal", "", "", _is_possessor,
        "(NP (NP (DT the) (NN farmer) (POS 's)) (NN daughter))", "farmer", "UD: a possessor"),
    Row("det", "nominal", "DT PDT WDT", "before", None,
        "(NP (PDT all) (DT the) (NNS pupils))", "all", "UD: a determiner"),
    Row("nummod", "nominal", "CD QP", "", None,
        "(NP (CD two) (NNS coins))", "two", "UD: a number"),
    Row("amod", "nominal", "JJ ADJP", "", None,
        "(NP (NN something) (JJ red))", "red", "UD: an adjective, on either side"),
    Row("amod", "nominal", "JJR JJS WHADJP UCP VBN VBG VBD", "before", None,
        "(NP (VBN broken) (NN glass))", "broken", "UD: a participle before the noun"),
    Row("compound", "nominal", "NN NNS NNP NNPS NML NX NAC FW $ VB VBZ", "before", None,
        "(NP (NN goat) (NN cheese))", "goat", "UD: a noun before the noun"),
    Row("nmod", "nominal", "NP", "before", None,
        "(NP (NP (CD two) (NNS miles)) (NN walk))", "miles", "UD: a noun phrase before the noun"),
    Row("nmod", "nominal", "PP NP-TMP", "", lambda p: not _introduces_clause(p),
        "(NP (NP (DT the) (NN lid)) (PP (IN of) (NP (DT the) (NN pot))))", "pot", "UD: a nominal modifier"),
    Row("acl:relcl", "nominal", "SBAR", "", lambda p: p.first.label != "IN",
        "(NP (NP (NNS men)) (SBAR (WHNP (WP who)) (S (VP (VBD sang)))))", "sang", "UD: a relative clause"),
    Row("acl", "nominal", "S VP VBG VBN RRC SBAR PP", "", None,
        "(NP (NP (DT a) (NN sailor)) (VP (VBG mending) (NP (NNS nets))))", "mending", "UD: any other clause"),
    Row("appos", "nominal", "nominal", "", lambda p: p.child.children or p.is_after_mark,
        "(NP (NP (NNP Ann)) (, ,) (NP (DT a) (NN nurse)))", "nurse", "UD: a noun phrase after another"),

    # What is left
    Row("advcl", "clause other", "S SBAR verbal", "", None,
        "(VP (VBD left) (SBAR (IN because) (S (NP (PRP we)) (VP (VBD lost)))))", "lost",
        "UD: an adverbial clause"),
    Row("advmod", "nominal", "RBR RBS", "before", None,
        "(NP (RBR more) (NNS coins))", "more", "UD: a comparative adverb before a noun"),
    Row("advmod", "clause other", "RBR RBS", "", None,
        "(ADJP (RBR more) (JJ useful))", "more", "UD: a comparative adverb"),
    Row("advmod", "other", "adjectival IN", "", None,
        "(ADJP (JJ dark) (JJ red))", "dark", "UD: what modifies an adjective or adverb"),
    Row("obl", "", "PP WHPP", "", None,
        "(VP (VBD fell) (PP (IN on) (NP (DT the) (NN floor))))", "floor", "UD: an oblique nominal"),
    Row("obl", "clause other", "nominal", "", None,
        "(ADJP (NP (CD two) (NNS years)) (JJ old))", "years", "UD obl:npmod: a noun phrase as adverbial"),
    Row("dep", "", "", "", None,
        "(FRAG (NP (NN page)) (X (SYM *)))", "*", "UD: no relation fits"),
)
# fmt: on


def deciding(place: Placed) -> Row:
    """Return the row that decides about the relation of the child to the head."""
    before = place.k < place.chosen
    for row in _rows_for(place.node.label, place.head.label, place.child.label, before):
        if row.holds is None or row.holds(place):
            return row
    raise AssertionError("the last row always applies")


@remembered(WORDS)
def _rows_for(parent: str, head: str, child: str, before: bool) -> tuple[Row, ...]:
    """Return the rows for children with the label *child*, in their order."""
    parents, children, side = parent_kinds(parent, head), child_kinds(child), "before" if before else "after"
    return tuple(
        row
        for row in RELATIONS
        if row.side in {side, ""}
        and (not row.parent or parents & set(row.parent.split()))
        and (not row.child or children & set(row.child.split()))
    )


def parent_kinds(label: str, head: str) -> set[str]:
    """Return the kinds of a parent with the label *label*, whose head has the label *head*.

    >>> sorted(parent_kinds("S", "VP")), sorted(parent_kinds("FRAG", "NP")), sorted(parent_kinds("PP", "S"))
    (['S', 'clause'], ['FRAG', 'nominal'], ['PP', 'other'])
    """
    kind, of_noun = rules_for(label), phrase_class(Tree(head, (), 0, 1)) == "NP"
    if kind in {"VP", "S", "SINV", "SQ", "SBARQ"}:
        return {kind, "clause"}
    return {kind, "nominal" if kind == "NP" or (kind in {"FRAG", "PP", "QP"} and of_noun) else "other"}


def child_kinds(label: str) -> set[str]:
    """Return the kinds of a child with the label *label*.

    >>> sorted(child_kinds("VBG")), sorted(child_kinds("NP")), sorted(child_kinds(","))
    (['VBG', 'verb', 'verbal'], ['NP', 'nominal'], [',', 'punctuation'])
    """
    leaf, is_wh = Tree(label, (), 0, 1), label.startswith("WH") and label != "WHPP"
    kind = "verb" if label.startswith("VB") else "wh" if is_wh else "punctuation" if is_mark(leaf) else label
    return {label, _CLASSES.get(phrase_class(leaf), label), kind}
