"""Compile WordNet's dictionary files into the one file that Crossexam ships.

    python scripts/compile_wordnet.py --source /usr/share/wordnet \
        -o src/crossexam/language/lexicons/wordnet-3.0.zip

Needs ``data.*``, ``index.*`` and ``*.exc`` (Debian: wordnet-base) and ``index.sense`` (Debian:
wordnet-sense-index).  Writes the archive and, beside it, WORDNET-LICENSE.txt.  The formats of the source are
those of wndb(5WN), senseidx(5WN) and morphy(7WN); the archive's is in
crossexam.language.lexicons.wordnet.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
import zipfile
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.files import finished_or_absent, write_text
from crossexam.language.lexicons.wordnet import FORMAT, PARTS

FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
# The digit after the % of a sense key; 5 is an adjective satellite.
KEY_PARTS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
LINKS = {"@": "hypernym", "@i": "instance_hypernym", "&": "similar"}
ANTONYM = "!"
MARKER = re.compile(r"\((?:a|p|ip)\)$")  # where an adjective may stand: galore(ip)
QUOTED = re.compile(r'"[^"]*"')  # the examples of a gloss
LICENCE_NAME = "WORDNET-LICENSE.txt"
EARLIEST = (1980, 1, 1, 0, 0, 0)  # date of the members of a zip archive: the same bytes at any time

Address = tuple[str, int]  # part of speech, offset in its file


@dataclass
class Synset:
    """A line of a data file; links are (source word or -1, target's address, target word or -1)."""

    address: Address
    pos: str
    words: list[str]
    definition: str
    links: dict[str, list[tuple[int, Address, int]]] = field(default_factory=dict)


def read_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the lines of *path* below its head of licence text, each with where it stands."""
    try:
        with path.open(encoding="utf-8") as stream:
            for number, line in enumerate(stream, 1):
                if not line.startswith("  "):
                    yield f"{path}, line {number}", line.strip()
    except FileNotFoundError:
        raise CrossexamError(
            "no such file", where=str(path), hint="on Debian: apt install wordnet-base wordnet-sense-index"
        ) from None


def read_licence(path: Path) -> str:
    """Return the licence at the head of *path*, without its line numbers."""
    with path.open(encoding="utf-8") as stream:
        head = [line for line in stream if line.startswith("  ")]
    return "\n".join(re.sub(r"^ +\d+ ?", "", line).rstrip() for line in head) + "\n"


def read_version(licence: str) -> str:
    """Return ``wordnet-3.0`` from the licence."""
    match = re.search(r"WordNet (\d+(?:\.\d+)*) Copyright", licence)
    if match is None:
        raise FormatError("the licence names no version", wanted="WordNet N.N Copyright")
    return f"wordnet-{match[1]}"


def parse_synset(part: str, line: str, where: str) -> Synset:
    """Return the synset in a *line* of the data file of *part*."""
    try:
        fields, gloss = line.split("|")
        tokens = iter(fields.split())
        offset, _, pos, count = (next(tokens) for _ in range(4))
        words = []
        for _ in range(int(count, 16)):
            words.append(MARKER.sub("", next(tokens)))
            next(tokens)  # the lexicographer's number of the sense
        synset = Synset((part, int(offset)), pos, words, QUOTED.sub("", gloss).strip().strip("; "))
        for _ in range(int(next(tokens))):
            symbol, target, target_pos, ends = (next(tokens) for _ in range(4))
            link = (int(ends[:2], 16) - 1, (target_pos, int(target)), int(ends[2:], 16) - 1)
            synset.links.setdefault(symbol, []).append(link)
    except (ValueError, RuntimeError, StopIteration) as error:
        raise FormatError(f"malformed synset: {error}", where=where, wanted="see wndb(5WN)") from None
    return synset


def read_synsets(source: Path) -> list[Synset]:
    """Return all synsets in the order of their numbers."""
    return [
        parse_synset(part, line, where)
        for part in PARTS
        for where, line in read_lines(source / f"data.{FILES[part]}")
    ]


def read_index(source: Path, part: str) -> dict[str, list[int]]:
    """Return the offsets of every lemma's senses, in WordNet's order."""
    index: dict[str, list[int]] = {}
    for where, line in read_lines(source / f"index.{FILES[part]}"):
        lemma, _, count, pointers, *rest = line.split()
        # rest: pointer symbols, number of senses again, number of tagged senses, offsets
        offsets = [int(offset) for offset in rest[int(pointers) + 2 :]]
        if len(offsets) != int(count):
            raise FormatError(f"{len(offsets)} senses", where=where, wanted=count)
        index[lemma] = offsets
    return index


def read_tag_counts(source: Path) -> dict[tuple[str, Address], int]:
    """Return how often each (lemma, synset) was tagged, where it was."""
    counts: dict[tuple[str, Address], int] = {}
    for _, line in read_lines(source / "index.sense"):
        key, offset, _, count = line.split()
        lemma, _, sense = key.partition("%")
        if int(count):
            counts[lemma, (KEY_PARTS[sense[0]], int(offset))] = int(count)
    return counts


def link_columns(synsets: list[Synset], numbers: Mapping[Address, int]) -> dict[str, bytes]:
    """Return a member a relation."""
    members = {}
    for symbol, relation in LINKS.items():
        sources, targets = [], []
        for number, synset in enumerate(synsets):
            for _, address, _ in synset.links.get(symbol, ()):
                sources.append(number)
                targets.append(numbers[address])
        members[f"links/{relation}"] = pack_numbers([*sources, *targets])
    antonyms = [
        (number, word, numbers[address], other)
        for number, synset in enumerate(synsets)
        for word, address, other in synset.links.get(ANTONYM, ())
    ]
    members["links/antonym"] = pack_numbers([row[column] for column in range(4) for row in antonyms])
    return members


def lemma_columns(source: Path, part: str, numbers: Mapping[Address, int]) -> dict[str, bytes]:
    """Return the members of one part of speech, without the counts."""
    index = read_index(source, part)
    exceptions = [" ".join(line.split()) for _, line in read_lines(source / f"{FILES[part]}.exc")]
    return {
        f"{part}/lemmas": pack_lines(index),
        f"{part}/senses": pack_numbers(map(len, index.values())),
        f"{part}/synsets": pack_numbers(
            numbers[part, offset] for offsets in index.values() for offset in offsets
        ),
        f"{part}/exceptions": pack_lines(exceptions),
    }


def count_column(source: Path, part: str, counts: Mapping[tuple[str, Address], int]) -> bytes:
    """Return the tag count of every sense of *part*."""
    return pack_numbers(
        counts.get((lemma, (part, offset)), 0)
        for lemma, offsets in read_index(source, part).items()
        for offset in offsets
    )


def offset_steps(synsets: list[Synset]) -> Iterator[int]:
    """Yield each offset less the one before it in the same file."""
    last = ("", 0)
    for synset in synsets:
        part, offset = synset.address
        yield offset - last[1] if part == last[0] else offset
        last = synset.address


def pack_numbers(numbers: Iterable[int]) -> bytes:
    """Return *numbers* as a column."""
    column = array("I", numbers)
    if sys.byteorder == "big":
        column.byteswap()
    return column.tobytes()


def pack_lines(rows: Iterable[str]) -> bytes:
    """Return *rows*, which contain no line breaks, as a column."""
    return "\n".join(rows).encode("utf-8")


def archive_bytes(members: Mapping[str, bytes]) -> bytes:
    """Return a zip archive of *members*: the same bytes at any time, on any platform.

    (Given one version of zlib; another may compress the same members to other bytes.)
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in members.items():
            entry = zipfile.ZipInfo(name, EARLIEST)
            entry.create_system = 3  # Unix, on every platform
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED, compresslevel=9)
    return stream.getvalue()


