"""A number in its sentence, and what its rules ask of it beyond patterns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import combinations
from typing import Final

from crossexam.language.numbers import PERCENT, UNIT, Amount, Unread, numbers_in
from crossexam.language.remembered import once
from crossexam.language.tokens import Token

_WINDOW: Final = 48  # characters before a number that a pattern sees
_WINDOW_AFTER: Final = 240

_FINITE: Final = ("VBD", "VBZ", "VBP", "MD")
_DESCRIBING: Final = frozenset({"JJ", "JJR", "JJS", "VBN", "VBG", "CD", "RB", ","})
_DETERMINING: Final = frozenset({"DT", "PDT", "PRP$", "POS", "WP$"})
_COMPLEMENTS: Final = frozenset({"IN", "DT", "PRP", "TO"})
_NAMES: Final = frozenset({"NN", "NNP", "NNPS"})
_COUNTED: Final = ("NNS", "JJ", "CD", "VBN")

_NOUNS: Final = frozenset({"NN", "NNS", "NNP", "NNPS", "JJ", "VBG"})
#: Nouns that have no other plural, or name what amounts are measured in.
_ALIKE: Final = frozenset(
    "percent percentage people fish sheep deer aircraft series head cattle police dozen score pair foot stone"
    " grand horsepower odd strong more less billion million thousand".split()
)

_UNIT: Final = re.compile(UNIT, re.IGNORECASE)
_AND: Final = re.compile(r",? (?:and|or) |, ?")
_NEXT_WORD: Final = re.compile(r"\s+([A-Za-z]\S*)")
_LAST_WORD: Final = re.compile(r"(\w[\w.&’'-]*)\s+$")
_BEGINNING: Final = re.compile(r"(?:^|[.!?:\"“(])\s*$")
_INSIDE: Final = re.compile(r"[\w,;’'–—-]\s+$")
#: After "St." and the like, another sentence may begin.
_CAPITALISED: Final = re.compile(r"\s+(?:[A-Z][\w.&’'-]*(?<![a-z]\.)\s+)*[A-Z][\w.&’'-]*\s*")
_IN_CAPITALS: Final = re.compile(r"\s+[A-Z]{1,4}\b(?!\.)")
_PROGRAMME: Final = re.compile(r"\s+(?:Seconds|Minutes|Hours|Days)\b")
_WORD: Final = re.compile(r"[\w.%$'’]+|[^\w\s]")
_PERCENTAGE: Final = re.compile(rf"(\d+(?:\.\d+)?)(?:{PERCENT})", re.IGNORECASE)
_REST: Final = re.compile(
    r"\b(?:the\s+)?(?:rest|remainder|remaining|balance|others)\b|\bhalf\b.*\bhalf\b", re.IGNORECASE
)


_BEGINS_CLAUSE: Final = re.compile(
    r"(?:^\W*|[,;:]\s|\b(?:that|and|but|so|because|although|while|well|then|now|course|guess"
    r"|th(?:ink|inks|ought)|believe[ds]?|f(?:ind|inds|ound|eels?|elt)|say|says|said)\s+)$",
    re.IGNORECASE,
)
_TEMPORAL: Final = frozenset("when once until till".split())
_ENDING: Final = frozenset({"VBD", "VBZ", "VBP", ",", ":", "WDT", "WP", "WRB"})
_JUDGES: Final = re.compile(r"\b(?:is|was|seems|sounds)\b", re.IGNORECASE)
_VERBS_OR_MARKS: Final = frozenset({"VBD", "VBZ", "VBP", "VBN", "VBG", "MD", ",", ":", "."})
#: What shows that another phrase is the subject: five years ago, Kim was ill.
_NOT_IN_AMOUNT: Final = frozenset({"RB", "RBR", "PRP", "NNP", "NNPS", "EX", "WP", "WDT"})
_JUDGING: Final = frozenset({"JJ", "JJR", "JJS", "NN", "NNS", "DT", "PDT", "PRP$", "CD"})
#: Prepositions that end like a participle.
_PREPOSITIONS: Final = frozenset(
    "following including excluding during regarding concerning according".split()
)
_OF_ACTIVITY: Final = re.compile(
    r"[^,;:]*\s(?:is|was|are|were|does|did|would|will|can|could|makes?|made|costs?|takes?|took|seems?)\b"
)


class Number:
    """A number of a *sentence* with tagged *tokens*, which may be none, as the rules see it.

    *amount* is what was read, *text* the numeral or word, *before* and *after* are what patterns see of the
    sentence around the whole amount; after a full window, ``^`` matches nothing.  *previous* is the number
    before it, *texts* counts the numbers of the sentence by their texts, *values* are those that they have,
    and *in_problem* says that the sentence belongs to a word problem.  *reason*, why the number is not
    changed, is set when it has been judged.
    """

    def __init__(
        self,
        sentence: str,
        tokens: Sequence[Token],
        amount: Amount | Unread,
        previous: Number | None,
        texts: Counter[str],
        values: Sequence[Decimal],
        in_problem: bool,
    ) -> None:
        self.sentence, self.tokens, self.amount, self.previous = sentence, tokens, amount, previous
        self.texts, self.values, self.in_problem = texts, values, in_problem
        self.text, self.start, self.end = amount.text, amount.start, amount.end
        self.quantity = amount if isinstance(amount, Amount) else None
        self.currency = self.quantity.currency if self.quantity else ""
        self.phrase_start = self.quantity.phrase_start if self.quantity else self.start
        self.phrase_end = self.quantity.phrase_end if self.quantity else self.end
        before = sentence[max(0, self.phrase_start - _WINDOW) : self.phrase_start]
        self.before = before if self.phrase_start <= _WINDOW else "\0" + before
        self.after = sentence[self.phrase_end : self.phrase_end + _WINDOW_AFTER]
        self.reason: str | None = None

    @once
    def tags_after(self) -> list[str]:
        """The tags of the tokens after the amount."""
        return [token.tag for token in self.tokens if token.start >= self.phrase_end]

    @once
    def tokens_before(self) -> list[Token]:
        """The tokens before the amount, the nearest first."""
        return [token for token in reversed(self.tokens) if token.end <= self.phrase_start]

    @once
    def previous_word(self) -> str:
        """The word or sign before the amount, in lower case."""
        return next(reversed(_WORD.findall(self.sentence[: self.phrase_start].lower())), "")


def numbers_of(sentence: str, tokens: Sequence[Token], *, in_problem: bool = False) -> list[Number]:
    """Return the numbers of *sentence* in order, none of them judged.

    >>> [number.text for number in numbers_of("In 1990 Kim ate 3 1/2 pies.", ())]
    ['1990', '3', '1/2']
    """
    amounts = numbers_in(sentence)
    texts = Counter(amount.text.lower() for amount in amounts)
    values = [amount.value for amount in amounts if isinstance(amount, Amount)]
    numbers: list[Number] = []
    for amount in amounts:
        previous = numbers[-1] if numbers else None
        numbers.append(Number(sentence, tokens, amount, previous, texts, values, in_problem))
    return numbers


def near(text: str = "", *, before: str = "", after: str = "") -> Callable[[Number], bool]:
    """Return the predicate that all given patterns match.

    *text* must match the whole numeral (and never one with a currency sign), *before* the end of what
    precedes the amount, and *after* the beginning of what follows.
    """
    whole = re.compile(text, re.IGNORECASE).fullmatch if text else None
    follows = re.compile(after, re.IGNORECASE).match if after else None
    precedes = re.compile(f"(?:{before})$", re.IGNORECASE).search if before else None

    def holds(number: Number) -> bool:
        if whole is not None and (number.currency or not whole(number.text)):
            return False
        if follows is not None and not follows(number.after):  # takes less time than a search
            return False
        return precedes is None or precedes(number.before) is not None

    return holds


def earlier(words: str, until: str = ",;:") -> Callable[[Number], bool]:
    """Return the predicate that one of *words* is before the amount, with no mark of *until* between."""
    search = re.compile(rf"\b(?:{words})\b[^{until}]*$", re.IGNORECASE).search
    return lambda number: search(number.sentence[: number.phrase_start]) is not None


def governed(words: str, link: str = "") -> Callable[[Number], bool]:
    """Return the predicate that one of *words* governs the amount: no finite verb and no mark is between.

    It holds of no word problem, in which what can or will be done is what is asked about.
    With *link*, that word is before an infinitive between them: *wants us to sell 5 boats*.
    """
    governs = re.compile(words, re.IGNORECASE).fullmatch

    def holds(number: Number) -> bool:
        if number.in_problem:
            return False
        linked, following = not link, ""
        for token in number.tokens_before:
            if linked and governs(token.text):
                return True
            if token.tag in _ENDING:
                return False
            linked = linked or (token.text.lower() == link and following == "VB")
            following = token.tag
        return False

    return holds


def is_awaited(number: Number) -> bool:
    """Return whether running text says when it may or will be so: *when Lee buys 5 boats*."""
    if number.in_problem:
        return False
    tags: set[str] = set()
    for token in number.tokens_before:
        if token.text.lower() in _TEMPORAL:
            return bool(tags & {"VBZ", "VBP"}) and "VBD" not in tags
        if token.tag in {",", ":"}:
            return False
        tags.add(token.tag)
    return False


def stated(pattern: str) -> Callable[[Number], bool]:
    """Return the predicate that *pattern* is in the sentence, which does not belong to a word problem."""
    search = re.compile(pattern, re.IGNORECASE).search
    return lambda number: not number.in_problem and search(number.sentence) is not None


def lacks_value(pattern: str) -> Callable[[Number], bool]:
    """Return the predicate that the number has no value, and is all *pattern*."""
    whole = re.compile(pattern, re.IGNORECASE).fullmatch
    return lambda number: number.quantity is None and whole(number.text) is not None


def continues(reason: str) -> Callable[[Number], bool]:
    """Return the predicate that a number just before was rejected for *reason*: the numbers 22, 33 and 44."""

    def holds(number: Number) -> bool:
        previous = number.previous
        if previous is None or previous.reason != reason:
            return False
        return _AND.fullmatch(number.sentence[previous.end : number.start]) is not None

    return holds


def lacks_verb(number: Number) -> bool:
    """Return whether the sentence has no finite verb, and does not belong to a word problem."""
    return not number.in_problem and not any(token.tag.startswith(_FINITE) for token in number.tokens)


def is_pronoun(number: Number) -> bool:
    """Return whether the number is *one*, and is not tagged as a number."""
    if number.text.lower() != "one":
        return False
    start = number.start
    tag = next((token.tag for token in number.tokens if token.start <= start < token.end), "")
    return tag not in {"CD", ""}


def _is_bare(number: Number) -> bool:
    return not number.currency and number.phrase_end == number.end


def precedes_predicate(number: Number) -> bool:
    """Return whether an adjective with a complement follows a bare numeral: felt 193 sure that."""
    tags = number.tags_after[:2]
    return _is_bare(number) and len(tags) == 2 and tags[0] == "JJ" and tags[1] in _COMPLEMENTS


def precedes_uncounted(number: Number) -> bool:
    """Return whether a word that cannot be counted follows a bare numeral: was 96 just leaving."""
    tags = number.tags_after
    return _is_bare(number) and bool(tags) and tags[0] in {"RB", "PRP", "PRP$", "DT", "EX", "WP"}


def precedes_singular(number: Number) -> bool:
    """Return whether one thing follows a bare numeral that counts several: *at 228 event*."""
    if not _is_bare(number) or number.quantity is None or number.quantity.value <= 1:
        return False
    tokens = [token for token in number.tokens if token.start >= number.end][:3]
    if not tokens or not number.sentence[number.end : tokens[0].start].isspace():
        return False
    if tokens[0].tag == "JJ":  # what I knew to be 26 artificial respiration
        del tokens[0]
    noun = _NEXT_WORD.match(number.sentence, tokens[0].start - 1) if tokens else None
    tags = [*(token.tag for token in tokens[:2]), "", ""]
    if noun is None or tags[0] != "NN" or tags[1] in _NOUNS:
        return False
    word = noun.group(1).rstrip(".,;:!?").lower()
    return not (word.endswith("s") or word in _ALIKE or _UNIT.fullmatch(word))


def is_described(number: Number) -> bool:
    """Return whether adjectives are between a determiner and the number: *those final three spots*."""
    tags = [token.tag for token in number.tokens if token.end <= number.phrase_start]
    described = len(tags)
    while described and tags[described - 1] in _DESCRIBING:
        described -= 1
    return 0 < described < len(tags) and tags[described - 1] in _DETERMINING


def _may_be_in_name(number: Number) -> bool:
    return number.quantity is not None and not number.currency and not number.quantity.percent


def is_capitalised(number: Number) -> bool:
    """Return whether the number is a word with a capital inside a sentence: Ocean's Eleven."""
    if not _may_be_in_name(number) or not (number.text[0].isupper() and number.text[0].isalpha()):
        return False
    return _INSIDE.search(number.sentence[: number.start]) is not None and not number.sentence.isupper()


