"""Word senses: the simplified Lesk algorithm (Lesk, 1986, SIGDOC), fixed expressions and names.

The sense of a word is the synset whose definition shares most words with the sentence.  A word that is
part of a fixed expression or of a name has no sense of its own.  How usual a sense is, is counted in the
sense-tagged texts of WordNet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, get_args

from crossexam.core.errors import UnknownNameError
from crossexam.language.lexicons.wordnet import WordNet, wordnet
from crossexam.language.remembered import WORDS, remembered
from crossexam.language.tokens import Span, Token

Ties = Literal["name", "frequency"]
_RELATING: Final = ("of or relating to", "relating to", "of or pertaining to", "pertaining to")
_ENOUGH: Final = 10  # attested uses of a word, to tell its usual sense


def lesk(
    lexicon: WordNet,
    context: Iterable[str],
    word: str,
    pos: str | None = None,
    *,
    ties: Ties = "name",
    satellites: bool = False,
) -> int | None:
    """Return the synset of *word*, in any case and inflected or not, in the sentence *context*.

    *context*: the tokens of the sentence, which are compared with those of the definitions and should
    therefore be in lower case; pass a set if you disambiguate several words of a sentence.  *pos*: n, v,
    a, s or r, or None for all; ``a`` excludes satellites, as in NLTK, unless *satellites* is true.
    Return None if the word has no such synset.

    *ties* decides between definitions that overlap equally, often not at all: ``name`` takes the
    greatest by name (``white.n.11`` before ``white.n.02``), as NLTK did up to version 3.9 and therefore
    in the stress tests of Naik et al. (2018); ``frequency`` takes the first that WordNet lists, as NLTK
    does since 3.10.

    >>> bank = lesk(wordnet(), "I went to the bank to deposit money .".split(), "bank", "n")
    >>> bank and wordnet().name(bank)
    'savings_bank.n.02'
    """
    synsets, words, columns = _senses(lexicon, word.lower(), pos, ties, satellites)
    if not words:
        return synsets[0] if synsets else None
    if not isinstance(context, set | frozenset):
        context = frozenset(context)
    total = sum(map(columns.__getitem__, words & context))
    overlaps = total.to_bytes(len(synsets), "little")
    return synsets[overlaps.index(max(overlaps))]


def in_fixed_expression(words: Sequence[str], position: int) -> bool:
    """Return whether the word and its neighbours are one expression in WordNet: "hot dog", "local call".

    Expressions headed by a person do not count: "young man" is compositional, although WordNet lists it.
    """
    around = _around(position, len(words))
    return any(_is_expression(tuple(words[start:end])) for start, end in around)


def is_in_name(tokens: Sequence[Token], position: int) -> bool:
    """Return whether the word is part of a name: "Old Navy", "the Black Sea", "South African".

    That is, if it is capitalised, not in capitals throughout, and not the first word of a sentence.
    """
    word = tokens[position].text
    if position == 0 or not word[0].isupper() or word.isupper():
        return False
    before = tokens[position - 1].text
    return before not in {".", "!", "?", ":", '"', "``", "“", "‘", "("}


@remembered(WORDS)
def _around(position: int, length: int) -> tuple[Span, ...]:
    """Return the spans of two and three of *length* words that have the one at *position*."""
    starts = range(max(0, position - 2), position + 1)
    spans = ((start, start + several) for start in starts for several in (2, 3))
    return tuple((start, end) for start, end in spans if position < end <= length)


@remembered(WORDS)
def _is_expression(words: tuple[str, ...]) -> bool:
    last = words[-1]
    if last.endswith("s"):
        last = wordnet().base_form(last, "n")
    is_listed = not wordnet().expressions.isdisjoint(_spellings((*words[:-1], last)))
    return is_listed and not _is_person(last)


def _spellings(words: tuple[str, ...]) -> tuple[str, str]:
    """Return the two ways WordNet may spell *words* as one lemma: hot_dog and left-hand."""
    with_hyphen = "-".join(words) if len(words) == 2 else f"{words[0]}-{words[1]}_{words[2]}"
    return "_".join(words), with_hyphen


@remembered(WORDS)
def _is_person(noun: str) -> bool:
    """Return whether the first sense of *noun* is a kind of person."""
    above = wordnet().closure(*wordnet().synsets(noun, "n")[:1])
    return any(wordnet().name(synset) == "person.n.01" for synset in above)


class _Senses(NamedTuple):
    """The senses of a word, the preferred one first, and which of their definitions contain which word.

    *columns* maps a definition word to a number with one byte per sense, 1 or 0: the sum over the words of
    the sentence counts the overlap of every sense at once.  The longest definition has 62 words, so that
    no byte overflows.
    """

    synsets: tuple[int, ...]
    words: frozenset[str]
    columns: Mapping[str, int]


@remembered(WORDS)
def _senses(lexicon: WordNet, word: str, pos: str | None, ties: Ties, satellites: bool) -> _Senses:
    if ties not in get_args(Ties):
        raise UnknownNameError("rule for ties", ties, get_args(Ties))
    found = lexicon.synsets(word, "a" if pos == "s" else pos)
    wanted = {"a", "s"} if pos == "a" and satellites else {pos}
    synsets = [synset for synset in dict.fromkeys(found) if pos is None or lexicon.pos_of(synset) in wanted]
    if ties == "name":
        synsets.sort(key=lexicon.name, reverse=True)
    columns: dict[str, int] = {}
    if len(synsets) > 1:  # else there is nothing to choose
        for place, synset in enumerate(synsets):
            for gloss_word in lexicon.gloss_words(synset):
                columns[gloss_word] = columns.get(gloss_word, 0) | 1 << 8 * place
    return _Senses(tuple(synsets), frozenset(columns), columns)


@remembered(WORDS)
def is_unattested_sense(sense: int, word: str, pos: str) -> bool:
    """Return whether *word* occurs in WordNet's sense-tagged texts, but never in *sense*."""
    return _count(sense, word, pos) == 0 < attested(word, pos)


