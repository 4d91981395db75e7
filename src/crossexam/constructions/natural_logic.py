"""Labels of swapped word pairs, proposed by natural logic.

Sanchez Carmona et al. (2018, section 5.4) keep the label contradiction if antonyms are exchanged, and label
all other items by hand.  Here natural logic *proposes* a label for these, with a reason, and a judge is to
verify it (``crossexam validate``).

Replacing a word by its hypernym weakens a sentence if its context is upward monotone, and strengthens it if
the context is downward monotone (MacCartney 2009, chapter 5).  Since premise and hypothesis of our corpora
describe the same event, a conflict that is known to lie in other words remains.  When another label may be
right is said by the rows of ``rules/natural_logic.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import Final, Literal, NamedTuple

from crossexam.core.labels import Label
from crossexam.language.activities import compared, is_outdoors, scene
from crossexam.language.inflection import PARTS
from crossexam.language.lexicons.activities import ALTERNATIVES, UNSEEN
from crossexam.language.lexicons.closed_classes import (
    INDEFINITE_ARTICLES,
    NEGATIONS,
    NUMBER_WORDS,
    SMALL_NUMBERS,
)
from crossexam.language.lexicons.noun_groups import COLOURS, PLURAL_NOUNS
from crossexam.language.lexicons.word_pairs import Relation
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.monotonicity.polarity import Direction
from crossexam.language.noun_phrases import noun_phrases
from crossexam.language.nouns import animacy, is_living, may_name, participants, sense_names
from crossexam.language.tokens import Token

Rest = Literal["covered", "new", "open", "conflict", "unclear"]
Source = Literal["corpus", "construction", "natural logic"]


class Proposal(NamedTuple):
    """A *label*, its *source* and its *reason*; a judge is to verify labels proposed by natural logic."""

    label: Label
    source: Source
    reason: str


def ex_situ_label(relation: Relation, direction: Direction) -> Proposal:
    """Return the label of two sentences that differ only in a word pair.

    *relation* is that of the second word to the first.

    >>> ex_situ_label("hypernym", "up").label, ex_situ_label("hypernym", "down").label
    ('entailment', 'neutral')
    """
    if relation == "antonym":
        return Proposal("contradiction", "construction", "antonyms in one context")
    if relation == "synonym":
        return Proposal("entailment", "natural logic", "synonyms in one context")
    weaker = (relation == "hypernym") == (direction == "up")
    if direction == "none":
        return Proposal("neutral", "natural logic", f"{relation} in a context that is not monotone")
    way = "upward" if direction == "up" else "downward"
    return Proposal("entailment" if weaker else "neutral", "natural logic", f"{relation} in {way} context")


def after_exchange(
    gold: Label, relation: Relation, premise: Direction, hypothesis: Direction, *, covered: bool
) -> Proposal:
    """Return the label after the two words are exchanged.

    *relation* is that of the hypothesis word to the premise word before the exchange; *covered* means that
    the premise entails the rest of the hypothesis.

    >>> after_exchange("entailment", "hypernym", "up", "up", covered=True)[:2]  # footbridge, bridge
    ('neutral', 'natural logic')
    >>> after_exchange("neutral", "hyponym", "up", "up", covered=True).label  # bridge, footbridge
    'entailment'
    """
    if relation == "antonym":
        return Proposal("contradiction", "construction", "antonymy is symmetric")
    safe = not says_less(relation, premise, hypothesis)
    premise_effect = _effect(relation, premise)
    hypothesis_effect = _effect("hyponym" if relation == "hypernym" else "hypernym", hypothesis)
    changes = f"premise {premise_effect}, hypothesis {hypothesis_effect}"
    if gold == "contradiction":
        return Proposal("contradiction", "natural logic", f"{changes}: the conflict lies elsewhere")
    if gold == "entailment":
        if safe:
            return Proposal("entailment", "natural logic", f"{changes}: still entailed")
        return Proposal("neutral", "natural logic", f"{changes}: no longer entailed")
    if safe and covered:
        return Proposal("entailment", "natural logic", f"{changes}, nothing else is new: entailed")
    return Proposal("neutral", "natural logic", f"{changes}: still not entailed")


def says_less(relation: Relation, premise: Direction, hypothesis: Direction) -> bool:
    """Return whether the exchange of a word and its *relation* leaves the premise without what it said.

    That is, unless the premise becomes stronger and the hypothesis weaker.

    >>> says_less("hypernym", "up", "up"), says_less("hyponym", "up", "up")
    (True, False)
    """
    other: Relation = "hyponym" if relation == "hypernym" else "hypernym"
    return (_effect(relation, premise), _effect(other, hypothesis)) != ("stronger", "weaker")


def after_replacement(relation: Relation, direction: Direction, rest: Rest) -> Proposal:
    """Return the label after an antonym is replaced.

    *relation* is that of the hypothesis word to the premise word after the replacement.
    """
    if rest in {"conflict", "unclear"}:
        return Proposal("contradiction", "natural logic", "other words conflict")
    if rest in {"new", "open"}:
        return Proposal("neutral", "natural logic", "no conflict is left, other words are new")
    proposal = ex_situ_label(relation, direction)
    return Proposal(proposal.label, "natural logic", f"no conflict is left: {proposal.reason}")


def _effect(relation: Relation, direction: Direction) -> str:
    """Return the effect on a sentence of replacing a word in it by its *relation*."""
    if direction == "none":
        return "unclear"
    return "weaker" if (relation == "hypernym") == (direction == "up") else "stronger"


# The contribution of the rest of a hypothesis.

_LIGHT: Final = frozenset(
    "be have do get there very so too also just now then here thing something someone somebody person people "
    "picture photo image'".split()
)
_FIGURES: Final = {word: str(number) for number, word in enumerate(SMALL_NUMBERS[:11])}
_SENSES: Final = 2
_STEPS: Final = 3
_PHRASE: Final = 4  # tokens from an adjective to the noun that it describes


_COMPARED: Final = COLOURS.union(*ALTERNATIVES)
_OUTSIDE: Final = frozenset({"outside", "outdoors"})
_WEAR: Final = "wear"
_UP_AND_DOWN: Final = frozenset({"up", "down"})
#: Verbs whose particles add nothing to a description: to sit down, to stand up.
POSTURE_VERBS: Final = frozenset("sit stand lie lay kneel bend lean".split())

_Word = tuple[str, str]  # a lemma and its part of speech


class PairSentence(NamedTuple):
    """Tagged *tokens*, and the positions of the pair's word, which are *left_out*."""

    tokens: Sequence[Token]
    left_out: frozenset[int]


