"""Labels are read from texts by rules, none of which guesses."""

from __future__ import annotations

import math
import random
from statistics import median

import pytest

from crossexam.core.errors import CrossexamError
from crossexam.corpora.label_names import Names
from crossexam.models.api.logprobs import label_begun_by, shares_at
from crossexam.models.api.reading import LabelForms, ReadAnswer, chat_forms, read_answer
from crossexam.models.api.replies import RunningMedian, Tally
from crossexam.models.prompts.table import templates

WORDS = LabelForms({"entailment": "entailment", "neutral": "neutral", "contradiction": "contradiction"})
YES_NO = LabelForms({"entailment": "Yes", "neutral": "Maybe", "contradiction": "No"})
TRUE = LabelForms({"entailment": "True", "neutral": "Neither", "contradiction": "False"})
LONG = LabelForms({"entailment": "yes", "neutral": "it is not possible to tell", "contradiction": "no"})
PADDING = "The premise speaks of two people and of nobody else, which is why it matters what they do. "


@pytest.mark.parametrize(
    ("forms", "text", "label", "rule"),
    [
        (WORDS, "entailment", "entailment", "exact"),
        (WORDS, " **Neutral**. ", "neutral", "exact"),
        (WORDS, '"contradiction"', "contradiction", "exact"),
        (LONG, "It is not possible to tell.", "neutral", "exact"),
        (WORDS, '{"label": "Neutral"}', "neutral", "json"),
        (WORDS, '```json\n{"why": "no", "answer": "entailment"}\n```', "entailment", "json"),
        (WORDS, f"{PADDING}So the answer is neutral.", "neutral", "phrase"),
        (WORDS, "The answer is entailment. No, wait: the answer is **neutral**.", "neutral", "phrase"),
        (WORDS, f"Neutral. {PADDING}", "neutral", "first-line"),
        (WORDS, f"Entailment\n\n{PADDING}", "entailment", "first-line"),
        (YES_NO, f"No, {PADDING}", "contradiction", "first-line"),
        (WORDS, f"{PADDING}\n\n**Contradiction**", "contradiction", "last-line"),
        (WORDS, "This is a contradiction", "contradiction", "only-word"),
        (TRUE, "I would say True", "entailment", "only-word"),
        (WORDS, "<think>neutral or entailment?</think>\n\nentailment", "entailment", "exact"),
    ],
)
def test_a_label_is_read_where_the_text_names_one(
    forms: LabelForms, text: str, label: str, rule: str
) -> None:
    found = read_answer(text, forms)
    assert (found.label, found.rule) == (label, rule)
    assert text[found.start : found.end].casefold() == forms.forms[found.label].casefold()


@pytest.mark.parametrize(
    ("forms", "text", "status"),
    [
        (WORDS, "The answer is not entailment.", "unparsed"),
        (WORDS, "I don't think that the answer is entailment.", "unparsed"),
        (WORDS, "It isn't neutral", "unparsed"),
        (WORDS, "The premise entails the hypothesis.", "unparsed"),
        (YES_NO, "There is no way to tell.", "unparsed"),
        (YES_NO, "No way to tell", "unparsed"),
        (YES_NO, "Nothing is said of it.", "unparsed"),
        (TRUE, "It is not true", "unparsed"),
        (TRUE, f"{PADDING} It may be true of both of them, too.", "unparsed"),
        (WORDS, "entailment or neutral", "ambiguous"),
        (WORDS, "The answer is entailment or neutral.", "ambiguous"),
        (WORDS, f"Neutral.\n{PADDING}\nThe answer is entailment.", "ambiguous"),
        (WORDS, "I'm sorry, but I cannot help with that.", "refused"),
        (WORDS, "  \n", "empty"),
        (WORDS, None, "empty"),
        (WORDS, "<think>is it neutral?", "empty"),
        (WORDS, '{"label": "maybe"}', "unparsed"),
        (WORDS, "[" * 100_000, "unparsed"),
    ],
)
def test_nothing_is_guessed(forms: LabelForms, text: str | None, status: str) -> None:
    found = read_answer(text, forms)
    assert (found.label, found.status) == (None, status)


def test_servers_say_that_they_withheld_an_answer() -> None:
    assert read_answer("neutral", WORDS, finish="content_filter").status == "filtered"
    assert read_answer(None, WORDS, refusal="I cannot.").status == "refused"


def test_a_cut_text_is_not_taken_for_whole() -> None:
    assert read_answer("neutral", WORDS, finish="length").label == "neutral"
    assert read_answer("The premise says that", WORDS, finish="length").status == "cut"
    assert read_answer("The answer is neutral", WORDS, finish="length").status == "cut"
    begins = LabelForms({"entailment": "yes", "neutral": "not clear", "contradiction": "no"})
    assert read_answer("no", begins).label == "contradiction"
    assert read_answer("no", begins, finish="length").status == "cut"  # perhaps of "not clear"


