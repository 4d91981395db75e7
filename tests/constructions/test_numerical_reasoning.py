"""Numerical reasoning: which problems and quantities are taken, and what is put before them."""

import re
from collections import Counter
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from crossexam.constructions.apply import Applier
from crossexam.constructions.numerical_reasoning import judged
from crossexam.constructions.resources import LanguageResources
from crossexam.constructions.rules.numerical_reasoning import NO_PREFIX
from crossexam.constructions.table import CONSTRUCTIONS
from crossexam.core.example import CORRECT, OPTIONS, RATIONALE, Example
from crossexam.language.tokens import Token
from made.cases import each_row
from made.items import made_by


def problem(tagged: str, **info: object) -> Example:
    """Words with their Penn tags; no space after "$" and before "%"."""
    tags = [piece.rsplit("/", 1) for piece in tagged.split()]
    text = " ".join(word for word, _ in tags).replace("$ ", "$").replace(" %", "%")
    return Example("e", text, "", None, info={"premise_tags": tags, **info})


def made(tagged: str, seed: int = 0, **info: object) -> tuple[dict[str | None, Example], dict[str, int]]:
    items, rejected = made_by("numerical_reasoning", problem(tagged, **info), seeds=[seed])
    return {item.label: item for item in items}, rejected


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


def of_script(
    rationale: str = "", answer: str = "A)27", sentence: str = "Tom/NNP has/VBZ 350/CD pens/NNS"
) -> Example:
    return problem(sentence, **{OPTIONS: [answer, "B)1"], CORRECT: "A", RATIONALE: rationale})


def test_the_script_changes_the_first_digit_of_the_first_integer() -> None:
    items, _ = made_by("numerical_reasoning", of_script(), seeds=range(400), rules="released")
    entailed = {item.hypothesis for item in items if item.label == "entailment"}
    less = {f"Tom has less than {digit}50 pens" for digit in (4, 5, 6, 7, 8)}  # never 9
    assert entailed == less | {f"Tom has more than {digit}50 pens" for digit in (1, 2)}  # never 0
    contradicted = Counter(item.hypothesis for item in items if item.label == "contradiction")
    prefixed = {f"Tom has {word} than 350 pens" for word in ("less", "more")}
    assert set(contradicted) == {f"Tom has {digit}50 pens" for digit in (1, 2, 4, 5, 6, 7, 8)} | prefixed
    # half of 400, three standard deviations of 10 and more
    assert 160 < sum(contradicted[text] for text in prefixed) < 240
    assert all(70 < contradicted[text] < 130 for text in prefixed)
    assert {item.premise for item in items if item.label == "neutral"} == entailed


def test_which_problems_and_numbers_the_script_takes() -> None:
    for example, reason in (
        (of_script("1\n2\n3\n4\n5\n6"), "rationale of more than 5 lines"),
        (of_script(answer="A )27"), None),
        (of_script(answer="A)27 km"), "the answer is not a number above 1"),
        (of_script(sentence="Tom/NNP has/VBZ $350/CD and/CC 2.5/CD pens/NNS"), "no integer"),
        (of_script(sentence="A/DT dog/NN has/VBZ 350/CD pens/NNS"), "no named entity"),
    ):
        items, rejected = made_by("numerical_reasoning", example, rules="released")
        assert (len(items), rejected) == ((0, {reason: 1}) if reason else (3, {}))
    # the paper draws any number
    sentence = of_script(sentence="In/IN 1990/CD Tom/NNP had/VBD 30/CD pens/NNS")
    for rules, drawn in (("ours", {"30"}), ("paper", {"30", "1990"})):
        items, _ = made_by("numerical_reasoning", sentence, seeds=range(30), rules=rules)
        assert {item.info["quantity"] for item in items} == drawn
