"""The rules of SOSwap: when a swapped clause would not be English, or would not contradict the clause.

Most of what is not English was misparsed: a phrase (``so_swap_phrases.py``), or how the phrases belong to
the verb (``language/misparses.py``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

from crossexam.constructions.rules.rule import Rule, holding
from crossexam.constructions.rules.so_swap_phrases import OF_PHRASE, ParsedPhrase
from crossexam.language.agreement import number_of
from crossexam.language.clauses import Clause, Phrase
from crossexam.language.inflection import indefinite_article, lemma_of
from crossexam.language.lexicons.closed_classes import (
    CENTRAL_MODALS,
    INDEFINITE_ARTICLES,
    NEGATIONS,
    PERSONAL_PRONOUNS,
    POSSESSIVE_DETERMINERS,
    REFLEXIVES,
)
from crossexam.language.lexicons.noun_groups import FEMALE, MALE, NounKind
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
    is_of_nearer_noun,
    is_of_unclear_number,
    lacks_determiner,
)
from crossexam.language.nouns import animacy, is_event
from crossexam.language.tokens import Parsed

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
_REFLEXIVES: Final = REFLEXIVES | {"themself"}
_SINGULAR_PRONOUNS: Final[dict[NounKind, frozenset[str]]] = {
    "person": frozenset({"him", "her", "them"}),
    "animal": frozenset({"him", "her", "it"}),
    "thing": frozenset({"it"}),
}
_OBJECT_FORMS: Final = {"his": "him", "her": "her", "its": "it", "their": "them"}
_POSSESSIVES: Final = POSSESSIVE_DETERMINERS | {"hers", "theirs"}
_CLITICS: Final = frozenset(f"{mark}{end}" for mark in "'’" for end in ("s", "re", "m", "ve", "d", "ll"))
_CONJOINED_VERBS: Final = frozenset({"VB", "VBZ", "VBP", "VBD", "VBG"})
_CLAUSAL: Final = frozenset({"acl", "advcl", "ccomp", "dep", "parataxis"})
_SUBJECTS: Final = ("nsubj", "nsubj:pass")


@dataclass(eq=False)
class Roles:
    """A *clause* of the sentence *parsed* whose subject and object are to change their roles."""

    parsed: Parsed
    clause: Clause

    @cached_property
    def words(self) -> list[str]:
        """The words of the sentence, in lower case."""
        return [token.text.lower() for token in self.parsed.tokens]

    @cached_property
    def tags(self) -> list[str]:
        """The tags of the words, and four empty ones."""
        return [*(token.tag for token in self.parsed.tokens), "", "", "", ""]

    @property
    def subject(self) -> Phrase:
        """The subject."""
        return self.clause.subject

    @property
    def object(self) -> Phrase:
        """The object; in the passive, the agent."""
        return self.clause.object

    @property
    def phrases(self) -> tuple[Phrase, Phrase]:
        """Subject and object."""
        return self.subject, self.object

    @cached_property
    def parsed_phrases(self) -> tuple[ParsedPhrase, ...]:
        """Subject and object, as the rules about either phrase see them."""
        return tuple(
            ParsedPhrase(self.parsed, self.words, self.tags, each.start, each.end, each.head)
            for each in self.phrases
        )

    @property
    def heads(self) -> tuple[str, str]:
        """The heads of subject and object."""
        return self.words[self.subject.head], self.words[self.object.head]

    @cached_property
    def kinds(self) -> tuple[NounKind, NounKind]:
        """What subject and object name; any name may be a person's."""
        subject, thing = (
            "person" if self.tags[phrase.head] in {"NNP", "NNPS"} else animacy(head)
            for phrase, head in zip(self.phrases, self.heads, strict=True)
        )
        return subject, thing

    @cached_property
    def objects(self) -> set[str]:
        """The head of the object and its lemmas; hands: handiwork, but also hand."""
        thing = self.heads[1]
        return {thing, *wordnet().lemmas_of(thing, "n")}

    @property
    def verb(self) -> str:
        """The lemma of the verb."""
        return lemma_of(self.words[self.clause.verb])

    @property
    def is_active(self) -> bool:
        """Whether the clause is in the active voice."""
        return self.clause.voice == "active"

    @property
    def is_caption(self) -> bool:
        """Whether the clause has no finite verb."""
        return self.clause.finite is None

    @cached_property
    def conjuncts(self) -> tuple[int, ...]:
        """What is coordinated with the verb."""
        return self.parsed.children(self.clause.verb, "conj")

    @cached_property
    def predicate(self) -> set[int]:
        """The verb and its dependents without the phrases that are swapped."""
        return set(self.parsed.below(self.clause.verb)) - {k for each in self.phrases for k in span(each)}

    def above(self, index: int) -> Iterator[int]:
        """Yield what the token at *index* depends on, directly or indirectly, below the verb."""
        head = self.parsed.heads[index]
        while head not in {self.clause.verb, -1}:
            yield head
            head = self.parsed.heads[head]

    def is_of_own_subject(self, index: int) -> bool:
        """Return whether the token at *index* is in a clause below the verb with a subject of its own."""
        return any(self.parsed.children(k, *_SUBJECTS) for k in self.above(index))

    def pronouns_for(self, phrase: Phrase) -> frozenset[str]:
        """Return the object pronouns that may mean *phrase*, by its number, gender and kind."""
        if number_of(self.parsed, phrase) == "plural":
            return frozenset({"them"})
        head = self.words[phrase.head]
        if head in MALE | FEMALE:
            return frozenset({"him"} if head in MALE else {"her"})
        return _SINGULAR_PRONOUNS[animacy(head)]


