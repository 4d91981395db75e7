"""How a corpus is named, and its examples: one grammar for every option and function that takes a corpus.

==================  ====================================================================================
``snli:dev``        a split in the data folder
``my/pairs.jsonl``  a file
``joci@my/b.csv``   a file in the format of a corpus
``snli:dev[::2]``   a slice, by position among the labelled examples: every second one
``snli:train@0.15`` a share, drawn anew for each epoch; for training only
``A+B``             a union of corpora; for training, as a base, and as an index
==================  ====================================================================================

A slice comes before a share.  A text that is the path of an existing file always means that file, whatever
characters the path contains.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Final

from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import Example
from crossexam.core.files import sha256_of
from crossexam.core.labels import Projection
from crossexam.core.manifest import kind_and_use
from crossexam.core.places import copy_path, home_expanded, is_url
from crossexam.core.test_sets import suite_folder
from crossexam.core.transfers import fetch_file
from crossexam.corpora.catalog import catalog, known_name
from crossexam.corpora.installed import CorpusFile, data_folder, find_split
from crossexam.corpora.reading import (
    Reading,
    ReadingReport,
    corpus_manifest,
    declared_projection,
    read_examples,
)

#: So many files beside one that is missing are looked through for a name like its own.
_MOST_BESIDE: Final = 1_000
_SPLIT: Final = re.compile(r"([A-Za-z][\w-]+):([\w-]*)")  # at least two letters: C:x is a path
_WITH_READER: Final = re.compile(r"([A-Za-z][\w-]+)@(.+)")
_SLICE: Final = re.compile(r"(.+)\[(\d*):(\d*)(?::(\d*))?\]")
_UNCLOSED: Final = re.compile(r".+\[[-\d:]*")
_SHARE: Final = re.compile(r"(.+)@(\d*\.\d+)")
_WHOLE: Final = slice(None)
# fmt: off
_SPLIT_ALIASES: Final[dict[str, str]] = {
    "validation": "dev", "valid": "dev", "val": "dev", "development": "dev",
    "matched": "dev_matched", "validation_matched": "dev_matched",
    "mismatched": "dev_mismatched", "validation_mismatched": "dev_mismatched",
    "trial": "dev", "evaluation": "test", "pmonli": "positive", "nmonli": "negative", "mnli": "mnli_m",
}
# fmt: on


@dataclass(frozen=True)
class CorpusSpec:
    """A corpus by name or path: :meth:`parse` reads one, :meth:`parse_union` reads ``A+B``.

    *text* is the spec as given, *name* the same without slice and share.  *corpus* and *split* are as written
    in it, and *file* is the path if it has one.  *part* is the slice of the examples; *share* is the
    proportion of them that each training epoch draws, None for all.

    >>> spec = CorpusSpec.parse("builtin:demo[1::2]")
    >>> spec.corpus, spec.split, spec.part
    ('builtin', 'demo', slice(1, None, 2))
    >>> len(list(spec.examples()))
    162
    """

    text: str
    name: str
    corpus: str | None = None
    split: str | None = None
    file: Path | None = None
    part: slice = field(default_factory=lambda: _WHOLE, hash=False)
    share: float | None = None

    @classmethod
    def parse(cls, text: str | Path) -> CorpusSpec:
        """Return the one corpus that *text* names; raises CrossexamError if it is a union or has a share.

        Whether the corpus exists is checked when it is read.
        """
        text = str(text)
        pieces = _pieces(text)
        if len(pieces) > 1 and any(_names_a_corpus(piece) for piece in pieces):
            raise CrossexamError(
                "a union of corpora cannot be used here",
                where=text,
                wanted="one corpus",
                hint="a union can be trained on, or be a base: --train A+B, --base A+B",
            )
        return cls._parse(text).without_share()

    @classmethod
    def parse_union(cls, text: str | Path) -> tuple[CorpusSpec, ...]:
        """Return the corpora that *text* joins by ``+``; each may have a share.

        >>> [(spec.name, spec.share) for spec in CorpusSpec.parse_union("multinli:train+snli:train@0.15")]
        [('multinli:train', None), ('snli:train', 0.15)]
        """
        pieces = _pieces(str(text))
        if len(pieces) > 1 and not all(pieces):
            raise CrossexamError("a corpus is missing before or after '+'", where=str(text), wanted="A+B")
        return tuple(cls._parse(piece) for piece in pieces)

    @classmethod
    def _parse(cls, text: str) -> CorpusSpec:
        if not text:
            raise CrossexamError("the name of the corpus is empty", wanted="CORPUS:SPLIT or a file")
        name, sliced, shared = _parts(text)
        part = _slice_in(sliced) if sliced else _WHOLE
        share = _share_in(shared) if shared else None
        if not _exists(name):
            _refuse_remains(text, name)
        path = user_path(name)
        if path.is_file():
            return cls(text, name, file=path, part=part, share=share)
        if with_reader := _WITH_READER.fullmatch(name):
            return cls(text, name, with_reader[1], None, user_path(with_reader[2]), part, share)
        if named := _SPLIT.fullmatch(name):
            return cls(text, name, named[1], named[2] or None, None, part, share)
        if known_name(name.lower()) in catalog() and not path.exists():
            return cls(text, name, name, part=part, share=share)
        return cls(text, name, file=path, part=part, share=share)

    def without_share(self) -> CorpusSpec:
        """Return this spec; raises CrossexamError if it has a share."""
        if self.share is None:
            return self
        raise CrossexamError(
            "no epochs to draw a share for",
            where=self.text,
            hint="use a slice instead: CORPUS:SPLIT[::10]",
        )

    @property
    def is_slice(self) -> bool:
        """Whether only a slice of the corpus is meant."""
        return self.part != _WHOLE

    def locate(self) -> CorpusFile:
        """Return the file of the corpus; splits are looked for in the data folder.

        Raises UnknownNameError for an unknown corpus or split, CrossexamError if the file is missing.
        """
        if self.corpus is None:
            return self._located(self._existing(), None)
        corpus = known_corpus(self.corpus)
        if self.file is not None:
            return self._located(self._existing(), corpus)
        split = _known_split(corpus, self.split, self.name)
        folder = data_folder()
        path = find_split(corpus, split, folder)
        if path is None:
            raise _not_installed(corpus, split, folder)
        return CorpusFile(self.text, f"{corpus}:{split}{self._suffix}", split, path, corpus)

    def path(self) -> Path:
        """Return the path of the corpus's file; raises as :meth:`locate` does."""
        return self.locate().path

    def installed(self) -> bool:
        """Return whether the corpus's file exists; raises UnknownNameError for an unknown corpus or split."""
        if self.corpus is None:
            return self.file is not None and self.file.is_file()
        corpus = known_corpus(self.corpus)
        if self.file is not None:
            return self.file.is_file()
        split = _known_split(corpus, self.split, self.name)
        return find_split(corpus, split, data_folder()) is not None

    def declared_projection(self) -> Projection:
        """Return the projection that the corpus's reader or its suite declares; raises as :meth:`locate`."""
        return declared_projection(self.locate())

    def sha256(self) -> str:
        """Return the SHA-256 of the corpus's file; raises as :meth:`locate` does."""
        return sha256_of(self.path())

    def identity(self) -> str:
        """Return what identifies the content of the corpus's file in manifests: 16 digits of its SHA-256."""
        return self.sha256()[:16]

    def examples(
        self,
        reading: Reading = Reading(),
        *,
        drop_no_gold: bool = True,
        labelled_only: bool = False,
        report: ReadingReport | None = None,
    ) -> Iterator[Example]:
        """Return the examples of the corpus, or of its slice, read one at a time.

        They are read as :func:`crossexam.corpora.reading.read_examples` does.  *labelled_only* also leaves
        out examples that cannot have a label: single texts, and pairs in a file without labels.  A slice
        is by position among the examples that would otherwise be returned; *report* counts all that were
        read.  A share is ignored here: the training draws it from these examples.

        Raises CrossexamError at once if the corpus cannot be found, FormatError at the first malformed
        record.
        """
        file = self.locate()
        stream = read_examples(file, reading, drop_no_gold=drop_no_gold, report=report)
        if labelled_only:
            stream = (example for example in stream if example.label is not None)
        return islice(stream, self.part.start, self.part.stop, self.part.step)

    @property
    def _suffix(self) -> str:
        return self.text[len(self.name) :]

    def _existing(self) -> Path:
        assert self.file is not None
        path = fetch_file(self.file)
        if path.is_file():
            return path
        if self.corpus is not None:
            corpus = known_corpus(self.corpus)
            raise CrossexamError("no such file", where=str(path), wanted=f"a file in {corpus}'s own format")
        if path.is_dir():
            raise _of_folder(path)
        raise CrossexamError(
            "not a regular file" if path.exists() else "no such file",
            where=str(path),
            wanted="a file, or CORPUS:SPLIT",
            hint=f"{_meant(path)}crossexam ls corpora lists the corpora and their splits",
        )

    def _located(self, path: Path, corpus: str | None) -> CorpusFile:
        name = path.stem if corpus is None else f"{corpus}:{path.stem}"
        return CorpusFile(self.text, f"{name}{self._suffix}", path.stem, path, corpus)