@pytest.mark.parametrize("name", [name for name, each in templates().items() if each.fixed_labels])
def test_every_template_reads_its_own_labels(name: str) -> None:
    forms = LabelForms(templates()[name].labels)
    for label, form in forms.forms.items():
        assert read_answer(form, forms).label == label
        assert read_answer(f"The answer is {form}.", forms).label == label


def _token(text: str, logprob: float = -0.1, top: dict[str, float] | None = None) -> dict[str, object]:
    listed = [{"token": t, "logprob": value, "bytes": list(t.encode())} for t, value in (top or {}).items()]
    return {"token": text, "logprob": logprob, "bytes": list(text.encode()), "top_logprobs": listed}


def test_probabilities_are_those_where_the_answer_begins() -> None:
    """The first token is not the answer: probabilities there would say contradiction."""
    tokens = [
        _token("Answer", top={"contradiction": -0.5}),
        _token(":"),
        _token(" neut", -1.0, {" neut": -1.0, " Ent": -2.0, " ent": -3.0, "x": -4.0}),
        _token("ral"),
    ]
    text = "Answer: neutral"
    found = shares_at(tokens, text, read_answer(text, WORDS), WORDS)
    assert not isinstance(found, str)

    mass = math.exp(-1) + math.exp(-2) + math.exp(-3)
    assert found.mass == pytest.approx(mass)
    assert found.shares["neutral"] == pytest.approx(math.exp(-1) / mass)
    assert found.shares["entailment"] == pytest.approx((math.exp(-2) + math.exp(-3)) / mass)
    assert found.shares["contradiction"] == 0
    assert found.least == pytest.approx(math.exp(-4))


def test_tokens_are_compared_by_their_bytes() -> None:
    """llama.cpp sends pieces of characters as tokens whose texts are empty or replacements."""
    half = {"token": "\ufffd", "bytes": [0xC3], "logprob": -0.1, "top_logprobs": []}
    rest = {"token": "", "bytes": [0xA9], "logprob": -0.1, "top_logprobs": []}
    tokens = [half, rest, _token(" neutral", top={" neutral": -0.2})]
    text = "é neutral"
    assert not isinstance(shares_at(tokens, text, ReadAnswer("neutral", start=2, end=9), WORDS), str)
    assert shares_at(tokens[1:], text, ReadAnswer("neutral", start=2, end=9), WORDS) == "misaligned"


def test_reasoning_before_the_text_and_space_after_it_do_no_harm() -> None:
    tokens = [_token("hm, contradiction"), _token("neutral", top={"neutral": -0.2}), _token("\n")]
    found = shares_at(tokens, "neutral", ReadAnswer("neutral", start=0, end=7), WORDS)
    assert not isinstance(found, str)
    assert found.shares["neutral"] == 1


@pytest.mark.parametrize(
    ("tokens", "reason"),
    [
        (None, "missing"),
        ([], "missing"),
        ([_token("entailment")], "misaligned"),
        ([{"token": 7}], "misaligned"),
        ([{"token": "neutral", "logprob": "high"}], "misaligned"),
        ([{"token": "neutral", "bytes": [999], "logprob": -1}], "misaligned"),
    ],
)
def test_no_probabilities_are_made_up(tokens: object, reason: str) -> None:
    assert shares_at(tokens, "neutral", ReadAnswer("neutral", start=0, end=7), WORDS) == reason


def test_a_token_that_may_begin_two_labels_counts_for_none() -> None:
    assert [label_begun_by(token, TRUE) for token in ("N", "n", "T", " fals")] == [
        "neutral",
        "neutral",
        "entailment",
        "contradiction",
    ]
    no = LabelForms({"entailment": "Yes", "neutral": "Neither", "contradiction": "No"})
    assert [label_begun_by(token, no) for token in ("N", "No", "Not", "no.", "", " ")] == [
        None,
        "contradiction",
        None,
        "contradiction",
        None,
        None,
    ]
    tokens = [_token("N", -0.1, {"N": -0.1, "Y": -9999.0}), _token("o")]
    assert shares_at(tokens, "No", ReadAnswer("contradiction", start=0, end=2), no) == "no_label"


def test_the_bound_of_a_label_that_is_not_listed_leaves_out_placeholders() -> None:
    """OpenAI and vLLM send -9999 for what they do not list."""
    tokens = [_token("neutral", -0.1, {"neutral": -0.1, "ent": -3.0, "con": -9999.0})]
    found = shares_at(tokens, "neutral", ReadAnswer("neutral", start=0, end=7), WORDS)
    assert not isinstance(found, str)
    assert found.least == pytest.approx(0.0498, abs=1e-4)  # exp(-3)


