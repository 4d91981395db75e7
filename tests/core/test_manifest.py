"""The entry of a test set survives writing and reading, and says what it does not know."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import fields, replace

from crossexam.core import manifest as module
from crossexam.core.dataset import Dataset
from crossexam.core.errors import FormatError
from crossexam.core.manifest import (
    CROSS_DATASET,
    BaseRead,
    FileRecord,
    SavedSuiteManifest,
    TestSetEntry,
    entry_of,
    saved_suite_in,
    used_machines,
)
from crossexam.core.sealed import MANIFEST, read_manifest, write_manifest
from crossexam.core.test_sets import read_suite
from made.suites import BASE, write_suite

PLAIN = TestSetEntry(versioned="negation", part="dev")

#: A value other than the default for every field; a new field needs one here.
CHANGED: dict[str, Any] = {
    "file": "negation.dev.parquet",
    "versioned": "base.v3",
    "part": "test",
    "base_set": "base.dev",
    "keeps_label": False,
    "paired": True,
    "test_class": "noise",
    "rows": 7,
    "content_hash": "0123456789abcdef",
    "sha256": "0123abcd",
    "signature": "corpus:snli:dev",
    "yields": {"examples": 9, "items": 7, "rejected": {"too short": 2}},
    "projection": "two labels",
    "facts": {CROSS_DATASET: {"key": "sick"}},
    "verdict": {"study": "0123abcd", "verified": 2},
    "next": [FileRecord("4567abcd", "0123456789abcdef", None)],
    "unverified": True,
    "spec": "snli:dev",
    "counts": {"read": 9, "no_gold": 2},
    "path": "/there",
}


def again(entry: TestSetEntry) -> TestSetEntry:
    return entry_of(entry.name, json.loads(json.dumps(entry.to_json())), "here")


def test_the_fields_are_written_and_read_one_by_one_and_together() -> None:
    assert again(PLAIN) == PLAIN
    names = [each.name for each in fields(TestSetEntry)]
    single = {name: replace(PLAIN, **{name: CHANGED[name]}) for name in names}
    assert {name: again(entry) for name, entry in single.items()} == single
    assert PLAIN not in single.values()
    entry = replace(PLAIN, **CHANGED)
    assert again(entry) == entry
    assert list(again(entry).to_json()) == list(entry.to_json())
    silent = Dataset("negation.dev", ()).entry
    assert (silent.construction, silent.part, silent.rows) == ("negation", "dev", None)


def test_what_a_suite_does_not_know_of_a_test_set_is_written_as_null() -> None:
    assert json.dumps(PLAIN.to_json()) == (
        '{"construction": "negation", "part": "dev", "base_set": null, "keeps_label": true, '
        '"test_class": "base", "rows": null, "content_hash": null, "signature": null, "yield": null}'
    )
    base = BaseRead(part="dev", spec="snli:dev", identity="0123", read={"read": 9})
    suite = SavedSuiteManifest(
        name="mine",
        paper="",
        signature="s",
        request={},
        facts={"absent": ["sick"]},
        bases=[base],
        test_sets={PLAIN.name: PLAIN},
    )
    written = suite.to_json()
    assert json.dumps({**written, "test_sets": list(written["test_sets"])}) == (
        '{"format": 1, "name": "mine", "paper": "", "signature": "s", "request": {}, "absent": ["sick"], '
        '"bases": [{"part": "dev", "spec": "snli:dev", "identity": "0123", "read": {"read": 9}}], '
        '"test_sets": ["negation.dev"]}'
    )


def test_a_construction_has_a_name_rules_and_a_version() -> None:
    said = {
        versioned: (entry.construction, entry.rules, entry.made_by)
        for versioned in ("negation.v1", "antonymy_released.v12", "base", "a.b.v2")
        for entry in [replace(PLAIN, versioned=versioned)]
    }
    assert said == {
        "negation.v1": ("negation", "ours", "negation"),
        "antonymy_released.v12": ("antonymy", "released", "antonymy_released"),
        "base": ("base", "ours", "base"),
        "a.b.v2": ("a.b", "ours", "a.b"),
    }


def test_items_are_compared_unless_labels_change_or_the_entry_says_otherwise() -> None:
    said = [(labels, paired) for labels in (True, False) for paired in (None, True, False)]
    compared = [replace(PLAIN, keeps_label=labels, paired=paired).compares_items for labels, paired in said]
    assert compared == [True, True, False, False, True, False]


def test_a_machine_is_a_processor_and_how_torch_uses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def on(processor: str, instructions: str, threads: int) -> None:
        cpu = SimpleNamespace(get_cpu_capability=lambda: instructions)
        torch = SimpleNamespace(backends=SimpleNamespace(cpu=cpu), get_num_threads=lambda: threads)
        monkeypatch.setitem(sys.modules, "torch", torch)
        monkeypatch.setattr(module, "_processor", lambda: processor)

    on("one", "AVX2", 1)
    first = used_machines()
    assert first == used_machines(first) == [{"processor": "one", "instructions": "AVX2", "threads": 1}]
    for changed in (("two", "AVX2", 1), ("one", "AVX512", 1), ("one", "AVX2", 2)):
        on(*changed)
        both = used_machines(first)
        assert both == [*first, dict(zip(first[0], changed, strict=True))]
        on("one", "AVX2", 1)
        assert used_machines(both) == both
    monkeypatch.delitem(sys.modules, "torch")
    assert used_machines() == [{"processor": "one"}]


def test_the_name_of_a_processor_is_known_where_linux_says_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "Path", lambda _: tmp_path / "cpuinfo")
    monkeypatch.setattr("platform.processor", lambda: "")
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert module._processor.__wrapped__() == "aarch64"
    for text, name in (("model name\t: Xeon: 9\nmodel name\t: other\n", "Xeon: 9"), ("\n", "aarch64")):
        (tmp_path / "cpuinfo").write_text(text)
        assert module._processor.__wrapped__() == name


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda manifest: manifest.pop("signature"), "missing required field `signature`"),
        (lambda manifest: manifest.update(request=[]), "Expected `object`, got `array` - at `$.request`"),
        (lambda manifest: manifest.update(test_sets=[]), "Expected `object`, got `array`"),
        (lambda manifest: manifest["test_sets"].update({BASE.name: 3}), "got `int` - at `$[...]`"),
        (lambda manifest: manifest["test_sets"][BASE.name].update(rows="3"), "got `str` - at `$.rows`"),
        (lambda manifest: manifest["test_sets"][BASE.name].update(next=[{}]), "`sha256` - at `$.next[0]`"),
        (lambda manifest: manifest["test_sets"][BASE.name].pop("file"), "names no file"),
    ],
)
def test_a_manifest_that_no_version_of_ours_writes_is_refused_by_its_field(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], said: str
) -> None:
    path = write_suite(tmp_path / "suite", BASE) / MANIFEST
    assert saved_suite_in(path.parent, hint="").test_sets[BASE.name].rows == 3
    manifest = read_manifest(path)
    change(manifest)
    write_manifest(path, manifest)  # with a checksum that is right
    with pytest.raises(FormatError) as raised:
        read_suite(path.parent)
    assert str(path) in str(raised.value)
    assert said in str(raised.value)
    assert "build the suite again with --force" in str(raised.value)