def rest_of(premise: PairSentence, hypothesis: PairSentence) -> Rest:
    """Return whether *hypothesis* without the pair's word conflicts with *premise*, adds to it, or neither.

    They conflict if a verb, adverb or person of one is an antonym of the other's, if nobody does what both
    say at a time (:func:`~crossexam.language.activities.compared`), or if all the rest is the same and one
    thing has different numbers or colours, the time is another, or one sentence is negated.  The rest is
    ``new`` if *premise* cannot say it, ``open`` if *premise* does not conflict with it, but may imply it.
    Otherwise a verb or a thing that the premise lacks makes it unclear: who pushes a cart may smoke.
    """
    added = _added(premise, hypothesis)
    if _negates(premise) != _negates(hypothesis):
        return "unclear" if added else "conflict"
    shared = len(added) < len(_words(hypothesis))
    scenes = _compared(premise, hypothesis, shared=shared)
    if scenes == "conflict":
        return "conflict"
    opposite = {word for word, other in _contrasts(added, premise) if _antonyms(word, other)}
    if opposite:
        return "unclear" if added - opposite else "conflict"
    differ = (
        _another_amount(premise, hypothesis)
        or _another_colour(premise, hypothesis)
        or _another_time(premise, hypothesis)
    )
    if differ:
        more = any(lemma not in _COMPARED for lemma, _ in added) or _has_several_amounts(premise)
        return "unclear" if more else "conflict"
    if not added:
        return "covered"
    if any(_antonyms(word, other) for word in added for other in _words(premise)):
        return "unclear"
    new = {each for each in added if each[0] not in UNSEEN}
    if scenes == "same" and not new:
        return "new"
    new = {each for each in new if not _is_role_of(*each, premise)}
    objects = scenes == "unsaid" and all(part in {"n", "v"} for _, part in new)
    if scenes is not None and (objects or not new) and not _adds_a_phrase(premise, hypothesis):
        return "new" if scenes == "unsaid" else "open"
    return "unclear"