class Counted(float):
    """A number that counts how often it is compared."""

    compared = 0

    def __lt__(self, other: float) -> bool:
        Counted.compared += 1
        return float(self) < float(other)

    def __neg__(self) -> Counted:
        return Counted(-float(self))


def test_the_median_is_known_at_any_time_without_sorting() -> None:
    rng, seen, masses = random.Random(3), list[float](), RunningMedian()
    assert masses.value is None
    for number in range(2_000):
        seen.append(rng.choice([0.5, round(rng.random(), 6)]))
        masses.add(Counted(seen[-1]))
        if number % 50 < 2:
            assert masses.value == median(seen)
        assert masses.value is not None
    assert Counted.compared < 40 * len(seen)  # a constant times the logarithm, per number


def test_low_masses_are_counted() -> None:
    tally = Tally()
    tally.add([{"logprobs": "aligned", "mass": mass} for mass in (0.2, 0.5, 0.9)] + [{"logprobs": "none"}])
    assert tally.facts["logprobs"] == {"aligned": 3, "none": 1, "mass_median": 0.5, "low_mass": 1}


TWO = {"entailment": "Yes", "not_entailment": "No"}
OWN: Names = {"supported": "entailment", "unsupported": "not_entailment", "not supported": "not_entailment"}
OWN_WORDS = chat_forms(TWO, {**OWN, "unclear": None, "1": "entailment", "refuted": "contradiction"}, "x")


@pytest.mark.parametrize(
    ("text", "label", "rule"),
    [
        ("Supported", "entailment", "exact"),
        ("**Unsupported.**", "not_entailment", "exact"),
        ("Not supported", "not_entailment", "exact"),
        ("No", "not_entailment", "exact"),
        ("Refuted", "not_entailment", "exact"),
        ('{"label": "Supported"}', "entailment", "json"),
        (f"{PADDING}So the verdict is: unsupported.", "not_entailment", "phrase"),
        (f"Supported. {PADDING}", "entailment", "first-line"),
        (f"{PADDING}\n\nUnsupported", "not_entailment", "last-line"),
        ("The claim is unsupported.", "not_entailment", "only-word"),
        ("Verdict - supported", "entailment", "only-word"),
    ],
)
def test_declared_words_are_read_beside_those_of_the_template(text: str, label: str, rule: str) -> None:
    found = read_answer(text, OWN_WORDS)
    assert (found.label, found.rule) == (label, rule)
    assert OWN_WORDS.by_text[text[found.start : found.end].casefold()] == label


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("The claim is supported by nothing.", "unparsed"),
        ("The conclusion is supported by nothing in the report.", "unparsed"),
        ("The conclusion is supported only in part.", "unparsed"),
        ("It is hardly supported", "unparsed"),
        ("It is un-supported", "unparsed"),
        ("It isn't supported", "unparsed"),
        ("Supported or unsupported?", "ambiguous"),
        (f"Supported.\n{PADDING}\nNo", "ambiguous"),
        ("Unclear", "unparsed"),  # no gold label is no label
        ("1. The report says so.", "unparsed"),  # a line with a number
        ("1", "unparsed"),
    ],
)
def test_declared_words_are_not_guessed_either(text: str, status: str) -> None:
    found = read_answer(text, OWN_WORDS)
    assert (found.label, found.status) == (None, status)


def test_declared_words_must_fit_the_question_of_the_template() -> None:
    three = dict(WORDS.forms)
    other = chat_forms(three, OWN, "words")
    assert (other.also, other.unread) == ({}, tuple(OWN))
    assert read_answer("supported", other).status == "unparsed"
    assert chat_forms(three, {"refuted": "contradiction"}, "words").by_text["refuted"] == "contradiction"
    assert chat_forms(dict(TRUE.forms), {"true": "entailment", "false": "not_entailment"}, "t").also == {}
    with pytest.raises(
        CrossexamError, match="'yes' is entailment in template 'x', and not_entailment by --l"
    ):
        chat_forms(TWO, {"yes": "not_entailment", "no": "entailment"}, "x")
    with pytest.raises(CrossexamError, match="'neither' is neutral in template 't', and contradiction by"):
        chat_forms(dict(TRUE.forms), {"neither": "contradiction"}, "t")


def test_a_joined_word_is_not_its_second_part() -> None:
    assert read_answer("non-entailment", WORDS).status == "unparsed"


def test_probabilities_of_declared_words_count() -> None:
    tokens = [_token("Supported", -0.2, {"Supported": -0.2, "Un": -1.8, "Yes": -9.0})]
    found = shares_at(tokens, "Supported", read_answer("Supported", OWN_WORDS), OWN_WORDS)
    assert not isinstance(found, str)
    mass = math.exp(-0.2) + math.exp(-1.8) + math.exp(-9)
    assert found.shares["not_entailment"] == pytest.approx(math.exp(-1.8) / mass)
