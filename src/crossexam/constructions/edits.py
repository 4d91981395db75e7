"""Edits that replace a word by another with the same inflection and capitals, and what agrees with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from crossexam.core.example import Edit, Side
from crossexam.language.inflection import indefinite_article, inflect_like, match_case
from crossexam.language.lexicons.closed_classes import INDEFINITE_ARTICLES
from crossexam.language.lexicons.noun_groups import PLURAL_NOUNS
from crossexam.language.pronouns import Unclear, agreeing_pronouns
from crossexam.language.remembered import WORDS, remembered
from crossexam.language.tokens import Token


@remembered(WORDS)
def fitting(lemma: str, word: str, tag: str) -> str | None:
    """Return *lemma* with the inflection and capitals of *word*, or None if English has no such form.

    >>> fitting("sunrise", "Sunsets", "NNS"), fitting("happiness", "Books", "NNS")
    ('Sunrises', None)
    >>> fitting("man", "People", "NN")  # whatever the tagger says
    'Men'
    """
    tag = "NNS" if tag == "NN" and word.lower() in PLURAL_NOUNS else tag
    form = inflect_like(lemma, word, tag)
    form = "people" if form in {"persons", "peoples"} else form
    return None if form is None else match_case(form, word)


def article_edit(
    sentence: str, tokens: Sequence[Token], position: int, new: str, side: Side
) -> tuple[Edit, ...]:
    """Return the edit that corrects *a* or *an* before the *new* word at *position*, if it is needed."""
    if position == 0:
        return ()
    before, token = tokens[position - 1], tokens[position]
    if before.text.lower() not in INDEFINITE_ARTICLES or not sentence[before.end : token.start].isspace():
        return ()
    article = match_case(indefinite_article(new), before.text)
    if sentence.isupper():  # match_case cannot see from "A" alone that "AN" is meant
        article = article.upper()
    if article == before.text:
        return ()
    return (Edit(side, before.start, before.end, before.text, article),)


def replacing(
    sentence: str, tokens: Sequence[Token], positions: Iterable[int], lemma: str, side: Side
) -> tuple[Edit, ...] | None:
    """Return the edits that replace the words at *positions* by *lemma*; None if it has no such form."""
    edits: list[Edit] = []
    for position in positions:
        token = tokens[position]
        new = fitting(lemma, token.text, token.tag)
        if new is None or new == token.text:
            return None
        edits += article_edit(sentence, tokens, position, new, side)
        edits.append(Edit(side, token.start, token.end, token.text, new))
    return tuple(edits)


def pronoun_edits(
    tokens: Sequence[Token], positions: Sequence[int], new: str, side: Side
) -> tuple[Edit, ...] | Unclear:
    """Return the edits that make pronouns agree with the noun *new* at *positions*; see Unclear."""
    found = agreeing_pronouns(tokens, positions, new)
    if isinstance(found, Unclear):
        return found
    return tuple(Edit(side, tokens[k].start, tokens[k].end, tokens[k].text, form) for k, form in found)
