"""Tables of (adjective, noun) counts from a corpus of one's own, counted once and then kept in a cache."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crossexam.core.example import SIDES, Example
from crossexam.core.files import sha256_of
from crossexam.corpora.reading import iter_corpus, resolve
from crossexam.corpora.slices import sliced
from crossexam.language.lexicons.adjectives import AdjectiveCounts, is_table
from crossexam.language.noun_phrases import adjective_pairs

if TYPE_CHECKING:
    from crossexam.constructions.resources import Resources

_CHUNK: Final = 1_000
_COUNTING: Final = "1"  # how pairs are counted; another number where that changes


def count_adjectives(examples: Iterable[Example], source: str, resources: Resources) -> AdjectiveCounts:
    """Return the table of the sentences of *examples*, each distinct sentence once, in one pass."""
    return AdjectiveCounts.counted(_pairs(examples, resources), source, resources.wordnet)


def _pairs(examples: Iterable[Example], resources: Resources) -> Iterator[tuple[str, str]]:
    seen: set[int] = set()
    stream = iter(examples)
    while chunk := list(islice(stream, _CHUNK)):
        resources.prepare(chunk)
        for example in chunk:
            for side in SIDES:
                sentence = hash(example.text(side))
                if sentence not in seen:
                    seen.add(sentence)
                    parsed = resources.parsed(example, side)
                    tokens = parsed.tokens if parsed else resources.tokens(example, side)
                    yield from adjective_pairs(tokens, parsed, resources.wordnet)


def adjectives_from(
    spec: str | None, resources: Resources, *, cache_folder: Path | None = None
) -> AdjectiveCounts:
    """Return the table that *spec* names: the shipped one (None), a table's file, or a corpus to count.

    A corpus is ``CORPUS:SPLIT`` or a file, either with ``[start:stop:step]``; its table is kept in the
    user's cache under the hash of the corpus's file.  Raises CrossexamError.
    """
    if spec is None:
        return AdjectiveCounts.shipped()
    whole, part = sliced(spec)
    (path,) = resolve(whole)
    if is_table(path):
        return AdjectiveCounts.read(path)
    identity = sha256_of(path)[:16]
    annotation = (resources.annotator_spec, resources.parser_spec)
    kept = (cache_folder or _cache_folder()) / f"{_file_name(spec, identity, *annotation)}.tsv"
    if kept.is_file():
        return AdjectiveCounts.read(kept)
    examples = islice(iter_corpus(whole, drop_no_gold=part != slice(None)), part.start, part.stop, part.step)
    table = count_adjectives(examples, f"{spec}#{identity}", resources)
    table.write(kept)
    return table


def _file_name(spec: str, identity: str, *annotation: str) -> str:
    """Return the name of the cached table: what its counts depend on."""
    import hashlib

    key = "\x1f".join((_COUNTING, spec, identity, *annotation))
    return f"{identity}-{hashlib.blake2b(key.encode(), digest_size=6).hexdigest()}"


def _cache_folder() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("crossexam") / "adjectives"


def adjectives_identity(spec: str | None) -> str | None:
    """Return *spec* with the hash of its file, for the record of what was built."""
    return None if spec is None else f"{spec}#{sha256_of(resolve(sliced(spec)[0])[0])[:16]}"
