"""The indexes of word pairs in corpora, computed once and then cached."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from crossexam.core.errors import CrossexamError
from crossexam.core.progress import Progress, silent
from crossexam.corpora.spec import CorpusSpec

if TYPE_CHECKING:
    from crossexam.language.word_pair_index import WordPairIndex


def cached_index(
    spec: str,
    *,
    cache_folder: Path | None = None,
    progress: Progress = silent,
) -> WordPairIndex:
    """Return the word-pair index of *spec*: corpora or slices of them (:class:`CorpusSpec`), joined by ``+``.

    The index is cached in the user's cache folder (or *cache_folder*) under a hash of the corpus files, the
    slices, and the versions of the tokenizer and the index format, so that a changed corpus is counted again.
    Raises CrossexamError if a corpus cannot be found.
    """
    from crossexam.language.word_pair_index import WordPairIndex

    corpora = [corpus.without_share() for corpus in CorpusSpec.parse_union(spec)]
    hashes = [corpus.sha256() for corpus in corpora]
    folder = (cache_folder or _cache_folder()) / _folder_name(hashes, [corpus.part for corpus in corpora])
    if not folder.exists():
        # slices are taken over the labelled examples
        examples = chain.from_iterable(corpus.examples(drop_no_gold=corpus.is_slice) for corpus in corpora)
        source = {"spec": spec, "sha256": "+".join(hashes)}
        index = WordPairIndex.build(examples, source=source, progress=progress)
        with suppress(CrossexamError):  # another process has saved the same index already, or is about to
            index.save(folder)
        if not folder.exists():
            return index
    return WordPairIndex.load(folder)


def _folder_name(hashes: Sequence[str], parts: Sequence[slice]) -> str:
    """Return the name of the cached index, a hash of all that its counts depend on."""
    from crossexam.language.word_pair_index import FORMAT, TOKENIZER

    key = "\x1f".join((*hashes, *map(str, parts), TOKENIZER, str(FORMAT)))
    return f"{hashes[0][:16]}-{hashlib.blake2b(key.encode(), digest_size=6).hexdigest()}"


def _cache_folder() -> Path:
    from crossexam.core.places import cache_folder

    return cache_folder() / "word_pairs"
