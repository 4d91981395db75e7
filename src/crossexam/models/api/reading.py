"""The label that a text names, by rules that are tried in order, or the reason why it names none.

The rules are ``exact`` (nothing but a label), ``json`` (an object with ``label`` or ``answer``), ``phrase``
("the answer is X", the last of them), ``first-line`` (a label, then a stop, comma or colon), ``last-line`` (a
label alone) and ``only-word`` (a short text with one label word, placed as an answer is).  No rule guesses: a
text in which two rules find different labels is ambiguous, a label that is denied does not count, and a word
such as *no* is part of too many sentences ("There is no way to tell") to count in their middle.

Words that ``--labels`` declares are read beside those of the template.  They may be any words, and so count
only where an answer stands alone: *supported* of "the conclusion is supported by nothing" is not an answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

from crossexam.core.errors import CrossexamError
from crossexam.core.output.escapes import clipped
from crossexam.corpora.label_names import Names
from crossexam.models.label_order import ClassName

#: A text of at most so many characters is short.
SHORT: Final = 60
#: Keys of an object of which the value is the answer.
_ANSWER_KEYS: Final = ("label", "answer")
#: Label words that are words of everyday sentences as well.
_EVERYDAY: Final = frozenset("yes no maybe true false neither also correct incorrect 0 1".split())
_LETTER: Final = re.compile(r"[^\W\d_]")
_AROUND: Final = " \t\r\n\"'`*_“”‘’«»()[]"
_THOUGHTS: Final = re.compile(r"\A.*</(?:think|thinking|reasoning)>", re.DOTALL)
_OPEN_THOUGHT: Final = re.compile(r"\A\s*<(?:think|thinking|reasoning)>")
_FENCE: Final = re.compile(r"\A\s*```(?:json)?\s*(.*?)\s*```\s*\Z", re.DOTALL)
_NEGATED: Final = re.compile(r"(?:\b(?:not|never|cannot|neither|nor)|n[’']t)\b", re.IGNORECASE)
_LEAD: Final = r"\b(?:answer|label|relation(?:ship)?|conclusion|verdict)\s*(?:is|:|=|\bwould be)\s*:?"
_CONDITION: Final = re.compile(r"[\s\"'`*.,]*\b(?:or|if|unless|depending|only)\b", re.IGNORECASE)
#: How refusals begin.
_REFUSAL: Final = re.compile(
    r"\b(?:I(?:[’']m| am) (?:sorry|unable|not able)|I (?:cannot|can[’']t|can not|won[’']t|will not)"
    r"|I must decline|as an AI|I apologi[sz]e|against my guidelines)\b",
    re.IGNORECASE,
)
#: What must be before a form: no letter, and no word that a hyphen joins to it, as in un-supported.
_BEFORE: Final = r"(?<!\w)(?<!\w[-‐‑])"
_AFTER_LABEL: Final = re.compile(r"[*_`\"'”’)\]]*[ \t]*(?:[.:;,!–—-]|\n|\Z)")
_SENTENCE_END: Final = re.compile(r"[.!?]\s|\n")


class ReadAnswer(NamedTuple):
    """The *label* that a text names at the characters from *start* to *end*, and the *rule* that found it.

    Without a label, *status* is a key of :data:`~crossexam.core.outcome.STATUSES`, and *rule* is empty.
    """

    label: ClassName | None
    status: str = "answered"
    rule: str = ""
    start: int = 0
    end: int = 0


class _Match(NamedTuple):
    label: ClassName
    start: int
    end: int


@dataclass(frozen=True)
class LabelForms:
    """How answers are worded: the *forms* of the labels, such as True, Neither and False.

    *also* are further words, without case, with the labels that they mean; *unread* are declared words that
    do not count.
    """

    forms: Mapping[ClassName, str]
    also: Mapping[str, ClassName] = field(default_factory=dict)
    unread: tuple[str, ...] = ()

    @cached_property
    def by_text(self) -> dict[str, ClassName]:
        """The labels by their forms without case."""
        return {**self.also, **{form.strip().casefold(): label for label, form in self.forms.items()}}

    @cached_property
    def everyday(self) -> frozenset[str]:
        """The forms that may be words of any sentence, and count only where an answer stands."""
        return _EVERYDAY | self.also.keys()

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What finds the forms as whole words; of two that begin alike, the longer."""
        ordered = sorted((form.strip() for form in (*self.forms.values(), *self.also)), key=len, reverse=True)
        return re.compile(rf"{_BEFORE}(?:{'|'.join(map(re.escape, ordered))})(?!\w)", re.IGNORECASE)

    @cached_property
    def stated(self) -> re.Pattern[str]:
        """What finds a form that a text says is its answer."""
        return re.compile(rf"{_LEAD}[\s\"'`*“‘]*(?P<form>{self.pattern.pattern})", re.IGNORECASE)

    def whole(self, text: str) -> str | None:
        """Return the form that *text* is, whatever its case, quotes and final stop; None if it is none."""
        bare = text.strip(_AROUND).rstrip(".!").strip(_AROUND)
        return bare if bare.casefold() in self.by_text else None

    def found_in(self, text: str) -> list[_Match]:
        """Return the forms that occur in *text* as whole words, in their order."""
        return [
            _Match(self.by_text[match[0].casefold()], match.start(), match.end())
            for match in self.pattern.finditer(text)
            if match[0].casefold() in self.by_text
        ]


