"""Tags from NLTK's averaged perceptron (Honnibal, 2013), with the weights in the package or NLTK's own.

The weights in the package were trained by `scripts/train_tagger.py`; PERCEPTRON-NOTICE.txt has their sources
and licence.  NLTK's own are not in NLTK's wheel: `python -m nltk.downloader averaged_perceptron_tagger_eng`
fetches them.

Both tag our words (:func:`crossexam.language.tokens.words`), not those of `NLTKWordTokenizer`: that
tokenizer rewrites quotation marks and has to search for the offsets afterwards, which fails on some
sentences; it leaves full stops attached to words inside a text of several sentences; and it is three times
as slow.  Of the 13,143 distinct sentences of MultiNLI dev matched, 98 % have the same words in both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from crossexam.core.errors import MissingExtraError, MissingResourceError
from crossexam.core.example import Example, Side
from crossexam.language.remembered import SENTENCES, remembered
from crossexam.language.tagging.perceptron import Perceptron
from crossexam.language.tokens import Token, new_token, words

RESOURCE: Final = "averaged_perceptron_tagger_eng"

_PENN_BRACKETS: Final = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
_OPENING_QUOTES: Final = frozenset("“„«")
_CLOSING_QUOTES: Final = frozenset("”»")


def downloaded() -> Perceptron:
    """Return the perceptron with NLTK's own weights; raises MissingResourceError without them, or NLTK."""
    fetching = f"python -m nltk.downloader {RESOURCE}"
    try:
        import nltk
    except ImportError:
        raise MissingExtraError("nltk", "nltk", "the tagger 'nltk'", then=fetching) from None
    try:
        folder = str(nltk.data.find(f"taggers/{RESOURCE}/"))
    except LookupError:
        raise MissingResourceError(
            "the weights of NLTK's part-of-speech tagger are not installed",
            where=f"looked in NLTK_DATA and {', '.join(nltk.data.path[:3])} ...",
            wanted=f"taggers/{RESOURCE}",
            hint=f"{fetching}, or `--tagger builtin`",
        ) from None
    return _from_nltk(folder)


@lru_cache(maxsize=1)
def _from_nltk(folder: str) -> Perceptron:
    """Return the perceptron in the *folder* where NLTK finds its weights."""
    import nltk
    from nltk.tag.perceptron import PerceptronTagger

    return Perceptron(f"nltk-perceptron-{nltk.__version__}", PerceptronTagger())


class NltkTagger:
    """A tagger of any sentence, which loads the weights of a *perceptron* when it is created.

    Those in the package are loaded once per process, in 0.1 s, and tag some 140,000 words per second.  NLTK's
    own are used by NLTK itself, whose import takes more than a second, as it imports scipy.stats, and
    scikit-learn if that is installed.
    """

    def __init__(self, perceptron: Callable[[], Perceptron] = downloaded) -> None:
        self.name, self._tagger = perceptron()
        self.answered: Counter[str] = Counter()
        self._tagged = remembered(SENTENCES)(self._tag)

    def signature(self) -> str:
        """Return the name, as there is only one source."""
        return self.name

    def prepare(self, examples: Sequence[Example]) -> None:
        """Do nothing: sentences are tagged one by one, and cached."""

    def tokens(self, example: Example, side: Side) -> tuple[Token, ...]:
        """Return the tokens of the sentence on *side*."""
        return self._tagged(example.text(side))

    def tag(self, sentence: str) -> tuple[Token, ...]:
        """Return the tokens of any *sentence*."""
        return self._tagged(sentence)

    def _tag(self, sentence: str) -> tuple[Token, ...]:
        self.answered[self.name] += 1
        tokens = words(sentence)
        tagged = self._tagger.tag([in_penn(sentence, token) for token in tokens])
        return tuple(
            [
                new_token(Token, (text, start, end, tag))
                for (text, start, end, _), (_, tag) in zip(tokens, tagged, strict=True)
            ]
        )


def in_penn(sentence: str, token: Token) -> str:
    """Return the word of *token* as the Penn Treebank writes it, on which taggers are trained.

    >>> [in_penn('"Yes" (no)', token) for token in words('"Yes" (no)')]
    ['``', 'Yes', "''", '-LRB-', 'no', '-RRB-']
    """
    text = token.text
    if len(text) > 2 or text.isalnum():
        return text.replace("’", "'")
    if text == '"':
        opens = token.start == 0 or sentence[token.start - 1] in " \t\n([{-—"
        return "``" if opens and sentence[token.end : token.end + 1].strip() else "''"
    if text in _OPENING_QUOTES or text in _CLOSING_QUOTES:
        return "``" if text in _OPENING_QUOTES else "''"
    return _PENN_BRACKETS.get(text, text.replace("’", "'"))
