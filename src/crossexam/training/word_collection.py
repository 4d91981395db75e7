"""The words of a corpus, collected in one pass, and the lexical features that are frequent in it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.example import SIDES, Example, Side
from crossexam.language.tokens import Token, words
from crossexam.training.lexical_features import (
    ROWS_AT_ONCE,
    UNKNOWN,
    FeatureSettings,
    LexicalFeatures,
    Sentences,
    coded,
    from_array,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Penn tags of nouns, verbs, adjectives and adverbs begin so.
CONTENT_TAGS: Final = frozenset({"NN", "VB", "JJ", "RB"})


class Words:
    """The words of examples, collected in one pass; :meth:`features` makes the vocabulary of them.

    *tokens* gives the tagged tokens of a sentence of an example; without it (all words are features)
    sentences are cut into words.
    """

    def __init__(self, tokens: Callable[[Example, Side], Sequence[Token]] | None) -> None:
        self._tokens = tokens
        self._index: dict[str, int] = {}
        self._seen: dict[Side, tuple[array[int], array[int]]] = {
            side: (array("i"), array("q", [0])) for side in SIDES
        }

    def add(self, example: Example) -> None:
        """Add the words of *example*."""
        number, index = self._index.setdefault, self._index
        for side in SIDES:
            seen, starts = self._seen[side]
            tokens = self._tokens(example, side) if self._tokens else words(example.text(side))
            # Twice the number of the word, and one more where it is tagged as a content word here.
            seen.extend([2 * number(t[0].lower(), len(index)) + (t[3][:2] in CONTENT_TAGS) for t in tokens])
            starts.append(len(seen))

    def features(self, settings: FeatureSettings) -> tuple[LexicalFeatures, Any]:
        """Return the vocabulary of what was added, and the table [n, f] of it."""
        import numpy as np

        marked = {side: (from_array(seen), from_array(starts)) for side, (seen, starts) in self._seen.items()}
        kept = self._content(marked) if settings.content else np.ones(len(self._index), dtype=bool)
        number = np.where(kept, np.cumsum(kept) - 1, UNKNOWN)
        names = [word for word, wanted in zip(self._index, kept.tolist(), strict=True) if wanted]
        sides = [Sentences(number[seen >> 1], starts) for seen, starts in marked.values()]
        every = _frequent(settings, len(names), *sides)
        used = LexicalFeatures(tuple(names), every).only(np.ones(sum(map(len, every.values())), dtype=bool))
        number = np.array([used.index.get(name, UNKNOWN) for name in names], dtype=np.int64)
        number = np.append(number, UNKNOWN)  # what -1 stands for
        return used, used.packed(*(Sentences(number[side.words], side.starts) for side in sides))

    def _content(self, marked: Mapping[Side, tuple[NDArray[Any], Any]]) -> NDArray[np.bool_]:
        """Return which words are content words: in most places where they stand they are tagged so."""
        import numpy as np

        size = len(self._index)
        both = np.zeros(2 * size, dtype=np.int64)
        for seen, _ in marked.values():
            both += np.bincount(seen, minlength=2 * size)
        spoken = np.fromiter((any(map(str.isalnum, word)) for word in self._index), bool, size)
        content: NDArray[np.bool_] = (both[1::2] > both[::2]) & spoken
        return content


def _frequent(
    settings: FeatureSettings, size: int, premises: Sentences, hypotheses: Sentences
) -> dict[str, NDArray[np.int64]]:
    """Return the codes of the features of each kind that stand in enough pairs, in ascending order."""
    import numpy as np

    found: dict[str, list[NDArray[np.int64]]] = {kind: [] for kind in settings.kinds}
    count = len(premises.starts) - 1
    for start in range(0, count, ROWS_AT_ONCE):
        stop = min(start + ROWS_AT_ONCE, count)
        parts = premises.part(start, stop), hypotheses.part(start, stop)
        for kind, _, codes in coded(settings.kinds, size, *parts):
            found[kind].append(codes)
    kept = {}
    for kind in settings.kinds:
        codes = np.concatenate(found.pop(kind) or [np.zeros(0, dtype=np.int64)])
        codes.sort()
        minimum = settings.min_pair_count if kind == "pairs" else settings.min_count
        first = np.flatnonzero(np.diff(codes, prepend=-1))  # where each code is first met
        kept[kind] = codes[first[np.diff(first, append=len(codes)) >= minimum]]
    return kept