def chat_forms(labels: Mapping[ClassName, str], declared: Names, template: str) -> LabelForms:
    """Return the forms of the *labels* of *template*, with the *declared* words that answer its question.

    A template of two labels asks about not_entailment, so that words for neutral and contradiction mean that.
    One of three labels does not: if not_entailment is declared, no word is read.  Numbers are not, since
    texts number their lines.  Raises CrossexamError if a form of the template is declared as another label.

    >>> chat_forms({"entailment": "Yes", "not_entailment": "No"}, {"supported": "entailment"}, "x").also
    {'supported': 'entailment'}
    """
    own, also = LabelForms(labels).by_text, dict[str, ClassName]()
    for word, label in declared.items():
        meant = own.get(word.casefold())
        if label is None or (meant is None and not _LETTER.search(word)):
            continue
        if meant is None:
            also[word.casefold()] = label if label in labels else "not_entailment"
        elif meant != label and ("not_entailment" not in (meant, label) or "entailment" in (meant, label)):
            raise CrossexamError(
                f"'{word}' is {meant} in template '{template}', and {label} by --labels",
                wanted="one meaning for each word",
                hint="leave out --labels, or choose another --template; examine --set api.labels=none keeps "
                "--labels for the base",
            )
    is_other = "not_entailment" in also.values() and "not_entailment" not in labels
    return LabelForms(labels, unread=tuple(also)) if is_other else LabelForms(labels, also)


def unread_warning(forms: LabelForms, template: str) -> str:
    """Return the warning that declared words of two labels are not read in answers of three.

    >>> unread_warning(LabelForms({}, unread=("yes", "no")), "words").partition(":")[0]
    'the words of --labels (yes, no) are not read in its answers'
    """
    return (
        f"the words of --labels ({clipped(', '.join(forms.unread))}) are not read in its answers: they have "
        f"two labels, and template '{template}' asks for three; one with two is minicheck-llm"
    )


def read_answer(text: str | None, forms: LabelForms, *, finish: str = "", refusal: str = "") -> ReadAnswer:
    """Return the label that the *text* of a message names; offsets are into *text*.

    *finish* is why the server stopped (``length``: the text was cut), and *refusal* is what a server sends in
    place of a text if the model declines.

    >>> words = LabelForms({"entailment": "Yes", "neutral": "Maybe", "contradiction": "No"})
    >>> read_answer("**No.**", words).label, read_answer("There is no way to tell.", words).status
    ('contradiction', 'unparsed')
    """
    if finish == "content_filter":
        return ReadAnswer(None, "filtered")
    if refusal:
        return ReadAnswer(None, "refused")
    start = _end_of_thoughts(text or "")
    if text is None or start is None or not text[start:].strip():
        return ReadAnswer(None, "empty")
    found = _by_rules(text[start:], forms, is_cut=finish == "length")
    return found._replace(start=found.start + start, end=found.end + start) if found.label else found


def _end_of_thoughts(text: str) -> int | None:
    """Return where the reasoning that a server left in *text* ends, None if it does not end."""
    if "</" in text and (closed := _THOUGHTS.match(text)):
        return closed.end()
    return None if _OPEN_THOUGHT.match(text) else 0


def _by_rules(text: str, forms: LabelForms, *, is_cut: bool) -> ReadAnswer:
    for rules in _RULES:
        found = [(rule, match) for rule, read in rules.items() if (match := read(text, forms)) is not None]
        if len({match.label for _, match in found}) > 1:
            return ReadAnswer(None, "ambiguous")
        for rule, match in found:
            if not (is_cut and _may_go_on(text, match, forms)):
                return ReadAnswer(match.label, "answered", rule, match.start, match.end)
    named = {match.label for match in forms.found_in(text)}
    if len(named) > 1:
        return ReadAnswer(None, "ambiguous")
    if is_cut:
        return ReadAnswer(None, "cut")
    return ReadAnswer(None, "refused" if not named and _REFUSAL.search(text) else "unparsed")