def follows_name(number: Number) -> bool:
    """Return whether the number may identify the noun before it, and counts nothing: United 93 crashed."""
    if not _may_be_in_name(number):
        return False
    before = _LAST_WORD.search(number.sentence[: number.phrase_start])
    if before is None or _counts_next(number):
        return False
    tag = next((token.tag for token in number.tokens if token.end == before.end(1)), "")
    if tag in _NAMES:
        return True
    begins = _BEGINNING.search(number.sentence[: before.start()]) is not None
    return before.group(1)[0].isupper() and (tag == "JJ" or not begins)  # American 77 took off


def _counts_next(number: Number) -> bool:
    """Return whether a noun in lower case, or what precedes one, follows the number."""
    follower = _NEXT_WORD.match(number.sentence, number.phrase_end)
    if follower is None or not follower.group(1)[0].islower():
        return False
    word = follower.group(1).rstrip(".,;:!?")
    tag = next(iter(number.tags_after), "")
    if not tag or tag == "NN":
        return word.endswith("s") or _UNIT.fullmatch(word) is not None
    return tag.startswith(_COUNTED)


def precedes_programme(number: Number) -> bool:
    """Return whether the number begins the name of a programme: 60 Minutes."""
    return _may_be_in_name(number) and _PROGRAMME.match(number.sentence, number.phrase_end) is not None