def _of_folder(path: Path) -> CrossexamError:
    """Return the error that the folder *path* is no corpus, which says what it is instead."""
    found = kind_and_use(suite_folder(path))
    if found is not None:
        kind, use = found
        what = f"is the folder of a {kind}"
        return CrossexamError(what, where=str(path), wanted="a file, or CORPUS:SPLIT", hint=use)
    names = sorted(child.name for child in path.iterdir() if child.is_file())[:6]
    hint = f"its files are: {', '.join(names)}" if names else None
    return CrossexamError("is a folder", where=str(path), wanted="a file", hint=hint)


def _meant(path: Path) -> str:
    """Return the corpora and files whose names are like that of *path*, as the beginning of a hint."""
    beside = islice(path.parent.iterdir(), _MOST_BESIDE) if path.parent.is_dir() else ()
    others = {each.stem: each.name for each in beside if each.name != path.name}
    names = {**{name: name for name in catalog()}, **others}
    near = [names[name] for name in get_close_matches(path.stem, names, n=3, cutoff=0.75)]
    return f"did you mean {' or '.join(map(repr, near))}? " if near else ""


def reading_among(specs: Iterable[str | CorpusSpec], reading: Reading) -> Reading:
    """Return how *specs* are read together.

    If there are files as well as named corpora, the columns and labels are for the files: what the fields
    and labels of a named corpus mean is known.  Folders, which are suites, do not count.

    >>> reading_among(["snli:dev", "claims.csv"], Reading(labels={"yes": "entailment"})).files_only
    True
    """
    parsed = [spec if isinstance(spec, CorpusSpec) else CorpusSpec.parse(spec) for spec in specs]
    kinds = {spec.corpus is None for spec in parsed if spec.file is None or not spec.file.is_dir()}
    return replace(reading, files_only=reading.files_only or len(kinds) == 2)


