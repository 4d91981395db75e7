"""Challenge sets as one suite: HANS, ANLI, Breaking NLI, MoNLI, MED, ConjNLI, FraCaS, ChaosNLI, hard subsets.

The examples are those of the corpora, unchanged, one test set per corpus, round or part (``base.hans``,
``base.anli_r1``).  The corpora are sorted, HANS by heuristic and label: their first examples would be all of
one kind, so a limit draws examples at random instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.manifest import BASE, CHALLENGE, TestSetEntry
from crossexam.core.randomness import drawn_order
from crossexam.corpora.catalog import catalog
from crossexam.suites.bases import Base, base_read, unchanged
from crossexam.suites.challenge_sets import CHALLENGES, Challenge, ChallengeSet, challenge_named
from crossexam.suites.plan import Overview, SuitePlan, SuiteRequest, TestSetPlan, projection_of_base

Installed = Mapping[Challenge, Mapping[ChallengeSet, Base]]


@dataclass(frozen=True)
class ChallengeOptions:
    """The corpora to include *only* (keys of CHALLENGES; if empty, all that are installed)."""

    only: tuple[str, ...] = ()

    def chosen(self) -> tuple[Challenge, ...]:
        """Return the requested corpora in the order of the table; raises UnknownNameError."""
        names = [name.strip() for text in self.only for name in text.split(",")]
        named = {challenge_named(name).name for name in names}
        return tuple(each for each in CHALLENGES.values() if not named or each.name in named)


def plan_challenge(request: SuiteRequest) -> SuitePlan:
    """Plan the test sets of the challenge sets that are installed, and note which are not.

    Raises CrossexamError if none is installed, or if a corpus is requested by name and is not.
    """
    found = {challenge: _installed(challenge) for challenge in request.options.chosen()}
    _refuse_missing(request.options, found)
    notes = list(_missing(found))
    if request.limit is not None:
        notes.append(
            f"--limit {request.limit}: at most so many items of each test set, drawn at random with the "
            f"seed {request.seed}; published figures are of all items"
        )
    plans = [
        _planned(request, challenge, each, base)
        for challenge, sets in found.items()
        for each, base in sets.items()
    ]
    bases = [base for sets in found.values() for base in sets.values()]
    return SuitePlan(plans, notes, lambda: {"read": [base_read(base) for base in bases]})


def _installed(challenge: Challenge) -> dict[ChallengeSet, Base]:
    found = {each: each.source.base() for each in challenge.sets}
    return {each: base for each, base in found.items() if base is not None}


def _refuse_missing(options: ChallengeOptions, found: Installed) -> None:
    missing = [challenge for challenge, sets in found.items() if not sets]
    if missing and (options.only or len(missing) == len(found)):
        names = ", ".join(challenge.name for challenge in missing)
        raise CrossexamError(
            f"not installed: {names}" if options.only else "none of the challenge sets is installed",
            wanted="their files in the data folder",
            hint="; ".join(challenge.to_install for challenge in missing),
        )


def _missing(found: Installed) -> Iterator[str]:
    """Yield what is not installed, and how to install it."""
    for challenge, sets in found.items():
        absent = [each for each in challenge.sets if each not in sets]
        if absent:
            of = "" if not sets else f" ({', '.join(each.title for each in absent)})"
            yield f"not installed, so not included: {challenge.title}{of}: {challenge.to_install}"


def _planned(request: SuiteRequest, challenge: Challenge, each: ChallengeSet, base: Base) -> TestSetPlan:
    source, published = each.source, _published_size(each)

    def rows() -> Iterator[Example]:
        """Yield the examples, or as many of them as the limit, drawn at random, in their order."""
        if request.limit is None:
            return unchanged(base.open())
        examples = list(base.open())
        places = sorted(drawn_order(examples, request.seed)[: request.limit])
        return unchanged(examples[place] for place in places)

    def found() -> dict[str, Any]:
        facts: dict[str, Any] = {"name": challenge.name, "title": each.title, "of": base.report.taken.total()}
        if published is not None:
            facts["published_items"] = published
        return {**projection_of_base(base), "facts": {CHALLENGE: facts}}

    selected = source.field if source.selects else None
    seed = None if request.limit is None else request.seed
    signed = request.signed(base, selected=selected, seed=seed)
    return TestSetPlan(TestSetEntry(versioned=BASE, part=each.part), signed, rows, found)


def _published_size(each: ChallengeSet) -> int | None:
    """Return how many labelled examples the corpus was published with; None if the catalogue does not say."""
    if each.source.selects:
        return None
    corpus, _, split = each.source.spec.partition(":")
    known = catalog()[corpus].splits.get(split)
    return None if known is None else known.labelled


NO_SLICES: Final = "–"


def _items(entry: TestSetEntry) -> str:
    of = entry.facts[CHALLENGE]["of"]
    return f"{entry.rows:,}" if entry.rows == of else f"{entry.rows:,} of {of:,}"


def _slices(entry: TestSetEntry) -> str:
    challenge = CHALLENGES[entry.facts[CHALLENGE]["name"]]
    return ", ".join((*challenge.slices, *challenge.more)) or NO_SLICES


def _difference(entry: TestSetEntry) -> str:
    facts = entry.facts[CHALLENGE]
    published = facts.get("published_items")
    if published in (None, facts["of"]):
        return "–"
    return f"{facts['of']:,} examples, published {published:,}"


OVERVIEW: Final = Overview(
    "Challenge sets",
    {
        "test set": lambda entry: entry.name,
        "items": _items,
        "labels": lambda entry: entry.projection or "three labels",
        "slices": _slices,
        "differs": _difference,
    },
    numbers=("items",),
)