def _is_role_of(lemma: str, part: str, premise: PairSentence) -> bool:
    """Return whether the word is a noun for a person that all people of *premise* may be: *a banker*."""
    if part != "n" or animacy(lemma) != "person":
        return False
    return all(may_name(lemma, each) for each in participants(premise.tokens))


def lies_elsewhere(premise: PairSentence, hypothesis: PairSentence) -> bool:
    """Return whether a contradiction does not lie in a word and its hypernym, but in what is said of them.

    As a dog is an animal, that is so if the two are what the sentences are about, are equally many, and have
    no other adjectives in *hypothesis*.
    """
    known = {token.text.lower() for token in premise.tokens}
    before = hypothesis.tokens[: min(hypothesis.left_out)]
    described = {token.text.lower() for token in before if token.tag[:1] in {"J", "C"}}
    return described <= known and all(
        next(participants(each.tokens), None) == each.tokens[min(each.left_out)].text.lower()
        for each in (premise, hypothesis)
    )


def _compared(
    premise: PairSentence, hypothesis: PairSentence, *, shared: bool
) -> Literal["conflict", "unsaid", "same"] | None:
    """Return how the scenes of two sentences go together; None if they may be of different people."""
    subjects = [_subject(sentence) for sentence in (premise, hypothesis)]
    if None in subjects:
        subjects = [_first_living(sentence) for sentence in (premise, hypothesis)]
        names = [
            each.tokens[k].text.lower()
            for each, k in zip((premise, hypothesis), subjects, strict=True)
            if k is not None
        ]
        if len(names) < len(subjects) or not may_name(names[1], names[0]):
            return None
    first, second = (
        scene(sentence.tokens, subject or 0, sentence.left_out)
        for sentence, subject in zip((premise, hypothesis), subjects, strict=True)
    )
    names = [
        each.tokens[subject or 0].text for each, subject in zip((premise, hypothesis), subjects, strict=True)
    ]
    # one of several people may be who the hypothesis is about, but they are not who the premise is about
    others = [other for other in second.others if second.plural or not _is_plural(other)]
    if any(may_name(names[0], other) for other in first.others) or any(
        may_name(names[1], other) for other in others
    ):
        return None
    return compared(first, second, shared=shared)


def _subject(sentence: PairSentence) -> int | None:
    """Return the index of the person or animal that the pair's word names, describes or is said of."""
    position, tokens = min(sentence.left_out), sentence.tokens
    is_adjective = tokens[position].tag.startswith("J")
    after = range(position, min(len(tokens), position + _PHRASE))
    near = after if is_adjective else range(position, -1, -1)
    return next((k for k in near if is_living(tokens, k)), None)


def _is_plural(noun: str) -> bool:
    return noun in PLURAL_NOUNS or wordnet().base_form(noun, "n") != noun


def _first_living(sentence: PairSentence) -> int | None:
    """Return the index of the first person or animal of *sentence*, which is mostly its subject."""
    return next((k for k in range(len(sentence.tokens)) if is_living(sentence.tokens, k)), None)


def have_one_subject(premise: PairSentence, hypothesis: PairSentence) -> bool:
    """Return whether the pair's verbs are said of somebody who is the same, and nobody else, in both."""
    first, second = (_subject(each) for each in (premise, hypothesis))
    if first is None or second is None:
        return False
    name = hypothesis.tokens[second].text.lower()
    others = participants(premise.tokens, besides=(first,))
    return may_name(name, premise.tokens[first].text.lower()) and not any(
        may_name(name, other) for other in others
    )


