"""The index of word pairs over a training corpus, counted once and then kept in a cache."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from crossexam.core.errors import CrossexamError
from crossexam.core.files import sha256_of
from crossexam.core.progress import Progress, silent
from crossexam.corpora.reading import iter_corpus, resolve
from crossexam.corpora.slices import sliced

if TYPE_CHECKING:
    from crossexam.language.word_pair_index import WordPairIndex


def cached_index(
    spec: str,
    *,
    cache_folder: Path | None = None,
    data_dir: Path | None = None,
    progress: Progress = silent,
) -> WordPairIndex:
    """Return the index of the corpus *spec*: ``CORPUS:SPLIT`` or a file, either with ``[start:stop:step]``.

    It is kept in the user's cache (or *cache_folder*) under the hash of the corpus's file, the part taken,
    and the versions of the tokenizer and of the index's files, so that a corpus that changed is counted anew.
    Raises CrossexamError where there is no such corpus.
    """
    from crossexam.language.word_pair_index import WordPairIndex

    whole, part = sliced(spec)
    (path,) = resolve(whole, data_dir=data_dir)
    identity = sha256_of(path)
    folder = (cache_folder or _cache_folder()) / _folder_name(identity, part)
    if not folder.exists():
        labelled = part != slice(None)  # parts are of the labelled examples
        stream = iter_corpus(whole, drop_no_gold=labelled, data_dir=data_dir)
        examples = islice(stream, part.start, part.stop, part.step)
        source = {"spec": spec, "sha256": identity}
        index = WordPairIndex.build(examples, source=source, progress=progress)
        with suppress(CrossexamError):  # another process was first: what it kept is the same
            index.save(folder)
    return WordPairIndex.load(folder)


def _folder_name(identity: str, part: slice) -> str:
    """Return what the index is kept as: what its counts depend on."""
    from crossexam.language.word_pair_counting import TOKENIZER
    from crossexam.language.word_pair_index import FORMAT

    key = "\x1f".join((identity, str(part), TOKENIZER, str(FORMAT)))
    return f"{identity[:16]}-{hashlib.blake2b(key.encode(), digest_size=6).hexdigest()}"


def _cache_folder() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("crossexam") / "word_pairs"
