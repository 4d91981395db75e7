"""A suite as a dataset of the Hugging Face hub: the card, ``README.md``, that lies beside its test sets.

The front matter is what huggingface_hub's ``DatasetCardData`` has, with a configuration per test set, so that
``datasets`` loads the folder.  Licences and citations are those of the catalogue of corpora; of a corpus that
is not in it, the card says that they are unknown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from crossexam.constructions.construction import Construction
from crossexam.constructions.table import CONSTRUCTIONS
from crossexam.constructions.word_pair_swaps import SWAPS
from crossexam.core.dataset import Dataset, Suite
from crossexam.core.errors import CrossexamError
from crossexam.core.labels import GOLDS
from crossexam.core.manifest import CROSS_DATASET, TestSetEntry
from crossexam.core.output.escapes import escape_markdown, json_text, markdown_code
from crossexam.corpora.catalog import CatalogEntry, catalog, known_name
from crossexam.corpora.spec import CorpusSpec
from crossexam.interop.licences import UNKNOWN, licence_of
from crossexam.suites.cross_dataset_corpora import MEMBERS

CARD: Final = "README.md"
_CORPUS: Final = re.compile(r"(?:^|\|)corpus:(?P<spec>[^|]+?)(?:@[0-9a-f]{16}[^|]*)?(?:\||$)")
_CITATION: Final = re.compile(
    r"(?P<authors>.+?)\. (?P<year>\d{4})\. (?P<title>.+?[.?!]) (?P<venue>[^.;]+)\. (?P<url>https?://[^\s;]+)"
)
_STUDY: Final = re.compile(r"(?P<study>.+?)(?:, (?:section|appendix|Table|table) .*)?")
#: The paper of a construction that no paper describes, as a plug-in may be.
UNPUBLISHED: Final = "unpublished"
_MACHINE: Final = {"annotations_creators": ["machine-generated"]}
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
            f"the licence of {forbidding[0].title} forbids to hand on text that was changed "
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
    member = MEMBERS.get((entry.facts.get(CROSS_DATASET) or {}).get("key", ""))
    if member is not None:
        return [member.corpus]
    match = _CORPUS.search(entry.signature or "")
    if match is None:
        return [f"the corpus of {entry.name}"]
    return [_name_of(spec) for spec in CorpusSpec.parse_union(match["spec"])]


def _name_of(spec: CorpusSpec) -> str:
    name = (spec.corpus or "").lower()
    name = known_name(name)
    if name in catalog() and spec.file is None:
        return name
    return spec.file.name if spec.file is not None else spec.text


def dataset_card(suite: Suite) -> str:
    """Return the card of *suite*; raises CrossexamError if its test sets have no files."""
    sources = sources_of(suite)
    return "".join(
        [
            f"---\n{_yaml(front_matter(suite, sources))}---\n\n",
            f"# {escape_markdown(_title(suite))}\n\n{_about(suite, sources)}\n\n",
            *(f"> **Before you share this:** {warning}.\n\n" for warning in sources.warnings),
            f"## Test sets\n\n{_table(suite)}\n",
            f"## How they were made\n\n{_construction(suite)}\n",
            f"## Loading\n\n{_loading(suite)}\n",
            f"## Sources and licences\n\n{_licences(sources)}\n",
            f"## Citation\n\n{_citations(suite, sources)}",
        ]
    )


def front_matter(suite: Suite, sources: Sources) -> dict[str, Any]:
    """Return what the hub reads of the card; raises CrossexamError if a test set of *suite* has no file."""
    items = sum(map(len, suite))
    return {
        "pretty_name": _title(suite),
        **({} if sources.others else {"language": ["en"]}),
        "license": sources.licences,
        "task_categories": ["text-classification"],
        "task_ids": ["natural-language-inference"],
        **({} if all(dataset.entry.is_base for dataset in suite) else _MACHINE),
        "source_datasets": [f"extended|{entry.name}" for entry in sources.known]
        + (["extended|other"] if sources.others else []),
        "size_categories": [next((name for most, name in _SIZES if items < most), "100M<n<1B")],
        "tags": ["crossexam", "robustness"],
        "configs": [
            {"config_name": dataset.name, "data_files": [{"split": "test", "path": _file(dataset)}]}
            for dataset in suite
        ],
    }


def _file(dataset: Dataset) -> str:
    if dataset.entry.file is None:
        raise CrossexamError(
            "the manifest does not name its file",
            where=f"test set {dataset.name}",
            wanted="the folder of a suite that crossexam build wrote",
        )
    return dataset.entry.file


def _title(suite: Suite) -> str:
    return f"Crossexam: {suite.manifest.get('name') or suite.name}"


def _about(suite: Suite, sources: Sources) -> str:
    paper = suite.manifest.get("paper")
    study = f" They follow {paper}." if paper and paper != UNPUBLISHED else ""
    # That of a file of one's own has its path.
    signature = (
        ""
        if sources.others
        else f"\n\nSignature: {markdown_code(suite.manifest.get('signature', 'unknown'))}"
    )
    return (
        f"Test sets for models of natural language inference, built by Crossexam.{study} The labels of "
        "changed items were assigned by rules; where people judged an item, `verdict` in `info` says so."
        + signature
    )


def _table(suite: Suite) -> str:
    counts = {dataset.name: dataset.label_counts() for dataset in suite}
    labels = [label for label in (*GOLDS, "none") if any(label in each for each in counts.values())]
    names = ["no label" if label == "none" else label for label in labels]
    rows = [["test set", "items", *names, "compared with"], ["---", *["---:"] * (len(names) + 1), "---"]]
    for dataset in suite:
        found = counts[dataset.name]
        shares = [f"{100 * found.get(label, 0) / max(1, len(dataset)):.1f} %" for label in labels]
        compared = _cell(dataset.entry.base_set) if dataset.entry.base_set else ""
        rows.append([_cell(dataset.name), f"{len(dataset):,}", *shares, compared])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _cell(name: str) -> str:
    return markdown_code(name).replace("|", r"\|")


def _construction(suite: Suite) -> str:
    lines = []
    for entry in dict.fromkeys(dataset.entry.versioned for dataset in suite):
        made = _made_by(next(dataset.entry for dataset in suite if dataset.entry.versioned == entry))
        summary = "examples of a corpus, unchanged" if made is None else made.summary
        paper = f" ({made.paper})" if made is not None and made.paper else ""
        lines.append(f"- {markdown_code(entry)}: {summary}{paper}\n")
    return (
        f"{''.join(lines)}\nEach item names the example that it was made from (`base`) and every edit "
        "(`edits`): offsets, old text and new text. `manifest.json` has the signature of each test set: "
        "corpus, version, options and seed.\n"
    )


def _made_by(entry: TestSetEntry) -> Construction | None:
    return CONSTRUCTIONS.get(entry.construction) or SWAPS.get(entry.construction)


def _loading(suite: Suite) -> str:
    dataset = list(suite)[-1]
    reader = "read_parquet" if _file(dataset).endswith(".parquet") else "read_ndjson"
    return f"""```python
from datasets import load_dataset
import polars as pl

load_dataset("FOLDER-or-ID", {json.dumps(dataset.name)}, split="test")
pl.{reader}({json.dumps(_file(dataset))})
```

