"""Numerical reasoning: which problems and quantities are taken, and what is put before them."""

import re
from collections import Counter
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from crossexam.constructions.apply import Applier, apply_construction
from crossexam.constructions.numerical_reasoning import judged
from crossexam.constructions.resources import LanguageResources
from crossexam.constructions.rules.numerical_reasoning import NO_PREFIX
from crossexam.constructions.table import CONSTRUCTIONS
from crossexam.core.example import Example
from crossexam.language.tokens import Token
from made.cases import each_row


def problem(tagged: str, **info: object) -> Example:
    """Words with their Penn tags; no space after "$" and before "%"."""
    tags = [piece.rsplit("/", 1) for piece in tagged.split()]
    text = " ".join(word for word, _ in tags).replace("$ ", "$").replace(" %", "%")
    return Example("e", text, "", None, info={"premise_tags": tags, **info})


def made(tagged: str, seed: int = 0, **info: object) -> tuple[dict[str | None, Example], dict[str, int]]:
    resources = LanguageResources("parses")
    items, counts = apply_construction(
        "numerical_reasoning", [problem(tagged, **info)], seed=seed, resources=resources
    )
    return {item.label: item for item in items}, counts["rejected"]


@each_row
def test_which_problems_are_taken(tagged: str, info: dict[str, object], reason: str | None) -> None:
    """By the answer among the options, by the rationale, and by the sentence."""
    items, rejected = made(tagged, **info)
    assert (len(items), rejected) == ((0, {reason: 1}) if reason else (3, {}))


@each_row
def test_the_prefix_does_not_tell_entailment_from_contradiction(rules: str, tagged: str) -> None:
    resources = LanguageResources("parses")
    construction = CONSTRUCTIONS["numerical_reasoning"].under(rules)
    found: dict[str, Counter[str]] = {"entailment": Counter(), "contradiction": Counter()}
    for seed in range(600):
        maker = Applier(construction, resources, seed=seed)
        texts = {str(item.label): item.hypothesis for item in maker.items(problem(tagged))}
        words = {label: " ".join(re.findall("(?:less|more) than", text)) for label, text in texts.items()}
        assert words["contradiction"] in {"", words["entailment"]}
        for label, count in found.items():
            count[words[label]] += 1
    entailed, contradicted = found["entailment"], found["contradiction"]
    assert 255 < contradicted[""] < 345  # half of 600: the standard deviation is 12
    raised = 450 if "2/CD" in tagged else 300  # of 600; prefixes that are not this often are chance
    assert abs(entailed["less than"] - raised) < 45
    assert abs(contradicted["less than"] - raised / 2) < 45


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


@given(seed=st.integers(0, 10_000))
def test_less_than_and_more_than_are_always_true(seed: int) -> None:
    items, _ = made("Ada/NNP has/VBZ 350/CD marbles/NNS", seed)
    assert set(items) == {"entailment", "contradiction", "neutral"}
    entailed, neutral = items["entailment"], items["neutral"]
    (new,) = _numbers(entailed.hypothesis)
    assert new not in {350, 1}
    assert ("less than" in entailed.hypothesis) == (new > 350)
    assert ("more than" in entailed.hypothesis) == (new < 350)
    assert (neutral.premise, neutral.hypothesis) == (entailed.hypothesis, entailed.premise)
    contradicted = items["contradiction"].hypothesis
    assert (_numbers(contradicted) == [350]) == ("than" in contradicted)


@each_row
def test_at_the_beginning_the_prefix_has_the_capital(tagged: str, rest: str) -> None:
    entailed = made(tagged)[0]["entailment"].hypothesis
    prefix, than, changed = entailed.partition(" than ")
    assert (prefix in {"Less", "More"}, than) == (True, " than ")
    amount = changed.removesuffix(f" {rest}")
    assert amount != changed
    marks = amount.rstrip("0123456789")  # what stands before the numeral, or the number word itself
    expected = {"$": "$", "R": "Rs. ", "U": "US$"}.get(tagged[0])
    assert marks == expected if expected else marks.islower()


@given(seed=st.integers(0, 10_000), percent=st.integers(51, 98))
def test_a_percentage_stays_below_a_hundred_and_is_never_the_old_one(seed: int, percent: int) -> None:
    items, _ = made(f"{percent}/CD %/NN went/VBD to/TO Ada/NNP", seed)
    new = int(items["entailment"].hypothesis.split(" than ")[1].split("%")[0])
    assert 2 <= new <= 100
    assert new != percent


def reasons(sentence: str, tokens: Sequence[Token] = ()) -> list[tuple[str, str | None]]:
    """The numbers of *sentence*, and why they are not quantities; "less than" need not fit before them."""
    numbers = judged(sentence, tokens, in_problem=True, without=[NO_PREFIX])
    return [(number.text, number.reason) for number in numbers]


@each_row
def test_a_quantity_has_no_reason(sentence: str, text: str) -> None:
    assert reasons(sentence) == [(text, None)]


@each_row
def test_a_number_that_is_no_quantity_has_its_reason(reason: str, sentence: str, texts: list[str]) -> None:
    """Numbers of the sentence that are not rejected are quantities."""
    found = reasons(sentence)
    digits = [text for text in re.findall(r"\d+", sentence) if text not in " ".join(texts)]
    assert [text for text, given in found if given == reason] == texts
    assert [text for text, given in found if given != reason] == digits
    assert {given for _, given in found} <= {reason, None}


@each_row
def test_tags_show_what_is_counted(tagged: str, reason: str | None) -> None:
    given = problem(tagged)
    tokens = LanguageResources("parses").tokens(given, "premise")
    assert [each for _, each in reasons(given.premise, tokens)] == [reason]
