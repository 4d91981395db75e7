"""Vocabularies of words, characters and tags, their files, and the initial word vectors of a model.

In each vocabulary, index 0 is padding and 1 is unknown.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from crossexam.core.dataset import content_hash
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import SIDES, Example
from crossexam.core.files import finished_or_absent, read_json, write_json
from crossexam.core.progress import Progress, silent
from crossexam.core.test_sets import read_suite
from crossexam.corpora.development import is_suite
from crossexam.corpora.reading import Reading
from crossexam.corpora.spec import CorpusSpec, reading_among, user_path
from crossexam.language.word_vectors import Vectors, read_vectors
from crossexam.training.tokenization import words_of

if TYPE_CHECKING:
    import torch
    from torch import nn

    from crossexam.zoo.architecture import Recipe

PADDING: Final = 0
UNKNOWN: Final = 1
_SPECIAL: Final = ("[PAD]", "[UNK]")

WORDS_FILE: Final = "vocabulary.json"
CHARACTERS_FILE: Final = "characters.json"
TAGS_FILE: Final = "tags.json"

#: The tags of the Penn Treebank: 36 for words, 9 for punctuation and symbols.  With padding and unknown there
#: are 47, the width of DIIN's one-hot tags.
# fmt: off
PENN_TAGS: Final = (
    "CC", "CD", "DT", "EX", "FW", "IN", "JJ", "JJR", "JJS", "LS", "MD", "NN", "NNS", "NNP", "NNPS", "PDT",
    "POS", "PRP", "PRP$", "RB", "RBR", "RBS", "RP", "SYM", "TO", "UH", "VB", "VBD", "VBG", "VBN", "VBP",
    "VBZ", "WDT", "WP", "WP$", "WRB", "#", "$", ".", ",", ":", "-LRB-", "-RRB-", "``", "''",
)
# fmt: on
#: Other spellings of these tags by taggers.
_TAG_SPELLINGS: Final = {"(": "-LRB-", ")": "-RRB-", "--": ":", '"': "''", "“": "``", "”": "''"}


@dataclass(frozen=True)
class Vocabulary:
    """Indices of words, characters and tags.

    >>> vocabulary = Vocabulary.of_words(["a", "dog", "a"], lower_case=True)
    >>> [vocabulary.word(text) for text in ("A", "dog", "cat")]
    [2, 3, 1]
    """

    words: Mapping[str, int]
    characters: Mapping[str, int]
    tags: Mapping[str, int]
    lower_case: bool = False

    @classmethod
    def of_words(
        cls, words: Iterable[str], *, lower_case: bool = False, characters: Iterable[str] = ()
    ) -> Vocabulary:
        """Return the vocabulary of *words* and *characters*, the most frequent first, then by text."""
        folded = (word.lower() for word in words) if lower_case else words
        return cls(
            _numbered(_by_count(folded)), _numbered(_by_count(characters)), _numbered(PENN_TAGS), lower_case
        )

    def word(self, text: str) -> int:
        """Return the index of the word *text*."""
        return self.words.get(text.lower() if self.lower_case else text, UNKNOWN)

    def spelling(self, text: str) -> list[int]:
        """Return the indices of the characters of *text*, case-sensitive."""
        return [self.characters.get(character, UNKNOWN) for character in text]

    def tag(self, name: str) -> int:
        """Return the index of the Penn tag *name*, in the spelling of any tagger."""
        return self.tags.get(_TAG_SPELLINGS.get(name, name), UNKNOWN)

    def only(self, keep: Collection[str]) -> Vocabulary:
        """Return the vocabulary restricted to the words in *keep*, in the same order."""
        words = _numbered([word for word in self.words if word in keep])
        return Vocabulary(words, self.characters, self.tags, self.lower_case)

    def extended(self, words: Iterable[str]) -> Vocabulary:
        """Return the vocabulary with *words* after its own, by text."""
        folded = {word.lower() for word in words} if self.lower_case else set(words)
        return replace(self, words=_numbered([*self.words, *sorted(folded - set(self.words))]))

    def save(self, folder: Path) -> None:
        """Write the three vocabularies into *folder*."""
        from tokenizers import Tokenizer
        from tokenizers.models import WordLevel
        from tokenizers.normalizers import Lowercase
        from tokenizers.pre_tokenizers import WhitespaceSplit

        tokenizer = Tokenizer(WordLevel(dict(self.words), unk_token=_SPECIAL[UNKNOWN]))
        tokenizer.pre_tokenizer = WhitespaceSplit()
        if self.lower_case:
            tokenizer.normalizer = Lowercase()
        tokenizer.enable_padding(pad_id=PADDING, pad_token=_SPECIAL[PADDING])
        with finished_or_absent(folder / WORDS_FILE) as temporary:
            tokenizer.save(str(temporary))
        write_json(folder / CHARACTERS_FILE, {"characters": list(self.characters)})
        write_json(folder / TAGS_FILE, {"tags": list(self.tags)})

    @classmethod
    def load(cls, folder: Path) -> Vocabulary:
        """Return the vocabulary that :meth:`save` wrote into *folder*; raises FormatError."""
        path = folder / WORDS_FILE
        described = read_json(path)
        try:
            words: Mapping[str, int] = described["model"]["vocab"]
            lower_case = (described.get("normalizer") or {}).get("type") == "Lowercase"
        except (KeyError, TypeError, AttributeError):
            words, lower_case = {}, False
        if [words.get(text) for text in _SPECIAL] != [PADDING, UNKNOWN]:
            raise FormatError(
                "not a word-level vocabulary", where=str(path), wanted="a file written by training"
            )
        by_number = dict(sorted(words.items(), key=lambda item: item[1]))
        characters = _listed(folder / CHARACTERS_FILE, "characters")
        return cls(by_number, characters, _listed(folder / TAGS_FILE, "tags"), lower_case)


def _by_count(texts: Iterable[str]) -> list[str]:
    counts = Counter(texts)
    return sorted(counts, key=lambda text: (-counts[text], text))


def _numbered(texts: Sequence[str]) -> dict[str, int]:
    return {text: number for number, text in enumerate((*_SPECIAL, *(t for t in texts if t not in _SPECIAL)))}


def _listed(path: Path, field: str) -> dict[str, int]:
    found = read_json(path).get(field)
    if (
        not isinstance(found, list)
        or found[:2] != list(_SPECIAL)
        or len(set(map(json.dumps, found))) != len(found)
    ):
        raise FormatError(
            f"field '{field}' is not a vocabulary", where=str(path), wanted="a file written by training"
        )
    return {str(text): number for number, text in enumerate(found)}


#: A word without a pretrained vector gets its own vector only if it occurs at least so often in the training
#: data; on rarer words the vector of unknown words is trained.  The papers give every training word its own,
#: so that an unknown word in a test set is assigned a vector that was never trained.
LEAST_COUNT: Final = 2
#: Least standard deviation of the initial word vectors if no file of vectors is given.
NO_VECTORS_DEVIATION: Final = 0.1


@dataclass(frozen=True)
class WordSource:
    """A corpus whose words a model knows besides those of its training data: texts without labels."""

    spec: str
    examples: tuple[Example, ...]

    def describe(self) -> dict[str, Any]:
        """Return what a manifest says of the corpus."""
        return {
            "spec": self.spec,
            "rows": len(self.examples),
            "content_hash": content_hash(self.examples),
        }


def load_word_sources(names: Sequence[str], reading: Reading = Reading()) -> tuple[WordSource, ...]:
    """Return the texts of the corpora or suites (by their folders) called *names*, without their labels.

    Raises CrossexamError.
    """
    specs = [CorpusSpec.parse(name) for name in names if not is_suite(name)]
    reading = reading_among(specs, reading)
    corpora = {spec.text: spec.examples(reading, drop_no_gold=False) for spec in specs}
    return tuple(
        WordSource(name, tuple(replace(example, label=None) for example in examples))
        for name in names
        for examples in [corpora[name] if name in corpora else _texts_of_suite(name)]
    )


def _texts_of_suite(name: str) -> Iterator[Example]:
    return chain.from_iterable(read_suite(user_path(name)))


class KnownWords(NamedTuple):
    """A *vocabulary* and its word *vectors*, if any; *borrowed* words are from other corpora alone."""

    vocabulary: Vocabulary
    vectors: Vectors | None
    borrowed: int = 0


def make_vocabulary(
    examples: Sequence[Example],
    *,
    lower_case: bool,
    characters: bool,
    others: Sequence[Example] = (),
    vectors: Path | None = None,
    progress: Progress = silent,
) -> KnownWords:
    """Return the vocabulary of the training *examples*, and its word vectors from the file, if any.

    Words that occur in the *others* alone are in it if they have a vector (Zhang et al. 2020, section 3.3).
    """
    counts = _word_counts(examples)
    spelt = Counter(character for word in counts for character in word) if characters else Counter()
    whole = Vocabulary.of_words(counts.elements(), lower_case=lower_case, characters=spelt.elements())
    own = len(whole.words)
    whole = whole.extended(_word_counts(others)) if others else whole
    found = read_vectors(vectors, list(whole.words)[2:], progress=progress) if vectors is not None else None
    folded: Counter[str] = Counter()
    for word, count in counts.items():
        folded[word.lower() if lower_case else word] += count
    kept = {word for word, count in folded.items() if count >= LEAST_COUNT}
    vectors_of = found.rows if found else {}
    borrowed = sum(word in vectors_of for word in list(whole.words)[own:])
    return KnownWords(whole.only(kept | set(vectors_of)), found, borrowed)


def _word_counts(examples: Iterable[Example]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for example in examples:
        for side in SIDES:
            counts.update(token.text for token in words_of(example, side))
    return counts


def fill_words(
    table: nn.Embedding,
    vocabulary: Vocabulary,
    vectors: Vectors | None,
    recipe: Recipe,
    generator: torch.Generator,
) -> None:
    """Fill *table* with *vectors*; other rows are drawn from N(0, d squared), d the recipe's deviation.

    With ``normalised_vectors`` each row has length 1.  Without *vectors* all rows are drawn, and trained even
    if the recipe keeps pretrained ones fixed.
    """
    import torch

    deviation = recipe.unknown_deviation
    if vectors is None:
        deviation = max(deviation, NO_VECTORS_DEVIATION)
    weight = torch.randn(table.weight.shape, generator=generator) * deviation
    if vectors is not None:
        for word, row in vectors.rows.items():
            weight[vocabulary.words[word]] = torch.from_numpy(row)
    if recipe.normalised_vectors:
        weight = torch.nn.functional.normalize(weight, dim=-1)
    weight[0] = 0.0
    with torch.no_grad():
        table.weight.copy_(weight)
    table.weight.requires_grad_(vectors is None or recipe.vectors == "tuned")


def check_width(vectors: Vectors, width: int, name: str, config: Any) -> None:
    """Raise CrossexamError if *vectors* do not have the *width* that the model expects."""
    if vectors.width == width:
        return
    fields = [field for field, value in vars(config).items() if value == width and isinstance(value, int)]
    likely = [f for f in fields if "word" in f or "embedding" in f or f == "width"] or fields
    raise CrossexamError(
        f"the vectors have {vectors.width} dimensions, but {name} expects {width}",
        where=str(vectors.path),
        wanted=f"vectors of {width} dimensions",
        hint=f"--set {likely[0]}={vectors.width}" if likely else None,
    )
