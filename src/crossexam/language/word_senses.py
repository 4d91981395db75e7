"""Which sense a word has in its sentence: the simplified Lesk algorithm (Lesk, 1986, SIGDOC).

The sense is the synset whose definition shares most words with the sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, Literal, NamedTuple, get_args

from crossexam.core.errors import UnknownNameError
from crossexam.language.lexicons.wordnet import WordNet

Ties = Literal["name", "frequency"]
_CACHED_WORDS: Final = 1 << 14  # about 30 MB when full


class _Senses(NamedTuple):
    """The senses of a word, the preferred first, and which of them have which word in the definition.

    A definition word is a number with one byte a sense, 1 or 0: adding those of the sentence's words
    counts the overlap of every sense at once.  The longest definition has 62 words: no byte overflows.
    """

    synsets: tuple[int, ...]
    words: frozenset[str]
    columns: Mapping[str, int]


def lesk(
    wordnet: WordNet,
    context: Iterable[str],
    word: str,
    pos: str | None = None,
    *,
    ties: Ties = "name",
    satellites: bool = False,
) -> int | None:
    """Return the synset of *word*, in any case and inflected or not, in the sentence *context*.

    *context*: the tokens of the sentence as they are compared with those of the definitions (so in lower
    case, as a rule); a set or frozenset of them is used as it is, which pays when many words of a
    sentence are asked for.  *pos*: n, v, a, s or r; ``a`` is an adjective that is no satellite, as in
    NLTK, unless *satellites*; None is all.  None where the word has no such synset.

    *ties* says what happens when definitions overlap equally, as often they do, with nothing: ``name``
    takes the greatest by name (``white.n.11`` before ``white.n.02``), which is what NLTK did to its
    version 3.9 and so in the stress tests of Naik et al. (2018); ``frequency`` takes the first that
    WordNet lists, which is what NLTK does from 3.10.

    >>> wordnet = WordNet.load()
    >>> bank = lesk(wordnet, "I went to the bank to deposit money .".split(), "bank", "n")
    >>> bank and wordnet.name(bank)
    'savings_bank.n.02'
    """
    synsets, words, columns = _senses(wordnet, word.lower(), pos, ties, satellites)
    if not words:
        return synsets[0] if synsets else None
    if not isinstance(context, set | frozenset):
        context = frozenset(context)
    total = sum(map(columns.__getitem__, words & context))
    overlaps = total.to_bytes(len(synsets), "little")
    return synsets[overlaps.index(max(overlaps))]


@lru_cache(maxsize=_CACHED_WORDS)
def _senses(wordnet: WordNet, word: str, pos: str | None, ties: Ties, satellites: bool) -> _Senses:
    if ties not in get_args(Ties):
        raise UnknownNameError("rule for ties", ties, get_args(Ties))
    found = wordnet.synsets(word, "a" if pos == "s" else pos)
    wanted = {"a", "s"} if pos == "a" and satellites else {pos}
    synsets = [synset for synset in dict.fromkeys(found) if pos is None or wordnet.pos_of(synset) in wanted]
    if ties == "name":
        synsets.sort(key=wordnet.name, reverse=True)
    columns: dict[str, int] = {}
    if len(synsets) > 1:  # else there is nothing to choose
        for place, synset in enumerate(synsets):
            for gloss_word in wordnet.gloss_words(synset):
                columns[gloss_word] = columns.get(gloss_word, 0) | 1 << 8 * place
    return _Senses(tuple(synsets), frozenset(columns), columns)