def span(phrase: Phrase) -> range:
    """Return the indices of the tokens of *phrase*."""
    return range(phrase.start, phrase.end)


# The sentence


def _is_question(roles: Roles) -> bool:
    return roles.words[-1] == "?" or roles.tags[0] in {"WP", "WRB", "WDT", "MD"}


def _has_reflexive(roles: Roles) -> bool:
    pairs = {("each", "other"), ("one", "another")}
    return bool(_REFLEXIVES & set(roles.words) or pairs & set(pairwise(roles.words)))


def _is_contracted(roles: Roles) -> bool:
    finite = roles.clause.finite
    return finite is not None and roles.parsed.tokens[finite].text in _CLITICS


def _is_in_capitals(roles: Roles) -> bool:
    return sum(token.text[:1].isupper() for token in roles.parsed.tokens) > len(roles.words) / 2


def _has_wrong_article(roles: Roles) -> bool:
    return any(
        word in INDEFINITE_ARTICLES and word != indefinite_article(following)
        for word, following in pairwise(roles.words)
    )


# What refers to what


def _refers_across(roles: Roles) -> bool:
    """Return whether a pronoun in one phrase may refer to the other.

    Any pronoun in the object may, and a possessive before the noun of the subject; after the noun it refers
    to that noun.
    """
    inside = {roles.words[k] for k in span(roles.object)}
    before = set(roles.words[roles.subject.start : roles.subject.head])
    several = roles.object.end - roles.object.start > 1
    return bool(_POSSESSIVES & before) or (several and bool((PERSONAL_PRONOUNS | _POSSESSIVES) & inside))


def _loses_its_antecedent(roles: Roles) -> bool:
    """Return whether a possessive of the predicate cannot mean the new subject: a pear eats a man in his car.

    A possessive in a clause with a subject of its own is free.
    """
    fitting = roles.pronouns_for(roles.object)
    return any(
        roles.tags[k] == "PRP$"
        and _OBJECT_FORMS.get(roles.words[k], "") not in fitting | {""}
        and not roles.is_of_own_subject(k)
        for k in roles.predicate
    )


def _would_be_reflexive(roles: Roles) -> bool:
    """Return whether a pronoun of the predicate can only mean the object, which becomes the subject.

    A pronoun inside another noun phrase or clause is free.
    """
    own, other = map(roles.pronouns_for, roles.phrases)
    return any(
        roles.tags[k] == "PRP"
        and roles.words[k] in other - own
        and roles.parsed.relations[k] != "nsubj"
        and all(roles.tags[j].startswith("VB") for j in roles.above(k))
        and not roles.is_of_own_subject(k)
        for k in roles.predicate
    )


# What was misread


def _is_object_far(roles: Roles) -> bool:
    between = roles.tags[roles.clause.verb + 1 : roles.object.start]
    return roles.is_active and any(tag not in {"RP", "RB"} for tag in between)


