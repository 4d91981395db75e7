"""Numerical reasoning (Naik et al., 2018, C18-1198, section 3.1).

In word problems with a numerical answer and a rationale of at most three sentences, every sentence with a
quantity and a named entity is the premise of three items:

1. entailment: a quantity is changed and prefixed with "less than" or "more than", whichever holds of the
   original number;
2. contradiction: a quantity is either changed or prefixed without being changed, with equal probability;
3. neutral: the entailed pair with premise and hypothesis exchanged.

Any other text can be used as well (``--base FILE``); the rules for answers and rationales apply only if
there are any.

Differences from the paper.  It draws "a numerical quantity"; we draw from the quantities that remain
grammatical after "less than" (not "the less than 5 boys", "a less than 3 litre jug", "about less than 20"),
and never one, since its noun is singular.  The new number has the same style and magnitude, so that its
appearance does not give the change away.  Sentences of running text, but not of word problems, are rejected
if they are conditions, rules, questions or headings (:data:`DOUBTS`): with another number these can be just
as true.  Fewer sentences qualify.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from crossexam.constructions.construction import Draft, Outcome, Rejection, Resources
from crossexam.core.example import CLUSTER, CORRECT, HOW, OPTIONS, RATIONALE, Edit, Example
from crossexam.core.labels import Label
from crossexam.language.numbers import Quantity, RejectedNumber, quantities, render_number
from crossexam.language.sentences import split_sentences
from crossexam.language.tokens import Token

_MOST_RATIONALE_SENTENCES: Final = 3
_NUMERIC_ANSWER: Final = re.compile(
    r"^\W*(?:[A-Za-z]{0,3}\.?\s*)?[-−]?[\d,]*\.?\d+\s*(?:[%°]|[A-Za-z/. ²³]{0,20})$"
)

# Words after which "less than" and a quantity are ungrammatical.
# fmt: off
_NO_PREFIX_AFTER: Final = frozenset(
    "a about age ages all almost an and another any approximately around between both bottom by "
    "chapter day each equal every exactly first from her his its just last least mere minus most my "
    "nearly negative next no. number numbers only or other our over page past per plus previous "
    "remaining roughly than that the their these this those times to top under up whose year your".split()
)
#: Why a sentence of running text is rejected, and the pattern that shows it; the first match counts.
DOUBTS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (reason, re.compile(pattern, re.IGNORECASE)) for reason, pattern in (
        ("question",       r"\?[\W]*$"),
        ("condition",      r"\b(?:if|unless|provided|whenever|suppose|assum(?:e|ing))\b"),
        ("advice or rule", r"\b(?:you|yours?|please|must|shall|eligible|whoever|anyone)\b"),
        ("incomplete",     r"\.\.\.|…"),
    )
)
# fmt: on


# What word problems ask; other texts are running text.
_ASKS: Final = re.compile(
    r"\b(?:how\s+(?:many|much|long|far|old|fast|often|tall|high)|what(?!\s+(?:if|about)\b))\b[^.?!]*\?"
    r"|(?:^|[.,;:?]\s*)(?:find|calculate|determine|compute)\b",
    re.IGNORECASE,
)
_FINITE: Final = ("VBD", "VBZ", "VBP", "MD")


def numerical_reasoning(example: Example, resources: Resources, rng: random.Random) -> Iterator[Outcome]:
    """Yield three items per sentence of the problem that has a quantity and a named entity."""
    reason = _too_complex(example)
    if reason:
        yield Rejection(reason)
        return
    if not example.premise.strip():
        yield Rejection("empty sentence")
        return
    tokens = resources.tokens(example, "premise")
    is_problem = _is_problem(example)
    for number, (start, end) in enumerate(split_sentences(example.premise)):
        sentence = _sentence(example, start, end, number)
        inside = [
            Token(t.text, t.start - start, t.end - start, t.tag)
            for t in tokens
            if start <= t.start and t.end <= end
        ]
        doubt = None if is_problem else _doubt(sentence.premise, inside)
        yield from _items(sentence, inside, doubt, resources, rng)


def _too_complex(example: Example) -> str | None:
    """Return why a word problem is excluded (section 3.1), or None if it is not."""
    options, correct = example.info.get(OPTIONS), example.info.get(CORRECT)
    if options and correct:
        answer = next((o.partition(")")[2] for o in options if o.startswith(f"{correct})")), "")
        if not _NUMERIC_ANSWER.match(answer.strip()):
            return "the answer is not a number"
    rationale = example.info.get(RATIONALE)
    if rationale and len(_steps(rationale)) > _MOST_RATIONALE_SENTENCES:
        return "rationale of more than 3 sentences"
    return None


def _steps(rationale: str) -> list[str]:
    """Return the sentences of a rationale, without the closing "Answer: B"."""
    parts = [rationale[start:end] for start, end in split_sentences(rationale)]
    return [
        part
        for part in parts
        if not re.match(r"(?i)\W*(?:the )?(?:correct )?(?:answer|option|ans)\b.{0,20}$", part)
    ]


def _sentence(example: Example, start: int, end: int, number: int) -> Example:
    """Return a sentence of *example* as a separate example, the base of the items."""
    text = example.premise[start:end]
    return Example(
        f"{example.id}:s{number}", text, "", None, info={"problem": example.id, CLUSTER: example.id}
    )


def _items(
    sentence: Example, tokens: Sequence[Token], doubt: str | None, resources: Resources, rng: random.Random
) -> Iterator[Outcome]:
    found = quantities(sentence.premise, tokens)
    reasons = [each.reason for each in found if isinstance(each, RejectedNumber)]
    if len(reasons) == len(found):
        yield Rejection(f"no quantity: {reasons[0]}" if reasons else "no number")
        return
    if doubt:
        yield Rejection(doubt)
        return
    if not resources.recognizer.entities(sentence.premise, tokens):
        yield Rejection("no named entity")
        return
    usable = [
        each for each in found if isinstance(each, Quantity) and _can_carry_prefix(sentence.premise, each)
    ]
    if not usable:
        yield Rejection("no quantity that can carry 'less than'")
        return
    yield from _three(sentence, usable, rng)


def _is_problem(example: Example) -> bool:
    return OPTIONS in example.info or _ASKS.search(example.premise) is not None


def _doubt(sentence: str, tokens: Sequence[Token]) -> str | None:
    """Return why the labels may not hold for a *sentence* of running text; None if it states something."""
    if not any(token.tag.startswith(_FINITE) for token in tokens):
        return "no verb"
    return next((reason for reason, pattern in DOUBTS if pattern.search(sentence)), None)


def _can_carry_prefix(sentence: str, quantity: Quantity) -> bool:
    """Return whether "less than" can precede *quantity*."""
    if quantity.value <= 0 or quantity.value == 1:
        return False
    before = re.findall(r"[\w.%$'’]+|[^\w\s]", sentence[: quantity.phrase_start].lower())
    after = sentence[quantity.end : quantity.end + 1]
    if not before:
        return after != "-"
    previous = before[-1]
    if previous in _NO_PREFIX_AFTER or previous.endswith(("'s", "’s")) or previous in "-+*/=×:(":
        return False
    return after != "-"


def _three(sentence: Example, usable: Sequence[Quantity], rng: random.Random) -> Iterator[Outcome]:
    quantity = rng.choice(usable)
    changed = _changed(quantity, rng)
    # The original number is less than a higher one and more than a lower one.
    prefix = "less than " if changed > quantity.value else "more than "
    entailed = _edit(sentence.premise, quantity, prefix, changed)
    yield _draft(sentence, "entailment", entailed, "changed and prefixed", quantity)

    other = rng.choice(usable)
    if rng.random() < 0.5:
        contradicted = _edit(sentence.premise, other, "", _changed(other, rng))
        yield _draft(sentence, "contradiction", contradicted, "changed", other)
    else:
        prefixes = ("less than ", "more than ")[other.value <= 2 :]  # not "less than two dogs"
        contradicted = _edit(sentence.premise, other, rng.choice(prefixes), other.value)
        yield _draft(sentence, "contradiction", contradicted, "prefixed", other)

    flipped = tuple(replace(edit, side="premise") for edit in entailed)
    yield _draft(sentence, "neutral", flipped, "flipped", quantity)


def _draft(sentence: Example, label: Label, edits: tuple[Edit, ...], how: str, quantity: Quantity) -> Draft:
    question = sentence.premise.rstrip().endswith("?")
    conditional = re.match(r"(?i)if\b", sentence.premise) is not None
    info = {HOW: how, "quantity": quantity.text, "question": question, "conditional": conditional}
    suffix = f":{label[0]}"
    return Draft(label, edits, target="premise", suffix=suffix, info=info, base=sentence)


def _edit(sentence: str, quantity: Quantity, prefix: str, value: Decimal) -> tuple[Edit, ...]:
    """Return the edits that insert *prefix* before the whole amount and replace its number by *value*."""
    number = quantity.text if value == quantity.value else render_number(value, quantity)
    start = quantity.phrase_start if prefix else quantity.start
    new = prefix + sentence[start : quantity.start] + number
    if prefix and start == 0:  # the prefix takes over the sentence-initial capital
        rest = new[len(prefix) :]
        new = prefix.capitalize() + (rest if quantity.currency else rest[:1].lower() + rest[1:])  # not "rs."
    return (Edit("hypothesis", start, quantity.end, sentence[start : quantity.end], new),)


def _changed(quantity: Quantity, rng: random.Random) -> Decimal:
    """Return a different value above zero of the same style and magnitude, but never one."""
    unit = Decimal(1).scaleb(-quantity.decimals)
    steps = int(quantity.value / unit)
    low, high = max(2, steps // 2), max(steps * 2, 10)
    if quantity.percent:
        high = max(min(high, int(100 / unit)), steps + 2)
    step = _roundness(steps, high - low)
    while True:
        value = rng.randint(-(-low // step), high // step) * step * unit
        if value not in {quantity.value, 0, 1}:
            return value


def _roundness(steps: int, width: int) -> int:
    """Return the power of ten whose multiples are drawn, so that round numbers stay round."""
    step = 1
    while steps >= 100 and steps % (step * 10) == 0 and width >= 5 * step * 10:
        step *= 10
    return step