def _adds_a_phrase(premise: PairSentence, hypothesis: PairSentence) -> bool:
    """Return whether *hypothesis* has a preposition that *premise* lacks."""
    used = {token.text.lower() for token in premise.tokens}
    return any(token.tag in {"IN", "RP"} and token.text.lower() not in used for token in hypothesis.tokens)


def adds_a_thing(premise: PairSentence, hypothesis: PairSentence) -> bool:
    """Return whether *hypothesis*, without the pair's word, names a thing that *premise* does not."""
    return any(_is_thing(*each) for each in _added(premise, hypothesis))


def _added(premise: PairSentence, hypothesis: PairSentence) -> set[_Word]:
    """Return the content words of *hypothesis* that no word of *premise* says."""
    ours = _words(premise)
    new = {each for each in _words(hypothesis) if not any(_says(other, each) for other in ours)}
    return {each for each in new if not _is_implied(each[0], premise)}


def _is_implied(lemma: str, premise: PairSentence) -> bool:
    """Return whether *lemma* follows from a phrase of *premise*.

    Who is in the street is outside, and who is in a red shirt wears it.
    """
    if lemma in _OUTSIDE:
        return is_outdoors(premise.tokens)
    return lemma == _WEAR and _is_dressed(premise)


def _is_dressed(sentence: PairSentence) -> bool:
    """Return whether a phrase with "in" has a garment as its noun: *in a red shirt*."""
    tokens = sentence.tokens
    starts = {phrase.start: phrase.head for phrase in noun_phrases(tokens)}
    heads = (starts[k + 1] for k, each in enumerate(tokens) if each.text.lower() == "in" and k + 1 in starts)
    nouns = (wordnet().morphy(tokens[k].text.lower(), "n") for k in heads)
    return any(noun is not None and "clothing.n.01" in sense_names(noun) for noun in nouns)


def _contrasts(added: set[_Word], premise: PairSentence) -> Iterator[tuple[_Word, _Word]]:
    """Yield the words that are new with those of *premise*, but not adjectives, which may modify any noun."""
    for word in added:
        yield from ((word, other) for other in _words(premise) if word[1] != "a")


def are_same_otherwise(premise: PairSentence, hypothesis: PairSentence) -> bool:
    """Return whether the two sentences have the same content words, apart from the pair."""
    return _words(premise) == _words(hypothesis)


def repeats(premise: PairSentence, hypothesis: PairSentence) -> bool:
    """Return whether *premise* has all words of *hypothesis* in the same use, though not in their relations.

    Apart from light verbs: in "a horse drawn cart", *horse* is not used as in "on the horse".
    """
    return set(_links(hypothesis)) <= set(_links(premise))


_RELATING: Final = frozenset({"IN", "TO", "RP"})
_QUANTIFIERS: Final = frozenset("all both each every most only another other".split())
_BETWEEN_CLAUSES: Final = frozenset("while as when where whose who that which because".split())


def in_relation(premise: PairSentence, hypothesis: PairSentence) -> bool:
    """Return whether *premise* has the words and prepositions of *hypothesis* in their order and relations.

    Between two of them, *premise* may say more of the first ("a man in a hat sits"), but may neither begin a
    clause nor, before a noun, relate it to another word: who sits on a rock by a table is not on a table.
    """
    ours = _links(premise)
    theirs = [
        each for each in _links(hypothesis) if each[0] not in _OUTSIDE or not _is_implied(each[0], premise)
    ]
    if not theirs or _is_said_of_the_same(premise, theirs):
        return True
    ends = {k for k, word in enumerate(ours) if _is_said(word, theirs[0])}
    for wanted in theirs[1:]:
        ends = {
            k
            for end in ends
            for k in range(end + 1, len(ours))
            if _is_said(ours[k], wanted) and not _is_broken(ours[end + 1 : k], wanted)
        }
    return bool(ends)


