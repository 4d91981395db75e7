"""Exported classifiers: small graphs that are made here, in the layouts of exporters."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from tokenizers import Tokenizer

from crossexam.core.labels import LABELS
from crossexam.models.label_order import PAIRS, PROBE
from crossexam.models.onnx import model as exported_model
from crossexam.models.table import open_model
from made.cases import refused

LONG = [(f"{a} {b} {c}", b) for (a, b), (c, _) in zip(PAIRS, PAIRS[::-1], strict=True)]
MIXED = [*PAIRS, *LONG, *[(a, "") for a, _ in PAIRS[:3]]]


def opened(folder: Path, **options: Any) -> Any:
    return open_model(f"onnx/{folder}", options)


def test_it_answers_the_probe(exported: Path, copied: Any) -> None:
    """Whatever padding and truncation the file of the tokenizer asks for."""
    strict = copied(exported, "strict")
    tokenizer = Tokenizer.from_file(str(strict / "tokenizer.json"))
    tokenizer.enable_truncation(6)
    tokenizer.enable_padding(length=60)
    tokenizer.save(str(strict / "tokenizer.json"))
    for folder in (exported, strict):
        model = opened(folder)
        assert [LABELS[row.argmax()] for row in model.predict(PAIRS)] == [label for _, _, label in PROBE]
        assert model.details["real_tokens"] < 60 * len(PAIRS)


def test_the_columns_follow_the_names_of_the_classes(
    exported: Path, exporter: Any, copied: Any, tmp_path: Path
) -> None:
    turned = opened(exporter(tmp_path / "turned", labels=("contradiction", "entailment", "neutral")))
    assert np.allclose(turned.predict(MIXED), opened(exported).predict(MIXED), atol=1e-6)
    for name, classes, said in (
        ("wrong", LABELS[::-1], "hint: --label-order entailment,neutral,con"),
        ("two", ("entailment", "not_entailment"), "has 3 outputs, but its class order 2 classes"),
    ):
        folder = copied(exported, name, config={"id2label": dict(enumerate(classes))})
        assert said in refused(lambda at=folder: opened(at).predict(PAIRS))


def test_batches_and_cores_change_nothing(
    exported: Path, quantized: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quantized graph is asked one pair at a time, since a batch would change its answers."""
    exact, rough = opened(exported).predict(MIXED), opened(quantized).predict(MIXED)
    for size in (7, "auto"):
        model = opened(exported, batch_size=size)
        assert np.allclose(model.predict(MIXED[::-1])[::-1], exact, atol=1e-6)
        assert model.details["one_by_one"] is False
        model = opened(quantized, batch_size=size)
        assert np.array_equal(model.predict(MIXED[::-1])[::-1], rough)
        assert model.details["one_by_one"] is True
    for cores in ((1, 1), (3, 1)):
        monkeypatch.setattr(exported_model, "_cores", lambda cores=cores: cores)
        assert np.array_equal(opened(exported).predict(MIXED), exact)


def test_one_pair_at_a_time(exported: Path, copied: Any) -> None:
    """If the graph takes one, or the tokenizer has no padding token."""
    expected = opened(exported).predict(MIXED)
    one, unpadded = copied(exported, "one"), copied(exported, "two", tokenizer_config={"pad_token": None})
    graph = onnx.load(one / "model.onnx")
    for table in graph.graph.input:
        table.type.tensor_type.shape.dim[0].dim_value = 1
    onnx.save(graph, one / "model.onnx")
    for folder in (one, unpadded):
        model = opened(folder)
        assert np.allclose(model.predict(MIXED), expected, atol=1e-6)
        assert model.details["one_by_one"] is True


def test_it_says_how_far_it_read_and_where_tokens_start(exported: Path) -> None:
    model = opened(exported, max_length=9)  # with [CLS] and two [SEP], six tokens of the pair
    long = ("A dog is running across the  field.", "A dog runs.")
    cut, whole = model.answered([long, ("A dog.", "A.")]).read
    assert whole is None
    assert cut is not None
    assert [text[:end] for text, end in zip(long, cut, strict=True)] == ["A dog is", "A dog runs"]
    assert model.token_starts("A  dog's field.") == [0, 3, 6, 7, 9, 14]


def test_the_layouts_of_exporters(exported: Path, copied: Any) -> None:
    """One of several graphs is taken for its name; otherwise one has to be chosen."""
    expected = opened(exported).predict(PAIRS)
    for name, other in (
        ("model.onnx", "model_quantized.onnx"),
        ("onnx/model.onnx", "onnx/model_O2.onnx"),
        ("model_optimized.onnx", "card.txt"),
    ):
        folder = copied(exported, Path(other).stem)
        (folder / "onnx").mkdir()
        (folder / "model.onnx").rename(folder / name)
        (folder / other).write_bytes(b"not to be read")
        assert np.array_equal(opened(folder).predict(PAIRS), expected)
    shutil.copy(folder / name, folder / "model_O1.onnx")
    choice = "wanted: one of: model_O1.onnx, model_optimized.onnx\n  hint: --set onnx.file=model_O1.onnx"
    assert choice in refused(opened, folder)
    assert opened(folder, file=name).details["file"] == name
    outside = "../card/model_O1.onnx"
    assert f"files is called {outside}" in refused(opened, folder, file=outside)


def test_files_that_are_no_classifiers(exported: Path, copied: Any) -> None:
    whole = (exported / "model.onnx").read_bytes()
    for number, (file, content, said) in enumerate(
        (
            ("model.onnx", b"no protobuf at all, but a text", "onnxruntime cannot load it"),
            ("model.onnx", whole[:-50], "onnxruntime cannot load it"),
            ("model.onnx", whole.replace(b"ReduceSum", b"NoSuchSum"), "NoSuchSum"),
            ("model.onnx", whole.replace(b"logits", b"states"), "attention_mask, token_type_ids to states"),
            ("tokenizer.json", b"{}", "tokenizers cannot read it"),
        )
    ):
        folder = copied(exported, f"broken-{number}")
        (folder / file).write_bytes(content)
        assert said in refused(lambda at=folder: opened(at).predict(PAIRS))


def _with_external_weights(folder: Path, location: str) -> Path:
    path = folder / "model.onnx"
    onnx.save(onnx.load(path), path, save_as_external_data=True, location=location, size_threshold=1024)
    return folder


def test_weights_beside_the_graph(exported: Path, copied: Any) -> None:
    """The key depends on them, and on no other graph."""
    expected = opened(exported).predict(PAIRS)
    folder, location = copied(exported), "parts/weights"
    (folder / "parts").mkdir()
    assert np.array_equal(opened(_with_external_weights(folder, location)).predict(PAIRS), expected)
    key = opened(folder).key
    (folder / "model_O2.onnx").write_bytes(b"not to be read")
    assert opened(folder).key == key
    content = bytearray((folder / location).read_bytes())
    content[-1] ^= 1
    (folder / location).write_bytes(content)
    assert opened(folder).key != key


def test_weights_that_are_missing_or_outside_the_folder_are_refused(exported: Path, copied: Any) -> None:
    for location, said in (
        (b"../weight", "escapes model directory"),
        (b"/etc/host", "Absolute path not allowed"),
        (b"elsewhere", "does not exist"),
    ):
        folder = _with_external_weights(copied(exported, location.hex()), "inweights")
        graph = (folder / "model.onnx").read_bytes()
        (folder / "model.onnx").write_bytes(graph.replace(b"inweights", location))
        shutil.move(folder / "inweights", folder.parent / "weight")
        assert said in refused(opened(folder).predict, PAIRS)
