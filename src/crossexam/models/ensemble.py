"""Ensembles: ``mean/MODEL,MODEL,...`` predicts the mean of its members' probabilities.

As in the ensembles of the RepEval shared task (Nangia et al., 2017, section 4): the members are trained
alike with several seeds, or are different models.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from crossexam.core.errors import CrossexamError
from crossexam.core.outcome import ANSWERED, Outcome
from crossexam.models.model import Batch, CharactersRead, Model, NoOptions, Pair

_VERSION: Final = "mean.v1"
#: Under this name the details of an ensemble have those of its members.
MEMBERS: Final = "members"


@dataclass(frozen=True)
class Mean(Model):
    """Several models as one.

    >>> from crossexam.models.table import open_model
    >>> open_model("mean/builtin/majority,builtin/overlap").predict([("It rains.", "Ann left.")])
    array([[0.5, 0. , 0.5]])
    """

    name: str
    members: tuple[Model, ...]

    @property
    def key(self) -> str:
        """Return a hash of the members' keys, in any order."""
        keys = "\x1f".join((_VERSION, *sorted(member.key for member in self.members)))
        return hashlib.blake2b(keys.encode(), digest_size=16).hexdigest()

    @property
    def details(self) -> Mapping[str, Any]:
        """Return the details of each member, by name."""
        members = {member.name: dict(member.details) for member in self.members}
        return {MEMBERS: members, "two_label": any(each.get("two_label") for each in members.values())}

    @property
    def parses(self) -> Mapping[str, str] | None:
        """The binary parses that the members read, by sentence."""
        return next((each.parses for each in self.members if each.parses is not None), None)

    def with_parses(self, parses: Mapping[str, str]) -> Mean:
        """Return the ensemble of the members that read *parses*."""
        return Mean(self.name, tuple(member.with_parses(parses) for member in self.members))

    def worded_for(self, two_labels: bool) -> Mean:
        """Return the ensemble whose members have the template for test sets of *two_labels*, or of three."""
        return Mean(self.name, tuple(member.worded_for(two_labels) for member in self.members))

    @property
    def host(self) -> str | None:
        """The machines to which members send pairs; None if there are none."""
        hosts = dict.fromkeys(member.host for member in self.members if member.host is not None)
        return " and ".join(hosts) or None

    @property
    def needs_confirmation(self) -> bool:
        """Whether the user has to confirm that many requests are sent for a member."""
        return any(member.needs_confirmation for member in self.members)

    def requests_for(self, pairs: int) -> int:
        """Return how many requests are sent at most for all members to ask about so many *pairs*."""
        return sum(member.requests_for(pairs) for member in self.members)

    def refuse_asking_about(self, pairs: Iterable[Pair]) -> None:
        """Raise CrossexamError if a member must not be asked about one of *pairs*."""
        known = list(pairs)
        for member in self.members:
            member.refuse_asking_about(known)

    def answered(self, pairs: Sequence[Pair]) -> Batch:
        """Return the mean for *pairs*; of each pair, as much was read as some member read.

        A pair that a member did not answer has no answer, for the reason of the first such member.  The label
        mass is the least of those that are known.
        """
        batches = [member.answered(pairs) for member in self.members]
        mean = np.mean([np.asarray(batch.probabilities, dtype=np.float64) for batch in batches], axis=0)
        read = [
            _most_read(pair, parts)
            for pair, parts in zip(pairs, zip(*(batch.read for batch in batches), strict=True), strict=True)
        ]
        told = [batch.outcomes for batch in batches if batch.outcomes]
        return Batch(range(len(pairs)), mean, read, [_joint(each) for each in zip(*told, strict=True)])


def _joint(outcomes: Sequence[Outcome]) -> Outcome:
    """Return what became of a pair by the *outcomes* of the members that say it."""
    missing = next((each for each in outcomes if each.status != ANSWERED), None)
    if missing is not None:
        return Outcome(missing.status, detail=missing.detail)
    return Outcome(label_mass=min((m for _, m, _ in outcomes if m is not None), default=None))


def _most_read(pair: Pair, parts: Sequence[CharactersRead | None]) -> CharactersRead | None:
    """Return what the members of *parts* together read of *pair*; None if each of them read all."""
    if all(part is None for part in parts):
        return None
    known = [part or CharactersRead(len(pair[0]), len(pair[1])) for part in parts]
    return CharactersRead(max(part.premise for part in known), max(part.hypothesis for part in known))


def member_names(name: str) -> list[str]:
    """Return the names of the members of the ensemble *name*; raises CrossexamError.

    >>> member_names("mean/builtin/majority, builtin/overlap")
    ['builtin/majority', 'builtin/overlap']
    """
    names = [member.strip() for member in name.partition("/")[2].split(",")]
    if len(names) < 2 or not all(names):
        raise CrossexamError(
            "an ensemble needs at least two models", where=name, wanted="mean/MODEL,MODEL,..."
        )
    if len(set(names)) < len(names):
        raise CrossexamError("the ensemble lists a model twice", where=name, hint="name each model once")
    return names


def open_mean(name: str, options: NoOptions, members: Sequence[Model]) -> Mean:
    """Return the ensemble *name* of *members*."""
    return Mean(name, tuple(members))
