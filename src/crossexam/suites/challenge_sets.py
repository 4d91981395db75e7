"""The challenge sets of the suite ``challenge``: corpora that were made to be hard in one known way.

Each line of :data:`CHALLENGES` is a corpus with its test sets, the slices by which its results are published,
and the studies with published figures (``published/``).  A new line is all that another corpus needs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from crossexam.core.errors import UnknownNameError
from crossexam.corpora.catalog import known_name
from crossexam.corpora.records import detect_format, iter_records
from crossexam.corpora.spec import CorpusSpec
from crossexam.suites.bases import Base, base_from_spec


class ChallengeSource(NamedTuple):
    """The examples of a test set: a *spec*, of which those count that the reader of *selects* keeps.

    Without *selects*, they are all examples of *spec*.  With it, the records of its file must have *field*.
    """

    spec: str
    selects: str = ""
    field: str = ""

    def base(self) -> Base | None:
        """Return the examples as a base; None if they are not installed."""
        corpus = CorpusSpec.parse(self.spec)
        if not corpus.installed():
            return None
        if not self.selects:
            return base_from_spec(self.spec)
        path = corpus.path()
        first = next((record for _, record in iter_records(detect_format(path))), None)
        if not isinstance(first, dict) or self.field not in first:
            return None
        return replace(base_from_spec(f"{self.selects}@{path}"), spec=self.spec)


class ChallengeSet(NamedTuple):
    """A test set of a challenge: its *part* in the name ``base.PART``, its *title* and its *source*."""

    part: str
    title: str
    source: ChallengeSource


@dataclass(frozen=True)
class Challenge:
    """A corpus with its test *sets*; its *name* is that of the catalogue, which ``--only`` takes.

    Reports show a table by each of *slices*, those by *more* only on the page.  *studies* are the keys of
    those with published figures.  *note* says what must be known of its items and labels, *differs* how the
    published figures were counted otherwise.  *needs* is what installs it if ``crossexam fetch`` does not.
    """

    name: str
    title: str
    sets: tuple[ChallengeSet, ...]
    slices: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    studies: tuple[str, ...] = ()
    note: str = ""
    differs: str = ""
    needs: str = ""

    @property
    def to_install(self) -> str:
        """What to do to install the corpus."""
        return self.needs or f"crossexam fetch {self.name}"


def _one(part: str, title: str, spec: str) -> ChallengeSet:
    return ChallengeSet(part, title, ChallengeSource(spec))


def _hard(split: str) -> ChallengeSet:
    source = ChallengeSource(f"multinli:dev_{split}", "multinli_hard", "hard")
    return ChallengeSet(f"multinli_hard_{split}", f"dev {split}", source)


CHALLENGES: Final[dict[str, Challenge]] = {
    each.name: each
    for each in (
        Challenge(
            "hans",
            "HANS",
            (_one("hans", "HANS", "hans:test"),),
            slices=("heuristic and gold",),
            more=("subcase",),
            studies=("mccoy2019",),
            note="Non-entailment: the probabilities of neutral and contradiction are added.",
            differs="For the published figures, the label with the highest of three probabilities was "
            "taken first, and neutral and contradiction merged then, which finds non-entailment "
            "less often.",
        ),
        Challenge(
            "anli",
            "ANLI",
            (
                _one("anli_r1", "round 1", "anli:r1_test"),
                _one("anli_r2", "round 2", "anli:r2_test"),
                _one("anli_r3", "round 3", "anli:r3_test"),
            ),
            studies=("nie2020",),
        ),
        Challenge(
            "breaking_nli",
            "Breaking NLI",
            (_one("breaking_nli", "Breaking NLI", "breaking_nli:test"),),
            slices=("category",),
            studies=("chen2018",),
        ),
        Challenge(
            "monli",
            "MoNLI",
            (
                _one("monli_positive", "PMoNLI (without negation)", "monli:positive"),
                _one("monli_negative", "NMoNLI (under negation)", "monli:negative"),
            ),
            studies=("geiger2020",),
            note="The pairs are labelled entailment or neutral, so the probability of contradiction is "
            "left out.",
        ),
        Challenge(
            "med",
            "MED",
            (_one("med", "MED", "med:test"),),
            slices=("monotonicity",),
            more=("monotonicity and gold", "phenomenon"),
            studies=("chen2021",),
            note="Its neutral stands for neutral and contradiction, whose probabilities are added.",
        ),
        Challenge(
            "conjnli",
            "ConjNLI",
            (_one("conjnli", "ConjNLI dev", "conjnli:dev"),),
            slices=("conjunction",),
            studies=("saha2020",),
            note="The labels of the test split are withheld, so this is the development split. "
            "Conjunction: the one that occurs in either sentence, several if different ones do.",
        ),
        Challenge(
            "fracas",
            "FraCaS",
            (_one("fracas", "FraCaS", "fracas:test"),),
            slices=("section and single premise",),
            more=("section", "premises"),
            studies=("mineshima2015", "maccartney2008"),
            note="The premises of a problem are joined. Problems whose answer is not defined are left out.",
        ),
        Challenge(
            "chaosnli",
            "ChaosNLI",
            (
                _one("chaosnli_snli", "pairs of SNLI dev", "chaosnli:snli"),
                _one("chaosnli_mnli", "pairs of MultiNLI dev", "chaosnli:mnli_m"),
            ),
            studies=("nie2020chaos",),
            note="The gold label is the majority of 100 annotators. The table Models and people has the "
            "accuracy by the entropy of their labels, of models that give probabilities.",
        ),
        Challenge(
            "snli_hard",
            "SNLI-hard",
            (_one("snli_hard", "SNLI test, hard", "snli_hard:test"),),
            studies=("nie2020",),
        ),
        Challenge(
            "multinli_hard",
            "MultiNLI-hard",
            (_hard("matched"), _hard("mismatched")),
            note="The pairs of MultiNLI dev whose field 'hard' is set; those that Gururangan et al. "
            "(2018) released are of the test set, and their labels are withheld.",
            needs="files of MultiNLI dev whose records have a field 'hard'",
        ),
    )
}


def challenge_named(name: str) -> Challenge:
    """Return the challenge called *name*, or another name of that corpus; raises UnknownNameError.

    >>> challenge_named("breaking-nli").title
    'Breaking NLI'
    """
    known = known_name(name)
    if known not in CHALLENGES:
        hint = f"available: {', '.join(CHALLENGES)}"
        raise UnknownNameError("challenge set", name, CHALLENGES, where="--only", hint=hint)
    return CHALLENGES[known]
