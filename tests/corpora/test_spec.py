"""The grammar of corpus names; names resolve in the data folder, paths as they are; errors show the way."""

from __future__ import annotations

import hashlib
import json
import shutil
import string
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import crossexam as cx
from crossexam.constructions.pair_indexes import cached_index
from crossexam.constructions.resources import LanguageResources, content_identity, counts_from
from crossexam.core.errors import UnknownNameError
from crossexam.corpora.catalog import catalog
from crossexam.corpora.installed import data_folder, find_split
from crossexam.corpora.reading import Reading
from crossexam.corpora.spec import CorpusSpec, iter_corpus, read_corpus, reading_among
from crossexam.suites.bases import base_from_spec
from crossexam.training.data import load_data
from made.cases import each_row

SPLIT_NAMES = [f"{corpus}:{split}" for corpus, entry in catalog().items() for split in entry.splits]
DATA = Path(__file__).parents[1] / "data" / "corpora"


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(DATA / "snli.jsonl", path)
    return path


numbers = st.one_of(st.just(""), st.integers(0, 9999).map(str))
slices = st.one_of(
    st.just(""),
    st.builds("[{}:{}]".format, numbers, numbers),
    st.builds("[{}:{}:{}]".format, numbers, numbers, st.one_of(st.just(""), st.integers(1, 99).map(str))),
)
shares = st.one_of(st.none(), st.integers(1, 99))
words = st.text(string.ascii_letters + string.digits + "_-", min_size=2, max_size=8).map(lambda w: f"no{w}")
names = st.one_of(
    st.sampled_from(SPLIT_NAMES),
    st.builds("{}/{}.jsonl".format, words, words),
    st.builds("{}@{}/{}.csv".format, st.sampled_from(sorted(catalog())), words, words),
)
corpora = st.tuples(names, slices, shares)


@given(st.lists(corpora, min_size=1, max_size=4))
def test_what_is_written_by_the_grammar_is_parsed_to_its_parts(
    written: list[tuple[str, str, int | None]],
) -> None:
    texts = [name + part + ("" if share is None else f"@{share / 100:.2f}") for name, part, share in written]
    specs = CorpusSpec.parse_union("+".join(texts))
    assert [spec.text for spec in specs] == texts
    for spec, (name, part, share) in zip(specs, written, strict=True):
        assert spec.name == name
        assert spec.share == (None if share is None else pytest.approx(share / 100))
        fields = [int(number) if number else None for number in part.strip("[]").split(":")] if part else []
        assert spec.part == (slice(*fields) if fields else slice(None))
        assert (spec.split is not None) == (name in SPLIT_NAMES)
        if share is None:
            assert CorpusSpec.parse(spec.text) == spec


STRANGE = (
    *("a+b.jsonl", "a@0.5", "joci@0.5", "a[1:2]", "a]", "snli:dev"),
    *("snli:dev+aqua:dev", "a@b[::2]+c@.5"),
)


def test_the_path_of_a_file_is_that_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, for_each: Callable[..., None]
) -> None:
    monkeypatch.chdir(tmp_path)

    def check(name: str) -> None:
        put(tmp_path / name)
        whole = list(iter_corpus(name))
        assert list(iter_corpus(f"{name}[1:3]")) == whole[1:3] != whole
        first, second, third = CorpusSpec.parse_union(f"{name}+{name}[::2]@0.5+builtin:demo")
        assert (first.file, second.file, third.name) == (Path(name), Path(name), "builtin:demo")
        assert (second.part, second.share) == (slice(None, None, 2), 0.5)
        (tmp_path / name).unlink()

    for_each(check, STRANGE)


def test_what_cannot_be_parsed(each_case: Callable[..., None], refused: Callable[..., str]) -> None:
    def check(text: str, message: str) -> None:
        assert message in refused(CorpusSpec.parse, text)

    each_case(check)
    for text in ("snli:train+", "+snli:train", "snli:train++aqua:dev"):
        assert "a corpus is missing before or after '+'" in refused(CorpusSpec.parse_union, text)


def test_identity_and_whether_it_is_installed(tmp_path: Path) -> None:
    path = put(tmp_path / "snli_1.0_dev.jsonl")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    for text in ("snli:dev", "snli:dev[::2]", str(path), f"snli@{path}"):
        spec = CorpusSpec.parse(text)
        assert spec.installed()
        assert (spec.sha256(), spec.identity()) == (digest, digest[:16])
    for text in ("snli:test", str(tmp_path / "no.jsonl"), f"snli@{tmp_path}"):
        assert not CorpusSpec.parse(text).installed()
    with pytest.raises(UnknownNameError):
        CorpusSpec.parse("snlu:dev").installed()


def test_every_verb_reads_slices(refused: Callable[..., str]) -> None:
    half = cx.load("builtin:demo[::2]")
    assert half.examples == cx.load("builtin:demo").examples[::2]
    of_spec, of_dataset = cx.build("negation", "builtin:demo[::2]"), cx.build("negation", half)
    assert {each.name: each.examples for each in of_spec} == {each.name: each.examples for each in of_dataset}
    assert "the slice is empty" in refused(cx.load, "builtin:demo[999:]")


