"""The grammar of corpus names; names resolve in the data folder, paths as they are; errors show the way."""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import crossexam as cx
from crossexam.constructions.pair_indexes import cached_index
from crossexam.constructions.resources import content_identity
from crossexam.corpora.catalog import catalog
from crossexam.corpora.installed import find_split
from crossexam.corpora.spec import CorpusSpec, iter_corpus
from crossexam.suites.bases import base_from_spec
from crossexam.training.data import load_data
from made.cases import each_row, refused
from made.corpora import said_of


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(Path(__file__).parents[1] / "data" / "corpora" / "snli.jsonl", path)
    return path


def test_the_path_of_a_file_is_that_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a+b.jsonl", "joci@0.5", "a[1:2]", "a]", "snli:dev+aqua:dev", "a@b[::2]+c@.5"):
        put(tmp_path / name)
        whole = list(iter_corpus(name))
        assert list(iter_corpus(f"{name}[1:3]")) == whole[1:3] != whole
        first, second, third = CorpusSpec.parse_union(f"{name}+{name}[::2]@0.5+builtin:demo")
        assert (first.file, second.file, third.name) == (Path(name), Path(name), "builtin:demo")
        assert (second.part, second.share) == (slice(None, None, 2), 0.5)
        (tmp_path / name).unlink()


def test_what_cannot_be_parsed(each_case: Callable[..., None]) -> None:
    def check(text: str, message: str) -> None:
        assert message in refused(CorpusSpec.parse, text)

    each_case(check)
    assert "a corpus is missing before or after '+'" in refused(CorpusSpec.parse_union, "snli:train+")
    assert "the slice is empty" in refused(cx.load, "builtin:demo[999:]")


def test_identity_and_whether_it_is_installed(tmp_path: Path) -> None:
    path = put(tmp_path / "snli_1.0_dev.jsonl")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    for text in ("snli:dev", "snli:dev[::2]", f"snli@{path}"):
        spec = CorpusSpec.parse(text)
        assert spec.installed()
        assert (spec.sha256(), spec.identity()) == (digest, digest[:16])
    for text in ("snli:test", str(tmp_path / "no.jsonl")):
        assert not CorpusSpec.parse(text).installed()


def test_shares_are_for_training_and_unions_for_what_takes_several() -> None:
    for read in (cx.load, lambda spec: load_data("builtin:demo", "builtin:demo", tests=[spec])):
        assert "a union of corpora cannot be used here" in refused(read, "builtin:demo+builtin:demo[::2]")
        assert "no epochs to draw a share for" in refused(read, "builtin:demo@0.5")
    for read in (cached_index, content_identity, base_from_spec):  # these take unions
        assert "no epochs to draw a share for" in refused(read, "builtin:demo+builtin:demo@0.5")


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


def test_what_is_not_there(tmp_path: Path) -> None:
    said = refused(iter_corpus, "snli:dev")  # at once, before the first example is drawn
    assert said.startswith(f"{tmp_path}: snli:dev is not installed")
    put(tmp_path / "pairs.jsonl")
    said = said_of(tmp_path / "pair.jsonl")
    assert "pair.jsonl: no such file" in said
    assert "hint: did you mean 'pairs.jsonl'? " in said
    assert "no+such.jsonl: no such file" in said_of(tmp_path / "no+such.jsonl")  # no union


def test_every_corpus_is_in_every_table() -> None:
    for name, entry in catalog().items():
        assert entry.licence, name
        assert entry.citation, name
        # what is fetched is what the name of a split is resolved to first
        firsts = {Path(split.files[0]).name for split in entry.splits.values()}
        installed = [file for download in entry.downloads for file in download.installs]
        assert len(installed) == len(set(installed) & firsts), name
        for download in entry.downloads:
            assert download.file or (download.members and entry.unpacked_limit), name
            assert download.url.startswith("https://"), name
            assert len(download.sha256 or "0" * 64) == 64, name


def test_what_is_written_by_the_grammar_is_parsed_to_its_parts() -> None:
    written: list[tuple[str, str, slice, float | None, bool]] = [
        ("snli:dev[10:99]@0.25", "snli:dev", slice(10, 99), 0.25, True),
        ("no/such.jsonl[::3]", "no/such.jsonl", slice(None, None, 3), None, False),
        ("sick@no/such.csv[:5]@.5", "sick@no/such.csv", slice(None, 5), 0.5, False),
    ]
    specs = CorpusSpec.parse_union("+".join(text for text, *_ in written))
    found = [(each.text, each.name, each.part, each.share, each.split is not None) for each in specs]
    assert found == written
