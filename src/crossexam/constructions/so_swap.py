"""SOSwap (Nie, Wang and Bansal, 2019, section 3.1): the subject and the object of a sentence are swapped.

The premise is that of the base; the hypothesis is the premise with the noun phrases of subject and object
swapped; the gold label is contradiction.  Noun phrases are moved as a whole, with determiners, adjectives and
everything else attached to the noun; dependents of the verb stay.

The paper says no more, and its code was never released.  ``rules=paper`` does what it says and nothing else:
in the first verb with a subject and a direct object, the two phrases change places and every word stays as it
is, apart from the sentence-initial capital.  It is neither made to agree nor checked.  Our own rules, the
default:

- Only main clauses are used, including captions such as *A man riding a horse*, which have no finite verb,
  and the passive, in which the subject and the agent after *by* are swapped.
- Only direct objects are swapped: the paper says subject-verb-object, and in *a man sits on a bench* the
  bench is not an object.
- The finite verb agrees with its new subject, and personal pronouns change their case.
- Clauses are rejected if the result would not be English (:func:`swap_obstacles`) or may not be a
  contradiction (:func:`swap_doubts`); the name of each rule is the reason counted in the yield table.  The
  paper's judges considered 84 % of its 971 items from SNLI dev contradictions; these rules yield fewer
  items, and more of them are contradictions.
- Clauses are also rejected if they appear to be misparsed (``language/misparses.py``),
  since swapping would not result in English.

Either way, ``info["plausibility"]`` estimates how plausible the swapped clause is
(``language/plausibility.py``), since a model may spot nonsense without reading who does what to whom.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Any, Final, Literal

from crossexam.constructions.construction import NO_PARSE, Draft, Outcome, Rejection, Resources
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Edit, Example
from crossexam.language.agreement import Role, agreeing, in_case, number_of
from crossexam.language.clauses import GROUPS, Clause, Phrase, main_clause, transitive_clause
from crossexam.language.inflection import indefinite_article, lemma_of
from crossexam.language.lexicons.closed_classes import (
    CENTRAL_MODALS,
    CLOSED_CLASSES,
    NEGATIONS,
    PERSONAL_PRONOUNS,
    POSSESSIVE_DETERMINERS,
    REFLEXIVES,
)
from crossexam.language.lexicons.noun_groups import FEMALE, MALE, NounKind
from crossexam.language.lexicons.proper_names import FIRST_NAMES
from crossexam.language.lexicons.verb_kinds import (
    IDIOMS,
    LIGHT,
    MEASURE,
    MUTUAL,
    STATIVE_PARTICIPLES,
    SYMMETRIC,
    SYMMETRIC_ALWAYS,
)
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.misparses import (
    agrees,
    ends_in_verb,
    goes_on_in_compound,
    has_actor_for_object,
    has_infinitive_of_object,
    has_misread_particle,
    has_misread_verb,
    has_participle_of_agent,
    has_path,
    has_stranded_particle,
    has_verb_elsewhere,
    is_bare,
    is_misread,
    is_of_nearer_noun,
    is_of_unclear_number,
    lacks_determiner,
)
from crossexam.language.nouns import animacy, is_event
from crossexam.language.parsing.dependencies import Parsed
from crossexam.language.plausibility import PLAUSIBLE, swap_plausibility


@dataclass(frozen=True)
class Options:
    """The options of SOSwap.

    *rules* are our own, or those of the paper, to the letter.  *plausibility* names a corpus with parses, or
    a file of counts, by which the swapped clauses are scored; None scores them by WordNet alone.  Items that
    score less than *min_plausibility*, from 0 to 1, are rejected.
    """

    rules: Literal["ours", "paper"] = "ours"
    plausibility: str | None = field(default=None, metadata={"content": True})
    min_plausibility: float = 0.0

    def __post_init__(self) -> None:
        """Raise CrossexamError if *min_plausibility* is not a score."""
        if not 0 <= self.min_plausibility <= 1:
            raise CrossexamError(
                f"'{self.min_plausibility}' is not a plausibility score",
                where="so_swap.min_plausibility",
                wanted="a number from 0 to 1",
            )


def so_swap(
    example: Example, resources: Resources, rng: random.Random, options: Options = Options()
) -> Iterator[Outcome]:
    """Yield the premise paired with its copy in which subject and object are swapped."""
    if not example.premise.strip():
        return
    parsed = resources.parsed(example, "premise")
    if parsed is None:
        yield Rejection(NO_PARSE)
        return
    literal = options.rules == "paper"
    clause = transitive_clause(parsed) if literal else _sound_clause(parsed)
    if isinstance(clause, str):
        yield Rejection(clause)
        return
    counts = None if options.plausibility is None else resources.counts("roles", options.plausibility)
    score = swap_plausibility(parsed, clause, counts)
    if score < options.min_plausibility:
        yield Rejection("implausible when swapped")
        return
    yield _item(example, parsed, clause, score, literal=literal)


def _sound_clause(parsed: Parsed) -> Clause | str:
    """Return the main clause, or the reason why swapping it gives no English or no contradiction."""
    clause = main_clause(parsed)
    if isinstance(clause, str):
        return clause
    against = chain(swap_obstacles(parsed, clause), swap_doubts(parsed, clause))
    reason = next(against, None)
    if reason is None and _would_lack_determiner(parsed, clause):
        reason = "a noun without a determiner"
    return reason or clause


def _item(example: Example, parsed: Parsed, clause: Clause, score: float, *, literal: bool) -> Draft:
    sentence = example.premise
    new_subject = _moved(sentence, parsed, clause.object, None if literal else "subject")
    new_object = _moved(sentence, parsed, clause.subject, None if literal else "object")
    edits = [
        _replaced(sentence, parsed, clause.subject, new_subject),
        *([] if literal else _agreement(parsed, clause)),
        _replaced(sentence, parsed, clause.object, new_object),
    ]
    info: dict[str, Any] = {
        "subject": _text(sentence, parsed, clause.subject),
        "verb": lemma_of(parsed.tokens[clause.verb].text),
        "object": _text(sentence, parsed, clause.object),
        "voice": clause.voice,
        "plausibility": round(score, 3),
        "swapped_clause": "plausible" if score >= PLAUSIBLE else "implausible",
    }
    return Draft("contradiction", tuple(edits), target="premise", info=info)


def _text(sentence: str, parsed: Parsed, phrase: Phrase) -> str:
    return sentence[parsed.tokens[phrase.start].start : parsed.tokens[phrase.end - 1].end]


def _replaced(sentence: str, parsed: Parsed, phrase: Phrase, new: str) -> Edit:
    """Return the edit that replaces *phrase* by *new*, capitalized at the beginning of the sentence."""
    old = _text(sentence, parsed, phrase)
    if phrase.start == _first_word(parsed) and (old[:1].isupper() or old[:1].isdigit()):
        new = new[:1].upper() + new[1:]
    start = parsed.tokens[phrase.start].start
    return Edit("hypothesis", start, start + len(old), old, new)


def _moved(sentence: str, parsed: Parsed, phrase: Phrase, role: Role | None) -> str:
    """Return the text of *phrase* in its new *role* within the sentence; None keeps the case of a pronoun."""
    text = _text(sentence, parsed, phrase)
    if role and phrase.end - phrase.start == 1:
        text = in_case(text, role)
    if phrase.start == _first_word(parsed) and not _keeps_capital(parsed, phrase):
        text = text[:1].lower() + text[1:]
    return text


def _first_word(parsed: Parsed) -> int:
    return next((k for k, token in enumerate(parsed.tokens) if token.text[:1].isalnum()), 0)


def _keeps_capital(parsed: Parsed, phrase: Phrase) -> bool:
    """Return whether the first word of *phrase*, here sentence-initial, is capitalized everywhere."""
    token = parsed.tokens[phrase.start]
    word = token.text
    if word == "I":
        return True
    if word.lower() in CLOSED_CLASSES:
        return False
    if word[1:].lower() != word[1:]:  # BMX, McDonald
        return True
    named = token.tag in {"NNP", "NNPS"} and _is_name(parsed, phrase)
    lemmas = {lemma for synset in wordnet().synsets(word) for lemma in wordnet().lemmas(synset)}
    forms = {word.lower(), *wordnet().lemmas_of(word.lower())}
    unknown = token.tag == "NNP" and not lemmas and phrase.end - phrase.start == 1
    return named or unknown or (bool(lemmas) and not lemmas & forms)


def _is_name(parsed: Parsed, phrase: Phrase) -> bool:
    """Return whether the words of *phrase* up to its head are names: *Mark Twain*, *Maria*, not *Man*."""
    tokens = parsed.tokens[phrase.start : phrase.head + 1]
    several = len(tokens) > 1 and all(token.tag in {"NNP", "NNPS"} for token in tokens)
    return several or tokens[0].text.lower() in FIRST_NAMES


def _agreement(parsed: Parsed, clause: Clause) -> Iterator[Edit]:
    """Yield the edit that makes the finite verb agree with its new subject, if it changes."""
    if clause.finite is None:
        return
    old, new = number_of(parsed, clause.subject), number_of(parsed, clause.object)
    token = parsed.tokens[clause.finite]
    if old == new and parsed.tokens[clause.subject.head].text.lower() not in GROUPS:
        return
    form = agreeing(token.text, token.tag, new)
    if form != token.text:
        yield Edit("hypothesis", token.start, token.end, token.text, form)


_NEGATIONS: Final = NEGATIONS - {"nowhere", "without"} | {"n’t"}  # a man without a hat: not negated
_MODALS: Final = CENTRAL_MODALS - {"will"} | {"ca"}  # what will be is asserted
_OTHERS: Final = frozenset("another other others one two three some each the a an this that same".split())
_GENERIC: Final = frozenset(
    (
        "person people individual individuals human humans someone somebody one everyone everybody anyone "
        "anybody other others all adult adults audience crowd"
    ).split()
)
_MEASURES: Final = frozenset("part time day hour minute mile foot meter yard second lap".split())


def swap_doubts(parsed: Parsed, clause: Clause) -> Iterator[str]:
    """Yield the reasons why both sentences may be true after swapping *clause*."""
    words = [token.text.lower() for token in parsed.tokens]
    subject, thing = words[clause.subject.head], words[clause.object.head]
    if _is_negated(words, parsed, clause):
        yield "a negated clause"
    if any(words[k] in _MODALS for k in parsed.children(clause.verb, "aux")):
        yield "a modal verb"
    yield from _by_verb(lemma_of(words[clause.verb]), parsed, clause, subject, thing)
    if "something" in {subject, thing}:
        yield "an indefinite phrase"
    if wordnet().base_form(subject, "n") == wordnet().base_form(thing, "n"):
        own, other = (_content(words, phrase) for phrase in (clause.subject, clause.object))
        if own == other or not (own and other):
            yield "identical phrases"
    elif animacy(subject) == animacy(thing) == "person" and ((subject in _GENERIC) != (thing in _GENERIC)):
        yield "one phrase may mean the other"


def _by_verb(verb: str, parsed: Parsed, clause: Clause, subject: str, thing: str) -> Iterator[str]:
    """Yield the doubts raised by *verb* with the heads *subject* and *thing*; any name may be a person's."""
    kinds = [
        "person" if parsed.tokens[phrase.head].tag in {"NNP", "NNPS"} else animacy(noun)
        for phrase, noun in ((clause.subject, subject), (clause.object, thing))
    ]
    nouns = {thing, *wordnet().lemmas_of(thing, "n")}  # hands: handiwork, but also hand
    if verb in SYMMETRIC_ALWAYS or (verb in SYMMETRIC and kinds[0] == kinds[1]):
        yield "a symmetric verb"
    if verb in MUTUAL and "thing" not in kinds:
        yield "each may do it to the other"
    if verb in MEASURE or (parsed.children(clause.object.head, "nummod") and nouns & _MEASURES):
        yield "a quantity"
    light = verb in LIGHT and is_event(wordnet().base_form(thing, "n"))
    if light or {f"{verb} {noun}" for noun in nouns} & IDIOMS or nouns & {"way", "place"}:
        yield "the object is part of the predicate"
    if clause.voice == "passive" and verb in STATIVE_PARTICIPLES:
        yield "by says where"


