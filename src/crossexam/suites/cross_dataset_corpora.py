"""The fourteen corpora of the cross-dataset benchmark, Tables 1 and 4 of Zhang et al. (2020), and others.

``--add CORPUS[:PROJECTION]`` adds a corpus, split into halves like most of the fourteen.
``--reference CORPUS`` measures the difference of the mean from that corpus instead of SNLI, for models that
were trained on another one.  A suite with either is not the published benchmark, and no report calls it so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import MEAN_SCORE, Example
from crossexam.core.labels import PROJECTIONS, Gold, Projection, projection_for
from crossexam.corpora.readers.human_judged import is_straightforward
from crossexam.corpora.reading import Reading
from crossexam.corpora.spec import CorpusSpec
from crossexam.suites.bases import part_name, projection_as_read

Protocol = Literal["human elicited", "human judged", "automatically recast", "added"]

#: The number of validation examples drawn from the largest corpora (section 2.2, Table 4).
SAMPLED: Final = 10_000


@dataclass(frozen=True)
class Member:
    """A corpus of the benchmark; its *key* names both the part of its test set and its published column.

    Its examples are those of all *splits* of *corpus*.  If a split is *given*, it is the unchanged test set,
    and the validation set is sampled from *splits*.  Otherwise *sampled* examples are drawn for validation
    and the rest is the test set; None means halves.  *sizes* (validation, test) and *shares* (percentage per
    gold label) are those of Table 4.  *known* explains differences that are due to the corpus itself.

    A corpus that a user *added* to the fourteen has no published figures; *projection* is the one stated for
    it, None for that of the corpus.  *reading* are the options of reading its files, if not the defaults.
    Of Add-1 alone, only *straightforward* pairs may be taken (:func:`straightforward_pairs`).
    """

    key: str
    title: str
    protocol: Protocol
    corpus: str
    splits: tuple[str, ...]
    sizes: tuple[int, int]
    shares: Mapping[Gold, float]
    given: str | None = None
    sampled: int | None = None
    known: str = ""
    added: bool = False
    projection: Projection | None = None
    reading: Reading = Reading()
    straightforward: bool = False

    def spec_of(self, part: str) -> CorpusSpec:
        """Return the corpus of the split *part*."""
        return CorpusSpec.parse(self.corpus if self.added else f"{self.corpus}:{part}")

    def read_with(self, reading: Reading) -> Member:
        """Return the corpus, read with *reading*, of which the columns and labels are for files."""
        corpus = self.spec_of(self.splits[0]).corpus
        return replace(self, reading=replace(reading, files_only=True).of(corpus))

    @property
    def rule(self) -> str:
        """The splitting rule in words (section 2.2)."""
        if self.given is not None:
            return f"test: {self.given}; validation: as many, sampled from {', '.join(self.splits)}"
        pool = self.corpus if self.added else ", ".join(self.splits)
        pool += " (mean score at most 3 or at least 4)" if self.straightforward else ""
        return f"{pool}: {self.sampled:,} for validation, rest test" if self.sampled else f"{pool}: halves"


def _three(entailment: float, contradiction: float, neutral: float) -> Mapping[Gold, float]:
    return {"entailment": entailment, "neutral": neutral, "contradiction": contradiction}


def _two(entailment: float, rest: float) -> Mapping[Gold, float]:
    return {"entailment": entailment, "not_entailment": rest}


_ALL: Final = ("train", "dev", "test")
# fmt: off
MEMBERS: Final[dict[str, Member]] = {each.key: each for each in (
    Member("multinli_dev_matched", "MultiNLI matched", "human elicited", "multinli", ("train",),
           (9815, 9815), _three(32.8, 32.4, 34.8), given="dev_matched",
           known="the published shares are those of the sampled validation set: 31.8 % of the test set "
                 "are neutral, which is what Majority has in Table 5"),
    Member("multinli_dev_mismatched", "MultiNLI mismatched", "human elicited", "multinli",
           ("dev_mismatched",), (4916, 4916), _three(35.2, 33.0, 31.8)),
    Member("sick", "SICK", "human judged", "sick", _ALL, (4963, 4964), _three(28.8, 14.7, 56.5),
           known="the SemEval 2014 release, not the one of 9,840 pairs"),
    Member("joci", "JOCI", "human judged", "joci", _ALL, (2327, 2328), _three(16.3, 26.1, 57.6),
           known="part B without the ordinal label 0"),
    Member("scitail", "SciTail", "human judged", "scitail", _ALL, (10_000, 17_026),
           {"entailment": 37.4, "neutral": 62.6}, sampled=SAMPLED),
    Member("mpe", "MPE", "human judged", "mpe", _ALL, (4999, 5000), _three(32.5, 41.5, 26.0),
           known="one row of dev has no gold label"),
    Member("diagnostic", "Diagnostic", "human judged", "diagnostic", ("test",), (552, 552),
           _three(41.7, 23.4, 35.0),
           known="SuperGLUE's copy (AX-b) has two labels only, so that neutral and contradiction are one"),
    Member("add_one", "Add-1", "human judged", "add_one", _ALL, (1897, 1897), _two(15.7, 84.3),
           known="Add-1 has 5,378 pairs; the paper takes 3,794, only straight-forward ones (appendix A)"),
    Member("cb", "CB", "human judged", "cb", ("train", "dev"), (153, 153), _three(45.1, 48.0, 6.9)),
    Member("dpr", "DPR", "automatically recast", "dpr", ("all",), (1830, 1831), _two(50.0, 50.0),
           known="published with one pair less than the recast corpus has (3,662)"),
    Member("spr", "SPR", "automatically recast", "spr", ("all",), (10_000, 144_607), _two(34.8, 65.2),
           sampled=SAMPLED,
           known="published with one pair less than the recast corpus has, and with the two labels the "
                 "other way round than its README counts them (100,806 of 154,608 are entailed)"),
    Member("fn_plus", "FN+", "automatically recast", "fn_plus", ("all",), (10_000, 144_604),
           _two(43.4, 56.6), sampled=SAMPLED,
           known="published with one pair less than the recast corpus has, and with the two labels the "
                 "other way round than its README counts them (87,431 of 154,605 are entailed)"),
    Member("rte", "RTE", "automatically recast", "rte", ("train", "dev"), (2876, 2876), _two(50.4, 49.6),
           known="GLUE's RTE has 2,767 labelled pairs; halves of 2,876 would need 5,752, which is about as "
                 "many as it has with its 3,000 unlabelled test pairs (5,767)"),
    Member("wnli", "WNLI", "automatically recast", "wnli", ("train", "dev"), (353, 353), _two(48.6, 51.4)),
)}
# fmt: on

#: The corpus whose pairs have mean scores, and of which the paper took only a part.
SCORED: Final = "add_one"
#: The test set from which the drop is measured: that of the corpus on which models are trained.
REFERENCE: Final = "snli_test"


def member_named(name: str) -> Member:
    """Return the corpus of the benchmark called *name*; raises UnknownNameError with the nearest name."""
    if name not in MEMBERS:
        raise UnknownNameError("corpus of the cross-dataset benchmark", name, MEMBERS)
    return MEMBERS[name]


def straightforward_pairs(examples: Iterable[Example], where: str) -> Iterator[Example]:
    """Yield those *examples* of Add-1 that are clear cases, with a mean score of at most 3 or at least 4.

    Appendix A says that "only straight-forward examples are included"; in Add-1, these are the pairs that its
    test set keeps.  Raises CrossexamError, which names *where*, if an example has no score.
    """
    for example in examples:
        score = example.info.get(MEAN_SCORE)
        if not isinstance(score, int | float):
            raise CrossexamError(
                "the pairs have labels, but no mean scores, so the straight-forward ones are not known",
                where=where,
                wanted="the official files data.train, data.dev and data.test, or the hub's copy",
                hint="leave out --set cross-dataset.add_one",
            )
        if is_straightforward(score):
            yield example


def added_member(text: str) -> Member:
    """Return the corpus that ``--add`` *text* names: CORPUS:SPLIT or a file, and possibly a projection.

    Raises CrossexamError if there is no such corpus, or if its name is that of one of the fourteen.

    >>> member = added_member("builtin:demo:two-labels")
    >>> member.key, member.rule, member.projection.name
    ('builtin_demo', 'builtin:demo: halves', 'two labels')
    """
    corpus, projection = corpus_and_projection(text)
    spec = corpus.text
    corpus.path()
    key = part_name(spec)
    if key in MEMBERS:
        raise CrossexamError(
            f"'{spec}' has the name of a corpus of the benchmark",
            where="--add",
            hint="rename the file" if Path(spec).exists() else f"--base {key} chooses that corpus",
        )
    return Member(key, spec, "added", spec, ("",), (0, 0), {}, added=True, projection=projection)


def corpus_and_projection(text: str) -> tuple[CorpusSpec, Projection | None]:
    """Return the corpus and the projection, None if it is not stated, of CORPUS[:PROJECTION].

    >>> corpus, projection = corpus_and_projection("claims.csv:two-labels")
    >>> corpus.text, projection.name
    ('claims.csv', 'two labels')
    """
    name, colon, last = text.rpartition(":")
    projection = PROJECTIONS.get(last.replace("-", " ")) if colon else None
    return CorpusSpec.parse(name if projection else text), projection


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
    declared = member.projection or projection_as_read(member.spec_of(""), member.reading)
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
                hint="leave it out, or choose another corpus with --reference",
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