def iter_corpus(
    spec: str | Path,
    reading: Reading = Reading(),
    *,
    drop_no_gold: bool = True,
    report: ReadingReport | None = None,
) -> Iterator[Example]:
    """Return the examples of the corpus *spec*, read one at a time; see :meth:`CorpusSpec.examples`."""
    parsed = CorpusSpec.parse(spec)
    return parsed.examples(reading, drop_no_gold=drop_no_gold, report=report)


def read_corpus(
    spec: str | Path,
    reading: Reading = Reading(),
    *,
    drop_no_gold: bool = True,
) -> Dataset:
    """Return the corpus *spec* as a Dataset with its manifest; see :meth:`CorpusSpec.examples`.

    Raises CrossexamError if a slice leaves no examples.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "two.txt"
    >>> _ = path.write_text("Tom has 3 pens.\\nAnn has 2.\\n")
    >>> dataset = read_corpus(path)
    >>> dataset.examples[1].premise, dataset.manifest["counts"]["read"]
    ('Ann has 2.', 2)
    """
    report, parsed = ReadingReport(), CorpusSpec.parse(spec)
    file = parsed.locate()
    stream = parsed.examples(reading, drop_no_gold=drop_no_gold, report=report)
    examples = tuple(stream)
    if not examples:
        raise CrossexamError(
            f"the slice is empty ({report.examples:,} examples were read)", where=parsed.text
        )
    return Dataset(file.name, examples, corpus_manifest(file, report))


def user_path(text: str) -> Path:
    """Return *text* as a path: that of the copy of a URL, with the home folder for ``~`` if there is such."""
    if is_url(text):
        return copy_path(text)
    return home_expanded(text)


def _exists(text: str) -> bool:
    """Return whether *text*, as it is, is a path or ``NAME@PATH`` of something that exists."""
    with_reader = _WITH_READER.fullmatch(text)
    return user_path(text).exists() or (with_reader is not None and user_path(with_reader[2]).is_file())