def _is_negated(words: list[str], parsed: Parsed, clause: Clause) -> bool:
    beside = parsed.children(clause.verb)
    phrases = (clause.subject, clause.object)
    inside = [k for phrase in phrases for k in range(phrase.start, phrase.end)]
    return any(words[k] in _NEGATIONS for k in (*beside, *inside))


def _content(words: list[str], phrase: Phrase) -> frozenset[str]:
    """Return the words that distinguish a phrase from another one with the same head."""
    return frozenset(words[k] for k in range(phrase.start, phrase.end) if k != phrase.head) - _OTHERS


_REFLEXIVES: Final = REFLEXIVES | {"themself"}
_SINGULAR_PRONOUNS: Final[dict[NounKind, frozenset[str]]] = {
    "person": frozenset({"him", "her", "them"}),
    "animal": frozenset({"him", "her", "it"}),
    "thing": frozenset({"it"}),
}
_OBJECT_FORMS: Final = {"his": "him", "her": "her", "its": "it", "their": "them"}
_POSSESSIVES: Final = POSSESSIVE_DETERMINERS | {"hers", "theirs"}
_PARTS: Final = frozenset("one both each some other others another".split())  # one in red, the other in blue
_CLITICS: Final = frozenset(f"{mark}{end}" for mark in "'’" for end in ("s", "re", "m", "ve", "d", "ll"))
_LOOSE: Final = frozenset({"appos", "dep", "parataxis", "acl", "advcl", "case", "mark"})
_CONJOINED_VERBS: Final = frozenset({"VB", "VBZ", "VBP", "VBD", "VBG"})
_CLAUSAL: Final = frozenset({"acl", "advcl", "ccomp", "dep", "parataxis"})


