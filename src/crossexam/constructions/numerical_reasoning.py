"""Numerical reasoning (Naik et al., 2018, C18-1198, section 3.1).

In word problems with a numerical answer and a rationale of at most three sentences, every sentence with a
quantity and a named entity is the premise of three items:

1. entailment: a quantity is changed and prefixed with "less than" or "more than", whichever holds of the
   original number;
2. contradiction: a quantity is either changed or prefixed without being changed, with equal probability;
3. neutral: the entailed pair with premise and hypothesis exchanged.

The paper does not say how often a number rises, nor which prefix a contradiction has.  Here it rises or falls
with equal probability, and the contradiction of a premise has the prefix of its entailment, so that neither
prefix tells these labels apart.  Nor does it say what a sentence of a rationale is: those of AQuA-RAT are
mostly lines of equations, and a line is at least one sentence here, except one that only names the answer.

Any other text can be used as well (``--base FILE``); the rules for answers and rationales apply only if
there are any.

Differences from the paper.  It draws "a numerical quantity"; we draw from the quantities that remain
grammatical after "less than" (not "the less than 5 boys", "a less than 3 litre jug", "about less than 20"),
and never one, since its noun is singular.  Two only rises: less than two is one.  The new number has the same
style and magnitude, so that its appearance does not give the change away.  Sentences of running text, but not
of word problems, are rejected if they are conditions, rules, questions or headings: with another number these
can be just as true.  All of this is said by the rows of ``rules/numerical_reasoning.py``.  Fewer sentences
qualify.  ``rules=paper`` draws from all numbers and has none of these rules; ``rules=released`` follows the
authors' script.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from crossexam.constructions.construction import Draft, Rejection, Resources, Yielded
from crossexam.constructions.rules.number import Number, numbers_of
from crossexam.constructions.rules.numerical_reasoning import DOUBTS, NO_PREFIX, NO_QUANTITY, RULES, against
from crossexam.constructions.rules.rule import switched_off
from crossexam.core.example import CLUSTER, CORRECT, HOW, OPTIONS, RATIONALE, Edit, Example
from crossexam.core.labels import Label
from crossexam.core.rules import OURS, Rules
from crossexam.language.numbers import UNIT, Amount, all_quantities, has_number, render_number
from crossexam.language.sentences import split_sentences
from crossexam.language.tokens import Span, Token

_MOST_RATIONALE_SENTENCES: Final = 3
_NO_ENTITY: Final = Rejection("no named entity")
# What may stand before and after the only number of an answer: a sign or bracket, and a unit, which has three
# letters or is known; not "6x" or "2 pm".
_BEFORE_ANSWER: Final = re.compile(r"[-−+(\s]*")
_TIME: Final = r"\s*(?:[ap]\.?\s?m\b|noon|midnight)"
_UNIT_OF_ANSWER: Final = rf"\s*/?\s*(?:[%°$]|(?:{UNIT}|rs|[a-z]{{3,}})(?![a-z]))[a-z/. ²³]{{0,20}}"
_AFTER_ANSWER: Final = re.compile(rf"(?!{_TIME})(?:{_UNIT_OF_ANSWER})?[).\s]*", re.IGNORECASE)
# A sentence of a rationale that only names the answer, or says nothing: "So, the answer is D", "D", "---".
_ANSWER: Final = r"(?:(?:correct|right|final)\s+)?(?:answer|option|choice|ans)\b"
_NAMES_ANSWER: Final = re.compile(
    rf"\W*(?:(?:so|hence|thus|therefore)\b\W*)?"
    rf"(?:(?:the\s+)?{_ANSWER}.{{0,20}}|(?:[A-E]\W*(?:is\s+(?:the\s+)?{_ANSWER}\W*)?)?)",
    re.IGNORECASE,
)

# What word problems ask; other texts are running text.
_ASKS: Final = re.compile(
    r"\b(?:how\s+(?:many|much|long|far|old|fast|often|tall|high)|what(?!\s+(?:if|about)\b))\b[^.?!]*\?"
    r"|(?:^|[.,;:?]\s*)(?:find|calculate|determine|compute)\b",
    re.IGNORECASE,
)
_NO_QUANTITY: Final = frozenset(rule.reason for rule in NO_QUANTITY)
_DOUBTS: Final = frozenset(rule.reason for rule in DOUBTS)


@dataclass(frozen=True)
class Options:
    """By whose *rules* problems, sentences and numbers are chosen: ours, the paper's, or the script's.

    *without* names reasons whose rules do not count.
    """

    rules: Rules = OURS
    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        off = switched_off(RULES, self.without, "numerical_reasoning", ours=self.rules == OURS)
        object.__setattr__(self, "without", off)


def numerical_reasoning(
    example: Example, resources: Resources, rng: random.Random, options: Options = Options()
) -> Iterator[Yielded]:
    """Yield three items per sentence of the problem that has a quantity and a named entity."""
    ours, released = options.rules == OURS, options.rules == "released"
    reason = too_complex_for_script(example) if released else _too_complex(example)
    if reason:
        yield Rejection(reason)
        return
    # Tagging takes most of the time, and what has no number is rejected without it.
    tokens = resources.tokens(example, "premise") if has_number(example.premise) else ()
    in_problem = _is_problem(example)
    for number, (start, end) in enumerate(split_sentences(example.premise)):
        sentence = _sentence(example, start, end, number)
        inside = [
            Token(t.text, t.start - start, t.end - start, t.tag)
            for t in tokens
            if start <= t.start and t.end <= end
        ]
        if ours:
            numbers = judged(sentence.premise, inside, in_problem=in_problem, without=options.without)
            yield from _items(sentence, numbers, inside, resources, rng)
        elif not released:
            yield from _items_of_paper(sentence, inside, resources, rng)
        elif number_span := first_integer(sentence.premise):
            has_entity = bool(resources.recognizer.entities(sentence.premise, inside))
            yield from items_by_script(sentence, number_span, rng) if has_entity else [_NO_ENTITY]
        else:
            yield Rejection("no integer")


def judged(
    sentence: str, tokens: Sequence[Token], *, in_problem: bool = False, without: Collection[str] = ()
) -> list[Number]:
    """Return the numbers of *sentence* with the reasons why they are not changed, but for those *without*.

    A number without a value cannot be changed, so that no rule about it can be switched off.

    >>> [(number.text, number.reason) for number in judged("In 1990 Kim ate 4 pies.", (), in_problem=True)]
    [('1990', 'year'), ('4', None)]
    """
    numbers = numbers_of(sentence, tokens, in_problem=in_problem)
    for number in numbers:
        rule = next(against(number, without if number.quantity else ()), None)
        number.reason = rule.reason if rule else None
    return numbers


def _too_complex(example: Example) -> str | None:
    """Return why a word problem is excluded (section 3.1), or None if it is not."""
    options, correct = example.info.get(OPTIONS), example.info.get(CORRECT)
    if options and correct:
        answer = next((o.partition(")")[2] for o in options if o.startswith(f"{correct})")), "")
        if not _is_number(answer):
            return "the answer is not a number"
    rationale = example.info.get(RATIONALE)
    if rationale and len(_steps(rationale)) > _MOST_RATIONALE_SENTENCES:
        return "rationale of more than 3 sentences"
    return None


def _is_number(answer: str) -> bool:
    """Return whether *answer* is one number, with or without a unit; "10,8", "6x" and "2 pm" are not."""
    numbers = all_quantities(answer)
    if len(numbers) != 1:
        return False
    before, after = answer[: numbers[0].phrase_start], answer[numbers[0].phrase_end :]
    return bool(_BEFORE_ANSWER.fullmatch(before) and _AFTER_ANSWER.fullmatch(after))


def _steps(rationale: str) -> list[str]:
    """Return the sentences of a rationale, of which every line has one, without the closing "Answer: B"."""
    parts = [line[start:end] for line in rationale.splitlines() for start, end in split_sentences(line)]
    return [part for part in parts if not _NAMES_ANSWER.fullmatch(part)]


def _sentence(example: Example, start: int, end: int, number: int) -> Example:
    """Return a sentence of *example* as a separate example, the base of the items."""
    text = example.premise[start:end]
    return Example(
        f"{example.id}:s{number}", text, "", None, info={"problem": example.id, CLUSTER: example.id}
    )


def _items(
    sentence: Example,
    numbers: Sequence[Number],
    tokens: Sequence[Token],
    resources: Resources,
    rng: random.Random,
) -> Iterator[Yielded]:
    reason = _unsuitable(numbers)
    if reason:
        yield Rejection(reason)
    elif not resources.recognizer.entities(sentence.premise, tokens):
        yield _NO_ENTITY
    else:
        usable = [number.quantity for number in numbers if number.quantity and not number.reason]
        yield from _three(sentence, usable, rng) if usable else [Rejection(NO_PREFIX)]


def _unsuitable(numbers: Sequence[Number]) -> str | None:
    """Return why a sentence with *numbers* is not used whatever else is in it; None if it may be."""
    if not numbers:
        return "no number"
    reasons = [number.reason for number in numbers if number.reason not in _NO_QUANTITY]
    if not reasons:
        return f"no quantity: {numbers[0].reason}"
    return reasons[0] if reasons[0] in _DOUBTS else None


def _items_of_paper(
    sentence: Example, tokens: Sequence[Token], resources: Resources, rng: random.Random
) -> Iterator[Yielded]:
    """Yield the items of a sentence as the paper describes them: any number, without further conditions."""
    numbers = all_quantities(sentence.premise)
    if not numbers:
        yield Rejection("no number")
    elif not resources.recognizer.entities(sentence.premise, tokens):
        yield _NO_ENTITY
    else:
        yield from _three(sentence, numbers, rng)


def _is_problem(example: Example) -> bool:
    return OPTIONS in example.info or _ASKS.search(example.premise) is not None


def _three(sentence: Example, usable: Sequence[Amount], rng: random.Random) -> Iterator[Yielded]:
    quantity, other = rng.choice(usable), rng.choice(usable)
    changed = _changed(quantity, rng)
    # The original number is less than a higher one and more than a lower one.
    prefix = "less than " if changed > quantity.value else "more than "
    entailed = _edit(sentence.premise, quantity, prefix, changed)
    yield draft_of(sentence, "entailment", entailed, "changed and prefixed", quantity.text)

    if rng.random() < 0.5:
        contradicted = _edit(sentence.premise, other, "", _changed(other, rng))
        yield draft_of(sentence, "contradiction", contradicted, "changed", other.text)
    else:
        contradicted = _edit(sentence.premise, other, prefix, other.value)
        yield draft_of(sentence, "contradiction", contradicted, "prefixed", other.text)

    flipped = tuple([edit._replace(side="premise") for edit in entailed])
    yield draft_of(sentence, "neutral", flipped, "flipped", quantity.text)


def _edit(sentence: str, quantity: Amount, prefix: str, value: Decimal) -> tuple[Edit, ...]:
    """Return the edits that insert *prefix* before the whole amount and replace its number by *value*."""
    number = quantity.text if value == quantity.value else render_number(value, quantity)
    start = quantity.phrase_start if prefix else quantity.start
    new = prefix + sentence[start : quantity.start] + number
    begins = re.search(r"\w", sentence[:start]) is None
    if prefix and begins:  # the prefix takes over the sentence-initial capital
        rest = new[len(prefix) :]
        new = prefix.capitalize() + (rest if quantity.currency else rest[:1].lower() + rest[1:])  # not "rs."
    return (Edit("hypothesis", start, quantity.end, sentence[start : quantity.end], new),)


def _changed(quantity: Amount, rng: random.Random) -> Decimal:
    """Return a lower or a higher value, with equal odds, of the same style and magnitude, but never one."""
    values = rng.choice([values for values in _other_values(quantity) if values])
    value = one = Decimal(1)
    while value == one:
        value = rng.choice(values) * _unit(quantity)
    return value


def _other_values(quantity: Amount) -> tuple[range, range]:
    """Return the lower and the higher values of the magnitude of *quantity*, in units of its last digit."""
    steps, whole = int(quantity.value / _unit(quantity)), int(100 / _unit(quantity))
    low, high = max(2, steps // 2), max(steps * 2, 10)
    if quantity.percent and steps <= whole:
        high = min(high, whole)
    step = _roundness(steps, high - low)
    first = -(-low // step) * step
    return range(first, steps, step), range(max(first, steps + step), high + 1, step)


def _unit(quantity: Amount) -> Decimal:
    return Decimal(1).scaleb(-quantity.decimals)


def _roundness(steps: int, width: int) -> int:
    """Return the power of ten whose multiples are drawn, so that round numbers stay round."""
    step = 1
    while steps >= 100 and steps % (step * 10) == 0 and width >= 5 * step * 10:
        step *= 10
    return step


# Numerical reasoning by the rules of the authors' scripts (NLI_StressTest).
#
# ``gen_num_test.py`` keeps a problem if its correct option is a number above 1 that Python reads, and if
# its rationale has at most five lines; ``quant_ner.py`` keeps sentences with a person, location or
# organization; ``quant_example_gen.py`` takes the first token that is an integer. Its first digit becomes
# another one from 1 to 8, with "less than" or "more than" before it (entailment). In half of the
# contradictions the digit is changed alone; in a quarter each "more than" or "less than" is put before the
# unchanged number. Neutral is the flipped entailed pair.
#
# Differences from the scripts: how problems were split into sentences was not released, so the sentences
# are ours, and so is the named entity recognizer (theirs is Stanford's); spaces are kept as they are.

_MOST_LINES: Final = 5
_LETTER: Final = re.compile(r"[A-Z]\s?\)")  # "A)27", and "A )27" as in the authors' copy of AQuA-RAT
_INTEGER: Final = re.compile(r"(?<!\S)\+?[0-9]+(?!\S)")
_DIGITS: Final = "12345678"  # randint(1, 9) of numpy is never 9


def draft_of(sentence: Example, label: Label, edits: tuple[Edit, ...], how: str, quantity: str) -> Draft:
    """Return the item of *sentence* with *edits*, made as *how* says from the number *quantity*."""
    question = sentence.premise.rstrip().endswith("?")
    conditional = re.match(r"(?i)if\b", sentence.premise) is not None
    info = {HOW: how, "quantity": quantity, "question": question, "conditional": conditional}
    return Draft(label, edits, target="premise", suffix=f":{label[0]}", info=info, base=sentence)


def too_complex_for_script(example: Example) -> str | None:
    """Return why ``gen_num_test.py`` excludes a word problem, or None if it does not."""
    options, correct = example.info.get(OPTIONS), example.info.get(CORRECT)
    if options and correct:
        right = next((option for option in options if option.startswith(correct)), "")
        if not _above_one(_LETTER.sub("", right, count=1)):
            return "the answer is not a number above 1"
    rationale = example.info.get(RATIONALE)
    if rationale and len(rationale.split("\n")) > _MOST_LINES:
        return "rationale of more than 5 lines"
    return None


def _above_one(answer: str) -> bool:
    try:
        return float(answer) > 1
    except ValueError:
        return False


def first_integer(sentence: str) -> Span | None:
    """Return where the first token of *sentence* is that Python reads as an integer without a minus sign.

    >>> first_integer("Tom, aged 12.5, has 40 books and 3 pens."), first_integer("Tom has $40.")
    ((20, 22), None)
    """
    match = _INTEGER.search(sentence)
    return match.span() if match else None


def items_by_script(sentence: Example, number: Span, rng: random.Random) -> Iterator[Draft]:
    """Yield the three items in which the integer at *number* is changed, prefixed or both."""
    old = sentence.premise[slice(*number)]
    digits = str(int(old))
    changed = _with_other_digit(digits, rng)
    prefix = "less than" if digits[0] < changed[0] else "more than"
    entailed = Edit("hypothesis", *number, old, f"{prefix} {changed}")
    yield draft_of(sentence, "entailment", (entailed,), "changed and prefixed", old)
    if rng.random() < 0.5:
        how, new = "changed", _with_other_digit(digits, rng)
    else:
        how, new = "prefixed", f"{rng.choice(('more than', 'less than'))} {digits}"
    yield draft_of(sentence, "contradiction", (Edit("hypothesis", *number, old, new),), how, old)
    yield draft_of(sentence, "neutral", (entailed._replace(side="premise"),), "flipped", old)


def _with_other_digit(digits: str, rng: random.Random) -> str:
    """Return *digits* with another first digit."""
    return rng.choice(_DIGITS.replace(digits[0], "")) + digits[1:]