def _is_subject_far(roles: Roles) -> bool:
    between = set(roles.tags[roles.subject.end : roles.clause.verb])
    return bool(between & {"IN", "RP", "NN", "NNS"}) or has_stranded_particle(roles.parsed, roles.clause)


def _may_go_on(roles: Roles) -> bool:
    return roles.tags[roles.object.end] in {"-LRB-", "POS", "HYPH"} or goes_on_in_compound(
        roles.parsed, roles.object
    )


# What would be left in the wrong place


def _are_objects_apart(roles: Roles) -> bool:
    """Return whether a coordinator that follows the object does not join verbs."""
    end = roles.object.end
    verbal = any(k > end and roles.tags[k] in _CONJOINED_VERBS for k in roles.conjuncts)
    clausal = any(k > end and roles.tags[k].startswith("VB") for k in roles.conjuncts)
    after, then = roles.tags[end : end + 2]
    return (after == "CC" and not verbal) or ((after, then) == (",", "CC") and not clausal)


def _has_late_participle(roles: Roles) -> bool:
    """Return whether a clause in the object of a caption, or a later participle, may be the subject's."""
    if not roles.is_caption:
        return False
    tags = roles.tags
    return any(roles.parsed.relations[k] in _CLAUSAL for k in span(roles.object)) or any(
        tags[k] == "VBG" and (tags[k - 1].startswith("NN") or tags[k - 1] in {"RB", "RP"})
        for k in range(roles.object.start + 1, len(roles.words))
    )


def _has_conjoined_finite_verb(roles: Roles) -> bool:
    """Return whether a coordinated verb without a subject of its own would have to agree with the new one."""
    children, clause = roles.parsed.children, roles.clause
    own = [k for k in roles.conjuncts if not children(k, *_SUBJECTS)]
    others = {roles.tags[j] for k in own for j in (*children(k, "aux", "aux:pass", "cop"), k)}
    return bool(others & {"VBZ", "VBP"} or (clause.finite == clause.verb and others & {"VBD", "VB"}))


# What may hold both ways


def _is_negated(roles: Roles) -> bool:
    beside = roles.parsed.children(roles.clause.verb)
    inside = [k for phrase in roles.phrases for k in span(phrase)]
    return any(roles.words[k] in _NEGATIONS for k in (*beside, *inside))


def _has_modal(roles: Roles) -> bool:
    return any(roles.words[k] in _MODALS for k in roles.parsed.children(roles.clause.verb, "aux"))


def _is_symmetric(roles: Roles) -> bool:
    subject, thing = roles.kinds
    return roles.verb in SYMMETRIC_ALWAYS or (roles.verb in SYMMETRIC and subject == thing)


def _measures(roles: Roles) -> bool:
    counted = roles.parsed.children(roles.object.head, "nummod")
    return roles.verb in MEASURE or bool(counted and roles.objects & _MEASURES)


def _has_light_verb(roles: Roles) -> bool:
    verb = roles.verb
    light = verb in LIGHT and is_event(wordnet().base_form(roles.heads[1], "n"))
    idiomatic = {f"{verb} {noun}" for noun in roles.objects} & IDIOMS
    return light or bool(idiomatic or roles.objects & {"way", "place"})


def _have_one_noun(roles: Roles) -> bool:
    subject, thing = (wordnet().base_form(head, "n") for head in roles.heads)
    return subject == thing


def _are_identical(roles: Roles) -> bool:
    """Return whether no words distinguish two phrases with the same noun, or one has none."""
    own, other = (
        {roles.words[k] for k in span(phrase) if k != phrase.head} - _OTHERS for phrase in roles.phrases
    )
    return _have_one_noun(roles) and (own == other or not (own and other))


def _may_one_be_other(roles: Roles) -> bool:
    """Return whether one of two people may be anybody: a nun is a person, too."""
    subject, thing = roles.heads
    people = animacy(subject) == animacy(thing) == "person"
    return people and (subject in _GENERIC) != (thing in _GENERIC) and not _have_one_noun(roles)


def _would_lack_determiner(roles: Roles) -> bool:
    """Return whether a phrase is a bare count noun, as in headlines, and the other has its determiner."""
    return any(
        lacks_determiner(roles.parsed, phrase) and not is_bare(roles.parsed, other)
        for phrase, other in (roles.phrases, roles.phrases[::-1])
    )