def swap_obstacles(parsed: Parsed, clause: Clause) -> Iterator[str]:
    """Yield the reasons why swapping *clause* would not result in English."""
    words = [token.text.lower() for token in parsed.tokens]
    if words[-1] == "?" or parsed.tokens[0].tag in {"WP", "WRB", "WDT", "MD"}:
        yield "a question"
    if _REFLEXIVES & set(words) or {("each", "other"), ("one", "another")} & set(pairwise(words)):
        yield "a reflexive or reciprocal pronoun"
    for name, phrase in (("subject", clause.subject), ("object", clause.object)):
        yield from _in_phrase(words, parsed, phrase, name)
    if clause.finite is not None and parsed.tokens[clause.finite].text in _CLITICS:
        yield "a contracted verb"
    if any(token.tag == "``" for token in parsed.tokens[1 : clause.subject.start]):
        yield "inside a quotation"
    if sum(token.text[:1].isupper() for token in parsed.tokens) > len(words) / 2:
        yield "capitals throughout"
    if any(
        words[k] in {"a", "an"} and words[k] != indefinite_article(words[k + 1])
        for k in range(len(words) - 1)
    ):
        yield "an article of the wrong form"
    if _refers_across(words, clause):
        yield "a phrase refers to the other"
    if _loses_its_antecedent(parsed, clause):
        yield "a possessive that would not fit the new subject"
    if _would_be_reflexive(parsed, clause):
        yield "a pronoun that would have to be reflexive"
    yield from _misreadings(parsed, clause)
    yield from _left_behind(words, parsed, clause)


