"""Build the suite ``behaviour`` into a folder (Sanchez Carmona et al. 2018, section 5).

The index of word pairs over a training corpus, counted once and then kept in a cache.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crossexam.constructions.pair_matching import PairTable
from crossexam.constructions.resources import Resources
from crossexam.constructions.word_pair_swaps import SETS, Workshop, make_sets
from crossexam.core.dataset import ContentHash
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import Example
from crossexam.core.files import sha256_of, write_json
from crossexam.core.manifest import package_version, signature
from crossexam.core.progress import Progress, silent
from crossexam.core.randomness import rng_for
from crossexam.core.test_sets import write_test_set
from crossexam.corpora.spec import CorpusSpec
from crossexam.language.lexicons.word_pairs import WordPair, read_pairs
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.lexicons.wordnet_pairs import wordnet_pairs
from crossexam.suites.bases import Base, describe, distinct_parts
from crossexam.suites.folder import MANIFEST, stands_there

if TYPE_CHECKING:
    from crossexam.language.word_pair_index import WordPairIndex

NAME: Final = "behaviour"
PAPER: Final = "Sanchez Carmona et al. 2018, Behavior Analysis of NLI Models (N18-1179), section 5"
RELATIONS: Final = ("antonym", "hypernym")
WORDNET: Final = "wordnet"
_FORMAT: Final = 1


@dataclass(frozen=True)
class BehaviourRequest:
    """Which training corpora (*bases*), which word pairs, how many controls at most of either kind.

    *pairs* has files (or ``wordnet``) by relation, antonym and hypernym; *index* is the corpus that pairs are
    seen or unseen in, where it is not the base: the training corpus of the models to be run.
    """

    bases: Sequence[Base]
    pairs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    index: str | None = None
    seed: int = 0
    file_format: str = "parquet"
    tagger: str = "auto"
    controls: int | None = None
    limit: int | None = None

    def lists(self) -> dict[str, tuple[str, ...]]:
        """Return the lists of either relation; raises UnknownNameError for another one."""
        for relation in self.pairs:
            if relation not in RELATIONS:
                raise UnknownNameError("relation of swaps", relation, RELATIONS)
        return {relation: tuple(self.pairs.get(relation) or (WORDNET,)) for relation in RELATIONS}

    def identity(self) -> dict[str, Any]:
        """Return what the built bytes depend on."""
        lists = {
            relation: [
                name if name == WORDNET else f"{Path(name).name}@{sha256_of(Path(name))[:16]}"
                for name in names
            ]
            for relation, names in self.lists().items()
        }
        return {
            "suite": NAME,
            "bases": [f"{base.spec}@{base.identity}" for base in self.bases],
            "pairs": lists,
            "index": self.index,
            "seed": self.seed,
            "format": self.file_format,
            "annotator": self.tagger,
            "controls": self.controls,
            "limit": self.limit,
            "version": package_version(),
        }


def write_behaviour(
    request: BehaviourRequest, folder: Path, *, force: bool = False, progress: Progress = silent
) -> bool:
    """Write the ten sets of each base into *folder*, the manifest last; return False where they stand there.

    Raises CrossexamError.
    """
    distinct_parts(request.bases)
    tables = pair_tables(request.lists())
    identity = request.identity()
    if stands_there(identity, folder, force=force):
        return False
    entries: dict[str, Any] = {}
    for base in request.bases:
        workshop = _made(request, base, tables, progress)
        if not workshop.labelled:
            raise CrossexamError(
                "no example has one of the three labels",
                where=base.spec,
                wanted="a training corpus with entailment, neutral and contradiction",
            )
        if not any(workshop.items.values()):
            raise CrossexamError(
                "no example has a pair of the lists, one word in each sentence",
                where=base.spec,
                hint="other lists: --pairs antonym=FILE, --pairs hypernym=FILE",
            )
        for name, items in chosen(workshop.items, request.controls, request.seed).items():
            file = f"{name}.{base.part}.{request.file_format}"
            write_test_set(folder / file, items, file_format=request.file_format)
            entries[f"{name}.{base.part}"] = {
                "file": file,
                **_entry(request, base, name, items, workshop, identity),
            }
    write_json(
        folder / MANIFEST,
        {
            "format": _FORMAT,
            "name": NAME,
            "paper": PAPER,
            "signature": signature(
                {"suite": NAME, "bases": "+".join(identity["bases"]), "seed": request.seed}
            ),
            "request": identity,
            "bases": [describe(base) for base in request.bases],
            "test_sets": entries,
        },
    )
    return True


def pair_tables(lists: Mapping[str, Sequence[str]]) -> dict[str, PairTable]:
    """Return the word pairs of either relation; raises CrossexamError where a list has none of it."""
    wordnet = WordNet.load()
    tables = {}
    for relation in RELATIONS:
        found: list[WordPair] = []
        for name in lists[relation]:
            read = (
                wordnet_pairs("antonym" if relation == "antonym" else "hypernym", wordnet)
                if name == WORDNET
                else read_pairs(Path(name), relation)
            )
            kinds = {relation} if relation == "antonym" else {"hypernym", "hyponym"}
            fitting = [pair for pair in read if pair.relation in kinds]
            if not fitting:
                raise CrossexamError(
                    f"no {relation} pairs", where=name, hint="is it the list of another relation?"
                )
            found += fitting
        tables[relation] = PairTable(found)
    return tables


def _made(
    request: BehaviourRequest, base: Base, tables: Mapping[str, PairTable], progress: Progress
) -> Workshop:
    index = cached_index(request.index or base.spec, progress=progress)
    resources = Resources(request.tagger)
    workshop = Workshop(tables["antonym"], tables["hypernym"], index, resources, request.seed)
    make_sets(base.open(), workshop, progress)
    return workshop


def chosen(
    items: Mapping[str, Sequence[Example]], controls: int | None, seed: int
) -> dict[str, list[Example]]:
    """Return *items* by set: of either kind at most *controls* controls, drawn, and what is made of them."""
    if controls is None:
        return {name: list(each) for name, each in items.items()}
    kept: set[str] = set()
    found: dict[str, list[Example]] = {}
    for name, kind in SETS.items():  # a control set stands before what is made of it
        if kind.control is None:
            ranked = sorted(items[name], key=lambda item: rng_for(seed, "controls", item.id).random())
            drawn = {item.id for item in ranked[:controls]}
            found[name] = [item for item in items[name] if item.id in drawn]
        else:
            found[name] = [item for item in items[name] if item.base in kept]
        kept |= {item.id for item in found[name]}
    return found


def _entry(
    request: BehaviourRequest,
    base: Base,
    name: str,
    items: Sequence[Example],
    workshop: Workshop,
    identity: Mapping[str, Any],
) -> dict[str, Any]:
    kind, running = SETS[name], ContentHash()
    for item in items:
        running.update(item)
    parts: dict[str, object] = {
        "corpus": f"{base.spec}@{base.identity}",
        "construction": f"{name}.v1",
        "seed": request.seed,
        "pairs": "+".join(each for lists in identity["pairs"].values() for each in lists),
        "annotator": workshop.resources.tagger.name,
        "wordnet": workshop.resources.wordnet.version,
    }
    for key, value in (("index", request.index), ("controls", request.controls), ("limit", request.limit)):
        parts |= {key: value} if value is not None else {}
    return {
        "construction": f"{name}.v1",
        "part": base.part,
        "base_set": f"{kind.control}.{base.part}" if kind.control else None,
        "keeps_label": kind.keeps_label,
        "paired": True,
        "test_class": "behaviour",
        "rows": len(items),
        "content_hash": running.hexdigest(),
        "signature": signature(parts),
        "yield": _yield(workshop, name, len(items)),
    }


def _yield(workshop: Workshop, name: str, items: int) -> dict[str, Any]:
    counts = workshop.counts[name].as_dict()
    left = counts["items"] - items
    if left:
        counts["rejected"] = {**counts["rejected"], "not drawn (--controls)": left}
    return counts | {"items": items}


def cached_index(
    spec: str,
    *,
    cache_folder: Path | None = None,
    data_dir: Path | None = None,
    progress: Progress = silent,
) -> WordPairIndex:
    """Return the word-pair index of the corpus *spec*, or of a slice of one (:class:`CorpusSpec`).

    The index is cached in the user's cache (or *cache_folder*) under the hash of the corpus's file, the
    slice, and the versions of the tokenizer and of the index format, so a changed corpus is counted again.
    Raises CrossexamError if the corpus cannot be found.
    """
    from crossexam.language.word_pair_index import WordPairIndex

    corpus = CorpusSpec.parse(spec)
    sha256 = corpus.sha256(data_dir=data_dir)
    folder = (cache_folder or _cache_folder()) / _folder_name(sha256, corpus.part)
    if not folder.exists():
        # a slice is of the labelled examples
        examples = corpus.examples(drop_no_gold=corpus.is_slice, data_dir=data_dir)
        source = {"spec": spec, "sha256": sha256}
        index = WordPairIndex.build(examples, source=source, progress=progress)
        with suppress(CrossexamError):  # another process was first: what it kept is the same
            index.save(folder)
    return WordPairIndex.load(folder)


def _folder_name(identity: str, part: slice) -> str:
    """Return what the index is kept as: what its counts depend on."""
    from crossexam.language.word_pair_index import FORMAT, TOKENIZER

    key = "\x1f".join((identity, str(part), TOKENIZER, str(FORMAT)))
    return f"{identity[:16]}-{hashlib.blake2b(key.encode(), digest_size=6).hexdigest()}"


def _cache_folder() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("crossexam") / "word_pairs"
