"""Names of persons, places and organizations, and words that show what a capitalised word names.

``names.txt`` was written for this package and copies no data set, so it needs no licence of its own; after
adding names to it, run ``scripts/sort_names.py``.  ``census_geonames.txt.gz`` supplements it with names of
the US Census of 1990 (public domain) and of GeoNames (CC BY 4.0), compiled by ``scripts/compile_names.py``.
So do WordNet's instances (:mod:`crossexam.language.entities`).
"""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

NAMES_FILE: Final = Path(__file__).with_name("names.txt")
COMPILED_FILE: Final = Path(__file__).with_name("census_geonames.txt.gz")
_SECTION: Final = re.compile(r"^\[(.+)\]$", re.MULTILINE)


def name_sections(text: str) -> dict[str, frozenset[str]]:
    """Return the sections of the file of names *text*, by title; names in lower case.

    >>> name_sections("# Note\\n[cities]\\nrome new_york\\n")["cities"] == {"rome", "new york"}
    True
    """
    _, *pieces = _SECTION.split(text)
    return {
        title: frozenset(name.replace("_", " ") for name in names.split())
        for title, names in zip(pieces[::2], pieces[1::2], strict=True)
    }


def _compiled() -> str:
    return gzip.decompress(COMPILED_FILE.read_bytes()).decode() if COMPILED_FILE.exists() else ""


_TEXTS: Final = (NAMES_FILE.read_text("utf-8"), _compiled())
NAMES: Final[Mapping[str, frozenset[str]]] = name_sections(_TEXTS[0])
#: The names of the compiled lists that ``names.txt`` does not have.
MORE_NAMES: Final[Mapping[str, frozenset[str]]] = name_sections(_TEXTS[1])
#: The first characters of a hash of the lists, for signatures.
NAMES_VERSION: Final = hashlib.sha256("\x1f".join(_TEXTS).encode()).hexdigest()[:8]
#: First names, without those that are as likely an ordinary word: hope, hunter, violet.
FIRST_NAMES: Final = NAMES["first names"]

TITLES: Final = frozenset(
    "mr mrs ms miss dr prof sir madam president king queen prince princess captain doctor lord lady uncle "
    "aunt senator governor colonel sergeant inspector rev gen col sen gov pope cardinal".split()
)

#: First words of surnames of several words: Bin Ladin, Van Gogh.
PERSON_BEGINNINGS: Final = frozenset("bin ibn abu van von".split())

#: Last words of the names of organizations and of places.
ORGANIZATION_ENDS: Final = frozenset(
    "company corporation corp inc ltd llc co bank university college school academy institute club "
    "association services airlines airways motors hospital bakery ministry department agency industries "
    "foundation union league church committee council commission society store mart foods books group "
    "party times post team band orchestra senate congress office bureau service administration network "
    "systems brothers partners corps shop restaurant museum library theater theatre court center centre "
    "haven cellar federation trust fund laboratory laboratories lab studios command records".split()
)
PLACE_ENDS: Final = frozenset(
    "city town village street avenue road lane park lake river mountain mountains hill hills island "
    "islands valley county beach bay bridge airport station zoo square garden gardens forest creek falls "
    "canyon hall mosque cathedral temple palace castle tower building house hotel gate monument memorial "
    "plaza grotto cave caves ghat gulf desert ocean sea coast strait peninsula province state states "
    "territory empire kingdom republic place prairie".split()
)
PLACE_BEGINNINGS: Final = frozenset(
    "lake mount mt fort port san santa los las st saint new north south east west".split()
)

#: Names that are ordinary words too, but hardly ever: john (a toilet), mike (a microphone).
MOSTLY_NAMES: Final = frozenset(
    "brad chuck derrick eddy eve felicity harry homer james jared jimmy john ken maria mike ram sally "
    "serge victor china morocco providence".split()
)

#: Capitals of two to five letters that name no organization, even after "the".
NOT_ORGANIZATIONS: Final = frozenset(
    "ac aids ap atm atms bc ca cd cds ceo cfo cio coo cpa cpi cpu cv dj dna dvd dvds faq gcd gcf gdp gnp "
    "gpa gps hcf hdtv hiv hmo hov id ied iou iq lcd lcm led mba mp mps mri mvp ok pc pcs pda pdf phd pin "
    "pm pms pows rna rsvp rv rvs sat sats sop sos suv suvs tv tvs ufo ufos url usb vcr vip vips ww wwi "
    "wwii www abc abcd xyz pqr pqrs lmn".split()
)

#: Capitalised words that name no person, place or organization, although they may be tagged as proper nouns.
NOT_ENTITIES: Final = frozenset(
    "celsius fahrenheit kelvin mercury venus mars jupiter saturn uranus neptune monday tuesday wednesday "
    "thursday friday saturday sunday january february march april may june july august september october "
    "november december christmas easter thanksgiving halloween diwali ramadan hanukkah i ii iii iv vi vii "
    "viii ix rs re rupee rupees usd inr eur dollar dollars euro euros pound pounds cent cents km kms kmph "
    "kmh mph kg kgs gm gms cm mm ml lb lbs hr hrs min mins sec secs am pm ac ad bc tv dvd cd pc gpa "
    "english spanish french german hindi latin greek math maths mathematics physics chemistry biology "
    "science history geography economics algebra geometry internet earth moon sun god xmas lcm hcf gcd si "
    "ci american indian british chinese canadian australian african european asian italian japanese "
    "mexican russian train car box tank pipe tap tribe team type machine class point line page section "
    "question problem example candidate player brand stock alloy bag shop district model series test "
    "division group container vessel find let if what how when where which who why calculate suppose "
    "given divide had each all both one two three thirty six answer choices solution note statement "
    "column row figure table chart option grade part".split()
)