def precedes_name(number: Number) -> bool:
    """Return whether capitalised words follow that are not before the noun counted: 10 Downing Street."""
    names = _CAPITALISED.match(number.sentence, number.phrase_end) if _may_be_in_name(number) else None
    if names is None or _IN_CAPITALS.match(names.group()):
        return False
    if number.tags_after[:1] == ["NNPS"] and len(names.group().split()) == 1:  # nine Jews
        return False
    tag = next((token.tag for token in number.tokens if token.start >= names.end()), "")
    noun = re.match(r"[a-z]\w*", number.sentence[names.end() :])
    return noun is None or not (tag in {"NN", "NNS", "JJ"} or (not tag and noun.group().endswith("s")))


def is_total(number: Number) -> bool:
    """Return whether the number and others of the sentence, no word problem, make a sum or a product."""
    if number.in_problem or number.quantity is None or len(number.values) < 3:
        return False
    own, others = number.quantity.value, list(number.values)
    others.remove(own)
    pairs = [(one, other) for one, other in combinations(others, 2) if min(one, other, own) > 0]
    return any(
        _make(own, *pair) or _make(pair[0], own, pair[1]) or _make(pair[1], own, pair[0]) for pair in pairs
    )


def _make(whole: Decimal, one: Decimal, other: Decimal) -> bool:
    return whole == one + other or (min(one, other) > 2 and whole == one * other)