def _of_either(rule: Rule[ParsedPhrase]) -> Rule[Roles]:
    """Return *rule* as one about a clause: it holds of the subject or of the object."""
    return Rule(rule.reason, lambda r: any(map(rule.holds, r.parsed_phrases)), *rule[2:])


# fmt: off
#: In the order in which they are asked: a clause is rejected for the first that holds.
RULES: Final[tuple[Rule[Roles], ...]] = (
    Rule("a question", _is_question,
         "Did the nun feed the cat?", "The nun fed a few cats.",
         "A question asserts nothing."),
    Rule("a reflexive or reciprocal pronoun", _has_reflexive,
         "The nun cut herself.", "The clowns were carrying him.",
         "It cannot be the subject."),
    *map(_of_either, OF_PHRASE),

    Rule("a contracted verb", _is_contracted,
         "He's feeding the cats.", "I am lifting them.",
         "The verb is not contracted after a plural noun."),
    Rule("inside a quotation", lambda r: "``" in r.tags[1 : r.subject.start],
         'A sign says"yes, the cook feeds cats."', '"The fox bites the hen."',
         "What is quoted is not asserted."),
    Rule("capitals throughout", _is_in_capitals,
         "THE NUN FED THE CATS.", "The nun fed a few cats.",
         "Which words are names cannot be seen."),
    Rule("an article of the wrong form", _has_wrong_article,
         "A nun ate a orange.", "A nun ate an orange.",
         "A sentence with a wrong form was not written with care."),
    Rule("a phrase refers to the other", _refers_across,
         "The nun held her lamp.", "A man with his dog pushes a cart.",
         "The pronoun would precede, or be part of, what it refers to."),
    Rule("a possessive that would not fit the new subject", _loses_its_antecedent,
         "A cook peels a pear with his knife.", "A cook peels a pear while a waiter cleans his knife.",
         "No pear has a knife of his, unless the clause has a subject of its own."),
    Rule("a pronoun that would have to be reflexive", _would_be_reflexive,
         "A nun holds a boy, giving him a toy.", "A cook holds a child, giving him a toy.",
         "The boy who holds a nun gives himself a toy (Quirk et al., 1985, section 6.25, on binding)."),

    Rule("object is far from its verb", _is_object_far,
         "The nun sewed with silk the veil.", "The mechanic picks up the wrench.",
         "Objects follow their verbs, with at most a particle or adverb between."),
    Rule("subject is far from its verb", _is_subject_far,
         "A nun with a veil on lifts a lamp.", "The child in a green coat pushes a cart with three wheels.",
         "What is between them may belong to the subject."),
    Rule("a particle that may be a preposition", lambda r: has_misread_particle(r.parsed, r.clause),
         "A monk slithers down a hill.", "A monk cuts down a pine.",
         "What follows a preposition is not an object."),
    Rule("a verb that takes no object", lambda r: has_misread_verb(r.parsed, r.clause),
         "The nun sleeps the lamp.", "The boys kicked balls.",
         "It is intransitive, or a participle that modifies the noun: snow covered streets."),
    Rule("object is a clause", lambda r: has_actor_for_object(r.parsed, r.clause),
         "The nun watches a child play.", "The nun fed a few cats.",
         "The object is a clause, whose verb was tagged as a noun."),
    Rule("subject and verb do not agree", lambda r: not agrees(r.parsed, r.clause),
         "The nun feed the cat.", "The team are lifting the trophy.",
         "Either of them was misread."),
    Rule("a phrase of unclear number",
         lambda r: not r.is_caption and any(is_of_unclear_number(r.parsed, each) for each in r.phrases),
         "The nun with a hat and a coat feed the cat.", "A cook and a waiter carry a piano.",
         "The coordinator may join dependents of the noun, not the noun."),
    Rule("a caption that would read as a compound",
         lambda r: r.is_caption and r.is_active and is_bare(r.parsed, r.subject),
         "Nun feeding a cat.", "A man riding a horse",
         "Without its determiner, the noun after a participle is its head: cat feeding nun."),
    Rule("a verb read as a noun", lambda r: r.is_caption and ends_in_verb(r.parsed, r.clause),
         "Five nuns playing soccer chase.", "3 monks riding mules.",
         "Its last noun may be the verb of the caption."),
    Rule("a verb would lose its subject", lambda r: has_verb_elsewhere(r.parsed, r.clause),
         "A monk wearing a hood, kneels on a rug.",
         "A monk lifting a lamp while a nun sings and dances.",
         "The subject of the caption is that of a finite verb."),
    Rule("unclear whose participle", lambda r: r.is_caption and is_of_nearer_noun(r.parsed, r.clause),
         "A view of a nun drinking tea.", "A group of monks riding mules.",
         "It may be that of a nearer noun."),

    Rule("a comma before the verb", lambda r: r.tags[r.subject.end] in {",", ":", "-RRB-", "''"},
         "The nun, now, fed the cat.", "In the yard, a hen pecks the cat.",
         "What the commas set off would follow another noun."),
    Rule("a phrase that may go on", _may_go_on,
         "The nun fed the cat (twice).", "The nun fed a few cats.",
         "What follows it may belong to it: a button down shirt."),
    Rule("an infinitive that says what the object is for",
         lambda r: r.is_active and has_infinitive_of_object(r.parsed, r.clause),
         "A monk carries a bag to be sold.", "The mechanic picks up the wrench.",
         "The purpose is the agent's, or would be left behind."),
    Rule("a participle that may be the subject's", lambda r: has_participle_of_agent(r.parsed, r.clause),
         "A nun holds lamps feeding cats.", "A cook holds a child, giving him a toy.",
         "Things rarely do what it says, and it would be moved with the object."),
    Rule("coordinated objects apart", _are_objects_apart,
         "A monk wears a hood, and a cloak.", "A monk lifts a lamp, and a nun sings.",
         "The second object would be left behind."),
    Rule("a path inside the object", lambda r: r.is_active and has_path(r.parsed, r.object),
         "A monk rolls a barrel towards the mill.", "A monk blocks a road through the hills.",
         "The path is the verb's, unless the noun names a way."),
    Rule("a participle after the object of a caption", _has_late_participle,
         "A nun wearing a veil singing psalms.", "A nun wearing grey pants.",
         "It may say what the subject does, and would be moved with the object."),
    Rule("coordinated verbs", _has_conjoined_finite_verb,
         "The nun fed the cat and left.", "A monk lifts a lamp, and a nun sings.",
         "The second verb would have another subject, with which it need not agree."),

    Rule("a negated clause", _is_negated,
         "The nun did not feed the cat.", "The nun fed a few cats.",
         "What is not so one way need not be so the other way."),
    Rule("a modal verb", _has_modal,
         "The nun may feed the cat.", "The nurse will wash the twins.",
         "Both may be so; what will be is asserted."),
    Rule("a symmetric verb", _is_symmetric,
         "A guard meets a prince.", "A guard escorts a cart.",
         "If one meets the other, the other meets the one; with escort, both do it together."),
    Rule("each may do it to the other", lambda r: r.verb in MUTUAL and "thing" not in r.kinds,
         "The nun watched a baker.", "A tall boxer lifts a short boxer.",
         "Both may be so at once."),
    Rule("a quantity", _measures,
         "The bag weighs two pounds.", "The gardener chases two geese.",
         "A measure is not a participant."),
    Rule("the object is part of the predicate", _has_light_verb,
         "The nun took a walk.", "The nun fed a few cats.",
         "Verb and noun together say what is done."),
    Rule("by says where", lambda r: not r.is_active and r.verb in STATIVE_PARTICIPLES,
         "The nun was seated by a fire.", "The horse is being ridden by a monk in the hills.",
         "The noun after by is not an agent."),
    Rule("an indefinite phrase", lambda r: "something" in r.heads,
         "A nun pushed something.", "The nun fed a few cats.",
         "Something else may push the nun."),
    Rule("identical phrases", _are_identical,
         "A nun pushed another nun.", "A tall boxer lifts a short boxer.",
         "The swapped sentence says the same."),
    Rule("one phrase may mean the other", _may_one_be_other,
         "A nun pushed a person.", "A monk lifts a lamp, and a nun sings.",
         "A nun is a person, who may have pushed a nun."),
    Rule("a noun without a determiner", _would_lack_determiner,
         "A monk lifts bucket.", "A monk sips tea.",
         "Headlines leave it out, and the other noun has one."),
)
# fmt: on


def against(roles: Roles, without: Collection[str] = ()) -> Iterator[Rule[Roles]]:
    """Yield the rules that hold of *roles*, but for the reasons *without*."""
    return holding(RULES, roles, without)
