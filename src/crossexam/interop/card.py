"""A suite as a dataset of the Hugging Face hub: the card, ``README.md``, that lies beside its test sets.

The front matter is huggingface_hub's, with a configuration per test set, so that ``datasets`` loads the
folder; the text is in ``layouts/card.md.j2``.  Licences and citations are those of the catalogue of corpora;
of a corpus that is not in it, the card says that they are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final

from crossexam.constructions.entry import Construction
from crossexam.constructions.table import CONSTRUCTIONS, SWAPS
from crossexam.core.dataset import Dataset, Suite
from crossexam.core.errors import CrossexamError
from crossexam.core.labels import GOLDS
from crossexam.core.manifest import CROSS_DATASET, TestSetEntry
from crossexam.core.output.escapes import escape_markdown, visible
from crossexam.corpora.catalog import CatalogEntry, Publication, catalog, known_name
from crossexam.corpora.spec import CorpusSpec
from crossexam.interop.layout import filled
from crossexam.interop.licences import UNKNOWN, licence_of
from crossexam.suites.cross_dataset_corpora import MEMBERS

if TYPE_CHECKING:
    from huggingface_hub import DatasetCardData

CARD: Final = "README.md"
_CORPUS: Final = re.compile(r"(?:^|\|)corpus:(?P<spec>[^|]+?)(?:@[0-9a-f]{16}[^|]*)?(?:\||$)")
_STUDY: Final = re.compile(r"(?P<study>.+?)(?:, (?:section|appendix|Table|table) .*)?")
#: The paper of a construction that no paper describes, as a plug-in may be.
UNPUBLISHED: Final = "unpublished"
_SIZES: Final = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
    (100_000_000, "10M<n<100M"),
)


@dataclass(frozen=True)
class Sources:
    """The corpora that a suite was built from: those that are in the catalogue, and the names of *others*."""

    known: Sequence[CatalogEntry]
    others: Sequence[str]

    @property
    def licences(self) -> list[str]:
        """The identifiers of their licences at the hub, each once."""
        found = [licence_of(entry.licence).identifier for entry in self.known]
        return list(dict.fromkeys([*found, *([UNKNOWN] if self.others else [])]))

    @property
    def warnings(self) -> list[str]:
        """What one must know before handing the text of these corpora on."""
        found = [
            f"{entry.title} (licence: {entry.licence}): {must_know}"
            for entry in self.known
            if (must_know := licence_of(entry.licence).must_know)
        ]
        unknown = "its licence is unknown to Crossexam: make sure that you may redistribute its text"
        return found + [f"{escape_markdown(name)}: {unknown}" for name in self.others]


def refuse_forbidden_changes(suite: Suite, sources: Sources) -> None:
    """Raise CrossexamError if *suite* has changed items and a corpus of it must not be shared changed."""
    forbidding = [each for each in sources.known if licence_of(each.licence).forbids_changes]
    if forbidding and not all(dataset.entry.is_base for dataset in suite):
        raise CrossexamError(
            f"the licence of {forbidding[0].title} forbids redistributing changed text "
            f"({forbidding[0].licence})",
            where=suite.name,
            wanted="a suite of corpora whose licences permit changes",
            hint="share the commands that build the suite instead; --with-permission if the owners of the "
            "corpus permit it",
        )


def sources_of(suite: Suite) -> Sources:
    """Return the corpora whose text is in *suite*, by the signatures of its test sets."""
    names = dict.fromkeys(chain.from_iterable(_corpora(dataset.entry) for dataset in suite))
    known = {entry.title: entry for name in names if (entry := catalog().get(name)) is not None}
    return Sources(list(known.values()), [name for name in names if name not in catalog()])


def _corpora(entry: TestSetEntry) -> list[str]:
    """Return the names of its corpora in the catalogue, or else what the test set says of them."""
    member = MEMBERS.get(entry.about(CROSS_DATASET).get("key", ""))
    if member is not None:
        return [member.corpus]
    match = _CORPUS.search(entry.signature or "")
    if match is None:
        return [f"the corpus of {entry.name}"]
    return [_name_of(spec) for spec in CorpusSpec.parse_union(match["spec"])]


def _name_of(spec: CorpusSpec) -> str:
    name = known_name((spec.corpus or "").lower())
    if name in catalog() and spec.file is None:
        return name
    return spec.file.name if spec.file is not None else spec.text


def dataset_card(suite: Suite) -> str:
    """Return the card of *suite*; raises CrossexamError if its test sets have no files."""
    sources, counts = sources_of(suite), [dataset.label_counts() for dataset in suite]
    paper = suite.manifest.paper
    return filled(
        "card.md.j2",
        front_matter=front_matter(suite, sources).to_yaml(),
        title=_title(suite),
        paper=paper if paper != UNPUBLISHED else None,
        # That of a file of one's own has its path.
        signature=None if sources.others else suite.manifest.signature or "unknown",
        sources=sources,
        test_sets=list(suite),
        files=[_file(dataset) for dataset in suite],
        labels=[label for label in (*GOLDS, "none") if any(label in each for each in counts)],
        constructions={dataset.entry.versioned: _made_by(dataset.entry) for dataset in suite},
        studies=_studies(suite),
        bibtex="\n".join(
            bibtex(f"{entry.name}-{number}" if number > 1 else entry.name, publication)
            for entry in sources.known
            for number, publication in enumerate(entry.publications, 1)
        ),
    )


def front_matter(suite: Suite, sources: Sources) -> DatasetCardData:
    """Return what the hub reads of the card; raises CrossexamError if a test set of *suite* has no file.

    Names are as the text shows them: with escapes of characters that control how others are shown.
    """
    from huggingface_hub import DatasetCardData

    items = sum(map(len, suite))
    is_changed = not all(dataset.entry.is_base for dataset in suite)
    extended = [*(entry.name for entry in sources.known), *(["other"] if sources.others else [])]
    return DatasetCardData(
        pretty_name=visible(_title(suite)),
        language=None if sources.others else ["en"],
        license=sources.licences,
        task_categories=["text-classification"],
        task_ids=["natural-language-inference"],
        annotations_creators=["machine-generated"] if is_changed else None,
        source_datasets=[f"extended|{name}" for name in extended],
        size_categories=[next((name for most, name in _SIZES if items < most), "100M<n<1B")],
        tags=["crossexam", "robustness"],
        configs=[
            {"config_name": visible(each.name), "data_files": [{"split": "test", "path": _file(each)}]}
            for each in suite
        ],
    )


def _file(dataset: Dataset) -> str:
    if dataset.entry.file is None:
        raise CrossexamError(
            "the manifest does not name its file",
            where=f"test set {dataset.name}",
            wanted="the folder of a suite that crossexam build wrote",
        )
    return dataset.entry.file


def _title(suite: Suite) -> str:
    return f"Crossexam: {suite.manifest.name or suite.name}"


def _made_by(entry: TestSetEntry) -> Construction | None:
    return CONSTRUCTIONS.get(entry.construction) or SWAPS.get(entry.construction)


def _studies(suite: Suite) -> list[str]:
    """Return the papers of the suite and of its constructions, each once and without the section."""
    papers = [suite.manifest.paper or ""]
    papers += [made.paper for dataset in suite if (made := _made_by(dataset.entry)) is not None]
    found: list[str] = []
    for paper in papers:
        match = _STUDY.fullmatch(paper)
        if (
            match
            and match["study"] not in ("Crossexam", UNPUBLISHED)
            and not any(each.startswith(match["study"]) for each in found)
        ):
            found.append(match["study"])
    return found


def bibtex(key: str, publication: Publication) -> str:
    """Return *publication* as an entry of BibTeX.

    >>> print(bibtex("x", Publication(("Ann Lee", "Bo Li"), 2018, "On rain", "ACL", "https://example.org/x")))
    @misc{x,
      author = {Ann Lee and Bo Li},
      year = {2018},
      title = {On rain},
      howpublished = {ACL},
      url = {https://example.org/x},
    }
    """
    fields = {
        "author": " and ".join(publication.authors),
        "year": publication.year,
        "title": publication.title,
        "howpublished": publication.venue,
        "url": publication.url,
    }
    lines = [f"  {name} = {{{value}}},\n" for name, value in fields.items() if value]
    return f"@misc{{{key},\n{''.join(lines)}}}"