def is_judged(number: Number) -> bool:
    """Return whether something is said of the amount as a whole: *44 pages is plenty*."""
    if number.quantity is None or number.quantity.percent or _JUDGES.search(number.after) is None:
        return False
    if not _BEGINS_CLAUSE.search(number.before):
        return False
    tokens = [token for token in number.tokens if token.start >= number.phrase_end]
    verb = next((at for at, token in enumerate(tokens) if token.tag in _VERBS_OR_MARKS), None)
    if verb is None or not _JUDGES.fullmatch(tokens[verb].text):
        return False
    if verb == 0:  # four is nestled in it
        return True
    if any(token.tag in _NOT_IN_AMOUNT for token in tokens[:verb]):
        return False
    complement = next((token.tag for token in tokens[verb + 1 :] if token.tag != "RB"), "")
    return complement in _JUDGING


def is_in_subject(number: Number) -> bool:
    """Return whether an activity with the amount is the subject: *Paying 5 dollars was wise*."""
    first = number.tokens[0] if number.tokens else None
    if first is None or first.tag != "VBG" or first.text.lower() in _PREPOSITIONS:
        return False
    between = number.sentence[: number.phrase_start]
    return (
        not re.search(r"[,;:]", between)
        and _OF_ACTIVITY.match(number.sentence, number.phrase_end) is not None
    )


def is_share(number: Number) -> bool:
    """Return whether the number is a percentage of a sentence whose percentages make up a whole."""
    if number.quantity is None or not number.quantity.percent:
        return False
    shares = [Decimal(match.group(1)) for match in _PERCENTAGE.finditer(number.sentence)]
    adds_up = len(shares) > 1 and abs(sum(shares, Decimal(0)) - 100) <= 1
    return adds_up or _REST.search(number.sentence) is not None