def _in_phrase(words: list[str], parsed: Parsed, phrase: Phrase, name: str) -> Iterator[str]:
    tag, inside = parsed.tokens[phrase.head].tag, range(phrase.start, phrase.end)
    if not (tag.startswith("NN") or (tag == "PRP" and words[phrase.head] in PERSONAL_PRONOUNS)):
        yield f"{name} is not a noun or personal pronoun"
    if any(parsed.relations[k] == "acl:relcl" for k in inside):
        yield "a relative clause"
    if is_misread(parsed, phrase):
        yield f"{name} is parsed oddly"
    marked = any(parsed.tokens[k].tag in {",", ":", "``"} for k in inside)
    if marked and (_PARTS & set(words[phrase.start + 1 : phrase.end]) or not _is_list(parsed, phrase)):
        yield f"a comma inside the {name}"
    if any(words[k] in {"or", "nor", "but"} for k in inside):
        yield "coordination with or or but"


def _is_list(parsed: Parsed, phrase: Phrase) -> bool:
    """Return whether the commas of *phrase* separate the conjuncts of a list."""
    inside = range(phrase.start, phrase.end)
    after_comma = [k for k in inside if k > phrase.start and parsed.tokens[k - 1].tag == ","]
    return any(parsed.relations[k] == "conj" for k in inside) and not any(
        parsed.relations[k] in _LOOSE or parsed.tokens[k].tag == "VBG" for k in after_comma
    )


