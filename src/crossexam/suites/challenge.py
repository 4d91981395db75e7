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
from crossexam.core.manifest import BASE, CHALLENGE, TestSetEntry, entries_of
from crossexam.core.randomness import drawn_order
from crossexam.corpora.catalog import catalog
from crossexam.suites.bases import Base, describe_base, with_notes
from crossexam.suites.build import Overview, SuiteRequest, SuiteWriter
from crossexam.suites.challenge_sets import CHALLENGES, Challenge, ChallengeSet, challenge_named

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


def build_challenge(request: SuiteRequest, writer: SuiteWriter) -> None:
    """Write the test sets of the challenge sets that are installed, and note which are not.

    Raises CrossexamError if none is installed, or if a corpus is requested by name and is not.
    """
    chosen = request.options.chosen()
    found = {challenge: _installed(challenge) for challenge in chosen}
    _refuse_missing(request.options, found)
    _note_missing(found, writer)
    if request.limit is not None:
        writer.note(
            f"--limit {request.limit}: at most so many items of each test set, drawn at random with the "
            f"seed {request.seed}; published figures are of all items"
        )
    bases = [base for sets in found.values() for base in sets.values()]
    identities = {base.spec: base.identity for base in bases}
    requested = {"only": [challenge.name for challenge in chosen]}
    if writer.already_built(request.identity(files=identities, options=requested)):
        return
    for challenge, sets in found.items():
        for each, base in sets.items():
            _write(request, writer, challenge, each, base)
    writer.finish({"files": "+".join(identities)}, read=[describe_base(base) for base in bases])


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


def _note_missing(found: Installed, writer: SuiteWriter) -> None:
    for challenge, sets in found.items():
        absent = [each for each in challenge.sets if each not in sets]
        if absent:
            of = "" if not sets else f" ({', '.join(each.title for each in absent)})"
            writer.note(f"not installed, so not included: {challenge.title}{of}: {challenge.to_install}")


def _write(
    request: SuiteRequest, writer: SuiteWriter, challenge: Challenge, each: ChallengeSet, base: Base
) -> None:
    examples = list(base.open())
    facts: dict[str, Any] = {"name": challenge.name, "title": each.title, "of": len(examples)}
    published = _published_size(each)
    if published is not None:
        facts["published_items"] = published
    source = each.source
    drawn = {} if request.limit is None else {"seed": request.seed}
    selected = {"selected": source.field} if source.selects else {}
    entry = TestSetEntry(
        BASE,
        each.part,
        signature=request.signature_of(base, **selected, **drawn),
        projection=base.projection.declaration,
        facts={CHALLENGE: facts},
    )
    writer.write(entry, _rows(examples, request))


def _rows(examples: list[Example], request: SuiteRequest) -> Iterator[Example]:
    """Yield *examples*, or as many of them as the limit, drawn at random, in their order."""
    places: Any = range(len(examples))
    if request.limit is not None:
        places = sorted(drawn_order(examples, request.seed)[: request.limit])
    return (with_notes(examples[place], {}) for place in places)


def _published_size(each: ChallengeSet) -> int | None:
    """Return how many labelled examples the corpus was published with; None if the catalogue does not say."""
    if each.source.selects:
        return None
    corpus, _, split = each.source.spec.partition(":")
    known = catalog()[corpus].splits.get(split)
    return None if known is None else known.labelled


def challenge_overview(manifest: Mapping[str, Any]) -> Overview:
    """Return the table of the test sets: items, labels, slices, and differences from the published sizes."""
    rows = []
    for name, entry in entries_of(manifest).items():
        facts = entry.facts[CHALLENGE]
        challenge = CHALLENGES[facts["name"]]
        slices = ", ".join((*challenge.slices, *challenge.more)) or NO_SLICES
        items = f"{entry.rows:,}"
        if entry.rows != facts["of"]:
            items += f" of {facts['of']:,}"
        rows.append((name, items, entry.projection or "three labels", slices, _difference(facts)))
    header = ("test set", "items", "labels", "slices", "differs")
    return Overview("Challenge sets", header, rows, numbers=(1,))


NO_SLICES: Final = "–"


def _difference(facts: Mapping[str, Any]) -> str:
    published = facts.get("published_items")
    if published in (None, facts["of"]):
        return "–"
    return f"{facts['of']:,} examples, published {published:,}"
