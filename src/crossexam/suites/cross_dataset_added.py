"""Corpora beside the fourteen of the cross-dataset benchmark: those that a user adds, and the reference.

``--add CORPUS[:PROJECTION]`` adds a corpus, split into halves like most of the fourteen.
``--reference CORPUS`` measures the difference of the mean from that corpus instead of SNLI, for models that
were trained on another one.  A suite with either is not the published benchmark, and no report calls it so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.labels import PROJECTIONS, Projection, projection_for
from crossexam.corpora.spec import CorpusSpec
from crossexam.suites.bases import part_name
from crossexam.suites.cross_dataset_corpora import MEMBERS, Member


def added_member(text: str) -> Member:
    """Return the corpus that ``--add`` *text* names: CORPUS:SPLIT or a file, and possibly a projection.

    Raises CrossexamError if there is no such corpus, or if its name is that of one of the fourteen.

    >>> member = added_member("builtin:demo:two-labels")
    >>> member.key, member.rule, member.projection.name
    ('builtin_demo', 'builtin:demo: halves', 'two labels')
    """
    name, colon, last = text.rpartition(":")
    projection = PROJECTIONS.get(last.replace("-", " ")) if colon else None
    spec = name if projection else text
    CorpusSpec.parse(spec).path()
    key = part_name(spec)
    if key in MEMBERS:
        raise CrossexamError(
            f"'{spec}' has the name of a corpus of the benchmark",
            where="--add",
            hint="rename the file" if Path(spec).exists() else f"--base {key} chooses that corpus",
        )
    return Member(key, spec, "added", spec, ("",), (0, 0), {}, added=True, projection=projection)


def added_members(texts: Sequence[str]) -> list[Member]:
    """Return the corpora that ``--add`` names; raises CrossexamError if two have one name or one file."""
    members = [added_member(text) for text in texts]
    for name, count in Counter(member.key for member in members).items():
        if count > 1:
            raise CrossexamError(
                f"two added corpora are called '{name}'", where="--add", hint="rename one of the files"
            )
    return members


def projection_of_added(member: Member, examples: Iterable[Example]) -> Projection:
    """Return the projection of an added corpus: the one stated for it, or that of its reader and labels."""
    declared = member.projection or member.spec_of("").declared_projection()
    return projection_for(declared, (example.label for example in examples))


def without_reference(members: Sequence[Member], reference: str, *, named: bool) -> list[Member]:
    """Return *members* without those that read the file of the corpus *reference*, which has no drop.

    Raises CrossexamError if such a corpus was added or *named* by the user.
    """
    path = CorpusSpec.parse(reference).path().resolve()
    kept = []
    for member in members:
        if path not in _files(member):
            kept.append(member)
        elif member.added or named:
            raise CrossexamError(
                f"'{member.key}' reads the file of the reference '{reference}'",
                where=str(path),
                wanted="a reference that is not one of the corpora of the mean",
                hint="leave one of the two out",
            )
    return kept


def check_overlap(members: Sequence[Member]) -> None:
    """Raise CrossexamError if an added corpus reads a file that another corpus reads."""
    known: dict[Path, str] = {}
    for member in members:
        for path in _files(member):
            if member.added and path in known:
                raise CrossexamError(
                    f"'{member.corpus}' is already part of '{known[path]}'",
                    where=str(path),
                    wanted="corpora without common files: a corpus may count once in the mean",
                    hint="leave out --add, or choose the other corpora with --base",
                )
            known[path] = member.key


def _files(member: Member) -> set[Path]:
    parts = (*member.splits, *([member.given] if member.given else []))
    specs = (member.spec_of(part) for part in parts)
    return {spec.path().resolve() for spec in specs if spec.installed()}
