"""Damage to suites, runs, stores and models is one error that says which file it is, never another number."""

import contextlib
import gzip
import io
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crossexam as cx
from crossexam.core.errors import FormatError
from crossexam.core.files import read_json, read_utf8, write_json
from crossexam.core.sealed import CHECKSUM, read_manifest, write_manifest
from crossexam.core.test_sets import UNVERIFIED, read_suite
from crossexam.language.lexicons.counts import read_counts
from crossexam.language.lexicons.word_pairs import read_pairs
from crossexam.language.word_vectors import first_vectors
from crossexam.models.table import open_model
from crossexam.runs.saved import read_run
from crossexam.shallow.fitting import FitRequest, fit_once
from crossexam.shallow.table import SHALLOW
from made.cases import refused

BASE = "builtin:demo[:30]"
SET = "negation.builtin_demo_30"
CHANGED = "the file was changed by hand, or damaged, after it was written: "


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite and a run of it."""
    folder = tmp_path_factory.mktemp("made")
    cx.build("negation", BASE, folder=folder / "suite")
    cx.run("builtin/overlap", folder / "suite", store=folder / "run")
    return folder


@pytest.fixture
def place(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "place"))


def test_a_manifest_that_was_edited_says_so(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    write_manifest(path, {"rows": 3, "name": "naïve \ud800", "share": 0.1})
    assert read_manifest(path) == {"rows": 3, "name": "naïve \ud800", "share": 0.1}
    path.write_text(path.read_text("utf-8").replace('"rows": 3', '"rows": 4'), encoding="utf-8")
    said = refused(read_manifest, path, hint="build it again")
    assert said.startswith(f"{path}: {CHANGED}its checksum does not match its content")
    assert "or build it again" in said
    content = read_json(path)
    write_json(path, {key: entry for key, entry in content.items() if key != CHECKSUM})
    assert "its checksum is missing" in refused(read_manifest, path)
    write_json(path, {"rows": 3})
    assert "Crossexam did not write this file: it has no checksum" in refused(read_manifest, path)


def test_every_flipped_bit_of_a_manifest_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    write_manifest(path, {"sets": {"a": {"rows": 3, "known": True}}})
    content, known = path.read_bytes(), read_manifest(path)
    for place in range(8 * len(content)):
        changed = bytearray(content)
        changed[place // 8] ^= 1 << place % 8
        path.write_bytes(changed)
        with contextlib.suppress(FormatError):
            assert read_manifest(path) == known  # a blank became another one


def test_a_test_set_that_was_changed_is_refused(place: Path) -> None:
    path = place / "suite" / f"{SET}.parquet"
    table = pq.read_table(path)
    # what the content hash does not cover: the independent unit of the first item
    infos = ['{"cluster": "other"}', *table["info"].to_pylist()[1:]]
    pq.write_table(table.set_column(table.schema.get_field_index("info"), "info", [infos]), path)
    said = refused(read_suite, place / "suite")
    assert said == refused(read_suite, path)  # alone
    assert said.startswith(f"{path}: {CHANGED}its SHA-256 is not that of the manifest")
    assert "build the suite again with --force" in said
    assert "repeat `crossexam run` with --force" in refused(read_run, place / "run")
    shutil.copy(place / "suite" / "base.builtin_demo_30.parquet", path)  # another file of the suite
    assert f"{path}: {CHANGED}" in refused(read_suite, place / "suite")


def test_nothing_vouches_for_a_file_outside_of_its_suite(place: Path) -> None:
    alone = shutil.copy(place / "suite" / f"{SET}.parquet", place / f"{SET}.parquet")
    assert UNVERIFIED not in read_suite(place / "suite")[SET].manifest
    suite = read_suite(alone)
    assert suite[SET].manifest[UNVERIFIED] is True
    cx.run("builtin/overlap", suite, store=place / "new")
    run = read_run(place / "new")
    assert run.datasets[SET].manifest[UNVERIFIED] is True
    cx.report(run).save(place / "page.md")
    assert "No checksum vouches for the file of negation" in read_utf8(place / "page.md")
    table = pq.read_table(alone)
    pq.write_table(table.set_column(1, "premise", [["Another."] * len(table)]), alone)
    assert f"test set '{SET}' was changed after the run" in refused(read_run, place / "new")


def test_a_trained_model_vouches_for_its_files(tmp_path: Path) -> None:
    model = tmp_path / "model"
    fit_once(SHALLOW["bag-of-words"], FitRequest(BASE, BASE, model))
    name, manifest = f"bow/{model}", model / "manifest.json"
    table = next(path for path in model.iterdir() if path.suffix == ".npz")
    content = bytearray(table.read_bytes())
    content[len(content) // 2] ^= 1
    table.write_bytes(content)
    assert refused(lambda: open_model(name).key).startswith(f"{table}: the file was changed by hand")
    write_manifest(manifest, {**read_manifest(manifest), "kind": "other"})  # it says what labels they are
    assert "not the manifest of a bag-of-words model" in refused(cx.run, name, BASE)


def damaged_gzip() -> bytes:
    data = bytearray(gzip.compress(b"".join(f"word{n} {n / 7} {n / 3}\n".encode() for n in range(400))))
    data[60:70] = b"\xff" * 10
    return bytes(data)


def not_utf8() -> bytes:
    """Return a Parquet file with text that is not UTF-8, which Arrow reads."""
    raw = pa.array([b"\xff\xfe", b"abc"], pa.binary())
    text = pa.Array.from_buffers(pa.string(), 2, raw.buffers())
    stream = io.BytesIO()
    pq.write_table(pa.table({"premise": text, "hypothesis": ["a", "b"], "label": ["neutral"] * 2}), stream)
    return stream.getvalue()


def test_what_libraries_raise_is_one_error(tmp_path: Path) -> None:
    damaged: dict[str, tuple[bytes, Callable[[Path], object]]] = {
        "a.tsv": (b"\xff\xfe", read_counts),
        "a.tsv.gz": (damaged_gzip(), lambda path: read_pairs(path, "antonym")),
        "a.txt.gz": (damaged_gzip(), lambda path: first_vectors(path, 3)),
        "a.parquet": (not_utf8(), lambda path: cx.load(str(path))),
    }
    for name, (content, read) in damaged.items():
        (tmp_path / name).write_bytes(content)
        assert name in refused(read, tmp_path / name)