@remembered(WORDS)
def is_usual_antonym(word: str, antonym: str, pos: str) -> bool:
    """Return whether *antonym* is opposed to the sense of *word* that WordNet lists first, the usual one.

    >>> [is_usual_antonym(*pair, "a") for pair in (("short", "long"), ("hard", "soft"))]
    [True, False]
    """
    usual = next((sense for sense in wordnet().synsets(word, pos) if wordnet().pos_of(sense) == pos), None)
    return usual is not None and antonym in {name.lower() for _, name in wordnet().antonyms(usual, word)}


@remembered(WORDS)
def attested(word: str, pos: str) -> int:
    """Return the frequency of *word* in WordNet's sense-tagged texts; 0 for "unangry" and "grassless"."""
    return sum(_count(synset, word, pos) for synset in wordnet().synsets(word, pos))


@remembered(WORDS)
def is_rarely_opposed(word: str, antonym: str, pos: str) -> bool:
    """Return whether the senses of *word* with *antonym* are fewer than a third of its attested uses.

    The usual sense of a word is a better guess than Lesk's if it is much commoner (McCarthy et al., 2004,
    P04-1036): most of what is fine is not opposed to what is coarse.  Words with few uses are not judged.

    >>> [is_rarely_opposed(*pair, "a") for pair in (("fine", "coarse"), ("hot", "cold"))]
    [True, False]
    """
    opposed = [
        _count(sense, word, pos)
        for sense in wordnet().synsets(word, pos)
        if antonym in {lemma.lower() for _, lemma in wordnet().antonyms(sense, word)}
    ]
    total = attested(word, pos)
    return bool(opposed) and total >= _ENOUGH and sum(opposed) * 3 < total


@remembered(WORDS)
def is_often_relational(adjective: str) -> bool:
    """Return whether over a quarter of the uses of *adjective* only relate a noun to another: legal advice.

    >>> [is_often_relational(adjective) for adjective in ("legal", "hot")]
    [True, False]
    """
    senses = wordnet().synsets(adjective, "a")
    relational = (sense for sense in senses if wordnet().definition(sense).startswith(_RELATING))
    uses = sum(_count(sense, adjective, "a") for sense in relational)
    return uses * 4 > attested(adjective, "a")


def _count(synset: int, word: str, pos: str) -> int:
    forms = {word, *wordnet().lemmas_of(word, pos)}
    return sum(
        wordnet().tag_count(synset, form) for form in wordnet().lemmas(synset) if form.lower() in forms
    )
