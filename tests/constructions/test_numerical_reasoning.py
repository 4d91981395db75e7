"""Numerical reasoning: which problems and quantities are taken, and what is put before them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossexam.constructions.apply import Applier, apply_construction
from crossexam.constructions.resources import LanguageResources
from crossexam.constructions.table import CONSTRUCTIONS
from crossexam.core.example import Example

ADA = "Ada/NNP has/VBZ 350/CD marbles/NNS"


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


def test_an_empty_problem_is_rejected() -> None:
    items, counts = apply_construction(
        "numerical_reasoning", [Example("e", " \n", "", None)], resources=LanguageResources("parses")
    )
    assert (items, counts["rejected"]) == ([], {"empty sentence": 1})


def test_the_answer_is_a_number(for_each: Callable[..., None]) -> None:
    def check(options: list[str], correct: str, taken: bool) -> None:
        items, rejected = made(ADA, options=options, correct=correct)
        assert len(items) == (3 if taken else 0)
        assert rejected == ({} if taken else {"the answer is not a number": 1})

    for_each(
        check,
        [
            (["A)21", "B)21 km", "C)x + 3"], "A", True),
            (["A)21", "B)21 km", "C)x + 3"], "B", True),
            (["A)21", "B)21 km", "C)x + 3"], "C", False),
            (["A)21", "B)None of these"], "B", False),
            (["A)21"], "E", False),  # no option is the correct one
            (["A)x + 3"], "", True),  # which one is correct is not known
            ([], "A", True),
        ],
    )


def test_an_answer_is_one_number_with_or_without_a_unit(for_each: Callable[..., None]) -> None:
    def check(answer: str, taken: bool) -> None:
        items, rejected = made(ADA, options=[f"A){answer}"], correct="A")
        assert len(items) == (3 if taken else 0)
        assert rejected == ({} if taken else {"the answer is not a number": 1})

    for_each(
        check,
        [
            *(
                (answer, True)
                for answer in ("12", "-20%", "1,50,000", "Rs. 500/-", "$12 million", "15 km/h", "3m")
            ),
            *(
                (answer, True)
                for answer in ("12,096 pounds of water", "(7)", "17.4 m/sec.", "880$", "twelve boats")
            ),
            *((answer, False) for answer in ("10,8", "59, 43", "-5 and 3", "12000,20000")),  # two numbers
            *((answer, False) for answer in ("6x", "2 x", "1.21y", "2500/y", "300pi", "5π", "x = 5", "7!")),
            *((answer, False) for answer in ("2 pm", "2 p.m.", "9 a.m. sharp", "12 noon", "11:53")),  # a time
            *((answer, False) for answer in ("3/4", "12th", "± 2")),
        ],
    )


def test_the_rationale_has_three_sentences_at_most(for_each: Callable[..., None]) -> None:
    def check(rationale: str, taken: bool) -> None:
        items, rejected = made(ADA, rationale=rationale)
        assert len(items) == (3 if taken else 0)
        assert rejected == ({} if taken else {"rationale of more than 3 sentences": 1})

    for_each(
        check,
        [
            ("let her have x\nthen x + 2x = 9\n=> x = 3", True),
            ("let her have x\nthen x + 2x = 9\n=> 3x = 9\n=> x = 3", False),  # four lines of equations
            ("let her have x. Then x + 2x = 9.\n=> 3x = 9\n\n=> x = 3", False),
            ("x + 2x = 9\n3x = 9\nx = 3\nANSWER:B", True),
            ("x + 2x = 9\n3x = 9\nx = 3\n--------\nHence (B) is the correct answer.", True),
            ("x + 2x = 9\n3x = 9\nx = 3\nThus,\nB", True),
            ("x + 2x = 9\n3x = 9\nx = 3\nB = 3", False),
            ("She wins two. She loses one. One is left.", True),
            ("She wins two. She loses one. One is left. Answer: B", True),  # no step
            ("She wins two. She loses one. One is left. The correct option is B.", True),
            ("She wins two. She loses one. She finds four. Five are left.", False),
            (
                "She wins two. She loses one. One is left. The answer is what she then has in both bags.",
                False,
            ),
        ],
    )


def test_why_a_sentence_is_not_taken(for_each: Callable[..., None]) -> None:
    def check(tagged: str, reason: str) -> None:
        assert made(tagged) == ({}, {reason: 1})

    for_each(
        check,
        [
            ("She/PRP has/VBZ 20/CD boats/NNS", "no named entity"),
            ("Ada/NNP has/VBZ 1/CD boat/NN", "no quantity that can carry 'less than'"),
            (
                "Ada/NNP has/VBZ two/CD boats/NNS",
                "no quantity that can carry 'less than'",
            ),  # less than two: one
            ("Ada/NNP pays/VBZ per/IN 20/CD boats/NNS", "no quantity that can carry 'less than'"),
            ("Ada/NNP sells/VBZ 20-/CD ,/, 30-foot/JJ boats/NNS", "no quantity that can carry 'less than'"),
            (
                "20-/CD ,/, 30-foot/JJ boats/NNS went/VBD to/TO Ada/NNP",
                "no quantity that can carry 'less than'",
            ),
            ("Ada/NNP has/VBZ about/IN 20/CD boats/NNS", "no quantity: compared"),
            ("Ada/NNP has/VBZ boats/NNS", "no number"),
            ("If/IN Ada/NNP has/VBZ 20/CD boats/NNS ,/, she/PRP wins/VBZ", "condition"),
            ("Ada/NNP asks/VBZ you/PRP for/IN 20/CD boats/NNS", "advice or rule"),
            ("Did/VBD Ada/NNP buy/VB 20/CD boats/NNS ?/.", "question"),
            ("What/WP if/IN Ada/NNP has/VBZ 20/CD boats/NNS ?/.", "question"),
            ("Ada/NNP has/VBZ 20/CD boats/NNS .../:", "incomplete"),
            ("20/CD boats/NNS for/IN Ada/NNP", "no verb"),
            ("Ada/NNP flew/VBD on/IN United/NNP 93/CD", "no quantity: name"),
        ],
    )


@pytest.mark.parametrize(
    ("tagged", "info"),
    [
        ("If/IN Ada/NNP has/VBZ 20/CD boats/NNS", {"options": ["A)21"], "correct": "A"}),
        ("If/IN Ada/NNP has/VBZ 20/CD boats/NNS ,/, how/WRB many/JJ are/VBP left/VBN ?/.", {}),
        ("If/IN Ada/NNP has/VBZ 20/CD boats/NNS ,/, find/VB their/PRP$ price/NN ./.", {}),
    ],
)
def test_a_word_problem_keeps_its_conditions_and_questions(tagged: str, info: dict[str, object]) -> None:
    items, rejected = made(tagged, **info)
    assert (len(items), rejected) == (3, {})


@pytest.mark.parametrize(
    ("rules", "tagged"),
    [
        ("ours", ADA),
        ("ours", "Ada/NNP paid/VBD 96/CD %/NN of/IN 1,200/CD euros/NNS and/CC 3/CD dimes/NNS"),
        ("paper", "Ada/NNP has/VBZ 3/CD dogs/NNS and/CC 40/CD boats/NNS"),
        ("paper", "Ada/NNP has/VBZ 2/CD dogs/NNS and/CC 40/CD boats/NNS"),  # two is only ever raised
    ],
)
def test_the_prefix_does_not_tell_entailment_from_contradiction(rules: str, tagged: str) -> None:
    resources = LanguageResources("parses")
    found: dict[str, Counter[str]] = {"entailment": Counter(), "contradiction": Counter()}
    for seed in range(600):
        items, _ = apply_construction(
            "numerical_reasoning", [problem(tagged)], seed=seed, resources=resources, options={"rules": rules}
        )
        words = {
            str(item.label): " ".join(re.findall(r"(?:less|more) than", item.hypothesis)) for item in items
        }
        assert words["contradiction"] in {"", words["entailment"]}
        for label, count in found.items():
            count[words[label]] += 1
    entailed, contradicted = found["entailment"], found["contradiction"]
    assert 255 < contradicted[""] < 345  # half of 600: the standard deviation is 12
    raised = 450 if "2/CD" in tagged else 300  # of 600; prefixes that are not this often are chance
    assert abs(entailed["less than"] - raised) < 45
    assert abs(contradicted["less than"] - raised / 2) < 45


@given(seed=st.integers(0, 10_000), value=st.sampled_from([500, 5_000, 40_000, 126_400_000]))
@settings(max_examples=60, deadline=None)
def test_round_numbers_stay_round(seed: int, value: int) -> None:
    items, _ = made(f"Ada/NNP has/VBZ {value}/CD marbles/NNS", seed)
    new = items["entailment"].hypothesis.split(" than ")[1].split()[0]
    assert len(new.rstrip("0")) <= len(str(value).rstrip("0")) + 1
    assert value / 2 <= int(new) <= 2 * value


@pytest.mark.parametrize(
    ("tagged", "rest"),
    [
        ("Twenty/CD men/NNS met/VBD Ada/NNP", "men met Ada"),
        ("$/$ 350/CD went/VBD to/TO Ada/NNP", "went to Ada"),
        ("Rs./NN 350/CD went/VBD to/TO Ada/NNP", "went to Ada"),
        ("US$350/CD went/VBD to/TO Ada/NNP", "went to Ada"),
    ],
)
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
@settings(max_examples=100, deadline=None)
def test_a_percentage_stays_below_a_hundred_and_is_never_the_old_one(seed: int, percent: int) -> None:
    items, _ = made(f"{percent}/CD %/NN went/VBD to/TO Ada/NNP", seed)
    new = int(items["entailment"].hypothesis.split(" than ")[1].split("%")[0])
    assert 2 <= new <= 100
    assert new != percent


def test_a_pair_is_made_once() -> None:
    # Of 2 to 10, without 4, there are 8 new values for each label, and two prefixes: 90 pairs are not new.
    maker = Applier(CONSTRUCTIONS["numerical_reasoning"], LanguageResources("parses"), seed=0)
    tags = [piece.split("/") for piece in "Ada/NNP has/VBZ 4/CD marbles/NNS".split()]
    info = {"premise_tags": tags}
    problems = [Example(str(n), "Ada has 4 marbles", "", None, info=info) for n in range(30)]
    items = [item for each in problems for item in maker.items(each)]
    pairs = [(item.premise, item.hypothesis) for item in items]
    assert len(pairs) == len(set(pairs)) <= 8 + (8 + 2) + 8
    assert maker.counts.rejected == {"pair already in the set": 3 * 30 - len(items)}
