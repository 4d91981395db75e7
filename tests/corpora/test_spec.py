"""Names of corpora resolve in the data folder; paths are taken as they are; errors show the way."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.corpora.catalog import catalog
from crossexam.corpora.reading import iter_corpus, load
from crossexam.corpora.spec import CORPORA, SPLITS, data_folder, find_split, list_corpora, source_of

DATA = Path(__file__).parents[1] / "data" / "corpora"


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(DATA / "snli.jsonl", path)
    return path


@pytest.mark.parametrize("place", ["snli", "", "snli_1.0", "downloads/snli_1.0"])
def test_a_split_is_found_in_sensible_places(place: str, tmp_path: Path) -> None:
    path = put(tmp_path / place / "snli_1.0_dev.jsonl")
    source = source_of("snli:dev", data_dir=tmp_path)
    assert (source.path, source.name, source.part, source.corpus) == (path, "snli:dev", "dev", "snli")


def test_the_corpus_folder_goes_before_others_and_json_lines_before_text(tmp_path: Path) -> None:
    put(tmp_path / "a" / "snli_1.0_dev.jsonl")
    put(tmp_path / "snli" / "snli_1.0_dev.txt")
    assert source_of("snli:dev", data_dir=tmp_path).path == tmp_path / "a" / "snli_1.0_dev.jsonl"
    best = put(tmp_path / "snli" / "snli_1.0_dev.jsonl")
    assert source_of("snli:dev", data_dir=tmp_path).path == best


def test_hidden_folders_are_not_looked_into(tmp_path: Path) -> None:
    put(tmp_path / ".crossexam" / "snli_1.0_dev.jsonl")
    assert find_split("snli", "dev", tmp_path) is None


@pytest.mark.parametrize(
    ("spec", "file"),
    [
        ("snli:validation", "snli_1.0_dev.jsonl"),
        ("SNLI:Test", "snli_1.0_test.jsonl"),
        ("multinli:matched", "multinli_1.0_dev_matched.jsonl"),
        ("mnli:validation_mismatched", "multinli_1.0_dev_mismatched.jsonl"),
        ("aqua_rat:train", "aqua_train.json"),
        ("aqua:dev", "AQuA/dev.json"),
    ],
)
def test_other_names_of_corpora_and_splits(spec: str, file: str, tmp_path: Path) -> None:
    path = put(tmp_path / file)
    assert source_of(spec, data_dir=tmp_path).path == path


def test_the_data_folder_is_the_variable_or_the_platforms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CROSSEXAM_DATA", str(tmp_path))
    put(tmp_path / "snli_1.0_test.jsonl")
    assert load("snli:test").manifest["licence"] == "CC BY-SA 4.0"
    monkeypatch.delenv("CROSSEXAM_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    assert data_folder().name == "crossexam"


def test_a_manifest_of_a_named_corpus_has_licence_and_citation(tmp_path: Path) -> None:
    put(tmp_path / "snli_1.0_dev.jsonl")
    manifest = load("snli:dev", data_dir=tmp_path).manifest
    assert (manifest["name"], manifest["part"], manifest["spec"]) == ("snli:dev", "dev", "snli:dev")
    assert "Bowman" in manifest["citation"]
    assert len(manifest["sha256"]) == 64


def test_a_split_that_is_not_installed(tmp_path: Path) -> None:
    with pytest.raises(CrossexamError) as caught:
        iter_corpus("snli:dev", data_dir=tmp_path)  # at once, before the first example is drawn
    assert str(caught.value) == (
        f"{tmp_path}: snli:dev is not installed\n"
        "  wanted: snli_1.0_dev.jsonl or snli_1.0_dev.txt, there or up to two folders down\n"
        "  hint: crossexam fetch snli, or give the path of a file, or set CROSSEXAM_DATA"
    )


def test_unknown_names(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"no corpus is called 'snlu'\n  hint: did you mean 'snli'"):
        source_of("snlu:dev", data_dir=tmp_path)
    with pytest.raises(
        UnknownNameError, match=r"split of multinli is called 'dev'\n  hint: there are: train, dev_m"
    ):
        source_of("multinli:dev", data_dir=tmp_path)
    for spec in ("snli", "snli:"):
        with pytest.raises(
            CrossexamError, match="which split\n  wanted: snli:train or snli:dev or snli:test"
        ):
            source_of(spec, data_dir=tmp_path)


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(
        CrossexamError, match=r"x\.jsonl: no such file\n  wanted: a file, or CORPUS:SPLIT with one of snli, m"
    ):
        source_of(tmp_path / "x.jsonl")


def test_a_file_goes_before_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "snli:dev")
    assert source_of("snli:dev").path == Path("snli:dev")


@pytest.mark.parametrize("split", SPLITS["builtin"])
def test_builtin_corpora_come_with_the_package(split: str) -> None:
    path = find_split("builtin", split, Path("/nowhere"))
    if path is None:
        pytest.skip(f"builtin:{split} is not part of this source tree")
    examples = load(f"builtin:{split}").examples
    assert len({example.id for example in examples}) == len(examples) > 0


def test_ls_lists_what_is_installed(tmp_path: Path) -> None:
    put(tmp_path / "snli_1.0_dev.jsonl")
    listed = {entry.name: entry for entry in list_corpora(data_dir=tmp_path)}
    assert list(listed) == list(CORPORA)
    assert (listed["snli"].installed, listed["multinli"].installed) == (True, False)
    assert listed["snli"].files == {"train": None, "dev": tmp_path / "snli_1.0_dev.jsonl", "test": None}
    assert listed["aqua"].licence == "Apache-2.0"


@pytest.mark.parametrize("name", CORPORA)
def test_every_corpus_is_in_every_table(name: str) -> None:
    entry = catalog()[name]
    assert entry.licence
    assert entry.citation
    assert set(entry.splits) <= set(SPLITS[name])
    installed = [file for download in entry.downloads for file in download.installs]
    assert len(installed) == len(set(installed))
    for file in installed:
        # what is fetched is what the name of a split is resolved to first
        assert any(file == Path(candidates[0]).name for candidates in SPLITS[name].values())
    if entry.downloads:
        assert all(download.members or download.file for download in entry.downloads)
        assert entry.unpacked_limit or not any(download.members for download in entry.downloads)
        assert all(download.url.startswith("https://") for download in entry.downloads)
        assert all(len(download.sha256 or "0" * 64) == 64 for download in entry.downloads)


def test_catalogue_agrees_with_the_recorded_downloads(shared_data: Path) -> None:
    recorded = json.loads((shared_data / "download_checksums.json").read_text(encoding="utf-8"))
    for name, key in (
        ("snli", "snli/plain_text"),
        ("multinli", "multi_nli/default"),
        ("aqua", "aqua_rat/raw"),
    ):
        theirs = [(item["bytes"], item["sha256"]) for item in recorded[key]["downloads"]]
        assert [(item.size, item.sha256) for item in catalog()[name].downloads] == theirs
