"""What WordNet knows of words: which are lemmas, of what they are forms, which senses they have."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Final

from crossexam.language.lexicons.wordnet_file import Columns

# Detachment rules of morphy(7WN), as NLTK has them: an ending and what stands in its place in the lemma.
# fmt: off
_ENDINGS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "n": (("s", ""),  ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"),
          ("shes", "sh"), ("men", "man"), ("ies", "y")),
    "v": (("s", ""),  ("ies", "y"), ("es", "e"),  ("es", ""),   ("ed", "e"),  ("ed", ""),
          ("ing", "e"), ("ing", "")),
    "a": (("er", ""), ("est", ""),  ("er", "e"),  ("est", "e")),
    "r": (),
}
# fmt: on
_LAST_LETTERS: Final = frozenset(old[-1] for rules in _ENDINGS.values() for old, _ in rules)


class LemmaIndex:
    """The lemmas and senses of one part of speech, n, v, a or r.

    ``synsets`` and ``counts`` have an entry a sense: its synset, and how often it was tagged.
    """

    def __init__(self, columns: Columns, part: str) -> None:
        self.synsets = columns.numbers(f"{part}/synsets")
        self.counts = columns.numbers(f"{part}/counts")
        self._number = {lemma: number for number, lemma in enumerate(columns.lines(f"{part}/lemmas"))}
        self._starts = array("I", accumulate(columns.numbers(f"{part}/senses"), initial=0))
        rows = (row.split(" ") for row in columns.lines(f"{part}/exceptions"))
        self._exceptions = {form: tuple(bases) for form, *bases in rows}
        self._endings = {
            last: tuple(rule for rule in _ENDINGS[part] if rule[0].endswith(last)) for last in _LAST_LETTERS
        }

    def lemmas(self) -> Iterable[str]:
        """Return all lemmas, in lower case."""
        return self._number.keys()

    def senses(self, lemma: str) -> range:
        """Return where in ``synsets`` the senses of *lemma* stand; nowhere if it is none."""
        number = self._number.get(lemma)
        return range(0) if number is None else range(self._starts[number], self._starts[number + 1])

    def sense(self, lemma: str, synset: int) -> int | None:
        """Return where in ``synsets`` the sense of *lemma* that is *synset* stands."""
        return next((sense for sense in self.senses(lemma) if self.synsets[sense] == synset), None)

    def forms(self, word: str) -> tuple[str, ...]:
        """Return those of *word* and its possible base forms that are lemmas, each once."""
        bases = self._exceptions.get(word)
        if bases is None:
            rules = self._endings.get(word[-1:])
            if not rules:  # most words: nothing to detach
                return (word,) if word in self._number else ()
            bases = tuple(word[: -len(old)] + new for old, new in rules if word.endswith(old))
        return tuple(form for form in dict.fromkeys((word, *bases)) if form in self._number)
