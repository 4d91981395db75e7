"""Agreement of verb and subject, of determiner and noun, and case (Quirk et al., 1985, ch. 5, 6 and 10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from crossexam.language.clauses import Phrase
from crossexam.language.inflection import inflect_like, lemma_of, match_case
from crossexam.language.lexicons.closed_classes import SINGULAR_DETERMINERS
from crossexam.language.lexicons.noun_groups import MASS, PLURAL_NOUNS
from crossexam.language.noun_phrases import PLURAL_ONLY, noun_phrases
from crossexam.language.tokens import Parsed, Token

Number = Literal["singular", "plural", "first"]
Role = Literal["subject", "object"]

# fmt: off
_SUBJECT_CASE: Final = {"me": "I", "him": "he", "her": "she", "us": "we", "them": "they"}
_OBJECT_CASE: Final = {"i": "me", "he": "him", "she": "her", "we": "us", "they": "them"}
_PRONOUNS: Final[dict[str, Number]] = {
    "i": "first", "me": "first", "he": "singular", "him": "singular", "she": "singular", "her": "singular",
    "it": "singular", "we": "plural", "us": "plural", "you": "plural", "they": "plural", "them": "plural",
}
# Verb -> singular, plural, first person singular (section 3.2 and 10.34).
_IRREGULAR: Final[dict[str, tuple[str, str, str]]] = {
    form: forms
    for forms in (("is", "are", "am"), ("was", "were", "was"), ("has", "have", "have"), ("does", "do", "do"),
                  ("isn't", "aren't", "am not"))
    for form in forms
}
# After these, the noun after "of" determines the number (section 10.43).
_QUANTITIES: Final = frozenset(
    "number couple lot lots majority variety handful dozen few plenty rest half".split()
)
# Plural in form but with a singular verb (section 5.74), and vice versa (section 5.78): PLURAL_NOUNS.
_SINGULAR: Final = frozenset(
    "news gymnastics athletics physics mathematics politics aerobics billiards darts checkers dominoes "
    "karate tennis chess".split()
)
# One form for both numbers: the determiner decides (section 5.86).
_EITHER: Final = frozenset("sheep fish deer offspring aircraft series species".split())
_COUNTING: Final = SINGULAR_DETERMINERS - {"this", "that"} | {"many", "several", "few"}
# fmt: on


def number_of(parsed: Parsed, phrase: Phrase) -> Number:
    """Return the number that a verb has with *phrase* as its subject.

    >>> from crossexam.language.tokens import Token
    >>> tokens = (Token("many", 0, 4, "JJ"), Token("sheep", 5, 10, "NN"))
    >>> number_of(Parsed(tokens, (1, -1), ("amod", "root")), Phrase(0, 2, 1))
    'plural'
    """
    head = parsed.tokens[phrase.head]
    word = head.text.lower()
    conjuncts = [k for k in parsed.children(phrase.head, "conj") if k < phrase.end]
    words = {parsed.tokens[k].text.lower() for k in range(phrase.start, phrase.end)}
    if conjuncts and "or" not in words:
        return "plural"
    if word in _PRONOUNS:
        return _PRONOUNS[word]
    if word in _QUANTITIES and (counted := _counted(parsed, phrase.head)) is not None:
        return number_of(parsed, Phrase(phrase.start, phrase.end, counted))
    if word in _SINGULAR:
        return "singular"
    if word in _EITHER:
        before = {parsed.tokens[k].text.lower() for k in parsed.children(phrase.head, "det", "nummod")}
        counts = parsed.children(phrase.head, "nummod") or words & {"many", "several", "some", "few"}
        return "plural" if counts and not before & SINGULAR_DETERMINERS else "singular"
    acronyms = head.text.endswith("s") and head.text[:-1].isupper() and len(word) > 2  # ATMs
    return "plural" if head.tag in {"NNS", "NNPS"} or word in PLURAL_NOUNS or acronyms else "singular"


def _counted(parsed: Parsed, head: int) -> int | None:
    for k in parsed.children(head, "nmod"):
        if any(parsed.tokens[j].text.lower() == "of" for j in parsed.children(k, "case")):
            return k
    return None


def can_replace(tokens: Sequence[Token], head: int, lemma: str) -> bool:
    """Return whether the noun *lemma* can be counted, or go without a determiner, as the noun at *head* is.

    A mass noun is not counted (*a brown clothing*), other singular nouns have a determiner (*there is
    meal*), and a plural-only noun has no singular (*a glasses*).  At the beginning of a caption the article
    may be omitted.  Other parts of speech than nouns are not judged.

    >>> tokens = [Token(word, 0, 0, tag) for word, tag in (("a", "DT"), ("shirt", "NN"))]
    >>> can_replace(tokens, 1, "hat"), can_replace(tokens, 1, "clothing"), can_replace(tokens, 1, "clothes")
    (True, False, False)
    """
    token = tokens[head]
    if not token.tag.startswith("NN"):
        return True
    found = next((each for each in noun_phrases(tokens) if each.head == head), None)
    determiners = [tokens[k] for k in found.determiners] if found else []
    counted = any(each.text.lower() in _COUNTING or each.tag == "CD" for each in determiners)
    plural = token.tag == "NNS" or token.text.lower() in PLURAL_NOUNS
    if lemma in MASS:
        return not (plural or counted)
    if plural:
        return True
    if lemma in PLURAL_ONLY | PLURAL_NOUNS or (
        lemma.endswith("s") and inflect_like(lemma[:-1], lemma, "NNS")
    ):
        return False
    starts = found is not None and found.start == 0
    return bool(determiners) or starts


def agreeing(verb: str, tag: str, number: Number) -> str:
    """Return the finite *verb*, of Penn tag *tag*, in agreement with a subject of *number*.

    A form that does not inflect for number (a modal, a past tense) is returned unchanged.

    >>> agreeing("rides", "VBZ", "plural"), agreeing("are", "VBP", "singular")
    ('ride', 'is')
    >>> agreeing("rode", "VBD", "plural")
    'rode'
    """
    lower = verb.lower()
    if lower in _IRREGULAR:
        forms = _IRREGULAR[lower]
        return match_case(forms[("singular", "plural", "first").index(number)], verb)
    base = lemma_of(lower)
    ends_in_s = lower.endswith("s") and lower != base  # whatever the tagger says
    if (tag == "VBZ" or ends_in_s) and number != "singular":
        return match_case(base, verb)
    is_base = tag == "VBD" and lower == base and inflect_like(base, base, "VBD") not in {base, None}
    if (tag in {"VBP", "VB"} or is_base) and number == "singular":
        return match_case(inflect_like(lower, lower, "VBZ") or verb, verb)
    return verb


def in_case(pronoun: str, case: Role) -> str:
    """Return *pronoun* in subject or object case, and any other word unchanged.

    >>> in_case("him", "subject"), in_case("They", "object"), in_case("dog", "object")
    ('he', 'them', 'dog')
    """
    forms = _SUBJECT_CASE if case == "subject" else _OBJECT_CASE
    return forms.get(pronoun.lower(), pronoun)
