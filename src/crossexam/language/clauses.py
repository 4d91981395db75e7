"""The main clause of a sentence: subject, verb and object as spans of tokens.

A caption that is a noun phrase with a participle, *A man riding a horse in a field*, counts as a clause
whose subject is what precedes the participle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from crossexam.language.tokens import Parsed

Voice = Literal["active", "passive"]
_SUBJECTS: Final = ("nsubj", "nsubj:pass")
#: Collective nouns: the participle after *a group of people* is of both; the verb has either number.
GROUPS: Final = frozenset(
    "group crowd bunch couple pair team number lot gathering line row family trio collection class band pack "
    "herd army gang choir crew staff audience".split()
)
_WH: Final = frozenset({"WP", "WDT", "WP$"})
_MARKS: Final = frozenset("`` '' , . : -LRB- -RRB- HYPH NFP".split())


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase: tokens *start* to *end* of its sentence, which include its *head*."""

    start: int
    end: int
    head: int


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause: its phrases and the index of its *verb*; ``object`` is the agent if it is passive.

    ``finite``: the index of the verb that agrees with the subject, None in a caption.
    """

    subject: Phrase
    verb: int
    object: Phrase
    voice: Voice
    finite: int | None


def main_clause(parsed: Parsed) -> Clause | str:
    """Return the main clause of *parsed*, or the reason why it has none with subject and object.

    >>> from crossexam.language.parsing.constituency import parsed_from_parse
    >>> parse = "(NP (NP (DT A) (NN man)) (VP (VBG riding) (NP (DT a) (NN horse))))"
    >>> clause = main_clause(parsed_from_parse("A man riding a horse", parse))
    >>> (clause.subject, clause.verb, clause.object)
    (Phrase(start=0, end=2, head=1), 2, Phrase(start=3, end=5, head=4))
    """
    roots = [k for k, head in enumerate(parsed.heads) if head == -1]
    if len(roots) != 1:
        return "several sentences"
    root = roots[0]
    if parsed.children(root, "expl") or parsed.tokens[0].text.lower() in {"here", "there"}:
        return "expletive subject"
    subjects = parsed.children(root, *_SUBJECTS)
    if subjects and parsed.tokens[root].tag.startswith("VB") and not parsed.children(root, "cop"):
        return _finite_clause(parsed, root, subjects)
    if subjects:
        return "no verb with an object"
    return _caption(parsed, root) if parsed.tokens[root].tag.startswith("NN") else "no subject"


def transitive_clause(parsed: Parsed) -> Clause | str:
    """Return the clause of the first verb with subject and direct object, or the reason why there is none.

    The verb of the whole sentence comes before those of its other clauses.  Nothing else is demanded, except
    that no phrase is a relative or interrogative pronoun.

    >>> from crossexam.language.parsing.constituency import parsed_from_parse
    >>> parse = "(S (NP (PRP He)) (VP (VBZ is) (VP (VBG washing) (NP (PRP himself)))))"
    >>> transitive_clause(parsed_from_parse("He is washing himself", parse)).object
    Phrase(start=3, end=4, head=3)
    """
    verbs = [k for k, token in enumerate(parsed.tokens) if token.tag.startswith("VB")]
    reason = "no verb with a subject and an object"
    for verb in sorted(verbs, key=lambda k: parsed.heads[k] != -1):
        subjects, objects = parsed.children(verb, "nsubj"), parsed.children(verb, "obj")
        if not (subjects and objects) or {parsed.tokens[k].tag for k in (subjects[0], objects[0])} & _WH:
            continue
        subject, found = phrase(parsed, subjects[0]), phrase(parsed, objects[0])
        if subject is None or found is None:
            reason = "a discontinuous phrase"
        elif not subject.end <= verb < found.start:
            reason = "inverted order"
        else:
            return Clause(subject, verb, found, "active", None)
    return reason


def _finite_clause(parsed: Parsed, verb: int, subjects: tuple[int, ...]) -> Clause | str:
    found = _object(parsed, verb)
    if isinstance(found, str):
        return found
    if len(subjects) > 1:
        return "several subjects"
    subject = phrase(parsed, subjects[0])
    if subject is None or found is None:
        return "a discontinuous phrase"
    if not subject.end <= verb < found.start:
        return "inverted order"
    auxiliaries = parsed.children(verb, "aux", "aux:pass")
    finite = min([*auxiliaries, verb])
    if parsed.tokens[finite].tag in {"VBG", "VBN"} and finite == verb:
        return Clause(subject, verb, found, _voice(parsed, verb), None)
    return Clause(subject, verb, found, _voice(parsed, verb), finite)


def _voice(parsed: Parsed, verb: int) -> Voice:
    return "active" if parsed.children(verb, "obj") else "passive"


def _object(parsed: Parsed, verb: int) -> Phrase | str | None:
    """Return the object of *verb*, in the passive its agent, or the reason why it has none to swap."""
    objects, agents = parsed.children(verb, "obj"), parsed.children(verb, "obl:agent")
    passive = bool(parsed.children(verb, "aux:pass") or parsed.children(verb, "nsubj:pass"))
    if passive or (agents and not objects and parsed.tokens[verb].tag in {"VBN", "VBD"}):
        if not agents or objects:
            return "passive without an agent" if not objects else "passive with an object"
        return _without_case(parsed, agents[0])
    if parsed.children(verb, "iobj") or len(objects) > 1:
        return "two objects"
    if not objects:
        clausal = parsed.children(verb, "ccomp", "xcomp")
        return "object is a clause" if clausal else "no object"
    if parsed.children(verb, "ccomp"):
        return "object is a clause"
    return phrase(parsed, objects[0])


def _without_case(parsed: Parsed, head: int) -> Phrase | None:
    found = phrase(parsed, head, leaving_out=parsed.children(head, "case"))
    return found if found and all(k < found.start for k in parsed.children(head, "case")) else None


def phrase(parsed: Parsed, head: int, leaving_out: tuple[int, ...] = ()) -> Phrase | None:
    """Return the phrase of *head* without punctuation at its edges, None if it is discontinuous."""
    left = {k for top in leaving_out for k in parsed.below(top)}
    own = [k for k in parsed.below(head) if k not in left]
    while own and parsed.tokens[own[-1]].tag in _MARKS:
        own.pop()
    while own and parsed.tokens[own[0]].tag in _MARKS:
        own.pop(0)
    inside = set(own)
    gaps = (
        [k for k in range(own[0], own[-1]) if k not in inside and parsed.tokens[k].tag not in _MARKS]
        if own
        else [0]
    )
    return None if gaps else Phrase(own[0], own[-1] + 1, head)


def _caption(parsed: Parsed, root: int) -> Clause | str:
    """Return the clause of a noun phrase with a participle, the last one that depends on it."""
    noun, verbs = root, _participles(parsed, root)
    while not verbs:
        below = [
            k
            for k in parsed.children(noun, "nmod")
            if parsed.tokens[noun].text.lower() in GROUPS
            and any(parsed.tokens[j].text.lower() == "of" for j in parsed.children(k, "case"))
        ]
        if not below:
            return "no clause"
        noun = below[0]
        verbs = _participles(parsed, noun)
    verb = verbs[-1]
    found = _object(parsed, verb)
    if isinstance(found, str):
        return found
    own = set(parsed.below(root))
    first = min(parsed.below(verb))
    start = min(own)
    if found is None or not start < first <= verb < found.start or not set(range(start, first)) <= own:
        return "a discontinuous phrase"
    if len(verbs) > 1 and parsed.children(verbs[0], "conj"):
        return "coordinated verbs"
    subject = Phrase(start, first, root)
    return Clause(subject, verb, found, _voice(parsed, verb), None)


def _participles(parsed: Parsed, noun: int) -> list[int]:
    return [
        k
        for k in parsed.children(noun, "acl")
        if k > noun and parsed.tokens[k].tag in {"VBG", "VBN"} and not parsed.children(k, *_SUBJECTS, "mark")
    ]