def _is_said_of_the_same(premise: PairSentence, theirs: Sequence[_Word]) -> bool:
    """Return whether *theirs* are a noun and the pair's word, and *premise* has that word of such a noun.

    "A black hat with a feather" says that the hat is black, and "a man in a hat sits" that the man sits.
    """
    nouns = [each for each in theirs if each[1] == "n"]
    if len(theirs) != len(nouns) + 1 or len(nouns) != 1 or ("", "pair") not in theirs:
        return False
    position, tokens = min(premise.left_out), premise.tokens
    if tokens[position].tag.startswith("J"):
        phrase = takewhile(lambda token: token.tag[:1] in {"N", "J"}, tokens[position + 1 :])
        noun = next((token for token in phrase if token.tag.startswith("NN")), None)
    else:
        subject = _subject(premise)
        noun = None if subject is None else tokens[subject]
    if noun is None:
        return False
    word = noun.text.lower()
    return _says((wordnet().base_form(word, "n"), "n"), nouns[0])


def _is_said(premise: _Word, hypothesis: _Word) -> bool:
    content = PARTS.values()
    if (premise, hypothesis) == (("in", "relation"), (_WEAR, "v")):
        return True
    return premise == hypothesis or (
        premise[1] in content and hypothesis[1] in content and _says(premise, hypothesis)
    )


def _is_broken(between: Sequence[_Word], following: _Word) -> bool:
    """Return whether the words *between* two others keep the second from depending on the first."""
    breaks = {"break", "v"} | ({"relation"} if following[1] in {"n", "a", "pair"} else set())
    return any(part in breaks for _, part in between)


def _links(sentence: PairSentence) -> list[_Word]:
    """Return the content words, the pair, and what relates them, in their order, each with its class."""
    found: list[_Word] = []
    for position, token in enumerate(sentence.tokens):
        word, part = token.text.lower(), PARTS.get(token.tag[:1])
        if position in sentence.left_out:
            found.append(("", "pair"))
        elif is_particle(sentence, position):
            found += [] if token.tag != "IN" else [(word, "relation")]
        elif word in _BETWEEN_CLAUSES or token.tag in {"CC", ",", ":"}:
            found.append((word, "break"))
        elif token.tag in _RELATING:
            found.append((word, "relation"))
        elif token.tag in {"CD", "MD"} or word in _QUANTIFIERS:
            found.append((_FIGURES.get(word, word), "amount"))
        elif part is not None and token.text[:1].isalpha():
            lemma = wordnet().base_form(word, part)
            part = "modifier" if _is_modifier(sentence.tokens, position) else part
            found += [(lemma, part)] if lemma not in _LIGHT else []
    return found


def _is_modifier(tokens: Sequence[Token], position: int) -> bool:
    """Return whether the noun modifies another: a *horse* cart, a *horse* drawn cart."""
    following = [token.tag for token in tokens[position + 1 : position + 3]] + ["", ""]
    if following[0] == "VBN":
        following = following[1:]
    noun = tokens[position].tag.startswith("NN")
    return noun and following[0].startswith(("NN", "JJ"))


def other_words(sentence: PairSentence) -> list[str]:
    """Return the lemmas of *sentence* without the pair's word, articles and punctuation."""
    found = []
    for position, token in enumerate(sentence.tokens):
        word = token.text.lower()
        if position in sentence.left_out or word in INDEFINITE_ARTICLES or not any(map(str.isalnum, word)):
            continue
        part = PARTS.get(token.tag[:1])
        found.append(wordnet().base_form(word, part) if part else word)
    return found


def _negates(sentence: PairSentence) -> bool:
    return any(token.text.lower() in NEGATIONS for token in sentence.tokens)


def _is_thing(word: str, part: str) -> bool:
    return part == "n" and animacy(word) != "person"


def _another_amount(premise: PairSentence, hypothesis: PairSentence) -> bool:
    """Return whether a noun, or the pair, has a number in *hypothesis* but only others in *premise*."""
    return _differ(_numbered(premise), _numbered(hypothesis))


