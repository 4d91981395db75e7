"""The transformer that ships with the package, its card, and the script that makes both."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import crossexam as cx
from crossexam.core.estimate import Estimate
from crossexam.core.files import read_json
from crossexam.models.builtin import MINILM_FOLDER, MINILM_NAME
from crossexam.models.label_order import PAIRS, PROBE
from crossexam.models.table import open_model

ROOT = Path(__file__).parents[2]
FOLDER = Path(str(MINILM_FOLDER))
LARGEST = 24_000_000  # bytes


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = spec_from_file_location("make_minilm", ROOT / "scripts" / "make_minilm.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["make_minilm"] = module
    spec.loader.exec_module(module)
    return module


def test_it_answers_the_probe_one_pair_at_a_time() -> None:
    model = open_model(MINILM_NAME)
    predicted = [cx.LABELS[row.argmax()] for row in model.predict(PAIRS)]
    right = sum(label == gold for label, (_, _, gold) in zip(predicted, PROBE, strict=True))
    assert right >= 0.9 * len(PROBE)
    assert model.details["one_by_one"] is True
    assert model.details["probe"]["right"] == round(right / len(PROBE), 4)


def test_a_pair_has_the_same_bits_in_any_company() -> None:
    whole = open_model(MINILM_NAME).predict(PAIRS)
    assert np.array_equal(open_model(MINILM_NAME).predict(PAIRS[::-3]), whole[::-3])


def test_it_is_small_and_says_what_it_was_made_from() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) <= LARGEST
    notice = (FOLDER / "NOTICE").read_text(encoding="utf-8")
    for name in (
        "sentence-transformers/all-MiniLM-L6-v2",
        "Apache License 2.0",
        "ShareAlike 4.0",
        "MultiNLI",
    ):
        assert name in notice


def test_no_processor_saturates(script: ModuleType) -> None:
    largest = script.largest_weight(FOLDER / "model.onnx")
    assert largest == read_json(FOLDER / "manifest.json")["largest_weight"]
    assert 2 * 255 * largest < 2**15


def test_the_graph_has_no_traces_of_its_making() -> None:
    content = (FOLDER / "model.onnx").read_bytes()
    for trace in (b"site-packages", b".py", b"stack_trace", b"/tmp"):
        assert trace not in content


def test_the_card_is_what_the_script_writes(script: ModuleType) -> None:
    facts = read_json(FOLDER / "manifest.json")
    assert script.CARD.read_text(encoding="utf-8") == script.card(facts)
    assert facts["bytes"]["model.onnx"] == (FOLDER / "model.onnx").stat().st_size


@pytest.mark.slow
def test_it_has_the_accuracy_of_its_card(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROSSEXAM_DATA", str(shared_data))
    (found,) = cx.accuracy(cx.run(MINILM_NAME, cx.load("snli:test"))).values()
    stated = Estimate(*read_json(FOLDER / "manifest.json")["accuracy"]["SNLI test"])
    assert found.value == pytest.approx(stated.value, abs=0.002)  # last bits differ between processors
    assert found.value >= 0.8


def test_tokenized_text_is_joined(script: ModuleType) -> None:
    tokens = "`` I do n't know , it 's $ 5 -LRB- or 5 % -RRB- , '' he can not say ; they 're gon na ask ."
    joined = "\"I don't know, it's $5 (or 5%),\" he cannot say; they're gonna ask."
    assert script.detokenized(tokens) == joined


@pytest.mark.slow
def test_the_script_exports_what_hf_computes(
    script: ModuleType, tiny_checkpoint: Path, tmp_path: Path
) -> None:
    expected = open_model(f"hf/{tiny_checkpoint}").predict(PAIRS)
    for name in ("exact", "small"):
        (tmp_path / name).mkdir()
    script.export(tiny_checkpoint, tmp_path / "exact" / "model.onnx")
    script.quantize(tmp_path / "exact" / "model.onnx", tmp_path / "small" / "model.onnx")
    for name, tolerance in (("exact", 1e-5), ("small", 0.05)):
        script.write_folder(tiny_checkpoint, tmp_path / name / "model.onnx", tmp_path / name)
        predicted = open_model(f"onnx/{tmp_path / name}").predict(PAIRS)
        assert np.allclose(predicted, expected, atol=tolerance)
    assert script.largest_weight(tmp_path / "small" / "model.onnx") <= 64