def compile_wordnet(source: Path) -> tuple[bytes, str]:
    """Return the archive and the licence."""
    synsets = read_synsets(source)
    licence = read_licence(source / "data.noun")
    numbers = {synset.address: number for number, synset in enumerate(synsets)}
    numbers |= {("s", offset): number for (part, offset), number in numbers.items() if part == "a"}
    about = {"format": FORMAT, "version": read_version(licence)}
    counts = read_tag_counts(source)
    members = {"about.json": json.dumps(about).encode(), "LICENSE": licence.encode()}
    for part in PARTS:
        members |= lemma_columns(source, part, numbers)
        members[f"{part}/counts"] = count_column(source, part, counts)
    members["synsets/pos"] = "".join(synset.pos for synset in synsets).encode()
    members["synsets/offsets"] = pack_numbers(offset_steps(synsets))
    members["synsets/words"] = pack_lines(" ".join(synset.words) for synset in synsets)
    members["synsets/definitions"] = pack_lines(synset.definition for synset in synsets)
    members |= link_columns(synsets, numbers)
    return archive_bytes(members), licence


def main() -> None:
    """Read the command line, write the files."""
    parser = argparse.ArgumentParser(description="Compile WordNet's dictionary files into one archive.")
    parser.add_argument("--source", type=Path, required=True, help="folder of data.noun, index.noun, ...")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the archive to write")
    arguments = parser.parse_args()
    try:
        archive, licence = compile_wordnet(arguments.source)
    except CrossexamError as error:
        parser.exit(2, f"compile_wordnet: {error}\n")
    with finished_or_absent(arguments.output) as temporary:
        temporary.write_bytes(archive)
    write_text(arguments.output.parent / LICENCE_NAME, licence)
    print(f"{arguments.output}: {len(archive):,} bytes")


if __name__ == "__main__":
    main()
