"""Prediction with the averaged perceptron of Honnibal (2013), as in NLTK, for weights that are whole numbers.

The features are those of ``nltk.tag.perceptron.PerceptronTagger``, and so are the tags: of the tags with the
highest score the last one in the alphabet, and the one tag of an unambiguous word.  It takes a quarter of the
time.  Sums of whole numbers do not depend on their order, so that the weights of features that belong to one
word or one pair of tags are added up once, and kept as one row of scores, a number per tag.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
import numpy as np

from crossexam.language.remembered import remembered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Row = NDArray[np.int32]

#: The version of NLTK whose features these are, a part of the names of taggers.
FEATURES: Final = "nltk-3.10.4"

SHIPPED: Final = Path(__file__).with_name("perceptron.json.gz")
_START: Final = ("-START-", "-START2-")
_END: Final = ("-END-", "-END2-")
_WEIGHTS: Final = msgspec.json.Decoder(dict[str, int])
_ROWS: Final = 1 << 15  # that are remembered of each kind, about 300 bytes each


class Perceptron(NamedTuple):
    """A *tagger*, ours or NLTK's ``PerceptronTagger``, and its *name* in signatures."""

    name: str
    tagger: Any


def shipped(path: Path = SHIPPED) -> Perceptron:
    """Return the perceptron with the weights in the package, or in another file of the same format.

    The file is compressed JSON: weights by feature and tag, tags of unambiguous words, all tags.  Its hash is
    part of the name, and so is the version of NLTK whose features the weights belong to.
    """
    return _from_file(path)


@lru_cache(maxsize=1)
def _from_file(path: Path) -> Perceptron:
    import gzip
    import hashlib

    packed = path.read_bytes()
    content = tuple[dict[str, msgspec.Raw], dict[str, str], list[str]]
    weights, unambiguous, tags = msgspec.json.decode(gzip.decompress(packed), type=content)
    digest = hashlib.sha256(packed).hexdigest()[:8]
    return Perceptron(f"builtin-perceptron-{digest}-{FEATURES}", PerceptronTagger(weights, unambiguous, tags))


class PerceptronTagger:
    """A tagger with the *weights* of each feature by tag, and the tags of the *unambiguous* words.

    The weights of a feature are JSON, which is read when the feature is first met: most never are.

    >>> weights = {"bias": b'{"NN": 1}', "i word dogs": b'{"NNS": 4}', "i-1 word dogs": b'{"VBP": 3}'}
    >>> PerceptronTagger(weights, {"the": "DT"}, ["NN", "NNS", "VBP", "DT"]).tag(["the", "Dogs", "run"])
    [('the', 'DT'), ('Dogs', 'NNS'), ('run', 'VBP')]
    """

    def __init__(
        self,
        weights: Mapping[str, bytes | msgspec.Raw],
        unambiguous: Mapping[str, str],
        tags: Sequence[str],
    ) -> None:
        self._weights, self._unambiguous = weights, unambiguous
        self._tags = sorted(tags, reverse=True)  # the first of the best is the last in the alphabet
        self._places = {tag: place for place, tag in enumerate(self._tags)}
        self._word = remembered(_ROWS)(self._of_word)
        self._tags_before = remembered(_ROWS)(self._of_tags_before)
        self._neighbour = remembered(_ROWS)(self._of_neighbour)
        self._rows: dict[str, Row] = {}

    def tag(self, words: Sequence[str]) -> list[tuple[str, str]]:
        """Return each of *words*, those of a sentence, with its tag."""
        context = [*_START, *map(_normalized, words), *_END]
        tag, before = _START
        tagged = []
        feature, neighbour, unambiguous = self._feature, self._neighbour, self._unambiguous.get
        for k, word in enumerate(words):
            before2, before = before, tag
            tag = unambiguous(word, "")
            if not tag:
                two_left, left, own, right, two_right = context[k : k + 5]
                scores = self._word(word, own) + self._tags_before(before, before2)
                pair = feature(f"i-1 tag+i word {before} {own}")
                if pair is not None:
                    scores += pair
                scores += neighbour("i-1", left)
                scores += neighbour("i-2", two_left)
                scores += neighbour("i+1", right)
                scores += neighbour("i+2", two_right)
                tag = self._tags[scores.argmax()]
            tagged.append((word, tag))
        return tagged

    def _of_word(self, word: str, normalized: str) -> Row:
        return self._sum(f"i suffix {word[-3:]}", f"i pref1 {word[:1]}", f"i word {normalized}")

    def _of_tags_before(self, tag: str, before: str) -> Row:
        return self._sum("bias", f"i-1 tag {tag}", f"i-2 tag {before}", f"i tag+i-2 tag {tag} {before}")

    def _of_neighbour(self, place: str, normalized: str) -> Row:
        near = place in {"i-1", "i+1"}
        return self._sum(f"{place} word {normalized}", f"{place} suffix {normalized[-3:]}" if near else "")

    def _sum(self, *features: str) -> Row:
        row = np.zeros(len(self._tags), dtype=np.int32)
        for feature in features:
            known = self._feature(feature)
            if known is not None:
                row += known
        return row

    def _feature(self, feature: str) -> Row | None:
        """Return the weights of *feature* for each tag, None if it has none."""
        row = self._rows.get(feature)
        if row is None and (encoded := self._weights.get(feature)):
            weights = _WEIGHTS.decode(encoded)
            row = self._rows[feature] = np.zeros(len(self._tags), dtype=np.int32)
            row[[self._places[tag] for tag in weights]] = list(weights.values())
        return row


def _normalized(word: str) -> str:
    """Return *word* in lower case, or the class of numbers or hyphenated words that it belongs to."""
    if "-" in word and word[0] != "-":
        return "!HYPHEN"
    if word.isdigit() and len(word) == 4:
        return "!YEAR"
    if word[:1].isdigit():
        return "!DIGITS"
    return word.lower()
