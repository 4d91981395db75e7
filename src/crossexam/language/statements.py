"""Sentences as clauses of other sentences: *it is not the case that a man sleeps*.

By the tags, since most corpora have no parses.  What is not clearly one statement is left out, with the
reason: questions, instructions and captions without a finite verb make no clause, two clauses that a
conjunction joins make an ambiguous one (*it is not the case that Ann sings and Bob dances*), and speech with
interjections makes none that is English.  Tags fail most often where a participle follows the subject, which
may be a caption (*two girls riding a park ride*), so such sentences are left out as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from crossexam.language.lexicons.closed_classes import AUXILIARIES, CONJUNCTIONS
from crossexam.language.lexicons.proper_names import FIRST_NAMES
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.monotonicity.spans import TaggedSentence, main_verb
from crossexam.language.sentences import split_sentences
from crossexam.language.tokens import Token

_INNER_MARK: Final = re.compile(r"[;:\"“”()\[\]]|\s[-–—]+\s|--|\.\.\.|…")
_GERUND: Final = re.compile(r".*[aeiouy].*ing")  # not *sing*, *bring*
_INTERJECTIONS: Final = frozenset(
    "uh um huh hm hmm oh ah wow gee hey yeah yep yes okay ok um-hum uh-huh uh-uh huh-uh bye-bye bye thank "
    "thanks please hello hi".split()
)
_SPOKEN: Final = frozenset({"well", "right", "look", "now"})  # at the beginning
_NAMES: Final = frozenset({"NNP", "NNPS"})
_NAMED: Final = frozenset({"NN", "NNS", "JJ"})
_ALWAYS_CAPITAL: Final = frozenset({"I", "I'm", "I've", "I'd", "I'll"})
_NOUNS: Final = frozenset({"NN", "NNS"})
_BEGINS_OBJECT: Final = frozenset({"DT", "PRP", "PRP$", "NNP", "CD", "TO"})
#: Before a word that is a noun rather than the verb of a main clause.
_BEFORE_NOUN: Final = frozenset({"DT", "JJ", "JJR", "JJS", "PRP$", "CD", ","})
_RELATIVE: Final = frozenset({"WDT", "WP"})


def statement_doubt(text: str, sentence: TaggedSentence) -> str | None:
    """Return why *text*, whose tokens are those of *sentence*, may not be one statement; None if it is one.

    >>> from crossexam.language.monotonicity.spans import sentence_of
    >>> def doubt(*tagged):
    ...     tokens = [Token(word, 0, 0, tag) for word, tag in tagged]
    ...     return statement_doubt(" ".join(word for word, _ in tagged), sentence_of(tokens, None))
    >>> print(doubt(("Two", "CD"), ("men", "NNS"), ("sing", "VBP")))
    None
    >>> doubt(("Two", "CD"), ("men", "NNS"), ("singing", "VBG"))
    'no finite verb'
    """
    if not sentence.tokens:
        return "empty sentence"
    if "?" in text:
        return "question"
    if len(split_sentences(text)) > 1:
        return "several sentences"
    if _INNER_MARK.search(text) or not text.lstrip()[0].isalnum():
        return "quotation, parenthesis or dash"
    if _is_speech(sentence):
        return "interjection or repetition"
    if sentence.word(0) in CONJUNCTIONS or sentence.tag(0) == "CC":
        return "begins with a conjunction"
    if sentence.tag(0) in {"VB", "VBP"}:
        return "instruction"
    verb = main_verb(sentence, 0)
    if verb is None or sentence.tag(0) in {"MD", "VBD", "VBZ"}:
        return "no finite verb"
    if _is_doubtful(sentence, verb):
        return "perhaps no finite verb"
    return None


def _is_speech(sentence: TaggedSentence) -> bool:
    """Return whether *sentence* is written down as it was spoken."""
    words = sentence.words
    return (
        "UH" in sentence.tags
        or words[0] in _SPOKEN
        or not _INTERJECTIONS.isdisjoint(words)
        or any(token.text == "i" for token in sentence.tokens)
        or any(map(str.__eq__, words, words[1:]))
    )


def _is_doubtful(sentence: TaggedSentence, verb: int) -> bool:
    """Return whether *verb*, tagged as the finite verb of a main clause, may be a noun or a participle."""
    if any(sentence.tag(k) == "VBG" and sentence.tag(k - 1).startswith("NN") for k in range(1, verb)):
        return True
    word, tag, before = sentence.word(verb), sentence.tag(verb), sentence.tag(verb - 1)
    if before in _RELATIVE:
        return verb > 1  # *sisters who sing*, unlike *who sings is happy*
    if word in AUXILIARIES or tag == "MD":
        return False
    lacks_agreement = (tag, before) == ("VBZ", "NNS") or (
        (tag, before) == ("VBP", "NN") and "and" not in sentence.words[:verb]
    )
    may_be_participle = (
        tag == "VBD"
        and word.endswith("ed")
        and before in _NOUNS
        and sentence.tag(verb + 1) not in _BEGINS_OBJECT
    )
    return (
        before in _BEFORE_NOUN or _GERUND.fullmatch(word) is not None or lacks_agreement or may_be_participle
    )


def has_several_clauses(sentence: TaggedSentence) -> bool:
    """Return whether *sentence* has more than one finite verb."""
    return len(sentence.finite) > 1


def has_coordinated_clauses(sentence: TaggedSentence) -> bool:
    """Return whether a comma or a coordinating conjunction stands between two finite verbs of *sentence*."""
    if not has_several_clauses(sentence):
        return False
    first, last = min(sentence.finite), max(sentence.finite)
    return not {"CC", ","}.isdisjoint(sentence.tags[first:last])


def within_sentence(tokens: Sequence[Token]) -> str | None:
    """Return the first word of a sentence as it is written within one: only names keep their capital.

    None if it may be part of a name or not: *Children play* with the tag of a name, *Control Data sells*.

    >>> def inner(*tagged):
    ...     tokens = [Token(word, 0, 0, tag) for word, tag in tagged]
    ...     return within_sentence(tokens)
    >>> [inner((word, tag)) for word, tag in (("The", "DT"), ("Ann", "NNP"), ("Asian", "JJ"), ("Men", "NNS"))]
    ['the', 'Ann', 'Asian', 'men']
    >>> inner(("Children", "NNP"), ("play", "VBP")), inner(("Control", "NN"), ("Data", "NNP"))
    (None, None)
    """
    word, tag = tokens[0].text, tokens[0].tag
    if word.isdigit() and len(tokens) > 1 and tokens[1].text[:1].isupper():
        return None  # the number of a note: *18 In 1989*
    if not word[:1].isupper() or word in _ALWAYS_CAPITAL or any(map(str.isupper, word[1:])):
        return word
    goes_on = len(tokens) > 1 and (tokens[1].text[:1].isupper() or tokens[1].tag == "CD")
    if tag in _NAMES:
        is_clear = goes_on or word.lower() in FIRST_NAMES or not _written(word, str.islower)
        return word if is_clear else None
    if tag in _NAMED and not _written(word, str.islower):
        return word if _written(word, str.isupper) else None
    if tag in _NAMED and goes_on:
        return None
    return word[0].lower() + word[1:]


def _written(word: str, case: Callable[[str], bool]) -> bool:
    """Return whether WordNet has *word*, or its lemma, with a first letter of *case*."""
    lemmas = wordnet().lemmas_of(word.lower())
    forms = (form for sense in wordnet().synsets(word) for form in wordnet().lemmas(sense))
    return any(form.lower() in lemmas and case(form[0]) for form in forms)
