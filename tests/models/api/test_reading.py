"""Labels are read from texts by rules, none of which guesses."""

from __future__ import annotations

from typing import Any

from crossexam.corpora.label_names import Names
from crossexam.models.api.reading import LabelForms, chat_forms, read_answer
from crossexam.models.prompts.table import templates

WORDS = LabelForms({"entailment": "entailment", "neutral": "neutral", "contradiction": "contradiction"})
YES_NO = LabelForms({"entailment": "Yes", "neutral": "Maybe", "contradiction": "No"})
TRUE = LabelForms({"entailment": "True", "neutral": "Neither", "contradiction": "False"})
LONG = LabelForms({"entailment": "yes", "neutral": "it is not possible to tell", "contradiction": "no"})
PADDING = "The premise speaks of two people and of nobody else, which is why it matters what they do. "
TWO = {"entailment": "Yes", "not_entailment": "No"}
OWN: Names = {"supported": "entailment", "unsupported": "not_entailment", "not supported": "not_entailment"}
OWN_WORDS = chat_forms(TWO, {**OWN, "unclear": None, "1": "entailment", "refuted": "contradiction"}, "x")


def test_a_label_is_read_where_the_text_names_one(case: Any) -> None:
    """In the words of the template, or in those that were declared beside them."""
    for forms, text, label, rule in (
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
        (OWN_WORDS, "Supported", "entailment", "exact"),
        (OWN_WORDS, "**Unsupported.**", "not_entailment", "exact"),
        (OWN_WORDS, "Not supported", "not_entailment", "exact"),
        (OWN_WORDS, "No", "not_entailment", "exact"),
        (OWN_WORDS, "Refuted", "not_entailment", "exact"),
        (OWN_WORDS, '{"label": "Supported"}', "entailment", "json"),
        (OWN_WORDS, f"{PADDING}So the verdict is: unsupported.", "not_entailment", "phrase"),
        (OWN_WORDS, f"Supported. {PADDING}", "entailment", "first-line"),
        (OWN_WORDS, f"{PADDING}\n\nUnsupported", "not_entailment", "last-line"),
        (OWN_WORDS, "The claim is unsupported.", "not_entailment", "only-word"),
        (OWN_WORDS, "Verdict - supported", "entailment", "only-word"),
    ):
        with case(text):
            found = read_answer(text, forms)
            assert (found.label, found.rule) == (label, rule)
            assert forms.by_text[text[found.start : found.end].casefold()] == label


def test_nothing_is_guessed(case: Any) -> None:
    for forms, text, status in (
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
        (OWN_WORDS, "The claim is supported by nothing.", "unparsed"),
        (OWN_WORDS, "The conclusion is supported by nothing in the report.", "unparsed"),
        (OWN_WORDS, "The conclusion is supported only in part.", "unparsed"),
        (OWN_WORDS, "It is hardly supported", "unparsed"),
        (OWN_WORDS, "It is un-supported", "unparsed"),
        (OWN_WORDS, "It isn't supported", "unparsed"),
        (OWN_WORDS, "Supported or unsupported?", "ambiguous"),
        (OWN_WORDS, f"Supported.\n{PADDING}\nNo", "ambiguous"),
        (OWN_WORDS, "Unclear", "unparsed"),  # no gold label is no label
        (OWN_WORDS, "1. The report says so.", "unparsed"),  # a line with a number
        (OWN_WORDS, "1", "unparsed"),
        (WORDS, "non-entailment", "unparsed"),  # a joined word is not its second part
    ):
        with case(text and text[:99]):
            found = read_answer(text, forms)
            assert (found.label, found.status) == (None, status)


def test_what_the_server_says_of_an_answer_counts() -> None:
    """That it withheld it, or that it was cut: then it is not taken for whole."""
    assert read_answer("neutral", WORDS, finish="content_filter").status == "filtered"
    assert read_answer(None, WORDS, refusal="I cannot.").status == "refused"
    assert read_answer("neutral", WORDS, finish="length").label == "neutral"
    assert read_answer("The premise says that", WORDS, finish="length").status == "cut"
    assert read_answer("The answer is neutral", WORDS, finish="length").status == "cut"
    begins = LabelForms({"entailment": "yes", "neutral": "not clear", "contradiction": "no"})
    assert read_answer("no", begins).label == "contradiction"
    assert read_answer("no", begins, finish="length").status == "cut"  # perhaps of "not clear"


def test_every_template_reads_its_own_labels(case: Any) -> None:
    for name, shipped in templates().items():
        if not shipped.fixed_labels:
            continue
        with case(name):
            forms = LabelForms(shipped.labels)
            for label, form in forms.forms.items():
                assert read_answer(form, forms).label == label
                assert read_answer(f"The answer is {form}.", forms).label == label


def test_declared_words_must_fit_the_question_of_the_template(case: Any) -> None:
    three = dict(WORDS.forms)
    other = chat_forms(three, OWN, "words")
    assert (other.also, other.unread) == ({}, tuple(OWN))
    assert read_answer("supported", other).status == "unparsed"
    assert chat_forms(three, {"refuted": "contradiction"}, "words").by_text["refuted"] == "contradiction"
    assert chat_forms(dict(TRUE.forms), {"true": "entailment", "false": "not_entailment"}, "t").also == {}
    with case.refused("'yes' is entailment in template 'x', and not_entailment by --labels"):
        chat_forms(TWO, {"yes": "not_entailment", "no": "entailment"}, "x")
    with case.refused("'neither' is neutral in template 't', and contradiction by --labels"):
        chat_forms(dict(TRUE.forms), {"neither": "contradiction"}, "t")