`crossexam run MODEL FOLDER -o RUN` runs a model over all of them.
"""


def _licences(sources: Sources) -> str:
    lines = [f"- {_linked(each)}: {each.licence}\n" for each in sources.known]
    return "".join([*lines, *(f"- {escape_markdown(name)}: licence unknown\n" for name in sources.others)])


def _linked(entry: CatalogEntry) -> str:
    return f"[{entry.title}]({entry.homepage})" if entry.homepage else entry.title


def _citations(suite: Suite, sources: Sources) -> str:
    lines = [f"- {study}\n" for study in _studies(suite)]
    lines += [f"- {each.citation}\n" for each in sources.known]
    entries = [entry for each in sources.known if (entry := bibtex(each.name, each.citation)) is not None]
    shown = "\n".join(["```bibtex", *entries, "```\n"]) if entries else ""
    return f"{''.join(lines)}\n{shown}"


def _studies(suite: Suite) -> list[str]:
    """Return the papers of the suite and of its constructions, each once and without the section."""
    papers = [str(suite.manifest.get("paper") or "")]
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


def bibtex(key: str, citation: str) -> str | None:
    """Return a *citation* of the catalogue as an entry of BibTeX, None if it is not of one publication.

    >>> print(bibtex("x", "Ann Lee and Bo Li. 2018. On rain. ACL. https://example.org/x"))
    @misc{x,
      author = {Ann Lee and Bo Li},
      year = {2018},
      title = {On rain},
      howpublished = {ACL},
      url = {https://example.org/x},
    }
    """
    match = _CITATION.fullmatch(citation)
    if match is None:
        return None
    fields = {
        "author": match["authors"].replace(", ", " and "),
        "year": match["year"],
        "title": match["title"].removesuffix("."),
        "howpublished": match["venue"],
        "url": match["url"],
    }
    lines = [f"  {name} = {{{value}}},\n" for name, value in fields.items()]
    return f"@misc{{{key},\n{''.join(lines)}}}"


def _yaml(entries: Mapping[str, Any]) -> str:
    return "".join(f"{line}\n" for line in _yaml_lines(entries))


def _yaml_lines(value: Any) -> Iterator[str]:
    """Yield a mapping or list as YAML; its texts are written as JSON, which YAML has too."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if isinstance(inner, str):
                yield f"{key}: {json_text(inner)}"
            else:
                yield f"{key}:"
                yield from _yaml_lines(inner)
    else:
        for each in value:
            yield from _item_lines([json_text(each)] if isinstance(each, str) else _yaml_lines(each))


def _item_lines(lines: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield f"{'  ' if number else '- '}{line}"
