"""The linguistic resources of constructions: POS tagger, parser, named-entity recognizer and counts.

Counts of adjectives before nouns, over a corpus of the user, are computed once and then cached.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crossexam.constructions.entry import Construction, changed_options
from crossexam.constructions.pair_indexes import cached_index
from crossexam.constructions.passages import Passages
from crossexam.core.example import SIDES, Example, Side
from crossexam.corpora.spec import CorpusSpec
from crossexam.language.entities import RECOGNIZERS, EntityRecognizer, resolve_recognizer
from crossexam.language.lexicons.counts import (
    FIRST_WORDS,
    CountTable,
    read_counts,
    shipped_adjectives,
)
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.noun_phrases import adjective_pairs
from crossexam.language.parsing.parsers import PARSERS, DependencyParser, resolve_parser
from crossexam.language.tagging.spacy_pipeline import name_and_pipeline
from crossexam.language.tagging.tagger import TAGGERS, Tagger, resolve_tagger
from crossexam.language.tokens import Parsed, Token

if TYPE_CHECKING:
    from crossexam.language.word_pair_index import WordPairIndex

#: The resources that users choose, and that may not be installed.
_CHOSEN: Final = frozenset({"tagger", "recognizer", "parser"})
#: Those of them that count the sentences they read, from which the names of automatic ones follow.
_COUNTING_SENTENCES: Final = frozenset({"tagger", "parser"})


@dataclass
class LanguageResources:
    """A POS tagger, a dependency parser, a named-entity recognizer and counts.

    Each is loaded when it is first used, so that a construction without POS tags loads no tagger.
    ``parser_spec`` is ``auto`` (the parses in the corpus, else the tagger's spaCy pipeline), ``parses`` or
    ``spacy:PIPELINE``.  ``passages`` are those of the base; :meth:`gather` collects them, if a construction
    uses them.
    """

    tagger_spec: str = "auto"
    recognizer_spec: str = "auto"
    parser_spec: str = "auto"
    passages: Passages = field(default=Passages(()), repr=False)
    _counts: dict[str | None, CountTable] = field(default_factory=dict, repr=False)
    _indexes: dict[str, WordPairIndex] = field(default_factory=dict, repr=False)
    _chunk: Sequence[Example] = field(default=(), repr=False)
    _prepared: bool = field(default=False, repr=False)
    _parser_prepared: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        """Raise CrossexamError for a wrong name, even of what is then never used."""
        name_and_pipeline("tagger", self.tagger_spec, TAGGERS)
        name_and_pipeline("entity recognizer", self.recognizer_spec, RECOGNIZERS)
        name_and_pipeline("parser", self.parser_spec, PARSERS)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the choices and the passages only: a copy in another process opens its own resources."""
        return type(self), (self.tagger_spec, self.recognizer_spec, self.parser_spec, self.passages)

    @cached_property
    def tagger(self) -> Tagger:
        """The part-of-speech tagger."""
        return resolve_tagger(self.tagger_spec)

    @cached_property
    def recognizer(self) -> EntityRecognizer:
        """The named-entity recognizer."""
        return resolve_recognizer(self.recognizer_spec)

    @cached_property
    def parser(self) -> DependencyParser:
        """The dependency parser."""
        return resolve_parser(self.parser_spec, self.tagger_spec)

    def counts(self, spec: str | None) -> CountTable:
        """Return the counts named by *spec*, a corpus or a file; None means those in the package."""
        if spec not in self._counts:
            # of the same tagger and parser, but without the examples that are announced here
            others = LanguageResources(self.tagger_spec, parser_spec=self.parser_spec)
            self._counts[spec] = counts_from(spec, others)
        return self._counts[spec]

    def pair_index(self, spec: str) -> WordPairIndex:
        """Return the index of the word pairs in the corpora named by *spec*."""
        if spec not in self._indexes:
            self._indexes[spec] = cached_index(spec)
        return self._indexes[spec]

    def load(self, names: Iterable[str]) -> None:
        """Load the tagger, recognizer and parser among *names*; raises MissingResourceError."""
        for name in names:
            if name in _CHOSEN:
                getattr(self, name)

    def gather(self, construction: Construction, examples: Callable[[], Iterable[Example]]) -> None:
        """Collect what *construction* uses of the whole base; *examples* returns a stream of it.

        Counts over other corpora are computed here, too, so that copies in other processes find them cached.
        """
        if "passages" in construction.uses:
            self.passages = Passages.of(examples())
        counted: Mapping[str, Callable[[str], Any]] = {
            "adjectives": self.counts,
            "attested_in": self.pair_index,
        }
        for option, count in counted.items():
            if spec := getattr(construction.options, option, None):
                count(spec)

    def prepare(self, chunk: Sequence[Example]) -> None:
        """Announce the next examples, so that taggers and parsers can work in batches."""
        self._chunk, self._prepared, self._parser_prepared = chunk, False, False

    def take_answered(self) -> dict[str, Counter[str]]:
        """Return how many sentences each source of the tagger and parser has read since the last call."""
        taken = {}
        for name in _COUNTING_SENTENCES & vars(self).keys():
            answered = getattr(self, name).answered
            taken[name] = Counter(answered)
            answered.clear()
        return taken

    def add_answered(self, answered: Mapping[str, Counter[str]]) -> None:
        """Count sentences that copies of the tagger and parser have read, which may be in other processes."""
        for name, counts in answered.items():
            getattr(self, name).answered.update(counts)

    def tokens(self, example: Example, side: Side) -> tuple[Token, ...]:
        """Return the tagged tokens of the sentence on *side*; an empty sentence has none."""
        if not example.text(side).strip():
            return ()
        if not self._prepared:
            self.tagger.prepare(self._chunk)
            self._prepared = True
        return self.tagger.tokens(example, side)

    def parsed(self, example: Example, side: Side) -> Parsed | None:
        """Return the dependency parse of the sentence on *side*, or None if it has not been parsed."""
        if not example.text(side).strip():
            return None
        if not self._parser_prepared:
            self.parser.prepare(self._chunk)
            self._parser_prepared = True
        return self.parser.parsed(example, side)


_CHUNK: Final = 1_000
_COUNTING: Final = "3"  # the version of the way in which pairs are counted and sentences tagged
#: The words of WordNet that are counted as adjectives and nouns.
_WORD: Final = re.compile(r"[a-z]{2,}(?:-[a-z]+)*")


def count_words(examples: Iterable[Example], source: str, resources: LanguageResources) -> CountTable:
    """Return the pairs in the distinct sentences of *examples*, counted in one pass."""
    counts = Counter(
        row
        for example, side in _sentences(examples, resources)
        for row in _adjectives(example, side, resources)
    )
    return CountTable(counts, source)


def _adjectives(example: Example, side: Side, resources: LanguageResources) -> Iterator[tuple[str, str]]:
    """Yield the nouns of a sentence, each with an adjective before it, but for words that WordNet lacks."""
    parsed = resources.parsed(example, side)
    tokens = parsed.tokens if parsed else resources.tokens(example, side)
    is_lemma = wordnet().is_lemma
    for adjective, noun in adjective_pairs(tokens, parsed):
        plain = _WORD.fullmatch(adjective) and _WORD.fullmatch(noun)
        if plain and is_lemma(adjective, "a") and is_lemma(noun, "n"):
            yield noun, adjective


def _sentences(examples: Iterable[Example], resources: LanguageResources) -> Iterator[tuple[Example, Side]]:
    """Yield the distinct sentences of *examples*, each announced to *resources* before it is yielded."""
    seen: set[int] = set()
    stream = iter(examples)
    while chunk := list(islice(stream, _CHUNK)):
        resources.prepare(chunk)
        for example in chunk:
            for side in SIDES:
                sentence = hash(example.text(side))
                if sentence not in seen:
                    seen.add(sentence)
                    yield example, side


def counts_from(spec: str | None, resources: LanguageResources, *, folder: Path | None = None) -> CountTable:
    """Return the counts named by *spec*: a corpus, a file of counts, or None for those shipped.

    A corpus is a :class:`CorpusSpec`, possibly a slice; its counts are kept in *folder*, by default the
    user's cache, under the hash of the corpus file.  Raises CrossexamError if the corpus cannot be found.
    """
    if spec is None:
        return shipped_adjectives()
    corpus = CorpusSpec.parse(spec)
    path = corpus.path()
    if _starts_with(path, FIRST_WORDS):
        return read_counts(path)
    identity = corpus.identity()
    annotation = (resources.tagger_spec, resources.parser_spec)
    kept = (folder or _cache()) / f"{_file_name(spec, identity, *annotation)}.tsv"
    if kept.is_file():
        return read_counts(kept)
    # slices are taken over the labelled examples
    examples = corpus.examples(drop_no_gold=corpus.is_slice)
    counts = count_words(examples, f"{spec}#{identity}", resources)
    counts.write(kept)
    return counts


def _starts_with(path: Path, text: str) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(text)) == text.encode()


def _file_name(spec: str, identity: str, *annotation: str) -> str:
    """Return the name of the cached file, a hash of all that the counts depend on."""
    import hashlib

    key = "\x1f".join((_COUNTING, spec, identity, *annotation))
    return f"{identity}-{hashlib.blake2b(key.encode(), digest_size=6).hexdigest()}"


def _cache() -> Path:
    from crossexam.core.places import cache_folder

    return cache_folder() / "adjectives"


def content_identity(spec: str | None) -> str | None:
    """Return *spec* with the hashes of its files, as recorded in the manifest."""
    if spec is None:
        return None
    return f"{spec}#{'+'.join(each.without_share().identity() for each in CorpusSpec.parse_union(spec))}"


def option_identity(options: Any) -> dict[str, Any]:
    """Return the fields of *options* (a dataclass or None) that differ from their defaults, for a manifest.

    Those that name a corpus or a file have its hash.
    """
    changed = changed_options(options)
    for each in fields(options) if changed else ():
        if each.name in changed and each.metadata.get("content"):
            changed[each.name] = content_identity(changed[each.name])
    return changed
