"""Labels are read in replies by rules, none of which guesses."""

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
FORMS = {"words": WORDS, "yes no": YES_NO, "true": TRUE, "long": LONG, "own": OWN_WORDS}


def _text(cell: str | list[str | None]) -> str | None:
    """Return the text in a cell: one that begins with a bracket, and none, are in a list."""
    text = cell[0] if isinstance(cell, list) else cell
    return text and text.replace("<padding>", PADDING)


def test_a_label_is_read_where_the_text_names_one(each_case: Any) -> None:
    """In the words of the template, or in those that were declared beside them."""

    def check(name: str, label: str, rule: str, cell: str | list[str | None]) -> None:
        forms, text = FORMS[name], _text(cell)
        found = read_answer(text, forms)
        assert (found.label, found.rule) == (label, rule)
        assert forms.by_text[text[found.start : found.end].casefold()] == label

    each_case(check)


def test_nothing_is_guessed(each_case: Any) -> None:
    def check(name: str, status: str, cell: str | list[str | None]) -> None:
        found = read_answer(_text(cell), FORMS[name])
        assert (found.label, found.status) == (None, status)

    each_case(check)
    check("words", "unparsed", ["[" * 100_000])


def test_what_the_server_says_of_an_answer_counts() -> None:
    """That it withheld it, or that it was cut: then it is not taken for whole."""
    assert read_answer("neutral", WORDS, finish="content_filter").status == "filtered"
    assert read_answer(None, WORDS, refusal="I cannot.").status == "refused"
    assert read_answer("neutral", WORDS, finish="length").label == "neutral"
    assert read_answer("The answer is neutral", WORDS, finish="length").status == "cut"
    begins = LabelForms({"entailment": "yes", "neutral": "not clear", "contradiction": "no"})
    assert read_answer("no", begins).label == "contradiction"
    assert read_answer("no", begins, finish="length").status == "cut"  # perhaps of "not clear"


def test_every_template_reads_its_own_labels() -> None:
    for shipped in templates().values():
        if not shipped.fixed_labels:
            continue
        forms = LabelForms(shipped.labels)
        for label, form in forms.forms.items():
            assert read_answer(f"The answer is {form}.", forms).label == label
