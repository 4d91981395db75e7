"""The questions for judges, and which of them go with which construction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from crossexam.core.errors import CrossexamError, UnknownNameError

#: The answer of a judge who cannot decide; it counts neither for nor against.
CANNOT_SAY: Final = "cannot_say"


#: The question that shows the sentences as they were before the change.
GRAMMAR_KEPT: Final = "grammar_kept"
#: The question that shows a pair of antonyms (Naik et al. 2018, section 4.3).
ANTONYM_KIND: Final = "antonym_kind"


class Choice(NamedTuple):
    """An answer to choose: its *value* in files, its *key* and its *words* on the page."""

    value: str
    key: str
    words: str


@dataclass(frozen=True)
class Question:
    """A question: *key* is its name in files, *good* the answer whose share is reported.

    *good* is None if that is the label of the item (``label``), or if no answer is good (``category``).
    *shows* says what judges see with this question but must not see before they answer the others.
    """

    key: str
    words: str
    choices: tuple[Choice, ...]
    good: str | None = None
    shows: str | None = None

    @property
    def values(self) -> tuple[str, ...]:
        """Return the answers without :data:`CANNOT_SAY`."""
        return tuple(choice.value for choice in self.choices if choice.value != CANNOT_SAY)


_UNSURE: Final = Choice(CANNOT_SAY, "0", "I cannot say")
_YES_NO: Final = (Choice("yes", "y", "Yes"), Choice("no", "n", "No"), _UNSURE)

# The nine categories of Naik et al. 2018, Table 1 and section 2, in their order.
# fmt: off
CATEGORIES: Final[dict[str, str]] = {
    "word_overlap":         "Word overlap: the sentences share many words, or hardly any",
    "negation":             "Negation: a strong negation word (no, not)",
    "antonymy":             "Antonymy: a word and its antonym, without a negation",
    "numerical_reasoning":  "Numerical reasoning: numbers or quantifiers",
    "length_mismatch":      "Length mismatch: the premise is much longer",
    "grammaticality":       "Grammaticality: a misspelt word, or an ill-formed sentence",
    "real_world_knowledge": "Real-world knowledge is needed",
    "ambiguity":            "Ambiguity: the right answer is unclear even to people",
    "unknown":              "Unknown: no obvious source of the error",
}

_ALL: Final = (
    Question(
        "label",
        "If the premise is true, the hypothesis is",
        (Choice("entailment",    "1", "definitely true (entailment)"),
         Choice("neutral",       "2", "possibly true (neutral)"),
         Choice("contradiction", "3", "definitely false (contradiction)"),
         _UNSURE),
    ),
    Question("grammatical", "Are both sentences grammatical?", _YES_NO, good="yes"),
    Question("trivial", "Is the arithmetic trivial for a person?", _YES_NO, good="yes"),
    Question("sensible", "Do both sentences make sense?", _YES_NO, good="yes"),
    Question(
        GRAMMAR_KEPT,
        "Is the grammar as good as it was before the change?",
        _YES_NO,
        good="yes",
        shows="the change",
    ),
    Question(
        ANTONYM_KIND,
        "What kind of opposites are the two words?",
        (Choice("gradable",      "1", "Gradable: there is something between them (hot, cold)"),
         Choice("relational",    "2", "Relational: two sides of one relation (buy, sell)"),
         Choice("complementary", "3", "Complementary: whatever is not one is the other (dead, alive)"),
         _UNSURE),
        shows="the pair of words",
    ),
    Question(
        "category",
        "What misled the model?",
        (*(Choice(value, str(place), words) for place, (value, words) in enumerate(CATEGORIES.items(), 1)),
         _UNSURE),
        shows="the gold label",
    ),
)

# Questions about a construction in addition to `label`.  Naik et al. judge grammaticality and, for numerical
# items, triviality (sections 3.1 and 3.2); Sanchez Carmona et al. discard incoherent swaps (section 5.2).
# Spelling errors and shuffled words are ungrammatical by design, and subsets of a corpus are not constructed.
_ADDITIONAL: Final[dict[str, tuple[str, ...]]] = {
    "antonymy":            ("grammatical",),
    "numerical_reasoning": ("grammatical", "trivial"),
    "word_overlap":        ("grammatical",),
    "negation":            ("grammatical",),
    "length_mismatch":     ("grammatical",),
    "tautology":           ("grammatical",),
    "so_swap":             ("grammatical", "sensible"),
    "so_swap_plausible":   ("grammatical", "sensible"),
    "add_amod":            ("grammatical", "sensible"),
}
# fmt: on

QUESTIONS: Final[dict[str, Question]] = {each.key: each for each in _ALL}

#: Prefixes of the names of the test sets of Sanchez Carmona et al. (2018), in situ and ex situ.
SWAPS: Final = ("swap", "in_situ", "ex_situ", "behaviour")


def questions_for(construction: str, *, is_swap: bool = False) -> tuple[str, ...]:
    """Return the keys of the questions about items of *construction*, unless others are chosen.

    >>> questions_for("numerical_reasoning.v1"), questions_for("spelling_error_content_word.v1")
    (('label', 'grammatical', 'trivial'), ('label',))
    """
    name = construction.partition(".")[0]
    if is_swap or name.startswith(SWAPS):
        return ("label", "sensible")
    return ("label", *_ADDITIONAL.get(name, ()))


def chosen_questions(keys: Sequence[str]) -> tuple[str, ...]:
    """Return *keys* in the order of the table, each once; raises CrossexamError for an invalid choice.

    >>> chosen_questions(["grammatical", "label"])
    ('label', 'grammatical')
    """
    for key in keys:
        if key not in QUESTIONS:
            raise UnknownNameError("question", key, QUESTIONS)
    chosen = tuple(key for key in QUESTIONS if key in keys)
    if "category" in chosen and len(chosen) > 1:
        raise CrossexamError(
            "the question 'category' shows the gold label, which would bias the other answers",
            hint="make two studies: one with --question category, one with the other questions",
        )
    return chosen


def exported_questions(asked: Iterable[str], keys: Sequence[str] | None) -> list[str]:
    """Return the questions for one sheet: *keys*, or all that are *asked*, in the order of the table.

    Raises CrossexamError if a question is not asked, or if one shows what must not be seen with the others.

    >>> exported_questions(["sensible", "label", "grammar_kept"], ["label", "sensible"])
    ['label', 'sensible']
    """
    known = in_order(asked)
    for key in keys or ():
        if key not in known:
            raise UnknownNameError("question of this study", key, known)
    chosen = [key for key in known if key in (keys or known)]
    telling = next((key for key in chosen if QUESTIONS[key].shows), None)
    if telling is not None and len(chosen) > 1:
        others = " ".join(f"--question {key}" for key in chosen if key != telling)
        raise CrossexamError(
            f"the question '{telling}' shows {QUESTIONS[telling].shows}, which would bias the other answers",
            hint=f"export two sheets: first {others}, then --question {telling}",
        )
    return chosen


def in_order(keys: Iterable[str]) -> list[str]:
    """Return *keys* in the order of the table, each once."""
    chosen = set(keys)
    return [key for key in QUESTIONS if key in chosen]