def _parts(text: str) -> tuple[str, re.Match[str] | None, re.Match[str] | None]:
    """Return the name in *text*, its slice and its share; what exists is a name as it is."""
    shared = None if _exists(text) else _SHARE.fullmatch(text)
    name = shared[1] if shared else text
    sliced = None if _exists(name) else _SLICE.fullmatch(name)
    return sliced[1] if sliced else name, sliced, shared


def _share_in(match: re.Match[str]) -> float:
    share = float(match[2])
    if not 0 < share < 1:
        raise CrossexamError(
            f"the share is {match[2]}",
            where=match[0],
            wanted="more than 0 and less than 1, as in snli:train@0.15",
        )
    return share


def _slice_in(match: re.Match[str]) -> slice:
    start, stop, step = (int(number) if number else None for number in match.groups()[1:])
    if step == 0:
        raise CrossexamError("the step of the slice is 0", where=match[0], wanted="1 or more, as in [::2]")
    return slice(start, stop, step)


def _refuse_remains(text: str, name: str) -> None:
    """Refuse what is left in *name*, *text* without its slice and share: another, or a malformed slice."""
    wanted = "[start:stop] or [start:stop:step], numbers from 0, as in snli:dev[:1000]"
    if _SLICE.fullmatch(name):
        raise CrossexamError("there are two slices", where=text, wanted="one, as in snli:train[:1000]")
    if _SHARE.fullmatch(name):
        raise CrossexamError(
            "the share must come last, and only once", where=text, wanted="snli:train[::2]@0.15"
        )
    if _UNCLOSED.fullmatch(name):
        raise CrossexamError("the closing bracket ']' of the slice is missing", where=name, wanted=f"{name}]")
    if name.endswith("]") and "[" in name:
        raise CrossexamError(f"'{name[name.rindex('[') :]}' is not a slice", where=name, wanted=wanted)
    if name.endswith("]"):
        raise CrossexamError("the opening bracket '[' of the slice is missing", where=name, wanted=wanted)


def _pieces(text: str) -> list[str]:
    """Return what ``+`` separates in *text*; a ``+`` in the path of an existing file does not separate.

    >>> _pieces("snli:train+multinli:train@0.15")
    ['snli:train', 'multinli:train@0.15']
    """
    rest, pieces = text.split("+"), []
    while rest:
        lengths = range(len(rest), 1, -1)
        taken = next((n for n in lengths if _exists(_parts("+".join(rest[:n]))[0])), 1)
        pieces.append("+".join(rest[:taken]))
        rest = rest[taken:]
    return pieces


def _names_a_corpus(text: str) -> bool:
    name, _, _ = _parts(text)
    with_reader = _WITH_READER.fullmatch(name)
    return _SPLIT.fullmatch(name) is not None or user_path(with_reader[2] if with_reader else name).is_file()


def known_corpus(name: str) -> str:
    """Return the name of a corpus in the tables; raises UnknownNameError."""
    corpus = known_name(name.lower())
    if corpus not in catalog():
        raise UnknownNameError("corpus", corpus, catalog())
    return corpus


def _known_split(corpus: str, name: str | None, text: str) -> str:
    """Return the name of a split in the tables; raises CrossexamError if *text* names none of them."""
    splits = catalog()[corpus].splits
    if not name:
        wanted = " or ".join(f"{corpus}:{split}" for split in splits)
        raise CrossexamError(f"'{text}' does not say which split", wanted=wanted)
    split = name.lower()
    split = split if split in splits else _SPLIT_ALIASES.get(split, split)
    if split not in splits:
        raise UnknownNameError(f"split of {corpus}", split, splits, hint=f"available: {', '.join(splits)}")
    return split


def _not_installed(corpus: str, split: str, folder: Path) -> CrossexamError:
    entry = catalog()[corpus]
    names = entry.splits[split].files
    is_fetched = not {Path(name).name for name in names}.isdisjoint(entry.installs)
    fetch = f"crossexam fetch {corpus}, or " if is_fetched else ""
    return CrossexamError(
        f"{corpus}:{split} is not installed",
        where=str(folder),
        wanted=f"{' or '.join(names)}, in this folder or up to two levels below it",
        hint=f"{fetch}give the path of a file, or set CROSSEXAM_DATA",
    )