def _has_several_amounts(sentence: PairSentence) -> bool:
    """Return whether there are several numbers, which may add up: two men and one woman are three people."""
    return sum(map(len, _numbered(sentence).values())) > 1


def _numbered(sentence: PairSentence) -> dict[str, set[str]]:
    """Return the numbers of each noun, by noun in lower case; the pair's word is an empty string."""
    found: dict[str, set[str]] = {}
    for phrase in noun_phrases(sentence.tokens):
        noun = sentence.tokens[phrase.head].text.lower()
        here = sentence.left_out.intersection(range(phrase.start, phrase.head + 1))
        for k in phrase.determiners:
            word = sentence.tokens[k].text.lower()
            if word in NUMBER_WORDS or word.isdecimal():
                found.setdefault("" if here else noun, set()).add(_FIGURES.get(word, word))
    return found


def _another_colour(premise: PairSentence, hypothesis: PairSentence) -> bool:
    """Return whether a noun has a colour in *hypothesis* but only others in *premise*: brown, red pants."""
    return _differ(_coloured(premise), _coloured(hypothesis))


def _another_time(premise: PairSentence, hypothesis: PairSentence) -> bool:
    """Return whether *hypothesis* names another season or time of day than *premise*: *in summer*."""
    ours, theirs = (
        {token.text.lower() for k, token in enumerate(each.tokens) if k not in each.left_out}
        for each in (premise, hypothesis)
    )
    return any(group & ours and group & theirs and not group & ours & theirs for group in ALTERNATIVES)


def _coloured(sentence: PairSentence) -> dict[str, set[str]]:
    """Return the colours directly before each noun, by noun in lower case, but not the pair's word."""
    found: dict[str, set[str]] = {}
    for position, (colour, noun) in enumerate(pairwise(sentence.tokens)):
        if position not in sentence.left_out and colour.text.lower() in COLOURS and noun.tag.startswith("NN"):
            found.setdefault(noun.text.lower(), set()).add(colour.text.lower())
    return found


def _differ(premise: Mapping[str, set[str]], hypothesis: Mapping[str, set[str]]) -> bool:
    """Return whether a noun has an attribute in *hypothesis*, and only others in *premise*."""
    return any(noun in premise and not each <= premise[noun] for noun, each in hypothesis.items())


def _words(sentence: PairSentence) -> set[_Word]:
    found = set()
    for position, token in enumerate(sentence.tokens):
        part = PARTS.get(token.tag[:1])
        if part is None or position in sentence.left_out or not token.text[:1].isalpha():
            continue
        if is_particle(sentence, position):
            continue
        lemma = wordnet().base_form(token.text.lower(), part)
        if lemma not in _LIGHT:
            found.add((lemma, part))
    return found


def is_particle(sentence: PairSentence, position: int) -> bool:
    """Return whether "up" or "down" belongs to a verb of posture, or is a preposition: *down the street*."""
    tokens = sentence.tokens
    if tokens[position].text.lower() not in _UP_AND_DOWN or position == 0:
        return False
    following = tokens[position + 1].tag if position + 1 < len(tokens) else ""
    return (
        following in {"DT", "PRP$"}
        or wordnet().morphy(tokens[position - 1].text.lower(), "v") in POSTURE_VERBS
    )


def _says(premise: _Word, hypothesis: _Word) -> bool:
    """Return whether the *premise* word is the *hypothesis* word, or a synonym or hyponym of it."""
    if premise[0] == hypothesis[0]:
        return True
    if premise[1] != hypothesis[1]:
        return False
    wanted = set(wordnet().synsets(*hypothesis)[:_SENSES])
    level = set(wordnet().synsets(*premise)[:_SENSES])
    for _ in range(_STEPS + 1):
        if level & wanted:
            return True
        level = {above for synset in level for above in wordnet().hypernyms(synset)}
    return False


def _antonyms(word: _Word, other: _Word) -> bool:
    if word[1] != other[1]:
        return False
    found = (lemma for synset in wordnet().synsets(*word) for _, lemma in wordnet().antonyms(synset))
    return other[0] in set(found)