def _refers_across(words: list[str], clause: Clause) -> bool:
    """Return whether a pronoun in one phrase may refer to the other.

    Any pronoun in the object may, and a possessive before the noun of the subject; after the noun it refers
    to that noun.
    """
    thing, agent = clause.object, clause.subject
    inside = [words[k] for k in range(thing.start, thing.end)]
    before = [words[k] for k in range(agent.start, agent.head)]
    personal = len(inside) > 1 and bool(PERSONAL_PRONOUNS & set(inside))
    return (
        personal or bool(_POSSESSIVES & set(before)) or (len(inside) > 1 and bool(_POSSESSIVES & set(inside)))
    )


def _would_lack_determiner(parsed: Parsed, clause: Clause) -> bool:
    """Return whether a phrase is a bare count noun, as in headlines, and the other has its determiner."""
    phrases = (clause.subject, clause.object)
    lacking = [lacks_determiner(parsed, phrase) for phrase in phrases]
    return any(
        lacks and not is_bare(parsed, other) for lacks, other in zip(lacking, reversed(phrases), strict=True)
    )


def _would_be_reflexive(parsed: Parsed, clause: Clause) -> bool:
    """Return whether a pronoun of the predicate can only mean the object, which becomes the subject.

    *A nurse holds a boy, giving him a toy*: by binding (Quirk et al., 1985, section 6.25), the boy who holds
    a nurse gives himself a toy.  A pronoun inside another noun phrase or clause is free.
    """
    own, other = (_agreeing_pronouns(parsed, phrase) for phrase in (clause.subject, clause.object))
    for k in _predicate(parsed, clause):
        word = parsed.tokens[k].text.lower()
        if parsed.tokens[k].tag == "PRP" and word in other - own and parsed.relations[k] != "nsubj":
            between = _words_above(parsed, k, clause.verb)
            if all(
                parsed.tokens[j].tag.startswith("VB") and not parsed.children(j, "nsubj", "nsubj:pass")
                for j in between
            ):
                return True
    return False


def _loses_its_antecedent(parsed: Parsed, clause: Clause) -> bool:
    """Return whether a possessive of the predicate cannot mean the new subject: a pear eats a man in his car.

    A possessive in a clause with a subject of its own is free.
    """
    fitting = _agreeing_pronouns(parsed, clause.object)
    return any(
        parsed.tokens[k].tag == "PRP$"
        and _OBJECT_FORMS.get(parsed.tokens[k].text.lower(), "") not in fitting | {""}
        and not any(parsed.children(j, "nsubj", "nsubj:pass") for j in _words_above(parsed, k, clause.verb))
        for k in _predicate(parsed, clause)
    )


def _predicate(parsed: Parsed, clause: Clause) -> set[int]:
    """Return the verb of *clause* and its dependents without the phrases that are swapped."""
    phrases = (clause.subject, clause.object)
    return set(parsed.below(clause.verb)) - {k for each in phrases for k in range(each.start, each.end)}


def _words_above(parsed: Parsed, index: int, top: int) -> Iterator[int]:
    """Yield what the token at *index* depends on, directly or indirectly, below *top*."""
    head = parsed.heads[index]
    while head not in {top, -1}:
        yield head
        head = parsed.heads[head]