def _may_go_on(text: str, found: _Match, forms: LabelForms) -> bool:
    """Return whether a cut *text* ends with a form that could be the beginning of something else."""
    if text[found.end :].strip(_AROUND):
        return False
    form = text[found.start : found.end].casefold()
    is_whole_text = not text[: found.start].strip(_AROUND)
    return not is_whole_text or any(each != form and each.startswith(form) for each in forms.by_text)


def _exact(text: str, forms: LabelForms) -> _Match | None:
    form = forms.whole(text)
    if form is None:
        return None
    start = len(text) - len(text.lstrip(_AROUND))
    return _Match(forms.by_text[form.casefold()], start, start + len(form))


def _json(text: str, forms: LabelForms) -> _Match | None:
    fenced = _FENCE.match(text)
    start, end = fenced.span(1) if fenced else (0, len(text))
    try:
        value = json.loads(text[start:end])
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    stated = [value[key] for key in value if str(key).casefold() in _ANSWER_KEYS]
    if len(stated) != 1 or not isinstance(stated[0], str):
        return None
    form = forms.whole(stated[0])
    if form is None:
        return None
    key = re.compile(rf'"(?:{"|".join(_ANSWER_KEYS)})"\s*:\s*"\s*', re.IGNORECASE).search(text, start, end)
    place = key.end() if key else start
    return _Match(forms.by_text[form.casefold()], place, place + len(form))


def _phrase(text: str, forms: LabelForms) -> _Match | None:
    """Return the last form that *text* says is its answer, unless it denies or restricts that."""
    stated = list(forms.stated.finditer(text))
    if not stated:
        return None
    last = stated[-1]
    if _NEGATED.search(_sentence_before(text, last.start())) or _CONDITION.match(text, last.end()):
        return None
    start, end = last.span("form")
    form = text[start:end].casefold()
    if form in forms.also and not _AFTER_LABEL.match(text, end):
        return None
    return _Match(forms.by_text[form], start, end)


def _sentence_before(text: str, end: int) -> str:
    start = 0
    for stop in _SENTENCE_END.finditer(text, 0, end):
        start = stop.end()
    return text[start:end]


def _first_line(text: str, forms: LabelForms) -> _Match | None:
    """Return the form that begins *text* before a stop, comma or colon, if its line has no other label."""
    start = len(text) - len(text.lstrip(_AROUND))
    match = forms.pattern.match(text, start)
    if match is None or not _AFTER_LABEL.match(text, match.end()):
        return None
    end = text.find("\n", match.end())
    found = forms.found_in(text[start : end if end >= 0 else len(text)])
    return None if len({each.label for each in found}) > 1 else _matched(match, forms)


def _last_line(text: str, forms: LabelForms) -> _Match | None:
    """Return the form that is all of the last line of *text*."""
    start = text.rstrip().rfind("\n") + 1
    found = _exact(text[start:], forms) if start else None
    return found and _Match(found.label, found.start + start, found.end + start)


def _matched(match: re.Match[str], forms: LabelForms) -> _Match | None:
    label = forms.by_text.get(match[0].casefold())
    return label and _Match(label, match.start(), match.end())


def _only_word(text: str, forms: LabelForms) -> _Match | None:
    """Return the one form in a short *text*, if it is not negated and stands where an answer stands."""
    if len(text.strip()) > SHORT:
        return None
    matches = forms.found_in(text)
    if len({match.label for match in matches}) != 1:
        return None
    match = matches[-1]
    if any(_NEGATED.search(text, 0, each.start) for each in matches) or _CONDITION.match(text, match.end):
        return None
    if text[match.start : match.end].casefold() in forms.everyday:
        return next(_as_answers(text, matches), None)
    return match


def _as_answers(text: str, matches: list[_Match]) -> Iterator[_Match]:
    """Yield those of *matches* that begin *text* before a comma or stop, or end it after a colon or is."""
    for match in matches:
        before, after = text[: match.start].rstrip(_AROUND), text[match.end :].lstrip(_AROUND)
        if (not before and (not after or after[0] in ",.;:!-–—")) or (
            not after.strip(".! ") and re.search(r"(?:[:,;=–—-]|\bis|\bwould be|\bsay)\Z", before)
        ):
            yield match


_Rule = Callable[[str, LabelForms], _Match | None]
#: The rules by name, in groups that are tried in order; in a group, no two may find different labels.
_RULES: Final[tuple[dict[str, _Rule], ...]] = (
    {"exact": _exact},
    {"json": _json},
    {"phrase": _phrase, "first-line": _first_line, "last-line": _last_line},
    {"only-word": _only_word},
)