NO_SHARE, NO_UNION = "no epochs to draw a share for", "a union of corpora cannot be used here"
#: What reads one corpus, and with which message it refuses a union that has no share.
ONE_CORPUS: list[tuple[Callable[[str], object], str]] = [
    (cx.load, NO_UNION),
    (lambda spec: counts_from(spec, LanguageResources("nltk")), NO_UNION),
    (lambda spec: load_data("builtin:demo", spec), NO_UNION),
    (lambda spec: load_data("builtin:demo", "builtin:demo", tests=[spec]), NO_UNION),
    (cached_index, ""),  # these take unions
    (content_identity, ""),
    (base_from_spec, ""),
]


def test_shares_are_for_training_and_unions_for_what_takes_several(refused: Callable[..., str]) -> None:
    for read, of_union in ONE_CORPUS:
        assert NO_SHARE in refused(read, "builtin:demo@0.5")
        whole = "builtin:demo+builtin:demo"
        assert (of_union or NO_SHARE) in refused(read, f"{whole}[::2]" if of_union else f"{whole}@0.5")
        assert "the closing bracket" in refused(read, "builtin:demo[:5" if of_union else f"{whole}[:5")


def test_a_split_is_found_in_sensible_places(tmp_path: Path) -> None:
    for place in ("snli", "", "snli_1.0", "downloads/snli_1.0"):
        path = put(tmp_path / place / "snli_1.0_dev.jsonl")
        file = CorpusSpec.parse("snli:dev").locate()
        assert (file.path, file.name, file.part, file.corpus) == (path, "snli:dev", "dev", "snli")
        path.unlink()
    put(tmp_path / ".crossexam" / "snli_1.0_dev.jsonl")  # a hidden folder is not looked into
    assert find_split("snli", "dev", tmp_path) is None
    # each goes before the last: JSON lines before text, and the folder of the corpus before others
    for better in ("snli/snli_1.0_dev.txt", "a/snli_1.0_dev.jsonl", "snli/snli_1.0_dev.jsonl"):
        path = put(tmp_path / better)
        assert CorpusSpec.parse("snli:dev").path() == path


@each_row
def test_other_names_of_corpora_and_splits(spec: str, file: str, *, tmp_path: Path) -> None:
    path = put(tmp_path / file)
    assert CorpusSpec.parse(spec).path() == path


def test_the_data_folder_is_the_variable_or_the_platforms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "snli_1.0_dev.jsonl")
    manifest = read_corpus("snli:dev").manifest
    assert (manifest["name"], manifest["part"], manifest["spec"]) == ("snli:dev", "dev", "snli:dev")
    assert (manifest["licence"], "Bowman" in manifest["citation"]) == ("CC BY-SA 4.0", True)
    monkeypatch.delenv("CROSSEXAM_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    assert data_folder().name == "crossexam"


def test_what_is_not_there(tmp_path: Path, refused: Callable[..., str], said_of: Callable[..., str]) -> None:
    said = refused(iter_corpus, "snli:dev")  # at once, before the first example is drawn
    assert said.startswith(f"{tmp_path}: snli:dev is not installed")
    put(tmp_path / "pairs.jsonl")
    for name, hint in (("pair.jsonl", "did you mean 'pairs.jsonl'? "), ("no+such.jsonl", "")):  # no union
        assert f"{name}: no such file" in said_of(tmp_path / name)
        assert f"hint: {hint}crossexam ls corpora" in said_of(tmp_path / name)


def test_a_folder_is_no_file_that_options_of_reading_are_for(tmp_path: Path) -> None:
    for beside, files_only in ((tmp_path, False), (tmp_path / "pairs.jsonl", True)):
        assert reading_among(["snli:dev", str(beside)], Reading()).files_only is files_only


def test_every_corpus_is_in_every_table(for_each: Callable[..., None]) -> None:
    def check(name: str) -> None:
        entry = catalog()[name]
        assert entry.licence
        assert entry.citation
        # what is fetched is what the name of a split is resolved to first
        firsts = {Path(split.files[0]).name for split in entry.splits.values()}
        installed = [file for download in entry.downloads for file in download.installs]
        assert len(installed) == len(set(installed) & firsts)
        assert entry.unpacked_limit or not any(download.members for download in entry.downloads)
        for download in entry.downloads:
            assert download.members or download.file
            assert download.url.startswith("https://")
            assert len(download.sha256 or "0" * 64) == 64

    for_each(check, catalog())


def test_catalogue_agrees_with_the_recorded_downloads(shared_data: Path) -> None:
    recorded = json.loads((shared_data / "download_checksums.json").read_text(encoding="utf-8"))
    keys = {"snli": "snli/plain_text", "multinli": "multi_nli/default", "aqua": "aqua_rat/raw"}
    for name, key in keys.items():
        theirs = [(item["bytes"], item["sha256"]) for item in recorded[key]["downloads"]]
        assert [(item.size, item.sha256) for item in catalog()[name].downloads] == theirs