def _agreeing_pronouns(parsed: Parsed, phrase: Phrase) -> frozenset[str]:
    """Return the object pronouns that may mean *phrase*, by its number, gender and kind."""
    if number_of(parsed, phrase) == "plural":
        return frozenset({"them"})
    head = parsed.tokens[phrase.head].text.lower()
    if head in MALE | FEMALE:
        return frozenset({"him"} if head in MALE else {"her"})
    return _SINGULAR_PRONOUNS[animacy(head)]


def _misreadings(parsed: Parsed, clause: Clause) -> Iterator[str]:
    between = parsed.tokens[clause.verb + 1 : clause.object.start]
    if clause.voice == "active" and any(token.tag not in {"RP", "RB"} for token in between):
        yield "object is far from its verb"
    before = {token.tag for token in parsed.tokens[clause.subject.end : clause.verb]}
    if before & {"IN", "RP", "NN", "NNS"} or has_stranded_particle(parsed, clause):
        yield "subject is far from its verb"
    if has_misread_particle(parsed, clause):
        yield "a particle that may be a preposition"
    if has_misread_verb(parsed, clause):
        yield "a verb that takes no object"
    if has_actor_for_object(parsed, clause):
        yield "object is a clause"
    if not agrees(parsed, clause):
        yield "subject and verb do not agree"
    if clause.finite is not None and (
        is_of_unclear_number(parsed, clause.subject) or is_of_unclear_number(parsed, clause.object)
    ):
        yield "a phrase of unclear number"
    if clause.finite is None and clause.voice == "active" and is_bare(parsed, clause.subject):
        yield "a caption that would read as a compound"
    if clause.finite is None and ends_in_verb(parsed, clause):
        yield "object is parsed oddly"
    if has_verb_elsewhere(parsed, clause):
        yield "a verb would lose its subject"
    if clause.finite is None and is_of_nearer_noun(parsed, clause):
        yield "unclear whose participle"


def _left_behind(words: list[str], parsed: Parsed, clause: Clause) -> Iterator[str]:
    """Yield the reasons why commas, conjuncts or participles would be left in the wrong place."""
    thing, tokens = clause.object, parsed.tokens
    if tokens[clause.subject.end].tag in {",", ":", "-RRB-", "''"}:
        yield "a comma before the verb"
    after, then = ([token.tag for token in tokens[thing.end : thing.end + 2]] + ["", ""])[:2]
    if after in {"-LRB-", "POS", "HYPH"} or goes_on_in_compound(parsed, thing):
        yield "object is parsed oddly"
    if clause.voice == "active" and has_infinitive_of_object(parsed, clause):
        yield "an infinitive that says what the object is for"
    if has_participle_of_agent(parsed, clause):
        yield "a participle that may be the subject's"
    conjuncts = parsed.children(clause.verb, "conj")
    verbal = [k for k in conjuncts if tokens[k].tag in _CONJOINED_VERBS]
    clauses = [k for k in conjuncts if tokens[k].tag.startswith("VB")]
    if (after == "CC" and not any(thing.end < k for k in verbal)) or (
        (after, then) == (",", "CC") and not any(thing.end < k for k in clauses)
    ):
        yield "coordinated objects apart"
    if clause.voice == "active" and has_path(parsed, thing):
        yield "a path inside the object"
    inside = range(thing.start, thing.end)
    clausal = any(parsed.relations[k] in _CLAUSAL for k in inside)
    if clause.finite is None and (clausal or _goes_on(parsed, clause)):
        yield "a participle after the object of a caption"
    own = [k for k in conjuncts if not parsed.children(k, "nsubj", "nsubj:pass")]
    others = {tokens[j].tag for k in own for j in (*parsed.children(k, "aux", "aux:pass", "cop"), k)}
    if others & {"VBZ", "VBP"} or (clause.finite == clause.verb and others & {"VBD", "VB"}):
        yield "coordinated verbs"


def _goes_on(parsed: Parsed, clause: Clause) -> bool:
    """Return whether another participle follows the object's noun directly: it may modify the subject."""
    tokens = parsed.tokens
    return any(
        tokens[k].tag == "VBG" and (tokens[k - 1].tag.startswith("NN") or tokens[k - 1].tag in {"RB", "RP"})
        for k in range(clause.object.start + 1, len(tokens))
    )
